"""Where a solve runs: on the CPU, or on a GPU where it can and where that is quicker.

A GPU takes the members of the CFR family that go through the whole tree. `auto` takes it from the
size on where an iteration is quicker there (docs/gpu.md has the table): its launches alone take 20
to 100 µs, however small the tree is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from riverboat.device_cuda import GpuDevice
from riverboat.devices import choose_device, why_no_gpu
from riverboat.errors import TooLargeError, UsageError
from riverboat.solvers.algorithms import AlgorithmSpec
from riverboat.solvers.config import CONFIGS
from riverboat.solvers.solver import Solver
from riverboat.trees.sequence_form import SequenceForm

__all__ = ["PUBLIC_FROM", "SEQUENCES_FROM", "Place", "find_place", "sequence_size"]

SEQUENCES_FROM = 100_000
"""Payoffs and sequences of a game tree from which on a GPU is quicker: at 68,000 both take 65 µs,
at 310,000 the GPU is four times as fast (benchmarks/gpu_trees.py)."""
PUBLIC_FROM = 5_000
"""Actions × hands of a public tree from which on a GPU is quicker: at 240 it takes five times as
long, at 24,640 an eleventh; the CPU's 21 ns for each meet the GPU's 21 to 48 µs below 2,500."""


def sequence_size(form: SequenceForm) -> int:
    """What an iteration on a game tree costs: payoffs and sequences."""
    return len(form.values) + form.num_sequences


@dataclass
class Place:
    """Where a solve was asked to run, and where and why it does."""

    wanted: str
    gpu: GpuDevice | None = None
    """The GPU that was given; else the current one."""
    note: str = field(default="")
    """Why `auto` took the CPU."""

    def solver(
        self,
        spec: AlgorithmSpec,
        size: int,
        enough: int,
        on_gpu: Callable[[GpuDevice | None], Solver],
        on_cpu: Callable[[], Solver],
    ) -> Solver:
        """The solver, on the GPU where that was asked for, or is possible and quicker."""
        self.note = self.note if self.wanted == "cpu" else self._against(spec, size, enough)
        if self.wanted == "cpu" or self.note:
            return on_cpu()
        try:
            return on_gpu(self.gpu)
        except TooLargeError as error:
            if self.wanted == "cuda":
                raise
            self.note = str(error)
            return on_cpu()

    def _against(self, spec: AlgorithmSpec, size: int, enough: int) -> str:
        """Why a GPU is not taken; with `cuda` that is refused."""
        if spec.family is None or spec.sampled:
            if self.wanted == "cuda":
                raise UsageError(
                    f"{spec.text} runs on the CPU only; on a GPU choose one of"
                    f" {', '.join(CONFIGS)}."
                )
            return f"{spec.text} does not run on a GPU."
        if self.wanted == "auto" and size < enough:
            return "the game is so small that a GPU would be slower."
        return ""


def find_place(wanted: str | GpuDevice, threads: int = 1) -> Place:
    """The place that "auto", "cpu", "cuda" or a device itself stands for."""
    if not isinstance(wanted, str):
        return Place("cuda", wanted)
    if choose_device(wanted) == "cpu":
        return Place("cpu", note=why_no_gpu() if wanted == "auto" else "")
    if wanted == "cuda" and threads != 1:
        raise UsageError("Threads are for the CPU; leave them out, or solve with --device cpu.")
    return Place(wanted)
