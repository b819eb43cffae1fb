"""What solve() and solve_public() put around a solver: limit, progress, checkpoint, result."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from riverboat.errors import UsageError
from riverboat.solvers.limits import Limit, Progress, ProgressCallback
from riverboat.strategies.public_strategy import PublicStrategy, save_public_strategy
from riverboat.strategies.store import save_strategy
from riverboat.strategies.strategy import Strategy
from riverboat.trees.best_response import Evaluation

__all__ = [
    "CHECKPOINT_SECONDS",
    "DEFAULT_ITERATIONS",
    "DEFAULT_SAMPLES",
    "DEFAULT_TARGET",
    "Frame",
    "RunningSolver",
    "SolveResult",
    "check_resume",
]

DEFAULT_TARGET = 1e-6
"""Exploitability at which a run without a limit stops…"""
DEFAULT_ITERATIONS = 100_000
"""…unless it has done so many iterations,"""
DEFAULT_SAMPLES = 1_000_000
"""or so many sampled ones."""
CHECKPOINT_SECONDS = 5.0

AnyStrategy = TypeVar("AnyStrategy", Strategy, PublicStrategy)
Found = TypeVar("Found", Strategy, PublicStrategy, covariant=True)


class RunningSolver(Protocol[Found]):
    """What the frame asks of a solver in the middle of its work."""

    algorithm: str
    seed: int
    seconds: float
    stopped: bool
    sampled: bool

    @property
    def iterations(self) -> int: ...

    def run(self, limit: Limit, progress: ProgressCallback | None = None) -> None: ...

    def evaluation(self) -> Evaluation: ...

    def strategy(self, info: Mapping[str, Any] | None = None) -> Found: ...

    def save(self, path: str | Path, info: Mapping[str, Any] | None = None) -> None: ...


@dataclass(frozen=True)
class SolveResult(Generic[AnyStrategy]):
    """What a solve found; the facts are in the strategy's `info` too, so a file carries them."""

    strategy: AnyStrategy
    evaluation: Evaluation
    algorithm: str
    reason: str
    iterations: int
    seconds: float
    stopped: bool = False
    """Whether Ctrl-C ended it before its limit."""
    solver: RunningSolver[AnyStrategy] | None = field(default=None, repr=False)
    """To go on with; None after the LP."""

    @property
    def value(self) -> list[float]:
        return self.evaluation.value

    @property
    def payoffs(self) -> list[float]:
        """The players' values and, where the game has one, the house's."""
        return list(self.strategy.info.get("payoffs", self.value))

    @property
    def nash_conv(self) -> float:
        return self.evaluation.nash_conv

    @property
    def exploitability(self) -> float:
        return self.evaluation.exploitability

    def save(self, path: str | Path) -> None:
        """Write the strategy, and beside it what resuming needs."""
        if self.solver is not None:
            self.solver.save(path, self.strategy.info)
        elif isinstance(self.strategy, PublicStrategy):
            save_public_strategy(path, self.strategy)
        else:
            save_strategy(path, self.strategy)


@dataclass
class Frame:
    """One call of a solve: how far it goes, who hears of it, and what its file says."""

    limit: Limit | None
    progress: ProgressCallback | None
    checkpoint: str | Path | None
    checkpoint_seconds: float
    facts: Mapping[str, Any]
    """What is known before the first iteration: sizes, build_seconds."""
    house_sum: float | None = None
    """What players and house get together, in games that have a house."""

    def iterate(self, solver: RunningSolver[AnyStrategy], reason: str) -> SolveResult[AnyStrategy]:
        """Run a solver to the limit, unless Ctrl-C stopped it before."""
        if not solver.stopped:
            solver.run(self.stop_at(solver), self.beat(solver, reason))
        return self.result(solver, reason)

    def stop_at(self, solver: RunningSolver[Any]) -> Limit:
        """The limit, or the default for this solver."""
        if self.limit is not None:
            return self.limit
        if solver.sampled:
            return Limit(max(DEFAULT_SAMPLES, solver.iterations))
        return Limit(max(DEFAULT_ITERATIONS, solver.iterations), DEFAULT_TARGET)

    def beat(self, solver: RunningSolver[Any], reason: str) -> ProgressCallback | None:
        """What to do after each chunk of a run: show where it stands, renew the checkpoint."""
        if self.checkpoint is None:
            return self.progress
        path, last = self.checkpoint, float("-inf")

        def after_chunk(now: Progress) -> None:
            nonlocal last
            if self.progress is not None:
                self.progress(now)
            if time.monotonic() - last >= self.checkpoint_seconds:
                solver.save(path, self.info_of(solver, solver.evaluation(), reason))
                last = time.monotonic()

        return after_chunk

    def result(self, solver: RunningSolver[AnyStrategy], reason: str) -> SolveResult[AnyStrategy]:
        """A solver's average strategy, evaluated, with the solver to go on with."""
        evaluation = solver.evaluation()
        return self.kept(
            SolveResult(
                solver.strategy(self.info_of(solver, evaluation, reason)),
                evaluation,
                solver.algorithm,
                reason,
                solver.iterations,
                solver.seconds,
                solver.stopped,
                solver,
            )
        )

    def kept(self, result: SolveResult[AnyStrategy]) -> SolveResult[AnyStrategy]:
        """The result, written to the checkpoint where there is one."""
        if self.checkpoint is not None:
            result.save(self.checkpoint)
        return result

    def info_of(
        self, solver: RunningSolver[Any], evaluation: Evaluation, reason: str
    ) -> dict[str, Any]:
        """What a strategy file says of how the solver made it."""
        return self.info(
            evaluation, solver.algorithm, reason, solver.iterations, solver.seconds, solver.seed
        )

    def info(
        self,
        evaluation: Evaluation,
        algorithm: str,
        reason: str,
        iterations: int,
        seconds: float,
        seed: int,
    ) -> dict[str, Any]:
        """What a strategy file says of how it was made."""
        found: dict[str, Any] = {
            "algorithm": algorithm,
            "reason": reason,
            "iterations": iterations,
            "seconds": seconds,
            "seed": seed,
            "value": evaluation.value,
            "best_response": evaluation.best_response,
            "exploitability": evaluation.exploitability,
            "nash_conv": evaluation.nash_conv,
            **self.facts,
        }
        if self.house_sum is not None:
            found["payoffs"] = [*evaluation.value, self.house_sum - sum(evaluation.value)]
        return found


def check_resume(
    path: str | Path, solver: RunningSolver[Any], asked: str | None, limit: Limit | None
) -> None:
    """Refuse to go on with another algorithm than the file's or with fewer iterations."""
    if asked is not None and asked != solver.algorithm:
        raise UsageError(
            f"{path} was solved by {solver.algorithm} and can only go on with it, not with {asked}."
        )
    wanted = None if limit is None else limit.iterations
    if wanted is not None and wanted < solver.iterations:
        raise UsageError(
            f"{path} has {solver.iterations} iterations already, more than the"
            f" {wanted} asked for in all; ask for more."
        )
