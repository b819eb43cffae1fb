"""The vector CFR on the half-street AKQ game of Chen and Ankenman, The Mathematics of Poker."""

from collections.abc import Mapping

import numpy as np
import pytest

from riverboat.holdem.vector_cfr import Array, Decision, VectorCFR, matched
from riverboat.solvers.algorithms import AVERAGE, BEST, LEARN

ACE, KING, QUEEN = range(3)
CHECKED, FOLDED, CALLED = 1, 3, 4
DECISIONS = {0: Decision(0, (CHECKED, 2)), 2: Decision(1, (FOLDED, CALLED))}
WINS = np.array([[0, 1, 1], [-1, 0, 1], [-1, -1, 0]], float)
MEETS = 1 - np.eye(3)


def solved(num_iterations: int, *, by_reach: bool = True) -> VectorCFR:
    """A pot of 2; the first player may bet 1, the second one may call."""
    cfr = VectorCFR(DECISIONS, 3, np.float64, by_reach=by_reach)
    for done in range(num_iterations):
        factors = (done**1.5 / (done**1.5 + 1), 0.5, (done / (done + 1)) ** 2)
        for learner in (0, 1):
            values(cfr, learner, LEARN, factors)
    return cfr


def values(cfr: VectorCFR, learner: int, mode: int, factors: tuple[float, ...] = ()) -> Array:
    def ends(reaches: Mapping[int, Array]) -> dict[int, Array]:
        sign = 1 if learner == 0 else -1
        return {
            CHECKED: WINS @ reaches[CHECKED],
            FOLDED: sign * MEETS @ reaches[FOLDED],
            CALLED: 2 * WINS @ reaches[CALLED],
        }

    strategies = cfr.current() if mode == LEARN else cfr.average()
    return cfr.run_pass(learner, mode, np.ones(3), strategies, ends, factors).values[0]


def test_a_third_of_the_queens_bluffs_and_a_third_of_the_kings_calls() -> None:
    """A bluff of b queens makes a king indifferent where 3b = 1, and c calls a queen where 3c = 1.

    An ace then wins one chip more from a third of the kings: 1/18 of a chip a hand.
    """
    cfr = solved(4000)
    bets, calls = cfr.average()[0][1], cfr.average()[2][1]
    assert bets == pytest.approx([1, 0, 1 / 3], abs=0.01)
    assert calls == pytest.approx([1, 1 / 3, 0], abs=0.01)
    assert values(cfr, 0, AVERAGE).sum() / 6 == pytest.approx(1 / 18, abs=1e-3)
    gains = [values(cfr, player, BEST) - values(cfr, player, AVERAGE) for player in (0, 1)]
    assert all(gain.min() > -1e-12 and gain.sum() / 6 < 1e-3 for gain in gains)


def test_a_locked_decision_learns_nothing() -> None:
    cfr = VectorCFR(DECISIONS, 3, np.float64)
    always = np.array([[0.0] * 3, [1.0] * 3])
    cfr.locked[2] = always
    for _ in range(10):
        for learner in (0, 1):
            values(cfr, learner, LEARN, (1.0, 1.0, 1.0))
    assert not cfr.regrets[2].any()
    assert cfr.current()[2] is always


def test_regret_matching_shares_by_positive_regrets() -> None:
    regrets = np.array([[3.0, -1.0, 0.0], [1.0, -2.0, 0.0]])
    np.testing.assert_array_equal(matched(regrets), [[0.75, 0.5, 0.5], [0.25, 0.5, 0.5]])
