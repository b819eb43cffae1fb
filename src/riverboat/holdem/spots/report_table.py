"""A report as a table: a line for each board, sorted, narrowed, averaged, put together by texture.

    table.sorted("ev_oop").where({"suits": "monotone"})
    table.means()["oop check"]
    for part in table.by("suits"):
        part.name, part.weight, part.means["oop check"]
    table.to_frame(), table.to_csv()

The columns are the board, its weight, `ev_oop`, `equity_oop` and so on for all players, the
frequency of each action ("oop bet 33"), the texture, and the share of each group of hands
("ip top pair"). Means are weighted by how many boards a line stands for, or how often it comes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from riverboat.cards.board_texture import KINDS, Texture, board_texture
from riverboat.errors import UnknownNameError
from riverboat.holdem.spots.board_figures import GROUP_KINDS, BoardFigures
from riverboat.runtime.array_types import F64
from riverboat.runtime.tables import csv_text, data_frame, write_table

_NAN = float("nan")
UNWEIGHTED = ("iterations", "seconds")
"""Columns of which no mean is taken."""


@lru_cache(maxsize=1)
def group_names() -> tuple[str, ...]:
    """The groups of hands that a report has, best first."""
    from riverboat.cards import hand_groups  # It is compiled

    return tuple(name for kind in GROUP_KINDS for name in hand_groups.KINDS[kind])


@dataclass(frozen=True)
class ReportLine:
    """What a report says of one board."""

    name: str  # The cards that the board has more than others: "QsJh2h", "Ah", "AhKd"
    board: tuple[int, ...]  # All cards
    node: str
    weight: float
    figures: BoardFigures
    more: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def texture(self) -> Texture:
        """What the board is like."""
        return board_texture(self.board)


@dataclass(frozen=True)
class TexturePart:
    """The boards of one texture."""

    name: str
    num: int
    weight: float  # The part of all boards, 0 to 1
    means: Mapping[str, float]


@dataclass(frozen=True)
class ReportTable:
    """The lines of a report; those that are shown, in their order."""

    key: str  # The name of the first column: "flop" or "cards"
    players: tuple[str, ...]
    lines: tuple[ReportLine, ...]

    def __len__(self) -> int:
        return len(self.lines)

    @cached_property
    def actions(self) -> dict[str, list[str]]:
        """Player → all actions that they have on some board, in the order of their first."""
        return {
            name: list(dict.fromkeys(a for own in self._of("strategies", name) for a in own))
            for name in self.players
        }

    @cached_property
    def groups(self) -> dict[str, list[str]]:
        """Player → all groups that they hold on some board, best first."""
        found = {
            name: {g for own in self._of("groups", name) for g in own} for name in self.players
        }
        return {name: sorted(own, key=group_names().index) for name, own in found.items()}

    def _of(self, kind: str, name: str) -> list[Mapping[str, float]]:
        return [getattr(line.figures, kind).get(name, {}) for line in self.lines]

    @cached_property
    def columns(self) -> dict[str, list[Any]]:
        """Column → its values, line by line; an action that a board lacks has 0."""
        lines = self.lines
        table: dict[str, list[Any]] = {
            self.key: [line.name for line in lines],
            "weight": [line.weight for line in lines],
        }
        for name in dict.fromkeys(name for line in lines for name in line.more):
            table[name] = [line.more.get(name, _NAN) for line in lines]
        for kind in ("ev", "equity"):
            for name in self.players:
                table[f"{kind}_{name}"] = [getattr(line.figures, kind)[name] for line in lines]
        table |= self._shares("strategies", self.actions)
        for i, kind in enumerate(KINDS):
            table[kind] = [line.texture[i] for line in lines]
        return table | self._shares("groups", self.groups)

    def _shares(self, kind: str, names: Mapping[str, list[str]]) -> dict[str, list[Any]]:
        """A column for each action or group; unknown where the board has none for a player."""
        return {
            f"{player} {name}": [
                own.get(name, 0.0) if own else _NAN for own in self._of(kind, player)
            ]
            for player in self.players
            for name in names[player]
        }

    @property
    def figures(self) -> list[str]:
        """The columns that hold numbers and have a mean."""
        left_out = (self.key, "weight", *UNWEIGHTED, *KINDS)
        return [name for name in self.columns if name not in left_out]

    def is_share(self, column: str) -> bool:
        """Whether a column's numbers are shares from 0 to 1."""
        return column.startswith("equity_") or " " in column

    def check_column(self, column: str) -> None:
        """Refuse a column that the table does not have."""
        if column not in self.columns:
            raise UnknownNameError.among("column", column, tuple(self.columns))

    def _array(self, column: str) -> F64:
        return np.array(self.columns[column], np.float64)

    def _picked(self, order: Sequence[int]) -> ReportTable:
        return replace(self, lines=tuple(self.lines[i] for i in order))

    def sorted(self, column: str, *, ascending: bool = False) -> ReportTable:
        """Order the lines by a column, the largest first; unknown numbers stay last."""
        self.check_column(column)
        values = self.columns[column]
        if column in KINDS:
            place = {name: i for i, name in enumerate(KINDS[column])}
            order = sorted(range(len(self)), key=lambda i: place[values[i]], reverse=ascending)
        elif column == self.key:
            order = sorted(range(len(self)), key=lambda i: self._rank(i), reverse=ascending)
        else:
            numbers = self._array(column)
            order = np.argsort(numbers if ascending else -numbers, kind="stable").tolist()
        return self._picked(order)

    def _rank(self, i: int) -> tuple[int, ...]:
        """High cards first."""
        line = self.lines[i]
        own = line.board[-(len(line.name) // 2) :]
        return tuple(-card for card in own)

    def where(
        self,
        textures: Mapping[str, str] | None = None,
        *,
        column: str = "",
        low: float = -math.inf,
        high: float = math.inf,
    ) -> ReportTable:
        """Keep the lines of some textures, and those whose number in a column is in a range."""
        keep = list(range(len(self)))
        for kind, wanted in (textures or {}).items():
            if kind not in KINDS:
                raise UnknownNameError.among("texture", kind, tuple(KINDS))
            if wanted not in KINDS[kind]:
                raise UnknownNameError.among(f"texture of {kind}", wanted, KINDS[kind])
            keep = [i for i in keep if self.columns[kind][i] == wanted]
        if column:
            if column not in self.figures:
                raise UnknownNameError.among("figure", column, tuple(self.figures))
            keep = [i for i in keep if low <= self.columns[column][i] <= high]
        return self._picked(keep)

    def means(self) -> dict[str, float]:
        """The weighted mean of each figure over all lines; lines without it do not count."""
        weights, found = self._array("weight"), {}
        for name in self.figures:
            values = self._array(name)
            known = np.isfinite(values) & (weights > 0)
            total = float(weights[known].sum())
            found[name] = float(weights[known] @ values[known]) / total if total else _NAN
        return found

    def by(self, kind: str) -> list[TexturePart]:
        """The boards of each texture of a kind, together."""
        if kind not in KINDS:
            raise UnknownNameError.among("texture", kind, tuple(KINDS))
        total = math.fsum(self.columns["weight"]) or 1.0
        parts = []
        for name in KINDS[kind]:
            some = self.where({kind: name})
            if len(some):
                weight = math.fsum(some.columns["weight"]) / total
                parts.append(TexturePart(name, len(some), weight, some.means()))
        return parts

    def to_frame(self, *, library: str | None = None) -> Any:
        """Return the table as a data frame of pandas or polars."""
        return data_frame(self.columns, library)

    def to_csv(self) -> str:
        """Return the table as CSV."""
        return csv_text(list(self.columns), zip(*self.columns.values(), strict=True))

    def write(self, path: str | Path) -> int:
        """Write CSV, Parquet or Arrow, by the file's ending; the number of lines."""
        return write_table(path, list(self.columns), zip(*self.columns.values(), strict=True))

    def as_dict(self) -> dict[str, Any]:
        """The facts for a program."""
        return {
            "players": list(self.players),
            "averages": self.means(),
            "rows": [
                {
                    self.key: line.name,
                    "node": line.node,
                    "weight": line.weight,
                    **line.texture._asdict(),
                    **line.more,
                    **line.figures.as_dict(),
                }
                for line in self.lines
            ],
        }
