"""The dealer's log: one JSON object a line, and its verification from the seed.

The first line commits to the seed by its SHA-256 and the last one tells it, so that nobody can
read the cards to come out of a log that is being written, and everybody can check afterwards that
the cards were those of the seed. Between them stand the events of the host (join, refuse, leave,
note, table) and of each table (deal, act, fold, round, scores), which verification plays again.
"""

from __future__ import annotations

import hashlib
import io
import json
import time
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from riverboat import __version__
from riverboat.errors import FileFormatError, RiverboatError, StorageError
from riverboat.twentyone.table import Table, shuffled_decks

__all__ = ["LOG_VERSION", "LogReport", "LogWriter", "commitment", "read_log", "verify_log"]

LOG_VERSION = 1
FLUSH_EVERY = 0.1
_UNPLAYABLE = (KeyError, TypeError, ValueError, IndexError, RuntimeError, RiverboatError)
_PLAYED = ("deal", "act", "fold", "round", "scores")


def commitment(seed: int) -> str:
    """What the first line says about the seed."""
    return hashlib.sha256(str(seed).encode()).hexdigest()


class LogWriter:
    """Appends events to a new log; `flush` makes them visible to whoever is watching."""

    def __init__(self, path: str | Path, seed: int) -> None:
        self._seed = seed
        self._dirty = False
        self._flushed = 0.0
        try:
            self._stream: TextIO = Path(path).open("w", encoding="utf-8")  # noqa: SIM115
        except OSError as error:
            reason = (error.strerror or "unknown error").lower()
            raise StorageError(f"Cannot write {path}: {reason}.") from error
        self.write(
            {
                "event": "log",
                "version": LOG_VERSION,
                "game": "twentyone",
                "package": __version__,
                "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                "seed_sha256": commitment(seed),
            }
        )

    def write(self, event: dict[str, Any]) -> None:
        self._stream.write(json.dumps(event, separators=(",", ":")) + "\n")
        self._dirty = True

    def flush(self) -> None:
        """Hand what was written to the system, at most every tenth of a second."""
        now = time.monotonic()
        if self._dirty and now - self._flushed >= FLUSH_EVERY:
            self._stream.flush()
            self._dirty, self._flushed = False, now

    def close(self, reason: str = "all games played") -> None:
        """Tell the seed and close."""
        self.write({"event": "end", "reason": reason, "seed": self._seed})
        self._stream.close()


@dataclass
class LogReport:
    """What verification found."""

    complete: bool = False
    """Whether the log has its last line."""
    seed: int | None = None
    tables: int = 0
    rounds: int = 0
    folded: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def verified(self) -> bool:
        return not self.problems and self.seed is not None


def read_log(path: str | Path) -> Iterator[dict[str, Any]]:
    """The events of a log, one by one; a last line that is being written is left out."""
    try:
        with Path(path).open(encoding="utf-8") as stream:
            for number, line in enumerate(stream):
                if not line.endswith("\n"):
                    return
                event = _event(path, line)
                if number == 0:
                    _check(path, event)
                yield event
            if stream.tell() == 0:
                raise FileFormatError(f"{path} is empty, not a log of a twenty-one dealer.")
    except FileNotFoundError:
        raise StorageError(f"There is no file {path}.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise StorageError(f"Cannot read {path}: it is not a readable text file.") from error


def _event(path: str | Path, line: str) -> dict[str, Any]:
    try:
        event = json.loads(line)
    except ValueError:
        event = None
    if not isinstance(event, dict) or "event" not in event:
        raise FileFormatError(f"{path} is not a log of a twenty-one dealer.")
    return event


def _check(path: str | Path, first: Mapping[str, Any]) -> None:
    if first["event"] != "log" or first.get("game") != "twentyone":
        raise FileFormatError(f"{path} is not a log of a twenty-one dealer.")
    if first.get("version") != LOG_VERSION:
        raise FileFormatError(
            f"{path} has log version {first.get('version')}; this version of riverboat reads"
            f" {LOG_VERSION}."
        )


def verify_log(path: str | Path, seed: int | None = None) -> LogReport:
    """Play every table again from the seed and compare event by event."""
    events = read_log(path)
    first = next(events)
    last = _last_event(path)
    report = LogReport(complete=last.get("event") == "end")
    report.seed = last.get("seed") if report.complete and seed is None else seed
    if not report.complete:
        report.problems.append("the log has no end: the dealer was stopped or still plays")
    if not isinstance(report.seed, int):
        report.problems.append("the seed is not in the log; give it with --seed")
        return report
    if commitment(report.seed) != first.get("seed_sha256"):
        report.problems.append("the seed is not the one the first line commits to")
        return report
    tables: dict[int, _Replay] = {}
    for event in events:
        number = event.get("table", -1)
        if event["event"] == "table":
            tables[number] = _Replay(event, report)
        elif event["event"] in _PLAYED:
            if number not in tables:
                report.problems.append(f"table {number} is played without having been opened")
                break
            tables[number].take(event)
    for replay in tables.values():
        replay.close()
    report.tables = len(tables)
    return report


def _last_event(path: str | Path) -> dict[str, Any]:
    """The last whole line, or nothing if it cannot be read."""
    with Path(path).open("rb") as stream:
        stream.seek(0, io.SEEK_END)
        stream.seek(max(0, stream.tell() - 65_536))
        lines = stream.read().split(b"\n")
    try:
        return _event(path, lines[-2].decode())
    except (IndexError, UnicodeDecodeError, FileFormatError):
        return {}


class _Replay:
    """A fresh table driven by the logged decisions; its own events must be the logged ones."""

    def __init__(self, opening: Mapping[str, Any], report: LogReport) -> None:
        self._report = report
        self._number = opening.get("table", -1)
        self._told: deque[dict[str, Any]] = deque()
        self._table: Table | None = None
        try:
            self._names = [str(name) for name in opening["names"]]
            decks = shuffled_decks(report.seed or 0, self._number)
            table = Table(self._names, opening["games"], decks, self._told.append)
            table.start()
            self._table = table
        except _UNPLAYABLE:
            report.problems.append(f"table {self._number}: it cannot have been opened like this")

    def take(self, event: dict[str, Any]) -> None:
        if self._table is None:
            return
        try:
            if not self._told:
                self._drive(self._table, event)
            same = bool(self._told) and {"table": self._number, **self._told.popleft()} == event
        except _UNPLAYABLE:
            same = False
        if not same:
            self._report.problems.append(
                f"table {self._number}, round {event.get('round')}: the {event['event']} differs"
                " from what the seed deals"
            )
            self._table = None

    def _drive(self, table: Table, event: Mapping[str, Any]) -> None:
        if event["event"] == "act":
            table.answer(event["action"] == "HIT")
        elif event["event"] == "fold":
            table.fold(event["seat"], event["reason"])
            self._report.folded.append(f"{self._names[event['seat']]}: {event['reason']}")

    def close(self) -> None:
        table = self._table
        if table is None:
            return
        self._report.rounds += table.round if table.finished else table.round - 1
        if self._report.complete and not table.finished:
            self._report.problems.append(
                f"table {self._number}: stopped in round {table.round} of {table.games}"
            )
