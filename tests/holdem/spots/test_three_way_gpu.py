"""Spots of three players on a real GPU, against the CPU's solver."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from exact_three_way import RIVER, TURN
from riverboat.holdem.spots.locks import parse_lock
from riverboat.holdem.spots.solver import SpotSolver, make_solver
from riverboat.holdem.spots.spot import Spot as ThreeWaySpot
from riverboat.runtime.devices import why_no_gpu
from riverboat.solvers.run import Limit

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(bool(why_no_gpu()), reason=why_no_gpu() or "there is a GPU"),
    pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="needs Numba"),
]
WIDE = """\
board = "Ks Th 7s 4d"
pot = 60
stacks = { sb = 100, bb = 60, btn = 100 }
[ranges]
sb = "22+,A2s+,KTs+,QTs+,JTs,ATo+,KQo"
bb = "22+,A2s+,K9s+,Q9s+,J9s+,T9s,98s,AJo+,KJo+"
btn = "55+,A8s+,KTs+,QJs,AQo+"
[rake]
rate = 0.05
cap = 5
[sizes.turn]
sb = { bet = "60%,a", raise = "a" }
bb = { bet = "60%,a", raise = "a" }
btn = { bet = "60%,a", raise = "a" }
"""
FLOP = TURN.replace('"Ks Th 7s 4d"', '"Ks Th 7s"').replace("sizes.turn", "sizes.flop")
LOCKS = ("r:0=check:1",)


@pytest.mark.parametrize("locks", [(), LOCKS], ids=["free", "locked"])
@pytest.mark.parametrize("text", [RIVER, TURN, WIDE, FLOP], ids=["river", "turn", "wide", "flop"])
def test_the_cpu_judges_what_the_gpu_found(text: str, locks: tuple[str, ...]) -> None:
    spot, locked = ThreeWaySpot.from_toml(text), [parse_lock(lock) for lock in locks]
    solver = make_solver(spot, device="cuda", locks=locked)
    solver.step(8)
    found = solver.evaluation()
    judge = make_solver(solver.layout, locks=locked)
    judge.passes.restore(solver.regrets, solver.averages)
    wanted = judge.evaluation()
    assert found.ev == pytest.approx(wanted.ev, abs=1e-5 * spot.pot)
    assert found.gains == pytest.approx(wanted.gains, abs=1e-5 * spot.pot)


@pytest.mark.parametrize("text", [RIVER, WIDE], ids=["river", "wide"])
def test_a_target_is_reached_and_rivers_may_go_by_turns(text: str, tmp_path: Path) -> None:
    spot = ThreeWaySpot.from_toml(text)
    whole, turns = make_solver(spot, device="cuda"), make_solver(spot, device="cuda", scratch=1)
    for solver in (whole, turns):
        solver.step(3)
    for one, two in zip(whole.regrets, turns.regrets, strict=True):
        assert np.array_equal(one.values, two.values)
    whole.run(Limit(target=0.003 * spot.pot))
    assert 0 <= whole.evaluation().total <= 0.003 * spot.pot
    whole.save(tmp_path / "spot.rb")
    again = SpotSolver.load(tmp_path / "spot.rb")
    assert again.evaluation().total <= 0.00301 * spot.pot
