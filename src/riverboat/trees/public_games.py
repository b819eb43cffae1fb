"""From a game to its public shapes: by a builder of its own where it has one, else by a walk.

A game too large to walk names a builder in its attribute `public_builder`, "module:function": it
takes the game and returns a PublicGame. Trees and solvers do not know it. The walk takes all
pairs of hands through the readable rules together. What a chance outcome is follows from who can
see it: if both players' infosets tell its outcomes apart it is a public card, if one player's do it
is part of that hand, and if none do (cards turned after the last action) it is averaged. Hands must
be dealt before the first action. Every public situation becomes a shape of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import UsageError
from riverboat.games.base import CHANCE, TERMINAL, Action, Game, State
from riverboat.runtime.plugins import find
from riverboat.trees.public_tree import Place, PublicShapes

Locate: TypeAlias = Callable[[int, str], tuple[Place, int] | None]
Infoset: TypeAlias = tuple[int, str, Place, int]  # Player, text, where it stands and its lane
Worlds: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]
"""(W,) probabilities and (W, 2, T, L, L) payoffs of what chance hides from both players."""


@dataclass(frozen=True, repr=False)
class PublicGame:
    """A game's shapes, and how its infosets' texts are found among them."""

    game: Game
    shapes: PublicShapes
    locate: Locate
    """(player, infoset) → where it stands and its lane, or None for a text that is no infoset."""
    infosets: Callable[[], Iterator[Infoset]]
    """Every infoset that `locate` knows, node by node."""
    worlds: Callable[[], Worlds]
    """The payoffs split by what nobody sees, for solvers that sample it."""

    def __repr__(self) -> str:
        return f"<PublicGame {self.game.name}: {self.shapes!r}>"

    def _repr_html_(self) -> str:
        return self.shapes._repr_html_()


def has_shapes(game: Game) -> bool:
    """Whether a game hands in shapes of its own, and so is solved on a public tree."""
    return hasattr(game, "public_builder")


def public_game(game: Game) -> PublicGame:
    """The public shapes of a game for two players."""
    builder = getattr(game, "public_builder", None)
    if builder is not None:
        return cast(PublicGame, find(builder)(game))
    shapes, places = walk_shapes(game)
    return PublicGame(
        game,
        shapes,
        lambda player, infoset: places.get((player, infoset)),
        lambda: ((player, key, *where) for (player, key), where in places.items()),
        lambda: (np.ones(1), shapes.payoffs[None]),
    )


Places: TypeAlias = dict[tuple[int, str], tuple[Place, int]]
"""(player, infoset) → where it stands and its lane."""


@dataclass(frozen=True)
class _World:
    """One way things can be behind the public scene."""

    hands: tuple[str, str]
    probability: float
    state: State


@dataclass
class _Shape:
    actor: int
    actions: tuple[Action, ...]
    num_hands: int
    tables: list[int]
    edges: list[tuple[int, int, str]] = field(default_factory=list)
    num_ends: int = 0


@dataclass
class _Walk:
    """What has been found so far; shapes are numbered depth-first, as the tree's nodes are."""

    game: Game
    lanes: tuple[dict[str, int], dict[str, int]] = field(default_factory=lambda: ({}, {}))
    shapes: list[_Shape] = field(default_factory=list)
    keys: dict[tuple[int, str], tuple[int, str]] = field(default_factory=dict)
    deal: dict[tuple[str, str], float] = field(default_factory=dict)
    tables: list[dict[tuple[str, str], list[float]]] = field(default_factory=list)

    def visit(self, worlds: list[_World], *, acted: bool) -> int:
        """The number of the shape of these worlds, in which the play goes on."""
        worlds = self._settle(worlds, acted=acted)
        actor = worlds[0].state.actor
        number = len(self.shapes)
        if actor == CHANCE:
            self.shapes.append(_Shape(-1, ("",), 0, [-1]))
            self._branch(number, 0, worlds, acted=acted)
            return number
        if not acted:
            for world in worlds:
                self.deal[world.hands] = self.deal.get(world.hands, 0.0) + world.probability
        actions = tuple(worlds[0].state.actions())
        held = dict.fromkeys(world.hands[actor] for world in worlds)
        self.shapes.append(_Shape(actor, actions, len(held), [-1] * len(actions)))
        for world in worlds:
            key, hand = (actor, world.state.infoset(actor)), (number, world.hands[actor])
            if self.keys.setdefault(key, hand) != hand:
                raise UsageError(
                    f"{self.game.name} hides actions from a player, which a public tree does"
                    " not know; use the game tree."
                )
        for slot, action in enumerate(actions):
            after = [
                _World(world.hands, world.probability, world.state.after(action))
                for world in worlds
            ]
            after = self._settle(after, acted=True)
            follow = self._branch if after[0].state.actor == CHANCE else self._attach
            follow(number, slot, after, acted=True)
        return number

    def _branch(self, number: int, slot: int, worlds: list[_World], *, acted: bool) -> None:
        """Follow every public card from these worlds."""
        by_card: dict[str, list[_World]] = {}
        for world in worlds:
            for card, p in world.state.chance():
                follower = _World(world.hands, world.probability * p, world.state.after(card))
                by_card.setdefault(card, []).append(follower)
        for card, followers in by_card.items():
            self._attach(number, slot, followers, card, acted=acted)

    def _attach(
        self, number: int, slot: int, worlds: list[_World], card: str = "", *, acted: bool
    ) -> None:
        """Hang what follows an action and a card below a shape: another shape or an end."""
        worlds = self._settle(worlds, acted=acted)
        shape = self.shapes[number]
        if worlds[0].state.actor != TERMINAL:
            shape.edges.append((slot, self.visit(worlds, acted=acted), card))
            return
        shape.num_ends += 1
        if shape.tables[slot] < 0:
            shape.tables[slot] = len(self.tables)
            self.tables.append({})
        table = self.tables[shape.tables[slot]]
        for world in worlds:
            sums = table.setdefault(world.hands, [0.0, 0.0])
            for player, gain in enumerate(world.state.returns()):
                sums[player] += world.probability * gain

    def _settle(self, worlds: list[_World], *, acted: bool) -> list[_World]:
        """Deal the hands and average what nobody sees, until something public follows."""
        while worlds[0].state.actor == CHANCE:
            seen = _seen_by(worlds[0].state)
            if seen == (True, True):
                break
            if any(seen) and acted:
                raise UsageError(
                    f"{self.game.name} deals private cards after the first action, which a"
                    " public tree does not know; use the game tree."
                )
            worlds = [
                _World(self._dealt(world.hands, seen, card), world.probability * p, follower)
                for world in worlds
                for card, p in world.state.chance()
                for follower in (world.state.after(card),)
            ]
            if not all(worlds[0].state.actor == world.state.actor for world in worlds):
                worlds = self._play_out(worlds)
        return worlds

    def _play_out(self, worlds: list[_World]) -> list[_World]:
        """Follow unseen chance in each world to its own end."""
        done: list[_World] = []
        while worlds:
            world = worlds.pop()
            if world.state.actor == CHANCE:
                worlds.extend(
                    _World(world.hands, world.probability * p, world.state.after(card))
                    for card, p in world.state.chance()
                )
            else:
                done.append(world)
        return done

    def _dealt(self, hands: tuple[str, str], seen: tuple[bool, bool], card: str) -> tuple[str, str]:
        first, second = (
            hand + card if own else hand for hand, own in zip(hands, seen, strict=True)
        )
        return first, second


def _seen_by(state: State) -> tuple[bool, bool]:
    """Which player can tell the outcomes of this chance event apart."""
    followers = [state.after(card) for card, _ in state.chance()]
    first, second = (len({f.infoset(player) for f in followers}) > 1 for player in (0, 1))
    return first, second


def walk_shapes(game: Game) -> tuple[PublicShapes, Places]:
    """The shapes, and where each (player, infoset) stands in their tree."""
    if game.num_players != 2:
        raise UsageError(f"A public tree is for two players, and {game.name} has more or fewer.")
    walk = _Walk(game)
    walk.visit([_World(("", ""), 1.0, game.start())], acted=False)
    for hands in walk.deal:
        for player in (0, 1):
            walk.lanes[player].setdefault(hands[player], len(walk.lanes[player]))
    shapes = _as_arrays(walk)
    places = {
        (player, infoset): (
            Place(number, number, int(shapes.slot_offsets[number])),
            walk.lanes[player][hand],
        )
        for (player, infoset), (number, hand) in walk.keys.items()
    }
    return shapes, places


def _as_arrays(walk: _Walk) -> PublicShapes:
    lanes = max(len(walk.lanes[0]), len(walk.lanes[1]))
    deal = np.zeros((lanes, lanes))
    for (first, second), p in walk.deal.items():
        deal[walk.lanes[0][first], walk.lanes[1][second]] = p
    payoffs = np.zeros((2, len(walk.tables), lanes, lanes))
    for number, table in enumerate(walk.tables):
        for (first, second), sums in table.items():
            i, j = walk.lanes[0][first], walk.lanes[1][second]
            payoffs[0, number, j, i], payoffs[1, number, i, j] = sums
    edges = [edge for shape in walk.shapes for edge in shape.edges] + [(0, 0, "")]
    return PublicShapes(
        lanes=(tuple(walk.lanes[0]), tuple(walk.lanes[1])),
        deal=deal,
        actor=np.array([shape.actor for shape in walk.shapes], np.int8),
        slot_offsets=np.cumsum([0, *(len(s.actions) for s in walk.shapes)], dtype=np.int64),
        slot_labels=tuple(action for shape in walk.shapes for action in shape.actions),
        slot_table=np.array([t for shape in walk.shapes for t in shape.tables], np.int32),
        num_ends=np.array([shape.num_ends for shape in walk.shapes], np.int64),
        num_hands=np.array([shape.num_hands for shape in walk.shapes], np.int64),
        edge_offsets=np.cumsum([0, *(len(s.edges) for s in walk.shapes)], dtype=np.int64),
        edge_slot=np.array([edge[0] for edge in edges], np.int8),
        edge_weight=np.ones(len(edges)),
        edge_child=np.array([edge[1] for edge in edges], np.int32),
        edge_labels=tuple(edge[2] for edge in edges),
        num_tables=len(walk.tables),
        make_payoffs=lambda: payoffs,
    )
