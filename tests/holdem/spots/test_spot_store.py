"""Solved spots on disk: the same numbers, exact resume, missing streets, damage."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from riverboat.errors import FileFormatError, RiverboatError, UsageError
from riverboat.holdem.spots.solved import KINDS, SolvedSpot
from riverboat.holdem.spots.solver import SpotSolver, make_solver
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.tree import NodeKind
from riverboat.solvers.run import Limit
from riverboat.strategies.files import read_arrays, write_arrays

FLOP = """board = "Qs Jh 8h"
pot = 20
stack = 30
[ranges]
oop = "AsKs,9s9d,7h6h:0.5,AhTc"
ip = "KdKc,AhTh,8c8d:0.7,JsTs"
[sizes.flop]
oop = { bet = "50%" }
ip = { bet = "50%", raise = "a" }
"""
HUGE = FLOP.replace("stack = 30", "stack = 3000").replace('"50%"', '"10%,20%,30%,40%,50%,60%,a"')


def turn() -> Spot:
    return Spot.from_toml(FLOP.replace('"Qs Jh 8h"', '"Qs Jh 8h 2c"'))


def same(first: SpotSolver, second: SpotSolver) -> bool:
    return all(
        np.array_equal(mine, theirs)
        for name in ("regrets", "averages")
        for player in (0, 1)
        for mine, theirs in zip(
            getattr(first, name)[player][:2], getattr(second, name)[player][:2], strict=True
        )
    )


@pytest.mark.e2e
@pytest.mark.parametrize("int16", [False, True])
def test_a_run_stopped_saved_and_continued_equals_one_without_a_stop(
    tmp_path: Path, int16: bool
) -> None:
    whole, first = make_solver(turn(), int16=int16), make_solver(turn(), int16=int16)
    whole.run(Limit(iterations=30))
    first.run(Limit(iterations=11))
    first.save(tmp_path / "spot.rb")
    second = SpotSolver.load(tmp_path / "spot.rb", threads=2)
    assert second.iterations == 11
    second.run(Limit(iterations=30))
    assert same(whole, second)


def test_a_loaded_file_gives_the_numbers_it_had(tmp_path: Path) -> None:
    solver = make_solver(turn())
    solver.run(Limit(iterations=50))
    found = solver.result()
    found.save(tmp_path / "spot.rb")
    loaded = SolvedSpot.load(tmp_path / "spot.rb")
    assert loaded.spot == found.spot
    assert loaded.info == found.info
    for node in ("r:0", "r:0:c", "r:0:c:c:Ah", "r:0:b10:b30", "r:0:b10:c:3d:c:b30"):
        # As texts, since what never happens has no EV, and NaN is not even itself.
        assert repr(loaded.at(node).summary()) == repr(found.at(node).summary())
        assert repr(loaded.at(node).table()) == repr(found.at(node).table())
    with pytest.raises(FileFormatError, match="no solver to go on with"):
        SpotSolver.load(tmp_path / "spot.rb")


def likely_river(solved: SolvedSpot) -> str:
    """The river root 2c 3d on the line of what is played most, without folds and all-ins."""
    at = solved.at("r:0")
    while len(at.board) < 5:
        if at.kind == NodeKind.CHANCE:
            at = at.deal("2c" if len(at.board) == 3 else "3d")
            continue
        played = at.summary().strategy
        assert played is not None
        allowed = [name for name in played if not name.startswith(("fold", "all-in"))]
        at = at.play(max(allowed, key=played.__getitem__))
    return at.node_id


@pytest.mark.parametrize("without", ["rivers", "turns"])
def test_missing_streets_are_solved_when_they_are_read(tmp_path: Path, without: str) -> None:
    solver = make_solver(Spot.from_toml(FLOP))
    solver.run(Limit(target=0.01, iterations=400))
    found = solver.result()
    found.save(tmp_path / "spot.rb", without=without)
    loaded = SolvedSpot.load(tmp_path / "spot.rb")
    for node in ("r:0", "r:0:c", "r:0:b10"):
        assert repr(loaded.at(node).table()) == repr(found.at(node).table())
    beaten = likely_river(loaded)
    for node in (beaten, beaten[: beaten.index(":2c") + 3]):
        mine, theirs = loaded.at(node), found.at(node)
        assert mine.node_id == theirs.node_id == node
        assert (mine.pot, mine.stacks, mine.actions) == (theirs.pot, theirs.stacks, theirs.actions)
        if mine.weights(0) @ mine.meetings(0) > 0:
            assert mine.summary(0).ev + mine.summary(1).ev == pytest.approx(mine.pot, abs=1e-3)
        assert mine.solved.info["exploitability_pct"] < 0.3
    deeper = loaded.at("r:0:b10:c:2c:b30")
    assert deeper.node_id == found.at("r:0:b10:c:2c:b30").node_id


def test_a_street_that_is_not_there_cannot_be_left_out(tmp_path: Path) -> None:
    solver = make_solver(turn())
    solver.run(Limit(iterations=2))
    with pytest.raises(UsageError, match="begins on the turn"):
        solver.result().save(tmp_path / "spot.rb", without="turns")


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    solver = make_solver(turn())
    solver.run(Limit(iterations=2))
    solver.save(tmp_path / "spot.rb")
    raw = (tmp_path / "spot.rb").read_bytes()
    for cut in (0, 7, 200, len(raw) // 2, len(raw) - 1):
        (tmp_path / "cut.rb").write_bytes(raw[:cut])
        for load in (SolvedSpot.load, SpotSolver.load):
            with pytest.raises(RiverboatError):
                load(tmp_path / "cut.rb")
    swapped = raw.replace(b"AsKs", b"AsKz", 1)
    (tmp_path / "swapped.rb").write_bytes(swapped)
    with pytest.raises(RiverboatError):
        SolvedSpot.load(tmp_path / "swapped.rb")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda arrays, header: header["info"].pop("ev"), "header is incomplete"),
        (lambda arrays, header: header["info"].update(iterations=-1), "does not fit its kind"),
        (lambda arrays, header: header["info"].update(seconds="x"), "does not fit its kind"),
        (lambda arrays, header: header["info"].update(ev=[1.0]), "does not fit its kind"),
        (lambda arrays, header: header["info"].update(ev=[10**400, 0]), "does not fit its kind"),
        (lambda arrays, header: header["info"].update(seconds=10**400), "does not fit its kind"),
        (lambda arrays, header: header["info"].update(ev=[1e30, 0.0]), "more than all chips"),
        (lambda arrays, header: header.update(info=3), "header is incomplete"),
        (lambda arrays, header: header.update(streets_kept=9), "does not fit its spot"),
        (lambda arrays, header: header.update(streets_kept=True), "does not fit its kind"),
        (lambda arrays, header: header["info"].update(locks=[{"node": "r:0"}]), "spot cannot be"),
        (lambda arrays, header: header.update(spot=HUGE, streets_kept=3), "cannot be read"),
        (lambda arrays, header: arrays["averages.0"].fill(-1.0), "numbers below 0"),
        (lambda arrays, header: arrays["averages.1"].fill(np.nan), "what is no number"),
        (lambda arrays, header: arrays.update({"averages.0": np.zeros(3, np.float32)}), "do not"),
    ],
)  # fmt: skip
def test_good_checksums_do_not_hide_bad_contents(
    tmp_path: Path, change: Callable[[dict[str, Any], dict[str, Any]], Any], sentence: str
) -> None:
    solver = make_solver(turn())
    solver.run(Limit(iterations=2))
    solver.save(tmp_path / "spot.rb")
    read, header = read_arrays(tmp_path / "spot.rb", KINDS[2])
    arrays = {name: array.copy() for name, array in read.items()}
    header = json.loads(json.dumps(header))
    change(arrays, header)
    write_arrays(tmp_path / "bad.rb", KINDS[2], arrays, header)
    for load in (SolvedSpot.load, SpotSolver.load):
        with pytest.raises(FileFormatError, match=sentence):
            load(tmp_path / "bad.rb")


def test_two_byte_numbers_reach_the_same_equilibrium() -> None:
    solvers = [make_solver(turn(), int16=int16) for int16 in (False, True)]
    assert solvers[1].memory_bytes < solvers[0].memory_bytes
    for solver in solvers:
        solver.run(Limit(target=0.02, iterations=2000))
    first, second = (solver.last_evaluation for solver in solvers)
    assert first is not None
    assert second is not None
    assert second.exploitability <= 0.02
    assert second.ev == pytest.approx(first.ev, abs=0.04)
