"""How good a Q table for twenty-one is, exactly: its greedy play against the exact optimum.

The optimum is the best that any player can do who looks at the same things, so a table reaches a
regret of zero whatever its kind of information.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from riverboat.errors import ParameterError
from riverboat.solvers.run import Autosave, Limit, ProgressCallback, run
from riverboat.twentyone.learning.learner import Trainer
from riverboat.twentyone.learning.optimum import (
    Outcome,
    evaluate,
    hands_of,
    optimum,
    q_values,
    row_decisions,
)
from riverboat.twentyone.learning.q_table import QTable

FIRST_MARK = 1000


@dataclass(frozen=True)
class Checkpoint:
    """A table's quality at a point of its training."""

    games: int
    outcome: Outcome
    regret: float  # What the objective loses per game compared with the optimum
    stopped: bool = False  # Whether training was interrupted before its limit

    def as_dict(self) -> dict[str, float]:
        """The facts for a program."""
        played = {**asdict(self.outcome), "reward": self.outcome.reward}
        return {"games": self.games, **played, "regret": self.regret}


def outcome_of(table: QTable) -> Outcome:
    """What the table's greedy play brings; where it knows nothing it draws like the dealer."""
    return evaluate(row_decisions(table.state, table.greedy()))


def checkpoint(table: QTable, games: int) -> Checkpoint:
    """The table's outcome and regret."""
    outcome, (best, _) = outcome_of(table), optimum(table.state, table.objective)
    regret = best.value(table.objective) - outcome.value(table.objective)
    return Checkpoint(games, outcome, max(0.0, regret))


def evaluate_table(table: QTable) -> Checkpoint:
    """A saved table's outcome and regret."""
    return checkpoint(table, int(table.info.get("games", 0)))


def train(
    trainer: Trainer,
    limit: Limit,
    progress: ProgressCallback | None = None,
    autosave: Autosave | None = None,
) -> Checkpoint:
    """Run the trainer up to a limit and measure it at 1, 2 and 5 times powers of ten.

    `limit.iterations` counts games from the first, `limit.target` is a regret. The measurements
    go to trainer.curve; their marks are counted from the first game too, so that a run in pieces
    leaves the same curve. Compiling and the exact solution come before the clock.
    """
    trainer.run(0)
    regret = checkpoint(trainer.table, trainer.games).regret
    stopped = False
    if limit.target is None or regret > limit.target:
        stopped = run(
            _Training(trainer),
            limit,
            progress=progress,
            marks=lambda games, _: _next_mark(games),
            autosave=autosave,
        )
    return replace(checkpoint(trainer.table, trainer.games), stopped=stopped)


class _Training:
    """A trainer as the work of a run."""

    def __init__(self, trainer: Trainer) -> None:
        self.trainer, self.seconds = trainer, 0.0
        self.algorithm = trainer.method

    @property
    def iterations(self) -> int:
        return self.trainer.games

    def advance(self, count: int) -> None:
        began = time.perf_counter()
        self.trainer.run(count)
        self.seconds += time.perf_counter() - began

    def evaluate(self) -> float:
        """The regret, which goes to the curve."""
        regret = checkpoint(self.trainer.table, self.trainer.games).regret
        self.trainer.curve.append((self.trainer.games, regret))
        return regret

    def save(self, path: str | Path) -> None:
        self.trainer.table.save(path)


def train_table(
    games: int = 1_000_000,
    *,
    method: str = "on-policy",
    state: str = "points",
    objective: str = "reward",
    seed: int = 0,
    table: QTable | None = None,
    progress: ProgressCallback | None = None,
) -> QTable:
    """Learn twenty-one in that many games; a `table` that was trained goes on as it began."""
    if games < 0:
        raise ParameterError(f"The number of games is 0 or more, not {games}.")
    if table is None:
        trainer = Trainer(QTable.empty(state, objective), method=method, seed=seed)
    else:
        trainer = Trainer.resume(table)
    if games:
        train(trainer, Limit(iterations=trainer.games + games), progress)
    return trainer.table


def _next_mark(games: int) -> int:
    """The first of 1000, 2000, 5000, 10 000, … above `games`."""
    decade = FIRST_MARK
    while True:
        for mark in (decade, 2 * decade, 5 * decade):
            if mark > games:
                return mark
        decade *= 10


def literal_limit(state: str, objective: str) -> Outcome:
    """Where the course's method ends: greedy play on exact averages of random play."""
    coins = np.where(hands_of().points < 21, 0.5, 0.0)[:, None] * np.ones((1, 10))
    averages, _ = q_values(state, objective, coins)
    return evaluate(row_decisions(state, (averages[:, 0] > averages[:, 1]).astype(np.int8)))


def training_facts(trainer: Trainer, measured: Checkpoint) -> dict[str, Any]:
    """What a trainer has reached, for a screen or a program."""
    table, outcome = trainer.table, measured.outcome
    limit = literal_limit(table.state, table.objective) if trainer.method == "literal" else None
    best = optimum(table.state, table.objective)[0].value(table.objective)
    return {
        "game": "twentyone",
        "method": trainer.method,
        "state": table.state,
        "objective": table.objective,
        "seed": trainer.seed,
        "games": trainer.games,
        "value": outcome.value(table.objective),
        "reward": outcome.reward,
        "win": outcome.win,
        "push": outcome.push,
        "lose": outcome.lose,
        "optimum": best,
        "limit": limit.value(table.objective) if limit else None,
        "regret": measured.regret,
        "curve": trainer.curve,
    }
