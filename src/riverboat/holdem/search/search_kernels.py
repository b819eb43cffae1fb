"""Kernels that the search needs on a GPU, made ready before they are needed.

A river's kernel is written for the shape of its tree. Compiling one takes half a second or so the
first time on a machine; later processes find it on the disk. What usual pots need is made ready
before any clock runs. What an odd bet needs is compiled beside the play, by one thread and only
between decisions, so that a decision waits for one kernel at most.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache

import numpy as np

from riverboat.cards.combos import NUM_COMBOS
from riverboat.device_cuda import CudaDevice
from riverboat.holdem.search.hand_so_far import StreetStart
from riverboat.holdem.search.search_options import FLOP, TURN, SearchOptions, open_spot

__all__ = ["compile_beside", "deciding", "gpu", "ready_usual"]

USUAL = (2, 4, 5, 6, 10, 12, 14, 20, 30)
"""Pots, in big blinds, whose trees are made ready before they come."""
_idle = threading.Condition()
_decisions = 0
_waiting: queue.Queue[tuple[str, Sequence[str]]] = queue.Queue()


@cache
def gpu() -> CudaDevice:
    """The GPU, with all kernels that this process has made ready."""
    return CudaDevice()


@contextmanager
def deciding() -> Iterator[None]:
    """While a decision is thought about nothing is compiled beside it."""
    global _decisions
    with _idle:
        _decisions += 1
    try:
        yield
    finally:
        with _idle:
            _decisions -= 1
            _idle.notify_all()


def compile_beside(texts: Mapping[str, Sequence[str]]) -> None:
    """Make kernels ready one by one when nothing is decided."""
    for each in texts.items():
        _waiting.put(each)
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
def ready_usual(options: SearchOptions, stack: int, big_blind: int) -> None:
    """Make ready what flops and turns of usual pots need, and what any tree does; once."""
    from riverboat.holdem.search.bounded_solver_cuda import CudaBoundedSolver

    device, weights, bound = gpu(), np.ones(NUM_COMBOS), np.zeros(NUM_COMBOS)
    texts: dict[str, Sequence[str]] = {}
    for street in (FLOP, TURN):
        if street == FLOP and not options.exact_flop:
            continue
        board = tuple(range(0, 13 * (street + 2), 13))
        for each in USUAL:
            pot, behind = each * big_blind, stack - each * big_blind // 2
            if behind > 0:
                start = StreetStart(street, board, pot, behind, (weights, weights))
                arena = open_spot(start, (), options).arena
                solver = CudaBoundedSolver(arena, 0, bound, device=device)
                texts.update(solver.passes.texts)
    device.compile(texts)
    # The last one, a turn with a large pot, takes a step by kernels for any tree.
    solver = CudaBoundedSolver(arena, 0, bound, device=device, fused=False)
    solver.step(1)
    solver.outlined()
