"""Solves a street of a hand with all that follows it, on the CPU or on a GPU.

A GPU takes flops and turns; a river is solved as quickly on the CPU. Kernels made for a tree are
compiled when it first comes, which takes a second or two (search_kernels.py). Where there is a
clock slower kernels for any tree take the place of those that are not ready yet.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import TooLargeError
from riverboat.holdem.search.options import SearchOptions
from riverboat.holdem.search.resolving import BoundedSolver, LearnedSpot, start_from
from riverboat.holdem.search.resolving_cuda import compile_in_background, gpu, pause_compiling
from riverboat.holdem.spots.engine.geometry import SpotGeometry
from riverboat.holdem.spots.engine.solver import SpotSolver
from riverboat.holdem.spots.locks import PlacedLock
from riverboat.holdem.spots.solved import SolvedSpot

Doubles = NDArray[np.float64]
AT_A_TIME = 8
"""Iterations on a GPU between two looks at the clock."""
FETCHING = 0.1


def solve_street(
    arena: SpotGeometry,
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
    with solver.pooled():
        run_until(solver, options.iterations_on(street), deadline)
    return LearnedSpot(solver)


def run_until(solver: SpotSolver, iterations: int, deadline: float) -> None:
    """Iterate to the number, or as long as another iteration ends in time; once at least."""
    most = 10 if solver.geometry.num_streets == 1 else 1
    first, longest = solver.iterations, 0.0
    while solver.iterations < iterations or solver.iterations == first:
        before = time.perf_counter()
        num = 1
        if solver.iterations > first:
            left = deadline - before
            if left < longest:
                return
            fitting = most if left >= most * longest else int(left / longest)
            num = min(fitting, iterations - solver.iterations)
        solver.step(num)
        took = (time.perf_counter() - before) / num
        # The first one may have loaded what the others use.
        longest = took if solver.iterations <= first + 1 + most else max(longest, took)


def _on_gpu(
    arena: SpotGeometry,
    player: int,
    bound: Doubles | None,
    held: Sequence[PlacedLock],
    iterations: int,
    deadline: float,
) -> SolvedSpot:
    from riverboat.holdem.search.resolving_cuda import CudaBoundedSolver

    with pause_compiling():
        solver = CudaBoundedSolver(arena, 1 - player, bound, held=held, device=gpu())
        if deadline < math.inf:
            compile_in_background(solver.leave_out())
        solver.compile()
        each = 0.0
        while solver.iterations < iterations:
            begin = time.perf_counter()
            # What was found is then fetched: about three iterations and a tenth of a second.
            left = deadline - begin - 3 * each - FETCHING
            if each and left < each:
                break
            most = AT_A_TIME if left == math.inf else max(1, int(left / each / 2)) if each else 1
            num = min(AT_A_TIME, most, iterations - solver.iterations)
            solver.step(num)
            each = (time.perf_counter() - begin) / num
        return solver.outlined()
