"""Simulated blackjack played by a crew of workers: the same counts for any number of them.

Blocks of rounds have random numbers of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from riverboat.blackjack.simulation.simulate import (
    Simulation,
    SimulationResult,
    add_up,
    num_blocks,
    play_blocks,
)
from riverboat.blackjack.simulation.tables import Tables
from riverboat.jobs.array_store import ArrayStore, digest_of
from riverboat.jobs.job_list import Crew, PlainWork, run_jobs, stretches

BLOCKS = 32  # In one job: some 33 million rounds, about a second of one core


def _play_blocks(rounds: int, seed: int, tables: Tables, job: tuple[int, int]) -> NDArray[np.int64]:
    return play_blocks(tables, rounds, seed, *job)


def split_simulation(
    simulation: Simulation,
    rounds: int,
    crew: Crew,
    *,
    seed: int = 0,
    folder: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
    blocks: int = BLOCKS,
) -> SimulationResult:
    """What `simulate` gives, played by a crew: the same counts for any number of workers.

    A stop ends it early with what was played up to the first block missing. What was played stays
    in `folder`, and a second run, also one of more rounds, plays what is missing there. A job
    plays that many `blocks`.
    """
    tables = Tables.of(simulation)
    shape = tables.histogram().shape
    jobs = stretches(num_blocks(rounds), blocks)

    def name(job: tuple[int, int]) -> str:
        whole = job[1] - job[0] == blocks and job[1] < num_blocks(rounds)
        return f"{job[0]}-{job[1]}" + ("" if whole else f"-of-{rounds}-rounds")

    kept = None
    if folder is not None:
        what = {"kind": "blackjack simulate", "simulation": repr(simulation), "seed": seed}
        what["digest"] = digest_of(simulation)
        kept = ArrayStore(folder, what, lambda job: shape, name)
    work = PlainWork(partial(Tables.of, simulation), partial(_play_blocks, rounds, seed))
    return add_up(tables, run_jobs(work, jobs, crew, kept=kept), rounds, seed, progress)
