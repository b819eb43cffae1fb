"""The hot loops of a pass: reach down, showdowns, values and regrets up, board by board.

Bundles of arguments are those of `_pass_tasks` (what a pass does, hands, scratch, schedule), plans
those of `plan`, whose names of columns are used here. `base` is where a board's rows begin in a
player's storage, `width` the padded number of a player's hands, a multiple of 16.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba.extending import overload

from riverboat.holdem.spots._pass_tasks import PassTask, Sides
from riverboat.holdem.spots._simd_kernels import (
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
    take_next,
    where_none,
)
from riverboat.holdem.spots._subset_kernels import subset_opponent_reach, subset_showdowns
from riverboat.holdem.spots._update_kernels import learn_node, read16
from riverboat.holdem.spots.plan import (
    CHANCE_ROW,
    CHUNK_BLOCKS,
    CHUNK_COMBINATIONS,
    CHUNK_DOWN,
    CHUNK_ROOTS,
    CHUNK_UP,
    COMBINE_COUNT,
    COMBINE_FIRST,
    COMBINE_RESULT,
    DOWN_ACTIONS,
    DOWN_AFTER,
    DOWN_BEFORE,
    DOWN_OFFSET,
    REACH_FROM,
    REACH_ROW,
    UP_ACTIONS,
    UP_CHILD,
    UP_OFFSET,
    UP_OWN,
    UP_RESULT,
)
from riverboat.runtime.compiled import njit
from riverboat.solvers.algorithms import AVERAGE, BEST, LEARN

if TYPE_CHECKING:
    from riverboat.holdem.spots._boards import BoardLevel
    from riverboat.holdem.spots._hand_tables import HandTables
    from riverboat.holdem.spots._pass_tasks import PassScratch, Schedule
    from riverboat.holdem.spots.plan import StreetPlan
    from riverboat.holdem.spots.storage import PlayerStorage
    from riverboat.runtime.array_types import F32, I16, I64, Bools, Whole


@njit(cache=True, nogil=True)
def descend(
    plan: StreetPlan,
    first: int,
    last: int,
    source: PlayerStorage,
    base: int,
    width: int,
    reach: F32,
) -> None:
    """Split the opponent's reach at their nodes by regret matching on `source`, in place."""
    down, values, scales = plan.down, source.values, source.scales
    for k in range(first, last):
        num_actions, start = down[k, DOWN_ACTIONS], base + down[k, DOWN_OFFSET]
        before, after, row = down[k, DOWN_BEFORE], down[k, DOWN_AFTER], start // width
        even = spread16(np.float32(1.0 / num_actions))
        for i in range(0, width, 16):
            total = positive(read16(values, scales, row, start + i))
            for a in range(1, num_actions):
                at = start + a * width + i
                total = total + positive(read16(values, scales, row + a, at))
            here = load16(reach, before + i)
            scale, uniform = share_of(total) * here, where_none(total, even * here)
            for a in range(num_actions):
                at = start + a * width + i
                part = positive(read16(values, scales, row + a, at)) * scale + uniform
                store16(reach, after + a * width + i, part)


@njit(cache=True, nogil=True)
def average_node(
    plan: StreetPlan, k: int, averages: PlayerStorage, start: int, width: int, rows: F32
) -> None:
    """The value of the learner's node `plan.up[k]` under their average strategy."""
    num_actions, result, child = plan.up[k, UP_ACTIONS], plan.up[k, UP_RESULT], plan.up[k, UP_CHILD]
    values, scales, row = averages.values, averages.scales, start // width
    even = spread16(np.float32(1.0 / num_actions))
    for i in range(0, width, 16):
        total = positive(read16(values, scales, row, start + i))
        for a in range(1, num_actions):
            total = total + positive(read16(values, scales, row + a, start + a * width + i))
        scale, uniform = share_of(total), where_none(total, even)
        value = spread16(np.float32(0.0))
        for a in range(num_actions):
            at = start + a * width + i
            part = positive(read16(values, scales, row + a, at)) * scale + uniform
            gain = load16(rows, plan.child_rows[child + a] + i)
            value = value + part * (gain * spread16(plan.child_factors[child + a]))
        store16(rows, result + i, value)


@njit(cache=True, nogil=True)
def play_locked(
    plan: StreetPlan, k: int, averages: PlayerStorage, start: int, width: int, lock: int, rows: F32
) -> None:
    """For locked hands use the value of the locked strategy; others keep their best response's."""
    result = plan.up[k, UP_RESULT]
    best = np.empty(width, np.float32)
    for i in range(width):
        best[i] = rows[result + i]
    average_node(plan, k, averages, start, width, rows)
    for i in range(width):
        if averages.masks[lock * width + i] == np.float32(0.0):
            rows[result + i] = best[i]


@njit(cache=True, nogil=True)
def ascend(
    plan: StreetPlan, first: int, last: int, task: PassTask, base: int, width: int, rows: F32
) -> None:
    """Values of nodes from those of their children; a LEARN pass updates the learner's numbers."""
    up, child_rows, factors = plan.up, plan.child_rows, plan.child_factors
    mode, averages = task.mode, task.averages
    for k in range(first, last):
        own, num_actions = up[k, UP_OWN], up[k, UP_ACTIONS]
        result, child = up[k, UP_RESULT], up[k, UP_CHILD]
        if own == 0:
            # The opponent's reach below already holds their strategy, so values simply add up.
            for i in range(0, width, 16):
                value = load16(rows, child_rows[child] + i) * spread16(factors[child])
                for a in range(child + 1, child + num_actions):
                    value = value + load16(rows, child_rows[a] + i) * spread16(factors[a])
                store16(rows, result + i, value)
            continue
        start = base + up[k, UP_OFFSET]
        if mode == BEST:
            for i in range(0, width, 16):
                value = load16(rows, child_rows[child] + i) * spread16(factors[child])
                for a in range(child + 1, child + num_actions):
                    other = load16(rows, child_rows[a] + i) * spread16(factors[a])
                    value = larger(value, other)
                store16(rows, result + i, value)
            lock = np.searchsorted(averages.locked, start)
            if lock < averages.locked.shape[0] and averages.locked[lock] == start:
                play_locked(plan, k, averages, start, width, lock, rows)
            continue
        if mode == AVERAGE:
            average_node(plan, k, averages, start, width, rows)
            continue
        learn_node(plan, k, task, start, width, rows)


@njit(cache=True, nogil=True, forceinline=True)
def add_hands(
    theirs: HandTables, order: I16, first: Whole, last: Whole, cards: int, lanes: F32, total: F32
) -> F32:
    """Add the reach of some of the opponent's hands, by strength, to all sums of a sweep.

    `total` (8 lanes) is the sum of all hands passed; from `cards` on `lanes` has one for each card.
    """
    for entry in range(first, last):
        hand = np.int64(order[entry])
        part = load8(lanes, 8 * hand)
        a, b = cards + theirs.first_card[hand], cards + theirs.second_card[hand]
        total = total + part
        store8(lanes, a, load8(lanes, a) + part)
        store8(lanes, b, load8(lanes, b) + part)
    return total


def showdowns(
    plan: StreetPlan, first: int, last: int, sides: Sides, board: int, scratch: PassScratch
) -> None:
    """Values and the opponent's reach of blocks of eight showdowns on one river board."""
    raise NotImplementedError


@overload(showdowns)
def _showdowns(plan, first, last, sides, board, scratch):  # type: ignore[no-untyped-def]
    if _of_two_cards(sides):
        return lambda plan, first, last, sides, board, scratch: pair_showdowns(
            plan, first, last, sides, board, scratch
        )
    return lambda plan, first, last, sides, board, scratch: subset_showdowns(
        plan, first, last, sides, board, scratch
    )


def sum_opponent_reach(
    plan: StreetPlan, sides: Sides, blocked: Bools, scratch: PassScratch
) -> None:
    """The opponent's reach at folds before the river; `blocked` (52,) marks the cards dealt."""
    raise NotImplementedError


@overload(sum_opponent_reach)
def _sum_opponent_reach(plan, sides, blocked, scratch):  # type: ignore[no-untyped-def]
    if _of_two_cards(sides):
        return lambda plan, sides, blocked, scratch: pair_opponent_reach(
            plan, sides, blocked, scratch
        )
    return lambda plan, sides, blocked, scratch: subset_opponent_reach(
        plan, sides, blocked, scratch
    )


def _of_two_cards(sides: Any) -> bool:
    """Whether hands of this type are those of hold'em's own tables, `HandTables`."""
    return "first_card" in sides.types[0].fields


@njit(cache=True, nogil=True)
def pair_showdowns(
    plan: StreetPlan, first: int, last: int, sides: Sides, board: int, scratch: PassScratch
) -> None:
    """`showdowns` for hands of two cards.

    One sweep by strength is a chain of additions that no compiler makes parallel; eight showdowns
    with the same order of hands are therefore swept together, one in each lane of a vector.

    Both sides are swept by strength, weakest first; running sums of all reach passed, and of that
    holding each card, give what a hand beats and what it does not lose to. `lanes` is scratch:
    8 · (their width + 1), then 416 for cards, then 16 · (my width).
    """
    mine, theirs = sides.mine, sides.theirs
    reach, rows, lanes = scratch.reach, scratch.rows, scratch.lanes
    my_width, their_width = mine.first_card.shape[0], theirs.first_card.shape[0]
    cards = 8 * (their_width + 1)
    values = cards + 416
    totals = values + 8 * my_width
    my_a, my_b, same = mine.first_card, mine.second_card, mine.same
    my_order, their_order = mine.order[board], theirs.order[board]
    my_valid, their_valid = mine.num_valid[board], theirs.num_valid[board]
    first_group, last_group = mine.first_group[board], mine.first_group[board + 1]
    groups = mine.groups
    zero = spread8(np.float32(0.0))
    store8(lanes, 8 * their_width, zero)
    for i in range(my_valid, my_order.shape[0]):
        hand = 8 * np.int64(my_order[i])
        store8(lanes, values + hand, zero)
        store8(lanes, totals + hand, zero)
    for i in range(8 * my_order.shape[0], 8 * my_width, 8):
        store8(lanes, values + i, zero)
        store8(lanes, totals + i, zero)
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
            total = add_hands(theirs, their_order, passed, low, cards, lanes, total)
            passed = low
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
            total = add_hands(theirs, their_order, passed, high, cards, lanes, total)
            passed = high
            for i in range(start, end):
                hand = np.int64(my_order[i])
                level = (total + load8(lanes, same[hand])) - (
                    load8(lanes, cards + my_a[hand]) + load8(lanes, cards + my_b[hand])
                )
                cell = values + 8 * hand
                store8(lanes, cell, load8(lanes, cell) + draw * level)
            start = end
        total = add_hands(theirs, their_order, passed, their_valid, cards, lanes, total)
        passed = their_valid
        for i in range(my_valid):
            hand = np.int64(my_order[i])
            met = (total + load8(lanes, same[hand])) - (
                load8(lanes, cards + my_a[hand]) + load8(lanes, cards + my_b[hand])
            )
            cell = values + 8 * hand
            store8(lanes, cell, load8(lanes, cell) + lose * met)
            store8(lanes, totals + 8 * hand, met)
        for i in range(0, my_width, 8):
            scatter8(lanes, values + 8 * i, rows, plan.lane_values, 8 * block, i)
            scatter8(lanes, totals + 8 * i, rows, plan.lane_opponent_reach, 8 * block, i)


@njit(cache=True, nogil=True)
def combine(plan: StreetPlan, first: int, last: int, width: int, rows: F32) -> None:
    """Opponent's reach that is a sum or difference of other rows of it."""
    for k in range(first, last):
        result, start = plan.combinations[k, COMBINE_RESULT], plan.combinations[k, COMBINE_FIRST]
        end = start + plan.combinations[k, COMBINE_COUNT]
        sources, factors = plan.combination_rows, plan.combination_factors
        for i in range(0, width, 16):
            total = load16(rows, sources[start] + i) * spread16(factors[start])
            for j in range(start + 1, end):
                total = total + load16(rows, sources[j] + i) * spread16(factors[j])
            store16(rows, result + i, total)


@njit(cache=True, nogil=True)
def pair_opponent_reach(
    plan: StreetPlan, sides: Sides, blocked: Bools, scratch: PassScratch
) -> None:
    """`sum_opponent_reach` for hands of two cards."""
    mine, theirs = sides.mine, sides.theirs
    reach, rows, cards = scratch.reach, scratch.rows, scratch.lanes[:52]
    size, other = mine.combos.shape[0], theirs.combos.shape[0]
    width, their_width = mine.first_card.shape[0], theirs.first_card.shape[0]
    for k in range(plan.opponent_reach.shape[0]):
        start, row = plan.opponent_reach[k, REACH_FROM], plan.opponent_reach[k, REACH_ROW]
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
            # Hands with a card in common cannot meet; the same hand was taken off twice.
            met = total - (cards[a] + cards[b])
            same = mine.same[hand] >> 3
            if same < their_width:
                met += reach[start + same]
            rows[row + hand] = np.float32(0.0) if blocked[a] or blocked[b] else met
        for hand in range(size, width):
            rows[row + hand] = np.float32(0.0)


@njit(cache=True, nogil=True)
def copy_isomorphic(starts: I64, first: int, last: int, canonical: I64, rows: F32) -> None:
    """Copy the value of each class's first hand to the hands isomorphic to it on this board.

    Sums in another order differ in their last bits; isomorphic hands must not drift apart. The rows
    are those in the last column of `starts`.
    """
    for k in range(first, last):
        row = starts[k, starts.shape[1] - 1]
        for hand in range(canonical.shape[0]):
            rows[row + hand] = rows[row + canonical[hand]]


@njit(cache=True, nogil=True)
def river_board(
    plan: StreetPlan,
    chunk: int,
    sides: Sides,
    board: int,
    stabiliser: int,
    task: PassTask,
    their_base: int,
    base: int,
    scratch: PassScratch,
) -> None:
    """One chunk of river roots on one board, from the reach at their roots to their values."""
    marks, rows = plan.chunks[chunk], scratch.rows
    mine = sides.mine
    my_width, their_width = mine.weights.shape[0], sides.theirs.weights.shape[0]
    first, last = marks[CHUNK_DOWN], marks[CHUNK_DOWN + 1]
    descend(plan, first, last, task.source, their_base, their_width, scratch.reach)
    first, last = marks[CHUNK_BLOCKS], marks[CHUNK_BLOCKS + 1]
    showdowns(plan, first, last, sides, board, scratch)
    if stabiliser > 0:
        same = mine.canonical[stabiliser]
        copy_isomorphic(plan.lane_values.reshape(-1, 1), 8 * first, 8 * last, same, rows)
        copy_isomorphic(plan.lane_opponent_reach.reshape(-1, 1), 8 * first, 8 * last, same, rows)
    first, last = marks[CHUNK_COMBINATIONS], marks[CHUNK_COMBINATIONS + 1]
    combine(plan, first, last, my_width, rows)
    ascend(plan, marks[CHUNK_UP], marks[CHUNK_UP + 1], task, base, my_width, rows)


@njit(cache=True, nogil=True)
def add_renamed(
    level: BoardLevel, board: int, renamed: I64, row: int, target: F32, to: int, rows: F32
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


@njit(cache=True, nogil=True)
def start_reach(
    plan: StreetPlan, theirs: HandTables, source: PlayerStorage, base: int, reach: F32
) -> None:
    """The opponent's reach on the first street, before any card."""
    width = theirs.weights.shape[0]
    for i in range(width):
        reach[i] = theirs.weights[i]
    # A number written out would be a type of its own, and everything compiled once more for it.
    none: Any = np.int64(0)
    descend(plan, none, plan.down.shape[0], source, base, width, reach)


@njit(cache=True, nogil=True)
def clear(chances: I64, width: int, rows: F32) -> None:
    """Zero the rows in which the values of the next street are added up."""
    for k in range(chances.shape[0]):
        for i in range(0, width, 16):
            store16(rows, chances[k, CHANCE_ROW] + i, spread16(np.float32(0.0)))


@njit(cache=True, nogil=True)
def close_street(
    plan: StreetPlan,
    level: BoardLevel,
    board: int,
    sides: Sides,
    task: PassTask,
    base: int,
    scratch: PassScratch,
) -> None:
    """Values of a street before the river, once those of the next street are added up."""
    none: Any = np.int64(0)
    blocked = np.zeros(52, np.bool_)
    for j in range(level.cards.shape[1]):
        blocked[level.cards[board, j]] = True
    sum_opponent_reach(plan, sides, blocked, scratch)
    mine, rows, stabiliser = sides.mine, scratch.rows, level.stabiliser[board]
    if stabiliser > 0:
        same = mine.canonical[stabiliser]
        copy_isomorphic(plan.chances, none, plan.chances.shape[0], same, rows)
        copy_isomorphic(plan.opponent_reach, none, plan.opponent_reach.shape[0], same, rows)
    ascend(plan, none, plan.up.shape[0], task, base, mine.weights.shape[0], rows)


@njit(cache=True, nogil=True)
def play_boards(
    schedule: Schedule,
    sides: Sides,
    edges: I64,
    counter: I64,
    task: PassTask,
    scratch: PassScratch,
    gains: F32,
) -> None:
    """Play blocks of boards of the second street, as long as there are any.

    Block b has the boards from `edges[b]` to `edges[b + 1]`; `counter` (1,) holds the next block
    that no thread has taken; `gains` (blocks · roots · width,) takes, for each block and root, the
    sum of values over all cards of the block's classes.
    """
    plans, levels, layout = schedule.plans, schedule.levels, schedule.layout
    mine, theirs, learner = sides.mine, sides.theirs, sides.learner
    reach, rows = scratch.reach, scratch.rows
    other, last_street = 1 - learner, schedule.num_streets - 1
    width, their_width = mine.weights.shape[0], theirs.weights.shape[0]
    start_reach(plans[0], theirs, task.source, layout[0, other, 0], reach)
    none: Any = np.int64(0)
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
        # In a spot that begins on the turn these boards are rivers already.
        first_river, last_river = board, board + 1
        if last_street == 2:
            their_base = layout[1, other, 0] + board * layout[1, other, 1]
            descend(plan, none, plan.down.shape[0], task.source, their_base, their_width, reach)
            clear(plan.chances, width, rows)
            first_river, last_river = level.first_child[board], level.first_child[board + 1]
        for below in range(first_river, last_river):
            their_base = layout[last_street, other, 0] + below * layout[last_street, other, 1]
            base = layout[last_street, learner, 0] + below * layout[last_street, learner, 1]
            stabiliser = below_level.stabiliser[below]
            for chunk in range(river.chunks.shape[0]):
                river_board(river, chunk, sides, below, stabiliser, task, their_base, base, scratch)
                first, last = river.chunks[chunk, CHUNK_ROOTS], river.chunks[chunk, CHUNK_ROOTS + 1]
                for root in range(first, last):
                    row = river.roots[root]
                    if last_street == 2:
                        to = plan.chances[root, CHANCE_ROW]
                        add_renamed(below_level, below, mine.renamed, row, rows, to, rows)
                    else:
                        to = (block * num_roots + root) * width
                        add_renamed(level, board, mine.renamed, row, gains, to, rows)
        if last_street == 2:
            base = layout[1, learner, 0] + board * layout[1, learner, 1]
            close_street(plan, level, board, sides, task, base, scratch)
            for root in range(num_roots):
                to = (block * num_roots + root) * width
                add_renamed(level, board, mine.renamed, plan.roots[root], gains, to, rows)
        board += 1


@njit(cache=True, nogil=True)
def close_root(
    schedule: Schedule, sides: Sides, task: PassTask, scratch: PassScratch, gains: F32, out: F32
) -> None:
    """The first street from the values that `play_boards` found; the root's value into `out`."""
    mine, learner, rows, layout = sides.mine, sides.learner, scratch.rows, schedule.layout
    width, plan = mine.weights.shape[0], schedule.plans[0]
    start_reach(plan, sides.theirs, task.source, layout[0, 1 - learner, 0], scratch.reach)
    clear(plan.chances, width, rows)
    num_roots = plan.chances.shape[0]
    for block in range(gains.shape[0] // (num_roots * width)):
        for root in range(num_roots):
            row, to = (block * num_roots + root) * width, plan.chances[root, CHANCE_ROW]
            for i in range(0, width, 16):
                store16(rows, to + i, load16(rows, to + i) + load16(gains, row + i))
    none: Any = np.int64(0)
    close_street(plan, schedule.levels[0], none, sides, task, layout[0, learner, 0], scratch)
    for i in range(width):
        out[i] = rows[plan.roots[0] + i]


@njit(cache=True, nogil=True)
def play_river(
    only: int,
    mode: int,
    plans: tuple[StreetPlan, StreetPlan],
    level: BoardLevel,
    hands: tuple[Any, Any],
    storages: tuple[tuple[PlayerStorage, PlayerStorage], tuple[PlayerStorage, PlayerStorage]],
    discounts: F32,
    scratch: PassScratch,
    out: F32,
) -> None:
    """Passes over a spot that begins on the river: for both players in turn, or for one.

    `only` is that one, or −1 for both; `plans`, `hands` and `storages` (regrets and averages) are
    by player; `discounts` (n, 3) for n passes. The last pass's values go into `out`.
    """
    none: Any = np.int64(0)
    stabiliser = level.stabiliser[0]
    for t in range(discounts.shape[0]):
        for learner in range(2):
            if only >= 0 and only != learner:
                continue
            # Tuples are indexed by constants: the two sides may be of different types.
            if learner == 0:
                plan, mine, theirs = plans[0], hands[0], hands[1]
                regrets, averages = storages[0]
                their_regrets, their_averages = storages[1]
            else:
                plan, mine, theirs = plans[1], hands[1], hands[0]
                regrets, averages = storages[1]
                their_regrets, their_averages = storages[0]
            source = their_regrets if mode == LEARN else their_averages
            task = PassTask(mode, source, regrets, averages, discounts[t])
            for i in range(theirs.weights.shape[0]):
                scratch.reach[i] = theirs.weights[i]
            sides = Sides(mine, theirs, learner)
            river_board(plan, none, sides, none, stabiliser, task, none, none, scratch)
            for i in range(mine.weights.shape[0]):
                out[i] = scratch.rows[plan.roots[0] + i]
