"""Strategies at one table, valued exactly on a public tree."""

import pytest

from public_strategies import random_public_strategy
from riverboat.evaluation.head_to_head import exact_value
from riverboat.games.registry import make_game
from riverboat.strategies.public_strategy import PublicStrategy
from riverboat.trees.best_response import evaluate_public, respond_public
from riverboat.trees.public_tree import build_public_tree


def test_two_strategies_meet_in_the_duel():
    """Against itself a strategy gets its value; a best response gets what the evaluation says."""
    game = make_game("duel")
    strategy = random_public_strategy(game)
    tree = build_public_tree(strategy.public.shapes)
    found = evaluate_public(tree, strategy.weights)
    assert exact_value(game, [strategy, strategy]) == pytest.approx(found.value, abs=1e-12)
    for player in (0, 1):
        rows = respond_public(tree, strategy.weights, player)
        best = PublicStrategy(game.name, strategy.parameters, rows)
        seats = [best, strategy] if player == 0 else [strategy, best]
        assert exact_value(game, seats)[player] == pytest.approx(found.best_response[player])
