"""Spots for three players by discounted CFR over vectors of hands.

Brown and Sandholm, "Solving Imperfect-Information Games via Discounted Regret Minimization"
(AAAI 2019), as for two players (solver.py): the same discounts, the same averages that start
anew at powers of four and are not weighted by a player's own reach. An iteration goes through the
whole tree once for each of the three players, the learner, one after another.

What is promised: for three players CFR has no proof that its average becomes an equilibrium, and no
other practical method has one either. So the result is measured: `evaluation` plays an exact best
response of each player against the averages of the other two. Its **gain** is what the player could
win more by changing their strategy alone. Gains of zero mean an equilibrium; a sum of the three
gains of 0.3 % of the pot, that nobody can win more than that. Several equilibria can exist and
differ in value, and two players together can cost the third more than the gains say.

Cost of an iteration: O(nodes · hands · cards): at an end each hand takes 64 multiply-adds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from riverboat.holdem.spots._three_way_layout import (
    NO_DISCOUNTS,
    SEATS,
    Locked,
    ThreeWayLayout,
    ThreeWaySize,
    open_layout,
    opponents,
)
from riverboat.holdem.spots.locks import Lock, PlacedLock, keeps_symmetry, place_locks
from riverboat.holdem.spots.solver_run import SolverRun, discounts
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.three_way_solved import SolvedThreeWay, read_three_way, save_three_way
from riverboat.runtime.array_types import F32
from riverboat.solvers.algorithms import AVERAGE, BEST, LEARN


@dataclass(frozen=True)
class ThreeWayEvaluation:
    """The value of the averages, in chips, by player in order of action."""

    ev: tuple[float, ...]  # When all play their averages
    best: tuple[float, ...]  # Of a best response to the averages of the other two
    pot: float

    @property
    def gains(self) -> tuple[float, ...]:
        """What each player could win more by changing their strategy alone."""
        return tuple(best - ev for best, ev in zip(self.best, self.ev, strict=True))

    @property
    def total(self) -> float:
        """The sum of all gains."""
        return sum(self.gains)

    def figures(self) -> dict[str, Any]:
        return {
            "gains": list(self.gains),
            "gain_sum": self.total,
            "gain_sum_pct": 100 * self.total / self.pot,
            "ev": list(self.ev),
        }


class ThreeWaySolver(SolverRun):
    """A spot for three players in the middle of being solved, on the CPU.

    Args:
        spot: The spot, or its layout where that is known.
        threads: Threads for the boards of the second street; any number gives the same bits.
        memory: Bytes allowed; a spot that needs more is refused before anything is allocated.
        isomorphism: Keep one board for all runouts that differ by the names of suits only.
        locks: Nodes whose strategy is given.
    """

    storage = "float32"
    spot: Spot

    def __init__(
        self,
        spot: Spot | ThreeWayLayout,
        *,
        threads: int = 1,
        memory: int | None = None,
        isomorphism: bool = True,
        locks: Sequence[Lock] = (),
    ) -> None:
        super().__init__(threads)
        if isinstance(spot, ThreeWayLayout):
            self.layout = spot
        else:
            self.layout = open_layout(spot, isomorphism=isomorphism, memory=memory)
        self.locks = tuple(locks)
        if locks and not keeps_symmetry(self.layout, locks):
            self.layout = open_layout(self.layout.spot, isomorphism=False, memory=memory)
        self.spot = self.layout.spot
        self.placed: list[PlacedLock] = place_locks(self.layout, self.locks)
        self.last_evaluation: ThreeWayEvaluation | None = None
        self._allocate()

    def _allocate(self) -> None:
        sizes = [self.layout.elements(seat) for seat in SEATS]
        self._regrets: list[F32] = [np.zeros(size, np.float32) for size in sizes]
        self._averages: list[F32] = [np.zeros(size, np.float32) for size in sizes]
        self._locked = [self._locked_of(seat) for seat in SEATS]
        self.enforce_locks()
        # Numba is loaded here, not with the module.
        from riverboat.holdem.spots._three_way_passes import ThreePasses

        self._passes = ThreePasses(self.layout, self.threads)

    @property
    def regrets(self) -> list[F32]:
        """Of each player: flat, as the layout has them."""
        return self._regrets

    @property
    def averages(self) -> list[F32]:
        """The same for the strategies that were played on average."""
        return self._averages

    def restore(self, regrets: Sequence[F32], averages: Sequence[F32]) -> None:
        """Go on from these numbers."""
        for mine, kept in zip(
            (*self._regrets, *self._averages), (*regrets, *averages), strict=True
        ):
            mine[...] = kept

    def _locked_of(self, seat: int) -> Locked:
        mine = sorted((lock for lock in self.placed if lock.player == seat), key=lambda k: k.start)
        if not mine:
            return Locked()
        starts = np.array([lock.start for lock in mine], np.int64)
        return Locked(starts, np.stack([lock.mask for lock in mine]))

    @property
    def num_streets(self) -> int:
        return self.layout.num_streets

    # The algorithm: iterations, passes, evaluations.

    def step(self, num_iterations: int = 1) -> None:
        """Do some iterations."""
        for _ in range(num_iterations):
            factors = np.array(discounts(self.iterations), np.float32)
            # Alternating updates: each player answers the new regrets of those before.
            for learner in SEATS:
                self.pass_values(learner, LEARN, factors)
                if self.placed:
                    self.enforce_locks()
            self.iterations += 1

    def pass_values(self, learner: int, mode: int, factors: F32 = NO_DISCOUNTS) -> F32:
        """(P,) the learner's values at the root after one pass of a mode.

        The opponents play by their regrets in LEARN, by their averages in BEST and AVERAGE.
        """
        kept = self.regrets if mode == LEARN else self.averages
        one, two = opponents(learner)
        return self._passes.values(
            learner, mode, (kept[one], kept[two]), (self.regrets[learner], self.averages[learner]),
            factors, self._locked[learner], self._pool,
        )  # fmt: skip

    def enforce_locks(self) -> None:
        """Overwrite what was learned at locked nodes with the locked strategy."""
        for lock in self.placed:
            lock.write(self.regrets[lock.player])
            lock.write(self.averages[lock.player])

    def evaluation(self) -> ThreeWayEvaluation:
        """Exact best responses to the averages, and the value of the averages together."""
        best, ev = (
            tuple(self.layout.mean(seat, self.pass_values(seat, mode)) for seat in SEATS)
            for mode in (BEST, AVERAGE)
        )
        self.last_evaluation = ThreeWayEvaluation(ev, best, self.spot.pot)
        self._evaluated_at = self.iterations
        return self.last_evaluation

    def measure(self) -> float:
        """The sum of what the three best responses gain, in chips."""
        return self.evaluation().total

    def compile(self, progress: Callable[[int, int], None] | None = None) -> float:
        """Compile what is not in the cache, without changing anything; the seconds it took."""
        start = time.perf_counter()
        if self.iterations == 0:
            self.pass_values(self.spot.playing[0], LEARN)
            for numbers in (*self.regrets, *self.averages):
                numbers[...] = 0
            self.enforce_locks()
        self.compile_seconds = time.perf_counter() - start
        return self.compile_seconds

    # What was learned: facts, results, files.

    @property
    def size(self) -> ThreeWaySize:
        return self.layout.size

    @property
    def memory_bytes(self) -> int:
        return self.size.memory

    def result(self) -> SolvedThreeWay:
        """What was found, to be read and saved; it shares the solver's storage."""
        return SolvedThreeWay(self.layout, self.averages, self.info(), passes=self._passes)

    def save(self, path: str | Path) -> None:
        """Write all it needs to go on; `load` and `SolvedThreeWay.load` read it."""
        save_three_way(path, self.layout, self.averages, self.info(), regrets=self.regrets)

    def save_checkpoint(self, path: str | Path) -> None:
        """The same in the middle of a run, with the figures of its last evaluation."""
        info = self.info(stale=True)
        save_three_way(path, self.layout, self.averages, info, regrets=self.regrets)

    @classmethod
    def load(cls, path: str | Path, **options: Any) -> ThreeWaySolver:
        """The solver that a file was saved from, on any device, ready to go on."""
        found = read_three_way(path, solver=True)
        solver = cls(found.layout, locks=found.locks, **options)
        solver.restore(found.regrets, found.averages)
        solver.iterations = found.info["iterations"]
        solver.seconds, solver.cpu_seconds = found.info["seconds"], found.info["cpu_seconds"]
        return solver
