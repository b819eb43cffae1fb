"""Files that version 0.2.0 wrote are still read (tests/data/files_0.2.0/README.md)."""

import json
from pathlib import Path

import numpy as np
import pytest

import riverboat as rb
from one_walker import OneWalker
from riverboat.arena.drill import PracticeRecord
from riverboat.evaluation.exploitability import evaluate
from riverboat.holdem.abstraction.card_tables import load_abstraction
from riverboat.holdem.blueprints._spread_trainer import SpreadTrainer
from riverboat.holdem.blueprints.trainer import HoldemTrainer
from riverboat.holdem.spots.solver import SpotSolver
from riverboat.solvers.run import Limit
from riverboat.strategies.files import file_kind
from riverboat.strategies.kinds import KINDS
from riverboat.trees.game_tree import build_tree

FILES = Path(__file__).parent.parent / "data" / "files_0.2.0"
KUHN_VALUE = -1 / 18


def test_they_are_really_of_that_version_and_of_every_kind() -> None:
    kinds = set()
    for path in FILES.glob("*.rb"):
        raw = path.read_bytes()
        metadata = json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])["__metadata__"]
        header = json.loads(metadata["riverboat"])
        assert (header["package"], header["format"], len(metadata["checksum"])) == ("0.2.0", 2, 64)
        kinds.add(file_kind(path))
    later = {"allin-table", "preflop", "preflop-checkpoint", "three-way-spot"}
    assert kinds == KINDS.keys() - later - {"preflop-table"}


@pytest.mark.parametrize(
    ("name", "tolerance"),
    [("strategy-lp", 1e-9), ("strategy-dcfr", 1e-4), ("strategy-sampling", 0.1)],
)
def test_a_strategy(name: str, tolerance: float) -> None:
    found = rb.evaluate(FILES / f"{name}.rb")
    assert found.value[0] == pytest.approx(KUHN_VALUE, abs=tolerance)
    assert found.exploitability <= tolerance


@pytest.mark.parametrize("name", ["strategy-dcfr", "strategy-sampling"])
def test_a_solver_goes_on(name: str) -> None:
    result = rb.solve("kuhn", resume=FILES / f"{name}.rb", iterations=4_000)
    assert result.iterations == 4_000
    assert result.exploitability < 0.1


def test_a_public_strategy_goes_on() -> None:
    path = FILES / "public-strategy.rb"
    before = rb.evaluate(path).exploitability
    assert before < 1e-6
    result = rb.solve("duel", resume=path, iterations=60)
    assert (result.iterations, result.exploitability < 2 * before) == (60, True)


def test_a_q_table_and_its_csv() -> None:
    table, text = rb.load(FILES / "q-table.rb"), rb.load(FILES / "q-table.csv")
    assert table.counts.sum() > 100_000
    assert np.array_equal(table.values, text.values)
    assert np.array_equal(table.counts, text.counts)


@pytest.mark.parametrize(("name", "tolerance"), [("blueprint", 0.01), ("blueprint-packed", 0.02)])
def test_a_blueprint(name: str, tolerance: float) -> None:
    blueprint = rb.load(FILES / f"{name}.rb")
    found = evaluate(build_tree(blueprint.rules), blueprint)
    assert found.value[0] == pytest.approx(KUHN_VALUE, abs=tolerance)
    assert found.exploitability < tolerance


def test_training_goes_on() -> None:
    trainer = HoldemTrainer.load(FILES / "holdem-checkpoint.rb")
    before = trainer.deals
    assert before >= 200_000
    trainer.run(Limit(iterations=2 * before + 20_000))
    assert trainer.deals > before


def test_training_in_parts_goes_on() -> None:
    path = FILES / "holdem-checkpoint-spread.rb"
    trainer = SpreadTrainer.open(path, OneWalker)
    before = trainer.deals
    trainer.run(Limit(iterations=2 * before + 20_000))
    assert trainer.deals > before >= 200_000


def test_a_memory() -> None:
    binary, text = rb.load(FILES / "memory.rb"), rb.load(FILES / "memory.txt")
    assert len(binary) == len(text) == 62
    assert "Charlie" in binary.rules


def test_spots() -> None:
    solved = rb.load(FILES / "spot.rb")
    assert solved.spot == rb.spot(FILES / "spot.toml")
    short = rb.load(FILES / "spot-without-rivers.rb")
    assert len(short.spot.board) == 4
    for name in ("spot-solver.rb", "spot-solver-16bit.rb"):
        solver = SpotSolver.load(FILES / name)
        assert solver.iterations == 100
        solver.run(Limit(iterations=120))
        assert solver.iterations == 120
        assert rb.load(FILES / name).info["iterations"] == 100


def test_a_card_abstraction_and_a_trainers_record() -> None:
    assert load_abstraction(FILES / "card-abstraction.rb").num_buckets == (169,) * 4
    record = PracticeRecord.load(FILES / "blackjack-trainer.json")
    assert record.tally("hard").asked == 6
    assert len(record.items) == 2
