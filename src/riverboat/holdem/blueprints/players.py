"""Players of hold'em: `blueprint:FILE`, and sparring partners such as `holdem:rules`.

`blueprint:shipped`, or `blueprint` alone, is the one that comes with the package; real bets are
translated into its abstract ones. `?salt=TEXT` picks another random translation of bets that it
does not know; `?purify=1` always takes the likeliest action.

Sparring partners are `holdem:fold`, `holdem:call`, `holdem:random` and `holdem:rules`. The first
three play Omaha and short deck too. The last one knows what a beginner's book knows: which hands to
play from the start, to bet good hands in proportion to the pot, to call when the price is right for
a draw, and to bluff now and then.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from riverboat.cards.plain_strength import PAIR, STRAIGHT, TWO_PAIR, strength
from riverboat.errors import UnknownNameError, UsageError
from riverboat.games.base import Action, Game
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.rules.betting import CALL, FOLD
from riverboat.holdem.rules.state import Holdem, HoldemState, is_texas_holdem
from riverboat.players.coach import Advice
from riverboat.players.player import View
from riverboat.players.roster import PlayerSpec


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
    """Says what a blueprint would do; it does not know the EVs of moves."""

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
    if not is_texas_holdem(game):
        raise UsageError(f"The player {spec.text!r} plays holdem, not {game.name}.")
    spec.check_options(("salt", "purify"))
    return BlueprintPlayer(
        spec.text,
        game,
        Blueprint.load(spec.argument) if blueprint is None else blueprint,
        salt=spec.options.get("salt", ""),
        purify=spec.flag("purify", usual=False),
    )


def seat_blueprint(game: Game, name: str, blueprint: Blueprint) -> BlueprintPlayer:
    """The player of a blueprint that was not read from a file."""
    if not is_texas_holdem(game):
        raise UsageError(f"A blueprint plays holdem, not {game.name}.")
    return BlueprintPlayer(name, game, blueprint)


Choice = Callable[[HoldemState, np.random.Generator], Action]


class HoldemPlayer:
    """Chooses from the state as its owner knows it."""

    def __init__(self, name: str, game: Holdem, choice: Choice) -> None:
        self.name, self.game, self.choice = name, game, choice

    def choose(self, view: View, rng: np.random.Generator) -> Action:
        return self.choice(self.game.observed(view.player, view.infoset), rng)


def holdem_player(game: Game, spec: PlayerSpec) -> HoldemPlayer:
    """`holdem:STYLE`: a sparring partner (fold, call, random, rules)."""
    if not isinstance(game, Holdem):
        raise UsageError(f"The player {spec.text!r} plays holdem, not {game.name}.")
    if spec.argument == "rules" and not is_texas_holdem(game):
        raise UsageError(f"The player {spec.text!r} plays holdem, not {game.name}.")
    if spec.argument not in STYLES:
        raise UnknownNameError.among("style of the player holdem", spec.argument, STYLES)
    spec.check_options()
    return HoldemPlayer(spec.text, game, STYLES[spec.argument])


def always_fold(state: HoldemState, rng: np.random.Generator) -> Action:
    """Folds whenever there is something to call."""
    return FOLD if state.betting.to_call else CALL


def always_call(state: HoldemState, rng: np.random.Generator) -> Action:
    """Checks or calls."""
    return CALL


def at_random(state: HoldemState, rng: np.random.Generator) -> Action:
    """Fold, call or raise with equal odds; the size of a raise by equal odds on a log scale."""
    raises = state.betting.raise_range()
    kinds = [FOLD] * (state.betting.to_call > 0) + [CALL] + ["r"] * (raises is not None)
    kind = kinds[int(rng.integers(len(kinds)))]
    if kind != "r" or raises is None:
        return kind
    low, high = raises
    return f"r{min(high, int(low * (high / low) ** rng.random()))}"


def by_rules(state: HoldemState, rng: np.random.Generator) -> Action:
    """A tight, straightforward game."""
    betting, good = state.betting, _merit(state)
    pot, facing = betting.pot + betting.to_call, betting.to_call > 0
    price = betting.to_call / pot if pot else 0.0
    bluff = not facing and rng.random() < 0.1
    if (good > 0.75 and betting.raises < 2) or good > 0.9 or bluff:
        return _raise_by_pot(state, 0.5 if bluff else 0.75)
    return FOLD if facing and good < price else CALL


def _raise_by_pot(state: HoldemState, share: float) -> Action:
    """A raise by a share of the pot after calling, or a call where none is allowed."""
    betting = state.betting
    raises = betting.raise_range()
    if raises is None:
        return CALL
    wanted = max(betting.bets) + int(share * (betting.pot + betting.to_call))
    return f"r{min(max(wanted, raises[0]), raises[1])}"


def _merit(state: HoldemState) -> float:
    """How good the hand looks, 0 to 1: a chart before the board, made hands and draws after."""
    hand, board = state.holes[state.actor], state.board
    top, low = hand[0] >> 2, hand[-1] >> 2
    if not board:
        suited = len(hand) > 1 and hand[0] & 3 == hand[1] & 3
        if len(hand) > 1 and top == low:
            return 0.6 + top / 30
        return (2 * top + low) / 60 + 0.08 * suited + 0.05 * (top - low == 1)
    value, shared = strength(hand + board), strength(board)
    if value[0] == shared[0]:
        # No better kind of hand than the board's own: only high cards and draws count.
        return top / 60 + (_draw(hand + board) if len(board) < 5 else 0)
    if value[0] >= TWO_PAIR:
        return 0.95 if value[0] >= STRAIGHT else 0.85
    if value[0] == PAIR:
        over = sum(1 for card in board if card >> 2 > value[1])
        return (0.78, 0.55, 0.4, 0.35)[min(over, 3)]
    return 0.3


def _draw(cards: tuple[int, ...]) -> float:
    """What a draw to a flush or an open straight adds."""
    suits = [sum(1 for card in cards if card & 3 == suit) for suit in range(4)]
    ranks = {card >> 2 for card in cards}
    runs = any(all(rank + step in ranks for step in range(4)) for rank in range(-1, 10))
    return 0.25 * (max(suits) == 4) + 0.2 * runs


STYLES: dict[str, Choice] = {
    "fold": always_fold,
    "call": always_call,
    "random": at_random,
    "rules": by_rules,
}
