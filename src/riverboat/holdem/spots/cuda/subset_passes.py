"""Spots with hands of k cards on a GPU: the algorithm, numbers and files of the CPU's passes.

Regrets and averages stay on the GPU and are fetched when they are read or saved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import TooLargeError, UsageError
from riverboat.holdem.spots.cuda._subset_launches import SubsetLaunches
from riverboat.holdem.spots.first_choice import FirstChoice
from riverboat.holdem.spots.layout import Layout, bytes_text, what_would_fit
from riverboat.holdem.spots.locks import PlacedLock, with_locks
from riverboat.holdem.spots.passes import NO_DISCOUNTS
from riverboat.holdem.spots.schedule import discounts as discounts_of
from riverboat.holdem.spots.storage import PlayerStorage
from riverboat.runtime.array_types import F32, F64
from riverboat.runtime.cuda import GpuDevice
from riverboat.solvers.algorithms import BEST, LEARN
from riverboat.solvers.run import Limit
from riverboat.strategies.files import RemoteArray


class CudaSubsetPasses:
    """`Passes` for Omaha on a GPU; the arguments are those of `devices.open_passes`.

    There is no choice before the spot: it is for games that are played in hold'em.
    """

    device_name = "cuda"
    threads = 1  # The CPU has nearly nothing to do
    int16 = False

    def __init__(
        self,
        layout: Layout,
        *,
        gpu: GpuDevice,
        locks: Sequence[PlacedLock] = (),
        choice: FirstChoice | None = None,
        threads: int = 1,
        memory: int | None = None,
        int16: bool | None = None,
    ) -> None:
        if choice is not None:
            raise UsageError("A spot of Omaha on a GPU begins without a choice.")
        self.layout, self.device, self.locks = layout, gpu, locks
        self.choice: FirstChoice | None = None
        self.launcher = SubsetLaunches(layout, gpu, locks)
        if memory is not None and self.launcher.bytes > memory:
            raise TooLargeError(
                f"The spot needs {bytes_text(self.launcher.bytes)} on the GPU, more than the"
                f" {bytes_text(memory)} that are free or allowed;"
                f" {what_would_fit(self.launcher.bytes, memory)}."
            )
        self.iterations, self._ready = 0, False
        self._fetched: dict[str, tuple[PlayerStorage, ...]] = {}
        self._given: tuple[Sequence[PlayerStorage], Sequence[PlayerStorage]] | None = None

    @property
    def storage(self) -> str:
        return "float32"

    @property
    def memory_bytes(self) -> int:
        return self.launcher.bytes

    def compile(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Compile what is not kept from before, make tables, take memory."""
        if self._ready:
            return
        self.launcher.prepare(progress)
        self.launcher.record()
        self.layout.deals  # noqa: B018  a table of the layout, which every evaluation needs
        for player in (0, 1):
            self.launcher.enforce(player)
        self._ready = True
        if self._given is not None:
            self._put(*self._given)
        self.device.synchronize()

    @contextmanager
    def pooled(self) -> Iterator[None]:
        """Nothing: the CPU's threads are not used."""
        yield

    def begin(self, limit: Limit) -> None:
        """Nothing: iterations begin at once."""

    def iterate(self, count: int) -> None:
        """Do some iterations."""
        self.compile()
        self._fetched.clear()
        for _ in range(count):
            factors = np.array(discounts_of(self.iterations), np.float32)
            for learner in (0, 1):
                self.launcher.play(learner, LEARN, factors)
                # A pass updates every node; locked hands are then set back.
                self.launcher.enforce(learner)
            self.iterations += 1
        self.device.synchronize()

    def values(
        self,
        learner: int,
        mode: int,
        discounts: F32 = NO_DISCOUNTS,
        *,
        reach: Mapping[int, F64] | None = None,
    ) -> F32:
        """(P,) the learner's values at the root after one pass, as on the CPU."""
        self.compile()
        if mode == LEARN:
            self._fetched.clear()
        other = 1 - learner
        weights = self.layout.weights[other].copy()
        if reach is not None and other in reach:
            weights[: len(reach[other])] = reach[other]
        self.launcher.enter(other, weights)
        self.launcher.play(learner, mode, discounts)
        values = self.launcher.root_values(learner)
        self.launcher.enter(other, self.layout.weights[other])
        return values

    def means(self, mode: int) -> tuple[float, ...]:
        """Each player's mean in chips."""
        return tuple(
            self.layout.mean(player, self.values(player, mode)) + self.layout.spot.center(player)
            for player in (0, 1)
        )

    def quick_gain(self) -> float | None:
        """Without rake both values add up to the pot, so best responses are enough."""
        if self.layout.spot.rake_rate > 0:
            return None
        return sum(self.means(BEST)) - self.layout.spot.pot

    @property
    def regrets(self) -> tuple[PlayerStorage, ...]:
        return self._fetch("regrets")

    @property
    def averages(self) -> tuple[PlayerStorage, ...]:
        return self._fetch("averages")

    def _fetch(self, name: str) -> tuple[PlayerStorage, ...]:
        """A copy of what lies on the GPU."""
        self.compile()
        if name not in self._fetched:
            self._fetched[name] = tuple(self._fetch_storage(name, player) for player in (0, 1))
        return self._fetched[name]

    def _fetch_storage(self, name: str, player: int) -> PlayerStorage:
        numbers = PlayerStorage(self._kept(name, player), np.zeros(1, np.float32))
        return with_locks(numbers, self.launcher.locks[player]) if name == "averages" else numbers

    def _kept(self, name: str, player: int) -> NDArray[Any]:
        array = getattr(self.launcher, name)[player]
        return np.asarray(self.device.download(array[: self.layout.elements(player)]))

    def _keep(self, name: str, player: int, numbers: NDArray[Any]) -> None:
        if numbers.size:
            array = getattr(self.launcher, name)[player]
            self.device.write(array, np.asarray(numbers, np.float32))
        self._fetched.clear()

    def stored(self) -> dict[tuple[str, int], NDArray[Any] | RemoteArray]:
        """(name, player) → numbers as the GPU keeps them."""
        self.compile()
        arrays: dict[tuple[str, int], NDArray[Any] | RemoteArray] = {}
        for name, player in product(("regrets", "averages"), (0, 1)):
            arrays[name, player] = RemoteArray(
                (self.layout.elements(player),),
                np.dtype(np.float32),
                partial(self._kept, name, player),
                partial(self._keep, name, player),
            )
            arrays[f"{name}_scales", player] = np.zeros(1, np.float32)
        return arrays

    def restore(self, regrets: Sequence[PlayerStorage], averages: Sequence[PlayerStorage]) -> None:
        """Take over what was learned before, now or when everything is ready."""
        if self._ready:
            self._put(regrets, averages)
        else:
            self._given = (regrets, averages)

    def _put(self, regrets: Sequence[PlayerStorage], averages: Sequence[PlayerStorage]) -> None:
        for name, storages in (("regrets", regrets), ("averages", averages)):
            for player, given in enumerate(storages):
                values = np.asarray(given.values, np.float32)
                if given.values.dtype == np.int16:
                    steps = np.repeat(given.scales, self.layout.widths[player])
                    values = values * steps
                self._keep(name, player, values)
        self._given = None
