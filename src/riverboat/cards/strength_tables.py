"""The tables behind hand strength: built in some hundredths of a second, never stored.

All multisets of 5, 6 and 7 ranks (73,775 of them) are scored with array operations, the scores
become the dense strengths 0…7461, and a displaced hash puts every multiset into a slot of its
own: 90,112 strengths and 8,192 displacements of two bytes, 196,608 bytes together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from riverboat.cards.strength_kernels import (
    BUCKET_SHIFT,
    NUM_SLOTS,
    RANK_SUM_SHIFT,
    Tables,
)

__all__ = ["StrengthTables", "strength_tables"]

_PAIR, _TWO_PAIR, _TRIPS, _STRAIGHT, _FLUSH, _FULL_HOUSE, _QUADS, _STRAIGHT_FLUSH = range(1, 9)
_WHEEL = 0b1_0000_0000_1111
_KEY_BITS = 64 - RANK_SUM_SHIFT
_PLACE_BITS = BUCKET_SHIFT - RANK_SUM_SHIFT
_NUM_BUCKETS = 1 << 64 - BUCKET_SHIFT
_FIRST_SEED = 79
"""Seeds are tried from here on; this one is the first whose rank sums all differ."""


@dataclass(frozen=True)
class StrengthTables:
    """What the kernels take; see strength_kernels for how they are used."""

    card_keys: NDArray[np.uint64]
    """(256,), zero from 52 on, so that no byte reads outside."""
    displacements: NDArray[np.uint16]
    """(8192,)"""
    strengths: NDArray[np.uint16]
    """(90112,)"""
    scores: NDArray[np.int64]
    """(7462,) category << 20 and up to five ranks of four bits, by strength."""

    @property
    def arrays(self) -> Tables:
        """The three arrays in the order in which every kernel takes them."""
        return Tables(self.card_keys, self.displacements, self.strengths)


@lru_cache(maxsize=1)
def strength_tables() -> StrengthTables:
    """The tables, built at the first call."""
    counts = _rank_multisets()
    scores = _scores(counts)
    sizes = counts.sum(axis=1)
    fives = scores[sizes == 5]
    by_strength = np.unique(np.concatenate([fives, _flush_scores(fives)]))
    values = np.searchsorted(by_strength, scores).astype(np.uint16)
    for seed in range(_FIRST_SEED, _FIRST_SEED + 1000):
        rank_keys = _random_keys(seed)
        sums = (counts.astype(np.uint64) @ rank_keys).astype(np.int64) % (1 << _KEY_BITS)
        placed = _place(sums)
        if placed is None:
            continue
        displacements, slots = placed
        strengths = np.zeros(NUM_SLOTS, np.uint16)
        strengths[slots] = values
        tables = StrengthTables(_card_keys(rank_keys), displacements, strengths, by_strength)
        for array in (*tables.arrays, by_strength):
            array.setflags(write=False)
        return tables
    raise RuntimeError("no seed gave a perfect hash")


def _rank_multisets() -> NDArray[np.int64]:
    """(73775, 13) how many of each rank, for every multiset of 5 to 7 ranks."""
    rows, sizes = np.zeros((13, 1), np.int8), np.zeros(1, np.int8)
    for rank in range(13):
        grown = []
        for copies in range(5):
            more = rows[:, sizes <= 7 - copies]
            more[rank] = copies
            grown.append(more)
        rows = np.concatenate(grown, axis=1)
        sizes = rows.sum(axis=0, dtype=np.int8)
    return np.ascontiguousarray(rows[:, sizes >= 5].T, np.int64)


def _masks(flags: NDArray[np.bool_]) -> NDArray[np.int64]:
    """(N,) the true columns of `flags` (N, 13) as bits."""
    return np.asarray(flags @ (1 << np.arange(13)))


def _highest(masks: NDArray[np.int64]) -> NDArray[np.int64]:
    """The position of each mask's highest bit, 0 for an empty mask."""
    table = np.zeros(8192, np.int64)
    for rank in range(13):
        table[1 << rank : 2 << rank] = rank
    return np.asarray(table[masks])


def _scores(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """(N,) scores that order multisets of ranks (N, 13) by the best five cards, no flushes.

    A score is the category and then the ranks that decide, most important first.
    """
    have = [_masks(counts >= copies) for copies in range(5)]
    straight = np.full(len(counts), -1)
    straight[(have[1] & _WHEEL) == _WHEEL] = 3
    for top in range(4, 13):
        need = 0b11111 << (top - 4)
        straight[(have[1] & need) == need] = top
    pair, triple, quad = (_highest(have[copies]) for copies in (2, 3, 4))
    second_pairs = have[2] & ~(1 << pair)
    full_pairs = have[2] & ~(1 << triple)

    scores = _with_kickers(0, [], have[1])
    for chosen, candidate in (
        (have[2] > 0, _with_kickers(_PAIR, [pair], have[1])),
        (second_pairs > 0, _with_kickers(_TWO_PAIR, [pair, _highest(second_pairs)], have[1])),
        (have[3] > 0, _with_kickers(_TRIPS, [triple], have[1])),
        (straight >= 0, (_STRAIGHT << 20) + (straight << 16)),
        (
            (have[3] > 0) & (full_pairs > 0),
            (_FULL_HOUSE << 20) + (triple << 16) + (_highest(full_pairs) << 12),
        ),
        (have[4] > 0, _with_kickers(_QUADS, [quad], have[1])),
    ):
        scores = np.where(chosen, candidate, scores)
    return scores


_CARDS_OF = {0: 0, _PAIR: 2, _TWO_PAIR: 4, _TRIPS: 3, _QUADS: 4}


def _with_kickers(
    category: int, ranks: list[NDArray[np.int64]], present: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Scores of a category by its `ranks` and then the highest other ranks present."""
    score = np.full(len(present), category)
    left = present.copy()
    for rank in ranks:
        score = score << 4 | rank
        left &= ~(1 << rank)
    num_kickers = 5 - _CARDS_OF[category]
    for _ in range(num_kickers):
        kicker = _highest(left)
        score = score << 4 | kicker
        left &= ~(1 << kicker)
    return np.asarray(score << 4 * (5 - len(ranks) - num_kickers))


def _flush_scores(fives: NDArray[np.int64]) -> NDArray[np.int64]:
    """Scores of the flushes and straight flushes, from those of five-card multisets."""
    high, straights = fives[fives >> 20 == 0], fives[fives >> 20 == _STRAIGHT]
    return np.concatenate(
        [high + (_FLUSH << 20), straights + ((_STRAIGHT_FLUSH - _STRAIGHT) << 20)]
    )


def _random_keys(seed: int) -> NDArray[np.uint64]:
    """13 random 26-bit keys (splitmix64), the same on every machine."""
    keys = []
    for rank in range(13):
        z = (seed * 13 + rank) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
        z = (z ^ z >> 27) * 0x94D049BB133111EB & 0xFFFFFFFFFFFFFFFF
        keys.append((z ^ z >> 31) >> RANK_SUM_SHIFT)
    return np.array(keys, np.uint64)


def _card_keys(rank_keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """(256,) rank key in the upper bits, one in the suit's counter in the lower."""
    cards = np.arange(52)
    keys = np.zeros(256, np.uint64)
    keys[:52] = rank_keys[cards // 4] << np.uint64(RANK_SUM_SHIFT) | np.uint64(1) << (
        np.uint64(4) * (cards % 4).astype(np.uint64)
    )
    return keys


def _place(sums: NDArray[np.int64]) -> tuple[NDArray[np.uint16], NDArray[np.int64]] | None:
    """Displacements (8192,) and the slot of each sum (N,), or None where that fails."""
    if len(np.unique(sums)) < len(sums):
        return None
    buckets, places = sums >> _PLACE_BITS, sums % (1 << _PLACE_BITS)
    by_bucket = np.argsort(buckets, kind="stable")
    sizes = np.bincount(buckets, minlength=_NUM_BUCKETS)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    largest_first = np.argsort(-sizes, kind="stable")
    displacements = np.zeros(_NUM_BUCKETS, np.uint16)
    if not _displace(largest_first, starts, places[by_bucket], displacements):
        return None
    return displacements, places ^ (displacements[buckets].astype(np.int64) << 1)


@njit(cache=True)
def _displace(order: Any, starts: Any, places: Any, displacements: Any) -> bool:
    """Give each bucket a displacement at which all its slots are free.

    `order` (B,) buckets, `starts` (B+1,) into `places` (N,); writes `displacements` (B,). The
    search goes on where the last one ended, so that slots fill evenly and it stays short.
    """
    used = np.zeros(NUM_SLOTS, np.bool_)
    displacement = 0
    for bucket in order:
        start, end = starts[bucket], starts[bucket + 1]
        tries = 0
        i = start
        while i < end:
            if used[places[i] ^ (displacement << 1)]:
                displacement = (displacement + 1) % (NUM_SLOTS // 2)
                tries += 1
                if tries == NUM_SLOTS // 2:
                    return False
                i = start
            else:
                i += 1
        for i in range(start, end):
            used[places[i] ^ (displacement << 1)] = True
        displacements[bucket] = displacement
    return True
