"""The twenty-one table: deals, asks, settles and keeps the score, apart from sockets and clocks.

A driver calls `start`, then `answer` for the seat that `asking` names, or `fold` for a seat that
has gone, until `finished`. Everything that happens is reported to `listen` as a typed event
(events.py). The events of a table and its decks determine each other, which is how a log is
verified.

A seat that is folded out loses the round it leaves (a forfeit, which counts as a loss); later
rounds are not dealt to it and count as forfeits too, so that leaving never pays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from riverboat.errors import ParameterError
from riverboat.twentyone.events import Acted, Asked, Dealt, Finished, Folded, Settled, TableEvent
from riverboat.twentyone.game import DECK, Result, dealer_draws, is_bust, points, result

MAX_SEATS = 6  # Six hands and the dealer's cannot use up 52 cards
_KINDS = {Result.WIN: "wins", Result.PUSH: "pushes", Result.LOSE: "losses", Result.BUST: "busts"}


def shuffled_decks(seed: int, table: int = 0, attempt: int = 0) -> Iterator[list[str]]:
    """An endless run of shuffled decks that the seed and the table's number determine.

    A table that is begun again, after a crash, has other cards: `attempt` counts those times.
    """
    rng = np.random.default_rng([seed, table, attempt] if attempt else [seed, table])
    ordered = np.tile(np.arange(len(DECK), dtype=np.int8), (64, 1))
    while True:
        for order in rng.permuted(ordered, axis=1).tolist():
            yield [DECK[i] for i in order]


@dataclass
class Seat:
    """One player's place: the hand of this round and the score so far."""

    name: str
    cards: list[str] = field(default_factory=list)
    out: str = ""  # Why the seat was folded out; empty while it plays
    wins: int = 0
    pushes: int = 0
    losses: int = 0
    busts: int = 0
    forfeits: int = 0

    @property
    def rounds(self) -> int:
        return self.wins + self.pushes + self.losses + self.busts + self.forfeits

    @property
    def score(self) -> int:
        """Rewards added up: a win is +1, a push 0, everything else −1."""
        return self.wins - self.losses - self.busts - self.forfeits

    @property
    def points(self) -> int:
        return points(self.cards)

    def count(self, outcome: Result) -> None:
        """Enter the result of a round."""
        kind = _KINDS[outcome]
        setattr(self, kind, getattr(self, kind) + 1)

    def tally(self) -> dict[str, int]:
        """The score by kind of result."""
        return {kind: getattr(self, kind) for kind in (*_KINDS.values(), "forfeits")}


class Table:
    """One table of up to six seats, playing `games` rounds from a run of decks."""

    def __init__(
        self,
        names: Sequence[str],
        games: int,
        decks: Iterator[list[str]],
        listen: Callable[[TableEvent], None] | None = None,
    ) -> None:
        if not 1 <= len(names) <= MAX_SEATS:
            raise ParameterError(f"A table seats 1 to {MAX_SEATS} players, not {len(names)}.")
        if games < 1:
            raise ParameterError(f"A table plays at least 1 game, not {games}.")
        self.seats = [Seat(name) for name in names]
        self.dealer = Seat("dealer")
        self.games = games
        self.round = 0
        self.asking = -1
        """The seat that must decide, or −1."""
        self.finished = False
        self._decks = decks
        self._deck: list[str] = []
        self._report = listen or _no_listener

    @property
    def up_card(self) -> str:
        """The dealer's open card."""
        return self.dealer.cards[1]

    def start(self) -> None:
        """Deal the first round."""
        if self.round:
            raise RuntimeError("the table has started")
        self._deal()

    def answer(self, hit: bool) -> None:
        """The asked seat's decision."""
        number = self.asking
        if number < 0:
            raise RuntimeError("no seat was asked")
        if not hit:
            self._report(Acted(self.round, number, "STAND"))
            self._ask_from(number + 1)
            return
        card = self._deck.pop()
        hand = self.seats[number].cards
        hand.append(card)
        self._report(Acted(self.round, number, "HIT", card))
        if is_bust(hand):
            self._ask_from(number + 1)
        else:
            self._report(Asked(self.round, number))

    def fold(self, number: int, reason: str) -> None:
        """Fold a seat out for the rest of the match; the others play on."""
        seat = self.seats[number]
        if seat.out or self.finished:
            return
        seat.out = reason or "left"
        self._report(Folded(self.round, number, reason))
        if self.asking == number:
            self._ask_from(number + 1)

    def _deal(self) -> None:
        self.round += 1
        # A copy, since cards are taken off its end and the order dealt is from the front.
        self._deck = next(self._decks)[::-1]
        deal, dealer = self._deck.pop, self.dealer
        playing = [seat for seat in self.seats if not seat.out]
        for seat in playing:
            seat.cards = [deal()]
        dealer.cards = [deal()]
        for seat in playing:
            seat.cards.append(deal())
        dealer.cards.append(deal())
        hands = [None if seat.out else seat.cards.copy() for seat in self.seats]
        self._report(Dealt(self.round, dealer.cards[1], hands))
        self._ask_from(0)

    def _ask_from(self, number: int) -> None:
        """Ask the next seat that still plays, or settle when there is none."""
        seats = self.seats
        while number < len(seats) and seats[number].out:
            number += 1
        if number < len(seats):
            self.asking = number
            self._report(Asked(self.round, number))
            return
        self.asking = -1
        self._settle()

    def _settle(self) -> None:
        dealer = self.dealer.cards
        if any(not seat.out and not is_bust(seat.cards) for seat in self.seats):
            while dealer_draws(dealer):
                dealer.append(self._deck.pop())
        results = []
        for seat in self.seats:
            if seat.out:
                seat.forfeits += 1
                results.append("FORFEIT")
                continue
            outcome = result(seat.cards, dealer)
            seat.count(outcome)
            results.append(outcome.value)
        self._report(Settled(self.round, dealer.copy(), results))
        if self.round < self.games and not all(seat.out for seat in self.seats):
            self._deal()
        else:
            self._finish()

    def _finish(self) -> None:
        self.finished = True
        for seat in self.seats:
            seat.forfeits += self.games - self.round if seat.out else 0
        self._report(Finished(self.round, [seat.tally() for seat in self.seats]))


def _no_listener(event: TableEvent) -> None:
    pass
