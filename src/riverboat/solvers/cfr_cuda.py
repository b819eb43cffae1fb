"""The CFR family on the sequence form, on a GPU: the CPU solver's numbers, bit by bit.

Sums are taken in the CPU's order and rounded one by one, so that a run on a GPU, on a CPU, or
begun on one and ended on the other, all leave the same regrets and averages. Only NashConv on the
way (where to stop, the trace) is summed in another order: fixed, and 1e-15 away.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.device_cuda import CudaDevice, GpuDevice
from riverboat.solvers.cfr import CFRSolver
from riverboat.solvers.checkpoints import Checkpoint
from riverboat.solvers.config import CFRConfig
from riverboat.solvers.limits import Limit
from riverboat.solvers.run_cuda import refuse_too_large
from riverboat.solvers.sequence_passes_cuda import (
    KERNELS,
    SequencePasses,
    lay_out,
    sequence_bytes,
    sequence_text,
)
from riverboat.solvers.solver import Solver
from riverboat.trees.game_tree import GameTree
from riverboat.trees.sequence_form import SequenceForm

__all__ = ["CudaCFRSolver"]


class CudaCFRSolver(CFRSolver):
    """CFR, CFR+, linear CFR, DCFR and the predictive ones on a GPU."""

    device_name = "cuda"
    pause = (1, 32)

    def __init__(
        self,
        source: GameTree | SequenceForm,
        config: CFRConfig | str = "dcfr",
        *,
        seed: int = 0,
        device: GpuDevice | None = None,
    ) -> None:
        super().__init__(source, config, seed=seed)
        self._device = device or CudaDevice(exact=True)
        self._tables = lay_out(self.form)
        refuse_too_large(sequence_bytes(self.form, self._tables), self._device)
        self._made: SequencePasses | None = None

    def _passes(self) -> SequencePasses:
        """The passes, compiled when they are first needed."""
        if self._made is None:
            self._device.compile({sequence_text(self.form.num_players - 1): KERNELS})
            host = {name: self._host()[name] for name in ("behaviour", "regrets", "average")}
            self._made = SequencePasses(self.form, self._tables, self._device, self.config, host)
        return self._made

    def _host(self) -> dict[str, NDArray[Any]]:
        return super().state()

    def state(self) -> dict[str, NDArray[Any]]:
        self._fetch()
        return self._host()

    def restore(self, checkpoint: Checkpoint) -> None:
        super().restore(checkpoint)
        if self._made is not None:
            self._made.run.renewed_here()

    def probabilities(self) -> NDArray[np.float64]:
        self._fetch()
        return super().probabilities()

    def current(self) -> NDArray[np.float64]:
        self._fetch()
        return super().current()

    def iterate(self, iterations: int) -> None:
        self._passes().iterate(self.clock, iterations)

    def advance(self, iterations: int, target: float = -1.0) -> None:
        Solver.advance(self, iterations, target)

    def nash_conv(self) -> float:
        return max(0.0, self._passes().nash_conv())

    def prepare(self, limit: Limit) -> None:
        self.iterate(0)
        self.evaluation()

    def _fetch(self) -> None:
        if self._made is not None:
            self._made.run.fetch()
