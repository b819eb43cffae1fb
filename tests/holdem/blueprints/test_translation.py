"""Real hands in the abstract betting, and a blueprint's actions back at the real table."""

import numpy as np
import pytest

from riverboat.errors import FileFormatError, UsageError
from riverboat.games.base import CHANCE, TERMINAL
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.game_config import AbstractGame, HoldemConfig
from riverboat.holdem.blueprints.translation import follow, real_action, same_shape
from riverboat.holdem.rules.state import Holdem, HoldemState

HEADS_UP = HoldemConfig.from_table(
    {
        "game": {"stacks": 60},
        "bets": {"preflop": ["2.5x", "a"], "flop": "0.5p,1p,a", "cap": 2},
        "cards": {"scheme": "percentile", "flop": 4, "turn": 4, "river": 4},
    }
)
SIX = HoldemConfig.from_table(
    {
        "game": {"players": 6, "stacks": 60},
        "bets": {"preflop": ["2.5x", "a"], "cap": 1, "field": 2, "history": "letters"},
        "cards": {"scheme": "percentile", "flop": 4, "turn": 4, "river": 4},
    }
)


def uniform(config: HoldemConfig) -> Blueprint:
    abstract = AbstractGame.build(config)
    return Blueprint(abstract, np.zeros(abstract.num_bytes // 8, np.uint16))


def deal(game: Holdem, rng: np.random.Generator) -> tuple[HoldemState, list[int]]:
    deck = [int(card) for card in rng.permutation(52)]
    hands = [deck[2 * p : 2 * p + 2] for p in range(game.players)]
    return game.with_hands(hands), deck[2 * game.players :]


@pytest.mark.parametrize("config", [HEADS_UP, SIX])
def test_a_hand_played_in_abstract_bets_is_followed_to_its_node(config: HoldemConfig) -> None:
    tree = AbstractGame.build(config).tree
    rng = np.random.default_rng(1)
    for _ in range(60):
        state, rest = deal(config.game, rng)
        node = 0
        while state.actor != TERMINAL:
            if state.actor == CHANCE:
                state = state.deal_from(rest)
                continue
            place = follow(tree, state)
            assert place.on_tree
            assert place.node == node
            action = int(rng.integers(len(tree.actions(node))))
            text = real_action(tree, place, action, state.betting)
            amount = int(tree.actions(node)[action])
            assert text == {-1: "f", 0: "c"}.get(amount, f"r{amount}")
            state, node = state.after(text), tree.child(node, action)


@pytest.mark.parametrize("config", [HEADS_UP, SIX])
def test_whatever_others_bet_the_answer_is_legal(config: HoldemConfig) -> None:
    blueprint = uniform(config)
    rng = np.random.default_rng(2)
    off = 0
    for hand in range(120):
        state, rest = deal(config.game, rng)
        while state.actor != TERMINAL:
            if state.actor == CHANCE:
                state = state.deal_from(rest)
            elif state.actor == hand % config.game.players:
                chances = blueprint.choices(state)
                assert sum(chances.values()) == pytest.approx(1)
                assert all(action in state.actions() for action in chances)
                off += not blueprint.position(state).on_tree
                state = state.after(list(chances)[int(rng.integers(len(chances)))])
            else:
                legal = state.actions()
                state = state.after(legal[int(rng.integers(min(len(legal), 12)))])
    assert off < 120


def test_a_bet_between_two_sizes_counts_as_either_and_always_the_same_in_one_hand() -> None:
    blueprint = uniform(HEADS_UP)
    game = HEADS_UP.game
    nodes = set()
    for card in range(40):
        board = [card, card + 1, card + 2]
        hands = [[], [50, 51]]
        state = game.resume(hands, board, "cc/r3")
        # 3 into a pot of 4 lies between half of it and all of it.
        nodes.add(blueprint.position(state).node)
        assert blueprint.position(state) == blueprint.position(state)
        assert blueprint.position(state).on_tree
    assert len(nodes) == 2


def test_only_the_unit_of_chips_may_differ() -> None:
    game = Holdem(stacks=(100,))
    assert same_shape(game, Holdem(stacks=(5000,), small_blind=50, big_blind=100))
    assert not same_shape(game, Holdem(stacks=(200,)))
    assert not same_shape(game, Holdem(players=3, stacks=(100,)))
    with pytest.raises(FileFormatError, match="trained for 2 players with stacks 60"):
        uniform(HEADS_UP).check_game(game)


def test_in_larger_chips_the_blueprint_bets_in_proportion() -> None:
    blueprint = uniform(HEADS_UP)
    small = HEADS_UP.game.with_hands([[0, 1], [2, 3]])
    large = Holdem(stacks=(3000,), small_blind=50, big_blind=100).with_hands([[0, 1], [2, 3]])
    blueprint.check_game(large.game)
    assert list(blueprint.choices(small)) == ["f", "c", "r5"]
    assert list(blueprint.choices(large)) == ["f", "c", "r250"]


def test_off_the_tree_the_nuts_raise_and_nothing_folds_to_a_large_bet() -> None:
    """Above the cap (two raises) the abstract game has no point any more."""
    blueprint, game = uniform(HEADS_UP), HEADS_UP.game
    # King, queen, jack on the board: ace-ten is the nuts, trey-deuce is nothing.
    board = [44, 41, 38]
    for hand, answer in (([48, 35], "c"), ([4, 3], "f")):
        state = game.resume([hand, []], board, "cc/cr4r12r30")
        assert not blueprint.position(state).on_tree
        assert blueprint.choices(state)[answer] == 1
    state = game.resume([[48, 35], []], board, "cc/cr2r4r8")
    assert blueprint.choices(state) == {"c": 1.0, "f": 0.0}


def test_hands_of_one_card_have_no_range_of_1326_hands() -> None:
    small = {"ranks": 3, "suits": 2, "hole_cards": 1, "board_cards": [0, 1], "stacks": 20}
    table = {"game": small, "bets": {"preflop": "m"}, "cards": {"scheme": "lossless"}}
    blueprint = uniform(HoldemConfig.from_table(table))
    state = blueprint.rules.with_hands([[51], [50]])
    assert sum(blueprint.choices(state).values()) == pytest.approx(1)
    with pytest.raises(UsageError, match="two cards each"):
        blueprint.all_hands(state)
