"""Chance, external and outcome sampling on a GameTree: many iterations in one call.

`nodes` (N, 4) has one line for each history: kind (a player, EVEN or UNEVEN chance, END), first
child, number of children, and the first slot of a player's infoset or the line of `returns` (T, P).
`cumulative` (N,) is chance's probability of a child or one before it. `regrets` and `average` (A,)
are changed in place, `generator` (1,) is the random state, `clock[0]` counts iterations. Frames
lie on explicit stacks as deep as the tree: (depth, …) work space, where a traversal writes before
it reads.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from __future__ import annotations

import numpy as np
from numba import njit

from riverboat.random_kernels import GOLDEN, mix, unit

__all__ = [
    "END",
    "EVEN",
    "UNEVEN",
    "chance_sampling",
    "external_sampling",
    "outcome_sampling",
]

EVEN = np.uint32(0xFFFFFFFD)
UNEVEN = np.uint32(0xFFFFFFFE)
END = np.uint32(0xFFFFFFFF)

ONE = np.uint64(1)


@njit(cache=True, inline="always")
def deal(nodes, cumulative, node, bits):
    """The child that chance picks."""
    first, count = np.uint64(nodes[node, 1]), np.uint64(nodes[node, 2])
    if nodes[node, 0] == EVEN:
        return first + (((bits >> np.uint64(32)) * count) >> np.uint64(32))
    u = unit(bits)
    last = first + count - ONE
    while first < last and cumulative[first] <= u:
        first += ONE
    return first


@njit(cache=True, inline="always")
def match(regrets, slot, count, strategy):
    """Write regret matching over `count` slots to `strategy`."""
    total = 0.0
    for a in range(count):
        r = regrets[slot + a]
        r = r if r > 0.0 else 0.0
        strategy[a] = r
        total += r
    if total > 0.0:
        scale = 1.0 / total
        for a in range(count):
            strategy[a] *= scale
    else:
        for a in range(count):
            strategy[a] = 1.0 / count


@njit(cache=True, inline="always")
def pick(strategy, count, u):
    """The action at fraction `u` of the strategy."""
    a = np.uint64(0)
    last = count - ONE
    while a < last:
        u -= strategy[a]
        if u < 0.0:
            break
        a += ONE
    return a


@njit(cache=True)
def external_sampling(
    nodes, cumulative, returns, regrets, average, generator, clock, iterations, frames, strategies,
    utilities,
):  # fmt: skip
    """Each player in turn walks all his actions; the others and chance are sampled.

    frames (depth, 2), strategies and utilities (depth, actions). The sampled strategy of the
    player after the walking one enters the average, so that each player's does once an iteration.
    """
    num_players = np.uint64(returns.shape[1])
    state = generator[0]
    sampled = np.empty(strategies.shape[1])
    for _ in range(iterations):
        for walker in range(num_players):
            averaged = walker + ONE if walker + ONE < num_players else np.uint64(0)
            top = np.uint64(0)
            node = np.uint64(0)
            while True:
                kind = nodes[node, 0]
                if kind < EVEN:
                    count, slot = np.uint64(nodes[node, 2]), np.uint64(nodes[node, 3])
                    if kind == walker:
                        match(regrets, slot, count, strategies[top])
                        frames[top, 0] = node
                        frames[top, 1] = 0
                        top += ONE
                        node = np.uint64(nodes[node, 1])
                    else:
                        match(regrets, slot, count, sampled)
                        if kind == averaged:
                            for a in range(count):
                                average[slot + a] += sampled[a]
                        state += GOLDEN
                        u = unit(mix(state))
                        node = np.uint64(nodes[node, 1]) + pick(sampled, count, u)
                    continue
                if kind != END:
                    state += GOLDEN
                    node = deal(nodes, cumulative, node, mix(state))
                    continue
                value = returns[np.uint64(nodes[node, 3]), walker]
                resumed = False
                while top > 0 and not resumed:
                    frame = top - ONE
                    above, a = np.uint64(frames[frame, 0]), np.uint64(frames[frame, 1])
                    utilities[frame, a] = value
                    a += ONE
                    count = np.uint64(nodes[above, 2])
                    if a < count:
                        frames[frame, 1] = a
                        node = np.uint64(nodes[above, 1]) + a
                        resumed = True
                    else:
                        slot = np.uint64(nodes[above, 3])
                        value = 0.0
                        for b in range(count):
                            value += strategies[frame, b] * utilities[frame, b]
                        for b in range(count):
                            regrets[slot + b] += utilities[frame, b] - value
                        top = frame
                if not resumed:
                    break
    generator[0] = state
    clock[0] += iterations


@njit(cache=True)
def chance_sampling(
    nodes, cumulative, returns, regrets, average, generator, clock, iterations, frames, strategies,
    utilities, reaches,
):  # fmt: skip
    """Chance is sampled, all players walk all their actions and update together.

    frames (depth, 2), strategies (depth, actions), utilities (depth, actions, P), reaches
    (depth + 1, P): each player's own probability of coming here.
    """
    num_players = np.uint64(returns.shape[1])
    state = generator[0]
    values = np.empty(returns.shape[1])
    for _ in range(iterations):
        top = np.uint64(0)
        node = np.uint64(0)
        for q in range(num_players):
            reaches[0, q] = 1.0
        while True:
            kind = nodes[node, 0]
            if kind < EVEN:
                count, slot = np.uint64(nodes[node, 2]), np.uint64(nodes[node, 3])
                match(regrets, slot, count, strategies[top])
                own = reaches[top, np.uint64(kind)]
                for a in range(count):
                    average[slot + a] += own * strategies[top, a]
                frames[top, 0] = node
                frames[top, 1] = 0
                for q in range(num_players):
                    reaches[top + ONE, q] = reaches[top, q]
                reaches[top + ONE, np.uint64(kind)] = own * strategies[top, 0]
                top += ONE
                node = np.uint64(nodes[node, 1])
                continue
            if kind != END:
                state += GOLDEN
                node = deal(nodes, cumulative, node, mix(state))
                continue
            line = np.uint64(nodes[node, 3])
            for q in range(num_players):
                values[q] = returns[line, q]
            resumed = False
            while top > 0 and not resumed:
                frame = top - ONE
                above, a = np.uint64(frames[frame, 0]), np.uint64(frames[frame, 1])
                actor = np.uint64(nodes[above, 0])
                for q in range(num_players):
                    utilities[frame, a, q] = values[q]
                a += ONE
                count = np.uint64(nodes[above, 2])
                if a < count:
                    frames[frame, 1] = a
                    for q in range(num_players):
                        reaches[top, q] = reaches[frame, q]
                    reaches[top, actor] = reaches[frame, actor] * strategies[frame, a]
                    node = np.uint64(nodes[above, 1]) + a
                    resumed = True
                else:
                    slot = np.uint64(nodes[above, 3])
                    others = 1.0
                    for q in range(num_players):
                        if q != actor:
                            others *= reaches[frame, q]
                        values[q] = 0.0
                    for b in range(count):
                        for q in range(num_players):
                            values[q] += strategies[frame, b] * utilities[frame, b, q]
                    for b in range(count):
                        regrets[slot + b] += others * (utilities[frame, b, actor] - values[actor])
                    top = frame
            if not resumed:
                break
    generator[0] = state
    clock[0] += iterations


@njit(cache=True)
def outcome_sampling(
    nodes, cumulative, returns, regrets, average, generator, clock, iterations, explore, frames,
    strategies, reach,
):  # fmt: skip
    """One play for each player in turn, who explores with probability `explore`.

    frames (depth, 2): history and chosen action; strategies (depth, actions); reach (P,): each
    player's own probability of coming this far. Chance is sampled as it falls, so it cancels.
    """
    num_players = np.uint64(returns.shape[1])
    state = generator[0]
    for _ in range(iterations):
        for walker in range(num_players):
            top = np.uint64(0)
            node = np.uint64(0)
            walked, sampled = 1.0, 1.0
            for q in range(num_players):
                reach[q] = 1.0
            while nodes[node, 0] != END:
                kind = nodes[node, 0]
                state += GOLDEN
                bits = mix(state)
                if kind >= EVEN:
                    node = deal(nodes, cumulative, node, bits)
                    continue
                count, slot = np.uint64(nodes[node, 2]), np.uint64(nodes[node, 3])
                strategy = strategies[top]
                match(regrets, slot, count, strategy)
                u = unit(bits)
                if kind == walker:
                    if u < explore:
                        a = np.uint64(u / explore * count)
                        a = a if a < count else count - ONE
                    else:
                        a = pick(strategy, count, (u - explore) / (1.0 - explore))
                    chance_of = explore / count + (1.0 - explore) * strategy[a]
                    walked *= chance_of
                    sampled *= chance_of
                    frames[top, 0] = node
                    frames[top, 1] = a
                    top += ONE
                else:
                    weight = reach[np.uint64(kind)] / sampled
                    for b in range(count):
                        average[slot + b] += weight * strategy[b]
                    a = pick(strategy, count, u)
                    reach[np.uint64(kind)] *= strategy[a]
                    sampled *= strategy[a]
                node = np.uint64(nodes[node, 1]) + a
            value = returns[np.uint64(nodes[node, 3]), walker] / walked
            while top > 0:
                top -= ONE
                above, a = np.uint64(frames[top, 0]), np.uint64(frames[top, 1])
                count, slot = np.uint64(nodes[above, 2]), np.uint64(nodes[above, 3])
                regrets[slot + a] += value
                value *= strategies[top, a]
                for b in range(count):
                    regrets[slot + b] -= value
    generator[0] = state
    clock[0] += iterations
