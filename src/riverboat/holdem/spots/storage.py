"""A player's regrets or averages: one flat array, of four-byte numbers or of two-byte ones."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from riverboat.runtime.array_types import F32, I64

STEPS = 32767  # The largest two-byte number


class PlayerStorage(NamedTuple):
    """A player's regrets or averages, flat: four-byte numbers, or two-byte ones with scales.

    The largest two-byte number of a row is ±32767; the row's scale is the value of one step.
    """

    values: Any  # (elements,) float32 or int16
    scales: F32  # (rows,) for int16; else (1,) and unused
    locked: I64 = np.zeros(0, np.int64)  # (locks,) where locked nodes begin, rising
    masks: F32 = np.zeros(0, np.float32)  # (locks · width,) one for hands that are locked


def make_storage(elements: int, width: int, *, int16: bool) -> PlayerStorage:
    """All zero, for rows of `width`."""
    if int16:
        return PlayerStorage(np.zeros(elements, np.int16), np.zeros(elements // width, np.float32))
    return PlayerStorage(np.zeros(elements, np.float32), np.zeros(1, np.float32))
