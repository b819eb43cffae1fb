"""PublicCursor: walk a strategy on a public tree, move by move.

cursor = strategy.walk("s,h7")        the node after a stand and a hit that brought a seven
cursor.moves(), cursor.after("s"), cursor.back(), cursor.held()
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import UsageError
from riverboat.notebook import Cell, Markup, bar, html_table
from riverboat.trees.public_tree import ROOT, Place

if TYPE_CHECKING:
    from riverboat.strategies.public_strategy import PublicStrategy

__all__ = ["PublicCursor"]


@dataclass(frozen=True, repr=False)
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

    def follow(self, path: str) -> PublicCursor:
        """The cursor after several moves, as in "s,h7"."""
        cursor = self
        for token in filter(None, (part.strip() for part in path.split(","))):
            cursor = cursor.after(token)
        return cursor

    def back(self) -> PublicCursor:
        """The cursor one move back; the root stays where it is."""
        if not self.path:
            return self
        return PublicCursor(self.strategy, self.places[:-1], self.path[:-1])

    def held(self) -> NDArray[np.float64] | None:
        """(L,) how likely the acting player holds each hand here, where hands are independent."""
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

    def as_dict(self) -> dict[str, Any]:
        """The node for a program: what `riverboat show --path … --json` prints."""
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

    @property
    def title(self) -> str:
        """Where it stands and who acts, in words."""
        where = ",".join(self.path) or "the start"
        if self.player < 0:
            return f"At {where} a public card is dealt"
        return f"At {where} player {self.player + 1} acts"

    def __repr__(self) -> str:
        return f"<PublicCursor {self.strategy.game}: {self.title}, next {' '.join(self.moves())}>"

    def _repr_html_(self) -> str:
        shapes, label = self.strategy.public.shapes, self.strategy.rules.action_label
        rows, held = self.strategy.at(self.place), self.held()
        actions = shapes.actions(self.place.shape)
        table: list[tuple[Cell, ...]] = []
        for lane, hand in enumerate(shapes.lanes[self.player] if self.player >= 0 else ()):
            bars = Markup(
                "".join(bar(float(rows[a, lane]), label(x), a) for a, x in enumerate(actions))
            )
            table.append((hand, "" if held is None else f"{held[lane]:.1%}", bars))
        note = "next: " + " ".join(self.moves())
        return html_table(("hand", "held", ""), table, title=self.title, note=note)
