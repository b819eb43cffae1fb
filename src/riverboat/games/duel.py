"""The Blackjack duel: two players and a dealer, after the program "Blackjack++".

Each of the three has one given up card and one unknown down card. Cards come from an infinite
deck: 1 to 9 with probability 1/13 each, 10 with 4/13. An ace is 1, or 11 if that does not bust.
Player 0 begins; the turn passes after every action, and a player who is done is skipped. A player
stands ("s") or hits ("h") and gets a card that both players see. Done is who stood, who hit
`max_hits` times, or whose up cards add up (aces as 1) past the limit; a bust shows only at the
end. Then the dealer turns the down card and draws to 17, standing on every 17.

The best hand up to 21 takes the pot of 3 and one chip per hit; equal hands share it; if all are
bust the dealer takes it. A player's payoff is their share less their own hits, so that the two
and the dealer always share 3.

| parameter | default | meaning |
|---|---|---|
| cards | 6,6,2 | up cards of player 1, player 2 and the dealer, 1 to 10 |
| max_hits | 1 | hits a player may take, 1 to 9 |
| limit | >20 | the up cards' sum that ends a player's turn: >20 or >=20 |

A public node is a decision or an end, identified by the actions and cards that all have seen.

| up cards of the players | limit | max_hits 1 | 2 | 3 | 4 |
|---|---|---|---|---|---|
| 1,1 | >20 | 133 | 13,553 | 1,333,421 | 75,250,385 |
| 6,6 | >20 | 133 | 13,553 | 892,981 | 21,499,765 |
| 10,10 | >20 | 133 | 13,553 | 346,193 | 3,411,233 |
| 10,10 | >=20 | 133 | 11,221 | 233,773 | 1,861,861 |

Equilibrium payoffs (player 1, player 2, dealer) with max_hits 1: 6,6,2 gives 0.544146, 0.589950,
1.865904; 10,10,10 gives 0.910041, 0.910041, 1.179918.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, NamedTuple

from riverboat.errors import IllegalActionError, ParameterError
from riverboat.games.base import (
    CHANCE,
    HIDDEN,
    TERMINAL,
    Action,
    KnownCards,
    PlainGame,
    Scene,
    SeatScene,
    Sees,
)

CARDS: dict[int, float] = {card: (4 if card == 10 else 1) / 13 for card in range(1, 11)}
"""Card → its probability, the same for every draw."""

LIMITS = {">20": 21, ">=20": 20, "≥20": 20}
"""Limit → the smallest sum of up cards at which a player is done."""

STAKE = 3
BUST = 0
DEALER_STANDS = 17


def best_total(hard: int, ace: bool) -> int:
    """The total of a hand that is `hard` with aces as 1: 0 for a bust, an ace as 11 if it fits."""
    if hard > 21:
        return BUST
    return hard + 10 if ace and hard <= 11 else hard


def deal_shares(first: int, second: int, dealer: int) -> tuple[float, float, float]:
    """What part of the pot the two players and the dealer get for these totals; 0 is a bust."""
    totals = (first, second, dealer)
    best = max(totals)
    if best == BUST:
        return (0.0, 0.0, 1.0)
    winners = totals.count(best)
    return ((first == best) / winners, (second == best) / winners, (dealer == best) / winners)


class Seat(NamedTuple):
    """The public part of a player: the sum of the up cards with aces as 1, and the actions."""

    hard: int
    ace: bool
    hits: int = 0
    stood: bool = False

    def hit(self, card: int) -> Seat:
        return Seat(self.hard + card, self.ace or card == 1, self.hits + 1)

    def stand(self) -> Seat:
        return self._replace(stood=True)

    def total(self, down: int) -> int:
        """The total of the whole hand with this down card."""
        return best_total(self.hard + down, self.ace or down == 1)


@dataclass(frozen=True)
class Duel(PlainGame):
    """The rules with the up cards, the number of hits and the limit."""

    cards: tuple[int, ...] = (6, 6, 2)
    max_hits: int = 1
    limit: str = ">20"

    name: ClassVar[str] = "duel"
    title: ClassVar[str] = "The Blackjack duel"
    summary: ClassVar[str] = "Two players and a dealer draw to 21 from an endless deck."
    art: ClassVar[tuple[str, ...]] = ("6", "6", "2")
    small: ClassVar[bool] = False
    num_players: ClassVar[int] = 2
    utility_sum: ClassVar[float | None] = None
    ranges: ClassVar[dict[str, tuple[int, int]]] = {"max_hits": (1, 9)}
    labels: ClassVar[dict[str, str]] = {
        "cards": "Up cards: first, second, dealer",
        "max_hits": "Hits of each player, at most",
        "limit": "A turn ends at up cards of",
    }
    words: ClassVar[dict[Action, str]] = {"s": "stand", "h": "hit"}
    public_builder: ClassVar[str] = "riverboat.trees._duel_shapes:duel_game"

    def __post_init__(self) -> None:
        if len(self.cards) != 3:
            raise ParameterError(
                "duel: cards takes three up cards, of player 1, player 2 and the dealer,"
                f' as in "6,6,2", not {len(self.cards)}.'
            )
        for card in self.cards:
            if card not in CARDS:
                raise ParameterError(f"duel: a card must be 1 (the ace) to 10, not {card}.")
        super().__post_init__()
        if self.limit not in LIMITS:
            raise ParameterError(f"duel: limit must be >20 or >=20, not {self.limit!r}.")
        object.__setattr__(self, "limit", self.limit.replace("≥", ">="))

    @property
    def house_sum(self) -> float:
        """What the players and the dealer share; the dealer gets what the players do not."""
        return float(STAKE)

    def start(self) -> DuelState:
        return DuelState(self)

    def cards_in(self, infoset: str) -> KnownCards:
        """The down card, and the up cards of both players and the dealer."""
        down = infoset.partition("|")[0]
        return KnownCards((down,) if down else (), tuple(map(str, self.cards)))

    def seats(self) -> tuple[Seat, Seat]:
        """The players before their first action."""
        first, second, _ = self.cards
        return Seat(first, first == 1), Seat(second, second == 1)

    def is_done(self, seat: Seat) -> bool:
        return seat.stood or seat.hits >= self.max_hits or seat.hard >= LIMITS[self.limit]

    def next_player(self, seats: tuple[Seat, Seat], last: int) -> int | None:
        """Who acts after player `last`, or None when both are done."""
        other = 1 - last
        if not self.is_done(seats[other]):
            return other
        return None if self.is_done(seats[last]) else last

    def payoffs(
        self, seats: tuple[Seat, Seat], downs: tuple[int, ...], dealer: int
    ) -> tuple[float, float, float]:
        """The payoffs of both players and the dealer, whose final total is `dealer`."""
        hits = (seats[0].hits, seats[1].hits)
        pot = STAKE + sum(hits)
        first, second, rest = deal_shares(
            seats[0].total(downs[0]), seats[1].total(downs[1]), dealer
        )
        return (pot * first - hits[0], pot * second - hits[1], pot * rest)


@dataclass(frozen=True)
class DuelState:
    """The players' down cards, the public tokens ("s", "h7"; "h" awaits its card), the dealer's."""

    game: Duel
    downs: tuple[int, ...] = ()
    history: tuple[str, ...] = ()
    dealer: tuple[int, ...] = ()  # The dealer's down card and the cards drawn after it

    @cached_property
    def _scene(self) -> tuple[tuple[Seat, Seat], int | None, tuple[list[str], list[str]]]:
        """Both seats after the history, who acts next if any, and the cards each one drew."""
        seats, turn = self.game.seats(), 0
        cards: tuple[list[str], list[str]] = ([], [])
        for token in self.history:
            seat = seats[turn]
            if token == "s":
                seat = seat.stand()
            elif token != "h":
                seat = seat.hit(int(token[1:]))
                cards[turn].append(token[1:])
            seats = (seat, seats[1]) if turn == 0 else (seats[0], seat)
            following = self.game.next_player(seats, turn)
            if following is None:
                return seats, None, cards
            turn = following
        return seats, turn, cards

    @property
    def seats(self) -> tuple[Seat, Seat]:
        return self._scene[0]

    @cached_property
    def dealer_total(self) -> int:
        up = self.game.cards[2]
        return best_total(up + sum(self.dealer), 1 in (up, *self.dealer))

    @cached_property
    def actor(self) -> int:
        if len(self.downs) < 2 or self.history[-1:] == ("h",):
            return CHANCE
        turn = self._scene[1]
        if turn is not None:
            return turn
        waits = not self.dealer or 0 < self.dealer_total < DEALER_STANDS
        return CHANCE if waits else TERMINAL

    def actions(self) -> tuple[Action, ...]:
        return ("s", "h") if self.actor >= 0 else ()

    def chance(self) -> tuple[tuple[Action, float], ...]:
        if self.actor != CHANCE:
            return ()
        return tuple((str(card), probability) for card, probability in CARDS.items())

    def after(self, action: Action) -> DuelState:
        if self.actor >= 0 and action in ("s", "h"):
            return replace(self, history=(*self.history, action))
        if self.actor != CHANCE or action not in map(str, CARDS):
            raise IllegalActionError(f"duel: {action!r} is not possible here.")
        if len(self.downs) < 2:
            return replace(self, downs=(*self.downs, int(action)))
        if self.history[-1:] == ("h",):
            return replace(self, history=(*self.history[:-1], f"h{action}"))
        return replace(self, dealer=(*self.dealer, int(action)))

    def payoffs(self) -> tuple[float, float, float]:
        """The payoffs of both players and the dealer; they add up to 3."""
        if self.actor != TERMINAL:
            raise IllegalActionError("duel: the play is not over.")
        return self.game.payoffs(self.seats, self.downs, self.dealer_total)

    def returns(self) -> tuple[float, ...]:
        return self.payoffs()[:2]

    def infoset(self, player: int) -> str:
        down = str(self.downs[player]) if player < len(self.downs) else ""
        return f"{down}|{','.join(self.history)}"

    def scene(self, sees: Sees) -> Scene:
        over = self.actor == TERMINAL
        seats = []
        for p in range(2):
            down = self.downs[p] if p < len(self.downs) else 0
            drawn = [_face(card) for card in (self.game.cards[p], *map(int, self._scene[2][p]))]
            known = bool(down) and (sees(p) or over)
            points = _points_text(self.seats[p].total(down)) if known else ""
            stood = " · stands" if self.seats[p].stood else ""
            cards = (_face(down) if known else HIDDEN, *drawn)
            seats.append(SeatScene(cards, points + stood))
        dealt = [_face(card) for card in self.dealer] if over else []
        dealer = ((dealt[:1] or [HIDDEN])[0], _face(self.game.cards[2]), *dealt[1:])
        points = _points_text(self.dealer_total) if over else ""
        pot = STAKE + sum(seat.hits for seat in self.seats)
        return Scene(seats, dealer=SeatScene(dealer, points), note=f"pot {pot}")

    def describe(self, player: int | None) -> str:
        over = self.actor == TERMINAL
        parts = []
        for seat in range(2):
            known = seat < len(self.downs) and (over or player in (None, seat))
            down = str(self.downs[seat]) if known else "?"
            shown = " ".join([str(self.game.cards[seat]), *self._scene[2][seat]])
            total = _total_text(self.seats[seat].total(self.downs[seat])) if known else ""
            parts.append(f"player {seat + 1} [{down}] {shown}{total}")
        down = str(self.dealer[0]) if self.dealer else "?"
        shown = " ".join(map(str, (self.game.cards[2], *self.dealer[1:])))
        parts.append(f"dealer [{down}] {shown}{_total_text(self.dealer_total) if over else ''}")
        pot = STAKE + sum(seat.hits for seat in self.seats)
        return f"{'   '.join(parts)}   pot {pot}"


def _face(number: int) -> str:
    return {1: "A", 10: "T"}.get(number, str(number))


def _points_text(total: int) -> str:
    return "bust" if total == BUST else f"{total} points"


def _total_text(total: int) -> str:
    return " = bust" if total == BUST else f" = {total}"
