"""The duel against the first program's own figures, and against what memory allows.

Run: python benchmarks/duel.py [--deep]

The peer is the C++ program that the duel continues; it is lost, so its author's figures for
10,10,10 stand for it: an iteration took 76 ms with max_hits 2 and 2.48 s with max_hits 3, and
went over one sampled triple of down cards, where ours goes over all 1,000. Times are CPU times of
one thread after compilation, the best of a few rounds. --deep adds max_hits 4.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable

import numpy as np

from riverboat.games.duel import Duel
from riverboat.solvers._public_cfr import PublicCFRSolver
from riverboat.trees.public_games import public_game

CARDS = (10, 10, 10)
OLD_BUILD = {2: 1.1, 3: 36.0}
OLD_ITERATION = {2: 0.076, 3: 2.48}
ROUNDS = 8


def cpu(work: Callable[[], object], units: int = 1) -> float:
    """Best CPU seconds of a call over a few rounds, for one of the `units` it does."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        best = min(best, (time.process_time() - start) / units)
    return best


def bandwidth() -> float:
    """Bytes a second that a pass over memory moves (read and write) on one thread."""
    source, target = np.ones(2**24), np.ones(2**24)
    return 2 * source.nbytes / cpu(lambda: np.copyto(target, source))


def versus(old: float | None, new: float) -> str:
    return "" if old is None else f"   old program {old:g} s: {old / new:,.0f} times as fast"


def measure(max_hits: int, speed: float) -> None:
    game, repeats = Duel(CARDS, max_hits), {1: 5000, 2: 100, 3: 4}.get(max_hits, 1)
    PublicCFRSolver(public_game(game), "cfr+").advance(1)
    start = time.process_time()
    solver = PublicCFRSolver(public_game(game), "cfr+")
    build = time.process_time() - start
    iteration = cpu(lambda: solver.advance(repeats), repeats)
    sampled = PublicCFRSolver(solver.public, "cfr+", sampled=True)
    sampled.advance(1)
    triple = cpu(lambda: sampled.advance(repeats), repeats)
    shapes = solver.public.shapes
    updates, memory = shapes.num_tree_slots * shapes.num_lanes, shapes.memory(2)
    # Both players' sweeps read the regrets, one writes them; the average is read and written.
    floor = 5 * 8 / speed
    old = OLD_ITERATION.get(max_hits)
    print(f"\nmax_hits {max_hits}: {shapes.num_public_nodes:,} public nodes")
    print(f"  build              {build:9.3f} s {versus(OLD_BUILD.get(max_hits), build)}")
    print(f"  CFR+ iteration     {iteration * 1e3:9.3f} ms{versus(old, iteration)}")
    print(f"  one sampled triple {triple * 1e3:9.3f} ms{versus(old, triple)}")
    print(
        f"  memory             {memory / 2**20:9.1f} MiB"
        f"  {memory / shapes.num_public_nodes:.1f} bytes a public node"
    )
    print(
        f"  lane-action update {iteration / updates * 1e9:9.2f} ns"
        f"   {floor * 1e9:.2f} ns if only memory's speed counted"
    )
    nash_conv = solver.evaluation().nash_conv
    print(f"  NashConv after {solver.iterations:,} iterations {nash_conv:.2g}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deep", action="store_true", help="also max_hits 4 (3.4 million nodes)")
    deep = parser.parse_args().deep
    speed = bandwidth()
    print(f"copying moves {speed / 1e9:.1f} GB/s (read and write, one thread)")
    for max_hits in (1, 2, 3, 4) if deep else (1, 2, 3):
        measure(max_hits, speed)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"\npeak memory of the whole run {peak:.2f} GiB")


if __name__ == "__main__":
    main()
