"""Coaches: what the best strategy would do at a decision, and the EV of each move there.

A coach sees a View and nothing else, so it can sit behind a person at a terminal, a TUI, a
browser or a notebook, and it never knows more than the person does.

    coach = coach_for(game)              # exact where that is known, else an equilibrium
    coach.advise(view).lines()           # in words
    coach.advise(view).cost("b")         # what a move gives away
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from riverboat.evaluation.action_values import (
    EXACT,
    action_values,
    exact_values,
    public_action_values,
)
from riverboat.games.base import Action, Game, ParameterValue, Stakes, parameters_of
from riverboat.games.contract import check_game
from riverboat.players.player import View
from riverboat.strategies.public_strategy import PublicStrategy
from riverboat.strategies.strategy import Lookup, Strategy
from riverboat.trees.game_tree import GameTree
from riverboat.trees.public_tree import PublicTree, build_public_tree

TARGET = 1e-5  # How exploitable the equilibrium of a coach may be
PATIENT = 5_000  # Infosets up to which a coach waits for the equilibrium that answers mistakes best
_RARE = 0.005  # Moves played less often than this are not called part of a mixture
_SAME = 5e-3  # Values closer than this are called the same


_SLIP = 1e-7


@dataclass(frozen=True)
class Advice:
    """What a coach says about one decision."""

    view: View = field(repr=False)
    chances: dict[Action, float]  # How often the strategy makes each move
    values: dict[Action, float]  # Each move's value to the player, as far as it is known
    source: str = "equilibrium"

    @property
    def worth(self) -> dict[Action, float]:
        """The values by their name before 0.3.0."""
        return self.values

    @property
    def stakes(self) -> Stakes | None:
        return self.view.stakes()

    @property
    def pot_odds(self) -> float | None:
        """How often a call must win to pay for itself; None where there is nothing to call."""
        stakes = self.stakes
        if stakes is None or stakes.price <= 0:
            return None
        return stakes.price / (stakes.pot + stakes.price)

    @property
    def mixture(self) -> tuple[Action, ...]:
        """The moves that the strategy really makes, likeliest first."""
        real = [action for action, chance in self.chances.items() if chance >= _RARE]
        return tuple(sorted(real, key=lambda action: -self.chances[action]))

    def cost(self, action: Action) -> float | None:
        """How much less EV a move has than the best one; None where it is unknown."""
        return max(self.values.values()) - self.values[action] if action in self.values else None

    def lines(self) -> list[str]:
        """The advice in words: what to do, the price, and why it may be a mixture."""
        words = []
        order = sorted(self.view.actions, key=lambda action: -self.chances.get(action, 0.0))
        shown = [a for a in order if self.chances.get(a, 0.0) >= _RARE or len(order) <= 6]
        for action in shown:
            value = f" (EV {_signed(self.values[action])})" if action in self.values else ""
            words.append(f"{self.view.label(action)} {self.chances.get(action, 0.0):.0%}{value}")
        result = [f"{self.source}: {', '.join(words)}"]
        stakes, odds = self.stakes, self.pot_odds
        if stakes is not None and odds is not None:
            result.append(
                f"pot odds: {stakes.price:g} to win {stakes.pot:g}, so a call pays"
                f" if it wins more than {odds:.0%} of the time"
            )
        if reason := self._why_a_mixture():
            result.append(reason)
        return result

    def _why_a_mixture(self) -> str:
        mixed = self.mixture
        if len(mixed) < 2 or self.view.game.num_players == 1:
            return ""
        known = [self.values[action] for action in mixed if action in self.values]
        both = "both moves" if len(mixed) == 2 else f"these {len(mixed)} moves"
        same = len(known) == len(mixed) and max(known) - min(known) < _SAME
        value = f"{both} are worth the same, and " if same else ""
        return f"a mixture: {value}if you always make the same move, opponents can read you"


def _signed(value: float) -> str:
    return f"{value:+z.3f}"


class Adviser(Protocol):
    """Knows what to do at a decision and, where it can, the EV of every move."""

    def advise(self, view: View) -> Advice: ...


class Coach(Adviser, Protocol):
    """An adviser whose advice is a strategy that others can play."""

    @property
    def strategy(self) -> Lookup: ...


class PublicCoach:
    """A strategy on a public tree; values are worked out for the node that is asked for."""

    def __init__(self, strategy: PublicStrategy) -> None:
        self.strategy: PublicStrategy = strategy
        self._known: dict[int, NDArray[np.float64]] = {}

    @cached_property
    def tree(self) -> PublicTree:
        return build_public_tree(self.strategy.public.shapes)

    def advise(self, view: View) -> Advice:
        chances = self.strategy.lookup(view.player, view.infoset) or {}
        return Advice(view, chances, self._values(view))

    def _values(self, view: View) -> dict[Action, float]:
        located = self.strategy.public.locate(view.player, view.infoset)
        if located is None:
            return {}
        place, lane = located
        if place.node not in self._known:
            weights = self.strategy.weights
            self._known[place.node] = public_action_values(self.tree, weights, place.node)
        actions = self.strategy.public.shapes.actions(place.shape)
        values = self._known[place.node][:, lane].tolist()
        return {a: value for a, value in zip(actions, values, strict=True) if value == value}


class TreeCoach:
    """A strategy on a tree, where values can be computed for every infoset at once."""

    def __init__(self, strategy: Strategy, tree: GameTree) -> None:
        self.strategy: Strategy = strategy
        self.tree = tree
        self.values = _values(tree, strategy.probabilities)

    def advise(self, view: View) -> Advice:
        chances = self.strategy.lookup(view.player, view.infoset) or {}
        return Advice(view, chances, self._values(view))

    def _values(self, view: View) -> dict[Action, float]:
        i = self.strategy.index.get((view.player, view.infoset))
        if i is None:
            return {}
        first, last = int(self.tree.offsets[i]), int(self.tree.offsets[i + 1])
        known = zip(self.tree.actions[first:last], self.values[first:last].tolist(), strict=True)
        return {action: value for action, value in known if value == value}


class ExactCoach:
    """Exact values of a game for one that has them in closed form; it is its own strategy."""

    def __init__(self, game: Game) -> None:
        self.game = game.name
        self.parameters: dict[str, ParameterValue] = parameters_of(game)

    @property
    def strategy(self) -> Lookup:
        return self

    def lookup(self, player: int, infoset: str) -> dict[Action, float] | None:
        values = self._values(infoset)
        if not values:
            return None
        best = max(values, key=lambda action: values[action])
        return {action: float(action == best) for action in values}

    def advise(self, view: View) -> Advice:
        chances = self.lookup(view.player, view.infoset) or {}
        return Advice(view, chances, self._values(view.infoset), source="best")

    def _values(self, infoset: str) -> dict[Action, float]:
        known = exact_values(self.game, infoset) or {}
        return {action: value for action, value in known.items() if value == value}


def _values(tree: GameTree, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """(A,) the EV of every move, also at infosets that the strategy itself never reaches.

    There the others are taken to have slipped: each of their moves happens at least rarely.
    """
    values = action_values(tree, probabilities)
    sizes = np.diff(tree.offsets)
    slipping = (1 - _SLIP) * probabilities + _SLIP * np.repeat(1 / sizes, sizes)
    return np.where(np.isnan(values), action_values(tree, slipping), values)


def coach_for(game: Game) -> Coach:
    """The coach of a game: exact where that is known, otherwise an equilibrium solved now."""
    if game.name in EXACT:
        return ExactCoach(game)
    from riverboat.solvers import solve
    from riverboat.trees.game_tree import build_tree, check_tree
    from riverboat.trees.public_games import has_shapes

    if has_shapes(game):
        return PublicCoach(solve(game, target=TARGET).strategy)
    check_game(game, shown=True)
    tree = build_tree(game)
    check_tree(tree)
    # On large trees the refined LP takes ten times as long (liar's dice: 8 s against 0.9 s).
    algorithm = "auto" if tree.num_infosets <= PATIENT or tree.num_players != 2 else "dcfr"
    return TreeCoach(solve(tree, target=TARGET, algorithm=algorithm).strategy, tree)
