"""The kernels do what the algorithm says: regrets, averages and values of small spots."""

import numpy as np
import pytest

from exact_spots import lp_value
from exact_three_way import RIVER
from riverboat.holdem.spots.algorithm import PlainSolver, normalised
from riverboat.holdem.spots.solver import SpotSolver
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.three_way_solver import ThreeWaySolver
from riverboat.solvers.algorithms import AVERAGE, BEST

TWO = """board = "Qs Jh 8h 2c{river}"
pot = 20
stack = 40
[ranges]
oop = "AsKs,9s9d,7h6h:0.5,AhTc,QdJd"
ip = "KdKc,AhTh,8c8d:0.7,JsTs,5c5d"
[sizes.turn]
oop = {{ bet = "50%", raise = "a" }}
ip = {{ bet = "75%", raise = "a" }}
[tree]
raises = 2
[rake]
rate = 0.05
cap = 1.5
"""
TURN_OF_THREE = """board = "Ks Th 7s 4d"
pot = 30
stacks = { sb = 40, bb = 15, btn = 60 }
[ranges]
sb = "AcKc,9s9d"
bb = "KhQh:0.5,8s8h"
btn = "KdQd,AhAd,6s5s"
[sizes.river]
sb = { bet = "60%", raise = "a" }
bb = { bet = "a" }
btn = { bet = "a" }
"""
ITERATIONS = 12


def plain(spot: Spot) -> PlainSolver:
    solver = PlainSolver(spot)
    for _ in range(ITERATIONS):
        solver.iterate()
    return solver


@pytest.mark.parametrize("river", ["", " 9h", " 8s"])
def test_the_kernels_for_two_do_what_the_algorithm_says(river: str) -> None:
    spot = Spot.from_toml(TWO.format(river=river))
    expected, solver = plain(spot), SpotSolver(spot, isomorphism=False)
    solver.step(ITERATIONS)
    solved, evaluation = solver.result(), solver.evaluation()
    for player in (0, 1):
        assert evaluation.best[player] == pytest.approx(expected.mean(player, BEST), abs=1e-3)
        assert evaluation.ev[player] == pytest.approx(expected.mean(player, AVERAGE), abs=1e-3)
    for (index, dealt), averages in expected.averages.items():
        node = solved.tree.nodes[index]
        board, _ = solver.geometry.runouts.find(dealt)
        blocked = np.isin(expected.cards[node.player], dealt).any(axis=1)
        found = solved.strategy(node, board)[:, ~blocked]
        np.testing.assert_allclose(found, normalised(averages)[:, ~blocked], atol=2e-3)


@pytest.mark.parametrize("text", [RIVER, TURN_OF_THREE])
def test_the_kernels_for_three_do_what_the_algorithm_says(text: str) -> None:
    spot = Spot.from_toml(text)
    expected, solver = plain(spot), ThreeWaySolver(spot, isomorphism=False)
    solver.step(ITERATIONS)
    solved, evaluation = solver.result(), solver.evaluation()
    for player in range(3):
        assert evaluation.best[player] == pytest.approx(expected.mean(player, BEST), abs=1e-3)
        assert evaluation.ev[player] == pytest.approx(expected.mean(player, AVERAGE), abs=1e-3)
    for (index, dealt), averages in expected.averages.items():
        node = solved.tree.nodes[index]
        board, _ = solver.layout.boards.find(dealt)
        blocked = np.isin(expected.cards[node.player], dealt).any(axis=1)
        found = solved.strategy(node, board)[:, ~blocked]
        np.testing.assert_allclose(found, normalised(averages)[:, ~blocked], atol=2e-3)


def test_the_algorithm_finds_the_value_of_the_exact_lp() -> None:
    """Its own source outside this code: a river's sequence-form linear program."""
    text = TWO.format(river=" 9h").replace("rate = 0.05\ncap = 1.5", "")
    solver = PlainSolver(Spot.from_toml(text.replace("[rake]\n", "")))
    for _ in range(1500):
        solver.iterate()
    value = lp_value(solver.spot)
    assert solver.mean(0, AVERAGE) == pytest.approx(value, abs=5e-3)
    assert solver.mean(0, BEST) >= value - 1e-9
    assert solver.mean(0, BEST) == pytest.approx(value, abs=2e-2)
