"""Public trees: exact sizes, and the duel's payoffs against full enumeration in plain Python."""

import functools
import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest

from riverboat.errors import TooLargeError, UsageError
from riverboat.games.base import CHANCE, TERMINAL, Game, State
from riverboat.games.duel import Duel
from riverboat.games.kuhn import Kuhn
from riverboat.games.registry import make_game
from riverboat.trees._duel_shapes import dealer_totals
from riverboat.trees.best_response import lane_values
from riverboat.trees.public_games import public_game, walk_shapes
from riverboat.trees.public_tree import build_public_tree

NODES = [
    ((1, 1), ">20", (133, 13_553, 1_333_421, 75_250_385)),
    ((6, 6), ">20", (133, 13_553, 892_981, 21_499_765)),
    ((10, 10), ">20", (133, 13_553, 346_193, 3_411_233)),
    ((10, 10), ">=20", (133, 11_221, 233_773, 1_861_861)),
]
"""The exact sizes that the rules' description gives."""


@pytest.mark.parametrize(("cards", "limit", "wanted"), NODES)
def test_the_duel_has_the_known_number_of_nodes(
    cards: tuple[int, int], limit: str, wanted: tuple[int, ...]
) -> None:
    for max_hits, nodes in enumerate(wanted, start=1):
        if nodes > 10_000_000:
            continue
        shapes = public_game(Duel((*cards, 7), max_hits, limit)).shapes
        assert shapes.num_public_nodes == nodes
        if shapes.num_nodes < 400_000:
            assert build_public_tree(shapes).num_nodes == (nodes - 1) // 11


@pytest.mark.slow
@pytest.mark.parametrize(("cards", "limit", "wanted"), NODES)
def test_the_largest_duels_have_the_known_number_of_nodes(
    cards: tuple[int, int], limit: str, wanted: tuple[int, ...]
) -> None:
    assert public_game(Duel((*cards, 2), len(wanted), limit)).shapes.num_public_nodes == wanted[-1]


@pytest.mark.parametrize(("name", "infosets"), [("kuhn", 12), ("leduc", 936), ("showdown", 624)])
def test_walked_games_have_their_infosets(name: str, infosets: int) -> None:
    shapes, places = walk_shapes(make_game(name))
    assert shapes.num_infosets == len(places) == infosets
    assert shapes.deal.sum() == pytest.approx(1)


def test_a_game_that_hides_actions_has_no_public_tree() -> None:
    with pytest.raises(UsageError, match="hides actions"):
        public_game(make_game("rps"))


@dataclass(frozen=True)
class CoinState:
    """Kuhn poker after which coins that nobody sees treble the stakes: one, or two after tails."""

    game: Game
    inner: State
    coins: str = ""

    @property
    def actor(self) -> int:
        if self.inner.actor != TERMINAL:
            return self.inner.actor
        return TERMINAL if self.coins.endswith("h") or len(self.coins) == 2 else CHANCE

    def actions(self) -> Sequence[str]:
        return self.inner.actions()

    def chance(self) -> Sequence[tuple[str, float]]:
        if self.inner.actor != TERMINAL:
            return self.inner.chance()
        return (("h", 0.5), ("t", 0.5)) if self.actor == CHANCE else ()

    def after(self, action: str) -> "CoinState":
        if self.inner.actor != TERMINAL:
            return replace(self, inner=self.inner.after(action))
        return replace(self, coins=self.coins + action)

    def returns(self) -> tuple[float, ...]:
        times = 3 if self.coins.endswith("h") else 1
        return tuple(times * gain for gain in self.inner.returns())

    def infoset(self, player: int) -> str:
        return self.inner.infoset(player)

    def describe(self, player: int | None) -> str:
        return self.inner.describe(player)


@dataclass(frozen=True)
class CoinKuhn(Kuhn):
    def start(self) -> CoinState:  # type: ignore[override]
        return CoinState(self, Kuhn().start())


def test_unseen_cards_are_averaged() -> None:
    """Trebled with probability 3/4: every payoff of Kuhn poker times 2.5."""
    plain, _ = walk_shapes(make_game("kuhn"))
    coins, _ = walk_shapes(CoinKuhn())
    assert coins.num_public_nodes == plain.num_public_nodes
    assert coins.payoffs == pytest.approx(2.5 * plain.payoffs)


def test_a_tree_that_does_not_fit_is_refused_before_it_is_allocated() -> None:
    with pytest.raises(TooLargeError, match=r"[\d,]{13} nodes and takes \d+\.\d GiB, .* max_hits"):
        build_public_tree(public_game(Duel((1, 1, 1), 5)).shapes)
    with pytest.raises(TooLargeError):
        build_public_tree(public_game(Duel((6, 6, 2), 2)).shapes, memory_limit=100_000)


def test_nodes_stand_where_walking_the_shapes_finds_them() -> None:
    """The kernel's depth-first numbers against those that sizes of subtrees give."""
    shapes = public_game(Duel((10, 7, 5), 2)).shapes
    tree = build_public_tree(shapes)
    stack, seen = [shapes.find([])], 0
    while stack:
        place = stack.pop()
        assert place is not None
        assert shapes.edge_child[tree.node_edge[place.node]] == place.shape
        assert tree.node_slot[place.node] == place.slot
        seen += 1
        for _, _, child in shapes.children(place):
            assert tree.node_depth[child.node] == tree.node_depth[place.node] + 1
            stack.append(child)
    assert seen == tree.num_nodes


@pytest.mark.parametrize("limit", [">20", ">=20"])
def test_random_plays_find_their_places(limit: str) -> None:
    """The readable rules and the shapes say the same at every decision of a play."""
    generator = random.Random(3)
    for play in range(120):
        if play % 20 == 0:
            cards = tuple(generator.choices(range(1, 11), k=3))
            game = Duel(cards, 1 + play // 20 % 3, limit)
            public = public_game(game)
        state = game.start()
        while state.actor != TERMINAL:
            for player in (0, 1) if len(state.downs) == 2 else ():
                found = public.locate(player, state.infoset(player))
                assert (found is not None) == (state.actor == player)
                if found is not None:
                    place, lane = found
                    assert public.shapes.actor[place.shape] == player
                    assert public.shapes.lanes[player][lane] == str(state.downs[player])
                    assert public.shapes.actions(place.shape) == state.actions()
            options = [card for card, _ in state.chance()] or list(state.actions())
            state = state.after(generator.choice(options))


# What follows is written without the package: its own deck, dealer and division of the pot.
CHANCES = {card: Fraction(4 if card == 10 else 1, 13) for card in range(1, 11)}


def worth(cards: tuple[int, ...]) -> int:
    low = sum(cards)
    high = low + 10 if 1 in cards and low + 10 <= 21 else low
    return high if high <= 21 else 0


def dealer_hands(cards: tuple[int, ...]) -> Iterator[tuple[int, Fraction]]:
    """The final total and the probability of every sequence of cards, one by one."""
    if len(cards) >= 2 and (worth(cards) == 0 or worth(cards) >= 17):
        yield worth(cards), Fraction(1)
        return
    for card, chance in CHANCES.items():
        for total, rest in dealer_hands((*cards, card)):
            yield total, chance * rest


@functools.cache
def dealer_distribution(up: int) -> dict[int, Fraction]:
    totals: dict[int, Fraction] = {}
    for total, chance in dealer_hands((up,)):
        totals[total] = totals.get(total, Fraction(0)) + chance
    return totals


def divide(first: int, second: int, dealer: int, hits: tuple[int, int]) -> tuple[Fraction, ...]:
    pot, best = 3 + sum(hits), max(first, second, dealer)
    if best == 0:
        return Fraction(-hits[0]), Fraction(-hits[1])
    winners = [first, second, dealer].count(best)
    return tuple(
        Fraction(pot * (total == best), winners) - hit
        for total, hit in zip((first, second), hits, strict=True)
    )


@pytest.mark.parametrize("up", [2, 10])
def test_the_dealers_totals_equal_the_enumeration_of_the_cards(up: int) -> None:
    wanted = dealer_distribution(up)
    assert sum(wanted.values()) == 1
    found = dealer_totals(up)
    for total in range(22):
        assert found[total] == pytest.approx(float(wanted.get(total, 0)), abs=1e-15)


def ends_by_hand(
    cards: tuple[int, int, int],
    hits: tuple[tuple[int, ...], tuple[int, ...]],
    downs: tuple[int, int],
) -> tuple[Fraction, Fraction]:
    """Both players' expected payoffs at one end of the play, the dealer enumerated."""
    totals = [worth((cards[p], downs[p], *hits[p])) for p in (0, 1)]
    counts = (len(hits[0]), len(hits[1]))
    result = [Fraction(0), Fraction(0)]
    for dealer, chance in dealer_distribution(cards[2]).items():
        for p, gain in enumerate(divide(totals[0], totals[1], dealer, counts)):
            result[p] += chance * gain
    return result[0], result[1]


def test_one_terminal_by_hand() -> None:
    """Up cards 6, 6, 10 and both stand: all hundred pairs of down cards."""
    shapes = public_game(Duel((6, 6, 10))).shapes
    place = shapes.find([(0, "")])
    assert place is not None
    table = shapes.slot_table[shapes.slot_offsets[place.shape]]
    for first, second in itertools.product(range(1, 11), repeat=2):
        deal = float(CHANCES[first] * CHANCES[second])
        wanted = ends_by_hand((6, 6, 10), ((), ()), (first, second))
        assert shapes.payoffs[0, table, second - 1, first - 1] == pytest.approx(
            deal * float(wanted[0]), abs=1e-15
        )
        assert shapes.payoffs[1, table, first - 1, second - 1] == pytest.approx(
            deal * float(wanted[1]), abs=1e-15
        )


def test_one_small_subtree_by_hand() -> None:
    """Player 0 stands on everything; player 1 hits with what is even. Up cards 1, 9, 10."""
    cards = (1, 9, 10)
    shapes = public_game(Duel(cards)).shapes
    tree = build_public_tree(shapes)
    weights = np.ones((tree.num_slots, 10))
    root, answer = shapes.find([]), shapes.find([(0, "")])
    assert root is not None
    assert answer is not None
    weights[root.slot], weights[root.slot + 1] = 1, 0
    even = np.array([card % 2 == 0 for card in range(1, 11)], float)
    weights[answer.slot], weights[answer.slot + 1] = 1 - even, even
    wanted = [Fraction(0), Fraction(0)]
    for first, second in itertools.product(range(1, 11), repeat=2):
        draws = {(card,): chance for card, chance in CHANCES.items()}
        for drawn, chance in (draws if second % 2 == 0 else {(): Fraction(1)}).items():
            gains = ends_by_hand(cards, ((), drawn), (first, second))
            for p in (0, 1):
                wanted[p] += CHANCES[first] * CHANCES[second] * chance * gains[p]
    found = lane_values(tree, weights).sum(axis=1)
    assert found == pytest.approx([float(value) for value in wanted], abs=1e-13)
