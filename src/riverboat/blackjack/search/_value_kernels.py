"""Kernels of the search's values: what actions, nodes and splits are worth so far.

The value of an action is what its simulations came to, or, by expectation, what the cards that
may follow are worth: each child's value by its probability. Few arrays are handed on at a time,
since a call counts the references of each.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from riverboat.blackjack.exact.forms import HIT, SPLIT
from riverboat.blackjack.search._node_kernels import (
    BUSTS,
    DOUBLE_CHANCE,
    DOUBLE_SUM,
    DRAWS,
    EV,
    EXPLORE,
    HIT_CHANCE,
    HIT_SUM,
    KNOWN,
    KNOWN_MEAN,
    LOSSES,
    NOT_LOST,
    NUM_ACTIONS,
    PAIR,
    PAYS,
    RETURNS,
    SQUARES,
    SUM,
    UNTRIED,
    VALUE,
    VISITS,
    WIN,
    WINS,
    Number,
    Problem,
    Tree,
    touch,
)
from riverboat.runtime.array_types import F64, I64
from riverboat.runtime.compiled import njit

Result: TypeAlias = tuple[float, float, float, float, float]
"""Reward, expected reward, and weighted wins, draws and losses."""

AVERAGE, BELLMAN = 0, 1  # Backup rules
ENDLESS = 1e18  # Cards of a rank in an infinite deck
SPLIT_STEP = 16.0  # Simulations of a split between two looks at its value, after the first few


@njit(cache=True)
def estimate(stats: F64, node: Number, a: Number) -> float:
    """The value of an action at a node: what was searched, blended with what was remembered."""
    known: float = stats[node, a, KNOWN]
    searched: float = stats[node, a, VALUE]
    if known == 0.0:
        return searched
    n: float = stats[node, a, VISITS]
    remembered: float = stats[node, a, KNOWN_MEAN]
    return (known * remembered + n * searched) / (known + n)


@njit(cache=True)
def best_value(stats: F64, node: Number, legal: Number) -> float:
    """The best action's value, or −1e300 while an action is untried."""
    best = -1e300
    for a in range(np.uint64(NUM_ACTIONS)):
        if (legal >> a) & np.uint64(1):
            if stats[node, a, EXPLORE] == UNTRIED:
                return -1e300
            best = max(best, estimate(stats, node, a))
    return best


@njit(cache=True)
def record(
    stats: F64, node: Number, a: Number, reward: float, wins: float, draws: float, losses: float
) -> None:
    """Count a result for an action."""
    n = stats[node, a, VISITS] + 1.0
    stats[node, a, VISITS] = n
    stats[node, a, SUM] += reward
    stats[node, a, SQUARES] += reward * reward
    stats[node, a, WINS] += wins
    stats[node, a, DRAWS] += draws
    stats[node, a, LOSSES] += losses
    stats[node, a, EXPLORE] = 1.0 / np.sqrt(n + stats[node, a, KNOWN])


@njit(cache=True)
def back_up(
    chance: F64,
    sums: F64,
    child_values: F64,
    counted: I64,
    node: Number,
    card: Number,
    value: float,
) -> None:
    """Put a child's value into the expectation over the cards at a node."""
    p = chance[node, card]
    bit = np.int64(1) << np.int64(card)
    if not counted[node] & bit:
        counted[node] |= bit
        sums[node, HIT_CHANCE] += p
        sums[node, HIT_SUM] += p * value
    else:
        sums[node, HIT_SUM] += p * (value - child_values[node, card])
    child_values[node, card] = value


@njit(cache=True)
def expectation(sums: F64, node: Number, column: int) -> float:
    """The expectation over the next card: busts exactly, other cards by those visited."""
    bust: float = sums[node, BUSTS]
    known: float = sums[node, column + 1]
    total: float = sums[node, column]
    if known <= 0.0:
        return -bust
    return (1.0 - bust) * total / known - bust


@njit(cache=True)
def double_value(
    chance: F64, sums: F64, counted: I64, node: Number, card: Number, ev: float
) -> float:
    """The value of doubling after a card that makes standing `ev`, or none (card < 0)."""
    bit = np.int64(1) << np.int64(16 + card)
    if card >= 0 and not counted[node] & bit:
        counted[node] |= bit
        sums[node, DOUBLE_CHANCE] += chance[node, card]
        sums[node, DOUBLE_SUM] += chance[node, card] * ev
    return 2.0 * expectation(sums, node, DOUBLE_SUM)


@njit(cache=True)
def split_value(starts: I64, chance: F64, sums: F64, sequences: F64, pair_left: float) -> float:
    """The value of splitting from the values of its hands, starts (resplits + 2,) from index 1.

    Cards are exchangeable, so every hand of a split expects the same from the cards not seen and
    only the second cards decide how many hands there are, summed over sequences (W, 4) by inclusion
    and exclusion as in exact.splits. `pair_left` cards would pair. What was not visited yet, or has
    more pair cards gone than the tree has contexts for, takes the nearest value known.
    """
    last, known = starts.size - 1, 1
    for k in range(1, last + 1):
        if sums[starts[k], HIT_CHANCE] > 0.0:
            known = k
    terms = 2 * last + 1
    whole, other = np.zeros(terms), np.zeros(terms)
    any_card = expectation(sums, starts[known], HIT_SUM)
    drawn = 1.0
    for k in range(terms):
        again = chance[starts[1], PAIR] * max(0.0, pair_left - k) / max(pair_left, 1.0)
        if k + 1 < last:
            again = chance[starts[k + 1], PAIR]
        whole[k] = drawn * any_card
        not_again = expectation(sums, starts[max(1, min(k + 1, last - 1, known))], HIT_SUM)
        other[k] = drawn * (1.0 - again) * not_again
        drawn *= again
    value = 0.0
    for w in range(sequences.shape[0]):
        pairs, others = np.int64(sequences[w, 0]), np.int64(sequences[w, 1])
        sign, choose, choose_less = 1.0, 1.0, 1.0
        for i in range(others + 1):
            value += sign * sequences[w, 3] * sequences[w, 2] * choose * whole[pairs + i]
            if i < others:
                value += sign * sequences[w, 3] * others * choose_less * other[pairs + i]
                choose_less *= (others - 1.0 - i) / (i + 1.0)
            choose *= (others - i) / (i + 1.0)
            sign = -sign
    return value


@njit(cache=True, inline="always")
def stand_result(outcome: F64, end: Number, stake: float, u: float) -> Result:
    """Reward, expected reward and weighted counts of standing at `end`, drawn by u of [0, 1)."""
    expected = stake * outcome[end, EV]
    if u < outcome[end, WIN]:
        return stake * outcome[end, PAYS], expected, stake, 0.0, 0.0
    if u < outcome[end, NOT_LOST]:
        return 0.0, expected, 0.0, 1.0, 0.0
    return -stake, expected, 0.0, 0.0, stake


@njit(cache=True, inline="always")
def expand(
    stats: F64, sums: F64, visits: F64, value: F64, node: Number, legal: Number, backed_up: float
) -> None:
    """Add a node to the tree with the first simulation that reached it."""
    visits[node] = 1.0
    sums[node, RETURNS] = backed_up
    value[node] = backed_up
    best = best_value(stats, node, legal)
    if best > -1e300:
        value[node] = best


@njit(cache=True, inline="always")
def updated_split(
    stats: F64,
    sums: F64,
    chance: F64,
    starts: I64,
    sequences: F64,
    pair_left: float,
    root: Number,
    backup: int,
    split_ev: float,
) -> tuple[float, float]:
    """The value of splitting after one more simulation of it, and what is to be kept of that."""
    n = stats[root, SPLIT, VISITS]
    if backup != BELLMAN:
        return stats[root, SPLIT, SUM] / n, split_ev
    if n < 4.0 * SPLIT_STEP or n % SPLIT_STEP == 0.0 or split_ev == 0.0:
        split_ev = split_value(starts, chance, sums, sequences, pair_left)
    return split_ev, split_ev


@njit(cache=True)
def refresh(problem: Problem, tree: Tree) -> None:
    """Renew every value by expectation once, children first.

    A node that is reached by several orders of its cards is renewed where a simulation came from;
    this lets the other parents know.
    """
    stats = tree.stats
    for position in range(tree.node_at.size - 1, -1, -1):
        if tree.node_at[position] < 0:
            continue
        node = np.uint64(tree.node_at[position])
        for c in range(10):
            if (tree.counted[node] >> c) & 1:
                value = tree.value[np.uint64(tree.children[node, c])]
                back_up(tree.chance, tree.sums, tree.child_values, tree.counted, node, c, value)
        if stats[node, HIT, VISITS] > 0.0:
            stats[node, HIT, VALUE] = expectation(tree.sums, node, HIT_SUM)
        best = best_value(stats, node, np.uint64(tree.legal[node]))
        if best > -1e300 and tree.visits[node] > 0.0:
            tree.value[node] = best
    root = touch(problem, tree, np.int64(0), problem.root)
    if stats[root, SPLIT, VISITS] > 0.0:
        starts = np.zeros(problem.resplits + 2, np.int64)
        for k in range(1, problem.resplits + 2):
            start = np.int64(problem.child[0, problem.pair])
            starts[k] = touch(problem, tree, np.int64(k), start)
        pair_left = problem.pair_left if problem.unit > 0.0 else ENDLESS
        stats[root, SPLIT, VALUE] = split_value(
            starts, tree.chance, tree.sums, problem.split_sequences, pair_left
        )
