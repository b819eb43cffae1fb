"""A solver that runs in the background: started, stopped, waited for, read in between."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from riverboat.errors import RiverboatError, UsageError
from riverboat.holdem.spots.solver import SpotSolver
from riverboat.solvers.run import Limit, Progress

ENDLESS = 10**9  # Iterations of a run that only a stop ends


REPORT_SECONDS = 5.0


def result_lines(facts: Mapping[str, Any]) -> list[str]:
    """The six lines of `calc_results`; MES is what a best response gets."""
    ev = facts.get("ev") or [0.0, 0.0]
    best = facts.get("best") or ev
    return [
        f"running time: {facts.get('seconds', 0.0):.3f}",
        f"EV OOP: {ev[0]:.3f}",
        f"EV IP: {ev[1]:.3f}",
        f"OOP's MES: {best[0]:.3f}",
        f"IP's MES: {best[1]:.3f}",
        f"Exploitable for: {facts.get('exploitability', 0.0):.3f}",
    ]


class Runner:
    """One run at a time, on a thread of its own.

    Between two steps of the solver (a tenth of a second at most) readers get their turn: `quiet`
    holds the solver still for as long as they read.
    """

    def __init__(self, send: Callable[[Sequence[str]], None]) -> None:
        self._send = send
        self.end = ""
        """What ends a report of several lines."""
        self._reported = 0.0
        self._gate = threading.Condition()
        self._readers, self._busy = 0, False
        self._asked = threading.Event()
        self._thread: threading.Thread | None = None
        self._waiting = False
        self._solver: SpotSolver | None = None
        self.endless = False

    @property
    def running(self) -> bool:
        return self._waiting or (self._thread is not None and self._thread.is_alive())

    def start(
        self, solver: SpotSolver, *, target: float | None, steps: int | None, seconds: float | None
    ) -> None:
        """Begin a run; one that is under way is refused a second."""
        if self.running:
            raise UsageError("The solver is running already; stop it or wait_for_solver first.")
        self._asked.clear()
        done = solver.iterations
        self.endless = target is None and steps is None and seconds is None
        limit = Limit(done + (steps or ENDLESS), target, seconds)
        self._thread = threading.Thread(target=self._run, args=(solver, limit), daemon=True)
        self._waiting = True

    def begin(self) -> None:
        """Start the run that `start` prepared, once its command is answered."""
        if self._waiting and self._thread is not None:
            self._waiting = False
            self._send(["SOLVER: started"])
            self._thread.start()

    def _run(self, solver: SpotSolver, limit: Limit) -> None:
        why = "limit reached"
        self._solver = solver
        self._enter()
        try:
            if solver.iterations == 0:
                solver.compile()
            self._reported = time.monotonic()
            solver.run(limit, self._between)
            why = "requested" if solver.stopped else why
        except (RiverboatError, MemoryError) as error:
            why = f"error: {error}"
        finally:
            self._leave()
        evaluation = solver.last_evaluation
        if limit.target is not None and evaluation is not None:
            why = "reached accuracy" if evaluation.exploitability <= limit.target else why
        self._report()
        self._send([f"SOLVER: stopped ({why})"])

    def _report(self) -> None:
        """How good the strategies are by now, as it was last measured."""
        evaluation = self._solver.last_evaluation if self._solver is not None else None
        if self._solver is None or evaluation is None:
            return
        facts = {
            "seconds": self._solver.seconds,
            "ev": evaluation.ev,
            "best": evaluation.best,
            "exploitability": evaluation.exploitability,
        }
        self._send(["SOLVER:", *result_lines(facts), *([self.end] if self.end else [])])

    def _between(self, now: Progress) -> None:
        """Let readers in; end the run where a stop was requested."""
        if self._asked.is_set():
            raise KeyboardInterrupt
        if time.monotonic() - self._reported > REPORT_SECONDS:
            self._reported = time.monotonic()
            self._report()
        self._leave()
        self._enter()

    def _enter(self) -> None:
        with self._gate:
            self._gate.wait_for(lambda: self._readers == 0)
            self._busy = True

    def _leave(self) -> None:
        with self._gate:
            self._busy = False
            self._gate.notify_all()

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Hold the solver still while something is read."""
        with self._gate:
            self._readers += 1
            self._gate.wait_for(lambda: not self._busy)
        try:
            yield
        finally:
            with self._gate:
                self._readers -= 1
                self._gate.notify_all()

    def wait(self) -> None:
        """Until the run is over; one without an end is refused."""
        self.begin()
        if self.running and self.endless:
            raise UsageError("The solver runs without an end; stop it, or go with a limit.")
        if self._thread is not None:
            self._thread.join()

    def stop(self) -> None:
        """End the run after the step under way, and wait for that."""
        self.begin()
        self._asked.set()
        if self._thread is not None:
            self._thread.join()
