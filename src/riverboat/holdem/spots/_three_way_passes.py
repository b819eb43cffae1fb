"""Passes of a learner over all boards: scratch, threads and the order of adding up.

Threads take boards of the second street by turns. Values are kept board by board and added up in
the order of the boards, so any number of threads gives the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from riverboat.holdem.spots._contest_kernels import ROW, EndScratch, HandSide, PairSums, contest
from riverboat.holdem.spots._part_kernels import (
    BoardTable,
    PartScratch,
    ThreeSides,
    ThreeTask,
    add_class,
    deal_reach,
    go_down,
    go_up,
    join_boards,
    middle_part,
    second_street,
)
from riverboat.holdem.spots._three_way_layout import (
    CHANCE,
    NO_DISCOUNTS,
    SEATS,
    LearnerPlan,
    Locked,
    ThreeWayLayout,
    opponents,
)
from riverboat.runtime.array_types import F32
from riverboat.solvers.algorithms import AVERAGE


@dataclass
class _Workplace:
    """The scratch of one thread for one learner."""

    parts: list[PartScratch]
    ends: EndScratch


class ThreePasses:
    """All that passes need, made once."""

    def __init__(self, layout: ThreeWayLayout, threads: int) -> None:
        self.layout, self.threads = layout, threads
        self.sides = [self._side(seat) for seat in SEATS]
        self.tables = [self._tables(seat) for seat in SEATS]
        self.chances = [
            int((plan.kind[plan.first[0] : plan.first[1]] == CHANCE).sum())
            for plan, _ in layout.plans
        ]
        self._places: dict[tuple[int, int], _Workplace] = {}

    def _side(self, seat: int) -> HandSide:
        layout, ranked = self.layout, self.layout.ranked[seat]
        renamed, canonical = layout.hand_maps(seat)
        return HandSide(
            layout.hand_weights(seat), layout.hand_cards(seat), renamed, canonical,
            ranked.order, ranked.ranks, ranked.num_valid,
        )  # fmt: skip

    def _tables(self, learner: int) -> list[BoardTable]:
        layout, found = self.layout, []
        order = [learner, *opponents(learner)]
        for street, level in enumerate(layout.boards.levels):
            last = level.cards[:, -1] if level.cards.shape[1] else np.full(len(level.cards), -1)
            found.append(
                BoardTable(
                    level.first_child, level.first_member, level.members, level.stabiliser,
                    np.ascontiguousarray(last.astype(np.int64)),
                    np.ascontiguousarray(layout.places[street, order]), layout.card_share(street),
                )
            )  # fmt: skip
        return found

    def _workplace(self, learner: int, thread: int) -> _Workplace:
        key = (learner, thread)
        if key not in self._places:
            layout, sizes = self.layout, self.layout.plans[learner][1]
            one, two = (layout.widths[seat] for seat in opponents(learner))
            width, parts = layout.widths[learner], []
            for values, reach in zip(sizes.values, sizes.reach, strict=True):
                parts.append(
                    PartScratch(
                        np.zeros((values, width), np.float32),
                        np.zeros((reach[0], one), np.float32),
                        np.zeros((reach[1], two), np.float32),
                        np.zeros(width, np.float32),
                    )
                )
            self._places[key] = _Workplace(parts, EndScratch(pair_sums(), pair_sums()))
        return self._places[key]

    def values(
        self,
        learner: int,
        mode: int,
        sources: tuple[F32, F32],
        own: tuple[F32, F32],
        discounts: F32 = NO_DISCOUNTS,
        locked: Locked | None = None,
        pool: Executor | None = None,
    ) -> F32:
        """(P,) the learner's values at the root after a pass; LEARN renews what is in `own`.

        Args:
            sources: What the two opponents play by, the next in order of action first.
            own: The learner's regrets and averages.
        """
        layout, plan = self.layout, self.layout.plans[learner][0]
        if plan.first[1] == 0:
            # The learner folded before the spot began.
            return np.zeros(layout.widths[learner], np.float32)
        locked = locked or Locked()
        task = ThreeTask(mode, *sources, *own, discounts, locked.starts, locked.masks)
        one, two = opponents(learner)
        sides = ThreeSides(self.sides[learner], self.sides[one], self.sides[two])
        tables, place = self.tables[learner], self._workplace(learner, 0)
        at = place.parts[0]
        at.reach_one[0], at.reach_two[0] = sides.one.weights, sides.two.weights
        go_down(plan, 0, 0, tables[0], task, at)
        if layout.num_streets > 1 and self.chances[learner]:
            below = (tables[1], tables[-1])
            boards, width = layout.boards.num_boards[1], layout.widths[learner]
            found = np.zeros((boards, self.chances[learner], width), np.float32)

            def play(thread: int) -> None:
                work = self._workplace(learner, thread)
                scratch = (work.parts[1], work.parts[-1])
                # Boards differ in their classes, not in their cost: by turns is even enough.
                for board in range(thread, boards, self.threads):
                    span = (board, board + 1)
                    second_street(plan, span, below, sides, task, at, scratch, work.ends, found)

            if pool is None or self.threads < 2:
                for thread in range(self.threads):
                    play(thread)
            else:
                list(pool.map(play, range(self.threads)))
            join_boards(plan, (tables[0], tables[1]), sides.mine, found, at)
        go_up(plan, 0, 0, tables[0], sides, task, at, place.ends)
        return np.asarray(at.values[1].copy())

    def part_values(
        self, learner: int, part: int, path: Sequence[int], averages: Sequence[F32]
    ) -> dict[int, F32]:
        """Node → (P,) the learner's values at all nodes of a part, when all play the averages.

        `path` are the boards on the way, the first street's included, the part's own last.
        """
        layout, plan = self.layout, self.layout.plans[learner][0]
        one, two = opponents(learner)
        sources, own = (averages[one], averages[two]), (averages[learner], averages[learner])
        place, tables = self._workplace(learner, 0), self.tables[learner]
        street = len(path) - 1
        if street == 0:
            self.values(learner, AVERAGE, sources, own)
        else:
            task = ThreeTask(AVERAGE, *sources, *own, NO_DISCOUNTS, Locked().starts, Locked().masks)
            sides = ThreeSides(self.sides[learner], self.sides[one], self.sides[two])
            line = [part]
            while line[0] != 0:
                line.insert(0, self._above(plan, line[0])[0])
            first = place.parts[0]
            first.reach_one[0], first.reach_two[0] = sides.one.weights, sides.two.weights
            for k in range(street):
                at, deeper = place.parts[k], place.parts[k + 1]
                go_down(plan, line[k], path[k], tables[k], task, at)
                m, card = self._above(plan, line[k + 1])[1], tables[k + 1].last_card[path[k + 1]]
                deal_reach(sides.one, at.reach_one[plan.reach[0, m]], card, deeper.reach_one[0])
                deal_reach(sides.two, at.reach_two[plan.reach[1, m]], card, deeper.reach_two[0])
            if street + 1 < layout.num_streets:
                scratch = (place.parts[street], place.parts[street + 1])
                both = (tables[street], tables[street + 1])
                middle_part(plan, part, path[-1], both, sides, task, scratch, place.ends)
            else:
                at = place.parts[street]
                go_down(plan, part, path[-1], tables[street], task, at)
                go_up(plan, part, path[-1], tables[street], sides, task, at, place.ends)
        values = place.parts[street].values
        span = range(int(plan.first[part]), int(plan.first[part + 1]))
        return {int(plan.node[m]): values[plan.slot[m]].copy() for m in span}

    @staticmethod
    def _above(plan: LearnerPlan, part: int) -> tuple[int, int]:
        """The part above another, and the place of the chance node between them."""
        m = int(np.flatnonzero(plan.below == part)[0])
        return int(np.searchsorted(plan.first, m, side="right")) - 1, m

    def shares(
        self, learner: int, street: int, board: int, reach: Sequence[F32], live: Sequence[int]
    ) -> F32:
        """(P,) the share of a pot that each hand wins if all cards are dealt and nobody bets.

        Times the weight of the opponents' hands. `reach` is of all three players on this board,
        `live` are those who contend.
        """
        one, two = opponents(learner)
        sides = ThreeSides(self.sides[learner], self.sides[one], self.sides[two])
        tables = self.tables[learner]
        found = np.zeros(self.layout.widths[learner], np.float32)
        if street + 1 == self.layout.num_streets:
            pots = np.zeros(4, np.float32)
            pots[3 - 2 * (one in live) - (two in live)] = 1
            ends = self._workplace(learner, 0).ends
            contest(*sides, board, reach[one], reach[two], pots, ends, found)
            return found
        below = tables[street + 1]
        for child in range(
            int(tables[street].first_child[board]), int(tables[street].first_child[board + 1])
        ):
            after = [each.copy() for each in reach]
            for seat in (one, two):
                card = int(below.last_card[child])
                deal_reach(self.sides[seat], reach[seat], card, after[seat])
            deeper = self.shares(learner, street + 1, child, after, live)
            add_class(sides.mine, below, child, deeper, found)
        return found * np.float32(tables[street].share)


def pair_sums() -> PairSums:
    """All zero."""
    cards, pairs = np.zeros((2, ROW), np.float32), np.zeros((2, 52 * ROW), np.float32)
    return PairSums(cards[0], pairs[0], cards[1], pairs[1], np.zeros(52), np.zeros(3))
