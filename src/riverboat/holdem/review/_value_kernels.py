"""What each action is worth to one hand on one runout, against a range; both play a blueprint."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from riverboat.holdem.blueprints.betting_tree import (
    CHILD,
    COUNT,
    END,
    EVEN,
    IN_HAND,
    LEAF,
    LEAF_HEAD,
    NODE_WIDTH,
    OFFSET,
    POT,
    ROW,
)
from riverboat.runtime.array_types import F64, I8, I32, I64, U16, U32
from riverboat.runtime.compiled import njit


class Strategy(NamedTuple):
    """A blueprint's tree and its probabilities in parts."""

    nodes: U32  # (8N,)
    children: U32  # (E,)
    leaves: I32  # (T, 3 + P)
    starts: I64  # (P · S + 1,) in actions
    strides: I64  # (P · S,) in actions
    weights: U16


class RunoutHands(NamedTuple):
    """The cards as the kernel knows them: H hands of the opponent."""

    mine: U32  # (S,) buckets of the hand
    theirs: U32  # (S, H) buckets of the opponent's hands
    reach: F64  # (H,) their weights
    outcome: I8  # (H,) 1 where the hand beats them, 0 for a tie, -1 where it loses


@njit(cache=True, nogil=True)
def chance_of(strategy: Strategy, node: int, bucket: int, action: int) -> float:
    """The probability of an action at a node in a bucket."""
    row = strategy.nodes[node + ROW]
    count = strategy.nodes[node + COUNT]
    slot = (
        strategy.starts[row]
        + bucket * strategy.strides[row]
        + np.int64(strategy.nodes[node + OFFSET]) // 2
    )
    total = 0
    for a in range(count):
        total += strategy.weights[slot + a]
    part = float(strategy.weights[slot + action])
    return part / total if total else 1.0 / float(count)


@njit(cache=True, nogil=True)
def leaf_value(leaves: I32, leaf: int, hero: int, opponent: int, reach: F64, outcome: I8) -> float:
    """What the hero wins at a leaf, summed over the opponent's hands that reach it."""
    mask, cost = leaves[leaf, IN_HAND], leaves[leaf, LEAF_HEAD + hero]
    total = 0.0
    if not mask >> hero & 1:
        return float(-cost * reach.sum())
    if not mask >> opponent & 1:
        return float((leaves[leaf, POT] - cost) * reach.sum())
    if leaves[leaf, EVEN]:
        win, tie = leaves[leaf, POT] - cost, leaves[leaf, POT] / 2.0 - cost
        lose = -cost
    else:
        matched = min(cost, leaves[leaf, LEAF_HEAD + opponent])
        win, tie, lose = matched, 0.0, -matched
    for h in range(reach.shape[0]):
        if outcome[h] > 0:
            total += reach[h] * win
        elif outcome[h] == 0:
            total += reach[h] * tie
        else:
            total += reach[h] * lose
    return float(total)


@njit(cache=True, nogil=True)
def split_reach(
    strategy: Strategy, node: int, buckets: U32, reach: F64, out: F64, totals: F64
) -> None:
    """Shares the opponent's weights `reach` (H,) out among a node's actions: `out` (A, H), and
    `totals` (A,) their sums.
    """
    row, count = strategy.nodes[node + ROW], np.int64(strategy.nodes[node + COUNT])
    start = strategy.starts[row] + np.int64(strategy.nodes[node + OFFSET]) // 2
    stride = strategy.strides[row]
    totals[:count] = 0.0
    for h in range(reach.shape[0]):
        weight = reach[h]
        if weight == 0.0:
            for a in range(count):
                out[a, h] = 0.0
            continue
        slot, total = start + buckets[h] * stride, 0
        for a in range(count):
            total += strategy.weights[slot + a]
        for a in range(count):
            part = strategy.weights[slot + a] / total if total else 1.0 / count
            out[a, h] = weight * part
            totals[a] += weight * part


@njit(cache=True, nogil=True)
def values_below(
    strategy: Strategy,
    root: int,
    seats: tuple[int, int],
    runout: RunoutHands,
    shape: tuple[int, int],
    min_chance: float,
    out: F64,
) -> None:
    """Write to `out` (A,) the hero's value of each action at the hero's node `root`.

    That is the return over the whole hand times the opponent's weights. After the action both
    follow the blueprint. `seats` are the hero's and the opponent's, `shape` the tree's depth and
    its most actions. Lines that come up less often than `min_chance` are left out; the others
    count for them.
    """
    (hero, opponent), (depth, widest) = seats, shape
    num_hands = runout.reach.shape[0]
    num_streets = runout.mine.shape[0]
    # Weights by the level at which they were shared out and the action they go with.
    reach, totals = np.empty((depth + 1, widest, num_hands)), np.empty((depth + 1, widest))
    reach[0, 0], totals[0, 0] = runout.reach, runout.reach.sum()
    at, tried = np.zeros(depth + 1, np.int64), np.zeros(depth + 1, np.int64)
    rows, columns = np.zeros(depth + 1, np.int64), np.zeros(depth + 1, np.int64)
    own, counted = np.ones(depth + 1), np.zeros(out.shape[0])
    at[0] = root * NODE_WIDTH
    level, first = 0, 0
    whole = totals[0, 0]
    while level >= 0:
        node, action = at[level], tried[level]
        if action == strategy.nodes[node + COUNT]:
            level -= 1
            continue
        tried[level] += 1
        street = strategy.nodes[node + ROW] % num_streets
        row, column, chance = rows[level], columns[level], own[level]
        if level == 0:
            first = action
        elif strategy.nodes[node] == hero:
            chance *= chance_of(strategy, node, runout.mine[street], action)
        else:
            if action == 0:
                split_reach(
                    *(strategy, node, runout.theirs[street], reach[row, column]),
                    *(reach[level + 1], totals[level + 1]),
                )
            row, column = level + 1, action
        if chance * totals[row, column] < min_chance * whole:
            continue
        child = np.int64(strategy.children[strategy.nodes[node + CHILD] + action]) * NODE_WIDTH
        if strategy.nodes[child] == END:
            leaf = strategy.nodes[child + LEAF]
            out[first] += chance * leaf_value(
                strategy.leaves, leaf, hero, opponent, reach[row, column], runout.outcome
            )
            counted[first] += chance * totals[row, column]
            continue
        level += 1
        at[level], tried[level], own[level] = child, 0, chance
        rows[level], columns[level] = row, column
    for action in range(out.shape[0]):
        if counted[action] > 0.0:
            out[action] *= whole / counted[action]
