"""Whole games with small decks: exact best responses, and what search makes of blueprints."""

from __future__ import annotations

import subprocess
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from riverboat.cards.card import parse_cards
from riverboat.cards.combos import NUM_COMBOS
from riverboat.cards.plain_strength import strength
from riverboat.errors import UsageError
from riverboat.games.base import Action
from riverboat.holdem.abstraction.deals import Percentile
from riverboat.holdem.blueprints.game_config import HoldemConfig
from riverboat.holdem.blueprints.measure import evaluate_blueprint
from riverboat.holdem.blueprints.trainer import train_blueprint
from riverboat.holdem.rules.state import Holdem, HoldemState
from small_decks import SmallDeck
from whole_game import WholeGame

RIVER_ONLY = {
    "players": 2,
    "stacks": 2,
    "small_blind": 0,
    "big_blind": 0,
    "ante": 1,
    "ranks": 3,
    "suits": 3,
    "max_raises": [0, 0, 0, 1],
}


def quitter(state: HoldemState) -> tuple[tuple[Action, ...], NDArray[np.float64]]:
    """Checks, and folds to every bet."""
    return ("f" if state.betting.to_call else "c",), np.ones((NUM_COMBOS, 1))


def test_a_player_who_always_folds_loses_the_ante_and_nothing_else() -> None:
    config = HoldemConfig.from_table({"game": RIVER_ONLY, "bets": {"preflop": "a"}})
    found = WholeGame(config.game).evaluation(quitter)
    assert found.best_response == pytest.approx([1.0, 1.0])
    assert found.value == pytest.approx([0.0, 0.0], abs=1e-12)


def test_games_that_cannot_be_walked_are_refused() -> None:
    with pytest.raises(UsageError, match="too many boards"):
        WholeGame(Holdem())
    with pytest.raises(UsageError, match="boards of five"):
        WholeGame(Holdem(board_cards=(0, 3), ranks=4))
    with pytest.raises(UsageError, match="unsafe or safe"):
        SmallDeck(3, 3, 1, 2).options("bold")


def test_parts_of_all_hands_are_parts_of_those_in_the_deck() -> None:
    """Three cards in four suits: a hand's part is how many of the deck's hands it beats."""
    game = Holdem(ranks=3, suits=4)
    buckets = Percentile(game, {"flop": 5, "turn": 5, "river": 5})
    board = parse_cards("AsKsKdQhAc")
    rest = [card for card in game.deck if card not in board]
    hands = list(combinations(rest, 2))
    powers = [strength([*hand, *board]) for hand in hands]
    out = np.empty((len(hands), 1, 4), np.uint32)
    buckets.assign(np.array([[*hand, *board] for hand in hands], np.uint8), 1, out)
    for power, part in zip(powers, out[:, 0, 3].tolist(), strict=True):
        below = sum(other < power for other in powers)
        level = sum(other == power for other in powers)
        assert part == min(4, (2 * below + level) * 5 // (2 * len(hands)))


@pytest.mark.slow
def test_best_responses_are_those_of_the_game_tree() -> None:
    """Every deal of the 9 cards one by one, as `holdem strength` measures small games."""
    cards = {"scheme": "percentile", "flop": 1, "turn": 1, "river": 2}
    table = {"game": RIVER_ONLY, "bets": {"preflop": "a"}, "cards": cards}
    blueprint = train_blueprint(HoldemConfig.from_table(table), iterations=20_000, seed=1)
    found = WholeGame(blueprint.rules).evaluation(blueprint.all_hands)
    expected = evaluate_blueprint(blueprint)
    assert found.value == pytest.approx(expected.value, abs=1e-9)
    assert found.best_response == pytest.approx(expected.best_response, abs=1e-9)


@pytest.mark.slow
def test_safe_search_is_never_more_exploitable_than_its_blueprint() -> None:
    game = SmallDeck(3, 3, 1, 2)
    before, after = game.evaluation(), game.evaluation("safe")
    assert after.exploitability < 0.95 * before.exploitability
    for now, then in zip(after.best_response, before.best_response, strict=True):
        assert now < then


@pytest.mark.slow
def test_the_benchmark_prints_a_row_for_each_game() -> None:
    program = Path(__file__).parents[3] / "benchmarks" / "search_small_decks.py"
    words = [sys.executable, str(program), "--games", "1"]
    done = subprocess.run(words, capture_output=True, check=True)
    head, row = done.stdout.decode().splitlines()
    assert head.split()[:3] == ["deck", "behind", "parts"]
    blueprint, safe = float(row.split()[6]), float(row.split()[10])
    assert 0 < safe < blueprint
