"""What a card abstraction is made of, as a name, as a table in a config, and as a thing built.

| name | scheme |
|---|---|
| `preflop169` | the hand as dealt on every street |
| `features` | hand features |
| `equity-k-200` | 200 buckets of like equity on flop, turn and river |
| `equity-k-200-500-1000` | so many on flop, turn and river |

`features-flop` or `equity-k-200-flop-turn` build only those streets, the others keep the bucket of
the street before; `equity-k-200-seed3` has another seed than 0.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from riverboat.cards.combos import NUM_CLASSES
from riverboat.errors import ParameterError, UnknownNameError
from riverboat.holdem.abstraction.card_abstraction import STREET_NAMES, CardAbstraction, preflop169

__all__ = ["DEFAULT_BUCKETS", "SCHEMES", "Recipe"]

SCHEMES = ("preflop169", "features", "equity-k")
DEFAULT_BUCKETS, MIN_BUCKETS, MAX_BUCKETS = 200, 50, 5000
_STREETS = STREET_NAMES[1:]
_NAME = re.compile(
    r"(?P<scheme>preflop169|features|equity-k)(?P<buckets>(?:-\d+)*)"
    r"(?P<streets>(?:-(?:flop|turn|river))*)(?:-seed(?P<seed>\d+))?"
)


@dataclass(frozen=True)
class Recipe:
    """A scheme with its parameters; those that a scheme does not have stay as they are here."""

    scheme: str
    buckets: tuple[int, ...] = ()
    """On flop, turn and river: none, or three."""
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
            if not all(MIN_BUCKETS <= number <= MAX_BUCKETS for number in counts):
                raise ParameterError(
                    f"equity-k takes {MIN_BUCKETS} to {MAX_BUCKETS:,} buckets a street, not"
                    f" {', '.join(f'{number:,}' for number in counts)}."
                )
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
        found = _NAME.fullmatch(name)
        if found is None:
            raise UnknownNameError.among("card abstraction", name, (*SCHEMES, "equity-k-200"))
        return cls.make(
            found["scheme"],
            buckets=tuple(int(part) for part in found["buckets"].split("-")[1:]),
            streets=tuple(found["streets"].split("-")[1:]),
            seed=int(found["seed"] or 0),
        )

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Recipe:
        """The recipe of a table with `scheme`, and `buckets`, `streets`, `seed` where it has them.

        What `CardAbstraction.describe` gives comes back as the same recipe.
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
        """The options of `riverboat abstraction build` beside the scheme."""
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
        """The abstraction, built anew; `progress` is told a street and the share of it done."""
        if threads < 1:
            raise ParameterError(f"At least one thread must do the work, not {threads}.")
        if self.scheme == "preflop169":
            return preflop169()
        if self.scheme == "features":
            from riverboat.holdem.abstraction.features import build_features

            return build_features(
                self.name, streets=self.streets, threads=threads, progress=progress
            )
        from riverboat.holdem.abstraction.equity_buckets import build_equity_buckets

        return build_equity_buckets(
            self.name,
            buckets=self.buckets,
            streets=self.streets,
            seed=self.seed,
            threads=threads,
            progress=progress,
        )
