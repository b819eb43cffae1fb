"""Coaches: what the best strategy would do at a decision, and what each move is worth there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from riverboat.twentyone.game import HIT, STAND

if TYPE_CHECKING:
    from rich.console import Console

    from riverboat.games.base import Action, Game
    from riverboat.players.player import View
    from riverboat.strategies.strategy import Lookup, Strategy
    from riverboat.trees.game_tree import GameTree

__all__ = ["Coach", "LookupCoach", "TreeCoach", "TwentyOneCoach", "coach_for", "cost", "hint"]


class Coach(Protocol):
    """Knows a good strategy, and where it can, what every move is worth in it."""

    @property
    def strategy(self) -> Lookup: ...

    def worth(self, view: View) -> dict[Action, float]:
        """Each move's value here, empty where it is not known."""


class LookupCoach:
    """A strategy without values."""

    def __init__(self, strategy: Lookup) -> None:
        self.strategy: Lookup = strategy

    def worth(self, view: View) -> dict[Action, float]:
        return {}


class TreeCoach:
    """A strategy on a tree, where values can be computed for every infoset at once."""

    def __init__(self, strategy: Strategy, tree: GameTree) -> None:
        from riverboat.evaluation.action_values import action_values

        self.strategy: Strategy = strategy
        self.tree = tree
        self.values = action_values(tree, strategy.probabilities)

    def worth(self, view: View) -> dict[Action, float]:
        i = self.strategy.index.get((view.player, view.infoset))
        if i is None:
            return {}
        first, last = int(self.tree.offsets[i]), int(self.tree.offsets[i + 1])
        known = zip(self.tree.actions[first:last], self.values[first:last].tolist(), strict=True)
        return {action: value for action, value in known if value == value}


class TwentyOneCoach:
    """The exact optimum of twenty-one for a player who looks at every card."""

    game = "twentyone"

    def __init__(self) -> None:
        from riverboat.twentyone.information import keys
        from riverboat.twentyone.optimum import optimum, q_values, row_decisions

        _, best = optimum("composition", "reward")
        values, _ = q_values("composition", "reward", row_decisions("composition", best))
        self.values = dict(zip(keys("composition"), values.tolist(), strict=True))
        self.parameters: dict[str, int] = {}

    @property
    def strategy(self) -> Lookup:
        return self

    def lookup(self, player: int, infoset: str) -> dict[Action, float] | None:
        hit, stand = self._values(infoset)
        return {HIT: float(hit > stand), STAND: float(hit <= stand)}

    def worth(self, view: View) -> dict[Action, float]:
        hit, stand = self._values(view.infoset)
        return {HIT: hit, STAND: stand}

    def _values(self, infoset: str) -> list[float]:
        from riverboat.twentyone.information import state_key

        found: list[float] = self.values[state_key("composition", infoset)]
        return found


def coach_for(game: Game, console: Console) -> Coach:
    """The coach of a game: exact where that is known, otherwise an equilibrium solved now."""
    if game.name == "twentyone":
        return TwentyOneCoach()
    from riverboat.cli.solving import equilibrium_of
    from riverboat.strategies.strategy import Strategy

    with console.status(f"solving {game.title} …"):
        strategy, tree = equilibrium_of(game)
    if tree is not None and isinstance(strategy, Strategy):
        return TreeCoach(strategy, tree)
    return LookupCoach(strategy)


def hint(coach: Coach, view: View) -> str:
    """The probabilities of the strategy with each move's value, in one line."""
    chances = coach.strategy.lookup(view.player, view.infoset) or {}
    worth = coach.worth(view)
    words = []
    for action in view.actions:
        value = f" (worth {worth[action]:+.3f})" if action in worth else ""
        words.append(f"{view.game.action_label(action)} {chances.get(action, 0.0):.0%}{value}")
    best = "best" if view.game.num_players == 1 else "equilibrium"
    return f"{best}: " + ", ".join(words)


def cost(coach: Coach, view: View, action: Action) -> float | None:
    """How much less the move is worth than the best one."""
    worth = coach.worth(view)
    return max(worth.values()) - worth[action] if action in worth else None
