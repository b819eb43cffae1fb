"""solve(): a game in, a strategy with its value and exploitability out."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import UsageError
from riverboat.games.base import Game
from riverboat.solvers.algorithms import SAMPLED, AlgorithmSpec, parse_algorithm
from riverboat.solvers.cfr import CFRSolver
from riverboat.solvers.choice import RACE_FACTOR, RACE_START, RACERS, Choice, choose
from riverboat.solvers.iterative import Checkpoint, IterativeSolver, read_checkpoint
from riverboat.solvers.limits import Limit, Progress, ProgressCallback
from riverboat.solvers.lp import check_solvable, solve_lp
from riverboat.solvers.profile import check_same_game, strategy_on
from riverboat.solvers.sampling import SampledSolver
from riverboat.strategies.files import check_writable
from riverboat.strategies.store import save_strategy
from riverboat.strategies.strategy import Strategy
from riverboat.trees.best_response import Evaluation, evaluate_profile, respond
from riverboat.trees.game_tree import MEMORY_LIMIT, GameTree, build_tree
from riverboat.trees.sequence_form import SequenceForm, sequence_form

__all__ = ["DEFAULT_TARGET", "SolveResult", "solve"]

DEFAULT_TARGET = 1e-6
"""Exploitability at which a run without a limit stops…"""
DEFAULT_ITERATIONS = 100_000
"""…unless it has done so many iterations,"""
DEFAULT_SAMPLES = 1_000_000
"""or so many sampled ones."""
CHECKPOINT_SECONDS = 5.0


@dataclass(frozen=True)
class SolveResult:
    """What a solve found; the facts are in the strategy's `info` too, so a file carries them."""

    strategy: Strategy
    evaluation: Evaluation
    algorithm: str
    reason: str
    iterations: int
    seconds: float
    stopped: bool = False
    """Whether Ctrl-C ended it before its limit."""
    solver: IterativeSolver | None = field(default=None, repr=False)
    """To go on with; None after the LP."""

    @property
    def value(self) -> list[float]:
        return self.evaluation.value

    @property
    def nash_conv(self) -> float:
        return self.evaluation.nash_conv

    @property
    def exploitability(self) -> float:
        return self.evaluation.exploitability

    def save(self, path: str | Path) -> None:
        """Write the strategy, and beside it what resuming needs."""
        if self.solver is None:
            save_strategy(path, self.strategy)
        else:
            self.solver.save(path, self.strategy.info)


def solve(
    game: Game | GameTree,
    *,
    algorithm: str = "auto",
    iterations: int | None = None,
    target: float | None = None,
    seconds: float | None = None,
    alternating: bool | None = None,
    seed: int = 0,
    progress: ProgressCallback | None = None,
    checkpoint: str | Path | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    resume: str | Path | None = None,
    memory_limit: int = MEMORY_LIMIT,
) -> SolveResult:
    """Solve `game` up to one limit: a total of iterations, an exploitability, or seconds.

    Without a limit it stops at an exploitability of 1e-6, or after 100,000 iterations (sampling:
    after a million). `checkpoint` is a file that is renewed every `checkpoint_seconds` and at the
    end; `resume` is such a file, or any saved result of an iterating algorithm, to go on from.
    """
    spec = parse_algorithm(algorithm, alternating=alternating)
    limit = Limit.one_of(iterations, target, seconds)
    if checkpoint is not None:
        check_writable(checkpoint)
    saved = None if resume is None else read_checkpoint(resume)
    began = time.perf_counter()
    tree = game if isinstance(game, GameTree) else build_tree(game, memory_limit=memory_limit)
    form = sequence_form(tree)
    run = _Run(form, limit, seed, progress, checkpoint, checkpoint_seconds)
    run.facts["build_seconds"] = time.perf_counter() - began
    if saved is not None:
        return run.resumed(saved, spec)
    if spec.name == "auto":
        return run.automatic()
    return run.named(spec, "asked for")


@dataclass
class _Run:
    """One call of solve()."""

    form: SequenceForm
    limit: Limit | None
    seed: int
    progress: ProgressCallback | None
    checkpoint: str | Path | None
    checkpoint_seconds: float
    facts: dict[str, Any] = field(default_factory=dict)

    def automatic(self) -> SolveResult:
        """Choose and solve."""
        given = self.limit.target if self.limit is not None else None
        choice = choose(self.form, self.limit, given or DEFAULT_TARGET)
        if choice.algorithm == "best-response":
            return self.alone(choice.reason)
        if choice.algorithm == "lp":
            try:
                return self.exact(choice.reason, choice.give_up)
            except UsageError:
                if choice.give_up is None:
                    raise
            choice = Choice("race", f"the exact LP was not done in {choice.give_up:.2g} s")
        if choice.algorithm == "race":
            return self.race(choice.reason)
        return self.named(parse_algorithm(choice.algorithm), choice.reason)

    def named(self, spec: AlgorithmSpec, reason: str) -> SolveResult:
        """Solve by an algorithm."""
        if spec.name == "lp":
            if self.limit is not None and self.limit.iterations is not None:
                raise UsageError("The LP has no iterations; leave that limit out or take dcfr.")
            return self.exact(reason, self.limit.seconds if self.limit is not None else None)
        solver = make_solver(self.form, spec, self.seed)
        return self.iterate(solver, reason)

    def resumed(self, saved: Checkpoint, spec: AlgorithmSpec) -> SolveResult:
        """Go on from a file, by its algorithm."""
        check_same_game(self.form.tree, saved.strategy)
        stored = parse_algorithm(saved.algorithm)
        if spec.name not in ("auto", stored.name) or (
            spec.name != "auto" and spec.text != stored.text
        ):
            raise UsageError(
                f"{saved.path} was solved by {stored.text} and can only go on with it,"
                f" not with {spec.text}."
            )
        solver = make_solver(self.form, stored, saved.seed)
        solver.restore(saved)
        self.seed = saved.seed
        wanted = self.limit.iterations if self.limit is not None else None
        if wanted is not None and wanted < solver.iterations:
            raise UsageError(
                f"{saved.path} has {solver.iterations} iterations already, more than the"
                f" {wanted} asked for in all; ask for more."
            )
        return self.iterate(solver, saved.reason or "resumed")

    def alone(self, reason: str) -> SolveResult:
        """One player: his best response to chance."""
        since = time.perf_counter()
        probabilities = respond(self.form, self.form.tree.uniform(), 0)
        return self.finish(probabilities, "best-response", reason, time.perf_counter() - since)

    def exact(self, reason: str, give_up: float | None) -> SolveResult:
        """The LP; UsageError if it is not done in `give_up` seconds."""
        check_solvable(self.form)
        evaluate_profile(self.form, self.form.tree.uniform())  # loads the kernels
        since = time.perf_counter()
        probabilities = solve_lp(self.form, seconds=give_up)
        return self.finish(probabilities, "lp", reason, time.perf_counter() - since)

    def race(self, reason: str) -> SolveResult:
        """DCFR against SAPCFR+ in stages, and the winner to the limit."""
        racers: list[IterativeSolver] = [
            make_solver(self.form, parse_algorithm(name), self.seed) for name in RACERS
        ]
        limit, stage = self.stop_at(racers[0]), RACE_START
        while stage < DEFAULT_ITERATIONS:
            for solver in racers:
                solver.run(Limit(stage, limit.target), self.beat(solver, reason))
                if solver.stopped:
                    break
            racers.sort(key=lambda solver: solver.evaluation().nash_conv)
            best, worst = (solver.evaluation() for solver in racers)
            done = limit.target is not None and best.exploitability <= limit.target
            if racers[0].stopped or racers[1].stopped or done:
                break
            if worst.nash_conv >= RACE_FACTOR * best.nash_conv:
                break
            stage *= 2
        winner, loser = racers
        reason += (
            f"; {winner.algorithm} beat {loser.algorithm} in a race of"
            f" {winner.iterations:,} iterations"
        )
        if loser.stopped:
            winner.stopped = True
            return self.result(winner, reason)
        return self.iterate(winner, reason)

    def iterate(self, solver: IterativeSolver, reason: str) -> SolveResult:
        """Run a solver to the limit."""
        if not solver.stopped:
            solver.run(self.stop_at(solver), self.beat(solver, reason))
        return self.result(solver, reason)

    def stop_at(self, solver: IterativeSolver) -> Limit:
        """The limit, or the default for this solver."""
        if self.limit is not None:
            return self.limit
        if isinstance(solver, SampledSolver):
            return Limit(max(DEFAULT_SAMPLES, solver.iterations))
        return Limit(max(DEFAULT_ITERATIONS, solver.iterations), DEFAULT_TARGET)

    def beat(self, solver: IterativeSolver, reason: str) -> ProgressCallback | None:
        """What to do after each chunk of a run: show where it stands, renew the checkpoint."""
        if self.checkpoint is None:
            return self.progress
        path, last = self.checkpoint, -np.inf

        def after_chunk(now: Progress) -> None:
            nonlocal last
            if self.progress is not None:
                self.progress(now)
            if time.monotonic() - last >= self.checkpoint_seconds:
                solver.save(path, self.info(solver.evaluation(), {"reason": reason}))
                last = time.monotonic()

        return after_chunk

    def result(self, solver: IterativeSolver, reason: str) -> SolveResult:
        """A solver's average strategy, evaluated, with the solver to go on with."""
        probabilities = solver.probabilities()
        found = self.finish(
            probabilities, solver.algorithm, reason, solver.seconds, solver.iterations, solver
        )
        if self.checkpoint is not None:
            found.save(self.checkpoint)
        return found

    def finish(
        self,
        probabilities: NDArray[np.float64],
        algorithm: str,
        reason: str,
        seconds: float,
        iterations: int = 0,
        solver: IterativeSolver | None = None,
    ) -> SolveResult:
        """The probabilities, evaluated."""
        evaluation = evaluate_profile(self.form, probabilities)
        facts = {
            "algorithm": algorithm,
            "reason": reason,
            "iterations": iterations,
            "seconds": seconds,
        }
        strategy = strategy_on(self.form.tree, probabilities, self.info(evaluation, facts))
        stopped = solver is not None and solver.stopped
        result = SolveResult(
            strategy, evaluation, algorithm, reason, iterations, seconds, stopped, solver
        )
        if self.checkpoint is not None and solver is None:
            result.save(self.checkpoint)
        return result

    def info(self, evaluation: Evaluation, facts: Mapping[str, Any]) -> dict[str, Any]:
        """What a strategy file says of how it was made."""
        return {
            "value": evaluation.value,
            "best_response": evaluation.best_response,
            "exploitability": evaluation.exploitability,
            "nash_conv": evaluation.nash_conv,
            "nodes": self.form.tree.num_histories,
            "infosets": self.form.tree.num_infosets,
            "seed": self.seed,
            **self.facts,
            **facts,
        }


def make_solver(form: SequenceForm, spec: AlgorithmSpec, seed: int) -> IterativeSolver:
    """The iterating solver that a spec names."""
    if spec.name in SAMPLED:
        return SampledSolver(form, spec.name, seed=seed)
    if spec.name == "lp":
        check_solvable(form)
        raise UsageError("The LP is solved at once and cannot be resumed; solve anew.")
    return CFRSolver(form, spec.config, seed=seed)
