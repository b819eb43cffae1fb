"""Linear CFR on random deals for four to six players who go all-in or fold.

An iteration deals `BATCH` hands for everybody with a board, and visits every end of each deal; so
a folded hand takes its cards from the others, as at a table. Regrets and averages of iteration t
weigh t (Brown and Sandholm, AAAI 2019). Gains are honest: a response is chosen on some
deals and measured on others, and its 95 % interval is reported.
"""

from __future__ import annotations

import time
from functools import lru_cache

import numpy as np

from riverboat.cards.combos import COMBO_CARDS, NUM_CLASSES, class_of_combos
from riverboat.cards.strength import strength_tables
from riverboat.evaluation.sampled_matches import Z95
from riverboat.holdem.preflop.pushfold.exact_play import Measured
from riverboat.holdem.preflop.pushfold.push_fold import PushFold, weak_orders
from riverboat.holdem.preflop.pushfold.sampled_kernels import Rules, Totals, play_deals
from riverboat.runtime.array_types import F64, U8

BATCH = 20_000
ROUNDED = 0.01
"""Chances of the average below this, or as near to 1, count as 0 or 1."""
MEASURED = 1_000_000  # Deals on which a response is chosen, and others on which it is measured


class SampledPlay:
    """The work of a run, as ExactPlay is."""

    algorithm = "linear CFR on sampled deals"

    def __init__(self, game: PushFold, seed: int = 0, measured: int = MEASURED) -> None:
        self.game, self.seed, self.measured = game, seed, measured
        self.iterations, self.seconds = 0, 0.0
        self._rules = _rules(game)
        self._forced = np.array([game.forced(each) for each in game.decisions])
        self._regrets = np.zeros((len(game.decisions), 2, NUM_CLASSES))
        self._sum = np.zeros((len(game.decisions), NUM_CLASSES))

    def advance(self, count: int) -> None:
        """Iterate."""
        began = time.perf_counter()
        for _ in range(count):
            self.iterations += 1
            strategy = self._current()
            values = self._play(strategy, strategy, 2 * self.iterations, BATCH).values
            mean = strategy * values[:, 1] + (1 - strategy) * values[:, 0]
            self._regrets += self.iterations * (values - mean[:, None])
            self._sum += self.iterations * self._current()
        self.seconds += time.perf_counter() - began

    def _play(self, strategy: F64, response: F64, block: int, deals: int) -> Totals:
        num = self.game.num_players
        out = Totals(
            np.zeros((len(strategy), 2, NUM_CLASSES)),
            np.zeros(strategy.shape),
            np.zeros((2, num)),
            np.zeros((2, num)),
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
        deals = self.measured
        chosen = self._play(strategy, strategy, 1, deals)
        response = (chosen.values[:, 1] > chosen.values[:, 0]).astype(np.float64)
        # Where a class was hardly ever dealt there is no better answer than the strategy itself.
        response = np.where(chosen.reach > 0, response, strategy)
        response[self._forced] = 1.0
        found = self._play(strategy, response, 3, deals)
        gains = found.gains[0] / deals
        spread = np.sqrt(np.maximum(found.gains[1] / deals - gains**2, 0.0) / deals)
        values = (chosen.values + found.values) / (2 * deals)
        reach = (chosen.reach + found.reach) / (2 * deals)
        ev = (chosen.ev[0] + found.ev[0]) / (2 * deals)
        return Measured(values, reach, ev, gains, margin=float(Z95 * spread.max()))

    def evaluate(self) -> float:
        """What the players gain by the responses, on average."""
        return float(np.maximum(self.measure(self.average()).gains, 0.0).mean())


def _rules(game: PushFold) -> Rules:
    num = game.num_players
    decisions = np.full((num, 1 << num - 1), -1, np.int64)
    for number, decision in enumerate(game.decisions):
        decisions[decision.player, decision.code] = number
    starts, rows, values, at = list[int](), list[int](), list[F64](), 0
    for code in range(1 << num):
        allin = tuple(seat for seat in range(num) if code >> seat & 1)
        ends = game.end_values(allin)
        starts.append(len(rows))
        size = len(allin)
        place = np.full(size**size if size > 1 else 1, at, np.int64)
        if size > 1:
            for number, order in enumerate(weak_orders(size)):
                place[sum(better * size**i for i, better in enumerate(order))] = at + number
        rows.extend(place.tolist())
        values.append(ends)
        at += len(ends)
    return Rules(decisions, np.array(starts), np.array(rows), np.concatenate(values))


@lru_cache(maxsize=1)
def _classes() -> U8:
    """(52, 52) the class of two cards."""
    found = np.zeros((52, 52), np.uint8)
    low, high = COMBO_CARDS.T
    found[low, high] = found[high, low] = class_of_combos()
    return found
