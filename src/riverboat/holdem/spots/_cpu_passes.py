"""What passes on the CPU have in common: numbers in memory, and iterations pass by pass."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import TooLargeError
from riverboat.holdem.spots.first_choice import FirstChoice
from riverboat.holdem.spots.layout import Layout, SpotSize, bytes_text, what_would_fit
from riverboat.holdem.spots.locks import PlacedLock, with_locks
from riverboat.holdem.spots.passes import NO_DISCOUNTS
from riverboat.holdem.spots.schedule import discounts
from riverboat.holdem.spots.storage import PlayerStorage
from riverboat.runtime.array_types import F32, F64
from riverboat.solvers.algorithms import LEARN
from riverboat.solvers.run import Limit
from riverboat.strategies.files import RemoteArray


def choose_storage(size: SpotSize, memory: int | None) -> bool:
    """Whether 16-bit numbers are needed to fit in the memory allowed; refused if they do not."""
    if memory is None or size.float32 <= memory:
        return False
    if size.int16 <= memory:
        return True
    needs = bytes_text(size.float32)
    if size.int16 < size.float32:
        needs = f"{bytes_text(size.int16)} with 16-bit numbers and {needs} with 32-bit ones"
    raise TooLargeError(
        f"The spot needs {needs}, more than the {bytes_text(memory)} allowed;"
        f" {what_would_fit(size.int16, memory, size.fixed)}."
    )


class CpuPasses(ABC):
    """`Passes` on the CPU but for `values`; the arguments are those of `devices.open_passes`."""

    device_name = "cpu"

    def __init__(
        self,
        layout: Layout,
        *,
        locks: Sequence[PlacedLock] = (),
        choice: FirstChoice | None = None,
        threads: int = 1,
        memory: int | None = None,
        int16: bool | None = None,
    ) -> None:
        self.layout, self.locks, self.choice, self.threads = layout, locks, choice, threads
        self.int16 = choose_storage(layout.size, memory) if int16 is None else int16
        self.iterations = 0
        self.players = range(layout.num_players)
        self._regrets = tuple(layout.storage(who, int16=self.int16) for who in self.players)
        self._averages = tuple(
            with_locks(
                layout.storage(who, int16=self.int16),
                [lock for lock in locks if lock.player == who],
            )
            for who in self.players
        )
        self._enforce_locks()
        self.instead: dict[int, PlayerStorage] = {}
        """Player → numbers that they play by in place of their own, in every pass."""
        self._pool: ThreadPoolExecutor | None = None

    @property
    def storage(self) -> str:
        return "16-bit" if self.int16 else "float32"

    @property
    def memory_bytes(self) -> int:
        return self.layout.size.int16 if self.int16 else self.layout.size.float32

    @property
    def regrets(self) -> tuple[PlayerStorage, ...]:
        """Of each player; the numbers themselves."""
        return self._regrets

    @property
    def averages(self) -> tuple[PlayerStorage, ...]:
        """Of each player; the numbers themselves."""
        return self._averages

    def played(self, player: int, mode: int) -> PlayerStorage:
        """What a player plays by while another learns: regrets in LEARN, else averages."""
        own = self.regrets if mode == LEARN else self.averages
        return self.instead.get(player, own[player])

    @abstractmethod
    def values(
        self,
        learner: int,
        mode: int,
        discounts: F32 = NO_DISCOUNTS,
        *,
        reach: Mapping[int, F64] | None = None,
    ) -> F32:
        """(P,) the learner's values at the root after one pass of a mode."""

    @abstractmethod
    def origin(self, player: int) -> float:
        """What a mean of values at the root counts from."""

    def compile(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Compile what is not in the cache: one pass does it, whose numbers are then cleared."""
        if self.iterations == 0:
            self.values(self.layout.spot.playing[0], LEARN)
            for storage in (*self.regrets, *self.averages):
                storage.values[...] = 0
                storage.scales[...] = 0
            self._enforce_locks()

    def begin(self, limit: Limit) -> None:  # noqa: B027
        """Nothing: iterations begin at once."""

    def iterate(self, count: int) -> None:
        """Do some iterations."""
        for _ in range(count):
            factors = np.array(discounts(self.iterations), np.float32)
            # Alternating updates: each player answers the new regrets of those before.
            for learner in self.players:
                self._learn(learner, factors)
            self.iterations += 1

    def _learn(self, learner: int, factors: F32) -> None:
        choice, reach = self.choice, None
        if choice is not None and learner != choice.player:
            # The others meet the hands with which the player chose to play on.
            reach = {choice.player: choice.reach()}
        values = self.values(learner, LEARN, factors, reach=reach)
        # A pass updates every node; locked hands are then set back.
        self._enforce_locks(learner)
        if choice is not None and learner == choice.player:
            choice.learn(values[: len(choice.stop)].astype(np.float64), factors)

    def _enforce_locks(self, player: int | None = None) -> None:
        """Overwrite what a player, or all, learned at locked nodes with the locked strategy."""
        for lock in self.locks:
            if player is None or lock.player == player:
                lock.enforce(self.regrets[lock.player])
                lock.enforce(self.averages[lock.player])

    def means(self, mode: int) -> tuple[float, ...]:
        """Each player's mean in chips (or prizes)."""
        return tuple(
            self.layout.mean(player, self.values(player, mode)) + self.origin(player)
            for player in self.players
        )

    def quick_gain(self) -> float | None:
        """Not known without everything else."""
        return None

    def restore(self, regrets: Sequence[PlayerStorage], averages: Sequence[PlayerStorage]) -> None:
        """Take over what other passes have learned."""
        for mine, given in zip((*self.regrets, *self.averages), (*regrets, *averages), strict=True):
            mine.values[...] = given.values
            mine.scales[...] = given.scales

    def stored(self) -> dict[tuple[str, int], NDArray[Any] | RemoteArray]:
        """(name, player) → what was learned; the arrays themselves."""
        numbers: dict[tuple[str, int], NDArray[Any] | RemoteArray] = {}
        for name, storages in (("regrets", self.regrets), ("averages", self.averages)):
            for player, storage in enumerate(storages):
                numbers[name, player] = storage.values
                numbers[f"{name}_scales", player] = storage.scales
        return numbers

    @contextmanager
    def pooled(self) -> Iterator[None]:
        """Keep threads for the passes made inside the block."""
        if self.threads < 2 or self.layout.num_streets == 1:
            yield
            return
        with ThreadPoolExecutor(self.threads) as self._pool:
            try:
                yield
            finally:
                self._pool = None
