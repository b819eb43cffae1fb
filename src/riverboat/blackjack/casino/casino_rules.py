"""The terms of the casino's game, and its refusals: every wrong bid or action gets a sentence."""

from __future__ import annotations

from dataclasses import dataclass, field

from riverboat.blackjack.round import Round, value
from riverboat.blackjack.rules import PRESETS, BlackjackRules
from riverboat.errors import IllegalActionError, UsageError

__all__ = ["Casino", "affordable", "check_action", "check_bid"]

WORDS = {
    "H": "Hit",
    "S": "Stand",
    "D": "DoubleDown",
    "P": "Split",
    "I": "Insurance",
    "N": "no insurance",
    "R": "Surrender",
}


@dataclass(frozen=True)
class Casino:
    """The terms of a game."""

    rules: BlackjackRules = field(default_factory=lambda: PRESETS["combo-charlie"])
    rounds: int = 100
    points: int = 10_000
    lowest_bid: int = 10
    highest_bid: int = 100
    penetration: float = 0.5
    """The share of the shoe that is dealt before it is shuffled."""

    def __post_init__(self) -> None:
        if self.rounds < 1:
            raise UsageError(f"A casino game needs at least one round, not {self.rounds}.")
        if self.rules.decks == "infinite":
            raise UsageError("The casino deals from a shoe: set decks to 1 to 8.")
        if not 0 < self.lowest_bid <= self.highest_bid:
            raise UsageError("The bid limits must be above zero, the lower one first.")

    def least_bid(self, stack: float) -> int:
        """The lowest bid with so many points; with fewer than the limit all of them, all in."""
        return min(self.lowest_bid, int(stack))


def check_bid(casino: Casino, bid: float, stack: float) -> None:
    """Refuse a bid that the table does not take."""
    if 1 <= stack < casino.lowest_bid:
        if bid != casino.least_bid(stack):
            raise IllegalActionError(
                f"With {stack:g} points left the only bid is all of them"
                f" ({casino.least_bid(stack)}), not {bid}."
            )
        return
    if bid != int(bid) or not casino.lowest_bid <= bid <= casino.highest_bid:
        raise IllegalActionError(
            f"A bid is a whole number from {casino.lowest_bid} to {casino.highest_bid} points,"
            f" not {bid}."
        )
    if bid > stack:
        raise IllegalActionError(f"A bid of {bid} is more than the {stack:g} points left.")


def affordable(table: Round, stack: float) -> str:
    """The actions of the seat in turn that its points pay for, of those that the rules allow.

    `stack` is what the seat had when it bid.
    """
    seat = table.seats[table.turn.seat]
    hand = seat[table.turn.hand]
    left = stack - sum(each.bet for each in seat)
    left -= seat[0].bet / 2 if table.answers[table.turn.seat] == "I" else 0
    wanted = {"D": hand.bet, "P": hand.bet, "I": hand.bet / 2}
    return "".join(action for action in table.actions() if wanted.get(action, 0) <= left)


def check_action(table: Round, action: str) -> None:
    """Refuse an action that the rules do not allow here, and say why."""
    allowed = table.actions()
    if action in allowed and len(action) == 1:
        return
    word = WORDS.get(action, repr(action))
    offer = ", ".join(WORDS[letter] for letter in allowed)
    way_out = f"; possible here: {offer}." if offer else "."
    raise IllegalActionError(f"{word} is refused: {_why_not(table, action)}{way_out}")


def _why_not(table: Round, action: str) -> str:
    if action not in WORDS:
        return "there is no such action"
    wants, seat, index = table.turn
    if wants == "over":
        return "the round is over"
    if not table.dealer:
        return "the cards are not dealt yet"
    if seat < 0:
        return "the players are done and it is the dealer's turn"
    hand = table.seats[seat][index]
    cards = ",".join(hand.cards)
    if hand.doubled:
        return "a doubled hand gets exactly one card"
    if wants == "card":
        return "a card is due first"
    if action in "IN":
        shown = table.dealer[:1]
        return "insurance was answered already" if shown == "A" else f"the dealer shows {shown}"
    if not table.answers[seat] and table.offers(seat):
        return "insurance must be answered first"
    if action == "P" and len(hand.cards) == 2:
        by_rank = table.rules.split_by == "rank"
        if hand.cards[0] != hand.cards[1] and (
            by_rank or value(hand.cards[0]) != value(hand.cards[1])
        ):
            return f"{cards} are not two cards of one {'rank' if by_rank else 'value'}"
        return "the table allows no more hands"
    if action in "DP":
        return f"it needs a hand of two cards, and {cards} may not do it"
    return "the rules of this table do not allow it"
