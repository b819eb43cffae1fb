"""QTable: the average return of each action, with the counts behind each average.

Rows are the keys of one kind of information (information.py), columns the actions hit and
stand. With the averages a table carries how it was learned, so that training can go on from a
file as if it had never stopped. A CSV holds the same numbers for people and spreadsheets.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from riverboat.drawing.html import Markup, html_table, tag
from riverboat.drawing.palette import SERIES
from riverboat.errors import FileFormatError, StorageError, UnknownNameError
from riverboat.games.base import Action, ParameterValue
from riverboat.runtime.array_types import F64, I8, I64
from riverboat.runtime.storage import atomic_write, read_text
from riverboat.runtime.tables import csv_text
from riverboat.strategies.any_strategy import AnyStrategy, Entry
from riverboat.strategies.files import read_arrays, write_arrays
from riverboat.twentyone.game import HIT, STAND, VALUES
from riverboat.twentyone.learning.information import INFORMATION, keys, state_key

OBJECTIVES = ("reward", "wins")
"""reward: +1, 0, −1 for a win, a push, a loss; wins: 1 for a win and nothing else."""

MAX_GAMES = 2**53  # More cannot be counted in the arithmetic of averages
ROUNDING = 1e-6
_ACTIONS = (HIT, STAND)
_NUMBERS = ["hit", "stand", "hit_games", "stand_games"]
_COLUMNS = {"points": ["points"], "soft": ["points", "soft"], "composition": ["hand"]}


@dataclass(frozen=True, eq=False, repr=False)
class QTable(AnyStrategy):
    """Averages and counts; the arrays are updated in place while something learns."""

    kind: ClassVar[str] = "q-table"
    state: str
    """The kind of information: points, soft or composition."""
    objective: str
    """What is averaged: reward or wins."""
    values: F64
    """(S, 2) average return of hit and of stand."""
    counts: I64
    """(S, 2) returns in each average; with importance weights their sum."""
    info: Mapping[str, Any] = field(default_factory=dict)
    """How it was learned: method, games, seed."""

    game: str = "twentyone"
    parameters: Mapping[str, ParameterValue] = field(default_factory=dict)

    @classmethod
    def empty(cls, state: str, objective: str = "reward") -> QTable:
        """A table that knows nothing."""
        if objective not in OBJECTIVES:
            raise UnknownNameError.among("objective", objective, OBJECTIVES)
        shape = (len(keys(state)), 2)
        return cls(state, objective, np.zeros(shape), np.zeros(shape, np.int64))

    @property
    def keys(self) -> tuple[str, ...]:
        """(S,) the key of each row."""
        return keys(self.state)

    @cached_property
    def index(self) -> dict[str, int]:
        """Key → row."""
        return {key: row for row, key in enumerate(self.keys)}

    def greedy(self) -> I8:
        """(S,) 1 hit, 0 stand, −1 where neither was ever tried; equal averages stand.

        What was never tried is not played while the other action has been.
        """
        tried = self.counts > 0
        values = np.where(tried, self.values, -np.inf)
        return np.where(tried.any(axis=1), values[:, 0] > values[:, 1], -1).astype(np.int8)

    def lookup(self, player: int, infoset: str) -> dict[Action, float] | None:
        """All probability on the action with the better average; None where none was tried.

        An infoset is a hand and the dealer's card ("T6|9"), or one of the table's keys ("h16|9").
        """
        row = self.index.get(infoset)
        if row is None:
            try:
                row = self.index.get(state_key(self.state, infoset))
            except (IndexError, ValueError):  # not a hand
                return None
        if row is None or not self.counts[row].any():
            return None
        tried = self.counts[row] > 0
        values = np.where(tried, self.values[row], -np.inf)
        hit = float(values[0] > values[1])
        return {HIT: hit, STAND: 1.0 - hit}

    def __len__(self) -> int:
        return int(self.counts.any(axis=1).sum())

    def entries(self) -> Iterator[Entry]:
        """Every key of which something is known, with the greedy action."""
        for key, hit in zip(self.keys, self.greedy().tolist(), strict=True):
            if hit >= 0:
                yield 0, key, {HIT: float(hit), STAND: 1.0 - hit}

    @property
    def title(self) -> str:
        return f"twentyone by {self.state}, {self.objective}"

    def _repr_html_(self) -> str:
        """Hands down, the dealer's cards across; H and S, with the averages under the pointer."""
        cells = [
            self._cell(*row)
            for row in zip(
                self.greedy().tolist(), self.values.tolist(), self.counts.tolist(), strict=True
            )
        ]
        ups = [key.partition("|")[2] for key in self.keys[: len(VALUES)]]
        rows = [
            (self.keys[first].partition("|")[0], *cells[first : first + len(VALUES)])
            for first in range(0, len(cells), len(VALUES))
        ]
        shown = [row for row in rows if any(row[1:])]
        note = "H hit, S stand; hold the pointer over a cell for its averages"
        return html_table(("hand", *ups), shown, title=self.describe(), note=note)

    @staticmethod
    def _cell(hit: int, values: list[float], counts: list[int]) -> Markup:
        if hit < 0:
            return Markup("")
        (hits, stands), colour = values, SERIES[0 if hit else 1]
        title = f"hit {hits:+z.4f} ({counts[0]:,} games), stand {stands:+z.4f} ({counts[1]:,})"
        return tag("b", "H" if hit else "S", style=f"color:{colour}", title=title)

    def record(self, infoset: str, action: Action, value: float) -> None:
        """Take one more return into the average of an action, as a player at a table learns."""
        row, column = self.index[state_key(self.state, infoset)], _ACTIONS.index(action)
        self.counts[row, column] += 1
        step = (value - self.values[row, column]) / self.counts[row, column]
        self.values[row, column] += step

    def save(self, path: str | Path) -> None:
        """Write a file of kind "q-table"."""
        header = {
            "game": self.game,
            "parameters": dict(self.parameters),
            "state": self.state,
            "objective": self.objective,
            "info": dict(self.info),
        }
        write_arrays(path, "q-table", {"values": self.values, "counts": self.counts}, header)

    @classmethod
    def load(cls, path: str | Path) -> QTable:
        """Read a file of kind "q-table", or a CSV by its ending."""
        if str(path).lower().endswith(".csv"):
            return cls.from_csv(path)
        arrays, header = read_arrays(path, "q-table")
        if header.get("game") != "twentyone":
            raise FileFormatError(f"{path} is a Q table for {header.get('game')!r}, not twentyone.")
        state, objective = header.get("state"), header.get("objective")
        values, counts = arrays.get("values"), arrays.get("counts")
        if (
            state not in INFORMATION
            or objective not in OBJECTIVES
            or values is None
            or counts is None
            or values.dtype != np.float64
            or counts.dtype != np.int64
            or not values.shape == counts.shape == (len(keys(state)), 2)
        ):
            raise FileFormatError(f"{path} is damaged: its table is not of the stated shape.")
        info = header.get("info") or {}
        if not (_are_averages(values, counts) and _is_info(info)):
            raise FileFormatError(f"{path} is damaged: its figures are not those of a Q table.")
        return cls(state, objective, values.copy(), counts.copy(), info)

    def to_csv(self, path: str | Path) -> None:
        """Write the averages and counts, one line a key, numbers in full."""
        rows = []
        averages = zip(self.keys, self.values.tolist(), self.counts.tolist(), strict=True)
        for key, values, counts in averages:
            label, _, up = key.partition("|")
            hand = [label[1:], "yes" if label[0] == "s" else "no"]
            shown = hand if self.state == "soft" else [label]
            rows.append([*shown, up.replace("T", "10"), *values, *counts])
        atomic_write(path, csv_text((*_COLUMNS[self.state], "up", *_NUMBERS), rows))

    @classmethod
    def from_csv(cls, path: str | Path, objective: str = "reward") -> QTable:
        """Read what to_csv writes; keys that are not in it stay empty."""
        try:
            lines = list(csv.DictReader(io.StringIO(read_text(path))))
        except csv.Error as error:
            raise StorageError(f"Cannot read {path} as a CSV file: {error}.") from error
        named = set(lines[0]) if lines else set()
        state = "composition" if "hand" in named else "soft" if "soft" in named else "points"
        missing = {*_COLUMNS[state], "up", *_NUMBERS} - named
        if missing:
            raise FileFormatError(f"{path} has no column {', '.join(sorted(missing))}.")
        table = cls.empty(state, objective)
        for number, line in enumerate(lines, start=2):
            try:
                row = table.index[_csv_key(state, line)]
                values, counts = _csv_numbers(line)
            except (KeyError, ValueError, TypeError, AttributeError):
                raise FileFormatError(
                    f"Line {number} of {path} is not a line of a Q table for {state}."
                ) from None
            table.values[row], table.counts[row] = values, counts
        if not _are_averages(table.values, table.counts):
            raise FileFormatError(f"{path} has averages or counts that no games can give.")
        return table


def _are_averages(values: F64, counts: I64) -> bool:
    """Whether these can be averages of rewards from −1 to 1, and numbers of games."""
    inside = np.abs(values) <= 1.0 + ROUNDING  # nan is outside
    return bool(inside.all() and ((counts >= 0) & (counts <= MAX_GAMES)).all())


def _is_info(info: Any) -> bool:
    """Whether a header says how a table was trained, or nothing about it."""
    if not isinstance(info, dict):
        return False
    numbers = [info[key] for key in ("games", "seed", "table_games") if key in info]
    words = [info[key] for key in ("method", "table_method") if key in info]
    curve = info.get("curve", [])
    points = curve if isinstance(curve, list) else [None]
    return (
        all(type(number) is int and 0 <= number <= MAX_GAMES for number in numbers)
        and all(isinstance(word, str) for word in words)
        and all(
            isinstance(point, list)
            and len(point) == 2
            and all(type(part) in (int, float) and 0 <= part <= MAX_GAMES for part in point)
            for point in points
        )
    )


def _csv_key(state: str, line: Mapping[str, str]) -> str:
    up = {"1": "A", "11": "A", "10": "T"}.get(line["up"].strip(), line["up"].strip().upper())
    if state == "composition":
        return f"{line['hand'].strip().upper()}|{up}"
    if state == "points":
        return f"{int(line['points'])}|{up}"
    soft = {"yes": "s", "1": "s", "true": "s", "no": "h", "0": "h", "false": "h"}
    return f"{soft[line['soft'].strip().lower()]}{int(line['points'])}|{up}"


def _csv_numbers(line: Mapping[str, str]) -> tuple[list[float], list[int]]:
    values = [float(line["hit"]), float(line["stand"])]
    counts = [int(line["hit_games"]), int(line["stand_games"])]
    if not (np.isfinite(values).all() and 0 <= min(counts) <= max(counts) <= MAX_GAMES):
        raise ValueError(line)
    return values, counts
