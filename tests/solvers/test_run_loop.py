"""The one run loop: compilation before the clock, seconds that are the solver's own, Ctrl-C."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from riverboat.games.registry import make_game
from riverboat.solvers.cfr import CFRSolver
from riverboat.solvers.run import Limit, Progress
from riverboat.solvers.solve import solve
from riverboat.trees.game_tree import build_tree

COLD = """
import sys
from numba.core.dispatcher import Dispatcher
from riverboat.games.registry import make_game
from riverboat.solvers.cfr import CFRSolver
from riverboat.solvers.run import Limit
from riverboat.solvers._public_cfr import PublicCFRSolver
from riverboat.solvers.sampling import SampledSolver
from riverboat.trees.game_tree import build_tree
from riverboat.trees.public_games import public_game

def compiled():
    return {
        (name, key): len(value.overloads)
        for name, module in list(sys.modules.items()) if name.startswith("riverboat")
        for key, value in vars(module).items() if isinstance(value, Dispatcher)
    }

leduc, duel = build_tree(make_game("leduc")), make_game("duel", {"max_hits": 2})
for solver in (
    CFRSolver(leduc, "dcfr"),
    SampledSolver(leduc, "es-mccfr"),
    PublicCFRSolver(public_game(duel), "cfr+"),
    PublicCFRSolver(public_game(duel), "cfr+", sampled=True),
):
    limit = Limit(iterations=20, target=1e-9)
    solver.prepare(limit)
    before = compiled()
    solver.run(limit, lambda now: None)
    assert compiled() == before, (solver.algorithm, set(compiled().items()) - set(before.items()))
    assert len(solver.trace) == 11
"""


@pytest.mark.e2e
def test_nothing_is_compiled_or_loaded_once_the_clock_runs() -> None:
    """In a fresh process, where every kernel must first be loaded."""
    subprocess.run([sys.executable, "-c", COLD], check=True)


def test_measuring_for_others_is_not_counted() -> None:
    """A callback that takes its time costs the solver none of its own seconds."""
    solver = CFRSolver(build_tree(make_game("kuhn")), "cfr+")
    held: list[float] = []

    def look(now: Progress) -> None:
        if len(held) == 2:
            return
        until = time.perf_counter() + 0.05
        while time.perf_counter() < until:
            pass
        held.append(0.05)

    began = time.perf_counter()
    solver.run(Limit(iterations=30), look)
    assert held
    assert solver.seconds <= time.perf_counter() - began - sum(held)
    assert [point.seconds for point in solver.trace] == sorted(p.seconds for p in solver.trace)


def test_a_run_works_off_the_main_thread() -> None:
    """A notebook's or a server's thread has no signals to hold."""
    found: list[float] = []
    thread = threading.Thread(
        target=lambda: found.append(solve(make_game("kuhn"), target=1e-3).exploitability)
    )
    thread.start()
    thread.join()
    assert found[0] <= 1e-3


@pytest.mark.parametrize("algorithm", ["lp", "lp:refined", "dcfr", "es-mccfr"])
def test_every_result_ends_with_its_own_point(algorithm: str, tmp_path: Path) -> None:
    result = solve(make_game("kuhn"), algorithm=algorithm, checkpoint=tmp_path / "kuhn.rb")
    last = result.trace[-1]
    assert (last.iterations, last.exploitability) == (result.iterations, result.exploitability)
    assert result.as_dict()["trace"][-1][0] == result.iterations
    exact = algorithm.startswith("lp")
    assert (len(result.trace) == 1) == exact
