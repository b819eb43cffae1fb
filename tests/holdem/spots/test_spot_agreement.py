"""Solutions by the kernels of a GPU beside the CPU's: equilibria are interchangeable.

The bounds are those of the theory of zero-sum games: for pairs that are exploitable by a and b the
two crossed pairs are exploitable by a + b together, and against one opponent the hands' values
differ by no more than what the best response gains on either strategy.
"""

import importlib.util

import numpy as np
import pytest

from emulated_device import EmulatedDevice
from random_spots import random_locks, random_spot
from riverboat.holdem.spots.solver import SpotSolver, make_solver
from riverboat.holdem.spots.storage import PlayerStorage
from riverboat.runtime.cuda import GpuDevice
from riverboat.runtime.devices import why_no_gpu
from riverboat.solvers.run import Limit
from spot_agreement import Agreement, compare, decisions, evaluate

FREE, LOCKED, RAKED = (1, 7), (15,), (9,)
TARGET = 0.0005


@pytest.fixture(scope="module")
def emulated(tmp_path_factory: pytest.TempPathFactory) -> EmulatedDevice:
    return EmulatedDevice(tmp_path_factory.mktemp("kernels"))


def both(
    seed: int, device: GpuDevice | None
) -> tuple[SpotSolver, tuple[PlayerStorage, PlayerStorage]]:
    """The CPU's solver and the averages of the other device's, which the CPU judges first."""
    spot = random_spot(seed)
    locks = random_locks(spot, seed)
    limit = Limit(target=TARGET * spot.pot)
    on_gpu = make_solver(spot, locks=locks, device="cuda", gpu=device)
    on_cpu = make_solver(spot, locks=locks)
    on_gpu.run(limit)
    on_cpu.run(limit)
    first, second = (
        given._replace(locked=own.locked, masks=own.masks)
        for given, own in zip(on_gpu.averages, on_cpu.averages, strict=True)
    )
    found, judged = on_gpu.evaluation(), evaluate(on_cpu.layout, (first, second))
    assert judged.ev == pytest.approx(found.ev, abs=1e-6 * spot.pot)
    assert judged.best == pytest.approx(found.best, abs=1e-6 * spot.pot)
    if spot.rake_rate == 0:
        assert sum(found.ev) == pytest.approx(spot.pot, abs=1e-6 * spot.pot)
    return on_cpu, (first, second)


def check_hands(found: Agreement) -> None:
    """What the issue of equal worth asks for, in per cent of the pot."""
    assert max(found.exploitable) <= 100 * TARGET
    assert found.value <= 0.05
    assert found.mean <= 0.05
    assert found.worst <= 0.05


def check_crossed(found: Agreement) -> None:
    """What holds in zero-sum games."""
    assert sum(found.crossed) == pytest.approx(sum(found.exploitable), abs=1e-4)
    assert max(found.crossed) <= sum(found.exploitable) + 1e-4
    assert found.mean <= 2 * (max(found.exploitable) + max(found.crossed))


@pytest.mark.parametrize("seed", [*FREE, *LOCKED, *RAKED])
def test_solutions_by_emulated_kernels_and_the_cpu_are_interchangeable(
    seed: int, emulated: EmulatedDevice
) -> None:
    on_cpu, theirs = both(seed, emulated)
    ours = (on_cpu.averages[0], on_cpu.averages[1])
    found = compare(on_cpu.layout, theirs, ours)
    check_hands(found)
    if on_cpu.spot.rake_rate == 0:
        check_crossed(found)
    # Where decisions differ, they are worth the same.
    each = decisions(on_cpu.layout, theirs, ours)
    assert each.cost <= 2 * (max(found.exploitable) + max(found.crossed))
    assert each.dear <= 0.05


def test_one_changed_decision_costs_what_the_root_loses() -> None:
    solver = make_solver(random_spot(2))
    assert solver.layout.num_streets == 2
    solver.step(60)
    ours = (solver.averages[0], solver.averages[1])
    changed = ours[0]._replace(values=ours[0].values.copy())
    width, root = solver.layout.widths[0], solver.layout.tree.nodes[0]
    rows = changed.values[: len(root.actions) * width].reshape(-1, width)
    rows[...] = np.random.default_rng(1).random(rows.shape)
    found = compare(solver.layout, (changed, ours[1]), ours)
    each = decisions(solver.layout, (changed, ours[1]), ours)
    # Only OOP's root differs: what is lost there is what his hands lose against the same IP.
    assert each.cost == pytest.approx(found.mean, rel=0.05)
    assert each.cost > 0.1
    assert decisions(solver.layout, ours, ours).differ == 0.0


@pytest.mark.gpu
@pytest.mark.skipif(bool(why_no_gpu()), reason=why_no_gpu() or "there is a GPU")
@pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="the CPU's side needs numba")
@pytest.mark.parametrize("seed", [*FREE, *LOCKED, *RAKED, 2, 4, 8, 10])
def test_solutions_on_a_gpu_and_the_cpu_are_interchangeable(seed: int) -> None:
    on_cpu, theirs = both(seed, None)
    found = compare(on_cpu.layout, theirs, (on_cpu.averages[0], on_cpu.averages[1]))
    assert max(found.exploitable) <= 100 * TARGET
    assert found.worst <= 0.05
    if on_cpu.spot.rake_rate == 0:
        check_crossed(found)
