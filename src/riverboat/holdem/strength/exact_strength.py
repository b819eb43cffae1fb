"""How good a blueprint is, exactly: only for decks so small that the whole game can be walked."""

from __future__ import annotations

from riverboat.errors import UsageError
from riverboat.evaluation.exploitability import evaluate
from riverboat.holdem.abstraction.blueprint import Blueprint
from riverboat.holdem.abstraction.deals import is_whole_deck
from riverboat.trees.best_response import Evaluation
from riverboat.trees.game_tree import build_tree

__all__ = ["evaluate_blueprint"]


def evaluate_blueprint(blueprint: Blueprint) -> Evaluation:
    """Value, best responses and exploitability in the real game, every card told apart."""
    if is_whole_deck(blueprint.rules):
        raise UsageError(
            "Hold'em with 52 cards is too large for an exact best response; measure a blueprint"
            " with riverboat holdem strength FILE, or rb.strength(FILE)."
        )
    return evaluate(build_tree(blueprint.rules), blueprint)
