"""Riverboat's solvers compared with OpenSpiel's and LiteEFG's, in one run, on one thread.

    pip install 'riverboat[bench]'
    python benchmarks/cfr_peers.py            # about a minute
    python benchmarks/cfr_peers.py --full     # peers run longer, a few minutes

Times are CPU seconds of this process. Compilation is done before a clock starts; a peer's checks
of exploitability are not counted against it, ours are. A missing peer is left out.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.util
import io
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from riverboat.games.base import Game
from riverboat.games.registry import make_game
from riverboat.solvers._lp import check_solvable, solve_lp, solve_refined
from riverboat.solvers.cfr import CFRSolver
from riverboat.solvers.run import Limit
from riverboat.solvers.sampling import SampledSolver
from riverboat.solvers.solver import Solver
from riverboat.trees.best_response import evaluate_profile
from riverboat.trees.game_tree import GameTree, HistoryWalk, build_tree
from riverboat.trees.sequence_form import SequenceForm, sequence_form

OPEN_SPIEL = importlib.util.find_spec("pyspiel") is not None
LITE_EFG = OPEN_SPIEL and importlib.util.find_spec("LiteEFG") is not None


def cpu_seconds(work: Callable[[], object], repeats: int = 1) -> float:
    """The least CPU time of a few runs: what is left when the machine does not interfere."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def rate(step: Callable[[int], object], count: int, repeats: int = 3) -> float:
    """Iterations per second."""
    return count / cpu_seconds(lambda: step(count), repeats)


def our_rate(solver: Solver, count: int) -> float:
    solver.iterate(10)
    return rate(solver.iterate, count)


def seconds_to(form: SequenceForm, algorithm: str, target: float) -> tuple[float, int]:
    """CPU seconds and iterations of a whole run to an exploitability, checks included."""
    CFRSolver(form, algorithm).prepare(Limit(target=target))
    solvers: list[CFRSolver] = []

    def run() -> None:
        solvers.append(CFRSolver(form, algorithm))
        solvers[-1].run(Limit(target=target))

    return cpu_seconds(run, 3), solvers[-1].iterations


def spiel_solver(game: str, kind: str, *arguments: Any) -> tuple[Any, Callable[[int], None]]:
    """One of OpenSpiel's C++ solvers and a function that runs it."""
    pyspiel = importlib.import_module("pyspiel")
    solver = getattr(pyspiel, kind)(pyspiel.load_game(game), *arguments)
    name = "run_iteration" if "MCCFR" in kind else "evaluate_and_update_policy"
    one = getattr(solver, name)

    def step(count: int) -> None:
        for _ in range(count):
            one()

    return solver, step


def lite_solver(game: str, kind: str) -> tuple[Callable[[], float], Callable[[int], None]]:
    """One of LiteEFG's baselines: its exploitability with linear averaging, and how to run it."""
    pyspiel, lite = importlib.import_module("pyspiel"), importlib.import_module("LiteEFG")
    with contextlib.redirect_stdout(io.StringIO()):
        graph = importlib.import_module(f"LiteEFG.baselines.{kind}").graph()
        env = lite.OpenSpielEnv(
            pyspiel.load_game(game), traverse_type="Enumerate", regenerate=False
        )
        env.set_graph(graph)

    def step(count: int) -> None:
        for _ in range(count):
            graph.update_graph(env)
            env.update_strategy(graph.current_strategy())

    def gap() -> float:
        return float(sum(env.exploitability(graph.current_strategy(), "linear-avg-iterate"))) / 2

    return gap, step


def peer_seconds_to(
    target: float, gap: Callable[[], float], step: Callable[[int], None], every: int, limit: float
) -> tuple[float, int, bool]:
    """CPU seconds of a peer's iterations, its checks left out; False where the limit came first."""
    spent, done = 0.0, 0
    while spent < limit:
        spent += cpu_seconds(lambda: step(every))
        done += every
        if gap() <= target:
            return spent, done, True
    return spent, done, False


def line(name: str, ours: str, *peers: tuple[str, str, float]) -> None:
    text = f"{name:<34}{ours:>26}"
    for peer, figure, ratio in peers:
        text += f"   {peer} {figure} ({ratio:,.{int(ratio < 10)}f}×)"
    print(text, flush=True)


def cfr_iterations(full: bool) -> None:
    """CFR+ iterations a second."""
    for name, theirs, count, few in (
        ("kuhn", "kuhn_poker", 500_000, 5000),
        ("leduc", "leduc_poker", 5000, 100),
        ("liars_dice", "liars_dice", 200, 10),
    ):
        form = sequence_form(build_tree(make_game(name)))
        ours = our_rate(CFRSolver(form, "cfr+"), count)
        peers = []
        few *= 5 if full else 1
        if OPEN_SPIEL:
            other = rate(spiel_solver(theirs, "CFRPlusSolver")[1], few, 1)
            peers.append(("OpenSpiel", f"{other:,.1f}/s", ours / other))
        if LITE_EFG and (name != "liars_dice" or full):
            other = rate(lite_solver(theirs, "CFRplus")[1], few, 1)
            peers.append(("LiteEFG", f"{other:,.1f}/s", ours / other))
        line(f"CFR+ on {name}", f"{ours:,.0f} iterations/s", *peers)


def leduc_to_a_target(full: bool) -> None:
    """CPU seconds to an exploitability on Leduc."""
    form = sequence_form(build_tree(make_game("leduc")))
    found = {name: seconds_to(form, name, 1e-4) for name in ("dcfr", "cfr+", "sapcfr+")}
    best = min(seconds for seconds, _ in found.values())
    peers = []
    if OPEN_SPIEL:
        pyspiel = importlib.import_module("pyspiel")
        game = pyspiel.load_game("leduc_poker")
        solver, step = spiel_solver("leduc_poker", "CFRPlusSolver")

        def gap() -> float:
            return float(pyspiel.exploitability(game, solver.average_policy()))

        spent, done, reached = peer_seconds_to(1e-4, gap, step, 200, 60.0)
        sign = "" if reached else ">"
        peers.append(("OpenSpiel CFR+", f"{sign}{spent:.1f} s/{done:,}", spent / best))
    if LITE_EFG:
        kinds = ("CFRplus", "DCFR", "PCFR") if full else ("CFRplus",)
        for kind in kinds:
            lite_gap, step = lite_solver("leduc_poker", kind)
            spent, done, reached = peer_seconds_to(1e-4, lite_gap, step, 50, 30.0)
            sign = "" if reached else ">"
            peers.append((f"LiteEFG {kind}", f"{sign}{spent:.2f} s/{done:,}", spent / best))
    for name, (seconds, iterations) in found.items():
        shown = peers if seconds == best else []
        line(f"Leduc to 1e-4 by {name}", f"{seconds * 1e3:.1f} ms/{iterations:,}", *shown)
    for name in ("sapcfr+", "pdcfr+", "pcfr+"):
        seconds, iterations = seconds_to(form, name, 1e-6)
        line(f"Leduc to 1e-6 by {name}", f"{seconds * 1e3:.1f} ms/{iterations:,}")


def exact_answers() -> None:
    """The LP and a best response."""
    for name in ("kuhn", "showdown", "leduc", "liars_dice"):
        form = sequence_form(build_tree(make_game(name)))
        check_solvable(form)
        seconds = cpu_seconds(lambda form=form: solve_lp(form))
        refined = cpu_seconds(lambda form=form: solve_refined(form))
        both = f"{seconds * 1e3:,.1f}, {refined * 1e3:,.1f} ms"
        line(f"exact LP on {name}: plain, refined", both)
    form = sequence_form(build_tree(make_game("leduc")))
    profile = form.tree.uniform()
    evaluate_profile(form, profile)
    repeats = 1000
    total = cpu_seconds(lambda: [evaluate_profile(form, profile) for _ in range(repeats)], 3)
    seconds = total / repeats
    peers = []
    if OPEN_SPIEL:
        pyspiel = importlib.import_module("pyspiel")
        game = pyspiel.load_game("leduc_poker")
        policy = pyspiel.UniformRandomPolicy(game)
        other = cpu_seconds(lambda: pyspiel.exploitability(game, policy), 3)
        peers.append(("OpenSpiel", f"{other * 1e3:,.1f} ms", other / seconds))
    line("both best responses on leduc", f"{seconds * 1e6:.0f} µs", *peers)


def sampling(full: bool) -> None:
    """Sampled iterations a second."""
    few = 100_000 if full else 20_000
    tree = build_tree(make_game("leduc"))
    for name, kind, arguments in (
        ("es-mccfr", "ExternalSamplingMCCFRSolver", (1,)),
        ("os-mccfr", "OutcomeSamplingMCCFRSolver", (0.6, 1)),
    ):
        ours = our_rate(SampledSolver(tree, name), 500_000)
        peers = []
        if OPEN_SPIEL:
            other = rate(spiel_solver("leduc_poker", kind, *arguments)[1], few, 1)
            peers.append(("OpenSpiel", f"{other:,.0f}/s", ours / other))
        line(f"{name} on leduc", f"{ours:,.0f} iterations/s", *peers)
    solver = SampledSolver(build_tree(make_game("showdown")), "cs-cfr")
    seconds = 1e6 / our_rate(solver, 1_000_000)
    line("Showdown, a million cs-cfr", f"{seconds:.3f} s")


def building() -> None:
    """From rules to arrays: by public states, history by history, and OpenSpiel's two trees."""
    for name, parameters, theirs in (
        ("kuhn", {}, "kuhn_poker"),
        ("leduc", {}, "leduc_poker"),
        ("showdown", {}, ""),
        ("liars_dice", {}, "liars_dice"),
        ("leduc", {"ranks": 13}, ""),
    ):
        game = make_game(name, parameters)
        repeats = 1 if parameters else 5
        seconds = cpu_seconds(lambda game=game: build_tree(game), repeats)
        tree = build_tree(game)
        fold = cpu_seconds(lambda tree=tree: sequence_form(tree), repeats)
        plain = cpu_seconds(lambda game=game: plain_tree(game), min(repeats, 2))
        peers = [("history by history", f"{plain * 1e3:,.1f} ms", plain / seconds)]
        if OPEN_SPIEL and theirs:
            other = cpu_seconds(partial(infostate_trees, theirs), 2)
            ratio = other / (seconds + fold)
            peers.append(("OpenSpiel's InfostateTrees", f"{other * 1e3:,.1f} ms", ratio))
        shown = " ".join([name, *(f"{key}={value}" for key, value in parameters.items())])
        line(f"build and fold {shown}", f"{seconds * 1e3:,.1f} + {fold * 1e3:,.1f} ms", *peers)


def infostate_trees(name: str) -> list[Any]:
    """OpenSpiel's trees of both players, in C++."""
    pyspiel = importlib.import_module("pyspiel")
    game = pyspiel.load_game(name)
    return [pyspiel.InfostateTree(game, player) for player in range(2)]


def plain_tree(game: Game) -> GameTree:
    """The tree as it is built for a game that has the plain protocol only."""
    walk = HistoryWalk(game, keep=True, limit=None)
    walk.run()
    return walk.tree()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--quick", action="store_true", help="about a minute (the default)")
    length.add_argument("--full", action="store_true", help="let the peers run longer")
    full = parser.parse_args().full
    for present, name in ((OPEN_SPIEL, "open_spiel"), (LITE_EFG, "LiteEFG")):
        if not present:
            print(f"{name} is not installed (pip install 'riverboat[bench]'): left out.")
    building()
    cfr_iterations(full)
    leduc_to_a_target(full)
    exact_answers()
    sampling(full)


if __name__ == "__main__":
    main()
