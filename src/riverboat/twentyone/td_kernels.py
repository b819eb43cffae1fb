"""Learners of twenty-one that carry values from one decision to the next; see learning_kernels."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from riverboat.twentyone.dealing_kernels import (
    BLOCK,
    DEALT,
    Rules,
    coin_word,
    deal_block,
    late_value,
    new_block,
    reward_of,
    signed,
)
from riverboat.twentyone.learning_kernels import Counts, Values

__all__ = ["q_learning_kernel", "sarsa_kernel"]

_U1, _U32 = np.uint64(1), np.uint64(32)


@njit(cache=True, forceinline=True)
def _epsilon_greedy(values: Values, counts: Counts, slot: int, coin: np.uint64) -> int:
    """The slot of an action: at random with probability 1 / √(1 + visits / 100), else greedy."""
    visits = counts[slot] + counts[slot + 1]
    u = np.float64(coin >> _U32) * 2.0**-32
    if u * u * (1.0 + 0.01 * visits) < 1.0:
        return slot + signed(coin & _U1)
    return slot if values[slot] > values[slot + 1] else slot + 1


@njit(cache=True, forceinline=True, error_model="numpy")
def _step_towards(values: Values, counts: Counts, slot: int, target: float) -> None:
    """Step size 2 / (visits + 1): an average in which the n-th target has weight n."""
    counts[slot] += 1
    values[slot] += (target - values[slot]) * (2.0 / (counts[slot] + 1))


@njit(cache=True, error_model="numpy")
def q_learning_kernel(
    key: np.uint64,
    games: NDArray[np.int64],
    until: int,
    loss: float,
    rules: Rules,
    values: Values,
    counts: Counts,
) -> None:
    """Q-learning (Watkins 1989): a hit is worth the better average of where it leads."""
    block = new_block()
    value = block.value
    for start in range(games[0], until, BLOCK):
        deal_block(key, start, rules, block)
        for g in range(min(BLOCK, until - start)):
            hand, up = int(block.hand[g]), signed(value[3, g])
            theirs, k = int(block.theirs[g]), int(block.drawn[g])
            coin = np.uint64(0)
            while hand >= 0:
                slot = 2 * (int(rules.row[hand]) + up)
                mine = int(rules.points[hand])
                taken = slot + 1
                if mine < 21:
                    word = coin_word(key, np.uint64(start + g), coin)
                    taken = _epsilon_greedy(values, counts, slot, word)
                    coin += _U1
                if taken != slot:
                    _step_towards(values, counts, taken, reward_of(mine, theirs, loss))
                    break
                card = signed(value[k, g]) if k < DEALT else late_value(key, start + g, k)
                hand = int(rules.after[hand * 10 + card])
                k += 1
                target = loss
                if hand >= 0:
                    following = 2 * (int(rules.row[hand]) + up)
                    target = values[following + 1]
                    if rules.points[hand] < 21:
                        target = max(target, values[following])
                _step_towards(values, counts, slot, target)
    games[0] = max(games[0], until)


@njit(cache=True, error_model="numpy")
def sarsa_kernel(
    key: np.uint64,
    games: NDArray[np.int64],
    until: int,
    loss: float,
    rules: Rules,
    values: Values,
    counts: Counts,
) -> None:
    """SARSA (Rummery & Niranjan 1994): a hit is worth the average of the action taken next."""
    block = new_block()
    value = block.value
    for start in range(games[0], until, BLOCK):
        deal_block(key, start, rules, block)
        for g in range(min(BLOCK, until - start)):
            hand, up = int(block.hand[g]), signed(value[3, g])
            theirs, k = int(block.theirs[g]), int(block.drawn[g])
            coin = np.uint64(0)
            before = -1
            while hand >= 0:
                slot = 2 * (int(rules.row[hand]) + up)
                mine = int(rules.points[hand])
                taken = slot + 1
                if mine < 21:
                    word = coin_word(key, np.uint64(start + g), coin)
                    taken = _epsilon_greedy(values, counts, slot, word)
                    coin += _U1
                if before >= 0:
                    _step_towards(values, counts, before, values[taken])
                if taken != slot:
                    _step_towards(values, counts, taken, reward_of(mine, theirs, loss))
                    break
                before = taken
                card = signed(value[k, g]) if k < DEALT else late_value(key, start + g, k)
                hand = int(rules.after[hand * 10 + card])
                k += 1
                if hand < 0:
                    _step_towards(values, counts, before, loss)
    games[0] = max(games[0], until)
