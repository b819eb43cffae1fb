"""The re-solving gadget of bounded_solver.py on a GPU, and what is fetched from there.

After the opponent's pass one small kernel learns his choice and writes the weights of his hands for
the next pass; it is part of the recorded iteration. Only the first street's averages and values and
the values where the next street begins are fetched: that is all a search goes on with.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from riverboat.device_cuda import GpuDevice, Launch, kernel_text
from riverboat.holdem.search.bounded_solver import FORCED, gadget_weights
from riverboat.holdem.search.street_outline import StreetOutline
from riverboat.holdem.spots.solved_spot import SolvedSpot
from riverboat.holdem.spots.spot_arena import SpotArena
from riverboat.holdem.spots.spot_job_cuda import LAYOUT
from riverboat.holdem.spots.spot_locks import PlacedLock
from riverboat.holdem.spots.spot_passes_cuda import AVERAGE, LEARN
from riverboat.holdem.spots.spot_solver_cuda import CudaSpotSolver

__all__ = ["CudaBoundedSolver"]

Doubles = NDArray[np.float64]


class CudaBoundedSolver(CudaSpotSolver):
    """BoundedSolver on a GPU."""

    def __init__(
        self,
        arena: SpotArena,
        opponent: int,
        bound: Doubles | None,
        *,
        forced: float = FORCED,
        held: Sequence[PlacedLock] = (),
        device: GpuDevice | None = None,
        fused: bool = True,
    ) -> None:
        self.opponent, self.bounded = opponent, bound is not None
        self._held = list(held)
        self._told: tuple[Doubles, ...] = ()
        if bound is not None:
            self._told = gadget_weights(arena, opponent, bound, forced)
        super().__init__(arena, device=device, fused=fused)

    def _allocate(self) -> None:
        self._placed = self._held
        super()._allocate()
        if self.bounded:
            text = kernel_text(LAYOUT, "riverboat.holdem.search", "gadget.cu", defines={})
            self.passes.texts[text] = ("choose",)

    def leave_out(self) -> dict[str, Sequence[str]]:
        """Do without river kernels that are not ready: slower ones take their place. Their texts.

        Before anything is compiled.
        """
        passes, missing = self.passes, {}
        text_of = {names[0]: text for text, names in passes.texts.items()}
        for sort in (*passes.rivers[0], *passes.rivers[1]):
            texts = [text_of[each.name] for each in (sort.learn, sort.look) if each is not None]
            unready = [text for text in texts if not self.device.ready([text])]
            if unready:
                missing.update({text: passes.texts[text] for text in unready})
                sort.learn = sort.look = None
        for text in missing:
            del passes.texts[text]
        return missing

    def _after_pass(self, learner: int) -> list[Launch]:
        if not self.bounded or learner != self.opponent:
            return []
        passes, wide = self.passes, self.passes.widths[learner]
        told = np.zeros((3, wide), np.float32)
        for row, numbers in zip(told, self._told, strict=True):
            row[: len(numbers)] = numbers[passes.orders[learner]]
        self.choice = self.device.zeros(2 * wide, np.float32)
        fields = {
            "amounts": self.device.upload(told.ravel()),
            "scratch_rows": self.choice,
            "reach": passes.hands[learner]["weights"],
            "root_row": passes.root_row(learner),
        }
        # The choice begins open: no pass has been made yet.
        begin = passes.launch("choose", learner, {**fields, "mode": AVERAGE})
        self._enter = self.device.record([begin])
        return [passes.launch("choose", learner, {**fields, "mode": LEARN})]

    def step(self, num: int = 1, pool: ThreadPoolExecutor | None = None) -> None:
        """So many iterations; the opponent's choice at the start is learned along."""
        self.compile()
        if self.bounded:
            self._enter()
        super().step(num, pool)
        if self.bounded:
            passes, who = self.passes, self.opponent
            own = np.zeros(passes.widths[who], np.float32)
            size = passes.sizes[who]
            own[:size] = self.arena.runouts.unranked[who].weights[passes.orders[who]]
            self.device.write(passes.hands[who]["weights"], own)

    def outlined(self) -> SolvedSpot:
        """What a search goes on with."""
        info = {"iterations": self.iterations, "device": self.device_name}
        if self.arena.num_streets == 1:
            return SolvedSpot(self.arena, (self.averages[0], self.averages[1]), info)
        self._means(AVERAGE)
        return StreetOutline(
            self.arena,
            (self._numbers_of("averages", 0, 1), self._numbers_of("averages", 1, 1)),
            info,
            values={f"0.{player}": self._first_values(player)[None] for player in (0, 1)},
            roots={self.opponent: self.passes.next_roots(self.opponent)},
        )
