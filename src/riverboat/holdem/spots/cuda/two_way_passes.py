"""Spots of two players on a GPU: the same algorithm, numbers and files as on the CPU.

Regrets and averages stay on the GPU; they are fetched when they are read or saved. An
iteration is one recorded sequence of launches, and its discounts come from a table on the GPU, so
that the CPU has nearly nothing to do. These discounts are others than the CPU's: `gpu_discounts`.

Regrets always have four bytes. Averages have four, or two where four do not fit: they are then kept
as shares of one in steps of 1 / 65535.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import TooLargeError
from riverboat.holdem.spots.cuda._device_tables import LAYOUT, TABLE
from riverboat.holdem.spots.cuda.launches import SharedScratch, SpotLaunches, device_bytes
from riverboat.holdem.spots.first_choice import FirstChoice
from riverboat.holdem.spots.layout import Layout
from riverboat.holdem.spots.locks import PlacedLock, with_locks
from riverboat.holdem.spots.passes import NO_DISCOUNTS
from riverboat.holdem.spots.schedule import DEFAULT_TARGET
from riverboat.holdem.spots.storage import PlayerStorage
from riverboat.runtime.array_types import F32, F64
from riverboat.runtime.cuda import GpuDevice, Launch, kernel_text
from riverboat.solvers.algorithms import AVERAGE, BEST, LEARN
from riverboat.solvers.run import Limit
from riverboat.strategies.files import RemoteArray

START, MAX_START = 36, 96
"""Iterations before a run towards 0.3 % of the pot keeps averages; towards less there are more."""
REGRET_STEP = 64.0  # Of regrets with two bytes: common.cu says the same
EVERY = 2
"""Averages take in every second iteration: neighbours are much alike, and it saves moving them."""


@lru_cache(maxsize=1 << 14)
def gpu_discounts(t: int) -> tuple[float, float, float]:
    """The factors of iteration t: of regrets above and below zero, and of the averages.

    Positive regrets are discounted by t^a / (t^a + 1), where a rises from 1 to 3, negative ones by
    0.5 to 0.8, averages by (t / (t + 1))^6. It needs 7 % fewer iterations than the CPU's schedule
    on spots that it was not chosen on (benchmarks/gpu_schedules.py).
    """
    old = float(max(t - 1, 0)) ** (1 + 2 * min(t / 250, 1.0))
    return old / (old + 1), 0.5 + 0.3 * min(t / 100, 1.0), (t / (t + 1)) ** 6


class CudaTwoWayPasses:
    """`Passes` for two players on a GPU; the arguments are those of `devices.open_passes`.

    Without `fused` rivers have no kernels of their own: slower, and a check of those that have.
    With `half` regrets have two bytes, too; spots that share a `scratch` must not work at the same
    time: both are for games that hold many spots at once.
    """

    device_name = "cuda"
    threads = 1  # The CPU has nearly nothing to do

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
        fused: bool = True,
        half: bool = False,
        scratch: SharedScratch | None = None,
    ) -> None:
        self.layout, self.device, self.locks, self.choice = layout, gpu, locks, choice
        self.half, self._scratch = half, scratch
        self.int16 = self._choose_storage(memory) if int16 is None else int16
        self.iterations = 0
        self.launcher = SpotLaunches(
            layout, gpu, locks, int16=self.int16, half=half, fused=fused, scratch=scratch
        )
        if choice is not None:
            self.launcher.texts[_choice_text()] = ("choose",)
        self._ready, self._recorded = False, False
        self._table_from = -TABLE
        self._learn_only = self._first_kept = 0
        self._measured = (-1, (0.0, 0.0))
        """When best responses were measured last, and their values."""
        self.discounts: Callable[[int], tuple[float, float, float]] = gpu_discounts
        """The factors of an iteration."""
        self.start: int | None = None
        """Iterations before averages are kept, where not the target decides."""
        self.every = EVERY
        self._single: dict[tuple[int, int], Callable[[], None]] = {}
        """Passes of one learner in one mode, recorded when they are first made."""
        self._fetched: dict[str, tuple[int, tuple[PlayerStorage, ...]]] = {}
        self._given: tuple[Sequence[PlayerStorage], Sequence[PlayerStorage]] | None = None

    def _choose_storage(self, allowed: int | None) -> bool:
        """Whether averages must have two bytes to fit on the GPU; refused if that fails."""
        if allowed is None:
            return False
        needs = [self._needs(int16=int16) for int16 in (False, True)]
        if needs[0] <= allowed:
            return False
        if needs[1] <= allowed:
            return True
        raise TooLargeError(
            f"The spot needs {needs[1] / 2**30:.2f} GiB on the GPU with 16-bit averages and"
            f" {needs[0] / 2**30:.2f} GiB with 32-bit ones, more than the"
            f" {allowed / 2**30:.2f} GiB that are free or allowed; give fewer sizes or smaller"
            " ranges."
        )

    @property
    def storage(self) -> str:
        return "16-bit averages" if self.int16 else "float32"

    @property
    def memory_bytes(self) -> int:
        return self._needs(int16=self.int16)

    def _needs(self, *, int16: bool) -> int:
        return device_bytes(self.layout, int16=int16, half=self.half)

    def compile(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Compile what is not kept from before, take memory, make tables."""
        if self._ready:
            return
        launcher, device = self.launcher, self.device
        device.compile(launcher.texts, progress)
        launcher.prepare()
        self._entries = [device.zeros(wide, np.float32) for wide in launcher.widths]
        """(width,) the weights of each player's hands at the root in a pass of `values`."""
        if self._scratch is None:
            self._record()
        device.record([launch for launches in launcher.enforcements() for launch in launches])()
        self._ready = True
        if self._given is not None:
            self._put(*self._given)
        device.synchronize()

    @contextmanager
    def pooled(self) -> Iterator[None]:
        """Nothing: the CPU's threads are not used."""
        yield

    def _record(self) -> None:
        """Record iterations and evaluations; they take memory, which a spot among many saves."""
        launcher, device, choice = self.launcher, self.device, self.choice
        # Names of kernels stand for what was made ready last, maybe for another spot.
        device.compile(launcher.texts)
        enforce = launcher.enforcements()
        choose: list[Launch] = []
        if choice is not None:
            begin, choose = self._choice_launches(choice)
            # The choice begins open: no pass has been made yet.
            device.record(begin)()
        iteration = [launcher.next_weights()]
        for learner in (0, 1):
            meets_choice = choice is not None and learner != choice.player
            entry = self._choice_reach if meets_choice else None
            iteration += [*launcher.launches(learner, LEARN, entry=entry), *enforce[learner]]
            if choice is not None and learner == choice.player:
                iteration += choose
        self._iterate = device.record(iteration)
        self._evaluate = {
            mode: device.record(
                [
                    launch
                    for player in (0, 1)
                    for launch in (
                        *launcher.launches(player, mode),
                        launcher.weigh(player, 2 * (mode == AVERAGE) + player),
                    )
                ]
            )
            for mode in (BEST, AVERAGE)
        }
        self._recorded = True

    def _choice_launches(self, choice: FirstChoice) -> tuple[list[Launch], list[Launch]]:
        """What writes the weights of the choice's hands, and what learns it after a pass."""
        launcher, player = self.launcher, choice.player
        order, wide = launcher.orders[player], launcher.widths[player]
        amounts = np.zeros((3, wide), np.float32)
        regrets = np.zeros((2, wide), np.float32)
        for row, numbers in zip(amounts, (choice.stop, choice.forced, choice.free), strict=True):
            row[: len(order)] = numbers[order]
        regrets[:, : len(order)] = choice.regrets[:, order]
        self._choice_reach = self.device.zeros(wide, np.float32)
        self.choice_regrets = self.device.upload(regrets.ravel())
        """(2, width) of playing on and of stopping, in the order of the device."""
        fields = {
            "amounts": self.device.upload(amounts.ravel()),
            "scratch_rows": self.choice_regrets,
            "reach": self._choice_reach,
            "root_row": launcher.root_row(player),
        }
        begin, learn = (
            [launcher.launch("choose", player, {**fields, "mode": mode})]
            for mode in (AVERAGE, LEARN)
        )
        return begin, learn

    def iterate(self, count: int) -> None:
        """Do some iterations."""
        self.compile()
        if not self._recorded:
            self._record()
        for _ in range(count):
            if not self._table_from <= self.iterations < self._table_from + TABLE:
                self._write_table()
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
        launcher, other, key = self.launcher, 1 - learner, (learner, mode)
        if key not in self._single:
            # Names of kernels stand for what was made ready last, maybe for another spot.
            self.device.compile(launcher.texts)
            entry = self._entries[other]
            self._single[key] = self.device.record(launcher.launches(learner, mode, entry=entry))
        if mode == LEARN:
            self.device.write(launcher.weights, self._pass_weights(discounts))
        given = (reach or {}).get(other, self.layout.weights[other])
        weights = np.zeros(launcher.widths[other], np.float32)
        weights[: launcher.sizes[other]] = given[launcher.orders[other]]
        self.device.write(self._entries[other], weights)
        self._single[key]()
        if mode == LEARN:
            self._fetched.clear()
            self._measured = (-1, (0.0, 0.0))
        values = np.zeros(self.layout.widths[learner], np.float32)
        row = self.device.download(launcher.root_row(learner)[: launcher.widths[learner]])
        values[: launcher.sizes[learner]] = row[launcher.places[learner]]
        return values

    def _pass_weights(self, factors: F32) -> F32:
        """Discounts of regrets and averages, and what is added to the averages."""
        above, below, keep = factors.tolist()
        if not self.int16:
            return np.array([above, below, keep, 1.0], np.float32)
        # Averages are shares of one: what the old ones lose goes to the newest.
        share = max(1.0 - keep, 1e-6)
        return np.array([above, below, 1.0 - share, share], np.float32)

    def begin(self, limit: Limit) -> None:
        """The first iterations towards a target: they hardly count in averages, so none are kept.

        They take a tenth of a second or so; measuring them would be a waste.
        """
        only_target = limit.iterations is None and limit.seconds is None
        if only_target and self.iterations == 0 and not self.locks:
            first = self.start
            if first is None:
                # Exploitability falls about as the square of the iterations grows.
                far = DEFAULT_TARGET * self.layout.spot.pot / max(limit.target or 0.0, 1e-12)
                first = int(min(max(START * math.sqrt(far), START / 2), MAX_START))
            self._learn_only = self._first_kept = first
            self.iterate(first)
            self._learn_only, self._table_from = 0, -TABLE

    def _write_table(self) -> None:
        """The discounts of the iterations from here on."""
        first = self._table_from = self.iterations
        table = np.zeros((TABLE, 4), np.float32)
        weight = self._weight_of_averages() if self.int16 else 0.0
        for row, t in enumerate(range(first, first + TABLE)):
            above, below, _ = self.discounts(t)
            table[row] = above, below, 1.0, 0.0
            if t >= self._learn_only and t % self.every == 0:
                keep, share = self._average_discount(t), 1.0
                if self.int16:
                    # Averages are shares: old and new ones are weighted so that they stay so.
                    weight = weight * keep + 1.0
                    keep, share = 1.0 - 1.0 / weight, 1.0 / weight
                table[row, 2:] = keep, share
        self.device.write(self.launcher.table, table.ravel())
        self.device.write(self.launcher.counter, np.zeros(1, np.int32))

    def _average_discount(self, t: int) -> float:
        """Discount of the running average at iteration t.

        It includes the skipped iterations since the last average update.
        """
        last = range(max(0, t - self.every + 1), t + 1)
        return math.prod(self.discounts(iteration)[2] for iteration in last)

    def _weight_of_averages(self) -> float:
        """What the averages of all iterations so far add up to."""
        weight = 0.0
        for t in range(self._first_kept, self.iterations):
            if t % self.every == 0:
                weight = weight * self._average_discount(t) + 1.0
        return weight

    def means(self, mode: int) -> tuple[float, ...]:
        """Each player's mean in chips."""
        if mode == BEST and self._measured[0] == self.iterations:
            return self._measured[1]
        self.compile()
        if not self._recorded:
            self._record()
        self._evaluate[mode]()
        sums = self.device.download(self.launcher.results)[2 * (mode == AVERAGE) :]
        half = self.layout.spot.pot / 2
        means = float(sums[0]) / self.layout.deals + half, float(sums[1]) / self.layout.deals + half
        if mode == BEST:
            self._measured = (self.iterations, means)
        return means

    def quick_gain(self) -> float | None:
        """Without rake both values add up to the pot, so best responses are enough."""
        if self.layout.spot.rake_rate > 0:
            return None
        self._measured = (-1, (0.0, 0.0))
        return sum(self.means(BEST)) - self.layout.spot.pot

    @property
    def regrets(self) -> tuple[PlayerStorage, ...]:
        return self._fetch("regrets")

    @property
    def averages(self) -> tuple[PlayerStorage, ...]:
        return self._fetch("averages")

    def _fetch(self, name: str) -> tuple[PlayerStorage, ...]:
        """A copy of what lies on the GPU, in the layout's order, with four bytes."""
        self.compile()
        kept = self._fetched.get(name)
        if kept is not None and kept[0] == self.iterations:
            return kept[1]
        storages = tuple(self._fetch_storage(name, player) for player in (0, 1))
        self._fetched[name] = (self.iterations, storages)
        return storages

    def _fetch_storage(self, name: str, player: int, streets: int | None = None) -> PlayerStorage:
        """A player's regrets or averages, on all streets or the first ones."""
        values = self._kept(name, player, streets)
        if name == "regrets" and self.half:
            values = values.astype(np.float32) * np.float32(REGRET_STEP)
        if name == "averages" and self.int16:
            values = values * np.float32(self._weight_of_averages() / 65535)
        numbers = PlayerStorage(values, np.zeros(1, np.float32))
        locks = [lock for lock in self.locks if lock.player == player]
        return with_locks(numbers, locks) if name == "averages" else numbers

    def _kept(self, name: str, player: int, streets: int | None = None) -> NDArray[Any]:
        """(elements,) a player's numbers as the GPU keeps them, in the layout's order."""
        places, wide = self.launcher.places[player], self.launcher.widths[player]
        width = self.layout.widths[player]
        count = self.layout.elements(player, streets) // width
        array = getattr(self.launcher, name)[player][: count * wide]
        values = self.device.download_rows(array, wide, places, width).ravel()
        return values.view(self._kind(name))

    def _keep(self, name: str, player: int, values: NDArray[Any]) -> None:
        """Put numbers on the GPU as `_kept` returns them."""
        launcher, width = self.launcher, self.layout.widths[player]
        rows = values.reshape(-1, width)[:, launcher.orders[player]]
        target = np.zeros((len(rows), launcher.widths[player]), rows.dtype)
        target[:, : launcher.sizes[player]] = rows
        array = getattr(launcher, name)[player]
        self.device.write(array, target.view(array.dtype).ravel())
        self._fetched.clear()
        self._measured = (-1, (0.0, 0.0))

    def _kind(self, name: str) -> np.dtype[Any]:
        """The type of the numbers on the GPU; averages of two bytes are shares of one."""
        short = self.half if name == "regrets" else self.int16
        return np.dtype((np.float16 if name == "regrets" else np.uint16) if short else np.float32)

    def stored(self) -> dict[tuple[str, int], NDArray[Any] | RemoteArray]:
        self.compile()
        stored: dict[tuple[str, int], NDArray[Any] | RemoteArray] = {}
        for name, player in product(("regrets", "averages"), (0, 1)):
            stored[name, player] = RemoteArray(
                (self.layout.elements(player),),
                self._kind(name),
                partial(self._kept, name, player),
                partial(self._keep, name, player),
            )
            stored[f"{name}_scales", player] = np.zeros(1, np.float32)
        return stored

    def first_averages(self) -> tuple[PlayerStorage, ...]:
        """The averages of the first street alone: little to fetch."""
        return tuple(self._fetch_storage("averages", player, 1) for player in (0, 1))

    def first_street_values(self, player: int) -> F32:
        """(nodes of the first street, P) a player's values, as the last pass left them."""
        fields, places = self.launcher.streets[player][0], self.launcher.places[player]
        rows = self.device.download(fields["rows"]).reshape(-1, self.launcher.widths[player])
        width = self.layout.widths[player]
        first = self.layout.spot.street
        nodes = [node.index for node in self.layout.tree.nodes if node.street == first]
        values = np.zeros((len(nodes), width), np.float32)
        for number, node in enumerate(nodes):
            at = self.layout.plan.node_values[player][node]
            row = rows[at.row // width - fields["row_base"]]
            values[number, : len(places)] = row[places] * np.float32(at.factor)
        return values

    def restore(self, regrets: Sequence[PlayerStorage], averages: Sequence[PlayerStorage]) -> None:
        """Take over what was learned before, now or when everything is ready."""
        if self._ready:
            self._put(regrets, averages)
        else:
            self._given = (regrets, averages)

    def _put(self, regrets: Sequence[PlayerStorage], averages: Sequence[PlayerStorage]) -> None:
        """Upload what was learned before."""
        for player in (0, 1):
            width = self.layout.widths[player]
            learned, shown = (_as_rows(both[player], width) for both in (regrets, averages))
            if self.int16:
                shares = shown / max(self._weight_of_averages(), 1.0)
                shown = np.rint(65535 * np.clip(shares, 0, 1)).astype(np.uint16)
            if self.half:
                halves = np.clip(learned / np.float32(REGRET_STEP), -65000, 65000)
                learned = halves.astype(np.float16)
            self._keep("regrets", player, learned)
            self._keep("averages", player, shown)
        self._given, self._table_from = None, -TABLE


@lru_cache(maxsize=1)
def _choice_text() -> str:
    return kernel_text(LAYOUT, "riverboat.holdem.spots.cuda", "choice.cu", defines={})


def _as_rows(numbers: PlayerStorage, width: int) -> NDArray[Any]:
    """(rows, width) with four bytes, whatever they have."""
    rows = np.asarray(numbers.values).reshape(-1, width)
    if rows.dtype == np.int16:
        return np.asarray(rows * np.asarray(numbers.scales)[:, None], np.float32)
    return rows
