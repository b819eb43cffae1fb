"""Which crew an option means: --ray ADDRESS, --workers N, or neither."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from riverboat.jobs.job_list import Crew, Here

__all__ = ["open_crew"]


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
        from riverboat.jobs.local_processes import Processes

        crew = Processes(workers)
    else:
        crew = Here()
    try:
        yield crew
    finally:
        crew.close()
