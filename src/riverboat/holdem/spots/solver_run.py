"""What solvers of spots for two and three players have in common: discounts, limits, the run."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from riverboat.errors import UsageError
from riverboat.solvers.run import Autosave, Limit, ProgressCallback, run

if TYPE_CHECKING:
    from riverboat.holdem.spots.locks import Lock
    from riverboat.holdem.spots.spot import Spot

DEFAULT_TARGET = 0.003  # Of the pot: where a run without a limit stops


def discounts(t: int) -> tuple[float, float, float]:
    """The factors of iteration t: of regrets above and below zero, and of the averages."""
    power = 0 if t == 0 else 1 << ((t.bit_length() - 1) & ~1)
    old = max(t - 1, 0) ** 1.5
    since = t - power
    return old / (old + 1), 0.5, (since / (since + 1)) ** 3


def next_evaluation(iterations: int, exploitability: float, target: float | None) -> int:
    """The iteration at which a run measures next; `exploitability` is nan at its beginning.

    An evaluation costs about as much as two iterations, so there are few: where the target should
    be reached (exploitability falls about as the square of the iterations grows), but not later
    than after half of the iterations so far; without a target after an eighth of them.
    """
    ahead = max(8, iterations // 8)
    if math.isnan(exploitability):
        ahead = 8
    elif target is not None and target > 0:
        missing = iterations * (math.sqrt(max(exploitability / target, 1.0)) - 1)
        ahead = min(max(4, math.ceil(missing)), max(8, iterations // 2))
    return iterations + ahead


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


class Evaluated(Protocol):
    """What an evaluation found."""

    def figures(self) -> dict[str, Any]:
        """By name, as files and `--json` have it."""


class SolverRun:
    """A solver as `solvers.run` drives it: it iterates, measures and keeps the time."""

    algorithm = "dcfr"
    device_name = "cpu"
    spot: Spot
    locks: tuple[Lock, ...]
    last_evaluation: Evaluated | None

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.iterations = 0
        self.seconds = 0.0
        """Spent iterating and measuring, in all runs; progress and saving do not count."""
        self.cpu_seconds = 0.0
        self.compile_seconds = 0.0
        self.stopped = False
        """Whether a stop ended the last run before its limit."""
        self._evaluated_at = -1
        self._pool: ThreadPoolExecutor | None = None

    @property
    def num_streets(self) -> int:
        raise NotImplementedError

    @property
    def storage(self) -> str:
        """The type of its numbers."""
        raise NotImplementedError

    @property
    def memory_bytes(self) -> int:
        raise NotImplementedError

    def step(self, num_iterations: int = 1) -> None:
        """Do some iterations."""
        raise NotImplementedError

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
                self._begin(limit)
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

    def measure(self) -> float:
        """The figure that a limit's target is about, in chips."""
        raise NotImplementedError

    def compile(self, progress: Callable[[int, int], None] | None = None) -> float:
        """Compile what is not in the cache, without changing anything; the seconds it took."""
        raise NotImplementedError

    def info(self, *, stale: bool = False) -> dict[str, Any]:
        """How the averages were made, as files and `--json` have it.

        With `stale` the figures may be those of the last evaluation instead of the last iteration.
        """
        found = self.last_evaluation
        if found is None or (self._evaluated_at != self.iterations and not stale):
            found = self.evaluation()
        return {
            "iterations": self.iterations,
            "device": self.device_name,
            "storage": self.storage,
            "memory_bytes": self.memory_bytes,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            **found.figures(),
            "locks": [lock.as_dict() for lock in self.locks],
            "stopped": self.stopped,
        }

    def save(self, path: str | Path) -> None:
        """Write all it needs to go on."""
        raise NotImplementedError

    def save_checkpoint(self, path: str | Path) -> None:
        """The same in the middle of a run, with the figures of its last evaluation."""
        raise NotImplementedError

    def evaluation(self) -> Evaluated:
        """All figures of the averages, exactly."""
        raise NotImplementedError

    def _begin(self, limit: Limit) -> None:
        """What is done before the first evaluation is planned."""

    @contextmanager
    def pooled(self) -> Iterator[None]:
        """Keep threads for the passes made inside the block."""
        if self.threads < 2 or self.num_streets == 1:
            yield
            return
        with ThreadPoolExecutor(self.threads) as self._pool:
            try:
                yield
            finally:
                self._pool = None

    @contextmanager
    def _timed(self) -> Iterator[None]:
        wall, cpu = time.perf_counter(), time.process_time()
        try:
            yield
        finally:
            self.seconds += time.perf_counter() - wall
            self.cpu_seconds += time.process_time() - cpu
