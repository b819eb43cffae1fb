"""Players that need no thought at the table: uniform, and any learned strategy."""

from __future__ import annotations

import numpy as np

from riverboat.errors import FileFormatError, UsageError
from riverboat.games.base import Action, Game, parameters_of
from riverboat.games.registry import make_game
from riverboat.players.player import View
from riverboat.players.roster import PlayerSpec
from riverboat.strategies.strategy import Lookup

__all__ = ["StrategyPlayer", "UniformPlayer", "strategy_player", "uniform_player"]


class UniformPlayer:
    """Every legal action with the same probability."""

    def __init__(self, name: str = "uniform") -> None:
        self.name = name

    def choose(self, view: View, rng: np.random.Generator) -> Action:
        return view.actions[int(rng.integers(len(view.actions)))]


class StrategyPlayer:
    """Plays what a strategy says; uniformly where the strategy says nothing."""

    def __init__(self, name: str, strategy: Lookup) -> None:
        self.name = name
        self.strategy = strategy

    def choose(self, view: View, rng: np.random.Generator) -> Action:
        known = self.strategy.lookup(view.player, view.infoset) or {}
        weights = [known.get(action, 0.0) for action in view.actions]
        mark, total = rng.random() * sum(weights), 0.0
        for action, weight in zip(view.actions, weights, strict=True):
            total += weight
            if mark < total:
                return action
        return view.actions[int(rng.integers(len(view.actions)))]


def uniform_player(game: Game, spec: PlayerSpec) -> UniformPlayer:
    """`random` and `uniform`."""
    if spec.argument or spec.options:
        raise UsageError(f"The player {spec.name} takes no options, but got {spec.text!r}.")
    return UniformPlayer(spec.text)


def strategy_player(game: Game, spec: PlayerSpec) -> StrategyPlayer:
    """`strategy:FILE`."""
    from riverboat.strategies.public_strategy import load_any_strategy

    if not spec.argument:
        raise UsageError("A strategy player is written strategy:FILE.")
    strategy = load_any_strategy(spec.argument)
    check_same_game(game, strategy, spec.argument)
    return StrategyPlayer(spec.text, strategy)


def check_same_game(game: Game, strategy: Lookup, source: str) -> None:
    """Refuse a strategy that was made for another game or for other parameters."""
    made_for = make_game(strategy.game, strategy.parameters)
    if made_for != game:
        raise FileFormatError(
            f"{source} is a strategy for {_title(made_for)}, not for {_title(game)}."
        )


def _title(game: Game) -> str:
    inside = ", ".join(f"{key}={value}" for key, value in parameters_of(game).items())
    return f"{game.name}({inside})"
