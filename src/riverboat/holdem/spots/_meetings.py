"""How often a hand meets hands of the others: their weight, less that of hands with its cards."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from riverboat.cards.combos import COMBO_CARDS
from riverboat.holdem.spots._subset_tables import every_subset, ordered_subsets, subset_starts
from riverboat.runtime.array_types import F64, I64, Bools


def meetings_with(others: Sequence[F64], hands: I64, hole_cards: int = 2) -> F64:
    """(H,) for each hand, the weight of all hands (N,) of one or two others it can meet."""
    if len(others) == 1:
        return meeting_weights(others[0], hands, hole_cards)
    one, two = others
    return pair_meetings(one, two, hands)


def meets_some(met: F64, num_players: int) -> Bools:
    """(H,) whether the weight that each hand meets is more than a rest of rounding."""
    # Differences of sums leave a rest of rounding where no hand, or no pair of hands, is met.
    smallest = 1e-12 if num_players == 2 else 1e-9
    return np.asarray(met > smallest * max(1.0, float(met.max(initial=0.0))))


def meeting_weights(theirs: F64, hands: I64, hole_cards: int = 2) -> F64:
    """(H,) for each hand, the weight of the opponent's hands (N,) that it can meet.

    By inclusion and exclusion over the subsets of its cards; of k cards all hands have numbers.
    """
    subsets = every_subset(hole_cards)
    live = np.flatnonzero(theirs)
    total = np.zeros(subset_starts(hole_cards)[-1])
    for column in subsets[live].T:
        total += np.bincount(column, theirs[live], len(total))
    own = total[subsets[hands]]
    signs = [(-1.0) ** len(places) for places in ordered_subsets(hole_cards)]
    return np.asarray(own @ np.array(signs) + (-1.0) ** hole_cards * theirs[hands])


def pair_meetings(one: F64, two: F64, combos: I64) -> F64:
    """(H,) for each combo, the weight of all pairs of two opponents' hands (1326,) it can meet.

    The formula of `contest_kernels` in float64, with matrices of cards.
    """
    cards = COMBO_CARDS.astype(np.int64)
    pairs = np.zeros((2, 52, 52))
    for matrix, weights in zip(pairs, (one, two), strict=True):
        matrix[cards[:, 0], cards[:, 1]] = weights
        matrix[cards[:, 1], cards[:, 0]] = weights
    by_card, shared = pairs.sum(axis=2), (pairs[0] * pairs[1]).sum(axis=1)
    low, high = cards[combos].T
    hands = np.arange(len(combos))
    apart = by_card[:, None] - pairs[:, low] - pairs[:, high]
    apart[:, hands, low] = apart[:, hands, high] = 0.0
    own = pairs[:, low, high]
    totals = by_card.sum(axis=1)[:, None] / 2 - by_card[:, low] - by_card[:, high] + own
    same = shared.sum() / 2 - shared[low] - shared[high] + own[0] * own[1]
    met = totals[0] * totals[1] - (apart[0] * apart[1]).sum(axis=1) + same
    return np.asarray(np.maximum(met, 0.0))
