"""Solving spots: closed forms, the exact LP, brute force, another solver's figures."""

from typing import Any

import numpy as np
import pytest

from exact_spots import best_response, lp_value, played_value
from riverboat.holdem.spots.solver import SpotSolver, make_solver
from riverboat.holdem.spots.spot import Spot
from riverboat.solvers.run import Limit
from spot_references import reference, spot_from_lines

POLAR = """board = "2s 2h 2d 3c 3d"
pot = 100
stack = 100
[ranges]
oop = "AA,QQ"
ip = "KK"
[tree]
lines = ["A100"]
"""
TURN = """board = "Qs Jh 8h {river}"
pot = 20
stack = 40
[ranges]
oop = "AsKs,9s9d,7h6h:0.5,AhTc,QdJd"
ip = "KdKc,AhTh,8c8d:0.7,JsTs,5c5d"
[sizes.turn]
oop = {{ bet = "50%", raise = "a" }}
ip = {{ bet = "50%", raise = "a" }}
{rake}
"""


def small(river: str = "2c", rake: str = "") -> Spot:
    return Spot.from_toml(TURN.format(river=river, rake=rake))


def solved(spot: Spot, target: float) -> SpotSolver:
    solver = make_solver(spot)
    solver.run(Limit(target=target, iterations=20_000))
    return solver


def test_polar_river_has_the_closed_form() -> None:
    """A bet of the pot: half as many bluffs as value bets, called half of the time."""
    solver = solved(Spot.from_toml(POLAR), 0.001)
    root = solver.result().at("r:0")
    figures = root.table()
    assert root.summary().ev == pytest.approx(75, abs=0.05)
    assert root.summary(1).ev == pytest.approx(25, abs=0.05)
    for hand, share in (("AsAh", 1.0), ("QsQh", 0.5)):
        strategy = figures[hand].strategy
        assert strategy is not None
        assert strategy["all-in 100"] == pytest.approx(share, abs=0.02)
    call = root.play("A100").summary().strategy
    assert call is not None
    assert call["call"] == pytest.approx(0.5, abs=0.02)


def test_kuhn_poker_is_a_river_on_which_equal_hands_block_each_other() -> None:
    spot = Spot.from_toml(
        POLAR.replace("pot = 100\nstack = 100", "pot = 2\nstack = 1")
        .replace("AA,QQ", "AcAd,KcKd,QcQd")
        .replace("KK", "AcAd,KcKd,QcQd")
        .replace('["A100"]', '["A1", "X-A1"]')
    )
    solver = solved(spot, 1e-5)
    assert solver.last_evaluation is not None
    assert solver.last_evaluation.ev[0] == pytest.approx(1 - 1 / 18, abs=2e-5)


@pytest.mark.parametrize("river", ["2c 9h", "2c 8s", "Qh Qc"])
def test_rivers_have_the_value_of_the_exact_lp(river: str) -> None:
    spot = small(river)
    found = solved(spot, 1e-3).last_evaluation
    assert found is not None
    assert found.ev[0] == pytest.approx(lp_value(spot), abs=2e-3)
    assert sum(found.ev) == pytest.approx(spot.pot, abs=1e-4)


@pytest.mark.parametrize("rake", ["", "[rake]\nrate = 0.05\ncap = 2.5"])
@pytest.mark.parametrize("river", ["2c", "2c 9h"])
def test_values_and_best_responses_are_those_of_brute_force(river: str, rake: str) -> None:
    text = TURN.format(river=river, rake=rake)
    if len(river) == 2:  # A turn has 48 rivers: fewer lines, as many kinds of ends.
        text = text.replace('ip = { bet = "50%", raise = "a" }', 'ip = { raise = "a" }')
    solver = make_solver(Spot.from_toml(text))
    solver.step(25)
    found, root = solver.evaluation(), solver.result().at("r:0")
    for player in (0, 1):
        assert found.best[player] == pytest.approx(best_response(root, player), abs=2e-4)
        assert found.ev[player] == pytest.approx(played_value(root, player), abs=2e-4)
    assert found.exploitability > 0.01


def test_raked_equilibria_leave_no_gain() -> None:
    solver = solved(small("2c 9h", "[rake]\nrate = 0.05\ncap = 2.5"), 1e-3)
    root = solver.result().at("r:0")
    gains = [best_response(root, player) - played_value(root, player) for player in (0, 1)]
    assert max(gains) < 3e-3
    assert sum(solver.info()["ev"]) < 20


def test_isomorphic_runouts_change_nothing() -> None:
    text = """board = "Qs Js 8s 2s"
pot = 20
stack = 30
[ranges]
oop = "AA,KQs,T9o"
ip = "KK,AJo,88"
[sizes.turn]
oop = { bet = "50%", raise = "a" }
ip = { bet = "75%" }
"""
    solvers = [make_solver(Spot.from_toml(text), isomorphism=each) for each in (True, False)]
    assert solvers[0].layout.boards.num_boards[1] < solvers[1].layout.boards.num_boards[1] == 48
    found: list[Any] = []
    for solver in solvers:
        solver.step(40)
        found.append(solver.evaluation())
        root = solver.result().at("r:0:c:c")
        # A card of a class with others, whose strategy is read from another card's board.
        found.append([root.deal(card).summary().ev for card in ("Ah", "Ad", "3c", "Ks")])
    assert found[0].ev == pytest.approx(found[2].ev, abs=1e-4)
    assert found[0].best == pytest.approx(found[2].best, abs=1e-4)
    assert found[1] == pytest.approx(found[3], abs=1e-3)
    assert found[1][0] == pytest.approx(found[1][1], abs=1e-9)


def test_any_number_of_threads_gives_the_same_bits() -> None:
    solvers = [make_solver(small(), threads=threads) for threads in (1, 2, 3)]
    for solver in solvers:
        solver.run(Limit(iterations=12))
    for solver in solvers[1:]:
        for player in (0, 1):
            for name in ("regrets", "averages"):
                mine, first = (getattr(each, name)[player].values for each in (solver, solvers[0]))
                assert np.array_equal(mine, first)


def test_river_of_another_solver_hand_by_hand() -> None:
    """Its figures stand at an exploitability of 0.01 % of the pot. Single hands are less certain:
    solved on to 0.00003 %, some of their EVs are 0.4 % of the pot from its own."""
    data = reference("river_full")
    solver = solved(spot_from_lines(data), 0.0125)
    root = solver.result().at("r:0")
    assert root.summary().ev == pytest.approx(data["result"]["ev_oop"], abs=0.01)
    assert root.summary().equity == pytest.approx(data["result"]["equity_oop"], abs=1e-6)
    table = root.table()
    gaps = np.array([table[hand].ev - each["ev"] for hand, each in data["hands"].items()])
    assert np.abs(gaps).mean() < 0.05
    assert (np.abs(gaps) < 0.1).mean() > 0.95
    assert np.abs(gaps).max() < 0.5
    for hand, each in data["hands"].items():
        assert table[hand].equity == pytest.approx(each["equity"], abs=1e-5)
