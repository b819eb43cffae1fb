"""CFR, CFR+ and DCFR on Leduc next to other programs: in more digits, and as published."""

import runpy
from pathlib import Path
from typing import Any

import pytest

from riverboat.games.registry import make_game
from riverboat.solvers.cfr import CFRSolver
from riverboat.trees.game_tree import build_tree
from riverboat.trees.sequence_form import SequenceForm, sequence_form


@pytest.fixture(scope="module")
def leduc() -> SequenceForm:
    return sequence_form(build_tree(make_game("leduc")))


@pytest.fixture(scope="module")
def program() -> dict[str, Any]:
    return runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "cfr_precision.py"))


def exploitability(form: SequenceForm, algorithm: str, iterations: int) -> float:
    solver = CFRSolver(form, algorithm)
    solver.iterate(iterations)
    return solver.nash_conv() / 2


@pytest.mark.parametrize("algorithm", ["cfr", "cfr+", "dcfr"])
def test_thirty_digits_agree_with_float64(
    algorithm: str, leduc: SequenceForm, program: dict[str, Any]
) -> None:
    """Another program, in decimals; up to here no rounding error has grown."""
    for t, exact in program["exploitabilities"](algorithm, (1, 2, 5, 12), 30):
        assert exploitability(leduc, algorithm, t) == pytest.approx(float(exact), rel=1e-13)


@pytest.mark.parametrize("algorithm", ["cfr", "cfr+", "dcfr"])
def test_the_published_curve(algorithm: str, leduc: SequenceForm, program: dict[str, Any]) -> None:
    """To nine digits while rounding allows it, and within a half when it no longer does."""
    published = program["PUBLISHED"][algorithm]
    assert exploitability(leduc, algorithm, 50) == pytest.approx(published[50], rel=1e-9)
    assert exploitability(leduc, algorithm, 1000) == pytest.approx(published[1000], rel=0.5)


@pytest.mark.parametrize(
    ("algorithm", "exact"), [("cfr+", 2.6271299362274806e-4), ("dcfr", 1.4209541709457558e-4)]
)
def test_a_changed_last_bit_leads_to_another_curve(
    algorithm: str, exact: float, leduc: SequenceForm, program: dict[str, Any]
) -> None:
    """`cfr_precision.py --digits 100` and `--digits 200` both give `exact` at 1,000 iterations."""
    published = program["PUBLISHED"][algorithm]
    after_50, after_1000 = program["float_runs"](algorithm, (50, 1000), 11).T
    assert after_50 == pytest.approx(published[50], rel=1e-9)
    assert after_1000.max() > 1.01 * after_1000.min()
    assert after_1000 == pytest.approx(exact, rel=0.5)
