"""`blueprint:FILE`: plays a trained hold'em strategy, real bets translated into its abstract ones.

`blueprint:shipped`, or `blueprint` alone, is the one that comes with the package.
Options: `?salt=TEXT` picks another random translation of bets that the blueprint does not know;
`?purify=1` always takes the likeliest action.
"""

from __future__ import annotations

import numpy as np

from riverboat.errors import UsageError
from riverboat.games.base import Action, Game
from riverboat.holdem.abstraction.blueprint import Blueprint
from riverboat.holdem.rules.state import Holdem
from riverboat.players.coach import Advice
from riverboat.players.player import View
from riverboat.players.roster import PlayerSpec

__all__ = ["BlueprintCoach", "BlueprintPlayer", "blueprint_player", "seat_blueprint"]


class BlueprintPlayer:
    """Draws from the blueprint's probabilities."""

    def __init__(
        self, name: str, game: Holdem, blueprint: Blueprint, *, salt: str = "", purify: bool = False
    ) -> None:
        blueprint.check_game(game, name)
        self.name, self.game, self.blueprint = name, game, blueprint
        self.salt, self.purify = salt, purify

    def chances(self, view: View) -> dict[Action, float]:
        """Each action it may take here with its probability."""
        state = self.game.observed(view.player, view.infoset)
        return self.blueprint.choices(state, self.salt)

    def choose(self, view: View, rng: np.random.Generator) -> Action:
        if self.purify:
            chances = self.chances(view)
            return max(chances, key=lambda action: chances[action])
        return self.blueprint.draw(self.game.observed(view.player, view.infoset), rng, self.salt)


class BlueprintCoach:
    """Says what a blueprint would do; what each move is worth it does not know."""

    def __init__(self, game: Holdem, blueprint: Blueprint, salt: str = "") -> None:
        blueprint.check_game(game)
        self.game, self.strategy, self.salt = game, blueprint, salt

    def advise(self, view: View) -> Advice:
        state = self.game.observed(view.player, view.infoset)
        return Advice(view, self.strategy.choices(state, self.salt), {}, source="blueprint")


def blueprint_player(
    game: Game, spec: PlayerSpec, blueprint: Blueprint | None = None
) -> BlueprintPlayer:
    """`blueprint[:FILE][?salt=TEXT&purify=1]`: a trained hold'em strategy, shipped or a file's.

    The file is read unless its `blueprint` is given.
    """
    if not isinstance(game, Holdem):
        raise UsageError(f"The player {spec.text!r} plays holdem, not {game.name}.")
    unknown = set(spec.options) - {"salt", "purify"}
    if unknown:
        raise UsageError(f"The player blueprint has no option {min(unknown)!r}: salt, purify.")
    return BlueprintPlayer(
        spec.text,
        game,
        Blueprint.load(spec.argument) if blueprint is None else blueprint,
        salt=spec.options.get("salt", ""),
        purify=spec.options.get("purify", "0") not in ("0", "no", "false"),
    )


def seat_blueprint(game: Game, name: str, blueprint: Blueprint) -> BlueprintPlayer:
    """The player of a blueprint that was not read from a file."""
    if not isinstance(game, Holdem):
        raise UsageError(f"A blueprint plays holdem, not {game.name}.")
    return BlueprintPlayer(name, game, blueprint)
