"""The twenty-one table: deals, asks, settles and keeps the score, apart from sockets and clocks.

A driver calls `start`, then `answer` for the seat that `asking` names, or `fold` for a seat that
has gone, until `finished`. What the table says to a seat lies in `outbox[seat]` for the driver to
take away. With `record` the table tells every event as a plain dict; the events of a table and
its decks determine each other, which is how a log is verified.

A seat that is folded out loses the round it leaves (a forfeit, which counts as a loss); later
rounds are not dealt to it and count as forfeits too, so that leaving never pays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from riverboat.arena.protocols.twentyone import (
    BEGIN,
    CARD,
    CARD_CODES,
    DEALER,
    DECISION,
    QUIT,
    RESULT,
    Outcome,
)
from riverboat.errors import ParameterError

__all__ = ["MAX_SEATS", "Record", "Seat", "Table", "shuffled_decks"]

MAX_SEATS = 6
"""Six hands and the dealer's cannot use up 52 cards."""

Record = Callable[[dict[str, Any]], None]

VALUES = tuple(11 if rank == 12 else min(rank + 2, 10) for rank in range(13) for _ in range(4))


def shuffled_decks(seed: int, table: int = 0) -> Iterator[list[int]]:
    """An endless run of shuffled decks that the seed and the table's number determine."""
    rng = np.random.default_rng([seed, table])
    ordered = np.tile(np.arange(52, dtype=np.int8), (64, 1))
    while True:
        yield from rng.permuted(ordered, axis=1).tolist()


@dataclass
class Seat:
    """One player's place: the hand of this round and the score so far."""

    name: str
    cards: list[int] = field(default_factory=list)
    points: int = 0
    soft: bool = False
    out: str = ""
    """Why the seat was folded out; empty while it plays."""
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

    def take(self, card: int) -> None:
        """Add a card, counting an ace as 1 once 11 would bust."""
        self.cards.append(card)
        value = VALUES[card]
        self.points += value
        if value == 11:
            if self.soft:
                self.points -= 10
            self.soft = True
        if self.points > 21 and self.soft:
            self.points -= 10
            self.soft = False

    def clear(self) -> None:
        self.cards = []
        self.points = 0
        self.soft = False


class Table:
    """One table of up to six seats, playing `games` rounds from a run of decks."""

    def __init__(
        self,
        names: Sequence[str],
        games: int,
        decks: Iterator[list[int]],
        record: Record | None = None,
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
        """The seat that must answer DECISION, or −1."""
        self.finished = False
        self.outbox: list[list[bytes]] = [[] for _ in names]
        self._decks = decks
        self._deck: list[int] = []
        self._record = record

    @property
    def up_card(self) -> int:
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
            raise RuntimeError("nobody was asked")
        seat = self.seats[number]
        if not hit:
            self._tell(number, "STAND", None)
            self._ask_from(number + 1)
            return
        card = self._deck.pop()
        seat.take(card)
        out = self.outbox[number]
        out.append(CARD[card])
        self._tell(number, "HIT", card)
        if seat.points > 21:
            self._ask_from(number + 1)
        else:
            out.append(DECISION)

    def fold(self, number: int, reason: str) -> None:
        """Fold a seat out for the rest of the match; the others play on."""
        seat = self.seats[number]
        if seat.out or self.finished:
            return
        seat.out = reason or "left"
        self.outbox[number].append(QUIT)
        if self._record is not None:
            self._record({"event": "fold", "round": self.round, "seat": number, "reason": reason})
        if self.asking == number:
            self._ask_from(number + 1)

    def _deal(self) -> None:
        self.round += 1
        # A copy, since cards are taken off its end and the order dealt is from the front.
        self._deck = next(self._decks)[::-1]
        deal, dealer = self._deck.pop, self.dealer
        playing = [(seat, self.outbox[n]) for n, seat in enumerate(self.seats) if not seat.out]
        dealer.clear()
        for seat, out in playing:
            seat.clear()
            seat.take(card := deal())
            out += (BEGIN, CARD[card])
        dealer.take(deal())
        for seat, out in playing:
            seat.take(card := deal())
            out.append(CARD[card])
        dealer.take(up := deal())
        for _, out in playing:
            out.append(DEALER[up])
        if self._record is not None:
            hands = [None if s.out else _codes(s.cards) for s in self.seats]
            event = {"event": "deal", "round": self.round, "up": CARD_CODES[up], "hands": hands}
            self._record(event)
        self._ask_from(0)

    def _ask_from(self, number: int) -> None:
        """Ask the next seat that still plays, or settle when there is none."""
        seats = self.seats
        while number < len(seats) and seats[number].out:
            number += 1
        if number < len(seats):
            self.asking = number
            self.outbox[number].append(DECISION)
            return
        self.asking = -1
        self._settle()

    def _settle(self) -> None:
        dealer = self.dealer
        if any(not seat.out and seat.points <= 21 for seat in self.seats):
            while dealer.points < 17:
                dealer.take(self._deck.pop())
        results = []
        for number, seat in enumerate(self.seats):
            if seat.out:
                seat.forfeits += 1
                results.append("FORFEIT")
                continue
            outcome = _outcome(seat.points, dealer.points)
            _count(seat, outcome)
            self.outbox[number].append(RESULT[outcome])
            results.append(outcome.value)
        if self._record is not None:
            self._record(
                {
                    "event": "round",
                    "round": self.round,
                    "dealer": _codes(dealer.cards),
                    "results": results,
                }
            )
        if self.round < self.games and not all(seat.out for seat in self.seats):
            self._deal()
            return
        self._finish()

    def _finish(self) -> None:
        self.finished = True
        for number, seat in enumerate(self.seats):
            seat.forfeits += self.games - self.round if seat.out else 0
            if not seat.out:
                self.outbox[number].append(QUIT)
        if self._record is not None:
            scores = [
                {
                    "wins": s.wins,
                    "pushes": s.pushes,
                    "losses": s.losses,
                    "busts": s.busts,
                    "forfeits": s.forfeits,
                }
                for s in self.seats
            ]
            self._record({"event": "scores", "round": self.round, "scores": scores})

    def _tell(self, number: int, action: str, card: int | None) -> None:
        if self._record is not None:
            event: dict[str, Any] = {
                "event": "act",
                "round": self.round,
                "seat": number,
                "action": action,
            }
            if card is not None:
                event["card"] = CARD_CODES[card]
            self._record(event)


def _codes(cards: Sequence[int]) -> list[str]:
    return [CARD_CODES[card] for card in cards]


def _outcome(points: int, dealer: int) -> Outcome:
    if points > 21:
        return Outcome.BUST
    if dealer > 21 or points > dealer:
        return Outcome.WIN
    return Outcome.PUSH if points == dealer else Outcome.LOSE


def _count(seat: Seat, outcome: Outcome) -> None:
    if outcome is Outcome.WIN:
        seat.wins += 1
    elif outcome is Outcome.PUSH:
        seat.pushes += 1
    elif outcome is Outcome.BUST:
        seat.busts += 1
    else:
        seat.losses += 1
