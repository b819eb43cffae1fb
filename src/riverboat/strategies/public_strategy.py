"""PublicStrategy: what was learned on a public tree, an array of slots by lanes.

An infoset's text is found by walking the game's public shapes, so that no table of texts is
needed, however large the tree. The file is of kind "public-strategy" (strategies.files has the
format); a solver may keep its regrets beside the strategy, to go on with.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import FileFormatError, RiverboatError
from riverboat.games.base import Action, Game, ParameterValue
from riverboat.games.registry import make_game
from riverboat.strategies.any_strategy import AnyStrategy, Entry
from riverboat.strategies.files import read_arrays, write_arrays
from riverboat.strategies.public_cursor import PublicCursor
from riverboat.strategies.store import read_parameters
from riverboat.trees.public_games import PublicGame, public_game
from riverboat.trees.public_tree import Place

__all__ = [
    "PUBLIC_KIND",
    "PublicStrategy",
    "load_public_strategy",
    "public_strategy_from_arrays",
    "save_public_strategy",
]

PUBLIC_KIND = "public-strategy"


@dataclass(frozen=True, eq=False, repr=False)
class PublicStrategy(AnyStrategy):
    """A behaviour strategy for both players of a game with a public tree."""

    kind: ClassVar[str] = PUBLIC_KIND
    game: str
    parameters: Mapping[str, ParameterValue]
    weights: NDArray[np.float64]
    """(S, L) what each action of each hand weighs; divided by their sum they are probabilities."""
    info: Mapping[str, Any] = field(default_factory=dict)
    """How it was made: algorithm, iterations, seed, seconds, value, exploitability, nash_conv."""

    @cached_property
    def public(self) -> PublicGame:
        """The game's public shapes."""
        return public_game(self.rules)

    @cached_property
    def rules(self) -> Game:
        return make_game(self.game, self.parameters)

    def lookup(self, player: int, infoset: str) -> dict[Action, float] | None:
        found = self.public.locate(player, infoset)
        if found is None:
            return None
        place, lane = found
        actions = self.public.shapes.actions(place.shape)
        return dict(zip(actions, self.at(place)[:, lane].tolist(), strict=True))

    def __len__(self) -> int:
        return self.public.shapes.num_infosets

    def save(self, path: str | Path) -> None:
        """Write the strategy; the file appears whole or not at all."""
        save_public_strategy(path, self)

    def entries(self) -> Iterator[Entry]:
        """Every infoset: player, text, and the probability of each action."""
        shapes, last, rows = self.public.shapes, -1, np.empty((0, 0))
        for player, infoset, place, lane in self.public.infosets():
            if place.node != last:
                last, rows = place.node, self.at(place)
            actions = shapes.actions(place.shape)
            yield player, infoset, dict(zip(actions, rows[:, lane].tolist(), strict=True))

    def walk(self, path: str = "") -> PublicCursor:
        """A cursor at the node after the moves of `path`, as in "s,h7"."""
        return PublicCursor(self).follow(path)

    def at(self, place: Place) -> NDArray[np.float64]:
        """(A, L) the probability of each action with each hand; uniform where nothing is known."""
        rows = self.weights[place.slot : place.slot + len(self.public.shapes.actions(place.shape))]
        total = rows.sum(axis=0)
        known = total > 0
        return np.where(known, rows / np.where(known, total, 1.0), 1 / rows.shape[0])


def save_public_strategy(
    path: str | Path,
    strategy: PublicStrategy,
    extra: Mapping[str, NDArray[Any]] | None = None,
    header: Mapping[str, Any] | None = None,
) -> None:
    """Write the strategy, and beside it what a solver adds; whole or not at all."""
    facts = {
        "game": strategy.game,
        "parameters": dict(strategy.parameters),
        "info": dict(strategy.info),
        **(header or {}),
    }
    write_arrays(path, PUBLIC_KIND, {"weights": strategy.weights, **(extra or {})}, facts)


def load_public_strategy(path: str | Path) -> PublicStrategy:
    """Read a strategy; a damaged or foreign file is refused with a sentence."""
    return public_strategy_from_arrays(path, *read_arrays(path, PUBLIC_KIND))


def public_strategy_from_arrays(
    path: str | Path, arrays: Mapping[str, NDArray[Any]], header: Mapping[str, Any]
) -> PublicStrategy:
    """The strategy in a file's arrays, checked; `path` is for the message only."""
    try:
        game, parameters = str(header["game"]), read_parameters(header)
        strategy = PublicStrategy(game, parameters, arrays["weights"], dict(header["info"]))
        shapes = strategy.public.shapes
    except (KeyError, AttributeError, TypeError, ValueError) as error:
        raise FileFormatError(f"{path} is damaged: a part of the strategy is missing.") from error
    except RiverboatError as error:
        raise FileFormatError(f"{path} is for a game that cannot be made: {error}") from error
    weights = strategy.weights
    if (
        weights.dtype != np.float64
        or weights.shape != (shapes.num_tree_slots, shapes.num_lanes)
        or not bool(np.all(weights >= 0))
    ):
        raise FileFormatError(f"{path} is damaged: its arrays do not fit together.")
    return strategy
