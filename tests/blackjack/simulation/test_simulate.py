"""Simulated values against exact ones, and what is derived from the counts of results."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from riverboat.blackjack.charts import MIMIC_DEALER, NEVER_BUST, published_chart
from riverboat.blackjack.exact.analysis import analyse
from riverboat.blackjack.rules import BlackjackRules, rules_from
from riverboat.blackjack.simulation.counting import Ramp, counter_from
from riverboat.blackjack.simulation.simulate import (
    BLOCK_ROUNDS,
    Simulation,
    SimulationResult,
    simulate,
)
from riverboat.errors import ParameterError

DATA = Path(__file__).parents[2] / "data" / "blackjack" / "total_dependent_strategy_ev.json"
CHARTS = {
    "published_4to8_deck_total_dependent_basic_strategy": None,
    "mimic_dealer": MIMIC_DEALER,
    "never_bust": NEVER_BUST,
}
# Rows that between them have every rule of the file.
PICKED = [
    ("published_4to8_deck_total_dependent_basic_strategy", 6, 0, 1, 4, 2, "none", "peek"),
    ("published_4to8_deck_total_dependent_basic_strategy", 1, 1, 0, 2, 2, "none", "peek"),
    ("published_4to8_deck_total_dependent_basic_strategy", 8, 1, 1, 4, 4, "late", "enhc"),
    ("never_bust", 2, 0, 0, 2, 2, "none", "peek"),
]


def exact_row(wanted):
    rows = json.loads(DATA.read_text())["rows"]
    for row in rows:
        values = {k: v for k, v in row.items() if k not in ("strategy", "ev")}
        key = tuple(values[k] for k in list(values)[:6])
        if (row["strategy"], *key) == wanted[:7] and row["hole_card"] == wanted[7]:
            return rules_from(changes=values), CHARTS[row["strategy"]], row["ev"]
    raise AssertionError(f"no such row: {wanted}")


def check(row, rounds, seed=1):
    rules, chart, exact = row
    simulation = Simulation(rules, chart, penetration=0)
    result = simulate(simulation, rounds, seed=seed)
    assert result.rounds == rounds
    assert abs(result.ev - exact) < 4 * result.stderr, (result.ev, result.stderr, exact)


@pytest.mark.parametrize("row", PICKED, ids=str)
def test_agrees_with_the_exact_value_of_the_strategy(row):
    check(exact_row(row), 20_000_000)


@pytest.mark.slow
@pytest.mark.parametrize("row", PICKED[:3], ids=str)
def test_agrees_with_the_exact_value_over_a_thousand_million_rounds(row):
    check(exact_row(row), 1_000_000_000)


@pytest.mark.parametrize(
    "rules",
    [
        rules_from("combo-charlie"),
        rules_from("infinite", {"surrender": "early", "bj_pays": 1.2}),
        BlackjackRules(decks=2, hit_split_aces=True, max_split_hands_aces=4, charlie=6),
    ],
    ids=["combo-charlie", "infinite-early", "charlie-6"],
)
def test_agrees_with_the_exact_analysis_under_rarer_rules(rules):
    chart = published_chart(rules)
    check((rules, chart, analyse(rules, strategy=chart).ev), 10_000_000)


def test_other_seats_do_not_change_a_fresh_shoe():
    rules = BlackjackRules()
    exact = analyse(rules, strategy=published_chart(rules)).ev
    simulation = Simulation(rules, seats=4, seat=2, others=MIMIC_DEALER, penetration=0)
    result = simulate(simulation, 4_000_000, seed=2)
    assert abs(result.ev - exact) < 4 * result.stderr


def test_same_result_for_any_number_of_threads():
    simulation = Simulation(BlackjackRules(), counter=counter_from("hilo"), seats=2)
    rounds = 3 * BLOCK_ROUNDS // 2
    one, two = (simulate(simulation, rounds, seed=9, threads=n) for n in (1, 2))
    assert np.array_equal(one.histogram, two.histogram)
    assert not np.array_equal(one.histogram, simulate(simulation, rounds, seed=10).histogram)


def test_shoes_are_played_to_their_end_for_every_number_of_rounds():
    """Single shoes, one to a seed, bet on the average what one long run of shoes bets."""
    rules = BlackjackRules(decks=2)
    simulation = Simulation(rules, counter=counter_from("hilo", "1 2@1 4@2 8@3 12@4", "none"))
    singles = [simulate(simulation, 1, seed=seed) for seed in range(3000)]
    bets = np.array([run.average_bet * run.rounds for run in singles])
    rounds = np.array([run.rounds for run in singles])
    assert min(rounds) > 5
    mean = bets.sum() / rounds.sum()
    # A ratio of two sums over independent shoes: its error by the delta method.
    error = np.std(bets - mean * rounds) / rounds.mean() / len(singles) ** 0.5
    whole = simulate(simulation, 2_000_000, seed=1)
    assert abs(mean - whole.average_bet) < 4 * error
    assert 2_000_000 <= whole.rounds < 2_000_000 + 2 * 128 * 20


def test_a_run_says_whether_it_was_cut_short():
    def stop(done, wanted):
        raise KeyboardInterrupt

    simulation = Simulation(BlackjackRules(decks=1))
    assert not simulate(simulation, 1000).cut_short
    assert simulate(simulation, 2 * BLOCK_ROUNDS, progress=stop).cut_short


def test_stopping_keeps_the_blocks_played():
    def stop(done, wanted):
        assert wanted == 3 * BLOCK_ROUNDS
        if done >= BLOCK_ROUNDS:
            raise KeyboardInterrupt

    simulation = Simulation(BlackjackRules(decks=1))
    stopped = simulate(simulation, 3 * BLOCK_ROUNDS, seed=4, progress=stop)
    whole = simulate(simulation, BLOCK_ROUNDS, seed=4)
    assert np.array_equal(stopped.histogram, whole.histogram)


def result_of(histogram, edges=(), ramp="1"):
    rules = BlackjackRules()
    counter = replace(counter_from("hilo", deviations="none"), ramp=Ramp.parse(ramp))
    return SimulationResult(Simulation(rules, counter=counter), 0, edges, np.array(histogram))


def test_figures_follow_from_the_counts():
    """51 wins and 49 losses of 1 at bet 2; none at bet 1 but 20 pushes."""
    width = 41
    histogram = np.zeros((2, width), np.int64)
    histogram[0, 20] = 20
    histogram[1, 20 + 10], histogram[1, 20 - 10] = 51, 49
    result = result_of(histogram, (1.0,), "1 2@1")
    assert result.rounds == 120
    assert result.average_bet == pytest.approx((20 + 200) / 120)
    assert result.ev == pytest.approx(4 / 120)
    assert result.variance == pytest.approx(400 / 120 - (4 / 120) ** 2)
    assert result.stderr == pytest.approx(math.sqrt(result.variance / 120))
    assert result.ci95 == pytest.approx(1.959964 * result.stderr)
    assert f"± {result.ci95:.6f} units" in result._repr_html_()
    assert f"± {100 * result.ci95:.4f} %" in repr(result)
    assert result.ev_per_bet == pytest.approx(4 / 220)
    assert result.n0 == pytest.approx(result.variance / result.ev**2)
    assert result.per_hour(100) == pytest.approx((400 / 120, math.sqrt(100 * result.variance)))
    low, high = result.by_count()
    assert (low.share, low.bet, low.ev) == (pytest.approx(1 / 6), 1.0, 0.0)
    assert (high.low, high.bet, high.ev) == (1.0, 2.0, pytest.approx(0.02))


def test_risk_of_ruin_is_near_the_gamblers_ruin():
    """A walk of ±1 with p = 0.505 is ruined from 100 with probability (q/p)^100."""
    histogram = np.zeros((1, 41), np.int64)
    histogram[0, 30], histogram[0, 10] = 505, 495
    result = result_of(histogram)
    assert result.risk_of_ruin(100) == pytest.approx((495 / 505) ** 100, rel=1e-3)
    histogram[0, 30], histogram[0, 10] = 495, 505
    assert result_of(histogram).risk_of_ruin(100) == 1.0


def test_error_of_a_ratio_is_that_of_repeated_runs():
    simulation = Simulation(BlackjackRules(decks=1), counter=counter_from("hilo"))
    runs = [simulate(simulation, 20_000, seed=seed) for seed in range(60)]
    spread = np.std([run.ev_per_bet for run in runs], ddof=1)
    claimed = np.mean([run.stderr_per_bet for run in runs])
    assert 0.7 < spread / claimed < 1.3  # 60 runs know their spread to 9 %


def test_counting_finds_the_good_rounds():
    """More than half a per cent per true count is the rule of thumb (Wong)."""
    result = simulate(
        Simulation(BlackjackRules(), counter=counter_from("hilo")), 20_000_000, seed=3
    )
    rows = {row.low: row for row in result.by_count()}
    assert sum(row.share for row in rows.values()) == pytest.approx(1)
    slope = (rows[4.0].ev - rows[-3.0].ev) / 7
    assert 0.004 < slope < 0.007
    assert result.ev > 4 * result.stderr


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"seats": 0}, "seats"),
        ({"seats": 3, "seat": 3}, "seat"),
        ({"penetration": 1.0}, "penetration"),
        ({"penetration": 0.98, "seats": 7}, "penetration"),
        ({"rules": rules_from("infinite"), "counter": counter_from("hilo")}, "infinite"),
    ],
)
def test_bad_settings_are_refused(change, named):
    with pytest.raises(ParameterError, match=named):
        Simulation(**{"rules": BlackjackRules(decks=1), **change})


@pytest.mark.parametrize("seed", range(6))
def test_a_single_round_has_figures_too(seed):
    counter = counter_from("hilo", "0 1@8", "none")
    for simulation in (
        Simulation(BlackjackRules(), penetration=0),
        Simulation(BlackjackRules(), counter=counter, penetration=0),
    ):
        result = simulate(simulation, 1, seed=seed)
        assert result.variance == pytest.approx(0)
        assert result.stderr_per_bet == pytest.approx(0)
        assert 0 <= result.risk_of_ruin(10) <= 1
        assert len(result.by_count()) == 1


def test_bad_numbers_are_refused():
    simulation = Simulation(BlackjackRules())
    with pytest.raises(ParameterError, match="rounds"):
        simulate(simulation, 0)
    with pytest.raises(ParameterError, match="threads"):
        simulate(simulation, 1, threads=0)
