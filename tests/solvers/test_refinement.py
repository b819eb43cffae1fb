"""The refined LP: an exact equilibrium that also answers mistakes."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from riverboat.errors import ParameterError, StorageError
from riverboat.games.registry import make_game
from riverboat.solvers._lp import check_solvable, mistaken_plans, solve_lp, solve_refined
from riverboat.solvers._lp_model import Clock, Program
from riverboat.solvers.cfr import CFRSolver
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
    erring = mistaken_plans(form, Program(form, 0, Clock(None)))
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


@pytest.mark.parametrize(
    ("name", "refined", "best"), [("showdown", 0.2446, 0.2663), ("leduc", 0.7191, 0.7465)]
)
def test_against_random_play_another_equilibrium_wins_more(
    name: str, refined: float, best: float
) -> None:
    """The LP that maximises the gain from one opponent over all equilibria, mean of both seats."""
    form = form_of(name)
    random_play = form.tree.uniform()
    for algorithm, wins in (("lp:refined", refined), ("lp:against=random", best)):
        result = solve(form.tree, algorithm=algorithm)
        assert result.exploitability < 1e-9
        won = np.mean(against(form, result.strategy.probabilities, random_play))
        assert won == pytest.approx(wins, abs=1e-4)


def test_the_opponent_may_be_a_file(tmp_path: Path) -> None:
    """A caller of every bet: equilibria of Kuhn win most from it that bluff least (alpha 0)."""
    form = form_of("kuhn")
    caller = solve(form.tree, algorithm="lp").strategy
    wanted = {"b": 1.0, "p": 0.0}
    chances = np.array([wanted[action] for action in form.tree.actions])
    path = tmp_path / "Caller.rb"
    dataclasses.replace(caller, probabilities=chances).save(path)
    result = solve(form.tree, algorithm=f"lp:against={path}")
    assert result.algorithm == f"lp:against={path}"
    assert result.exploitability < 1e-9
    mine = against(form, result.strategy.probabilities, chances)
    for other in (solve_lp(form), solve_refined(form).probabilities):
        assert sum(mine) >= sum(against(form, other, chances)) - 1e-9


def test_an_opponent_is_named() -> None:
    with pytest.raises(ParameterError, match="names an opponent"):
        solve(make_game("kuhn"), algorithm="lp:against=")
    with pytest.raises(StorageError, match="no file"):
        solve(make_game("kuhn"), algorithm="lp:against=nothing.rb")
