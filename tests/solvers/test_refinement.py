"""The refined LP: an exact equilibrium that also answers mistakes."""

from __future__ import annotations

import numpy as np
import pytest

from riverboat.games.registry import make_game
from riverboat.solvers.cfr import CFRSolver
from riverboat.solvers.lp import check_solvable, mistaken_plans, solve_lp, solve_refined
from riverboat.solvers.run import Limit
from riverboat.solvers.solve import solve
from riverboat.trees.best_response import evaluate_profile
from riverboat.trees.game_tree import build_tree
from riverboat.trees.sequence_form import SequenceForm, sequence_form


def form_of(name: str, **parameters: int) -> SequenceForm:
    form = sequence_form(build_tree(make_game(name, parameters)))
    check_solvable(form)
    return form


def against(form: SequenceForm, ours: np.ndarray, theirs: np.ndarray) -> list[float]:
    """What each seat wins when it alone plays `ours`."""
    player = np.repeat(form.tree.players, np.diff(form.tree.offsets))
    return [
        evaluate_profile(form, np.where(player == seat, ours, theirs)).value[seat]
        for seat in (0, 1)
    ]


def test_kuhn_bluffs_by_default() -> None:
    """Kuhn (1950): the jack bets α, the king 3α, the queen calls α + 1/3, for α up to 1/3.

    Who calls too often or too seldom loses the more the larger α is.
    """
    result = solve(make_game("kuhn"))
    bets = {card: result.strategy.lookup(0, f"{card}|")["b"] for card in "JQK"}
    alpha = bets["J"]
    assert alpha == pytest.approx(1 / 3)
    assert bets["Q"] == pytest.approx(0)
    assert bets["K"] == pytest.approx(3 * alpha)
    assert result.strategy.lookup(0, "Q|pb")["b"] == pytest.approx(alpha + 1 / 3)
    assert result.value[0] == pytest.approx(-1 / 18, abs=1e-12)
    assert result.exploitability < 1e-12


def test_the_mix_is_free_where_kuhns_family_says() -> None:
    """Only the first player has a choice: α from 0 to 1/3."""
    free = solve(make_game("kuhn")).strategy.info["free"]
    assert [(row["player"], row["infoset"]) for row in free] == [(0, "J|"), (0, "K|"), (0, "Q|pb")]
    mixes = [row["mix"]["b"] for row in free]
    for found, wanted in zip(mixes, [(0, 1 / 3), (0, 1), (1 / 3, 2 / 3)], strict=True):
        assert found == pytest.approx(wanted, abs=1e-9)


def test_showdown_wins_what_cfr_wins_from_the_random_player() -> None:
    """About +0.24 a game with seats alternating, where the LP's corner wins 0.19."""
    form = form_of("showdown")
    result = solve(form.tree)
    assert result.exploitability < 1e-10
    won = np.mean(against(form, result.strategy.probabilities, form.tree.uniform()))
    assert won == pytest.approx(0.24, abs=0.01)


GAMES: list[tuple[str, dict[str, int]]] = [
    ("kuhn", {}),
    ("rps", {}),
    ("showdown", {"cards": 7}),
    ("leduc", {}),
    ("liars_dice", {"faces": 3}),
]


@pytest.mark.parametrize(("name", "parameters"), GAMES)
def test_no_equilibrium_wins_more_from_one_who_errs(name: str, parameters: dict[str, int]) -> None:
    form = form_of(name, **parameters)
    refined = solve_refined(form).probabilities
    assert evaluate_profile(form, refined).exploitability < 1e-10
    erring = mistaken_plans(form)
    assert (erring > 0).all()
    cfr = CFRSolver(form, "sapcfr+")
    cfr.run(Limit(target=1e-8, iterations=100_000))
    wins = against(form, refined, form.to_slots(form.behaviour(erring)))
    for other in (solve_lp(form), cfr.probabilities()):
        gap = evaluate_profile(form, other).nash_conv
        others = against(form, other, form.to_slots(form.behaviour(erring)))
        for mine, theirs in zip(wins, others, strict=True):
            assert mine >= theirs - gap - 1e-9


def test_the_same_answer_every_time() -> None:
    game = make_game("leduc")
    first, second = (solve(game).strategy.probabilities for _ in range(2))
    assert np.array_equal(first, second)


def test_the_plain_corner_stays_to_be_had() -> None:
    result = solve(make_game("kuhn"), algorithm="lp")
    assert result.algorithm == "lp"
    assert "free" not in result.strategy.info
