"""Solving hold'em spots: CPU seconds to 0.1 % of the pot, hand-action updates per second, threads.

    python benchmarks/holdem_spots.py                 river and turn
    python benchmarks/holdem_spots.py --spots flop    the flop: two minutes of CPU and 1.3 GB

The spots are those under tests/data/poker. Next to each figure is that of a solver in Rust that
was measured once on one core of the same kind of machine (single thread, to the same 0.1 %).
Compiling is done before and reported separately.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from riverboat.holdem.spots.schedule import parse_target
from riverboat.holdem.spots.solver import make_solver
from riverboat.holdem.spots.spot import Spot
from riverboat.solvers.run import Limit

FOLDER = Path(__file__).parent.parent / "tests" / "data" / "poker"
SPOTS = {
    "river": ("river_full", 0.077, 0.05),
    "turn": ("turn_full", 21.5, 12.0),
    "flop": ("3betpotfast", 221.0, 120.0),
}
"""Name → file, CPU seconds of the solver in Rust, and what we aim at."""


def read(name: str) -> tuple[Spot, dict[str, object]]:
    data = json.loads((FOLDER / f"spot_{name}.json").read_text())
    text = (
        f'board = "{data["board"]}"\npot = {data["pot"]}\nstack = {data["stack"]}\n'
        f'[ranges]\noop = "{data["range_oop"]}"\nip = "{data["range_ip"]}"\n'
        f"[tree]\nlines = {json.dumps(data['lines'])}\n"
    )
    return Spot.from_toml(text), data


def to_target(name: str, target: str, repeats: int, short: bool) -> None:
    file, rust, goal = SPOTS[name]
    spot, data = read(file)
    best = None
    for _ in range(repeats):
        solver = make_solver(spot, int16=short)
        compiled = solver.compile()
        solver.run(Limit(target=parse_target(target, spot.pot)))
        if best is None or solver.cpu_seconds < best.cpu_seconds:
            best = solver
    assert best is not None
    found = best.last_evaluation
    assert found is not None
    result = data["result"]
    assert isinstance(result, dict)
    rate = best.size.updates * best.iterations / best.cpu_seconds / 1e6
    print(
        f"{name:6} {'16-bit' if short else 'float32':8} {best.cpu_seconds:8.3f} CPU s"
        f" ({best.iterations} iterations, {rate:.0f} M updates/s with the checks;"
        f" Rust {rust} s: {rust / best.cpu_seconds:.1f} times; aim {goal} s)\n"
        f"       {found.percent:.4f} % of the pot, EV OOP {found.ev[0]:.3f}"
        f" (the other solver's {result['ev_oop']:.3f}),"
        f" {best.memory_bytes / 1e6:.1f} MB; loading or compiling took {compiled:.1f} s before"
    )


def speed(name: str, iterations: int, repeats: int) -> None:
    """Hand-action updates in a CPU second, the best of some runs; and what two threads gain."""
    spot, _ = read(SPOTS[name][0])
    for short in (False, True):
        walls: dict[int, float] = {}
        rate = 0.0
        for threads in (1, 2):
            solver = make_solver(spot, threads=threads, int16=short)
            solver.compile()
            with solver.pooled():
                for _ in range(repeats):
                    wall, cpu = time.perf_counter(), time.process_time()
                    solver.step(iterations)
                    spent = time.process_time() - cpu
                    walls[threads] = min(walls.get(threads, 1e9), time.perf_counter() - wall)
                    if threads == 1:
                        rate = max(rate, solver.size.updates * iterations / spent / 1e6)
        print(
            f"{name:6} {'16-bit' if short else 'float32':8} {rate:6.0f} M updates in a CPU second;"
            f" two threads {walls[1] / walls[2]:.2f} times as fast by the clock"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--spots", default="river,turn", help="river, turn and flop, with commas")
    parser.add_argument("--target", default="0.1%")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--short", action="store_true", help="16-bit numbers, too")
    options = parser.parse_args()
    for name in options.spots.split(","):
        repeats = 1 if name == "flop" else options.repeats
        for short in (False, True) if options.short else (False,):
            to_target(name, options.target, repeats, short)
        if name != "river":
            speed(name, 2 if name == "flop" else 5, options.repeats)


if __name__ == "__main__":
    main()
