"""External sampling on a betting tree with buckets: many deals in one call.

`table` float32 holds for every infoset first the regrets, then the averages of its actions; the row
of player p on street s in bucket b begins at `starts[p · S + s] + b · strides[p · S + s]`. A walk
keeps its open decisions on a stack as deep as the tree.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy import uint64

from riverboat.holdem.blueprints import betting_tree
from riverboat.holdem.blueprints.betting_tree import END
from riverboat.runtime.array_types import F32, F64, I32, I64, U32, U64, Index
from riverboat.runtime.compiled import GOLDEN, mix, njit, prefetch, unit

ONE, TWO = uint64(1), uint64(2)
# Columns of a node and of a leaf, unsigned: no test for negatives is compiled.
COUNT, CHILD, ROW, OFFSET, COST, CAN_FOLD, LEAF, WIDTH = (
    uint64(column) for column in (*betting_tree.NODE_COLUMNS[1:], betting_tree.NODE_WIDTH)
)
IN_HAND, POT, EVEN, PAID = (uint64(column) for column in range(betting_tree.LEAF_HEAD + 1))
SKIPPED = np.float64(np.inf)  # The utility of an action that was not walked


class TreeArrays(NamedTuple):
    """A BettingTree as kernels take it, and where the numbers of players and streets lie."""

    nodes: U32  # (8N,)
    children: U32  # (E,)
    leaves: I32  # (T, 3 + P)
    dead: I32  # (P,)
    starts: I64  # (P · S + 1,)
    strides: I64  # (P · S,)


class Batch(NamedTuple):
    """Deals."""

    buckets: U32  # (D, P, S)
    ranks: U32  # (D, P) showdown strengths


class Pruning(NamedTuple):
    """When actions are left out."""

    below: np.float32  # An action with less regret is left out where another has a positive one …
    share: float  # … in this share of the walks
    floor: np.float32  # No regret falls under it


class Desk(NamedTuple):
    """What one thread has for itself."""

    generator: U64  # (1,) the random state
    frames: U64  # (depth, 3) open decisions: node, action, place of the numbers
    utilities: F64  # (depth, actions)
    current: F64  # (depth, actions)
    rows: U64  # (P · S,)
    counts: I64  # (2,) adds up the nodes seen and the draws at the root


@njit(cache=True, nogil=True)
def settle(leaves: I32, dead: I32, leaf: Index, ranks: U32, deal: Index, player: Index) -> float:
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
        return float(np.float64(leaves[leaf, POT]) / ties - cost)
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
    return float(won - cost)


@njit(cache=True, nogil=True, inline="always")
def place_rows(starts: I64, strides: I64, buckets: U32, deal: Index, rows: U64) -> None:
    """Where each player's numbers begin on each street for this deal; writes `rows` (P · S,)."""
    num_streets = uint64(buckets.shape[2])
    for p in range(uint64(buckets.shape[1])):
        for s in range(num_streets):
            row = p * num_streets + s
            rows[row] = uint64(starts[row]) + uint64(strides[row]) * uint64(buckets[deal, p, s])


@njit(cache=True, nogil=True, inline="always")
def expect(nodes: U32, children: U32, table: F32, rows: U64, node: Index) -> None:
    """Ask memory for the numbers of a node's children, of which one or all are read next."""
    first = uint64(nodes[node + CHILD])
    for edge in range(first, first + uint64(nodes[node + COUNT])):
        child = uint64(children[edge]) * WIDTH
        if nodes[child] != END:
            first_row = rows[nodes[child + ROW]] + uint64(nodes[child + OFFSET])
            prefetch(table, first_row)  # type: ignore[call-arg]


@njit(cache=True, nogil=True, inline="always")
def open_decision(
    table: F32, slot: Index, count: Index, prune_below: np.float32, current: F64, utilities: F64
) -> None:
    """What the walker plays by regret matching, into `current`; with 0 or SKIPPED as utilities.

    Both rows are (actions,). Without pruning `prune_below` is −∞.
    """
    total = 0.0
    for a in range(count):
        regret = table[slot + a]
        positive = regret if regret > 0.0 else 0.0
        current[a] = positive
        utilities[a] = 0.0
        total += positive
    if total > 0.0:
        scale = 1.0 / total
        for a in range(count):
            current[a] *= scale
            if table[slot + a] < prune_below:
                utilities[a] = SKIPPED
    else:
        for a in range(count):
            current[a] = 1.0 / count


@njit(cache=True, nogil=True, inline="always")
def draw_action(table: F32, slot: Index, count: Index, mark: float, averaging: bool) -> np.uint64:
    """The action that `mark` in [0, 1) falls on; what it is drawn from may enter the average."""
    total = 0.0
    for a in range(count):
        regret = table[slot + a]
        total += regret if regret > 0.0 else 0.0
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
    return action


@njit(cache=True, nogil=True, inline="always")
def close_decision(
    table: F32, slot: Index, count: Index, floor: np.float32, current: F64, utilities: F64
) -> float:
    """What the decision is worth; its regrets are renewed, none below `floor`."""
    value = 0.0
    for a in range(count):
        if current[a] > 0.0:
            value += current[a] * utilities[a]
    for a in range(count):
        if utilities[a] != SKIPPED:
            regret = table[slot + a] + np.float32(utilities[a] - value)
            table[slot + a] = regret if regret > floor else floor
    return value


@njit(cache=True, nogil=True)
def walk(
    tree: TreeArrays, table: F32, batch: Batch, first_walker: int, last_walker: int,
    averaging: bool, prune: Pruning, desk: Desk,
) -> None:  # fmt: skip
    """Each player from `first_walker` to before `last_walker` walks every deal once.

    The walker tries all actions, the others draw theirs, and with `averaging` what they draw
    from enters their averages. Changes `table` and the desk in place.
    """
    nodes, children, leaves, dead, starts, strides = tree
    buckets, ranks = batch
    prune_below, prune_share, floor = prune
    generator, frames, utilities, current, rows, counts = desk
    state = generator[0]
    seen, drawn = 0, 0
    for deal in range(uint64(buckets.shape[0])):
        place_rows(starts, strides, buckets, deal, rows)
        for walker in range(uint64(first_walker), uint64(last_walker)):
            skip_below = np.float32(-np.inf)
            if prune_share > 0.0:
                state += GOLDEN
                if unit(mix(state)) < prune_share:
                    skip_below = prune_below
            top, node = uint64(0), uint64(0)
            while True:
                seen += 1
                actor = uint64(nodes[node])
                if actor == walker:
                    expect(nodes, children, table, rows, node)
                    count = uint64(nodes[node + COUNT])
                    slot = rows[nodes[node + ROW]] + uint64(nodes[node + OFFSET])
                    open_decision(table, slot, count, skip_below, current[top], utilities[top])
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
                    state += GOLDEN
                    action = draw_action(table, slot, count, unit(mix(state)), averaging)
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
                    value = close_decision(
                        table, slot, count, floor, current[frame], utilities[frame]
                    )
                    top = frame
                if not resumed:
                    break
    generator[0] = state
    counts[0] += seen
    counts[1] += drawn


@njit(cache=True, nogil=True)
def discount(
    table: F32,
    starts: I64,
    strides: I64,
    num_buckets: I64,
    infosets: I32,
    factor: float,
    ceiling: np.float32,
) -> int:
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
            touched += int(largest > 0.0)
            averages = np.float32(factor * 0.5 if largest > ceiling else factor)
            for a in range(count):
                table[slot + a] *= np.float32(factor)
                table[slot + count + a] *= averages
            slot += uint64(strides[row])
    return touched


@njit(cache=True, nogil=True)
def play_out(
    tree: TreeArrays, tables: F32, seats: I64, start: np.uint64, batch: Batch, generator: U64,
    rows: U64, returns: F64,
) -> None:  # fmt: skip
    """Play every deal once from the node `start` on; writes `returns` (D, P) float64.

    Those who have folded before it get 0. Each deal has random numbers of its own, so that two
    calls that start with the same generator differ only where the players do.

    Player p follows the averages of `tables[seats[p]]`, a (K, …) stack of tables; where an average
    is empty, and for `seats[p]` −1, every action is equally likely; −2 always calls or checks.
    """
    nodes, children, leaves, dead, starts, strides = tree
    buckets, ranks = batch
    num_players = uint64(dead.shape[0])
    for deal in range(uint64(buckets.shape[0])):
        state = mix(generator[0] + deal * GOLDEN)
        place_rows(starts, strides, buckets, deal, rows)
        node = start * WIDTH
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
            node = uint64(children[uint64(nodes[node + CHILD]) + action]) * WIDTH
        mask = uint64(leaves[nodes[node + LEAF], IN_HAND])
        for p in range(num_players):
            if (mask >> p) & ONE:
                returns[deal, p] = settle(leaves, dead, uint64(nodes[node + LEAF]), ranks, deal, p)
    generator[0] += uint64(buckets.shape[0]) * GOLDEN
