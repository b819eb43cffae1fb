"""Twenty-one, the course's game: hit or stand against a dealer who has no choice.

A pack of 52 cards is shuffled before every game. The player gets a card, the dealer one face
down, the player a second, the dealer one face up. An ace counts 11 where that does not take the
hand over 21 (a soft hand) and otherwise 1, court cards count 10. The player hits or stands, also
at 21; over 21 is a bust and loses at once. Then the dealer draws up to 16 points and stands on
17 or more, soft or not. The higher points win, equal points are a push, an ace and a ten are
only 21 points. The reward is +1, 0 or −1.

Source: the final project of a course in reinforcement learning; RLCard's "blackjack" with one
player and one pack is the same game. Several players at a table do not change its value for a
player who sees their own cards and the dealer's: which cards the others take is chance.

It has no parameters. Suits carry no information, so an infoset names the values only, sorted,
then the dealer's open card: "A5|9" is an ace and a five against a nine, and a king is a T.

| what the player looks at | situations | best expected reward | best probability to win |
|---|---|---|---|
| points, up card | 180 | −0.051474357 | 0.429211070 |
| points, soft or hard, up card | 280 | −0.042806125 | 0.434356312 |
| every card, up card | 20,080 | −0.042462276 | 0.434610756 |
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from riverboat.cards.card import ACE_LOW_RANKS, SUITS
from riverboat.errors import IllegalActionError
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

DECK: tuple[str, ...] = tuple(rank + suit for rank in ACE_LOW_RANKS for suit in SUITS)
"""Cards are a rank and a suit, "As" or "Td"; a rank alone is read as a card too."""

VALUES = ACE_LOW_RANKS[:10]  # What distinguishes cards in this game, by value 1…10

HIT, STAND = "h", "s"
MAX_POINTS = 21
DEALER_STANDS = 17
_VALUE_OF = {
    card: min(number + 1, 10)
    for number, rank in enumerate(ACE_LOW_RANKS)
    for card in (rank, *(rank + s for s in SUITS))
}
"""Of cards and of ranks alone."""
_LETTER = " " + VALUES


class Result(StrEnum):
    """How a game ended for the player; a bust is a loss that needs no dealer."""

    WIN = "WIN"
    LOSE = "LOSE"
    BUST = "BUST"
    PUSH = "PUSH"


REWARDS: dict[Result, float] = {
    Result.WIN: 1.0,
    Result.LOSE: -1.0,
    Result.BUST: -1.0,
    Result.PUSH: 0.0,
}


def card_value(card: str) -> int:
    """1 for an ace, 10 for a ten or a court card."""
    value = _VALUE_OF.get(card)
    return min(ACE_LOW_RANKS.index(card[0]) + 1, 10) if value is None else value


def points(cards: Iterable[str]) -> int:
    """The best total: an ace counts 11 where the hand stays within 21."""
    try:
        values = [_VALUE_OF[card] for card in cards]
    except KeyError:
        values = [card_value(card) for card in cards]
    total = sum(values)
    return total + 10 if total <= 11 and 1 in values else total


def is_soft(cards: Sequence[str]) -> bool:
    """Whether an ace counts 11."""
    return points(cards) > sum(map(card_value, cards))


def is_bust(cards: Iterable[str]) -> bool:
    """Whether the cards count more than 21."""
    return points(cards) > MAX_POINTS


def dealer_draws(cards: Iterable[str]) -> bool:
    """Whether the dealer must take another card."""
    return points(cards) < DEALER_STANDS


def result(hand: Sequence[str], dealer: Sequence[str]) -> Result:
    """The result of a player's final hand against the dealer's."""
    mine, theirs = points(hand), points(dealer)
    if mine > MAX_POINTS:
        return Result.BUST
    if theirs > MAX_POINTS or mine > theirs:
        return Result.WIN
    return Result.PUSH if mine == theirs else Result.LOSE


def infoset_of(hand: Iterable[str], up_card: str) -> str:
    """What a player with this hand knows against this open card: `"A5|9"`."""
    values = sorted([card_value(card) for card in hand])
    return "".join([_LETTER[v] for v in values]) + "|" + _LETTER[card_value(up_card)]


@dataclass(frozen=True)
class TwentyOne(PlainGame):
    """One player against the dealer."""

    name: ClassVar[str] = "twentyone"
    title: ClassVar[str] = "Twenty-one (hit or stand, 52 cards)"
    summary: ClassVar[str] = "Hit or stand with 52 cards: what the course's Q tables learn."
    art: ClassVar[tuple[str, ...]] = ("Td", "8c", "3h")
    small: ClassVar[bool] = False
    num_players: ClassVar[int] = 1
    utility_sum: ClassVar[float | None] = None
    other_way: ClassVar[str] = (
        "Twenty-one is learned by playing: take riverboat train twentyone, or"
        " riverboat.train() in Python."
    )

    words: ClassVar[dict[Action, str]] = {HIT: "hit", STAND: "stand"}

    def start(self) -> TwentyOneState:
        return TwentyOneState(self)

    def cards_in(self, infoset: str) -> KnownCards:
        """The hand and the dealer's open card by value: aces A, tens and court cards T."""
        hand, _, up = infoset.partition("|")
        return KnownCards(tuple(hand), tuple(up))


@dataclass(frozen=True)
class TwentyOneState:
    """The player's cards, the dealer's (the first one face down), and whether the player stood."""

    game: TwentyOne
    hand: tuple[str, ...] = ()
    dealer: tuple[str, ...] = ()
    stood: bool = False
    hitting: bool = False

    @property
    def actor(self) -> int:
        if len(self.dealer) < 2 or self.hitting:
            return CHANCE
        if is_bust(self.hand):
            return TERMINAL
        if not self.stood:
            return 0
        return CHANCE if dealer_draws(self.dealer) else TERMINAL

    def actions(self) -> tuple[Action, ...]:
        return (HIT, STAND) if self.actor == 0 else ()

    def chance(self) -> tuple[tuple[Action, float], ...]:
        if self.actor != CHANCE:
            return ()
        unseen = [card for card in DECK if card not in self.hand and card not in self.dealer]
        return tuple((card, 1 / len(unseen)) for card in unseen)

    def after(self, action: Action) -> TwentyOneState:
        actor, hand, dealer = self.actor, self.hand, self.dealer
        if actor == 0 and action in (HIT, STAND):
            return TwentyOneState(self.game, hand, dealer, action == STAND, action == HIT)
        if actor != CHANCE or action not in DECK or action in hand + dealer:
            raise IllegalActionError(f"twentyone: {action!r} is not possible here.")
        if self.hitting or (len(dealer) < 2 and len(hand) == len(dealer)):
            return TwentyOneState(self.game, (*hand, action), dealer, self.stood)
        return TwentyOneState(self.game, hand, (*dealer, action), self.stood)

    def returns(self) -> tuple[float, ...]:
        return (REWARDS[self.result()],)

    def result(self) -> Result:
        """How the game ended."""
        if self.actor != TERMINAL:
            raise IllegalActionError("twentyone: the game is not over.")
        return result(self.hand, self.dealer)

    def infoset(self, player: int) -> str:
        return infoset_of(self.hand, self.dealer[1]) if len(self.dealer) > 1 else "|"

    def scene(self, sees: Sees) -> Scene:
        over = self.actor == TERMINAL
        dealer = self.dealer if over else (HIDDEN, *self.dealer[1:])[: len(self.dealer)]
        soft = "soft " if self.hand and is_soft(self.hand) else ""
        hand = "bust" if is_bust(self.hand) else f"{soft}{points(self.hand)} points"
        total = "bust" if is_bust(self.dealer) else f"{points(self.dealer)} points"
        return Scene([SeatScene(self.hand, hand)], dealer=SeatScene(dealer, total if over else ""))

    def describe(self, player: int | None) -> str:
        over = player is None or self.stood
        dealer = self.dealer if over else ("??", *self.dealer[1:])[: len(self.dealer)]
        mine = f"{points(self.hand)}{' soft' if is_soft(self.hand) else ''}"
        theirs = f" ({points(dealer)})" if over else ""
        return f"hand {' '.join(self.hand)} ({mine})   dealer {' '.join(dealer)}{theirs}"
