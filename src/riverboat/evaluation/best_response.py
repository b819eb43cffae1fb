"""How good a strategy is, exactly: value, best responses, NashConv and exploitability."""

from __future__ import annotations

from riverboat.errors import UsageError
from riverboat.games.base import Game
from riverboat.solvers.profile import probabilities_on, strategy_on
from riverboat.strategies.strategy import Lookup, Strategy
from riverboat.trees.best_response import Evaluation, evaluate_profile, respond
from riverboat.trees.game_tree import MEMORY_LIMIT, GameTree, build_tree
from riverboat.trees.sequence_form import SequenceForm, sequence_form

__all__ = ["Evaluation", "best_response", "evaluate"]


def evaluate(
    game: Game | GameTree | SequenceForm, strategy: Lookup, *, memory_limit: int = MEMORY_LIMIT
) -> Evaluation:
    """Evaluate a strategy for all players; infosets that it does not know are played uniformly."""
    form = _form(game, memory_limit)
    return evaluate_profile(form, probabilities_on(form.tree, strategy))


def best_response(
    game: Game | GameTree | SequenceForm,
    strategy: Lookup,
    player: int,
    *,
    memory_limit: int = MEMORY_LIMIT,
) -> Strategy:
    """The strategy with a pure best response to the others in the player's place."""
    form = _form(game, memory_limit)
    if not 0 <= player < form.num_players:
        raise UsageError(
            f"{form.tree.game.name} has players 0 to {form.num_players - 1}, not {player}."
        )
    answer = respond(form, probabilities_on(form.tree, strategy), player)
    return strategy_on(form.tree, answer, {"algorithm": "best-response", "player": player})


def _form(game: Game | GameTree | SequenceForm, memory_limit: int) -> SequenceForm:
    if isinstance(game, SequenceForm):
        return game
    if isinstance(game, GameTree):
        return sequence_form(game)
    return sequence_form(build_tree(game, memory_limit=memory_limit))
