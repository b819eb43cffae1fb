"""The larger programs of riverboat/examples run, shortly, and learn."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.e2e

EXAMPLES = Path(__file__).parent.parent.parent / "src" / "riverboat" / "examples"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_dqn_learns() -> None:
    """Drawing to every hand that may draw costs half a bet and more; what is learned, far less."""
    assert load("blackjack_dqn").train(20_000, tables=128, quiet=True) < 0.25


@pytest.mark.slow
def test_the_dqn_approaches_the_optimum() -> None:
    """Standing always is worth −0.1597 and has a regret of 0.1557."""
    assert load("blackjack_dqn").train(500_000, quiet=True) < 0.08


def test_an_agent_trains_against_leducs_equilibrium() -> None:
    """A uniform agent loses 0.67 chips per hand to it; nobody wins."""
    regret, exploitability = load("leduc_against_equilibrium").train(2_000)
    assert -1e-9 <= regret < 0.6
    assert exploitability > 0
