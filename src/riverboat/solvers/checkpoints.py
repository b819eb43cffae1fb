"""Checkpoints: strategy files with a solver's state beside the strategy.

Such a file can be played and shown like any other, and resumed. The state's arrays are named
`solver.…`; what the strategy itself holds (the weights of a public tree) is not written twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from riverboat.errors import FileFormatError
from riverboat.games.base import Game
from riverboat.games.registry import make_game
from riverboat.strategies.files import read_arrays, write_arrays
from riverboat.strategies.public_strategy import (
    PUBLIC_KIND,
    PublicStrategy,
    public_strategy_from_arrays,
    save_public_strategy,
)
from riverboat.strategies.store import KIND, strategy_arrays, strategy_from_arrays
from riverboat.strategies.strategy import Strategy

if TYPE_CHECKING:
    from riverboat.solvers.solver import Solver

__all__ = ["Checkpoint", "read_checkpoint", "save_any_strategy", "save_checkpoint"]

PREFIX = "solver."
IN_STRATEGY = "weights"


class Checkpoint:
    """A file from which a solver can go on."""

    def __init__(
        self, path: str | Path, arrays: dict[str, NDArray[Any]], header: dict[str, Any]
    ) -> None:
        self.path = path
        size = len(PREFIX)
        self.arrays = {k[size:]: v for k, v in arrays.items() if k.startswith(PREFIX)}
        self.strategy: Strategy | PublicStrategy
        if header["kind"] == PUBLIC_KIND:
            self.strategy = public_strategy_from_arrays(path, arrays, header)
            self.arrays[IN_STRATEGY] = self.strategy.weights.ravel()
        else:
            self.strategy = strategy_from_arrays(path, arrays, header)
        solver = header.get("solver")
        if not isinstance(solver, dict):
            raise FileFormatError(
                f"{path} holds a finished strategy and no solver to go on with; solve anew."
            )
        try:
            self.algorithm, self.reason = str(solver["algorithm"]), str(solver["reason"])
            self.seed, self.seconds = int(solver["seed"]), float(solver["seconds"])
            rows = self.strategy.info.get("trace", ())
            self.trace = [(int(t), float(s), float(gap)) for t, s, gap in rows]
        except (KeyError, TypeError, ValueError) as error:
            raise FileFormatError(f"{path} is damaged: its header is incomplete.") from error

    def game(self) -> Game:
        return make_game(self.strategy.game, self.strategy.parameters)


def read_checkpoint(path: str | Path) -> Checkpoint:
    """The checkpoint in a file; any other file is refused with a sentence."""
    return Checkpoint(path, *read_arrays(path, KIND, PUBLIC_KIND))


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
    """Write a strategy of either kind and what stands beside it; whole or not at all."""
    if isinstance(strategy, PublicStrategy):
        save_public_strategy(path, strategy, extra, header)
        return
    arrays, own = strategy_arrays(strategy)
    write_arrays(path, KIND, {**arrays, **(extra or {})}, {**own, **(header or {})})
