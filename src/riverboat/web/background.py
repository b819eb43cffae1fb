"""Background jobs: long work of the pages, in processes of its own and in folders that stay.

A page hands an `Order` (a frozen value) to `Jobs.begin` and follows the `Job` by `poll`. Each part
of an order runs in a process. What it reports, and in the end its facts, are kept in `job.json` in
the job's folder. A job belongs to the server, not to a page: it goes on when the tab is closed,
and a server that was killed resumes it from the checkpoints in the folder. Parts beyond the number
that may run at once wait for their turn.
"""

from __future__ import annotations

import json
import multiprocessing
import queue
import re
import secrets
import signal
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

from riverboat.errors import RiverboatError, StorageError, UsageError
from riverboat.runtime.plugins import load_program, loaded_programs
from riverboat.runtime.stopping import Stop, end_with_parent, notice, use_stop
from riverboat.runtime.storage import atomic_write

KEEP_SECONDS = 3.0  # How often the reports of a running job are written to its folder
MAX_POINTS = 800
"""Points of a curve; of longer ones every second point of the older half is dropped."""
ACTIVE = ("waiting", "starting", "running")
STATE_WORDS = {
    "waiting": "waits for its turn",
    "starting": "starting; the first time on a machine fast code is compiled for it, some seconds",
    "running": "running",
}
MAX_UNFINISHED = 200
"""Jobs of a kind that run or wait for their turn."""
GONE = "The process ended before its time, perhaps for lack of memory."
NAME = re.compile(r"[A-Za-z0-9_-]{8,32}")
_SPAWN = multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class Workplace:
    """What a part of a job gets in its process."""

    folder: Path
    part: str
    memory: int | None  # Bytes that it may use; None for no limit
    report: Callable[[str, Any], None]
    """("point", numbers) adds to the part's curve, ("facts", dict) to its facts."""


class Order(Protocol):
    """What is to be done. Both texts and processes get it: frozen, and picklable."""

    resumable: ClassVar[bool]  # Whether a killed job goes on from its folder

    @property
    def title(self) -> str:
        """What is done, in a line for lists of jobs."""
        ...

    def parts(self) -> Sequence[str]: ...

    def check(self) -> None:
        """Refuse what cannot be done, before a process is started."""

    def as_dict(self) -> dict[str, Any]: ...

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self: ...

    @classmethod
    def warm_up(cls) -> None:
        """Import and compile, in a process that waits for work."""

    def work(self, place: Workplace) -> dict[str, Any]:
        """Do a part to its end or until `current_stop()` is requested; the facts to show."""


OrderT = TypeVar("OrderT", bound=Order)


def _serve(
    kind: type[Order], warm: bool, programs: Sequence[str], inbox: Any, outbox: Any, flag: Any
) -> None:
    """The life of a process: warm up, wait for one part of a job, do it.

    `programs` are the user's own files, whose games a job may name.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server decides
    end_with_parent()
    if warm:
        kind.warm_up()
    order, folder, part, memory = inbox.get()
    outbox.put(("begun", None))
    place = Workplace(folder, part, memory, lambda what, value: outbox.put((what, value)))
    try:
        for program in programs:
            load_program(program)
        with use_stop(Stop(flag)):
            facts = order.work(place)
        outbox.put(("stopped" if flag.is_set() else "done", facts))
    except RiverboatError as error:
        outbox.put(("failed", str(error)))
    except KeyboardInterrupt:
        outbox.put(("failed", "It was stopped before there was anything to keep."))
    except MemoryError:
        outbox.put(("failed", "There is not enough memory."))


class _Worker:
    """A process and its queues."""

    def __init__(self, kind: type[Order], *, warm: bool) -> None:
        self.inbox, self.outbox, self.flag = _SPAWN.Queue(), _SPAWN.Queue(), _SPAWN.Event()
        arguments = (kind, warm, loaded_programs(), self.inbox, self.outbox, self.flag)
        self.process = _SPAWN.Process(target=_serve, args=arguments, daemon=True)
        self.process.start()

    def messages(self) -> list[tuple[str, Any]]:
        found: list[tuple[str, Any]] = []
        while True:
            try:
                found.append(self.outbox.get_nowait())
            except (queue.Empty, OSError, EOFError):
                return found

    def kill(self) -> None:
        if self.process.is_alive():
            self.process.kill()


@dataclass
class Part:
    """One part of a job."""

    name: str
    state: str = "waiting"  # waiting, starting, running, done, stopped, or what went wrong
    points: list[list[float]] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def active(self) -> bool:
        return self.state in ACTIVE

    @property
    def failed(self) -> bool:
        """Whether its state is a sentence about what went wrong."""
        return not self.active and self.state not in ("stopped", "done")

    @property
    def words(self) -> str:
        """Its state for people."""
        return STATE_WORDS.get(self.state, self.state)

    def take(self, kind: str, what: Any) -> None:
        """A message of the process."""
        if kind == "begun":
            self.state = "running"
        elif kind == "point":
            self.points.append(what)
            if len(self.points) > MAX_POINTS:
                del self.points[1 : -MAX_POINTS // 2 : 2]
        elif kind == "facts":
            self.facts.update(what)
        elif kind == "failed":
            self.state = str(what)
        else:
            self.facts.update(what)
            self.state = kind


class Job(Generic[OrderT]):
    """Work of a page: its order, its parts, and a folder for files."""

    def __init__(self, name: str, folder: Path, order: OrderT) -> None:
        self.name, self.folder, self.order = name, folder, order
        self.parts = [Part(each) for each in order.parts()]
        self.notes: dict[str, Any] = {}
        """What pages keep with the job."""
        self._workers: dict[str, _Worker] = {}
        self.version = 0
        """Counts what was reported, so that pages see when there is something new."""
        self._kept_at, self._reported = 0.0, ""
        self._lock = threading.Lock()

    @property
    def title(self) -> str:
        """What is done, in a line for lists of jobs."""
        return self.order.title

    @property
    def running(self) -> bool:
        return any(part.active for part in self.parts)

    @property
    def unfinished(self) -> bool:
        """Whether it ended before it was done, and could go on."""
        return not self.running and any(part.state != "done" for part in self.parts)

    @property
    def waiting(self) -> bool:
        """Whether it has not begun, and stands in the queue."""
        return self.running and all(part.state == "waiting" for part in self.parts if part.active)

    @property
    def turn(self) -> float:
        """Its place among those that wait; the smallest is next."""
        return float(self.notes.get("turn", 0.0))

    @property
    def words(self) -> str:
        """How far it is, in a line."""
        return ", ".join(dict.fromkeys(part.words for part in self.parts))

    @property
    def changed(self) -> float:
        """When its file was written last, in seconds since the epoch; 0 where there is none."""
        try:
            return (self.folder / "job.json").stat().st_mtime
        except OSError:
            return 0.0

    def start(self, part: Part, worker: _Worker, memory: int | None) -> None:
        part.state = "starting"
        self.version += 1
        self._workers[part.name] = worker
        worker.inbox.put((self.order, self.folder, part.name, memory))

    def stop(self) -> None:
        """Ask for an end after the current step; what was found is kept."""
        for part in self.parts:
            if part.state == "waiting":
                part.state = "stopped"
        self.version += 1
        for worker in list(self._workers.values()):
            worker.flag.set()
        self._keep_if_possible()

    def poll(self) -> bool:
        """Take in what the processes reported; whether there was anything."""
        with self._lock:
            changed = False
            for part in self.parts:
                worker = self._workers.get(part.name)
                if worker is None:
                    continue
                alive = worker.process.is_alive()
                for kind, what in worker.messages():
                    part.take(kind, what)
                    changed = True
                if part.active and not alive:
                    part.state, changed = GONE, True
                if not part.active:
                    del self._workers[part.name]
            self.version += changed
        if changed and (not self.running or time.monotonic() - self._kept_at > KEEP_SECONDS):
            self._keep_if_possible()
        return changed

    def _keep_if_possible(self) -> None:
        """A full disk ends neither the work nor the page that looks at it; it is reported once."""
        try:
            self.keep()
            self._reported = ""
        except (OSError, StorageError) as error:
            self._kept_at = time.monotonic()
            if str(error) != self._reported:
                self._reported = str(error)
                notice(f"A job's reports cannot be kept and are tried again: {error}")

    def keep(self) -> None:
        """Write the job to its folder."""
        self.folder.mkdir(parents=True, exist_ok=True)
        whole = {
            "order": self.order.as_dict(),
            "parts": [asdict(part) for part in self.parts],
            "notes": self.notes,
        }
        atomic_write(self.folder / "job.json", json.dumps(whole))
        self._kept_at = time.monotonic()

    def kill(self) -> None:
        """End the processes at once; the job can be resumed from its folder."""
        for worker in self._workers.values():
            worker.kill()
        self._workers.clear()


JobT = TypeVar("JobT", bound=Job[Any])


class Jobs(Generic[JobT]):
    """The jobs of one kind. Those of earlier servers are read from their folders."""

    def __init__(
        self,
        folder: Path,
        kind: type[Order],
        job: type[JobT],
        *,
        address: str,
        at_once: int = 4,
        memory: int | None = None,
    ) -> None:
        """`address` is a job's page with `{}` for its name; `memory` is shared by all parts."""
        self.folder, self.kind, self.job, self.address = folder, kind, job, address
        self.at_once, self.memory = at_once, memory
        self.known: dict[str, JobT] = {}
        """By name. Threads add to it while others go through it: those take a list of it first."""
        self._spare: _Worker | None = None
        self._lock = threading.RLock()

    def begin(self, order: Order, name: str = "") -> JobT:
        """Start a job, or let it wait for its turn; what cannot be done is refused."""
        order.check()
        self._check_room()
        name = name or secrets.token_urlsafe(8)
        made = self.job(name, self.folder / name, order)
        made.notes["turn"] = self._last_turn()
        made.keep()
        self.known[name] = made
        self.poll()
        return made

    def go_on(self, job: JobT) -> None:
        """Take up again what was stopped or failed, from what it kept."""
        if not job.unfinished:
            raise UsageError("There is nothing to go on with: it runs, or is done.")
        if not self.kind.resumable:
            raise UsageError("What it found was not kept, so that it cannot go on; start it anew.")
        job.order.check()
        self._check_room()
        for part in job.parts:
            if part.state != "done":
                part.state = "waiting"
        job.notes["turn"] = self._last_turn()
        job.version += 1
        job.keep()
        self.poll()

    def queue(self) -> list[JobT]:
        """The jobs that wait for their turn, the next one first."""
        waiting = (job for job in list(self.known.values()) if job.waiting)
        return sorted(waiting, key=lambda job: job.turn)

    def move(self, job: JobT, places: int) -> None:
        """Move a waiting job in the queue: -1 is one place earlier, 1 one later."""
        with self._lock:
            queue = self.queue()
            if job not in queue:
                raise UsageError("It waits no more: it runs, or has ended.")
            here = queue.index(job)
            other = queue[min(max(here + places, 0), len(queue) - 1)]
            job.notes["turn"], other.notes["turn"] = other.turn, job.turn
            for moved in (job, other):
                moved.version += 1
                moved.keep()

    def _last_turn(self) -> float:
        """The turn after all that are known."""
        return max((job.turn for job in list(self.known.values())), default=0.0) + 1

    def _check_room(self) -> None:
        if sum(job.running for job in list(self.known.values())) >= MAX_UNFINISHED:
            raise UsageError("Too many jobs are waiting; stop some of them first.")

    def find(self, name: str) -> JobT | None:
        """A job by its name in the address."""
        if name in self.known:
            self.known[name].poll()
            return self.known[name]
        if not NAME.fullmatch(name):
            return None
        try:
            whole = json.loads((self.folder / name / "job.json").read_text())
            found = self.job(name, self.folder / name, self.kind.from_dict(whole["order"]))
            found.parts = [Part(**part) for part in whole["parts"]]
            found.notes = dict(whole["notes"])
        except (OSError, ValueError, TypeError, KeyError, RiverboatError):
            return None
        for part in found.parts:
            if part.active:
                resumed = "The server ended before it was done."
                part.state = "waiting" if self.kind.resumable else resumed
        self.known[name] = found
        return found

    def running(self) -> list[JobT]:
        return [job for job in list(self.known.values()) if job.running]

    def running_addresses(self) -> list[str]:
        return [self.address.format(job.name) for job in self.running()]

    def recent(self, count: int = 12) -> list[JobT]:
        """The newest jobs of the folder."""
        if not self.folder.is_dir():
            return []
        folders = sorted(self.folder.iterdir(), key=lambda path: -path.stat().st_mtime)[:count]
        return [found for path in folders if (found := self.find(path.name)) is not None]

    def resume(self) -> None:
        """Go on with what an earlier server did not finish."""
        if self.folder.is_dir():
            for path in self.folder.iterdir():
                self.find(path.name)
        self.poll()

    def poll(self) -> None:
        """Take in reports of all jobs, and start parts that wait where there is room."""
        with self._lock:
            for job in list(self.known.values()):
                if job.running:
                    job.poll()
            busy = [p for job in list(self.known.values()) for p in job.parts if p.active]
            room = self.at_once - sum(part.state != "waiting" for part in busy)
            for job in sorted(self.known.values(), key=lambda job: job.turn):
                for part in job.parts:
                    if part.state == "waiting" and room > 0:
                        room -= 1
                        job.start(part, self._worker(), self._memory_left(busy))

    def _memory_left(self, busy: list[Part]) -> int | None:
        if self.memory is None:
            return None
        return max(1, self.memory - sum(int(part.facts.get("memory", 0)) for part in busy))

    def prepare(self) -> None:
        """Have a process ready that has imported and compiled, for the next job."""
        with self._lock:
            if self._spare is None or not self._spare.process.is_alive():
                self._spare = _Worker(self.kind, warm=True)

    def _worker(self) -> _Worker:
        spare, self._spare = self._spare, None
        if spare is None:
            return _Worker(self.kind, warm=False)
        self.prepare()
        return spare if spare.process.is_alive() else _Worker(self.kind, warm=False)

    def end(self) -> None:
        """End all processes at once; the server stops."""
        with self._lock:
            for job in list(self.known.values()):
                job.kill()
            if self._spare is not None:
                self._spare.kill()
