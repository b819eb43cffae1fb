"""The CFR family on a public tree, on a GPU: the CPU solver's numbers, bit by bit.

Sums are taken in the CPU's order and rounded one by one, so that a run on a GPU, on a CPU, or
begun on one and ended on the other, all leave the same regrets, averages and best responses.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from riverboat.device_cuda import CudaDevice, GpuDevice
from riverboat.errors import UsageError
from riverboat.solvers.checkpoints import Checkpoint
from riverboat.solvers.config import CFRConfig
from riverboat.solvers.limits import Limit
from riverboat.solvers.public_cfr import PublicCFRSolver
from riverboat.solvers.public_passes_cuda import (
    KERNELS,
    PublicPasses,
    by_levels,
    public_bytes,
    public_text,
)
from riverboat.solvers.run_cuda import refuse_too_large
from riverboat.strategies.public_strategy import PublicStrategy
from riverboat.trees.best_response import Evaluation
from riverboat.trees.public_games import PublicGame
from riverboat.trees.public_tree import MEMORY_LIMIT

__all__ = ["CudaPublicCFRSolver"]


class CudaPublicCFRSolver(PublicCFRSolver):
    """CFR, CFR+, linear CFR, DCFR and the predictive ones on a GPU."""

    device_name = "cuda"

    def __init__(
        self,
        public: PublicGame,
        config: CFRConfig | str = "cfr+",
        *,
        sampled: bool = False,
        seed: int = 0,
        threads: int = 1,
        memory_limit: int = MEMORY_LIMIT,
        device: GpuDevice | None = None,
    ) -> None:
        if sampled or threads != 1:
            raise UsageError("Sampled hands and threads are for the CPU; leave the GPU out.")
        super().__init__(public, config, seed=seed, memory_limit=memory_limit)
        self._device = device or CudaDevice(exact=True)
        refuse_too_large(public_bytes(self.tree, self.config), self._device)
        self._made: PublicPasses | None = None

    def _passes(self) -> PublicPasses:
        """The passes, compiled when they are first needed."""
        if self._made is None:
            self._device.compile({public_text(self.public.shapes): KERNELS})
            host = {"regrets": self.regrets, "last": self.last, "weights": self.weights}
            levels = by_levels(self.tree)
            self._made = PublicPasses(self.tree, levels, self._device, self.config, host)
        return self._made

    def state(self) -> dict[str, NDArray[Any]]:
        self._fetch()
        return super().state()

    def restore(self, checkpoint: Checkpoint) -> None:
        super().restore(checkpoint)
        if self._made is not None:
            self._made.run.renewed_here()

    def prepare(self, limit: Limit) -> None:
        self.iterate(0)

    def iterate(self, iterations: int) -> None:
        self._passes().iterate(self.clock, iterations)

    def evaluation(self) -> Evaluation:
        """The average strategy's values and exact best responses."""
        found = [float(row.sum()) for row in self._passes().lane_values()]
        return Evaluation(found[:2], found[2:])

    def strategy(self, info: Mapping[str, Any] | None = None) -> PublicStrategy:
        self._fetch()
        return super().strategy(info)

    def _fetch(self) -> None:
        if self._made is not None:
            self._made.run.fetch()
