"""Solve runs: one or more algorithms on one game, each in a process with a checkpoint."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from riverboat.errors import UsageError
from riverboat.games.registry import make_game
from riverboat.solvers.algorithms import parse_algorithm
from riverboat.web.background import Job, Workplace

MAX_ALGORITHMS = 4
CHECKPOINT_SECONDS = 3.0
FACTS = ("algorithm", "iterations", "seconds", "exploitability", "value", "infosets")
"""Facts of a result that the page shows."""


@dataclass(frozen=True)
class SolveOrder:
    """What is to be solved, how and how far."""

    game: str
    parameters: dict[str, str]
    algorithms: tuple[str, ...]
    limit: str = "target"  # iterations, target or seconds
    amount: float = 1e-5
    resumable: ClassVar[bool] = True

    def parts(self) -> tuple[str, ...]:
        return self.algorithms

    def check(self) -> None:
        """Refuse what cannot be solved."""
        game = make_game(self.game, dict(self.parameters))
        other_way = getattr(game, "other_way", "")
        if other_way:
            raise UsageError(other_way)
        if not 1 <= len(self.algorithms) <= MAX_ALGORITHMS:
            raise UsageError(f"Choose one to {MAX_ALGORITHMS} algorithms.")
        for name in self.algorithms:
            parse_algorithm(name)
        if self.limit not in ("iterations", "target", "seconds") or not 0 < self.amount < math.inf:
            raise UsageError("The limit is a number above 0.")

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> SolveOrder:
        return cls(**{**data, "algorithms": tuple(data["algorithms"])})

    @classmethod
    def warm_up(cls) -> None:
        import riverboat.solvers.solve  # noqa: F401

    def work(self, place: Workplace) -> dict[str, Any]:
        """Solve with one algorithm, from its checkpoint where there is one."""
        from riverboat.solvers.solve import solve

        def report(now: Any) -> None:
            place.report("point", [now.iterations, now.seconds, now.exploitability])

        path = place.folder / f"{self.algorithms.index(place.part)}.rb"
        amount = int(self.amount) if self.limit == "iterations" else self.amount
        limit: dict[str, Any] = {self.limit: amount}
        result = solve(
            make_game(self.game, dict(self.parameters)),
            algorithm=place.part,
            progress=report,
            memory_limit=place.memory,
            checkpoint=path,
            checkpoint_seconds=CHECKPOINT_SECONDS,
            resume=path if path.is_file() else None,
            **limit,
        )
        facts = result.as_dict()
        return {key: facts[key] for key in FACTS if key in facts}


class SolveRun(Job[SolveOrder]):
    """A run with the files of its strategies."""

    def path(self, number: int) -> Path:
        """The file of an algorithm's strategy."""
        return self.folder / f"{number}.rb"
