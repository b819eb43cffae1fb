"""A hold'em table from hand to hand: seats, chips, a button that moves, and cards dealt.

Inside a hand the players are numbered by position: 0 is the first seat left of the button, the
last one is the button. Between hands they are seats at a table, which stay where they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from riverboat.arena.hand import Deal
from riverboat.cards.card import CARDS
from riverboat.errors import ParameterError
from riverboat.games.base import Action, State
from riverboat.holdem.rules.seats import seat_name as seat_name
from riverboat.holdem.rules.seats import seat_names as seat_names
from riverboat.holdem.rules.state import HoldemState


def _in_play(chips: Sequence[int], button: int) -> tuple[int, ...]:
    """The seats with chips, from the one after the button on."""
    around = ((button + step) % len(chips) for step in range(1, len(chips) + 1))
    return tuple(seat for seat in around if chips[seat] > 0)


@dataclass(frozen=True)
class Seats:
    """Chips by seat and the seat with the button; a seat without chips is out."""

    chips: tuple[int, ...]
    button: int

    def __post_init__(self) -> None:
        if not 0 <= self.button < len(self.chips) or min(self.chips) < 0:
            raise ParameterError("holdem: the button must be at a seat and no chips below zero.")
        if self.chips[self.button] == 0:
            raise ParameterError(
                f"holdem: the button is at seat {self.button + 1}, which has no chips."
            )

    @property
    def order(self) -> tuple[int, ...]:
        """The seats in play by position: left of the button first, the button last."""
        return _in_play(self.chips, self.button)

    @property
    def stacks(self) -> tuple[int, ...]:
        """The chips by position, as Holdem takes them."""
        return tuple(self.chips[seat] for seat in self.order)

    def after(self, returns: Sequence[float]) -> Seats:
        """The table for the next hand: chips settled by position, button at the next seat.

        Where the table has just come down to two, the button moves one seat more if that keeps
        a player from paying the big blind twice running.
        """
        order = self.order
        chips = list(self.chips)
        for seat, gain in zip(order, returns, strict=True):
            if gain != int(gain):
                raise ParameterError("holdem: chips at seats are whole; play odd_chips=left.")
            chips[seat] += int(gain)
        # Two players: position 0 has the big blind; more: position 1 has it.
        paid = order[0] if len(order) == 2 else order[1]
        remaining = _in_play(chips, self.button)
        after = Seats(tuple(chips), remaining[0])
        if len(remaining) == 2 and after.order[0] == paid:
            return Seats(tuple(chips), remaining[1])
        return after


def deal_streets(rng: np.random.Generator) -> Deal:
    """A dealer who shuffles before every hand and street, as good as once."""

    def deal(state: State) -> tuple[Sequence[Action], State]:
        table = cast(HoldemState, state)
        free = sorted(table.unseen())
        cards = [int(card) for card in rng.permutation(free)[: table.pending]]
        return tuple(CARDS[card] for card in cards), table.deal(cards)

    return deal


def deal_from_deck(deck: Sequence[int]) -> Deal:
    """A dealer with a deck in this order, for one hand: first all hands, then the board."""
    remaining = list(reversed(deck))

    def deal(state: State) -> tuple[Sequence[Action], State]:
        table = cast(HoldemState, state)
        cards = [remaining.pop() for _ in range(table.pending)]
        return tuple(CARDS[card] for card in cards), table.deal(cards)

    return deal
