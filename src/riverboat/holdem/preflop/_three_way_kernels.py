"""Three hands before the flop: in how many deals do they finish in each order?

Deals are split by whether a hand makes a flush; three facts make each part cheap.

- Without a flush only ranks count. The number of deals without one depends on how often a board has
  each rank of the hands and on how its other ranks repeat: its *profile*. So boards are counted by
  profile and order, and the sums are multiplied by the deals of each profile (`count_plain`).
- Flushes of one suit are compared by the suited cards alone, whatever else lies on the board
  (`compare_flushes`).
- A hand without a flush beats a flush only with a full house or better, and never a straight flush.
  So it is enough to sum the deals for each set of suited cards on the board, for any hand that
  makes the flush (`sum_deals`); a flush is then summed over the sets that have none of its cards.

One suit, clubs, stands for all four. A *state* is the hands of a class with the same clubs, its
*marks*: none, one of 13 or two of 78. An order is one of 13: `ORDERS` in three_way.py lists them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy import uint32, uint64

from riverboat.runtime.array_types import I16, I32, I64, U32, U64
from riverboat.runtime.compiled import njit

LANES = 16  # Sums that are kept next to each other, so that one vector holds them
NO_HAND = 91  # The pair of ranks that stands for no hand: weaker than any, and holding nothing
NO_RANK = 13
NUM_MARKS = 92


class States(NamedTuple):
    """The hands of a class with the same clubs, by class."""

    starts: I64  # (170,) where the states of each class begin
    classes: I64  # (S,)
    marks: I64  # (S,) the ranks of their clubs as bits
    numbers: I64  # (S,) the marks' number: 0 none, 1…13 one, 14…91 two
    marked: I64  # (S,) 0 no mark, 1 the low rank, 2 the high rank; 3 both
    other: I64  # (S,) where there is one mark: the rank of the other card, else NO_RANK
    cards: U64  # (S, 6) the cards of each hand as bits
    sizes: I64  # (S,) the number of hands
    ranks: I64  # (S, 2)
    meetings: I64  # (S, S) 2 · the deals of two states + whether they share a rank


class Pairs(NamedTuple):
    """The 91 pairs of ranks, and `NO_HAND`."""

    ranks: I64  # (92, 2) low and high
    numbers: I64  # (13, 13) the number of each pair
    classes: I64  # (92, 2) suited and offsuit; -1 instead of the second for a pair of equal ranks
    strengths: I16  # (92, M) on each board, without flushes


class Suited(NamedTuple):
    """Boards with K suited cards: N sets of them and L sets of other ranks."""

    members: I64  # (N, K) the suited ranks
    bits: I64  # (N,) the same as bits
    rest: I64  # (L, 2) the other ranks, NO_RANK for none
    boards: I32  # (N, L) the number of the board
    straights: I64  # (X, 2) marks and sets of suited cards that make a straight flush
    pairs: I64  # (P, 2) marks of two flushes
    starts: I64  # (P + 1,) where the sets begin on which both can be
    sets: I64  # (Z,) these sets
    results: I64  # (Z,) 3 · (the second is ahead) + the number of straight flushes


@njit(cache=True, nogil=True)
def num_disjoint(x: int, y: int, z: int, meetings: I64, cards: U64, sizes: I64) -> int:
    """The number of deals of three states; the arrays are those of `States`."""
    first, second, third = meetings[y, z], meetings[x, z], meetings[x, y]
    # A hand that shares no rank with the others blocks nothing.
    if (second | third) & 1 == 0:
        return int(sizes[x] * (first >> 1))
    if (first | third) & 1 == 0:
        return int(sizes[y] * (second >> 1))
    if (first | second) & 1 == 0:
        return int(sizes[z] * (third >> 1))
    total = 0
    for i in range(sizes[x]):
        for j in range(sizes[y]):
            both = cards[x, i] | cards[y, j]
            if cards[x, i] & cards[y, j]:
                continue
            for k in range(sizes[z]):
                total += (both & cards[z, k]) == 0
    return total


@njit(cache=True, nogil=True)
def add_orders(x: int, y: int, z: int, alike: int, counts: I64, orders: I64, out: U32) -> None:
    """Add `counts` (13,) of hands of classes x, y and z to their row.

    Hands of the same class change seats, unless they are among the last `alike` hands, whose counts
    have all seats. `orders` (6, 13) says which order each becomes when the hands change places.
    """
    for p in range(6):
        first, second, third = _PLACES[p]
        if alike >= 2 and y == z and second > third:
            continue
        low = x if first == 0 else y if second == 0 else z
        middle = x if first == 1 else y if second == 1 else z
        high = x if first == 2 else y if second == 2 else z
        if low <= middle <= high:
            row = high * (high + 1) * (high + 2) // 6 + middle * (middle + 1) // 2 + low
            for order in range(13):
                out[row, orders[p, order]] += uint32(counts[order])
            if alike == 3:
                return


@njit(cache=True, nogil=True)
def add_classes(
    first: I64, second: I64, third: I64, alike: int, counts: I64, orders: I64, out: U32
) -> None:
    """Add counts (A, B, C, 13) of the classes in three lists, in which -1 stands for none."""
    for i in range(first.shape[0]):
        for j in range(second.shape[0]):
            for k in range(third.shape[0]):
                x, y, z = first[i], second[j], third[k]
                if x >= 0 and y >= 0 and z >= 0:
                    add_orders(x, y, z, alike, counts[i, j, k], orders, out)


_PLACES = np.array([[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
"""For each permutation the place that the first, second and third hand takes."""
_CHOOSE = np.array([[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 2, 1, 0, 0], [1, 3, 3, 1, 0],
                    [1, 4, 6, 4, 1]])  # fmt: skip
_ORDER_OF = np.array([0, 1, 2, 3, 4, 5, 6, 6, 6, 7, 8, 9, 10, 11, 12])
"""The order for 5 · (relation of the first two hands) + place of the third; if the two are level,
the third is above, level at place 2, or below."""


@njit(cache=True, nogil=True)
def weigh_profiles(classes: I64, boards: I64, states: States, out: U32) -> None:
    """Write the deals without a flush of three classes (3,) for each board.

    `boards` (B, 10) has for each board five ranks and how often each is there (0 for none), the
    different ranks first. Writes `out` (B,).
    """
    starts, marks, ranks = states.starts, states.marks, states.ranks
    suits_left, clubless = np.empty(14, np.int64), np.empty(14, np.int64)
    first, second, third = classes
    for x in range(starts[first], starts[first + 1]):
        for y in range(starts[second], starts[second + 1]):
            for z in range(starts[third], starts[third + 1]):
                times = num_disjoint(x, y, z, states.meetings, states.cards, states.sizes)
                if times == 0:
                    continue
                held = marks[x] | marks[y] | marks[z]
                best = max(states.marked[x] + 1, states.marked[y] + 1, states.marked[z] + 1) // 2
                suits_left[:] = 4
                for state in (x, y, z):
                    suits_left[ranks[state, 0]] -= 1
                    suits_left[ranks[state, 1]] -= 1
                for rank in range(13):
                    clubless[rank] = suits_left[rank] - (1 - (held >> rank & 1))
                for b in range(boards.shape[0]):
                    num_boards, different = 1, 0
                    for j in range(5):
                        num_boards *= _CHOOSE[suits_left[boards[b, j]], boards[b, 5 + j]]
                        different += boards[b, 5 + j] > 0
                    for subset in range(7, 1 << different):
                        if _SIZES[subset] < max(3, 5 - best):
                            continue
                        ways = 4  # The suits
                        for j in range(different):
                            rank, inside = boards[b, j], subset >> j & 1
                            if inside and held >> rank & 1:
                                ways = 0
                            ways *= _CHOOSE[clubless[rank], boards[b, 5 + j] - inside]
                        num_boards -= ways
                    out[b] += uint32(times * num_boards)


_SIZES = np.array([subset.bit_count() for subset in range(32)])


class Boards(NamedTuple):
    """The M boards by ranks, and their profiles for a number of ranks that hands have."""

    counts: I16  # (13, M) how often each rank is there
    kinds: I16  # (M,) which of its ranks repeat: 0…5
    profiles: I16  # (6 · 5^R,) the number of a profile from its key


@njit(cache=True, nogil=True)
def count_plain(
    rank_sets: I64, patterns: I64, weights: U32, boards: Boards, pairs: Pairs, orders: I64, out: U32
) -> None:
    """Add the deals without a flush of all hands whose ranks are one of the sets (Q, R).

    `patterns` (P, 3, 2) are three hands on the ranks 0…R-1, `weights` (P, 2, 2, 2, profiles) the
    deals of each profile without a flush, for suited and offsuit hands. Adds to `out` (rows, 13).
    """
    num_kinds, num_profiles = boards.kinds.shape[0], weights.shape[4]
    profiles, cells = np.empty(num_kinds, np.int16), np.empty(num_kinds, np.int16)
    seen, sums = np.empty(num_profiles * LANES, np.uint32), np.empty(LANES, np.uint32)
    counts, chosen = np.empty(13, np.int64), np.empty(3, np.int64)
    for ranks in rank_sets:
        for m in range(num_kinds):
            key = int(boards.kinds[m])
            for rank in ranks[::-1]:
                key = 5 * key + boards.counts[rank, m]
            profiles[m] = LANES * boards.profiles[key]
        for pattern in range(patterns.shape[0]):
            for hand in range(3):
                low, high = patterns[pattern, hand]
                chosen[hand] = pairs.numbers[ranks[low], ranks[high]]
            _find_cells(profiles, chosen, pairs.strengths, cells)
            seen[:] = 0
            for m in range(num_kinds):
                seen[uint64(cells[m])] += uint32(1)
            for i in range(2):
                for j in range(2):
                    for k in range(2):
                        a = pairs.classes[chosen[0], i]
                        b = pairs.classes[chosen[1], j]
                        c = pairs.classes[chosen[2], k]
                        if a < 0 or b < 0 or c < 0:
                            continue
                        # Two hands of the same ranks: their classes are met in both orders.
                        if (chosen[0] == chosen[1] and a > b) or (chosen[1] == chosen[2] and b > c):
                            continue
                        sums[:] = 0
                        for profile in range(num_profiles):
                            weight = weights[pattern, i, j, k, profile]
                            for lane in range(LANES):
                                sums[lane] += weight * seen[profile * LANES + lane]
                        counts[:] = 0
                        for lane in range(LANES - 1):
                            counts[_ORDER_OF[lane]] += sums[lane]
                        add_orders(a, b, c, 3, counts, orders, out)


@njit(cache=True, nogil=True)
def _find_cells(profiles: I16, chosen: I64, strengths: I16, out: I16) -> None:
    """Write for each board its profile + 5 · relation of the first two hands + third's place."""
    first, second, third = strengths[chosen[0]], strengths[chosen[1]], strengths[chosen[2]]
    for m in range(profiles.shape[0]):
        a, b, c = first[m], second[m], third[m]
        high, low = (a, b) if a > b else (b, a)
        relation = np.int16(a <= b) + np.int16(a < b)
        position = np.int16(c <= high) + np.int16(c < high) + np.int16(c <= low) + np.int16(c < low)
        out[m] = profiles[m] + np.int16(5) * relation + position


@njit(cache=True, nogil=True)
def compare_flushes(
    strengths: I16, sizes: I64, num_marks: I64, ways: I32, orders: I64, out: I32
) -> None:
    """Count, for three sets of marks, the deals in which all make a flush, by order.

    `strengths` (N, 92) by suited cards on the board and marks, -1 where there is none; `sizes` (N,)
    the number of suited cards; `num_marks` (92,); `ways` (6, 7) the ways to deal the rest of the
    board by suited cards and marks. Writes `out` (92, 92, 92, 13).
    """
    for a in range(NUM_MARKS):
        for b in range(a, NUM_MARKS):
            for n in range(strengths.shape[0]):
                mine, theirs = strengths[n, a], strengths[n, b]
                high, low = (mine, theirs) if mine > theirs else (theirs, mine)
                if low < 0:
                    continue
                relation = 5 * (int(mine <= theirs) + int(mine < theirs))
                marks = num_marks[a] + num_marks[b]
                for c in range(NUM_MARKS):
                    third = strengths[n, c]
                    if third >= 0:
                        position = int(third <= high) + int(third < high)
                        position += int(third <= low) + int(third < low)
                        order = _ORDER_OF[relation + position]
                        num_ways = ways[sizes[n], marks + num_marks[c]]
                        out[a, b, c, order] += num_ways
                        if a < b:
                            out[b, a, c, orders[2, order]] += num_ways


@njit(cache=True, nogil=True)
def write_three_flushes(third: int, flushes: I32, states: States, orders: I64, out: U32) -> None:
    """Write the deals in which all hands make a flush, to the rows of a third class.

    `flushes` (92, 92, 92, 13) are those of `compare_flushes`. Writes to `out` (rows, 13).
    """
    starts, numbers = states.starts, states.numbers
    row = third * (third + 1) * (third + 2) // 6
    counts = np.empty(13, np.int64)
    for b in range(third + 1):
        for a in range(b + 1):
            counts[:] = 0
            for z in range(starts[third], starts[third + 1]):
                for y in range(starts[b], starts[b + 1]):
                    for x in range(starts[a], starts[a + 1]):
                        times = num_disjoint(x, y, z, states.meetings, states.cards, states.sizes)
                        if times:
                            # The hand that changes fastest last: so rows stay in the cache
                            orders_met = flushes[numbers[z], numbers[y], numbers[x]]
                            for order in range(13):
                                counts[order] += times * orders_met[order]
            for order in range(13):
                out[row, orders[5, order]] = uint32(counts[order])
            row += 1


@njit(cache=True, nogil=True)
def sum_deals(p: int, q: int, full_house: int, suited: Suited, pairs: Pairs, out: I32) -> None:
    """Sum the deals of the rest of the board for each set of suited cards and two plain hands.

    Writes `out` (N · 8 · 16,) by set, by how the hands p and q stand to each other and to a flush
    (`_HOW`), and by lane. With three suited cards the lanes are the marks of the hands: 3 · p's +
    q's. With four, plain hands have no marks, and the lanes are a rank of which the flush holds a
    card of another suit; `NO_RANK` for none.
    """
    members, bits, rest, boards = suited.members, suited.bits, suited.rest, suited.boards
    held, marks = np.zeros((14, LANES), np.int64), np.zeros(LANES, np.int64)
    weights = np.zeros((rest.shape[0], LANES), np.int32)
    for lane in range(LANES):
        for pair, marked in ((p, lane // 3), (q, lane % 3)):
            if members.shape[1] == 4 or marked > 2:
                marked = 0
            low, high = pairs.ranks[pair]
            held[low, lane] += marked != 1
            held[high, lane] += marked != 2
            if marked and pair != NO_HAND:
                marks[lane] |= 1 << (low if marked == 1 else high)
        if members.shape[1] == 4:
            held[lane if lane < NO_RANK else NO_RANK, lane] += 1
        for k in range(rest.shape[0]):
            r, s = rest[k]
            ways = 3 - held[r, lane]
            if s == r:
                ways = ways * (ways - 1) // 2
            elif s != NO_RANK:
                ways *= 3 - held[s, lane]
            weights[k, lane] = ways
    first, second = pairs.strengths[p], pairs.strengths[q]
    out[:] = 0
    for n in range(members.shape[0]):
        for k in range(rest.shape[0]):
            m = boards[n, k]
            mine, theirs = first[m], second[m]
            relation = int(mine <= theirs) + int(mine < theirs)
            ahead = int(mine >= full_house) + int(theirs >= full_house)
            start = uint64((8 * n + _HOW[3 * ahead + relation]) * LANES)
            for lane in range(LANES):
                out[start + uint64(lane)] += weights[k, lane]
        for lane in range(LANES):
            if bits[n] & marks[lane]:
                for how in range(8):
                    out[(8 * n + how) * LANES + lane] = 0


_HOW = np.array([0, 1, 2, 3, 3, 4, 5, 6, 7])
"""How two plain hands stand, by 3 · (the number of full houses or better) + relation of the two:
both behind the flush, first ahead, level or behind (0 to 2), one before it (3, 4), both (5 on)."""


@njit(cache=True, nogil=True)
def _add(values: I32, times: int, out: I32) -> None:
    """Add `times` · `values` to `out`, both (K,)."""
    for k in range(out.shape[0]):
        out[k] += np.int32(times) * values[k]


@njit(cache=True, nogil=True)
def count_one_flush(
    p: int, q: int, deals: I32, suited: Suited, pairs: Pairs, states: States, out: I64
) -> None:
    """Add the deals in which one hand makes a flush and hands of the ranks p and q do not.

    `deals` are p's and q's from `sum_deals`. Adds to `out` (169, 2, 2, 13): by the class with the
    flush, suited or offsuit p and q, and order.
    """
    size = suited.members.shape[1]
    wide, most = 8 * LANES, 2 if size == 3 else 0
    # Sums over the sets with given ranks: none, one at 1 + r, two at 14 * (1 + r) + s.
    having = np.zeros((14 * 14, wide), np.int32)
    for n in range(suited.members.shape[0]):
        row = deals[n * wide : (n + 1) * wide]
        _add(row, 1, having[0])
        for i in range(size):
            r = suited.members[n, i]
            _add(row, 1, having[1 + r])
            for j in range(i + 1, size):
                _add(row, 1, having[14 * (1 + r) + suited.members[n, j]])
    # Sets without a rank are all but those with it; without two ranks, those with both come back.
    free = np.zeros((NUM_MARKS, wide), np.int32)
    number = 14
    for r in range(13):
        _add(having[0], 1, free[1 + r])
        _add(having[1 + r], -1, free[1 + r])
        for s in range(r + 1, 13):
            _add(having[0], 1, free[number])
            _add(having[1 + r], -1, free[number])
            _add(having[1 + s], -1, free[number])
            _add(having[14 * (1 + r) + s], 1, free[number])
            number += 1
    for x in range(suited.straights.shape[0]):
        marks, n = suited.straights[x]
        for how in range(3, 8):
            first = _FLUSH_FIRST[how] * LANES
            for lane in range(LANES):
                num_deals = deals[n * wide + how * LANES + lane]
                free[marks, how * LANES + lane] -= num_deals
                free[marks, first + lane] += num_deals
    for i in range(2):
        for j in range(2):
            b, c = pairs.classes[p, i], pairs.classes[q, j]
            if b < 0 or c < 0 or (p == q and b > c):
                continue
            for y in range(states.starts[b], states.starts[b + 1]):
                for z in range(states.starts[c], states.starts[c + 1]):
                    if states.marked[y] > most or states.marked[z] > most:
                        continue
                    for x in range(states.marks.shape[0]):
                        if states.marked[x] == 0 or (size == 3 and states.marked[x] != 3):
                            continue
                        times = num_disjoint(x, y, z, states.meetings, states.cards, states.sizes)
                        if times == 0:
                            continue
                        lane = states.other[x]
                        if size == 3:
                            lane = 3 * states.marked[y] + states.marked[z]
                        for how in range(8):
                            num_deals = free[states.numbers[x], how * LANES + lane]
                            out[states.classes[x], i, j, _ORDER_OF_ONE[how]] += (
                                4 * times * num_deals
                            )


_FLUSH_FIRST = np.array([0, 1, 2, 0, 2, 0, 1, 2])
"""How two plain hands stand to each other, with a straight flush before both."""
_ORDER_OF_ONE = np.array([4, 3, 2, 12, 0, 10, 9, 8])
"""The order of a flush and two plain hands, by how these stand."""


@njit(cache=True, nogil=True)
def count_two_flushes(
    p: int, deals: I32, suited: Suited, pairs: Pairs, states: States, by_marks: I64, starts: I64,
    out: I64,
) -> None:  # fmt: skip
    """Add the deals in which two hands make a flush and a hand of the ranks p does not.

    `deals` are p's from `sum_deals`; `by_marks` (S,) are states by marks, `starts` (93,) where each
    begins. Adds to `out` (2, 169, 169, 13): suited or offsuit p, classes with a flush, and order.
    """
    size = suited.members.shape[1]
    most = 2 if size == 3 else 0
    sums = np.empty((6, 2 * LANES), np.int32)
    for pair in range(suited.pairs.shape[0]):
        sums[:] = 0
        for e in range(suited.starts[pair], suited.starts[pair + 1]):
            result, here = uint64(suited.results[e]), uint64(suited.sets[e] * 8 * LANES)
            for lane in range(LANES):
                sums[result, lane] += deals[here + uint64(lane)]
            here += uint64(3 * LANES)
            for lane in range(LANES):
                sums[result, LANES + lane] += deals[here + uint64(lane)]
        # Where the plain hand has no full house it is last, as it is behind two straight flushes.
        for ahead in (0, 3):
            for straights in range(3):
                _add(sums[ahead + straights, :LANES], 1, sums[ahead + 2, LANES:])
        first, second = suited.pairs[pair]
        for i in range(2):
            a = pairs.classes[p, i]
            if a < 0:
                continue
            for x in range(states.starts[a], states.starts[a + 1]):
                if states.marked[x] > most:
                    continue
                for y in by_marks[starts[first] : starts[first + 1]]:
                    for z in by_marks[starts[second] : starts[second + 1]]:
                        times = num_disjoint(x, y, z, states.meetings, states.cards, states.sizes)
                        if times == 0:
                            continue
                        b, c = states.classes[y], states.classes[z]
                        for order in range(6):
                            deal_sums = sums[order, LANES:]
                            if size == 3:
                                num_deals = deal_sums[3 * states.marked[x]]
                            else:  # Each flush may hold one card that is none of the suit
                                num_deals = deal_sums[states.other[y]] + deal_sums[states.other[z]]
                                num_deals -= deal_sums[NO_RANK]
                            out[i, b, c, _ORDER_OF_TWO[order]] += 4 * times * num_deals


_ORDER_OF_TWO = np.array([4, 12, 10, 2, 0, 8])
"""The order of a plain hand and two flushes, by who is ahead and the plain hand's place."""
