"""Solve a street of a hand with all that follows it, on the CPU or on a GPU.

A GPU takes flops and turns; a river is solved as quickly on the CPU. Kernels made for a tree are
compiled when it first occurs, which takes a second or two (`_resolving_cuda`). Against a clock,
slower kernels for any tree take the place of those that are not compiled yet.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from riverboat.errors import TooLargeError
from riverboat.holdem.search._options import SearchOptions
from riverboat.holdem.search._resolving import bounded_solver, solution_of, start_from
from riverboat.holdem.spots.layout import Layout
from riverboat.holdem.spots.locks import PlacedLock
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.holdem.spots.solver import SpotSolver
from riverboat.runtime.array_types import F64
from riverboat.solvers.run import Limit, run

RIVER_STEPS, GPU_STEPS = 10, 8
"""Iterations of a river, and of any street on a GPU, between two checks of the clock."""
FETCH_SECONDS, FETCH_ITERATIONS = 0.1, 3.0  # Time kept back for fetching a solution from a GPU


def solve_street(
    layout: Layout,
    player: int,
    bound: F64 | None,
    held: Sequence[PlacedLock],
    options: SearchOptions,
    street: int,
    deadline: float,
    before: SolvedSpot | None = None,
) -> SolvedSpot:
    """Solve one street for `player`.

    The opponent may opt out for `bound` (re-solving gadget); nodes in `held` are locked. On the CPU
    the solve starts from the regrets of `before`. A GPU whose memory is full leaves it to the CPU.
    """
    if options.on_gpu(street):
        try:
            return _on_gpu(layout, player, bound, held, options.iterations_on(street), deadline)
        except TooLargeError:
            pass
    solver = bounded_solver(layout, 1 - player, bound, held=held, threads=options.threads)
    if before is not None:
        start_from(solver, before)
    with solver.pooled():
        run_until(solver, options.iterations_on(street), deadline)
    return solution_of(solver)


def run_until(solver: SpotSolver, iterations: int, deadline: float) -> None:
    """Iterate to the number, or as long as another iteration ends in time; once at least."""
    limit = Limit(iterations=max(iterations, solver.iterations + 1))
    steps = RIVER_STEPS if solver.num_streets == 1 else 1
    run(solver, limit, deadline=deadline, at_once=steps)


def _on_gpu(
    layout: Layout,
    player: int,
    bound: F64 | None,
    held: Sequence[PlacedLock],
    iterations: int,
    deadline: float,
) -> SolvedSpot:
    from riverboat.holdem.search._resolving_cuda import (
        compile_in_background,
        fetched_solution,
        gpu,
        leave_out,
        pause_compiling,
    )

    with pause_compiling():
        solver = bounded_solver(layout, 1 - player, bound, held=held, device="cuda", gpu=gpu())
        if deadline < math.inf:
            compile_in_background(leave_out(solver))
        solver.compile()
        run(
            solver,
            Limit(iterations=iterations),
            deadline=deadline - FETCH_SECONDS,
            reserve=FETCH_ITERATIONS,
            at_once=GPU_STEPS,
        )
        return fetched_solution(solver, 1 - player)
