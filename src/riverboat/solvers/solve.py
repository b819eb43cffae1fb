"""solve(): a game in, a strategy with its value and exploitability out."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import UsageError
from riverboat.games.base import Game
from riverboat.solvers.algorithms import SAMPLED, AlgorithmSpec, parse_algorithm
from riverboat.solvers.cfr import CFRSolver
from riverboat.solvers.choice import RACE_FACTOR, RACE_START, RACERS, Choice, choose
from riverboat.solvers.frame import (
    CHECKPOINT_SECONDS,
    DEFAULT_ITERATIONS,
    DEFAULT_TARGET,
    Frame,
    SolveResult,
    check_resume,
)
from riverboat.solvers.iterative import Checkpoint, IterativeSolver, read_checkpoint
from riverboat.solvers.limits import Limit, ProgressCallback
from riverboat.solvers.lp import check_solvable, solve_lp
from riverboat.solvers.sampling import SampledSolver
from riverboat.strategies.files import check_writable
from riverboat.strategies.profile import check_same_game, strategy_on
from riverboat.strategies.strategy import Strategy
from riverboat.trees.best_response import evaluate_profile, respond
from riverboat.trees.game_tree import MEMORY_LIMIT, GameTree, build_tree
from riverboat.trees.sequence_form import SequenceForm, sequence_form

__all__ = ["DEFAULT_TARGET", "SolveResult", "solve"]

Solved: TypeAlias = SolveResult[Strategy]


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
) -> Solved:
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
    facts = {
        "nodes": tree.num_histories,
        "infosets": tree.num_infosets,
        "build_seconds": time.perf_counter() - began,
    }
    frame = Frame(limit, progress, checkpoint, checkpoint_seconds, facts)
    run = _Run(form, frame, seed)
    if saved is not None:
        return run.resumed(saved, spec)
    if spec.name == "auto":
        return run.automatic()
    return run.named(spec, "asked for")


@dataclass(frozen=True)
class _Run:
    """One call of solve()."""

    form: SequenceForm
    frame: Frame
    seed: int

    @property
    def limit(self) -> Limit | None:
        return self.frame.limit

    def automatic(self) -> Solved:
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

    def named(self, spec: AlgorithmSpec, reason: str) -> Solved:
        """Solve by an algorithm."""
        if spec.name == "lp":
            if self.limit is not None and self.limit.iterations is not None:
                raise UsageError("The LP has no iterations; leave that limit out or take dcfr.")
            return self.exact(reason, self.limit.seconds if self.limit is not None else None)
        return self.frame.iterate(make_solver(self.form, spec, self.seed), reason)

    def resumed(self, saved: Checkpoint, spec: AlgorithmSpec) -> Solved:
        """Go on from a file, by its algorithm."""
        check_same_game(self.form.tree.game, saved.strategy)
        solver = make_solver(self.form, parse_algorithm(saved.algorithm), saved.seed)
        solver.restore(saved)
        asked = None if spec.name == "auto" else spec.text
        check_resume(saved.path, solver, asked, self.limit)
        return self.frame.iterate(solver, saved.reason or "resumed")

    def alone(self, reason: str) -> Solved:
        """One player: his best response to chance."""
        since = time.perf_counter()
        probabilities = respond(self.form, self.form.tree.uniform(), 0)
        return self.finish(probabilities, "best-response", reason, time.perf_counter() - since)

    def exact(self, reason: str, give_up: float | None) -> Solved:
        """The LP; UsageError if it is not done in `give_up` seconds."""
        check_solvable(self.form)
        evaluate_profile(self.form, self.form.tree.uniform())  # loads the kernels
        since = time.perf_counter()
        probabilities = solve_lp(self.form, seconds=give_up)
        return self.finish(probabilities, "lp", reason, time.perf_counter() - since)

    def race(self, reason: str) -> Solved:
        """DCFR against SAPCFR+ in stages, and the winner to the limit."""
        racers: list[IterativeSolver] = [
            make_solver(self.form, parse_algorithm(name), self.seed) for name in RACERS
        ]
        limit, stage = self.frame.stop_at(racers[0]), RACE_START
        while stage < DEFAULT_ITERATIONS:
            for solver in racers:
                solver.run(Limit(stage, limit.target), self.frame.beat(solver, reason))
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
        winner.stopped = winner.stopped or loser.stopped
        return self.frame.iterate(winner, reason)

    def finish(
        self, probabilities: NDArray[np.float64], algorithm: str, reason: str, seconds: float
    ) -> Solved:
        """What was found without iterating, evaluated."""
        evaluation = evaluate_profile(self.form, probabilities)
        info = self.frame.info(evaluation, algorithm, reason, 0, seconds, self.seed)
        strategy = strategy_on(self.form.tree, probabilities, info)
        return self.frame.kept(SolveResult(strategy, evaluation, algorithm, reason, 0, seconds))


def make_solver(form: SequenceForm, spec: AlgorithmSpec, seed: int) -> IterativeSolver:
    """The iterating solver that a spec names."""
    if spec.name in SAMPLED:
        return SampledSolver(form, spec.name, seed=seed)
    if spec.name == "lp":
        check_solvable(form)
        raise UsageError("The LP is solved at once and cannot be resumed; solve anew.")
    return CFRSolver(form, spec.config, seed=seed)
