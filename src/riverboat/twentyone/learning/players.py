"""Players of twenty-one by name, and a player's seat at the table.

`basic` is the exact optimum; `basic?state=points&objective=wins` sees less and counts wins.
`q:FILE` plays a learned table, and draws like the dealer where that knows nothing.

Tables deal cards and take decisions; a Player takes a View and gives an action. A SeatedPlayer
converts between the two. It also answers what is no question of the game but dealers' programs do
ask: a decision after a bust, about a single card, or about a hand that one pack cannot give. Then,
and where its player fails, it draws like the dealer: up to 16 points.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol, cast, runtime_checkable

import numpy as np

from riverboat.arena.hand import player_stream
from riverboat.errors import UnknownNameError, UsageError
from riverboat.games.base import Action, Game
from riverboat.players.player import Player, View
from riverboat.players.roster import PlayerSpec, make_player
from riverboat.twentyone.game import HIT, STAND, Result, TwentyOne, dealer_draws, infoset_of
from riverboat.twentyone.learning.information import INFORMATION, keys, state_key
from riverboat.twentyone.learning.q_table import OBJECTIVES, QTable

UNKNOWN_UP = "Ts"  # Taken for the open card where a dealer asks before showing it


@dataclass(frozen=True)
class BasicPlayer:
    """Plays what exact enumeration found best."""

    name: str
    state: str
    hits: frozenset[str]  # The keys of `state` at which to hit

    def choose(self, view: View, rng: np.random.Generator) -> Action:
        return HIT if state_key(self.state, view.infoset) in self.hits else STAND


@dataclass(frozen=True)
class QPlayer:
    """Plays the action with the better average."""

    name: str
    table: QTable

    def choose(self, view: View, rng: np.random.Generator) -> Action:
        known = self.table.lookup(view.player, view.infoset)
        if known is None:
            return HIT if dealer_draws(view.infoset.partition("|")[0]) else STAND
        return max(known, key=known.__getitem__)


def basic(game: Game, spec: PlayerSpec) -> BasicPlayer:
    """`basic[?state=…&objective=…]`: the exact best play of twenty-one."""
    from riverboat.twentyone.learning.optimum import optimum

    _check(game, spec, {"state", "objective"})
    state = spec.options.get("state", "composition")
    objective = spec.options.get("objective", "reward")
    if state not in INFORMATION:
        raise UnknownNameError.among("kind of state", state, INFORMATION)
    if objective not in OBJECTIVES:
        raise UnknownNameError.among("objective", objective, OBJECTIVES)
    _, best = optimum(state, objective)
    hits = frozenset(key for key, hit in zip(keys(state), best.tolist(), strict=True) if hit)
    return BasicPlayer(spec.text, state, hits)


def q(game: Game, spec: PlayerSpec) -> QPlayer:
    """`q:FILE`, or the file alone: plays a Q table of twenty-one."""
    _check(game, spec, set())
    if not spec.argument:
        raise UsageError("A player with a Q table is written q:FILE.")
    return QPlayer(spec.text, QTable.load(spec.argument))


def seat_table(game: Game, name: str, table: QTable) -> QPlayer:
    """The player of a table that was not read from a file."""
    if game.name != "twentyone":
        raise UsageError(f"A Q table plays twentyone, not {game.name}.")
    return QPlayer(name, table)


def _check(game: Game, spec: PlayerSpec, known: Collection[str]) -> None:
    if game.name != "twentyone":
        raise UsageError(f"The player {spec.name!r} plays twentyone, not {game.name}.")
    spec.check_options(known)


@runtime_checkable
class Learner(Protocol):
    """A player that is to know how the hand ended."""

    def hand_over(self, cards: Sequence[str], up_card: str, result: Result) -> None: ...


class SeatedPlayer:
    """A player with its name and its chance at one table."""

    def __init__(self, player: Player, rng: np.random.Generator, name: str = "") -> None:
        self.name = name or player.name
        self.player = player
        self.trouble = ""
        """What went wrong in the player, the first time."""
        self._rng = player_stream(rng)
        self._game = TwentyOne()
        # Tables need not be asked twice; others may search or roll dice.
        self._known: dict[str, bool] = {}
        self._fixed = isinstance(player, BasicPlayer | QPlayer)
        self._learner = player if isinstance(player, Learner) else None
        self._views: dict[str, View] = {}
        self._seen: tuple[Sequence[str], str] = ((), "")
        """The cards and the open card of the decision at hand."""

    def warm_up(self) -> None:
        """Compile and read whatever the first decision would wait for."""
        warm = getattr(self.player, "warm_up", None)
        if warm is not None:
            warm()
        _questions()

    def limit_time(self, seconds: float) -> bool:
        """Ask a player that searches, and was given no time of its own, to answer within this.

        Returns whether it is one that searches.
        """
        limit = getattr(self.player, "limit_time", None)
        if limit is not None:
            limit(seconds)
        return limit is not None

    def decide(self, cards: Sequence[str], up_card: str) -> bool:
        """True to hit. Any question gets an answer."""
        if not cards:
            return False
        infoset = infoset_of(cards, up_card or UNKNOWN_UP)
        if infoset in self._known:
            return self._known[infoset]
        if infoset not in _questions():
            return dealer_draws(cards)
        try:
            hit = self.player.choose(self._view(cards, up_card, infoset), self._rng) == HIT
        except Exception as error:
            self.trouble = self.trouble or f"{type(error).__name__}: {error}"
            return dealer_draws(cards)
        if self._fixed:
            self._known[infoset] = hit
        return hit

    def _view(self, cards: Sequence[str], up_card: str, infoset: str) -> View:
        """What the player sees. The same for the same infoset, but for the scene in words."""
        self._seen = cards, up_card
        view = self._views.get(infoset)
        if view is None:
            view = View(self._game, 0, infoset, (HIT, STAND), self._scene)
            self._views[infoset] = view
        return view

    def _scene(self) -> str:
        cards, up_card = self._seen
        return f"hand {' '.join(cards)}   dealer ?? {up_card}"

    def hand_over(self, cards: Sequence[str], up_card: str, result: Result) -> None:
        """Report the end of the hand to a player that learns."""
        if self._learner is not None:
            try:
                self._learner.hand_over(cards, up_card or UNKNOWN_UP, result)
            except Exception as error:
                self.trouble = self.trouble or f"{type(error).__name__}: {error}"


@cache
def _questions() -> frozenset[str]:
    """Every infoset that the game can ask about."""
    return frozenset(keys("composition"))


def seat_greedy(name: str, table: QTable, rng: np.random.Generator) -> SeatedPlayer:
    """A seat that plays a Q table greedily."""
    return SeatedPlayer(cast("Player", QPlayer(name, table)), rng, name)


def stream_of_seat(seed: int, number: int) -> np.random.Generator:
    """The random numbers of a local player where `seed` shuffles the decks (table.py)."""
    # A spawn key differs from any list of numbers such as decks are shuffled by.
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,)))


def seat_learner(
    name: str, table: QTable, rng: np.random.Generator, method: str | None = None
) -> SeatedPlayer:
    """A seat that learns into a Q table; by default as the table was learned, else on-policy."""
    from riverboat.twentyone.learning.online import TABLE_METHODS, learning_player, method_of

    known = method_of(table)
    usual = known if known in TABLE_METHODS else "on-policy"
    return SeatedPlayer(learning_player(name, table, method or usual), rng, name)


def seat_named(spec: str, rng: np.random.Generator, name: str = "") -> SeatedPlayer:
    """A seat for the player that a spec such as `basic` or `q:table.rb` names."""
    return SeatedPlayer(make_player(TwentyOne(), spec), rng, name or spec)
