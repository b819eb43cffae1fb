"""Q tables that learn beside the pages, each method in a process of its own.

A run belongs to the server, not to a page: it goes on when the page is reloaded or closed, and its
curves are written down, so that they are found again by their address after a restart.
"""

from __future__ import annotations

import json
import multiprocessing
import queue
import re
import secrets
import time
from pathlib import Path
from typing import Any

from riverboat.errors import RiverboatError, UsageError
from riverboat.strategies.files import atomic_write
from riverboat.twentyone.optimum import optimum
from riverboat.web.work_process import end_with_server

__all__ = ["LENGTHS", "METHODS", "STATES", "LearningRun", "LearningRuns"]

METHODS = ("literal", "on-policy", "off-policy", "q-learning", "sarsa")
LENGTHS = {100_000: "100,000 games", 1_000_000: "a million", 10_000_000: "10 million"}
STATES = {"points": "points and the open card", "soft": "soft hands too"}
MOST_RUNNING = 3
KEEP_SECONDS = 2.0
_NAME = re.compile(r"[A-Za-z0-9_-]{8,32}")
_SPAWN = multiprocessing.get_context("spawn")

Curve = list[tuple[float, float]]


def learn_in_process(method: str, state: str, games: int, told: Any, stop: Any) -> None:
    """The work of the process: (games, mean reward of greedy play) whenever it was measured."""
    from riverboat.solvers.limits import Limit
    from riverboat.twentyone.learning import Trainer
    from riverboat.twentyone.q_table import QTable
    from riverboat.twentyone.regret import train

    end_with_server()
    best = optimum(state, "reward")[0].reward
    trainer = Trainer(QTable.empty(state, "reward"), method=method, seed=1)
    sent = 0

    def tell(now: Any) -> None:
        nonlocal sent
        for played, regret in trainer.curve[sent:]:
            told.put((method, played, best - regret))
        sent = len(trainer.curve)
        if stop.is_set():
            raise KeyboardInterrupt

    try:
        last = train(trainer, Limit(iterations=games), tell)
        told.put((method, last.games, last.outcome.reward))
    except (KeyboardInterrupt, RiverboatError):
        pass
    told.put((method, 0, None))


class LearningRun:
    """Curves of one or more methods, growing or over."""

    def __init__(self, path: Path, methods: list[str], state: str, games: int) -> None:
        self.path, self.name = path, path.stem
        self.methods, self.state, self.games = methods, state, games
        self.curves: dict[str, Curve] = {method: [] for method in methods}
        self.best: float = optimum(state, "reward")[0].reward
        self.open: set[str] = set()
        self._processes: list[Any] = []
        self._told: Any = None
        self._stop = _SPAWN.Event()
        self._kept = 0.0

    @property
    def running(self) -> bool:
        return bool(self.open)

    def start(self) -> None:
        self.open = set(self.methods)
        self._told = _SPAWN.Queue()
        self._keep()
        for method in self.methods:
            process = _SPAWN.Process(
                target=learn_in_process,
                args=(method, self.state, self.games, self._told, self._stop),
                daemon=True,
            )
            process.start()
            self._processes.append(process)

    def stop(self) -> None:
        self._stop.set()

    def hear(self) -> None:
        """Take in what the processes have said."""
        heard = False
        alive = any(process.is_alive() for process in self._processes)
        while self._told is not None:
            try:
                method, played, value = self._told.get_nowait()
            except (queue.Empty, OSError, EOFError):
                break
            heard = True
            if value is None:
                self.open.discard(method)
            else:
                self.curves[method].append((played, value))
        if not heard and not alive:
            self.open.clear()
        if heard and (not self.open or time.monotonic() - self._kept > KEEP_SECONDS):
            self._keep()

    def _keep(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        whole = {
            "methods": self.methods,
            "state": self.state,
            "games": self.games,
            "curves": self.curves,
        }
        atomic_write(self.path, json.dumps(whole))
        self._kept = time.monotonic()

    def end(self) -> None:
        """End the processes at once; the server stops."""
        for process in self._processes:
            if process.is_alive():
                process.kill()


class LearningRuns:
    """All runs of a server; those of before are read back from their folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.known: dict[str, LearningRun] = {}

    def begin(self, methods: list[str], state: str, games: int) -> LearningRun:
        """Start a run; what cannot be is refused."""
        chosen = [name for name in METHODS if name in methods]
        if not chosen or state not in STATES or games not in LENGTHS:
            raise UsageError("Choose at least one method.")
        if sum(run.running for run in self.known.values()) >= MOST_RUNNING:
            raise UsageError("Other tables are learning; stop them or wait.")
        name = secrets.token_urlsafe(8)
        run = LearningRun(self.folder / f"{name}.json", chosen, state, games)
        self.known[name] = run
        run.start()
        return run

    def find(self, name: str) -> LearningRun | None:
        """A run by its name in the address; None where there is none."""
        if name in self.known:
            return self.known[name]
        if not _NAME.fullmatch(name):
            return None
        path = self.folder / f"{name}.json"
        try:
            whole = json.loads(path.read_text())
            methods = [str(method) for method in whole["methods"]]
            run = LearningRun(path, methods, str(whole["state"]), int(whole["games"]))
            run.curves = {
                method: [(float(x), float(y)) for x, y in whole["curves"][method]]
                for method in methods
            }
        except (OSError, ValueError, TypeError, KeyError, RiverboatError):
            return None
        self.known[name] = run
        return run

    def end(self) -> None:
        for run in self.known.values():
            run.end()
