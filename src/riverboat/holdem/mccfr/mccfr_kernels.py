"""External sampling on a betting tree with buckets: many deals in one call.

Shapes as in BettingTree: `nodes` (8N,) uint32, `children` (E,) uint32, `leaves` (T, 3 + P) int32,
`dead` (P,) int32. `table` float32 holds for every infoset first the regrets, then the averages of
its actions; the row of player p on street s in bucket b begins at
`starts[p · S + s] + b · strides[p · S + s]`. `buckets` (D, P, S) and `ranks` (D, P), both uint32,
are the deals. `generator` (1,) uint64 is the random state. A walk keeps its open decisions on a
stack as deep as the tree: `frames` (depth, 3) uint64, `utilities`, `current` (depth, actions).
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from __future__ import annotations

import numpy as np
from numba import njit, uint64

from riverboat.memory_kernels import prefetch
from riverboat.random_kernels import GOLDEN, mix, unit

__all__ = ["discount", "play_out", "settle", "walk"]

END = 255
ONE, TWO = uint64(1), uint64(2)
COUNT, CHILD, ROW, OFFSET, COST, CAN_FOLD, LEAF, WIDTH = (uint64(i) for i in range(1, 9))
"""Places in a node's line; the actor is the first."""
IN_HAND, POT, EVEN, PAID = uint64(0), uint64(1), uint64(2), uint64(3)
"""Places in a leaf's line."""
SKIPPED = np.float64(np.inf)
"""The utility of an action that was not walked."""


@njit(cache=True, nogil=True)
def settle(leaves, dead, leaf, ranks, deal, player):
    """What `player`, who is still in, wins or loses at a leaf; odd chips are cut into parts."""
    num_players = uint64(dead.shape[0])
    mask = uint64(leaves[leaf, IN_HAND])
    cost = leaves[leaf, PAID + player]
    if mask == ONE << player:
        return np.float64(leaves[leaf, POT] - cost)
    mine = ranks[deal, player]
    if leaves[leaf, EVEN]:
        ties = 0
        for q in range(num_players):
            if (mask >> q) & ONE:
                if ranks[deal, q] > mine:
                    return np.float64(-cost)
                ties += ranks[deal, q] == mine
        if ties == 1:
            return np.float64(leaves[leaf, POT] - cost)
        return np.float64(leaves[leaf, POT]) / ties - cost
    won, below, first = 0.0, 0, True
    top = cost - dead[player]
    while below < top:
        level, chips, ties, best = top, 0, 0, True
        for q in range(num_players):
            paid = leaves[leaf, PAID + q] - dead[q]
            if (mask >> q) & ONE and below < paid < level:
                level = paid
        for q in range(num_players):
            paid = leaves[leaf, PAID + q] - dead[q]
            chips += min(paid, level) - min(paid, below)
            if first:
                chips += dead[q]
            if (mask >> q) & ONE and paid >= level:
                best = best and ranks[deal, q] <= mine
                ties += ranks[deal, q] == mine
        if best:
            won += chips / ties
        below, first = level, False
    return won - cost


@njit(cache=True, nogil=True, inline="always")
def place_rows(starts, strides, buckets, deal, rows):
    """Where each player's numbers begin on each street for this deal; writes `rows` (P · S,)."""
    num_streets = uint64(buckets.shape[2])
    for p in range(uint64(buckets.shape[1])):
        for s in range(num_streets):
            row = p * num_streets + s
            rows[row] = uint64(starts[row]) + uint64(strides[row]) * uint64(buckets[deal, p, s])


@njit(cache=True, nogil=True, inline="always")
def expect(nodes, children, table, rows, node):
    """Ask memory for the numbers of a node's children, of which one or all are read next."""
    first = uint64(nodes[node + CHILD])
    for edge in range(first, first + uint64(nodes[node + COUNT])):
        child = uint64(children[edge]) * WIDTH
        if nodes[child] != END:
            prefetch(table, rows[nodes[child + ROW]] + uint64(nodes[child + OFFSET]))


@njit(cache=True, nogil=True)
def walk(
    nodes, children, leaves, dead, table, starts, strides, buckets, ranks, generator, first_walker,
    last_walker, averaging, prune_below, prune_share, floor, frames, utilities, current, rows,
    counts,
):  # fmt: skip
    """Each player from `first_walker` to before `last_walker` walks every deal once.

    The walker tries all his actions, the others draw theirs, and with `averaging` what they draw
    from enters their averages. With probability `prune_share` a walk leaves out actions whose
    regret is below `prune_below` where another has a positive one. No regret falls under `floor`.
    `counts` (2,) int64 adds up the nodes seen and the draws at the root.
    """
    state = generator[0]
    seen, drawn = 0, 0
    for deal in range(uint64(buckets.shape[0])):
        place_rows(starts, strides, buckets, deal, rows)
        for walker in range(uint64(first_walker), uint64(last_walker)):
            pruning = False
            if prune_share > 0.0:
                state += GOLDEN
                pruning = unit(mix(state)) < prune_share
            top, node = uint64(0), uint64(0)
            while True:
                seen += 1
                actor = uint64(nodes[node])
                if actor == walker:
                    expect(nodes, children, table, rows, node)
                    count = uint64(nodes[node + COUNT])
                    slot = rows[nodes[node + ROW]] + uint64(nodes[node + OFFSET])
                    total = 0.0
                    for a in range(count):
                        regret = table[slot + a]
                        positive = regret if regret > 0.0 else 0.0
                        current[top, a] = positive
                        utilities[top, a] = 0.0
                        total += positive
                    if total > 0.0:
                        scale = 1.0 / total
                        for a in range(count):
                            current[top, a] *= scale
                            if pruning and table[slot + a] < prune_below:
                                utilities[top, a] = SKIPPED
                    else:
                        for a in range(count):
                            current[top, a] = 1.0 / count
                    action = uint64(0)
                    if nodes[node + CAN_FOLD]:
                        utilities[top, 0] = -np.float64(nodes[node + COST])
                        action = ONE
                    while action < count and utilities[top, action] == SKIPPED:
                        action += ONE
                    frames[top, 0] = node
                    frames[top, 1] = action
                    frames[top, 2] = slot
                    if action < count:
                        top += ONE
                        node = uint64(children[uint64(nodes[node + CHILD]) + action]) * WIDTH
                        continue
                    # Only a fold is possible.
                    value = utilities[top, 0]
                elif actor != END:
                    expect(nodes, children, table, rows, node)
                    count = uint64(nodes[node + COUNT])
                    slot = rows[nodes[node + ROW]] + uint64(nodes[node + OFFSET])
                    total = 0.0
                    for a in range(count):
                        regret = table[slot + a]
                        total += regret if regret > 0.0 else 0.0
                    state += GOLDEN
                    mark = unit(mix(state))
                    action = count - ONE
                    if total > 0.0:
                        scale = 1.0 / total
                        below, open_ = 0.0, True
                        for a in range(count):
                            regret = table[slot + a]
                            share = regret * scale if regret > 0.0 else 0.0
                            if averaging:
                                table[slot + count + a] += np.float32(share)
                            below += share
                            if open_ and mark < below:
                                action = uint64(a)
                                open_ = False
                    else:
                        action = uint64(mark * count)
                        if averaging:
                            for a in range(count):
                                table[slot + count + a] += np.float32(1.0 / count)
                    if node == 0:
                        drawn += 1
                    node = uint64(children[uint64(nodes[node + CHILD]) + action]) * WIDTH
                    continue
                else:
                    value = settle(leaves, dead, uint64(nodes[node + LEAF]), ranks, deal, walker)
                resumed = False
                while top > 0:
                    frame = top - ONE
                    above, action, slot = frames[frame, 0], frames[frame, 1], frames[frame, 2]
                    count = uint64(nodes[above + COUNT])
                    utilities[frame, action] = value
                    action += ONE
                    while action < count and utilities[frame, action] == SKIPPED:
                        action += ONE
                    if action < count:
                        frames[frame, 1] = action
                        node = uint64(children[uint64(nodes[above + CHILD]) + action]) * WIDTH
                        resumed = True
                        break
                    value = 0.0
                    for a in range(count):
                        if current[frame, a] > 0.0:
                            value += current[frame, a] * utilities[frame, a]
                    for a in range(count):
                        if utilities[frame, a] != SKIPPED:
                            regret = table[slot + a] + np.float32(utilities[frame, a] - value)
                            table[slot + a] = regret if regret > floor else floor
                    top = frame
                if not resumed:
                    break
    generator[0] = state
    counts[0] += seen
    counts[1] += drawn


@njit(cache=True, nogil=True)
def discount(table, starts, strides, num_buckets, infosets, factor, ceiling):
    """Multiply every number by `factor`; averages above `ceiling` are halved with their like, so
    that small steps are not lost in float32. Returns how many infosets have been drawn from.

    `num_buckets` (P · S,) int64, `infosets` (I, 3) int32 row, offset, number of actions.
    """
    touched = 0
    for i in range(uint64(infosets.shape[0])):
        row = uint64(infosets[i, 0])
        count = uint64(infosets[i, 2])
        slot = uint64(starts[row]) + uint64(infosets[i, 1])
        for _ in range(num_buckets[row]):
            largest = np.float32(0.0)
            for a in range(count, count + count):
                largest = max(largest, table[slot + a])
            touched += largest > 0.0
            averages = np.float32(factor * 0.5 if largest > ceiling else factor)
            for a in range(count):
                table[slot + a] *= np.float32(factor)
                table[slot + count + a] *= averages
            slot += uint64(strides[row])
    return touched


@njit(cache=True, nogil=True)
def play_out(
    nodes, children, leaves, dead, tables, seats, starts, strides, buckets, ranks, generator, rows,
    returns,
):  # fmt: skip
    """Play every deal once; writes `returns` (D, P) float64.

    Player p follows the averages of `tables[seats[p]]`, a (K, …) stack of tables; where an average
    is empty, and for `seats[p]` −1, every action is equally likely; −2 always calls or checks.
    """
    num_players = uint64(dead.shape[0])
    state = generator[0]
    for deal in range(uint64(buckets.shape[0])):
        place_rows(starts, strides, buckets, deal, rows)
        node = uint64(0)
        folded = uint64(0)
        for p in range(num_players):
            returns[deal, p] = 0.0
        while nodes[node] != END:
            actor = uint64(nodes[node])
            count = uint64(nodes[node + COUNT])
            can_fold = uint64(nodes[node + CAN_FOLD])
            slot = rows[nodes[node + ROW]] + uint64(nodes[node + OFFSET]) + count
            state += GOLDEN
            mark = unit(mix(state))
            action = uint64(mark * count)
            seat = seats[actor]
            if seat >= 0:
                total = 0.0
                for a in range(count):
                    total += tables[seat, slot + a]
                if total > 0.0:
                    below, action, open_ = 0.0, count - ONE, True
                    for a in range(count):
                        below += tables[seat, slot + a]
                        if open_ and mark * total < below:
                            action = uint64(a)
                            open_ = False
            elif seat == -2:
                action = min(can_fold, count - ONE)
            if can_fold and action == 0:
                returns[deal, actor] = -np.float64(nodes[node + COST])
                folded |= ONE << actor
            node = uint64(children[uint64(nodes[node + CHILD]) + action]) * WIDTH
        for p in range(num_players):
            if not (folded >> p) & ONE:
                returns[deal, p] = settle(leaves, dead, uint64(nodes[node + LEAF]), ranks, deal, p)
    generator[0] = state
