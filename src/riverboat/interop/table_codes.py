"""What an environment needs of a game: vectors of a fixed length, and actions as numbers."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from riverboat.games.base import Action, Game, State
from riverboat.interop.code_book import book_of
from riverboat.plugins import find

__all__ = ["LetterCodes", "TableCodes", "codes_of"]

CODES: dict[str, str] = {"holdem": "riverboat.interop.holdem_codes:HoldemCodes"}
"""Game → "module:class" of codes of its own, for games too large for those of letters."""


class TableCodes(Protocol):
    """A game's states as vectors and its actions as numbers 0…A−1."""

    @property
    def actions(self) -> tuple[str, ...]:
        """A name for each number."""

    @property
    def bounds(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """(size,) the least and the greatest value of each place of a vector."""

    def observe(self, state: State, player: int) -> NDArray[np.float32]:
        """(size,) what the player knows."""

    def mask(self, state: State) -> NDArray[np.int8]:
        """(A,) 1 for each action that the acting player may take."""

    def action(self, state: State, number: int) -> Action:
        """The action that a number stands for here."""

    def number(self, state: State, action: Action) -> int:
        """The number that stands for an action here, or comes nearest to it."""


class LetterCodes:
    """Codes of any game: the letters of the infoset's text (code_book.py)."""

    def __init__(self, game: Game) -> None:
        self.book = book_of(game)
        self.players = game.num_players

    @property
    def actions(self) -> tuple[str, ...]:
        return self.book.actions

    @property
    def bounds(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        size = self.players + self.book.size
        return np.zeros(size, np.float32), np.ones(size, np.float32)

    def observe(self, state: State, player: int) -> NDArray[np.float32]:
        seat = np.zeros(self.players, np.float32)
        seat[player] = 1
        return np.concatenate([seat, self.book.encode(state.infoset(player))])

    def mask(self, state: State) -> NDArray[np.int8]:
        return self.book.mask(state.actions())

    def action(self, state: State, number: int) -> Action:
        return self.book.actions[number]

    def number(self, state: State, action: Action) -> int:
        return self.book.action_numbers[action]


def codes_of(game: Game) -> TableCodes:
    """The codes that fit the game."""
    place = CODES.get(game.name)
    codes: TableCodes = LetterCodes(game) if place is None else find(place)(game)
    return codes
