"""Spots solved on a GPU and on the CPU: the same values, hand by hand and decision by decision.

    python benchmarks/gpu_agreement.py references          needs a GPU, and numba for the CPU's side
    python benchmarks/gpu_agreement.py solve found.npz     50 random spots, on a machine with a GPU
    python benchmarks/gpu_agreement.py judge found.npz     on any machine with numba

Random spots come by number: boards, ranges, sizes, rake and locks. The GPU solves each to 0.05 % of
the pot, or to `--target`; from 0.0125 % on theory alone keeps the values of all pairs within 0.05 %
where there is no rake. The judge gives its averages to the CPU's passes and compares what both
say about them. It solves the spot on the CPU, too, and compares the two solutions
(tests/support/spot_agreement.py says what is compared).
"""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))

from holdem_spots import read
from random_spots import random_locks, random_spot
from riverboat.holdem.rules.betting import Street
from riverboat.holdem.spots.layout import open_layout
from riverboat.holdem.spots.locks import Lock
from riverboat.holdem.spots.solver import SpotEvaluation, make_solver
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.storage import PlayerStorage
from riverboat.solvers.run import Limit

MAX_UPDATES = (1_000_000, 300_000, 300_000)
"""PlayerStorage of a flop, turn or river that is sent from one machine to the other."""
PATIENCE = 20_000
"""Iterations, where a target is out of reach."""
HEADS = (
    "spot", "street", "hands", "rake", "locks", "GPU %", "CPU %", "judged", "sum off", "EV",
    "crossed %", "value", "mean", "worst", "one hand", "others", "differ %", "cost", "dear %",
)  # fmt: skip
EXPLAINED = """\
All but rake, locks and the sum in per cent (of the pot, of decisions). GPU, CPU: exploitability.
judged: values and best responses of the GPU's averages by both devices. sum off: values less the
pot, in pots. EV: OOP's by both. crossed: exploitability of one device's OOP with the other's IP.
value: OOP's value in all four pairs. Against the same opponent: mean over hands, worst hand times
its share, worst single hand. others: mean over hands, each against its own opponent. differ: share
of decisions that change by 5 % or more; cost: of all these; dear: share that cost 0.1 % each."""


def solve(path: Path, count: int, target: float, processes: int) -> None:
    """Solve random spots on the GPU and keep the averages."""
    seeds = chosen(count)
    # Each shape of betting has kernels of its own: most of the time goes into compiling them.
    parts = [(seeds[first::processes], target) for first in range(processes)]
    kept: dict[str, np.ndarray] = {"target": np.array(target)}
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        for part in pool.map(solved_here, parts):
            kept |= part
    np.savez_compressed(path, **kept)
    print(f"{count} spots in {path}, numbers up to {seeds[-1]}")


def chosen(count: int) -> list[int]:
    """The numbers of the first random spots that are not too large."""
    found: list[int] = []
    seed = 0
    while len(found) < count:
        seed += 1
        spot = random_spot(seed)
        if open_layout(spot).size.updates <= MAX_UPDATES[spot.street - 1]:
            found.append(seed)
    return found


def solved_here(part: tuple[list[int], float]) -> dict[str, np.ndarray]:
    """The averages of some spots, and what the GPU says about them."""
    kept: dict[str, np.ndarray] = {}
    device = None
    for seed in part[0]:
        spot = random_spot(seed)
        solver = make_solver(spot, locks=random_locks(spot, seed), device="cuda", gpu=device)
        device = solver.device
        solver.run(Limit(target=part[1] * spot.pot, iterations=PATIENCE))
        found = solver.evaluation()
        kept[f"{seed}.facts"] = np.array([*found.ev, *found.best, solver.iterations])
        for player, numbers in enumerate(solver.averages):
            kept[f"{seed}.{player}"] = numbers.values
    return kept


def judge(path: Path) -> None:
    """Compare kept averages with the CPU's."""
    data = np.load(path)
    target = float(data["target"])
    seeds = sorted({int(name.split(".")[0]) for name in data.files if "." in name})
    table = Table()
    for seed in seeds:
        spot = random_spot(seed)
        locks = random_locks(spot, seed)
        facts = data[f"{seed}.facts"]
        found = SpotEvaluation(tuple(facts[:2]), tuple(facts[2:4]), spot.pot)
        values = [data[f"{seed}.{player}"] for player in (0, 1)]
        table.add(str(seed), *beside(spot, locks, values, found, target))
    table.close()


def references(names: list[str], target: float, threads: int) -> None:
    """The spots whose values are known, on a machine that has both."""
    table, device = Table(), None
    for name in names:
        spot, _ = read(name)
        solver = make_solver(spot, device="cuda", gpu=device)
        device = solver.device
        solver.run(Limit(target=target * spot.pot))
        found, values = solver.evaluation(), [each.values for each in solver.averages]
        streets = 1 if spot.street == Street.FLOP else None
        table.add(name, *beside(spot, [], values, found, target, threads, streets))
    table.close()


def beside(
    spot: Spot,
    locks: list[Lock],
    values: list[np.ndarray],
    found: SpotEvaluation,
    target: float,
    threads: int = 1,
    streets: int | None = None,
) -> tuple[list[Any], list[float]]:
    """The facts of a spot and the figures of both solutions."""
    from spot_agreement import compare, decisions, evaluate

    mine = make_solver(spot, locks=locks, threads=threads)
    arena, pot = mine.layout, spot.pot
    start = time.perf_counter()
    mine.run(Limit(target=target * pot, iterations=PATIENCE))
    if mine.seconds > 5:
        print(f"(the CPU took {time.perf_counter() - start:.1f} s)", flush=True)
    # With the locks of the CPU's own.
    first = [
        PlayerStorage(given, np.zeros(1, np.float32), own.locked, own.masks)
        for given, own in zip(values, mine.averages, strict=True)
    ]
    theirs, ours = (first[0], first[1]), (mine.averages[0], mine.averages[1])
    by_cpu = evaluate(arena, theirs, threads=threads)
    gap = np.abs(np.array([*by_cpu.ev, *by_cpu.best, by_cpu.exploitability])
                 - np.array([*found.ev, *found.best, found.exploitability])).max()  # fmt: skip
    off = abs(sum(found.ev) - pot) / pot if spot.rake_rate == 0 else 0.0
    pairs = compare(arena, theirs, ours, threads=threads)
    each = decisions(arena, theirs, ours, streets=streets)
    sizes = "/".join(str(len(spot.hands(player))) for player in (0, 1))
    street = spot.street.name.lower()
    return [street, sizes, spot.rake_rate, len(locks)], [
        *pairs.exploitable, 100 * gap / pot, off, pairs.ev, max(pairs.crossed), pairs.value,
        pairs.mean, pairs.worst, pairs.largest, pairs.others, 100 * each.differ,
        each.cost, 100 * each.dear,
    ]  # fmt: skip


class Table:
    """Lines as they come, and the worst of them at the end, with and without rake."""

    def __init__(self) -> None:
        self.kinds: dict[str, list[list[float]]] = {}
        print("  ".join(f"{head:>9}" for head in HEADS))

    def add(self, name: str, facts: list[Any], figures: list[float]) -> None:
        self._print(name, facts, figures)
        kind = "rake" if facts[2] else "no rake"
        self.kinds.setdefault(kind, []).append(figures)

    def _print(self, name: str, facts: list[Any], figures: list[float]) -> None:
        cells = [f"{each:>9}" for each in (name, *facts)]
        cells += [f"{each:9.2g}" if each < 1e-3 else f"{each:9.4f}" for each in figures]
        print("  ".join(cells), flush=True)

    def close(self) -> None:
        for kind, rows in self.kinds.items():
            print(f"the largest of {len(rows)} spots, {kind}; then the mean")
            for figures in (np.max(rows, axis=0), np.mean(rows, axis=0)):
                self._print("", ["", "", "", ""], figures.tolist())
        print(EXPLAINED)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("references", "solve", "judge"))
    parser.add_argument("path", type=Path, nargs="?")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--target", type=float, default=0.0005, help="of the pot")
    parser.add_argument("--spots", default="river_full,turn_full,3betpotfast")
    parser.add_argument("--threads", type=int, default=1, help="of the CPU's side")
    parser.add_argument("--processes", type=int, default=8, help="that compile and solve")
    options = parser.parse_args()
    if options.what == "references":
        references(options.spots.split(","), options.target, options.threads)
    elif options.path is None:
        parser.error(f"{options.what} needs a file.")
    elif options.what == "solve":
        solve(options.path, options.count, options.target, options.processes)
    else:
        judge(options.path)


if __name__ == "__main__":
    main()
