"""Crews: this process, processes of this machine, or a Ray cluster.

Processes are started fresh (spawn), so no lock is inherited. One that dies (out of memory, killed)
takes the pool with it; the pool is started anew, and what was under way is done again. A job that
was under way twice when that happened is done alone, so that in the end the right one is blamed.
"""

from __future__ import annotations

import errno
import signal
import sys
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import ParameterError, UsageError
from riverboat.jobs.job_list import Attempts, Crew, Here, SharedArray, Work, do_job
from riverboat.runtime.stopping import Stop, current_stop, end_with_parent, use_stop
from riverboat.version import __version__

POLL_SECONDS = 0.2  # How often the parent checks for a stop while it waits for results
_work: dict[str, Work] = {}  # In a worker: what the pool was made for
_lifelong = ExitStack()  # In a worker: what holds until it ends


class Unfinished:
    """What a worker answers for a job that a stop ended."""


def _begin(key: str, work: Work, flag: Any) -> None:
    # Ctrl-C is for the process that gave out the work; workers learn of it by the flag.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _hold_interrupts(False)
    end_with_parent()
    _lifelong.enter_context(use_stop(Stop(flag)))
    _work.clear()
    _work[key] = work


@cache
def _let_a_stop_end_compiling() -> None:
    """Look for a stop at every pass of Numba's compiler; all kernels together take a minute.

    Nothing is lost by that: the worker has not begun the step that waits for the kernel.
    """
    from numba.core import event

    class Look(event.Listener):
        def on_start(self, event: Any) -> None:
            current_stop().check()

        def on_end(self, event: Any) -> None: ...

    event.register("numba:run_pass", Look())  # type: ignore[no-untyped-call]


def _do(key: str, job: Any) -> Any:
    try:
        current_stop().check()
        if "numba" in sys.modules:
            _let_a_stop_end_compiling()
        return do_job(key, __version__, lambda: _work[key], job)
    except KeyboardInterrupt:
        return Unfinished()


def _hold_interrupts(hold: bool) -> None:
    if hasattr(signal, "pthread_sigmask"):
        how = signal.SIG_BLOCK if hold else signal.SIG_UNBLOCK
        signal.pthread_sigmask(how, [signal.SIGINT])


@contextmanager
def _quiet_start() -> Iterator[None]:
    """Hold Ctrl-C back while processes start: they inherit that, and do not end in a traceback."""
    _hold_interrupts(True)
    try:
        yield
    finally:
        _hold_interrupts(False)


@contextmanager
def _enough_files() -> Iterator[None]:
    """Refuse in a sentence where the system's limit on open files is too low for processes."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.EMFILE, errno.ENFILE):
            raise
        raise UsageError(
            "Workers need more open files than this system allows; raise the limit (ulimit -n 256)"
            " or leave out --workers."
        ) from error


class Processes:
    """Local processes; they are kept while the same work goes on."""

    def __init__(self, count: int) -> None:
        if count < 1:
            raise ParameterError(f"At least one worker is needed, not {count}.")
        self.name = f"{count} local process{'es' * (count > 1)}"
        self.retried = 0
        self._count = count
        self._pool: ProcessPoolExecutor | None = None
        self._work: Work | None = None
        self._key = ""
        self._flag: Any = Event()
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def workers(self) -> int:
        return self._count

    def run(self, work: Work, jobs: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """The place and the result of each job, as they are finished.

        After a stop no job begins; those under way end after their step, and are given where that
        finished them. Then the rest is interrupted.
        """
        waiting = list(range(len(jobs)))[::-1]
        running: dict[Future[Any], int] = {}
        attempts, stop = Attempts(), current_stop()
        whole = True
        try:
            while waiting or running:
                if stop.requested:
                    whole = whole and not waiting
                    waiting.clear()
                    self._flag.set()
                while waiting and len(running) < self._room(attempts, waiting[-1], running):
                    number = waiting.pop()
                    running[self._submit(work, jobs[number])] = number
                lost = []
                for future in wait(running, POLL_SECONDS, FIRST_COMPLETED).done:
                    number = running.pop(future)
                    try:
                        result = future.result()
                    except BrokenProcessPool:
                        lost.append(number)
                        continue
                    if isinstance(result, Unfinished):
                        whole = False
                    else:
                        yield number, result
                if lost:
                    lost += running.values()
                    running.clear()
                    self._drop()
                    for number in sorted(lost, reverse=True):
                        attempts.lost(number, jobs[number])
                        waiting.append(number)
                    self.retried += len(lost)
            if not whole:
                raise KeyboardInterrupt
        except BaseException:
            self._drop()
            raise

    def _room(self, attempts: Attempts, following: int, running: dict[Future[Any], int]) -> int:
        """How many jobs may run at once; a job that ran during two worker deaths runs alone."""
        suspects = {following, *running.values()}
        alone = any(attempts.counts.get(number, 0) > 1 for number in suspects)
        return 1 if alone else 2 * self._count

    def _submit(self, work: Work, job: Any) -> Future[Any]:
        if self._pool is None or self._work is not work:
            self._drop()
            self._work, self._key = work, uuid.uuid4().hex
            context = get_context("spawn")
            with _enough_files():
                self._flag = context.Event()
                self._pool = ProcessPoolExecutor(
                    self._count, context, _begin, (self._key, work, self._flag)
                )
        try:
            with _quiet_start(), _enough_files():
                return self._pool.submit(_do, self._key, job)
        except BrokenProcessPool as error:  # reported with the other lost workers
            failed: Future[Any] = Future()
            failed.set_exception(error)
            return failed

    def _drop(self) -> None:
        """End the processes, whatever they do."""
        pool, self._pool, self._work = self._pool, None, None
        if pool is None:
            return
        processes = list((pool._processes or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()
        pool.shutdown(wait=True)

    def share(self, array: NDArray[Any]) -> SharedArray:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="riverboat-jobs-")
        path = Path(self._folder.name) / f"{uuid.uuid4().hex}.npy"
        np.save(path, array)
        return _Mapped(path)

    def close(self) -> None:
        self._drop()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None


@dataclass(frozen=True)
class _Mapped:
    path: Path

    def get(self) -> NDArray[Any]:
        return np.asarray(np.load(self.path, mmap_mode="r"))

    def free(self) -> None:
        self.path.unlink(missing_ok=True)


@contextmanager
def open_crew(
    ray: str | None = None, workers: int | None = None, *, cores: int = 1
) -> Iterator[Crew]:
    """A crew, ended with the block. `cores` are for one job; it matters on Ray.

    `ray` is auto, local or an address; `workers` are local processes, or on Ray the most jobs at
    the same time. With neither the jobs are done in this process, one after the other.
    """
    crew: Crew
    if ray is not None:
        from riverboat.jobs.ray_crew import RayCrew

        crew = RayCrew(ray, cores=cores, max_tasks=workers)
    elif workers is not None:
        crew = Processes(workers)
    else:
        crew = Here()
    try:
        yield crew
    finally:
        crew.close()
