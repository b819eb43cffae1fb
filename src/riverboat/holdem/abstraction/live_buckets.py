"""Buckets of `equity-k` worked out when they are asked for, from the centres alone.

The tables of an abstraction take 72 MB and a minute to build. Its centres take 100 kB, and the
bucket of a hand is the number of the nearest one: on a flop that means all 1,176 runouts, some tens
of milliseconds for all hands at once. So a small file can carry all that is needed to play. The
buckets are those of the tables, hand by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.combos import COMBO_CARDS, NUM_CLASSES, NUM_COMBOS, class_of_combos
from riverboat.cards.strength_tables import strength_tables
from riverboat.errors import ParameterError
from riverboat.holdem.abstraction.card_abstraction import (
    BOARD_SIZES,
    STREET_NAMES,
    CardAbstraction,
)
from riverboat.holdem.abstraction.deals import CardBuckets
from riverboat.holdem.abstraction.k_medians import Centres, sorted_centres

__all__ = ["CENTRES", "OPPONENTS", "LiveBuckets", "centres_of"]

CENTRES = tuple(f"{street}_centres" for street in STREET_NAMES[1:])
"""The arrays of an abstraction's details that are needed …"""
OPPONENTS = "opponents"
"""… and the cluster of each opponent's hand, (1326,) uint8."""
_KEPT = 256
"""The last boards are kept, for they are asked about again."""


def centres_of(buckets: CardBuckets) -> dict[str, NDArray[Any]]:
    """The arrays that make live buckets of an abstraction again; none where it has no centres."""
    if isinstance(buckets, LiveBuckets):
        rows = {name: kept.rows for name, kept in zip(CENTRES, buckets.centres, strict=True)}
        return {**rows, OPPONENTS: buckets.opponents}
    if not isinstance(buckets, CardAbstraction) or not set(CENTRES) <= set(buckets.details):
        return {}
    from riverboat.holdem.abstraction.equity_buckets import opponent_clusters

    return {**{name: buckets.details[name] for name in CENTRES}, OPPONENTS: opponent_clusters()}


class LiveBuckets:
    """A card abstraction (deals.CardBuckets) for play and measuring; training wants tables."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]], recipe: Mapping[str, Any]) -> None:
        rows = [arrays[name] for name in CENTRES]
        self.opponents = np.ascontiguousarray(arrays[OPPONENTS], np.uint8)
        if self.opponents.shape != (NUM_COMBOS,) or any(
            row.ndim != 2 or row.dtype != np.int16 or row.shape[1] % 4 for row in rows
        ):
            raise ParameterError("These are not the centres of a card abstraction.")
        self.centres: tuple[Centres, ...] = tuple(sorted_centres(row) for row in rows)
        self.recipe = dict(recipe)
        self.num_buckets = (NUM_CLASSES, *(len(row) for row in rows))
        self._kept: dict[tuple[int, ...], NDArray[np.uint32]] = {}

    def describe(self) -> dict[str, Any]:
        """The recipe of the tables that hold the same buckets."""
        return dict(self.recipe)

    def assign(self, cards: NDArray[np.uint8], players: int, out: NDArray[np.uint32]) -> None:
        """Buckets `out` (N, P, S) of deals `cards` (N, n): all hands, then the board."""
        streets, hands = out.shape[2], cards[:, : 2 * players].reshape(-1, players, 2)
        low, high = np.sort(hands.astype(np.int64), axis=2).transpose(2, 0, 1)
        combos = low * (101 - low) // 2 + high - 1
        out[:, :, 0] = class_of_combos()[combos]
        for street in range(1, streets):
            size = BOARD_SIZES[street]
            boards = np.ascontiguousarray(cards[:, 2 * players : 2 * players + size])
            distinct, places = np.unique(boards, axis=0, return_inverse=True)
            for number, board in enumerate(distinct):
                rows = np.flatnonzero(places.ravel() == number)
                out[rows, :, street] = self.on_board(board.tolist())[combos[rows]]

    def on_board(self, board: Sequence[int]) -> NDArray[np.uint32]:
        """(1326,) the bucket of every hand on a board; those that share a card mean nothing."""
        from riverboat.holdem.abstraction.equity_bucket_kernels import (
            histogram_buckets,
            opponent_buckets,
        )

        key = tuple(sorted(board))
        if key not in self._kept:
            street = BOARD_SIZES.index(len(key))
            centres, cards = self.centres[street - 1].arrays, np.array(key, np.uint8)
            tables = strength_tables().arrays
            found = np.zeros(NUM_COMBOS, np.uint32)
            if street == len(CENTRES):
                opponent_buckets(cards, self.opponents, COMBO_CARDS, *tables, *centres, found)
            else:
                histogram_buckets(cards, COMBO_CARDS, *tables, *centres, found)
            while len(self._kept) >= _KEPT:
                # Other threads may have dropped the oldest board meanwhile.
                self._kept.pop(next(iter(self._kept)), None)
            self._kept[key] = found
        return self._kept[key]
