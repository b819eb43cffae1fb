"""Who meets whom: a schedule of meetings, played by this process or shared out among workers.

A match is one group of players that meets stretch by stretch; in a round robin every pair of them
meets; the stages of a learner meet in pairs, each also itself (arena.bot_table). A meeting follows
from the seed and its place in the schedule alone, so a log is the same for any number of workers.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from riverboat.arena.match import HANDS_PER_STRETCH, MatchLog, match_log, play_stretch_of_hands
from riverboat.arena.round_robin import (
    PairingResult,
    RoundRobin,
    check_round_robin,
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
from riverboat.runtime.array_types import F64

DEALS_PER_STRETCH = 250  # With random numbers of their own, so that they can be played anywhere


class Meeting(NamedTuple):
    """A stretch of hands, or of deals played from both seats, between some of the players."""

    players: tuple[int, ...]  # Their numbers
    stretch: int
    size: int


def schedule(groups: Sequence[tuple[int, ...]], size: int, stretch: int) -> list[Meeting]:
    """Each group's `size` hands or deals, cut into stretches.

    All groups play a stretch before the next one begins: a stop leaves whole rounds behind.
    """
    return [
        Meeting(group, number, last - first)
        for number, (first, last) in enumerate(stretches(size, stretch))
        for group in groups
    ]


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
    meetings = schedule([tuple(range(len(players)))], hands, HANDS_PER_STRETCH)
    kept = None
    if folder is not None:
        texts = [str(who) for who in specs]
        what = {"kind": "match", "game": repr(game), "players": texts, "seed": seed}
        what["files"] = file_digests(texts)
        kept = ArrayStore(
            folder,
            what,
            lambda meeting: (meeting.size, len(players)),
            lambda meeting: f"{meeting.stretch}-{meeting.size}",
        )
    results, stopped = _play(
        game, specs, meetings, partial(_play_hands, seed), crew, kept=kept, progress=progress
    )
    names = [player.name for player in players]
    return match_log(game, names, np.concatenate(results), seed, stopped)


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
    pairs = list(combinations(range(len(players)), 2))
    meetings = schedule(pairs, deals, DEALS_PER_STRETCH)

    def report(done: int) -> None:
        if progress is not None:
            progress(2 * done, 2 * deals * len(pairs))

    play = partial(_play_deals, seed, move_seconds)
    results, stopped = _play(game, specs, meetings, play, crew, progress=report)
    rounds = [results[first : first + len(pairs)] for first in range(0, len(results), len(pairs))]
    if len(rounds[-1]) < len(pairs):
        rounds.pop()
    names = [player.name for player in players]
    return round_robin_table(game, names, pairs, rounds, seed, stopped)


def _play(
    game: Game,
    specs: Sequence[Seatable],
    meetings: Sequence[Meeting],
    play: Callable[[Game, list[Player], Meeting], Any],
    crew: Crew,
    *,
    kept: ArrayStore | None = None,
    progress: Callable[[int], None] | None = None,
) -> tuple[list[Any], bool]:
    """The results of the meetings that were played, and whether a stop left others out."""
    work = PlainWork(partial(_players, game, tuple(specs)), partial(play, game))
    results: list[Any] = []
    done = 0
    try:
        for result in run_jobs(portable(work, [game, *specs], crew), meetings, crew, kept=kept):
            done += meetings[len(results)].size
            results.append(result)
            if progress is not None:
                progress(done)
    except KeyboardInterrupt:
        if not results:
            raise
    return results, len(results) < len(meetings)


def _players(game: Game, specs: Sequence[Seatable]) -> list[Player]:
    return [seat(game, who) for who in specs]


def _play_hands(seed: int, game: Game, players: list[Player], meeting: Meeting) -> F64:
    fresh = [copy.deepcopy(player) if is_own(player) else player for player in players]
    return play_stretch_of_hands(game, fresh, meeting.stretch, meeting.size, seed)


def _play_deals(
    seed: int, move_seconds: float, game: Game, players: list[Player], meeting: Meeting
) -> PairingResult:
    first, second = meeting.players
    streams = [seed, meeting.stretch, 1 + first, 1 + second]
    return play_pairing(
        game,
        (players[first], players[second]),
        meeting.size,
        cards=np.random.default_rng([seed, meeting.stretch]),
        source=np.random.default_rng(streams),
        move_seconds=move_seconds,
    )
