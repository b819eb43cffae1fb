"""The dealer's log: one JSON object per line, chained by hashes, with its seed kept apart.

The first line commits to the seed by its SHA-256 and the last one tells it, so that nobody can
read the cards to come out of a log that is being written, and everybody can check afterwards that
the cards were those of the seed (log_check). Until the last line is written the seed lies in a file
beside the log that only its owner can read; so the log of a dealer that was killed can be checked.

Each line ends in `t`, seconds since the log began, and `h`, the first 32 hexadecimal digits of
the SHA-256 of the `h` before and the line up to here. A log that cannot be written is given up with
one warning, and the tables play on.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

from riverboat import __version__
from riverboat.errors import FileFormatError, StorageError
from riverboat.twentyone.table_events import Asked, Ended, Event, as_dict

__all__ = ["LOG_VERSION", "LogWriter", "commitment", "link", "read_log", "seed_beside", "unlinked"]

LOG_VERSION = 2
"""1 had neither times nor hashes."""
FLUSH_EVERY = 0.1
_HASH = ',"h":"'


def commitment(seed: int) -> str:
    """What the first line says about the seed."""
    return hashlib.sha256(str(seed).encode()).hexdigest()


def link(before: str, body: str) -> str:
    """The hash of a line without its hash, given the hash of the line before."""
    return hashlib.sha256((before + body).encode()).hexdigest()[:32]


def unlinked(line: str) -> str:
    """A line as it was before its hash was put in."""
    body, found, _ = line.rpartition(_HASH)
    return body + "}" if found else line


def seed_path(path: str | Path) -> Path:
    """Where the seed of a log lies while the log is being written."""
    return Path(f"{path}.seed")


def seed_beside(path: str | Path) -> int | None:
    """The seed that a dealer left beside its log when it was killed."""
    try:
        return int(seed_path(path).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


class LogWriter:
    """Appends events to a new log; `flush` makes them visible to whoever is watching."""

    def __init__(
        self,
        path: str | Path,
        seed: int,
        *,
        force: bool = False,
        warn: Callable[[str], None] | None = None,
    ) -> None:
        """An existing log is replaced with `force` only; `warn` hears of a log that fails."""
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
                f"There is a log {path} already; name another one, or replace it with --force."
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
        place = seed_path(self.path)
        place.unlink(missing_ok=True)
        handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
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
                self._warn(
                    f"The log {self.path} cannot be written any more ({reason});"
                    " the tables play on without it."
                )

    def close(self, reason: str = "all games played") -> None:
        """Tell the seed and close; the seed beside the log has done its service then."""
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
    try:
        with Path(path).open(encoding="utf-8") as stream:
            for number, line in enumerate(stream):
                if not line.endswith("\n"):
                    return
                entry = _entry(path, line)
                if number == 0:
                    _check(path, entry)
                yield line[:-1], entry
            if stream.tell() == 0:
                raise FileFormatError(f"{path} is empty, not a log of a twenty-one dealer.")
    except FileNotFoundError:
        raise StorageError(f"There is no file {path}.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise StorageError(f"Cannot read {path}: it is not a readable text file.") from error


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
