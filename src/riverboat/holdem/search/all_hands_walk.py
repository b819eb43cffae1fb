"""An exploiter's hands, all at once, against every hand of a player who is asked what he does.

The walk begins on a flop, turn or river and follows the real betting on one board. At each decision
of the player his answer for all hands is asked for (a blueprint's table, or a search that solves
the rest of the hand). The exploiter plays local best response, as strength/lbr.py has it: a fold, a
call and a few raises are compared as if both only checked and called afterwards.

Asking may take seconds. So two things are drawn instead of followed one by one, both without bias:
lines that few hands take are dropped at random and count more where they stay, and of all lines
that reach a later street some are played, in proportion to hands times pot. What is drawn is only
how far a line departs from its worth if nobody bet any more on this board: that worth is known for
every line, and most of the luck is in it.
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
from riverboat.holdem.rules.betting import Betting
from riverboat.holdem.rules.state import HoldemState
from riverboat.holdem.search.pot_share_tables import (
    meets,
    pairs_times_pot,
    pot_share_table,
    without,
)

__all__ = ["AllHandsWalk", "Policy", "drawn"]

Doubles = NDArray[np.float64]
Policy = Callable[[HoldemState], tuple[tuple[Action, ...], Doubles]]
"""The actions of the player who acts, and (1326, A) how likely each is with each hand."""


@dataclass(frozen=True, eq=False)
class _Entry:
    """A line that has reached another street."""

    state: HoldemState
    theirs: Doubles
    mine: Doubles
    worth: float
    """Pairs of hands that come here, times the pot."""


@dataclass(eq=False)
class AllHandsWalk:
    """Local best response on one board, from a flop, turn or river on."""

    policy: Policy
    raises: Sequence[str]
    board: tuple[int, ...]
    """All five cards."""
    seat: int
    """The exploiter's."""
    rng: np.random.Generator
    lines: int = 0
    """Lines to draw on each later street; 0 plays them all."""
    least: float = 0.0
    """A line with a smaller part of all pairs times pot is dropped at random."""
    asked: int = 0
    """Decisions that the player was asked for."""
    reached: int = 0
    """Lines that reached a later street."""
    shares: dict[int, NDArray[np.float32]] = field(default_factory=dict)
    """Cards on the board → (1326, 1326) parts of the pot; found where they are missing."""
    _answers: dict[str, tuple[tuple[Action, ...], Doubles]] = field(default_factory=dict)
    _entries: list[_Entry] = field(default_factory=list)
    _whole: float = 0.0

    def value(self, state: HoldemState, theirs: Doubles, mine: Doubles) -> float:
        """Chips that the exploiter wins from here on: (1326,) weights of both players' hands.

        Divided by all pairs of hands that the board leaves, as if each came with weight one.
        """
        cards = self.board[: len(state.board)]
        theirs, mine = (without(each, cards) for each in (theirs, mine))
        self._whole = pairs_times_pot(state, theirs, mine)
        self.reached = 0
        total = self._follow(state, theirs, mine)
        while self._entries:
            entries, self._entries = self._entries, []
            self.reached += len(entries)
            total += sum(self._checked_down(entry) for entry in entries)
            for number, times in drawn(np.array([e.worth for e in entries]), self.lines, self.rng):
                entry = entries[number]
                total += self._follow(entry.state, entry.theirs * times, entry.mine)
                total -= self._checked_down(entry) * times
        return total

    def _follow(self, state: HoldemState, theirs: Doubles, mine: Doubles) -> float:
        """What is won before another street begins; lines that reach one are noted."""
        worth = pairs_times_pot(state, theirs, mine)
        if worth <= 0:
            return 0.0
        if state.actor == TERMINAL or (state.actor == CHANCE and not state.betting.queue):
            return self._leaf(state.betting, len(state.board), theirs, mine)
        if worth < self.least * self._whole:
            stays = worth / (self.least * self._whole)
            if self.rng.random() >= stays:
                return 0.0
            theirs = theirs / stays
        if state.actor == CHANCE:
            card = self.board[len(state.board) : len(state.board) + 1]
            after = state.deal(list(card))
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
        betting, cards = state.betting, len(state.board)
        met = meets(theirs)
        tokens: list[Action] = [CALL, *([FOLD] if betting.to_call else [])]
        won = self._won(cards, theirs)
        worth = [won * (betting.pot + betting.to_call) - met * betting.to_call]
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
            called = self._won(cards, left) * (betting.pot + put + asks) - stays * put
            tokens.append(token)
            worth.append((met - stays) * betting.pot + called)
        return tokens, np.argmax(np.stack(worth), axis=0)

    def _checked_down(self, entry: _Entry) -> float:
        """What a line would win if nobody bet any more on this board."""
        theirs, mine = (without(each, self.board) for each in (entry.theirs, entry.mine))
        return self._leaf(entry.state.betting, 5, theirs, mine)

    def _leaf(self, betting: Betting, cards: int, theirs: Doubles, mine: Doubles) -> float:
        """What is won where the betting is over, with so many cards on the board."""
        cost = betting.rules.stacks[self.seat] - betting.stacks[self.seat]
        met = meets(theirs)
        if all(betting.in_hand):
            won = self._won(cards, theirs) * betting.pot
        else:
            won = met * (betting.pot * betting.in_hand[self.seat])
        pairs = comb(52 - cards, 2) * comb(50 - cards, 2)
        return float(mine @ (won - met * cost)) / pairs

    def _won(self, cards: int, theirs: Doubles) -> Doubles:
        """(1326,) the weight that each hand wins of what it meets if nobody bets any more."""
        if cards not in self.shares:
            self.shares[cards] = pot_share_table(self.board[:cards])
        return (self.shares[cards] @ theirs.astype(np.float32)).astype(np.float64)


def drawn(worth: Doubles, count: int, rng: np.random.Generator) -> list[tuple[int, float]]:
    """Some of many, about `count` and more likely the more they are worth: number, how it counts.

    One that is likely to be drawn more than once is always there. Each counts by the inverse of the
    probability that it is there, so that sums over all are met on average.
    """
    if not count or count >= len(worth):
        return [(number, 1.0) for number in range(len(worth))]
    there = np.zeros(len(worth))
    while True:
        rest = there < 1
        free = count - int((~rest).sum())
        there[rest] = free * worth[rest] / max(float(worth[rest].sum()), 1e-300)
        if not (there[rest] > 1).any():
            break
        there = np.where(there > 1, 1.0, np.where(rest, 0.0, there))
    marks = np.floor(np.append(0.0, np.cumsum(there)) + rng.random() + 1e-12)
    return [(int(n), 1 / there[n]) for n in np.flatnonzero(np.diff(marks) > 0)]
