"""The exact equilibrium of a two-player constant-sum game: the sequence-form linear program.

Koller, Megiddo and von Stengel, "Fast algorithms for finding randomized strategies in game trees"
(STOC 1994). The first player picks a realisation plan x and maximises what a best response
leaves him; v has one value for each infoset of the opponent, and one for the root:

    max v_root   with  Σ_a x(I, a) = x(parent of I),  x(empty) = 1,  x ≥ 0,
                       v(infoset of s) ≤ (Aᵀx)(s) + Σ v(infosets right after s)   for each s

The multipliers of the last rows are the opponent's plan, so one solve by HiGHS (SciPy) gives both
strategies. Infosets that a player's own plan never reaches do not matter for the value; there he
answers the others' plans as well as he can, so that a hint makes sense to one who strayed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import ParameterError, UsageError
from riverboat.solvers.limits import Limit
from riverboat.solvers.tree_solver import TreeSolver
from riverboat.trees.best_response import respond
from riverboat.trees.game_tree import GameTree
from riverboat.trees.sequence_form import SequenceForm

__all__ = ["AloneSolver", "LPSolver", "check_solvable", "solve_lp"]

TOLERANCE = 1e-10
"""The tightest feasibility that HiGHS takes."""
NEVER = 1e-12
"""Probability that counts as none, and difference that counts as a tie."""


class DirectSolver(TreeSolver):
    """A solver that finds its answer at once: no iterations, and nothing to resume."""

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

    def state(self) -> dict[str, NDArray[Any]]:
        return {}

    def probabilities(self) -> NDArray[np.float64]:
        return self.tree.uniform() if self.answer is None else self.answer

    def prepare(self, limit: Limit) -> None:
        if limit.iterations is not None:
            raise UsageError(
                f"{self.algorithm} has no iterations; leave that limit out or take dcfr."
            )
        self.patience = limit.seconds
        self.evaluation()  # loads the kernels


class LPSolver(DirectSolver):
    """The linear program of a two-player constant-sum game."""

    def prepare(self, limit: Limit) -> None:
        check_solvable(self.form)
        super().prepare(limit)

    def iterate(self, iterations: int) -> None:
        if iterations:
            self.answer = solve_lp(self.form, seconds=self.patience)


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


def check_solvable(form: SequenceForm) -> None:
    """Refuse what has no linear program; loads SciPy, which takes longer than many an LP."""
    import scipy.optimize
    import scipy.sparse  # noqa: F401

    name = form.tree.game.name
    if form.num_players != 2:
        raise ParameterError(
            f"{name} has {form.num_players} players here and the LP solves two-player games only;"
            " take dcfr."
        )
    if not form.tree.constant_sum:
        raise ParameterError(f"{name} is not constant-sum, so it has no equilibrium LP; take dcfr.")


def solve_lp(form: SequenceForm, *, seconds: float | None = None) -> NDArray[np.float64]:
    """(A,) equilibrium probabilities for the tree's slots; check_solvable must have passed."""
    from scipy.optimize import linprog
    from scipy.sparse import block_array, csr_array

    base, split, end = (int(b) for b in form.bases)
    rows = form.rows.astype(np.int64)
    payoff = csr_array(
        (form.values[: rows[split]], form.others[: rows[split], 0].astype(np.int64) - split,
         rows[: split + 1]),
        shape=(split - base, end - split),
    )  # fmt: skip
    mine, theirs = _constraints(form, 0), _constraints(form, 1)
    unit = np.zeros(mine.shape[0])
    unit[0] = 1.0
    payoff = payoff / max(float(np.abs(payoff.data).max(initial=0.0)), 1e-300)
    cost = np.zeros(mine.shape[1] + theirs.shape[0])
    cost[mine.shape[1]] = -1.0
    options: dict[str, Any] = {
        "primal_feasibility_tolerance": TOLERANCE,
        "dual_feasibility_tolerance": TOLERANCE,
    }
    if seconds is not None:
        options["time_limit"] = seconds
    found = linprog(
        cost,
        A_ub=block_array([[-payoff.T, theirs.T]], format="csr"),
        b_ub=np.zeros(theirs.shape[1]),
        A_eq=block_array([[mine, csr_array((mine.shape[0], theirs.shape[0]))]], format="csr"),
        b_eq=unit,
        bounds=[(0, None)] * mine.shape[1] + [(None, None)] * theirs.shape[0],
        method="highs",
        options=options,
    )
    if found.status != 0:
        out_of_time = found.status == 1 and seconds is not None
        why = f"in {seconds:g} s" if out_of_time else f"({found.message.rstrip('. ')})"
        raise UsageError(
            f"The LP of {form.tree.game.name} was not finished {why};"
            " give it more seconds or take dcfr."
        )
    plan = np.concatenate((found.x[: mine.shape[1]], -found.ineqlin.marginals))
    return _with_answers(form, np.where(plan > NEVER, plan, 0.0))


def _with_answers(form: SequenceForm, plan: NDArray[np.float64]) -> NDArray[np.float64]:
    """(A,) behaviour from (S,) plans, with a best response where a player never comes."""
    result = form.to_slots(form.behaviour(plan))
    answers = [respond(form, result, player, tolerance=NEVER) for player in range(form.num_players)]
    tree = form.tree
    count = np.diff(tree.offsets)
    reached = np.add.reduceat(form.to_slots(plan), tree.offsets[:-1]) > 0
    player = np.repeat(tree.players, count)
    answer = np.choose(player, answers)
    return np.where(np.repeat(reached, count), result, answer)


def _constraints(form: SequenceForm, player: int) -> Any:
    """The sparse matrix whose product with a plan is (1, 0, 0, …): a row an infoset."""
    from scipy.sparse import csr_array

    base, end = int(form.bases[player]), int(form.bases[player + 1])
    row, column, value = [np.array([0])], [np.array([0])], [np.array([1.0])]
    number = 1
    first, last = int(form.group_offsets[player]), int(form.group_offsets[player + 1])
    for start, n, k, place in form.groups[first:last].astype(np.int64).tolist():
        infosets = number + np.arange(n)
        row += [np.tile(infosets, k), infosets]
        column += [start - base + np.arange(k * n), form.parents[place : place + n] - base]
        value += [np.ones(k * n), -np.ones(n)]
        number += n
    entries = (np.concatenate(row), np.concatenate(column).astype(np.int64))
    return csr_array((np.concatenate(value), entries), shape=(number, end - base))
