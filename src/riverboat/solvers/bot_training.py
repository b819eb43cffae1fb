"""The same learner after more and more training, each against each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from riverboat.errors import UsageError
from riverboat.evaluation.bot_table import BotTable, bot_table
from riverboat.games.base import Game
from riverboat.solvers.sampling import SampledSolver
from riverboat.trees.game_tree import build_tree

__all__ = ["train_bots"]


def train_bots(
    game: Game,
    stages: Sequence[int],
    *,
    algorithm: str = "cs-cfr",
    hands: int = 1_000_000,
    seed: int = 0,
    progress: Callable[[str, int, int], None] | None = None,
) -> BotTable:
    """The table of a random bot and a sampling solver's average at each number of iterations.

    `progress` hears what is being done, and how much of how much is behind.
    """
    if not stages or min(stages) < 1 or sorted(set(stages)) != list(stages):
        raise UsageError(f"Training takes rising numbers such as 100, 10000, not {stages}.")
    tell = progress or (lambda *_: None)
    tree = build_tree(game)
    solver = SampledSolver(tree, algorithm, seed=seed)
    bots = {"Rand": tree.uniform()}
    for number, stage in enumerate(stages):
        tell(f"training to {stage:,} iterations", number, len(stages))
        solver.advance(stage - solver.iterations)
        bots[f"CFR({_short(stage)})"] = solver.probabilities()
    size, what = len(bots) ** 2, f"{hands:,} hands a pairing"
    tell(what, 0, size)
    return bot_table(tree, bots, hands, seed=seed, progress=lambda done: tell(what, done, size))


def _short(number: int) -> str:
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if number % size == 0:
            return f"{number // size}{letter}"
    return str(number)
