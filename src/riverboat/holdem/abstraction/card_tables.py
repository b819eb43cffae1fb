"""Card abstractions by recipe: named, built, and kept in the user's cache.

| name | scheme |
|---|---|
| `preflop169` | the hand as dealt on every street |
| `features` | hand features |
| `equity-k-200` | 200 buckets of like equity on flop, turn and river |
| `equity-k-200-500-1000` | as many on flop, turn and river |

`features-flop` or `equity-k-200-flop-turn` build only those streets, the others keep the bucket of
the street before; `equity-k-200-seed3` has another seed than 0.

A file (kind "card-abstraction") holds the recipe, the version of the schemes, the numbers of
buckets and a SHA-256 over all arrays. A file of the cache that is damaged, or of another version of
the schemes, is built anew; one given by its path is refused. The exact preflop table is kept the
same way; where the cache cannot be written, it is counted each time.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.combos import NUM_CLASSES
from riverboat.cards.isomorphism import isomorphism
from riverboat.errors import FileFormatError, ParameterError, StorageError, UnknownNameError
from riverboat.holdem.abstraction.card_abstraction import (
    CardAbstraction,
    bucket_tables,
    check_bucket_counts,
    preflop169,
)
from riverboat.holdem.rules.betting import STREET_NAMES
from riverboat.runtime.storage import cache_folder
from riverboat.strategies.files import read_contents, write_arrays

SCHEMES = ("preflop169", "features", "equity-k")
DEFAULT_BUCKETS = 200
_STREETS = STREET_NAMES[1:]
_NAME = re.compile(
    r"(?P<scheme>preflop169|features|equity-k)(?P<buckets>(?:-\d+)*)"
    r"(?P<streets>(?:-(?:flop|turn|river))*)(?:-seed(?P<seed>\d+))?"
)
SCHEMES_VERSION = 1  # Raised when a recipe begins to give other buckets
_KIND = "card-abstraction"
_RIVER_TABLES = ("river_starts", "river")
_TABLES = ("flop", "turn", *_RIVER_TABLES)
"""The tables of BucketTables that differ from one abstraction to the next."""
_SUFFIX = ".rb"


@dataclass(frozen=True)
class Recipe:
    """A scheme with its parameters; those that a scheme does not have stay as they are here."""

    scheme: str
    buckets: tuple[int, ...] = ()  # On flop, turn and river: none, or three
    streets: tuple[str, ...] = _STREETS
    seed: int = 0

    @classmethod
    def make(
        cls,
        scheme: str,
        *,
        buckets: int | tuple[int, ...] | list[int] = (),
        streets: str | tuple[str, ...] | list[str] = (),
        seed: int = 0,
    ) -> Recipe:
        """The recipe, refused with a sentence where its parts do not fit."""
        if scheme not in SCHEMES:
            raise UnknownNameError.among("card abstraction", scheme, SCHEMES)
        counts = tuple(buckets) if isinstance(buckets, list | tuple) else (buckets,)
        if not all(type(number) is int and number >= 0 for number in (*counts, seed)):
            raise ParameterError("Buckets and seed of a card abstraction are whole numbers.")
        if scheme != "equity-k" and (counts or seed):
            raise ParameterError(f"{scheme} takes no number of buckets and no seed.")
        if scheme == "equity-k":
            counts = counts or (DEFAULT_BUCKETS,)
            if len(counts) not in (1, 3):
                raise ParameterError("Give one number of buckets, or three: flop, turn and river.")
            check_bucket_counts(counts)
            counts = counts * (3 // len(counts))
        wanted = (streets,) if isinstance(streets, str) else tuple(streets)
        for street in wanted:
            if street not in _STREETS:
                raise UnknownNameError.among("street with buckets", street, _STREETS)
        chosen = tuple(street for street in _STREETS if street in wanted or not wanted)
        return cls(scheme, counts, _STREETS if scheme == "preflop169" else chosen, int(seed))

    @classmethod
    def parse(cls, name: str) -> Recipe:
        """The recipe of a name such as equity-k-200."""
        parts = _NAME.fullmatch(name)
        if parts is None:
            raise UnknownNameError.among("card abstraction", name, (*SCHEMES, "equity-k-200"))
        return cls.make(
            parts["scheme"],
            buckets=tuple(int(part) for part in parts["buckets"].split("-")[1:]),
            streets=tuple(parts["streets"].split("-")[1:]),
            seed=int(parts["seed"] or 0),
        )

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Recipe:
        """The recipe of a table with `scheme`, and `buckets`, `streets`, `seed` where it has them.

        What `CardAbstraction.describe` returns is read as the same recipe.
        """
        rest = {key: value for key, value in table.items() if key != "scheme"}
        unknown = set(rest) - {"buckets", "streets", "seed"}
        if "scheme" not in table or unknown:
            raise ParameterError(
                "A card abstraction is given by scheme, buckets, streets and seed, not"
                f" {', '.join(sorted(map(str, unknown))) or 'without a scheme'}."
            )
        return cls.make(str(table["scheme"]), **rest)

    @property
    def name(self) -> str:
        """The name, which parses back."""
        counts = self.buckets if len(set(self.buckets)) > 1 else self.buckets[:1]
        streets = self.streets if self.streets != _STREETS else ()
        seed = [f"seed{self.seed}"] if self.seed else []
        return "-".join([self.scheme, *map(str, counts), *streets, *seed])

    @property
    def options(self) -> str:
        """The options of `riverboat abstraction build` besides the scheme."""
        counts = self.buckets if len(set(self.buckets)) > 1 else self.buckets[:1]
        streets = self.streets if self.streets != _STREETS else ()
        given = [f"--buckets {','.join(map(str, counts))}"] if counts else []
        given += [f"--street {street}" for street in streets]
        return " ".join(given + [f"--seed {self.seed}"] * bool(self.seed))

    @property
    def num_buckets(self) -> tuple[int, ...] | None:
        """By street, where that is known before anything is built: not for features."""
        if self.scheme == "features":
            return None
        numbers = [NUM_CLASSES]
        for street, count in zip(_STREETS, self.buckets or (NUM_CLASSES,) * 3, strict=True):
            numbers.append(count if street in self.streets else numbers[-1])
        return tuple(numbers)

    def build(
        self, *, threads: int = 1, progress: Callable[[str, float], None] | None = None
    ) -> CardAbstraction:
        """The abstraction, built anew; `progress` gets a street and the share of it done."""
        if threads < 1:
            raise ParameterError(f"At least one thread must do the work, not {threads}.")
        if self.scheme == "preflop169":
            return preflop169()
        given: dict[str, Any] = {"streets": self.streets, "threads": threads, "progress": progress}
        if self.scheme == "features":
            from riverboat.holdem.abstraction._features import build_features

            return build_features(self.name, **given)
        from riverboat.holdem.abstraction.equity_buckets import build_equity_buckets

        return build_equity_buckets(self.name, buckets=self.buckets, seed=self.seed, **given)


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
    with read_contents(path, _KIND) as contents:
        version = contents.integer("schemes_version")
        if version != SCHEMES_VERSION:
            raise FileFormatError(
                f"{path} holds buckets of version {version} of the schemes, this riverboat has"
                f" {SCHEMES_VERSION}; build it again."
            )
        arrays = dict(contents.arrays)
        contents.need(contents.text("sha256") == _checksum(arrays), "its checksum is wrong")
        tables = {name: arrays.pop(name) for name in _TABLES if name in arrays}
        river = tuple(tables[name] for name in _RIVER_TABLES if name in tables)
        counts, recipe = tuple(contents.field("buckets")), contents.table("recipe")
        whole = all(type(count) is int and count > 0 for count in counts)
        sound = whole and _is_sound(counts, tables)
        contents.need(sound, "its tables are not those of buckets")
        Recipe.from_table(recipe)
        return CardAbstraction(
            contents.text("name"),
            counts,
            bucket_tables(tables.get("flop"), tables.get("turn"), river or None),  # type: ignore[arg-type]
            recipe,
            arrays,
        )


def _is_sound(counts: tuple[int, ...], tables: Mapping[str, NDArray[Any]]) -> bool:
    """Whether whatever kernels look up in these tables lies inside them, and is a bucket."""
    if (
        len(counts) != 4
        or counts[0] != NUM_CLASSES
        or ("river" in tables) != ("river_starts" in tables)
    ):
        return False
    for street, count in enumerate(counts[1:], 1):
        name = STREET_NAMES[street]
        if name not in tables:
            if count != counts[street - 1]:
                return False
            continue
        table, river = tables[name], name == "river"
        buckets = table & 0xFFFF if river else table
        if table.ndim != 1 or not len(table) or table.dtype != (np.uint32 if river else np.uint16):
            return False
        if (not river and len(table) != isomorphism(2, street + 2).size) or buckets.max() >= count:
            return False
    if "river" not in tables:
        return True
    starts = tables["river_starts"]
    return bool(
        starts.shape == (isomorphism(5).size + 1,)
        and starts.dtype == np.uint32
        and starts[0] == 0
        and (starts[1:] > starts[:-1]).all()
        and starts[-1] == len(tables["river"])
    )


def find_abstraction(
    name: str, progress: Callable[[str, float], None] | None = None
) -> CardAbstraction:
    """An abstraction to read from; only features, a matter of seconds, are built where missing.

    Raises:
        StorageError: its tables would take minutes to build, and are not there.
    """
    if not (name.endswith(_SUFFIX) or Path(name).is_file()):
        recipe = Recipe.parse(name)
        if recipe.scheme == "equity-k" and not abstraction_path(recipe.name).is_file():
            raise StorageError(
                f"{recipe.name} is not built yet; run: riverboat abstraction build equity-k"
                f" {recipe.options}."
            )
    return card_abstraction(name, progress=progress)


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
