"""Two nodes next to each other: differences of strategy, EV, equity and weight, hand by hand.

    compared = compare_nodes(solved.at("r:0"), locked.at("r:0"))
    compared.totals["oop"].ev                   what OOP wins more in the second
    for row in compared.groups("made"):
        print(row.name, row.ev, row.strategy)
    compared.to_csv("hands")

The nodes are of one solution or of two on the same board: locked and unlocked, with other sizes,
other ranges, another accuracy. Every difference is the second less the first. Actions are compared
by their words. Those that one side alone has are named; where sizes differ, "any bet" and "any
raise" compare their sums. Figures of one side alone have no difference.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from riverboat.cards.card import card_text
from riverboat.cards.combos import CLASS_NAMES
from riverboat.cards.hand_groups import KINDS
from riverboat.errors import UnknownNameError, UsageError
from riverboat.holdem.spots._action_kinds import action_kinds
from riverboat.holdem.spots.cursor import SpotCursor
from riverboat.holdem.spots.node_groups import GroupFigures, GroupRow, NodeGroups, node_groups
from riverboat.runtime.tables import csv_text, data_frame, write_table

FIGURES = ("weight", "share", "ev", "equity")
TABLES = ("classes", "groups", "hands")
"""The tables of a comparison: the 169 classes, all groups, all hands of the player shown."""
_NAN = float("nan")
_ANY = {"bet": "any bet", "raise": "any raise"}
"""The sum of all sizes of a kind, by what a table calls it."""


@dataclass(frozen=True)
class SideFigures:
    """A hand, class or group on one side."""

    weight: float  # Combos, each with the weight that reaches the node
    share: float  # Of the player's whole range at the node
    ev: float
    equity: float
    strategy: Mapping[str, float] | None  # Of the player shown, where they act


@dataclass(frozen=True)
class Difference:
    """A hand, class or group on both sides; None where no such hand reaches the node."""

    name: str
    first: SideFigures | None
    second: SideFigures | None

    @property
    def weight(self) -> float:
        """Combos; those of a side that has none count as zero."""
        return self._weight(self.second) - self._weight(self.first)

    @property
    def share(self) -> float:
        """Part of the range; that of a side that has none counts as zero."""
        first, second = (0.0 if side is None else side.share for side in (self.first, self.second))
        return second - first

    @property
    def ev(self) -> float:
        """Chips; NaN where a side has no such hand."""
        return _NAN if self.first is None or self.second is None else self.second.ev - self.first.ev

    @property
    def equity(self) -> float:
        """From −1 to 1; NaN where a side has no such hand."""
        if self.first is None or self.second is None:
            return _NAN
        return self.second.equity - self.first.equity

    @cached_property
    def strategy(self) -> dict[str, float]:
        """Action → difference of frequency, of the actions that both sides have."""
        if self.first is None or self.second is None:
            return {}
        before, after = self.first.strategy, self.second.strategy
        if before is None or after is None:
            return {}
        return {action: after[action] - before[action] for action in before if action in after}

    def as_dict(self) -> dict[str, Any]:
        """The facts for a program."""
        difference = {name: getattr(self, name) for name in FIGURES}
        return {
            "name": self.name,
            "first": None if self.first is None else dict(vars(self.first)),
            "second": None if self.second is None else dict(vars(self.second)),
            "difference": difference | {"strategy": self.strategy},
        }

    @staticmethod
    def _weight(side: SideFigures | None) -> float:
        return 0.0 if side is None else side.weight


@dataclass(frozen=True, eq=False)
class NodeComparison:
    """Two nodes, or those of their hands that a filter found."""

    cursors: tuple[SpotCursor, SpotCursor]
    sides: tuple[NodeGroups, NodeGroups]
    merged: tuple[Mapping[str, tuple[str, ...]], Mapping[str, tuple[str, ...]]]
    """By side "any bet" and "any raise", where sizes differ, with the actions they add up."""

    @property
    def nodes(self) -> tuple[str, str]:
        """The ids of both nodes."""
        return self.sides[0].node, self.sides[1].node

    @property
    def player(self) -> str:
        """The player whose hands and actions are compared."""
        return self.sides[0].names[self.sides[0].player]

    @property
    def actions(self) -> tuple[str, ...]:
        """What both sides have: actions by their words, and sums over sizes that differ."""
        first, second = self.sides
        shared = [action for action in first.actions if action in second.actions]
        return (*shared, *(name for name in self.merged[0] if name in self.merged[1]))

    @property
    def one_sided(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Actions of the first side alone, and of the second alone."""
        first, second = (side.actions for side in self.sides)
        return (
            tuple(action for action in first if action not in second),
            tuple(action for action in second if action not in first),
        )

    @cached_property
    def totals(self) -> dict[str, Difference]:
        """Player → all of their hands together."""
        totals = tuple(side.total for side in self.sides)
        rows = {}
        for seat, name in enumerate(self.sides[0].names):
            shown = seat == self.sides[0].player
            figures = [
                self._figures(which, row.players[seat], row.strategy if shown else None)
                for which, row in enumerate(totals)
            ]
            rows[name] = Difference(name, *figures)
        return rows

    def classes(self, sort: str | None = None) -> list[Difference]:
        """The classes of hands of two cards, in the order of the grid or sorted as hands are."""
        return self._rows([side.classes() for side in self.sides], CLASS_NAMES, sort)

    def groups(self, kind: str = "made", sort: str | None = None) -> list[Difference]:
        """The groups of a kind that either side has, best first or sorted as hands are."""
        rows = [side.groups(kind) for side in self.sides]
        return self._rows(rows, KINDS[kind], sort)

    def hands(self, sort: str | None = None) -> list[Difference]:
        """The hands of the player shown that reach either node.

        Parameters
        ----------
        sort
            "weight", "share", "ev", "equity" or an action: what differs most stands first;
            "name"; without one as the first side has them.
        """
        pairs = [{row.cards: row for row in side.hands()} for side in self.sides]
        rows = []
        for cards in dict.fromkeys([*pairs[0], *pairs[1]]):
            figures: list[SideFigures | None] = []
            for which, known in enumerate(pairs):
                row = known.get(cards)
                if row is None:
                    figures.append(None)
                    continue
                plain = GroupFigures(row.weight, row.share, row.ev, row.equity)
                figures.append(self._figures(which, plain, row.strategy))
            rows.append(Difference(cards, *figures))
        return self._sorted(rows, sort)

    def check_order(self, sort: str | None) -> None:
        """Refuse an order that rows of this comparison do not have."""
        known = (*FIGURES, "name", *self.actions)
        if sort is not None and sort not in known:
            raise UnknownNameError.among("order", sort, known)

    def columns(self, table: str = "hands", sort: str | None = None) -> dict[str, list[Any]]:
        """One of TABLES: one list for each column, both sides and their difference."""
        if table not in TABLES:
            raise UnknownNameError.among("table", table, TABLES)
        named: list[tuple[str | None, Difference]] = []
        if table == "groups":
            named = [(kind, row) for kind in KINDS for row in self.groups(kind, sort)]
        else:
            rows = self.classes(sort) if table == "classes" else self.hands(sort)
            named = [(None, row) for row in rows]
        columns: dict[str, list[Any]] = {}
        if table == "groups":
            columns["kind"] = [kind for kind, _ in named]
        columns[{"classes": "class", "groups": "group", "hands": "hand"}[table]] = [
            row.name for _, row in named
        ]
        for figure in FIGURES:
            columns[f"{figure} 1"] = [_of(row.first, figure) for _, row in named]
            columns[f"{figure} 2"] = [_of(row.second, figure) for _, row in named]
            columns[f"{figure} change"] = [getattr(row, figure) for _, row in named]
        alone = self.one_sided
        for action in (*self.actions, *alone[0], *alone[1]):
            columns[f"{action} 1"] = [_played(row.first, action) for _, row in named]
            columns[f"{action} 2"] = [_played(row.second, action) for _, row in named]
            columns[f"{action} change"] = [row.strategy.get(action, _NAN) for _, row in named]
        return columns

    def to_frame(self, table: str = "hands", *, library: str | None = None) -> Any:
        """One of TABLES as a data frame of pandas or polars."""
        return data_frame(self.columns(table), library)

    def to_csv(self, table: str = "hands") -> str:
        """The same as CSV."""
        columns = self.columns(table)
        return csv_text(list(columns), zip(*columns.values(), strict=True))

    def write(self, path: str | Path, table: str = "hands") -> int:
        """Write the same as CSV, Parquet or Arrow, by the file's ending; the number of rows."""
        columns = self.columns(table)
        return write_table(path, list(columns), zip(*columns.values(), strict=True))

    def as_dict(self, sort: str | None = None, limit: int | None = None) -> dict[str, Any]:
        """The facts for a program; `limit` is the number of hands, without it there are none."""
        facts: dict[str, Any] = {
            "nodes": list(self.nodes),
            "player": self.player,
            "find": self.sides[0].filter,
            "actions": list(self.actions),
            "one_sided": [list(actions) for actions in self.one_sided],
            "totals": {name: row.as_dict() for name, row in self.totals.items()},
            "groups": [
                {"kind": kind, **row.as_dict()} for kind in KINDS for row in self.groups(kind, sort)
            ],
        }
        if self.has_classes:
            facts["classes"] = [row.as_dict() for row in self.classes(sort)]
        if limit is not None:
            rows = self.hands(sort)
            facts["hands"] = [row.as_dict() for row in rows[: limit or None]]
            facts["num_hands"] = len(rows)
        return facts

    @property
    def has_classes(self) -> bool:
        """Whether hands have two cards, and so are in one of 169 classes."""
        return self.cursors[0].solved.spot.hole_cards == 2

    def _rows(
        self, rows: Sequence[list[GroupRow]], names: Sequence[str], sort: str | None
    ) -> list[Difference]:
        """Both sides' groups or classes, joined by name."""
        known = [{row.name: row for row in own} for own in rows]
        joined = []
        for name in names:
            figures: list[SideFigures | None] = []
            for which, own in enumerate(known):
                row, seat = own.get(name), self.sides[which].player
                here = row is not None and row.players[seat].share > 0
                figures.append(
                    self._figures(which, row.players[seat], row.strategy)
                    if here and row is not None
                    else None
                )
            if any(figures):
                joined.append(Difference(name, *figures))
        return self._sorted(joined, sort)

    def _figures(
        self, which: int, figures: GroupFigures, strategy: Mapping[str, float] | None
    ) -> SideFigures:
        if strategy is not None:
            sums = {
                name: sum(strategy[action] for action in actions)
                for name, actions in self.merged[which].items()
            }
            strategy = {**strategy, **sums}
        return SideFigures(figures.weight, figures.share, figures.ev, figures.equity, strategy)

    def _sorted(self, rows: list[Difference], sort: str | None) -> list[Difference]:
        """Rows, the largest differences first; those that have none are last."""
        self.check_order(sort)
        if sort is None:
            return rows
        if sort == "name":
            return sorted(rows, key=lambda row: row.name)
        number: Callable[[Difference], float] = (
            (lambda row: float(getattr(row, sort)))
            if sort in FIGURES
            else (lambda row: row.strategy.get(sort, _NAN))
        )
        return sorted(rows, key=lambda row: _size(number(row)), reverse=True)


def compare_nodes(
    first: SpotCursor, second: SpotCursor, find: str | None = None, *, player: int | None = None
) -> NodeComparison:
    """Compare two nodes of one solution or of two.

    Parameters
    ----------
    first, second
        The nodes; their spots have the same board at the start, game and number of players.
    find
        A filter of `cards.hand_filter`: only these hands are compared.
    player
        Whose hands and actions are compared; by default the player who acts at the first node.
    """
    check_comparable(first, second)
    who = first.acting(player)
    sides = node_groups(first, find, player=who), node_groups(second, find, player=who)
    merged = _merged(first, second) if sides[0].actions and sides[1].actions else ({}, {})
    return NodeComparison((first, second), sides, merged)


def check_comparable(first: SpotCursor, second: SpotCursor) -> None:
    """Refuse nodes of other games, of other numbers of players and of other boards."""
    one, two = first.solved.spot, second.solved.spot
    if len(first.names) != len(second.names):
        raise UsageError(
            f"One node has {len(first.names)} players and the other {len(second.names)};"
            " compare nodes with the same number of players."
        )
    if one.hole_cards != two.hole_cards:
        raise UsageError("Compare two nodes of hold'em or two of Omaha, not one of each.")
    boards = [set(at.root.board) for at in (first, second)]
    if boards[0] != boards[1]:
        texts = [" ".join(map(card_text, at.root.board)) for at in (first, second)]
        raise UsageError(
            f"One spot is on {texts[0]} and the other on {texts[1]}; compare spots of one board."
        )


def _merged(
    first: SpotCursor, second: SpotCursor
) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """By side the sizes of each kind that has other sizes on the other side."""
    by_side: list[dict[str, tuple[str, ...]]] = []
    for at in (first, second):
        kinds = action_kinds(at.solved.tree, at.node)
        by_side.append(
            {
                name: tuple(a for a, own in zip(at.actions, kinds, strict=True) if own == kind)
                for kind, name in _ANY.items()
            }
        )
    differ = [
        name for name in _ANY.values()
        if by_side[0][name] and by_side[1][name] and by_side[0][name] != by_side[1][name]
    ]  # fmt: skip
    first_sums, second_sums = ({name: side[name] for name in differ} for side in by_side)
    return first_sums, second_sums


def _of(side: SideFigures | None, figure: str) -> float:
    return _NAN if side is None else float(getattr(side, figure))


def _played(side: SideFigures | None, action: str) -> float:
    return _NAN if side is None else (side.strategy or {}).get(action, _NAN)


def _size(number: float) -> float:
    return -1.0 if math.isnan(number) else abs(number)


def differences_of(rows: Sequence[Difference], figure: str) -> dict[str, float]:
    """Name → difference of a figure or of an action's frequency; NaN where there is none."""
    if figure in FIGURES:
        return {row.name: float(getattr(row, figure)) for row in rows}
    return {row.name: row.strategy.get(figure, _NAN) for row in rows}
