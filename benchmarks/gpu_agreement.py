"""Spots solved on a GPU beside the CPU's: strategies are worth the same, hands have equal values.

    python benchmarks/gpu_agreement.py solve found.npz     on a machine with a GPU
    python benchmarks/gpu_agreement.py judge found.npz     on any machine: numba does the judging

Random spots by number: boards, ranges, sizes, rake and locks. The GPU solves each to 0.05 % of the
pot. The judge gives its averages to the CPU's solver, compares what both say about them, solves the
spot on the CPU, too, and compares the values of all hands.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))

from random_spots import random_locks, random_spot
from riverboat.holdem.spots.spot_solver import SpotSolver
from riverboat.solvers.limits import Limit

TARGET = 0.0005
MOST = 200_000
"""Numbers of a spot that is sent from one machine to the other."""


def solve(path: Path, count: int) -> None:
    from riverboat.holdem.spots.spot_solver_cuda import CudaSpotSolver

    kept: dict[str, np.ndarray] = {}
    seed, device = 0, None
    while len(kept) < 3 * count:
        seed += 1
        spot = random_spot(seed)
        locks = random_locks(spot, seed)
        solver = CudaSpotSolver(spot, locks=locks, device=device)
        device = solver.device
        if solver.size.updates > MOST:
            continue
        solver.run(Limit(target=TARGET * spot.pot, iterations=4000))
        found = solver.evaluation()
        kept[f"{seed}.facts"] = np.array([*found.ev, *found.best, solver.iterations])
        for player, numbers in enumerate(solver.averages):
            kept[f"{seed}.{player}"] = numbers.values
    np.savez_compressed(path, **kept)
    print(f"{count} spots in {path}, numbers up to {seed}")


def judge(path: Path) -> None:
    data = np.load(path)
    seeds = sorted({int(name.split(".")[0]) for name in data.files})
    print(
        "spot  street hands      rake locks  iter  exploitable  worth differs   sum off"
        "    EV differs  hands differ"
    )
    worst = np.zeros(4)
    for seed in seeds:
        spot = random_spot(seed)
        locks = random_locks(spot, seed)
        facts = data[f"{seed}.facts"]
        theirs, mine = SpotSolver(spot, locks=locks), SpotSolver(spot, locks=locks)
        for player in (0, 1):
            theirs.averages[player].values[...] = data[f"{seed}.{player}"]
        judged = theirs.evaluation()
        mine.run(Limit(target=TARGET * spot.pot, iterations=4000))
        own = mine.evaluation()
        pot = spot.pot
        worth = 100 * np.abs(np.array([*judged.ev, *judged.best]) - facts[:4]).max() / pot
        off = abs(sum(facts[:2]) - pot) / pot if spot.rake_rate == 0 else 0.0
        ev = 100 * abs(own.ev[0] - judged.ev[0]) / pot
        hands = 100 * max(_hands_differ(theirs, mine, player) for player in (0, 1)) / pot
        sizes = [len(spot.hands(player)) for player in (0, 1)]
        print(
            f"{seed:4}  {spot.street:6} {sizes[0]:4}/{sizes[1]:<4} {spot.rake_rate:5}"
            f" {len(locks):5} {int(facts[4]):6} {judged.percent:10.4f} % {worth:12.2e} %"
            f" {off:10.1e} {ev:10.4f} % {hands:10.4f} %",
            flush=True,
        )
        worst = np.maximum(worst, [worth, off, ev, hands])
    print(
        f"{len(seeds)} spots; at most: worth {worst[0]:.1e} % of the pot, sum {worst[1]:.1e} of it,"
        f" EV {worst[2]:.4f} %, mean over hands {worst[3]:.4f} %"
    )


def _hands_differ(first: SpotSolver, second: SpotSolver, player: int) -> float:
    """The mean over hands, as often as they are met, of the difference of their values in chips."""
    arena = first.arena
    rows = [
        solver._pass(player, 2, np.zeros(3, np.float32), None).astype(np.float64)
        for solver in (first, second)
    ]
    weights = arena.runouts.unranked[player].weights
    size = len(arena.meetings[player])
    apart = np.abs(rows[0] - rows[1])[:size]
    return float((weights[:size] * apart).sum() / arena.deals)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("solve", "judge"))
    parser.add_argument("path", type=Path)
    parser.add_argument("--count", type=int, default=50)
    options = parser.parse_args()
    solve(options.path, options.count) if options.what == "solve" else judge(options.path)


if __name__ == "__main__":
    main()
