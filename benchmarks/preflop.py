"""All-in or fold and ICM: seconds, next to a linear program and to all finishing orders.

    python benchmarks/preflop.py                  two players and ICM
    python benchmarks/preflop.py --players 3      three players too, first with an empty cache

Every figure is the median of some runs, in CPU seconds and wall seconds, after one that warms up.
The linear program is HiGHS on the exact 169 × 169 matrices (scipy.optimize.linprog); the orders are
a plain loop over all 362,880 of nine players. Both get the same answer, and the gap is printed.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable
from itertools import permutations
from statistics import median
from typing import Any

import numpy as np

from riverboat.cards.combos import NUM_CLASSES
from riverboat.holdem.preflop._matchups import Matchups
from riverboat.holdem.preflop.push_fold import PushFold
from riverboat.holdem.rules.icm import icm

STACKS = (5.0, 10.0, 15.0, 20.0)
NINE = (3000.0, 2600.0, 2100.0, 1900.0, 1500.0, 1200.0, 900.0, 500.0, 300.0)
PRIZES = (50.0, 30.0, 20.0)


def timed(work: Callable[[], Any], runs: int) -> tuple[float, float, Any]:
    """CPU seconds, wall seconds and the last result."""
    found, cpu, wall = work(), [], []
    for _ in range(runs):
        begin = time.process_time(), time.perf_counter()
        found = work()
        cpu.append(time.process_time() - begin[0])
        wall.append(time.perf_counter() - begin[1])
    return median(cpu), median(wall), found


def show(what: str, cpu: float, wall: float, **more: float) -> None:
    facts = {"what": what, "cpu_ms": 1e3 * cpu, "wall_ms": 1e3 * wall, **more}
    print(json.dumps({k: v if isinstance(v, str) else float(f"{v:.4g}") for k, v in facts.items()}))


def program_value(stack: float) -> float:
    """The small blind's value by a linear program over pushes x and what each call comes to."""
    from scipy.optimize import linprog

    deals = Matchups(2)
    won, tied = deals.tensors(np.array([[1.0, 0], [0, 1.0], [0, 0]]), (0, 0))
    showdown = stack * (2 * (won + tied / 2) - deals.weights)
    cost = np.concatenate([-0.5 * deals.weights.sum(axis=1), -np.ones(NUM_CLASSES)])
    one = np.eye(NUM_CLASSES)
    limits = np.block([[-deals.weights.T, one], [-showdown.T, one]])
    bounds = [(0, 1)] * NUM_CLASSES + [(None, None)] * NUM_CLASSES
    found = linprog(cost, limits, np.zeros(2 * NUM_CLASSES), bounds=bounds, method="highs")
    return float(-found.fun - 0.5)


def orders_value(stacks: tuple[float, ...], prizes: tuple[float, ...]) -> list[float]:
    """ICM by all finishing orders."""
    found = [0.0] * len(stacks)
    for order in permutations(range(len(stacks))):
        chance, left = 1.0, sum(stacks)
        for seat in order:
            chance *= stacks[seat] / left
            left -= stacks[seat]
        for seat, prize in zip(order, prizes, strict=False):
            found[seat] += chance * prize
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--players", type=int, default=2, choices=(2, 3))
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    for stack in STACKS:
        game = PushFold((stack, stack))
        cpu, wall, found = timed(game.solve, options.runs)
        peer_cpu, _, value = timed(lambda s=stack: program_value(s), 1)
        show(
            f"push/fold for two, {stack:g} big blinds", cpu, wall, program_cpu_ms=1e3 * peer_cpu,
            program_times=peer_cpu / cpu, gap=abs(value - found.info["ev"][0]),
            gain=found.info["exploitability"],
        )  # fmt: skip
    cpu, wall, prizes = timed(lambda: icm(NINE, PRIZES), 20 * options.runs)
    began = time.process_time()
    wanted = orders_value(NINE, PRIZES)
    slow = time.process_time() - began
    gap = float(np.abs(np.array(wanted) - prizes).max())
    show(
        "ICM of nine players", cpu, wall, orders_cpu_ms=1e3 * slow, orders_times=slow / cpu, gap=gap
    )
    if options.players == 3:
        three, what = PushFold((10.0, 10.0, 10.0)), "push/fold for three, 10 big blinds"
        with tempfile.TemporaryDirectory() as folder:
            os.environ["RIVERBOAT_CACHE"] = folder
            began, before = time.perf_counter(), time.process_time()
            three.solve()
            cpu, wall = time.process_time() - before, time.perf_counter() - began
            show(f"{what}, first run: deals are counted", cpu, wall)
            cpu, wall, found = timed(three.solve, options.runs)
        show(f"{what}, deals from the cache", cpu, wall, gain=found.info["exploitability"])


if __name__ == "__main__":
    main()
