"""What all iterating solvers share: stepping, running to a limit, saving and resuming exactly.

A solver's whole state is a handful of arrays that its kernel changes in place, iteration counter
included, so a run may be cut anywhere between two kernel calls (Ctrl-C, a checkpoint, another
chunk size) without changing a bit of what follows. A saved file is a strategy file with the
state beside it: it can be played and shown like any other, and resumed.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import FileFormatError
from riverboat.games.base import Game
from riverboat.games.registry import make_game
from riverboat.solvers.frame import RunningSolver
from riverboat.solvers.limits import Limit, Progress, ProgressCallback
from riverboat.strategies.files import read_arrays, write_arrays
from riverboat.strategies.profile import check_same_game, strategy_on
from riverboat.strategies.store import KIND, strategy_arrays, strategy_from_arrays
from riverboat.strategies.strategy import Strategy
from riverboat.trees.best_response import Evaluation, evaluate_profile
from riverboat.trees.game_tree import MEMORY_LIMIT, GameTree, build_tree
from riverboat.trees.sequence_form import SequenceForm, sequence_form

__all__ = ["Checkpoint", "IterativeSolver", "Origin", "read_checkpoint", "read_origin"]

PREFIX = "solver."
CHUNK_SECONDS = 0.1
"""How long a kernel call should take: what Ctrl-C has to wait, and the beat of progress."""


class Origin(NamedTuple):
    """What a file's header says of the solver that wrote it."""

    algorithm: str
    seed: int
    seconds: float
    reason: str

    @classmethod
    def of(cls, solver: RunningSolver[Any], facts: Mapping[str, Any]) -> Origin:
        return cls(solver.algorithm, solver.seed, solver.seconds, str(facts.get("reason", "")))


def read_origin(path: str | Path, header: Mapping[str, Any]) -> Origin:
    """The origin in a file's header; `path` is for the message only."""
    solver = header.get("solver")
    if not isinstance(solver, dict):
        raise FileFormatError(
            f"{path} holds a finished strategy and no solver to go on with; solve anew."
        )
    try:
        return Origin(
            str(solver["algorithm"]),
            int(solver["seed"]),
            float(solver["seconds"]),
            str(solver["reason"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise FileFormatError(f"{path} is damaged: its header is incomplete.") from error


class IterativeSolver(ABC):
    """A solver in the middle of its work."""

    algorithm: str
    """Its name and parameters, as solve() takes them."""
    sampled = False
    """Whether an iteration goes through a part of the game only."""

    def __init__(
        self, source: GameTree | SequenceForm, algorithm: str = "", *, seed: int = 0
    ) -> None:
        self.algorithm = algorithm
        self.form = source if isinstance(source, SequenceForm) else sequence_form(source)
        self.tree: GameTree = self.form.tree
        self.seed = seed
        self.seconds = 0.0
        self.stopped = False
        self.clock = np.zeros(2, np.int64)
        self.gap = np.full(1, np.nan)

    @classmethod
    def load(cls, path: str | Path, *, memory_limit: int = MEMORY_LIMIT) -> Self:
        """The solver that a file was saved from, ready to go on."""
        checkpoint = read_checkpoint(path)
        tree = build_tree(checkpoint.game(), memory_limit=memory_limit)
        solver = cls(tree, checkpoint.algorithm)
        solver.restore(checkpoint)
        return solver

    @property
    def iterations(self) -> int:
        return int(self.clock[0])

    @abstractmethod
    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that changes from iteration to iteration, by name; live arrays."""

    @abstractmethod
    def probabilities(self) -> NDArray[np.float64]:
        """(A,) the average strategy."""

    @abstractmethod
    def advance(self, iterations: int, target: float) -> None:
        """Run so many iterations, or until NashConv is at most `target`; below 0 means never."""

    def step(self) -> None:
        """One iteration."""
        self.advance(1, -1.0)

    def evaluation(self) -> Evaluation:
        """The average strategy's value and best responses."""
        return evaluate_profile(self.form, self.probabilities())

    def strategy(self, info: Mapping[str, Any] | None = None) -> Strategy:
        """The average strategy."""
        facts = {"algorithm": self.algorithm, "iterations": self.iterations, "seed": self.seed}
        return strategy_on(self.tree, self.probabilities(), {**facts, **(info or {})})

    def run(self, limit: Limit, progress: ProgressCallback | None = None) -> None:
        """Iterate until the limit; Ctrl-C ends the run early, leaves all intact, sets `stopped`."""
        target = -1.0 if limit.target is None else limit.target * self.tree.num_players
        self.stopped = False
        try:
            self.advance(0, target)  # compiles, so that no limit of time is spent on that
            start, before, chunk = time.perf_counter(), self.seconds, 1
            while not self._reached(limit, target, time.perf_counter() - start):
                if limit.iterations is not None:
                    chunk = min(chunk, limit.iterations - self.iterations)
                since = time.perf_counter()
                self.advance(chunk, target)
                now = time.perf_counter()
                self.seconds = before + now - start
                chunk = self._next_chunk(chunk, now - since, limit, now - start)
                if progress is not None:
                    progress(self.progress())
        except KeyboardInterrupt:
            self.stopped = True

    def progress(self) -> Progress:
        """Where the solver stands."""
        return Progress(
            self.algorithm, self.iterations, self.seconds, self.evaluation().exploitability
        )

    def _reached(self, limit: Limit, target: float, elapsed: float) -> bool:
        return (
            (limit.iterations is not None and self.iterations >= limit.iterations)
            or (limit.seconds is not None and elapsed >= limit.seconds)
            or (self.gap[0] <= target)
        )

    def _next_chunk(self, chunk: int, took: float, limit: Limit, elapsed: float) -> int:
        """As many iterations as fit in CHUNK_SECONDS and in what is left of the time."""
        room = CHUNK_SECONDS
        if limit.seconds is not None:
            room = min(room, limit.seconds - elapsed)
        return max(1, min(4 * chunk, int(chunk * room / max(took, 1e-9))))

    def save(self, path: str | Path, info: Mapping[str, Any] | None = None) -> None:
        """Write the average strategy and the state; CFRSolver.load and solve(resume=…) read it."""
        facts = {"seconds": self.seconds, **(info or {})}
        arrays, header = strategy_arrays(self.strategy(facts))
        arrays |= {PREFIX + name: array for name, array in self.state().items()}
        header["solver"] = Origin.of(self, facts)._asdict()
        write_arrays(path, KIND, arrays, header)

    def restore(self, checkpoint: Checkpoint) -> None:
        """Go on where the checkpoint stands; it must be of this algorithm and game."""
        check_same_game(self.tree.game, checkpoint.strategy)
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


class Checkpoint:
    """A file from which a solver can go on."""

    def __init__(
        self, path: str | Path, arrays: dict[str, NDArray[Any]], header: dict[str, Any]
    ) -> None:
        self.path = path
        self.strategy = strategy_from_arrays(path, arrays, header)
        self.algorithm, self.seed, self.seconds, self.reason = read_origin(path, header)
        size = len(PREFIX)
        self.arrays = {k[size:]: v for k, v in arrays.items() if k.startswith(PREFIX)}

    def game(self) -> Game:
        return make_game(self.strategy.game, self.strategy.parameters)


def read_checkpoint(path: str | Path) -> Checkpoint:
    """The checkpoint in a file; any other file is refused with a sentence."""
    return Checkpoint(path, *read_arrays(path, KIND))
