"""What every code would be worth in every cell of a chart's column, the other cells as they are.

The answer is exact: `CellValues.gains` is what the value of a round changes by, given the up card,
when one cell gets another code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import NamedTuple

import numpy as np

from riverboat.blackjack.charts import CODES
from riverboat.blackjack.exact import forms
from riverboat.blackjack.exact.analysis import Analysis
from riverboat.blackjack.exact.forms import DOUBLE, HIT, SPLIT, STAND, SURRENDER
from riverboat.blackjack.exact.hand_tables import (
    FIRST_PAIR_CELL,
    FIRST_SOFT_CELL,
    NUM_CELLS,
    hand_table,
)
from riverboat.blackjack.rules import LETTERS
from riverboat.runtime.array_types import F64, I8, I64, Bools

ALL_CODES = tuple(CODES)
_HITS = np.array([CODES[code][-1] == "H" for code in ALL_CODES])
_DOUBLES = np.array([CODES[code][0] == "D" for code in ALL_CODES])


class CellValues(NamedTuple):
    """A column of a chart, priced."""

    value: float  # What a round is worth given the up card, naturals apart
    totals: F64
    """(38, 8) by cell and code: the part of the value that the cell decides, with that code."""
    others: F64
    """(38, 8) the same where surrender is refused: what a code's second letter is good for."""


@dataclass(frozen=True, eq=False)
class _Deals:
    """The first hands, naturals apart."""

    share: F64  # (D,) how often each comes
    hand: I64  # (D,)
    pair_left: list[float | None]
    """Of a pair: how many more cards would pair with it; None where it cannot be split."""
    choice: I64
    """(2, D, 8) the letter that each code means, -1 for none; with surrender and without."""


@dataclass(frozen=True, eq=False)
class _Split:
    """A pair that may be split, with what is kept between charts."""

    hands: forms.Hands
    unseen: forms.Unseen
    stand: F64  # (R, H)
    known: Bools  # (H,)


@dataclass(frozen=True, eq=False)
class ChartColumn:
    """One up card of a table, ready to price charts; `analysis` is that of the best strategy."""

    analysis: Analysis
    up: int

    @cached_property
    def _kernels(self) -> ModuleType:
        """Imported here: a chart that is kept is read without a compiler."""
        from riverboat.blackjack.exact import _hand_kernels

        return _hand_kernels

    @cached_property
    def candidates(self) -> Bools:
        """(38, 8) the codes that can mean something in each cell."""
        rules = self.analysis.rules
        allowed = np.zeros((NUM_CELLS, len(ALL_CODES)), np.bool_)
        for cell in range(NUM_CELLS):
            total, soft = _total(cell)
            pair = cell - FIRST_PAIR_CELL
            may = {
                "S": True,
                "H": True,
                "D": rules.can_double(total, soft),
                "R": rules.surrender != "none",
                "P": pair >= 0 and rules.split_limit(ace=pair == 0) != 1,
            }
            allowed[cell] = [all(may[letter] for letter in CODES[code]) for code in ALL_CODES]
        return allowed

    @cached_property
    def _deals(self) -> _Deals:
        engine, rules = self.analysis.engine, self.analysis.rules
        shares, hands, lefts, choices = [], [], [], []
        for share, hand, pair_left in self.analysis.deals(self.up):
            if self.analysis.is_natural(hand):
                continue
            allowed = "SH" + "D" * bool(engine.hands.doublable[hand])
            pair = int(hand_table().counts[hand].argmax())
            if pair_left is not None and engine.limit(pair, pair_left) > 1:
                allowed += "P"
            else:
                pair_left = None
            shares.append(share)
            hands.append(hand)
            lefts.append(pair_left)
            surrender = "R" * (rules.surrender != "none")
            choices.append([_choices(allowed + surrender), _choices(allowed)])
        return _Deals(
            np.array(shares),
            np.array(hands, np.int64),
            lefts,
            np.array(choices, np.int64).transpose(1, 0, 2),
        )

    @cached_property
    def naturals(self) -> float:
        """What the player's naturals bring given the up card."""
        return sum(
            share * self.analysis.round_value(hand, self.up, pair_left)
            for share, hand, pair_left in self.analysis.deals(self.up)
            if self.analysis.is_natural(hand)
        )

    @cached_property
    def _fixed(self) -> F64:
        """(D, 5) the values of first hands that no chart changes; surrender, standing."""
        engine, rules = self.analysis.engine, self.analysis.rules
        column, deals = engine.column(self.up), self._deals
        natural = np.array([engine.natural_probability(h, self.up) for h in deals.hand.tolist()])
        values = np.zeros((len(deals.hand), len(LETTERS)))
        values[:, STAND] = column.stand[deals.hand]
        values[:, DOUBLE] = column.double[deals.hand]
        values[:, SURRENDER] = -0.5 - (natural / 2 if rules.surrender == "late" else 0.0)
        if rules.hole_card == "peek":
            values[:, [STAND, DOUBLE]] -= natural[:, None]
            values[:, [HIT, SPLIT]] = -natural[:, None]
        return values

    @cached_property
    def _lanes(self) -> I64:
        table, engine = hand_table(), self.analysis.engine
        base = engine.column(self.up).base
        return np.nonzero((engine.unit * table.counts <= base).all(1) & (table.size > 1))[0]

    @cached_property
    def _splits(self) -> dict[int, _Split]:
        engine = self.analysis.engine
        splits = {}
        for hand, pair_left in zip(self._deals.hand.tolist(), self._deals.pair_left, strict=True):
            pair = int(hand_table().counts[hand].argmax())
            if pair_left is not None and pair not in splits:
                removals = engine.removals(self.up, pair)
                splits[pair] = _Split(
                    engine.split_hands(pair),
                    engine.unseen(self.up, pair),
                    np.zeros((removals, len(hand_table().size))),
                    np.zeros(len(hand_table().size), np.bool_),
                )
        return splits

    def prices(self, codes: Sequence[str]) -> CellValues:
        """The column with these 38 codes: hard 4…21, soft 12…21, pairs A…T."""
        engine, deals, table = self.analysis.engine, self._deals, hand_table()
        column = engine.column(self.up)
        code = np.array([ALL_CODES.index(c) for c in codes])
        plays = np.where(_HITS[code], HIT, STAND).astype(np.int8)
        action = plays[table.cell]
        result, hit, double = (np.zeros(len(table.size)) for _ in range(3))
        unseen = engine.unseen(self.up)
        self._kernels.play_hands(
            self._lanes, engine.hands, unseen, forms.OBEY_AND_PRICE, column.stand, action,
            result, hit, double,
        )  # fmt: skip
        values = self._fixed.copy()
        values[:, HIT] += hit[deals.hand]
        chosen = self._chosen(code)
        two, later = self._splits_weighed(code, action, chosen, values)
        weight = np.zeros(len(table.size))
        np.add.at(weight, deals.hand, deals.share * (chosen == HIT))
        hits = np.where(table.size == 2, 1, action)
        self._kernels.reach(self._lanes, engine.hands, unseen, hits, weight)
        weight[table.size == 2] = 0.0
        later += weight * np.array([column.stand, np.where(engine.hands.final, column.stand, hit)])
        own = deals.share * values[np.arange(len(chosen)), chosen]
        first, others = (self._first_totals(code, values, choice) for choice in deals.choice)
        after = self._later_totals(two, later)
        return CellValues(float(own.sum()), first + after, others + after)

    def _chosen(self, code: I64) -> I64:
        """(D,) the letter that the chart plays with each first hand."""
        table, deals = hand_table(), self._deals
        rows, choice = np.arange(len(deals.hand)), deals.choice[0]
        pair = table.pair_cell[deals.hand]
        by_pair = np.where(pair >= 0, choice[rows, code[pair]], -1)
        return np.where(by_pair >= 0, by_pair, choice[rows, code[table.cell[deals.hand]]])

    def _splits_weighed(self, code: I64, action: I8, chosen: I64, values: F64) -> tuple[F64, F64]:
        """Price splits into `values`; (3, H) of their two-card hands, (2, H) of all later ones.

        The result is weight times value, for standing, hitting and doubling.
        """
        engine, deals, table = self.analysis.engine, self._deals, hand_table()
        two_cards = table.size == 2
        sums = np.zeros((3, len(table.size)))
        doubles = _DOUBLES[code][table.cell]
        for pair, split in self._splits.items():
            mine = [
                (i, engine.split_weights(self.up, pair, pair_left, engine.limit(pair, pair_left)))
                for i, pair_left in enumerate(deals.pair_left)
                if pair_left is not None and table.counts[deals.hand[i], pair] == 2
            ]
            removals = split.stand.shape[0]
            weights, lines = np.zeros((2, removals)), np.zeros((2, removals))
            for i, own_weights in mine:
                if chosen[i] == SPLIT:
                    weights += deals.share[i] * own_weights
            played = np.where(doubles & split.hands.doublable, DOUBLE, action)
            self._kernels.weigh_split(
                pair, split.hands, split.unseen, engine.trie(self.up), played.astype(np.int8),
                weights, split.stand, split.known, lines, sums,
            )  # fmt: skip
            for i, own_weights in mine:
                values[i, SPLIT] += float((own_weights * lines).sum())
        return np.where(two_cards, sums, 0.0), np.where(two_cards, 0.0, sums[:2])

    def _first_totals(self, code: I64, values: F64, choice: I64) -> F64:
        """(38, 8) what first hands get from each code of the cells that decide them."""
        table, deals = hand_table(), self._deals
        totals = np.zeros((NUM_CELLS, len(ALL_CODES)))
        rows = np.arange(len(deals.hand))
        by_code = deals.share[:, None] * np.take_along_axis(values, np.maximum(choice, 0), 1)
        cell, pair = table.cell[deals.hand], table.pair_cell[deals.hand]
        paired = pair >= 0
        by_total = by_code[rows, code[cell]]
        np.add.at(totals, pair[paired], np.where(choice >= 0, by_code, by_total[:, None])[paired])
        left_to_total = ~paired | (choice[rows, code[pair]] < 0)
        np.add.at(totals, cell[left_to_total], by_code[left_to_total])
        return totals

    @cached_property
    def by_composition(self) -> F64:
        """(38, 8) what codes are worth to every hand of a cell, played on by composition.

        Every hand counts that can come when one always hits, so that this distinguishes codes in
        cells that a chart never reaches.
        """
        engine, deals, table = self.analysis.engine, self._deals, hand_table()
        column = engine.column(self.up)
        values = self._fixed.copy()
        values[:, HIT] += column.hit[deals.hand]
        totals = np.zeros((NUM_CELLS, len(ALL_CODES)))
        by_code = deals.share[:, None] * np.take_along_axis(
            values, np.maximum(deals.choice[0], 0), 1
        )
        np.add.at(totals, table.cell[deals.hand], by_code)
        weight = np.zeros(len(table.size))
        np.add.at(weight, deals.hand, deals.share)
        always = np.full(len(weight), HIT, np.int8)
        self._kernels.reach(self._lanes, engine.hands, engine.unseen(self.up), always, weight)
        weight[(table.size == 2) | engine.hands.final] = 0.0
        nothing = np.zeros((3, len(weight)))
        return totals + self._later_totals(nothing, weight * np.array([column.stand, column.hit]))

    def _later_totals(self, two: F64, later: F64) -> F64:
        """(38, 8) what hands of three cards and hands after a split get from each code."""
        table, engine = hand_table(), self.analysis.engine

        def by_cell(sums: F64) -> F64:
            return np.bincount(table.cell, sums, NUM_CELLS).astype(np.float64)[:, None]

        totals: F64 = np.where(_HITS, by_cell(later[HIT]), by_cell(later[STAND]))
        may_double = engine.hands.doublable & engine.rules.das
        plain = np.where(_HITS, by_cell(two[HIT]), by_cell(two[STAND]))
        double = by_cell(np.where(may_double, two[DOUBLE], 0.0))
        not_doubled = np.where(
            _HITS,
            by_cell(np.where(may_double, 0.0, two[HIT])),
            by_cell(np.where(may_double, 0.0, two[STAND])),
        )
        return totals + np.where(_DOUBLES, double + not_doubled, plain)


def _choices(allowed: str) -> list[int]:
    """The letter that each code means where these are allowed, or -1."""
    letters = (next((c for c in CODES[code] if c in allowed), None) for code in ALL_CODES)
    return [LETTERS.index(letter) if letter is not None else -1 for letter in letters]


def _total(cell: int) -> tuple[int, bool]:
    """The total of a cell's hands, and whether it is soft."""
    if cell >= FIRST_PAIR_CELL:
        pair = cell - FIRST_PAIR_CELL
        return (12, True) if pair == 0 else (2 * pair + 2, False)
    if cell >= FIRST_SOFT_CELL:
        return cell - FIRST_SOFT_CELL + 12, True
    return cell + 4, False
