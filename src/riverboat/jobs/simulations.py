"""Hands and rounds as jobs: simulated blackjack, rule sets with exact values, and matches.

Blocks of rounds and stretches of hands have random numbers of their own, so that results are the
same for any number of workers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from riverboat.arena.match import STRETCH, MatchLog, match_log, play_stretch_of_hands
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
from riverboat.games.base import Game
from riverboat.jobs.array_store import ArrayStore, digest_of, file_digests
from riverboat.jobs.job_list import Crew, JobProgress, PlainWork, run_jobs, stretches
from riverboat.players.player import Player
from riverboat.players.roster import make_player

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


def _players(game: Game, specs: Sequence[str]) -> list[Player]:
    return [make_player(game, text) for text in specs]


def _play_stretch(
    game: Game, seed: int, players: list[Player], job: tuple[int, int]
) -> NDArray[np.float64]:
    return play_stretch_of_hands(game, players, *job, seed)


def split_match(
    game: Game,
    specs: Sequence[str],
    hands: int,
    crew: Crew,
    *,
    seed: int = 0,
    folder: str | Path | None = None,
    progress: Callable[[int], None] | None = None,
) -> MatchLog:
    """What run_match gives, played by a crew: the same log for any number of workers.

    A stop ends it early, with the stretches that were played up to the first one missing. What was
    played stays in `folder`, and a second run, also one of more hands, plays what is missing there.
    """
    if "human" in specs:
        raise UsageError("A person plays in this process only; leave workers and Ray out.")
    players = _players(game, specs)
    if len(players) != game.num_players:
        raise UsageError(f"{game.name} takes {game.num_players} players, not {len(players)}.")
    cut = stretches(hands, STRETCH)
    jobs = [(number, last - first) for number, (first, last) in enumerate(cut)]
    kept = None
    if folder is not None:
        what = {"kind": "match", "game": repr(game), "players": list(specs), "seed": seed}
        what["files"] = file_digests(specs)
        kept = ArrayStore(
            folder, what, lambda job: (job[1], len(players)), lambda job: f"{job[0]}-{job[1]}"
        )
    found: list[NDArray[np.float64]] = []
    stopped, done = False, 0
    work = PlainWork(partial(_players, game, tuple(specs)), partial(_play_stretch, game, seed))
    try:
        for part in run_jobs(work, jobs, crew, kept=kept):
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
