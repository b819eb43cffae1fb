"""Information-set search: how far from equilibrium it ends."""

import pytest

from riverboat.errors import ParameterError
from riverboat.evaluation.exploitability import evaluate
from riverboat.games.registry import make_game
from riverboat.solvers.sampling import search_game


@pytest.mark.parametrize(("name", "uniform"), [("kuhn", 11 / 24), ("showdown", 0.396)])
def test_far_better_than_uniform_and_not_an_equilibrium(name: str, uniform: float) -> None:
    # Kuhn's uniform player is exploitable by 11/24 (OpenSpiel), Showdown's by (0.5 + 0.292541)/2.
    game = make_game(name)
    strategy = search_game(game, 200_000, seed=1)
    found = evaluate(game, strategy)
    assert found.exploitability < uniform / 5
    # UCB1 needs no mixing to be content, so it stays off the equilibrium.
    assert found.exploitability > 1e-4
    assert strategy.info["algorithm"] == "ismcts"


def test_repeatable() -> None:
    game = make_game("kuhn")
    first, second = (search_game(game, 1_000, seed=4).probabilities for _ in range(2))
    assert (first == second).all()
    with pytest.raises(ParameterError, match="1 or more"):
        search_game(game, 0)
