"""Spots of three players on a GPU: the algorithm, numbers and files of the CPU's passes.

Regrets and averages stay on the GPU and are fetched when they are read or saved. An iteration is
one recorded sequence of launches; its discounts, those of the CPU, come from a table on the GPU.
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
from riverboat.holdem.spots._three_way_plan import SEATS
from riverboat.holdem.spots.cuda._three_way_launches import SCRATCH, TABLE, ThreeWayLaunches
from riverboat.holdem.spots.first_choice import FirstChoice
from riverboat.holdem.spots.layout import Layout
from riverboat.holdem.spots.locks import PlacedLock, with_locks
from riverboat.holdem.spots.passes import NO_DISCOUNTS
from riverboat.holdem.spots.schedule import discounts as discounts_of
from riverboat.holdem.spots.storage import PlayerStorage
from riverboat.runtime.array_types import F32, F64
from riverboat.runtime.cuda import GpuDevice
from riverboat.solvers.algorithms import LEARN
from riverboat.solvers.run import Limit
from riverboat.strategies.files import RemoteArray


class CudaThreeWayPasses:
    """`Passes` for three players on a GPU; the arguments are those of `devices.open_passes`.

    `scratch` are the bytes for the river's working memory. There is no choice before the spot.
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
        scratch: int = SCRATCH,
    ) -> None:
        if choice is not None:
            raise UsageError("A choice before a spot of three players is learned on the CPU only.")
        self.layout, self.device, self.locks = layout, gpu, locks
        self.choice: FirstChoice | None = None
        self.launcher = ThreeWayLaunches(layout, gpu, locks, scratch=scratch)
        if memory is not None and self.launcher.bytes > memory:
            raise TooLargeError(
                f"The spot needs {self.launcher.bytes / 2**30:.2f} GiB on the GPU, more than the"
                f" {memory / 2**30:.2f} GiB that are free or allowed; give fewer sizes or smaller"
                " ranges."
            )
        self.iterations = 0
        self._ready, self._table_from = False, -TABLE
        self._single: dict[tuple[int, int], Callable[[], None]] = {}
        """Passes of one learner in one mode, recorded when they are first made."""
        self._fetched: dict[str, tuple[PlayerStorage, ...]] = {}
        self._given: tuple[Sequence[PlayerStorage], Sequence[PlayerStorage]] | None = None

    @property
    def storage(self) -> str:
        return "float32"

    @property
    def memory_bytes(self) -> int:
        return self.launcher.bytes

    def compile(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Compile what is not kept from before, take memory, make tables."""
        if self._ready:
            return
        launcher, device = self.launcher, self.device
        device.compile(launcher.texts, progress)
        launcher.prepare()
        enforce = [launcher.enforcement(seat) for seat in SEATS]
        device.record([launch for launches in enforce for launch in launches])()
        iteration = [launcher.next_discounts()]
        for learner in SEATS:
            iteration += [*launcher.launches(learner, LEARN), *enforce[learner]]
        self._iterate = device.record(iteration)
        self._ready = True
        if self._given is not None:
            self._put(*self._given)
        device.synchronize()

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
        self._enter(None)
        for _ in range(count):
            if not self._table_from <= self.iterations < self._table_from + TABLE:
                self._table_from = self.iterations
                rows = [discounts_of(self.iterations + row) for row in range(TABLE)]
                self.device.write(self.launcher.table, np.array(rows, np.float32).ravel())
                self.device.write(self.launcher.counter, np.zeros(1, np.int32))
            self._iterate()
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
        launcher, key = self.launcher, (learner, mode)
        if not launcher.plans[learner][0].parts:
            # The learner folded before the spot began.
            return np.zeros(self.layout.widths[learner], np.float32)
        if key not in self._single:
            # Names of kernels stand for what was made ready last, maybe for another spot.
            self.device.compile(launcher.texts)
            self._single[key] = self.device.record(launcher.launches(learner, mode))
        if mode == LEARN:
            self._fetched.clear()
            self.device.write(launcher.weights, discounts)
        self._enter(reach)
        self._single[key]()
        return np.asarray(self.device.download(launcher.root_values(learner)))

    def _enter(self, reach: Mapping[int, F64] | None) -> None:
        """Give hands the weights with which they come to the root: the range's, or others."""
        for seat in SEATS:
            weights = self.layout.weights[seat].copy()
            if reach is not None and seat in reach:
                weights[: len(reach[seat])] = reach[seat]
            self.device.write(self.launcher.entries[seat], weights)

    def means(self, mode: int) -> tuple[float, ...]:
        """Each player's mean in chips."""
        return tuple(self.layout.mean(seat, self.values(seat, mode)) for seat in SEATS)

    def quick_gain(self) -> float | None:
        """Not known without everything else."""
        return None

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
            fetched = []
            for seat in SEATS:
                numbers = PlayerStorage(self._kept(name, seat), np.zeros(1, np.float32))
                own = [lock for lock in self.locks if lock.player == seat]
                fetched.append(with_locks(numbers, own) if name == "averages" else numbers)
            self._fetched[name] = tuple(fetched)
        return self._fetched[name]

    def _kept(self, name: str, seat: int) -> NDArray[Any]:
        array = getattr(self.launcher, name)[seat]
        return np.asarray(self.device.download(array[: self.layout.elements(seat)]))

    def _keep(self, name: str, seat: int, numbers: NDArray[Any]) -> None:
        if numbers.size:
            array = getattr(self.launcher, name)[seat]
            self.device.write(array, np.asarray(numbers, np.float32))
        self._fetched.clear()

    def stored(self) -> dict[tuple[str, int], NDArray[Any] | RemoteArray]:
        """(name, player) → numbers as the GPU keeps them."""
        self.compile()
        stored: dict[tuple[str, int], NDArray[Any] | RemoteArray] = {}
        for name, seat in product(("regrets", "averages"), SEATS):
            stored[name, seat] = RemoteArray(
                (self.layout.elements(seat),),
                np.dtype(np.float32),
                partial(self._kept, name, seat),
                partial(self._keep, name, seat),
            )
        return stored

    def restore(self, regrets: Sequence[PlayerStorage], averages: Sequence[PlayerStorage]) -> None:
        """Take over what was learned before, now or when everything is ready."""
        if self._ready:
            self._put(regrets, averages)
        else:
            self._given = (regrets, averages)

    def _put(self, regrets: Sequence[PlayerStorage], averages: Sequence[PlayerStorage]) -> None:
        for name, storages in (("regrets", regrets), ("averages", averages)):
            for seat, given in enumerate(storages):
                self._keep(name, seat, given.values)
        self._given, self._table_from = None, -TABLE
