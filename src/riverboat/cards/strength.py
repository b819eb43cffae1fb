"""Hand strength of 5, 6 and 7 cards: one hand, many hands, or every hand on a board.

A strength is a number 0…7461, higher is better, equal hands have equal numbers: one for each of
the 7,462 hands of five cards that differ in value. Category and words follow from it.

    >>> strength("As Kd Qh Jc Ts")
    5862
    >>> describe(strength("KsKdKh3c3s 2d 2h"))
    'full house, kings over threes'

The tables behind it are built in some hundredths of a second and never stored. All multisets of 5,
6 and 7 ranks (73,775 of them) are scored with array operations, the scores become the dense
strengths, and a displaced hash puts every multiset into a slot of its own: 90,112 strengths and
8,192 displacements of two bytes, 196,608 bytes together. Kernels of other folders import the
compiled functions from here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riverboat.cards._strength_kernels import (
    BLOCKED,
    BUCKET_SHIFT,
    EMPTY_SUM,
    NUM_SLOTS,
    NUM_WORDS,
    RANK_SUM_SHIFT,
    Tables,
    first_repeat,
    sort_hands,
    strength_of,
    strength_of_cards,
    strengths_of_masks,
    strengths_of_rows,
    strengths_of_sevens,
    strengths_on_board,
    sweep,
    trailing_zeros,
)
from riverboat.cards.card import CARDS, check_distinct, parse_cards
from riverboat.cards.plain_strength import CATEGORY_NAMES, describe_score
from riverboat.errors import ParameterError
from riverboat.runtime.compiled import njit

__all__ = [
    "BLOCKED",
    "CATEGORY_NAMES",
    "EMPTY_SUM",
    "NUM_STRENGTHS",
    "NUM_WORDS",
    "StrengthTables",
    "Tables",
    "board_strengths",
    "category",
    "category_starts",
    "describe",
    "mask_of",
    "sort_hands",
    "strength",
    "strength_of",
    "strength_of_cards",
    "strength_tables",
    "strengths",
    "strengths_of_card_masks",
    "strengths_on_board",
    "sweep",
    "trailing_zeros",
]


_PAIR, _TWO_PAIR, _TRIPS, _STRAIGHT, _FLUSH, _FULL_HOUSE, _QUADS, _STRAIGHT_FLUSH = range(1, 9)
_WHEEL = 0b1_0000_0000_1111
_KEY_BITS = 64 - RANK_SUM_SHIFT
_PLACE_BITS = BUCKET_SHIFT - RANK_SUM_SHIFT
_NUM_BUCKETS = 1 << 64 - BUCKET_SHIFT
_FIRST_SEED = 79  # Seeds are tried from here on; this one is the first whose rank sums all differ
_CARDS_OF = {0: 0, _PAIR: 2, _TWO_PAIR: 4, _TRIPS: 3, _QUADS: 4}
NUM_STRENGTHS = 7462
_BLOCK = 1024
"""Hands between two passes over the flushes: their cards and strengths stay in the first cache."""


@dataclass(frozen=True)
class StrengthTables:
    """What the kernels take; see strength_kernels for how they are used."""

    card_keys: NDArray[np.uint64]  # (256,), zero from 52 on, so that no byte reads outside
    displacements: NDArray[np.uint16]  # (8192,)
    strengths: NDArray[np.uint16]  # (90112,)
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


def _with_kickers(
    category: int, ranks: list[NDArray[np.int64]], present: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Scores of a category by its `ranks` and then the highest other ranks present."""
    score = np.full(len(present), category)
    remaining = present.copy()
    for rank in ranks:
        score = score << 4 | rank
        remaining &= ~(1 << rank)
    num_kickers = 5 - _CARDS_OF[category]
    for _ in range(num_kickers):
        kicker = _highest(remaining)
        score = score << 4 | kicker
        remaining &= ~(1 << kicker)
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


def mask_of(cards: Sequence[int]) -> int:
    """The cards as bits: bit c is set when card c is there."""
    mask = 0
    for card in cards:
        mask |= 1 << int(card)
    return mask


def _checked(cards: str | Sequence[int], sizes: tuple[int, ...], what: str) -> list[int]:
    numbers = parse_cards(cards) if isinstance(cards, str) else [int(card) for card in cards]
    if len(numbers) not in sizes:
        wanted = f"{sizes[0]} to {sizes[-1]}"
        raise ParameterError(f"{what} has {wanted} cards, not {len(numbers)}.")
    if any(not 0 <= card < 52 for card in numbers):
        raise ParameterError("A card is a number from 0 to 51.")
    check_distinct(numbers)
    return numbers


def strength(cards: str | Sequence[int]) -> int:
    """Strength of one hand of 5, 6 or 7 cards, given as text or numbers."""
    numbers = _checked(cards, (5, 6, 7), "A hand to be ranked")
    return int(strength_of_cards(np.array(numbers, np.uint8), *strength_tables().arrays))


def strengths(
    cards: ArrayLike, out: NDArray[np.uint16] | None = None, *, check: bool = False
) -> NDArray[np.uint16]:
    """Strengths (N,) of the rows of `cards` (N, 5…7); each row must hold different cards.

    A row that holds a card twice has a strength that means nothing; `check` refuses it, at
    less than half the speed.
    """
    rows = _as_cards(cards)
    if rows.ndim != 2 or rows.shape[1] not in (5, 6, 7):
        raise ParameterError(f"Hands to be ranked are an array (N, 5…7), not {rows.shape}.")
    if check and (row := int(first_repeat(rows))) < len(rows):
        held = " ".join(CARDS[card] for card in rows[row])
        raise ParameterError(f"Row {row} ({held}) holds a card twice; a deck has one of each.")
    result = np.empty(len(rows), np.uint16) if out is None else out
    arrays = strength_tables().arrays
    if rows.shape[1] == 7:
        scratch = np.empty(_BLOCK, np.uint64)
        strengths_of_sevens(rows, *arrays, _suit_keys(), scratch, result)
    else:
        strengths_of_rows(rows, *arrays, result)
    return result


def _as_cards(cards: ArrayLike) -> NDArray[np.uint8]:
    """The cards as contiguous uint8, refused unless all are 0…51."""
    array = np.asarray(cards)
    if array.size and (array.dtype.kind not in "iu" or array.max() > 51 or array.min() < 0):
        raise ParameterError("Cards are whole numbers from 0 to 51.")
    return np.ascontiguousarray(array, np.uint8)


@lru_cache(maxsize=1)
def _suit_keys() -> NDArray[np.uint64]:
    """(256,) at 64 · suit + card the card's key where it is of that suit, else zero."""
    keys = np.zeros((4, 64), np.uint64)
    cards = np.arange(52)
    keys[cards % 4, cards] = strength_tables().card_keys[:52]
    return keys.ravel()


@lru_cache(maxsize=1)
def _byte_keys() -> NDArray[np.uint64]:
    """(7, 256) sum of the card keys for each byte of a card mask."""
    keys = strength_tables().card_keys
    bits = (np.arange(256)[:, None] >> np.arange(8) & 1).astype(np.uint64)
    return np.stack([bits @ keys[8 * byte : 8 * byte + 8] for byte in range(7)])


def strengths_of_card_masks(masks: ArrayLike) -> NDArray[np.uint16]:
    """Strengths (N,) of hands given as card masks (N,) uint64 with 5 to 7 bits set."""
    array = np.ascontiguousarray(masks, np.uint64)
    counts = np.bitwise_count(array)
    if array.size and (counts.min() < 5 or counts.max() > 7 or array.max() >> np.uint64(52)):
        raise ParameterError("A card mask to be ranked has 5 to 7 of the lowest 52 bits set.")
    result = np.empty(len(array), np.uint16)
    strengths_of_masks(array, _byte_keys(), *strength_tables().arrays, result)
    return result


def board_strengths(
    board: str | Sequence[int], out: NDArray[np.uint16] | None = None
) -> NDArray[np.uint16]:
    """Strengths (1326,) of every hand on a board of 3 to 5 cards, BLOCKED where they overlap."""
    numbers = np.array(_checked(board, (3, 4, 5), "A board"), np.uint8)
    result = np.empty(1326, np.uint16) if out is None else out
    strengths_on_board(numbers, *strength_tables().arrays, np.empty((13, 52), np.uint16), result)
    return result


@lru_cache(maxsize=1)
def category_starts() -> tuple[int, ...]:
    """The lowest strength of each of the nine categories."""
    categories = strength_tables().scores >> 20
    return tuple(int(start) for start in np.searchsorted(categories, np.arange(9)))


def category(value: int) -> int:
    """0 high card, 1 pair, … 8 straight flush."""
    return int(strength_tables().scores[_valid(value)]) >> 20


def _valid(value: int) -> int:
    if not 0 <= value < NUM_STRENGTHS:
        raise ParameterError(f"A strength is a number from 0 to 7461, not {value}.")
    return int(value)


def describe(value: int) -> str:
    """The strength in words, e.g. "two pair, aces and eights with a king"."""
    return describe_score(int(strength_tables().scores[_valid(value)]))
