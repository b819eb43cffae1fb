"""Exact equilibria of hold'em spots by discounted CFR over vectors of hands.

Brown and Sandholm, "Solving Imperfect-Information Games via Discounted Regret Minimization"
(AAAI 2019). An iteration t = 0, 1, … goes through the whole tree once for each player, the learner:

1. the opponent's reach goes down, split by regret matching on their regrets (`descend`);
2. showdowns and folds give the learner's values, over all runouts (`showdowns`, `combine`);
3. values go up (`ascend`); at the learner's nodes regrets R become
   R · a + (value of the action − value of the node), with a = (t−1)^1.5 / ((t−1)^1.5 + 1) for R > 0
   and 1/2 for R < 0 (`learn_node`);
4. and averages S become S · g + strategy, with g = (n / (n + 1))³, where n counts from the last
   power of four: there the average starts anew.

The steps are kernels of `pass_kernels` and `update_kernels`; `passes` calls them board by board.

It departs from the paper in point 4: the average of a node is not weighted by the player's own
reach, as in the fastest open solver; it saves a pass. The result is measured, not assumed:
`evaluation` plays exact best responses against the averages. With rake or prizes the game is not
zero-sum and CFR promises nothing; in practice it converges, and exploitability is then the mean of
what both best responses gain.

Cost of an iteration: O(nodes × hands), 2.5 to 4 ns for each hand and action on one core.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import TooLargeError
from riverboat.holdem.spots.geometry import PlayerStorage, SpotGeometry, SpotSize, open_geometry
from riverboat.holdem.spots.locks import Lock, PlacedLock, keeps_symmetry, place_locks, with_locks
from riverboat.holdem.spots.passes import NO_DISCOUNTS, PassRunner
from riverboat.holdem.spots.solved import SolvedSpot, read_solver, save_solver
from riverboat.holdem.spots.solver_run import SolverRun, discounts
from riverboat.holdem.spots.spot import Spot
from riverboat.runtime.array_types import F32, F64
from riverboat.solvers.algorithms import AVERAGE, BEST, LEARN
from riverboat.strategies.files import RemoteArray


@dataclass(frozen=True)
class SpotEvaluation:
    """The value of the averages, in chips."""

    ev: tuple[float, float]  # Of OOP and IP, when both play their averages
    best: tuple[float, float]  # Of a best response to the other's average
    pot: float  # In the same unit: chips or prizes

    @property
    def exploitability(self) -> float:
        """The mean of what the two best responses gain."""
        return (self.best[0] - self.ev[0] + self.best[1] - self.ev[1]) / 2

    @property
    def percent(self) -> float:
        """Exploitability in per cent of the first pot."""
        return 100 * self.exploitability / self.pot

    def figures(self) -> dict[str, Any]:
        return {
            "exploitability": self.exploitability,
            "exploitability_pct": self.percent,
            "ev": list(self.ev),
            "best": list(self.best),
        }


def choose_storage(size: SpotSize, memory: int | None) -> bool:
    """Whether 16-bit numbers are needed to fit in the memory allowed; refused if they do not."""
    if memory is None or size.float32 <= memory:
        return False
    if size.int16 <= memory:
        return True
    raise TooLargeError(
        f"The spot needs {size.int16 / 2**30:.2f} GiB with 16-bit numbers and"
        f" {size.float32 / 2**30:.2f} GiB with 32-bit ones, more than the"
        f" {memory / 2**30:.2f} GiB allowed; give fewer sizes or smaller ranges."
    )


class SpotSolver(SolverRun):
    """A spot in the middle of being solved, on the CPU.

    >>> solver = SpotSolver(Spot.load("3bet.toml"), threads=2)   # doctest: +SKIP
    >>> solver.run(Limit(target=0.54))                           # doctest: +SKIP

    Args:
        spot: The spot, or its geometry where that is known.
        threads: Threads for the boards of the second street.
        memory: Bytes allowed; numbers become 16-bit where that is needed.
        int16: Whether numbers have two bytes instead of four; by default the memory decides.
        isomorphism: Keep one board for all runouts that differ by the names of suits only.
        locks: Nodes whose strategy is given.
        held: The same, already placed (for solvers that keep some nodes from an earlier solve).
    """

    spot: Spot

    def __init__(
        self,
        spot: Spot | SpotGeometry,
        *,
        threads: int = 1,
        memory: int | None = None,
        int16: bool | None = None,
        isomorphism: bool = True,
        locks: Sequence[Lock] = (),
        held: Sequence[PlacedLock] = (),
    ) -> None:
        self.geometry = (
            spot if isinstance(spot, SpotGeometry) else self._open(spot, isomorphism, memory)
        )
        self.locks = tuple(locks)
        if locks and not keeps_symmetry(self.geometry, locks):
            self.geometry = self._open(self.geometry.spot, False, memory)
        self.spot = self.geometry.spot
        super().__init__(threads)
        self.last_evaluation: SpotEvaluation | None = None
        self.int16 = self._choose_storage(memory) if int16 is None else int16
        self.placed = [*place_locks(self.geometry, self.locks), *held]
        """Locks at their place: those of `locks`, then `held`."""
        self._allocate()

    def _open(self, spot: Spot, isomorphism: bool, memory: int | None) -> SpotGeometry:
        return open_geometry(spot, isomorphism=isomorphism, memory=memory)

    def _choose_storage(self, memory: int | None) -> bool:
        return choose_storage(self.size, memory)

    def _allocate(self) -> None:
        """Room for all numbers, with the locks in it."""
        geometry = self.geometry
        self._regrets = tuple(geometry.storage(player, int16=self.int16) for player in (0, 1))
        self._averages = tuple(
            with_locks(
                geometry.storage(player, int16=self.int16),
                [lock for lock in self.placed if lock.player == player],
            )
            for player in (0, 1)
        )
        for player in (0, 1):
            self.enforce_locks(player)
        self._passes = PassRunner(geometry, self.threads)

    # The algorithm: iterations, passes, evaluations.

    def step(self, num_iterations: int = 1) -> None:
        """Do some iterations."""
        if self.geometry.num_streets == 1 and not self.placed:
            self._river_steps(num_iterations)
            return
        for _ in range(num_iterations):
            factors = np.array(discounts(self.iterations), np.float32)
            # Alternating updates: the second player already answers the first one's new regrets.
            for learner in (0, 1):
                self.pass_values(learner, LEARN, factors)
                # A pass updates every node; locked hands are then set back.
                self.enforce_locks(learner)
            self.iterations += 1

    def _river_steps(self, num_iterations: int) -> None:
        """All iterations in one call: those of a river are shorter than a call from Python."""
        numbers = range(self.iterations, self.iterations + num_iterations)
        factors = np.array([discounts(t) for t in numbers], np.float32).reshape(-1, 3)
        regrets, averages = self.regrets, self.averages
        both = ((regrets[0], averages[0]), (regrets[1], averages[1]))
        self._passes.river_iterations(-1, LEARN, both, factors)
        self.iterations += num_iterations

    def pass_values(
        self, learner: int, mode: int, factors: F32 = NO_DISCOUNTS, *, reach: F64 | None = None
    ) -> F32:
        """(P,) the learner's values at the root after one pass of a mode.

        The opponent plays by their regrets in LEARN, by their averages in BEST and AVERAGE. With
        `reach` (H,) their hands have these weights instead of those of their range.
        """
        kept = self.regrets if mode == LEARN else self.averages
        return self._passes.values(
            learner, mode, kept[1 - learner], self.regrets[learner], self.averages[learner],
            factors, self._pool, reach,
        )  # fmt: skip

    def enforce_locks(self, player: int) -> None:
        """Overwrite what a player has learned at locked nodes with the locked strategy."""
        for lock in self.placed:
            if lock.player == player:
                lock.enforce(self.regrets[player])
                lock.enforce(self.averages[player])

    def evaluation(self) -> SpotEvaluation:
        """Exact best responses to the averages, and the value of the averages together."""
        found = [
            [self.geometry.mean(player, self.pass_values(player, mode)) for player in (0, 1)]
            for mode in (BEST, AVERAGE)
        ]
        best, ev = ((pair[0], pair[1]) for pair in found)
        self.last_evaluation = SpotEvaluation(ev, best, self.spot.stake)
        self._evaluated_at = self.iterations
        return self.last_evaluation

    def measure(self) -> float:
        """Exploitability in chips."""
        return self.evaluation().exploitability

    @property
    def num_streets(self) -> int:
        return self.geometry.num_streets

    def compile(self, progress: Callable[[int, int], None] | None = None) -> float:
        """Compile what is not in the cache, without changing anything; the seconds it took.

        On a GPU `progress` is called with the number of kernels that are ready, and of all.
        """
        start = time.perf_counter()
        if self.iterations == 0:
            for learner in (0, 1):
                self.pass_values(learner, LEARN)
            for storage in (*self.regrets, *self.averages):
                storage.values[...] = 0
                storage.scales[...] = 0
            for player in (0, 1):
                self.enforce_locks(player)
        self.compile_seconds = time.perf_counter() - start
        return self.compile_seconds

    # What was learned: storage, facts, results, files.

    @property
    def regrets(self) -> tuple[PlayerStorage, ...]:
        """Of OOP and IP."""
        return self._regrets

    @property
    def averages(self) -> tuple[PlayerStorage, ...]:
        """Of OOP and IP."""
        return self._averages

    def stored(self) -> dict[tuple[str, int], NDArray[Any] | RemoteArray]:
        """(name, player) → what was learned, as it is kept; to be saved and put back."""
        found: dict[tuple[str, int], NDArray[Any] | RemoteArray] = {}
        for name, both in (("regrets", self.regrets), ("averages", self.averages)):
            for player, storage in enumerate(both):
                found[name, player] = storage.values
                found[f"{name}_scales", player] = storage.scales
        return found

    def restore(self, regrets: Sequence[PlayerStorage], averages: Sequence[PlayerStorage]) -> None:
        """Take over what another solver of the same spot has learned."""
        for mine, given in zip((*self.regrets, *self.averages), (*regrets, *averages), strict=True):
            mine.values[...] = given.values
            mine.scales[...] = given.scales

    @property
    def size(self) -> SpotSize:
        return self.geometry.size

    @property
    def storage(self) -> str:
        return "16-bit" if self.int16 else "float32"

    @property
    def memory_bytes(self) -> int:
        return self.size.int16 if self.int16 else self.size.float32

    def result(self, *, stale: bool = False) -> SolvedSpot:
        """What was found, to be read and saved; it shares the solver's storage.

        With `stale` the figures may be those of the last evaluation instead of the last iteration.
        """
        first, second = self.averages
        return SolvedSpot(self.geometry, (first, second), self.info(stale=stale))

    def save(self, path: str | Path) -> None:
        """Write all it needs to go on; `SpotSolver.load` and `SolvedSpot.load` read it."""
        save_solver(path, self, self.info())

    def save_checkpoint(self, path: str | Path) -> None:
        """The same in the middle of a run, with the figures of its last evaluation."""
        save_solver(path, self, self.info(stale=True))

    @classmethod
    def load(cls, path: str | Path, *, threads: int = 1) -> Self:
        """The solver that a file was saved from, on any device, ready to go on."""
        saved = read_solver(path)
        # A GPU keeps numbers of its own kind, whatever those in the file are.
        int16 = saved.int16 if cls.device_name == "cpu" else None
        solver = cls(saved.geometry, threads=threads, int16=int16, locks=saved.locks)
        solver.iterations = saved.iterations
        solver.seconds, solver.cpu_seconds = saved.seconds, saved.cpu_seconds
        solver.restore(saved.regrets, saved.averages)
        return solver
