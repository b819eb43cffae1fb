"""All that can happen when local best response plays a blueprint: the real betting as flat arrays.

Nodes are points of the real game, with the place where the blueprint believes itself in its
abstract game. A bet between two abstract ones has two readings, each with its own nodes after it;
which one holds on a board follows from the blueprint's own hash (translation.mark_of).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from riverboat.errors import TooLargeError
from riverboat.games.base import Action
from riverboat.holdem.blueprints import _lbr_kernels as col
from riverboat.holdem.blueprints._fallback_action import bounds
from riverboat.holdem.blueprints.betting_tree import NODE_WIDTH, OFFSET, ROW, amount_of
from riverboat.holdem.blueprints.blueprint import RAISES_OFF_TREE, SIZE_OFF_TREE, Blueprint
from riverboat.holdem.blueprints.translation import Trail, mark_of, real_action
from riverboat.holdem.rules.betting import CALL, FOLD, Betting, BettingRules, open_betting
from riverboat.runtime.array_types import F64, I64, U8


@dataclass(frozen=True)
class Question:
    """A bet with two readings: it is the lower one when the mark is below `bound`."""

    street: int
    past: str
    token: Action
    bound: float


@dataclass(frozen=True, eq=False)
class LbrTree:
    """N nodes, E edges; columns as in lbr_kernels.py. `roots` are the exploiter's two seats."""

    nodes: I64  # (N, 8)
    bounds: F64
    """(N, 2) off the abstract tree: the part of hands to beat to pay, and to raise."""
    edges: I64  # (E, 6)
    slots: I64  # For each abstract action of a node the number of its edge
    questions: tuple[Question, ...]
    roots: tuple[int, int]
    depth: int  # Most actions of a hand
    rules: BettingRules

    def marks(self, board: Sequence[int], streets: Sequence[int], salt: str) -> U8:
        """(Q,) 1 where a bet is read as the lower one, on a board; `streets` as cards by street."""
        marks = np.empty(len(self.questions), np.uint8)
        seen = np.cumsum(streets).tolist()
        for i, asked in enumerate(self.questions):
            mark = mark_of(salt, asked.past, asked.token, tuple(board[: seen[asked.street]]))
            marks[i] = mark < asked.bound
        return marks

    @cached_property
    def _above(self) -> tuple[I64, I64]:
        """(N,) the node before each, −1 for roots, and the edge between."""
        before, edge_of = np.full(len(self.nodes), -1), np.full(len(self.nodes), -1)
        for node in np.flatnonzero(self.nodes[:, col.KIND] >= col.EXPLOITER).tolist():
            first, count = self.nodes[node, [col.EDGE, col.COUNT]].tolist()
            for edge in range(first, first + count):
                readings = (col.LOW, col.HIGH) if self.edges[edge, col.MARK] >= 0 else (col.LOW,)
                for child in self.edges[edge, readings].tolist():
                    before[child], edge_of[child] = node, edge
        return before, edge_of

    def starts_of(self, street: int) -> I64:
        """The nodes where a street begins."""
        before, _ = self._above
        here = np.flatnonzero((self.nodes[:, col.STREET] == street) & (before >= 0))
        return np.asarray(here[self.nodes[before[here], col.STREET] < street])

    def history(self, node: int) -> tuple[str, int]:
        """The real betting up to a node, as histories write it, and the exploiter's seat."""
        _, text, seat = self._replayed(node)
        return text, seat

    def pot(self, node: int) -> int:
        """The chips in the middle at a node."""
        return self._replayed(node)[0].pot

    def _replayed(self, node: int) -> tuple[Betting, str, int]:
        before, edge_of = self._above
        edges = []
        while before[node] >= 0:
            edges.append(int(edge_of[node]))
            node = int(before[node])
        betting, text = open_betting(self.rules), ""
        for edge in reversed(edges):
            means, put = self.edges[edge, :2].tolist()
            token = {col.CALLS: CALL, col.FOLDS: FOLD}.get(means)
            token = token or f"r{betting.bets[betting.queue[0]] + put}"
            betting, text = betting.after(token), text + token
            while not betting.queue and sum(betting.in_hand) > 1 and betting.street < 3:
                betting, text = betting.next_street(), text + "/"
        return betting, text, self.roots.index(node)


def build_lbr_tree(
    blueprint: Blueprint, raises: Sequence[str], max_nodes: int = 3_000_000, *, last: int = 3
) -> LbrTree:
    """Every real hand between the blueprint and an exploiter who raises by `raises` only.

    Up to the street `last`; where a later one begins there is a node without edges.
    """
    builder = _Builder(blueprint, tuple(raises), max_nodes, last)
    roots = (builder.run(0), builder.run(1))
    return LbrTree(
        np.array(builder.nodes, np.int64).reshape(-1, col.NODE_FIELDS),
        np.array(builder.bounds).reshape(-1, 2),
        np.array(builder.edges, np.int64).reshape(-1, col.EDGE_WIDTH),
        np.array(builder.slots, np.int64),
        tuple(builder.questions),
        roots,
        builder.depth,
        blueprint.rules.betting_rules,
    )


class _Visit(NamedTuple):
    """A point still to be laid out."""

    trail: Trail
    past: str  # The betting so far, as histories write it
    street: int  # Where the last action was
    depth: int
    edge: int  # The edge that leads here, and which of its fields says so
    field: int


class _Builder:
    def __init__(
        self, blueprint: Blueprint, raises: tuple[str, ...], max_nodes: int, last: int
    ) -> None:
        self.blueprint, self.raises, self.max_nodes = blueprint, raises, max_nodes
        self.last = last
        self.tree = blueprint.abstract.tree
        buckets = blueprint.abstract.buckets.num_buckets
        self.starts = (self.tree.starts(buckets) // 2).tolist()
        self.nodes: list[list[int]] = []
        self.bounds: list[tuple[float, float]] = []
        self.edges: list[list[int]] = []
        self.slots: list[int] = []
        self.questions: list[Question] = []
        self.asked: dict[tuple[str, float], int] = {}
        self.seat = self.depth = 0

    def run(self, seat: int) -> int:
        """Lay out the hands with the exploiter in a seat; its root."""
        self.seat = seat
        first = len(self.nodes)
        stack = [_Visit(Trail.start(self.tree, self.blueprint.rules), "", 0, 0, -1, 0)]
        while stack:
            visit = stack.pop()
            node = len(self.nodes)
            if node >= self.max_nodes:
                raise TooLargeError(
                    f"Local best response has more than {self.max_nodes:,} nodes to visit;"
                    " let it raise by fewer sizes."
                )
            if visit.edge >= 0:
                self.edges[visit.edge][visit.field] = node
            self.depth = max(self.depth, visit.depth)
            if visit.trail.over:
                self._end(visit.trail, visit.street)
            elif visit.trail.real.street > self.last:
                self._node([col.EXPLOITER, visit.trail.real.street, len(self.edges), 0, 0, 0, 0, 0])
            else:
                stack.extend(self._add(visit))
        return first

    def _question(self, visit: _Visit, token: Action, bound: float) -> int:
        key = (visit.past + token, bound)
        if key not in self.asked:
            self.asked[key] = len(self.questions)
            street = visit.trail.real.street
            self.questions.append(Question(street, visit.past, token, bound))
        return self.asked[key]

    def _end(self, trail: Trail, street: int) -> None:
        """A leaf; `street` is where its betting ended."""
        betting = trail.real
        cost = betting.rules.stacks[self.seat] - betting.stacks[self.seat]
        kind = col.SHOWDOWN if all(betting.in_hand) else col.FOLDED
        gain = betting.pot * betting.in_hand[self.seat] - cost
        self._node([kind, street, 0, 0, betting.pot, cost if kind == col.SHOWDOWN else gain, 0, 0])

    def _add(self, visit: _Visit) -> list[_Visit]:
        """A decision node with its edges; returns the states after them."""
        trail, first = visit.trail, len(self.edges)
        betting = trail.real
        mine = betting.queue[0] == self.seat
        tokens = self._exploiter(betting) if mine else self._opponent(trail)
        children = []
        for number, token in enumerate(tokens, start=first):
            self.edges.append(self._edge(betting, token))
            readings = trail.readings(self.tree, token)
            if len(readings) > 1:
                self.edges[number][col.MARK] = self._question(visit, token, readings[0][0])
            for field, (_, after) in zip((col.LOW, col.HIGH), readings, strict=False):
                past = visit.past + token + "/" * (after.real.street - betting.street)
                depth = visit.depth + 1
                children.append(_Visit(after, past, betting.street, depth, number, field))
        return children

    def _exploiter(self, betting: Betting) -> list[Action]:
        allowed = betting.raise_range()
        sizes = () if allowed is None else self.raises
        amounts = sorted({amount_of(size, betting, allowed) for size in sizes if allowed})
        tokens = _calls(betting) + [f"r{amount}" for amount in amounts]
        head = [betting.street, len(self.edges), len(tokens)]
        self._node([col.EXPLOITER, *head, betting.pot, betting.to_call, 0, 0])
        return tokens

    def _opponent(self, trail: Trail) -> list[Action]:
        betting, position = trail.real, trail.position(self.tree)
        head = [betting.street, len(self.edges)]
        if not position.on_tree:
            tokens, allowed = _calls(betting), betting.raise_range()
            if betting.raises < RAISES_OFF_TREE and allowed is not None:
                tokens.append(f"r{amount_of(SIZE_OFF_TREE, betting, allowed)}")
            price = betting.to_call / (betting.pot + betting.to_call)
            self._node([col.LOST, *head, len(tokens), 0, 0, 0, 0], bounds(price))
            return tokens
        count = len(self.tree.actions(position.node))
        meant = [real_action(self.tree, position, i, betting) for i in range(count)]
        tokens = list(dict.fromkeys(meant))
        line = NODE_WIDTH * position.node
        row, offset = (int(self.tree.nodes[line + field]) for field in (ROW, OFFSET))
        start, stride = self.starts[row] + offset // 2, int(self.tree.strides[row]) // 2
        self._node([col.OPPONENT, *head, len(tokens), start, stride, len(self.slots), count])
        self.slots.extend([tokens.index(token) for token in meant])
        return tokens

    def _edge(self, betting: Betting, token: Action) -> list[int]:
        """Its kind, the chips it takes and asks for, both readings (filled in later), its mark."""
        player = betting.queue[0]
        if token in (CALL, FOLD):
            return [col.CALLS if token == CALL else col.FOLDS, 0, 0, 0, 0, -1]
        put = int(token[1:]) - betting.bets[player]
        answer = min(put - betting.to_call, betting.stacks[1 - player])
        return [col.RAISES, put, answer, 0, 0, -1]

    def _node(self, fields: list[int], limits: tuple[float, float] = (0.0, 0.0)) -> None:
        self.nodes.append(fields)
        self.bounds.append(limits)


def _calls(betting: Betting) -> list[Action]:
    return [CALL, FOLD] if betting.to_call else [CALL]
