"""Players that need no thought at the table: uniform, and any learned strategy.

`seat` makes a player of whatever can play: a spec ("random", "kuhn.rb"), a strategy, the result of
a solve, or a player.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, TypeAlias, cast

import numpy as np

from riverboat.errors import UsageError
from riverboat.games.base import Action, Game
from riverboat.players.own_bots import OwnBot
from riverboat.players.player import Player, View
from riverboat.players.roster import PlayerSpec, make_player
from riverboat.runtime.plugins import find
from riverboat.strategies.any_strategy import AnyStrategy
from riverboat.strategies.kinds import KINDS, load_table
from riverboat.strategies.strategy import Lookup, check_same_game


class Solved(Protocol):
    """Anything that holds a strategy, as the result of a solve does."""

    @property
    def strategy(self) -> AnyStrategy: ...


Seatable: TypeAlias = str | Path | Player | AnyStrategy | Solved  # What can sit down


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
        weights = {a: weight for a, weight in known.items() if weight > 0 and a in view.actions}
        mark, total = rng.random() * sum(weights.values()), 0.0
        for action, weight in weights.items():
            total += weight
            if mark < total:
                return action
        return view.actions[int(rng.integers(len(view.actions)))]


def uniform_player(game: Game, spec: PlayerSpec) -> UniformPlayer:
    """`random` or `uniform`: every legal action with the same probability."""
    if spec.argument or spec.options:
        raise UsageError(f"The player {spec.name} takes no options, but got {spec.text!r}.")
    return UniformPlayer(spec.text)


def equilibrium_player(game: Game, spec: PlayerSpec) -> StrategyPlayer:
    """`equilibrium`: the equilibrium of a game that is small enough to be solved on the spot."""
    if spec.argument or spec.options:
        raise UsageError(f"The player {spec.name} takes no options, but got {spec.text!r}.")
    from riverboat.players.coach import coach_for  # Solving takes what no other player here needs

    return StrategyPlayer(spec.name, coach_for(game).strategy)


def strategy_player(game: Game, spec: PlayerSpec) -> Player:
    """`strategy:FILE`, or the file alone: plays a saved strategy."""
    if not spec.argument:
        raise UsageError("A strategy player is written strategy:FILE.")
    spec.check_options()
    return _seated(game, spec.text, load_table(spec.argument), spec.argument)


def seat(game: Game, who: Seatable) -> Player:
    """A player for `game` from a spec, a strategy, the result of a solve, or a player as it is."""
    if isinstance(who, str | Path):
        return make_player(game, str(who))
    strategy = getattr(who, "strategy", who) if not hasattr(who, "choose") else who
    if isinstance(strategy, AnyStrategy):
        return _seated(game, str(strategy.info.get("algorithm", strategy.kind)), strategy)
    if callable(getattr(who, "choose", None)) and not isinstance(who, type):
        named = hasattr(who, "name")
        return cast(Player, who) if named else OwnBot(type(who).__name__, cast(Player, who))
    raise UsageError(
        f"{type(who).__name__} cannot sit down; take a player's name, a file, a strategy, a result"
        " of solve, or an object with choose(view, rng)."
    )


def _seated(game: Game, name: str, strategy: AnyStrategy, source: str = "This") -> Player:
    """The player of a strategy, as its kind wants it."""
    kind = KINDS.get(strategy.kind)
    if kind is not None and kind.seat:
        return cast(Player, find(kind.seat)(game, name, strategy))
    check_same_game(game, strategy, source)
    return StrategyPlayer(name, strategy)
