"""solve(): a game in, a strategy with its value and exploitability out.

It chooses the form itself: games that hand in public shapes (the duel) are solved on a public
tree, all others on a game tree. `nodes` in the strategy's `info` counts histories, or public nodes
with their ends. Where a house shares the stakes (the duel's dealer), `payoffs` adds what it gets.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from riverboat.errors import UsageError
from riverboat.games.base import Game
from riverboat.games.contract import check_game
from riverboat.runtime.cuda import GpuDevice
from riverboat.runtime.stopping import current_stop, stop_on_signals
from riverboat.runtime.storage import check_writable
from riverboat.solvers._choice import (
    COSTS,
    DEFAULT_TARGET,
    RACE,
    RACE_FACTOR,
    RACE_START,
    RACERS,
    Costs,
    DeviceChoice,
    choose,
    device_choice,
    make_solver,
)
from riverboat.solvers.algorithms import AlgorithmSpec, parse_algorithm
from riverboat.solvers.result import SolveResult, caveat
from riverboat.solvers.run import Autosave, Limit, Progress, ProgressCallback, save_somewhere
from riverboat.solvers.solver import Checkpoint, Solver, read_checkpoint
from riverboat.strategies.public_strategy import PublicStrategy
from riverboat.strategies.strategy import check_same_game
from riverboat.trees import game_tree, public_tree
from riverboat.trees.best_response import Evaluation
from riverboat.trees.game_tree import GameTree, build_tree, check_tree
from riverboat.trees.public_games import PublicGame, has_shapes, public_game
from riverboat.trees.sequence_form import SequenceForm, sequence_form

DEFAULT_ITERATIONS = 100_000  # Iteration limit of a run without an explicit limit
DEFAULT_SAMPLES = 1_000_000  # The same for sampling algorithms
CHECKPOINT_SECONDS = 5.0


def solve(
    game: Game | GameTree | PublicGame,
    limit: Limit | None = None,
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
    memory_limit: int | None = None,
    device: str | GpuDevice = "cpu",
    costs: Costs = COSTS,
) -> SolveResult[Any]:
    """Solve `game` up to one limit: a total of iterations, an exploitability, or seconds; or a
    Limit that says so.

    Without a limit it stops at an exploitability of 1e-6, or after 100,000 iterations (sampling:
    after a million). `checkpoint` is a file that is renewed every `checkpoint_seconds` and at the
    end; `resume` is such a file, or any saved result of an iterating algorithm, to go on from.
    A GameTree or a PublicGame in place of a game decides the form. `threads` are for public trees.
    `device` is "cpu", "cuda" (a GPU, for the CFR family), or "auto": a GPU where it is quicker.
    The result is the same on both, bit by bit; files go from one to the other. `costs` are what
    "auto" chooses an algorithm by.
    """
    other_limit = Limit.one_of(iterations, target, seconds)
    if limit is not None and other_limit is not None:
        raise UsageError("Give one limit only: a Limit, or one of iterations, target, seconds.")
    rules = game.game if isinstance(game, GameTree | PublicGame) else game
    if other_way := getattr(rules, "other_way", ""):
        raise UsageError(other_way)
    saved = None if resume is None else read_checkpoint(resume)
    if saved is not None:
        check_same_game(rules, saved.strategy, str(resume))
    if isinstance(game, GameTree | PublicGame):
        public = isinstance(game, PublicGame)
    else:
        public = isinstance(saved.strategy, PublicStrategy) if saved else has_shapes(game)
    if threads != 1 and not public:
        raise UsageError(f"{rules.name} is solved by one thread; leave the threads out.")
    spec = parse_algorithm(algorithm, alternating=alternating, public=public)
    where = device_choice(device, threads)
    if checkpoint is not None:
        check_writable(checkpoint)
    with stop_on_signals():
        if not isinstance(game, GameTree | PublicGame):
            check_game(game)
        if public:
            public_tree.load_kernels()
        began = time.perf_counter()
        form = _form_of(game, public, memory_limit)
        task = _Task(
            form=form,
            build_seconds=time.perf_counter() - began,
            limit=limit or other_limit,
            device=where,
            seed=seed,
            threads=threads,
            memory_limit=memory_limit,
            costs=costs,
            progress=progress,
            checkpoint=checkpoint,
            checkpoint_seconds=checkpoint_seconds,
        )
        if saved is not None:
            return _resume(task, saved, spec)
        if spec.name == "auto":
            return _choose_and_solve(task)
        return _solve_to_limit(task, _make(task, spec.text), "asked for")


@dataclass(frozen=True)
class _Task:
    """What is to be solved, how and how far: made by one call of solve(), and handed on whole."""

    form: SequenceForm | PublicGame
    build_seconds: float
    limit: Limit | None
    device: DeviceChoice
    seed: int
    threads: int
    memory_limit: int | None
    costs: Costs
    progress: ProgressCallback | None
    checkpoint: str | Path | None
    checkpoint_seconds: float


def _form_of(
    game: Game | GameTree | PublicGame, public: bool, memory_limit: int | None
) -> SequenceForm | PublicGame:
    """A game as the arrays that solvers take, from its rules or from either kind of tree."""
    rules = game.game if isinstance(game, GameTree | PublicGame) else game
    if public:
        return game if isinstance(game, PublicGame) else public_game(rules)
    if isinstance(game, GameTree):
        return sequence_form(game)
    tree = build_tree(rules, memory_limit=memory_limit or game_tree.MEMORY_LIMIT)
    check_tree(tree)
    return sequence_form(tree)


def _choose_and_solve(task: _Task) -> SolveResult[Any]:
    choice = choose(task.form, task.limit, task.device, task.costs)
    if choice.give_up is not None:
        try:
            solver = _make(task, choice.algorithm)
            return _solve_to_limit(task, solver, choice.reason, Limit(seconds=choice.give_up))
        except UsageError:
            return _race(task, f"the exact LP was not done in {choice.give_up:.2g} s")
    if choice.algorithm == RACE:
        return _race(task, choice.reason)
    return _solve_to_limit(task, _make(task, choice.algorithm), choice.reason)


def _resume(task: _Task, saved: Checkpoint, spec: AlgorithmSpec) -> SolveResult[Any]:
    """Go on from a file, by its algorithm; refuse another one, or fewer iterations."""
    if spec.name != "auto" and spec.text != saved.algorithm:
        raise UsageError(
            f"{saved.path} was solved by {saved.algorithm} and can only go on with it,"
            f" not with {spec.text}."
        )
    solver = _make(task, saved.algorithm)
    solver.restore(saved)
    wanted = None if task.limit is None else task.limit.iterations
    if wanted is not None and wanted < solver.iterations:
        raise UsageError(
            f"{saved.path} has {solver.iterations} iterations already, more than the"
            f" {wanted} asked for in all; ask for more."
        )
    return _solve_to_limit(task, solver, saved.reason or "resumed")


def _race(task: _Task, reason: str) -> SolveResult[Any]:
    """DCFR against SAPCFR+ in stages, and the winner to the limit."""
    racers = [_make(task, name) for name in RACERS]
    limit, stage = _limit_of(task, racers[0]), RACE_START
    while stage < DEFAULT_ITERATIONS:
        for solver in racers:
            if current_stop().requested:
                solver.stopped = True
                break
            _run(task, solver, reason, Limit(stage, limit.target))
            if solver.stopped:
                break
        evaluated = sorted(
            ((solver.evaluation(), solver) for solver in racers), key=lambda pair: pair[0].nash_conv
        )
        racers = [solver for _, solver in evaluated]
        best, worst = (evaluation for evaluation, _ in evaluated)
        done = limit.target is not None and best.exploitability <= limit.target
        if racers[0].stopped or racers[1].stopped or done:
            break
        if worst.nash_conv >= RACE_FACTOR * best.nash_conv:
            break
        stage *= 2
    winner, loser = racers
    reason += (
        f"; {winner.algorithm} beat {loser.algorithm} in a race of {winner.iterations:,} iterations"
    )
    winner.stopped = winner.stopped or loser.stopped
    return _solve_to_limit(task, winner, reason)


def _make(task: _Task, algorithm: str) -> Solver:
    """A solver by its algorithm's text."""
    began = time.perf_counter()
    spec = parse_algorithm(algorithm, public=isinstance(task.form, PublicGame))
    solver = make_solver(
        task.form,
        spec,
        task.device,
        seed=task.seed,
        threads=task.threads,
        memory_limit=task.memory_limit,
        costs=task.costs,
    )
    solver.build_seconds = task.build_seconds + time.perf_counter() - began
    return solver


def _limit_of(task: _Task, solver: Solver) -> Limit:
    """The task's limit, or the default for this solver."""
    if task.limit is not None:
        return task.limit
    if not solver.state():
        return Limit()
    if solver.sampled:
        return Limit(max(DEFAULT_SAMPLES, solver.iterations))
    return Limit(max(DEFAULT_ITERATIONS, solver.iterations), DEFAULT_TARGET)


def _run(task: _Task, solver: Solver, reason: str, limit: Limit) -> None:
    """Run a solver to a limit, with the checkpoint renewed on the way."""
    autosave = None
    if task.checkpoint is not None:
        autosave = Autosave(
            lambda path: solver.save(path, _info(task, solver, reason, solver.evaluation())),
            task.checkpoint,
            every=task.checkpoint_seconds,
            spacing=0.0,
        )
    solver.run(limit, task.progress, autosave)


def _solve_to_limit(
    task: _Task, solver: Solver, reason: str, limit: Limit | None = None
) -> SolveResult[Any]:
    """Run a solver to the limit, unless Ctrl-C stopped it before; evaluate and save what it has."""
    if not solver.stopped:
        _run(task, solver, reason, limit or _limit_of(task, solver))
    evaluation = solver.evaluation()
    result: SolveResult[Any] = SolveResult(
        solver.strategy(_info(task, solver, reason, evaluation)),
        evaluation,
        solver.algorithm,
        reason,
        solver.iterations,
        solver.seconds,
        solver.stopped,
        solver if solver.state() else None,
        _trace(solver, evaluation),
    )
    if task.checkpoint is not None:
        return replace(result, file=save_somewhere(result.save, task.checkpoint))
    return result


def _trace(solver: Solver, evaluation: Evaluation) -> tuple[Progress, ...]:
    """The solver's trace, with this moment as its last point."""
    now = Progress(solver.algorithm, solver.iterations, solver.seconds, evaluation.exploitability)
    return (*(point for point in solver.trace if point.iterations < now.iterations), now)


def _info(task: _Task, solver: Solver, reason: str, evaluation: Evaluation) -> dict[str, Any]:
    """What a strategy file says of how it was made."""
    if isinstance(task.form, PublicGame):
        nodes, infosets = task.form.shapes.num_public_nodes, task.form.shapes.num_infosets
    else:
        nodes, infosets = task.form.tree.num_histories, task.form.tree.num_infosets
    info = {
        **solver.facts(),
        "reason": reason,
        "seconds": solver.seconds,
        **evaluation.as_dict(),
        "nodes": nodes,
        "infosets": infosets,
        "build_seconds": solver.build_seconds,
        "device": solver.device_name,
        "note": caveat(solver.game),
        "trace": [[p.iterations, p.seconds, p.exploitability] for p in _trace(solver, evaluation)],
    }
    if solver.device_note:
        info["device_note"] = solver.device_note
    house_sum = getattr(solver.game, "house_sum", None)
    if house_sum is not None:
        info["payoffs"] = [*evaluation.value, house_sum - sum(evaluation.value)]
    return info
