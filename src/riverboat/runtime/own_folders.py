"""Where Riverboat keeps files of its own: what a person made, and tables that can be made again.

$RIVERBOAT_DATA and $RIVERBOAT_CACHE name the folders; without them they are riverboat/ below
$XDG_DATA_HOME or ~/.local/share, and below $XDG_CACHE_HOME or ~/.cache.

Temporary files that a process leaves behind when it is killed while writing, and their end.

A file is written beside its place under a hidden name that tells the writing process:
`.q.rb.4711-x8k2m1qv`. Where no such process runs any more, nobody will ever finish it.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from pathlib import Path

__all__ = ["cache_folder", "data_folder", "sweep", "temporary_prefix"]


def data_folder() -> Path:
    """For records, places in lessons and tournaments."""
    return _folder("RIVERBOAT_DATA", "XDG_DATA_HOME", ".local/share")


def cache_folder() -> Path:
    """For look-up tables; whatever is lost there is computed again."""
    return _folder("RIVERBOAT_CACHE", "XDG_CACHE_HOME", ".cache")


def _folder(own: str, shared: str, usual: str) -> Path:
    if os.environ.get(own):
        return Path(os.environ[own])
    return Path(os.environ.get(shared) or Path.home() / usual) / "riverboat"


OLD = 3600.0
"""Seconds after which a leftover whose writer cannot be asked about is taken for one."""


def temporary_prefix(name: str) -> str:
    """How a temporary file for `name` begins, in this process."""
    return f".{name}.{os.getpid()}-"


def sweep(target: Path) -> None:
    """Remove what earlier processes have left of writing `target`."""
    known = re.compile(re.escape(f".{target.name}.") + r"(?:(\d+)-)?[a-z0-9_]{8}")
    with contextlib.suppress(OSError):
        for entry in list(os.scandir(target.parent)):
            found = known.fullmatch(entry.name)
            if found is None or not entry.is_file(follow_symlinks=False):
                continue
            with contextlib.suppress(OSError):
                old = time.time() - entry.stat(follow_symlinks=False).st_mtime > OLD
                if old or (found[1] is not None and _is_gone(int(found[1]))):
                    Path(entry.path).unlink()


def _is_gone(process: int) -> bool:
    if os.name != "posix":  # Elsewhere the question itself would end the process.
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False
