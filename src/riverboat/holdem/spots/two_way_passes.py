"""Passes over a spot of two players on the CPU: one's values against what the other plays.

A pass goes down the tree with the opponent's reach and returns with the learner's values
(`_pass_kernels`). Blocks of boards of the second street are shared among threads; each block has a
sum of its own, and sums are added in one order, so that any number of threads gives the same bits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from riverboat.cards.equity import range_equities
from riverboat.cards.hands import hand_cards
from riverboat.cards.ranges import Range
from riverboat.holdem.spots._cpu_passes import CpuPasses
from riverboat.holdem.spots._pass_tasks import PassScratch, PassTask, Schedule, Sides, Storages
from riverboat.holdem.spots._subset_equities import subset_equities
from riverboat.holdem.spots._subset_tables import scratch_size
from riverboat.holdem.spots.layout import Layout
from riverboat.holdem.spots.passes import NO_DISCOUNTS
from riverboat.holdem.spots.schedule import discounts as discounts_of
from riverboat.holdem.spots.storage import PlayerStorage
from riverboat.holdem.spots.tree import TreeNode
from riverboat.runtime.array_types import F32, F64
from riverboat.solvers.algorithms import AVERAGE, LEARN


def make_scratch(layout: Layout) -> PassScratch:
    """The scratch of one thread."""
    plan, width = layout.plan, max(layout.widths)
    # A node's new regrets and averages wait beyond all rows until their scales are known.
    most = 2 * max(len(node.actions) for node in layout.tree.nodes) * width
    return PassScratch(
        np.zeros(max(plan.reach_size), np.float32),
        np.zeros(max(plan.rows_size) + most, np.float32),
        np.zeros(_lanes_size(layout), np.float32),
    )


def _lanes_size(layout: Layout) -> int:
    """Numbers that eight showdowns side by side take."""
    if layout.subsets is not None:
        return scratch_size(layout.tables)
    width = max(layout.widths)
    return 8 * (width + 1) + 416 + 16 * width


class PassRunner:
    """Runs passes over one spot, with scratch for each thread."""

    def __init__(self, layout: Layout, threads: int = 1) -> None:
        self.layout = layout
        self.scratches = [make_scratch(layout) for _ in range(max(1, threads))]
        self._gains = [np.zeros(size, np.float32) for size in layout.gain_sizes]
        """For each learner the values of the second street's roots, block by block."""

    def values(
        self,
        learner: int,
        mode: int,
        source: PlayerStorage,
        regrets: PlayerStorage,
        averages: PlayerStorage,
        discounts: F32 = NO_DISCOUNTS,
        pool: ThreadPoolExecutor | None = None,
        reach: F64 | None = None,
    ) -> F32:
        """(P,) the learner's values at the root after one pass, summed over opposing hands.

        The numbers are those of `PassTask`. Without a `pool` of threads boards are played in turn.
        `reach` (H,) are other weights of the opponent's hands than their range's.
        """
        task = PassTask(mode, source, regrets, averages, discounts)
        sides = _sides(self.layout, learner)
        if reach is not None:
            weights = np.zeros_like(sides.theirs.weights)
            weights[: len(reach)] = reach
            sides = sides._replace(theirs=sides.theirs._replace(weights=weights))
        if self.layout.num_streets == 1:
            return self._river(sides, task)
        from riverboat.holdem.spots._pass_kernels import close_root, play_boards

        layout, gains = self.layout, self._gains[learner]
        schedule = _schedule(layout, learner)
        out = np.zeros(layout.widths[learner], np.float32)
        counter = np.zeros(1, np.int64)

        def play(scratch: PassScratch) -> None:
            play_boards(schedule, sides, layout.edges, counter, task, scratch, gains)

        if pool is None or len(self.scratches) == 1:
            play(self.scratches[0])
        else:
            for _ in pool.map(play, self.scratches):
                pass
        close_root(schedule, sides, task, self.scratches[0], gains, out)
        return out

    def _river(self, sides: Sides, task: PassTask) -> F32:
        theirs = (task.source, task.source)
        storages, hands = ((task.regrets, task.averages), theirs), (sides.mine, sides.theirs)
        if sides.learner == 1:
            storages, hands = storages[::-1], hands[::-1]
        factors = task.discounts.reshape(1, 3)
        return self.river_iterations(sides.learner, task.mode, storages, factors, hands)

    def river_iterations(
        self,
        only: int,
        mode: int,
        storages: tuple[Storages, Storages],
        discounts: F32,
        hands: tuple[Any, Any] | None = None,
    ) -> F32:
        """Passes over a spot that begins on the river, all in one call; the last one's values (P,).

        Args:
            only: The one learner, or −1 for both in turn.
            storages: Each player's regrets and averages.
            discounts: (n, 3) for as many passes of each learner.
            hands: Each player's hands; by default with the weights of their range.
        """
        from riverboat.holdem.spots._pass_kernels import play_river

        layout, (first, second) = self.layout, self.layout.plan.streets[0]
        hands = layout.tables if hands is None else hands
        out = np.zeros(max(layout.widths), np.float32)
        play_river(
            only, mode, (first, second), layout.boards.levels[0], hands, storages, discounts,
            self.scratches[0], out,
        )  # fmt: skip
        return out[: layout.widths[only]]


def _sides(layout: Layout, learner: int) -> Sides:
    hands = layout.tables
    return Sides(hands[learner], hands[1 - learner], learner)


def _schedule(layout: Layout, learner: int) -> Schedule:
    plans = [street[learner] for street in layout.plan.streets]
    levels = layout.boards.levels
    second = min(1, len(plans) - 1)
    return Schedule(
        layout.num_streets,
        (plans[0], plans[second], plans[-1]),
        (levels[0], levels[second], levels[-1]),
        layout.places,
    )


class TwoWayPasses(CpuPasses):
    """`Passes` for two players on the CPU; the arguments are those of `devices.open_passes`."""

    def __init__(self, layout: Layout, **options: Any) -> None:
        super().__init__(layout, **options)
        self._runner = PassRunner(layout, self.threads)

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
        return self._runner.values(
            learner, mode, self.played(1 - learner, mode), self.regrets[learner], averages,
            discounts, self._pool, None if reach is None else reach.get(1 - learner),
        )  # fmt: skip

    def origin(self, player: int) -> float:
        return self.layout.spot.center(player)

    def iterate(self, count: int) -> None:
        """Do some iterations; on a river in one call: they are shorter than a call from Python."""
        if self.layout.num_streets > 1 or self.locks or self.instead or self.choice is not None:
            super().iterate(count)
            return
        numbers = range(self.iterations, self.iterations + count)
        factors = np.array([discounts_of(t) for t in numbers], np.float32).reshape(-1, 3)
        regrets, averages = self.regrets, self.averages
        both = ((regrets[0], averages[0]), (regrets[1], averages[1]))
        self._runner.river_iterations(-1, LEARN, both, factors)
        self.iterations += count


class StreetReader:
    """`Reader` for two players: a pass over a street leaves the values of all its nodes."""

    def __init__(
        self, layout: Layout, averages: Sequence[PlayerStorage], mode: int = AVERAGE
    ) -> None:
        self.layout, self.averages, self.mode = layout, (averages[0], averages[1]), mode
        self._by_street: dict[int, dict[int, int]] = {}
        """Street → node → its place among the nodes of the street."""
        self._values: dict[tuple[int, int, int], F32] = {}
        self._of_omaha: tuple[Sequence[F64], tuple[F64, F64]] | None = None
        """The last reach and both players' equities there, which are found together."""

    def values(self, node: TreeNode, path: Sequence[int], player: int) -> F32:
        """(P,) a player's values at a node on the last board of `path`."""
        street = len(path) - 1
        nodes = self._nodes(street)
        key = (street, path[-1], player)
        if key not in self._values:
            if len(self._values) > 64:
                self._values.clear()
            self._values[key] = street_values(
                self.layout, self.averages, list(nodes), *key, mode=self.mode
            )
        return np.asarray(self._values[key][nodes[node.index]])

    def _nodes(self, street: int) -> dict[int, int]:
        if street not in self._by_street:
            tree = self.layout.tree
            own = [node for node in tree.nodes if node.street - tree.spot.street == street]
            self._by_street[street] = {node.index: number for number, node in enumerate(own)}
        return self._by_street[street]

    def origin(self, node: TreeNode, player: int) -> float:
        """Half of the first pot, or the prize of it, and the chips put in since."""
        spot = self.layout.spot
        return spot.center(player) + (node.put[player] if spot.payouts is None else 0.0)

    def equities(
        self, player: int, dealt: Sequence[int], reach: Sequence[F64], folded: Sequence[int]
    ) -> F64:
        """(H,) each hand's share of the pot if all cards were dealt now."""
        spot, combos = self.layout.spot, self.layout.combos[player]
        if spot.game == "omaha":
            return self._equities_of_omaha(dealt, reach)[player]
        mine = np.zeros(1326)
        mine[combos] = 1.0
        both = (Range(mine), Range(np.clip(reach[1 - player], 0.0, 1.0)))
        shares = range_equities(*both, [*spot.board, *dealt], dead=spot.dead).equities[0]
        return np.asarray(shares[combos])

    def _equities_of_omaha(self, dealt: Sequence[int], reach: Sequence[F64]) -> tuple[F64, F64]:
        if self._of_omaha is None or self._of_omaha[0] is not reach:
            spot, combos = self.layout.spot, self.layout.combos
            cards = [hand_cards(spot.hole_cards)[own] for own in combos]
            weights = [own[numbers] for own, numbers in zip(reach, combos, strict=True)]
            board = [*spot.board, *dealt]
            self._of_omaha = reach, subset_equities(cards, weights, board, spot.dead)
        return self._of_omaha[1]


def street_values(
    layout: Layout, averages: Storages, nodes: Sequence[int], street: int, board: int,
    player: int, *, mode: int = AVERAGE,
) -> F32:  # fmt: skip
    """(nodes, P) a player's values at the nodes of one street, on one board of it.

    Both play their averages, in BEST the player a best response; values are sums over the
    opponent's hands that reach a node, in chips counted from half of the first pot. `street` counts
    from the first one of the spot.
    """
    from riverboat.holdem.spots import _pass_kernels as pass_kernels

    runner, own = PassRunner(layout), averages[player]
    scratch, last = runner.scratches[0], layout.num_streets - 1
    schedule, sides = _schedule(layout, player), _sides(layout, player)
    task = PassTask(mode, averages[1 - player], own, own, NO_DISCOUNTS)
    chunks: Sequence[int] = [0]
    river = schedule.plans[2]
    if street == last:
        _reach_river(schedule, sides, task, board, scratch)
        chunks = range(len(river.chunks))
    elif street == 0:
        runner.values(player, mode, task.source, own, own)
    else:
        edges, gains = np.array([board, board + 1]), np.zeros(layout.gain_sizes[player])
        pass_kernels.play_boards(
            schedule, sides, edges, np.zeros(1, np.int64), task, scratch, gains.astype(np.float32)
        )
    where, width = layout.plan.node_values[player], layout.widths[player]
    values = np.zeros((len(nodes), width), np.float32)
    for chunk in chunks:
        if street == last:
            their_base = layout.board_start(last, 1 - player, board)
            base = layout.board_start(last, player, board)
            stabiliser = int(schedule.levels[2].stabiliser[board])
            pass_kernels.river_board(
                river, chunk, sides, board, stabiliser, task, their_base, base, scratch
            )
        for number, node in enumerate(nodes):
            at = where[node]
            if at.chunk == chunk:
                values[number] = scratch.rows[at.row : at.row + width] * np.float32(at.factor)
    return values


def _reach_river(
    schedule: Schedule, sides: Sides, task: PassTask, board: int, scratch: PassScratch
) -> None:
    """Bring the opponent's reach to the river roots of one board."""
    from riverboat.holdem.spots import _pass_kernels as pass_kernels

    theirs, other, layout = sides.theirs, 1 - sides.learner, schedule.layout
    width = len(theirs.weights)
    if schedule.num_streets == 1:
        scratch.reach[:width] = theirs.weights
        return
    pass_kernels.start_reach(
        schedule.plans[0], theirs, task.source, int(layout[0, other, 0]), scratch.reach
    )
    if schedule.num_streets == 3:
        turn, first_child = schedule.plans[1], schedule.levels[1].first_child
        parent = int(np.searchsorted(first_child, board, side="right")) - 1
        base = int(layout[1, other, 0] + parent * layout[1, other, 1])
        pass_kernels.descend(turn, 0, len(turn.down), task.source, base, width, scratch.reach)
