"""When a running solver looks at its exploitability and stops, and how long it has run."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from riverboat.solvers.limits import Limit

__all__ = ["Clock", "LookSchedule", "deferred_interrupt"]


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
