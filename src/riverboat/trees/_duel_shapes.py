"""The Blackjack duel as public shapes.

A shape is what both seats show and whose turn it is; the order in which cards came does not
matter to what can still happen. The dealer's play is folded into the payoffs: the final total has
a distribution that depends on the up card alone. The readable rules (games/duel.py) say who
acts, who is done and what the hands are worth; nothing of them is repeated here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from riverboat.games.duel import (
    BUST,
    CARDS,
    DEALER_STANDS,
    STAKE,
    Duel,
    Seat,
    best_total,
    deal_shares,
)
from riverboat.trees.public_games import Infoset, PublicGame, Worlds
from riverboat.trees.public_tree import Place, PublicShapes

ACTIONS = ("s", "h")
MAX_TOTAL = 21
DOWNS = tuple(CARDS)
Pair = tuple[Seat, Seat]


@cache
def _dealer_from(hard: int, ace: bool) -> tuple[float, ...]:
    """(22,) the probability of each final total of a dealer who has turned the down card."""
    total = best_total(hard, ace)
    if total == BUST or total >= DEALER_STANDS:
        return tuple(float(t == total) for t in range(MAX_TOTAL + 1))
    draws = [(p, _dealer_from(hard + card, ace or card == 1)) for card, p in CARDS.items()]
    return tuple(sum(p * final[t] for p, final in draws) for t in range(MAX_TOTAL + 1))


def dealer_totals(up: int, down: int | None = None) -> NDArray[np.float64]:
    """(22,) the probability of each final total of the dealer, 0 for a bust."""
    final = np.zeros(MAX_TOTAL + 1)
    for card, p in CARDS.items() if down is None else [(down, 1.0)]:
        final += np.multiply(p, _dealer_from(up + card, 1 in (up, card)))
    return final


@dataclass
class _Graph:
    """The shapes found so far, level by level, and the ends as recipes for tables."""

    game: Duel
    keys: list[tuple[Pair, int]] = field(default_factory=list)
    edges: list[list[tuple[int, float, int, str]]] = field(default_factory=list)
    tables: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    pairs: dict[Pair, int] = field(default_factory=dict)
    recipes: dict[tuple[tuple[int, float], ...], int] = field(default_factory=dict)

    def explore(self) -> None:
        """Fill the lists. Every action adds a hit or a stand, so a level's shapes are new."""
        level = {(self.game.seats(), 0): 0}
        while level:
            below: dict[tuple[Pair, int], int] = {}
            first_below = len(self.keys) + len(level)
            for key in level:
                self.keys.append(key)
                self._follow(key, below, first_below)
            level = below

    def _follow(
        self, key: tuple[Pair, int], below: dict[tuple[Pair, int], int], first_below: int
    ) -> None:
        seats, turn = key
        seat = seats[turn]
        edges: list[tuple[int, float, int, str]] = []
        num_ends = 0
        outcomes = (
            [(seat.stand(), 1.0, "")],
            [(seat.hit(card), p, str(card)) for card, p in CARDS.items()],
        )
        for slot, results in enumerate(outcomes):
            recipe: dict[int, float] = {}
            for result, weight, label in results:
                after = (result, seats[1]) if turn == 0 else (seats[0], result)
                following = self.game.next_player(after, turn)
                if following is None:
                    num_ends += 1
                    pair = self._pair(after)
                    recipe[pair] = recipe.get(pair, 0.0) + weight
                else:
                    child = below.setdefault((after, following), first_below + len(below))
                    edges.append((slot, weight, child, label))
            self.tables.append(self._table(recipe))
        self.edges.append(edges)
        self.ends.append(num_ends)

    def _pair(self, seats: Pair) -> int:
        """The number of a pair of final hands; all that are surely bust count as one."""
        first, second = (
            Seat(MAX_TOTAL, False, seat.hits)
            if seat.hard >= MAX_TOTAL
            else seat._replace(stood=False)
            for seat in seats
        )
        return self.pairs.setdefault((first, second), len(self.pairs))

    def _table(self, recipe: dict[int, float]) -> int:
        if not recipe:
            return -1
        return self.recipes.setdefault(tuple(sorted(recipe.items())), len(self.recipes))


def duel_game(game: Duel) -> PublicGame:
    """The duel for solvers on public trees."""
    graph = _Graph(game)
    graph.explore()
    shapes = _as_arrays(graph)
    names = {name: lane for lane, name in enumerate(shapes.lanes[0])}

    def locate(player: int, infoset: str) -> tuple[Place, int] | None:
        down, bar, history = infoset.partition("|")
        path = parse_path(history)
        place = None if path is None or not bar else shapes.find(path)
        if place is None or down not in names or shapes.actor[place.shape] != player:
            return None
        return place, names[down]

    def infosets() -> Iterator[Infoset]:
        for node, path in shapes.nodes():
            player, history = int(shapes.actor[node.shape]), ",".join(path)
            for down, lane in names.items():
                yield player, f"{down}|{history}", node, lane

    def worlds() -> Worlds:
        split = [_payoffs(graph, dealer_totals(game.cards[2], down)) for down in DOWNS]
        return np.array(list(CARDS.values())), np.stack(split)

    return PublicGame(game, shapes, locate, infosets, worlds)


def parse_path(text: str) -> list[tuple[int, str]] | None:
    """`s,h7` as steps (slot, card) from the root; None for what is no path."""
    steps: list[tuple[int, str]] = []
    for token in filter(None, text.split(",")):
        action, card = token[:1], token[1:]
        if action not in ACTIONS or (card in map(str, DOWNS)) != (action == "h"):
            return None
        steps.append((ACTIONS.index(action), card))
    return steps


def _as_arrays(graph: _Graph) -> PublicShapes:
    num_shapes = len(graph.keys)
    edges = [edge for own in graph.edges for edge in own] + [(0, 1.0, 0, "")]
    probabilities = np.array(list(CARDS.values()))
    names = tuple(str(card) for card in DOWNS)
    return PublicShapes(
        lanes=(names, names),
        deal=np.outer(probabilities, probabilities),
        actor=np.array([turn for _, turn in graph.keys], np.int8),
        slot_offsets=np.arange(num_shapes + 1, dtype=np.int64) * len(ACTIONS),
        slot_labels=ACTIONS * num_shapes,
        slot_table=np.array(graph.tables, np.int32),
        num_ends=np.array(graph.ends, np.int64),
        num_hands=np.full(num_shapes, len(CARDS), np.int64),
        edge_offsets=np.cumsum([0, *map(len, graph.edges)], dtype=np.int64),
        edge_slot=np.array([edge[0] for edge in edges], np.int8),
        edge_weight=np.array([edge[1] for edge in edges]),
        edge_child=np.array([edge[2] for edge in edges], np.int32),
        edge_labels=tuple(edge[3] for edge in edges),
        num_tables=len(graph.recipes),
        make_payoffs=lambda: _payoffs(graph, dealer_totals(graph.game.cards[2])),
    )


def _payoffs(graph: _Graph, dealer: NDArray[np.float64]) -> NDArray[np.float64]:
    """(2, T, 10, 10) the payoffs of every recipe against a dealer with these final totals."""
    shares = np.zeros((2, MAX_TOTAL + 1, MAX_TOTAL + 1))
    for final in np.flatnonzero(dealer).tolist():
        for first in range(MAX_TOTAL + 1):
            for second in range(MAX_TOTAL + 1):
                shares[:, first, second] += (
                    dealer[final] * np.array(deal_shares(first, second, final))[:2]
                )
    totals = np.array(
        [[[seat.total(down) for down in DOWNS] for seat in pair] for pair in graph.pairs]
    )
    hits = np.array([[seat.hits for seat in pair] for pair in graph.pairs], float)
    pot = STAKE + hits.sum(axis=1)
    chances = np.outer(list(CARDS.values()), list(CARDS.values()))
    counts = [len(recipe) for recipe in graph.recipes]
    parts = [part for recipe in graph.recipes for part in recipe]
    which = np.array([pair for pair, _ in parts])
    weight = np.array([weight for _, weight in parts])
    starts = np.cumsum([0, *counts[:-1]])
    tables = []
    for player in range(2):
        share = shares[player][totals[:, 0, :, None], totals[:, 1, None, :]]
        gain = (share * pot[:, None, None] - hits[:, player, None, None]) * chances
        own_last = gain.transpose(0, 2, 1) if player == 0 else gain
        # A recipe's payoffs are the weighted sum of its pairs'; recipes follow one another.
        tables.append(np.add.reduceat(weight[:, None, None] * own_last[which], starts))
    return np.ascontiguousarray(np.stack(tables))
