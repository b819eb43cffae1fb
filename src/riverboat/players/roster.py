"""Players by name. A spec is `name[:argument][?key=value&key=value]`, e.g. `strategy:kuhn.rb`.

A file alone, `kuhn.rb`, is a player too: what it holds decides which. `my_bot.py:MyBot` is a class
of the user's own (players/own_bots.py). Other packages add players by register_player() or by entry
points of the group `riverboat.players`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol, TypeAlias, cast

import numpy as np

from riverboat.errors import UnknownNameError, UsageError, did_you_mean
from riverboat.games.base import Action, Game, State
from riverboat.players.player import Player
from riverboat.runtime.plugins import find, named
from riverboat.strategies.kinds import kind_of

PLAYERS: dict[str, str | Factory] = {
    "random": "riverboat.players.simple:uniform_player",
    "uniform": "riverboat.players.simple:uniform_player",
    "equilibrium": "riverboat.players.simple:equilibrium_player",
    "strategy": "riverboat.players.simple:strategy_player",
    "holdem": "riverboat.holdem.blueprints.players:holdem_player",
    "blueprint": "riverboat.holdem.blueprints.players:blueprint_player",
    "search": "riverboat.holdem.search.player:search_player",
    "basic": "riverboat.twentyone.learning.players:basic",
    "q": "riverboat.twentyone.learning.players:q",
    "mcts": "riverboat.blackjack.search.player:mcts",
    "openspiel": "riverboat.interop.openspiel_players:openspiel_player",
    "llm": "riverboat.players.language_model:language_model",
    "python": "riverboat.players.own_bots:python_player",
}
"""Name → factory, or "module:factory"; a factory takes (game, spec) and returns a Player."""


TRUSTED = ("riverboat.interop.openspiel_players:BotPlayer",)
"""Classes whose players are handed the whole state, hidden cards included, "module:class".

They wrap programs whose interface is a state. Nothing else at a table is.
"""


class TrustedPlayer(Protocol):
    """A player that is handed the state itself."""

    name: str

    def choose_knowing(self, state: State, rng: np.random.Generator) -> Action: ...


def as_trusted(player: Player) -> TrustedPlayer | None:
    """The player itself if its class is one of TRUSTED; a subclass is not."""
    return cast(TrustedPlayer, player) if _is_trusted(type(player)) else None


@cache
def _is_trusted(kind: type) -> bool:
    name = f"{kind.__module__}:{kind.__qualname__}"
    return name in TRUSTED and find(name) is kind


@dataclass(frozen=True)
class PlayerSpec:
    """A player's text taken apart."""

    text: str
    name: str
    argument: str
    options: dict[str, str]

    def check_options(self, known: Iterable[str] = ()) -> None:
        """Refuse an option that the player does not have."""
        names = tuple(known)
        if self.options and not names:
            raise UsageError(f"The player {self.name} takes no options, but got {self.text!r}.")
        for option in self.options:
            if option not in names:
                hint = did_you_mean(option, names)
                raise UsageError(f"The player {self.name} has no option {option!r}; {hint}")

    def number(self, option: str, usual: float, low: float = 0.0, high: float = math.inf) -> float:
        """A number among the options, from `low` to `high`."""
        text = self.options.get(option)
        if text is None:
            return usual
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not low <= value <= high or math.isinf(value):
            span = f"from {low:g} on" if math.isinf(high) else f"from {low:g} to {high:g}"
            raise UsageError(f"In {self.text!r} {option} is a number {span}, not {text!r}.")
        return value

    def flag(self, option: str, *, usual: bool) -> bool:
        """Whether an option is switched on: all but 0, no and false."""
        return self.options.get(option, "1" if usual else "0") not in ("0", "no", "false")


def parse_spec(text: str) -> PlayerSpec:
    """`mcts:a?ms=5` as name "mcts", argument "a", options {"ms": "5"}."""
    head, _, query = text.partition("?")
    name, _, argument = head.partition(":")
    options: dict[str, str] = {}
    for pair in filter(None, query.split("&")):
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise UsageError(
                f"In the player {text!r} an option is written key=value, not {pair!r}."
            )
        options[key] = value
    return PlayerSpec(text, name, argument, options)


Factory: TypeAlias = Callable[[Game, PlayerSpec], Player]


def known_players() -> dict[str, str | Factory]:
    """Riverboat's players and those that other packages bring."""
    return {**named("players"), **PLAYERS}


def register_player(name: str, factory: Factory) -> Factory:
    """Make a player known by name; a name that is taken by another factory is refused."""
    if not name or any(mark in name for mark in ":?&/\\. "):
        raise UsageError(f"A player's name is a plain word, not {name!r}.")
    if name in PLAYERS and not _same(PLAYERS[name], factory):
        raise UsageError(f"There is a player {name!r} already; take another name.")
    PLAYERS[name] = factory
    return factory


def _same(known: str | Factory, factory: Factory) -> bool:
    """Whether it is the same function, perhaps defined anew in a notebook."""
    if isinstance(known, str):
        return False
    return (known.__module__, known.__qualname__) == (factory.__module__, factory.__qualname__)


def spec_of_file(text: str) -> str | None:
    """The spec of the player that a file's name stands for, with its options; None for others."""
    path, mark, options = text.partition("?")
    if path.endswith(".py") or ".py:" in path:
        return f"python:{text}"
    if not (path.endswith(".rb") or _is_file(path)):
        return None
    kind = kind_of(path)
    if not kind.player:
        raise UsageError(f"{path} holds {kind.title} and cannot play: {kind.instead.format(path)}.")
    spec = kind.player.format(path)
    return f"{spec}{'&' if '?' in spec else '?'}{options}" if mark else spec


def _is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except (OSError, ValueError):  # no system has such a name
        return False


def make_player(game: Game, text: str) -> Player:
    """The player that a spec names, ready to sit down at `game`."""
    spec = parse_spec(text)
    factory = PLAYERS.get(spec.name) or named("players").get(spec.name)
    if factory is None:
        file = spec_of_file(text)
        if file is not None:
            return make_player(game, file)
        raise UnknownNameError.among("player", spec.name, known_players())
    make = cast(Factory, find(factory)) if isinstance(factory, str) else factory
    return make(game, spec)
