"""Exact best responses and NashConv of strategies on public trees."""

from __future__ import annotations

import dataclasses

from riverboat.strategies.public_strategy import PublicStrategy
from riverboat.trees.best_response import Evaluation
from riverboat.trees.public_tree import MEMORY_LIMIT, build_public_tree
from riverboat.trees.public_values import evaluate_public, respond_public

__all__ = ["evaluate_public_strategy", "public_best_response"]


def evaluate_public_strategy(
    strategy: PublicStrategy, *, memory_limit: int = MEMORY_LIMIT
) -> Evaluation:
    """Each player's value when both play the strategy, and what a best response would get."""
    tree = build_public_tree(strategy.public.shapes, num_arrays=1, memory_limit=memory_limit)
    return evaluate_public(tree, strategy.weights)


def public_best_response(
    strategy: PublicStrategy, player: int, *, memory_limit: int = MEMORY_LIMIT
) -> PublicStrategy:
    """The strategy with the player's part replaced by a pure best response to the other's."""
    tree = build_public_tree(strategy.public.shapes, num_arrays=2, memory_limit=memory_limit)
    weights = respond_public(tree, strategy.weights, player)
    return dataclasses.replace(strategy, weights=weights, info={})
