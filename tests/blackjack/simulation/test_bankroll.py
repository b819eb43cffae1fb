"""The bankroll fan against the closed form and against bankrolls that were really played."""

import numpy as np
import pytest

from riverboat.blackjack.rules import BlackjackRules
from riverboat.blackjack.simulation.simulate import Simulation, bankroll_fan, simulate
from riverboat.errors import ParameterError


@pytest.fixture(scope="module")
def result():
    return simulate(Simulation(BlackjackRules()), 200_000, seed=1)


def test_the_fan_opens_with_the_root_of_the_rounds(result):
    fan = bankroll_fan(result, 10_000)
    name, low, high = fan.bands[0]
    assert name == "90% of players"
    assert fan.rounds[0] == low[0] == high[0] == 0
    assert fan.rounds[-1] == 10_000
    # 1.6449 standard deviations on each side hold nine tenths of a normal distribution.
    assert high[-1] - low[-1] == pytest.approx(2 * 1.6449 * 100 * result.variance**0.5, rel=1e-4)
    assert fan.bands[-1][1][-1] == pytest.approx(10_000 * result.ev)


def test_nine_tenths_of_real_bankrolls_are_inside(result):
    chances = result.histogram.sum(0) / result.rounds
    rng = np.random.default_rng(3)
    ends = rng.multinomial(400, chances, size=4000) @ result.results
    _, low, high = bankroll_fan(result, 400).bands[0]
    inside = np.mean((low[-1] <= ends) & (ends <= high[-1]))
    assert inside == pytest.approx(0.9, abs=0.02)


def test_results_add_up(result):
    more = simulate(Simulation(BlackjackRules()), 100_000, seed=2)
    both = result.merged(more)
    assert both.rounds == result.rounds + more.rounds
    won = result.rounds * result.ev + more.rounds * more.ev
    assert both.ev == pytest.approx(won / both.rounds)
    with pytest.raises(ParameterError, match="same simulation"):
        result.merged(simulate(Simulation(BlackjackRules(h17=True)), 1000))
    with pytest.raises(ParameterError, match="at least 1"):
        bankroll_fan(result, 0)
