"""The shoes of blackjack_kernels: many of them in step, shuffled lazily, one byte a card.

One Fisher–Yates step a card; a shoe that is played out is already the permutation to shuffle
next. Random words come from SplitMix64 read at consecutive counters, so a block's cards depend on
its first counter alone. blackjack_kernels says what the arrays hold.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from riverboat.random_kernels import GOLDEN, mix

__all__ = ["LANES", "Setup", "deal_row", "draw", "fill", "unfinished"]

Cards: TypeAlias = NDArray[np.uint8]
Codes: TypeAlias = NDArray[np.uint16]
Words: TypeAlias = NDArray[np.uint32]
Wide: TypeAlias = NDArray[np.uint64]
Counts: TypeAlias = NDArray[np.int64]
Number: TypeAlias = Any
"""A uint64; to mypy, range() counts in ints."""

U = np.uint64
LANES = U(128)
"""The most tables of a block."""

# Where the rows of `on` begin. WHERE is the index into `bins`, cards dealt times W plus count.
DEALT, WHERE, START, START_WHERE, UP, HOLE, HOUSE, BIN, INSURED, LIVE, CODE, OUTCOME, QUEUE = (
    LANES * U(row) for row in range(13)
)
FIELDS = U(13)
"""After these come each seat's first card and then each seat's second."""

_ZERO, _ONE, _TWO, _S32 = U(0), U(1), U(2), U(32)


class Setup(NamedTuple):
    """The numbers of a run."""

    size: np.uint64
    """N."""
    step: np.uint64
    """1, or 0 for the infinite deck, whose 13 cards stay."""
    cut: np.uint64
    """A shoe is shuffled before a round once this many cards are out."""
    first_count: np.uint64
    """The running count of a fresh shoe, as an index below W."""
    width: np.uint64
    """W."""
    mask: np.uint64
    """2**32 - 1, or 0 for shoes dealt in the order they are in."""
    seats: np.uint64
    seat: np.uint64
    """Which seat is the player's."""
    natural: np.uint64
    """The dealer's code of a natural."""
    unplayed: np.uint64
    """The class that stands for a dealer who need not draw."""
    peek: bool
    """There is a hole card and the dealer looks at it."""
    whole: bool
    """Every table plays on to the end of its shoe; never so with the infinite deck."""


@njit(cache=True)
def fill(words: Words, num: Number, counter: Number, mask: Number) -> Number:
    """Write at least `num` words from `counter` on; the next unused counter."""
    pairs = (num + _ONE) >> _ONE
    for i in range(pairs):
        word = mix(counter + GOLDEN * i)
        words[_TWO * i] = np.uint32(word & mask)
        words[_TWO * i + _ONE] = np.uint32((word >> _S32) & mask)
    return counter + GOLDEN * pairs


@njit(cache=True)
def _take(cards: Cards, base: Number, dealt: Number, size: Number, word: Number) -> Number:
    """Swap a random undealt card to the front of the undealt ones and return its rank."""
    here = base + dealt
    there = here + ((U(word) * (size - dealt)) >> _S32)
    rank = cards[there]
    cards[there] = cards[here]
    cards[here] = rank
    return U(rank)


@njit(cache=True)
def _reverse(cards: Cards, low: Number, high: Number) -> None:
    while low + _ONE < high:
        high -= _ONE
        cards[low], cards[high] = cards[high], cards[low]
        low += _ONE


@njit(cache=True)
def _refill(setup: Setup, cards: Cards, on: Words, t: Number) -> None:
    """The shoe ran out in a round: the discards are shuffled and dealt, what lies stays.

    Where there are no discards, the round took the whole shoe and all of it is shuffled.
    """
    size, start = setup.size, U(on[START + t])
    _reverse(cards, t * size, t * size + start)
    _reverse(cards, t * size + start, (t + _ONE) * size)
    _reverse(cards, t * size, (t + _ONE) * size)
    dealt = size - start if start > _ZERO else _ZERO
    seen = U(on[WHERE + t]) - U(on[START_WHERE + t]) - (size - start) * setup.width
    on[DEALT + t], on[START + t] = dealt, _ZERO
    on[WHERE + t] = dealt * setup.width + setup.first_count + seen
    on[START_WHERE + t] = setup.first_count


@njit(cache=True)
def draw(setup: Setup, ranks: Wide, cards: Cards, on: Words, t: Number, word: Number) -> Number:
    """The next card of a table, face up."""
    if on[DEALT + t] >= setup.size:
        _refill(setup, cards, on, t)
    dealt = U(on[DEALT + t])
    rank = _take(cards, t * setup.size, dealt, setup.size, word)
    on[DEALT + t] = dealt + setup.step
    on[WHERE + t] += ranks[rank]
    return rank


@njit(cache=True)
def unfinished(setup: Setup, cards: Cards, on: Words, tables: Number) -> Number:
    """Move the tables whose shoe is not at the cut card to the front; how many those are."""
    t = _ZERO
    while t < tables:
        if on[DEALT + t] < setup.cut:
            t += _ONE
            continue
        tables -= _ONE
        on[DEALT + t], on[WHERE + t] = on[DEALT + tables], on[WHERE + tables]
        for i in range(setup.size):
            cards[t * setup.size + i] = cards[tables * setup.size + i]
    return tables


@njit(cache=True)
def deal_row(
    setup: Setup,
    moves: Wide,
    cards: Cards,
    on: Words,
    words: Words,
    tables: Number,
    row: Number,
) -> None:
    """A card for every table, written into `row` of `on`; words are taken from the front."""
    size, step = setup.size, setup.step
    for t in range(tables):
        dealt = U(on[DEALT + t])
        rank = _take(cards, t * size, dealt, size, words[t])
        on[DEALT + t] = dealt + step
        on[WHERE + t] += moves[rank]
        on[row + t] = rank
