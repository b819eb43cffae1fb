"""All-in hands by class, two or three at once: how often they are dealt, and how they finish.

Two players' counts (169 × 169 classes, three outcomes) come with the package: `tools/two_way.py`
makes them from cards/preflop.py. Three players' are counted once (three_way.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.combos import NUM_CLASSES
from riverboat.holdem.preflop._allin_tables import read_table
from riverboat.runtime.array_types import F64, I64, U32

SHIPPED = Path(__file__).parents[1] / "shipped" / "two-way.rb"
ORDERS_OF_TWO = ((0, 1), (0, 0), (1, 0))
NUM_PAIRS = NUM_CLASSES * (NUM_CLASSES + 1) // 2


@lru_cache(maxsize=1)
def two_way_table() -> U32:
    """(14365, 3) deals of two classes in rising order in which the first wins, ties and loses."""
    return read_table(SHIPPED, NUM_PAIRS, len(ORDERS_OF_TWO))


@lru_cache(maxsize=2)
def sorted_classes(num_hands: int) -> tuple[I64, ...]:
    """The classes of each row of a table of `num_hands` hands, rising."""
    if num_hands == 2:
        high, low = np.tril_indices(NUM_CLASSES)
        return low, high
    low, middle = sorted_classes(2)
    sizes = np.arange(1, NUM_CLASSES + 1)
    ends = sizes * (sizes + 1) // 2
    third = np.repeat(np.arange(NUM_CLASSES), ends)
    within = np.arange(len(third)) - np.repeat(np.cumsum(ends) - ends, ends)
    return low[within], middle[within], third


class Matchups:
    """Every deal of two or three classes with its weight; all weights sum to one."""

    def __init__(self, num_players: int, progress: Callable[[float], None] | None = None) -> None:
        self.num_players = num_players
        levels: Sequence[tuple[int, ...]] = ORDERS_OF_TWO
        if num_players == 2:
            self.counts = two_way_table()
        else:
            from riverboat.holdem.preflop._three_way import ORDERS, three_way_table

            self.counts, levels = three_way_table(progress), ORDERS
        self.orders = tuple(tuple(sum(o < mine for o in order) for mine in order)
                            for order in levels)  # fmt: skip
        """For each column and hand the number of better hands."""
        self._places = tuple(permutations(range(num_players)))
        weights = np.zeros((NUM_CLASSES,) * num_players)
        deals = self.counts.sum(axis=1, dtype=np.float64)[None]
        for places in self._places:
            self._spread(deals, places, (0,), [weights])
        self._scale = 1 / float(weights.sum())
        self.weights: NDArray[Any] = (weights * self._scale).astype(self.dtype)
        """(169, 169) or (169, 169, 169) the chance of a deal."""

    @property
    def dtype(self) -> type[np.float32] | type[np.float64]:
        """Of the tensors: three players' have single precision, for they are large."""
        return np.float64 if self.num_players == 2 else np.float32

    def tensors(self, values: F64, first: tuple[int, ...]) -> list[NDArray[Any]]:
        """The chance of each deal times its mean value, for each column of `values` (orders, K).

        `first` names for each column the player whose class is the tensor's first axis; the others
        follow in their order.
        """
        shape = (NUM_CLASSES,) * self.num_players
        tensors: list[NDArray[Any]] = [np.zeros(shape, self.dtype) for _ in first]
        columns = {order: number for number, order in enumerate(self.orders)}
        counts = self.counts.T.astype(np.float64)
        for places in self._places:
            moved = np.empty(len(self.orders), np.int64)
            for number, order in enumerate(self.orders):
                new = [0] * self.num_players
                for hand, seat in enumerate(places):
                    new[seat] = order[hand]
                moved[number] = columns[tuple(new)]
            # One product: with many small ones BLAS spends its time on starting threads.
            means = values[moved].T @ counts
            means *= self._scale
            self._spread(means, places, first, tensors)
        return tensors

    def _spread(
        self, rows: F64, places: tuple[int, ...], first: tuple[int, ...], out: list[NDArray[Any]]
    ) -> None:
        """Write numbers (K, rows of the table) to tensors, for hands that sit at `places`."""
        classes = sorted_classes(self.num_players)
        seats = [classes[places.index(seat)] for seat in range(self.num_players)]
        for player in sorted(set(first)):
            axes = (seats[player], *(s for i, s in enumerate(seats) if i != player))
            cells = np.ravel_multi_index(axes, out[0].shape)
            for column, row in enumerate(rows):
                if first[column] == player:
                    out[column].reshape(-1)[cells] = row
