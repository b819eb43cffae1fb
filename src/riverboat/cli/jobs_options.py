"""The options of every command whose work can be split: --ray and --workers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from riverboat.jobs.job_list import JobProgress

__all__ = ["Keep", "RayAddress", "Workers", "crew_state"]

RayAddress = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="ADDRESS",
        help="Split the work on a Ray cluster: auto (this machine's), local, or HOST:PORT.",
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=1,
        max=100_000,
        help="Split the work: local processes, or with --ray the most jobs at the same time.",
    ),
]
Keep = Annotated[
    Path | None,
    typer.Option(
        "--keep",
        metavar="FOLDER",
        help="Keep what was played there; the same command again plays what is missing.",
    ),
]


def crew_state(now: JobProgress) -> str:
    """Who works, and what had to be done again, in a few words."""
    again = f" · {now.retried} done again" if now.retried else ""
    known = f" · {now.known} were there" if now.known else ""
    return f"{now.done} of {now.total}{known} · {now.workers} at work{again}"
