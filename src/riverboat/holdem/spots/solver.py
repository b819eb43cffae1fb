"""Hold'em spots by discounted CFR over vectors of hands, for two and three players, on any device.

Brown and Sandholm, "Solving Imperfect-Information Games via Discounted Regret Minimization"
(AAAI 2019). An iteration t = 0, 1, … goes through the whole tree once for each player, the learner:

1. the others' reach goes down, split by regret matching on their regrets;
2. showdowns and folds give the learner's values, over all runouts;
3. values go up; at the learner's nodes regrets R become
   R · a + (value of the action − value of the node), with a = (t−1)^1.5 / ((t−1)^1.5 + 1) for R > 0
   and 1/2 for R < 0;
4. and averages S become S · g + strategy, with g = (n / (n + 1))³, where n counts from the last
   power of four: there the average starts anew.

`algorithm` is the same to read. Kernels do it: `passes` says what they offer, `two_way_passes` and
`_three_way_passes` have those of the CPU, the folder `cuda` those of GPUs, whose discounts for two
players are others.

It departs from the paper in point 4: the average of a node is not weighted by the player's own
reach, as in the fastest open solver; it saves a pass. The result is measured, not assumed:
`evaluation` plays exact best responses against the averages. What a player could win more by
changing their strategy alone is their **gain**. Of two players without rake or prizes the averages
converge to an equilibrium. Otherwise CFR promises nothing and gains are all there is: gains of zero
mean an equilibrium, of which several may exist and differ in value, and two players together can
cost a third more than the gains say.

Cost of an iteration: O(nodes · hands), for two 2.5 to 4 ns for each hand and action on one core;
for three O(nodes · hands · cards), since at an end each hand takes 64 multiply-adds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from riverboat.holdem.spots.devices import device_layout, open_passes
from riverboat.holdem.spots.first_choice import FirstChoice
from riverboat.holdem.spots.layout import Layout, SpotSize
from riverboat.holdem.spots.locks import Lock, PlacedLock, keeps_symmetry, place_locks
from riverboat.holdem.spots.passes import NO_DISCOUNTS, Passes
from riverboat.holdem.spots.schedule import DEFAULT_TARGET, next_evaluation
from riverboat.holdem.spots.solved import SolvedSpot, read_solver, save_solver
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.storage import PlayerStorage
from riverboat.runtime.array_types import F32, F64
from riverboat.solvers.algorithms import AVERAGE, BEST
from riverboat.solvers.run import Autosave, Limit, ProgressCallback, run


@dataclass(frozen=True)
class SpotEvaluation:
    """The value of the averages, in chips, by player in order of action."""

    ev: tuple[float, ...]  # When all play their averages
    best: tuple[float, ...]  # Of a best response to the averages of the others
    pot: float  # In the same unit: chips or prizes

    @property
    def gains(self) -> tuple[float, ...]:
        """What each player could win more by changing their strategy alone."""
        return tuple(best - ev for best, ev in zip(self.best, self.ev, strict=True))

    @property
    def total(self) -> float:
        """The sum of all gains."""
        return sum(self.gains)

    @property
    def exploitability(self) -> float:
        """The figure of a target: of two players the mean of their gains, of three the sum."""
        return self.total / 2 if len(self.ev) == 2 else self.total

    @property
    def percent(self) -> float:
        """The same in per cent of the first pot."""
        return 100 * self.exploitability / self.pot

    def figures(self) -> dict[str, Any]:
        """By name, as files and `--json` have it."""
        if len(self.ev) > 2:
            return {
                "gains": list(self.gains),
                "gain_sum": self.total,
                "gain_sum_pct": self.percent,
                "ev": list(self.ev),
            }
        return {
            "exploitability": self.exploitability,
            "exploitability_pct": self.percent,
            "ev": list(self.ev),
            "best": list(self.best),
        }


def make_solver(
    spot: Spot | Layout,
    *,
    device: str = "cpu",
    threads: int = 1,
    memory: int | None = None,
    int16: bool | None = None,
    isomorphism: bool = True,
    locks: Sequence[Lock] = (),
    held: Sequence[PlacedLock] = (),
    choice: FirstChoice | None = None,
    **of_device: Any,
) -> SpotSolver:
    """A new solver of a spot.

    >>> solver = make_solver(Spot.load("3bet.toml"), threads=2)   # doctest: +SKIP
    >>> solver.run(Limit(target=0.54))                            # doctest: +SKIP

    Args:
        spot: The spot, or its layout where that is known.
        device: "cpu" or "cuda".
        threads: Threads for the boards of the second street; any number gives the same bits.
        memory: Bytes allowed; numbers become 16-bit where that is needed and possible.
        int16: Whether numbers have two bytes instead of four; by default the memory decides.
        isomorphism: Keep one board for all runouts that differ by the names of suits only.
        locks: Nodes whose strategy is given.
        held: The same, already placed (for solvers that keep some nodes from an earlier solve).
        choice: What one player may do before the spot begins.
        of_device: Options of a GPU: see `cuda.two_way_passes` and `cuda.three_way_passes`.
    """
    allowed, layout = device_layout(
        spot, device=device, memory=memory, isomorphism=isomorphism, options=of_device
    )
    if locks and not keeps_symmetry(layout, locks):
        allowed, layout = device_layout(
            layout.spot, device=device, memory=memory, isomorphism=False, options=of_device
        )
    passes = open_passes(
        layout,
        device=device,
        locks=[*place_locks(layout, locks), *held],
        choice=choice,
        threads=threads,
        memory=allowed,
        int16=int16,
        **of_device,
    )
    return SpotSolver(layout, passes, locks)


class SpotSolver:
    """A spot in the middle of being solved; `make_solver` makes one from a question."""

    algorithm = "dcfr"

    def __init__(self, layout: Layout, passes: Passes, locks: Sequence[Lock] = ()) -> None:
        """`locks` are those of the question, which `passes` already has at their place."""
        self.layout, self.passes, self.locks = layout, passes, tuple(locks)
        self.spot = layout.spot
        self.seconds = 0.0
        """Spent iterating and measuring, in all runs; progress and saving do not count."""
        self.cpu_seconds = 0.0
        self.compile_seconds = 0.0
        self.stopped = False
        """Whether a stop ended the last run before its limit."""
        self.last_evaluation: SpotEvaluation | None = None
        self._evaluated_at = -1

    # Facts.

    @property
    def iterations(self) -> int:
        return self.passes.iterations

    @property
    def num_streets(self) -> int:
        return self.layout.num_streets

    @property
    def size(self) -> SpotSize:
        return self.layout.size

    @property
    def threads(self) -> int:
        return self.passes.threads

    @property
    def device_name(self) -> str:
        return self.passes.device_name

    @property
    def storage(self) -> str:
        """The type of its numbers."""
        return self.passes.storage

    @property
    def int16(self) -> bool:
        return self.passes.int16

    @property
    def memory_bytes(self) -> int:
        return self.passes.memory_bytes

    @property
    def regrets(self) -> tuple[PlayerStorage, ...]:
        """Of each player, as the layout has them."""
        return self.passes.regrets

    @property
    def averages(self) -> tuple[PlayerStorage, ...]:
        """The same for the strategies that were played on average."""
        return self.passes.averages

    def info(self, *, stale: bool = False) -> dict[str, Any]:
        """How the averages were made, as files and `--json` have it.

        With `stale` the figures may be those of the last evaluation instead of the last iteration.
        """
        evaluation = self.last_evaluation
        if evaluation is None or (self._evaluated_at != self.iterations and not stale):
            evaluation = self.evaluation()
        return {
            "iterations": self.iterations,
            "device": self.device_name,
            "storage": self.storage,
            "memory_bytes": self.memory_bytes,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            **evaluation.figures(),
            "locks": [lock.as_dict() for lock in self.locks],
            "stopped": self.stopped,
        }

    # The algorithm: iterations, passes, evaluations.

    def step(self, num_iterations: int = 1) -> None:
        """Do some iterations."""
        self.passes.iterate(num_iterations)

    def pass_values(
        self,
        learner: int,
        mode: int,
        factors: F32 = NO_DISCOUNTS,
        *,
        reach: Mapping[int, F64] | None = None,
    ) -> F32:
        """(P,) the learner's values at the root after one pass of a mode: `Passes.values`."""
        return self.passes.values(learner, mode, factors, reach=reach)

    def evaluation(self) -> SpotEvaluation:
        """Exact best responses to the averages, and the value of the averages together."""
        best, ev = self.passes.means(BEST), self.passes.means(AVERAGE)
        self.last_evaluation = SpotEvaluation(ev, best, self.spot.stake)
        self._evaluated_at = self.iterations
        return self.last_evaluation

    def measure(self) -> float:
        """The figure that a limit's target is about, in chips: `SpotEvaluation.exploitability`."""
        gain = self.passes.quick_gain()
        return self.evaluation().exploitability if gain is None else gain / 2

    def compile(self, progress: Callable[[int, int], None] | None = None) -> float:
        """Compile what is not in the cache, without changing anything; the seconds it took.

        On a GPU `progress` is called with the number of kernels that are ready, and of all.
        """
        start = time.perf_counter()
        self.passes.compile(progress)
        self.compile_seconds = time.perf_counter() - start
        return self.compile_seconds

    # A run: what `solvers.run` drives.

    def run(
        self,
        limit: Limit | None = None,
        progress: ProgressCallback | None = None,
        *,
        autosave: Autosave | None = None,
        finishing: Callable[[], None] | None = None,
    ) -> None:
        """Iterate until the limit; without one, until exploitability is 0.3 % of the pot.

        A stop (Ctrl-C) ends the run after the iteration under way and sets `stopped`. `finishing`
        is called before the last evaluation, which takes about two iterations.
        """
        limit = limit or Limit(target=DEFAULT_TARGET * self.spot.stake)
        with self.pooled():
            with self._timed():
                self.passes.begin(limit)
            self.stopped = run(
                self,
                limit,
                progress=progress,
                autosave=autosave,
                marks=lambda done, figure: next_evaluation(done, figure, limit.target),
            )
            if self._evaluated_at != self.iterations:
                if finishing is not None:
                    finishing()
                with self._timed():
                    self.evaluation()

    def advance(self, count: int) -> None:
        """Do some iterations on the clock."""
        with self._timed():
            self.step(count)

    def evaluate(self) -> float:
        """The figure of `measure`, on the clock."""
        with self._timed():
            return self.measure()

    def pooled(self) -> AbstractContextManager[None]:
        """Keep threads for the passes made inside the block."""
        return self.passes.pooled()

    @contextmanager
    def _timed(self) -> Iterator[None]:
        wall, cpu = time.perf_counter(), time.process_time()
        try:
            yield
        finally:
            self.seconds += time.perf_counter() - wall
            self.cpu_seconds += time.process_time() - cpu

    # Results and files.

    def result(self, *, stale: bool = False) -> SolvedSpot:
        """What was found, to be read and saved; on the CPU it shares the solver's numbers.

        With `stale` the figures may be those of the last evaluation instead of the last iteration.
        """
        return SolvedSpot(self.layout, self.averages, self.info(stale=stale))

    def save(self, path: str | Path) -> None:
        """Write all it needs to go on; `SpotSolver.load` and `SolvedSpot.load` read it."""
        save_solver(path, self.layout, self.regrets, self.averages, self.info())

    def save_checkpoint(self, path: str | Path) -> None:
        """The same in the middle of a run, with the figures of its last evaluation."""
        save_solver(path, self.layout, self.regrets, self.averages, self.info(stale=True))

    @classmethod
    def load(
        cls, path: str | Path, *, device: str = "cpu", threads: int = 1, **of_device: Any
    ) -> SpotSolver:
        """The solver that a file was saved from, on any device, ready to go on."""
        saved = read_solver(path)
        # A GPU keeps numbers of its own kind, whatever those in the file are.
        int16 = saved.int16 if device == "cpu" else None
        solver = make_solver(
            saved.layout,
            device=device,
            threads=threads,
            int16=int16,
            locks=saved.locks,
            **of_device,
        )
        solver.seconds, solver.cpu_seconds = saved.seconds, saved.cpu_seconds
        solver.begin_at(saved.iterations, saved.regrets, saved.averages)
        return solver

    def begin_at(
        self, iterations: int, regrets: Sequence[PlayerStorage], averages: Sequence[PlayerStorage]
    ) -> None:
        """Go on as after that many iterations, from what was learned elsewhere."""
        self.passes.iterations = iterations
        self.passes.restore(regrets, averages)
