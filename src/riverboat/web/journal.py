"""Journals: one JSON line per event, written before the sender is answered.

A server that is killed plays its journals again and goes on where it stood. Journals hold keys
and seat links, so only their owner may read them, from the moment they are created.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from riverboat.errors import RiverboatError

DAMAGED = (ValueError, KeyError, TypeError, IndexError, AssertionError, RiverboatError)
"""What an event of a damaged journal can raise when it is played again."""


def private_folder(path: Path) -> Path:
    """A folder that only its owner may enter; made where it is missing."""
    path.mkdir(parents=True, exist_ok=True)
    path.chmod(0o700)
    return path


def drop_oldest(folder: Path, pattern: str, max_files: int) -> None:
    """Delete the oldest files beyond `max_files`, and those older than a month."""
    if not folder.is_dir():
        return
    files = sorted(folder.glob(pattern), key=lambda path: -path.stat().st_mtime)
    month = time.time() - 31 * 86_400
    for i, path in enumerate(files):
        if i >= max_files or path.stat().st_mtime < month:
            path.unlink(missing_ok=True)


def write_private(path: Path, text: str) -> None:
    """Write a file whole or not at all; never readable by others, not even for a moment."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    temporary.unlink(missing_ok=True)
    with os.fdopen(_opened(temporary, os.O_EXCL), "w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    temporary.replace(path)


def _opened(path: Path, more: int) -> int:
    return os.open(path, os.O_CREAT | os.O_WRONLY | more, 0o600)


class Journal:
    """The file of one table or class."""

    def __init__(self, path: Path) -> None:
        """Open the file, or create it, readable by its owner alone."""
        self.path = path
        os.close(_opened(path, os.O_APPEND))
        path.chmod(0o600)  # one of an older version was readable by all

    def events(self) -> Iterator[dict[str, Any]]:
        """Every event so far; a last line that was cut short by a crash is removed."""
        raw = self.path.read_bytes()
        whole = raw[: raw.rfind(b"\n") + 1]
        if whole != raw:
            os.truncate(self.path, len(whole))
        for line in whole.decode("utf-8", "replace").splitlines():
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if isinstance(event, dict):
                yield event

    def replay(self, happen: Callable[[dict[str, Any]], None]) -> None:
        """Let every event happen again; those that cannot are left out."""
        for event in self.events():
            try:
                happen(event)
            except DAMAGED:
                continue

    def append(self, event: dict[str, Any]) -> None:
        """Hand an event to the operating system."""
        with os.fdopen(_opened(self.path, os.O_APPEND), "a", encoding="utf-8") as stream:
            stream.write(json.dumps(event) + "\n")
