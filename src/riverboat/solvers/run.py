"""When a solver stops, and what it says on the way."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from riverboat.errors import UsageError

__all__ = ["Limit", "Progress", "ProgressCallback"]


@dataclass(frozen=True)
class Limit:
    """Stop at the first of these; what is None does not count.

    `iterations` is the number done altogether, also before a resume; `target` an exploitability
    (NashConv / players); `seconds` counts from the start of this run.
    """

    iterations: int | None = None
    target: float | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.iterations is not None and self.iterations < 1:
            raise UsageError(f"The number of iterations must be at least 1, not {self.iterations}.")
        for name in ("target", "seconds"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value > 0):
                raise UsageError(f"The {name} must be a number above 0, not {value}.")

    @classmethod
    def one_of(
        cls, iterations: int | None, target: float | None, seconds: float | None
    ) -> Limit | None:
        """The one limit that was given, None for none; several contradict each other."""
        given = {"iterations": iterations, "target": target, "seconds": seconds}
        names = [name for name, value in given.items() if value is not None]
        if len(names) > 1:
            raise UsageError(f"Give one limit only: {' and '.join(names)} contradict each other.")
        return cls(iterations, target, seconds) if names else None


@dataclass(frozen=True)
class Progress:
    """Where a solver stands, or stood: one point of its trace."""

    algorithm: str
    iterations: int
    seconds: float
    exploitability: float


ProgressCallback: TypeAlias = Callable[[Progress], None]
