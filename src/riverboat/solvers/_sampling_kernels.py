"""Sampling on a GameTree: chance, external and outcome sampling, and ISMCTS; many at a call.

For the first three a history has a line of four numbers in `nodes`: kind (a player, EVEN or UNEVEN
chance, END), CHILD, COUNT and SLOT: where its first child's line begins, how many children follow
one another there, and the first slot of a player's infoset or the line of `returns`. A history is
known by where its line begins, so that a step costs an addition and no multiplication.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from riverboat.runtime.array_types import F64, I8, I32, I64, U32, U64
from riverboat.runtime.compiled import GOLDEN, mix, njit, unit
from riverboat.solvers._cfr_kernels import TINY

EVEN = np.uint32(0xFFFFFFFD)
UNEVEN = np.uint32(0xFFFFFFFE)
END = np.uint32(0xFFFFFFFF)

CHILD, COUNT, SLOT = np.uint64(1), np.uint64(2), np.uint64(3)
WIDTH = np.uint64(4)
ONE = np.uint64(1)


class Lines(NamedTuple):
    """The game: N histories, T ends, P players."""

    nodes: U32  # (4 * N,)
    cumulative: F64  # (N,) chance's probability of a child or one before it
    returns: F64  # (T, P)


class Learned(NamedTuple):
    """What a run changes in place; A slots."""

    regrets: F64  # (A,)
    current: F64  # (A,) their regret matching, renewed with them
    average: F64  # (A,)
    generator: U64  # (1,) the random state
    clock: I64  # (2,) iterations done first


class Stack(NamedTuple):
    """The open decisions of a walk, as deep as the tree: work space, written before it is read."""

    opened: U32  # (depth,) the history
    tried: U32  # (depth,) the action there


@njit(cache=True, inline="always")
def deal(nodes: U32, cumulative: F64, node: np.uint64, bits: np.uint64) -> np.uint64:
    """The child that chance picks."""
    first, count = np.uint64(nodes[node + CHILD]), np.uint64(nodes[node + COUNT])
    if nodes[node] == EVEN:
        return first + WIDTH * (((bits >> np.uint64(32)) * count) >> np.uint64(32))
    u = unit(bits)
    last = first + WIDTH * (count - ONE)
    while first < last and cumulative[first // WIDTH] <= u:
        first += WIDTH
    return first


@njit(cache=True, inline="always")
def match(regrets: F64, slot: np.uint64, count: np.uint64, current: F64) -> None:
    """Renew `current` at an infoset by regret matching."""
    total = 0.0
    for a in range(count):
        regret = regrets[slot + a]
        total += regret if regret > 0.0 else 0.0
    if total > TINY:
        scale = 1.0 / total
        for a in range(count):
            regret = regrets[slot + a]
            current[slot + a] = regret * scale if regret > 0.0 else 0.0
    else:
        for a in range(count):
            current[slot + a] = 1.0 / count


@njit(cache=True, inline="always")
def pick(current: F64, slot: np.uint64, count: np.uint64, u: float) -> np.uint64:
    """The action at fraction `u` of the strategy; without branches on what is random."""
    action = np.uint64(0)
    below = 0.0
    for a in range(count - ONE):
        below += current[slot + a]
        action += np.uint64(u >= below)
    return action


@njit(cache=True)
def external_sampling(
    lines: Lines, learned: Learned, iterations: int, stack: Stack, utilities: F64
) -> None:
    """Each player in turn walks all actions; the others and chance are sampled.

    utilities (depth, actions). The strategy of the player after the walking one enters the
    average, so that each player's does once an iteration.
    """
    nodes, cumulative, returns = lines
    regrets, current, average, generator, clock = learned
    opened, tried = stack
    num_players = np.uint64(returns.shape[1])
    state = generator[0]
    for _ in range(iterations):
        for walker in range(num_players):
            averaged = walker + ONE if walker + ONE < num_players else np.uint64(0)
            top = np.uint64(0)
            node = np.uint64(0)
            while True:
                kind = nodes[node]
                if kind == walker:
                    opened[top] = node
                    tried[top] = 0
                    top += ONE
                    node = np.uint64(nodes[node + CHILD])
                    continue
                if kind < EVEN:
                    count, slot = np.uint64(nodes[node + COUNT]), np.uint64(nodes[node + SLOT])
                    if kind == averaged:
                        for b in range(count):
                            average[slot + b] += current[slot + b]
                    state += GOLDEN
                    node = np.uint64(nodes[node + CHILD])
                    node += WIDTH * pick(current, slot, count, unit(mix(state)))
                    continue
                if kind != END:
                    state += GOLDEN
                    node = deal(nodes, cumulative, node, mix(state))
                    continue
                value = returns[np.uint64(nodes[node + SLOT]), walker]
                resumed = False
                while top > 0:
                    frame = top - ONE
                    above, a = np.uint64(opened[frame]), np.uint64(tried[frame])
                    utilities[frame, a] = value
                    a += ONE
                    count, slot = np.uint64(nodes[above + COUNT]), np.uint64(nodes[above + SLOT])
                    if a < count:
                        tried[frame] = a
                        node = np.uint64(nodes[above + CHILD]) + WIDTH * a
                        resumed = True
                        break
                    value = 0.0
                    for b in range(count):
                        value += current[slot + b] * utilities[frame, b]
                    for b in range(count):
                        regrets[slot + b] += utilities[frame, b] - value
                    match(regrets, slot, count, current)
                    top = frame
                if not resumed:
                    break
    generator[0] = state
    clock[0] += iterations


@njit(cache=True)
def chance_sampling(
    lines: Lines, learned: Learned, iterations: int, stack: Stack, utilities: F64, reaches: F64
) -> None:
    """Chance is sampled, all players walk all their actions and update on the way back.

    utilities (depth, actions, P); reaches (depth + 1, P): each player's own probability of coming
    here.
    """
    nodes, cumulative, returns = lines
    regrets, current, average, generator, clock = learned
    opened, tried = stack
    num_players = np.uint64(returns.shape[1])
    state = generator[0]
    values = np.empty(returns.shape[1])
    for _ in range(iterations):
        top = np.uint64(0)
        node = np.uint64(0)
        for q in range(num_players):
            reaches[0, q] = 1.0
        while True:
            kind = nodes[node]
            if kind < EVEN:
                actor = np.uint64(kind)
                count, slot = np.uint64(nodes[node + COUNT]), np.uint64(nodes[node + SLOT])
                own = reaches[top, actor]
                for b in range(count):
                    average[slot + b] += own * current[slot + b]
                opened[top] = node
                tried[top] = 0
                for q in range(num_players):
                    reaches[top + ONE, q] = reaches[top, q]
                reaches[top + ONE, actor] = own * current[slot]
                top += ONE
                node = np.uint64(nodes[node + CHILD])
                continue
            if kind != END:
                state += GOLDEN
                node = deal(nodes, cumulative, node, mix(state))
                continue
            line = np.uint64(nodes[node + SLOT])
            for q in range(num_players):
                values[q] = returns[line, q]
            resumed = False
            while top > 0:
                frame = top - ONE
                above, a = np.uint64(opened[frame]), np.uint64(tried[frame])
                actor = np.uint64(nodes[above])
                count, slot = np.uint64(nodes[above + COUNT]), np.uint64(nodes[above + SLOT])
                for q in range(num_players):
                    utilities[frame, a, q] = values[q]
                a += ONE
                if a < count:
                    tried[frame] = a
                    for q in range(num_players):
                        reaches[top, q] = reaches[frame, q]
                    reaches[top, actor] = reaches[frame, actor] * current[slot + a]
                    node = np.uint64(nodes[above + CHILD]) + WIDTH * a
                    resumed = True
                    break
                others = 1.0
                for q in range(num_players):
                    if q != actor:
                        others *= reaches[frame, q]
                    value = 0.0
                    for b in range(count):
                        value += current[slot + b] * utilities[frame, b, q]
                    values[q] = value
                for b in range(count):
                    regrets[slot + b] += others * (utilities[frame, b, actor] - values[actor])
                match(regrets, slot, count, current)
                top = frame
            if not resumed:
                break
    generator[0] = state
    clock[0] += iterations


@njit(cache=True)
def outcome_sampling(
    lines: Lines, learned: Learned, iterations: int, explore: float, stack: Stack, reach: F64
) -> None:
    """One play for each player in turn, who explores with probability `explore`.

    reach (P,): each player's own probability of coming this far. Chance is sampled as it falls, so
    it cancels.
    """
    nodes, cumulative, returns = lines
    regrets, current, average, generator, clock = learned
    opened, tried = stack
    num_players = np.uint64(returns.shape[1])
    state = generator[0]
    for _ in range(iterations):
        for walker in range(num_players):
            top = np.uint64(0)
            node = np.uint64(0)
            walked, sampled = 1.0, 1.0
            for q in range(num_players):
                reach[q] = 1.0
            while nodes[node] != END:
                kind = nodes[node]
                state += GOLDEN
                bits = mix(state)
                if kind >= EVEN:
                    node = deal(nodes, cumulative, node, bits)
                    continue
                actor = np.uint64(kind)
                count, slot = np.uint64(nodes[node + COUNT]), np.uint64(nodes[node + SLOT])
                u = unit(bits)
                if actor == walker:
                    if u < explore:
                        a = np.uint64(u / explore * count)
                        a = a if a < count else count - ONE
                    else:
                        a = pick(current, slot, count, (u - explore) / (1.0 - explore))
                    chosen = explore / count + (1.0 - explore) * current[slot + a]
                    walked *= chosen
                    sampled *= chosen
                    opened[top] = node
                    tried[top] = a
                    top += ONE
                else:
                    weight = reach[actor] / sampled
                    for b in range(count):
                        average[slot + b] += weight * current[slot + b]
                    a = pick(current, slot, count, u)
                    reach[actor] *= current[slot + a]
                    sampled *= current[slot + a]
                node = np.uint64(nodes[node + CHILD]) + WIDTH * a
            value = returns[np.uint64(nodes[node + SLOT]), walker] / walked
            while top > 0:
                top -= ONE
                above, a = np.uint64(opened[top]), np.uint64(tried[top])
                count, slot = np.uint64(nodes[above + COUNT]), np.uint64(nodes[above + SLOT])
                regrets[slot + a] += value
                value *= current[slot + a]
                for b in range(count):
                    regrets[slot + b] -= value
                match(regrets, slot, count, current)
    generator[0] = state
    clock[0] += iterations


class SearchTree(NamedTuple):
    """What the search reads of a GameTree: N histories, I infosets, T ends, P players."""

    actor: I8  # (N,)
    infoset: I32  # (N,)
    children: I64  # (N + 1,) where a history's children begin
    chance: F64  # (N,)
    offsets: I64  # (I + 1,) first slot of each infoset
    line: I64  # (N,) its row of returns, −1 where the play goes on
    returns: F64  # (T, P)


@njit(cache=True)
def search_infosets(
    tree: SearchTree,
    simulations: int,
    constant: float,
    generator: U64,
    visits: F64,
    sums: F64,
    path: I64,
) -> None:
    """Play from the root; visits and sums (A,) of the slots are changed in place.

    generator (1,); path (depth, 2) slots and players of a play, work space.
    """
    actor, infoset, children, chance, offsets, line, returns = tree
    state = generator[0]
    for _ in range(simulations):
        node, length = np.int64(0), 0
        while line[node] < 0:
            first, last = children[node], children[node + 1]
            if actor[node] < 0:
                state += GOLDEN
                mark = unit(mix(state))
                while first < last - 1 and mark >= chance[first]:
                    mark -= chance[first]
                    first += 1
                node = first
                continue
            slot = offsets[infoset[node]]
            total = 0.0
            for a in range(last - first):
                total += visits[slot + a]
            best, most = 0, -1e300
            for a in range(last - first):
                n = visits[slot + a]
                score = 1e300
                if n > 0.0:
                    score = sums[slot + a] / n + constant * np.sqrt(np.log(total) / n)
                if score > most:
                    best, most = a, score
            path[length, 0] = slot + best
            path[length, 1] = actor[node]
            length += 1
            node = first + best
        for i in range(length):
            visits[path[i, 0]] += 1.0
            sums[path[i, 0]] += returns[line[node], path[i, 1]]
    generator[0] = state
