"""A look at a strategy on a public tree, node by node: hands by actions as a coloured table."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from riverboat.errors import UsageError
from riverboat.trees.public_tree import ROOT, Place

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from rich.table import Table
    from rich.text import Text

    from riverboat.strategies.public_strategy import PublicStrategy

__all__ = ["PublicCursor", "show_public"]

COLOURS = ("green", "red", "yellow", "blue", "magenta", "cyan")
BAR = 20


@dataclass(frozen=True)
class PublicCursor:
    """A node of a solved tree, the way to it, and who can still hold what there."""

    strategy: PublicStrategy
    places: tuple[Place, ...] = (ROOT,)
    path: tuple[str, ...] = ()

    @property
    def place(self) -> Place:
        return self.places[-1]

    @property
    def player(self) -> int:
        """Who acts; −1 for chance."""
        return int(self.strategy.public.shapes.actor[self.place.shape])

    def moves(self) -> dict[str, Place | None]:
        """What can follow, e.g. "s" or "h7", and where it leads; None is an end."""
        shapes = self.strategy.public.shapes
        actions = shapes.actions(self.place.shape)
        first = int(shapes.slot_offsets[self.place.shape])
        found: dict[str, Place | None] = {
            action: None for a, action in enumerate(actions) if shapes.slot_table[first + a] >= 0
        }
        for slot, card, child in shapes.children(self.place):
            found[actions[slot] + card] = child
            if card:
                found.pop(actions[slot], None)
        return found

    def after(self, token: str) -> PublicCursor:
        """The cursor one move on; UsageError where there is no such node."""
        place = self.moves().get(token)
        if place is None:
            known = ", ".join(move for move, child in self.moves().items() if child is not None)
            way = f"from here go {known}" if known else "here the play ends whatever is done"
            where = ",".join((*self.path, token))
            raise UsageError(f"There is no decision at {where!r}; {way}.")
        return PublicCursor(self.strategy, (*self.places, place), (*self.path, token))

    def back(self) -> PublicCursor:
        """The cursor one move back; the root stays where it is."""
        if not self.path:
            return self
        return PublicCursor(self.strategy, self.places[:-1], self.path[:-1])

    def held(self) -> NDArray[np.float64] | None:
        """(L,) how likely the acting player holds each hand here, where hands are independent."""
        import numpy as np

        shapes, player = self.strategy.public.shapes, self.player
        deal = shapes.deal
        if player < 0 or not np.allclose(deal, np.outer(deal.sum(axis=1), deal.sum(axis=0))):
            return None
        chance = deal.sum(axis=1 - player)
        for place, token in zip(self.places, self.path, strict=False):
            if shapes.actor[place.shape] == player:
                actions = shapes.actions(place.shape)
                slot = next(a for a, action in enumerate(actions) if token.startswith(action))
                chance = chance * self.strategy.at(place)[slot]
        total = chance.sum()
        return chance / total if total > 0 else None

    def facts(self) -> dict[str, Any]:
        """The node for a program."""
        shapes, player = self.strategy.public.shapes, self.player
        rows = self.strategy.at(self.place)
        actions = shapes.actions(self.place.shape)
        hands = shapes.lanes[player] if player >= 0 else ()
        return {
            "game": self.strategy.game,
            "parameters": dict(self.strategy.parameters),
            "info": dict(self.strategy.info),
            "path": list(self.path),
            "player": player,
            "hands": {
                hand: dict(zip(actions, rows[:, lane].tolist(), strict=True))
                for lane, hand in enumerate(hands)
            },
            "moves": list(self.moves()),
        }


def show_public(
    strategy: PublicStrategy,
    *,
    path: str = "",
    interactive: bool | None = None,
    as_json: bool = False,
) -> None:
    """Show the node at `path` ("s,h7"); at a terminal without a path, walk from node to node."""
    from riverboat.cli.console import emit, output

    cursor = PublicCursor(strategy)
    for token in filter(None, (part.strip() for part in path.split(","))):
        cursor = cursor.after(token)
    if as_json:
        emit(cursor.facts())
        return
    console = output()
    console.print(_title(strategy), markup=True)
    console.print(_node(cursor))
    if interactive is None:
        interactive = not path and sys.stdin.isatty() and sys.stdout.isatty()
    if not interactive:
        console.print(_ways(cursor), style="dim", markup=False)
        return
    _walk(cursor)


def _walk(cursor: PublicCursor) -> None:
    """Ask for moves until the user has seen enough."""
    from riverboat.cli.console import output

    console = output()
    while True:
        console.print(_ways(cursor), style="dim", markup=False)
        try:
            answer = console.input("go (a move, [b]ack, [t]op, [q]uit): ", markup=False).strip()
        except EOFError:
            return
        if answer in ("q", "quit"):
            return
        try:
            if answer in ("b", "back"):
                cursor = cursor.back()
            elif answer in ("t", "top"):
                cursor = PublicCursor(cursor.strategy)
            else:
                for token in filter(None, (part.strip() for part in answer.split(","))):
                    cursor = cursor.after(token)
        except UsageError as error:
            console.print(str(error), markup=False)
            continue
        console.print(_node(cursor))


def _title(strategy: PublicStrategy) -> str:
    parameters = ", ".join(
        f"{key}={','.join(map(str, value)) if isinstance(value, tuple) else value}"
        for key, value in strategy.parameters.items()
    )
    words = [f"[bold]{strategy.game}[/]  {parameters}"]
    payoffs = strategy.info.get("payoffs")
    if payoffs:
        words.append("payoffs " + " ".join(f"{payoff:.6f}" for payoff in payoffs))
    if "nash_conv" in strategy.info:
        words.append(f"NashConv {strategy.info['nash_conv']:.2g}")
    return "   ".join(words)


def _node(cursor: PublicCursor) -> Table | str:
    from rich.table import Table
    from rich.text import Text

    strategy, player = cursor.strategy, cursor.player
    where = ",".join(cursor.path) or "the start"
    if player < 0:
        return f"\nAt {where} a public card is dealt."
    shapes = strategy.public.shapes
    rows, held = strategy.at(cursor.place), cursor.held()
    table = Table(
        title=Text(f"At {where} player {player + 1} acts"), title_justify="left", box=None
    )
    table.add_column("hand", justify="right", style="bold")
    if held is not None:
        table.add_column("held", justify="right", style="dim")
    actions = shapes.actions(cursor.place.shape)
    for a, action in enumerate(actions):
        colour = COLOURS[a % len(COLOURS)]
        table.add_column(strategy.rules.action_label(action), header_style=f"bold {colour}")
    for lane, hand in enumerate(shapes.lanes[player]):
        cells: list[str | Text] = [hand]
        if held is not None:
            cells.append(f"{held[lane]:.1%}")
        cells += [_bar(float(rows[a, lane]), COLOURS[a % len(COLOURS)]) for a in range(len(rows))]
        table.add_row(*cells)
    return table


def _bar(probability: float, colour: str) -> Text:
    from rich.text import Text

    full = round(probability * BAR)
    text = Text(f"{probability:6.1%} ")
    text.append("█" * full, style=colour)
    text.append("·" * (BAR - full), style="dim")
    return text


def _ways(cursor: PublicCursor) -> str:
    """What can follow, in one line."""
    ways = [move if child else f"{move} (ends)" for move, child in cursor.moves().items()]
    return "next: " + " ".join(ways)
