"""Passes of a learner over all boards: scratch, threads and the order of adding up.

Threads take boards of the second street by turns. Values are kept board by board and added up in
the order of the boards, so any number of threads gives the same bits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np

from riverboat.holdem.spots._contest_kernels import ROW, EndScratch, HandSide, PairSums, contest
from riverboat.holdem.spots._cpu_passes import CpuPasses
from riverboat.holdem.spots._meetings import meets_some, pair_meetings
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
from riverboat.holdem.spots._three_way_plan import CHANCE, SEATS, LearnerPlan, opponents
from riverboat.holdem.spots.layout import Layout
from riverboat.holdem.spots.passes import NO_DISCOUNTS
from riverboat.holdem.spots.storage import PlayerStorage
from riverboat.holdem.spots.tree import TreeNode
from riverboat.runtime.array_types import F32, F64
from riverboat.solvers.algorithms import AVERAGE


@dataclass
class _Workplace:
    """The scratch of one thread for one learner."""

    parts: list[PartScratch]
    ends: EndScratch


class PartRunner:
    """Runs passes over one spot, with scratch for each thread."""

    def __init__(self, layout: Layout, threads: int = 1) -> None:
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
        cards = np.zeros((layout.widths[seat], 2), np.int64)
        cards[: len(layout.hands[seat])] = layout.hands[seat]
        return HandSide(
            layout.weights[seat], cards.ravel(), *layout.maps[seat],
            ranked.order, ranked.ranks, ranked.num_valid,
        )  # fmt: skip

    def _tables(self, learner: int) -> list[BoardTable]:
        layout, tables = self.layout, []
        order = [learner, *opponents(learner)]
        for street, level in enumerate(layout.boards.levels):
            last = level.cards[:, -1] if level.cards.shape[1] else np.full(len(level.cards), -1)
            tables.append(
                BoardTable(
                    level.first_child, level.first_member, level.members, level.stabiliser,
                    np.ascontiguousarray(last.astype(np.int64)),
                    np.ascontiguousarray(layout.places[street, order]), layout.card_share(street),
                )
            )  # fmt: skip
        return tables

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
        sources: Sequence[PlayerStorage],
        regrets: PlayerStorage,
        averages: PlayerStorage,
        discounts: F32 = NO_DISCOUNTS,
        pool: Executor | None = None,
        reach: Mapping[int, F64] | None = None,
    ) -> F32:
        """(P,) the learner's values at the root after a pass; LEARN renews regrets and averages.

        `sources` is what the two opponents play by, the next in order of action first; `reach` are
        other weights (H,) of a player's hands than their range's.
        """
        layout, plan = self.layout, self.layout.plans[learner][0]
        if plan.first[1] == 0:
            # The learner folded before the spot began.
            return np.zeros(layout.widths[learner], np.float32)
        task = self._task(learner, mode, sources, regrets, averages, discounts)
        one, two = opponents(learner)
        sides = ThreeSides(self.sides[learner], self.sides[one], self.sides[two])
        tables, workplace = self.tables[learner], self._workplace(learner, 0)
        at = workplace.parts[0]
        at.reach_one[0], at.reach_two[0] = sides.one.weights, sides.two.weights
        for seat, row in ((one, at.reach_one[0]), (two, at.reach_two[0])):
            if reach is not None and seat in reach:
                row[: len(reach[seat])] = reach[seat]
        go_down(plan, 0, 0, tables[0], task, at)
        if layout.num_streets > 1 and self.chances[learner]:
            below = (tables[1], tables[-1])
            boards, width = layout.boards.num_boards[1], layout.widths[learner]
            card_values = np.zeros((boards, self.chances[learner], width), np.float32)

            def play(thread: int) -> None:
                work = self._workplace(learner, thread)
                scratch = (work.parts[1], work.parts[-1])
                # Boards differ in their classes, not in their cost: by turns is even enough.
                for board in range(thread, boards, self.threads):
                    span = (board, board + 1)
                    second_street(
                        plan, span, below, sides, task, at, scratch, work.ends, card_values
                    )

            if pool is None or self.threads < 2:
                for thread in range(self.threads):
                    play(thread)
            else:
                list(pool.map(play, range(self.threads)))
            join_boards(plan, (tables[0], tables[1]), sides.mine, card_values, at)
        go_up(plan, 0, 0, tables[0], sides, task, at, workplace.ends)
        return np.asarray(at.values[1].copy())

    def _task(
        self,
        learner: int,
        mode: int,
        sources: Sequence[PlayerStorage],
        regrets: PlayerStorage,
        averages: PlayerStorage,
        discounts: F32 = NO_DISCOUNTS,
    ) -> ThreeTask:
        one, two = sources
        masks = averages.masks.reshape(len(averages.locked), self.layout.widths[learner])
        return ThreeTask(
            mode, one.values, two.values, regrets.values, averages.values, discounts,
            averages.locked, masks,
        )  # fmt: skip

    def part_values(
        self, learner: int, part: int, path: Sequence[int], averages: Sequence[PlayerStorage],
        *, mode: int = AVERAGE,
    ) -> dict[int, F32]:  # fmt: skip
        """Node → (P,) the learner's values at all nodes of a part, when all play the averages.

        In BEST the learner plays a best response. `path` are the boards on the way, the first
        street's included, the part's own last.
        """
        layout, plan = self.layout, self.layout.plans[learner][0]
        one, two = opponents(learner)
        sources, own = (averages[one], averages[two]), averages[learner]
        workplace, tables = self._workplace(learner, 0), self.tables[learner]
        street = len(path) - 1
        if street == 0:
            self.values(learner, mode, sources, own, own)
        else:
            task = self._task(learner, mode, sources, own, own)
            sides = ThreeSides(self.sides[learner], self.sides[one], self.sides[two])
            line = [part]
            while line[0] != 0:
                line.insert(0, self._above(plan, line[0])[0])
            first = workplace.parts[0]
            first.reach_one[0], first.reach_two[0] = sides.one.weights, sides.two.weights
            for k in range(street):
                at, deeper = workplace.parts[k], workplace.parts[k + 1]
                go_down(plan, line[k], path[k], tables[k], task, at)
                m, card = self._above(plan, line[k + 1])[1], tables[k + 1].last_card[path[k + 1]]
                deal_reach(sides.one, at.reach_one[plan.reach[0, m]], card, deeper.reach_one[0])
                deal_reach(sides.two, at.reach_two[plan.reach[1, m]], card, deeper.reach_two[0])
            if street + 1 < layout.num_streets:
                scratch = (workplace.parts[street], workplace.parts[street + 1])
                both = (tables[street], tables[street + 1])
                middle_part(plan, part, path[-1], both, sides, task, scratch, workplace.ends)
            else:
                at = workplace.parts[street]
                go_down(plan, part, path[-1], tables[street], task, at)
                go_up(plan, part, path[-1], tables[street], sides, task, at, workplace.ends)
        values = workplace.parts[street].values
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
        equities = np.zeros(self.layout.widths[learner], np.float32)
        if street + 1 == self.layout.num_streets:
            pots = np.zeros(4, np.float32)
            pots[3 - 2 * (one in live) - (two in live)] = 1
            ends = self._workplace(learner, 0).ends
            contest(*sides, board, reach[one], reach[two], pots, ends, equities)
            return equities
        below = tables[street + 1]
        for child in range(
            int(tables[street].first_child[board]), int(tables[street].first_child[board + 1])
        ):
            after = [weights.copy() for weights in reach]
            for seat in (one, two):
                card = int(below.last_card[child])
                deal_reach(self.sides[seat], reach[seat], card, after[seat])
            deeper = self.shares(learner, street + 1, child, after, live)
            add_class(sides.mine, below, child, deeper, equities)
        return equities * np.float32(tables[street].share)


class ThreeWayPasses(CpuPasses):
    """`Passes` for three players on the CPU; the arguments are those of `devices.open_passes`."""

    def __init__(self, layout: Layout, **options: Any) -> None:
        super().__init__(layout, **options)
        self._runner = PartRunner(layout, self.threads)

    def values(
        self,
        learner: int,
        mode: int,
        discounts: F32 = NO_DISCOUNTS,
        *,
        reach: Mapping[int, F64] | None = None,
    ) -> F32:
        """(P,) the learner's values at the root after one pass of a mode."""
        averages = self.instead.get(learner, self.averages[learner])
        sources = [self.played(seat, mode) for seat in opponents(learner)]
        return self._runner.values(
            learner, mode, sources, self.regrets[learner], averages, discounts, self._pool, reach
        )

    def origin(self, player: int) -> float:
        """Nothing: values count the chips won from the root on."""
        return 0.0


class PartReader:
    """`Reader` for three players: a walk down to a part leaves the values of all its nodes."""

    def __init__(
        self, layout: Layout, averages: Sequence[PlayerStorage], mode: int = AVERAGE
    ) -> None:
        self.layout, self.averages, self.mode = layout, averages, mode
        self.runner = PartRunner(layout)
        self._parts = {root.index: part for part, root in enumerate(layout.tree.roots)}
        self._values: dict[tuple[int, int, tuple[int, ...]], dict[int, F32]] = {}

    def values(self, node: TreeNode, path: Sequence[int], player: int) -> F32:
        """(P,) a player's values at a node; `path` are the boards on the way, its own the last."""
        if player in node.folded:
            return np.zeros(self.layout.widths[player], np.float32)
        root = node
        while root.index not in self._parts:
            root = self.layout.tree.nodes[root.parent]
        key = (player, root.index, tuple(path))
        if key not in self._values:
            if len(self._values) > 256:
                self._values.clear()
            part = self._parts[root.index]
            self._values[key] = self.runner.part_values(
                player, part, path, self.averages, mode=self.mode
            )
        return self._values[key][node.index]

    def origin(self, node: TreeNode, player: int) -> float:
        """Nothing: values count the chips won from a node on."""
        return 0.0

    def equities(
        self, player: int, dealt: Sequence[int], reach: Sequence[F64], folded: Sequence[int]
    ) -> F64:
        """(H,) each hand's share of the pot if all cards were dealt now; 0 after a fold."""
        layout, (path, indices) = self.layout, self.layout.on_board(dealt)
        one, two = opponents(player)
        met = pair_meetings(reach[one], reach[two], layout.combos[player])
        blocked = np.isin(layout.hands[player], dealt).any(axis=1)
        met = np.where(blocked, 0.0, met)
        shares = np.zeros(len(met))
        if player not in folded:
            rows = [np.zeros(width, np.float32) for width in layout.widths]
            for seat, row in enumerate(rows):
                row[indices[seat]] = reach[seat][layout.combos[seat]]
            live = [seat for seat in SEATS if seat not in folded]
            won = self.runner.shares(player, len(dealt), path[-1], rows, live)
            shares = won.astype(np.float64)[indices[player]]
        safe = meets_some(met, len(SEATS))
        return np.where(safe, shares / np.where(safe, met, 1.0), np.nan)


def pair_sums() -> PairSums:
    """All zero."""
    cards, pairs = np.zeros((2, ROW), np.float32), np.zeros((2, 52 * ROW), np.float32)
    return PairSums(cards[0], pairs[0], cards[1], pairs[1], np.zeros(52), np.zeros(3))
