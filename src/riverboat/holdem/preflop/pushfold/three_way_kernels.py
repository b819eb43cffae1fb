"""Three hands before the flop: on how many boards do they finish in each order?

A board is counted by its ranks alone first. Boards with three or more cards of one suit were then
counted wrongly for hands that make a flush: for each suit they are visited and moved from the old
order to the true one. The same idea counts two hands in cards/equity_kernels.py.

One suit sees a hand as a *view*: two ranks and a mark on those of the suit. Views are sorted by
their number of marks, then by ranks. The third hand's views are the lanes of every inner loop.

An order is one of 13, in terms of the relation of the first two hands (first ahead, level, second
ahead) and of the place of the third: `ORDERS` in three_way.py lists them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy import int16, uint64

from riverboat.cards.strength import Tables, strength_of
from riverboat.runtime.array_types import I16, I32, I64, U64
from riverboat.runtime.compiled import njit

RANKS_ONLY = uint64(0xFFFFFFFFFFFF0000)  # Takes the counters of suits out of a sum of card keys
STEP = 64  # ViewLanes that are worked on together; V is a multiple of it
CLUB_FLUSH = uint64(8)  # A sum that says "five or more clubs" and nothing else


class Boards(NamedTuple):
    """Five ranks (M of them), and the ways to see three or more of them in one suit (F)."""

    ranks: I64  # (M, 5) in rising order
    starts: I64  # (M + 1,) where each board's suited parts begin
    suited: I64  # (F,) the ranks of the suit, a bit each
    sizes: I64  # (F,) how many they are: 3, 4 or 5
    rest: I64  # (F, 2) the ranks of other suits, -1 where there is none


class ViewLanes(NamedTuple):
    """All views as columns."""

    ranks: I64  # (V, 2)
    marked: I64  # (V,) the ranks of the suit, a bit each
    other: I16  # (13, V) cards of each rank that are not of the suit
    singles: I16  # (4, 13, V) of a number of cards of a rank, how many the view leaves
    doubles: I16  # (4, 13, V) and how many pairs of them
    free: I16  # (8192, V) whether the view has none of a set of ranks in the suit
    firsts: I64  # (6,) the first view that makes a flush with that many cards on the board


@njit(cache=True, nogil=True)
def fill_strengths(
    boards: Boards, lanes: ViewLanes, tables: Tables, plain: I16, flush: I16
) -> None:
    """Write each view's strength by ranks alone (M, V) and with its flush (F, V)."""
    keys, displacements, strengths = tables
    for m in range(boards.ranks.shape[0]):
        total = uint64(0)
        for j in range(5):
            total += keys[4 * boards.ranks[m, j]]
        for v in range(lanes.ranks.shape[0]):
            own = total + keys[4 * lanes.ranks[v, 0]] + keys[4 * lanes.ranks[v, 1]]
            plain[m, v] = strength_of(own & RANKS_ONLY, uint64(0), keys, displacements, strengths)
        for f in range(boards.starts[m], boards.starts[m + 1]):
            first = lanes.firsts[boards.sizes[f]]
            for v in range(lanes.ranks.shape[0]):
                flush[f, v] = plain[m, v]
                if v >= first:
                    mask = _clubs(boards.suited[f] | lanes.marked[v])
                    flush[f, v] = strength_of(CLUB_FLUSH, mask, keys, displacements, strengths)


@njit(cache=True, nogil=True)
def _clubs(ranks: int) -> uint64:
    """The mask of the clubs of a set of ranks."""
    mask = uint64(0)
    for rank in range(13):
        if ranks >> rank & 1:
            mask |= uint64(1) << uint64(4 * rank)
    return mask


@njit(cache=True, nogil=True)
def _add(
    strengths: I16,
    row: int,
    weights: I16,
    low: uint64,
    first: int,
    second: int,
    out: I16,
    at: uint64,
) -> None:
    """Add weights (V,) from view `low` on to the places that the third hand takes.

    `strengths` is flat, `row` the number of its row. The five rows of `out`, from the row `at` on,
    are cumulative: above both, level with the better one or above, above the worse one, level with
    it or above, all.
    """
    num = uint64(weights.shape[0])
    here, there = uint64(row) * num, at * num
    high, under = int16(max(first, second)), int16(min(first, second))
    # A loop for each row: with five outputs in one loop the compiler gives up on SIMD.
    for v in range(low, num):
        out[there + v] += weights[v] if strengths[here + v] > high else int16(0)
    there += num
    for v in range(low, num):
        out[there + v] += weights[v] if strengths[here + v] >= high else int16(0)
    there += num
    for v in range(low, num):
        out[there + v] += weights[v] if strengths[here + v] > under else int16(0)
    there += num
    for v in range(low, num):
        out[there + v] += weights[v] if strengths[here + v] >= under else int16(0)
    there += num
    for v in range(low, num):
        out[there + v] += weights[v]


@njit(cache=True, nogil=True)
def count_flush_changes(
    a: int,
    first: int,
    boards: Boards,
    lanes: ViewLanes,
    plain: I16,
    flush: I16,
    sums: I16,
    out: I32,
) -> None:
    """What one suit's flushes change for view a, K views from `first` ≥ a on, and every third one.

    `plain` (M · V,) and `flush` (F · V,) are strengths, `sums` (K · 30 · V,) is scratch. Writes
    `out` (K, 2 · 3 · 5 · V): the new and the old counts, by the relation of the first two, then as
    `_add` has them; right for third views from the second one on.
    """
    ranks, starts, suits, sizes, rest = boards
    _, marked, other, singles, doubles, free, firsts = lanes
    num, num_second = uint64(marked.shape[0]), uint64(out.shape[0])
    weights, moved = np.zeros(num, np.int16), np.zeros((out.shape[0], marked.shape[0]), np.int16)
    touched = np.zeros(out.shape[0], uint64)
    left = np.full((out.shape[0], 13), 3)
    held = np.zeros(out.shape[0], uint64)
    out[:] = 0
    sums[:] = 0
    for k in range(out.shape[0]):
        with_it = first + k
        held[k] = uint64(marked[a] | marked[with_it])
        for rank in range(13):
            left[k, rank] -= other[rank, a] + other[rank, with_it]
        if marked[a] & marked[with_it] or left[k].min() < 0:
            held[k] = uint64(0x1FFF)  # They cannot be held together: no board fits
    for m in range(uint64(ranks.shape[0])):
        touched[:] = num
        for f in range(uint64(starts[m]), uint64(starts[m + uint64(1)])):
            suited = uint64(suits[f])
            flushing = uint64(firsts[uint64(sizes[f])])
            r, s = rest[f, 0], rest[f, 1]
            here = suited * num
            for k in range(num_second):
                if suited & held[k]:
                    continue
                b = uint64(first) + k
                low = b if b >= flushing else flushing
                low -= low % uint64(STEP)
                if touched[k] == num:
                    for v in range(num):
                        moved[k, v] = 0
                touched[k] = min(touched[k], low)
                if r < 0:
                    for v in range(low, num):
                        weights[v] = free[here + v]
                elif r == s:
                    there = uint64(left[k, r] * 13 + r) * num
                    for v in range(low, num):
                        weights[v] = free[here + v] * doubles[there + v]
                else:
                    there = uint64(left[k, r] * 13 + r) * num
                    for v in range(low, num):
                        weights[v] = free[here + v] * singles[there + v]
                    if s >= 0:
                        there = uint64(left[k, s] * 13 + s) * num
                        for v in range(low, num):
                            weights[v] *= singles[there + v]
                for v in range(low, num):
                    moved[k, v] += weights[v]
                mine, theirs = flush[f * num + uint64(a)], flush[f * num + b]
                relation = uint64(0) if mine > theirs else uint64(1 + (mine < theirs))
                at = uint64(30) * k + uint64(5) * relation
                _add(flush, f, weights, low, mine, theirs, sums, at)
        for k in range(num_second):
            if touched[k] < num:
                for v in range(num):
                    weights[v] = moved[k, v]
                mine, theirs = plain[m * num + uint64(a)], plain[m * num + uint64(first) + k]
                relation = uint64(0) if mine > theirs else uint64(1 + (mine < theirs))
                at = uint64(30) * k + uint64(15) + uint64(5) * relation
                _add(plain, m, weights, touched[k], mine, theirs, sums, at)
        # A board adds at most 106 to a sum, so 300 of them fit into 16 bits.
        if m % uint64(300) == 299 or m + uint64(1) == uint64(ranks.shape[0]):
            place = uint64(0)
            for k in range(out.shape[0]):
                for v in range(out.shape[1]):
                    out[k, v] += sums[place]
                    sums[place] = 0
                    place += uint64(1)


class States(NamedTuple):
    """Views with the class of hands they belong to, and the hands behind them."""

    views: I64  # (S,) rising
    classes: I64  # (S,)
    masks: U64  # (S, 12) the cards of each hand, 0 behind the last
    sizes: I64  # (S,) how many hands
    ranks: I64  # (S,) a bit for each rank


@njit(cache=True, nogil=True)
def num_disjoint(x: int, y: int, z: int, states: States) -> int:
    """The number of ways to hold three states at once."""
    _, _, masks, sizes, ranks = states
    first, second, third = ranks[x], ranks[y], ranks[z]
    if first & second == 0 and first & third == 0 and second & third == 0:
        return int(sizes[x] * sizes[y] * sizes[z])
    total = 0
    for i in range(sizes[x]):
        for j in range(sizes[y]):
            both = masks[x, i] | masks[y, j]
            if masks[x, i] & masks[y, j]:
                continue
            for k in range(sizes[z]):
                total += (both & masks[z, k]) == 0
    return total


@njit(cache=True, nogil=True)
def _add_state_triple(
    x: int, y: int, z: int, times: int, change: I64, states: States, orders: I64, out: I64
) -> None:
    """Add `times` · `change` (13,) to the class triples that three states stand for.

    `orders` (6, 13) says which order each one becomes when the hands change places.
    """
    classes = states.classes
    for p in range(6):
        first, second, third = _PLACES[p]
        if (x == y and first > second) or (y == z and second > third):
            continue  # Two equal states: one of the two permutations counts
        low = high = middle = 0
        for state, place in ((x, first), (y, second), (z, third)):
            if place == 0:
                low = classes[state]
            elif place == 1:
                middle = classes[state]
            else:
                high = classes[state]
        if low <= middle <= high:
            row = high * (high + 1) * (high + 2) // 6 + middle * (middle + 1) // 2 + low
            for order in range(13):
                out[row, orders[p, order]] += times * change[order]


_PLACES = np.array([[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
"""For each permutation the place that the first, second and third hand takes."""


@njit(cache=True, nogil=True)
def add_changes(
    a: int, b: int, counts: I32, starts: I64, states: States, orders: I64, out: I64
) -> None:
    """Add what the flushes of all four suits change, from `counts` (30 · V,) of views a and b.

    `starts` (V + 1,) says where each view's states begin; adds to `out` (class triples, 13).
    """
    num = starts.shape[0] - 1
    lanes = counts.shape[0] // 30
    change = np.zeros(13, np.int64)
    for c in range(b, num):
        for order in range(13):
            change[order] = 0
        different = False
        for kind in range(2):
            sign = 4 - 8 * kind  # Four suits; the old orders are taken away
            for relation in range(3):
                at = (15 * kind + 5 * relation) * lanes + c
                below = 0
                for place in range(5):
                    upto = counts[at + place * lanes]
                    order = _ORDER_OF[relation, place]
                    change[order] += sign * (upto - below)
                    below = upto
        for order in range(13):
            different |= change[order] != 0
        if not different:
            continue
        for x in range(starts[a], starts[a + 1]):
            for y in range(max(x, starts[b]), starts[b + 1]):
                for z in range(max(y, starts[c]), starts[c + 1]):
                    times = num_disjoint(x, y, z, states)
                    if times:
                        _add_state_triple(x, y, z, times, change, states, orders, out)


_ORDER_OF = np.array([[0, 1, 2, 3, 4], [5, 6, 6, 6, 7], [8, 9, 10, 11, 12]])
"""The order for each relation of the first two hands and each place of the third. Where the two
are level, the third and fourth of the cumulative counts repeat the first and second."""


@njit(cache=True, nogil=True)
def add_rank_counts(
    a: int, pairs: I64, boards: Boards, plain: I16, starts: I64, states: States, orders: I64,
    out: I64,
) -> None:  # fmt: skip
    """Add the boards by ranks alone for a pair of ranks `a` and all others from it on.

    `pairs` (91, 2) ranks, `plain` (M, 91) strengths, `starts` (92,) where the classes of each
    begin in `states`; adds to `out` (class triples, 13).
    """
    ranks = boards.ranks
    left = np.empty(13, np.int64)
    change = np.zeros(13, np.int64)
    choose = np.zeros((5, 6), np.int64)
    for n in range(5):
        choose[n, 0] = 1
        for k in range(1, n + 1):
            choose[n, k] = choose[n - 1, k - 1] + (choose[n - 1, k] if k < n else 0)
    for b in range(a, pairs.shape[0]):
        for c in range(b, pairs.shape[0]):
            left[:] = 4
            for pair in (a, b, c):
                left[pairs[pair, 0]] -= 1
                left[pairs[pair, 1]] -= 1
            if left.min() < 0:
                continue
            change[:] = 0
            for m in range(ranks.shape[0]):
                weight, j = 1, 0
                while j < 5:
                    rank, taken = ranks[m, j], 1
                    while j + taken < 5 and ranks[m, j + taken] == rank:
                        taken += 1
                    weight *= choose[left[rank], taken]
                    j += taken
                first, second, third = plain[m, a], plain[m, b], plain[m, c]
                high, low = max(first, second), min(first, second)
                relation = 0 if first > second else 1 if first == second else 2
                place = 4
                if third > high:
                    place = 0
                elif third == high:
                    place = 1
                elif third > low:
                    place = 2
                elif third == low:
                    place = 3
                change[_ORDER_OF[relation, place]] += weight
            for x in range(starts[a], starts[a + 1]):
                for y in range(max(x, starts[b]), starts[b + 1]):
                    for z in range(max(y, starts[c]), starts[c + 1]):
                        times = num_disjoint(x, y, z, states)
                        if times:
                            _add_state_triple(x, y, z, times, change, states, orders, out)
