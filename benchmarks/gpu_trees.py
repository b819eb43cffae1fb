"""The CFR family on game trees and on the duel's public trees: a CPU thread and a GPU.

    python benchmarks/gpu_trees.py                       all sizes but the largest
    python benchmarks/gpu_trees.py --only "duel 3"       those whose name begins so
    python benchmarks/gpu_trees.py --large               the largest too (minutes to build)

Both do the same iterations of the same algorithm; afterwards their regrets and averages are
compared bit by bit. An iteration's time is wall time, the best of a few rounds, without building
and compiling. `look` is one exact NashConv of the average. Sizes are payoffs + sequences of a game
tree, and actions × hands of a public tree: what `--device auto` goes by. With --lock FILE several
runs may build at the same time and measure one after another.
"""

from __future__ import annotations

import argparse
import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.games.registry import make_game
from riverboat.runtime.devices import list_devices
from riverboat.solvers._cfr_cuda import CudaCFRSolver, CudaPublicCFRSolver
from riverboat.solvers._choice import sequence_size
from riverboat.solvers._public_cfr import PublicCFRSolver
from riverboat.solvers.cfr import CFRSolver
from riverboat.solvers.solver import Solver
from riverboat.trees.game_tree import build_tree
from riverboat.trees.public_games import public_game
from riverboat.trees.sequence_form import sequence_form

ROUNDS, ROUND_SECONDS = 3, 0.15
TREES: dict[str, tuple[str, dict[str, Any]]] = {
    "kuhn": ("kuhn", {}),
    "leduc 3x2": ("leduc", {}),
    "liars_dice 4": ("liars_dice", {"faces": 4}),
    "leduc 5x2": ("leduc", {"ranks": 5}),
    "liars_dice 5": ("liars_dice", {"faces": 5}),
    "leduc 8x2": ("leduc", {"ranks": 8}),
    "liars_dice 6": ("liars_dice", {"faces": 6}),
    "leduc 13x2": ("leduc", {"ranks": 13}),
}
LARGE: dict[str, tuple[str, dict[str, Any]]] = {
    "leduc 13x3": ("leduc", {"ranks": 13, "suits": 3}),
    "leduc 13x4": ("leduc", {"ranks": 13, "suits": 4}),
    "duel 4, sixes": ("duel", {"cards": "6,6,2", "max_hits": 4}),
    "duel 4, aces": ("duel", {"cards": "1,1,1", "max_hits": 4}),
}
DUELS: dict[str, tuple[str, dict[str, Any]]] = {
    "duel 1": ("duel", {"cards": "6,6,2", "max_hits": 1}),
    "duel 2": ("duel", {"cards": "6,6,2", "max_hits": 2}),
    "duel 3, tens": ("duel", {"cards": "10,10,10", "max_hits": 3}),
    "duel 3": ("duel", {"cards": "6,6,2", "max_hits": 3}),
    "duel 4, tens": ("duel", {"cards": "10,10,10", "max_hits": 4}),
}


def per_call(work: Callable[[int], object]) -> float:
    """Best wall seconds per unit of work(n)."""
    start = time.perf_counter()
    work(1)
    first = time.perf_counter() - start
    count = max(1, min(2000, int(ROUND_SECONDS / max(first, 1e-9))))
    best = float("inf")
    for _ in range(ROUNDS if first < 0.5 else 1):
        start = time.perf_counter()
        work(count)
        best = min(best, (time.perf_counter() - start) / count)
    return best


def looks(solver: Solver) -> Callable[[int], None]:
    def work(count: int) -> None:
        for _ in range(count):
            solver.nash_conv()

    return work


def makers(name: str, given: dict[str, Any], algorithm: str) -> tuple[int, Any, Any]:
    """The size, and how the solvers for the CPU and the GPU are made."""
    game = make_game(name, given)
    if name == "duel":
        public = public_game(game)
        size = public.shapes.num_tree_slots * public.shapes.num_lanes
        return (
            size,
            lambda: PublicCFRSolver(public, algorithm),
            lambda: CudaPublicCFRSolver(public, algorithm),
        )
    form = sequence_form(build_tree(game, memory_limit=16 << 30))
    return (
        sequence_size(form),
        lambda: CFRSolver(form, algorithm),
        lambda: CudaCFRSolver(form, algorithm),
    )


def learned(solver: Solver) -> dict[str, NDArray[Any]]:
    """Copies of a solver's arrays."""
    found = solver.state()
    return {name: found[name].copy() for name in found if name not in ("clock", "gap")}


def same(one: dict[str, NDArray[Any]], other: dict[str, NDArray[Any]]) -> str:
    equal = all(np.array_equal(array, other[name]) for name, array in one.items())
    return "same" if equal else "OTHER"


@contextlib.contextmanager
def alone(path: str | None) -> Iterator[None]:
    """Nobody else with the same file measures meanwhile."""
    if path is None:
        yield
        return
    import fcntl

    with Path(path).open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def measure(name: str, lock: str | None) -> None:
    game, given = {**TREES, **LARGE, **DUELS}[name]
    algorithm = "pdcfr+" if game == "duel" else "dcfr"
    start = time.perf_counter()
    size, on_cpu, on_gpu = makers(game, given, algorithm)
    built = time.perf_counter() - start
    start = time.perf_counter()
    cpu = on_cpu()
    cpu.iterate(3)
    gap, wanted = cpu.nash_conv(), learned(cpu)
    warm = time.perf_counter() - start
    slow, slow_look = per_call(cpu.iterate), per_call(looks(cpu))
    del cpu
    with alone(lock):
        start = time.perf_counter()
        gpu, again = on_gpu(), on_gpu()
        gpu.iterate(3)
        again.iterate(1)
        apart = abs(gpu.nash_conv() - gap)
        again.iterate(2)
        loaded = time.perf_counter() - start
        found = learned(gpu)
        bits = f"{same(wanted, found)}, {same(found, learned(again))}"
        quick, quick_look = per_call(gpu.iterate), per_call(looks(gpu))
    print(
        f"| {name} | {size:,} | {slow * 1e6:,.1f} | {quick * 1e6:,.1f} | {slow / quick:.2f} |"
        f" {slow_look * 1e6:,.0f} | {quick_look * 1e6:,.0f} | {bits}; {apart:.1e} |"
        f" built {built:.1f} s, CPU ready {warm:.1f} s, GPU {loaded:.2f} s",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--lock")
    options = parser.parse_args()
    print(", ".join(device.title for device in list_devices()))
    print("| game | size | CPU µs | GPU µs | ratio | look CPU µs | look GPU µs | bits |")
    print("|---|---|---|---|---|---|---|---|")
    chosen = [*TREES, *DUELS, *(LARGE if options.large or options.only else ())]
    if options.only:
        chosen = [name for name in chosen if name.startswith(tuple(options.only))]
    for name in chosen:
        measure(name, options.lock)


if __name__ == "__main__":
    main()
