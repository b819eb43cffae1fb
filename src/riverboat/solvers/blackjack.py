"""Exact blackjack: the value of every action for every hand, from any shoe, under any rules.

    analyse(rules).ev                                  a round from a fresh shoe
    analyse(rules, shoe).action_values("T,6", "9")     a counter's question about the real shoe

A hand is its composition, not its total. Backwards over all compositions, `stand` comes from the
dealer's outcome probabilities given every card seen (one sweep over the dealer's hands prices
all of the player's at once), `hit` and `double` from the hands one card on; how splits are priced
is told in blackjack_engine. The strategy after a split goes by the names of the literature:

- CDZ-: that of the same hand before a split ("zero memory"); the default;
- CDP1: optimised once, for a hand of the first split, and kept for resplits;
- CDP: optimised for each number of pair cards gone.

Values are per unit bet. Where the dealer peeks, action values are given that he has no natural.
A `shoe` is ten counts A, 2, …, 9, T of the cards not seen before the round: it includes the hand
and the up card asked about. Under split_by=rank the tens in it are taken as equally many T, J, Q
and K. Cost: about 0.1 s for six decks with resplits, a tenth of that for one up card.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np

from riverboat.errors import ParameterError
from riverboat.games.blackjack import parse_cards, value
from riverboat.games.blackjack_rules import BlackjackRules
from riverboat.solvers.blackjack_engine import CONVENTIONS, Convention, Engine
from riverboat.solvers.blackjack_tables import hand_table
from riverboat.strategies.blackjack_charts import UPS, BlackjackStrategy

__all__ = ["ACTIONS", "CONVENTIONS", "Analysis", "Convention", "analyse", "fresh_shoe"]

ACTIONS = {"S": "stand", "H": "hit", "D": "double", "P": "split", "R": "surrender"}
FEWEST_CARDS = 20
"""A smaller shoe could run out within a round."""


def fresh_shoe(decks: int) -> tuple[int, ...]:
    """The ten counts of that many packs."""
    return (4 * decks,) * 9 + (16 * decks,)


def analyse(
    rules: BlackjackRules,
    shoe: Sequence[int] | None = None,
    convention: str = "CDZ-",
    strategy: BlackjackStrategy | None = None,
) -> Analysis:
    """The analysis of a table: of the best strategy, or of the one given."""
    if convention not in CONVENTIONS:
        raise ParameterError(
            f"convention must be one of {', '.join(CONVENTIONS)}, not {convention!r}."
        )
    counts = None if shoe is None else tuple(int(n) for n in shoe)
    if counts is not None and (len(counts) != 10 or min(counts) < 0):
        raise ParameterError("shoe must be ten whole numbers: how many A, 2, …, 9, T are left.")
    if counts is not None and sum(counts) < FEWEST_CARDS:
        raise ParameterError(
            f"shoe must hold at least {FEWEST_CARDS} cards, since a round may need them,"
            f" not {sum(counts)}."
        )
    if counts is None and rules.decks != "infinite":
        counts = fresh_shoe(rules.decks)
    return Analysis(Engine(rules, counts, convention, strategy))  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class Analysis:
    """The values of a table; made by `analyse`, computed as they are asked for."""

    engine: Engine

    @property
    def rules(self) -> BlackjackRules:
        return self.engine.rules

    @cached_property
    def ev(self) -> float:
        """The expected result of a round per unit bet, insurance never taken."""
        counts = self.engine.counts
        return float(
            sum(counts[up] * self._up_value(up) for up in range(10) if counts[up]) / counts.sum()
        )

    @cached_property
    def ev_by_up(self) -> dict[str, float]:
        """The same given the dealer's up card; cards that are not in the shoe are left out."""
        return {c: self._up_value(up) for up, c in enumerate(UPS) if self.engine.counts[up]}

    @cached_property
    def _up_values(self) -> dict[int, float]:
        return {}

    def _up_value(self, up: int) -> float:
        if up not in self._up_values:
            self._up_values[up] = sum(
                p * self._round_value(cards, up, kind) for p, cards, kind in self._deals(up)
            )
        return self._up_values[up]

    def _deals(self, up: int) -> list[tuple[float, tuple[int, int], str]]:
        """The player's two cards with their probabilities; kind as in _first_values."""
        left, unit = self.engine.column(up).base, self.engine.unit
        total = left.sum()
        deals = []
        for first in range(10):
            for second in range(first, 10):
                ways = left[first] * (left[second] - unit * (first == second))
                p = float(ways / (total * (total - unit))) * (1 + (first != second))
                if p <= 0:
                    continue
                if first == second == 9 and self.rules.split_by == "rank":
                    deals += [(p * q, (9, 9), kind) for q, kind in self._ten_ranks(up)]
                else:
                    deals.append((p, (first, second), "pair" if first == second else ""))
        return deals

    def _ten_ranks(self, up: int) -> list[tuple[float, str]]:
        """How two tens divide: of different ranks, a pair, a pair of the up card's rank."""
        if not self.engine.unit:
            return [(0.75, ""), (0.25, "pair")]
        rank = self.engine.counts[9] / 4
        ways = 4 * rank * (4 * rank - 1)
        if up != 9:
            pair = 4 * rank * (rank - 1) / ways
            return [(1 - pair, ""), (pair, "pair")]
        ways = (4 * rank - 1) * (4 * rank - 2)
        pair, same = 3 * rank * (rank - 1) / ways, (rank - 1) * (rank - 2) / ways
        return [(1 - pair - same, ""), (pair, "pair"), (same, "pair of the up card")]

    def _round_value(self, cards: tuple[int, int], up: int, kind: str) -> float:
        """The value of the round given cards and up card, a dealer's natural included."""
        hand = _number(cards)
        natural = self.engine.natural_probability(hand, up)
        if sorted(cards) == [0, 9]:
            return self.rules.bj_pays * (1 - natural)
        values = self._first_values(hand, up, kind)
        if self.engine.strategy is None:
            return max(values.values())
        counts = tuple(hand_table().counts[hand].tolist())
        return values[self.engine.strategy.choose(counts, up, "".join(values))]

    def _first_values(self, hand: int, up: int, kind: str) -> dict[str, float]:
        """Letter → value of the round for each first decision; kind: "", "pair" or more."""
        engine, rules = self.engine, self.rules
        column = engine.column(up)
        natural = engine.natural_probability(hand, up)
        lost = natural if rules.hole_card == "peek" else 0.0
        values = {"S": column.stand[hand] - lost, "H": column.hit[hand] - lost}
        if engine.doublable[hand]:
            values["D"] = column.double[hand] - lost
        if kind:
            pair = int(hand_table().counts[hand].argmax())
            if rules.split_limit(ace=pair == 0) != 1:
                values["P"] = engine.split_value(up, pair, kind != "pair") - lost
        if rules.surrender == "late":
            values["R"] = -0.5 * (1 - natural) - natural
        elif rules.surrender == "early":
            values["R"] = -0.5
        return {letter: float(v) for letter, v in values.items()}


def _number(cards: Sequence[int]) -> int:
    """The number of a hand of cards 0…9."""
    counts = [0] * 10
    for card in cards:
        counts[card] += 1
    return hand_table().index[tuple(counts)]
