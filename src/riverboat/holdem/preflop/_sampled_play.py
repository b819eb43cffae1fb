"""Linear CFR on random deals for four to six players who go all-in or fold.

An iteration deals `BATCH` hands for everybody with a board, and visits every end of each deal; so
a folded hand takes its cards from the others, as at a table. Regrets and averages of iteration t
weigh t (Brown and Sandholm, AAAI 2019).

What is measured comes from deals that were not learned from. The best response to those deals
themselves gains at least what the true best response gains on them. That gain is a mean of
independent deals, so with its 95 % interval it is an upper bound of the true gain. A response that
is chosen on one half of the deals and played on the other half gives an estimate from below.
"""

from __future__ import annotations

import math
import time
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from riverboat.cards.card import NUM_CARDS
from riverboat.cards.combos import COMBO_CARDS, NUM_CLASSES, class_of_combos
from riverboat.cards.strength import strength_tables
from riverboat.evaluation.estimates import Z95
from riverboat.holdem.preflop._exact_play import Intervals, Measured
from riverboat.holdem.preflop._finishing_orders import weak_orders
from riverboat.holdem.preflop._sampled_kernels import Rules, Totals, play_deals
from riverboat.runtime.array_types import F64, U8

if TYPE_CHECKING:
    from riverboat.holdem.preflop.push_fold import PushFold

BATCH = 20_000
ROUNDED = 0.01
"""Chances of the average below this, or as near to 1, count as 0 or 1."""
MIN_MEASURED = 1_000_000
"""Deals in each half of those that measure; after long runs a quarter of the deals learned from."""
MIN_VISITS = 30  # Deals of a class at a decision from which its values are known
RARE = 0.005
"""A line that comes up less often than once in 200 hands is learned from too few deals."""
MAX_CHANGE = 0.015
"""Ranges are stable when no line that is not rare plays a larger part of all hands otherwise than
at the last comparison. The iterations from one to the next grow by `GROWTH`: more than half of the
average's weight is new."""
FIRST_COMPARISON, GROWTH = 100, 1.5
_CLASS_SHARES = np.bincount(class_of_combos(), minlength=NUM_CLASSES) / len(COMBO_CARDS)


class SampledPlay:
    """The work of a run, as ExactPlay is."""

    algorithm = "linear CFR on sampled deals"

    def __init__(
        self,
        game: PushFold,
        seed: int = 0,
        measured: int | None = None,
        *,
        until_stable: bool = False,
    ) -> None:
        """`measured` is the number of deals in each half of those that measure; with
        `until_stable` the work is finished when the ranges are stable.
        """
        self.game, self.seed, self.measured, self.until_stable = game, seed, measured, until_stable
        self.iterations, self.seconds = 0, 0.0
        self.change = math.nan
        """The largest part of all hands that a line played otherwise at the last comparison."""
        self._rules = _rules(game)
        self._forced = np.array([game.forced(decision) for decision in game.decisions])
        self._regrets = np.zeros((len(game.decisions), 2, NUM_CLASSES))
        self._sum = np.zeros((len(game.decisions), NUM_CLASSES))
        self._compared = np.full_like(self._sum, np.nan)
        self._next_comparison = FIRST_COMPARISON
        self._chances, self._chances_since = np.zeros(len(game.decisions)), 0

    @property
    def finished(self) -> bool:
        """Whether the ranges are stable, where the work goes on until they are."""
        return self.until_stable and self.change <= MAX_CHANGE

    def advance(self, count: int) -> None:
        """Iterate, at most until the work is finished."""
        began = time.perf_counter()
        for _ in range(count):
            if self.finished:
                break
            self.iterations += 1
            strategy = self._current()
            played = self._play(strategy, strategy, 2 * self.iterations, BATCH)
            values = played.values
            mean = strategy * values[:, 1] + (1 - strategy) * values[:, 0]
            self._regrets += self.iterations * (values - mean[:, None])
            self._sum += self.iterations * self._current()
            self._chances += played.reach.sum(axis=1)
            self._chances_since += BATCH
            if self.iterations == self._next_comparison:
                self._compare()
        self.seconds += time.perf_counter() - began

    def _compare(self) -> None:
        """Measure how far the ranges of lines that are not rare have changed since the last time.

        It depends on the iterations alone, not on the clock: a seed has one result.
        """
        average = self.average()
        changes = np.abs(average - self._compared) @ _CLASS_SHARES
        often = self._chances >= RARE * self._chances_since
        self.change = float(changes[often].max())  # nan the first time
        self._compared = average
        self._next_comparison = int(GROWTH * self._next_comparison)
        self._chances[:], self._chances_since = 0.0, 0

    def _play(self, strategy: F64, response: F64, block: int, deals: int) -> Totals:
        num_players = self.game.num_players
        out = Totals(
            np.zeros((len(strategy), 2, NUM_CLASSES)),
            np.zeros(strategy.shape),
            np.zeros((len(strategy), 2, 2, NUM_CLASSES)),
            np.zeros(strategy.shape),
            np.zeros((2, num_players)),
            np.zeros((2, num_players)),
        )
        tables = strength_tables().arrays
        play_deals(
            deals, self.seed, block, _classes(), self._rules, strategy, response, tables, out
        )
        return out

    def _current(self) -> F64:
        positive = np.maximum(self._regrets, 0.0)
        total = positive.sum(axis=1)
        share = np.divide(positive[:, 1], total, out=np.full_like(total, 0.5), where=total > 0)
        share[self._forced] = 1.0
        return np.asarray(share)

    def average(self) -> F64:
        """(D, 169) the average strategy: the chance of going all-in."""
        total = self.iterations * (self.iterations + 1) / 2
        shares = self._sum / max(1.0, total)
        # What is hardly ever done stems from the first iterations; without it, deals take a third.
        shares[shares < ROUNDED] = 0.0
        shares[shares > 1 - ROUNDED] = 1.0
        return shares

    def measure(self, strategy: F64) -> Measured:
        """Values, EVs and gains of a strategy (D, 169), on deals that were not learned from."""
        half = self.measured or max(MIN_MEASURED, self.iterations * BATCH // 4)
        first = self._play(strategy, strategy, 1, half)
        response = (first.values[:, 1] > first.values[:, 0]).astype(np.float64)
        # Where a class was never dealt there is no better answer than the strategy itself.
        response = np.where(first.reach > 0, response, strategy)
        response[self._forced] = 1.0
        second = self._play(strategy, response, 3, half)
        gains = second.gains[0] / half
        gain_errors = Z95 * _standard_error(second.gains, half)
        both = Totals(*(one + other for one, other in zip(first, second, strict=True)))
        deals = 2 * half
        values, reach = both.values / deals, both.reach / deals
        # The deviations of the best response of all deals are as those of the half's response.
        bounds = self._gains_in_sample(strategy, values) + gain_errors / np.sqrt(2)
        errors = Intervals(
            _value_errors(both), Z95 * _standard_error(both.ev, deals), gain_errors, bounds
        )
        return Measured(values, reach, both.ev[0] / deals, gains, errors)

    def _gains_in_sample(self, strategy: F64, values: F64) -> F64:
        """(P,) what the best responses to these very deals gain on them."""
        played = strategy * values[:, 1] + (1 - strategy) * values[:, 0]
        by_decision = (values.max(axis=1) - played).sum(axis=1)
        by_decision[self._forced] = 0.0
        players = [decision.player for decision in self.game.decisions]
        return np.bincount(players, by_decision, self.game.num_players).astype(np.float64)

    def evaluate(self) -> float:
        """An upper bound of what the players gain by best responses, on average."""
        measured = self.measure(self.average())
        assert measured.sampled is not None
        return float(measured.sampled.bounds.mean())


def next_comparison(iterations: int) -> int:
    """The first iteration after these at which ranges are compared."""
    mark = FIRST_COMPARISON
    while mark <= iterations:
        mark = int(GROWTH * mark)
    return mark


def _standard_error(sums: F64, deals: int) -> F64:
    """(P,) that of the means, from the sums (2, P) of figures and of their squares."""
    means = sums[0] / deals
    return np.asarray(np.sqrt(np.maximum(sums[1] / deals - means**2, 0.0) / deals))


def _value_errors(totals: Totals) -> F64:
    """(D, 2, 169) half the 95 % interval of each action's value, nan with too few deals.

    A value is a ratio of two sums over deals; the variance is that of its residuals.
    """
    reach, square_reach = totals.reach[:, None], totals.square_reach[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = totals.values / reach
        linear, square = totals.squares[:, :, 0], totals.squares[:, :, 1]
        residual = square - 2 * mean * linear + mean**2 * square_reach
        errors = Z95 * np.sqrt(np.maximum(residual, 0.0)) / reach
        visits = reach**2 / square_reach
    # A constant value has no error; what is left of it is rounding.
    errors = np.where(errors < 1e-7 * np.maximum(1.0, np.abs(mean)), 0.0, errors)
    return np.asarray(np.where(visits >= MIN_VISITS, errors, np.nan))


def _rules(game: PushFold) -> Rules:
    num_players = game.num_players
    decisions = np.full((num_players, 1 << num_players - 1), -1, np.int64)
    for number, decision in enumerate(game.decisions):
        decisions[decision.player, decision.code] = number
    starts, rows, values, at = list[int](), list[int](), list[F64](), 0
    for code in range(1 << num_players):
        allin = tuple(seat for seat in range(num_players) if code >> seat & 1)
        ends = game.end_values(allin)
        starts.append(len(rows))
        size = len(allin)
        orders_at = np.full(size**size if size > 1 else 1, at, np.int64)
        if size > 1:
            for number, order in enumerate(weak_orders(size)):
                orders_at[sum(better * size**i for i, better in enumerate(order))] = at + number
        rows.extend(orders_at.tolist())
        values.append(ends)
        at += len(ends)
    return Rules(decisions, np.array(starts), np.array(rows), np.concatenate(values))


@lru_cache(maxsize=1)
def _classes() -> U8:
    """(52, 52) the class of two cards."""
    classes = np.zeros((NUM_CARDS, NUM_CARDS), np.uint8)
    low, high = COMBO_CARDS.T
    classes[low, high] = classes[high, low] = class_of_combos()
    return classes
