"""Exact best responses on public trees, against brute force and against their own value."""

import pytest

from public_strategies import random_public_strategy
from riverboat.evaluation.public_best_response import (
    evaluate_public_strategy,
    public_best_response,
)
from riverboat.games.duel import CARDS, Duel
from riverboat.games.registry import make_game
from riverboat.strategies.public_strategy import PublicStrategy
from riverboat.trees.duel_shapes import dealer_totals


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
    assert evaluate_public_strategy(strategy).best_response[1] == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("name", ["kuhn", "leduc", "showdown", "duel"])
@pytest.mark.parametrize("player", [0, 1])
def test_playing_the_best_response_earns_its_value(name: str, player: int) -> None:
    for seed in range(2):
        strategy = random_strategy(name, seed)
        before = evaluate_public_strategy(strategy)
        assert before.nash_conv > 0
        assert before.best_response[player] >= before.value[player]
        answer = public_best_response(strategy, player)
        after = evaluate_public_strategy(answer)
        assert after.value[player] == pytest.approx(before.best_response[player], abs=1e-12)
        assert after.best_response[player] == pytest.approx(after.value[player], abs=1e-12)
