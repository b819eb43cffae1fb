"""The hot loops of spots: reach down, showdowns, values and regrets up, board by board.

Plans are `plan.StreetPlan`, hands `boards.HandTables`. `reach` and `rows` are the flat
scratch of one thread, float32, rows of the opponent's and of the learner's padded hands; `lanes`
is scratch for eight showdowns at once. Regrets and averages of a player are `PlayerStorage`,
flat: street by street, board by board, a row for each action of each node.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from riverboat.holdem.spots.engine.simd_kernels import (
    gather8,
    larger,
    load8,
    load16,
    positive,
    scatter8,
    share_of,
    spread8,
    spread16,
    store8,
    store16,
    where_none,
)
from riverboat.holdem.spots.engine.update_kernels import learn_node, read16

LEARN, BEST, AVERAGE = 0, 1, 2
"""What a pass does for the learner: update his regrets, take the best action, play the average."""


@njit(cache=True, nogil=True)
def descend(
    plan: Any, first: int, last: int, source: Any, base: int, width: int, reach: Any
) -> None:
    """Split the opponent's reach at his nodes by what `source` holds, regrets or averages.

    `base` is where the board's rows begin in `source`, `width` the padded number of his hands.
    """
    down, values, scales = plan.down, source.values, source.scales
    for k in range(first, last):
        num, start = down[k, 0], base + down[k, 1]
        before, after, row = down[k, 2], down[k, 3], start // width
        even = spread16(np.float32(1.0 / num))
        for i in range(0, width, 16):
            total = positive(read16(values, scales, row, start + i))
            for a in range(1, num):
                at = start + a * width + i
                total = total + positive(read16(values, scales, row + a, at))
            here = load16(reach, before + i)
            scale, uniform = share_of(total) * here, where_none(total, even * here)
            for a in range(num):
                at = start + a * width + i
                part = positive(read16(values, scales, row + a, at)) * scale + uniform
                store16(reach, after + a * width + i, part)


@njit(cache=True, nogil=True)
def average_node(plan: Any, k: int, averages: Any, start: int, width: int, rows: Any) -> None:
    """The value of the learner's node `plan.up[k]` when he plays his average."""
    num, result, child = plan.up[k, 1], plan.up[k, 3], plan.up[k, 4]
    values, scales, row = averages.values, averages.scales, start // width
    even = spread16(np.float32(1.0 / num))
    for i in range(0, width, 16):
        total = positive(read16(values, scales, row, start + i))
        for a in range(1, num):
            total = total + positive(read16(values, scales, row + a, start + a * width + i))
        scale, uniform = share_of(total), where_none(total, even)
        value = spread16(np.float32(0.0))
        for a in range(num):
            at = start + a * width + i
            part = positive(read16(values, scales, row + a, at)) * scale + uniform
            gain = load16(rows, plan.child_rows[child + a] + i)
            value = value + part * (gain * spread16(plan.child_factors[child + a]))
        store16(rows, result + i, value)


@njit(cache=True, nogil=True)
def play_locked(
    plan: Any, k: int, averages: Any, start: int, width: int, place: int, rows: Any
) -> None:
    """Give hands that are told what to play the value of that; the others keep their best one."""
    result = plan.up[k, 3]
    best = np.empty(width, np.float32)
    for i in range(width):
        best[i] = rows[result + i]
    average_node(plan, k, averages, start, width, rows)
    for i in range(width):
        if averages.masks[place * width + i] == np.float32(0.0):
            rows[result + i] = best[i]


@njit(cache=True, nogil=True)
def ascend(
    plan: Any,
    first: int,
    last: int,
    mode: int,
    regrets: Any,
    averages: Any,
    base: int,
    width: int,
    weights: Any,
    rows: Any,
) -> None:
    """Values of nodes from those of their children; in LEARN the learner's regrets and averages.

    `weights` (3,) float32: factor of regrets above and below zero, and of the averages so far.
    """
    up, child_rows, factors = plan.up, plan.child_rows, plan.child_factors
    for k in range(first, last):
        own, num, result, child = up[k, 0], up[k, 1], up[k, 3], up[k, 4]
        if own == 0:
            for i in range(0, width, 16):
                value = load16(rows, child_rows[child] + i) * spread16(factors[child])
                for a in range(child + 1, child + num):
                    value = value + load16(rows, child_rows[a] + i) * spread16(factors[a])
                store16(rows, result + i, value)
            continue
        start = base + up[k, 2]
        if mode == BEST:
            for i in range(0, width, 16):
                value = load16(rows, child_rows[child] + i) * spread16(factors[child])
                for a in range(child + 1, child + num):
                    other = load16(rows, child_rows[a] + i) * spread16(factors[a])
                    value = larger(value, other)
                store16(rows, result + i, value)
            place = np.searchsorted(averages.locked, start)
            if place < averages.locked.shape[0] and averages.locked[place] == start:
                play_locked(plan, k, averages, start, width, place, rows)
            continue
        if mode == AVERAGE:
            average_node(plan, k, averages, start, width, rows)
            continue
        learn_node(
            regrets.values,
            regrets.scales,
            averages.values,
            averages.scales,
            start,
            num,
            width,
            child_rows,
            factors,
            child,
            result,
            weights,
            rows,
        )


@njit(cache=True, nogil=True)
def showdowns(
    plan: Any,
    first: int,
    last: int,
    mine: Any,
    theirs: Any,
    board: int,
    reach: Any,
    rows: Any,
    lanes: Any,
) -> None:
    """Values and masses of blocks of eight showdowns on one river board.

    Both sides are swept by strength, weakest first; running sums of all reach passed, and of that
    holding each card, give what a hand beats and what it does not lose to. `lanes` is scratch:
    8 · (their width + 1), then 416 for cards, then 16 · (my width).
    """
    my_width, their_width = mine.first_card.shape[0], theirs.first_card.shape[0]
    cards = 8 * (their_width + 1)
    values = cards + 416
    masses = values + 8 * my_width
    my_a, my_b, same = mine.first_card, mine.second_card, mine.same
    their_a, their_b = theirs.first_card, theirs.second_card
    my_order, their_order = mine.order[board], theirs.order[board]
    my_valid, their_valid = mine.num_valid[board], theirs.num_valid[board]
    first_group, last_group = mine.first_group[board], mine.first_group[board + 1]
    groups = mine.groups
    zero = spread8(np.float32(0.0))
    store8(lanes, 8 * their_width, zero)
    for i in range(my_valid, my_order.shape[0]):
        hand = 8 * np.int64(my_order[i])
        store8(lanes, values + hand, zero)
        store8(lanes, masses + hand, zero)
    for i in range(8 * my_order.shape[0], 8 * my_width, 8):
        store8(lanes, values + i, zero)
        store8(lanes, masses + i, zero)
    for block in range(first, last):
        for i in range(0, their_width, 8):
            gather8(reach, plan.lane_reach, 8 * block, i, lanes, 8 * i)
        for i in range(cards, cards + 416, 8):
            store8(lanes, i, zero)
        win = load8(plan.lane_factors, 24 * block)
        draw = load8(plan.lane_factors, 24 * block + 8)
        lose = load8(plan.lane_factors, 24 * block + 16)
        total = zero
        passed, start = np.int64(0), np.int64(0)
        for group in range(first_group, last_group):
            end, low, high = (
                np.int64(groups[group, 0]),
                np.int64(groups[group, 1]),
                np.int64(groups[group, 2]),
            )
            while passed < low:
                hand = np.int64(their_order[passed])
                part = load8(lanes, 8 * hand)
                a, b = cards + their_a[hand], cards + their_b[hand]
                total = total + part
                store8(lanes, a, load8(lanes, a) + part)
                store8(lanes, b, load8(lanes, b) + part)
                passed += 1
            if low == high:
                # Nobody is level: what is beaten is also what is not lost to.
                for i in range(start, end):
                    hand = np.int64(my_order[i])
                    beaten = total - (
                        load8(lanes, cards + my_a[hand]) + load8(lanes, cards + my_b[hand])
                    )
                    store8(lanes, values + 8 * hand, (win + draw) * beaten)
                start = end
                continue
            for i in range(start, end):
                hand = np.int64(my_order[i])
                beaten = total - (
                    load8(lanes, cards + my_a[hand]) + load8(lanes, cards + my_b[hand])
                )
                store8(lanes, values + 8 * hand, win * beaten)
            while passed < high:
                hand = np.int64(their_order[passed])
                part = load8(lanes, 8 * hand)
                a, b = cards + their_a[hand], cards + their_b[hand]
                total = total + part
                store8(lanes, a, load8(lanes, a) + part)
                store8(lanes, b, load8(lanes, b) + part)
                passed += 1
            for i in range(start, end):
                hand = np.int64(my_order[i])
                level = (total + load8(lanes, same[hand])) - (
                    load8(lanes, cards + my_a[hand]) + load8(lanes, cards + my_b[hand])
                )
                place = values + 8 * hand
                store8(lanes, place, load8(lanes, place) + draw * level)
            start = end
        while passed < their_valid:
            hand = np.int64(their_order[passed])
            part = load8(lanes, 8 * hand)
            a, b = cards + their_a[hand], cards + their_b[hand]
            total = total + part
            store8(lanes, a, load8(lanes, a) + part)
            store8(lanes, b, load8(lanes, b) + part)
            passed += 1
        for i in range(my_valid):
            hand = np.int64(my_order[i])
            mass = (total + load8(lanes, same[hand])) - (
                load8(lanes, cards + my_a[hand]) + load8(lanes, cards + my_b[hand])
            )
            place = values + 8 * hand
            store8(lanes, place, load8(lanes, place) + lose * mass)
            store8(lanes, masses + 8 * hand, mass)
        for i in range(0, my_width, 8):
            scatter8(lanes, values + 8 * i, rows, plan.lane_values, 8 * block, i)
            scatter8(lanes, masses + 8 * i, rows, plan.lane_masses, 8 * block, i)


@njit(cache=True, nogil=True)
def mix(plan: Any, first: int, last: int, width: int, rows: Any) -> None:
    """Masses that are sums and differences of others."""
    for k in range(first, last):
        result, start, num = plan.mixes[k, 0], plan.mixes[k, 1], plan.mixes[k, 2]
        for i in range(0, width, 16):
            total = load16(rows, plan.mix_rows[start] + i) * spread16(plan.mix_factors[start])
            for j in range(start + 1, start + num):
                total = total + load16(rows, plan.mix_rows[j] + i) * spread16(plan.mix_factors[j])
            store16(rows, result + i, total)


@njit(cache=True, nogil=True)
def count_masses(
    plan: Any, mine: Any, theirs: Any, blocked: Any, reach: Any, rows: Any, lanes: Any
) -> None:
    """Masses of folds before the river; `blocked` (52,) marks the cards dealt in the spot."""
    cards = lanes[:52]
    size, other = mine.combos.shape[0], theirs.combos.shape[0]
    width, their_width = mine.first_card.shape[0], theirs.first_card.shape[0]
    for k in range(plan.masses.shape[0]):
        start, row = plan.masses[k, 0], plan.masses[k, 1]
        total = np.float32(0.0)
        cards[:] = np.float32(0.0)
        for hand in range(other):
            a, b = theirs.first_card[hand] >> 3, theirs.second_card[hand] >> 3
            if not blocked[a] and not blocked[b]:
                part = reach[start + hand]
                total += part
                cards[a] += part
                cards[b] += part
        for hand in range(size):
            a, b = mine.first_card[hand] >> 3, mine.second_card[hand] >> 3
            mass = total - (cards[a] + cards[b])
            same = mine.same[hand] >> 3
            if same < their_width:
                mass += reach[start + same]
            rows[row + hand] = np.float32(0.0) if blocked[a] or blocked[b] else mass
        for hand in range(size, width):
            rows[row + hand] = np.float32(0.0)


@njit(cache=True, nogil=True)
def unify(starts: Any, first: int, last: int, canonical: Any, rows: Any) -> None:
    """Give hands that are the same on a board exactly the same value; `starts[:, -1]` are rows."""
    for k in range(first, last):
        row = starts[k, starts.shape[1] - 1]
        for hand in range(canonical.shape[0]):
            rows[row + hand] = rows[row + canonical[hand]]


@njit(cache=True, nogil=True)
def river_board(
    plan: Any,
    chunk: int,
    mine: Any,
    theirs: Any,
    board: int,
    stabiliser: int,
    mode: int,
    source: Any,
    source_base: int,
    regrets: Any,
    averages: Any,
    base: int,
    weights: Any,
    reach: Any,
    rows: Any,
    lanes: Any,
) -> None:
    """One chunk of river roots on one board, from the reach at their roots to their values."""
    marks = plan.chunks[chunk]
    my_width, their_width = mine.first_card.shape[0], theirs.first_card.shape[0]
    descend(plan, marks[0], marks[1], source, source_base, their_width, reach)
    showdowns(plan, marks[4], marks[5], mine, theirs, board, reach, rows, lanes)
    if stabiliser > 0:
        same = mine.canonical[stabiliser]
        unify(plan.lane_values.reshape(-1, 1), 8 * marks[4], 8 * marks[5], same, rows)
        unify(plan.lane_masses.reshape(-1, 1), 8 * marks[4], 8 * marks[5], same, rows)
    mix(plan, marks[6], marks[7], my_width, rows)
    ascend(plan, marks[2], marks[3], mode, regrets, averages, base, my_width, weights, rows)


@njit(cache=True, nogil=True)
def add_renamed(
    level: Any, board: int, renamed: Any, row: int, target: Any, to: int, rows: Any
) -> None:
    """Add a board's value to its parent's, once for each card of the board's class."""
    width = renamed.shape[1]
    for member in range(level.first_member[board], level.first_member[board + 1]):
        which = level.members[member]
        if which == 0:
            for i in range(0, width, 16):
                store16(target, to + i, load16(target, to + i) + load16(rows, row + i))
        else:
            for i in range(width):
                target[to + i] += rows[row + renamed[which, i]]
