"""A table of bots: the same learner after more and more training, each stage against each.

Every pairing is sampled (evaluation.sampled_matches) and valued exactly, so that the table shows
both what a match would show and what is true.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.arena.meetings import schedule
from riverboat.errors import UsageError
from riverboat.evaluation.action_values import history_values
from riverboat.evaluation.sampled_matches import sample_match
from riverboat.games.base import Game
from riverboat.solvers.sampling import SampledSolver
from riverboat.trees.best_response import evaluate_profile
from riverboat.trees.game_tree import GameTree, build_tree
from riverboat.trees.sequence_form import sequence_form

CHUNK = 10_000  # Iterations of a bot's training that nothing interrupts


@dataclass(frozen=True)
class BotTable:
    """Row bot against column bot in a two-player game; all arrays are (B, B), payoffs per hand."""

    names: tuple[str, ...]
    hands: int
    mean: NDArray[np.float64]
    """Sampled, seats alternating; a bot against itself sits first in every hand."""
    ci95: NDArray[np.float64]
    exact: NDArray[np.float64]  # What `mean` estimates
    exact_first: NDArray[np.float64]  # The row bot's exact payoff when it always sits first
    exploitability: tuple[float, ...]  # (B,) of each bot, exactly

    def as_dict(self) -> dict[str, Any]:
        """The facts for a program."""
        return {
            "players": list(self.names),
            "hands": self.hands,
            "mean": self.mean.tolist(),
            "ci95": self.ci95.tolist(),
            "exact": self.exact.tolist(),
            "exact_first_seat": self.exact_first.tolist(),
            "exploitability": dict(zip(self.names, self.exploitability, strict=True)),
        }


def bot_table(
    tree: GameTree,
    bots: Mapping[str, NDArray[np.float64]],
    hands: int,
    *,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> BotTable:
    """Let every bot, an (A,) vector of probabilities, meet every bot over `hands` hands."""
    if tree.num_players != 2:
        raise UsageError(f"A table of bots needs a game for two, not {tree.game.name}.")
    names, vectors = tuple(bots), list(bots.values())
    size = len(vectors)
    seated_first = np.repeat(tree.players, np.diff(tree.offsets)) == 0
    first = np.zeros((size, size))
    second = np.zeros((size, size))
    for row, mine in enumerate(vectors):
        for column, theirs in enumerate(vectors):
            values = history_values(tree, np.where(seated_first, mine, theirs))[0]
            first[row, column], second[column, row] = values[0], values[1]
    exact = np.where(np.eye(size, dtype=bool), first, (first + second) / 2)
    mean, ci95 = np.zeros((size, size)), np.zeros((size, size))
    pairs = list(combinations_with_replacement(range(size), 2))
    for meeting in schedule(pairs, hands, hands):
        row, column = meeting.players
        pair_seed = seed * size * size + row * size + column
        match = sample_match(tree, [vectors[row], vectors[column]], hands, seed=pair_seed)
        if row == column:
            mean[row, row] = (match.seat_mean[0, 0] + match.seat_mean[1, 0]) / 2
            ci95[row, row] = match.seat_ci95[0, 0] / np.sqrt(2)
        else:
            mean[row, column], mean[column, row] = match.mean[0], match.mean[1]
            ci95[row, column], ci95[column, row] = match.ci95[0], match.ci95[1]
        if progress is not None:
            progress(row * size + column + 1)
    form = sequence_form(tree)
    gaps = tuple(evaluate_profile(form, vector).exploitability for vector in vectors)
    return BotTable(names, hands, mean, ci95, exact, first, gaps)


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

    `progress` receives what is being done, how much of it is done, and how much there is.
    """
    if not stages or min(stages) < 1 or sorted(set(stages)) != list(stages):
        raise UsageError(f"Training takes rising numbers such as 100, 10000, not {stages}.")
    report = progress or (lambda *_: None)
    tree = build_tree(game)
    solver = SampledSolver(tree, algorithm, seed=seed)
    bots = {"Rand": tree.uniform()}
    for number, stage in enumerate(stages):
        report(f"training to {stage:,} iterations", number, len(stages))
        while solver.iterations < stage:  # Ctrl-C waits for one chunk, not for a stage
            solver.advance(min(CHUNK, stage - solver.iterations))
        bots[f"CFR({_short(stage)})"] = solver.probabilities()
    size, what = len(bots) ** 2, f"{hands:,} hands per pairing"
    report(what, 0, size)
    return bot_table(tree, bots, hands, seed=seed, progress=lambda done: report(what, done, size))


def _short(number: int) -> str:
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if number % size == 0:
            return f"{number // size}{letter}"
    return str(number)
