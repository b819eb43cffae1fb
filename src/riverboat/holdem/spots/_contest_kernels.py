"""What a hand wins at an end of the betting, against two ranges: prefix sums by strength and card.

Let h = {a, b} be a hand of the learner, and X and Y weights of the two opponents' hands. The weight
of all pairs of opponents' hands that share no card with h or with each other is, with all sums over
hands without a and b (inclusion and exclusion),

    D(X, Y) = S(X) · S(Y) − Σ_c C(X, c) · C(Y, c) + Σ_i X(i) · Y(i)

where S is the sum of all weights and C(·, c) that of the hands with card c: a pair that shares one
card was counted once too often, and a pair of equal hands, which shares two cards, twice.

At a showdown X holds the reach of the weaker hands, and half that of hands of equal strength: D is
bilinear, so this counts a tie with one opponent as half a win. A tie of all three would count as a
quarter instead of a third: D(E, E) / 12 is added, E the hands of equal strength. Hands are added to
X and Y in order of strength, so an end costs O(hands · cards).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from riverboat.runtime.array_types import F32, F64, I16, I64
from riverboat.runtime.compiled import njit

ROW = 64  # Lanes of a row of cards: 52, padded


class HandSide(NamedTuple):
    """One player's hands on all boards; H hands, P the padded number."""

    weights: F32  # (P,) zero beyond H
    cards: I64  # (2 P,) the low and the high card of each hand
    renamed: I64  # (renamings, P)
    canonical: I64  # (stabilisers, P)
    order: I16  # (river boards, H) hands by strength, weakest first, then blocked ones
    ranks: I16  # (river boards, H) the strengths of `order`
    num_valid: I64  # (river boards,) hands that the board does not block


class PairSums(NamedTuple):
    """Weights X and Y of two opponents, summed by card and by pair of cards."""

    by_card_x: F32  # (ROW,)
    by_pair_x: F32  # (52 · ROW,) symmetric: X of the hand with these two cards
    by_card_y: F32
    by_pair_y: F32
    shared: F64  # (52,) Σ X · Y over the hands with this card
    totals: F64  # (3,) S(X), S(Y), Σ X · Y


class EndScratch(NamedTuple):
    """Working memory of one thread."""

    beaten: PairSums
    level: PairSums
    """All zero between two groups of equal hands."""


@njit(cache=True, nogil=True)
def clear_sums(sums: PairSums) -> None:
    """Set everything to zero."""
    sums.by_card_x[:] = 0
    sums.by_pair_x[:] = 0
    sums.by_card_y[:] = 0
    sums.by_pair_y[:] = 0
    sums.shared[:] = 0
    sums.totals[:] = 0


@njit(cache=True, nogil=True)
def add_x(sums: PairSums, cards: I64, hand: int, weight: np.float32) -> None:
    """Add a weight to X of one hand."""
    low, high = np.uint64(cards[2 * hand]), np.uint64(cards[2 * hand + 1])
    one, two = low * np.uint64(ROW) + high, high * np.uint64(ROW) + low
    sums.by_card_x[low] += weight
    sums.by_card_x[high] += weight
    sums.by_pair_x[one] += weight
    sums.by_pair_x[two] += weight
    sums.totals[0] += weight
    both = np.float64(weight) * sums.by_pair_y[one]
    sums.shared[low] += both
    sums.shared[high] += both
    sums.totals[2] += both


@njit(cache=True, nogil=True)
def add_y(sums: PairSums, cards: I64, hand: int, weight: np.float32) -> None:
    """Add a weight to Y of one hand."""
    low, high = np.uint64(cards[2 * hand]), np.uint64(cards[2 * hand + 1])
    one, two = low * np.uint64(ROW) + high, high * np.uint64(ROW) + low
    sums.by_card_y[low] += weight
    sums.by_card_y[high] += weight
    sums.by_pair_y[one] += weight
    sums.by_pair_y[two] += weight
    sums.totals[1] += weight
    both = np.float64(weight) * sums.by_pair_x[one]
    sums.shared[low] += both
    sums.shared[high] += both
    sums.totals[2] += both


@njit(cache=True, nogil=True)
def forget(sums: PairSums, cards: I64, hand: int) -> None:
    """Set to zero what a hand was added to; clearing everything would cost more than the group."""
    low, high = np.uint64(cards[2 * hand]), np.uint64(cards[2 * hand + 1])
    one, two = low * np.uint64(ROW) + high, high * np.uint64(ROW) + low
    sums.by_card_x[low] = sums.by_card_x[high] = 0
    sums.by_pair_x[one] = sums.by_pair_x[two] = 0
    sums.by_card_y[low] = sums.by_card_y[high] = 0
    sums.by_pair_y[one] = sums.by_pair_y[two] = 0
    sums.shared[low] = sums.shared[high] = 0


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})
def meeting_weight(sums: PairSums, a: np.uint64, b: np.uint64) -> np.float32:
    """D(X, Y) for a hand of cards a and b."""
    card_x, pair_x, card_y, pair_y = (
        sums.by_card_x, sums.by_pair_x, sums.by_card_y, sums.by_pair_y,
    )  # fmt: skip
    first, second = a * np.uint64(ROW), b * np.uint64(ROW)
    crossed = np.float32(0.0)
    for lane in range(ROW):
        c = np.uint64(lane)
        x = card_x[c] - pair_x[first + c] - pair_x[second + c]
        y = card_y[c] - pair_y[first + c] - pair_y[second + c]
        crossed += x * y
    own_x, own_y = pair_x[first + b], pair_y[first + b]
    # The sum over cards leaves out a and b.
    crossed -= (card_x[a] - own_x) * (card_y[a] - own_y)
    crossed -= (card_x[b] - own_x) * (card_y[b] - own_y)
    left_x = sums.totals[0] - card_x[a] - card_x[b] + own_x
    left_y = sums.totals[1] - card_y[a] - card_y[b] + own_y
    same = sums.totals[2] - sums.shared[a] - sums.shared[b] + np.float64(own_x) * own_y
    return np.float32(left_x * left_y - crossed + same)


@njit(cache=True, nogil=True)
def all_meetings(
    mine: HandSide,
    one: HandSide,
    two: HandSide,
    reach_x: F32,
    reach_y: F32,
    scratch: EndScratch,
    out: F32,
) -> None:
    """(P,) into `out`: for each hand the weight of all pairs of opponents' hands that it can meet.

    `reach_x` and `reach_y` are zero for hands that the board blocks; the caller ignores the
    learner's own blocked hands.
    """
    sums = scratch.beaten
    clear_sums(sums)
    for hand in range(one.order.shape[1]):
        if reach_x[hand] != 0:
            add_x(sums, one.cards, hand, reach_x[hand])
    for hand in range(two.order.shape[1]):
        if reach_y[hand] != 0:
            add_y(sums, two.cards, hand, reach_y[hand])
    num_hands = mine.order.shape[1]
    for hand in range(num_hands):
        a, b = np.uint64(mine.cards[2 * hand]), np.uint64(mine.cards[2 * hand + 1])
        out[hand] = meeting_weight(sums, a, b)
    out[num_hands:] = 0


@njit(cache=True, nogil=True)
def contest(
    mine: HandSide,
    one: HandSide,
    two: HandSide,
    board: int,
    reach_x: F32,
    reach_y: F32,
    pots: F32,
    scratch: EndScratch,
    out: F32,
) -> None:
    """(P,) into `out`: what each hand wins at a showdown, times the weight of the others' hands.

    `pots` (4,) are the chips for which the learner contends with both opponents, with the first
    alone, with the second alone, and with nobody.
    """
    out[:] = 0
    if pots[0] != 0 or pots[1] != 0:
        # X counts beaten hands of the first, Y all hands of the second (the pot that they do not
        # contend for) and the beaten ones (the pot that they do).
        sweep(
            mine, one, two, board, reach_x, reach_y, True, pots[1], pots[0], scratch, out
        )  # fmt: skip
    if pots[2] != 0 or pots[3] != 0:
        sweep(
            mine, one, two, board, reach_x, reach_y, False, pots[3], pots[2], scratch, out
        )  # fmt: skip


@njit(cache=True, nogil=True)
def sweep(
    mine: HandSide,
    one: HandSide,
    two: HandSide,
    board: int,
    reach_x: F32,
    reach_y: F32,
    beats_x: bool,
    all_y: np.float32,
    beaten_y: np.float32,
    scratch: EndScratch,
    out: F32,
) -> None:
    """Add D(X, Y) to `out`, hands in order of strength.

    X is the reach of beaten hands (`beats_x`) or of all; Y is `all_y` times the reach of all hands
    plus `beaten_y` times that of beaten ones.
    """
    sums, level = scratch.beaten, scratch.level
    clear_sums(sums)
    half, full = np.float32(0.5), np.float32(1.0)
    num_x, num_y = one.num_valid[board], two.num_valid[board]
    if not beats_x:
        for hand in range(one.order.shape[1]):
            if reach_x[hand] != 0:
                add_x(sums, one.cards, hand, reach_x[hand])
    if all_y != 0:
        for hand in range(two.order.shape[1]):
            if reach_y[hand] != 0:
                add_y(sums, two.cards, hand, all_y * reach_y[hand])
    low_x = high_x = low_y = high_y = 0
    at, num_hands = 0, mine.num_valid[board]
    while at < num_hands:
        rank = mine.ranks[board, at]
        end = at
        while end < num_hands and mine.ranks[board, end] == rank:
            end += 1
        if beats_x:
            while low_x < num_x and one.ranks[board, low_x] < rank:
                hand = one.order[board, low_x]
                # What was level with the hands before has its half already.
                add_x(sums, one.cards, hand, reach_x[hand] * (half if low_x < high_x else full))
                low_x += 1
            high_x = max(high_x, low_x)
            while high_x < num_x and one.ranks[board, high_x] == rank:
                hand = one.order[board, high_x]
                add_x(sums, one.cards, hand, half * reach_x[hand])
                high_x += 1
        if beaten_y != 0:
            while low_y < num_y and two.ranks[board, low_y] < rank:
                hand = two.order[board, low_y]
                share = half if low_y < high_y else full
                add_y(sums, two.cards, hand, beaten_y * share * reach_y[hand])
                low_y += 1
            high_y = max(high_y, low_y)
            while high_y < num_y and two.ranks[board, high_y] == rank:
                hand = two.order[board, high_y]
                add_y(sums, two.cards, hand, beaten_y * half * reach_y[hand])
                high_y += 1
        ties = beats_x and beaten_y != 0 and low_x < high_x and low_y < high_y
        if ties:
            for entry in range(low_x, high_x):
                hand = one.order[board, entry]
                add_x(level, one.cards, hand, reach_x[hand])
            for entry in range(low_y, high_y):
                hand = two.order[board, entry]
                add_y(level, two.cards, hand, beaten_y * reach_y[hand] / np.float32(12.0))
        for entry in range(at, end):
            hand = mine.order[board, entry]
            a, b = np.uint64(mine.cards[2 * hand]), np.uint64(mine.cards[2 * hand + 1])
            out[hand] += meeting_weight(sums, a, b)
            if ties:
                out[hand] += meeting_weight(level, a, b)
        if ties:
            for entry in range(low_x, high_x):
                forget(level, one.cards, one.order[board, entry])
            for entry in range(low_y, high_y):
                forget(level, two.cards, two.order[board, entry])
            level.totals[:] = 0
        at = end
