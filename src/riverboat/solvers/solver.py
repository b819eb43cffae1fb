"""Solver: what every solver is, how it runs, and the files it goes on from.

A solver's whole state is a handful of arrays that its kernels change in place, iteration counter
included, so a run may be cut anywhere between two calls of `advance` (Ctrl-C, a checkpoint,
another chunk size) without changing a bit of what follows.

A checkpoint is a strategy file that also holds the solver's state: it can be played and shown like
any other, and resumed. The state's arrays are named `solver.…`; what the strategy itself holds (the
weights of a public tree) is not written twice.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import FileFormatError
from riverboat.games.base import Game
from riverboat.games.registry import make_game
from riverboat.runtime.stopping import current_stop, stop_on_signals
from riverboat.solvers.run import Autosave, Limit, Progress, ProgressCallback, run
from riverboat.strategies.files import Contents, read_contents, write_arrays
from riverboat.strategies.public_strategy import (
    PUBLIC_KIND,
    PublicStrategy,
    public_strategy_in,
    save_public_strategy,
)
from riverboat.strategies.strategy import (
    KIND,
    Strategy,
    check_same_game,
    strategy_arrays,
    strategy_in,
    strategy_on,
)
from riverboat.trees.best_response import Evaluation, evaluate_profile
from riverboat.trees.game_tree import MEMORY_LIMIT, GameTree, build_tree
from riverboat.trees.sequence_form import SequenceForm, sequence_form

PREFIX = "solver."
IN_STRATEGY = "weights"
UNSIGNED = ("average", "behaviour", "clock", "current", "weights")
"""Arrays of a solver's state without negative numbers."""
MAX_ITERATIONS = 2**53
MEASURING_SHARE = 0.1  # Share of the time that evaluations for progress may take…
FREE_MEASURING_SECONDS = 0.2
"""…beyond this many seconds, within which the trace has the same points in every run."""
MARKS = 3  # Points of a trace for each doubling of the iterations
NEVER = -1.0  # The target of a run without one: NashConv is never below 0


class Checkpoint:
    """A file from which a solver can go on."""

    def __init__(self, contents: Contents) -> None:
        self.path = contents.path
        size = len(PREFIX)
        self.arrays = {k[size:]: v for k, v in contents.arrays.items() if k.startswith(PREFIX)}
        for name, array in self.arrays.items():
            if name == "gap":  # NaN before the first evaluation
                contents.need((np.isnan(array) | (array >= 0)).all(), "its gap is wrong")
                continue
            low = 0 if name in UNSIGNED else None
            high = MAX_ITERATIONS if name == "clock" else None
            contents.array(PREFIX + name, array.dtype, shape=(len(array),), low=low, high=high)
        self.strategy: Strategy | PublicStrategy
        if contents.header["kind"] == PUBLIC_KIND:
            self.strategy = public_strategy_in(contents)
            self.arrays[IN_STRATEGY] = self.strategy.weights.ravel()
        else:
            self.strategy = strategy_in(contents)
        if not isinstance(contents.header.get("solver"), dict):
            raise FileFormatError(
                f"{self.path} holds a finished strategy and no solver to go on with; solve anew."
            )
        solver = contents.table("solver")
        self.algorithm = contents.text("algorithm", of=solver)
        self.reason = contents.text("reason", of=solver)
        self.seed = contents.integer("seed", high=2**128, of=solver)
        self.seconds = contents.number("seconds", of=solver)
        self.trace = [(int(t), s, gap) for t, s, gap in self.strategy.info.get("trace", ())]

    def game(self) -> Game:
        return make_game(self.strategy.game, self.strategy.parameters)


def read_checkpoint(path: str | Path) -> Checkpoint:
    """The checkpoint in a file; any other file is refused with a sentence."""
    with read_contents(path, KIND, PUBLIC_KIND) as contents:
        return Checkpoint(contents)


def save_checkpoint(path: str | Path, solver: Solver, facts: Mapping[str, Any]) -> None:
    """Write a solver's average strategy, with `facts` in its info, and its state."""
    state = {PREFIX + name: a for name, a in solver.state().items() if name != IN_STRATEGY}
    origin = {
        "algorithm": solver.algorithm,
        "seed": solver.seed,
        "seconds": solver.seconds,
        "reason": str(facts.get("reason", "")),
    }
    save_any_strategy(path, solver.strategy(facts), state, {"solver": origin} if state else {})


def save_any_strategy(
    path: str | Path,
    strategy: Strategy | PublicStrategy,
    extra: Mapping[str, NDArray[Any]] | None = None,
    header: Mapping[str, Any] | None = None,
) -> None:
    """Write a strategy of either kind with a solver's state; whole or not at all."""
    if isinstance(strategy, PublicStrategy):
        save_public_strategy(path, strategy, extra, header)
        return
    arrays, own = strategy_arrays(strategy)
    write_arrays(path, KIND, {**arrays, **(extra or {})}, {**own, **(header or {})})


class Solver(ABC):
    """A solver in the middle of its work, which `riverboat.solvers.run` drives."""

    device_name: ClassVar[str] = "cpu"  # What it computes on
    sampled: bool = False  # Whether an iteration goes through a part of the game only
    pause: ClassVar[tuple[int, int]] = (1, 8)
    """With a target, NashConv after t iterations is evaluated again after a + t // b more."""
    kept: ClassVar[tuple[str, ...]] = ()  # The arrays that change from iteration to iteration

    def __init__(self, game: Game, algorithm: str, seed: int) -> None:
        self.game = game
        self.algorithm = algorithm
        """Its name and parameters, as solve() takes them."""
        self.seed = seed
        self.seconds = 0.0
        """Spent iterating: without compilation, and without measuring for others."""
        self.stopped = False
        """Whether a stop ended the last run."""
        self.trace: list[Progress] = []
        """Where it stood after 1, 2, 3, 4, 5, 6, 8, 10, 13, 16 … iterations."""
        self.clock = np.zeros(2, np.int64)
        """(2,) iterations done; iteration from which NashConv is due again."""
        self.gap = np.full(1, np.nan)
        """(1,) NashConv at the last evaluation."""
        self.device_note = ""
        """Why it does not run on a GPU, where that was left to choose."""
        self.build_seconds = 0.0
        """Spent making the tree and the arrays it iterates on."""
        self._target = NEVER
        """NashConv at which this run stops."""
        self._measuring = _MeasuringTime()

    @property
    def iterations(self) -> int:
        return int(self.clock[0])

    @property
    def finished(self) -> bool:
        """Whether nothing is left to do: the target is met, or an exact answer was found."""
        return bool(self.gap[0] <= self._target)

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that changes from iteration to iteration, by name; live arrays."""
        return {name: getattr(self, name) for name in self.kept}

    @abstractmethod
    def evaluation(self) -> Evaluation:
        """The average strategy's value and best responses."""

    def nash_conv(self) -> float:
        """The average strategy's NashConv; some have it quicker than by evaluation."""
        return self.evaluation().nash_conv

    @abstractmethod
    def strategy(self, info: Mapping[str, Any] | None = None) -> Strategy | PublicStrategy:
        """The average strategy."""

    @abstractmethod
    def iterate(self, iterations: int) -> None:
        """Run that many iterations; 0 compiles what they need."""

    def prepare(self, limit: Limit) -> None:
        """What must be done before the clock starts, compilation above all."""
        self.iterate(0)
        self.evaluation()

    def step(self) -> None:
        """One iteration."""
        self.iterate(1)

    def run(
        self,
        limit: Limit,
        progress: ProgressCallback | None = None,
        autosave: Autosave | None = None,
    ) -> None:
        """Iterate until the limit; a stop ends the run early, leaves all intact, sets `stopped`.

        Where nothing was learned by then that could be kept, it is raised as an interrupt.
        """
        with stop_on_signals() as stop:
            self.prepare(limit)
            self._target = NEVER if limit.target is None else limit.target * self.game.num_players
            if limit.target is not None and self.iterations and math.isnan(self.gap[0]):
                self.gap[0] = self.evaluation().nash_conv
            self._measuring = _MeasuringTime()
            self.stopped = run(
                self,
                limit,
                progress=None if progress is None else partial(self._report, progress),
                marks=lambda done, _: _next_mark(done),
                autosave=autosave,
                stop=stop,
                own_target=True,
            )
            self._target = NEVER
        if self.stopped and not (self.iterations and self.state()):
            raise KeyboardInterrupt

    def advance(self, iterations: int) -> None:
        """Run that many iterations, or until NashConv is at most this run's target."""
        since, end = time.perf_counter(), self.iterations + iterations
        if self._target == NEVER:
            self.iterate(iterations)
        first, share = self.pause
        while self._target != NEVER and self.iterations < end and not self.finished:
            self.iterate(max(1, min(end, int(self.clock[1])) - self.iterations))
            if self.iterations >= self.clock[1]:
                self.gap[0] = self.nash_conv()
                self.clock[1] = self.iterations + first + self.iterations // share
        self.seconds += time.perf_counter() - since

    def evaluate(self) -> float:
        """One more point of the trace, where there is time for it; its exploitability."""
        with self._measuring as allowed:
            if not allowed:
                return math.nan
            self.trace.append(self.progress())
        return self.trace[-1].exploitability

    def _report(self, progress: ProgressCallback, now: Progress) -> None:
        """Report progress with the exploitability of this moment, where there is time for it."""
        with self._measuring as allowed:
            if allowed:
                last = self.trace[-1] if self.trace else None
                if last is None or last.iterations != now.iterations:
                    last = self.progress()
                progress(replace(now, exploitability=last.exploitability))

    def interrupted(self) -> bool:
        """Whether the run is to stop."""
        return current_stop().requested

    def progress(self) -> Progress:
        """The progress of the solver."""
        gap = self.nash_conv() / self.game.num_players
        return Progress(self.algorithm, self.iterations, self.seconds, gap)

    def __repr__(self) -> str:
        name = type(self).__name__
        return f"<{name} {self.game.name}: {self.algorithm}, {self.iterations:,} iterations>"

    def facts(self) -> dict[str, Any]:
        """What every strategy of a solver says of how it was made."""
        return {"algorithm": self.algorithm, "iterations": self.iterations, "seed": self.seed}

    def save(self, path: str | Path, info: Mapping[str, Any] | None = None) -> None:
        """Write the average strategy and the state; `load` and solve(resume=…) read it."""
        save_checkpoint(path, self, {"seconds": self.seconds, **(info or {})})

    def restore(self, checkpoint: Checkpoint) -> None:
        """Continue from a checkpoint; it must be of this algorithm and game."""
        check_same_game(self.game, checkpoint.strategy, str(checkpoint.path))
        if checkpoint.algorithm != self.algorithm:
            raise FileFormatError(
                f"{checkpoint.path} was solved by {checkpoint.algorithm}, not by {self.algorithm}."
            )
        live = self.state()
        for name, array in live.items():
            saved = checkpoint.arrays.get(name)
            if saved is None or saved.shape != array.shape or saved.dtype != array.dtype:
                raise FileFormatError(
                    f"{checkpoint.path} is damaged: the solver's {name} cannot be read."
                )
        for name, array in live.items():
            array[...] = checkpoint.arrays[name]
        self.seed, self.seconds = checkpoint.seed, checkpoint.seconds
        self.trace = [
            Progress(self.algorithm, *row) for row in checkpoint.trace if row[0] < self.iterations
        ]


class _MeasuringTime:
    """The time that a run measures for others: a share of all of it, and a little more."""

    def __init__(self) -> None:
        self._began, self._spent, self._since = time.perf_counter(), 0.0, 0.0

    def __enter__(self) -> bool:
        """Whether there is time to measure."""
        self._since = time.perf_counter()
        return self._spent <= FREE_MEASURING_SECONDS + MEASURING_SHARE * (self._since - self._began)

    def __exit__(self, *_: object) -> None:
        self._spent += time.perf_counter() - self._since


def _next_mark(iterations: int) -> int:
    """The first number of iterations after these at which a trace has a point."""
    step = math.floor(MARKS * math.log2(iterations)) if iterations else 0
    while round(2 ** (step / MARKS)) <= iterations:
        step += 1
    return round(2 ** (step / MARKS))


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
