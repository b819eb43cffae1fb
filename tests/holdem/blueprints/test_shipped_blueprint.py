"""The file that ships: small, complete, and of the config it says."""

import numpy as np
import pytest

from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.game_config import GamePlan, read_config
from riverboat.holdem.blueprints.shipped import game_of_players, rules_of, shipped_path
from riverboat.holdem.rules.state import Holdem


def test_it_is_small_and_says_its_game() -> None:
    assert shipped_path().stat().st_size <= 8_000_000
    assert rules_of("shipped") == Holdem(stacks=(100,))
    assert game_of_players(["holdem:rules", "blueprint"], {}) == Holdem(stacks=(100,))
    assert game_of_players(["holdem:rules"], {"stacks": "30"}) == Holdem(stacks=(30,))


def test_it_plays_strong_hands_and_folds_weak_ones() -> None:
    """What nobody doubts: aces are never folded, and seven-deuce is to an all-in."""
    blueprint = Blueprint.load("shipped")
    state = blueprint.rules.with_hands([(51, 50), (20, 1)])  # As Ah against 7c 2d
    assert blueprint.choices(state.after("r100"))["f"] == 0
    weak = blueprint.rules.with_hands([(20, 1), (51, 50)])
    assert blueprint.choices(weak.after("r100"))["f"] > 0.9


@pytest.mark.slow
def test_its_tree_is_the_one_of_its_config() -> None:
    found = Blueprint.load("shipped").abstract
    built = GamePlan.of(read_config("headsup-shipped"))
    for name in ("nodes", "children", "amounts", "leaves", "strides", "infosets"):
        assert np.array_equal(getattr(found.tree, name), getattr(built.tree, name))
    assert found.buckets.num_buckets == built.num_buckets
