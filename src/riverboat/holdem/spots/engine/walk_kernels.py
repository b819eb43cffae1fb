"""Whole passes over a spot: its first street, then board by board, and back to the root.

`plans` are one learner's and `levels` the boards (`runouts.BoardLevel`), each three: of the first
street, the second, and the river, so that turns and flops are one compiled program; `layout`
(3, 2, 2) int64 says for each street and player where rows begin in the geometry and how many
elements a board has; `source` is what the opponent plays by, his regrets or his averages.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from riverboat.holdem.spots.engine.simd_kernels import load16, spread16, store16, take_next
from riverboat.holdem.spots.engine.street_kernels import (
    LEARN,
    add_renamed,
    ascend,
    count_masses,
    descend,
    river_board,
    unify,
)


@njit(cache=True, nogil=True)
def start_reach(plan: Any, theirs: Any, source: Any, base: int, reach: Any) -> None:
    """The opponent's reach on the first street, before any card."""
    width = theirs.weights.shape[0]
    for i in range(width):
        reach[i] = theirs.weights[i]
    # A number written out would be a type of its own, and everything compiled once more for it.
    none: Any = np.int64(0)
    descend(plan, none, plan.down.shape[0], source, base, width, reach)


@njit(cache=True, nogil=True)
def clear(starts: Any, width: int, rows: Any) -> None:
    """Zero the rows at `starts[:, 1]`."""
    for k in range(starts.shape[0]):
        for i in range(0, width, 16):
            store16(rows, starts[k, 1] + i, spread16(np.float32(0.0)))


@njit(cache=True, nogil=True)
def close_street(
    plan: Any,
    level: Any,
    board: int,
    mine: Any,
    theirs: Any,
    mode: int,
    regrets: Any,
    averages: Any,
    base: int,
    weights: Any,
    reach: Any,
    rows: Any,
    lanes: Any,
) -> None:
    """The way up on a street before the river, once the values of the next street are there."""
    none: Any = np.int64(0)
    blocked = np.zeros(52, np.bool_)
    for j in range(level.cards.shape[1]):
        blocked[level.cards[board, j]] = True
    count_masses(plan, mine, theirs, blocked, reach, rows, lanes)
    stabiliser = level.stabiliser[board]
    if stabiliser > 0:
        same = mine.canonical[stabiliser]
        unify(plan.chances, none, plan.chances.shape[0], same, rows)
        unify(plan.masses, none, plan.masses.shape[0], same, rows)
    width = mine.weights.shape[0]
    ascend(plan, none, plan.up.shape[0], mode, regrets, averages, base, width, weights, rows)


@njit(cache=True, nogil=True)
def play_boards(
    num_streets: int,
    plans: Any,
    levels: Any,
    mine: Any,
    theirs: Any,
    learner: int,
    layout: Any,
    edges: Any,
    counter: Any,
    mode: int,
    source: Any,
    regrets: Any,
    averages: Any,
    weights: Any,
    reach: Any,
    rows: Any,
    lanes: Any,
    gains: Any,
) -> None:
    """Blocks of boards of the second street, as long as there are any: sums of its roots' values.

    Block b has the boards from `edges[b]` to `edges[b + 1]`; `counter` (1,) int64 holds the next
    block that no thread has taken yet; `gains` (blocks · roots · width,)
    float32 takes, for each block and root, the sum over all cards of the block's classes.
    """
    other = 1 - learner
    width, their_width = mine.weights.shape[0], theirs.weights.shape[0]
    start_reach(plans[0], theirs, source, layout[0, other, 0], reach)
    none: Any = np.int64(0)
    last_street = num_streets - 1
    river = plans[2]
    num_roots = plans[1].roots.shape[0]
    plan, level, below_level = plans[1], levels[1], levels[2]
    num_blocks = edges.shape[0] - 1
    block: Any = np.int64(-1)
    board: Any = np.int64(0)
    while True:
        if block < 0 or board == edges[block + 1]:
            block = take_next(counter)
            if block >= num_blocks:
                break
            board = edges[block]
            for i in range(block * num_roots * width, (block + 1) * num_roots * width, 16):
                store16(gains, i, spread16(np.float32(0.0)))
        first_river, last_river = board, board + 1
        if last_street == 2:
            their_base = layout[1, other, 0] + board * layout[1, other, 1]
            descend(plan, none, plan.down.shape[0], source, their_base, their_width, reach)
            clear(plan.chances, width, rows)
            first_river, last_river = level.first_child[board], level.first_child[board + 1]
        for below in range(first_river, last_river):
            their_base = layout[last_street, other, 0] + below * layout[last_street, other, 1]
            base = layout[last_street, learner, 0] + below * layout[last_street, learner, 1]
            for chunk in range(river.chunks.shape[0]):
                river_board(
                    river,
                    chunk,
                    mine,
                    theirs,
                    below,
                    below_level.stabiliser[below],
                    mode,
                    source,
                    their_base,
                    regrets,
                    averages,
                    base,
                    weights,
                    reach,
                    rows,
                    lanes,
                )
                for root in range(river.chunks[chunk, 8], river.chunks[chunk, 9]):
                    row = river.roots[root]
                    if last_street == 2:
                        to = plan.chances[root, 1]
                        add_renamed(below_level, below, mine.renamed, row, rows, to, rows)
                    else:
                        to = (block * num_roots + root) * width
                        add_renamed(level, board, mine.renamed, row, gains, to, rows)
        if last_street == 2:
            base = layout[1, learner, 0] + board * layout[1, learner, 1]
            close_street(
                plan,
                level,
                board,
                mine,
                theirs,
                mode,
                regrets,
                averages,
                base,
                weights,
                reach,
                rows,
                lanes,
            )
            for root in range(num_roots):
                to = (block * num_roots + root) * width
                add_renamed(level, board, mine.renamed, plan.roots[root], gains, to, rows)
        board += 1


@njit(cache=True, nogil=True)
def close_root(
    plans: Any,
    levels: Any,
    mine: Any,
    theirs: Any,
    learner: int,
    layout: Any,
    mode: int,
    source: Any,
    regrets: Any,
    averages: Any,
    weights: Any,
    reach: Any,
    rows: Any,
    lanes: Any,
    gains: Any,
    out: Any,
) -> None:
    """The first street from the values that `play_boards` found; the root's value into `out`."""
    other, width, plan = 1 - learner, mine.weights.shape[0], plans[0]
    start_reach(plan, theirs, source, layout[0, other, 0], reach)
    clear(plan.chances, width, rows)
    num_roots = plan.chances.shape[0]
    for block in range(gains.shape[0] // (num_roots * width)):
        for root in range(num_roots):
            row, to = (block * num_roots + root) * width, plan.chances[root, 1]
            for i in range(0, width, 16):
                store16(rows, to + i, load16(rows, to + i) + load16(gains, row + i))
    base = layout[0, learner, 0]
    none: Any = np.int64(0)
    close_street(
        plan,
        levels[0],
        none,
        mine,
        theirs,
        mode,
        regrets,
        averages,
        base,
        weights,
        reach,
        rows,
        lanes,
    )
    for i in range(width):
        out[i] = rows[plan.roots[0] + i]


@njit(cache=True, nogil=True)
def play_river(
    num: int,
    only: int,
    mode: int,
    plans: Any,
    level: Any,
    hands: Any,
    numbers: Any,
    weights: Any,
    reach: Any,
    rows: Any,
    lanes: Any,
    out: Any,
) -> None:
    """`num` passes over a spot that begins on the river, for both players in turn or for one.

    `only` is that one, or −1 for both; `plans`, `hands` and `numbers` (each player's regrets and
    averages) are pairs; `weights` (num, 3). The last pass's values go into `out`.
    """
    none: Any = np.int64(0)
    stabiliser = level.stabiliser[0]
    for t in range(num):
        for learner in range(2):
            if only >= 0 and only != learner:
                continue
            if learner == 0:
                plan, mine, theirs = plans[0], hands[0], hands[1]
                regrets, averages = numbers[0]
                their_regrets, their_averages = numbers[1]
            else:
                plan, mine, theirs = plans[1], hands[1], hands[0]
                regrets, averages = numbers[1]
                their_regrets, their_averages = numbers[0]
            source = their_regrets if mode == LEARN else their_averages
            for i in range(theirs.weights.shape[0]):
                reach[i] = theirs.weights[i]
            river_board(
                plan,
                none,
                mine,
                theirs,
                none,
                stabiliser,
                mode,
                source,
                none,
                regrets,
                averages,
                none,
                weights[t],
                reach,
                rows,
                lanes,
            )
            for i in range(mine.weights.shape[0]):
                out[i] = rows[plan.roots[0] + i]
