"""Restricted Nash responses of a spot, by CFR.

Johanson, Zinkevich and Bowling, "Computing robust counter-strategies" (NIPS 2007): the opponent
plays a given strategy with probability p and is free otherwise, without the player seeing which. An
equilibrium of that game wins much from the given strategy and loses little to any other: of all
strategies that lose no more, none wins more. An iteration:

1. in order of action the player learns against the mixture of the given strategy and the one that
   the free opponent now plays (`_strategy_rows.mixture`): the same values as against either,
   weighted by p and 1 − p, since values are linear in the opponent's reach;
2. the free opponent learns against the player's regrets. Scaling by 1 − p would change nothing.

Passes, discounts and averages are those of `solver`. A third player keeps their strategy. What is
left to gain is measured as there: of both, half of the sum, the opponent's times 1 − p.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, cast

import numpy as np

from riverboat.holdem.spots._cpu_passes import CpuPasses
from riverboat.holdem.spots._strategy_rows import as_storage, mixture, normalise
from riverboat.holdem.spots.devices import open_passes
from riverboat.holdem.spots.layout import Layout
from riverboat.holdem.spots.schedule import discounts, next_evaluation
from riverboat.runtime.array_types import F32
from riverboat.solvers.algorithms import AVERAGE, BEST, LEARN
from riverboat.solvers.run import Limit, ProgressCallback, run


class StrategyValues:
    """What strategies of a layout are worth, by exact passes on the CPU."""

    def __init__(self, layout: Layout, threads: int = 1) -> None:
        self.layout = layout
        self.passes = cast("CpuPasses", open_passes(layout, threads=threads, int16=False))

    def pooled(self) -> AbstractContextManager[None]:
        """Keep threads for the passes made inside the block."""
        return self.passes.pooled()

    def mean(self, rows: Sequence[F32], player: int, mode: int) -> float:
        """A player's mean when all play their rows, or in BEST that of a best response to them."""
        self.passes.instead = {seat: as_storage(own) for seat, own in enumerate(rows)}
        values = self.passes.values(player, mode)
        return self.layout.mean(player, values) + self.passes.origin(player)


class RestrictedNash:
    """A restricted Nash response in the middle of being solved; `solvers.run` drives it."""

    algorithm = "dcfr"

    def __init__(
        self, values: StrategyValues, given: Sequence[F32], opponent: int, player: int, share: float
    ) -> None:
        """`given` are everybody's rows; the opponent plays theirs with the probability `share`."""
        self.layout, self.worth, self.passes = values.layout, values, values.passes
        self.given, self.opponent, self.player, self.share = given, opponent, player, share
        self.iterations, self.seconds = 0, 0.0
        self.left, self.measured_at = float("nan"), -1
        self.others = {
            seat: as_storage(own)
            for seat, own in enumerate(given)
            if seat not in (opponent, player)
        }

    def run(self, limit: Limit, progress: ProgressCallback | None = None) -> bool:
        """Iterate until the limit; whether a stop (Ctrl-C) ended it before."""
        stopped = run(
            self,
            limit,
            progress=progress,
            marks=lambda done, figure: next_evaluation(done, figure, limit.target),
        )
        if self.measured_at != self.iterations:
            self.evaluate()
        return stopped

    def advance(self, count: int) -> None:
        """Do some iterations on the clock."""
        start = time.perf_counter()
        for _ in range(count):
            self._iterate()
        self.seconds += time.perf_counter() - start

    def _iterate(self) -> None:
        factors = np.array(discounts(self.iterations), np.float32)
        for learner in sorted((self.opponent, self.player)):
            self.passes.instead = dict(self.others)
            if learner == self.player:
                free = self.passes.regrets[self.opponent].values
                self.passes.instead[self.opponent] = as_storage(self._mixed(free))
            self.passes.values(learner, LEARN, factors)
        self.iterations += 1

    def _mixed(self, free: F32) -> F32:
        """What the opponent plays as the player sees it; `free` are regrets or averages."""
        given = self.given[self.opponent]
        return mixture(self.layout, self.opponent, given, free, self.share)

    def evaluate(self) -> float:
        """Half of what both could gain in the restricted game, in chips."""
        start = time.perf_counter()
        free = normalise(self.layout, self.opponent, self.passes.averages[self.opponent].values)
        seen = [*self.given]
        seen[self.player], seen[self.opponent] = self.response(), self._mixed(free)
        facing = [*seen]
        facing[self.opponent] = free
        mean = self.worth.mean
        mine = mean(seen, self.player, BEST) - mean(seen, self.player, AVERAGE)
        theirs = mean(facing, self.opponent, BEST) - mean(facing, self.opponent, AVERAGE)
        self.left, self.measured_at = (mine + (1 - self.share) * theirs) / 2, self.iterations
        self.seconds += time.perf_counter() - start
        return self.left

    def response(self) -> F32:
        """The player's rows."""
        return normalise(self.layout, self.player, self.passes.averages[self.player].values)

    def info(self) -> dict[str, Any]:
        """How it was made."""
        return {
            "iterations": self.iterations,
            "seconds": self.seconds,
            "restricted_exploitability": self.left,
        }
