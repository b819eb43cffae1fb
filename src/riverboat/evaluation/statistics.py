"""Means with their uncertainty, updated one result at a time (Welford 1962)."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["Z95", "Running", "half_width"]

Z95 = 1.959963984540054
"""The normal quantile that leaves 2.5 % above it."""


@dataclass
class Running:
    """Count, mean and sum of squared deviations of what was seen."""

    count: int = 0
    mean: float = 0.0
    squares: float = 0.0

    def add(self, value: float) -> None:
        self.count += 1
        delta = value - self.mean
        self.mean += delta / self.count
        self.squares += delta * (value - self.mean)

    @property
    def ci95(self) -> float:
        """Half the width of the 95 % confidence interval of the mean."""
        return half_width(self.count, self.squares)


def half_width(count: int, squares: float) -> float:
    """Half the 95 % interval of a mean of `count` results with this sum of squared deviations."""
    if count < 2:
        return math.inf
    return Z95 * math.sqrt(max(squares, 0.0) / (count - 1) / count)
