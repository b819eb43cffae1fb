"""Spots solved on a GPU: the same algorithm, objects and files as on the CPU.

Regrets and averages stay on the GPU; they are fetched when they are read or saved. An
iteration is one recorded sequence of launches, and its discounts come from a table on the GPU, so
that the CPU has nearly nothing to do. These discounts are others than the CPU's: `gpu_discounts`.

Regrets always have four bytes. Averages have four, or two where four do not fit: they are then kept
as shares of one in steps of 1 / 65535.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import TooLargeError, UsageError
from riverboat.holdem.spots.cuda.device_tables import TABLE
from riverboat.holdem.spots.cuda.gpu_passes import SharedScratch, SpotPasses, device_bytes
from riverboat.holdem.spots.geometry import PlayerStorage, SpotGeometry, open_geometry
from riverboat.holdem.spots.locks import with_locks
from riverboat.holdem.spots.passes import NO_DISCOUNTS
from riverboat.holdem.spots.plan import build_plan
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.holdem.spots.solver import SpotEvaluation, SpotSolver
from riverboat.holdem.spots.solver_run import DEFAULT_TARGET
from riverboat.holdem.spots.spot import Spot
from riverboat.runtime.array_types import F32, F64
from riverboat.runtime.cuda import CudaDevice, GpuDevice, Launch
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


class CudaSpotSolver(SpotSolver):
    """A spot in the middle of being solved, on a GPU.

    `options` are those of SpotSolver. Without `fused` rivers have no kernels of their own: slower,
    and a check of those that have. With `half` regrets have two bytes, too; spots that share a
    `scratch` must not work at the same time: both are for games that hold many spots at once.
    """

    device_name = "cuda"

    def __init__(
        self,
        spot: Spot | SpotGeometry,
        *,
        device: GpuDevice | None = None,
        fused: bool = True,
        half: bool = False,
        scratch: SharedScratch | None = None,
        threads: int = 1,
        **options: Any,
    ) -> None:
        asked = spot.spot if isinstance(spot, SpotGeometry) else spot
        if asked.dead or asked.payouts is not None:
            what = "dead cards" if asked.dead else "payouts"
            raise UsageError(f"A spot with {what} is solved on the CPU only, not on a GPU.")
        self.device: GpuDevice = CudaDevice() if device is None else device
        if isinstance(spot, SpotGeometry) and any(
            len(street[0].chunks) != len(street[0].roots) for street in spot.plan.streets
        ):
            spot = dataclasses.replace(spot, plan=build_plan(spot.tree, chunk_bytes=0))
        self._ready, self._recorded, self._fused = False, False, fused
        self.half, self._scratch = half, scratch
        self._table_from = -TABLE
        self._learn_only = self._first_kept = 0
        self._measured = (-1, (0.0, 0.0))
        """When best responses were measured last, and what they were worth."""
        self.discounts: Callable[[int], tuple[float, float, float]] = gpu_discounts
        """The factors of an iteration."""
        self.start: int | None = None
        """Iterations before averages are kept, where not the target decides."""
        self.every = EVERY
        self._single: dict[tuple[int, int], Callable[[], None]] = {}
        """Passes of one learner in one mode, recorded when they are first made."""
        self._fetched: dict[str, tuple[int, tuple[PlayerStorage, ...]]] = {}
        self._given: tuple[Sequence[PlayerStorage], Sequence[PlayerStorage]] | None = None
        # The CPU has nearly nothing to do, so its threads are not used.
        super().__init__(spot, threads=1, **options)

    def _open(self, spot: Spot, isomorphism: bool, memory: int | None) -> SpotGeometry:
        allowed = self._allowed(memory)
        return open_geometry(spot, isomorphism=isomorphism, chunk_bytes=0, memory=allowed)

    def _allowed(self, memory: int | None) -> int:
        free = self.device.free_memory()
        return free if memory is None else min(memory, free)

    def _choose_storage(self, memory: int | None) -> bool:
        """Whether averages must have two bytes to fit on the GPU; refused if that fails."""
        allowed = self._allowed(memory)
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
        return device_bytes(self.geometry, int16=int16, half=self.half)

    def _allocate(self) -> None:
        self.passes = SpotPasses(
            self.geometry,
            self.device,
            self.placed,
            int16=self.int16,
            half=self.half,
            fused=self._fused,
            scratch=self._scratch,
        )

    def compile(self, progress: Callable[[int, int], None] | None = None) -> float:
        """Compile what is not kept from before, take memory, make tables; the seconds it took."""
        start = time.perf_counter()
        if not self._ready:
            passes, device = self.passes, self.device
            device.compile(passes.texts, progress)
            passes.prepare()
            if self._scratch is None:
                self._record()
            enforce = passes.enforcements()
            device.record([launch for each in enforce for launch in each])()
            self._ready = True
            if self._given is not None:
                self._put(*self._given)
            device.synchronize()
        self.compile_seconds = time.perf_counter() - start
        return self.compile_seconds

    def _record(self) -> None:
        """Record iterations and evaluations; they take memory, which a spot among many saves."""
        passes, device = self.passes, self.device
        # Names of kernels stand for what was made ready last, maybe for another spot.
        device.compile(passes.texts)
        enforce = passes.enforcements()
        iteration = [passes.next_weights()]
        for learner in (0, 1):
            iteration += [*passes.launches(learner, LEARN), *enforce[learner]]
            iteration += self.after_pass(learner)
        self._iterate = device.record(iteration)
        self._evaluate = {
            mode: device.record(
                [
                    launch
                    for player in (0, 1)
                    for launch in (
                        *passes.launches(player, mode),
                        passes.weigh(player, 2 * (mode == AVERAGE) + player),
                    )
                ]
            )
            for mode in (BEST, AVERAGE)
        }
        self._recorded = True

    def after_pass(self, learner: int) -> list[Launch]:
        """What an iteration does after a learner's pass: nothing more."""
        return []

    def step(self, num_iterations: int = 1) -> None:
        """Do some iterations."""
        self.compile()
        if not self._recorded:
            self._record()
        for _ in range(num_iterations):
            if not self._table_from <= self.iterations < self._table_from + TABLE:
                self._write_table()
            self._iterate()
            self.iterations += 1
        self.device.synchronize()

    def pass_values(
        self, learner: int, mode: int, factors: F32 = NO_DISCOUNTS, *, reach: F64 | None = None
    ) -> F32:
        """(P,) the learner's values at the root after one pass, as on the CPU."""
        self.compile()
        passes, other, place = self.passes, 1 - learner, (learner, mode)
        if place not in self._single:
            # Names of kernels stand for what was made ready last, maybe for another spot.
            self.device.compile(passes.texts)
            self._single[place] = self.device.record(passes.launches(learner, mode))
        if mode == LEARN:
            self.device.write(passes.weights, self._pass_weights(factors))
        if reach is not None:
            weights = np.zeros(passes.widths[other], np.float32)
            weights[: passes.sizes[other]] = reach[passes.orders[other]]
            self.device.write(passes.hands[other]["weights"], weights)
        self._single[place]()
        self._fetched.clear()
        found = np.zeros(self.geometry.plan.widths[learner], np.float32)
        row = self.device.download(passes.root_row(learner)[: passes.widths[learner]])
        found[: passes.sizes[learner]] = row[passes.places[learner]]
        return found

    def _pass_weights(self, factors: F32) -> F32:
        """Discounts of regrets and averages, and what is added to the averages."""
        above, below, keep = factors.tolist()
        if not self.int16:
            return np.array([above, below, keep, 1.0], np.float32)
        # Averages are shares of one: what the old ones lose goes to the newest.
        share = max(1.0 - keep, 1e-6)
        return np.array([above, below, 1.0 - share, share], np.float32)

    def _begin(self, limit: Limit) -> None:
        """The first iterations towards a target: they hardly count in averages, so none are kept.

        They take a tenth of a second or so; measuring them would be a waste.
        """
        only_target = limit.iterations is None and limit.seconds is None
        if only_target and self.iterations == 0 and not self.placed:
            first = self.start
            if first is None:
                # Exploitability falls about as the square of the iterations grows.
                far = DEFAULT_TARGET * self.spot.pot / max(limit.target or 0.0, 1e-12)
                first = int(min(max(START * math.sqrt(far), START / 2), MAX_START))
            self._learn_only = self._first_kept = first
            self.step(first)
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
        self.device.write(self.passes.table, table.ravel())
        self.device.write(self.passes.counter, np.zeros(1, np.int32))

    def _average_discount(self, t: int) -> float:
        """Discount of the running average at iteration t.

        It includes the skipped iterations since the last average update.
        """
        last = range(max(0, t - self.every + 1), t + 1)
        return math.prod(self.discounts(each)[2] for each in last)

    def _weight_of_averages(self) -> float:
        """What the averages of all iterations so far add up to."""
        weight = 0.0
        for t in range(self._first_kept, self.iterations):
            if t % self.every == 0:
                weight = weight * self._average_discount(t) + 1.0
        return weight

    def measure(self) -> float:
        """Exploitability in chips. Without rake both values add up to the pot."""
        if self.spot.rake_rate > 0:
            return self.evaluation().exploitability
        best = self.evaluate_means(BEST)
        self._measured = (self.iterations, best)
        return (best[0] + best[1] - self.spot.pot) / 2

    def evaluate_means(self, mode: int) -> tuple[float, float]:
        self.compile()
        if not self._recorded:
            self._record()
        self._evaluate[mode]()
        sums = self.device.download(self.passes.results)[2 * (mode == AVERAGE) :]
        first, second = (float(each) / self.geometry.deals + self.spot.pot / 2 for each in sums[:2])
        return first, second

    def evaluation(self) -> SpotEvaluation:
        """Exact best responses to the averages, and what the averages are worth together."""
        at, best = self._measured
        if at != self.iterations:
            best = self.evaluate_means(BEST)
        ev = self.evaluate_means(AVERAGE)
        self.last_evaluation = SpotEvaluation(ev, best, self.spot.pot)
        self._evaluated_at = self.iterations
        return self.last_evaluation

    @property
    def regrets(self) -> tuple[PlayerStorage, ...]:
        return self._fetch("regrets")

    @property
    def averages(self) -> tuple[PlayerStorage, ...]:
        return self._fetch("averages")

    def _fetch(self, name: str) -> tuple[PlayerStorage, ...]:
        """A copy of what lies on the GPU, in the geometry's order, with four bytes."""
        self.compile()
        kept = self._fetched.get(name)
        if kept is not None and kept[0] == self.iterations:
            return kept[1]
        found = tuple(self._fetch_storage(name, player) for player in (0, 1))
        self._fetched[name] = (self.iterations, found)
        return found

    def _fetch_storage(self, name: str, player: int, streets: int | None = None) -> PlayerStorage:
        """A player's regrets or averages, on all streets or the first ones."""
        values = self._kept(name, player, streets)
        if name == "regrets" and self.half:
            values = values.astype(np.float32) * np.float32(REGRET_STEP)
        if name == "averages" and self.int16:
            values = values * np.float32(self._weight_of_averages() / 65535)
        numbers = PlayerStorage(values, np.zeros(1, np.float32))
        locks = [lock for lock in self.placed if lock.player == player]
        return with_locks(numbers, locks) if name == "averages" else numbers

    def _kept(self, name: str, player: int, streets: int | None = None) -> NDArray[Any]:
        """(elements,) a player's numbers as the GPU keeps them, in the geometry's order."""
        places, wide = self.passes.places[player], self.passes.widths[player]
        width = self.geometry.plan.widths[player]
        count = self.geometry.elements(player, streets) // width
        array = getattr(self.passes, name)[player][: count * wide]
        values = self.device.download_rows(array, wide, places, width).ravel()
        return values.view(self._kind(name))

    def _keep(self, name: str, player: int, values: NDArray[Any]) -> None:
        """Put numbers on the GPU as `_kept` returns them."""
        passes, width = self.passes, self.geometry.plan.widths[player]
        rows = values.reshape(-1, width)[:, passes.orders[player]]
        target = np.zeros((len(rows), passes.widths[player]), rows.dtype)
        target[:, : passes.sizes[player]] = rows
        array = getattr(passes, name)[player]
        self.device.write(array, target.view(array.dtype).ravel())
        self._fetched.clear()
        self._measured = (-1, (0.0, 0.0))

    def _kind(self, name: str) -> np.dtype[Any]:
        """The type of the numbers on the GPU; averages of two bytes are shares of one."""
        short = self.half if name == "regrets" else self.int16
        return np.dtype((np.float16 if name == "regrets" else np.uint16) if short else np.float32)

    def stored(self) -> dict[tuple[str, int], NDArray[Any] | RemoteArray]:
        self.compile()
        found: dict[tuple[str, int], NDArray[Any] | RemoteArray] = {}
        for name, player in product(("regrets", "averages"), (0, 1)):
            found[name, player] = RemoteArray(
                (self.geometry.elements(player),),
                self._kind(name),
                partial(self._kept, name, player),
                partial(self._keep, name, player),
            )
            found[f"{name}_scales", player] = np.zeros(1, np.float32)
        return found

    def outline(self) -> SolvedSpot:
        """What was found on the first street, with its values: little to fetch, quick to read.

        The streets after it are solved again when they are read.
        """
        info = self.info()
        if self.geometry.num_streets == 1:
            return self.result()
        # The values below are those of the averages, whatever was measured last.
        self.evaluate_means(AVERAGE)
        solved = self.first_street(info, streets_kept=1)
        solved.device = self.device_name
        return solved

    def first_street(self, info: dict[str, Any], **facts: Any) -> SolvedSpot:
        """The first street's averages, and its values as the last passes left them."""
        first, second = (self._fetch_storage("averages", player, 1) for player in (0, 1))
        values = {f"0.{player}": self.first_street_values(player)[None] for player in (0, 1)}
        return SolvedSpot(self.geometry, (first, second), info, values=values, **facts)

    def first_street_values(self, player: int) -> F32:
        """(nodes of the first street, P) a player's values, as the last pass left them."""
        fields, places = self.passes.streets[player][0], self.passes.places[player]
        rows = self.device.download(fields["rows"]).reshape(-1, self.passes.widths[player])
        width = self.geometry.plan.widths[player]
        first = self.spot.street
        nodes = [node.index for node in self.geometry.tree.nodes if node.street == first]
        found = np.zeros((len(nodes), width), np.float32)
        for place, node in enumerate(nodes):
            at = self.geometry.plan.node_values[player][node]
            row = rows[at.row // width - fields["row_base"]]
            found[place, : len(places)] = row[places] * np.float32(at.factor)
        return found

    def restore(self, regrets: Sequence[PlayerStorage], averages: Sequence[PlayerStorage]) -> None:
        if self._ready:
            self._put(regrets, averages)
        else:
            self._given = (regrets, averages)

    def _put(self, regrets: Sequence[PlayerStorage], averages: Sequence[PlayerStorage]) -> None:
        """Upload what was learned before."""
        for player in (0, 1):
            width = self.geometry.plan.widths[player]
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


def _as_rows(numbers: PlayerStorage, width: int) -> NDArray[Any]:
    """(rows, width) with four bytes, whatever they have."""
    rows = np.asarray(numbers.values).reshape(-1, width)
    if rows.dtype == np.int16:
        return np.asarray(rows * np.asarray(numbers.scales)[:, None], np.float32)
    return rows
