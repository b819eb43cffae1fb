"""Whole solves: limits, memory, what is left after Ctrl-C and after a kill."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from riverboat.errors import TooLargeError, UsageError
from riverboat.holdem.spots.engine.solver import SpotSolver, choose_storage
from riverboat.holdem.spots.solve import parse_memory, solve_spot, spot_limit
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.holdem.spots.spot import Spot

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
run_solver(solver, limit, progress=tell, checkpoint=sys.argv[2], checkpoint_seconds=0.0)
print("stopped", solver.stopped, solver.iterations)
"""


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


def test_limits() -> None:
    spot = Spot.from_toml(TURN)
    assert solve_spot(spot, iterations=7).info["iterations"] == 7
    assert solve_spot(spot, target="2%").info["exploitability_pct"] <= 2
    assert solve_spot(spot, target=0.3).info["exploitability"] <= 0.3
    assert spot_limit(50).target == pytest.approx(0.15)
    assert solve_spot(spot, seconds=0.01).info["iterations"] >= 1


def test_memory_refuses_or_goes_to_two_bytes() -> None:
    size = SpotSolver(Spot.from_toml(TURN)).size
    assert choose_storage(size, None) is False
    assert choose_storage(size, size.float32) is False
    assert choose_storage(size, size.float32 - 1) is True
    assert SpotSolver(Spot.from_toml(TURN), memory=size.int16).int16
    with pytest.raises(TooLargeError, match="more than the"):
        choose_storage(size, size.int16 - 1)
    texts = {"4GiB": 4 << 30, "4": 4 << 30, "800 MB": 800_000_000, "1.5g": 3 << 29}
    assert {text: parse_memory(text) for text in texts} == texts
    with pytest.raises(UsageError, match="no amount of memory"):
        parse_memory("-3GiB")
