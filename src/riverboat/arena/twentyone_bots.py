"""Minds for a seat at the twenty-one table: a Q table that plays or learns, or a named player."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from riverboat.games.twentyone import (
    HIT,
    REWARDS,
    STAND,
    Result,
    TwentyOne,
    dealer_draws,
    infoset_of,
)
from riverboat.players.base import Player, View
from riverboat.players.registry import make_player
from riverboat.strategies.q_table import QTable

__all__ = ["LearningBot", "PlayerBot", "SeatMind", "TableBot", "bot_from_spec"]


class SeatMind(Protocol):
    """What sits at a table: it decides, and hears how the hand ended."""

    name: str

    def decide(self, cards: Sequence[str], up_card: str) -> bool:
        """True to hit."""

    def learn(self, result: Result) -> None:
        """The hand is over."""


class TableBot:
    """Plays a Q table greedily; where the table knows nothing it draws like the dealer."""

    def __init__(self, name: str, table: QTable) -> None:
        self.name = name
        self._table = table
        self._known: dict[str, bool] = {}

    def decide(self, cards: Sequence[str], up_card: str) -> bool:
        infoset = infoset_of(cards, up_card)
        hit = self._known.get(infoset)
        if hit is None:
            found = self._table.lookup(0, infoset)
            hit = dealer_draws(cards) if found is None else found[HIT] > 0.5
            self._known[infoset] = hit
        return hit

    def learn(self, result: Result) -> None:
        pass


class LearningBot:
    """On-policy Monte Carlo control at the table: mostly greedy, sometimes at random.

    Every decision of a hand gets the hand's return into its average. An action that was never
    tried is tried first.
    """

    def __init__(
        self, name: str, table: QTable, rng: np.random.Generator, explore: float = 0.1
    ) -> None:
        self.name = name
        self._table = table
        self._rng = rng
        self._explore = explore
        self._made: list[tuple[str, str]] = []

    def decide(self, cards: Sequence[str], up_card: str) -> bool:
        infoset = infoset_of(cards, up_card)
        counts = self._table.lookup(0, infoset)
        if counts is None or self._rng.random() < self._explore:
            hit = bool(self._rng.random() < 0.5)
        else:
            hit = counts[HIT] > 0.5
        self._made.append((infoset, HIT if hit else STAND))
        return hit

    def learn(self, result: Result) -> None:
        won = float(result is Result.WIN)
        value = won if self._table.objective == "wins" else REWARDS[result]
        for infoset, action in self._made:
            self._table.record(infoset, action, value)
        self._made.clear()


class PlayerBot:
    """Any player of the registry that plays twenty-one."""

    def __init__(self, name: str, player: Player, rng: np.random.Generator) -> None:
        self.name = name
        self._player = player
        self._rng = rng
        self._game = TwentyOne()

    def decide(self, cards: Sequence[str], up_card: str) -> bool:
        view = View(self._game, 0, infoset_of(cards, up_card), (HIT, STAND))
        return self._player.choose(view, self._rng) == HIT

    def learn(self, result: Result) -> None:
        pass


def bot_from_spec(spec: str, rng: np.random.Generator, name: str = "") -> PlayerBot:
    """The local player that a spec such as `basic` or `q:table.rb` names."""
    return PlayerBot(name or spec, make_player(TwentyOne(), spec), rng)
