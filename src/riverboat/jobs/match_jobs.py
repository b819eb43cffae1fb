"""Matches as jobs: stretches of hands, each with random numbers of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from riverboat.arena.match import STRETCH, MatchLog, match_log, play_stretch_of_hands
from riverboat.errors import UsageError
from riverboat.games.base import Game
from riverboat.jobs.job_list import Crew, run_jobs, stretches
from riverboat.jobs.kept_arrays import KeptArrays, file_digests
from riverboat.players.player import Player
from riverboat.players.roster import make_player

__all__ = ["MatchWork", "split_match"]


@dataclass(frozen=True)
class MatchWork:
    """Play stretches of a match; players are made from their texts in each worker."""

    game: Game
    specs: tuple[str, ...]
    seed: int

    def prepare(self) -> list[Player]:
        return [make_player(self.game, text) for text in self.specs]

    def do(self, tools: list[Player], job: tuple[int, int]) -> NDArray[np.float64]:
        number, hands = job
        return play_stretch_of_hands(self.game, tools, number, hands, self.seed)


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

    Ctrl-C ends it early, with the stretches that were played up to the first one missing. What was
    played stays in `folder`, and a second run, also one of more hands, plays what is missing there.
    """
    if "human" in specs:
        raise UsageError("A person plays here; leave --workers and --ray out.")
    players = [make_player(game, text) for text in specs]
    if len(players) != game.num_players:
        raise UsageError(f"{game.name} takes {game.num_players} players, not {len(players)}.")
    cut = stretches(hands, STRETCH)
    jobs = [(number, last - first) for number, (first, last) in enumerate(cut)]
    kept = None
    if folder is not None:
        what = {"kind": "match", "game": repr(game), "players": list(specs), "seed": seed}
        what["files"] = file_digests(specs)
        kept = KeptArrays(
            folder, what, lambda job: (job[1], len(players)), lambda job: f"{job[0]}-{job[1]}"
        )
    found: list[NDArray[np.float64]] = []
    stopped, done = False, 0
    try:
        for part in run_jobs(MatchWork(game, tuple(specs), seed), jobs, crew, kept=kept):
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
