"""Flops on a GPU: two at a time, so that it computes one while the other is planned or read.

A flop takes the CPU a tenth of a second before and after the GPU has its turn: tree, schedules and
tables before, the root's figures after. Each of two threads does one flop after the other; their
launches share the GPU. Results do not depend on it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from typing import TYPE_CHECKING, Any

from riverboat.holdem.spots.flop_report import Flop, FlopRow, flop_row
from riverboat.holdem.spots.spot import Spot
from riverboat.jobs.job_list import Here
from riverboat.solvers.limits import Limit

if TYPE_CHECKING:
    from riverboat.device_cuda import GpuDevice

__all__ = ["FlopsOnGpu"]

THREADS = 2


class FlopsOnGpu(Here):
    """A crew of this process with its GPU; it does the flops of a `FlopWork`."""

    name = "the GPU"

    def __init__(self, threads: int = THREADS) -> None:
        self.threads = threads
        self._own = threading.local()

    def run(self, work: Any, jobs: Sequence[Flop]) -> Iterator[tuple[int, FlopRow]]:
        """The place and the row of each flop, as they are finished."""
        spot = work.prepare()
        waiting = iter(enumerate(jobs))
        with ThreadPoolExecutor(self.threads) as pool:
            running: dict[Future[FlopRow], int] = {}
            try:
                while True:
                    for place, job in islice(waiting, self.threads + 1 - len(running)):
                        running[pool.submit(self._solve, work, spot, job)] = place
                    if not running:
                        return
                    for future in wait(running, return_when=FIRST_COMPLETED).done:
                        place = running.pop(future)
                        yield place, future.result()
            finally:
                for future in running:
                    future.cancel()

    def workers(self) -> int:
        return self.threads

    def _solve(self, work: Any, spot: Spot, job: Flop) -> FlopRow:
        from riverboat.holdem.spots.spot_solver_cuda import CudaSpotSolver

        one = spot.with_board(job.cards)
        solver = CudaSpotSolver(one, memory=work.memory, device=self._device())
        solver.run(Limit(target=work.target))
        return flop_row(solver.outline(), job)

    def _device(self) -> GpuDevice:
        """Each thread has streams and kernels of its own."""
        from riverboat.device_cuda import CudaDevice

        if not hasattr(self._own, "device"):
            self._own.device = CudaDevice()
        found: GpuDevice = self._own.device
        return found
