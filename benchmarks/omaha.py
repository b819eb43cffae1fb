"""Spots of Omaha, all hands and no buckets: time and memory to an exploitability in the pot.

    python benchmarks/omaha.py                    a river and a turn, in CPU seconds on one core
    python benchmarks/omaha.py --spots river --ranges random
    python benchmarks/omaha.py --device cuda      river, turn and flop on a GPU, in seconds

Pot 100, stacks 300, on every street one bet of the pot and all-in. A river and a turn are solved to
0.1 % of the pot, a flop to 0.3 %. "of bytes" is the time in which the memory of an H200 (4.8 TB/s)
could move once what an iteration reads and writes (regrets, averages and tables), as a part of what
it takes. Compiling and tables come before; they are reported separately.
"""

from __future__ import annotations

import argparse
import time

from riverboat.holdem.spots.solver import SpotSolver, make_solver
from riverboat.holdem.spots.spot import make_spot
from riverboat.solvers.run import Limit

BOARDS = {"river": "Ks Th 7s 4d 2c", "turn": "Ks Th 7s 4d", "flop": "Ks Th 7s"}
RANGES = {
    "cpu": {"river": "30%", "turn": "10%"},
    "cuda": {"river": "random", "turn": "random", "flop": "30%"},
}
TARGETS = {"river": 0.1, "turn": 0.1, "flop": 0.3}
AIMS = {"cpu": {"river": 15.0, "turn": 600.0}, "cuda": {"river": 0.1, "turn": 5.0, "flop": 180.0}}
"""Seconds: of CPU time, or on a GPU."""
BANDWIDTH = 4.8e12


def bytes_moved(solver: SpotSolver) -> float:
    """What an iteration has to read and write at least."""
    layout = solver.layout
    assert layout.subsets is not None
    # Regrets and averages are read and written, and the opponent's regrets are read once more.
    numbers = 20 * layout.updates
    # Each learner reads the runs of their own hands, and the hands of each run.
    runs = sum(8 * len(own.subsets) for own in layout.subsets)
    return float(numbers + runs * layout.boards.num_boards[-1])


def measure(street: str, range_: str, device: str, threads: int) -> None:
    both = {player: {"bet": "100%", "raise": "a"} for player in ("oop", "ip")}
    spot = make_spot(
        game="omaha", board=BOARDS[street], pot=100, stack=300, ranges=(range_, range_),
        sizes=dict.fromkeys(("flop", "turn", "river"), both),
    )  # fmt: skip
    began = time.perf_counter()
    solver = make_solver(spot, device=device, threads=threads)
    solver.compile()
    made = time.perf_counter() - began
    clock = time.process_time if device == "cpu" else time.perf_counter
    solver.step(2)
    began = clock()
    solver.step(5)
    each = (clock() - began) / 5
    solver = make_solver(solver.layout, device=device, threads=threads)
    solver.compile()
    solver.run(Limit(target=TARGETS[street]))
    found, spent = solver.evaluation(), solver.cpu_seconds if device == "cpu" else solver.seconds
    share = "" if device == "cpu" else f", {bytes_moved(solver) / BANDWIDTH / each:.0%} of bytes"
    print(
        f"{street:6} {len(spot.hands(0)):7,} hands  {1000 * each:8.2f} ms an iteration{share}"
        f"  {solver.memory_bytes / 2**30:6.2f} GiB  {found.percent:.3f} % after"
        f" {solver.iterations} iterations, {spent:.2f} s (aim {AIMS[device][street]:g} s)"
        f"  EV {found.ev[0]:.2f} / {found.ev[1]:.2f}  made ready in {made:.1f} s",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--spots", default="", help="river, turn, flop; by default all of a device")
    parser.add_argument("--ranges", default="", help="30%%, random, AA$ds …, for both players")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    usual = RANGES[options.device]
    for street in filter(None, options.spots.split(",")) if options.spots else usual:
        measure(street, options.ranges or usual[street], options.device, options.threads)


if __name__ == "__main__":
    main()
