"""Hold'em for learning agents: six actions, and cards and chips as a vector.

A raise "by half the pot" and its like are the amounts after a call, brought into what the rules
allow. Where two of them come to the same amount, only the first may be taken. In fixed limit
there is one raise.

| places | what they say |
|---|---|
| 52, 52 | own cards, board: one place for each card, 2c 2d 2h 2s 3c … As |
| 4 | the street: before the flop, flop, turn, river |
| P | who acts, seen from the player, who comes first, then clockwise |
| P | who is still in the hand, in that order |
| P, P | stacks and bets of this street, in big blinds, in that order |
| 2 | pot and what a call costs, in big blinds |
| P | the player's own seat |
"""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import IllegalActionError
from riverboat.games.base import Action, Game, State
from riverboat.holdem.rules.betting import CALL, FOLD, raise_amount
from riverboat.holdem.rules.state import Holdem, HoldemState

MENU = ("fold", "check or call", "raise least", "raise half pot", "raise pot", "all-in")
DECK = 52


class HoldemCodes:
    """See above."""

    def __init__(self, game: Game) -> None:
        self.game = cast(Holdem, game)
        self.unit = float(self.game.big_blind or self.game.ante or 1)

    @property
    def actions(self) -> tuple[str, ...]:
        return MENU

    @property
    def bounds(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        players = self.game.num_players
        chips = sum(self.game.betting_rules.stacks) / self.unit
        high = [1.0] * (2 * DECK + 4 + 2 * players)
        high += [chips] * (2 * players + 2) + [1.0] * players
        return np.zeros(len(high), np.float32), np.array(high, np.float32)

    def observe(self, state: State, player: int) -> NDArray[np.float32]:
        here, players = cast(HoldemState, state), self.game.num_players
        betting = here.betting
        cards = np.zeros((2, DECK), np.float32)
        own = here.holes[player] if player < len(here.holes) else ()
        cards[0, list(own)] = 1
        cards[1, list(here.board)] = 1
        street = np.zeros(4, np.float32)
        street[betting.street] = 1
        order = [(player + seat) % players for seat in range(players)]
        turn = np.array([seat == here.actor for seat in order], np.float32)
        inside = np.array([betting.in_hand[seat] for seat in order], np.float32)
        chips = np.array(
            [betting.stacks[seat] for seat in order]
            + [betting.bets[seat] for seat in order]
            + list(here.stakes()),
            np.float32,
        )
        seat = np.eye(players, dtype=np.float32)[player]
        return np.concatenate(
            [cards.ravel(), street, turn, inside, chips / np.float32(self.unit), seat]
        )

    def mask(self, state: State) -> NDArray[np.int8]:
        mask = np.zeros(len(MENU), np.int8)
        seen: set[Action] = set()
        for number, action in enumerate(self._menu(state)):
            if action is not None and action not in seen:
                seen.add(action)
                mask[number] = 1
        return mask

    def action(self, state: State, number: int) -> Action:
        action = self._menu(state)[number]
        if action is None:
            raise IllegalActionError(f"holdem: {MENU[number]} is not possible here.")
        return action

    def number(self, state: State, action: Action) -> int:
        menu = self._menu(state)
        if action in menu:
            return menu.index(action)
        wanted = raise_amount(action)
        amounts = [raise_amount(text or "") for text in menu]
        raises = {number: amount for number, amount in enumerate(amounts) if amount is not None}
        if wanted is None or not raises:
            raise IllegalActionError(f"holdem: {action!r} is not possible here.")
        return min(raises, key=lambda number: abs(raises[number] - wanted))

    def _menu(self, state: State) -> list[Action | None]:
        """The action behind each number, None for what the rules refuse."""
        here = cast(HoldemState, state)
        if here.actor < 0:
            return [None] * len(MENU)
        betting, legal = here.betting, here.betting.actions()
        menu: list[Action | None] = [FOLD if FOLD in legal else None, CALL]
        if legal.raises is None:
            return menu + [None] * 4
        low, high = legal.raises
        if betting.rules.fixed:
            return [*menu, f"r{low}", None, None, None]
        called = max(betting.bets)
        pot = betting.pot + betting.to_call
        sizes = (low, called + round(pot / 2), called + pot, high)
        return [*menu, *(f"r{min(max(size, low), high)}" for size in sizes)]
