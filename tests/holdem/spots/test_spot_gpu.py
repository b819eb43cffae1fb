"""Spots on a real GPU, against the reference values and against the CPU's solver."""

import importlib.util

import numpy as np
import pytest

from random_spots import random_locks, random_spot
from riverboat.holdem.spots.solver import make_solver
from riverboat.runtime.devices import why_no_gpu
from riverboat.solvers.run import Limit
from spot_references import reference, spot_from_lines

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(bool(why_no_gpu()), reason=why_no_gpu() or "there is a GPU"),
]
NUMBA = importlib.util.find_spec("numba") is not None


@pytest.mark.parametrize("name", ["river_full", "turn_full", "3betpotfast"])
def test_reference_spots_have_their_values(name: str) -> None:
    data = reference(name)
    spot = spot_from_lines(data)
    solver = make_solver(spot, device="cuda")
    solver.run(Limit(target=0.0005 * spot.pot))
    found = solver.evaluation()
    assert found.percent <= 0.05
    assert found.ev[0] == pytest.approx(data["result"]["ev_oop"], abs=0.0005 * spot.pot)
    assert sum(found.ev) == pytest.approx(spot.pot, abs=1e-6 * spot.pot)


@pytest.mark.parametrize("seed", range(1, 9))
def test_rivers_of_their_own_and_by_schedule_agree(seed: int) -> None:
    spot = random_spot(seed)
    solver = make_solver(spot, device="cuda", locks=random_locks(spot, seed))
    solver.step(40)
    found = solver.evaluation()
    other = make_solver(spot, device="cuda", locks=random_locks(spot, seed), fused=False)
    other.passes.iterations = solver.iterations
    other.passes.restore(solver.regrets, solver.averages)
    wanted = other.evaluation()
    assert found.best == pytest.approx(wanted.best, abs=1e-6 * spot.pot)
    assert found.ev == pytest.approx(wanted.ev, abs=1e-6 * spot.pot)
    if NUMBA:
        judge = make_solver(spot, locks=random_locks(spot, seed))
        judge.passes.restore(solver.regrets, solver.averages)
        assert judge.evaluation().best == pytest.approx(found.best, abs=1e-6 * spot.pot)


def test_sixteen_bit_averages_cost_little() -> None:
    spot = spot_from_lines(reference("turn_full"))
    gaps = []
    for int16 in (False, True):
        solver = make_solver(spot, device="cuda", int16=int16)
        solver.step(200)
        gaps.append(solver.evaluation().percent)
    assert gaps[1] == pytest.approx(gaps[0], abs=0.02)


def test_the_same_bits_from_run_to_run() -> None:
    spot = random_spot(8)
    found = []
    for _ in range(2):
        solver = make_solver(spot, device="cuda")
        solver.step(60)
        found.append(solver.averages[0].values)
    assert np.array_equal(found[0], found[1])
