"""Casino blackjack: one round at a table, for any number of seats and any rules.

Each seat bets and gets two cards; the dealer shows one. A seat in turn hits, stands, doubles its
bet for exactly one more card, splits a pair into two hands with a bet each, or surrenders half.
Over 21 loses at once. Then the dealer draws to 17. The higher hand wins; a two-card 21 (a
natural) beats every other 21 and pays more. The options are those of BlackjackRules.

Cards are ranks, "A23456789TJQK". A Round is driven from outside: `turn` says whether it wants a
card (and for whom) or a decision (and whose), `deal` and `act` give the round that follows.
Order of the cards: one to each seat, the dealer's up card, a second to each seat, the dealer's
hole card (at once with hole_card=peek, after the players with enhc); then hand by hand, where a
split hand gets its second card when its turn comes; then the dealer's draws.

| action | letter | when |
|---|---|---|
| stand, hit | S, H | always |
| double | D | first decision of a hand of two cards |
| split | P | two cards of a kind, while there are fewer hands than allowed |
| surrender | R | first decision of the seat; early against A and ten before the peek |
| insure, no | I, N | dealer's ace up, before the peek |

Settled without a decision: naturals, 21 (but not a soft one that could become a Charlie), split
aces that may not be hit, Charlies, doubled hands. Several seats and a shoe with a cut card are
here for the table; the registered game is one seat and a fresh shoe, value against the dealer.

| parameter | default | meaning |
|---|---|---|
| rules | vegas-6d-s17 | a preset of rules.py |
| changes | | options that differ, as "h17=true,decks=2" |
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import ClassVar, NamedTuple, Self

from riverboat.blackjack.rules import (
    ACTIONS,
    PRESETS,
    RANKS,
    BlackjackRules,
    Shoe,
    is_natural,
    points,
    rules_from,
    value,
)
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

DEALER = -1  # The dealer's place in a Turn
LABELS = {**ACTIONS, "I": "insure", "N": "no insurance"}


@dataclass(frozen=True)
class Hand:
    """One hand of a seat and the money on it."""

    cards: str = ""
    bet: float = 1.0
    owed: bool = False
    """The next card is for this hand: it hit, doubled, or was split and waits for a second card."""
    split: bool = False  # Came from a split
    doubled: bool = False
    stood: bool = False
    surrendered: bool = False


class Turn(NamedTuple):
    """What a round wants next: a "card", an "action", or nothing ("over")."""

    wants: str
    seat: int = DEALER
    hand: int = 0


@dataclass(frozen=True)
class Round:
    """A round at any point. Start with Round.open, then follow `turn`."""

    rules: BlackjackRules
    seats: tuple[tuple[Hand, ...], ...]
    dealer: str = ""  # The up card, the hole card, the draws
    answers: tuple[str, ...] = ()
    """What each seat said before the peek: I, N, R, or "" where nothing was asked yet."""

    @classmethod
    def open(cls, rules: BlackjackRules, bets: Sequence[float] = (1.0,)) -> Round:
        """A round in which each seat has bet and nothing is dealt."""
        if not bets or min(bets) <= 0:
            raise ParameterError("bets: a round needs at least one seat and bets above zero.")
        return cls(rules, tuple((Hand(bet=bet),) for bet in bets), "", ("",) * len(bets))

    @cached_property
    def turn(self) -> Turn:
        """Who is to get a card or to decide."""
        peek = self.rules.hole_card == "peek"
        for size in (1, 2):
            for seat, hands in enumerate(self.seats):
                if len(hands) == 1 and len(hands[0].cards) < size:
                    return Turn("card", seat)
            if len(self.dealer) < size and (size == 1 or peek):
                return Turn("card")
        for seat, answer in enumerate(self.answers):
            if not answer and self.offers(seat):
                return Turn("action", seat)
        if peek and is_natural(self.dealer):
            return Turn("over")
        for seat, hands in enumerate(self.seats):
            for index, hand in enumerate(hands):
                if hand.owed:
                    return Turn("card", seat, index)
                if self.options(seat, index):
                    return Turn("action", seat, index)
        return Turn("card") if len(self.dealer) < 2 or self._dealer_draws() else Turn("over")

    def _dealer_draws(self) -> bool:
        total, soft = points(self.dealer)
        if total > 17 or (total == 17 and not (soft and self.rules.h17)):
            return False
        return any(
            not (hand.surrendered or points(hand.cards)[0] > 21 or self.natural(hand))
            for hands in self.seats
            for hand in hands
        )

    def natural(self, hand: Hand) -> bool:
        """Whether the hand counts as a natural: after a split only with the Combo rule."""
        return is_natural(hand.cards) and (self.rules.combo or not hand.split)

    def offers(self, seat: int) -> str:
        """The answers open to a seat before the dealer looks at the hole card."""
        rules, up = self.rules, self.dealer[0]
        insurance = rules.insurance and up == "A"
        early = rules.surrender == "early" and rules.hole_card == "peek" and value(up) in (1, 10)
        early = early and not self.natural(self.seats[seat][0])
        return "I" * insurance + "R" * early + "N" * (insurance or early)

    def options(self, seat: int, index: int) -> str:
        """The actions open to a hand, in the order S H D P R; "" for a hand that is settled."""
        rules, hands = self.rules, self.seats[seat]
        hand = hands[index]
        total, soft = points(hand.cards)
        size = len(hand.cards)
        charlie = bool(rules.charlie)
        if hand.stood or hand.surrendered or hand.doubled or total > 21 or self.natural(hand):
            return ""
        if (charlie and size >= rules.charlie) or (total == 21 and not (charlie and soft)):
            return ""
        split = size == 2 and self._can_split(hands, hand)
        if hand.split and hand.cards[0] == "A" and not rules.hit_split_aces:
            return "SP" if split else ""
        double = size == 2 and (rules.das or not hand.split) and rules.can_double(total, soft)
        surrender = size == 2 and not hand.split and rules.surrender != "none"
        return "SH" + "D" * double + "P" * split + "R" * (surrender and not self._asked(seat))

    def _asked(self, seat: int) -> bool:
        """Whether the seat could have surrendered before the peek."""
        return "R" in self.offers(seat)

    def _can_split(self, hands: tuple[Hand, ...], hand: Hand) -> bool:
        first, second = hand.cards[0], hand.cards[1]
        same = first == second if self.rules.split_by == "rank" else value(first) == value(second)
        limit = self.rules.split_limit(ace=first == "A")
        return same and (limit == 0 or len(hands) < limit)

    def actions(self) -> str:
        """The letters open to the seat that decides; "" where no decision is wanted."""
        wants, seat, index = self.turn
        if wants != "action":
            return ""
        return (not self.answers[seat] and self.offers(seat)) or self.options(seat, index)

    def affordable(self, stack: float) -> str:
        """The actions open to the seat in turn that its money pays for.

        `stack` is what the seat had when it bet.
        """
        _, seat, index = self.turn
        hands = self.seats[seat]
        money = stack - sum(hand.bet for hand in hands)
        money -= self._insurance(seat) if self.answers[seat] == "I" else 0
        bet = hands[index].bet
        wanted = {"D": bet, "P": bet, "I": bet / 2}
        return "".join(action for action in self.actions() if wanted.get(action, 0) <= money)

    def _insurance(self, seat: int) -> float:
        """What insurance costs a seat: half of its first bet."""
        first = self.seats[seat][0]
        return first.bet / (2 if first.doubled else 1) / 2

    def deal(self, card: str) -> Round:
        """The round after the card that was wanted."""
        wants, seat, index = self.turn
        if wants != "card" or len(card) != 1 or card not in RANKS:
            raise IllegalActionError(f"blackjack: the card {card!r} cannot be dealt here.")
        if seat == DEALER:
            return replace(self, dealer=self.dealer + card)
        hand = self.seats[seat][index]
        return self._with(replace(hand, cards=hand.cards + card, owed=False))

    def act(self, action: str) -> Round:
        """The round after the decision that was wanted."""
        if len(action) != 1 or action not in self.actions():
            raise IllegalActionError(
                f"blackjack: {action!r} is not possible here"
                f" (possible: {', '.join(self.actions()) or 'nothing'})."
            )
        _, seat, index = self.turn
        hand = self.seats[seat][index]
        if not self.answers[seat] and self.offers(seat):
            answers = (*self.answers[:seat], action, *self.answers[seat + 1 :])
            after = self._with(replace(hand, surrendered=action == "R"))
            return replace(after, answers=answers)
        if action == "P":
            return self._with(
                *(replace(hand, cards=card, owed=True, split=True) for card in hand.cards)
            )
        doubled = action == "D"
        return self._with(
            replace(
                hand,
                bet=hand.bet * (1 + doubled),
                owed=action in "HD",
                doubled=doubled,
                stood=action == "S",
                surrendered=action == "R",
            )
        )

    def _with(self, *hands: Hand) -> Round:
        """The round with the hand in turn replaced by `hands`."""
        _, seat, index = self.turn
        own = self.seats[seat]
        own = (*own[:index], *hands, *own[index + 1 :])
        return replace(self, seats=(*self.seats[:seat], own, *self.seats[seat + 1 :]))

    def payoffs(self) -> tuple[float, ...]:
        """What each seat has won or lost, insurance included, once the round is over."""
        if self.turn.wants != "over":
            raise IllegalActionError("blackjack: the round is not over.")
        natural = is_natural(self.dealer)
        totals = []
        for seat, (hands, answer) in enumerate(zip(self.seats, self.answers, strict=True)):
            stake = self._insurance(seat)
            insurance = (2 * stake if natural else -stake) if answer == "I" else 0.0
            totals.append(insurance + sum(self._settle(hand) for hand in hands))
        return tuple(totals)

    def _settle(self, hand: Hand) -> float:
        rules = self.rules
        natural = is_natural(self.dealer)
        if hand.surrendered:
            return -hand.bet if natural and rules.surrender == "late" else -hand.bet / 2
        if points(hand.cards)[0] > 21:
            return -hand.bet
        mine, dealers = self._rank(hand), self._dealer_rank()
        if mine == dealers:
            return 0.0
        if mine < dealers:
            return -hand.bet
        return hand.bet * (rules.bj_pays if self.natural(hand) else 1)

    def _rank(self, hand: Hand) -> int:
        """A hand that has not bust as a number to compare: points, Charlie 22, natural 23."""
        if self.natural(hand):
            return 23
        charlie = self.rules.charlie and len(hand.cards) >= self.rules.charlie
        return 22 if charlie else points(hand.cards)[0]

    def _dealer_rank(self) -> int:
        total = points(self.dealer)[0]
        if is_natural(self.dealer):
            return 23
        if total > 21:
            return 0
        charlie = self.rules.dealer_charlie and len(self.dealer) == self.rules.charlie
        return 22 if charlie else total


def play_round(
    rules: BlackjackRules, shoe: Shoe, bets: Sequence[float], decide: Callable[[Round], str]
) -> tuple[Round, Shoe]:
    """A whole round from a shoe; `decide` answers each decision of each seat."""
    table = Round.open(rules, bets)
    while table.turn.wants != "over":
        if table.turn.wants == "card":
            card, shoe = shoe.draw()
            table = table.deal(card)
        else:
            table = table.act(decide(table))
    return table, shoe


@dataclass(frozen=True)
class Blackjack(PlainGame):
    """One seat against the dealer with a fresh shoe: a decision problem for one player."""

    rules: str = "vegas-6d-s17"
    changes: str = ""

    name: ClassVar[str] = "blackjack"
    title: ClassVar[str] = "Casino blackjack, one seat against the dealer"
    summary: ClassVar[str] = "The casino's game, any rules: shoe, splits, insurance, the count."
    art: ClassVar[tuple[str, ...]] = ("As", "Jh")
    small: ClassVar[bool] = False
    num_players: ClassVar[int] = 1
    utility_sum: ClassVar[float | None] = None
    words: ClassVar[dict[Action, str]] = LABELS
    other_way: ClassVar[str] = (
        "Blackjack is solved exactly by its own engine: take riverboat blackjack ev, or"
        " riverboat.blackjack() in Python."
    )

    @classmethod
    def of(cls, rules: BlackjackRules) -> Blackjack:
        """The game at a table, whatever its rules: a preset by name, or one with changes."""
        usual = BlackjackRules()
        preset = next((name for name, known in PRESETS.items() if known == rules), "vegas-6d-s17")
        if PRESETS[preset] == rules:
            return cls(preset)
        options = asdict(rules).items()
        changes = (f"{name}={value}" for name, value in options if getattr(usual, name) != value)
        return cls(preset, ",".join(changes))

    def __post_init__(self) -> None:
        self.table  # noqa: B018  refuse bad rules at once

    @cached_property
    def table(self) -> BlackjackRules:
        return rules_from(self.rules, [c for c in self.changes.split(",") if c.strip()])

    def start(self) -> BlackjackState:
        return BlackjackState(self, Round.open(self.table))

    def cards_in(self, infoset: str) -> KnownCards:
        """The hand in turn and the dealer's up card, tens and court cards as T."""
        hands, up, _ = infoset.split("|")
        shown = hands.split(" ")
        mine = next((hand for hand in shown if hand.startswith(">")), shown[0])
        return KnownCards(tuple(mine.strip(">+")), tuple(up))


@dataclass(frozen=True)
class BlackjackState:
    """A round in which chance deals. Chance's actions are ranks, the player's are letters."""

    game: Blackjack
    round: Round

    @property
    def actor(self) -> int:
        return {"card": CHANCE, "action": 0, "over": TERMINAL}[self.round.turn.wants]

    def actions(self) -> tuple[Action, ...]:
        return tuple(self.round.actions())

    def chance(self) -> tuple[tuple[Action, float], ...]:
        if self.actor != CHANCE:
            return ()
        seen = self.round.dealer + "".join(hand.cards for hand in self.round.seats[0])
        decks = self.game.table.decks
        counts = [4 * decks - seen.count(rank) if decks != "infinite" else 1 for rank in RANKS]
        return tuple((rank, n / sum(counts)) for rank, n in zip(RANKS, counts, strict=True) if n)

    def after(self, action: Action) -> Self:
        if self.actor == CHANCE and any(action == card for card, _ in self.chance()):
            return replace(self, round=self.round.deal(action))
        return replace(self, round=self.round.act(action))

    def returns(self) -> tuple[float, ...]:
        return self.round.payoffs()

    def infoset(self, player: int) -> str:
        """Own hands (the one in turn marked by >), the up card and the answer before the peek."""
        return f"{self._hands()}|{self.round.dealer[:1]}|{self.round.answers[0]}"

    def _hands(self) -> str:
        wants, seat, index = self.round.turn
        return " ".join(
            ">" * (wants != "over" and (seat, index) == (0, i)) + hand.cards + "+" * hand.doubled
            for i, hand in enumerate(self.round.seats[0])
        )

    def scene(self, sees: Sees) -> Scene:
        """The hand in turn first; after a split each further hand has a seat of its own."""
        hands, turn = self.round.seats[0], self.round.turn
        first = turn.hand if turn.wants == "action" else 0
        order = [first, *(index for index in range(len(hands)) if index != first)]
        over, dealer = self.actor == TERMINAL, tuple(self.round.dealer)
        shown = dealer if over else dealer[:1] + (HIDDEN,) * (len(dealer) - 1)
        total = points(self.round.dealer)[0]
        note = "bust" if total > 21 else f"{total} points"
        return Scene(
            [self._seat(index) for index in order],
            dealer=SeatScene(shown, note if over else ""),
            note={"I": "insured", "N": "not insured"}.get(self.round.answers[0], "")
            if self.game.table.insurance and dealer[:1] == ("A",)
            else "",
        )

    def _seat(self, index: int) -> SeatScene:
        hands = self.round.seats[0]
        hand = hands[index]
        total, soft = points(hand.cards)
        words = f"{'soft ' if soft else ''}{total} points"
        if self.round.natural(hand):
            words = "blackjack"
        elif hand.surrendered or total > 21:
            words = "surrendered" if hand.surrendered else "bust"
        title = f"hand {index + 1}" if len(hands) > 1 else ""
        return SeatScene(tuple(hand.cards), f"{words}, bet {hand.bet:g}", title=title)

    def describe(self, player: int | None) -> str:
        hidden = player is not None and self.actor != TERMINAL
        dealer = self.round.dealer[:1] + "?" * (hidden and len(self.round.dealer) > 1)
        return f"dealer [{dealer if hidden else self.round.dealer}]   you [{self._hands()}]"
