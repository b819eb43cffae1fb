"""Counterfactual regret minimisation on the sequence form: the whole family, one class.

Zinkevich, Johanson, Bowling and Piccione, "Regret minimization in games with incomplete
information" (NIPS 2007); solvers/algorithms.py lists the members and their sources. An iteration
goes through the players; for each

1. the gains of the sequences from the others' realisation plans (a sparse product),
2. from the last infosets to the first: the value of every action, regrets, next strategy,
3. the plan from the new strategy; with alternating updates the next player already meets it.

The average of the realisation plans, weighted by t^gamma, is the result. In two-player constant-
sum games its exploitability goes to zero; with more players, or other payoffs, nothing is
guaranteed, though it often does (docs/algorithms.md). Cost: O(entries + sequences) an iteration,
10 µs on Leduc. CFR+ here is OpenSpiel's: linear weights, each player's strategy averaged as
played in the iteration.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from riverboat.solvers.algorithms import CFRConfig, config_text, parse_algorithm
from riverboat.solvers.run import Limit
from riverboat.solvers.solver import TreeSolver
from riverboat.trees.game_tree import GameTree
from riverboat.trees.sequence_form import SequenceForm


class CFRSolver(TreeSolver):
    """CFR, CFR+, linear CFR, DCFR and the predictive ones, for any number of players."""

    kept = ("clock", "gap", "behaviour", "regrets", "average")
    pause = (1, 32)

    def __init__(
        self, source: GameTree | SequenceForm, config: CFRConfig | str = "dcfr", *, seed: int = 0
    ) -> None:
        self.config = parse_algorithm(config).config if isinstance(config, str) else config
        super().__init__(source, config_text(self.config), seed=seed)
        size = self.form.num_sequences
        self.behaviour = self.form.to_sequences(self.tree.uniform())
        self.regrets, self.average = np.zeros(size), np.zeros(size)
        self._work = np.zeros(size), np.zeros(size)
        self._scratch = np.zeros((3, max(self.form.widest, self.form.num_players)))

    def probabilities(self) -> NDArray[np.float64]:
        return self.form.to_slots(self.form.behaviour(self.average))

    def current(self) -> NDArray[np.float64]:
        """(A,) the strategy of the next iteration."""
        return self.form.to_slots(self.behaviour)

    def iterate(self, iterations: int) -> None:
        from riverboat.solvers._cfr_kernels import Scratch, SequenceState, family_of, iterate

        state = SequenceState(self.behaviour, self.regrets, self.average, self.clock)
        work = Scratch(*self._work, self._scratch)
        iterate(self.form.arrays, family_of(self.config), state, work, iterations)

    def nash_conv(self) -> float:
        return max(0.0, self._gap_of(self.average))

    def prepare(self, limit: Limit) -> None:
        super().prepare(limit)
        self._gap_of(np.ones(self.form.num_sequences))

    def _gap_of(self, average: NDArray[np.float64]) -> float:
        from riverboat.solvers._cfr_kernels import Scratch, gap_of_average

        return float(gap_of_average(self.form.arrays, average, Scratch(*self._work, self._scratch)))
