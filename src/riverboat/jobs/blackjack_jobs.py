"""Blackjack as jobs: blocks of simulated rounds, and rule sets with exact values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.blackjack.exact.rule_sweep import RuleGrid, Sweep, rule_value
from riverboat.blackjack.rules import BlackjackRules
from riverboat.blackjack.simulation.simulate import (
    Simulation,
    SimulationResult,
    Tables,
    num_blocks,
    play_blocks,
)
from riverboat.jobs.job_list import Crew, JobProgress, run_jobs, stretches
from riverboat.jobs.kept_arrays import KeptArrays, digest_of

__all__ = ["split_simulation", "sweep_rules"]

BLOCKS = 32
"""In one job: some 33 million rounds, about a second of one core."""


@dataclass(frozen=True)
class SimulationWork:
    """Play blocks of a run."""

    simulation: Simulation
    rounds: int
    seed: int

    def prepare(self) -> Tables:
        return Tables.of(self.simulation)

    def do(self, tools: Tables, job: tuple[int, int]) -> NDArray[np.int64]:
        return play_blocks(tools, self.rounds, self.seed, *job)


def split_simulation(
    simulation: Simulation,
    rounds: int,
    crew: Crew,
    *,
    seed: int = 0,
    folder: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> SimulationResult:
    """What `simulate` gives, played by a crew: the same counts for any number of workers.

    Ctrl-C ends it early with what was played up to the first block missing. What was played stays
    in `folder`, and a second run, also one of more rounds, plays what is missing there.
    """
    tables = Tables.of(simulation)
    histogram, done = tables.histogram(), 0
    jobs = stretches(num_blocks(rounds), BLOCKS)

    def name(job: tuple[int, int]) -> str:
        whole = job[1] - job[0] == BLOCKS and job[1] < num_blocks(rounds)
        return f"{job[0]}-{job[1]}" + ("" if whole else f"-of-{rounds}-rounds")

    kept = None
    if folder is not None:
        what = {"kind": "blackjack simulate", "simulation": repr(simulation), "seed": seed}
        what["digest"] = digest_of(simulation)
        kept = KeptArrays(folder, what, lambda job: histogram.shape, name)
    try:
        for part in run_jobs(SimulationWork(simulation, rounds, seed), jobs, crew, kept=kept):
            histogram += part
            done += int(part.sum())
            if progress is not None:
                progress(min(done, rounds), rounds)
    except KeyboardInterrupt:
        if not done:
            raise
    return SimulationResult(simulation, seed, tables.count.edges, histogram, rounds)


@dataclass(frozen=True)
class SweepWork:
    """What a round is worth under a table's rules."""

    def prepare(self) -> Any:
        return None

    def do(self, tools: Any, job: BlackjackRules) -> float:
        return rule_value(job)


def sweep_rules(
    grid: RuleGrid, crew: Crew, *, progress: Callable[[JobProgress], None] | None = None
) -> Sweep:
    """The exact value of every table of a grid."""
    return Sweep(grid, tuple(run_jobs(SweepWork(), grid.tables, crew, progress=progress)))
