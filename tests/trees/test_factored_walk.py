"""Trees by one walk over public states are those of the plainest walk, bit for bit."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference_trees import differences, reference_tree
from riverboat.errors import TooLargeError
from riverboat.games.base import CHANCE, TERMINAL, Factored, even_chances
from riverboat.games.registry import GAMES, make_game
from riverboat.runtime.stopping import Stop, use_stop
from riverboat.trees._factored_walk import FactoredWalk
from riverboat.trees.game_tree import HistoryWalk, build_tree, measure

CASES = [
    ("rps", {}),
    ("rps", {"rock_stake": 2.5}),
    *(("kuhn", {"players": n}) for n in (2, 3, 4)),
    ("leduc", {}),
    ("leduc", {"ranks": 2}),
    ("leduc", {"ranks": 4, "suits": 1}),
    ("leduc", {"ranks": 2, "suits": 3}),
    *(("liars_dice", {"faces": n}) for n in (2, 3, 4)),
    *(("showdown", {"cards": n}) for n in (3, 4, 13)),
]


@pytest.mark.parametrize(("name", "parameters"), CASES)
def test_the_arrays_are_those_of_the_plainest_walk(
    name: str, parameters: dict[str, int | float]
) -> None:
    game = make_game(name, dict(parameters))
    tree = build_tree(game)
    assert differences(tree, reference_tree(game)) == []
    assert measure(game) == tree.size


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "parameters"), [("liars_dice", {}), ("kuhn", {"players": 5}), ("leduc", {"ranks": 6})]
)
def test_large_trees_are_those_of_the_plainest_walk(
    name: str, parameters: dict[str, int | float]
) -> None:
    game = make_game(name, dict(parameters))
    assert differences(build_tree(game), reference_tree(game)) == []


@pytest.mark.parametrize("name", GAMES)
def test_an_infoset_is_a_private_and_a_public_text(name: str) -> None:
    """Every factored game of the registry, along random plays."""
    game = make_game(name)
    rng = random.Random(name)
    for _ in range(20):
        state = game.start()
        while isinstance(state, Factored) and state.actor != TERMINAL:
            for player in range(game.num_players):
                assert state.infoset(player) == state.private(player) + state.public()
            moves = [a for a, _ in state.chance()] or list(state.actions())
            state = state.after(rng.choice(moves))


@dataclass(frozen=True)
class Random:
    """A game that its seed makes up: who acts, the actions, the cards and who sees them."""

    seed: int = 0
    num_players: int = 2
    depth: int = 4
    forgetful: bool = False  # The public text has the moves in alphabetical order

    name: ClassVar[str] = "random"
    title: ClassVar[str] = "Random"
    small: ClassVar[bool] = True
    utility_sum: ClassVar[float | None] = None

    def start(self) -> RandomState:
        return RandomState(self)

    def action_label(self, action: str) -> str:
        return action


@dataclass(frozen=True)
class RandomState:
    game: Random
    moves: tuple[str, ...] = ()
    cards: tuple[tuple[str, int], ...] = ()  # A card and the player who sees it; P is nobody
    shown: tuple[str, ...] = ()  # Cards that all see
    length: int = 0

    def _rng(self, *more: object) -> random.Random:
        return random.Random(f"{self.game.seed} {self.length} {self.public()} {more}")

    @property
    def actor(self) -> int:
        rng, game = self._rng(), self.game
        if self.length >= game.depth or rng.random() < 0.15:
            return TERMINAL
        return CHANCE if rng.random() < 0.35 else rng.randrange(game.num_players)

    def actions(self) -> tuple[str, ...]:
        """A function of the public text alone, which may stand at several depths."""
        many = random.Random(f"{self.game.seed} {self.public()}").randint(1, 3)
        return tuple("abc"[:many]) if self.actor >= 0 else ()

    def chance(self) -> tuple[tuple[str, float], ...]:
        """As many cards as the hidden ones allow; their names come from the public state."""
        if self.actor != CHANCE:
            return ()
        rng = self._rng("cards")
        deck = rng.sample("QRSTUVWXYZ", rng.randint(1, 4))
        left = [card for card in deck if (card, self._seer()) not in self.cards] or ["N"]
        weights = [random.Random(f"{card} {self.cards}").random() + 0.1 for card in left]
        return tuple((c, w / sum(weights)) for c, w in zip(left, weights, strict=True))

    def _seer(self) -> int:
        return self._rng("seer").randrange(self.game.num_players + 2)

    def after(self, action: str) -> RandomState:
        more = self.length + 1
        if self.actor != CHANCE:
            moves = (*self.moves, action)
            return RandomState(self.game, moves, self.cards, self.shown, more)
        seer = self._seer()
        if seer > self.game.num_players:
            return RandomState(self.game, self.moves, self.cards, (*self.shown, action), more)
        return RandomState(self.game, self.moves, (*self.cards, (action, seer)), self.shown, more)

    def returns(self) -> tuple[float, ...]:
        rng = random.Random(f"{self.game.seed} {self.terms()} {self.showdown()}")
        return tuple(rng.choice((-1.0, 0.0, 0.5)) for _ in range(self.game.num_players))

    def infoset(self, player: int) -> str:
        return self.private(player) + self.public()

    def public(self) -> str:
        moves = sorted(self.moves) if self.game.forgetful else self.moves
        return f"|{''.join(moves)}|{''.join(self.shown)}"

    def private(self, player: int) -> str:
        return "".join(card for card, seer in self.cards if seer == player)

    def terms(self) -> int:
        return len(self.moves)

    def showdown(self) -> int:
        return sum(ord(card) for card, _ in self.cards) % 3

    def describe(self, player: int | None) -> str:
        return self.public()


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    num_players=st.integers(1, 3),
    depth=st.integers(0, 6),
    forgetful=st.booleans(),
)
def test_random_games(seed: int, num_players: int, depth: int, forgetful: bool) -> None:
    game = Random(seed, num_players, depth, forgetful)
    walk = FactoredWalk(game, keep=True, limit=None)
    expected = reference_tree(game)
    assert walk.run()
    assert differences(walk.tree(), expected) == []
    assert walk.size() == expected.size
    plain = HistoryWalk(game, keep=True, limit=None)
    assert plain.run()
    assert differences(plain.tree(), expected) == []


@dataclass(frozen=True)
class Coin:
    """A coin that the first player sees, who then guesses twice, once for each player's payoff."""

    broken: str = ""  # The part that contradicts the others
    long: bool = False  # Forty guesses instead of two

    name: ClassVar[str] = "coin"
    title: ClassVar[str] = "Coin"
    small: ClassVar[bool] = True
    num_players: ClassVar[int] = 2
    utility_sum: ClassVar[float | None] = None

    def start(self) -> CoinState:
        return CoinState(self)

    def action_label(self, action: str) -> str:
        return action


@dataclass(frozen=True)
class CoinState:
    game: Coin
    coin: str = ""
    guesses: str = ""

    @property
    def actor(self) -> int:
        if not self.coin:
            return CHANCE
        if self.game.broken == "public" and self.coin == "t" and not self.guesses:
            return 1
        return TERMINAL if len(self.guesses) == (40 if self.game.long else 2) else 0

    def actions(self) -> tuple[str, ...]:
        return ("h", "t") if self.actor >= 0 else ()

    def chance(self) -> tuple[tuple[str, float], ...]:
        return () if self.coin else even_chances(("h", "t"))

    def after(self, action: str) -> Self:
        if not self.coin:
            return replace(self, coin=action)
        return replace(self, guesses=self.guesses + action)

    def returns(self) -> tuple[float, ...]:
        return tuple(float(guess == self.coin) for guess in self.guesses)

    def infoset(self, player: int) -> str:
        return f"{'' if player else self.coin}|{self.guesses}"

    def public(self) -> str:
        return f"|{self.guesses}"

    def private(self, player: int) -> str:
        return self.coin + "!" if self.game.broken == "private" else self.coin[player:]

    def terms(self) -> str:
        return "" if self.game.broken == "terms" else self.guesses

    def showdown(self) -> str:
        return "" if self.game.broken == "showdown" else self.coin

    def describe(self, player: int | None) -> str:
        return self.public()


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ("public", r"public text '\|' differ in who acts"),
        ("private", "differ in who acts, .* how their infosets are written"),
        ("terms", "payoffs differ where terms '' and showdown 'h'"),
        ("showdown", "payoffs differ where terms 'hh' and showdown ''"),
    ],
)
def test_parts_that_contradict_the_rules_are_named(broken: str, message: str) -> None:
    assert build_tree(Coin()).num_histories == 1 + 2 * 7
    with pytest.raises(ValueError, match=message):
        build_tree(Coin(broken))


class HiddenCoin(CoinState):
    def infoset(self, player: int) -> str:
        return self.public()


class DoubledCoin(CoinState):
    def returns(self) -> tuple[float, ...]:
        return tuple(2 * float(guess == self.coin) for guess in self.guesses)


class Wrapped:
    """A state that shows its player one thing less and leaves the rest to another."""

    def __init__(self, state: CoinState) -> None:
        self.state = state

    def __getattr__(self, name: str) -> Any:
        return getattr(self.state, name)

    def after(self, action: str) -> Wrapped:
        return Wrapped(self.state.after(action))

    def infoset(self, player: int) -> str:
        return self.state.public()


@dataclass(frozen=True)
class Changed(Coin):
    kind: Any = CoinState

    def start(self) -> Any:
        return self.kind(CoinState(self)) if self.kind is Wrapped else self.kind(self)


@pytest.mark.parametrize("kind", [HiddenCoin, DoubledCoin, Wrapped])
def test_states_that_change_a_rule_of_another_class_are_walked_one_by_one(kind: Any) -> None:
    """The parts that they inherit speak of the old rules."""
    game = Changed(kind=kind)
    tree = build_tree(game)
    assert differences(tree, reference_tree(game)) == []
    assert differences(tree, build_tree(Coin())) != ["game"]


def test_a_tree_beyond_the_limit_is_refused_with_its_size() -> None:
    with pytest.raises(TooLargeError, match=r"leduc has 9,457 histories and 936 infosets.*KiB"):
        build_tree(make_game("leduc"), memory_limit=100_000)
    with pytest.raises(TooLargeError, match="coin has more histories than anybody could walk"):
        build_tree(Coin(long=True))


def test_a_stop_ends_the_walk() -> None:
    stop = Stop()
    stop.request()
    with use_stop(stop), pytest.raises(KeyboardInterrupt):
        build_tree(Coin())
