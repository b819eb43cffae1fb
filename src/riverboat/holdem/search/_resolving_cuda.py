"""Re-solving on a GPU: what is fetched, and kernels compiled before they are needed.

Of the solution only the first street, and the values at the roots of the next one, are fetched: a
search needs no more.

A river's kernel is written for the shape of its tree. Compiling one takes about half a second the
first time on a machine; later processes find it on the disk. Kernels of common pots are compiled
before any clock runs, those of an unusual bet in the background: by one thread and only between
decisions, so that a decision waits for one kernel at most.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache

import numpy as np

from riverboat.cards.combos import NUM_COMBOS
from riverboat.holdem.rules.betting import Street
from riverboat.holdem.search._options import SearchOptions, open_spot
from riverboat.holdem.search._range_tracking import StreetStart
from riverboat.holdem.search._resolving import bounded_solver
from riverboat.holdem.spots.cuda.two_way_passes import CudaTwoWayPasses
from riverboat.holdem.spots.outline import first_street
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.holdem.spots.solver import SpotSolver
from riverboat.runtime.cuda import CudaDevice

COMMON_POTS = (2, 4, 5, 6, 10, 12, 14, 20, 30)
"""Pots, in big blinds, whose kernels are compiled in advance."""


def leave_out(solver: SpotSolver) -> dict[str, Sequence[str]]:
    """Use the slower kernels for any tree where a river's own are not compiled yet.

    Call it before anything is compiled; returns the texts of those left out.
    """
    passes = solver.passes
    assert isinstance(passes, CudaTwoWayPasses)
    launcher, missing = passes.launcher, dict[str, Sequence[str]]()
    text_of = {names[0]: text for text, names in launcher.texts.items()}
    for sort in (*launcher.rivers[0], *launcher.rivers[1]):
        texts = [
            text_of[kernel.name] for kernel in (sort.learn, sort.evaluate) if kernel is not None
        ]
        unready = [text for text in texts if not passes.device.ready([text])]
        if unready:
            missing.update({text: launcher.texts[text] for text in unready})
            sort.learn = sort.evaluate = None
    for text in missing:
        del launcher.texts[text]
    return missing


def fetched_solution(solver: SpotSolver, opponent: int) -> SolvedSpot:
    """The first street, and the opponent's values where the next one begins."""
    info = {"iterations": solver.iterations, "device": solver.device_name}
    if solver.num_streets == 1:
        return SolvedSpot(solver.layout, solver.averages, info)
    passes = solver.passes
    assert isinstance(passes, CudaTwoWayPasses)
    # Two streets count as kept: a cursor reads the second one's roots and solves nothing.
    solved = first_street(solver, info, streets_kept=2)
    solved.next_roots = {opponent: passes.launcher.next_roots(opponent)}
    return solved


_idle = threading.Condition()
_decisions = 0
_waiting: queue.Queue[tuple[str, Sequence[str]]] = queue.Queue()


@cache
def gpu() -> CudaDevice:
    """The GPU, with all kernels that this process has compiled."""
    return CudaDevice()


@contextmanager
def pause_compiling() -> Iterator[None]:
    """Compile nothing in the background while a decision is pending."""
    global _decisions
    with _idle:
        _decisions += 1
    try:
        yield
    finally:
        with _idle:
            _decisions -= 1
            _idle.notify_all()


def compile_in_background(texts: Mapping[str, Sequence[str]]) -> None:
    """Compile kernels one by one while no decision is pending."""
    for named_text in texts.items():
        _waiting.put(named_text)
    if texts:
        _worker()


@cache
def _worker() -> threading.Thread:
    thread = threading.Thread(target=_compile, daemon=True)
    thread.start()
    return thread


def _compile() -> None:
    while True:
        text, names = _waiting.get()
        with _idle:
            _idle.wait_for(lambda: _decisions == 0)
        gpu().compile({text: names})


@cache
def precompile(options: SearchOptions, stack: int, big_blind: int) -> None:
    """Compile what flops and turns of common pots need, and what any tree does; once."""
    device, weights, bound = gpu(), np.ones(NUM_COMBOS), np.zeros(NUM_COMBOS)
    texts: dict[str, Sequence[str]] = {}
    for street in (Street.FLOP, Street.TURN):
        if street == Street.FLOP and not options.exact_flop:
            continue
        board = tuple(range(0, 13 * (street + 2), 13))
        for chips in COMMON_POTS:
            pot, behind = chips * big_blind, stack - chips * big_blind // 2
            if behind > 0:
                start = StreetStart(street, board, pot, behind, (weights, weights))
                layout = open_spot(start, (), options).layout
                solver = bounded_solver(layout, 0, bound, device="cuda", gpu=device)
                assert isinstance(solver.passes, CudaTwoWayPasses)
                texts.update(solver.passes.launcher.texts)
    device.compile(texts)
    # The last one, a turn with a large pot, takes a step by kernels for any tree.
    solver = bounded_solver(layout, 0, bound, device="cuda", gpu=device, fused=False)
    solver.step(1)
    fetched_solution(solver, 0)
