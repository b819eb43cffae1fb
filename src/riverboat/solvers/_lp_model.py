"""One player's side of the sequence-form linear program, kept in HiGHS between solves.

The columns are the player's realisation plan x and v, one value for each of the other's infosets
and the root; the rows are the player's own constraints (mine x = (1, 0, 0, …)) and one for each of
the other's sequences (theirsᵀ v − payoffᵀ x ≤ 0). Only costs and bounds change from one question
to the next, so each starts from the last answer's basis. Payoffs are scaled to at most 1.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import UsageError
from riverboat.trees.sequence_form import SequenceForm

TOLERANCE = 1e-10  # The tightest feasibility that HiGHS takes
NEVER = 1e-12  # Probability that counts as none, and difference that counts as a tie


class Clock:
    """What is left of the time for the programs of one solve, and whether it was stopped."""

    def __init__(
        self, seconds: float | None, interrupted: Callable[[], bool] = lambda: False
    ) -> None:
        self.seconds, self.start = seconds, time.perf_counter()
        self.interrupted = interrupted

    @property
    def left(self) -> float:
        if self.seconds is None:
            return float("inf")
        return max(self.seconds - (time.perf_counter() - self.start), 1e-6)


class Entries(NamedTuple):
    """A sparse matrix: its entries in any order."""

    row: NDArray[np.int64]
    column: NDArray[np.int64]
    value: NDArray[np.float64]
    num_rows: int
    num_columns: int

    def times(self, vector: NDArray[np.float64]) -> NDArray[np.float64]:
        result = np.zeros(self.num_rows)
        np.add.at(result, self.row, self.value * vector[self.column])
        return result


class Program:
    """The program of one player; its questions are the methods."""

    def __init__(self, form: SequenceForm, player: int, clock: Clock) -> None:
        self.form, self.player, self.clock = form, player, clock
        self.scale = max(float(np.abs(form.values).max(initial=0.0)), 1e-300)
        self.payoff = _payoffs(form, player, self.scale)
        self.mine, self.theirs = _constraints(form, player), _constraints(form, 1 - player)
        self.num_own, self.num_values = self.mine.num_columns, self.theirs.num_rows
        self.model = self._load()

    def equilibrium(
        self, own_lower: NDArray[np.float64], other_lower: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Both plans, the player's own first, in equilibrium where no plan may be below these."""
        start = np.zeros(self.num_values)
        start[0] = 1.0
        cost = np.concatenate(
            (-self.payoff.times(other_lower), self.theirs.times(other_lower) - start)
        )
        free = np.full(self.num_values, -np.inf)
        own, duals = self._solve(cost, np.concatenate((own_lower, free)))
        other = other_lower - duals[self.mine.num_rows :]
        return _clean(own), _clean(other)

    def best_against(self, others: NDArray[np.float64], value: float) -> NDArray[np.float64]:
        """Of the plans that are sure of the game's value, the one that wins most from `others`."""
        gain = self.payoff.times(others)
        gain /= max(float(np.abs(gain).max(initial=0.0)), 1e-300)
        lower = np.full(self.num_own + self.num_values, -np.inf)
        lower[: self.num_own] = 0.0
        lower[self.num_own] = value / self.scale
        own, _ = self._solve(np.concatenate((-gain, np.zeros(self.num_values))), lower)
        return _clean(own)

    def _load(self) -> Any:
        import highspy

        columns = self.num_own + self.num_values
        rows = self.mine.num_rows + self.theirs.num_columns
        row = np.concatenate(
            (
                self.mine.row,
                self.mine.num_rows + self.payoff.column,
                self.mine.num_rows + self.theirs.column,
            )
        )
        column = np.concatenate((self.mine.column, self.payoff.row, self.num_own + self.theirs.row))
        value = np.concatenate((self.mine.value, -self.payoff.value, self.theirs.value))
        order = np.lexsort((column, row))
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = columns, rows
        lp.col_cost_ = np.zeros(columns)
        lp.col_lower_ = np.zeros(columns)
        lp.col_upper_ = np.full(columns, np.inf)
        own = np.zeros(self.mine.num_rows)
        own[0] = 1.0
        lp.row_lower_ = np.concatenate((own, np.full(self.theirs.num_columns, -np.inf)))
        lp.row_upper_ = np.concatenate((own, np.zeros(self.theirs.num_columns)))
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_ = np.searchsorted(row[order], np.arange(rows + 1)).astype(np.int32)
        lp.a_matrix_.index_ = column[order].astype(np.int32)
        lp.a_matrix_.value_ = value[order]
        model: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        model.setOptionValue("output_flag", False)
        model.setOptionValue("primal_feasibility_tolerance", TOLERANCE)
        model.setOptionValue("dual_feasibility_tolerance", TOLERANCE)
        model.passModel(lp)
        model.HandleUserInterrupt = True
        model.cbSimplexInterrupt += self._look_up
        return model

    def _look_up(self, event: Any) -> None:
        """HiGHS asks now and then; Python also takes note of Ctrl-C here."""
        if self.clock.interrupted():
            event.interrupt()

    def _solve(
        self, cost: NDArray[np.float64], lower: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(own sequences,) the plan and (rows,) the multipliers for these costs and bounds."""
        import highspy

        model, count = self.model, len(cost)
        every = np.arange(count, dtype=np.int32)
        model.changeColsCost(count, every, cost)
        model.changeColsBounds(count, every, lower, np.full(count, np.inf))
        model.setOptionValue("time_limit", model.getRunTime() + self.clock.left)
        model.run()
        status = model.getModelStatus()
        if status == highspy.HighsModelStatus.kInterrupt:
            raise KeyboardInterrupt
        if status != highspy.HighsModelStatus.kOptimal:
            late = status == highspy.HighsModelStatus.kTimeLimit
            seconds = self.clock.seconds
            why = f"in {seconds:g} s" if late else f"({model.modelStatusToString(status)})"
            raise UsageError(
                f"The LP of {self.form.tree.game.name} was not finished {why};"
                " give it more seconds or take dcfr."
            )
        solution = model.getSolution()
        return np.array(solution.col_value)[: self.num_own], np.array(solution.row_dual)


def _payoffs(form: SequenceForm, player: int, scale: float) -> Entries:
    """What the player gets, own sequences by the other's, divided by `scale`."""
    base, end = int(form.bases[player]), int(form.bases[player + 1])
    other, stop = int(form.bases[1 - player]), int(form.bases[2 - player])
    rows = form.rows[base : end + 1].astype(np.int64)
    entries = slice(int(rows[0]), int(rows[-1]))
    return Entries(
        np.repeat(np.arange(end - base), rows[1:] - rows[:-1]),
        form.others[entries, 0].astype(np.int64) - other,
        form.values[entries] / scale,
        end - base,
        stop - other,
    )


def _constraints(form: SequenceForm, player: int) -> Entries:
    """The matrix whose product with a plan is (1, 0, 0, …): a row for each infoset."""
    base, end = int(form.bases[player]), int(form.bases[player + 1])
    row, column, value = [np.array([0])], [np.array([0])], [np.array([1.0])]
    number = 1
    first, last = int(form.group_offsets[player]), int(form.group_offsets[player + 1])
    for start, n, k, infoset in form.groups[first:last].astype(np.int64).tolist():
        infosets = number + np.arange(n)
        row += [np.tile(infosets, k), infosets]
        above = form.parents[infoset : infoset + n].astype(np.int64) - base
        column += [start - base + np.arange(k * n), above]
        value += [np.ones(k * n), -np.ones(n)]
        number += n
    return Entries(
        np.concatenate(row), np.concatenate(column), np.concatenate(value), number, end - base
    )


def _clean(plan: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(plan > NEVER, plan, 0.0)
