"""What the solvers on a game tree share: the form, the average as a Strategy, its evaluation."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from riverboat.solvers.checkpoints import read_checkpoint
from riverboat.solvers.solver import Solver
from riverboat.strategies.profile import strategy_on
from riverboat.strategies.strategy import Strategy
from riverboat.trees.best_response import Evaluation, evaluate_profile
from riverboat.trees.game_tree import MEMORY_LIMIT, GameTree, build_tree
from riverboat.trees.sequence_form import SequenceForm, sequence_form

__all__ = ["TreeSolver"]


class TreeSolver(Solver):
    """A solver on a GameTree and its SequenceForm."""

    def __init__(
        self, source: GameTree | SequenceForm, algorithm: str = "", *, seed: int = 0
    ) -> None:
        self.form = source if isinstance(source, SequenceForm) else sequence_form(source)
        self.tree: GameTree = self.form.tree
        super().__init__(self.tree.game, algorithm, seed)

    @classmethod
    def load(cls, path: str | Path, *, memory_limit: int = MEMORY_LIMIT) -> Self:
        """The solver that a file was saved from, ready to go on."""
        checkpoint = read_checkpoint(path)
        tree = build_tree(checkpoint.game(), memory_limit=memory_limit)
        solver = cls(tree, checkpoint.algorithm)
        solver.restore(checkpoint)
        return solver

    @abstractmethod
    def probabilities(self) -> NDArray[np.float64]:
        """(A,) the average strategy."""

    def evaluation(self) -> Evaluation:
        return evaluate_profile(self.form, self.probabilities())

    def strategy(self, info: Mapping[str, Any] | None = None) -> Strategy:
        return strategy_on(self.tree, self.probabilities(), {**self.facts(), **(info or {})})
