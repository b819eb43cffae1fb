"""Solvers that find an exact answer at once: the linear program, refined or not, and backward
induction for one player.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import ParameterError, UsageError
from riverboat.solvers._lp import Refined, check_solvable, solve_against, solve_lp, solve_refined
from riverboat.solvers._lp_model import Clock
from riverboat.solvers.run import Limit
from riverboat.solvers.solver import TreeSolver
from riverboat.strategies.kinds import load_table
from riverboat.strategies.strategy import probabilities_on
from riverboat.trees.best_response import RARE, Evaluation, evaluate_profile, respond
from riverboat.trees.game_tree import GameTree
from riverboat.trees.sequence_form import SequenceForm

RANDOM = "random"
SAME = 1e-6  # Probabilities that differ by less count as the same


class DirectSolver(TreeSolver):
    """No iterations, and nothing to resume."""

    def __init__(
        self, source: GameTree | SequenceForm, algorithm: str = "", *, seed: int = 0
    ) -> None:
        super().__init__(source, algorithm, seed=seed)
        self.answer: NDArray[np.float64] | None = None
        self.patience: float | None = None
        """Seconds after which to give up."""

    @property
    def finished(self) -> bool:
        return self.answer is not None

    def probabilities(self) -> NDArray[np.float64]:
        return self.tree.uniform() if self.answer is None else self.answer

    def prepare(self, limit: Limit) -> None:
        if limit.iterations is not None:
            raise UsageError(
                f"{self.algorithm} has no iterations; leave that limit out or take dcfr."
            )
        self.patience = limit.seconds
        self.evaluation()  # loads the kernels of a large game

    def evaluation(self) -> Evaluation:
        return evaluate_profile(self.form, self.probabilities(), compiled_from=RARE)


class LPSolver(DirectSolver):
    """The linear program of a two-player constant-sum game."""

    def prepare(self, limit: Limit) -> None:
        check_solvable(self.form)
        super().prepare(limit)

    def iterate(self, iterations: int) -> None:
        if iterations:
            self.answer = solve_lp(self.form, Clock(self.patience, self.interrupted))


class RefinedLPSolver(LPSolver):
    """The same, and of all equilibria the one that wins most from an opponent who errs rarely."""

    refined: Refined | None = None

    def iterate(self, iterations: int) -> None:
        if iterations:
            self.refined = solve_refined(self.form, Clock(self.patience, self.interrupted))
            self.answer = self.refined.probabilities

    def facts(self) -> dict[str, Any]:
        return {**super().facts(), "free": self.free()}

    def free(self) -> list[dict[str, Any]]:
        """Infosets that equilibria play differently, with how much of each action they take.

        Two equilibria are compared, so there may be more such infosets and wider ranges.
        """
        if self.refined is None:
            return []
        tree, ours, theirs = self.tree, self.refined.probabilities, self.refined.corner
        differs = (np.abs(ours - theirs) > SAME) & self.refined.reached
        free = []
        for i in np.flatnonzero(np.add.reduceat(differs, tree.offsets[:-1])).tolist():
            slots = range(int(tree.offsets[i]), int(tree.offsets[i + 1]))
            ranges = {
                tree.actions[slot]: [float(min(both)), float(max(both))]
                for slot in slots
                for both in [(ours[slot], theirs[slot])]
            }
            who = int(tree.players[i])
            free.append({"player": who, "infoset": tree.infosets[i], "mix": ranges})
        return free


class AgainstLPSolver(LPSolver):
    """Of all equilibria the one that wins most from a given strategy, or from random play."""

    def prepare(self, limit: Limit) -> None:
        super().prepare(limit)
        source = self.algorithm.partition("=")[2] or RANDOM
        self.others = self.tree.uniform()
        if source != RANDOM:
            self.others = probabilities_on(self.tree, load_table(source))

    def iterate(self, iterations: int) -> None:
        if iterations:
            clock = Clock(self.patience, self.interrupted)
            self.answer = solve_against(self.form, self.others, clock)


class AloneSolver(DirectSolver):
    """One player's best response to chance."""

    def iterate(self, iterations: int) -> None:
        if self.tree.num_players != 1:
            raise ParameterError(
                f"best-response solves games of one player, and {self.game.name} has"
                f" {self.tree.num_players}; take auto."
            )
        if iterations:
            self.answer = respond(self.form, self.tree.uniform(), 0)
