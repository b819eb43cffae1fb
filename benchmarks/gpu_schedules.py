"""Discounts on a GPU: iterations to 0.1 % of the pot, chosen on some spots, proven on others.

    python benchmarks/gpu_schedules.py --count 16

Spots are random flops and turns by number. The schedule with the smallest geometric mean over the
even numbers is chosen; its figures on the odd numbers are the proof.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))

from random_spots import random_spot
from riverboat.holdem.spots.spot_solver import discounts
from riverboat.holdem.spots.spot_solver_cuda import CudaSpotSolver

Schedule = Callable[[int], tuple[float, float, float]]


def rising(
    first: float, last: float, over: int, low: float, high: float, until: int, power: float
) -> Schedule:
    """Exponents rise from first to last, the factor of negative regrets from low to high."""

    def factors(t: int) -> tuple[float, float, float]:
        alpha = first + (last - first) * min(t / over, 1.0)
        old = float(max(t - 1, 0)) ** alpha
        below = low + (high - low) * min(t / until, 1.0)
        return old / (old + 1), below, (t / (t + 1)) ** power

    return factors


SCHEDULES: dict[str, Schedule] = {
    "1.5, 1/2, cubes, restarts": discounts,
    "1.5, 1/2, power 10": rising(1.5, 1.5, 1, 0.5, 0.5, 1, 10),
    "1 to 4, 0.5 to 0.8, power 10": rising(1, 4, 250, 0.5, 0.8, 100, 10),
    "1 to 4, 0.5 to 0.8, power 6": rising(1, 4, 250, 0.5, 0.8, 100, 6),
    "1 to 4, 0.5 to 0.8, power 4": rising(1, 4, 250, 0.5, 0.8, 100, 4),
    "1 to 3, 0.5 to 0.8, power 6": rising(1, 3, 250, 0.5, 0.8, 100, 6),
    "1.5, 0.5 to 0.8, power 6": rising(1.5, 1.5, 1, 0.5, 0.8, 100, 6),
    "1.5 to 3, 0.5 to 0.7, power 6": rising(1.5, 3, 250, 0.5, 0.7, 100, 6),
}


def iterations(seed: int, schedule: Schedule, target: float, device: object) -> tuple[int, object]:
    spot = random_spot(seed, street=seed % 4 // 2, classes=40)
    solver = CudaSpotSolver(spot, device=device)  # type: ignore[arg-type]
    solver.discounts = schedule  # type: ignore[assignment]
    while solver.iterations < 1000:
        solver.step(8)
        if solver.iterations >= 24 and solver.measure() <= target * spot.pot:
            break
    return solver.iterations, solver.device


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=16)
    options = parser.parse_args()
    device: object = None
    seeds = range(1000, 1000 + options.count)
    found = np.zeros((len(SCHEDULES), len(seeds)))
    for column, seed in enumerate(seeds):
        for row, schedule in enumerate(SCHEDULES.values()):
            found[row, column], device = iterations(seed, schedule, 0.001, device)
        print(seed, found[:, column].astype(int).tolist(), flush=True)
    means = [np.exp(np.log(found[:, half::2]).mean(axis=1)) for half in (0, 1)]
    best = int(np.argmin(means[0]))
    for row, name in enumerate(SCHEDULES):
        mark = "chosen" if row == best else ""
        print(f"{name:34} {means[0][row]:7.1f} {means[1][row]:7.1f} {mark}")


if __name__ == "__main__":
    main()
