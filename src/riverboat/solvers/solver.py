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
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
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


MEASURING_SHARE = 0.1  # Share of the time that evaluations for progress may take…
FREE_MEASURING_SECONDS = 0.2
"""…beyond these, within which the trace has the same points in every run."""
MARKS = 3  # Points of a trace for each doubling of the iterations


class Solver(ABC):
    """A solver in the middle of its work."""

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

    @property
    def iterations(self) -> int:
        return int(self.clock[0])

    @property
    def finished(self) -> bool:
        """Whether nothing is left to do, whatever the limit: an exact answer was found."""
        return False

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
        self.advance(0, -1.0 if limit.target is None else limit.target)
        self.evaluation()

    def step(self) -> None:
        """One iteration."""
        self.advance(1)

    def advance(self, iterations: int, target: float = -1.0) -> None:
        """Run `iterations`, or until NashConv is at most `target`; below 0 means never."""
        if target < 0 or iterations == 0:
            self.iterate(iterations)
            return
        end = self.iterations + iterations
        first, share = self.pause
        while self.iterations < end:
            self.iterate(max(1, min(end, int(self.clock[1])) - self.iterations))
            if self.iterations >= self.clock[1]:
                self.gap[0] = self.nash_conv()
                self.clock[1] = self.iterations + first + self.iterations // share
                if self.gap[0] <= target:
                    return

    def run(
        self,
        limit: Limit,
        progress: ProgressCallback | None = None,
        autosave: Autosave | None = None,
    ) -> None:
        """Iterate until the limit; a stop ends the run early, leaves all intact, sets `stopped`.

        Where nothing was learned by then that could be kept, it is raised as an interrupt.
        """
        target = -1.0 if limit.target is None else limit.target * self.game.num_players
        with stop_on_signals() as stop:
            self.prepare(limit)
            if target >= 0 and self.iterations and math.isnan(self.gap[0]):
                self.gap[0] = self.evaluation().nash_conv
            steps = _Steps(self, target, progress)
            self.stopped = run(
                steps,
                Limit(limit.iterations, None, limit.seconds),
                progress=None if progress is None else steps.report,
                marks=lambda done, _: _next_mark(done),
                autosave=autosave,
                stop=stop,
                toward=limit.target,
            )
        if self.stopped and not (self.iterations and self.state()):
            raise KeyboardInterrupt

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


def _next_mark(iterations: int) -> int:
    """The first number of iterations after these at which a trace has a point."""
    step = math.floor(MARKS * math.log2(iterations)) if iterations else 0
    while round(2 ** (step / MARKS)) <= iterations:
        step += 1
    return round(2 ** (step / MARKS))


class _Steps:
    """A solver as a run drives it: it stops at its target and keeps its trace."""

    def __init__(self, solver: Solver, target: float, progress: ProgressCallback | None) -> None:
        self.solver, self.target, self._progress = solver, target, progress
        self.algorithm = solver.algorithm
        self._began, self._reporting = time.perf_counter(), 0.0

    @property
    def iterations(self) -> int:
        return self.solver.iterations

    def advance(self, count: int) -> None:
        since = time.perf_counter()
        self.solver.advance(count, self.target)
        self.solver.seconds += time.perf_counter() - since

    @property
    def seconds(self) -> float:
        return self.solver.seconds

    def evaluate(self) -> float:
        """One more point of the trace, where there is time for it."""
        with self._reporting_time() as allowed:
            if not allowed:
                return math.nan
            self.solver.trace.append(self.solver.progress())
        return self.solver.trace[-1].exploitability

    @property
    def finished(self) -> bool:
        return self.solver.finished or bool(self.solver.gap[0] <= self.target)

    def report(self, now: Progress) -> None:
        """Report progress with the exploitability of this moment."""
        trace = self.solver.trace
        with self._reporting_time() as allowed:
            if allowed and self._progress is not None:
                last = trace[-1] if trace and trace[-1].iterations == now.iterations else None
                found = last or self.solver.progress()
                self._progress(replace(now, exploitability=found.exploitability))

    @contextmanager
    def _reporting_time(self) -> Iterator[bool]:
        """Whether there is time to measure for others: a part of all of it, and a little more."""
        since = time.perf_counter()
        spare = MEASURING_SHARE * (since - self._began)
        yield self._reporting <= FREE_MEASURING_SECONDS + spare
        self._reporting += time.perf_counter() - since

    def save(self, path: str | Path) -> None:
        self.solver.save(path)


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
