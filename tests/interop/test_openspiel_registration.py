"""Our games in OpenSpiel, by its own checks."""

import subprocess
import sys
import unittest

import pyspiel
import pytest

import riverboat as rb
from riverboat.interop.openspiel_registration import register_all

NAMES = register_all()
QUICK = [name for name in NAMES if name != "riverboat_liars_dice"]
COUNTS = {
    # Chance, decisions and ends, and infosets: OpenSpiel's figures for the same games.
    "riverboat_kuhn": ((4, 24, 30), 12),
    "riverboat_kuhn(players=3)": ((17, 288, 312), 48),
    "riverboat_leduc": ((157, 3780, 5520), 936),
}


def test_every_small_game_is_registered() -> None:
    assert {"riverboat_rps", "riverboat_kuhn", "riverboat_leduc", "riverboat_showdown"} <= set(
        NAMES
    )
    assert set(NAMES) <= set(pyspiel.registered_names())
    assert register_all() == NAMES


@pytest.mark.parametrize("name", [*QUICK, "riverboat_kuhn(players=4)"])
def test_openspiels_random_simulations_pass(name: str) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=5, serialize=True, verbose=False)


@pytest.mark.slow
def test_openspiels_random_simulations_pass_with_liars_dice() -> None:
    game = pyspiel.load_game("riverboat_liars_dice")
    pyspiel.random_sim_test(game, num_sims=20, serialize=True, verbose=False)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["riverboat_kuhn", "riverboat_kuhn(players=3)"])
def test_openspiels_api_tests_pass(name: str) -> None:
    run_api_tests(name)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [*QUICK, "riverboat_leduc"])
def test_openspiels_api_tests_pass_with_all_games(name: str) -> None:
    run_api_tests(name)


def run_api_tests(name: str) -> None:
    """OpenSpiel's integration test, class by class, as it runs them for its own games."""
    from open_spiel.integration_tests import api_test

    game = pyspiel.load_game(name)
    facts = {"game": game, "game_name": name}
    bases = [api_test.EnforceAPIOnPartialTreeBase]
    if name in COUNTS:
        bases.append(api_test.EnforceAPIOnFullTreeBase)
        api_test.TOTAL_NUM_STATES[name], api_test.PERFECT_RECALL_NUM_STATES[name] = COUNTS[name]
    for base in bases:
        case = type(base.__name__, (base,), facts)
        suite = unittest.defaultTestLoader.loadTestsFromTestCase(case)
        outcome = unittest.TestResult()
        suite.run(outcome)
        assert outcome.testsRun >= 5
        assert not outcome.errors + outcome.failures, outcome.errors + outcome.failures


def test_openspiels_solver_finds_kuhns_value_in_our_game() -> None:
    game = pyspiel.load_game("riverboat_kuhn")
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(200):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    assert pyspiel.nash_conv(game, average) < 5e-3
    value = pyspiel.expected_returns(game.new_initial_state(), average, -1, True, 0.0)
    assert value[0] == pytest.approx(-1 / 18, abs=5e-3)


def test_our_game_returns_unchanged_through_openspiel() -> None:
    result = rb.solve("openspiel:riverboat_leduc")
    assert result.value[0] == pytest.approx(rb.solve("leduc").value[0], abs=1e-9)


def test_a_program_that_used_our_games_ends_in_peace() -> None:
    program = (
        "import pyspiel, riverboat.interop.openspiel_registration\n"
        "pyspiel.load_game('riverboat_kuhn').new_initial_state().clone()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
