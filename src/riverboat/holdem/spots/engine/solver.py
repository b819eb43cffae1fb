"""Exact equilibria of hold'em spots by discounted CFR over vectors of hands.

Brown and Sandholm, "Solving Imperfect-Information Games via Discounted Regret Minimization"
(AAAI 2019). An iteration t = 0, 1, … goes through the whole tree once for each player:

1. the opponent's reach goes down, split by regret matching on his regrets;
2. showdowns and folds give the learner's values, which go up; all runouts are counted;
3. his regrets R become R · a + (value of the action − value of the node), with
   a = (t−1)^1.5 / ((t−1)^1.5 + 1) for R > 0 and 1/2 for R < 0;
4. his averages S become S · g + strategy, with g = (n / (n + 1))³, where n counts from the last
   power of four: there the average starts anew.

It departs from the paper in point 4: the average of a node is not weighted by the player's own
reach, as in the fastest open solver; it saves a pass. What comes out is measured, not assumed:
`evaluation` plays exact best responses against the averages. With rake the game is not zero-sum
and CFR promises nothing; in practice it converges, and exploitability is then the mean of what both
best responses gain.

Cost of an iteration: O(nodes × hands), 2.5 to 4 ns for each hand and action on one core.

When a running solver looks at its exploitability and stops, and how long it has run.
"""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import TooLargeError, UsageError
from riverboat.holdem.spots.engine.geometry import (
    PassScratch,
    PlayerStorage,
    SpotGeometry,
    SpotSize,
    open_geometry,
)
from riverboat.holdem.spots.locks import Lock, PlacedLock, keeps_symmetry, place_locks, with_locks
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.holdem.spots.spot import Spot
from riverboat.solvers.run import Limit

__all__ = [
    "Clock",
    "LookSchedule",
    "SpotEvaluation",
    "SpotProgress",
    "SpotSolver",
    "choose_storage",
    "deferred_interrupt",
    "discounts",
    "parse_target",
    "solver_kind",
]


class Running(Protocol):
    """A solver as this file sees it."""

    iterations: int
    seconds: float
    cpu_seconds: float


class Clock:
    """Adds a run's time to the solver's."""

    def __init__(self, solver: Running) -> None:
        self.solver = solver
        self.wall, self.cpu = time.perf_counter(), time.process_time()
        self.before = (solver.seconds, solver.cpu_seconds)

    def elapsed(self) -> float:
        return time.perf_counter() - self.wall

    def update(self) -> None:
        self.solver.seconds = self.before[0] + self.elapsed()
        self.solver.cpu_seconds = self.before[1] + time.process_time() - self.cpu


class LookSchedule:
    """How many iterations to do before looking again, and when to measure."""

    def __init__(self, limit: Limit, start: int) -> None:
        self.limit = limit
        self.last, self.noted_at = float("inf"), -1
        self.next_look = start + 8
        self.pace = 0.0
        self._since = (start, 0.0)

    def finished(self, solver: Running, elapsed: float) -> bool:
        limit = self.limit
        return (
            (limit.iterations is not None and solver.iterations >= limit.iterations)
            or (limit.seconds is not None and elapsed >= limit.seconds)
            or (limit.target is not None and self.last <= limit.target)
        )

    def next_steps(self, solver: Running, elapsed: float) -> int:
        """Up to the next look, a tenth of a second's worth, or the end, whichever is first."""
        done, then = self._since
        if solver.iterations > done:
            self.pace = (elapsed - then) / (solver.iterations - done)
        self._since = (solver.iterations, elapsed)
        steps = max(1, self.next_look - solver.iterations)
        if self.pace > 0:
            steps = min(steps, max(1, int(0.1 / self.pace)))
        elif self.limit.seconds is not None:
            steps = 1
        if self.limit.iterations is not None:
            steps = min(steps, self.limit.iterations - solver.iterations)
        return steps

    def wants_evaluation(self, solver: Running, elapsed: float) -> bool:
        return solver.iterations >= self.next_look

    def note(self, iterations: int, exploitability: float) -> None:
        """Look again where the target seems to be, or after an eighth of the iterations so far.

        A look costs about as much as an iteration. Exploitability falls about as the square of the
        iterations grows.
        """
        self.last, self.noted_at = exploitability, iterations
        ahead = max(8, iterations // 8)
        target = self.limit.target
        if target is not None and target > 0:
            missing = iterations * (math.sqrt(max(exploitability / target, 1.0)) - 1)
            ahead = min(max(4, math.ceil(missing)), max(8, iterations // 2))
        self.next_look = iterations + ahead


@contextmanager
def deferred_interrupt() -> Iterator[Callable[[], bool]]:
    """Turn Ctrl-C into a wish that is asked for between iterations; a second one interrupts."""
    asked = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield asked.is_set
        return
    before = signal.getsignal(signal.SIGINT)

    def note(number: int, frame: Any) -> None:
        asked.set()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, note)
    try:
        yield asked.is_set
    finally:
        signal.signal(signal.SIGINT, before)


LEARN, BEST, AVERAGE = 0, 1, 2
"""Modes of a pass, as in spot_kernels."""
DEFAULT_TARGET = 0.003
"""Of the pot: where a run without a limit stops."""
_NO_WEIGHTS = np.zeros(3, np.float32)


@dataclass(frozen=True)
class SpotEvaluation:
    """What the averages are worth, in chips."""

    ev: tuple[float, float]
    """Of OOP and IP, when both play their averages."""
    best: tuple[float, float]
    """What a best response to the other's average gets."""
    pot: float

    @property
    def exploitability(self) -> float:
        """The mean of what the two best responses gain."""
        return (self.best[0] - self.ev[0] + self.best[1] - self.ev[1]) / 2

    @property
    def percent(self) -> float:
        """Exploitability in per cent of the first pot."""
        return 100 * self.exploitability / self.pot


@dataclass(frozen=True)
class SpotProgress:
    """Where a running solver stands."""

    iterations: int
    seconds: float
    exploitability: float
    """In chips; infinite before it was first measured."""


def discounts(t: int) -> tuple[float, float, float]:
    """The factors of iteration t: of regrets above and below zero, and of the averages."""
    power = 0 if t == 0 else 1 << ((t.bit_length() - 1) & ~1)
    old = max(t - 1, 0) ** 1.5
    since = t - power
    return old / (old + 1), 0.5, (since / (since + 1)) ** 3


def parse_target(text: str, pot: float) -> float:
    """Chips of exploitability from "0.3%" of the pot or "0.54" chips."""
    plain = text.strip()
    try:
        number = float(plain.removesuffix("%"))
    except ValueError:
        number = float("nan")
    if not 0 < number < float("inf"):
        raise UsageError(f"{text!r} is no target; write 0.3% of the pot or a number of chips.")
    return number / 100 * pot if plain.endswith("%") else number


def choose_storage(size: SpotSize, memory: int | None) -> bool:
    """Whether numbers must have two bytes to fit in the memory allowed; refused if that fails."""
    if memory is None or size.float32 <= memory:
        return False
    if size.int16 <= memory:
        return True
    raise TooLargeError(
        f"The spot needs {size.int16 / 2**30:.2f} GiB with 16-bit numbers and"
        f" {size.float32 / 2**30:.2f} GiB with 32-bit ones, more than the"
        f" {memory / 2**30:.2f} GiB allowed; give fewer sizes or smaller ranges."
    )


class SpotSolver:
    """A spot in the middle of being solved, on the CPU.

    >>> solver = SpotSolver(Spot.load("3bet.toml"), threads=2)   # doctest: +SKIP
    >>> solver.run(Limit(target=0.54))                           # doctest: +SKIP
    """

    device_name = "cpu"

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
            spot if isinstance(spot, SpotGeometry) else self._open(spot, isomorphism=isomorphism)
        )
        self.locks = tuple(locks)
        if locks and not keeps_symmetry(self.geometry, locks):
            self.geometry = self._open(self.geometry.spot, isomorphism=False)
        self.threads = threads
        self.iterations = 0
        self.seconds = 0.0
        self.cpu_seconds = 0.0
        self.compile_seconds = 0.0
        self.stopped = False
        self.last_evaluation: SpotEvaluation | None = None
        self._evaluated_at = -1
        self.int16 = self._choose_storage(memory) if int16 is None else int16
        """Whether numbers have two bytes instead of four."""
        self.placed = [*place_locks(self.geometry, self.locks), *held]
        """Locks at their place: those of `locks`, then `held`."""
        self._allocate()

    def _open(self, spot: Spot, *, isomorphism: bool) -> SpotGeometry:
        return open_geometry(spot, isomorphism=isomorphism)

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
        self.scratches: list[PassScratch] = [
            geometry.scratch() for _ in range(max(1, self.threads))
        ]

    @property
    def regrets(self) -> tuple[PlayerStorage, ...]:
        """Of OOP and IP."""
        return self._regrets

    @property
    def averages(self) -> tuple[PlayerStorage, ...]:
        """Of OOP and IP."""
        return self._averages

    def restore(self, regrets: Sequence[PlayerStorage], averages: Sequence[PlayerStorage]) -> None:
        """Take over what another solver of the same spot has learned."""
        for mine, given in zip((*self.regrets, *self.averages), (*regrets, *averages), strict=True):
            mine.values[...] = given.values
            mine.scales[...] = given.scales

    @property
    def spot(self) -> Spot:
        return self.geometry.spot

    @property
    def size(self) -> SpotSize:
        return self.geometry.size

    @property
    def storage(self) -> str:
        return "16-bit" if self.int16 else "float32"

    @property
    def memory_bytes(self) -> int:
        return self.size.int16 if self.int16 else self.size.float32

    def pass_values(
        self, learner: int, mode: int, weights: NDArray[np.float32], pool: ThreadPoolExecutor | None
    ) -> NDArray[np.float32]:
        if self.geometry.num_streets == 1:
            rows = weights.reshape(1, 3)
            return self.geometry.river_values(
                learner, mode, self._storages, rows, self.scratches[0]
            )
        kept = self.regrets if mode == LEARN else self.averages
        return self.geometry.values(
            learner, mode, kept[1 - learner], self.regrets[learner], self.averages[learner],
            weights, self.scratches, pool,
        )  # fmt: skip

    @property
    def _storages(
        self,
    ) -> tuple[tuple[PlayerStorage, PlayerStorage], tuple[PlayerStorage, PlayerStorage]]:
        return (
            (self.regrets[0], self.averages[0]),
            (self.regrets[1], self.averages[1]),
        )

    def enforce_locks(self, player: int) -> None:
        """Write a player's locks over what he has learned."""
        for lock in self.placed:
            if lock.player == player:
                lock.enforce(self.regrets[player])
                lock.enforce(self.averages[player])

    def step(self, num: int = 1, pool: ThreadPoolExecutor | None = None) -> None:
        """So many iterations."""
        if self.geometry.num_streets == 1 and not self.placed:
            self._river_steps(num)
            return
        for _ in range(num):
            weights = np.array(discounts(self.iterations), np.float32)
            for learner in (0, 1):
                self.pass_values(learner, LEARN, weights, pool)
                self.enforce_locks(learner)
            self.iterations += 1

    def _river_steps(self, num: int) -> None:
        """All iterations in one call: those of a river are short."""
        weights = np.array([discounts(self.iterations + i) for i in range(num)], np.float32)
        rows = weights.reshape(num, 3)
        self.geometry.river_values(-1, LEARN, self._storages, rows, self.scratches[0])
        self.iterations += num

    def evaluation(self, pool: ThreadPoolExecutor | None = None) -> SpotEvaluation:
        """Exact best responses to the averages, and what the averages are worth together."""
        geometry, spot = self.geometry, self.spot
        found = [
            [
                geometry.mean(player, self.pass_values(player, mode, _NO_WEIGHTS, pool))
                for player in (0, 1)
            ]
            for mode in (BEST, AVERAGE)
        ]
        best, ev = ((pair[0], pair[1]) for pair in found)
        self.last_evaluation = SpotEvaluation(ev, best, spot.pot)
        self._evaluated_at = self.iterations
        return self.last_evaluation

    def measure(self, pool: ThreadPoolExecutor | None = None) -> float:
        """Exploitability in chips."""
        return self.evaluation(pool).exploitability

    def compile(self, progress: Callable[[int, int], None] | None = None) -> float:
        """Compile what is not in the cache, without changing anything; the seconds it took.

        On a GPU `progress` hears how many of how many kernels are ready.
        """
        start = time.perf_counter()
        if self.iterations == 0:
            for learner in (0, 1):
                self.pass_values(learner, LEARN, _NO_WEIGHTS, None)
            for numbers in (*self.regrets, *self.averages):
                numbers.values[...] = 0
                numbers.scales[...] = 0
            for player in (0, 1):
                self.enforce_locks(player)
        self.compile_seconds = time.perf_counter() - start
        return self.compile_seconds

    def run(
        self,
        limit: Limit | None = None,
        progress: Callable[[SpotProgress], None] | None = None,
    ) -> None:
        """Iterate until the limit; without one, until exploitability is 0.3 % of the pot.

        Ctrl-C ends the run after the iteration under way and sets `stopped`.
        """
        limit = limit or Limit(target=DEFAULT_TARGET * self.spot.pot)
        self.stopped = False
        clock = Clock(self)
        with deferred_interrupt() as interrupted, self._pool() as pool:
            self._begin(limit)
            schedule = LookSchedule(limit, self.iterations)
            while not interrupted() and not schedule.finished(self, clock.elapsed()):
                self.step(schedule.next_steps(self, clock.elapsed()), pool)
                clock.update()
                if schedule.wants_evaluation(self, clock.elapsed()):
                    schedule.note(self.iterations, self.measure(pool))
                    clock.update()
                if progress is not None:
                    progress(SpotProgress(self.iterations, self.seconds, schedule.last))
            self.stopped = interrupted()
            if self._evaluated_at != self.iterations:
                self.evaluation(pool)
            clock.update()

    def _begin(self, limit: Limit) -> None:
        """What is done before the first look."""

    def info(self) -> dict[str, Any]:
        """How the averages were made, as files and `--json` tell it."""
        found = self.last_evaluation
        if found is None or self._evaluated_at != self.iterations:
            found = self.evaluation()
        return {
            "iterations": self.iterations,
            "device": self.device_name,
            "storage": self.storage,
            "memory_bytes": self.memory_bytes,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            "exploitability": found.exploitability,
            "exploitability_pct": found.percent,
            "ev": list(found.ev),
            "best": list(found.best),
            "locks": [lock.as_dict() for lock in self.locks],
        }

    def result(self) -> SolvedSpot:
        """What was found, to be read and saved; it shares the solver's numbers."""
        first, second = self.averages
        return SolvedSpot(self.geometry, (first, second), self.info())

    def save(self, path: str | Path) -> None:
        """Write all it needs to go on; `SpotSolver.load` and `SolvedSpot.load` read it."""
        from riverboat.holdem.spots.solved import save_solver

        save_solver(path, self)

    @classmethod
    def load(cls, path: str | Path, *, threads: int = 1, device: str = "cpu") -> SpotSolver:
        """The solver that a file was saved from, on a device "cpu" or "cuda"."""
        from riverboat.holdem.spots.solved import load_solver

        return load_solver(path, threads=threads, device=device)

    def _pool(self) -> Any:
        if self.threads < 2 or self.geometry.num_streets == 1:
            return nullcontext()
        return ThreadPoolExecutor(self.threads)


def solver_kind(device: str) -> type[SpotSolver]:
    """The solver for a device, "cpu" or "cuda"."""
    if device == "cpu":
        return SpotSolver
    from riverboat.holdem.spots.cuda.gpu_solver import CudaSpotSolver

    return CudaSpotSolver
