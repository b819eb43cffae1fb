"""Means with their uncertainty."""

from __future__ import annotations

import math

__all__ = ["Z95", "half_width"]

Z95 = 1.959963984540054
"""The normal quantile that leaves 2.5 % above it."""


def half_width(count: int, squares: float) -> float:
    """Half the 95 % interval of a mean of `count` results with this sum of squared deviations."""
    if count < 2:
        return math.inf
    return Z95 * math.sqrt(max(squares, 0.0) / (count - 1) / count)
