"""An exploiter's hands, all at once, against every hand of a player who is asked what he does.

The walk begins on a turn and follows the real betting. At each decision of the player his answer
for all hands is asked for (a blueprint's table, or a search that solves the rest of the hand). The
exploiter plays local best response, as strength/lbr.py has it: a fold, a call and a few raises are
compared as if both only checked and called afterwards.

Asking may take seconds. So two things are drawn instead of followed one by one, both without bias:
lines that few hands take are dropped at random and count more where they stay, and of all lines
that reach the river some are played, in proportion to hands times pot.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import comb

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.combos import NUM_COMBOS
from riverboat.games.base import CHANCE, TERMINAL, Action
from riverboat.holdem.abstraction.bets import amount_of
from riverboat.holdem.rules.actions import CALL, FOLD
from riverboat.holdem.rules.state import HoldemState
from riverboat.holdem.search.pot_share_tables import (
    meets,
    pairs_times_pot,
    pot_share_table,
    without,
)

__all__ = ["AllHandsWalk", "Policy", "meets"]

Doubles = NDArray[np.float64]
Policy = Callable[[HoldemState], tuple[tuple[Action, ...], Doubles]]
"""The actions of the player who acts, and (1326, A) how likely each is with each hand."""


@dataclass(frozen=True, eq=False)
class _Entry:
    """A line that has reached the river."""

    state: HoldemState
    theirs: Doubles
    mine: Doubles
    worth: float
    """Pairs of hands that come here, times the pot."""


@dataclass(eq=False)
class AllHandsWalk:
    """Local best response on one board, from a turn on."""

    policy: Policy
    raises: Sequence[str]
    board: tuple[int, ...]
    seat: int
    """The exploiter's."""
    rng: np.random.Generator
    lines: int = 0
    """River lines to draw; 0 plays them all."""
    least: float = 0.0
    """A line with a smaller part of all pairs times pot is dropped at random."""
    asked: int = 0
    """Decisions that the player was asked for."""
    reached: int = 0
    """Lines that reached the river."""
    _answers: dict[str, tuple[tuple[Action, ...], Doubles]] = field(default_factory=dict)
    _entries: list[_Entry] = field(default_factory=list)
    _whole: float = 0.0

    def value(self, state: HoldemState, theirs: Doubles, mine: Doubles) -> float:
        """Chips that the exploiter wins from here on: (1326,) weights of both players' hands.

        Divided by all pairs of hands that the board leaves, as if each came with weight one.
        """
        theirs, mine = (without(each, self.board[:4]) for each in (theirs, mine))
        self._whole = pairs_times_pot(state, theirs, mine)
        total = self._follow(state, theirs, mine)
        entries, self._entries = self._entries, []
        self.reached = len(entries)
        if not entries:
            return total
        if not self.lines or self.lines >= len(entries):
            return total + sum(self._follow(e.state, e.theirs, e.mine) for e in entries)
        worth = np.array([entry.worth for entry in entries])
        chances = worth / worth.sum()
        for number in self.rng.choice(len(entries), self.lines, p=chances).tolist():
            entry = entries[number]
            found = self._follow(entry.state, entry.theirs, entry.mine)
            total += found / (self.lines * chances[number])
        return total

    def _follow(self, state: HoldemState, theirs: Doubles, mine: Doubles) -> float:
        worth = pairs_times_pot(state, theirs, mine)
        if worth <= 0:
            return 0.0
        if state.actor == TERMINAL or (state.actor == CHANCE and not state.betting.queue):
            return self._leaf(state, theirs, mine)
        if worth < self.least * self._whole:
            stays = worth / (self.least * self._whole)
            if self.rng.random() >= stays:
                return 0.0
            theirs = theirs / stays
        if state.actor == CHANCE:
            after = state.deal([self.board[4]])
            card = self.board[4:]
            there = without(theirs, card), without(mine, card)
            self._entries.append(_Entry(after, *there, pairs_times_pot(after, *there)))
            return 0.0
        if state.actor == self.seat:
            tokens, chosen = self._decide(state, theirs, mine)
            return sum(
                self._follow(state.after(token), theirs, np.where(chosen == number, mine, 0.0))
                for number, token in enumerate(tokens)
            )
        actions, chances = self._answer(state)
        return sum(
            self._follow(state.after(action), theirs * chances[:, number], mine)
            for number, action in enumerate(actions)
        )

    def _answer(self, state: HoldemState) -> tuple[tuple[Action, ...], Doubles]:
        if state.history not in self._answers:
            self.asked += 1
            self._answers[state.history] = self.policy(state)
        return self._answers[state.history]

    def _decide(
        self, state: HoldemState, theirs: Doubles, mine: Doubles
    ) -> tuple[list[Action], NDArray[np.int64]]:
        """The exploiter's actions and which of them each hand takes."""
        betting = state.betting
        shares = pot_share_table(state.board)
        met = meets(theirs)
        tokens: list[Action] = [CALL, *([FOLD] if betting.to_call else [])]
        worth = [(shares @ theirs) * (betting.pot + betting.to_call) - met * betting.to_call]
        worth += [np.zeros(NUM_COMBOS)] * (len(tokens) - 1)
        allowed = betting.raise_range()
        for amount in sorted(
            {amount_of(size, betting, allowed) for size in self.raises if allowed}
        ):
            token = f"r{amount}"
            put = amount - betting.bets[self.seat]
            asks = min(put - betting.to_call, betting.stacks[1 - self.seat])
            actions, chances = self._answer(state.after(token))
            folds = chances[:, actions.index(FOLD)] if FOLD in actions else 0.0
            left = theirs * (1.0 - folds)
            stays = meets(left)
            called = (shares @ left) * (betting.pot + put + asks) - stays * put
            tokens.append(token)
            worth.append((met - stays) * betting.pot + called)
        return tokens, np.argmax(np.stack(worth), axis=0)

    def _leaf(self, state: HoldemState, theirs: Doubles, mine: Doubles) -> float:
        betting, cards = state.betting, len(state.board)
        cost = betting.rules.stacks[self.seat] - betting.stacks[self.seat]
        met = meets(theirs)
        if all(betting.in_hand):
            won = (pot_share_table(state.board) @ theirs) * betting.pot
        else:
            won = met * (betting.pot * betting.in_hand[self.seat])
        pairs = comb(52 - cards, 2) * comb(50 - cards, 2)
        return float(mine @ (won - met * cost)) / pairs
