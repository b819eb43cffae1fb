"""The dealer's log: one JSON object a line, and its verification from the seed.

The first line commits to the seed by its SHA-256 and the last one tells it, so that nobody can
read the cards to come out of a log that is being written, and everybody can check afterwards that
the cards were those of the seed. Between them stand the events of the host (join, refuse, leave,
note, table) and of each table (deal, act, fold, round, scores), which verification plays again.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from riverboat import __version__
from riverboat.arena.twentyone_table import Table, shuffled_decks
from riverboat.errors import FileFormatError, RiverboatError, StorageError

__all__ = ["LOG_VERSION", "LogReport", "LogWriter", "commitment", "read_log", "verify_log"]

LOG_VERSION = 1
FLUSH_EVERY = 0.1
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


def read_log(path: str | Path) -> list[dict[str, Any]]:
    """The events of a log; a last line that is being written is left out."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise StorageError(f"There is no file {path}.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise StorageError(f"Cannot read {path}: it is not a readable text file.") from error
    lines = text.split("\n")[:-1]
    try:
        events = [json.loads(line) for line in lines]
        good = events and all("event" in event for event in events)
    except (ValueError, TypeError):
        good = False
    if not good or events[0].get("event") != "log" or events[0].get("game") != "twentyone":
        raise FileFormatError(f"{path} is not a log of a twenty-one dealer.")
    if events[0].get("version") != LOG_VERSION:
        raise FileFormatError(
            f"{path} has log version {events[0].get('version')}; this version of riverboat reads"
            f" {LOG_VERSION}."
        )
    return events


def verify_log(path: str | Path, seed: int | None = None) -> LogReport:
    """Play every table again from the seed and compare event by event."""
    events = read_log(path)
    last = events[-1]
    report = LogReport(complete=last["event"] == "end")
    report.seed = last.get("seed") if report.complete and seed is None else seed
    if not report.complete:
        report.problems.append("the log has no end: the dealer was stopped or still plays")
    if report.seed is None:
        report.problems.append("the seed is not in the log; give it with --seed")
        return report
    if commitment(report.seed) != events[0].get("seed_sha256"):
        report.problems.append("the seed is not the one the first line commits to")
        return report
    for number, played in _by_table(events).items():
        report.tables += 1
        _replay(number, played, report)
    return report


def _by_table(events: Iterable[dict[str, Any]]) -> dict[int, list[dict[str, Any]]]:
    tables: dict[int, list[dict[str, Any]]] = {}
    for event in events:
        if event["event"] == "table" or event["event"] in _PLAYED:
            tables.setdefault(event.get("table", -1), []).append(event)
    return tables


def _replay(number: int, events: list[dict[str, Any]], report: LogReport) -> None:
    """Drive a fresh table by the logged decisions; its own events must be the logged ones."""
    opening, *logged = events
    told: list[dict[str, Any]] = []
    try:
        decks = shuffled_decks(int(report.seed or 0), number)
        table = Table(opening["names"], opening["games"], decks, told.append)
        table.start()
        for position, event in enumerate(logged):
            if event["event"] == "act" and len(told) == position:
                table.answer(event["action"] == "HIT")
            elif event["event"] == "fold" and len(told) == position:
                table.fold(event["seat"], event["reason"])
                report.folded.append(f"{opening['names'][event['seat']]}: {event['reason']}")
            if len(told) <= position or {"table": number, **told[position]} != event:
                report.problems.append(
                    f"table {number}, round {event.get('round')}: the {event['event']} differs"
                    " from what the seed deals"
                )
                return
        report.rounds += table.round if table.finished else max(0, table.round - 1)
    except (KeyError, TypeError, ValueError, IndexError, RuntimeError, RiverboatError):
        report.problems.append(f"table {number}: the log cannot be played again")
        return
    if report.complete and not table.finished:
        report.problems.append(f"table {number}: stopped in round {table.round} of {table.games}")
