"""Kernels that weigh every cell of a chart: how often it decides, and what each answer is worth.

A hand never comes back to the same total, hard or soft, so what a chart is worth is linear in each
single cell: the value of another answer there is a sum over the hands that reach the cell, of how
often they do times what the answer is worth to them. Shapes as in exact_kernels; R is the number
of removals, the pair cards that may be gone when a split hand is played.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from riverboat.blackjack.exact.exact_forms import (
    CATEGORIES,
    DOUBLE,
    HIT,
    OBEY_AND_PRICE,
    STAND,
    Actions,
    Bools,
    Floats,
    Hands,
    Ints,
    Trie,
    Unseen,
)
from riverboat.blackjack.exact.exact_kernels import dealer_outcomes, play_hands, stand_values

__all__ = ["reach", "weigh_split"]

REACHED, VALUED = 1, 2


@njit(cache=True)
def reach(subset: Ints, hands: Hands, unseen: Unseen, action: Actions, weight: Floats) -> None:
    """Carry weight (H,) on from each hand of subset (ascending) that hits to the hands that follow.

    A hand that doubles or stands keeps its weight and passes none on.
    """
    base, unit, total = unseen.base, unseen.unit, unseen.base.sum()
    for h in subset:
        if action[h] != HIT or hands.final[h] or weight[h] == 0.0:
            continue
        left = total
        for c in range(10):
            left -= unit * hands.counts[h, c]
        for c in range(10):
            count = base[c] - unit * hands.counts[h, c]
            if count > 0.0 and hands.child[h, c] >= 0:
                weight[hands.child[h, c]] += weight[h] * count / left


@njit(cache=True)
def _mark(pair: int, hands: Hands, action: Actions, weighed: bool, marks: Actions) -> None:
    """Mark in marks (H,) the hands a split hand becomes, and those that its other answers lead to.

    REACHED by the chart; VALUED: reached, or where one other answer leads before the chart goes on.
    Without `weighed` other answers are left out.
    """
    marks[:] = 0
    first = hands.child[0, pair]
    for c in range(10):
        marks[hands.child[first, c]] = REACHED | VALUED
    for h in range(1, marks.size):
        if marks[h] == 0 or hands.final[h]:
            continue
        reached = marks[h] & REACHED
        passed_on = np.int8(VALUED | reached if action[h] == HIT else VALUED)
        if action[h] != STAND or (reached and weighed):
            for c in range(10):
                if hands.child[h, c] >= 0:
                    marks[hands.child[h, c]] |= passed_on


@njit(cache=True)
def weigh_split(
    pair: int,
    hands: Hands,
    unseen: Unseen,
    trie: Trie,
    action: Actions,
    weights: Floats,
    stand: Floats,
    known: Bools,
    lines: Floats,
    sums: Floats,
) -> None:
    """Price a split hand under a chart, and weigh the chart's cells on the way.

    `unseen` lacks the other card of the pair; action (H,) is the chart's. Writes into lines (2, R)
    what exact_kernels.play_split does. Where weights (2, R), how often each line counts, are not
    all zero, adds to sums (3, H) each hand's weight times the value of standing, hitting and
    doubling. stand (R, H) is kept from call to call; known (H,) says for which hands.
    """
    num_hands = action.size
    marks = np.zeros(num_hands, np.int8)
    _mark(pair, hands, action, bool(weights.any()), marks)
    subset = np.nonzero(marks)[0]
    lanes = np.nonzero((marks != 0) & ~known)[0]
    outcomes = np.zeros((CATEGORIES, lanes.size))
    known[lanes] = True
    value, hit, double = np.zeros(num_hands), np.zeros(num_hands), np.zeros(num_hands)
    weight = np.zeros(num_hands)
    left, unit = unseen.base.copy(), unseen.unit
    now = Unseen(left, unit, unseen.hole, unseen.natural_pays, unseen.natural_costs)
    first = hands.child[0, pair]
    for k in range(lines.shape[1]):
        if k > 0:
            left[pair] -= unit
        if lanes.size:
            dealer_outcomes(lanes, hands.counts, now, trie, outcomes)
            stand_values(lanes, hands, now, outcomes, stand[k])
        play_hands(subset, hands, now, OBEY_AND_PRICE, stand[k], action, value, hit, double)
        weight[:] = 0.0
        total = left.sum() - unit
        lines[0, k] = 0.0
        for c in range(10):
            count = left[c] - (unit if c == pair else 0.0)
            if count > 0.0:
                lines[0, k] += count / total * value[hands.child[first, c]]
                weight[hands.child[first, c]] = weights[0, k] * count / total
        lines[1, k] = value[hands.child[first, pair]]
        weight[hands.child[first, pair]] += weights[1, k]
        if weights[0, k] == 0.0 and weights[1, k] == 0.0:
            continue
        reach(subset, hands, now, action, weight)
        for h in subset:
            if weight[h] != 0.0:
                open_to_all = not hands.final[h]
                sums[STAND, h] += weight[h] * stand[k, h]
                sums[HIT, h] += weight[h] * (hit[h] if open_to_all else stand[k, h])
                sums[DOUBLE, h] += weight[h] * (double[h] if open_to_all else stand[k, h])
