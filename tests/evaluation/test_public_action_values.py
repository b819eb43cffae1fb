"""Values of actions on public trees, against those on the game tree."""

import numpy as np
import pytest

from public_strategies import random_public_strategy
from riverboat.errors import UsageError
from riverboat.evaluation.action_values import action_values, public_action_values
from riverboat.games.registry import make_game
from riverboat.players.coach import PublicCoach
from riverboat.players.player import View
from riverboat.strategies.strategy import probabilities_on
from riverboat.trees.best_response import evaluate_public
from riverboat.trees.game_tree import build_tree
from riverboat.trees.public_tree import build_public_tree


def test_every_action_is_worth_what_the_game_tree_says():
    game = make_game("kuhn")
    strategy = random_public_strategy(game)
    tree = build_tree(game)
    wanted = action_values(tree, probabilities_on(tree, strategy))
    public = build_public_tree(strategy.public.shapes)
    compared = 0
    for _, infoset, place, lane in strategy.public.infosets():
        found = public_action_values(public, strategy.weights, place.node)[:, lane]
        first, last = tree.offsets[tree.infosets.index(infoset) :][:2]
        np.testing.assert_allclose(found, wanted[first:last], atol=1e-12)
        compared += 1
    assert compared == 12


def test_in_the_duel_the_first_players_values_add_up_to_the_games_value():
    strategy = random_public_strategy(make_game("duel"))
    tree = build_public_tree(strategy.public.shapes)
    values = public_action_values(tree, strategy.weights, 0)
    shapes = strategy.public.shapes
    rows = strategy.weights[: len(values)]
    mean = (rows / rows.sum(axis=0) * values).sum(axis=0) @ shapes.deal.sum(axis=1)
    assert mean == pytest.approx(evaluate_public(tree, strategy.weights).value[0], abs=1e-12)


def test_a_node_that_is_never_reached_still_has_values():
    strategy = random_public_strategy(make_game("duel"))
    strategy.weights[:2] = [[1.0], [0.0]]  # the first player always makes the first move
    coach = PublicCoach(strategy)
    unreached = [
        (player, infoset)
        for player, infoset, place, _ in strategy.public.infosets()
        if player == 1 and place.node > 0
    ]
    for player, infoset in unreached:
        values = coach.advise(View(strategy.rules, player, infoset, [])).values
        assert values
        assert all(np.isfinite(value) for value in values.values())


def test_public_cards_that_depend_on_the_hands_are_refused():
    strategy = random_public_strategy(make_game("leduc"))
    tree = build_public_tree(strategy.public.shapes)
    with pytest.raises(UsageError, match="depend on the hands"):
        public_action_values(tree, strategy.weights, 0)
