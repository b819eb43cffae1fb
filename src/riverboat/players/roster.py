"""Players by name. A spec is `name[:argument][?key=value&key=value]`, e.g. `strategy:kuhn.rb`."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from riverboat.errors import UnknownNameError, UsageError
from riverboat.games.base import Game
from riverboat.players.player import Player

__all__ = ["PLAYERS", "PlayerSpec", "make_player", "parse_spec"]

PLAYERS: dict[str, str] = {
    "random": "riverboat.players.simple:uniform_player",
    "uniform": "riverboat.players.simple:uniform_player",
    "strategy": "riverboat.players.simple:strategy_player",
    "holdem": "riverboat.holdem.sparring:holdem_player",
    "blueprint": "riverboat.holdem.blueprint_player:blueprint_player",
    "basic": "riverboat.twentyone.players:basic",
    "q": "riverboat.twentyone.players:q",
    "mcts": "riverboat.blackjack.search.mcts_player:mcts",
}
"""Name → "module:factory"; a factory takes (game, spec) and returns a Player."""


@dataclass(frozen=True)
class PlayerSpec:
    """A player's text taken apart."""

    text: str
    name: str
    argument: str
    options: dict[str, str]


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


def make_player(game: Game, text: str) -> Player:
    """The player that a spec names, ready to sit down at `game`."""
    spec = parse_spec(text)
    if spec.name not in PLAYERS:
        raise UnknownNameError.among("player", spec.name, PLAYERS)
    module, _, attribute = PLAYERS[spec.name].partition(":")
    factory = getattr(importlib.import_module(module), attribute)
    return cast("Callable[[Game, PlayerSpec], Player]", factory)(game, spec)
