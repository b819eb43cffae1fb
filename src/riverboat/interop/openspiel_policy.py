"""Our strategies as OpenSpiel's policies: what its evaluations, agents and matches take.

    result = riverboat.solve("openspiel:leduc_poker")
    policy = strategy_policy(result.strategy)
    exploitability.nash_conv(policy.game, policy)       # open_spiel.python.algorithms

A strategy for one of our own games is a policy of its game there, `riverboat_leduc`. In a game
whose players move at the same time, the policy is one of the turn-based game.
"""

from __future__ import annotations

from typing import Any

from riverboat.errors import UsageError
from riverboat.games.base import Game
from riverboat.games.registry import make_game
from riverboat.interop.libraries import library
from riverboat.interop.openspiel_game import OpenSpielGame, OpenSpielState
from riverboat.strategies.strategy import Lookup

__all__ = ["StrategyPolicy", "strategy_policy"]

library("open_spiel.python.policy", "OpenSpiel")
from open_spiel.python import policy as spiel_policy  # noqa: E402


class StrategyPolicy(spiel_policy.Policy):  # type: ignore[misc]
    """A strategy, as OpenSpiel asks for it; uniform where the strategy knows nothing."""

    def __init__(self, rules: Game, strategy: Lookup) -> None:
        self.rules, self.strategy = rules, strategy
        if isinstance(rules, OpenSpielGame):
            inner = rules.inner
        else:
            from riverboat.interop.openspiel_registration import house_game

            inner = house_game(rules)
        super().__init__(inner, list(range(rules.num_players)))

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        player = int(state.current_player()) if player_id is None else player_id
        ours, numbers = self._ours(state)
        known = self.strategy.lookup(player, ours.infoset(player)) or {}
        weights = {numbers[text]: float(known.get(text, 0.0)) for text in numbers}
        total = sum(weights.values())
        if total <= 0:
            return {number: 1 / len(weights) for number in weights}
        return {number: weight / total for number, weight in weights.items()}

    def _ours(self, state: Any) -> tuple[Any, dict[str, int]]:
        """The state as ours, and each action's number there."""
        if isinstance(self.rules, OpenSpielGame):
            ours = OpenSpielState(self.rules, state)
            return ours, ours.numbers
        held = getattr(state, "held", None)
        if held is None:
            raise UsageError(f"The strategy is for {self.rules.name}, not for {state.get_game()}.")
        return held.state, {text: held.book.action_numbers[text] for text in held.state.actions()}


def strategy_policy(strategy: Lookup) -> StrategyPolicy:
    """A strategy as a policy of the game it is for."""
    return StrategyPolicy(make_game(strategy.game, strategy.parameters), strategy)
