"""Several algorithms with several seeds on one game, a run a job."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from riverboat.errors import UsageError
from riverboat.games.base import Game
from riverboat.jobs.job_list import Crew, PlainWork, no_material, portable, run_jobs
from riverboat.solvers.algorithms import algorithms, parse_algorithm
from riverboat.solvers.result import Comparison, Run, SolveResult
from riverboat.solvers.solve import solve
from riverboat.trees.public_games import has_shapes


def _planned_runs(game: Game, names: Sequence[str], seeds: Sequence[int]) -> list[Run]:
    """All runs, in the order of the names; unknown and repeated algorithms are refused."""
    if not names or not seeds:
        raise UsageError("A comparison needs at least one algorithm and one seed.")
    if len(set(names)) < len(names) or len(set(seeds)) < len(seeds):
        raise UsageError("An algorithm or a seed is named twice; each runs once.")
    public, runs = has_shapes(game), []
    for name in names:
        spec = parse_algorithm(name, public=public)
        line = algorithms().get(spec.name)
        by_chance = spec.sampled or (line is not None and line.sampled)
        runs += [(name, seed) for seed in (seeds if by_chance else seeds[:1])]
    return runs


def _run_one(game: Game, limits: Mapping[str, Any], _: None, run: Run) -> SolveResult[Any]:
    """Solve once, without the solver, which would be as large as the tree."""
    name, seed = run
    return replace(solve(game, algorithm=name, seed=seed, **limits), solver=None)


def split_comparison(
    game: Game,
    names: Sequence[str],
    seeds: Sequence[int],
    limits: Mapping[str, Any],
    crew: Crew,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """Every algorithm with every seed, one run a job. A stop leaves the runs that were finished."""
    runs = _planned_runs(game, names, seeds)
    work = PlainWork(no_material, partial(_run_one, game, dict(limits)))
    results: list[SolveResult[Any]] = []
    stopped = False
    try:
        for result in run_jobs(portable(work, [game], crew), runs, crew):
            stopped = stopped or result.stopped
            results.append(result)
            if progress is not None:
                progress(len(results), len(runs))
    except KeyboardInterrupt:
        if not results:
            raise
        stopped = True
    return Comparison(game.title, tuple(runs[: len(results)]), tuple(results), stopped)
