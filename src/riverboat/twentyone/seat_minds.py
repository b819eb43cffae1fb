"""Minds for a seat at the twenty-one table: a Q table that plays or learns, or a named player."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, cast

import numpy as np

from riverboat.players.player import Player, View
from riverboat.players.roster import make_player
from riverboat.twentyone.game import HIT, REWARDS, STAND, Result, TwentyOne, infoset_of
from riverboat.twentyone.players import BasicPlayer, QPlayer
from riverboat.twentyone.q_table import QTable

__all__ = ["LearningBot", "PlayerBot", "SeatMind", "bot_from_spec", "bot_from_table"]


class SeatMind(Protocol):
    """What sits at a table: it decides, and hears how the hand ended."""

    name: str

    def decide(self, cards: Sequence[str], up_card: str) -> bool:
        """True to hit."""

    def learn(self, result: Result) -> None:
        """The hand is over."""


class LearningBot:
    """On-policy Monte Carlo control at the table: mostly greedy, sometimes at random.

    Every decision of a hand gets the hand's return into its average.
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
        best = self._table.lookup(0, infoset)
        if best is None or self._rng.random() < self._explore:
            hit = bool(self._rng.random() < 0.5)
        else:
            hit = best[HIT] > 0.5
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
        # Tables need not be asked twice; others may search or roll dice.
        self._known: dict[str, bool] | None = None
        if isinstance(player, BasicPlayer | QPlayer):
            self._known = {}

    def decide(self, cards: Sequence[str], up_card: str) -> bool:
        infoset = infoset_of(cards, up_card)
        if self._known is not None and infoset in self._known:
            return self._known[infoset]
        view = View(self._game, 0, infoset, (HIT, STAND))
        hit = self._player.choose(view, self._rng) == HIT
        if self._known is not None:
            self._known[infoset] = hit
        return hit

    def learn(self, result: Result) -> None:
        pass


def bot_from_table(name: str, table: QTable, rng: np.random.Generator) -> PlayerBot:
    """Plays a Q table greedily."""
    return PlayerBot(name, cast("Player", QPlayer(name, table)), rng)


def bot_from_spec(spec: str, rng: np.random.Generator, name: str = "") -> PlayerBot:
    """The local player that a spec such as `basic` or `q:table.rb` names."""
    return PlayerBot(name or spec, make_player(TwentyOne(), spec), rng)
