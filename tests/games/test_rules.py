"""Sizes and rules of the small games against closed forms, hand-worked cases and OpenSpiel."""

import itertools
import random

import pytest

from riverboat.errors import ParameterError
from riverboat.games.base import CHANCE, TERMINAL, Game, State
from riverboat.games.leduc import Leduc
from riverboat.games.registry import make_game
from riverboat.games.showdown import compare


def count(game: Game) -> tuple[int, int]:
    """(histories, infosets) by walking everything."""
    histories, infosets, stack = 0, set(), [game.start()]
    while stack:
        state = stack.pop()
        histories += 1
        if state.actor == CHANCE:
            stack.extend(state.after(action) for action, _ in state.chance())
        elif state.actor != TERMINAL:
            infosets.add((state.actor, state.infoset(state.actor)))
            stack.extend(state.after(action) for action in state.actions())
    return histories, len(infosets)


def play(game: Game, moves: str) -> State:
    state = game.start()
    for move in moves.split():
        state = state.after(move)
    return state


@pytest.mark.parametrize(
    ("name", "parameters", "expected"),
    [
        ("rps", {}, (13, 2)),
        ("kuhn", {}, (58, 12)),
        ("kuhn", {"players": 3}, (617, 48)),
        ("leduc", {}, (9_457, 936)),
        ("showdown", {}, (15_614, 624)),
        ("liars_dice", {"faces": 3}, (3**2 * (2**7 - 1) + 4, 3 * 4**3)),
        ("liars_dice", {"faces": 6}, (294_883, 24_576)),
    ],
)
def test_sizes(name: str, parameters: dict[str, int], expected: tuple[int, int]) -> None:
    assert count(make_game(name, parameters)) == expected


@pytest.mark.parametrize(
    ("moves", "gain"), [("pp", -1), ("pbp", -1), ("pbb", -2), ("bp", 1), ("bb", -2)]
)
def test_kuhn_pays_as_the_paper_says(moves: str, gain: float) -> None:
    assert play(make_game("kuhn"), "J K " + " ".join(moves)).returns() == (gain, -gain)


@pytest.mark.parametrize(
    ("first", "second", "community", "expected"),
    [
        (8, 13, 7, 1),  # a straight beats a king
        (6, 8, 7, -1),  # the higher of two straights
        (12, 1, 13, 1),  # no wrap-around: 1 is not next to 13
        (2, 3, 7, 0),  # both below the community card
        (2, 9, 7, -1),
        (11, 9, 7, 1),
        (3, 11, 7, -1),
    ],
)
def test_showdown_hands(first: int, second: int, community: int, expected: int) -> None:
    assert compare(first, second, community) == expected
    assert compare(second, first, community) == -expected


def test_showdown_is_antisymmetric() -> None:
    for first, second, community in itertools.permutations(range(1, 14), 3):
        assert compare(first, second, community) == -compare(second, first, community)


@pytest.mark.parametrize(
    ("moves", "returns"),
    [
        ("Js Kh r f", (1, -1)),
        ("Js Kh c r f", (-1, 1)),
        ("Js Kh r r f", (-3, 3)),
        ("Js Kh c c Jh r c", (5, -5)),
        ("Js Kh r r c Qs r r c", (-13, 13)),
        ("Ks Kh c c Qs c c", (0, 0)),
    ],
)
def test_leduc_hands(moves: str, returns: tuple[float, float]) -> None:
    assert play(make_game("leduc"), moves).returns() == returns


def test_liars_dice_counts_the_wild_face() -> None:
    game = make_game("liars_dice")
    assert play(game, "2 6 2-2 liar").returns() == (1, -1)
    assert play(game, "2 5 2-2 liar").returns() == (-1, 1)
    assert play(game, "1 5 1-5 1-6 liar").returns() == (1, -1)


def test_a_deck_too_small_is_refused() -> None:
    with pytest.raises(ParameterError, match="three cards"):
        Leduc(ranks=2, suits=1)


OPEN_SPIEL = {
    "kuhn": ("kuhn_poker(players=2)", {}),
    "kuhn3": ("kuhn_poker(players=3)", {"players": 3}),
    "leduc": ("leduc_poker", {}),
    "liars_dice": ("liars_dice", {}),
}


@pytest.mark.parametrize("name", OPEN_SPIEL)
def test_random_plays_agree_with_open_spiel(name: str) -> None:
    """The same choices by position lead to the same number of moves and the same returns."""
    pyspiel = pytest.importorskip("pyspiel")
    theirs_name, parameters = OPEN_SPIEL[name]
    theirs_game = pyspiel.load_game(theirs_name)
    ours_game = make_game(name.rstrip("3"), parameters)
    generator = random.Random(name)
    for _ in range(300):
        ours, theirs = ours_game.start(), theirs_game.new_initial_state()
        while ours.actor != TERMINAL:
            assert not theirs.is_terminal()
            if ours.actor == CHANCE:
                legal = [action for action, _ in ours.chance()]
                other = [action for action, _ in theirs.chance_outcomes()]
            else:
                assert ours.actor == theirs.current_player()
                legal, other = list(ours.actions()), theirs.legal_actions()
            assert len(legal) == len(other)
            choice = generator.randrange(len(legal))
            ours, theirs = ours.after(legal[choice]), theirs.child(other[choice])
        assert theirs.is_terminal()
        assert ours.returns() == pytest.approx(theirs.returns())
