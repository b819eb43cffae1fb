"""solve(): a game in, a strategy with its value and exploitability out.

It chooses the form itself: games that hand in public shapes (the duel) are solved on a public
tree, all others on a game tree. `nodes` in the strategy's `info` counts histories, or public nodes
with their ends. Where a house shares the stakes (the duel's dealer), `payoffs` adds what it gets.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from riverboat.errors import UsageError
from riverboat.games.base import Game
from riverboat.games.contract import check_game
from riverboat.runtime.cuda import GpuDevice
from riverboat.runtime.stopping import current_stop, stop_on_signals
from riverboat.runtime.storage import check_writable
from riverboat.solvers._choice import (
    PUBLIC_FROM,
    RACE_FACTOR,
    RACE_START,
    RACERS,
    SEQUENCES_FROM,
    Choice,
    Costs,
    DeviceChoice,
    choose_algorithm,
    choose_on_gpu,
    device_choice,
    sequence_size,
)
from riverboat.solvers._public_cfr import PublicCFRSolver
from riverboat.solvers.algorithms import AlgorithmSpec, algorithms, parse_algorithm
from riverboat.solvers.result import SolveResult, caveat
from riverboat.solvers.run import Autosave, Limit, Progress, ProgressCallback, save_somewhere
from riverboat.solvers.solver import Checkpoint, Solver, read_checkpoint
from riverboat.strategies.public_strategy import PublicStrategy
from riverboat.strategies.strategy import check_same_game
from riverboat.trees import game_tree, public_tree
from riverboat.trees.game_tree import GameTree, build_tree, check_tree
from riverboat.trees.public_games import PublicGame, has_shapes, public_game
from riverboat.trees.sequence_form import sequence_form

__all__ = ["DEFAULT_TARGET", "SolveResult", "solve"]

DEFAULT_TARGET = 1e-6  # Exploitability at which a run without a limit stops…
DEFAULT_ITERATIONS = 100_000  # Iteration limit of a run without an explicit limit
DEFAULT_SAMPLES = 1_000_000  # The same for sampling algorithms
CHECKPOINT_SECONDS = 5.0
COSTS = Costs()
ON_PUBLIC_TREES = Choice("pdcfr+", "the quickest on public trees")


def solve(
    game: Game | GameTree | PublicGame,
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
    """Solve `game` up to one limit: a total of iterations, an exploitability, or seconds.

    Without a limit it stops at an exploitability of 1e-6, or after 100,000 iterations (sampling:
    after a million). `checkpoint` is a file that is renewed every `checkpoint_seconds` and at the
    end; `resume` is such a file, or any saved result of an iterating algorithm, to go on from.
    A GameTree or a PublicGame in place of a game decides the form. `threads` are for public trees.
    `device` is "cpu", "cuda" (a GPU, for the CFR family), or "auto": a GPU where it is quicker.
    The result is the same on both, bit by bit; files go from one to the other. `costs` are what
    "auto" chooses an algorithm by.
    """
    limit = Limit.one_of(iterations, target, seconds)
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
            form = _public_form(game, threads, memory_limit, where)
        else:
            form = _tree_form(game, memory_limit, where, costs)
        run = _Run(rules, form, limit, progress, checkpoint, checkpoint_seconds, seed, public)
        if saved is not None:
            return run.resumed(saved, spec)
        if spec.name == "auto":
            return run.automatic()
        return run.to_limit(form.make(spec, seed=seed), "asked for")


class _Make(Protocol):
    def __call__(self, spec: AlgorithmSpec, *, seed: int) -> Solver: ...


@dataclass(frozen=True)
class _Form:
    """A game as arrays: how a solver is made on them, what `auto` takes, and their sizes."""

    make: _Make
    choose: Callable[[Limit | None, float], Choice]
    facts: dict[str, Any]
    where: DeviceChoice


def _tree_form(
    game: Game | GameTree | PublicGame, memory_limit: int | None, where: DeviceChoice, costs: Costs
) -> _Form:
    began = time.perf_counter()
    memory = game_tree.MEMORY_LIMIT if memory_limit is None else memory_limit
    rules = game.game if isinstance(game, PublicGame) else game
    if isinstance(rules, GameTree):
        tree = rules
    else:
        tree = build_tree(rules, memory_limit=memory)
        check_tree(tree)
    form = sequence_form(tree)

    def make(spec: AlgorithmSpec, *, seed: int) -> Solver:
        def on_cpu() -> Solver:
            solver: Solver = algorithms()[spec.name].make(form, spec.text, seed=seed)
            return solver

        def on_gpu(gpu: GpuDevice | None) -> Solver:
            from riverboat.solvers._cfr_cuda import CudaCFRSolver

            return CudaCFRSolver(form, spec.config, seed=seed, device=gpu)

        return where.solver(spec, sequence_size(form), SEQUENCES_FROM, on_gpu, on_cpu)

    facts: dict[str, Any] = {"nodes": tree.num_histories, "infosets": tree.num_infosets}
    facts["build_seconds"] = time.perf_counter() - began
    choose = choose_on_gpu if where.wanted == "cuda" else choose_algorithm
    return _Form(make, partial(choose, form, costs=costs), facts, where)


def _public_form(
    game: Game | GameTree | PublicGame, threads: int, memory_limit: int | None, where: DeviceChoice
) -> _Form:
    public_tree.load_kernels()
    began = time.perf_counter()
    memory = public_tree.MEMORY_LIMIT if memory_limit is None else memory_limit
    rules = game.game if isinstance(game, GameTree) else game
    public = rules if isinstance(rules, PublicGame) else public_game(rules)

    def make(spec: AlgorithmSpec, *, seed: int) -> Solver:
        since, sampled, config = time.perf_counter(), spec.sampled, spec.config

        def on_cpu() -> Solver:
            return PublicCFRSolver(
                public, config, sampled=sampled, seed=seed, threads=threads, memory_limit=memory
            )

        def on_gpu(gpu: GpuDevice | None) -> Solver:
            from riverboat.solvers._cfr_cuda import CudaPublicCFRSolver

            return CudaPublicCFRSolver(public, config, seed=seed, memory_limit=memory, device=gpu)

        size = public.shapes.num_tree_slots * public.shapes.num_lanes
        solver = where.solver(spec, size, PUBLIC_FROM, on_gpu, on_cpu)
        facts["build_seconds"] += time.perf_counter() - since  # it unfolds the tree
        return solver

    shapes = public.shapes
    facts: dict[str, Any] = {"nodes": shapes.num_public_nodes, "infosets": shapes.num_infosets}
    facts["build_seconds"] = time.perf_counter() - began
    return _Form(make, lambda limit, target: ON_PUBLIC_TREES, facts, where)


@dataclass(frozen=True)
class _Run:
    """One call of solve()."""

    game: Game
    form: _Form
    limit: Limit | None
    progress: ProgressCallback | None
    checkpoint: str | Path | None
    checkpoint_seconds: float
    seed: int
    public: bool

    def automatic(self) -> SolveResult[Any]:
        """Choose and solve."""
        given = self.limit.target if self.limit is not None else None
        choice = self.form.choose(self.limit, given or DEFAULT_TARGET)
        if choice.give_up is not None:
            solver = self.make(choice.algorithm)
            try:
                return self.to_limit(solver, choice.reason, Limit(seconds=choice.give_up))
            except UsageError:
                choice = Choice("race", f"the exact LP was not done in {choice.give_up:.2g} s")
        if choice.algorithm == "race":
            return self.race(choice.reason)
        return self.to_limit(self.make(choice.algorithm), choice.reason)

    def make(self, text: str) -> Solver:
        return self.form.make(parse_algorithm(text, public=self.public), seed=self.seed)

    def resumed(self, saved: Checkpoint, spec: AlgorithmSpec) -> SolveResult[Any]:
        """Go on from a file, by its algorithm; refuse another one, or fewer iterations."""
        if spec.name != "auto" and spec.text != saved.algorithm:
            raise UsageError(
                f"{saved.path} was solved by {saved.algorithm} and can only go on with it,"
                f" not with {spec.text}."
            )
        solver = self.form.make(
            parse_algorithm(saved.algorithm, public=self.public), seed=saved.seed
        )
        solver.restore(saved)
        wanted = None if self.limit is None else self.limit.iterations
        if wanted is not None and wanted < solver.iterations:
            raise UsageError(
                f"{saved.path} has {solver.iterations} iterations already, more than the"
                f" {wanted} asked for in all; ask for more."
            )
        return self.to_limit(solver, saved.reason or "resumed")

    def race(self, reason: str) -> SolveResult[Any]:
        """DCFR against SAPCFR+ in stages, and the winner to the limit."""
        racers = [self.make(name) for name in RACERS]
        limit, stage = self.stop_at(racers[0]), RACE_START
        while stage < DEFAULT_ITERATIONS:
            for solver in racers:
                if current_stop().requested:
                    solver.stopped = True
                    break
                solver.run(Limit(stage, limit.target), self.progress, self.autosave(solver, reason))
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
        return self.to_limit(winner, reason)

    def to_limit(self, solver: Solver, reason: str, limit: Limit | None = None) -> SolveResult[Any]:
        """Run a solver to the limit, unless Ctrl-C stopped it before, and evaluate it."""
        if not solver.stopped:
            solver.run(limit or self.stop_at(solver), self.progress, self.autosave(solver, reason))
        evaluation = solver.evaluation()
        now = Progress(
            solver.algorithm, solver.iterations, solver.seconds, evaluation.exploitability
        )
        before = [point for point in solver.trace if point.iterations < now.iterations]
        result: SolveResult[Any] = SolveResult(
            solver.strategy(self.info(solver, reason)),
            evaluation,
            solver.algorithm,
            reason,
            solver.iterations,
            solver.seconds,
            solver.stopped,
            solver if solver.state() else None,
            (*before, now),
        )
        if self.checkpoint is not None:
            return replace(result, file=save_somewhere(result.save, self.checkpoint))
        return result

    def stop_at(self, solver: Solver) -> Limit:
        """The limit, or the default for this solver."""
        if self.limit is not None:
            return self.limit
        if not solver.state():
            return Limit()
        if solver.sampled:
            return Limit(max(DEFAULT_SAMPLES, solver.iterations))
        return Limit(max(DEFAULT_ITERATIONS, solver.iterations), DEFAULT_TARGET)

    def autosave(self, solver: Solver, reason: str) -> Autosave | None:
        """Renews the checkpoint, whose info says how the strategy was made."""
        if self.checkpoint is None:
            return None
        return Autosave(
            lambda path: solver.save(path, self.info(solver, reason)),
            self.checkpoint,
            every=self.checkpoint_seconds,
            spacing=0.0,
        )

    def info(self, solver: Solver, reason: str) -> dict[str, Any]:
        """What a strategy file says of how it was made."""
        found = solver.evaluation()
        points = [[p.iterations, p.seconds, p.exploitability] for p in solver.trace]
        if not points or points[-1][0] != solver.iterations:
            points.append([solver.iterations, solver.seconds, found.exploitability])
        house_sum = getattr(self.game, "house_sum", None)
        return {
            **solver.facts(),
            "reason": reason,
            "seconds": solver.seconds,
            "value": found.value,
            "best_response": found.best_response,
            "exploitability": found.exploitability,
            "nash_conv": found.nash_conv,
            **self.form.facts,
            "device": solver.device_name,
            **({"device_note": self.form.where.note} if self.form.where.note else {}),
            "note": caveat(self.game),
            "trace": points,
            **(
                {}
                if house_sum is None
                else {"payoffs": [*found.value, house_sum - sum(found.value)]}
            ),
        }
