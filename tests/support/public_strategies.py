"""Strategies on public trees without solving anything."""

from __future__ import annotations

import numpy as np

from riverboat.games.base import Game, parameters_of
from riverboat.strategies.public_strategy import PublicStrategy
from riverboat.trees.public_games import public_game


def random_public_strategy(game: Game, seed: int = 1) -> PublicStrategy:
    shapes = public_game(game).shapes
    weights = np.random.default_rng(seed).random((shapes.num_tree_slots, shapes.num_lanes))
    return PublicStrategy(game.name, parameters_of(game), weights, {"iterations": 3})
