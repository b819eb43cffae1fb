"""The sequence-form LP: published values, exactly."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from riverboat.errors import ParameterError, UsageError
from riverboat.evaluation.head_to_head import value_by_outcome
from riverboat.games.registry import make_game
from riverboat.solvers._lp import check_solvable, solve_lp
from riverboat.solvers._lp_model import Clock
from riverboat.solvers.cfr import CFRSolver
from riverboat.solvers.run import Limit
from riverboat.solvers.solve import solve
from riverboat.trees.best_response import evaluate_profile, respond
from riverboat.trees.game_tree import build_tree
from riverboat.trees.sequence_form import SequenceForm, sequence_form

BY_COMMUNITY_CARD = {
    **dict.fromkeys(("1", "2", "3"), Fraction(-49, 792)),
    "4": Fraction(-31, 506),
    "5": Fraction(-10, 187),
    "6": Fraction(-13, 270),
    "7": Fraction(-155, 3696),
    "8": Fraction(-1, 33),
    **dict.fromkeys(("9", "10", "11", "12", "13"), Fraction(0)),
}


@pytest.mark.parametrize(
    ("name", "value", "tolerance"),
    [
        ("rps", 0.0, 1e-12),
        ("kuhn", -1 / 18, 1e-12),
        ("leduc", -0.0856064241, 5e-11),
        ("showdown", -2487353 / 76854960, 1e-12),
    ],
)
def test_values(name: str, value: float, tolerance: float) -> None:
    """Kuhn (1950); Leduc as OpenSpiel's own LP has it; Showdown's exact fraction."""
    form = sequence_form(build_tree(make_game(name)))
    check_solvable(form)
    found = evaluate_profile(form, solve_lp(form))
    assert found.value[0] == pytest.approx(value, abs=tolerance)
    assert found.value[1] == pytest.approx(-value, abs=tolerance)
    assert found.nash_conv < 1e-10


def test_a_dearer_rock_is_thrown_less_often() -> None:
    """With a stake of 3 on a win by rock, equal gains need p = 3/5 and r = s = 1/5."""
    result = solve(make_game("rps", {"rock_stake": 3}), algorithm="lp")
    mix = result.strategy.lookup(0, "?")
    assert mix == pytest.approx({"r": 1 / 5, "p": 3 / 5, "s": 1 / 5})


def test_showdown_by_community_card() -> None:
    game = make_game("showdown")
    parts = value_by_outcome(game, solve(game, algorithm="lp").strategy)
    assert list(parts) == list(BY_COMMUNITY_CARD)
    for card, value in BY_COMMUNITY_CARD.items():
        assert parts[card] == pytest.approx([float(value), -float(value)], abs=1e-12)


def test_iteration_and_lp_agree() -> None:
    for name, parameters in (("kuhn", {}), ("leduc", {}), ("showdown", {"cards": 8})):
        form = sequence_form(build_tree(make_game(name, parameters)))
        exact = evaluate_profile(form, solve_lp(form)).value
        solver = CFRSolver(form, "sapcfr+")
        solver.run(Limit(target=5e-7))
        assert solver.evaluation().value == pytest.approx(exact, abs=1e-6)


@pytest.mark.slow
def test_liars_dice_is_worth_minus_7_over_258() -> None:
    """The value that the literature gives for one die each: −7/258."""
    form = sequence_form(build_tree(make_game("liars_dice")))
    found = evaluate_profile(form, solve_lp(form))
    assert found.value[0] == pytest.approx(-7 / 258, abs=1e-9)
    assert found.nash_conv < 1e-9


def test_three_players_have_no_lp() -> None:
    with pytest.raises(ParameterError, match="3 players here and the LP solves two-player"):
        solve(make_game("kuhn", {"players": 3}), algorithm="lp")


def test_an_lp_that_runs_out_of_time_says_so() -> None:
    form = sequence_form(build_tree(make_game("leduc")))
    check_solvable(form)
    with pytest.raises(UsageError, match="not finished in"):
        solve_lp(form, Clock(1e-6))


@pytest.mark.slow
def test_ctrl_c_ends_an_lp_under_way() -> None:
    """Liar's dice takes seconds; the key is pressed as soon as HiGHS has begun."""
    form = sequence_form(build_tree(make_game("liars_dice")))
    check_solvable(form)
    with pytest.raises(KeyboardInterrupt):
        solve_lp(form, Clock(None, lambda: True))


def test_off_its_own_path_the_strategy_still_answers_the_other() -> None:
    """After straying from his own plan a player does as well as by a best response."""
    form = sequence_form(build_tree(make_game("leduc")))
    check_solvable(form)
    probabilities = solve_lp(form)
    tree = form.tree
    for player in (0, 1):
        mine = np.repeat(tree.players == player, np.diff(tree.offsets))
        best = respond(form, probabilities, player)
        strayed = np.where(mine, tree.uniform(), probabilities)
        never = np.repeat(
            np.add.reduceat(form.to_slots(plan_of(form, probabilities)), tree.offsets[:-1]) == 0,
            np.diff(tree.offsets),
        )
        with_ours = np.where(mine & never, probabilities, strayed)
        with_best = np.where(mine & never, best, strayed)
        values = [evaluate_profile(form, p).value[player] for p in (with_ours, with_best)]
        assert (mine & never).any()
        assert values[0] == pytest.approx(values[1], abs=1e-9)


def plan_of(form: SequenceForm, probabilities: np.ndarray) -> np.ndarray:
    """(S,) the product of a player's own probabilities along each of his sequences."""
    behaviour = form.to_sequences(probabilities)
    plan = np.ones_like(behaviour)
    for first, n, k, place in form.groups.astype(int).tolist():
        for a in range(k):
            block = slice(first + a * n, first + (a + 1) * n)
            plan[block] = behaviour[block] * plan[form.parents[place : place + n]]
    return plan
