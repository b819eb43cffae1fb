"""Hands, rounds and runs as jobs: simulated blackjack, rule sets, matches, round robins, solves.

Blocks of rounds and stretches of hands have random numbers of their own, so that results are the
same for any number of workers.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.arena.match import STRETCH, MatchLog, match_log, play_stretch_of_hands
from riverboat.arena.round_robin import (
    PairingJob,
    PairingResult,
    RoundRobin,
    check_round_robin,
    pairing_jobs,
    play_pairing,
    round_robin_table,
)
from riverboat.blackjack.exact.rule_sweep import RuleGrid, Sweep, rule_value
from riverboat.blackjack.rules import BlackjackRules
from riverboat.blackjack.simulation.simulate import (
    Simulation,
    SimulationResult,
    Tables,
    add_up,
    num_blocks,
    play_blocks,
)
from riverboat.errors import UsageError
from riverboat.games.base import Game, check_seats
from riverboat.jobs.array_store import ArrayStore, digest_of, file_digests
from riverboat.jobs.job_list import Crew, Here, JobProgress, PlainWork, run_jobs, stretches
from riverboat.players.own_bots import MOVE_SECONDS, is_own
from riverboat.players.player import Player
from riverboat.players.simple import Seatable, seat
from riverboat.solvers.algorithms import algorithms, parse_algorithm
from riverboat.solvers.result import Comparison, Run, SolveResult
from riverboat.solvers.solve import solve
from riverboat.trees.public_games import has_shapes

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


def _nothing() -> None:
    """Nothing is needed to value a table's rules."""


def _rule_value(_: None, rules: BlackjackRules) -> float:
    return rule_value(rules)


def sweep_rules(
    grid: RuleGrid, crew: Crew, *, progress: Callable[[JobProgress], None] | None = None
) -> Sweep:
    """The exact value of every table of a grid."""
    work = PlainWork(_nothing, _rule_value)
    return Sweep(grid, tuple(run_jobs(work, grid.tables, crew, progress=progress)))


def _players(game: Game, seats: Sequence[Seatable]) -> list[Player]:
    return [seat(game, who) for who in seats]


def _portable(work: PlainWork, things: Sequence[Any], crew: Crew) -> PlainWork:
    """The work, if other processes can have it: what stands in a program or notebook they lack."""
    if isinstance(crew, Here):
        return work
    for thing in things:
        if type(thing).__module__ == "__main__":
            name = type(thing).__name__
            raise UsageError(
                f"Workers cannot import {name} from the running program: put it in a file, and name"
                f" a player as in 'my_bot.py:{name}'."
            )
    try:
        ForkingPickler.dumps(work)
    except Exception as error:
        raise UsageError(f"Workers cannot be sent these players: {error}.") from error
    return work


def _play_stretch(
    game: Game, seed: int, players: list[Player], job: tuple[int, int]
) -> NDArray[np.float64]:
    fresh = [copy.deepcopy(player) if is_own(player) else player for player in players]
    return play_stretch_of_hands(game, fresh, *job, seed)


def split_match(
    game: Game,
    specs: Sequence[Seatable],
    hands: int,
    crew: Crew,
    *,
    seed: int = 0,
    folder: str | Path | None = None,
    progress: Callable[[int], None] | None = None,
) -> MatchLog:
    """What run_match gives, played by a crew: the same log for any number of workers.

    A player of the user's own begins every stretch as it was made. A stop ends the match early,
    with the stretches that were played up to the first one missing. What was played stays in
    `folder`, and a second run, also one of more hands, plays what is missing there.
    """
    if "human" in specs:
        raise UsageError("A person plays in this process only; leave workers and Ray out.")
    players = _players(game, specs)
    check_seats(game, len(players))
    if hands < 1:
        raise UsageError(f"A match needs at least one hand, not {hands}.")
    cut = stretches(hands, STRETCH)
    jobs = [(number, last - first) for number, (first, last) in enumerate(cut)]
    kept = None
    if folder is not None:
        texts = [str(who) for who in specs]
        what = {"kind": "match", "game": repr(game), "players": texts, "seed": seed}
        what["files"] = file_digests(texts)
        kept = ArrayStore(
            folder, what, lambda job: (job[1], len(players)), lambda job: f"{job[0]}-{job[1]}"
        )
    found: list[NDArray[np.float64]] = []
    stopped, done = False, 0
    work = PlainWork(partial(_players, game, tuple(specs)), partial(_play_stretch, game, seed))
    try:
        for part in run_jobs(_portable(work, [game, *specs], crew), jobs, crew, kept=kept):
            found.append(part)
            done += len(part)
            if progress is not None:
                progress(done)
    except KeyboardInterrupt:
        if not found:
            raise
        stopped = True
    names = [player.name for player in players]
    return match_log(game, names, np.concatenate(found), seed, stopped)


def _play_pairing(
    game: Game, seed: int, move_seconds: float, players: list[Player], job: PairingJob
) -> PairingResult:
    return play_pairing(game, players, job, seed, move_seconds)


def split_round_robin(
    game: Game,
    specs: Sequence[Seatable],
    deals: int,
    crew: Crew,
    *,
    seed: int = 0,
    move_seconds: float = MOVE_SECONDS,
    progress: Callable[[int, int], None] | None = None,
) -> RoundRobin:
    """Every player against every other over `deals` duplicate deals, the same for any crew.

    A stop ends it early with the rounds that all pairings have played.
    """
    if "human" in specs:
        raise UsageError("A person plays a match of two; a round robin is for bots.")
    if not 0 < move_seconds < math.inf:
        raise UsageError(f"The seconds for a decision are above zero, not {move_seconds:g}.")
    players = _players(game, specs)
    check_round_robin(game, players, deals)
    jobs = pairing_jobs(len(players), deals)
    work = PlainWork(
        partial(_players, game, tuple(specs)), partial(_play_pairing, game, seed, move_seconds)
    )
    found: list[PairingResult] = []
    hands, done = 2 * sum(job.deals for job in jobs), 0
    try:
        for result in run_jobs(_portable(work, [game, *specs], crew), jobs, crew):
            found.append(result)
            done += 2 * len(result.returns)
            if progress is not None:
                progress(done, hands)
    except KeyboardInterrupt:
        if not found:
            raise
    return round_robin_table(game, [player.name for player in players], jobs, found, seed)


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
    work = PlainWork(_nothing, partial(_run_one, game, dict(limits)))
    found: list[SolveResult[Any]] = []
    stopped = False
    try:
        for result in run_jobs(_portable(work, [game], crew), runs, crew):
            stopped = stopped or result.stopped
            found.append(result)
            if progress is not None:
                progress(len(found), len(runs))
    except KeyboardInterrupt:
        if not found:
            raise
        stopped = True
    return Comparison(game.title, tuple(runs[: len(found)]), tuple(found), stopped)
