"""Hold'em spots solved in a process of their own; each has a folder that outlives the server."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import queue
import re
import secrets
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

from riverboat.errors import RiverboatError, UsageError
from riverboat.holdem.spots.locks import Lock, read_locks
from riverboat.holdem.spots.solved import KIND
from riverboat.holdem.spots.spot import Spot
from riverboat.strategies.files import atomic_write, read_header
from riverboat.web.background import end_with_server

MEMORY = 3 << 30
FACTS = ("iterations", "seconds", "exploitability", "exploitability_pct", "ev")
"""What the pages show of how a spot was solved."""
_NAME = re.compile(r"[A-Za-z0-9_-]{8,32}")
_SPAWN = multiprocessing.get_context("spawn")


def solve_spot_in_process(
    toml: str, target: str, locks: list[dict[str, Any]], path: str, told: Any, stop: Any
) -> None:
    """The work of the process: points, then ("done", facts) or ("error", sentence)."""
    from riverboat.holdem.spots.engine.solver import SpotSolver, parse_target
    from riverboat.solvers.run import Limit

    end_with_server()

    def tell(now: Any) -> None:
        told.put(("point", [now.iterations, now.seconds, now.exploitability]))
        if stop.is_set():
            raise _StoppedError

    try:
        spot = Spot.from_toml(toml)
        threads = max(1, (os.cpu_count() or 2) - 1)
        solver = SpotSolver(spot, threads=threads, memory=MEMORY, locks=read_locks(locks))
        told.put(("size", solver.memory_bytes))
        solver.compile()  # before the clock starts
        with suppress(_StoppedError):
            solver.run(Limit(target=parse_target(target, spot.pot)), tell)
        solver.result().save(path)
        info = solver.info()
        told.put(("done", {key: info[key] for key in FACTS}))
    except RiverboatError as error:
        told.put(("error", str(error)))


class _StoppedError(Exception):
    """The visitor pressed stop."""


class SpotRun:
    """One spot, being solved or solved."""

    def __init__(
        self, name: str, folder: Path, toml: str, target: str, locks: list[Lock] | None = None
    ) -> None:
        self.name, self.folder, self.toml, self.target = name, folder, toml, target
        self.locks = list(locks or [])
        """What it is solved with."""
        self.painted = list(self.locks)
        """What is painted on it now, for the next solve."""
        self.points: list[list[float]] = []
        self.state = "starting"
        """starting, solving, done, or what went wrong."""
        self.facts: dict[str, Any] = {}
        self.memory = 0
        self._stop = _SPAWN.Event()
        self._told: Any = None
        self._process: Any = None

    @property
    def path(self) -> Path:
        return self.folder / "solved.rb"

    @property
    def running(self) -> bool:
        return self.state in ("starting", "solving")

    def start(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._keep()
        self._told = _SPAWN.Queue()
        self._process = _SPAWN.Process(
            target=solve_spot_in_process,
            args=(
                self.toml,
                self.target,
                [lock.as_dict() for lock in self.locks],
                str(self.path),
                self._told,
                self._stop,
            ),
            daemon=True,
        )
        self._process.start()

    def stop(self) -> None:
        self._stop.set()

    def hear(self) -> bool:
        """Take in what the process said; whether there was anything."""
        if not self.running or self._told is None:
            return False
        ended, heard = not self._process.is_alive(), False
        while True:
            try:
                kind, what = self._told.get_nowait()
            except (queue.Empty, OSError, EOFError):
                break
            heard = True
            if kind == "point":
                self.state = "solving"
                self.points.append(what)
            elif kind == "size":
                self.memory = int(what)
            elif kind == "done":
                self.facts, self.state = what, "done"
            else:
                self.state = str(what)
        if ended and self.running:
            self.state, heard = "The solver's process ended before its time.", True
        if heard and not self.running:
            self._keep()
        return heard

    def paint(self, locks: list[Lock]) -> None:
        """Keep what is painted; it is there after a reload and a restart."""
        self.painted = list(locks)
        self._keep()

    def _keep(self) -> None:
        whole = {
            "toml": self.toml,
            "target": self.target,
            "state": self.state,
            "facts": self.facts,
            "locks": [lock.as_dict() for lock in self.locks],
            "painted": [lock.as_dict() for lock in self.painted],
        }
        atomic_write(self.folder / "run.json", json.dumps(whole))

    def end(self) -> None:
        if self._process is not None and self._process.is_alive():
            self._process.kill()


class SpotRuns:
    """All spots of a server; those solved before are read back from their folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.known: dict[str, SpotRun] = {}

    def begin(self, spot: Spot, target: str, locks: list[Lock] | None = None) -> SpotRun:
        for run in self.known.values():
            run.hear()  # one that nobody looks at may be over
        if any(run.running for run in self.known.values()):
            raise UsageError("Another spot is being solved; stop it or wait.")
        name = secrets.token_urlsafe(8)
        run = self.known[name] = SpotRun(name, self.folder / name, spot.to_toml(), target, locks)
        run.start()
        return run

    def adopt(self, path: Path) -> SpotRun:
        """A solved spot of the library as one of ours; the same file is always the same spot."""
        status = path.stat()
        told = f"{path.name} {status.st_size} {status.st_mtime_ns}"
        name = hashlib.sha256(told.encode()).hexdigest()[:16]
        found = self.find(name)
        if found is not None:
            return found
        header = read_header(path, KIND)
        locks = read_locks(header["info"].get("locks", []))
        run = SpotRun(name, self.folder / name, str(header["spot"]), "0.5%", locks)
        Spot.from_toml(run.toml)
        run.facts = {key: header["info"][key] for key in FACTS}
        run.folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, run.path)
        run.state = "done"
        run.paint(run.painted)
        self.known[name] = run
        return run

    def find(self, name: str) -> SpotRun | None:
        if name in self.known:
            self.known[name].hear()
            return self.known[name]
        if not _NAME.fullmatch(name):
            return None
        try:
            whole = json.loads((self.folder / name / "run.json").read_text())
            run = SpotRun(
                name,
                self.folder / name,
                str(whole["toml"]),
                str(whole["target"]),
                read_locks(whole.get("locks", [])),
            )
            run.painted = read_locks(whole.get("painted", whole.get("locks", [])))
            run.state, run.facts = str(whole["state"]), dict(whole["facts"])
        except (OSError, ValueError, TypeError, KeyError, RiverboatError):
            return None
        if run.running:
            run.state = "The server was stopped while it was being solved; solve it again."
        self.known[name] = run
        return run

    def recent(self) -> list[SpotRun]:
        """The spots solved last."""
        if not self.folder.is_dir():
            return []
        folders = sorted(self.folder.iterdir(), key=lambda path: -path.stat().st_mtime)[:12]
        found = [self.find(path.name) for path in folders]
        return [run for run in found if run is not None]

    def end(self) -> None:
        for run in self.known.values():
            run.end()
