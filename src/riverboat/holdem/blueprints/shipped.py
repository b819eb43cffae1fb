"""The blueprint that comes with the package, and the game that a blueprint's file is for.

`shipped` stands for it wherever a blueprint's file is taken: `blueprint:shipped` as a player,
`Blueprint.load("shipped")`, `riverboat holdem show shipped`. tools/make_blueprint.py makes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, cast

from riverboat.errors import FileFormatError
from riverboat.games.base import ParameterValue, parameters_of
from riverboat.games.registry import make_game
from riverboat.holdem.blueprints.translation import same_shape
from riverboat.holdem.rules.state import Holdem
from riverboat.players.roster import PlayerSpec, known_players, parse_spec, spec_of_file
from riverboat.strategies.files import read_header

SHIPPED = "shipped"


def shipped_path() -> Path:
    """Where the file lies."""
    return Path(str(resources.files("riverboat.holdem") / "shipped" / "headsup.rb"))


def blueprint_path(name: str | Path) -> Path:
    """The file of a blueprint: a path, or `shipped` (also nothing at all) for the package's own."""
    return shipped_path() if str(name) in ("", ".", SHIPPED) else Path(name)


def rules_of(name: str | Path) -> Holdem:
    """The game that a blueprint was trained for, from the beginning of its file."""
    path = blueprint_path(name)
    header = read_header(path, "blueprint")
    try:
        given: Mapping[str, Any] = header["config"]["game"]
    except (KeyError, TypeError) as error:
        raise FileFormatError(f"{path} is damaged: it does not say its game.") from error
    return cast(Holdem, make_game("holdem", given))


def spec_of(text: str) -> PlayerSpec:
    """A player's text taken apart, also where it is only the name of a file."""
    spec = parse_spec(text)
    return spec if spec.name in known_players() else parse_spec(spec_of_file(text) or text)


def default_opponent(given: Mapping[str, ParameterValue | str]) -> str:
    """The shipped blueprint where its game is asked for, else the player of rules."""
    shipped = f"blueprint:{SHIPPED}"
    if same_shape(game_of_players([shipped], given), rules_of(SHIPPED)):
        return shipped
    make_game("holdem", given)  # refuses what is no game
    return "holdem:rules"


def game_of_players(players: Sequence[Any], given: Mapping[str, ParameterValue | str]) -> Holdem:
    """The table at which these players sit: the game of the first blueprint among them.

    Players are written as in the roster, or are blueprints; others have no say. `given` parameters
    change the game; without a blueprint they are all there is.
    """
    known: dict[str, Any] = {}
    for player in players:
        spec = spec_of(str(player)) if isinstance(player, str | Path) else None
        if getattr(player, "kind", "") == "blueprint":
            known = parameters_of(player.rules)
        elif spec is not None and spec.name in ("blueprint", "search"):
            known = parameters_of(rules_of(spec.argument))
        if known:
            break
    return cast(Holdem, make_game("holdem", {**known, **given}))
