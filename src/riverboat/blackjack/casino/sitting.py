"""One seat at a blackjack table: a shoe that goes on, a bankroll, exact values of each decision.

Every screen plays through it. Values are those of the cards that are really left: all cards seen
are gone, those of the seat's other hands after a split too.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from riverboat.blackjack.exact.analysis import Analysis, analyse
from riverboat.blackjack.round import Round
from riverboat.blackjack.rules import LETTER_OF, RANKS, BlackjackRules, fresh_cards, value
from riverboat.blackjack.simulation.counting import CountingSystem
from riverboat.errors import IllegalActionError, ParameterError, UsageError

CUT = 0.75  # How much of the shoe is dealt


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


@dataclass
class OneSeat:
    """One player's sitting: bankroll, shoe, the round on the table and what decisions cost."""

    rules: BlackjackRules
    shoe: ShoeInPlay
    bankroll: float
    rounds: int = 0
    cost: float = 0.0  # What decisions have lost against the best ones, in units
    analysis: Analysis | None = None
    unseen: tuple[int, ...] | None = None
    table: Round = field(default_factory=lambda: Round.open(BlackjackRules()))

    @property
    def over(self) -> bool:
        return self.table.turn.wants == "over"

    def begin(self, bet: float) -> bool:
        """Bet and deal up to the first decision; whether the shoe was shuffled before."""
        if not 0 < bet <= self.bankroll:
            raise UsageError(f"A bet is above zero and at most {self.bankroll:.10g}, not {bet:g}.")
        shuffled = self.shoe.begin()
        self.unseen, self.analysis = self.shoe.unseen(), None
        self.table = Round.open(self.rules, [bet])
        self._deal()
        return shuffled

    def act(self, letter: str, *, judged: bool = True) -> float:
        """Decide; what it cost against the best decision per unit bet, if it is to be judged."""
        if letter not in self.affordable(self.table):
            raise IllegalActionError(f"blackjack: {letter!r} is not possible here.")
        cost = 0.0
        if judged:
            values = self.values(self.table)
            if letter in values:
                cost = max(values.values()) - values[letter]
            cost = cost if cost > 1e-9 else 0.0
            self.cost += cost * self.table.seats[0][self.table.turn.hand].bet
        self.table = self.table.act(letter)
        self._deal()
        return cost

    def _deal(self) -> None:
        """Deal cards until a decision is due; at the end the money moves."""
        while self.table.turn.wants == "card":
            self.table = self.table.deal(self.shoe.draw(self.table))
        if self.over:
            self.bankroll += self.table.payoffs()[0]
            self.rounds += 1

    def values(self, table: Round) -> dict[str, float]:
        """Letter → value of each action in the decision at hand, best first."""
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
