"""Means of independent results with their 95 % intervals."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from riverboat.runtime.array_types import F64

Z95 = 1.959963984540054  # The normal quantile that leaves 2.5 % above it


class Estimate(NamedTuple):
    """A mean, and half its 95 % interval."""

    mean: F64
    ci95: F64


def half_width(count: int, squares: float) -> float:
    """Half the 95 % interval of a mean of `count` results with this sum of squared deviations."""
    if count < 2:
        return math.inf
    return Z95 * math.sqrt(max(squares, 0.0) / (count - 1) / count)


def estimate(results: F64) -> Estimate:
    """The mean over the first axis; NaN where there are no results."""
    mean = results.mean(axis=0)
    squares = ((results - mean) ** 2).sum(axis=0)
    counts = np.full(mean.shape, len(results))
    return Estimate(mean, np.where(np.isnan(mean), np.nan, _half_widths(counts, squares)))


def estimate_from_sums(sums: F64) -> Estimate:
    """The mean of results that were added up: (…, 3) counts, sums and sums of squares."""
    counts, total, squares = sums[..., 0], sums[..., 1], sums[..., 2]
    mean = total / np.maximum(counts, 1)
    return Estimate(mean, _half_widths(counts, squares - counts * mean**2))


def _half_widths(counts: F64, squares: F64) -> F64:
    pairs = zip(np.ravel(counts).tolist(), np.ravel(squares).tolist(), strict=True)
    widths = [half_width(int(count), total) for count, total in pairs]
    return np.array(widths).reshape(np.shape(counts))
