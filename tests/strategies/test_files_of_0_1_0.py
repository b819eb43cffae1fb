"""Files that version 0.1.0 wrote are still read (tests/data/files_0.1.0/README.md)."""

import json
from pathlib import Path

import numpy as np
import pytest

from riverboat.blackjack.search.memory import Knowledge
from riverboat.evaluation.exploitability import evaluate
from riverboat.games.registry import make_game
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.trainer import HoldemTrainer
from riverboat.solvers.cfr import CFRSolver
from riverboat.strategies.public_strategy import load_public_strategy
from riverboat.strategies.strategy import load_strategy
from riverboat.trees.game_tree import build_tree
from riverboat.twentyone.learning.optimum import optimum
from riverboat.twentyone.learning.q_table import QTable

FILES = Path(__file__).parent.parent / "data" / "files_0.1.0"
KUHN_VALUE = -1 / 18


def test_they_are_really_of_that_version() -> None:
    for path in FILES.glob("*.rb"):
        raw = path.read_bytes()
        length = int.from_bytes(raw[:8], "little")
        metadata = json.loads(raw[8 : 8 + length])["__metadata__"]
        header = json.loads(metadata["riverboat"])
        assert (header["package"], header["format"], "checksum" in metadata) == ("0.1.0", 1, False)


@pytest.mark.parametrize(("name", "tolerance"), [("strategy-lp", 1e-9), ("strategy-dcfr", 1e-4)])
def test_a_strategy(name: str, tolerance: float) -> None:
    strategy = load_strategy(FILES / f"{name}.rb")
    found = evaluate(make_game(strategy.game, strategy.parameters), strategy)
    assert found.value[0] == pytest.approx(KUHN_VALUE, abs=tolerance)
    assert found.exploitability <= tolerance


def test_a_solver_goes_on() -> None:
    solver = CFRSolver.load(FILES / "strategy-dcfr.rb")
    before = solver.evaluation().exploitability
    for _ in range(2_000):
        solver.step()
    assert solver.iterations == 4_000
    assert solver.evaluation().exploitability < before


def test_a_public_strategy() -> None:
    strategy = load_public_strategy(FILES / "public-strategy.rb")
    found = evaluate(strategy)
    assert found.exploitability < 1e-6
    assert found.value == pytest.approx(strategy.info["value"], abs=1e-12)


def test_a_q_table() -> None:
    table = QTable.load(FILES / "q-table.rb")
    assert table.counts.sum() > 100_000
    _, hits = optimum("soft", "reward")
    same = table.greedy() == hits
    assert (same * table.counts.sum(axis=1)).sum() > 0.9 * table.counts.sum()
    assert table.lookup(0, "TT|6") == {"h": 0.0, "s": 1.0}


def test_a_blueprint_and_its_checkpoint() -> None:
    blueprint = Blueprint.load(FILES / "blueprint.rb")
    found = evaluate(build_tree(blueprint.rules), blueprint)
    assert found.value[0] == pytest.approx(KUHN_VALUE, abs=2e-3)
    assert found.exploitability < 0.01
    trainer = HoldemTrainer.load(FILES / "blueprint-checkpoint.rb")
    assert np.array_equal(trainer.blueprint().weights, blueprint.weights)


@pytest.mark.parametrize("name", ["memory.txt", "memory.rb"])
def test_a_memory(name: str) -> None:
    memory = Knowledge.load(FILES / name)
    assert len(memory.table) == 62
    assert memory.best(("T", "TT")) in (None, "S")
