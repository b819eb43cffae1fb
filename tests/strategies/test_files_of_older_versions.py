"""Files that versions 0.2.0 and 0.3.0 wrote are still read; the READMEs next to them say how."""

import json
from pathlib import Path

import numpy as np
import pytest

import riverboat as rb
from one_walker import OneWalker
from riverboat.arena.drill import PracticeRecord
from riverboat.cards.combos import CLASS_NAMES
from riverboat.evaluation.exploitability import evaluate
from riverboat.holdem.abstraction.card_tables import load_abstraction
from riverboat.holdem.blueprints._spread_trainer import SpreadTrainer
from riverboat.holdem.blueprints.trainer import HoldemTrainer
from riverboat.holdem.spots.solve import open_solver
from riverboat.holdem.spots.solver import SpotSolver
from riverboat.solvers.run import Limit
from riverboat.strategies.files import file_kind
from riverboat.strategies.kinds import KINDS
from riverboat.trees.game_tree import build_tree

DATA = Path(__file__).parent.parent / "data"
KUHN_VALUE = -1 / 18
KINDS_SINCE = {"preflop", "three-way-spot"}
NEW_KINDS = {"study"}
LARGE_KINDS = {"allin-table", "preflop-checkpoint", "preflop-table"}
"""Tables that are counted again where they are missing, and a checkpoint of some 50 MB."""


@pytest.fixture(params=["0.2.0", "0.3.0"])
def files(request: pytest.FixtureRequest) -> Path:
    return DATA / f"files_{request.param}"


def test_they_are_really_of_that_version_and_of_every_kind(files: Path) -> None:
    version, kinds = files.name.removeprefix("files_"), set()
    for path in files.glob("*.rb"):
        raw = path.read_bytes()
        metadata = json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])["__metadata__"]
        header = json.loads(metadata["riverboat"])
        assert (header["package"], header["format"], len(metadata["checksum"])) == (version, 2, 64)
        kinds.add(file_kind(path))
    later = KINDS_SINCE if version == "0.2.0" else set()
    assert kinds == KINDS.keys() - later - LARGE_KINDS - NEW_KINDS


@pytest.mark.parametrize(
    ("name", "tolerance"),
    [("strategy-lp", 1e-9), ("strategy-dcfr", 1e-4), ("strategy-sampling", 0.1)],
)
def test_a_strategy(files: Path, name: str, tolerance: float) -> None:
    found = rb.evaluate(files / f"{name}.rb")
    assert found.value[0] == pytest.approx(KUHN_VALUE, abs=tolerance)
    assert found.exploitability <= tolerance


@pytest.mark.parametrize("name", ["strategy-dcfr", "strategy-sampling"])
def test_a_solver_goes_on(files: Path, name: str) -> None:
    result = rb.solve("kuhn", resume=files / f"{name}.rb", iterations=4_000)
    assert result.iterations == 4_000
    assert result.exploitability < 0.1


def test_a_public_strategy_goes_on(files: Path) -> None:
    path = files / "public-strategy.rb"
    before = rb.evaluate(path).exploitability
    assert before < 1e-6
    result = rb.solve("duel", resume=path, iterations=60)
    assert (result.iterations, result.exploitability < 2 * before) == (60, True)


def test_a_q_table_and_its_csv(files: Path) -> None:
    table, text = rb.load(files / "q-table.rb"), rb.load(files / "q-table.csv")
    assert table.counts.sum() > 100_000
    assert np.array_equal(table.values, text.values)
    assert np.array_equal(table.counts, text.counts)


@pytest.mark.parametrize(
    ("name", "tolerance"),
    [
        ("files_0.2.0/blueprint.rb", 0.01),
        ("files_0.2.0/blueprint-packed.rb", 0.02),
        ("files_0.3.0/blueprint.rb", 0.01),
    ],
)
def test_a_blueprint(name: str, tolerance: float) -> None:
    blueprint = rb.load(DATA / name)
    found = evaluate(build_tree(blueprint.rules), blueprint)
    assert found.value[0] == pytest.approx(KUHN_VALUE, abs=tolerance)
    assert found.exploitability < tolerance


def test_training_goes_on(files: Path) -> None:
    trainer = HoldemTrainer.load(files / "holdem-checkpoint.rb")
    before = trainer.deals
    assert before >= 200_000
    trainer.run(Limit(iterations=2 * before + 20_000))
    assert trainer.deals > before


def test_training_in_parts_goes_on(files: Path) -> None:
    path = files / "holdem-checkpoint-spread.rb"
    trainer = SpreadTrainer.open(path, OneWalker)
    before = trainer.deals
    trainer.run(Limit(iterations=2 * before + 20_000))
    assert trainer.deals > before >= 200_000


def test_a_memory(files: Path) -> None:
    binary, text = rb.load(files / "memory.rb"), rb.load(files / "memory.txt")
    assert len(binary) == len(text) == 62
    assert "Charlie" in binary.rules


def test_spots(files: Path) -> None:
    solved = rb.load(files / "spot.rb")
    assert solved.spot == rb.spot(files / "spot.toml")
    short = rb.load(files / "spot-without-rivers.rb")
    assert len(short.spot.board) == 4
    for name in ("spot-solver.rb", "spot-solver-16bit.rb"):
        solver = SpotSolver.load(files / name)
        assert solver.iterations == 100
        solver.run(Limit(iterations=120))
        assert solver.iterations == 120
        assert rb.load(files / name).info["iterations"] == 100


def test_a_card_abstraction(files: Path) -> None:
    assert load_abstraction(files / "card-abstraction.rb").num_buckets == (169,) * 4


def test_a_trainers_record() -> None:
    record = PracticeRecord.load(DATA / "files_0.2.0" / "blackjack-trainer.json")
    assert record.tally("hard").asked == 6
    assert len(record.items) == 2


def test_a_spot_of_three() -> None:
    files = DATA / "files_0.3.0"
    solved = rb.load(files / "three-way.rb")
    assert solved.spot == rb.spot(files / "three-way.toml")
    assert rb.load(files / "three-way-solver.rb").info["iterations"] == 100
    solver = open_solver(None, resume=files / "three-way-solver.rb")
    solver.run(Limit(iterations=120))
    assert solver.iterations == 120


def test_solutions_before_the_flop() -> None:
    files = DATA / "files_0.3.0"
    push_fold, flops = rb.load(files / "push-fold.rb"), rb.load(files / "flops.rb")
    aces = CLASS_NAMES.index("AA")
    assert push_fold.node().frequencies[:, aces].tolist() == [0.0, 1.0]
    assert [node.name for node in flops.nodes] == ["start", "c", "c-a", "a"]
    for solution in (push_fold, flops):
        for node in solution.nodes:
            assert np.allclose(node.frequencies.sum(axis=0), 1, atol=1e-4)
