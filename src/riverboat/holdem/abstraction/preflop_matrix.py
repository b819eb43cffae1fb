"""The exact preflop table, counted once and kept in the user's cache.

The file lies in $RIVERBOAT_CACHE, or else in riverboat/ below $XDG_CACHE_HOME or ~/.cache. Its
header holds a SHA-256 of the counts; a file that is damaged, foreign or of another checksum is
counted anew. Where the cache cannot be written, the table is counted each time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np

from riverboat.cards.combos import NUM_CLASSES, NUM_COMBOS
from riverboat.cards.preflop import PreflopTable, build_preflop_table
from riverboat.errors import FileFormatError, StorageError
from riverboat.own_folders import cache_folder
from riverboat.strategies.files import read_arrays, write_arrays

__all__ = ["preflop_table", "preflop_table_path"]

_KIND = "preflop-table"


def preflop_table_path() -> Path:
    """The file of the preflop table."""
    return cache_folder() / "preflop.safetensors"


def preflop_table(progress: Callable[[float], None] | None = None) -> PreflopTable:
    """The table from the cache, or counted (some seconds) and stored there."""
    path = preflop_table_path()
    with suppress(StorageError, FileFormatError):
        return _read(path)
    table = build_preflop_table(progress)
    with suppress(StorageError, OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_arrays(
            path,
            _KIND,
            {"wins": table.wins, "ties": table.ties},
            {"sha256": _checksum(table)},
        )
    return table


def _read(path: Path) -> PreflopTable:
    arrays, header = read_arrays(path, _KIND)
    shape = (NUM_CLASSES, NUM_COMBOS)
    if any(
        name not in arrays or arrays[name].shape != shape or arrays[name].dtype != np.int32
        for name in ("wins", "ties")
    ):
        raise FileFormatError(f"{path} is damaged: it is not the preflop table.")
    table = PreflopTable(arrays["wins"], arrays["ties"])
    if header.get("sha256") != _checksum(table):
        raise FileFormatError(f"{path} is damaged: its checksum is wrong.")
    return table


def _checksum(table: PreflopTable) -> str:
    return hashlib.sha256(table.wins.tobytes() + table.ties.tobytes()).hexdigest()
