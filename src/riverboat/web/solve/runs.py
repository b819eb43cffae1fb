"""Solve runs: one or more algorithms on one game, each in a process with a checkpoint."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from riverboat.errors import RiverboatError, UsageError
from riverboat.games.registry import game_class, make_game
from riverboat.solvers.algorithms import AGAINST, OTHERS, parse_algorithm
from riverboat.trees.public_games import has_shapes
from riverboat.web.background import Job, Workplace

MAX_ALGORITHMS = 4
MAX_ITERATIONS = 10**12
EXACT = tuple(name for name, each in OTHERS.items() if each.exact)
"""Algorithms that find their answer at once."""
LIMITS = {"target": "exploitability", "iterations": "iterations", "seconds": "seconds"}
"""What can end a run, and its name in forms."""
CHECKPOINT_SECONDS = 3.0
FACTS = ("algorithm", "iterations", "seconds", "exploitability", "value", "infosets")
"""Facts of a result that the page shows."""


def game_title(name: str) -> str:
    """A game's title without what it adds; its name where this server does not know it."""
    try:
        return game_class(name).title.partition(",")[0].partition(" (")[0]
    except RiverboatError:
        return name


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

    @property
    def title(self) -> str:
        """The game and the algorithms."""
        return f"{game_title(self.game)} by {', '.join(self.algorithms)}"

    def check(self) -> None:
        """Refuse what cannot be solved."""
        game = make_game(self.game, dict(self.parameters))
        other_way = getattr(game, "other_way", "")
        if other_way:
            raise UsageError(other_way)
        self.check_algorithms()
        self.check_limit()

    def check_algorithms(self) -> None:
        """Refuse algorithms that there are not, and too many."""
        if not 1 <= len(self.algorithms) <= MAX_ALGORITHMS:
            raise UsageError(f"Choose one to {MAX_ALGORITHMS} algorithms.")
        if len(set(self.algorithms)) < len(self.algorithms):
            raise UsageError("An algorithm is chosen twice.")
        public = has_shapes(make_game(self.game, dict(self.parameters)))
        for name in self.algorithms:
            known = parse_algorithm(name, public=public).name
            if known == AGAINST:
                raise UsageError(f"{AGAINST} needs a file; riverboat solve takes one.")
            if self.limit == "iterations" and known in EXACT:
                raise UsageError(f"{known} has no iterations; choose another limit, or dcfr.")

    def check_limit(self) -> None:
        """Refuse a limit that is none."""
        if self.limit not in LIMITS or not 0 < self.amount < math.inf:
            raise UsageError("The limit is a number above 0.")
        if self.limit == "iterations" and not 1 <= self.amount <= MAX_ITERATIONS:
            raise UsageError(f"The number of iterations is 1 to {MAX_ITERATIONS:,}.")

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

    @property
    def words(self) -> str:
        """How far each algorithm is."""
        told = []
        for part in self.parts:
            last = part.points[-1] if part.points else None
            if last is None or part.failed:
                told.append(f"{part.name}: {part.words}")
            else:
                told.append(f"{part.name}: exploitability {last[2]:.2g} ({part.words})")
        return "; ".join(told)
