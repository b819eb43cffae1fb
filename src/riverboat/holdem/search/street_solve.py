"""Solves a street of a hand with all that follows it, on the CPU or on a GPU.

A GPU takes flops and turns; a river is solved as quickly on the CPU. Kernels made for a tree are
compiled when it first comes, which takes a second or two; later processes find them on the disk.
Where there is a clock those of usual trees are made ready beside the play (`warm_beside`), and a
tree whose kernels are not ready yet is solved by slower ones for any tree.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from functools import cache

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.combos import NUM_COMBOS
from riverboat.device_cuda import CudaDevice
from riverboat.errors import TooLargeError
from riverboat.holdem.search.bounded_solver import BoundedSolver
from riverboat.holdem.search.hand_so_far import StreetStart
from riverboat.holdem.search.search_options import FLOP, TURN, SearchOptions, open_spot
from riverboat.holdem.search.warm_start import LearnedSpot, start_from
from riverboat.holdem.spots.solved_spot import SolvedSpot
from riverboat.holdem.spots.spot_arena import SpotArena
from riverboat.holdem.spots.spot_locks import PlacedLock
from riverboat.holdem.spots.spot_solver import SpotSolver

__all__ = ["gpu", "run_until", "solve_street", "warm_beside"]

Doubles = NDArray[np.float64]
AT_A_TIME = 8
"""Iterations on a GPU between two looks at the clock."""
USUAL = (2, 4, 5, 6, 10, 14, 20, 30)
"""Pots, in big blinds, whose trees are made ready before they come."""


def solve_street(
    arena: SpotArena,
    player: int,
    bound: Doubles | None,
    held: Sequence[PlacedLock],
    options: SearchOptions,
    street: int,
    deadline: float,
    before: SolvedSpot | None = None,
) -> SolvedSpot:
    """The street as `player` solves it: his opponent may take `bound`, nodes in `held` are told.

    Its `info` has the iterations. Where the street was solved `before`, the CPU goes on from that.
    A GPU whose memory is full leaves it to the CPU.
    """
    if options.on_gpu(street):
        try:
            return _on_gpu(arena, player, bound, held, options.iterations_on(street), deadline)
        except TooLargeError:
            pass
    solver = BoundedSolver(arena, 1 - player, bound, held=held, threads=options.threads)
    if before is not None:
        start_from(solver, before)
    pooled = options.threads > 1 and arena.num_streets > 1
    with ThreadPoolExecutor(options.threads) if pooled else nullcontext() as pool:
        run_until(solver, options.iterations_on(street), deadline, pool)
    return LearnedSpot(solver)


def run_until(
    solver: SpotSolver,
    iterations: int,
    deadline: float,
    pool: ThreadPoolExecutor | None = None,
    *,
    chunk: int = 1,
) -> None:
    """Iterate to the number, or as long as another iteration ends in time; once at least."""
    longest, first = 0.0, solver.iterations
    while solver.iterations < iterations or solver.iterations == first:
        before = time.perf_counter()
        if solver.iterations > first and before + longest > deadline:
            return
        solver.step(max(1, min(chunk, iterations - solver.iterations)), pool)
        took = time.perf_counter() - before
        if solver.arena.num_streets == 1:
            chunk = 10
        longest = max(longest, took) if solver.iterations > first + chunk else took


@cache
def gpu() -> CudaDevice:
    """The GPU, with all kernels that this process has made ready."""
    return CudaDevice()


def _on_gpu(
    arena: SpotArena,
    player: int,
    bound: Doubles | None,
    held: Sequence[PlacedLock],
    iterations: int,
    deadline: float,
) -> SolvedSpot:
    from riverboat.holdem.search.bounded_solver_cuda import CudaBoundedSolver

    device = gpu()
    solver = CudaBoundedSolver(arena, 1 - player, bound, held=held, device=device)
    if deadline < math.inf and not device.ready(solver.passes.texts):
        _compile_beside(device, solver.passes.texts)
        solver = CudaBoundedSolver(arena, 1 - player, bound, held=held, device=device, fused=False)
    solver.compile()
    run_until(solver, iterations, deadline, chunk=AT_A_TIME)
    return solver.outlined()


def _compile_beside(device: CudaDevice, texts: Mapping[str, Sequence[str]]) -> None:
    """Make kernels ready one by one in another thread, so that a decision waits for one at most."""

    def work() -> None:
        for text, names in texts.items():
            device.compile({text: names})

    threading.Thread(target=work, daemon=True).start()


def warm_beside(options: SearchOptions, stack: int, big_blind: int) -> threading.Thread:
    """Make ready, in another thread, what flops and turns of usual pots need on a GPU."""
    starts = []
    weights = np.ones(NUM_COMBOS)
    for street, cards in ((FLOP, 3), (TURN, 4)):
        for each in USUAL:
            behind = stack - each * big_blind // 2
            if behind > 0:
                board = tuple(range(0, 13 * cards, 13))
                pot = each * big_blind
                starts.append(StreetStart(street, board, pot, behind, (weights, weights)))

    def work() -> None:
        from riverboat.holdem.search.bounded_solver_cuda import CudaBoundedSolver

        device = gpu()
        for start in starts:
            arena = open_spot(start, (), options).arena
            solver = CudaBoundedSolver(arena, 0, np.zeros(NUM_COMBOS), device=device)
            for text, names in solver.passes.texts.items():
                device.compile({text: names})

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread
