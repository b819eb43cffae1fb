"""Exact blackjack: the value of every action for every hand, from any shoe, under any rules.

    analyse(rules).ev                                  a round from a fresh shoe
    analyse(rules, shoe).action_values("T,6", "9")     a counter's question about the real shoe
    analyse(rules).hand("T,6", "9").explain()          the answer with its reasons

A hand is its composition. A hard total ("16") is the mean of its two-card hands, each as often as
it is dealt; a soft total ("soft 18") is an ace and one card. Backwards over all compositions,
`stand` comes from the dealer's outcome probabilities given every card seen (one sweep over the
dealer's hands prices all of the player's at once), `hit` and `double` from the hands one card on;
splits are priced by _engine.py. The strategy after a split goes by the names of the
literature:

- CDZ-: that of the same hand before a split ("zero memory"); the default;
- CDP1: optimised once, for a hand of the first split, and kept for resplits;
- CDP: optimised for each number of pair cards gone.

Values are per unit bet. Where the dealer peeks, action values are conditional on there being no
natural.
A `shoe` is ten counts A, 2, …, 9, T of the cards not seen before the round: it includes the hand
and the up card asked about. Thirteen counts distinguish T, J, Q and K, for split_by=rank; with ten
they are taken as equally many. Cost: about 0.06 s for six decks with resplits, a tenth of that for
one up card.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from riverboat.blackjack.charts import UPS, BlackjackStrategy
from riverboat.blackjack.exact._engine import CONVENTIONS, Column, Engine
from riverboat.blackjack.exact.hand_tables import hand_table
from riverboat.blackjack.exact.splits import pair_cards_left, pairs_by_rank
from riverboat.blackjack.rules import (
    ACTIONS,
    RANKS,
    BlackjackRules,
    is_natural,
    parse_cards,
    parse_total,
    parse_up_card,
    points,
    value,
)
from riverboat.drawing.html import html_table
from riverboat.errors import ParameterError

REASONS = {
    "stand": "So the total is worth more than what one more card would bring.",
    "hit": "So one more card is worth its risk.",
    "double": "So one card wins often enough to want twice the money on it.",
    "split": "So two hands with one of these cards each are worth more than both together.",
    "surrender": "So every way to play on loses more than half the bet.",
}
FEWEST_CARDS = 20  # A smaller shoe could run out within a round


@dataclass(frozen=True, repr=False)
class HandAnswer:
    """A hand against an up card, answered."""

    rules: BlackjackRules
    cards: str  # Empty where a hard total was asked about
    up: str
    hands: int  # How many hands the seat plays
    values: dict[str, float]  # Action → value per unit bet, best first
    reasons: tuple[str, ...]  # Why the best one is best, in sentences
    convention: str
    total: int = 0  # The hard total that was asked about, or 0
    by_cards: dict[str, dict[str, float]] = field(default_factory=dict)
    """For a hard total: its two-card hands, most frequent first → the values of each."""

    @property
    def name(self) -> str:
        """The hand in words: "T,6", or "hard 16"."""
        return f"hard {self.total}" if self.total else ",".join(self.cards)

    @property
    def best(self) -> str:
        """The best action's name."""
        return next(iter(self.values))

    def explain(self) -> str:
        """The reasons as one text."""
        return " ".join(self.reasons)

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "hand": self.name,
            "up": self.up,
            "hands": self.hands,
            "actions": self.values,
            "best": self.best,
            "reasons": list(self.reasons),
            "rules": dataclasses.asdict(self.rules),
            "convention": self.convention,
            **({"by_cards": self.by_cards} if self.by_cards else {}),
        }

    def __repr__(self) -> str:
        values = ", ".join(f"{action} {ev:+z.4f}" for action, ev in self.values.items())
        return f"HandAnswer({self.name} against {self.up}: {values})"

    def _repr_html_(self) -> str:
        best = self.values[self.best]
        rows = [
            (action, f"{ev:+z.6f}", "" if action == self.best else f"{ev - best:+z.6f}")
            for action, ev in self.values.items()
        ]
        title = f"{self.name} against {self.up}: {self.best}"
        return html_table(("action", "value", "behind"), rows, title=title, note=self.explain())


@dataclass(frozen=True)
class HandFacts:
    """What speaks for and against the actions of a hand."""

    total: int
    natural: bool
    up: str
    values: dict[str, float]
    dealer_busts: float
    dealer_better: float  # How often the dealer ends with more than the hand has
    no_blackjack: bool  # Whether both are given that the dealer has no blackjack
    hit_busts: float


def reasons_for(facts: HandFacts) -> list[str]:
    """Why the best action is best, in words."""
    if facts.natural:
        return ["A two-card 21 is settled as it is."]
    total = facts.total
    given = " without a blackjack" if facts.no_blackjack else ""
    said = [
        f"Showing {facts.up}, the dealer busts {100 * facts.dealer_busts:.1f} % of the time{given}"
        f" and beats {total} in {100 * facts.dealer_better:.1f} %."
    ]
    if total < 17:
        said.append(f"Standing on {total} wins only when the dealer busts.")
    bust = facts.hit_busts
    said.append(f"A hit busts {100 * bust:.1f} % of the time." if bust else "A hit cannot bust.")
    best, *others = facts.values
    lost = [facts.values[action] for action in ("hit", "stand") if action in facts.values]
    if best == "hit" and len(lost) == 2 and max(lost) < 0:
        said.append(f"Both lose; hitting loses {'slightly ' * (lost[0] - lost[1] < 0.05)}less.")
    else:
        said.append(REASONS[best])
    if others:
        gain = facts.values[best] - facts.values[others[0]]
        said.append(f"{best.capitalize()} beats {others[0]} by {gain:.4f} bets.")
    return said


def fresh_shoe(decks: int) -> tuple[int, ...]:
    """The ten counts of that many packs."""
    return (4 * decks,) * 9 + (16 * decks,)


def checked_shoe(shoe: Sequence[int]) -> tuple[int, ...]:
    """Ten or thirteen counts that a round can be dealt from."""
    counts = tuple(int(n) for n in shoe)
    if len(counts) not in (10, 13) or min(counts) < 0:
        raise ParameterError(
            "shoe must be ten whole numbers, how many A, 2, …, 9, T are left (or thirteen, with T,"
            " J, Q, K apart)."
        )
    if sum(counts) < FEWEST_CARDS:
        raise ParameterError(
            f"shoe must hold at least {FEWEST_CARDS} cards, since a round may need them,"
            f" not {sum(counts)}."
        )
    return counts


def shoe_without(
    rules: BlackjackRules, seen: str, *, tens_apart: bool = False
) -> tuple[int, ...] | None:
    """The counts of a table's shoe less the cards seen, "5,5,T"; None where none was seen.

    Ten counts, or thirteen where T, J, Q and K are distinguished.
    """
    if not seen:
        return None
    if rules.decks == "infinite":
        raise ParameterError("Cards can only be seen out of a finite shoe: set decks to 1 to 8.")
    shoe = [4 * rules.decks] * 13 if tens_apart else list(fresh_shoe(rules.decks))
    for card in parse_cards(seen):
        shoe[RANKS.index(card) if tens_apart else value(card) - 1] -= 1
    if min(shoe) < 0:
        raise ParameterError(f"There are more cards of a rank than {rules.decks} decks hold.")
    return tuple(shoe)


def analyse(
    rules: BlackjackRules,
    shoe: Sequence[int] | None = None,
    convention: str = "CDZ-",
    strategy: BlackjackStrategy | None = None,
    *,
    compiled: bool = True,
) -> Analysis:
    """The analysis of a table: of the best strategy, or of the one given.

    Without `compiled` it is worked out by NumPy alone: slower, but a program that asks about one
    hand and ends is done before the compiler would have started.
    """
    if convention not in CONVENTIONS:
        raise ParameterError(
            f"convention must be one of {', '.join(CONVENTIONS)}, not {convention!r}."
        )
    counts = None if shoe is None else checked_shoe(shoe)
    if counts is None and rules.decks != "infinite":
        counts = fresh_shoe(rules.decks)
    return Analysis(Engine(rules, counts, convention, strategy, compiled))


@dataclass(frozen=True, eq=False, repr=False)
class Analysis:
    """The values of a table; made by `analyse`, computed as they are asked for."""

    engine: Engine

    def __repr__(self) -> str:
        return f"Analysis({self.rules.summary})"

    def _repr_html_(self) -> str:
        rows = [(up, f"{100 * ev:+z.4f} %") for up, ev in self.ev_by_up.items()]
        title = f"A round is worth {100 * self.ev:+z.6f} % of the bet ({self.engine.convention})"
        return html_table(("up card", "worth"), rows, title=title, note=self.rules.summary)

    def as_dict(self) -> dict[str, Any]:
        """The table and what a round is worth, as plain data."""
        return {
            "rules": dataclasses.asdict(self.rules),
            "ev": self.ev,
            "ev_by_up": self.ev_by_up,
            "convention": self.engine.convention,
        }

    @property
    def rules(self) -> BlackjackRules:
        return self.engine.rules

    @cached_property
    def ev(self) -> float:
        """The expected result of a round per unit bet, insurance never taken."""
        counts = self.engine.counts
        by_up = self.ev_by_up
        return float(sum(counts[UPS.index(up)] * by_up[up] for up in by_up) / counts.sum())

    @cached_property
    def ev_by_up(self) -> dict[str, float]:
        """The same given the dealer's up card; cards that are not in the shoe are left out."""
        return {up: self.up_value(up) for i, up in enumerate(UPS) if self.engine.counts[i]}

    @cached_property
    def _up_values(self) -> dict[int, float]:
        return {}

    def up_value(self, up: str) -> float:
        """The same for one up card, without computing the others."""
        number = _up_card(up)
        if number not in self._up_values:
            self._up_values[number] = sum(
                p * self.round_value(hand, number, pair_left)
                for p, hand, pair_left in self.deals(number)
            )
        return self._up_values[number]

    def deals(self, up: int) -> list[tuple[float, int, float | None]]:
        """The player's first hands: probability, number, and for a pair the cards that pair."""
        cards_left, unit = self.engine.column(up).base, self.engine.unit
        total = float(cards_left.sum())
        deals: list[tuple[float, int, float | None]] = []
        for first in range(10):
            for second in range(first, 10):
                ways = float(cards_left[first] * (cards_left[second] - unit * (first == second)))
                p = ways / (total * (total - unit)) * (1 + (first != second))
                if p <= 0:
                    continue
                hand, unpaired = hand_table().number((first, second)), 1.0
                if first == second:
                    pairs = self.engine.pairs(up, first)
                    deals += [(p * share, hand, more) for share, more in pairs]
                    unpaired -= sum(share for share, _ in pairs)
                if unpaired > 1e-12:
                    deals.append((p * unpaired, hand, None))
        return deals

    def round_value(self, hand: int, up: int, pair_left: float | None) -> float:
        """The value of the round given hand and up card, a dealer's natural included."""
        if self.is_natural(hand):
            return self.rules.bj_pays * (1 - self.engine.natural_probability(hand, up))
        values = self.first_values(hand, up, pair_left)
        if self.engine.strategy is None:
            return max(values.values())
        counts = tuple(hand_table().counts[hand].tolist())
        return values[self.engine.strategy.choose(counts, up, "".join(values))]

    def first_values(
        self, hand: int, up: int, pair_left: float | None, hands: int = 1
    ) -> dict[str, float]:
        """Letter → value of the round for each decision on a hand of two cards.

        `pair_left`: for a pair, how many more cards would pair with it; `hands`: how many hands
        the seat has, above 1 after a split.
        """
        engine, rules = self.engine, self.rules
        column = engine.column(up)
        natural = engine.natural_probability(hand, up)
        lost = self._lost(natural)
        values = {"S": column.stand[hand] - lost, "H": column.hit[hand] - lost}
        if engine.hands.doublable[hand] and (hands == 1 or rules.das):
            values["D"] = column.double[hand] - lost
        if pair_left is not None:
            split = engine.split_value(
                up, int(hand_table().counts[hand].argmax()), pair_left, hands
            )
            if split is not None:
                values["P"] = split - lost
        if hands == 1 and rules.surrender != "none":
            values["R"] = -0.5 - (natural / 2 if rules.surrender == "late" else 0.0)
        return {letter: float(v) for letter, v in values.items()}

    def without(self, cards: str) -> Analysis:
        """The same table once these cards have been seen too, and cannot come any more."""
        engine, seen = self.engine, "".join(sorted(parse_cards(cards) if cards else ""))
        if not seen or engine.shoe is None:
            return self
        if seen not in self._without:
            counts = list(engine.shoe)
            for card in seen:
                counts[RANKS.index(card) if len(counts) == len(RANKS) else value(card) - 1] -= 1
            self._without[seen] = analyse(
                self.rules, counts, engine.convention, engine.strategy, compiled=engine.compiled
            )
        return self._without[seen]

    @cached_property
    def _without(self) -> dict[str, Analysis]:
        return {}

    def action_values(
        self, hand: str, up: str, *, hands: int = 1, others: str = ""
    ) -> dict[str, float]:
        """Action → value for a hand such as "T,6" against an up card, best first.

        A hard total, "16", is the mean of its two-card hands as often as each is dealt; pairs are
        left out where there are other hands, and never split.

        Where the dealer peeks, values are conditional on there being no natural; where early
        surrender is still open, they are those before the peek.

        With `hands` above one the hand came from a split of its first card and cannot be
        surrendered. `others` are the cards of the seat's other hands, which have left the shoe.
        """
        if others:
            return self.without(others).action_values(hand, up, hands=hands)
        total = parse_total(hand)
        if total is not None and not total[1]:
            return self._total_values(total[0], up, hands)[0]
        cards, upcard = _hand_cards(hand), _up_card(up)
        number, column = self._seen(cards, upcard)
        self._check_hands(cards, hands)
        lost = self._lost(self.engine.natural_probability(number, upcard))
        if len(cards) == 2:
            values = self.first_values(
                number, upcard, self._pair_left(cards, parse_up_card(up)), hands
            )
            values = self._without_choice(values, cards, number, upcard, hands)
        else:
            values = {"S": float(column.stand[number]) - lost}
            if not self.engine.hands.final[number]:
                values["H"] = float(column.hit[number]) - lost
        if lost < 1 and not (self.rules.surrender == "early" and "R" in values):
            values = {letter: (v + lost) / (1 - lost) for letter, v in values.items()}
        best_first = sorted(values, key=lambda letter: -values[letter])
        return {ACTIONS[letter]: values[letter] for letter in best_first}

    def hand(self, cards: str, up: str, *, hands: int = 1, others: str = "") -> HandAnswer:
        """The value of each action with a hand, best first, and why; see action_values."""
        if others:
            return self.without(others).hand(cards, up, hands=hands)
        total, convention = parse_total(cards), self.engine.convention
        if total is not None and not total[1]:
            values, shares = self._total_values(total[0], up, hands)
            shown = parse_up_card(up)
            facts = [(share, self._facts(held, shown, values)) for held, share in shares.items()]
            reasons = tuple(reasons_for(_mean_facts(facts)))
            by_cards = {",".join(held): self._pair_not_split(held, up) for held in shares}
            return HandAnswer(
                self.rules, "", shown, hands, values, reasons, convention, total[0], by_cards
            )
        values = self.action_values(cards, up, hands=hands)
        mine, shown = _hand_cards(cards), parse_up_card(up)
        reasons = tuple(reasons_for(self._facts(mine, shown, values)))
        return HandAnswer(self.rules, mine, shown, hands, values, reasons, convention)

    def _total_values(
        self, total: int, up: str, hands: int
    ) -> tuple[dict[str, float], dict[str, float]]:
        """The mean value of each action with a hard total, and its two-card hands → their shares.

        A share is the probability of the hand given the total, the up card and, where the values
        are those after a peek, no natural of the dealer.
        """
        if total == 21:
            raise ParameterError(
                "A hard 21 has three cards or more: write them, such as '7,7,7'; 'A,T' is a"
                " blackjack."
            )
        if hands > 1:
            raise ParameterError("After a split the first card counts: write the cards.")
        number = _up_card(up)
        chances: dict[str, float] = {}
        for chance, hand, _ in self.deals(number):
            held = "".join(
                UPS[card] * count for card, count in enumerate(hand_table().counts[hand].tolist())
            )[::-1]
            if points(held) == (total, False):
                natural = self.engine.natural_probability(hand, number)
                kept = 1.0 if self.rules.surrender == "early" else 1 - self._lost(natural)
                chances[held] = chances.get(held, 0.0) + chance * kept
        unpaired = {held: chance for held, chance in chances.items() if held[0] != held[1]}
        chances = unpaired or chances
        if not chances:
            raise ParameterError(f"The shoe holds no hard {total} with {UPS[number]} up.")
        whole = sum(chances.values())
        by_share = sorted(chances, key=lambda held: -chances[held])
        shares = {held: chances[held] / whole for held in by_share}
        means: dict[str, float] = {}
        for held, share in shares.items():
            for action, ev in self._pair_not_split(held, up).items():
                means[action] = means.get(action, 0.0) + share * ev
        return {action: means[action] for action in sorted(means, key=lambda a: -means[a])}, shares

    def _pair_not_split(self, cards: str, up: str) -> dict[str, float]:
        """The values of two cards as a total: without a split."""
        values = self.action_values(",".join(cards), up)
        return {action: ev for action, ev in values.items() if action != "split"}

    def explain(self, cards: str, up: str, *, hands: int = 1) -> list[str]:
        """Why the best action is best, in sentences."""
        return list(self.hand(cards, up, hands=hands).reasons)

    def _facts(self, cards: str, up: str, values: dict[str, float]) -> HandFacts:
        """What speaks for and against the actions of a hand."""
        total = points(cards)[0]
        outcomes = self.dealer(up, cards)
        before_peek = self.rules.surrender == "early" and "surrender" in values
        peeked = self.rules.hole_card == "peek" and not before_peek
        # Where the dealer has peeked, the outcomes are those without a natural.
        rest = 1 - outcomes["blackjack"] if peeked else 1.0
        better = sum(outcomes[str(points_)] for points_ in range(max(total + 1, 17), 22))
        better += outcomes.get("charlie", 0.0) + (0.0 if peeked else outcomes["blackjack"])
        cards_left = self.engine.column(value(up) - 1).base.copy()
        for card in cards:
            cards_left[value(card) - 1] -= self.engine.unit
        bust = float(cards_left[21 - sum(value(card) for card in cards) :].sum() / cards_left.sum())
        return HandFacts(
            total,
            is_natural(cards),
            up,
            values,
            outcomes["bust"] / rest,
            better / rest,
            rest < 1,
            bust,
        )

    def _check_hands(self, cards: str, hands: int) -> None:
        """Refuse more hands than a pair may become."""
        ace = cards[0] == "A"
        limit = self.rules.split_limit(ace=ace)
        if self.rules.decks != "infinite":
            limit = min(limit or 4 * self.rules.decks, 4 * self.rules.decks)
        if hands < 1 or (limit and hands > limit):
            most = "one hand" if limit == 1 else f"{limit} hands"
            raise ParameterError(
                f"At this table a pair of {'aces' if ace else 'these'} is played as {most}"
                f" at most, not {hands}."
            )

    def _pair_left(self, cards: str, up: str) -> float | None:
        """For a pair, how many more cards would pair with it."""
        engine, pair = self.engine, value(cards[0]) - 1
        count = float(engine.column(value(up) - 1).base[pair])
        pair_left = pair_cards_left(self.rules, cards, up, count, engine.tens, engine.unit)
        if pair_left is None or not pairs_by_rank(self.rules, pair):
            return pair_left
        if pair_left < 0 and len(engine.shoe or ()) == 13:
            raise ParameterError(f"The shoe does not hold {cards} and {up} together.")
        return max(0.0, pair_left)

    def _without_choice(
        self, values: dict[str, float], cards: str, number: int, up: int, hands: int
    ) -> dict[str, float]:
        """The values of two cards, where naturals and split aces leave nothing to decide."""
        if self.is_natural(number) and (hands == 1 or self.rules.combo):
            natural = self.engine.natural_probability(number, up)
            values["S"] = self.rules.bj_pays * (1 - natural) - self._lost(natural)
            values.pop("R", None)
        if hands > 1 and cards[0] == "A" and not self.rules.hit_split_aces:
            return {letter: v for letter, v in values.items() if letter in "SP"}
        return values

    def best(self, hand: str, up: str, *, hands: int = 1) -> str:
        """The best action's name."""
        return next(iter(self.action_values(hand, up, hands=hands)))

    @staticmethod
    def is_natural(hand: int) -> bool:
        """Whether the hand of that number is an ace and a ten."""
        return hand == hand_table().number((0, 9))

    def insurance(self, hand: str = "") -> float:
        """The value of insurance per unit of it, with the ace up and these cards in hand."""
        number = self._seen(parse_cards(hand), 0)[0] if hand else 0
        return 3 * self.engine.natural_probability(number, 0) - 1

    def dealer(self, up: str, hand: str = "") -> dict[str, float]:
        """The dealer's outcomes before any peek: "17"…"21", "charlie", "blackjack", "bust"."""
        upcard = _up_card(up)
        number = self._seen(parse_cards(hand), upcard)[0] if hand else 0
        kept = self.engine.outcomes(upcard, np.array([number]))[:, 0].tolist()
        natural = self.engine.natural_probability(number, upcard)
        table = dict(zip(("17", "18", "19", "20", "21", "charlie"), kept, strict=True))
        if not self.rules.dealer_charlie:
            del table["charlie"]
        return {**table, "blackjack": natural, "bust": 1 - sum(kept) - natural}

    def dealer_table(self, hand: str = "") -> dict[str, dict[str, float]]:
        """The dealer's outcomes for each up card of the shoe; "all" is their mean, without a hand.

        A hand changes how likely each up card is, so that its mean would be another question.
        """
        shares = self.engine.counts / self.engine.counts.sum()
        table = {up: self.dealer(up, hand) for up, share in zip(UPS, shares, strict=True) if share}
        if not hand:
            weights = shares[shares > 0].tolist()
            rows = list(table.values())
            table["all"] = {
                outcome: sum(w * row[outcome] for w, row in zip(weights, rows, strict=True))
                for outcome in rows[0]
            }
        return table

    def _lost(self, natural: float) -> float:
        """What the round costs through a dealer's natural before any decision counts."""
        return natural if self.rules.hole_card == "peek" else 0.0

    def _seen(self, cards: str, up: int) -> tuple[int, Column]:
        """The hand's number and the up card's column, both checked against the shoe."""
        values = [value(card) - 1 for card in cards]
        if len(values) < 2 or sum(values) + len(values) > 21:
            raise ParameterError(
                f"A hand has two cards or more and at most 21 points, not {cards}."
            )
        number, column = hand_table().number(values), self.engine.column(up)
        if (self.engine.unit * hand_table().counts[number] > column.base).any():
            raise ParameterError(f"The shoe does not hold {cards} and {UPS[up]} together.")
        return number, column


def _hand_cards(text: str) -> str:
    """The cards of a hand; a soft total is an ace and one card."""
    total = parse_total(text)
    if total is None or not total[1]:
        return parse_cards(text)
    return "A" + UPS[total[0] - 12]


def _mean_facts(shared: Sequence[tuple[float, HandFacts]]) -> HandFacts:
    """The facts of a total: means over its hands by their shares."""

    def mean(name: str) -> float:
        return float(sum(share * getattr(facts, name) for share, facts in shared))

    return dataclasses.replace(
        shared[0][1],
        dealer_busts=mean("dealer_busts"),
        dealer_better=mean("dealer_better"),
        hit_busts=mean("hit_busts"),
    )


def _up_card(text: str) -> int:
    return value(parse_up_card(text)) - 1
