"""The 16,432 classes of four-card hands, ordered by equity against a random hand.

The order ships with the package as a file of 66 kB and is exact: every class on every board against
every other hand. `tools/omaha_order.py` makes the file, in some ten minutes on one core.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.hands import (
    class_members,
    class_of_hands,
    class_sizes,
    hand_cards,
    number_steps,
)

HOLE_CARDS = 4
NUM_CLASSES = 16_432
OPPONENTS = 123_410  # Hands of four from the 43 cards that a hand and a board leave
_UNIT = 2.0**32
_CHUNK = 500  # Boards between two reports of progress


def order_path() -> Path:
    """The shipped file."""
    return Path(str(resources.files("riverboat.cards") / "omaha_equities.npy"))


@lru_cache(maxsize=1)
def class_equities() -> NDArray[np.float64]:
    """(16432,) equity of each class against a random hand, by the numbers of `class_of_hands`."""
    return np.asarray(np.load(order_path(), allow_pickle=False) / _UNIT, np.float64)


@lru_cache(maxsize=1)
def classes_by_equity() -> NDArray[np.int64]:
    """(16432,) the classes, best first; of equals the one of higher cards first."""
    return np.lexsort((-np.arange(NUM_CLASSES), -class_equities()))


def compute_equities(
    boards: NDArray[np.uint8],
    weights: NDArray[np.int64],
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> NDArray[np.float64]:
    """(16432,) equity of each class against a random hand over some boards.

    Parameters
    ----------
    boards
        (B, 5) uint8.
    weights
        (B,) how many boards each stands for.
    on_progress
        Called with the boards done and their number.
    """
    from riverboat.cards._omaha_kernels import add_equities_against_random
    from riverboat.cards.strength import strength_tables

    scores, seen = np.zeros(NUM_CLASSES, np.int64), np.zeros(NUM_CLASSES, np.int64)
    classes, steps = class_of_hands(HOLE_CARDS).astype(np.uint16), number_steps(HOLE_CARDS)
    arrays = strength_tables().arrays
    for start in range(0, len(boards), _CHUNK):
        part = slice(start, start + _CHUNK)
        rows = np.ascontiguousarray(boards[part])
        add_equities_against_random(rows, weights[part], classes, steps, *arrays, scores, seen)
        on_progress(start + len(rows), len(boards))
    with np.errstate(invalid="ignore"):
        return np.asarray(scores / (2.0 * OPPONENTS * seen))


def different_boards() -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The 134,459 boards that no renaming of suits makes equal, with the number each stands for."""
    return hand_cards(5)[class_members(5)], class_sizes(5)


def write_order(path: Path, equities: NDArray[np.float64]) -> None:
    """Write the file that `class_equities` reads."""
    np.save(path, np.round(equities * _UNIT).astype("<u4"))
