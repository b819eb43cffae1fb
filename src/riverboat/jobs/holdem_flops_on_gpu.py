"""Flops on a GPU: several at a time, so that it computes one while others are planned or read.

A flop takes the CPU some time before and after the GPU has its turn: tree, schedules and tables
before, the root's figures after. So a few processes do one flop after the other; threads of one
process would wait for each other. They take turns with the GPU, because programs that use it at the
same time get slices of it and slow each other down. Results do not depend on any of it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

try:
    import fcntl
except ImportError:  # Windows: processes share the GPU as they can
    fcntl = None  # type: ignore[assignment]

from riverboat.holdem.spots.flop_report import Flop, FlopRow, flop_row
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.spot_arena import open_arena
from riverboat.jobs.job_list import Here
from riverboat.jobs.local_processes import Processes
from riverboat.solvers.limits import Limit

if TYPE_CHECKING:
    from riverboat.device_cuda import GpuDevice

__all__ = ["FlopsOnGpu", "GpuFlopWork", "in_turn", "shared_out"]

PROCESSES = 3
FEW = 8
"""Flops that are not worth other processes: each needs some seconds to begin."""
LARGEST = (0, 21, 42)
"""A flop of three suits and ranks: others have as many boards, or fewer."""


@dataclass(frozen=True)
class GpuFlopWork:
    """Solve a spot on a flop, on the GPU of this process."""

    spot: str
    target: float
    memory: int | None
    turn: str = ""
    """A file that processes lock while they use the GPU; none where there is one process."""

    def prepare(self) -> tuple[Spot, GpuDevice]:
        from riverboat.device_cuda import CudaDevice

        return Spot.from_toml(self.spot), CudaDevice()

    def do(self, tools: tuple[Spot, GpuDevice], job: Flop) -> FlopRow:
        from riverboat.holdem.spots.spot_solver_cuda import CudaSpotSolver

        spot, device = tools
        solver = CudaSpotSolver(spot.with_board(job.cards), memory=self.memory, device=device)
        # A new number of hands needs new kernels; nobody waits while they are made or loaded.
        device.compile(solver.passes.texts)
        with in_turn(self.turn):
            solver.run(Limit(target=self.target))
            solved = solver.outline()
        return flop_row(solved, job)


@contextmanager
def in_turn(path: str) -> Iterator[None]:
    """What only one process does at a time; where a process dies the next one has its turn."""
    if fcntl is None or not path:
        yield
        return
    with Path(path).open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


class FlopsOnGpu(Processes):
    """Processes of this machine that share its GPU; they do the flops of a `FlopWork`."""

    def __init__(self, count: int = PROCESSES) -> None:
        super().__init__(count)
        self.name = "the GPU"
        self._most = count
        self._own: GpuFlopWork | None = None
        self._place = tempfile.TemporaryDirectory(prefix="riverboat-gpu-")

    def run(self, work: Any, jobs: Sequence[Flop]) -> Iterator[tuple[int, FlopRow]]:
        """The place and the row of each flop, as they are finished."""
        from riverboat.device_cuda import CudaDevice

        self._count, memory = shared_out(work, self._most, CudaDevice().free_memory())
        few = len(jobs) <= FEW or self._count == 1
        own = GpuFlopWork(work.spot, work.target, work.memory)
        if not few:
            own = replace(own, memory=memory, turn=str(Path(self._place.name) / "turn"))
        self._own = own = self._own if own == self._own else own
        yield from (Here().run(own, jobs) if few else super().run(own, jobs))

    def close(self) -> None:
        super().close()
        self._place.cleanup()


def shared_out(work: Any, most: int, free: int) -> tuple[int, int]:
    """How many flops of a `FlopWork` fit on a GPU at a time, and what each of them may take."""
    from riverboat.holdem.spots.spot_passes_cuda import device_bytes

    allowed = free if work.memory is None else min(work.memory, free)
    arena = open_arena(Spot.from_toml(work.spot).with_board(LARGEST), chunk_bytes=0)
    count = max(1, min(most, allowed // device_bytes(arena, short=False)))
    return count, allowed // count
