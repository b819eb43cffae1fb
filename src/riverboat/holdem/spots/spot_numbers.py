"""A player's regrets or averages: four-byte numbers, or two-byte ones with a scale for each row.

Of two-byte numbers a row's largest is ±32767, and the row's scale says what one step is worth;
four-byte numbers have no scales.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

__all__ = ["STEPS", "Numbers", "make_numbers"]

STEPS = 32767
"""The largest two-byte number."""


class Numbers(NamedTuple):
    """A player's regrets or averages."""

    values: Any
    """(elements,) float32 or int16."""
    scales: Any
    """(rows,) float32, for int16; else (1,)."""
    locked: Any = np.zeros(0, np.int64)
    """(locks,) where nodes begin that are told what to play, rising."""
    masks: Any = np.zeros(0, np.float32)
    """(locks · width,) one for hands that are told."""


def make_numbers(elements: int, width: int, *, short: bool) -> Numbers:
    """All zero, for rows of `width`."""
    if short:
        return Numbers(np.zeros(elements, np.int16), np.zeros(elements // width, np.float32))
    return Numbers(np.zeros(elements, np.float32), np.zeros(1, np.float32))
