"""A list of jobs and what is done with each; who does it, and where, is a crew's matter.

    with open_crew(workers=4) as crew:
        for result in run_jobs(work, jobs, crew, kept=folder):
            ...

Results come in the order of the jobs, not in that of their completion. What `kept` knows is not
done again, and what was done is kept at once, before anything waits for its turn. A job whose
worker dies is done again by another. A job that fails by itself ends the run: it would fail again.

A job says all that its result depends on (a range of deals, a flop, a seed), so the result of a run
is the same for any number of workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from multiprocessing.reduction import ForkingPickler
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import RiverboatError, StorageError, UsageError
from riverboat.runtime.stopping import current_stop, notice, report_unwritten, stop_on_signals
from riverboat.version import __version__

MAX_ATTEMPTS = 4  # A job that has cost this many workers is given up


class WorkerLostError(RiverboatError):
    """A job that ended its worker again and again."""


class Work(Protocol):
    """What is done with a job. It travels to the workers: a frozen record of plain data."""

    def prepare(self) -> Any:
        """What all jobs need, made once in each worker: tables, compiled functions."""

    def do(self, tools: Any, job: Any) -> Any:
        """One job's result; `tools` is what `prepare` gave. A stop before the end interrupts."""


@dataclass(frozen=True)
class PlainWork:
    """Work made of two functions of modules, or partials of them: workers import them by name."""

    make: Callable[[], Any]
    play: Callable[[Any, Any], Any]

    def prepare(self) -> Any:
        return self.make()

    def do(self, tools: Any, job: Any) -> Any:
        return self.play(tools, job)


class SharedArray(Protocol):
    """An array that every worker can read without getting a copy with each job."""

    def get(self) -> NDArray[Any]: ...

    def free(self) -> None:
        """Release it: it is not read again."""


class Crew(Protocol):
    """Those who do jobs."""

    name: str
    retried: int  # Jobs that had to be done again because a worker was lost

    def run(self, work: Work, jobs: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """The place and the result of each job, as they are finished."""

    def workers(self) -> int:
        """How many jobs are done at the same time, now."""

    def share(self, array: NDArray[Any]) -> SharedArray:
        """Share an array with all workers; returns a handle to put into jobs."""

    def close(self) -> None: ...


class Kept(Protocol):
    """Where results stay from one run to the next."""

    def find(self, job: Any) -> Any | None:
        """A result that is kept; None where it is missing or damaged."""

    def keep(self, job: Any, result: Any) -> None:
        """Keep a result, whole or not at all."""


@dataclass(frozen=True)
class JobProgress:
    """Progress of a list of jobs."""

    done: int
    total: int
    known: int  # Of those done: results that were kept by an earlier run
    retried: int  # Jobs done again because a worker was lost
    workers: int
    job: Any  # What was finished last; None at the start

    @property
    def share(self) -> float:
        """Of all jobs, 0 to 1."""
        return self.done / self.total if self.total else 1.0


def run_jobs(
    work: Work,
    jobs: Sequence[Any],
    crew: Crew,
    *,
    kept: Kept | None = None,
    progress: Callable[[JobProgress], None] | None = None,
) -> Iterator[Any]:
    """Each job's result, in the order of `jobs`.

    A stop lets jobs under way end, keeps those that are finished, and interrupts the rest.
    """
    with stop_on_signals():
        yield from _results(work, jobs, crew, kept, progress)


def _results(
    work: Work,
    jobs: Sequence[Any],
    crew: Crew,
    kept: Kept | None,
    progress: Callable[[JobProgress], None] | None,
) -> Iterator[Any]:
    results: dict[int, Any] = {}
    if kept is not None:
        for i, job in enumerate(jobs):
            current_stop().check()  # a long run has millions of jobs to look for
            if (known := kept.find(job)) is not None:
                results[i] = known
    keeping = None if kept is None else _Keeping(kept)
    missing = [i for i in range(len(jobs)) if i not in results]
    given, num_known, before = 0, len(results), crew.retried

    def report(done: int, job: Any) -> None:
        if progress is not None:
            again, workers = crew.retried - before, crew.workers()
            progress(JobProgress(done, len(jobs), num_known, again, workers, job))

    report(num_known, None)
    while given in results:
        yield results.pop(given)
        given += 1
    if not missing:
        return
    with closing(crew.run(work, [jobs[i] for i in missing])) as stream:  # type: ignore[type-var]
        for count, (position, result) in enumerate(stream, 1):
            number = missing[position]
            if keeping is not None:
                keeping.keep(jobs[number], result)
            results[number] = result
            report(num_known + count, jobs[number])
            while given in results:
                yield results.pop(given)
                given += 1
    if keeping is not None:
        keeping.finish()


class _Keeping:
    """Keeps results; what a full disk refuses is reported once, and tried again with the next."""

    def __init__(self, kept: Kept) -> None:
        self.kept, self.refused = kept, list[tuple[Any, Any]]()

    def keep(self, job: Any, result: Any) -> None:
        waiting, self.refused = [*self.refused, (job, result)], []
        for number, pair in enumerate(waiting):
            try:
                self.kept.keep(*pair)
            except StorageError as error:
                if len(waiting) == 1:
                    notice(f"{error} The work goes on, and keeping its results is tried again.")
                self.refused = waiting[number:]
                return

    def finish(self) -> None:
        """Try once more to keep what was refused."""
        for number, pair in enumerate(self.refused):
            try:
                self.kept.keep(*pair)
            except StorageError as error:
                others = len(self.refused) - number
                report_unwritten(f"{error} {others} of the results could not be kept.")
                return


def stretches(total: int, size: int) -> list[tuple[int, int]]:
    """0 to `total` cut into stretches (first, last + 1) of `size`; the last may be shorter."""
    return [(first, min(first + size, total)) for first in range(0, total, size)]


class Here:
    """A crew of one: this process."""

    name = "this process"
    retried = 0

    def run(self, work: Work, jobs: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        tools = work.prepare()
        for number, job in enumerate(jobs):
            current_stop().check()
            yield number, work.do(tools, job)

    def workers(self) -> int:
        return 1

    def share(self, array: NDArray[Any]) -> SharedArray:
        return _Held(array)

    def close(self) -> None:
        pass


@dataclass(frozen=True)
class _Held:
    array: NDArray[Any]

    def get(self) -> NDArray[Any]:
        # What workers read never changes under them, here as elsewhere.
        return self.array if not self.array.flags.writeable else np.array(self.array)

    def free(self) -> None:
        pass


class Attempts:
    """Counts how often each job has cost a worker."""

    def __init__(self) -> None:
        self.counts: dict[int, int] = {}

    def lost(self, number: int, job: Any) -> None:
        """One more; the last straw is an error."""
        self.counts[number] = self.counts.get(number, 0) + 1
        if self.counts[number] >= MAX_ATTEMPTS:
            raise WorkerLostError(
                f"A worker was lost {MAX_ATTEMPTS} times while it did {_short(job)}; it may need"
                " more memory than its machine has. What was done until then is kept."
            )


def _short(job: Any) -> str:
    text = str(job)
    return text if len(text) <= 60 else f"{text[:57]}…"


_prepared: dict[str, tuple[Work, Any]] = {}
"""The work that this process does now and its tools, by key; the newest alone is remembered."""


def do_job(key: str, version: str, fetch: Callable[[], Work], job: Any) -> Any:
    """A job's result. `fetch` gives the work where this process does not know `key` yet."""
    if key not in _prepared:
        if version != __version__:
            raise UsageError(
                f"A worker has riverboat {__version__} and this is {version}; install the same"
                " version on all nodes."
            )
        _prepared.clear()
        work = fetch()
        _prepared[key] = (work, work.prepare())
    work, tools = _prepared[key]
    return work.do(tools, job)


def no_material() -> None:
    """The material of work whose jobs need none."""


def portable(work: PlainWork, things: Sequence[Any], crew: Crew) -> PlainWork:
    """The work, if other processes can have it: what stands in a program or notebook they lack."""
    if isinstance(crew, Here):
        return work
    for value in things:
        if type(value).__module__ == "__main__":
            name = type(value).__name__
            raise UsageError(
                f"Workers cannot import {name} from the running program: put it in a file, and name"
                f" a player as in 'my_bot.py:{name}'."
            )
    try:
        ForkingPickler.dumps(work)
    except Exception as error:
        raise UsageError(f"Workers cannot be sent these players: {error}.") from error
    return work
