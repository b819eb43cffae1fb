"""The dealer's log, written and verified: one JSON object per line, chained by hashes.

The first line commits to the seed by its SHA-256 and the last one shows it. So nobody can read the
cards to come out of a log that is being written, and everybody can check afterwards that the cards
were those of the seed. Until the last line is written the seed is in a file next to the log that
only its owner can read; so the log of a dealer that was killed can be checked too.

Each line ends in `t`, seconds since the log began, and `h`, the first 32 hexadecimal digits of
the SHA-256 of the `h` before and the line up to here. A log that cannot be written is given up with
one warning, and the tables play on.

To verify a log, every table is played again from the seed, event by event. A log is true and
complete, or true as far as it goes: its dealer was stopped or killed, so that games are missing and
nothing that is there is wrong. Anything else is a problem.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from riverboat.errors import FileFormatError, RiverboatError, StorageError
from riverboat.runtime.stopping import report_unwritten
from riverboat.runtime.storage import open_regular
from riverboat.twentyone.events import Asked, Ended, Event, TableEvent, as_dict, from_dict
from riverboat.twentyone.table import Table, shuffled_decks
from riverboat.version import __version__

LOG_VERSION = 2  # 1 had neither times nor hashes
FLUSH_EVERY = 0.1
_HASH = ',"h":"'
MAX_LINE = 1 << 20
PLAYED = "all games played"  # The reason with which a dealer ends that was not stopped
_UNPLAYABLE = (KeyError, TypeError, ValueError, IndexError, RuntimeError, RiverboatError)
_TABLE_EVENTS = ("deal", "act", "fold", "round", "scores")


def commitment(seed: int) -> str:
    """What the first line says about the seed."""
    return hashlib.sha256(str(seed).encode()).hexdigest()


def link(before: str, body: str) -> str:
    """The hash of a line without its hash, given the hash of the line before."""
    return hashlib.sha256((before + body).encode()).hexdigest()[:32]


def unlinked(line: str) -> str:
    """A line as it was before its hash was put in."""
    body, separator, _ = line.rpartition(_HASH)
    return body + "}" if separator else line


def seed_path(path: str | Path) -> Path:
    """Where the seed of a log lies while the log is being written."""
    return Path(f"{path}.seed")


def stored_seed(path: str | Path) -> int | None:
    """The seed that a dealer left next to its log when it was killed."""
    try:
        return int(seed_path(path).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


class LogWriter:
    """Appends events to a new log; `flush` makes them visible to readers."""

    def __init__(
        self,
        path: str | Path,
        seed: int,
        *,
        force: bool = False,
        warn: Callable[[str], None] | None = None,
    ) -> None:
        """An existing log is replaced with `force` only; `warn` is called with a log that fails."""
        self.path = Path(path)
        self._seed = seed
        self._warn = warn
        self._dirty = False
        self._flushed = 0.0
        self._began = time.monotonic()
        self._last = ""
        self._stream: TextIO | None = None
        plain = not self.path.exists() or self.path.is_file()
        if plain and self.path.exists() and not force:
            raise StorageError(
                f"There is a log {path} already; name another one, or force its replacement."
            )
        try:
            if plain:
                self._keep_seed()
            self._stream = self.path.open("w", encoding="utf-8")
        except OSError as error:
            reason = (error.strerror or "unknown error").lower()
            raise StorageError(f"Cannot write {path}: {reason}.") from error
        self._write(
            {
                "event": "log",
                "version": LOG_VERSION,
                "game": "twentyone",
                "package": __version__,
                "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                "seed_sha256": commitment(seed),
            }
        )

    def _keep_seed(self) -> None:
        path = seed_path(self.path)
        path.unlink(missing_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as stream:
            stream.write(f"{self._seed}\n")

    def write(self, event: Event, table: int = -1) -> None:
        """Append an event of a table, or of no table."""
        if self._stream is None or isinstance(event, Asked):
            return
        entry = as_dict(event)
        self._write({"table": table, **entry} if table >= 0 else entry)

    def _write(self, entry: dict[str, Any]) -> None:
        entry["t"] = round(time.monotonic() - self._began, 3)
        body = json.dumps(entry, separators=(",", ":"))
        self._last = link(self._last, body)
        self._try(lambda stream: stream.write(f'{body[:-1]}{_HASH}{self._last}"}}\n'))
        self._dirty = True

    def flush(self) -> None:
        """Hand what was written to the system, at most every tenth of a second."""
        now = time.monotonic()
        if self._dirty and now - self._flushed >= FLUSH_EVERY:
            self._try(lambda stream: stream.flush())
            self._dirty, self._flushed = False, now

    def _try(self, work: Callable[[TextIO], object]) -> None:
        """Do something with the file; at the first failure the log is given up."""
        if self._stream is None:
            return
        try:
            work(self._stream)
        except OSError as error:
            failed, self._stream = self._stream, None
            with contextlib.suppress(OSError):
                failed.close()
            if self._warn is not None:
                reason = (error.strerror or "unknown error").lower()
                report_unwritten(
                    f"The log {self.path} cannot be written any more ({reason});"
                    " the tables play on without it.",
                    self._warn,
                )

    def close(self, reason: str = "all games played") -> None:
        """Write the seed and close; the file with the seed is removed then."""
        if self._stream is None:
            return
        self.write(Ended(reason, self._seed))
        self._try(lambda stream: stream.close())
        if self._stream is not None:
            self._stream = None
            with contextlib.suppress(OSError):
                seed_path(self.path).unlink(missing_ok=True)


def read_log(path: str | Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The lines of a log with what they say; a last line that is being written is left out."""
    with open_regular(path, pipes=True) as (stream, _):
        raw = stream.readline(MAX_LINE)
        if not raw:
            raise FileFormatError(f"{path} is empty, not a log of a twenty-one dealer.")
        first = True
        while (line := _decoded(path, raw)).endswith("\n"):
            entry = _entry(path, line)
            if first:
                _check(path, entry)
            yield line[:-1], entry
            raw, first = stream.readline(MAX_LINE), False
    if len(raw) == MAX_LINE:
        raise FileFormatError(f"{path} is not a log of a twenty-one dealer: a line has no end.")


def _decoded(path: str | Path, raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":
            return ""  # a last line that is being written
        raise StorageError(f"Cannot read {path}: it is not a text file.") from error


def _entry(path: str | Path, line: str) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        entry = None
    if not isinstance(entry, dict) or "event" not in entry:
        raise FileFormatError(f"{path} is not a log of a twenty-one dealer.")
    return entry


def _check(path: str | Path, first: Mapping[str, Any]) -> None:
    if first["event"] != "log" or first.get("game") != "twentyone":
        raise FileFormatError(f"{path} is not a log of a twenty-one dealer.")
    if first.get("version") not in (1, LOG_VERSION):
        raise FileFormatError(
            f"{path} has log version {first.get('version')}; this version of riverboat reads"
            f" 1 and {LOG_VERSION}."
        )


@dataclass
class LogReport:
    """What verification found."""

    complete: bool = False  # Whether the log goes up to its last line and all games were played
    ended: str = ""  # The reason in its last line; empty where that is missing
    seed: int | None = None
    tables: int = 0
    rounds: int = 0
    folded: list[str] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)  # Tables that were stopped on the way
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
        report.seed = stored_seed(path) if seed is None else seed
    report.complete = report.ended == PLAYED
    if not isinstance(report.seed, int):
        report.problems.append("the seed is not known and must be given")
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
        elif entry["event"] in _TABLE_EVENTS:
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
        self._replayed: deque[TableEvent] = deque()
        self._table: Table | None = None
        try:
            self._names = [str(name) for name in opening["names"]]
            decks = shuffled_decks(report.seed or 0, self._number, opening.get("attempt", 0))
            table = Table(self._names, opening["games"], decks, self._receive)
            table.start()
            self._table = table
        except _UNPLAYABLE:
            self._problem("it cannot have been opened like this")

    def _receive(self, event: TableEvent) -> None:
        if not isinstance(event, Asked):
            self._replayed.append(event)

    def _problem(self, text: str) -> None:
        self._report.problems.append(f"table {_shown(self._number)}: {text}")

    def take(self, entry: dict[str, Any]) -> None:
        if self._table is None:
            return
        try:
            if not self._replayed:
                self._drive(self._table, entry)
            event = from_dict(entry)
            expected = self._replayed.popleft() if self._replayed else None
            same = type(expected) is type(event) and expected == event
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
        if table.finished and not self._replayed:
            return
        missing = f"stopped in round {table.round:,} of {table.games:,}"
        if not self._report.complete:
            self._report.unfinished.append(f"table {_shown(self._number)}: {missing}")
        elif self._replayed:
            kinds = {"Dealt": "deal", "Settled": "round", "Finished": "scores"}
            gone = kinds.get(type(self._replayed[0]).__name__, "line")
            self._problem(f"its last {gone} is missing, though the log has its end")
        else:
            self._problem(f"{missing}, though the log says that all games were played")
