"""What runs inside a worker: prepare once for a kind of work, then do jobs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from riverboat import __version__
from riverboat.errors import UsageError
from riverboat.jobs.job_list import Work

__all__ = ["do_job"]

_prepared: dict[str, tuple[Work, Any]] = {}
"""The work that this process does now and its tools, by key; the newest alone is remembered."""


def do_job(key: str, version: str, fetch: Callable[[], Work], job: Any) -> Any:
    """A job's result. `fetch` gives the work where this process does not know `key` yet."""
    if key not in _prepared:
        if version != __version__:
            raise UsageError(
                f"A worker has riverboat {__version__} and this is {version}; install the same"
                " version on all nodes (riverboat cluster shows them)."
            )
        _prepared.clear()
        work = fetch()
        _prepared[key] = (work, work.prepare())
    work, tools = _prepared[key]
    return work.do(tools, job)
