"""Exact best responses on public trees, against brute force and against their own value."""

from typing import ClassVar

import numpy as np
import pytest

from public_strategies import random_public_strategy
from riverboat.errors import UsageError
from riverboat.evaluation.exploitability import best_response, evaluate
from riverboat.games.base import ParameterValue, parameters_of
from riverboat.games.duel import CARDS, Duel
from riverboat.games.registry import make_game
from riverboat.strategies.public_strategy import PublicStrategy
from riverboat.trees._duel_shapes import dealer_totals
from riverboat.trees.game_tree import build_tree
from riverboat.trees.public_games import public_game


def random_strategy(name: str, seed: int, **parameters: object) -> PublicStrategy:
    return random_public_strategy(make_game(name, parameters), seed)  # type: ignore[arg-type]


def test_the_second_players_best_response_by_brute_force() -> None:
    """With max_hits 1 he decides once: try both for each down card and each move before him."""
    strategy = random_strategy("duel", 4, cards=(7, 3, 10))
    game, dealer = Duel((7, 3, 10)), dealer_totals(10)
    seats = game.seats()
    best = 0.0
    moves = [("s", 1.0, seats[0].stand())]
    moves += [(f"h{card}", p, seats[0].hit(card)) for card, p in CARDS.items()]
    for token, chance, first in moves:
        for down, own in CARDS.items():
            gains = [0.0, 0.0]
            for other, p in CARDS.items():
                known = strategy.lookup(0, f"{other}|")
                assert known is not None
                reach = own * p * chance * known[token[0]]
                for total in range(22):
                    stood = game.payoffs((first, seats[1].stand()), (other, down), total)
                    gains[0] += reach * dealer[total] * stood[1]
                    for card, drawn in CARDS.items():
                        hit = game.payoffs((first, seats[1].hit(card)), (other, down), total)
                        gains[1] += reach * drawn * dealer[total] * hit[1]
            best += max(gains)
    assert evaluate(strategy).best_response[1] == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("name", ["kuhn", "leduc", "showdown", "duel"])
@pytest.mark.parametrize("player", [0, 1])
def test_playing_the_best_response_earns_its_value(name: str, player: int) -> None:
    for seed in range(2):
        strategy = random_strategy(name, seed)
        before = evaluate(strategy)
        assert before.nash_conv > 0
        assert before.best_response[player] >= before.value[player]
        answer = best_response(strategy, player)
        after = evaluate(answer)
        assert after.value[player] == pytest.approx(before.best_response[player], abs=1e-12)
        assert after.best_response[player] == pytest.approx(after.value[player], abs=1e-12)


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_both_forms_measure_the_same(name: str) -> None:
    """A public strategy on its public tree, and looked up infoset by infoset on the game tree."""
    strategy = random_strategy(name, 3)
    game = make_game(name)
    on_game_tree = evaluate(build_tree(game), strategy)
    for found in (evaluate(strategy), evaluate(game, strategy)):
        assert found.value == pytest.approx(on_game_tree.value, abs=1e-12)
        assert found.best_response == pytest.approx(on_game_tree.best_response, abs=1e-12)


def test_any_strategy_for_the_duel_is_measured_on_its_public_tree() -> None:
    """The game tree would take 34 GiB; a strategy that knows nothing plays uniformly."""
    game = Duel((6, 6, 2))

    class Nothing:
        game = "duel"
        parameters: ClassVar[dict[str, ParameterValue]] = parameters_of(Duel((6, 6, 2)))

        def lookup(self, player: int, infoset: str) -> None:
            return None

    shapes = public_game(game).shapes
    uniform = PublicStrategy(
        "duel", parameters_of(game), np.ones((shapes.num_tree_slots, shapes.num_lanes))
    )
    assert evaluate(game, Nothing()) == evaluate(uniform)  # type: ignore[arg-type]


def test_a_strategy_is_needed_and_a_player_that_exists() -> None:
    with pytest.raises(UsageError, match="Give a strategy"):
        evaluate(make_game("kuhn"))
    with pytest.raises(UsageError, match="players 0 to 1, not 2"):
        best_response(random_strategy("kuhn", 1), 2)
    with pytest.raises(UsageError, match="riverboat train holdem"):
        evaluate(make_game("holdem"), random_strategy("kuhn", 1))
