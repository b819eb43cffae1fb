"""A strategy on a public tree at the terminal: its nodes as tables, walked move by move."""

from __future__ import annotations

import sys

from rich.table import Table
from rich.text import Text

from riverboat.cli.console import assignments, emit, output
from riverboat.errors import UsageError
from riverboat.strategies.public_strategy import PublicCursor, PublicStrategy

COLOURS = ("green", "red", "yellow", "blue", "magenta", "cyan")
BAR = 20


def show_public(
    strategy: PublicStrategy,
    *,
    path: str = "",
    interactive: bool | None = None,
    as_json: bool = False,
) -> None:
    """Show the node at `path` ("s,h7"); at a terminal without a path, walk from node to node."""
    cursor = strategy.walk(path)
    if as_json:
        emit(cursor.as_dict())
        return
    console = output()
    console.print(_title(strategy), markup=True)
    console.print(_node(cursor))
    if interactive is None:
        interactive = not path and sys.stdin.isatty() and sys.stdout.isatty()
    if not interactive:
        console.print(_next_moves(cursor), style="dim", markup=False)
        return
    _walk(cursor)


def _walk(cursor: PublicCursor) -> None:
    """Ask for moves until the user has seen enough."""
    console = output()
    while True:
        console.print(_next_moves(cursor), style="dim", markup=False)
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
                cursor = cursor.follow(answer)
        except UsageError as error:
            console.print(str(error), markup=False)
            continue
        console.print(_node(cursor))


def _title(strategy: PublicStrategy) -> str:
    words = [f"[bold]{strategy.game}[/]  {assignments(strategy.parameters)}"]
    payoffs = strategy.info.get("payoffs")
    if payoffs:
        words.append("payoffs " + " ".join(f"{payoff:z.6f}" for payoff in payoffs))
    if "nash_conv" in strategy.info:
        words.append(f"NashConv {strategy.info['nash_conv']:.2g}")
    return "   ".join(words)


def _node(cursor: PublicCursor) -> Table | str:
    strategy, player = cursor.strategy, cursor.player
    if player < 0:
        return f"\n{cursor.title}."
    shapes = strategy.public.shapes
    rows, held = strategy.at(cursor.place), cursor.held()
    table = Table(title=Text(cursor.title), title_justify="left", box=None)
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
    full = round(probability * BAR)
    text = Text(f"{probability:6.1%} ")
    text.append("█" * full, style=colour)
    text.append("·" * (BAR - full), style="dim")
    return text


def _next_moves(cursor: PublicCursor) -> str:
    """What can follow, in one line."""
    moves = [move if child else f"{move} (ends)" for move, child in cursor.moves().items()]
    return "next: " + " ".join(moves)
