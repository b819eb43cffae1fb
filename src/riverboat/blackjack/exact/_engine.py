"""The engine of the exact analysis: one column of values for each up card, one line for each split.

How the hands of a split are counted is described in splits.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Literal, get_args

import numpy as np

from riverboat.blackjack.charts import UPS, BlackjackChart, BlackjackStrategy
from riverboat.blackjack.exact import forms
from riverboat.blackjack.exact.hand_tables import (
    chart_actions,
    dealer_trie,
    hand_table,
    hands_under,
)
from riverboat.blackjack.exact.splits import max_hands, pairs_by_rank, split_counts
from riverboat.blackjack.rules import BlackjackRules
from riverboat.errors import ParameterError
from riverboat.runtime.array_types import F64, I8, I64, Bools

Convention = Literal["CDZ-", "CDP1", "CDP"]
CONVENTIONS: tuple[Convention, ...] = get_args(Convention)


@dataclass(frozen=True, eq=False)
class Column:
    """Everything about one up card, by hand number; see the kernels for what a value means."""

    base: F64  # (10,) the shoe less the up card
    hole: int  # The card that would make the dealer's natural, or -1
    stand: F64
    hit: F64
    double: F64  # (H,) each
    action: I8  # (H,) the best of stand, hit and, for two cards, double


@dataclass(frozen=True, eq=False)
class Engine:
    """Values of one table and shoe, each computed when it is first asked for."""

    rules: BlackjackRules
    shoe: tuple[int, ...] | None
    """Ten counts, or thirteen with T, J, Q, K apart; None for the infinite deck."""
    convention: Convention = "CDZ-"
    strategy: BlackjackStrategy | None = None  # The strategy to price; None for the best one
    compiled: bool = True
    """Compiled code is some ten times as fast; plain NumPy spares the start of the compiler,
    which takes longer than a single question."""

    @cached_property
    def _work(self) -> ModuleType:
        if self.compiled:
            from riverboat.blackjack.exact import _hand_kernels

            return _hand_kernels
        from riverboat.blackjack.exact import _hand_plain

        return _hand_plain

    @cached_property
    def unit(self) -> float:
        return 0.0 if self.shoe is None else 1.0

    @cached_property
    def counts(self) -> F64:
        """(10,) the shoe as counts, or as probabilities for the infinite deck."""
        if self.shoe is None:
            return np.array([1.0] * 9 + [4.0]) / 13
        return np.array([*self.shoe[:9], sum(self.shoe[9:])], np.float64)

    @cached_property
    def tens(self) -> tuple[float, ...]:
        """How many T, J, Q and K: as given, or a quarter of the tens each."""
        if self.shoe is not None and len(self.shoe) == 13:
            return tuple(map(float, self.shoe[9:]))
        return (float(self.counts[9]) / 4,) * 4

    @cached_property
    def hands(self) -> forms.Hands:
        """What every hand is before a split; naturals are priced apart (Analysis)."""
        return hands_under(self.rules, naturals=False)

    def split_hands(self, pair: int) -> forms.Hands:
        """What every hand is after a split of that pair."""
        return hands_under(self.rules, naturals=self.rules.combo, split=True, aces=pair == 0)

    def unseen(self, up: int, *gone: int) -> forms.Unseen:
        """The cards to draw from with that up card and the cards `gone` out of the shoe."""
        base = self.counts.copy()
        for card in (up, *gone):
            base[card] -= self.unit
        hole = {0: 9, 9: 0}.get(up, -1)
        costs = 0.0 if self.rules.hole_card == "peek" else -1.0
        return forms.Unseen(base, self.unit, hole, float(self.rules.bj_pays), costs)

    @cached_property
    def _columns(self) -> dict[int, Column]:
        return {}

    @cached_property
    def _splits(self) -> dict[tuple[int, int], F64]:
        return {}

    def column(self, up: int) -> Column:
        """The values against up card 0…9 (A, 2, …, T)."""
        if up not in self._columns:
            self._columns[up] = self._solve(up)
        return self._columns[up]

    def _solve(self, up: int) -> Column:
        table, unseen = hand_table(), self.unseen(up)
        base = unseen.base
        if self.unit and base[up] < 0:
            raise ParameterError(f"The shoe holds no {UPS[up]} for the dealer to show.")
        lanes = np.nonzero((self.unit * table.counts <= base).all(1) & (table.size > 0))[0]
        outcomes = self.outcomes(up, lanes)
        stand, result, hit, double = (np.zeros(len(table.size)) for _ in range(4))
        self._work.stand_values(lanes, self.hands, unseen, outcomes, stand)
        action = self._given_actions(up, lanes, self.hands.doublable)
        mode = forms.OPTIMISE if self.strategy is None else forms.OBEY_AND_PRICE
        self._work.play_hands(lanes, self.hands, unseen, mode, stand, action, result, hit, double)
        return Column(base, unseen.hole, stand, hit, double, action)

    def outcomes(self, up: int, lanes: I64) -> F64:
        """(6, L) the dealer's outcome probabilities given each of the hands `lanes`."""
        result = np.zeros((forms.CATEGORIES, lanes.size))
        self._work.dealer_outcomes(
            lanes, hand_table().counts, self.unseen(up), self.trie(up), result
        )
        return result

    def _given_actions(self, up: int, lanes: I64, doublable: Bools) -> I8:
        """(H,) what the given strategy does with each hand short of splitting or surrender."""
        table = hand_table()
        action = np.zeros(len(table.size), np.int8)
        if isinstance(self.strategy, BlackjackChart):
            return chart_actions(self.strategy, up, doublable)
        if self.strategy is not None:
            codes = {"S": forms.STAND, "H": forms.HIT, "D": forms.DOUBLE}
            for hand in lanes[table.size[lanes] > 1].tolist():
                counts = tuple(table.counts[hand].tolist())
                allowed = "SHD" if doublable[hand] else "SH"
                action[hand] = codes[self.strategy.choose(counts, up, allowed)]
        return action

    def trie(self, up: int) -> forms.Trie:
        """How the dealer can end from that up card."""
        charlie = self.rules.charlie if self.rules.dealer_charlie else 0
        return dealer_trie(up, self.rules.h17, charlie)

    def split_lines(self, up: int, pair: int) -> F64:
        """(2, removals) values of one split hand; see forms.play_split."""
        if (up, pair) not in self._splits:
            self._splits[up, pair] = self._solve_split(up, pair)
        return self._splits[up, pair]

    def _solve_split(self, up: int, pair: int) -> F64:
        table, column, hands = hand_table(), self.column(up), self.split_hands(pair)
        action = column.action.copy()
        if not self.rules.das:
            two = np.nonzero(table.size == 2)[0]
            if self.strategy is None:
                action[two] = np.where(column.hit > column.stand, forms.HIT, forms.STAND)[two]
            else:
                action[two] = self._given_actions(up, two, hands.doublable)[two]
        removals = self.removals(up, pair)
        result = np.zeros((2, removals))
        # For how many of the removals the strategy after a split is made anew.
        anew = {"CDZ-": 0, "CDP1": 1, "CDP": removals}[self.convention]
        reoptimised = anew if self.strategy is None else 0
        unseen, trie = self.unseen(up, pair), self.trie(up)
        self._work.play_split(pair, hands, unseen, trie, reoptimised, action, result)
        return result

    def limit(self, pair: int, pair_left: float, hands: int = 1) -> int:
        """The most hands a pair can become; see splits.max_hands."""
        return max_hands(self.rules, pair, pair_left, self.unit, hands)

    def removals(self, up: int, pair: int) -> int:
        by_rank = pairs_by_rank(self.rules, pair)
        pair_left = max(self.tens) if by_rank else float(self.column(up).base[pair])
        pair_left = max(0.0, pair_left - 2 * self.unit)
        most = 2 * (self.limit(pair, pair_left) - 2)
        return int(min(most, pair_left) if self.unit else most) + 1

    def pairs(self, up: int, pair: int) -> list[tuple[float, float]]:
        """Of two such cards: the shares that are pairs, with how many more cards would pair.

        One entry but for tens by rank, where each rank is one, and once more each the rank that
        the up card has.
        """
        unit = self.unit
        if not pairs_by_rank(self.rules, pair):
            return [(1.0, float(self.column(up).base[pair]) - 2 * unit)]
        tens = float(self.counts[9])
        shown = [(1.0, -1)] if up != 9 else [(n / tens, rank) for rank, n in enumerate(self.tens)]
        total = tens - unit * (up == 9)
        shares: dict[float, float] = {}
        for p, up_rank in shown:
            for rank, count in enumerate(self.tens):
                have = count - unit * (rank == up_rank)
                ways = have * max(0.0, have - unit) / (total * (total - unit))
                shares[have - 2 * unit] = shares.get(have - 2 * unit, 0.0) + p * ways
        return [(share, pair_left) for pair_left, share in shares.items() if share > 0]

    def split_value(self, up: int, pair: int, pair_left: float, hands: int = 1) -> float | None:
        """The value of splitting where `pair_left` more cards would pair, or None if forbidden.

        `hands` is how many hands the seat has before it splits.
        """
        limit = self.limit(pair, pair_left, hands)
        if limit < 2:
            return None
        weights = self.split_weights(up, pair, pair_left, limit)
        return float((weights * self.split_lines(up, pair)).sum())

    def split_weights(self, up: int, pair: int, pair_left: float, limit: int) -> F64:
        """(2, removals) how often each of the split's lines counts in its value."""
        removals = self.removals(up, pair)
        weights = np.zeros((2, removals))
        if not self.unit and not self.rules.split_limit(ace=pair == 0):
            weights[:, 0] = 2 / (1 - 2 * pair_left), -2 * pair_left / (1 - 2 * pair_left)
            return weights
        total = float(self.column(up).base.sum()) - 2 * self.unit
        drawn = [1.0]
        for k in range(removals):
            drawn.append(drawn[k] * max(0.0, pair_left - k * self.unit) / (total - k * self.unit))
        any_card, other = np.array(split_counts(limit, removals), np.float64)
        weights[0] = (any_card + other) * drawn[:-1]
        weights[1] = -other * drawn[1:]
        return weights

    def natural_probability(self, hand: int, up: int) -> float:
        """P(dealer's natural | up card and the hand of that number)."""
        column = self.column(up)
        if column.hole < 0:
            return 0.0
        cards_left = column.base - self.unit * hand_table().counts[hand]
        return float(cards_left[column.hole] / cards_left.sum())
