"""Matches: many hands between the same players, seats rotating, with 95 % intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from riverboat.arena.hand import play_hand
from riverboat.errors import UsageError
from riverboat.evaluation.statistics import Running
from riverboat.games.base import Game
from riverboat.players.player import Player

__all__ = ["MatchLog", "run_match"]


@dataclass(frozen=True)
class MatchLog:
    """What a match came to: per player the mean return a hand and half its 95 % interval."""

    game: str
    players: tuple[str, ...]
    hands: int
    seed: int
    mean: tuple[float, ...]
    ci95: tuple[float, ...]
    mean_by_seat: tuple[tuple[float, ...], ...]
    """mean_by_seat[i][s]: player i's mean while sitting in seat s."""


def run_match(
    game: Game,
    players: Sequence[Player],
    hands: int,
    *,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> MatchLog:
    """Play `hands` hands; in hand h player i sits in seat (i + h) mod P, so seats even out."""
    count = game.num_players
    if len(players) != count:
        raise UsageError(f"{game.name} takes {count} players, not {len(players)}.")
    if hands < 1:
        raise UsageError(f"A match needs at least one hand, not {hands}.")
    chance, *generators = np.random.default_rng(seed).spawn(count + 1)
    overall = [Running() for _ in players]
    by_seat = [[Running() for _ in players] for _ in players]
    for hand in range(hands):
        sitting = [(seat - hand) % count for seat in range(count)]
        record = play_hand(
            game,
            [players[i] for i in sitting],
            chance,
            [generators[i] for i in sitting],
        )
        for seat, i in enumerate(sitting):
            overall[i].add(record.returns[seat])
            by_seat[i][seat].add(record.returns[seat])
        if progress is not None:
            progress(hand + 1)
    return MatchLog(
        game=game.name,
        players=tuple(player.name for player in players),
        hands=hands,
        seed=seed,
        mean=tuple(result.mean for result in overall),
        ci95=tuple(result.ci95 for result in overall),
        mean_by_seat=tuple(tuple(result.mean for result in row) for row in by_seat),
    )
