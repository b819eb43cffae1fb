"""Spots of three players on a GPU: the algorithm, numbers and files of the CPU's solver.

Regrets and averages stay on the GPU and are fetched when they are read or saved. An iteration is
one recorded sequence of launches; its discounts, those of the CPU, come from a table on the GPU.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from riverboat.errors import TooLargeError
from riverboat.holdem.spots._three_way_layout import NO_DISCOUNTS, SEATS, ThreeWayLayout
from riverboat.holdem.spots.cuda._three_way_passes import SCRATCH, TABLE, ThreeWayGpuPasses
from riverboat.holdem.spots.solver_run import discounts
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.three_way_solved import SolvedThreeWay
from riverboat.holdem.spots.three_way_solver import ThreeWaySolver
from riverboat.runtime.array_types import F32
from riverboat.runtime.cuda import CudaDevice, GpuDevice
from riverboat.solvers.algorithms import LEARN


class CudaThreeWaySolver(ThreeWaySolver):
    """A spot for three players in the middle of being solved, on a GPU.

    `options` are those of ThreeWaySolver; `scratch` are the bytes for the river's working memory.
    """

    device_name = "cuda"

    def __init__(
        self,
        spot: Spot | ThreeWayLayout,
        *,
        device: GpuDevice | None = None,
        scratch: int = SCRATCH,
        threads: int = 1,
        memory: int | None = None,
        **options: Any,
    ) -> None:
        self.device: GpuDevice = CudaDevice() if device is None else device
        free = self.device.free_memory()
        self._allowed = free if memory is None else min(memory, free)
        self._scratch, self._ready, self._table_from = scratch, False, -TABLE
        self._single: dict[tuple[int, int], Callable[[], None]] = {}
        """Passes of one learner in one mode, recorded when they are first made."""
        self._fetched: dict[str, list[F32]] = {}
        self._given: tuple[Sequence[F32], Sequence[F32]] | None = None
        # The CPU has nearly nothing to do, so its threads are not used.
        super().__init__(spot, threads=1, memory=self._allowed, **options)

    def _allocate(self) -> None:
        self.passes = ThreeWayGpuPasses(
            self.layout, self.device, self.placed, scratch=self._scratch
        )
        if self.passes.bytes > self._allowed:
            raise TooLargeError(
                f"The spot needs {self.passes.bytes / 2**30:.2f} GiB on the GPU, more than the"
                f" {self._allowed / 2**30:.2f} GiB that are free or allowed; give fewer sizes or"
                " smaller ranges."
            )

    @property
    def memory_bytes(self) -> int:
        return self.passes.bytes

    def compile(self, progress: Callable[[int, int], None] | None = None) -> float:
        """Compile what is not kept from before, take memory, make tables; the seconds it took."""
        start = time.perf_counter()
        if not self._ready:
            passes, device = self.passes, self.device
            device.compile(passes.texts, progress)
            passes.prepare()
            enforce = [passes.enforcement(seat) for seat in SEATS]
            device.record([launch for each in enforce for launch in each])()
            iteration = [passes.next_discounts()]
            for learner in SEATS:
                iteration += [*passes.launches(learner, LEARN), *enforce[learner]]
            self._iterate = device.record(iteration)
            self._ready = True
            if self._given is not None:
                self._put(*self._given)
            device.synchronize()
        self.compile_seconds = time.perf_counter() - start
        return self.compile_seconds

    def step(self, num_iterations: int = 1) -> None:
        """Do some iterations."""
        self.compile()
        self._fetched.clear()
        for _ in range(num_iterations):
            if not self._table_from <= self.iterations < self._table_from + TABLE:
                self._table_from = self.iterations
                rows = [discounts(self.iterations + row) for row in range(TABLE)]
                self.device.write(self.passes.table, np.array(rows, np.float32).ravel())
                self.device.write(self.passes.counter, np.zeros(1, np.int32))
            self._iterate()
            self.iterations += 1
        self.device.synchronize()

    def pass_values(self, learner: int, mode: int, factors: F32 = NO_DISCOUNTS) -> F32:
        """(P,) the learner's values at the root after one pass, as on the CPU."""
        self.compile()
        passes, place = self.passes, (learner, mode)
        if not passes.plans[learner][0].parts:
            # The learner folded before the spot began.
            return np.zeros(self.layout.widths[learner], np.float32)
        if place not in self._single:
            # Names of kernels stand for what was made ready last, maybe for another spot.
            self.device.compile(passes.texts)
            self._single[place] = self.device.record(passes.launches(learner, mode))
        if mode == LEARN:
            self._fetched.clear()
            self.device.write(passes.weights, factors)
        self._single[place]()
        return np.asarray(self.device.download(passes.root_values(learner)))

    @property
    def regrets(self) -> list[F32]:
        return self._fetch("regrets")

    @property
    def averages(self) -> list[F32]:
        return self._fetch("averages")

    def _fetch(self, name: str) -> list[F32]:
        """A copy of what lies on the GPU."""
        self.compile()
        if name not in self._fetched:
            sizes = [self.layout.elements(seat) for seat in SEATS]
            arrays = zip(getattr(self.passes, name), sizes, strict=True)
            self._fetched[name] = [self.device.download(a[:size]) for a, size in arrays]
        return self._fetched[name]

    def restore(self, regrets: Sequence[F32], averages: Sequence[F32]) -> None:
        """Go on from these numbers."""
        self._fetched.clear()
        if self._ready:
            self._put(regrets, averages)
        else:
            self._given = (regrets, averages)

    def _put(self, regrets: Sequence[F32], averages: Sequence[F32]) -> None:
        for arrays, given in ((self.passes.regrets, regrets), (self.passes.averages, averages)):
            for array, numbers in zip(arrays, given, strict=True):
                if numbers.size:
                    self.device.write(array, np.asarray(numbers, np.float32))
        self._given, self._table_from = None, -TABLE

    def result(self) -> SolvedThreeWay:
        """What was found, to be read and saved."""
        return SolvedThreeWay(self.layout, self.averages, self.info())
