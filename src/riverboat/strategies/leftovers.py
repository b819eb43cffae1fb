"""Temporary files that a process leaves behind when it is killed while writing, and their end.

A file is written beside its place under a hidden name that tells the writing process:
`.q.rb.4711-x8k2m1qv`. Where no such process runs any more, nobody will ever finish it.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from pathlib import Path

__all__ = ["sweep", "temporary_prefix"]

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
