"""Matches: many hands between the same players, seats rotating, with 95 % intervals."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riverboat.arena.hand import Listener, play_hand
from riverboat.errors import UsageError
from riverboat.evaluation.statistics import half_width
from riverboat.games.base import Game
from riverboat.players.human import LeaveTable
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
    stopped: bool = False
    """Whether the match was left, or stopped with Ctrl-C, before all its hands were played."""


def run_match(
    game: Game,
    players: Sequence[Player],
    hands: int,
    *,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
    listener: Listener | None = None,
) -> MatchLog:
    """Play `hands` hands; in hand h player i sits in seat (i + h) mod P, so seats even out.

    Ctrl-C or a person who leaves ends the match early: the log tells the hands that were played.
    """
    count = game.num_players
    if len(players) != count:
        raise UsageError(f"{game.name} takes {count} players, not {len(players)}.")
    if hands < 1:
        raise UsageError(f"A match needs at least one hand, not {hands}.")
    chance, *generators = np.random.default_rng(seed).spawn(count + 1)
    results = array("d")
    stopped = False
    try:
        for hand in range(hands):
            sitting = [(seat - hand) % count for seat in range(count)]
            record = play_hand(
                game,
                [players[i] for i in sitting],
                chance,
                [generators[i] for i in sitting],
                listener=listener,
            )
            # One step, so that Ctrl-C cannot leave half a hand behind.
            results.extend(record.returns)
            if progress is not None:
                progress(hand + 1)
    except (KeyboardInterrupt, LeaveTable):
        if not results:
            raise
        stopped = True
    return _summary(game, players, np.frombuffer(results).reshape(-1, count), seed, stopped)


def _summary(
    game: Game,
    players: Sequence[Player],
    results: NDArray[np.float64],
    seed: int,
    stopped: bool,
) -> MatchLog:
    """The log of (H, P) results by hand and seat."""
    hands, count = results.shape
    turns = np.arange(hands)[:, None] % count
    seats = (np.arange(count)[None, :] + turns) % count
    own = np.take_along_axis(results, seats, axis=1)  # (H, P) by hand and player
    mean = own.mean(axis=0)
    return MatchLog(
        game=game.name,
        players=tuple(player.name for player in players),
        hands=hands,
        seed=seed,
        mean=tuple(mean.tolist()),
        ci95=tuple(half_width(hands, s) for s in ((own - mean) ** 2).sum(axis=0).tolist()),
        mean_by_seat=tuple(
            tuple(_mean(own[seats[:, i] == seat, i]) for seat in range(count)) for i in range(count)
        ),
        stopped=stopped,
    )


def _mean(values: NDArray[np.float64]) -> float:
    return float(values.mean()) if len(values) else 0.0
