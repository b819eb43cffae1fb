"""Laws that solving keeps in every small game of the registry."""

from __future__ import annotations

import numpy as np
import pytest

from riverboat.evaluation.exploitability import best_response, evaluate
from riverboat.evaluation.head_to_head import exact_value
from riverboat.games.registry import GAMES, game_class, make_game
from riverboat.solvers.solve import solve

SMALL = [name for name in GAMES if game_class(name).small]


@pytest.mark.parametrize("algorithm", ["cfr+", "sapcfr+:simultaneous", "es-mccfr", "cs-cfr"])
@pytest.mark.parametrize("name", SMALL)
def test_a_solve_is_consistent_with_itself(name: str, algorithm: str) -> None:
    game = make_game(name)
    result = solve(game, algorithm=algorithm, iterations=200, seed=1)
    strategy, found = result.strategy, result.evaluation
    sums = np.add.reduceat(strategy.probabilities, strategy.offsets[:-1])
    assert sums == pytest.approx(np.ones(len(strategy.infosets)))
    assert evaluate(game, strategy) == found
    seats = [strategy] * game.num_players
    assert exact_value(game, seats) == pytest.approx(found.value, abs=1e-9)
    if game.utility_sum is not None:
        assert sum(found.value) == pytest.approx(game.utility_sum, abs=1e-9)
    for player, best in enumerate(found.best_response):
        assert best >= found.value[player] - 1e-12
        answer = best_response(game, strategy, player)
        taken = [answer if seat == player else strategy for seat in range(game.num_players)]
        assert exact_value(game, taken)[player] == pytest.approx(best, abs=1e-9)
