"""Laws that every algorithm of the table keeps in every small game of the registry."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest

from riverboat.errors import RiverboatError
from riverboat.evaluation.exploitability import best_response, evaluate
from riverboat.evaluation.head_to_head import exact_value
from riverboat.games.registry import GAMES, game_class, make_game
from riverboat.solvers.algorithms import algorithms
from riverboat.solvers.result import SolveResult
from riverboat.solvers.solve import solve
from riverboat.trees.game_tree import GameTree, build_tree

SMALL = [name for name in GAMES if game_class(name).small]
TABLE = algorithms()
ITERATING = [name for name, line in TABLE.items() if not line.exact]
PARAMETERS = {"liars_dice": {"faces": 3}}


@functools.cache
def tree_of(name: str) -> GameTree:
    return build_tree(make_game(name, PARAMETERS.get(name, {})))


def short_solve(name: str, algorithm: str) -> SolveResult:
    iterations = None if TABLE[algorithm].exact else 200
    return solve(tree_of(name), algorithm=algorithm, iterations=iterations, seed=1)


@pytest.mark.parametrize("algorithm", [*TABLE, "sapcfr+:simultaneous"])
@pytest.mark.parametrize("name", SMALL)
def test_a_solve_is_consistent_with_itself(name: str, algorithm: str) -> None:
    tree = tree_of(name)
    if algorithm in TABLE and TABLE[algorithm].one_player and tree.num_players > 1:
        with pytest.raises(RiverboatError, match="one player"):
            short_solve(name, algorithm)
        return
    result = (
        solve(tree, algorithm=algorithm, iterations=200)
        if algorithm not in TABLE
        else short_solve(name, algorithm)
    )
    strategy, found = result.strategy, result.evaluation
    assert result.algorithm == algorithm
    sums = np.add.reduceat(strategy.probabilities, strategy.offsets[:-1])
    assert sums == pytest.approx(np.ones(len(strategy.infosets)))
    # A solver may evaluate with NumPy where this compiles: they round differently.
    again = evaluate(tree, strategy)
    assert again.value == pytest.approx(found.value, abs=1e-12)
    assert again.best_response == pytest.approx(found.best_response, abs=1e-12)
    assert result.trace[-1].exploitability == found.exploitability
    seats = [strategy] * tree.num_players
    assert exact_value(tree, seats) == pytest.approx(found.value, abs=1e-9)
    if tree.game.utility_sum is not None:
        assert sum(found.value) == pytest.approx(tree.game.utility_sum, abs=1e-9)
    for player, best in enumerate(found.best_response):
        assert best >= found.value[player] - 1e-9
        answer = best_response(tree, strategy, player)
        taken = [answer if seat == player else strategy for seat in range(tree.num_players)]
        assert exact_value(tree, taken)[player] == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("algorithm", ITERATING)
def test_a_solve_repeats_and_resumes_exactly(algorithm: str, tmp_path: Path) -> None:
    whole, again = (short_solve("kuhn", algorithm) for _ in range(2))
    assert np.array_equal(whole.strategy.probabilities, again.strategy.probabilities)
    half = tmp_path / "half.rb"
    solve(tree_of("kuhn"), algorithm=algorithm, iterations=77, seed=1).save(half)
    resumed = solve(tree_of("kuhn"), resume=half, iterations=200)
    assert np.array_equal(whole.strategy.probabilities, resumed.strategy.probabilities)
    assert resumed.algorithm == algorithm


@pytest.mark.parametrize("algorithm", ITERATING)
def test_exploitability_falls(algorithm: str) -> None:
    early, late = (
        solve(tree_of("kuhn"), algorithm=algorithm, iterations=n, seed=1).exploitability
        for n in (20, 20_000)
    )
    assert late < early / 4
