"""Verification of a dealer's log: every table is played again from the seed, event by event.

A log can be true and complete, or true as far as it goes: its dealer was stopped, or killed, so
that games are missing and nothing that is there is wrong. Anything else is told as a problem.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from riverboat.errors import RiverboatError
from riverboat.twentyone.table import Table, shuffled_decks
from riverboat.twentyone.table_events import Asked, TableEvent, from_dict
from riverboat.twentyone.table_log import commitment, link, read_log, seed_beside, unlinked

__all__ = ["LogReport", "verify_log"]

PLAYED = "all games played"
"""The reason with which a dealer ends that was not stopped."""
_UNPLAYABLE = (KeyError, TypeError, ValueError, IndexError, RuntimeError, RiverboatError)
_TOLD = ("deal", "act", "fold", "round", "scores")


@dataclass
class LogReport:
    """What verification found."""

    complete: bool = False
    """Whether the log goes up to its last line and all games were played."""
    ended: str = ""
    """The reason in its last line; empty where that is missing."""
    seed: int | None = None
    tables: int = 0
    rounds: int = 0
    folded: list[str] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)
    """Tables that were stopped on the way."""
    problems: list[str] = field(default_factory=list)

    @property
    def true(self) -> bool:
        """Whether everything that is there is as the seed deals it."""
        return not self.problems and self.seed is not None

    @property
    def verified(self) -> bool:
        return self.true and self.complete

    @property
    def verdict(self) -> str:
        """In words."""
        if self.verified:
            return "Verified"
        return "True as far as it goes" if self.true else "NOT verified"


def verify_log(path: str | Path, seed: int | None = None) -> LogReport:
    """Play every table again from the seed and compare event by event."""
    report, before = LogReport(), ""
    first: dict[str, Any] = {}
    last: dict[str, Any] = {}
    for number, (line, entry) in enumerate(read_log(path), start=1):
        first = first or entry
        last = entry
        if first.get("version") == 1:
            continue
        body = unlinked(line)
        before = link(before, body)
        if entry.get("h") != before:
            report.problems.append(f"line {number} or one before it was changed, or lines are gone")
            break
    if last.get("event") == "end":
        report.ended = str(last.get("reason") or "unknown")
        report.seed = last.get("seed")
    if seed is not None or report.seed is None:
        report.seed = seed_beside(path) if seed is None else seed
    report.complete = report.ended == PLAYED
    if not isinstance(report.seed, int):
        report.problems.append("the seed is not known; give it with --seed")
    elif commitment(report.seed) != first.get("seed_sha256"):
        report.problems.append("the seed is not the one the first line commits to")
    else:
        _replay(path, report)
    return report


def _replay(path: str | Path, report: LogReport) -> None:
    tables: dict[int, _Replay] = {}
    for _, entry in read_log(path):
        number = entry.get("table", -1)
        if entry["event"] == "table":
            tables[number] = _Replay(entry, report)
        elif entry["event"] in _TOLD:
            if number not in tables:
                report.problems.append(f"table {_shown(number)} is played without being opened")
                break
            tables[number].take(entry)
    for replay in tables.values():
        replay.close()
    report.tables = len(tables)


def _shown(number: Any) -> Any:
    """A table's number for people, who count from 1."""
    return number + 1 if isinstance(number, int) else number


class _Replay:
    """A fresh table driven by the logged decisions; its own events must be the logged ones."""

    def __init__(self, opening: Mapping[str, Any], report: LogReport) -> None:
        self._report = report
        self._number = opening.get("table", -1)
        self._told: deque[TableEvent] = deque()
        self._table: Table | None = None
        try:
            self._names = [str(name) for name in opening["names"]]
            decks = shuffled_decks(report.seed or 0, self._number, opening.get("attempt", 0))
            table = Table(self._names, opening["games"], decks, self._hear)
            table.start()
            self._table = table
        except _UNPLAYABLE:
            self._problem("it cannot have been opened like this")

    def _hear(self, event: TableEvent) -> None:
        if not isinstance(event, Asked):
            self._told.append(event)

    def _problem(self, text: str) -> None:
        self._report.problems.append(f"table {_shown(self._number)}: {text}")

    def take(self, entry: dict[str, Any]) -> None:
        if self._table is None:
            return
        try:
            if not self._told:
                self._drive(self._table, entry)
            event = from_dict(entry)
            told = self._told.popleft() if self._told else None
            same = type(told) is type(event) and told == event
        except _UNPLAYABLE:
            same = False
        if not same:
            name, number = entry["event"], entry.get("round")
            self._problem(f"round {number}: the {name} differs from what the seed deals")
            self._table = None

    def _drive(self, table: Table, entry: Mapping[str, Any]) -> None:
        if entry["event"] == "act":
            table.answer(entry["action"] == "HIT")
        elif entry["event"] == "fold":
            table.fold(entry["seat"], entry["reason"])
            self._report.folded.append(f"{self._names[entry['seat']]}: {entry['reason']}")

    def close(self) -> None:
        table = self._table
        if table is None:
            return
        self._report.rounds += table.round if table.finished else table.round - 1
        if table.finished and not self._told:
            return
        missing = f"stopped in round {table.round:,} of {table.games:,}"
        if not self._report.complete:
            self._report.unfinished.append(f"table {_shown(self._number)}: {missing}")
        elif self._told:
            kinds = {"Dealt": "deal", "Settled": "round", "Finished": "scores"}
            gone = kinds.get(type(self._told[0]).__name__, "line")
            self._problem(f"its last {gone} is missing, though the log has its end")
        else:
            self._problem(f"{missing}, though all games are said to be played")
