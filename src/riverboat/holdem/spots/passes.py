"""Passes over a spot on the CPU: one player's values against what the other plays.

A pass goes down the tree with the opponent's reach and returns with the learner's values
(`pass_kernels`). Blocks of boards of the second street are shared among threads; each block has a
sum of its own, and sums are added in one order, so that any number of threads gives the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from riverboat.holdem.spots._boards import HandTables
from riverboat.holdem.spots._pass_tasks import PassScratch, PassTask, Schedule, Sides, Storages
from riverboat.holdem.spots.geometry import PlayerStorage, SpotGeometry
from riverboat.runtime.array_types import F32, F64
from riverboat.solvers.algorithms import AVERAGE

NO_DISCOUNTS = np.zeros(3, np.float32)  # For passes that learn nothing


def make_scratch(geometry: SpotGeometry) -> PassScratch:
    """The scratch of one thread."""
    plan, width = geometry.plan, max(geometry.plan.widths)
    # A node's new regrets and averages wait beyond all rows until their scales are known.
    most = 2 * max(len(node.actions) for node in geometry.tree.nodes) * width
    return PassScratch(
        np.zeros(max(plan.reach_size), np.float32),
        np.zeros(max(plan.rows_size) + most, np.float32),
        np.zeros(8 * (width + 1) + 416 + 16 * width, np.float32),
    )


class PassRunner:
    """Runs passes over one spot, with scratch for each thread."""

    def __init__(self, geometry: SpotGeometry, threads: int = 1) -> None:
        self.geometry = geometry
        self.scratches = [make_scratch(geometry) for _ in range(max(1, threads))]
        self._gains = [np.zeros(size, np.float32) for size in geometry.gain_sizes]
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
        sides = _sides(self.geometry, learner)
        if reach is not None:
            weights = np.zeros_like(sides.theirs.weights)
            weights[: len(reach)] = reach
            sides = sides._replace(theirs=sides.theirs._replace(weights=weights))
        if self.geometry.num_streets == 1:
            return self._river(sides, task)
        from riverboat.holdem.spots._pass_kernels import close_root, play_boards

        geometry, gains = self.geometry, self._gains[learner]
        schedule = _schedule(geometry, learner)
        out = np.zeros(geometry.plan.widths[learner], np.float32)
        counter = np.zeros(1, np.int64)

        def play(scratch: PassScratch) -> None:
            play_boards(schedule, sides, geometry.edges, counter, task, scratch, gains)

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
        hands: tuple[HandTables, HandTables] | None = None,
    ) -> F32:
        """Passes over a spot that begins on the river, all in one call; the last one's values (P,).

        Args:
            only: The one learner, or −1 for both in turn.
            storages: Each player's regrets and averages.
            discounts: (n, 3) for as many passes of each learner.
            hands: Each player's hands; by default with the weights of their range.
        """
        from riverboat.holdem.spots._pass_kernels import play_river

        geometry, (first, second) = self.geometry, self.geometry.plan.streets[0]
        hands = geometry.runouts.hands if hands is None else hands
        out = np.zeros(max(geometry.plan.widths), np.float32)
        play_river(
            only, mode, (first, second), geometry.runouts.levels[0], hands, storages, discounts,
            self.scratches[0], out,
        )  # fmt: skip
        return out[: geometry.plan.widths[only]]


def _sides(geometry: SpotGeometry, learner: int) -> Sides:
    hands = geometry.runouts.hands
    return Sides(hands[learner], hands[1 - learner], learner)


def _schedule(geometry: SpotGeometry, learner: int) -> Schedule:
    plans = [street[learner] for street in geometry.plan.streets]
    levels = geometry.runouts.levels
    second = min(1, len(plans) - 1)
    return Schedule(
        geometry.num_streets,
        (plans[0], plans[second], plans[-1]),
        (levels[0], levels[second], levels[-1]),
        geometry.layout,
    )


def street_values(
    geometry: SpotGeometry, averages: Storages, nodes: Sequence[int], street: int, board: int,
    player: int,
) -> F32:  # fmt: skip
    """(nodes, P) a player's values at the nodes of one street, on one board of it.

    Both play their averages; values are sums over the opponent's hands that reach a node, in chips
    counted from half of the first pot. `street` counts from the first one of the spot.
    """
    from riverboat.holdem.spots import _pass_kernels as pass_kernels

    runner, own = PassRunner(geometry), averages[player]
    scratch, last = runner.scratches[0], geometry.num_streets - 1
    schedule, sides = _schedule(geometry, player), _sides(geometry, player)
    task = PassTask(AVERAGE, averages[1 - player], own, own, NO_DISCOUNTS)
    chunks: Sequence[int] = [0]
    river = schedule.plans[2]
    if street == last:
        _reach_river(schedule, sides, task, board, scratch)
        chunks = range(len(river.chunks))
    elif street == 0:
        runner.values(player, AVERAGE, task.source, own, own)
    else:
        edges, gains = np.array([board, board + 1]), np.zeros(geometry.gain_sizes[player])
        pass_kernels.play_boards(
            schedule, sides, edges, np.zeros(1, np.int64), task, scratch, gains.astype(np.float32)
        )
    where, width = geometry.plan.node_values[player], geometry.plan.widths[player]
    found = np.zeros((len(nodes), width), np.float32)
    for chunk in chunks:
        if street == last:
            their_base = geometry.board_start(last, 1 - player, board)
            base = geometry.board_start(last, player, board)
            stabiliser = int(schedule.levels[2].stabiliser[board])
            pass_kernels.river_board(
                river, chunk, sides, board, stabiliser, task, their_base, base, scratch
            )
        for place, node in enumerate(nodes):
            at = where[node]
            if at.chunk == chunk:
                found[place] = scratch.rows[at.row : at.row + width] * np.float32(at.factor)
    return found


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
