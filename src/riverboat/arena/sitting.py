"""A sitting: one person at a table over many hands, with the score and what the moves cost.

Any screen can run it. It deals hands, the screen drives them (arena.hand), and a listener
receives the hand's events and, after each move of the person, its value (MoveJudged).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from riverboat.arena.hand import Deal, Hand, deal_at_random, player_stream
from riverboat.arena.table import MoveJudged as MoveJudged
from riverboat.arena.table import Table, TableEvent
from riverboat.errors import UsageError
from riverboat.games.base import Game
from riverboat.games.contract import check_game
from riverboat.players.coach import Coach
from riverboat.players.player import HumanPlayer, Player

SittingEvent = TableEvent


def check_seat(game: Game, seat: int) -> None:
    """Refuse a seat that the game does not have; they count from 1, and 0 takes turns."""
    if not 0 <= seat <= game.num_players:
        count = "1 seat" if game.num_players == 1 else f"{game.num_players} seats"
        raise UsageError(f"{game.name} has {count}, so there is no seat {seat}.")


class Sitting(Table):
    """Hands, score and cost of one person, at place 0, against `opponent` in all others."""

    def __init__(
        self,
        game: Game,
        opponent: Player,
        *,
        coach: Coach | None = None,
        seat: int = 0,
        seed: int | None = None,
        listener: Callable[[SittingEvent], None] | None = None,
        deal: Callable[[np.random.Generator], Deal] = deal_at_random,
    ) -> None:
        """`seat` is 1 for the first, 2 for the second …; 0 takes turns. `deal` makes a dealer."""
        check_seat(game, seat)
        check_game(game, shown=True)
        shift = seat - 1 if seat else None
        super().__init__(game, (0,), coach=coach, listener=listener, shift=shift)
        self.opponent, self.seat = opponent, seat
        chance, *streams = np.random.default_rng(seed).spawn(game.num_players + 1)
        self._generators = [player_stream(stream) for stream in streams]
        self._deal = deal(chance)

    @property
    def score(self) -> float:
        return self.scores[0]

    @property
    def cost(self) -> float | None:
        """What the person's moves gave away against the best ones; None until one is judged."""
        return self.costs[0]

    @property
    def place(self) -> int:
        """The person's seat in the next hand, counted from 0."""
        return self._moved(self.played) % self.num_seats

    def next_hand(self, person: HumanPlayer) -> Hand:
        """The next hand, with the person seated; `advance` plays it."""
        players: list[Player] = [person, *[self.opponent] * (self.num_seats - 1)]
        return self.deal_hand(players, self._deal, self._generators)
