"""Many games of twenty-one, stepped by the actions of a learner. T games, 52 cards each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from riverboat.runtime.array_types import F32, F64, I64, U8, U64, Bools
from riverboat.runtime.compiled import GOLDEN, mix, njit

HIT = 1


class Games(NamedTuple):
    """What lies on the tables."""

    cards: U8  # [T, 52] packs, values 1…10, permuted in place
    dealt: I64
    """[T] cards out: player, dealer face down, player, dealer face up, then the draws."""
    counts: I64  # [T, 10] the player's cards by value
    words: U64  # [T] random counters


@njit(cache=True, forceinline=True)
def _draw(games: Games, t: int) -> int:
    here = games.dealt[t]
    word = mix(games.words[t]) >> np.uint64(32)
    games.words[t] += GOLDEN
    there = here + np.int64((word * np.uint64(52 - here)) >> np.uint64(32))
    value = games.cards[t, there]
    games.cards[t, there] = games.cards[t, here]
    games.cards[t, here] = value
    games.dealt[t] = here + 1
    return int(value)


@njit(cache=True, forceinline=True)
def _points(hard: int, aces: int) -> int:
    return hard + 10 if aces > 0 and hard <= 11 else hard


@njit(cache=True, forceinline=True)
def _hard(games: Games, t: int) -> int:
    hard = 0
    for v in range(10):
        hard += int(games.counts[t, v]) * (v + 1)
    return hard


@njit(cache=True, forceinline=True)
def _begin(games: Games, t: int) -> None:
    games.dealt[t] = 0
    for v in range(10):
        games.counts[t, v] = 0
    first = _draw(games, t)
    _draw(games, t)
    second = _draw(games, t)
    _draw(games, t)
    games.counts[t, first - 1] += 1
    games.counts[t, second - 1] += 1


@njit(cache=True, forceinline=True)
def _settle(games: Games, t: int) -> float:
    """The dealer draws to 17; 1, 0 or −1 for a player who stands."""
    mine = _points(_hard(games, t), int(games.counts[t, 0]))
    hard = int(games.cards[t, 1]) + int(games.cards[t, 3])
    aces = int(games.cards[t, 1] == 1) + int(games.cards[t, 3] == 1)
    while _points(hard, aces) < 17:
        value = _draw(games, t)
        hard += value
        aces += int(value == 1)
    theirs = _points(hard, aces)
    if theirs > 21:
        return 1.0
    return float(int(mine > theirs) - int(mine < theirs))


@njit(cache=True, nogil=True)
def deal_games(games: Games) -> None:
    """Deal every game anew."""
    for t in range(games.dealt.size):
        _begin(games, t)


@njit(cache=True, nogil=True)
def step_games(games: Games, actions: I64, rewards: F64, ended: Bools, again: bool) -> None:
    """One action in each game; writes `rewards` and `ended` [T] in place.

    With `again` a game that is over is followed by the next at once.
    """
    for t in range(actions.size):
        rewards[t], ended[t] = 0.0, True
        if actions[t] == HIT:
            games.counts[t, _draw(games, t) - 1] += 1
            if _hard(games, t) > 21:
                rewards[t] = -1.0
            else:
                ended[t] = False
        else:
            rewards[t] = _settle(games, t)
        if ended[t] and again:
            _begin(games, t)


@njit(cache=True, nogil=True)
def observe_games(games: Games, observations: F32) -> None:
    """Write observations [T, 3 or 13]: points, soft, up card, and the ten counts with room."""
    for t in range(observations.shape[0]):
        hard, aces = _hard(games, t), int(games.counts[t, 0])
        total = _points(hard, aces)
        observations[t, 0] = total
        observations[t, 1] = 1.0 if total > hard else 0.0
        observations[t, 2] = games.cards[t, 3]
        for v in range(observations.shape[1] - 3):
            observations[t, 3 + v] = games.counts[t, v]
