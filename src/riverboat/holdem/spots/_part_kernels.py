"""A pass of one learner over the parts of the tree: reach goes down, values come up.

A part is a street below one root on one board (`_three_way_plan`). `go_down` splits both
opponents' reach by their strategies; `go_up` values ends, adds up what opponents do, and at the
learner's own nodes learns, takes the best action, or values the average.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from riverboat.holdem.spots._contest_kernels import EndScratch, HandSide, all_meetings, contest
from riverboat.holdem.spots._three_way_plan import CHANCE, END, OTHER, LearnerPlan
from riverboat.runtime.array_types import F32, I64
from riverboat.runtime.compiled import njit
from riverboat.solvers.algorithms import BEST, LEARN


class ThreeSides(NamedTuple):
    """The learner's hands and both opponents'."""

    mine: HandSide
    one: HandSide
    two: HandSide


class BoardTable(NamedTuple):
    """The boards of one street, and where the numbers on them are kept."""

    first_child: I64  # (B + 1,) into the next street's boards
    first_member: I64  # (B + 1,)
    members: I64  # Renamings of each board's class
    stabiliser: I64  # (B,)
    last_card: I64  # (B,) the card that came last, −1 on the first street
    places: I64  # (3, 2) of the learner and both opponents: first element, elements of a board
    share: float  # One over the number of cards that may come next, given three hands


class ThreeTask(NamedTuple):
    """What a pass does, with which numbers; elements as the layout has them."""

    mode: int  # LEARN, BEST or AVERAGE
    source_one: F32  # Regrets or averages that opponent 0 plays by,
    source_two: F32  # and opponent 1
    regrets: F32  # The learner's
    averages: F32
    discounts: F32  # (3,) of regrets above and below zero, and of averages
    locked: I64  # (locks,) where the learner's locked nodes begin, rising
    masks: F32  # (locks, P) one for hands that are locked


class PartScratch(NamedTuple):
    """Working memory of one thread for the parts of one street."""

    values: F32  # (slots, P)
    reach_one: F32  # (slots, P of opponent 0)
    reach_two: F32
    met_weight: F32  # (P,) weights of opponents' hands, or one node's values


@njit(cache=True, nogil=True)
def split_reach(
    source: F32, start: int, num_actions: int, reach: F32, at: int, slots: I64, link: int
) -> None:
    """The reach of an opponent after each action: their strategy is regret matching on `source`.

    Averages are never negative, so the same division makes a strategy of them.
    """
    width = reach.shape[1]
    before = reach[at]
    even = np.float32(1.0 / num_actions)
    for hand in range(width):
        total = np.float32(0.0)
        for action in range(num_actions):
            total += max(source[start + action * width + hand], np.float32(0.0))
        weight = before[hand]
        factor = weight / total if total > 0 else np.float32(0.0)
        flat = np.float32(0.0) if total > 0 else weight * even
        for action in range(num_actions):
            part = max(source[start + action * width + hand], np.float32(0.0))
            reach[slots[link + action], hand] = part * factor + flat


@njit(cache=True, nogil=True)
def go_down(
    plan: LearnerPlan, part: int, board: int, table: BoardTable, task: ThreeTask, at: PartScratch
) -> None:
    """Bring both opponents' reach from the root of a part (slot 0) to all its nodes."""
    for m in range(plan.first[part], plan.first[part + 1]):
        if plan.kind[m] != OTHER:
            continue
        if plan.seat[m] == 0:
            start = table.places[1, 0] + board * table.places[1, 1]
            start += plan.row[m] * at.reach_one.shape[1]
            split_reach(
                task.source_one, start, plan.num_actions[m], at.reach_one, plan.reach[0, m],
                plan.child_reach, plan.link[m],
            )  # fmt: skip
        else:
            start = table.places[2, 0] + board * table.places[2, 1]
            start += plan.row[m] * at.reach_two.shape[1]
            split_reach(
                task.source_two, start, plan.num_actions[m], at.reach_two, plan.reach[1, m],
                plan.child_reach, plan.link[m],
            )  # fmt: skip


@njit(cache=True, nogil=True)
def go_up(
    plan: LearnerPlan,
    part: int,
    board: int,
    table: BoardTable,
    sides: ThreeSides,
    task: ThreeTask,
    at: PartScratch,
    ends: EndScratch,
) -> None:
    """Values of all nodes of a part, ends first; those of cards are in their slots already."""
    width = at.values.shape[1]
    same = sides.mine.canonical[table.stabiliser[board]]
    renames = table.stabiliser[board] != 0
    for m in range(plan.first[part + 1] - 1, plan.first[part] - 1, -1):
        kind, slot = plan.kind[m], plan.slot[m]
        value = at.values[slot]
        if kind == END:
            one, two = at.reach_one[plan.reach[0, m]], at.reach_two[plan.reach[1, m]]
            pots = plan.pots[m]
            if pots[0] == 0 and pots[1] == 0 and pots[2] == 0:
                all_meetings(sides.mine, sides.one, sides.two, one, two, ends, value)
                for hand in range(width):
                    value[hand] *= pots[3]
            else:
                contest(sides.mine, sides.one, sides.two, board, one, two, pots, ends, value)
            if renames:
                # Hands that are the same up to the names of suits get the same bits.
                for hand in range(width):
                    value[hand] = value[same[hand]]
        elif kind == OTHER:
            link = plan.link[m]
            value[:] = at.values[plan.child_slot[link]]
            for action in range(1, plan.num_actions[m]):
                child = at.values[plan.child_slot[link + action]]
                for hand in range(width):
                    value[hand] += child[hand]
        elif kind != CHANCE:
            if plan.pays[m] != 0:
                one, two = at.reach_one[plan.reach[0, m]], at.reach_two[plan.reach[1, m]]
                all_meetings(sides.mine, sides.one, sides.two, one, two, ends, at.met_weight)
                if renames:
                    for hand in range(width):
                        at.met_weight[hand] = at.met_weight[same[hand]]
            else:
                at.met_weight[:] = 0
            start = table.places[0, 0] + board * table.places[0, 1] + plan.row[m] * width
            own_node(plan, m, start, task, at)


@njit(cache=True, nogil=True)
def own_node(plan: LearnerPlan, m: int, start: int, task: ThreeTask, at: PartScratch) -> None:
    """The learner's node: its value; regrets and averages are updated in LEARN."""
    width, num_actions, link = at.values.shape[1], plan.num_actions[m], plan.link[m]
    value, met_weight = at.values[plan.slot[m]], at.met_weight
    learns = task.mode == LEARN
    source = task.regrets if learns else task.averages
    above, below, keep = task.discounts[0], task.discounts[1], task.discounts[2]
    even, zero = np.float32(1.0 / num_actions), np.float32(0.0)
    lock = -1
    if task.mode == BEST:
        for k in range(task.locked.shape[0]):
            if task.locked[k] == start:
                lock = k
    for hand in range(width):
        total = zero
        for action in range(num_actions):
            total += max(source[start + action * width + hand], zero)
        scale = np.float32(1.0) / total if total > 0 else zero
        flat = zero if total > 0 else even
        mean, best = zero, np.float32(-np.inf)
        for action in range(num_actions):
            part = max(source[start + action * width + hand], zero) * scale + flat
            gain = at.values[plan.child_slot[link + action], hand]
            gain -= plan.child_paid[link + action] * met_weight[hand]
            mean += part * gain
            best = max(best, gain)
        free = task.mode == BEST and (lock < 0 or task.masks[lock, hand] == 0)
        value[hand] = best if free else mean
        if learns:
            for action in range(num_actions):
                cell = start + action * width + hand
                old = task.regrets[cell]
                part = max(old, zero) * scale + flat
                gain = at.values[plan.child_slot[link + action], hand]
                gain -= plan.child_paid[link + action] * met_weight[hand]
                task.regrets[cell] = old * (above if old > 0 else below) + (gain - mean)
                task.averages[cell] = task.averages[cell] * keep + part


@njit(cache=True, nogil=True)
def deal_reach(side: HandSide, before: F32, card: int, after: F32) -> None:
    """Reach after a card: hands that hold it are gone."""
    for hand in range(before.shape[0]):
        gone = side.cards[2 * hand] == card or side.cards[2 * hand + 1] == card
        after[hand] = np.float32(0.0) if gone else before[hand]


@njit(cache=True, nogil=True)
def add_class(side: HandSide, table: BoardTable, board: int, values: F32, total: F32) -> None:
    """Add the values on a board for every card of its class, with hands renamed."""
    card = table.last_card[board]
    for k in range(table.first_member[board], table.first_member[board + 1]):
        which = table.members[k]
        for hand in range(total.shape[0]):
            canonical = side.renamed[which, hand]
            gone = side.cards[2 * canonical] == card or side.cards[2 * canonical + 1] == card
            total[hand] += np.float32(0.0) if gone else values[canonical]


@njit(cache=True, nogil=True)
def finish_chance(
    plan: LearnerPlan,
    m: int,
    board: int,
    table: BoardTable,
    side: HandSide,
    at: PartScratch,
    spare: F32,
) -> None:
    """The mean over the cards of a chance node, from the sum in its slot."""
    value, share = at.values[plan.slot[m]], np.float32(table.share)
    same = side.canonical[table.stabiliser[board]]
    spare[:] = value
    for hand in range(value.shape[0]):
        value[hand] = spare[same[hand]] * share


@njit(cache=True, nogil=True)
def middle_part(
    plan: LearnerPlan,
    part: int,
    board: int,
    tables: tuple[BoardTable, BoardTable],
    sides: ThreeSides,
    task: ThreeTask,
    scratch: tuple[PartScratch, PartScratch],
    ends: EndScratch,
) -> None:
    """A part of the turn with the rivers below it; `tables` and `scratch` are of these streets."""
    at, deeper = scratch
    turn, river = tables
    go_down(plan, part, board, turn, task, at)
    for m in range(plan.first[part], plan.first[part + 1]):
        if plan.kind[m] == CHANCE:
            value = at.values[plan.slot[m]]
            value[:] = 0
            for child in range(turn.first_child[board], turn.first_child[board + 1]):
                card, below = river.last_card[child], plan.below[m]
                deal_reach(sides.one, at.reach_one[plan.reach[0, m]], card, deeper.reach_one[0])
                deal_reach(sides.two, at.reach_two[plan.reach[1, m]], card, deeper.reach_two[0])
                go_down(plan, below, child, river, task, deeper)
                go_up(plan, below, child, river, sides, task, deeper, ends)
                add_class(sides.mine, river, child, deeper.values[1], value)
            finish_chance(plan, m, board, turn, sides.mine, at, at.met_weight)
    go_up(plan, part, board, turn, sides, task, at, ends)


@njit(cache=True, nogil=True)
def second_street(
    plan: LearnerPlan,
    span: tuple[int, int],
    tables: tuple[BoardTable, BoardTable],
    sides: ThreeSides,
    task: ThreeTask,
    first: PartScratch,
    scratch: tuple[PartScratch, PartScratch],
    ends: EndScratch,
    values: F32,
) -> None:
    """Play some boards of the second street; (boards, chance nodes, P) values into `values`.

    `tables` and `scratch` are of the second street and the third; of a turn spot both are of its
    rivers. `first` has the reach at the first street's nodes and is only read.
    """
    table, at = tables[0], scratch[0]
    for board in range(span[0], span[1]):
        chance = 0
        for m in range(plan.first[0], plan.first[1]):
            if plan.kind[m] == CHANCE:
                card, part = table.last_card[board], plan.below[m]
                deal_reach(sides.one, first.reach_one[plan.reach[0, m]], card, at.reach_one[0])
                deal_reach(sides.two, first.reach_two[plan.reach[1, m]], card, at.reach_two[0])
                if table.first_child.shape[0] > 1:
                    middle_part(plan, part, board, tables, sides, task, scratch, ends)
                else:
                    go_down(plan, part, board, table, task, at)
                    go_up(plan, part, board, table, sides, task, at, ends)
                values[board, chance] = at.values[1]
                chance += 1


@njit(cache=True, nogil=True)
def join_boards(
    plan: LearnerPlan,
    tables: tuple[BoardTable, BoardTable],
    side: HandSide,
    values: F32,
    at: PartScratch,
) -> None:
    """Add up `second_street`'s values at the first street's chance nodes, board after board."""
    table, below = tables
    chance = 0
    for m in range(plan.first[0], plan.first[1]):
        if plan.kind[m] == CHANCE:
            value = at.values[plan.slot[m]]
            value[:] = 0
            for board in range(values.shape[0]):
                add_class(side, below, board, values[board, chance], value)
            finish_chance(plan, m, 0, table, side, at, at.met_weight)
            chance += 1
