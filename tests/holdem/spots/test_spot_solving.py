"""Whole solves: limits, memory, what is left after Ctrl-C and after a kill."""

import dataclasses
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from riverboat.errors import TooLargeError, UsageError
from riverboat.holdem.spots._cpu_passes import choose_storage
from riverboat.holdem.spots.bet_sizes import TreeOptions
from riverboat.holdem.spots.layout import open_layout
from riverboat.holdem.spots.locks import Lock
from riverboat.holdem.spots.solve import (
    go_on,
    open_solver,
    parse_memory,
    run_solver,
    solve_spot,
    spot_limit,
)
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.holdem.spots.solver import SpotSolver, make_solver
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.tree import count_rows

TURN = """board = "Qs Jh 8h 2c"
pot = 20
stack = 30
[ranges]
oop = "AsKs,9s9d,7h6h:0.5,AhTc"
ip = "KdKc,AhTh,8c8d:0.7,JsTs"
[sizes.turn]
oop = { bet = "50%" }
ip = { bet = "50%", raise = "a" }
"""
ENDLESS = """
import sys
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.solve import open_solver, run_solver, spot_limit
solver = open_solver(Spot.load(sys.argv[1]))
limit = spot_limit(20, iterations=10**9)
last = 0
def tell(now):
    global last
    if now.iterations > 20 and not last:
        last = now.iterations
        print("running", flush=True)
run_solver(solver, limit, progress=tell, checkpoint=sys.argv[2], every=0.0)
print("stopped", solver.stopped, solver.iterations)
"""


@pytest.mark.e2e
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_solve_that_is_ended_leaves_its_file(tmp_path: Path, how: signal.Signals) -> None:
    (tmp_path / "spot.toml").write_text(TURN)
    files = [str(tmp_path / name) for name in ("spot.toml", "spot.rb")]
    arguments = [sys.executable, "-c", ENDLESS, *files]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "running\n"
        process.send_signal(how)
        rest = process.stdout.read()
    solved = SolvedSpot.load(tmp_path / "spot.rb")
    assert solved.info["iterations"] > 0
    assert SpotSolver.load(tmp_path / "spot.rb").iterations == solved.info["iterations"]
    if how == signal.SIGINT:
        assert rest == f"stopped True {solved.info['iterations']}\n"


def test_a_full_disk_does_not_end_a_solve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(tmp_path / "home")
    solver, stages = open_solver(Spot.from_toml(TURN)), list[str]()
    limit = spot_limit(20, iterations=37)
    wanted = tmp_path / "missing" / "spot.rb"  # no folder of that name: nothing can be written
    found = run_solver(solver, limit, checkpoint=wanted, every=0.0, finishing=stages.append)
    assert solver.iterations == 37
    assert found == Path("spot.rb")
    assert SpotSolver.load(found).iterations == 37
    assert stages == ["measuring", "saving"]
    assert "tried again" in capsys.readouterr().err


def test_a_solve_goes_on_from_its_checkpoint_or_begins_anew(tmp_path: Path) -> None:
    spot, path = Spot.from_toml(TURN), tmp_path / "spot.rb"
    solver = go_on(spot, path)
    assert solver.iterations == 0
    run_solver(solver, spot_limit(20, iterations=12), checkpoint=path)
    assert go_on(spot, path).iterations == 12
    assert go_on(spot, path, locks=[Lock("r:0", {"check": 1.0})]).iterations == 0
    other = Spot.from_toml(TURN.replace("stack = 30", "stack = 40"))
    assert go_on(other, path).iterations == 0
    path.write_bytes(path.read_bytes()[:100])
    assert go_on(spot, path).iterations == 0


def test_a_checkpoint_costs_no_evaluation(tmp_path: Path) -> None:
    solver = open_solver(Spot.from_toml(TURN))
    solver.run(spot_limit(20, iterations=8))
    measured = solver.last_evaluation
    solver.step(3)
    solver.save_checkpoint(tmp_path / "spot.rb")
    assert solver.last_evaluation is measured
    assert SpotSolver.load(tmp_path / "spot.rb").iterations == 11


def test_limits() -> None:
    spot = Spot.from_toml(TURN)
    assert solve_spot(spot, iterations=7).info["iterations"] == 7
    assert solve_spot(spot, target="2%").info["exploitability_pct"] <= 2
    assert solve_spot(spot, target=0.3).info["exploitability"] <= 0.3
    assert spot_limit(50).target == pytest.approx(0.15)
    assert solve_spot(spot, seconds=0.01).info["iterations"] >= 1


def test_memory_refuses_or_goes_to_two_bytes() -> None:
    size = make_solver(Spot.from_toml(TURN)).size
    assert choose_storage(size, None) is False
    assert choose_storage(size, size.float32) is False
    assert choose_storage(size, size.float32 - 1) is True
    assert make_solver(Spot.from_toml(TURN), memory=size.int16).int16
    with pytest.raises(TooLargeError, match="more than the"):
        choose_storage(size, size.int16 - 1)
    texts = {"4GiB": 4 << 30, "4": 4 << 30, "800 MB": 800_000_000, "1.5g": 3 << 29}
    assert {text: parse_memory(text) for text in texts} == texts
    with pytest.raises(UsageError, match="no amount of memory"):
        parse_memory("-3GiB")


MANY_SIZES = """board = "Qs Jh 2h"
pot = 20
stack = 1000
[ranges]
oop = "22+,A2s+,K2s+,Q2s+,J2s+,T2s+,A2o+,K9o+"
ip = "22+,A2s+,K2s+,Q2s+,J2s+,T2s+,A2o+,K9o+"
[sizes.flop]
oop = { bet = "10%,25%,33%,50%,75%,100%,150%,a", raise = "33%,50%,75%,100%,a" }
ip = { bet = "10%,25%,33%,50%,75%,100%,150%,a", raise = "33%,50%,75%,100%,a" }
"""


def test_a_huge_tree_is_refused_before_it_is_built() -> None:
    spot = Spot.from_toml(MANY_SIZES)
    began = time.process_time()
    with pytest.raises(TooLargeError, match=r"more than the 16\.00 GiB allowed"):
        open_solver(spot, memory=16 << 30)
    # Building this tree takes more than half a minute; counting up to the limit half a second.
    assert time.process_time() - began < 25


@pytest.mark.parametrize("lines", [False, True])
def test_the_count_of_a_tree_is_its_size(lines: bool) -> None:
    spot = Spot.from_toml(TURN)
    if lines:
        tree = TreeOptions(add=("X-B7",), remove=("B10",))
        spot = dataclasses.replace(spot, tree=tree)
    layout = open_layout(spot)
    costs = np.zeros((4, 2))
    for street, boards in enumerate(layout.boards.num_boards, spot.street):
        costs[street] = [boards * width for width in layout.widths]
    assert count_rows(spot, costs, np.inf) == layout.elements(0) + layout.elements(1)


def test_lines_without_end_are_refused_at_once() -> None:
    deep = MANY_SIZES.replace('raise = "33%,50%,75%,100%,a"', 'raise = "1c"').replace("1000", "1e6")
    began = time.process_time()
    with pytest.raises(TooLargeError):
        open_solver(Spot.from_toml(deep), memory=1 << 60)
    assert time.process_time() - began < 25
