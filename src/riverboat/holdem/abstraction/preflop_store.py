"""The preflop table on disk: how often each hand beats each other one, before any board card.

A platform wheel has the file next to its compiled kernels; elsewhere it is counted once and kept
in the user's cache. Reading it needs no compiled code.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np

from riverboat.cards.combos import NUM_CLASSES, NUM_COMBOS
from riverboat.cards.preflop import PREFLOP_BOARDS, PreflopTable, build_preflop_table
from riverboat.errors import FileFormatError, StorageError
from riverboat.runtime.storage import BROUGHT, cache_folder
from riverboat.strategies.files import read_arrays, write_arrays

FILE = "preflop.safetensors"
_PREFLOP_KIND = "preflop-table"


def preflop_table_path() -> Path:
    """The file of the preflop table in the user's cache."""
    return cache_folder() / FILE


def preflop_table(build: Callable[[], PreflopTable] = build_preflop_table) -> PreflopTable:
    """The table from the package or the cache, or counted by `build` (some seconds) and stored."""
    path = preflop_table_path()
    for file in (BROUGHT / FILE, path):
        with suppress(StorageError, FileFormatError):
            return read_preflop_table(file)
    table = build()
    with suppress(StorageError, OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_preflop_table(table, path)
    return table


def write_preflop_table(table: PreflopTable, path: Path) -> None:
    """Write the table with its checksum."""
    arrays = {"wins": table.wins, "ties": table.ties}
    write_arrays(path, _PREFLOP_KIND, arrays, {"sha256": _preflop_checksum(table)})


def read_preflop_table(path: Path) -> PreflopTable:
    """Read the table; FileFormatError where its numbers cannot be boards won and tied."""
    arrays, header = read_arrays(path, _PREFLOP_KIND)
    shape = (NUM_CLASSES, NUM_COMBOS)
    if any(
        name not in arrays or arrays[name].shape != shape or arrays[name].dtype != np.int32
        for name in ("wins", "ties")
    ):
        raise FileFormatError(f"{path} is damaged: it is not the preflop table.")
    table = PreflopTable(arrays["wins"], arrays["ties"])
    if header.get("sha256") != _preflop_checksum(table):
        raise FileFormatError(f"{path} is damaged: its checksum is wrong.")
    counts = (table.wins, table.ties)
    if any(part.min() < 0 or part.max() > PREFLOP_BOARDS for part in counts) or (
        (table.wins + table.ties).max() > PREFLOP_BOARDS
    ):
        raise FileFormatError(f"{path} is damaged: it counts more boards than there are.")
    return table


def _preflop_checksum(table: PreflopTable) -> str:
    return hashlib.sha256(table.wins.tobytes() + table.ties.tobytes()).hexdigest()
