"""Groups of hands at a node of a solved spot, and the hands in them.

    found = node_groups(solved.at("r:0"), "flush draw without A")
    for group in found.groups("made"):
        print(group.name, group.players[0].share, group.players[0].ev, group.strategy)
    for hand in found.hands("ev"):
        print(hand.cards, hand.ev, hand.outs)
    found.range_text()                      "KsQs,KsJs:0.8,…"

A group has what each player's hands in it do in sum: their share of the range, EV and equity, and
for the player who acts how often each action is taken. Hands are weighted by how often each is met,
as everywhere at a node. A filter (`cards.hand_filter` has its words) narrows both ranges; shares
stay those of the whole range. The same groups serve hold'em and Omaha.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.combos import CLASS_NAMES, class_of_combos
from riverboat.cards.hand_filter import find_hands, range_text
from riverboat.cards.hand_groups import KINDS, HandGroups, hand_groups
from riverboat.cards.hands import hand_numbers, hand_text
from riverboat.errors import ParameterError, UnknownNameError, UsageError
from riverboat.holdem.spots.cursor import SpotCursor
from riverboat.runtime.array_types import F64, Bools
from riverboat.runtime.tables import csv_text, data_frame, write_table

SORTS = ("share", "ev", "equity", "weight", "name")
_NAN = float("nan")


@dataclass(frozen=True)
class GroupFigures:
    """What one player's hands of a group do in sum."""

    weight: float  # Combos, each with the weight that reaches the node
    share: float  # Of the player's whole range at the node
    ev: float
    equity: float


@dataclass(frozen=True)
class GroupRow:
    """A group of hands at a node."""

    kind: str  # made, draw, blocker or suits; class for one of the grid
    name: str
    players: tuple[GroupFigures, ...]
    strategy: dict[str, float] | None  # Of the player shown, where they act

    def as_dict(self, names: Sequence[str]) -> dict[str, Any]:
        """The facts for a program, players by name."""
        figures = {name: vars(mine) for name, mine in zip(names, self.players, strict=True)}
        return {"kind": self.kind, "group": self.name, **figures, "strategy": self.strategy}


@dataclass(frozen=True)
class HandRow:
    """A hand of the player shown."""

    cards: str
    weight: float
    share: float  # Of the whole range
    ev: float
    equity: float
    made: str
    draw: str
    blocker: str
    suits: str
    outs: int
    strategy: dict[str, float] | None


@dataclass(frozen=True, eq=False)
class _Side:
    """One player's hands at a node, as arrays."""

    groups: HandGroups
    chosen: Bools  # (H,) hands that the filter found and that reach the node
    weights: F64
    shares: F64  # (H,) of the whole range
    evs: F64
    equities: F64

    def figures(self, members: Bools) -> GroupFigures:
        here = members & self.chosen
        share = float(self.shares[here].sum())
        ev, equity = (
            float(self.shares[here] @ values[here]) / share if share else _NAN
            for values in (self.evs, self.equities)
        )
        return GroupFigures(float(self.weights[here].sum()), share, ev, equity)


@dataclass(frozen=True, eq=False)
class NodeGroups:
    """The groups and hands of a node, all of them or those that a filter found."""

    node: str
    names: tuple[str, ...]  # The players
    player: int  # The one shown
    actions: tuple[str, ...]  # Of the player shown, where they act
    filter: str | None
    sides: tuple[_Side, ...]
    strategies: F64 | None  # (actions, H) of the player shown

    @property
    def hole_cards(self) -> int:
        """The number of cards of a hand."""
        return int(self.sides[self.player].groups.cards.shape[1])

    @property
    def total(self) -> GroupRow:
        """All hands that were found."""
        return self._row("", "all", [side.chosen for side in self.sides])

    def groups(
        self, kind: str = "made", sort: str | None = None, *, ascending: bool = False
    ) -> list[GroupRow]:
        """The groups of a kind that any player has hands in: best first, or sorted.

        Parameters
        ----------
        kind
            "made", "draw", "blocker" or "suits".
        sort
            "share", "ev", "equity", "weight" of the player shown, "name", or an action.
        ascending
            The smallest first.
        """
        if kind not in KINDS:
            raise UnknownNameError.among("kind of groups", kind, tuple(KINDS))
        rows = []
        for number, name in enumerate(KINDS[kind]):
            members = [side.groups.codes[kind] == number for side in self.sides]
            if any(
                (side.chosen & here).any() for side, here in zip(self.sides, members, strict=True)
            ):
                rows.append(self._row(kind, name, members))
        return self._sorted(rows, sort, ascending)

    def classes(self, sort: str | None = None) -> list[GroupRow]:
        """The classes of hands of two cards that any player has: by the grid, or sorted."""
        if self.sides[0].groups.cards.shape[1] > 2:
            raise UsageError("Hands of four cards have no grid of classes; read them in groups.")
        codes = [class_of_combos()[hand_numbers(side.groups.cards)] for side in self.sides]
        rows = []
        for number, name in enumerate(CLASS_NAMES):
            members = [own == number for own in codes]
            if any((side.chosen & m).any() for side, m in zip(self.sides, members, strict=True)):
                rows.append(self._row("class", name, members))
        return self._sorted(rows, sort)

    def hands(
        self,
        sort: str | None = "share",
        *,
        ascending: bool = False,
        group: tuple[str, str] | None = None,
        rows: slice = slice(None),
    ) -> list[HandRow]:
        """The hands of the player shown, the largest first.

        Parameters
        ----------
        sort
            As for groups; without one in the order of the range.
        ascending
            The smallest first. Hands without such a number are last in either order.
        group
            A kind and a name: only the hands of this group.
        rows
            The part of the list to return; a range of Omaha has many thousand hands.
        """
        return [self._hand(i) for i in self._order(sort, ascending, group)[rows].tolist()]

    def num_hands(self, group: tuple[str, str] | None = None) -> int:
        """The number of hands of the player shown, of all or of one group."""
        return int(self._members(group).sum())

    @property
    def orders(self) -> tuple[str, ...]:
        """What groups and hands of this node can be sorted by."""
        return (*SORTS, *self.actions)

    def check_order(self, sort: str | None) -> None:
        """Refuse an order that groups and hands of this node do not have."""
        if sort is not None and sort not in self.orders:
            raise UnknownNameError.among("order", sort, self.orders)

    def range_text(self, group: tuple[str, str] | None = None) -> str:
        """The hands of the player shown, or of one group, as text of the range grammar."""
        side = self.sides[self.player]
        return range_text(side.groups, np.where(self._members(group), side.weights, 0.0))

    def columns(self) -> dict[str, list[Any]]:
        """The hands as a table: one list for each column."""
        rows = self.hands()
        plain = ("weight", "share", "ev", "equity", "made", "draw", "blocker", "suits", "outs")
        table: dict[str, list[Any]] = {"hand": [row.cards for row in rows]}
        table |= {name: [getattr(row, name) for row in rows] for name in plain}
        for action in self.actions:
            table[action] = [(row.strategy or {})[action] for row in rows]
        return table

    def group_columns(self, sort: str | None = None) -> dict[str, list[Any]]:
        """The groups of all kinds as a table."""
        rows = [row for kind in KINDS for row in self.groups(kind, sort)]
        table: dict[str, list[Any]] = {
            "kind": [row.kind for row in rows], "group": [row.name for row in rows]
        }  # fmt: skip
        for player, name in enumerate(self.names):
            for figure in ("share", "weight", "ev", "equity"):
                table[f"{name} {figure}"] = [getattr(row.players[player], figure) for row in rows]
        for action in self.actions:
            table[action] = [(row.strategy or {}).get(action, _NAN) for row in rows]
        return table

    def to_frame(self, *, hands: bool = False, library: str | None = None) -> Any:
        """The groups, or the hands, as a data frame of pandas or polars."""
        return data_frame(self.columns() if hands else self.group_columns(), library)

    def to_csv(self, *, hands: bool = False) -> str:
        """The same as CSV."""
        table = self.columns() if hands else self.group_columns()
        return csv_text(list(table), zip(*table.values(), strict=True))

    def write(self, path: str | Path, *, hands: bool = False) -> int:
        """Write the same as CSV, Parquet or Arrow, by the file's ending; the number of rows."""
        table = self.columns() if hands else self.group_columns()
        return write_table(path, list(table), zip(*table.values(), strict=True))

    def as_dict(self, sort: str | None = None, limit: int | None = None) -> dict[str, Any]:
        """The facts for a program; `limit` is the number of hands, without it there are none."""
        facts: dict[str, Any] = {
            "node": self.node,
            "player": self.names[self.player],
            "find": self.filter,
            "total": self.total.as_dict(self.names),
            "groups": [
                row.as_dict(self.names) for kind in KINDS for row in self.groups(kind, sort)
            ],
        }
        if limit is not None:
            rows = self.hands(sort or "share", rows=slice(limit or None))
            facts["hands"] = [{**vars(row)} for row in rows]
            facts["num_hands"] = self.num_hands()
            facts["range"] = self.range_text()
        return facts

    def _row(self, kind: str, name: str, members: Sequence[Bools]) -> GroupRow:
        figures = tuple(side.figures(here) for side, here in zip(self.sides, members, strict=True))
        strategy = None
        if self.strategies is not None and figures[self.player].share > 0:
            side = self.sides[self.player]
            here = members[self.player] & side.chosen
            means = self.strategies[:, here] @ side.shares[here] / figures[self.player].share
            strategy = dict(zip(self.actions, means.tolist(), strict=True))
        return GroupRow(kind, name, figures, strategy)

    def _members(self, group: tuple[str, str] | None) -> Bools:
        """(H,) the hands of the player shown that were found, of all or of one group."""
        side = self.sides[self.player]
        if group is None:
            return side.chosen
        kind, name = group
        if kind not in KINDS:
            raise UnknownNameError.among("kind of groups", kind, tuple(KINDS))
        if name not in KINDS[kind]:
            raise UnknownNameError.among("group of hands", name, KINDS[kind])
        members = side.groups.codes[kind] == KINDS[kind].index(name)
        return np.asarray(side.chosen & members)

    def _order(
        self, sort: str | None, ascending: bool, group: tuple[str, str] | None
    ) -> NDArray[np.intp]:
        """The numbers of the hands of the player shown, in an order of `check_order`."""
        side = self.sides[self.player]
        hands = np.flatnonzero(self._members(group))
        if sort is None:
            return hands
        self.check_order(sort)
        if sort == "name":
            names = [hand_text(side.groups.cards[i]) for i in hands.tolist()]
            order = np.array(sorted(range(len(names)), key=names.__getitem__), np.intp)
            return hands[order[::-1] if ascending else order]
        if sort in SORTS:
            figures = {
                "share": side.shares, "weight": side.weights,
                "ev": side.evs, "equity": side.equities,
            }  # fmt: skip
            numbers = figures[sort][hands]
        else:
            assert self.strategies is not None
            numbers = self.strategies[self.actions.index(sort)][hands]
        return hands[np.argsort(numbers if ascending else -numbers, kind="stable")]

    def _hand(self, i: int) -> HandRow:
        side = self.sides[self.player]
        return HandRow(
            hand_text(side.groups.cards[i]), float(side.weights[i]), float(side.shares[i]),
            float(side.evs[i]), float(side.equities[i]), *side.groups.of(i), self._strategy_of(i),
        )  # fmt: skip

    def _strategy_of(self, hand: int) -> dict[str, float] | None:
        if self.strategies is None:
            return None
        return dict(zip(self.actions, self.strategies[:, hand].tolist(), strict=True))

    def _sorted(
        self, rows: list[GroupRow], sort: str | None, ascending: bool = False
    ) -> list[GroupRow]:
        """Rows, the largest first or last; those that have no such number are last."""
        if sort is None:
            return rows
        self.check_order(sort)
        if sort == "name":
            return sorted(rows, key=lambda row: row.name, reverse=ascending)

        def value(row: GroupRow) -> float:
            if sort in SORTS:
                number = float(getattr(row.players[self.player], sort))
            else:
                number = (row.strategy or {}).get(sort, _NAN)
            return np.inf if np.isnan(number) else number if ascending else -number

        return sorted(rows, key=value)


def node_groups(
    at: SpotCursor, find: str | None = None, *, player: int | None = None
) -> NodeGroups:
    """Group the hands of all players at a node.

    Parameters
    ----------
    at
        The node of a solved spot.
    find
        A filter, such as "flush draw without A"; one that leaves the player no hand is refused.
    player
        Whose hands and actions are shown; by default the player who acts.
    """
    who = at.acting(player)
    sides = tuple(_side(at, seat, find) for seat in range(len(at.names)))
    if find is not None and not sides[who].chosen.any():
        raise ParameterError(f"No hand of {at.names[who].upper()} at {at.node_id} fits {find!r}.")
    acts = who == at.player
    return NodeGroups(
        at.node_id, at.names, who, tuple(at.actions) if acts else (), find, sides,
        at.strategies if acts else None,
    )  # fmt: skip


def _side(at: SpotCursor, player: int, find: str | None) -> _Side:
    cards = at.hole_cards(player)
    groups = _groups(at.board, cards.shape[1], cards.tobytes())
    weights = at.weights(player)
    shares = weights * at.meetings(player)
    # A player who has folded has a range too, which nobody meets any more.
    live = (shares > 0) & groups.live
    if find is not None:
        chosen = find_hands(find, groups)
    else:
        chosen = live
    total = float(shares[live].sum()) or 1.0
    return _Side(
        groups, live & chosen, weights, np.where(live, shares, 0.0) / total,
        at.evs(player), at.equities(player),
    )  # fmt: skip


@lru_cache(maxsize=32)
def _groups(board: tuple[int, ...], hole_cards: int, cards: bytes) -> HandGroups:
    return hand_groups(board, np.frombuffer(cards, np.uint8).reshape(-1, hole_cards))
