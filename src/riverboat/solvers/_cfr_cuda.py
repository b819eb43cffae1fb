"""The CFR family on a GPU, on the sequence form and on public trees: the CPU's numbers, bit by bit.

Sums are taken in the CPU's order and rounded one by one, so that a run on a GPU, on a CPU, or
begun on one and ended on the other, all leave the same regrets and averages. Only a game tree's
NashConv on the way (where to stop, the trace) is summed in another order: fixed, and 1e-15 away.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import UsageError
from riverboat.runtime.cuda import CudaDevice, GpuDevice
from riverboat.solvers._passes_cuda import (
    KERNELS,
    PUBLIC_KERNELS,
    PublicPasses,
    SequencePasses,
    by_levels,
    lay_out,
    public_bytes,
    public_text,
    sequence_bytes,
    sequence_text,
)
from riverboat.solvers._public_cfr import PublicCFRSolver
from riverboat.solvers._run_cuda import refuse_too_large
from riverboat.solvers.algorithms import CFRConfig
from riverboat.solvers.cfr import CFRSolver
from riverboat.solvers.run import Limit
from riverboat.solvers.solver import Checkpoint, Solver
from riverboat.strategies.public_strategy import PublicStrategy
from riverboat.trees.best_response import Evaluation
from riverboat.trees.game_tree import GameTree
from riverboat.trees.public_games import PublicGame
from riverboat.trees.public_tree import MEMORY_LIMIT
from riverboat.trees.sequence_form import SequenceForm


class _OnGpu(Solver):
    """Keeps its arrays on a GPU, and fetches them when they are asked for."""

    device_name = "cuda"
    _made: SequencePasses | PublicPasses | None = None

    @abstractmethod
    def _passes(self) -> SequencePasses | PublicPasses:
        """The passes, compiled when they are first needed."""

    def state(self) -> dict[str, NDArray[Any]]:
        self._fetch()
        return super().state()

    def restore(self, checkpoint: Checkpoint) -> None:
        super().restore(checkpoint)
        if self._made is not None:
            self._made.run.mark_host_newer()

    def iterate(self, iterations: int) -> None:
        self._passes().iterate(self.clock, iterations)

    def prepare(self, limit: Limit) -> None:
        self.iterate(0)

    def _fetch(self) -> None:
        if self._made is not None:
            self._made.run.fetch()


class CudaCFRSolver(_OnGpu, CFRSolver):
    """CFR, CFR+, linear CFR, DCFR and the predictive ones on a GPU."""

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
        if self._made is None:
            self._device.compile({sequence_text(self.form.num_players - 1): KERNELS})
            live = super().state()
            host = {name: live[name] for name in ("behaviour", "regrets", "average")}
            self._made = SequencePasses(self.form, self._tables, self._device, self.config, host)
        return self._made

    def probabilities(self) -> NDArray[np.float64]:
        self._fetch()
        return super().probabilities()

    def current(self) -> NDArray[np.float64]:
        self._fetch()
        return super().current()

    def nash_conv(self) -> float:
        return max(0.0, self._passes().nash_conv())

    def prepare(self, limit: Limit) -> None:
        super().prepare(limit)
        self.evaluation()


class CudaPublicCFRSolver(_OnGpu, PublicCFRSolver):
    """CFR, CFR+, linear CFR, DCFR and the predictive ones on a GPU."""

    def __init__(
        self,
        public: PublicGame,
        config: CFRConfig | str = "cfr+",
        *,
        seed: int = 0,
        memory_limit: int = MEMORY_LIMIT,
        device: GpuDevice | None = None,
        sampled: bool = False,
        threads: int = 1,
    ) -> None:
        if sampled or threads != 1:
            raise UsageError("Sampled hands and threads are for the CPU; leave the GPU out.")
        super().__init__(public, config, seed=seed, memory_limit=memory_limit)
        self._device = device or CudaDevice(exact=True)
        refuse_too_large(public_bytes(self.tree, self.config), self._device)
        self._made: PublicPasses | None = None

    def _passes(self) -> PublicPasses:
        if self._made is None:
            self._device.compile({public_text(self.public.shapes): PUBLIC_KERNELS})
            host = {"regrets": self.regrets, "last": self.last, "weights": self.weights}
            levels = by_levels(self.tree)
            self._made = PublicPasses(self.tree, levels, self._device, self.config, host)
        return self._made

    def evaluation(self) -> Evaluation:
        """The average strategy's values and exact best responses."""
        values = [float(row.sum()) for row in self._passes().lane_values()]
        return Evaluation(values[:2], values[2:])

    def strategy(self, info: Mapping[str, Any] | None = None) -> PublicStrategy:
        self._fetch()
        return super().strategy(info)
