"""solve_public(): a game with a public tree in, a strategy with its values and NashConv out.

The fields of the result and of the strategy's `info` are those of solvers.solve; `nodes` counts
public nodes, ends included. Where a house shares the stakes (the duel's dealer), `payoffs` adds
what it gets.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from riverboat.errors import UnknownNameError, UsageError
from riverboat.games.base import Game, parameters_of
from riverboat.solvers.algorithms import parse_algorithm
from riverboat.solvers.config import CONFIGS, CFRConfig
from riverboat.solvers.limits import Limit, Progress, ProgressCallback
from riverboat.solvers.public_cfr import SAMPLED_PREFIX, PublicCFRSolver
from riverboat.strategies.public_strategy import PublicStrategy
from riverboat.trees.best_response import Evaluation
from riverboat.trees.public_games import PublicGame, public_game
from riverboat.trees.public_tree import MEMORY_LIMIT, load_kernels

__all__ = ["PublicSolveResult", "public_algorithm", "solve_public"]

AUTOMATIC = "pdcfr+"
DEFAULT_TARGET = 1e-6
"""Exploitability at which a run without a limit stops…"""
DEFAULT_ITERATIONS = 100_000
"""…unless it has done so many iterations,"""
DEFAULT_SAMPLES = 1_000_000
"""or so many sampled ones."""
CHECKPOINT_SECONDS = 5.0


@dataclass(frozen=True)
class PublicSolveResult:
    """What a solve found; the facts are in the strategy's `info` too, so a file carries them."""

    strategy: PublicStrategy
    evaluation: Evaluation
    algorithm: str
    reason: str
    iterations: int
    seconds: float
    stopped: bool = False
    """Whether Ctrl-C ended it before its limit."""
    solver: PublicCFRSolver | None = field(default=None, repr=False)

    @property
    def value(self) -> list[float]:
        return self.evaluation.value

    @property
    def payoffs(self) -> list[float]:
        """The players' values and, where the game has one, the house's."""
        return list(self.strategy.info["payoffs"])

    @property
    def nash_conv(self) -> float:
        return self.evaluation.nash_conv

    @property
    def exploitability(self) -> float:
        return self.evaluation.exploitability

    def save(self, path: str | Path) -> None:
        """Write the strategy, and beside it what resuming needs."""
        if self.solver is None:
            raise UsageError("This result has no solver to be saved.")
        self.solver.save(path, self.strategy.info)


def public_algorithm(text: str, *, alternating: bool | None = None) -> tuple[CFRConfig, bool]:
    """The member of the CFR family that a text names, and whether it samples hands.

    `auto`, any member as in solvers.algorithms, `sampled-` before a member, `cs-cfr`.
    """
    name = text.strip().lower()
    name = {"auto": AUTOMATIC, "cs-cfr": SAMPLED_PREFIX + "cfr"}.get(name, name)
    sampled = name.startswith(SAMPLED_PREFIX)
    try:
        spec = parse_algorithm(name.removeprefix(SAMPLED_PREFIX), alternating=alternating)
    except UnknownNameError:
        known = ("auto", "cs-cfr", *CONFIGS, *(SAMPLED_PREFIX + member for member in CONFIGS))
        raise UnknownNameError.among("algorithm", text, known) from None
    if spec.family is None:
        raise UsageError(
            f"On a public tree {spec.name} is not to be had; choose one of"
            f" {', '.join(CONFIGS)}, with {SAMPLED_PREFIX} before it to sample the hands."
        )
    return spec.family, sampled


def solve_public(
    game: Game | PublicGame,
    *,
    algorithm: str = "auto",
    iterations: int | None = None,
    target: float | None = None,
    seconds: float | None = None,
    alternating: bool | None = None,
    seed: int = 0,
    threads: int = 1,
    progress: ProgressCallback | None = None,
    checkpoint: str | Path | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    resume: str | Path | None = None,
    memory_limit: int = MEMORY_LIMIT,
) -> PublicSolveResult:
    """Solve `game` up to one limit: a total of iterations, an exploitability, or seconds.

    Without a limit it stops at an exploitability of 1e-6, or after 100,000 iterations (sampling:
    after a million). `checkpoint` is a file that is renewed every `checkpoint_seconds` and at the
    end; `resume` is such a file, or any saved result, to go on from.
    """
    limit = Limit.one_of(iterations, target, seconds)
    config, sampled = public_algorithm(algorithm, alternating=alternating)
    load_kernels()
    began = time.perf_counter()
    if resume is None:
        public = game if isinstance(game, PublicGame) else public_game(game)
        solver = PublicCFRSolver(
            public, config, sampled=sampled, seed=seed, threads=threads, memory_limit=memory_limit
        )
        automatic = algorithm.strip().lower() == "auto"
        reason = "the quickest on public trees" if automatic else "asked for"
    else:
        solver = PublicCFRSolver.load(resume, threads=threads, memory_limit=memory_limit)
        wanted = game.game if isinstance(game, PublicGame) else game
        _check_resume(resume, solver, wanted, algorithm, alternating, iterations)
        reason = "resumed"
    facts: dict[str, Any] = {"reason": reason, "build_seconds": time.perf_counter() - began}
    if limit is None:
        usual = DEFAULT_SAMPLES if solver.sampled else DEFAULT_ITERATIONS
        limit = Limit(max(usual, solver.iterations), None if solver.sampled else DEFAULT_TARGET)
    solver.run(limit, _beat(solver, facts, progress, checkpoint, checkpoint_seconds))
    evaluation = solver.evaluation()
    strategy = solver.strategy(_info(solver, evaluation, facts))
    result = PublicSolveResult(
        strategy,
        evaluation,
        solver.algorithm,
        reason,
        solver.iterations,
        solver.seconds,
        solver.stopped,
        solver,
    )
    if checkpoint is not None:
        result.save(checkpoint)
    return result


def _check_resume(
    path: str | Path,
    solver: PublicCFRSolver,
    game: Game,
    algorithm: str,
    alternating: bool | None,
    iterations: int | None,
) -> None:
    """Refuse to go on with another game, another algorithm or fewer iterations."""
    if solver.public.game != game:
        theirs = solver.public.game
        raise UsageError(
            f"{path} is for {_named(theirs)}, not for {_named(game)}; give the same parameters."
        )
    asked = public_algorithm(algorithm, alternating=alternating)
    if algorithm != "auto" and asked != (solver.config, solver.sampled):
        raise UsageError(
            f"{path} was solved by {solver.algorithm} and can only go on with it,"
            f" not with {algorithm}."
        )
    if iterations is not None and iterations < solver.iterations:
        raise UsageError(
            f"{path} has {solver.iterations} iterations already, more than the"
            f" {iterations} asked for in all; ask for more."
        )


def _named(game: Game) -> str:
    return " ".join([game.name, *(f"{key}={value}" for key, value in parameters_of(game).items())])


def _beat(
    solver: PublicCFRSolver,
    facts: Mapping[str, Any],
    progress: ProgressCallback | None,
    checkpoint: str | Path | None,
    every: float,
) -> ProgressCallback | None:
    """What to do after each chunk of a run: show where it stands, renew the checkpoint."""
    if checkpoint is None:
        return progress
    last = float("-inf")

    def after_chunk(now: Progress) -> None:
        nonlocal last
        if progress is not None:
            progress(now)
        if time.monotonic() - last >= every:
            solver.save(checkpoint, _info(solver, solver.evaluation(), facts))
            last = time.monotonic()

    return after_chunk


def _info(
    solver: PublicCFRSolver, evaluation: Evaluation, facts: Mapping[str, Any]
) -> dict[str, Any]:
    """What a strategy file says of how it was made."""
    house = getattr(solver.public.game, "house_sum", None)
    rest = [] if house is None else [house - sum(evaluation.value)]
    return {
        "algorithm": solver.algorithm,
        "iterations": solver.iterations,
        "seconds": solver.seconds,
        "seed": solver.seed,
        "value": evaluation.value,
        "payoffs": [*evaluation.value, *rest],
        "best_response": evaluation.best_response,
        "exploitability": evaluation.exploitability,
        "nash_conv": evaluation.nash_conv,
        "nodes": solver.public.shapes.num_public_nodes,
        "infosets": solver.public.shapes.num_infosets,
        **facts,
    }
