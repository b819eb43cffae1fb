"""GameTree: counts from the literature and the laws its arrays keep."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from riverboat.errors import TooLargeError
from riverboat.games.base import CHANCE, TERMINAL, Game
from riverboat.games.registry import make_game
from riverboat.runtime.stopping import Stop, use_stop
from riverboat.trees.game_tree import GameTree, build_tree, estimate_histories, measure

SMALL = [
    ("rps", {}),
    ("kuhn", {}),
    ("kuhn", {"players": 3}),
    ("leduc", {"ranks": 2}),
    ("liars_dice", {"faces": 2}),
    ("showdown", {"cards": 5}),
]


@pytest.fixture(params=SMALL, ids=lambda case: f"{case[0]}{case[1] or ''}")
def tree(request: pytest.FixtureRequest) -> GameTree:
    name, parameters = request.param
    return build_tree(make_game(name, parameters))


@pytest.mark.parametrize(
    ("name", "parameters", "histories", "infosets"),
    [
        ("rps", {}, 13, 2),
        ("kuhn", {}, 58, 12),
        ("kuhn", {"players": 3}, 617, 48),
        ("leduc", {}, 9457, 936),
        ("showdown", {}, 15614, 624),
        ("liars_dice", {"faces": 3}, 9 * (2**7 - 1) + 4, 3 * 4**3),
    ],
)
def test_sizes(name: str, parameters: dict[str, int], histories: int, infosets: int) -> None:
    """Counts of the papers and, for liar's dice, the closed form in its rules file."""
    game = make_game(name, parameters)
    tree = build_tree(game)
    assert (tree.num_histories, tree.num_infosets) == (histories, infosets)
    assert measure(game) == tree.size
    size = tree.size
    assert size.decisions + size.chances + size.terminals == histories


@pytest.mark.slow
def test_liars_dice_is_built_whole() -> None:
    tree = build_tree(make_game("liars_dice"))
    assert (tree.num_histories, tree.num_infosets) == (294_883, 24_576)


def test_levels_and_children_are_contiguous(tree: GameTree) -> None:
    count = tree.num_histories
    for h in range(count):
        children = range(int(tree.child_offsets[h]), int(tree.child_offsets[h + 1]))
        assert all(tree.parent[c] == h for c in children)
        if tree.actor[h] >= 0:
            i = int(tree.infoset[h])
            slots = list(range(int(tree.offsets[i]), int(tree.offsets[i + 1])))
            assert [int(tree.slot[c]) for c in children] == slots
            assert tree.players[i] == tree.actor[h]
        elif tree.actor[h] == CHANCE:
            assert sum(tree.chance[c] for c in children) == pytest.approx(1)
        else:
            assert tree.actor[h] == TERMINAL
            assert not children
    for d, (first, last) in enumerate(itertools.pairwise(tree.levels.tolist())):
        inside = tree.parent[first:last]
        assert d == 0 or (inside >= tree.levels[d - 1]).all()
        assert d == 0 or (inside < first).all()
    assert tree.levels[-1] == count


def test_every_history_is_a_play_of_the_rules(tree: GameTree) -> None:
    states = [tree.game.start()]
    for h in range(1, tree.num_histories):
        slot, outcome = int(tree.slot[h]), int(tree.outcome[h])
        move = tree.actions[slot] if slot >= 0 else tree.outcomes[outcome]
        states.append(states[tree.parent[h]].after(move))
    for h, state in enumerate(states):
        assert state.actor == tree.actor[h]
        if state.actor >= 0:
            assert state.infoset(state.actor) == tree.infosets[tree.infoset[h]]
    ends = [states[h].returns() for h in tree.terminals.tolist()]
    assert np.array_equal(np.array(ends), tree.returns)


def test_reach_adds_up_to_one_over_the_ends(tree: GameTree) -> None:
    reach = tree.reach(tree.uniform())
    assert reach[tree.terminals].sum() == pytest.approx(1)
    assert tree.constant_sum


def test_the_estimate_is_exact_where_all_plays_branch_alike() -> None:
    assert estimate_histories(make_game("rps")) == 13
    assert estimate_histories(make_game("kuhn")) == pytest.approx(58, rel=0.1)


def test_a_tree_beyond_the_limit_is_refused_with_its_size() -> None:
    with pytest.raises(TooLargeError, match=r"leduc has 9,457 histories and 936 infosets.*KiB"):
        build_tree(make_game("leduc"), memory_limit=100_000)


def test_a_hopeless_tree_is_refused_without_walking_it() -> None:
    with pytest.raises(TooLargeError, match=r"than anybody could walk, .* raise the limit"):
        build_tree(Endless())


@dataclass(frozen=True)
class Endless:
    """Sixty choices between ten digits."""

    name: ClassVar[str] = "endless"
    title: ClassVar[str] = "Endless"
    small: ClassVar[bool] = False
    broken: str = ""
    num_players = 1
    utility_sum = None

    def start(self) -> Digits:
        return Digits(self)

    def action_label(self, action: str) -> str:
        return action


@dataclass(frozen=True)
class Digits:
    game: Endless
    digits: str = ""

    @property
    def actor(self) -> int:
        length = 2 if self.game.broken else 60
        if len(self.digits) == length:
            return TERMINAL
        return CHANCE if self.game.broken == "chance" else 0

    def actions(self) -> tuple[str, ...]:
        if self.game.broken == "actions" and self.digits == "1":
            return ("0",)
        return tuple("0123456789") if self.actor == 0 else ()

    def chance(self) -> tuple[tuple[str, float], ...]:
        return (("0", 0.5), ("1", 0.4))

    def after(self, action: str) -> Digits:
        return Digits(self.game, self.digits + action)

    def returns(self) -> tuple[float, ...]:
        return (0.0, 0.0) if self.game.broken == "returns" else (0.0,)

    def infoset(self, player: int) -> str:
        return str(len(self.digits))

    def describe(self, player: int | None) -> str:
        return self.digits


@pytest.mark.parametrize(
    ("broken", "message"),
    [("chance", "add up to one"), ("actions", "differ in their actions"), ("returns", "payoffs")],
)
def test_rules_that_contradict_themselves_are_named(broken: str, message: str) -> None:
    game: Game = Endless(broken=broken)
    with pytest.raises(ValueError, match=message):
        build_tree(game)


def test_a_stop_ends_the_building_of_a_tree() -> None:
    stop = Stop()
    stop.request()
    with use_stop(stop), pytest.raises(KeyboardInterrupt):
        build_tree(make_game("leduc"))
    with use_stop(stop), pytest.raises(KeyboardInterrupt):
        estimate_histories(make_game("kuhn"))
