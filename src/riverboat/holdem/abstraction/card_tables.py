"""Card abstractions on disk: built once, kept in the user's cache, checked when read.

A file (kind "card-abstraction") holds the recipe, the version of the schemes, the numbers of
buckets and a SHA-256 over all arrays. A file of the cache that is damaged, or of another version of
the schemes, is built anew; one given by its path is refused.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import FileFormatError, StorageError
from riverboat.holdem.abstraction.card_abstraction import (
    STREET_NAMES,
    CardAbstraction,
    bucket_tables,
    preflop169,
)
from riverboat.holdem.abstraction.recipes import Recipe
from riverboat.own_folders import cache_folder
from riverboat.strategies.files import read_arrays, write_arrays

__all__ = [
    "SCHEMES_VERSION",
    "abstraction_path",
    "card_abstraction",
    "describe_bucket",
    "load_abstraction",
    "save_abstraction",
]

SCHEMES_VERSION = 1
"""Raised when a recipe begins to give other buckets."""
_KIND = "card-abstraction"
_RIVER_TABLES = ("river_starts", "river")
_TABLES = ("flop", "turn", *_RIVER_TABLES)
"""The tables of BucketTables that differ from one abstraction to the next."""
_SUFFIX = ".rb"


def abstraction_path(name: str) -> Path:
    """The file of an abstraction in the cache."""
    return cache_folder() / "abstractions" / f"{name}{_SUFFIX}"


def save_abstraction(abstraction: CardAbstraction, path: str | Path) -> None:
    """Write an abstraction to a file."""
    tables = {name: getattr(abstraction.tables, name) for name in _TABLES}
    arrays = {name: array for name, array in tables.items() if len(array)}
    arrays |= dict(abstraction.details)
    header = {
        "name": abstraction.name,
        "schemes_version": SCHEMES_VERSION,
        "recipe": abstraction.describe(),
        "buckets": list(abstraction.num_buckets),
        "sha256": _checksum(arrays),
    }
    write_arrays(path, _KIND, arrays, header)


def _checksum(arrays: Mapping[str, NDArray[Any]]) -> str:
    digest = hashlib.sha256()
    for name in sorted(arrays):
        digest.update(f"{name} {arrays[name].dtype} {arrays[name].shape}\n".encode())
        digest.update(np.ascontiguousarray(arrays[name]).data)
    return digest.hexdigest()


def load_abstraction(path: str | Path) -> CardAbstraction:
    """Read an abstraction, refused with a sentence unless every array is as it was written."""
    arrays, header = read_arrays(path, _KIND)
    if header.get("schemes_version") != SCHEMES_VERSION:
        raise FileFormatError(
            f"{path} holds buckets of version {header.get('schemes_version')} of the schemes, this"
            f" riverboat has {SCHEMES_VERSION}; build it again."
        )
    if header.get("sha256") != _checksum(arrays):
        raise FileFormatError(f"{path} is damaged: its checksum is wrong.")
    tables = {name: arrays.pop(name) for name in _TABLES if name in arrays}
    river = tuple(tables[name] for name in _RIVER_TABLES if name in tables)
    try:
        return CardAbstraction(
            str(header["name"]),
            tuple(map(int, header["buckets"])),  # type: ignore[arg-type]
            bucket_tables(tables.get("flop"), tables.get("turn"), river or None),  # type: ignore[arg-type]
            dict(header["recipe"]),
            arrays,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise FileFormatError(f"{path} is damaged: its header is not complete.") from error


def card_abstraction(
    source: str | Recipe | Mapping[str, Any],
    *,
    threads: int = 1,
    progress: Callable[[str, float], None] | None = None,
    rebuild: bool = False,
) -> CardAbstraction:
    """An abstraction by name or recipe, from the cache or else built and kept there.

    A text that is the path of a file is read from there.
    """
    if isinstance(source, str) and (source.endswith(_SUFFIX) or Path(source).is_file()):
        return load_abstraction(source)
    if isinstance(source, str):
        recipe = Recipe.parse(source)
    else:
        recipe = source if isinstance(source, Recipe) else Recipe.from_table(source)
    if recipe.scheme == "preflop169":
        return preflop169()
    path = abstraction_path(recipe.name)
    if not rebuild:
        with suppress(StorageError, FileFormatError):
            return load_abstraction(path)
    abstraction = recipe.build(threads=threads, progress=progress)
    with suppress(StorageError, OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        save_abstraction(abstraction, path)
    return abstraction


def describe_bucket(abstraction: CardAbstraction, street: int, bucket: int) -> str:
    """What a bucket holds, in words."""
    from riverboat.cards.combos import CLASS_NAMES
    from riverboat.holdem.abstraction.equity_buckets import mean_equities
    from riverboat.holdem.abstraction.features import feature_name

    # A street that was not built keeps the bucket of the last one that was.
    for place in range(street, 0, -1):
        codes = abstraction.details.get(f"{STREET_NAMES[place]}_codes")
        centres = abstraction.details.get(f"{STREET_NAMES[place]}_centres")
        if codes is not None:
            return feature_name(codes[bucket])
        if centres is not None:
            equity = float(mean_equities(place, centres)[bucket])
            return f"equity {equity:.3f}, rank {bucket + 1} of {len(centres)} from below"
    return CLASS_NAMES[bucket]
