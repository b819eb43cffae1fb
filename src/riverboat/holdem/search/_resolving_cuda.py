"""The re-solving gadget (resolving.py) on a GPU, and its kernels compiled before they are needed.

After the opponent's pass one small kernel learns their choice and writes the weights of their hands
for the next pass; it is part of the recorded iteration. Of the solution only the first street, and
the values at the roots of the next one, are fetched: a search needs no more.

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
from typing import Any

import numpy as np

from riverboat.cards.combos import NUM_COMBOS
from riverboat.holdem.rules.betting import Street
from riverboat.holdem.search._options import SearchOptions, open_spot
from riverboat.holdem.search._range_tracking import StreetStart
from riverboat.holdem.search._resolving import FORCED, play_on_choice
from riverboat.holdem.spots.cuda.device_tables import LAYOUT
from riverboat.holdem.spots.cuda.gpu_solver import CudaSpotSolver
from riverboat.holdem.spots.geometry import SpotGeometry
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.runtime.array_types import F64
from riverboat.runtime.cuda import CudaDevice, Launch, kernel_text
from riverboat.solvers.algorithms import AVERAGE, LEARN


class CudaBoundedSolver(CudaSpotSolver):
    """BoundedSolver on a GPU."""

    def __init__(
        self,
        geometry: SpotGeometry,
        opponent: int,
        bound: F64 | None,
        *,
        forced: float = FORCED,
        **options: Any,
    ) -> None:
        """`options` are those of CudaSpotSolver."""
        self.opponent, self.bounded = opponent, bound is not None
        self._amounts: tuple[F64, ...] = ()
        if bound is not None:
            choice = play_on_choice(geometry, opponent, bound, forced)
            self._amounts = (choice.stop, choice.forced, choice.free)
        super().__init__(geometry, **options)
        if self.bounded:
            text = kernel_text(LAYOUT, "riverboat.holdem.search", "gadget.cu", defines={})
            self.passes.texts[text] = ("choose",)

    def leave_out(self) -> dict[str, Sequence[str]]:
        """Use the slower kernels for any tree where a river's own are not compiled yet.

        Call it before anything is compiled; returns the texts of those left out.
        """
        passes, missing = self.passes, {}
        text_of = {names[0]: text for text, names in passes.texts.items()}
        for sort in (*passes.rivers[0], *passes.rivers[1]):
            texts = [
                text_of[kernel.name] for kernel in (sort.learn, sort.evaluate) if kernel is not None
            ]
            unready = [text for text in texts if not self.device.ready([text])]
            if unready:
                missing.update({text: passes.texts[text] for text in unready})
                sort.learn = sort.evaluate = None
        for text in missing:
            del passes.texts[text]
        return missing

    def after_pass(self, learner: int) -> list[Launch]:
        if not self.bounded or learner != self.opponent:
            return []
        passes, wide = self.passes, self.passes.widths[learner]
        amounts = np.zeros((3, wide), np.float32)
        for row, numbers in zip(amounts, self._amounts, strict=True):
            row[: len(numbers)] = numbers[passes.orders[learner]]
        self.choice = self.device.zeros(2 * wide, np.float32)
        fields = {
            "amounts": self.device.upload(amounts.ravel()),
            "scratch_rows": self.choice,
            "reach": passes.hands[learner]["weights"],
            "root_row": passes.root_row(learner),
        }
        # The choice begins open: no pass has been made yet.
        begin = passes.launch("choose", learner, {**fields, "mode": AVERAGE})
        self._enter = self.device.record([begin])
        return [passes.launch("choose", learner, {**fields, "mode": LEARN})]

    def step(self, num_iterations: int = 1) -> None:
        """Do some iterations; the opponent's choice at the start is learned along."""
        self.compile()
        if self.bounded:
            self._enter()
        super().step(num_iterations)
        if self.bounded:
            passes, who = self.passes, self.opponent
            own = np.zeros(passes.widths[who], np.float32)
            size = passes.sizes[who]
            own[:size] = self.geometry.runouts.unranked[who].weights[passes.orders[who]]
            self.device.write(passes.hands[who]["weights"], own)

    def solution(self) -> SolvedSpot:
        """The first street, and the opponent's values where the next one begins."""
        info = {"iterations": self.iterations, "device": self.device_name}
        if self.geometry.num_streets == 1:
            return SolvedSpot(self.geometry, (self.averages[0], self.averages[1]), info)
        self.evaluate_means(AVERAGE)
        # Two streets count as kept: a cursor reads the second one's roots and solves nothing.
        roots = {self.opponent: self.passes.next_roots(self.opponent)}
        return self.first_street(info, streets_kept=2, next_roots=roots)


COMMON_POTS = (2, 4, 5, 6, 10, 12, 14, 20, 30)
"""Pots, in big blinds, whose kernels are compiled in advance."""
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
                geometry = open_spot(start, (), options).geometry
                solver = CudaBoundedSolver(geometry, 0, bound, device=device)
                texts.update(solver.passes.texts)
    device.compile(texts)
    # The last one, a turn with a large pot, takes a step by kernels for any tree.
    solver = CudaBoundedSolver(geometry, 0, bound, device=device, fused=False)
    solver.step(1)
    solver.solution()
