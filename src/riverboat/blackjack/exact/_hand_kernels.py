"""Kernels of the exact blackjack analysis: what standing and playing on are worth to every hand.

Shapes: H hands (HandTable), L lanes (hands whose dealer outcomes are wanted). `Hands` says what the
hands are, `Unseen` which cards they come from, `Trie` how the dealer can end.

Every value is an expectation over the cards still unknown, the hole card among them; where the
dealer peeks, an outcome with a dealer's natural counts 0. Draws then need no conditioning: the
factor P(no natural | cards) is inside the values, the same for all actions of a hand.

The last kernels weigh every cell of a chart. A hand never returns to the same total, hard or soft,
so the value of a chart is linear in each single cell: the value of another answer there is a sum
over the hands that reach the cell, of how often they do times the value of the answer to them. R is
the number of removals, the pair cards that may be gone when a split hand is played.
"""

from __future__ import annotations

import numpy as np

from riverboat.blackjack.exact.dealer_kernels import dealer_outcomes
from riverboat.blackjack.exact.forms import (
    CATEGORIES,
    CHARLIE,
    DOUBLE,
    HIT,
    OBEY,
    OBEY_AND_PRICE,
    OPTIMISE,
    STAND,
    Hands,
    Trie,
    Unseen,
)
from riverboat.runtime.array_types import F64, I8, I64, Bools
from riverboat.runtime.compiled import njit


@njit(cache=True)
def stand_values(lanes: I64, hands: Hands, unseen: Unseen, outcomes: F64, stand: F64) -> None:
    """Write into stand (H,) the value of standing for the lanes, from outcomes (6, L)."""
    counts, rank, base, unit = hands.counts, hands.rank, unseen.base, unseen.unit
    hole, total = unseen.hole, unseen.base.sum()
    for i in range(lanes.size):
        h = lanes[i]
        natural = 0.0
        if hole >= 0:
            num_left = total
            for c in range(10):
                num_left -= unit * counts[h, c]
            # A hand as large as the shoe is never dealt; it only must not divide by zero.
            natural = (base[hole] - unit * counts[h, hole]) / max(num_left, 1e-9)
        if rank[h] > CHARLIE:
            stand[h] = unseen.natural_pays * (1.0 - natural)
            continue
        value = 1.0 - natural
        for k in range(CATEGORIES):
            if k == rank[h]:
                value -= outcomes[k, i]
            elif k > rank[h]:
                value -= 2.0 * outcomes[k, i]
        stand[h] = value + unseen.natural_costs * natural


@njit(cache=True)
def play_hands(
    subset: I64,
    hands: Hands,
    unseen: Unseen,
    mode: int,
    stand: F64,
    action: I8,
    value: F64,
    hit: F64,
    double: F64,
) -> None:
    """Work the hands of subset (ascending numbers) backwards from stand (H,).

    action (H,) is chosen and written, or obeyed, by `mode`. Writes value (H,), and hit and double
    (H,) where they were looked at.
    """
    child, counts, base, unit = hands.child, hands.counts, unseen.base, unseen.unit
    hole, total = unseen.hole, unseen.base.sum()
    lost = 1.0 + unseen.natural_costs
    for i in range(subset.size - 1, -1, -1):
        h = subset[i]
        if hands.final[h] or (mode == OBEY and action[h] == STAND):
            action[h] = STAND
            value[h] = stand[h]
            continue
        num_left = total
        for c in range(10):
            num_left -= unit * counts[h, c]
        drawn = 0.0
        doubled = 0.0
        for c in range(10):
            count = base[c] - unit * counts[h, c]
            if count <= 0.0:
                continue
            next_hand = child[h, c]
            if next_hand >= 0:
                drawn += count * value[next_hand]
                doubled += count * stand[next_hand]
                continue
            bust = -1.0
            if hole >= 0:
                tens = base[hole] - unit * counts[h, hole] - (unit if c == hole else 0.0)
                bust += lost * tens / max(num_left - unit, 1e-9)
            drawn += count * bust
            doubled += count * bust
        num_left = max(num_left, 1e-9)
        hit[h] = drawn / num_left
        double[h] = 2.0 * doubled / num_left
        if mode == OPTIMISE:
            action[h] = HIT if hit[h] > stand[h] else STAND
            if hands.doublable[h] and double[h] > max(hit[h], stand[h]):
                action[h] = DOUBLE
        if action[h] == DOUBLE:
            value[h] = double[h]
        else:
            value[h] = hit[h] if action[h] == HIT else stand[h]


@njit(cache=True)
def mark_reached(pair: int, hands: Hands, action: I8, optimise: bool, marks: I8) -> None:
    """Mark in marks (H,) the hands a split hand can become: 1 reached, 2 may stand, 3 both.

    The hand starts as one card of the pair and one more; action (H,) is its strategy unless
    `optimise` leaves it open.
    """
    child, final = hands.child, hands.final
    marks[:] = 0
    first = child[0, pair]
    for c in range(10):
        marks[child[first, c]] = 1
    for h in range(1, marks.size):
        if not marks[h] & 1:
            continue
        if optimise or final[h] or action[h] == STAND:
            marks[h] |= 2
        if final[h] or not (optimise or action[h] != STAND):
            continue
        for c in range(10):
            if child[h, c] >= 0:
                if optimise or action[h] == HIT:
                    marks[child[h, c]] |= 1
                if optimise or action[h] == DOUBLE:
                    marks[child[h, c]] |= 2


@njit(cache=True)
def play_split(
    pair: int, hands: Hands, unseen: Unseen, trie: Trie, reoptimise: int, action: I8, result: F64
) -> None:
    """Write into result (2, removals) the values of a split hand with k more pair cards gone.

    Row 0: the hand is one pair card and one unknown card; row 1: it is the pair itself, not split
    further. `unseen` lacks the other card of the pair; action (H,) is the strategy, optimised
    anew for k < reoptimise and kept from there on.
    """
    num_hands = hands.child.shape[0]
    marks = np.zeros(num_hands, np.int8)
    stand = np.zeros(num_hands)
    value = np.zeros(num_hands)
    hit = np.zeros(num_hands)
    double = np.zeros(num_hands)
    cards_left = unseen.base.copy()
    unit = unseen.unit
    now = Unseen(cards_left, unit, unseen.hole, unseen.natural_pays, unseen.natural_costs)
    first = hands.child[0, pair]
    for k in range(result.shape[1]):
        if k > 0:
            cards_left[pair] -= unit
        optimise = k < reoptimise
        if k == 0 or k == reoptimise:
            mark_reached(pair, hands, action, optimise, marks)
            subset = np.nonzero(marks & 1)[0]
            lanes = np.nonzero(marks & 2)[0]
            outcomes = np.zeros((CATEGORIES, lanes.size))
        dealer_outcomes(lanes, hands.counts, now, trie, outcomes)
        stand_values(lanes, hands, now, outcomes, stand)
        mode = OPTIMISE if optimise else OBEY
        play_hands(subset, hands, now, mode, stand, action, value, hit, double)
        total = cards_left.sum() - unit
        expected = 0.0
        for c in range(10):
            count = cards_left[c] - (unit if c == pair else 0.0)
            if count > 0.0:
                expected += count / total * value[hands.child[first, c]]
        result[0, k] = expected
        result[1, k] = value[hands.child[first, pair]]


REACHED, VALUED = 1, 2


@njit(cache=True)
def reach(subset: I64, hands: Hands, unseen: Unseen, action: I8, weight: F64) -> None:
    """Carry weight (H,) on from each hand of subset (ascending) that hits to the hands that follow.

    A hand that doubles or stands keeps its weight and passes none on.
    """
    base, unit, total = unseen.base, unseen.unit, unseen.base.sum()
    for h in subset:
        if action[h] != HIT or hands.final[h] or weight[h] == 0.0:
            continue
        num_left = total
        for c in range(10):
            num_left -= unit * hands.counts[h, c]
        for c in range(10):
            count = base[c] - unit * hands.counts[h, c]
            if count > 0.0 and hands.child[h, c] >= 0:
                weight[hands.child[h, c]] += weight[h] * count / num_left


@njit(cache=True)
def _mark(pair: int, hands: Hands, action: I8, weighed: bool, marks: I8) -> None:
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
    action: I8,
    weights: F64,
    stand: F64,
    known: Bools,
    lines: F64,
    sums: F64,
) -> None:
    """Price a split hand under a chart, and weigh the chart's cells on the way.

    `unseen` lacks the other card of the pair; action (H,) is the chart's. Writes into lines (2, R)
    what play_split does. Where weights (2, R), how often each line counts, are not
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
    cards_left, unit = unseen.base.copy(), unseen.unit
    now = Unseen(cards_left, unit, unseen.hole, unseen.natural_pays, unseen.natural_costs)
    first = hands.child[0, pair]
    for k in range(lines.shape[1]):
        if k > 0:
            cards_left[pair] -= unit
        if lanes.size:
            dealer_outcomes(lanes, hands.counts, now, trie, outcomes)
            stand_values(lanes, hands, now, outcomes, stand[k])
        play_hands(subset, hands, now, OBEY_AND_PRICE, stand[k], action, value, hit, double)
        weight[:] = 0.0
        total = cards_left.sum() - unit
        lines[0, k] = 0.0
        for c in range(10):
            count = cards_left[c] - (unit if c == pair else 0.0)
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
