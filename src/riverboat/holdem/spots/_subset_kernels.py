"""Ends of spots with hands of k cards: showdowns and folds by inclusion and exclusion.

`_subset_tables` has the idea and the tables. Eight showdowns go side by side, one in each lane of a
vector, so that a run's number is read once for eight ranges.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import uint64

from riverboat.holdem.spots._simd_kernels import gather8, load8, scatter8, spread8, store8
from riverboat.holdem.spots.plan import REACH_FROM, REACH_ROW
from riverboat.runtime.compiled import njit

if TYPE_CHECKING:
    from riverboat.holdem.spots._pass_tasks import PassScratch, Sides
    from riverboat.holdem.spots._subset_tables import SubsetHands
    from riverboat.holdem.spots.plan import StreetPlan
    from riverboat.runtime.array_types import F32, F64, I32, Bools


@njit(cache=True, nogil=True)
def add_up_runs(theirs: SubsetHands, board: int, sums: int, lanes: F32) -> None:
    """Add the reach of the opponent's hands to the runs of all of their subsets.

    `lanes` has eight numbers for each hand from 0 on, and for each run from `sums` on.
    """
    runs, stride = theirs.runs[board], uint64(1 << theirs.cards.shape[1])
    for hand in range(uint64(theirs.combos.shape[0])):
        at = uint64(hand) * stride
        if runs[at] < 0:
            continue
        part = load8(lanes, 8 * np.int64(hand))
        for j in range(at, at + stride - uint64(1)):
            place = sums + 8 * np.int64(runs[j])
            store8(lanes, place, load8(lanes, place) + part)


@njit(cache=True, nogil=True)
def weigh_runs(first_run: I32, sums: int, totals: int, lanes: F32) -> None:
    """Turn each run's reach into that of weaker hands less that of stronger ones.

    `first_run` (subsets + 1,); from `totals` on `lanes` takes what each subset weighs.
    """
    for subset in range(first_run.shape[0] - 1):
        first, last = np.int64(first_run[subset]), np.int64(first_run[subset + 1])
        total = spread8(np.float32(0.0))
        for run in range(first, last):
            total = total + load8(lanes, sums + 8 * run)
        store8(lanes, totals + 8 * subset, total)
        passed = spread8(np.float32(0.0))
        for run in range(first, last):
            own = load8(lanes, sums + 8 * run)
            store8(lanes, sums + 8 * run, (passed + passed + own) - total)
            passed = passed + own


@njit(cache=True, nogil=True)
def read_runs(
    mine: SubsetHands,
    board: int,
    factors: F32,
    block: int,
    sums: int,
    totals: int,
    values: int,
    lanes: F32,
) -> None:
    """What each of my hands wins from eight ranges, and what it meets of them.

    From `values` on `lanes` takes the former, eight numbers for each hand, and then the latter.
    """
    runs, subsets, same = mine.runs[board], mine.subsets, mine.same
    hole_cards = uint64(mine.cards.shape[1])
    stride = uint64(1) << hole_cards
    num_even = (stride >> uint64(1)) - (uint64(1) - (hole_cards & uint64(1)))
    width = mine.weights.shape[0]
    met = values + 8 * width
    win, draw = load8(factors, 24 * block), load8(factors, 24 * block + 8)
    beat = (win + draw) * spread8(np.float32(0.5))
    tie = draw + load8(factors, 24 * block + 16)
    whole_sign = spread8(np.float32(1.0 - 2.0 * (hole_cards & uint64(1))))
    zero = spread8(np.float32(0.0))
    for hand in range(uint64(mine.combos.shape[0])):
        at, place = uint64(hand) * stride, 8 * np.int64(hand)
        if runs[at] < 0:
            store8(lanes, values + place, zero)
            store8(lanes, met + place, zero)
            continue
        beaten, there = zero, zero
        for j in range(at, at + num_even):
            beaten = beaten + load8(lanes, sums + 8 * np.int64(runs[j]))
            there = there + load8(lanes, totals + 8 * np.int64(subsets[j]))
        for j in range(at + num_even, at + stride - uint64(1)):
            beaten = beaten - load8(lanes, sums + 8 * np.int64(runs[j]))
            there = there - load8(lanes, totals + 8 * np.int64(subsets[j]))
        there = there + whole_sign * load8(lanes, same[hand])
        store8(lanes, values + place, beat * beaten + tie * there)
        store8(lanes, met + place, there)
    for i in range(8 * mine.combos.shape[0], 8 * width, 8):
        store8(lanes, values + i, zero)
        store8(lanes, met + i, zero)


@njit(cache=True, nogil=True)
def subset_showdowns(
    plan: StreetPlan, first: int, last: int, sides: Sides, board: int, scratch: PassScratch
) -> None:
    """Values and the opponent's reach of blocks of eight showdowns on one river board."""
    mine, theirs = sides.mine, sides.theirs
    reach, rows, lanes = scratch.reach, scratch.rows, scratch.lanes
    my_width, their_width = mine.weights.shape[0], theirs.weights.shape[0]
    first_run = mine.first_run[board]
    sums = 8 * (their_width + 1)
    totals = sums + 8 * np.int64(first_run[first_run.shape[0] - 1])
    values = totals + 8 * (first_run.shape[0] - 1)
    zero = spread8(np.float32(0.0))
    store8(lanes, 8 * their_width, zero)
    for block in range(first, last):
        for i in range(0, their_width, 8):
            gather8(reach, plan.lane_reach, 8 * block, i, lanes, 8 * i)
        for i in range(sums, totals, 8):
            store8(lanes, i, zero)
        add_up_runs(theirs, board, sums, lanes)
        weigh_runs(first_run, sums, totals, lanes)
        read_runs(mine, board, plan.lane_factors, block, sums, totals, values, lanes)
        for i in range(0, my_width, 8):
            scatter8(lanes, values + 8 * i, rows, plan.lane_values, 8 * block, i)
            place = values + 8 * (my_width + i)
            scatter8(lanes, place, rows, plan.lane_opponent_reach, 8 * block, i)


@njit(cache=True, nogil=True)
def subset_opponent_reach(
    plan: StreetPlan, sides: Sides, blocked: Bools, scratch: PassScratch
) -> None:
    """The opponent's reach at folds before the river; `blocked` (52,) marks the cards dealt."""
    mine, theirs = sides.mine, sides.theirs
    reach, rows = scratch.reach, scratch.rows
    width, their_width = mine.weights.shape[0], theirs.weights.shape[0]
    hole_cards = mine.cards.shape[1]
    stride = 1 << hole_cards
    num_even = stride // 2 - (1 - hole_cards % 2)
    whole_sign = np.float32(1 - 2 * (hole_cards % 2))
    totals = scratch.lanes[: mine.first_run.shape[1] - 1]
    my_live, their_live = _live(mine, blocked), _live(theirs, blocked)
    for k in range(plan.opponent_reach.shape[0]):
        start, row = plan.opponent_reach[k, REACH_FROM], plan.opponent_reach[k, REACH_ROW]
        totals[:] = np.float32(0.0)
        for hand in range(their_live.shape[0]):
            if their_live[hand]:
                part = reach[start + hand]
                for j in range(hand * stride, (hand + 1) * stride - 1):
                    totals[theirs.subsets[j]] += part
        for hand in range(my_live.shape[0]):
            met: Any = np.float32(0.0)
            if my_live[hand]:
                at = hand * stride
                for j in range(at, at + num_even):
                    met += totals[mine.subsets[j]]
                for j in range(at + num_even, at + stride - 1):
                    met -= totals[mine.subsets[j]]
                same = mine.same[hand] >> 3
                if same < their_width:
                    met += whole_sign * reach[start + same]
            rows[row + hand] = met
        for hand in range(my_live.shape[0], width):
            rows[row + hand] = np.float32(0.0)


@njit(cache=True, nogil=True)
def _live(hands: SubsetHands, blocked: Bools) -> Bools:
    """(H,) whether none of a hand's cards is dealt."""
    cards = hands.cards
    live = np.ones(cards.shape[0], np.bool_)
    for hand in range(cards.shape[0]):
        for j in range(cards.shape[1]):
            if blocked[cards[hand, j]]:
                live[hand] = False
    return live


@njit(cache=True, nogil=True)
def check_down(mine: SubsetHands, theirs: SubsetHands, shares: F32, lanes: F32, won: F64) -> None:
    """Add what each of my hands wins on the one board of the tables to `won`.

    `shares` (24,) as the factors of eight showdowns, of which only the first is used.
    """
    none: Any = np.int64(0)
    their_width = theirs.weights.shape[0]
    sums = 8 * (their_width + 1)
    totals = sums + 8 * np.int64(mine.first_run[0, mine.first_run.shape[1] - 1])
    values = totals + 8 * (mine.first_run.shape[1] - 1)
    lanes[:] = np.float32(0.0)
    for hand in range(their_width):
        lanes[8 * hand] = theirs.weights[hand]
    add_up_runs(theirs, none, sums, lanes)
    weigh_runs(mine.first_run[0], sums, totals, lanes)
    read_runs(mine, none, shares, none, sums, totals, values, lanes)
    for hand in range(won.shape[0]):
        won[hand] += lanes[values + 8 * hand]
