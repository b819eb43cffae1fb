"""Matches and round robins played by a crew of workers: the same log for any number of them.

Stretches of hands have random numbers of their own.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from riverboat.arena.match import HANDS_PER_STRETCH, MatchLog, match_log, play_stretch_of_hands
from riverboat.arena.round_robin import (
    PairingJob,
    PairingResult,
    RoundRobin,
    check_round_robin,
    pairing_jobs,
    play_pairing,
    round_robin_table,
)
from riverboat.errors import UsageError
from riverboat.games.base import Game, check_seats
from riverboat.jobs.array_store import ArrayStore, file_digests
from riverboat.jobs.job_list import Crew, PlainWork, portable, run_jobs, stretches
from riverboat.players.own_bots import MOVE_SECONDS, is_own
from riverboat.players.player import Player
from riverboat.players.simple import Seatable, seat


def _players(game: Game, seats: Sequence[Seatable]) -> list[Player]:
    return [seat(game, who) for who in seats]


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
    cut = stretches(hands, HANDS_PER_STRETCH)
    jobs = [(number, last - first) for number, (first, last) in enumerate(cut)]
    kept = None
    if folder is not None:
        texts = [str(who) for who in specs]
        what = {"kind": "match", "game": repr(game), "players": texts, "seed": seed}
        what["files"] = file_digests(texts)
        kept = ArrayStore(
            folder, what, lambda job: (job[1], len(players)), lambda job: f"{job[0]}-{job[1]}"
        )
    returns: list[NDArray[np.float64]] = []
    stopped, done = False, 0
    work = PlainWork(partial(_players, game, tuple(specs)), partial(_play_stretch, game, seed))
    try:
        for part in run_jobs(portable(work, [game, *specs], crew), jobs, crew, kept=kept):
            returns.append(part)
            done += len(part)
            if progress is not None:
                progress(done)
    except KeyboardInterrupt:
        if not returns:
            raise
        stopped = True
    names = [player.name for player in players]
    return match_log(game, names, np.concatenate(returns), seed, stopped)


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
    results: list[PairingResult] = []
    hands, done = 2 * sum(job.deals for job in jobs), 0
    try:
        for result in run_jobs(portable(work, [game, *specs], crew), jobs, crew):
            results.append(result)
            done += 2 * len(result.returns)
            if progress is not None:
                progress(done, hands)
    except KeyboardInterrupt:
        if not results:
            raise
    return round_robin_table(game, [player.name for player in players], jobs, results, seed)
