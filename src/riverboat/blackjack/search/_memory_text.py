"""The text memory of the search bot: read, write, and say where a text goes wrong.

    memory     = simulation | rounds               turn    = [ card ] action "$" outcome { "|" outcome } "$"
    simulation = "?" bid { action } rounds         outcome = action [ "W" n ] [ "U" n ] [ "L" n ]
    rounds     = { round } [ "/" bid ]             bid     = n "B"        dealer = card
    round      = "/" bid dealer card card { turn }
    action     = "H" | "S" | "P" | "I" | "D"       card    = "2"…"9" | "T" | "J" | "Q" | "K" | "A"

A text may end in a bid: that is what the old bot held when it had bid and no card was dealt yet.
The chosen action stands before its block, a card drawn since the last turn before the action. In
the rounds of a simulation turns have no blocks. "0" is read as T. Written texts are normal: zero
counts are left out, later cards and the dealer's stand by value (J, Q, K as T), and the first two
keep their rank, since only cards of one rank may be split. Then parse∘format is the identity.
"""  # noqa: E501

from __future__ import annotations

from dataclasses import dataclass

from riverboat.cards.card import RANKS
from riverboat.errors import FileFormatError

ACTIONS = "HSPID"


@dataclass(frozen=True)
class Outcome:
    """How an action did: wins, draws and losses, weighted by the stake (a doubled win is two)."""

    action: str
    wins: int = 0
    draws: int = 0
    losses: int = 0


@dataclass(frozen=True)
class RecordedTurn:
    """A decision: the card drawn since the last one, the choice, and what was known of choices."""

    card: str  # Empty where no card was drawn
    action: str
    outcomes: tuple[Outcome, ...] = ()  # Empty inside a simulation


@dataclass(frozen=True)
class RecordedRound:
    """One round: what was bid, the cards, and the decisions."""

    bid: int
    dealer: str
    cards: tuple[str, str]
    turns: tuple[RecordedTurn, ...] = ()


@dataclass(frozen=True)
class Memory:
    """What past rounds taught."""

    rounds: tuple[RecordedRound, ...] = ()
    pending: int | None = None  # The bid of a round whose cards are not dealt yet


@dataclass(frozen=True)
class RecordedSimulation:
    """A simulation under way: its bid, the actions it has taken, the rounds it has played."""

    bid: int
    actions: tuple[str, ...] = ()
    rounds: tuple[RecordedRound, ...] = ()
    pending: int | None = None  # As in Memory


def parse_memory(text: str) -> Memory | RecordedSimulation:
    """Read a memory; FileFormatError names the position of the first wrong character."""
    reader = _Reader(text)
    if reader.peek() != "?":
        return Memory(*reader.rounds(blocks=True))
    reader.take("?", "'?'")
    bid = reader.bid()
    actions = []
    while reader.peek() in ACTIONS and reader.peek():
        actions.append(reader.take(ACTIONS, "an action"))
    return RecordedSimulation(bid, tuple(actions), *reader.rounds(blocks=False))


def format_memory(memory: Memory | RecordedSimulation) -> str:
    """The normal text of a memory."""
    rounds = "".join(map(_round_text, memory.rounds))
    if memory.pending is not None:
        rounds += f"/{memory.pending}B"
    if isinstance(memory, RecordedSimulation):
        return f"?{memory.bid}B{''.join(memory.actions)}{rounds}"
    return rounds


def _round_text(round_: RecordedRound) -> str:
    head = f"/{round_.bid}B{_by_value(round_.dealer)}{''.join(round_.cards)}"
    return head + "".join(map(_turn_text, round_.turns))


def _turn_text(turn: RecordedTurn) -> str:
    block = "|".join(map(_outcome_text, turn.outcomes))
    return f"{_by_value(turn.card)}{turn.action}{f'${block}$' if turn.outcomes else ''}"


def _outcome_text(outcome: Outcome) -> str:
    counts = (("W", outcome.wins), ("U", outcome.draws), ("L", outcome.losses))
    return outcome.action + "".join(f"{letter}{n}" for letter, n in counts if n)


def _by_value(card: str) -> str:
    return "T" if card in ("J", "Q", "K") else card


class _Reader:
    """A text and the place up to which it has been understood."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def peek(self) -> str:
        """The next character, or an empty text at the end."""
        return self.text[self.at : self.at + 1]

    def take(self, allowed: str, wanted: str) -> str:
        character = self.peek()
        if not character or character not in allowed:
            seen = f"found {character!r}" if character else "the text ends"
            raise FileFormatError(
                f"The memory is wrong at character {self.at + 1}:"
                f" {wanted} was expected, but {seen}."
            )
        self.at += 1
        return character

    def number(self) -> int:
        first = self.at
        self.take("0123456789", "a number")
        while self.peek() in "0123456789" and self.peek():
            self.at += 1
        return int(self.text[first : self.at])

    def bid(self) -> int:
        amount = self.number()
        self.take("B", "'B' after the bid")
        return amount

    def card(self) -> str:
        return self.take(RANKS + "0", "a card").replace("0", "T")

    def rounds(self, *, blocks: bool) -> tuple[tuple[RecordedRound, ...], int | None]:
        """Rounds up to the end of the text, and the bid that stands there without cards."""
        rounds: list[RecordedRound] = []
        while self.at < len(self.text):
            self.take("/", "'/' before a round")
            bid = self.bid()
            if self.at == len(self.text):
                return tuple(rounds), bid
            dealer, first, second = self.card(), self.card(), self.card()
            turns = []
            while self.peek() not in ("", "/"):
                turns.append(self._turn(blocks=blocks))
            rounds.append(RecordedRound(bid, _by_value(dealer), (first, second), tuple(turns)))
        return tuple(rounds), None

    def _turn(self, *, blocks: bool) -> RecordedTurn:
        card = "" if self.peek() in ACTIONS else _by_value(self.card())
        action = self.take(ACTIONS, "an action")
        if not blocks:
            return RecordedTurn(card, action)
        self.take("$", "'$' after the action")
        outcomes = [self._outcome()]
        while self.peek() == "|":
            self.at += 1
            outcomes.append(self._outcome())
        self.take("$", "'|' or '$' after an outcome")
        return RecordedTurn(card, action, tuple(outcomes))

    def _outcome(self) -> Outcome:
        action = self.take(ACTIONS, "an action")
        counts = {}
        for letter in "WUL":
            if self.peek() == letter:
                self.at += 1
                counts[letter] = self.number()
        return Outcome(action, counts.get("W", 0), counts.get("U", 0), counts.get("L", 0))
