"""The CFR family on a real GPU: the CPU's bits, the same from run to run, and known values."""

from pathlib import Path

import numpy as np
import pytest

from riverboat.games.duel import Duel
from riverboat.games.registry import make_game
from riverboat.runtime.devices import why_no_gpu
from riverboat.solvers._public_cfr import PublicCFRSolver
from riverboat.solvers.algorithms import CONFIGS
from riverboat.solvers.cfr import CFRSolver
from riverboat.solvers.solve import solve
from riverboat.trees.game_tree import build_tree
from riverboat.trees.public_games import public_game

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(bool(why_no_gpu()), reason=why_no_gpu() or "there is a GPU"),
]
ALGORITHMS = [*CONFIGS, "pdcfr+:simultaneous"]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_game_tree_has_the_cpus_bits(algorithm: str) -> None:
    from riverboat.solvers._cfr_cuda import CudaCFRSolver

    tree = build_tree(make_game("leduc"))
    cpu, gpu, again = (kind(tree, algorithm) for kind in (CFRSolver, CudaCFRSolver, CudaCFRSolver))
    cpu.iterate(1500)
    gpu.iterate(1500)
    again.iterate(100)
    again.iterate(1400)
    for name, wanted in cpu.state().items():
        if name != "gap":
            assert np.array_equal(gpu.state()[name], wanted), name
            assert np.array_equal(again.state()[name], wanted), name
    assert gpu.nash_conv() == pytest.approx(cpu.nash_conv(), abs=1e-13)
    assert gpu.nash_conv() == again.nash_conv()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_duel_has_the_cpus_bits(algorithm: str) -> None:
    from riverboat.solvers._cfr_cuda import CudaPublicCFRSolver

    public = public_game(Duel((6, 6, 2), 2))
    cpu, gpu = PublicCFRSolver(public, algorithm), CudaPublicCFRSolver(public, algorithm)
    cpu.iterate(60)
    gpu.iterate(20)
    gpu.evaluation()
    gpu.iterate(40)
    for name, wanted in cpu.state().items():
        assert np.array_equal(gpu.state()[name], wanted), name
    assert gpu.evaluation() == cpu.evaluation()


def test_known_values_are_found() -> None:
    kuhn = solve(make_game("kuhn"), device="cuda", target=1e-6)
    assert kuhn.value[0] == pytest.approx(-1 / 18, abs=1e-6)
    leduc = solve(make_game("leduc"), device="cuda", target=1e-5)
    assert leduc.value[0] == pytest.approx(-0.0856064241, abs=1e-5)
    duel = solve(make_game("duel"), device="cuda")
    assert duel.payoffs == pytest.approx([0.544146, 0.589950, 1.865904], abs=2e-6)
    assert {kuhn.strategy.info["device"], duel.strategy.info["device"]} == {"cuda"}


def test_auto_takes_the_gpu_for_large_games_only() -> None:
    small = solve(make_game("kuhn"), algorithm="dcfr", iterations=5, device="auto")
    assert small.strategy.info["device"] == "cpu"
    assert "slower" in small.strategy.info["device_note"]
    large = solve(Duel((6, 6, 2), 3), iterations=5, device="auto")
    assert large.strategy.info["device"] == "cuda"


def test_a_run_goes_from_one_device_to_the_other(tmp_path: Path) -> None:
    game = Duel((6, 6, 2), 2)
    solve(game, iterations=30, device="cuda", checkpoint=tmp_path / "a.rb")
    ended = solve(game, iterations=60, resume=tmp_path / "a.rb")
    whole = solve(game, iterations=60)
    assert np.array_equal(ended.strategy.weights, whole.strategy.weights)
