"""Discounts on a GPU: iterations and seconds to a target, chosen on some spots, proven on others.

    python benchmarks/gpu_schedules.py                     the 3-bet preset on six boards, six spots
    python benchmarks/gpu_schedules.py --boards 20 --spots 0 --only 0,2,3

Spots are the 3-bet preset on random boards, and random turns and flops, by number. The schedule
with the smallest geometric mean of seconds to 0.1 % of the pot over every second one is chosen; its
figures on the others are the proof. Seconds are those of iterations, without the looks.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))

from holdem_spots import read
from random_spots import random_spot
from riverboat.holdem.spots.cuda.two_way_passes import gpu_discounts
from riverboat.holdem.spots.schedule import discounts
from riverboat.holdem.spots.solver import SpotSolver, make_solver
from riverboat.holdem.spots.spot import Spot
from riverboat.solvers.run import Limit

Discounts = Callable[[int], tuple[float, float, float]]
TARGETS = (0.003, 0.001)
EVALUATE_EVERY, MAX_ITERATIONS = 4, 600


def rising(
    first: float, last: float, over: int, low: float, high: float, until: int, power: float
) -> Discounts:
    """Exponents rise from first to last, the factor of negative regrets from low to high."""

    @cache
    def factors(t: int) -> tuple[float, float, float]:
        alpha = first + (last - first) * min(t / over, 1.0)
        old = float(max(t - 1, 0)) ** alpha
        below = low + (high - low) * min(t / until, 1.0)
        return old / (old + 1), below, (t / (t + 1)) ** power

    return factors


RISING = rising(1, 3, 250, 0.5, 0.8, 100, 6)
CONSTANT = rising(1.5, 1.5, 1, 0.5, 0.5, 1, 6)
SCHEDULES: dict[str, tuple[Discounts, int, int]] = {
    "the GPU's": (gpu_discounts, 0, 0),
    "1.5, 1/2, cubes, restarts, from 0": (discounts, 0, 1),
    "1 to 3, 0.5 to 0.8, from 48": (RISING, 48, 1),
    "1 to 3, 0.5 to 0.8, from 48, every 2nd": (RISING, 48, 2),
    "1 to 3, 0.5 to 0.8, from 64, every 2nd": (RISING, 64, 2),
    "1.5, 1/2, from 48, every 2nd": (CONSTANT, 48, 2),
    "1.5, 1/2, from 32, every 3rd": (CONSTANT, 32, 3),
    "1.5 to 2, 0.3 to 0.6, from 48, every 2nd": (rising(1.5, 2, 250, 0.3, 0.6, 100, 6), 48, 2),
    "1.5 to 3, 0.3 to 0.8, from 48, every 2nd": (rising(1.5, 3, 250, 0.3, 0.8, 100, 6), 48, 2),
    "1 to 3, 0.3 to 0.8, from 48, every 2nd": (rising(1, 3, 250, 0.3, 0.8, 100, 6), 48, 2),
}
"""Name → discounts, and where averages begin and how often they take one in; 0 as it is."""


def chosen_spots(boards: int, spots: int) -> Iterator[tuple[str, Spot]]:
    preset, _ = read("3betpotfast")
    for seed in range(boards):
        cards = np.random.default_rng(seed).choice(52, 3, replace=False)
        yield f"3-bet {seed}", preset.with_board(tuple(int(card) for card in cards))
    for seed in range(1003, 1003 + spots):
        yield str(seed), random_spot(seed, street=seed % 4 // 2, classes=40)


def trial(spot: Spot, schedule: tuple[Discounts, int, int], device: object) -> SpotSolver:
    solver = make_solver(spot, device="cuda", gpu=device)  # type: ignore[arg-type]
    factors, start, every = schedule
    solver.passes.discounts = factors
    if every:
        solver.passes.start, solver.passes.every = start, every
    solver.compile()
    return solver


def to_targets(solver: SpotSolver) -> np.ndarray:
    """(targets, 2) iterations and seconds."""
    found = np.zeros((len(TARGETS), 2))
    start = time.perf_counter()
    solver.passes.begin(Limit(target=1.0))
    seconds, reached = time.perf_counter() - start, 0
    while reached < len(TARGETS) and solver.iterations < MAX_ITERATIONS:
        start = time.perf_counter()
        solver.step(EVALUATE_EVERY)
        seconds += time.perf_counter() - start
        gap = solver.measure() / solver.spot.pot
        while reached < len(TARGETS) and gap <= TARGETS[reached]:
            found[reached] = solver.iterations, seconds
            reached += 1
    found[reached:] = solver.iterations, seconds
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boards", type=int, default=6)
    parser.add_argument("--spots", type=int, default=6)
    parser.add_argument("--only", help="numbers of schedules, with commas")
    options = parser.parse_args()
    names = list(SCHEDULES)
    if options.only:
        names = [names[int(number)] for number in options.only.split(",")]
    device: object = None
    rows = []
    for name, spot in chosen_spots(options.boards, options.spots):
        row = []
        for each in names:
            solver = trial(spot, SCHEDULES[each], device)
            device = solver.device
            row.append(to_targets(solver))
        rows.append(row)
        print(name, [int(found[-1, 0]) for found in row], flush=True)
    table = np.log(np.maximum(np.array(rows), 1e-9))  # spots, schedules, targets, 2
    halves = [np.exp(table[half::2].mean(axis=0)) for half in (0, 1)]
    best = int(np.argmin(halves[0][:, -1, 1]))
    print("geometric means, chosen on | proven on: iterations and ms to", TARGETS)
    for i, name in enumerate(names):
        cells = [
            "  ".join(f"{a:6.1f} {1e3 * b:6.1f}" for a, b in half[i].tolist()) for half in halves
        ]
        print(f"{name:42} {' | '.join(cells)} {'chosen' if i == best else ''}")


if __name__ == "__main__":
    main()
