"""A crew of processes on this machine. They are started fresh (spawn), so no lock is inherited.

A process that dies (out of memory, killed) takes the pool with it; the pool is made anew, and what
was on its way is done again. A job that was on its way twice when that happened is done alone, so
that in the end the right one is blamed.

Which crew an option means: --ray ADDRESS, --workers N, or neither.
"""

from __future__ import annotations

import signal
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat import __version__
from riverboat.errors import ParameterError
from riverboat.jobs.job_list import Attempts, Crew, Here, SharedArray, Work, do_job

__all__ = ["Processes", "open_crew"]


_work: dict[str, Work] = {}
"""In a worker: what the pool was made for."""


def _begin(key: str, work: Work) -> None:
    # Ctrl-C is for the one who gave out the work; it ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _work.clear()
    _work[key] = work


def _do(key: str, job: Any) -> Any:
    return do_job(key, __version__, lambda: _work[key], job)


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
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def workers(self) -> int:
        return self._count

    def run(self, work: Work, jobs: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        waiting = list(range(len(jobs)))[::-1]
        running: dict[Future[Any], int] = {}
        attempts = Attempts()
        whole = False
        try:
            while waiting or running:
                while waiting and len(running) < self._room(attempts, waiting[-1], running):
                    place = waiting.pop()
                    running[self._submit(work, jobs[place])] = place
                lost = []
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    place = running.pop(future)
                    try:
                        result = future.result()
                    except BrokenProcessPool:
                        lost.append(place)
                        continue
                    yield place, result
                if lost:
                    lost += running.values()
                    running.clear()
                    self._drop()
                    for place in sorted(lost, reverse=True):
                        attempts.lost(place, jobs[place])
                        waiting.append(place)
                    self.retried += len(lost)
            whole = True
        finally:
            if not whole:
                self._drop()

    def _room(self, attempts: Attempts, following: int, running: dict[Future[Any], int]) -> int:
        """How many jobs may be on their way; one that was twice there at a death goes alone."""
        suspects = {following, *running.values()}
        alone = any(attempts.counts.get(place, 0) > 1 for place in suspects)
        return 1 if alone else 2 * self._count

    def _submit(self, work: Work, job: Any) -> Future[Any]:
        if self._pool is None or self._work is not work:
            self._drop()
            self._work, self._key = work, uuid.uuid4().hex
            self._pool = ProcessPoolExecutor(
                self._count, get_context("spawn"), _begin, (self._key, work)
            )
        try:
            return self._pool.submit(_do, self._key, job)
        except BrokenProcessPool as error:  # told with the others that are lost
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

        crew = RayCrew(ray, cores=cores, most=workers)
    elif workers is not None:
        crew = Processes(workers)
    else:
        crew = Here()
    try:
        yield crew
    finally:
        crew.close()
