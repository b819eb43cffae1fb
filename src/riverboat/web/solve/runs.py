"""Solving in a process of its own, so that no page waits for it, with progress and a stop.

A run is one game and one or more algorithms. Each algorithm's curve and result are written to a
folder, where they are found again after a restart. What a server that was killed had found by then
is kept too: the solvers renew their files every few seconds.
"""

from __future__ import annotations

import json
import multiprocessing
import queue
import re
import secrets
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from riverboat.errors import RiverboatError, UsageError
from riverboat.games.registry import make_game
from riverboat.solvers.algorithms import parse_algorithm
from riverboat.strategies.files import atomic_write
from riverboat.strategies.kinds import load
from riverboat.web.background import end_with_server

__all__ = ["SolveOrder", "SolveRun", "SolveRuns"]

MOST_RUNNING = 4
MOST_ALGORITHMS = 4
MEMORY = 2 << 30
KEEP_SECONDS = 3.0
"""How often what was found so far is written down."""
CUT_SHORT = "The server ended before it was done."
KEPT = ("algorithm", "iterations", "seconds", "exploitability", "value", "infosets")
"""Facts of a result that the page shows."""
_NAME = re.compile(r"[A-Za-z0-9_-]{8,32}")
_SPAWN = multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class SolveOrder:
    """What is to be solved, how and how far."""

    game: str
    parameters: dict[str, str]
    algorithms: tuple[str, ...]
    limit: str = "target"
    """iterations, target or seconds."""
    amount: float = 1e-5

    def check(self) -> None:
        """Refuse what cannot be before a process is started."""
        game = make_game(self.game, dict(self.parameters))
        other_way = getattr(game, "other_way", "")
        if other_way:
            raise UsageError(other_way)
        if not 1 <= len(self.algorithms) <= MOST_ALGORITHMS:
            raise UsageError(f"Choose one to {MOST_ALGORITHMS} algorithms.")
        for name in self.algorithms:
            parse_algorithm(name)
        if self.limit not in ("iterations", "target", "seconds") or not self.amount > 0:
            raise UsageError("The limit is a number above 0.")


def solve_in_process(order: SolveOrder, algorithm: str, path: str, told: Any, stop: Any) -> None:
    """The work of the process: points of the curve, then ("done", facts) or ("error", sentence)."""
    from riverboat.solvers.solve import solve

    end_with_server()

    def tell(now: Any) -> None:
        told.put(("point", [now.iterations, now.seconds, now.exploitability]))
        if stop.is_set():
            raise KeyboardInterrupt

    try:
        amount = int(order.amount) if order.limit == "iterations" else order.amount
        limit: dict[str, Any] = {order.limit: amount}
        game = make_game(order.game, dict(order.parameters))
        told.put(("begun", None))
        result = solve(
            game,
            algorithm=algorithm,
            progress=tell,
            memory_limit=MEMORY,
            checkpoint=path,
            checkpoint_seconds=KEEP_SECONDS,
            **limit,
        )
        facts = result.as_dict()
        told.put(("done", {key: facts[key] for key in KEPT if key in facts}))
    except RiverboatError as error:
        told.put(("error", str(error)))
    except KeyboardInterrupt:
        told.put(("error", "It was stopped before the first iteration."))


@dataclass
class _Part:
    """One algorithm of a run."""

    algorithm: str
    points: list[list[float]] = field(default_factory=list)
    state: str = "starting"
    """starting, solving, done, or what went wrong."""
    facts: dict[str, Any] = field(default_factory=dict)


class SolveRun:
    """A run, running or over."""

    def __init__(self, name: str, order: SolveOrder, folder: Path) -> None:
        self.name, self.order, self.folder = name, order, folder
        self.parts = [_Part(algorithm) for algorithm in order.algorithms]
        self._processes: list[Any] = []
        self._told: list[Any] = []
        self._stop = _SPAWN.Event()
        self._kept = 0.0

    @property
    def running(self) -> bool:
        return any(part.state in ("starting", "solving") for part in self.parts)

    def path(self, number: int) -> Path:
        """The file of an algorithm's strategy."""
        return self.folder / f"{number}.rb"

    def start(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._keep()
        for number, part in enumerate(self.parts):
            told = _SPAWN.Queue()
            process = _SPAWN.Process(
                target=solve_in_process,
                args=(self.order, part.algorithm, str(self.path(number)), told, self._stop),
                daemon=True,
            )
            process.start()
            self._processes.append(process)
            self._told.append(told)

    def stop(self) -> None:
        """Ask for an end after this iteration; what was found is kept."""
        self._stop.set()

    def hear(self) -> bool:
        """Take in what the processes said; whether there was anything."""
        heard = False
        for part, told, process in zip(self.parts, self._told, self._processes, strict=True):
            if part.state not in ("starting", "solving"):
                continue
            ended = not process.is_alive()
            heard = self._take(part, told) or heard
            if ended and part.state in ("starting", "solving"):
                part.state = "The solver's process ended before its time."
                heard = True
        now = time.monotonic()
        if heard and (not self.running or now - self._kept > KEEP_SECONDS):
            self._keep()
        return heard

    def _take(self, part: _Part, told: Any) -> bool:
        heard = False
        while True:
            try:
                kind, what = told.get_nowait()
            except (queue.Empty, OSError, EOFError):
                return heard
            heard = True
            if kind == "begun":
                part.state = "solving"
            elif kind == "point":
                part.points.append(what)
                if len(part.points) > 800:
                    del part.points[1:-400:2]
            elif kind == "done":
                part.facts, part.state = what, "done"
            else:
                part.state = str(what)

    def _keep(self) -> None:
        whole = {"order": asdict(self.order), "parts": [asdict(part) for part in self.parts]}
        atomic_write(self.folder / "run.json", json.dumps(whole))
        self._kept = time.monotonic()

    def cut_short(self) -> None:
        """Read back after a restart: what was under way ended with the server, or as it stood."""
        for number, part in enumerate(self.parts):
            if part.state in ("starting", "solving"):
                part.state = CUT_SHORT
                try:
                    info = load(self.path(number)).info
                except RiverboatError:
                    continue
                part.facts = {key: info[key] for key in KEPT if key in info}
                trace = [list(point) for point in info.get("trace", [])]
                part.points, part.state = trace or part.points, "done"

    def end(self) -> None:
        """End the processes at once; the server stops."""
        for process in self._processes:
            if process.is_alive():
                process.kill()


class SolveRuns:
    """All runs of a server; those that are over are read back from their folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.known: dict[str, SolveRun] = {}

    def begin(self, order: SolveOrder) -> SolveRun:
        order.check()
        if sum(run.running for run in self.known.values()) >= MOST_RUNNING:
            raise UsageError("Other runs are under way; stop one or wait.")
        name = secrets.token_urlsafe(8)
        run = self.known[name] = SolveRun(name, order, self.folder / name)
        run.start()
        return run

    def find(self, name: str) -> SolveRun | None:
        """A run by its name in the address."""
        if name in self.known:
            return self.known[name]
        if not _NAME.fullmatch(name):
            return None
        try:
            whole = json.loads((self.folder / name / "run.json").read_text())
            order = SolveOrder(
                **{**whole["order"], "algorithms": tuple(whole["order"]["algorithms"])}
            )
            run = SolveRun(name, order, self.folder / name)
            run.parts = [_Part(**part) for part in whole["parts"]]
            run.cut_short()
        except (OSError, ValueError, TypeError, KeyError):
            return None
        self.known[name] = run
        return run

    def end(self) -> None:
        for run in self.known.values():
            run.end()
