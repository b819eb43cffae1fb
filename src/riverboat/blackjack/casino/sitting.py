"""One seat at a blackjack table: a shoe that goes on, a bankroll, exact values of each decision.

Every screen plays through it. Values are those of the cards that are really left: all cards seen
are gone, those of the seat's other hands after a split too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np

from riverboat.arena.hand import Hand
from riverboat.arena.table import Table
from riverboat.blackjack.exact.analysis import Analysis, analyse
from riverboat.blackjack.round import Blackjack, BlackjackState, Round
from riverboat.blackjack.rules import LETTER_OF, RANKS, BlackjackRules, fresh_cards, value
from riverboat.blackjack.simulation.counting import CountingSystem
from riverboat.errors import ParameterError, UsageError
from riverboat.games.base import Action, State
from riverboat.players.coach import Advice
from riverboat.players.player import HumanPlayer, View, state_behind

CUT = 0.75  # How much of the shoe is dealt
SAME = 1e-9  # Values closer than this are the same


@dataclass
class ShoeInPlay:
    """The cards to come. What runs out within a round goes on with the discards."""

    rules: BlackjackRules
    rng: np.random.Generator
    cards: list[str] = field(default_factory=list)  # In the order they come, the next one last
    gone: list[str] = field(default_factory=list)

    def begin(self) -> bool:
        """Shuffle if the cut card has come; whether it had."""
        if self.rules.decks == "infinite":
            return False
        total = 52 * self.rules.decks
        if self.cards and len(self.gone) < CUT * total:
            return False
        self.cards = list(self.rng.permutation(list(fresh_cards(self.rules.decks))))
        self.gone = []
        return True

    def draw(self, table: Round) -> str:
        if self.rules.decks == "infinite":
            return RANKS[int(self.rng.integers(13))]
        if not self.cards:
            lying = Counter(table.dealer + "".join(h.cards for s in table.seats for h in s))
            discards = list((Counter(self.gone) - lying).elements())
            self.cards = list(self.rng.permutation(discards))
            self.gone = list(lying.elements())
        card = str(self.cards.pop())
        self.gone.append(card)
        return card

    def unseen(self) -> tuple[int, ...] | None:
        """Counts of each rank that the player has not seen, before a round is dealt."""
        if self.rules.decks == "infinite":
            return None
        gone = Counter(self.gone)
        return tuple(4 * self.rules.decks - gone[rank] for rank in RANKS)


@dataclass(frozen=True)
class SeatState(BlackjackState):
    """A round at which the seat can only do what its money pays for."""

    bankroll: float = 0.0

    def actions(self) -> tuple[Action, ...]:
        return tuple(self.round.affordable(self.bankroll))


class OneSeat(Table):
    """One player's sitting: a table whose hands are rounds from one shoe, for one bankroll."""

    def __init__(self, rules: BlackjackRules, shoe: ShoeInPlay, bankroll: float) -> None:
        super().__init__(Blackjack.of(rules), (0,), coach=ShoeCoach(self))
        self.rules, self.shoe, self._brought = rules, shoe, bankroll
        self.analysis: Analysis | None = None
        self.unseen: tuple[int, ...] | None = None
        self.hand: Hand | None = None
        self.shuffled = False  # Before the round in play

    @property
    def bankroll(self) -> float:
        return self._brought + self.scores[0]

    @property
    def rounds(self) -> int:
        return self.played

    @property
    def cost(self) -> float:
        """What decisions have lost against the best ones, in units."""
        return self.costs[0] or 0.0

    @property
    def table(self) -> Round:
        """The cards and the money on the table."""
        return _round_of(self.hand.state) if self.hand is not None else Round.open(self.rules)

    @property
    def over(self) -> bool:
        return self.table.turn.wants == "over"

    def deal(self, bet: float, person: HumanPlayer) -> Hand:
        """The next round with a bet on it; `advance` plays it."""
        if not 0 < bet <= self.bankroll:
            raise UsageError(f"A bet is above zero and at most {self.bankroll:.10g}, not {bet:g}.")
        self.shuffled = self.shoe.begin()
        self.unseen, self.analysis = self.shoe.unseen(), None
        start = SeatState(cast(Blackjack, self.game), Round.open(self.rules, [bet]), self.bankroll)
        nothing = [np.random.default_rng(0)]  # A person draws no lots
        self.hand = self.deal_hand([person], self._deal_card, nothing, start=start)
        return self.hand

    def _deal_card(self, state: State) -> tuple[Sequence[Action], State]:
        card = self.shoe.draw(_round_of(state))
        return (card,), state.after(card)

    def begin(self, bet: float) -> bool:
        """Bet and deal up to the first decision; whether the shoe was shuffled before."""
        self.deal(bet, HumanPlayer(None, "you")).advance()
        return self.shuffled

    def act(self, letter: str, *, judged: bool = True) -> float:
        """Decide; what it cost against the best decision per unit bet, if it is to be judged."""
        if self.hand is None:
            raise UsageError("Bet first.")
        self.people, before = (0,) if judged else (), self.cost
        bet = _bet_in_turn(self.table) if not self.over else 1.0
        self.hand.act(letter)
        self.hand.advance()
        cost = (self.cost - before) / bet
        return cost if cost > SAME else 0.0

    def values(self, table: Round) -> dict[str, float]:
        """Letter → value of each action per unit bet, in the decision at hand, best first."""
        try:
            if self.analysis is None:
                self.analysis = analyse(self.rules, self.unseen)
            return self._values(self.analysis, table)
        except ParameterError:  # the shoe is nearly out, or was filled up again: as from a new one
            self.analysis = analyse(self.rules)
            return self._values(self.analysis, table)

    def _values(self, analysis: Analysis, table: Round) -> dict[str, float]:
        _, seat, index = table.turn
        hand, open_now = table.seats[seat][index], table.actions()
        hands = len(table.seats[seat])
        others = "".join(other.cards for i, other in enumerate(table.seats[seat]) if i != index)
        by_name = analysis.action_values(hand.cards, table.dealer[0], hands=hands, others=others)
        values = {LETTER_OF[name]: ev for name, ev in by_name.items()}
        if "N" in open_now:
            # Before the peek "no" is worth what the best play is; alone, insurance is a side bet.
            surrender = values.pop("R", None)
            base = max(values.values()) if surrender is not None else 0.0
            values = {"N": base, "I": base + analysis.insurance(hand.cards) / 2}
            if surrender is not None:
                values["R"] = surrender
        kept = ((letter, ev) for letter, ev in values.items() if letter in open_now)
        return dict(sorted(kept, key=lambda item: -item[1]))

    def count(self, system: CountingSystem) -> tuple[float, float]:
        """The running and the true count of the cards that the player has seen."""
        decks, seen = self.rules.decks, Counter(self.shoe.gone)
        if decks == "infinite":
            return 0.0, 0.0
        if not self.over and len(self.table.dealer) > 1:
            seen[self.table.dealer[1]] -= 1
        running = system.initial(decks) + sum(
            system.tags[value(rank) - 1] * number for rank, number in seen.items()
        )
        decks_left = max(0.5, decks - seen.total() / 52)
        return running, running / decks_left if system.true_count else running

    def affordable(self, table: Round) -> str:
        """The letters open to the player, without those that need more money than is left."""
        return table.affordable(self.bankroll)


@dataclass(frozen=True)
class ShoeAdvice(Advice):
    """The best decision; values are in units, for the bet on the hand in turn."""

    bet: float = 1.0


class ShoeCoach:
    """Advises with the cards that are left in the shoe."""

    def __init__(self, seat: OneSeat) -> None:
        self.seat = seat

    def advise(self, view: View) -> ShoeAdvice:
        state = state_behind(view)
        assert state is not None
        table = _round_of(state)
        bet, values = _bet_in_turn(table), self.seat.values(table)
        best = next(iter(values))
        chances = {letter: float(letter == best) for letter in values}
        in_units = {letter: bet * value for letter, value in values.items()}
        return ShoeAdvice(view, chances, in_units, "best", bet)


def _bet_in_turn(table: Round) -> float:
    """What lies on the hand that is decided about."""
    _, seat, hand = table.turn
    return table.seats[seat][hand].bet


def _round_of(state: State) -> Round:
    return cast(BlackjackState, state).round
