"""Sampled CFR: unbiased, converging, reproducible, resumable."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from riverboat.errors import UnknownNameError
from riverboat.games.registry import make_game
from riverboat.solvers.algorithms import OTHERS
from riverboat.solvers.cfr import CFRSolver
from riverboat.solvers.run import Limit
from riverboat.solvers.sampling import SampledSolver
from riverboat.trees.game_tree import GameTree, build_tree
from riverboat.trees.sequence_form import sequence_form

SAMPLED = [name for name, line in OTHERS.items() if line.sampled]


@pytest.fixture(scope="module")
def kuhn() -> GameTree:
    return build_tree(make_game("kuhn"))


@pytest.mark.parametrize("algorithm", SAMPLED)
@pytest.mark.parametrize("players", [2, 3])
def test_sampled_regrets_are_right_on_average(algorithm: str, players: int) -> None:
    """The mean of the regrets sampled against uniform play is CFR's own first step.

    A large even regret beforehand keeps the strategy uniform whatever one player's walk adds, so
    that those who walk later in the iteration meet uniform play too.
    """
    form = sequence_form(build_tree(make_game("kuhn", {"players": players})))
    exact = CFRSolver(form, "cfr:simultaneous")
    exact.step()
    expected = form.to_slots(exact.regrets)
    solver = SampledSolver(form, algorithm, seed=1)
    runs, even = 4000, 2.0**24
    samples = np.empty((runs, len(expected)))
    for sample in samples:
        solver.regrets[:], solver.current[:] = even, solver.tree.uniform()
        solver.step()
        sample[:] = solver.regrets - even
    error = samples.std(axis=0) / np.sqrt(runs)
    assert (np.abs(samples.mean(axis=0) - expected) <= 5 * error + 1e-6).all()


@pytest.mark.parametrize(
    ("algorithm", "bound"), [("cs-cfr", 0.01), ("es-mccfr", 0.01), ("os-mccfr", 0.03)]
)
def test_exploitability_falls(algorithm: str, bound: float, kuhn: GameTree) -> None:
    solver = SampledSolver(kuhn, algorithm, seed=2)
    solver.run(Limit(iterations=1000))
    early = solver.evaluation().exploitability
    solver.run(Limit(iterations=100_000))
    assert solver.iterations == 100_000
    found = solver.evaluation()
    assert found.exploitability < min(bound, early)
    assert found.value[0] == pytest.approx(-1 / 18, abs=2 * found.nash_conv)


def test_showdown_as_the_old_program_trained_it() -> None:
    """A million chance-sampled iterations: exploitability 0.003 or less."""
    solver = SampledSolver(build_tree(make_game("showdown")), "cs-cfr", seed=0)
    solver.run(Limit(iterations=1_000_000))
    assert solver.evaluation().exploitability <= 0.003


@pytest.mark.parametrize("algorithm", SAMPLED)
def test_resume_equals_uninterrupted(algorithm: str, kuhn: GameTree, tmp_path: Path) -> None:
    whole = SampledSolver(kuhn, algorithm, seed=11)
    whole.run(Limit(iterations=5000))
    first = SampledSolver(kuhn, algorithm, seed=11)
    first.run(Limit(iterations=1234))
    first.save(tmp_path / "half.rb")
    second = SampledSolver.load(tmp_path / "half.rb")
    second.run(Limit(iterations=5000))
    for name, array in whole.state().items():
        assert np.array_equal(array, second.state()[name], equal_nan=True), name
    other = SampledSolver(kuhn, algorithm, seed=12)
    other.run(Limit(iterations=5000))
    assert not np.array_equal(other.average, whole.average)


@pytest.mark.parametrize("algorithm", SAMPLED)
def test_a_target_stops_the_run(algorithm: str, kuhn: GameTree) -> None:
    solver = SampledSolver(kuhn, algorithm, seed=3)
    solver.run(Limit(target=0.05, iterations=1_000_000))
    assert solver.evaluation().exploitability <= 0.05
    assert solver.iterations < 1_000_000


def test_only_sampling_algorithms(kuhn: GameTree) -> None:
    with pytest.raises(UnknownNameError, match="no sampling algorithm called 'cfr'"):
        SampledSolver(kuhn, "cfr")
