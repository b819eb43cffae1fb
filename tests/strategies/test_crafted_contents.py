"""A valid checksum does not make contents true: whatever a file holds, it is read or refused.

Each file of 0.2.0 is written again with one change, its checksum right (tests/support/
crafted_files.py). A reader refuses it with one sentence, or what it read can be used: kernels
index with nothing that was not checked.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import riverboat as rb
from commands import Command
from crafted_files import VALUES, crafted, write_crafted
from riverboat.cards.combos import NUM_CLASSES, NUM_COMBOS
from riverboat.cards.preflop import PREFLOP_BOARDS, PreflopTable
from riverboat.errors import FileFormatError, RiverboatError
from riverboat.holdem.abstraction.card_abstraction import preflop169
from riverboat.holdem.abstraction.card_tables import load_abstraction, save_abstraction
from riverboat.holdem.abstraction.preflop_store import read_preflop_table, write_preflop_table
from riverboat.holdem.blueprints._packing import _is_sound
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.trainer import HoldemTrainer
from riverboat.holdem.preflop.solution import PreflopSolution
from riverboat.holdem.spots.solve import open_solver, run_solver
from riverboat.holdem.spots.solver import SpotSolver
from riverboat.holdem.spots.spot import Spot as ThreeWaySpot
from riverboat.jobs.array_store import ArrayStore
from riverboat.solvers.run import Limit
from riverboat.strategies.files import file_kind, read_arrays

pytestmark = pytest.mark.e2e

FILES = Path(__file__).parent.parent / "data" / "files_0.2.0"
TRIES = 70
"""Changes of each file, drawn from the several hundred that there are."""
THREE_PLAYERS = """board = "Ks Th 7s 4d 2c"
pot = 60
stack = 40
[ranges]
sb = "99,88,AJs"
bb = "TT,88,KQs"
btn = "AA,77,QJs"
[sizes.river]
sb = { bet = "a" }
bb = { bet = "a" }
btn = { bet = "a" }
"""
FEW = 10_000_000
"""Deals or iterations from which on a run is not continued here."""


def use_table(path: Path) -> None:
    table = rb.load(path)
    assert repr(table)
    assert table.describe()
    for _, _, chances in table.entries():
        assert sum(chances.values()) == pytest.approx(1, abs=1e-5)
        assert min(chances.values()) >= 0


def evaluate(path: Path) -> None:
    use_table(path)
    assert np.isfinite(rb.evaluate(path).exploitability)


def resume_kuhn(path: Path) -> None:
    assert np.isfinite(rb.solve("kuhn", resume=path, iterations=2_010).exploitability)


def resume_duel(path: Path) -> None:
    assert np.isfinite(rb.solve("duel", resume=path, iterations=51).exploitability)


def use_q_table(path: Path) -> None:
    use_table(path)
    rb.evaluate(path)


def train_on(path: Path) -> None:
    trainer = HoldemTrainer.load(path)
    if trainer.deals < FEW:
        trainer.run(Limit(iterations=2 * trainer.deals + 100))


def use_spot(path: Path) -> None:
    solved = rb.load(path)
    assert repr(solved)
    assert np.isfinite(solved.at("r:0").action_evs()).all()


def solve_on(path: Path) -> None:
    solver = SpotSolver.load(path)
    if solver.iterations < FEW:
        solver.run(Limit(iterations=solver.iterations + 2))
    assert np.isfinite(solver.result().at("r:0").action_evs()).all()


def use_cards(path: Path) -> None:
    assert load_abstraction(path).bucket("AsKs", "Qs Js Ts") < 169


USES: dict[str, list[Callable[[Path], None]]] = {
    "blueprint": [use_table],
    "blueprint-packed": [use_table],
    "card-abstraction": [use_cards],
    "holdem-checkpoint": [train_on],
    "holdem-checkpoint-spread": [train_on],
    "memory": [use_table],
    "public-strategy": [evaluate, resume_duel],
    "q-table": [use_q_table],
    "spot": [use_spot],
    "spot-solver": [use_spot, solve_on],
    "spot-solver-16bit": [use_spot, solve_on],
    "spot-without-rivers": [use_spot],
    "strategy-dcfr": [evaluate, resume_kuhn],
    "strategy-lp": [evaluate],
    "strategy-sampling": [resume_kuhn],
}


def test_every_file_is_used() -> None:
    assert sorted(USES) == sorted(path.stem for path in FILES.glob("*.rb"))


@pytest.mark.parametrize("name", sorted(USES))
def test_crafted_contents_are_refused_in_a_sentence_or_can_be_used(
    name: str, tmp_path: Path
) -> None:
    changes = list(crafted(FILES / f"{name}.rb"))
    path = tmp_path / "x.rb"
    refused = 0
    for what, header, arrays in random.Random(1).sample(changes, min(TRIES, len(changes))):
        write_crafted(path, header, arrays)
        for use in USES[name]:
            sentence = answer(use, path, what)
            refused += bool(sentence)
            assert not sentence or (sentence.endswith(".") and "\n" not in sentence), what
    assert refused > 10


def answer(use: Callable[[Path], None], path: Path, what: str) -> str:
    """The sentence by which a file is refused; empty where it could be used."""
    try:
        use(path)
    except RiverboatError as error:
        return str(error)
    except Exception as error:
        raise AssertionError(what) from error
    return ""


def use_preflop(path: Path) -> None:
    table = read_preflop_table(path)
    wins, ties = table.rows(np.arange(NUM_COMBOS))
    assert min(wins.min(), ties.min()) >= 0
    assert (wins + ties).max() <= PREFLOP_BOARDS


def test_crafted_preflop_tables_are_refused_in_a_sentence_or_can_be_used(tmp_path: Path) -> None:
    """Also those whose own checksum is right: the counts are checked, not only the bytes."""
    counts = np.full((NUM_CLASSES, NUM_COMBOS), PREFLOP_BOARDS // 2, np.int32)
    path = tmp_path / "preflop.safetensors"
    write_preflop_table(PreflopTable(counts, counts), path)
    changes = list(crafted(path))
    assert answer(use_preflop, path, "as written") == ""
    refused = 0
    for what, header, arrays in random.Random(1).sample(changes, min(TRIES, len(changes))):
        if what.startswith("array"):
            data = b"".join(arrays[name].tobytes() for name in ("wins", "ties") if name in arrays)
            header = {**header, "sha256": hashlib.sha256(data).hexdigest()}
        write_crafted(path, header, arrays)
        sentence = answer(use_preflop, path, what)
        refused += bool(sentence)
        assert not sentence or (sentence.endswith(".") and "\n" not in sentence), what
    assert refused > 10


def save_three_way(path: Path) -> None:
    solver = open_solver(ThreeWaySpot.from_toml(THREE_PLAYERS))
    run_solver(solver, Limit(iterations=2), checkpoint=path)


def save_push_fold(path: Path) -> None:
    rb.solve(rb.preflop(stacks=[10, 10]), iterations=5).save(path)


def save_book(path: Path) -> None:
    """The openings of the package's own book."""
    book = PreflopSolution.load("shipped")
    places = [i for i, node in enumerate(book.nodes) if set(node.line) <= {"f"}]
    cut = {name: [book.info[name][i] for i in places] for name in ("node_gains", "node_gains_ci95")}
    nodes = [book.nodes[i] for i in places]
    PreflopSolution(book.title, book.spec, book.seats, nodes, book.info | cut).save(path)


NEWEST: dict[str, tuple[Callable[[Path], None], str, tuple[str, ...]]] = {
    "three-way spot": (save_three_way, "three-way-spot", ("view {}", "solve --resume {}")),
    "push-fold": (save_push_fold, "preflop", ("preflop {}", "preflop {} --line a --as pio")),
    "book": (save_book, "preflop", ("book {}", "book {} f-f --hand A5s", "preflop {}")),
}
"""How a file is made, its kind, and what `riverboat holdem` does with it."""


@pytest.mark.parametrize("name", NEWEST)
def test_crafted_files_of_new_kinds_are_one_sentence_of_a_command_or_shown(
    name: str, command: Command, tmp_path: Path
) -> None:
    save, kind, lines = NEWEST[name]
    whole, path = tmp_path / "whole.rb", tmp_path / "x.rb"
    save(whole)
    assert file_kind(whole) == kind
    changes = list(crafted(whole))
    needed = [change for change in changes if " = nothing" in change[0]]
    refused = 0
    for what, header, arrays in needed + random.Random(1).sample(changes, 40):
        write_crafted(path, header, arrays)
        for line in lines:
            more = ("--iterations", "3") if "--resume" in line else ()
            answer = command("holdem", *(w.format(path) for w in line.split()), *more)
            assert answer.code in (0, 2), (what, answer.err)
            refused += answer.code == 2
            assert answer.code == 0 or answer.err.count("riverboat: ") == 1, what
    assert refused > 10


STORED: list[Any] = [
    *(np.full((4, 2), number) for number in (math.nan, math.inf, -math.inf)),
    *(np.zeros(shape) for shape in ((), (0,), (4,), (2, 4), (4, 2, 1), (400_000, 20))),
    *(np.zeros((4, 2), kind) for kind in (np.bool_, np.complex128, "U3", "S3", "M8[s]")),
    np.zeros((4, 2), [("a", "f8")]),
]


@pytest.mark.parametrize("array", STORED, ids=lambda array: f"{array.dtype}{array.shape}")
def test_a_stored_result_that_no_job_has_is_worked_out_again(array: Any, tmp_path: Path) -> None:
    store = ArrayStore(tmp_path, {}, lambda job: (4, 2), str)
    store.keep("job", np.ones((4, 2)))
    assert store.find("job") is not None
    np.savez_compressed(tmp_path / "job.npz", result=array)
    assert store.find("job") is None
    np.savez_compressed(tmp_path / "job.npz", other=np.ones((4, 2)))
    assert store.find("job") is None


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_store_whose_mark_is_crafted_is_refused_in_a_sentence(value: Any, tmp_path: Path) -> None:
    for contents in (value, {"digest": value}):
        (tmp_path / "work.json").write_text(json.dumps(contents))
        with contextlib.suppress(RiverboatError):
            ArrayStore(tmp_path, {}, lambda job: (4, 2), str)


@pytest.mark.parametrize("card", [3, 60, 255])
def test_a_deck_with_a_card_that_is_none_is_refused(card: int, tmp_path: Path) -> None:
    """Kernels index tables with the cards of a deck: this one ended the process."""
    arrays, header = read_arrays(FILES / "holdem-checkpoint.rb", "holdem-checkpoint")
    arrays["decks"][0, 0] = card
    write_crafted(tmp_path / "x.rb", header, arrays)
    with pytest.raises(FileFormatError, match="damaged"):
        HoldemTrainer.load(tmp_path / "x.rb")


@pytest.mark.parametrize("number", [169, 65_535])
def test_a_bucket_out_of_range_is_refused(number: int, tmp_path: Path) -> None:
    path = tmp_path / "cards.rb"
    flop = np.zeros(1_286_792, np.uint16)
    whole = preflop169()
    for bucket, fits in ((168, True), (number, False)):
        flop[-1] = bucket
        tables = whole.tables._replace(flop=flop)
        save_abstraction(type(whole)(whole.name, whole.num_buckets, tables, whole.parameters), path)
        if fits:
            assert load_abstraction(path).num_buckets == (169,) * 4
            continue
        with pytest.raises(FileFormatError, match="damaged"):
            load_abstraction(path)


def test_a_packed_tree_that_goes_in_circles_is_refused() -> None:
    """The package's own blueprint carries its betting tree."""
    tree = Blueprint.load("shipped").abstract.tree
    assert _is_sound(tree)
    for name, place, number in (("children", 0, 0), ("children", 5, 10**9), ("nodes", 3, 77)):
        broken = getattr(tree, name).copy()
        broken[place] = number
        assert not _is_sound(dataclasses.replace(tree, **{name: broken}))
    assert not _is_sound(dataclasses.replace(tree, depth=1))
