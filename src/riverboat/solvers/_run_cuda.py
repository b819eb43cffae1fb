"""A solver's run on a GPU: its arrays there and here, the table of rules, recorded iterations.

The arrays live on the GPU; `fetch` brings them to the CPU's copies before these are read or saved,
and `mark_host_newer` says that the copies were changed instead. The numbers of the rule (discounts,
weight) are computed on the CPU, by the CPU solver's own function, many iterations at a time. An
iteration is one recorded sequence of launches that reads the next line of that table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import TooLargeError
from riverboat.runtime.cuda import GpuDevice, JobLayout, Launch
from riverboat.solvers.algorithms import CFRConfig
from riverboat.trees.game_tree import amount

THREADS = 256
CAPACITY = 1024  # Iterations whose numbers are on the GPU at a time
RULE_FIELDS: dict[str, tuple[str, ...]] = {"const Rule*": ("rules",), "int*": ("counter",)}
"""What every job begins with."""


class CudaRun:
    """Arrays, rules and iterations of one solver."""

    def __init__(
        self,
        device: GpuDevice,
        layout: JobLayout,
        config: CFRConfig,
        host: Mapping[str, NDArray[Any]],
    ) -> None:
        self.device, self.layout, self.config, self.host = device, layout, config, host
        self.arrays: dict[str, Any] = {
            name: device.zeros(array.size, array.dtype) for name, array in host.items()
        }
        self.arrays["rules"] = device.zeros(6 * (CAPACITY + 1), np.float64)
        self.arrays["counter"] = device.zeros(1, np.int32)
        self._newer_here, self._newer_there = True, False

    def fetch(self) -> None:
        """Bring the CPU's copies up to date."""
        if self._newer_there:
            for name, array in self.host.items():
                array[...] = self.device.download(self.arrays[name])[: array.size]
        self._newer_there = False

    def mark_host_newer(self) -> None:
        """The CPU's copies were changed; the GPU's are old."""
        self._newer_here, self._newer_there = True, False

    def send(self) -> bool:
        """Bring the GPU's arrays up to date; whether that was needed."""
        if not self._newer_here:
            return False
        for name, array in self.host.items():
            if array.size:
                self.device.write(self.arrays[name], array)
        self._newer_here = False
        return True

    def launch(
        self, kernel: str, threads: int, fields: Mapping[str, Any], *, block: int = THREADS
    ) -> Launch:
        """A launch of `threads` threads in all, with the arrays and these fields as arguments."""
        job = self.layout.make({**self.arrays, **fields}, self.device.address)
        return Launch(kernel, max(1, -(-threads // block)), block, 0, job)

    def record(self, launches: Sequence[Launch]) -> Callable[[], None]:
        """Something to call that launches all of them in order."""
        return self.device.record(launches)

    def load_rules(self, since: int, count: int = 1) -> None:
        """Put the rules of the iterations after `since` on the GPU."""
        from riverboat.solvers._cfr_kernels import family_of, fill_rules

        table = np.empty((count, 6))
        fill_rules(family_of(self.config), since, table)
        self.device.write(self.arrays["rules"][: table.size], table.ravel())
        self.device.write(self.arrays["counter"], np.zeros(1, np.int32))

    def iterate(self, clock: NDArray[np.int64], iterations: int, play: Callable[[], None]) -> None:
        """Run that many iterations, counted on the `clock`."""
        while iterations > 0:
            count = min(iterations, CAPACITY)
            self.load_rules(int(clock[0]), count)
            for _ in range(count):
                play()
            self.device.synchronize()
            self._newer_there = True
            clock[0] += count
            iterations -= count


def refuse_too_large(needed: int, device: GpuDevice) -> None:
    """Refuse what the GPU has no room for, before anything is allocated."""
    free = device.free_memory()
    if needed > free:
        raise TooLargeError(
            f"The solve takes {amount(needed)} of the GPU's memory, of which {amount(free)} are"
            " free; choose a smaller game, or the device cpu."
        )
