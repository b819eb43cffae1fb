"""Whole strategies of a spot as arrays: read, shifted by a profile, mixed, followed down the tree.

`rows` are one player's strategy: (elements,) probabilities where the layout keeps the player's
numbers, so that kernels take them as averages and regret matching plays them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from riverboat.cards.hands import num_hands
from riverboat.holdem.spots._action_kinds import action_kinds, facing
from riverboat.holdem.spots._meetings import meetings_with
from riverboat.holdem.spots.devices import open_reader
from riverboat.holdem.spots.layout import Layout
from riverboat.holdem.spots.passes import Reader
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.holdem.spots.storage import PlayerStorage
from riverboat.holdem.spots.tree import NodeKind, TreeNode
from riverboat.runtime.array_types import F32, F64
from riverboat.solvers.algorithms import BEST
from riverboat.strategies.profiles import Profile

ROUNDING = 1e-6
"""Part of the pot: a best response leaves the strategy before alone where it wins no more."""


def as_storage(rows: F32) -> PlayerStorage:
    """Rows as numbers that passes and readers take."""
    return PlayerStorage(rows, np.zeros(1, np.float32))


def block_of(layout: Layout, rows: F32, node: TreeNode) -> F32:
    """(boards, actions, P) the numbers of a decision node on all boards of its street: a view."""
    street, player = node.street - layout.spot.street, node.player
    width, boards = layout.widths[player], layout.boards.num_boards[street]
    start, size = (int(number) for number in layout.places[street, player])
    first = layout.tree.node_rows[node.index]
    by_board = rows[start : start + boards * size].reshape(boards, size // width, width)
    return by_board[:, first : first + len(node.actions)]


def decisions_of(layout: Layout, player: int) -> list[TreeNode]:
    """The nodes where a player acts, each after those above it."""
    return [
        node
        for node in layout.tree.nodes
        if node.kind == NodeKind.DECISION and node.player == player
    ]


def normalise(layout: Layout, player: int, numbers: F32) -> F32:
    """Rows from regrets or averages: regret matching at every node."""
    rows = np.empty_like(numbers)
    for node in decisions_of(layout, player):
        block_of(layout, rows, node)[...] = _matched(block_of(layout, numbers, node))
    return rows


def _matched(block: F32) -> F32:
    """(boards, actions, P) positive numbers as parts of one, or equal parts."""
    positive = np.maximum(block, np.float32(0))
    total = positive.sum(axis=1, keepdims=True)
    even = np.full_like(positive, 1 / block.shape[1])
    return np.asarray(np.divide(positive, total, out=even, where=total > 0))


def rows_of(solved: SolvedSpot, player: int) -> F32:
    """A player's strategy in a solution, in the solution's own layout."""
    layout, numbers = solved.layout, solved.averages[player]
    values = numbers.values
    if values.dtype == np.int16:
        by_row = values.reshape(-1, layout.widths[player]) * numbers.scales[:, None]
        values = by_row.astype(np.float32).ravel()
    return normalise(layout, player, values)


def rows_on(layout: Layout, solved: SolvedSpot, player: int) -> F32:
    """A player's strategy in a solution of the same spot, in a layout with as many boards or more.

    A layout without isomorphism keeps every runout by itself.
    """
    if layout.isomorphism == solved.layout.isomorphism:
        return rows_of(solved, player)
    rows = np.empty(layout.elements(player), np.float32)
    for level, boards in enumerate(layout.boards.levels):
        nodes = [n for n in decisions_of(layout, player) if n.street - layout.spot.street == level]
        for board, dealt in enumerate(boards.cards.tolist()):
            path, indices = solved.layout.on_board(dealt)
            for node in nodes:
                block = block_of(layout, rows, node)[board]
                own = solved.strategy(node, path[-1])[:, indices[player]]
                block[:] = np.float32(1 / len(node.actions))
                block[:, : own.shape[1]] = own
    return rows


# A profile's strategy.


def shifted(solved: SolvedSpot, profile: Profile, player: int) -> F32:
    """A player's strategy in a solution, shifted by a profile at every node."""
    layout, tree = solved.layout, solved.tree
    rows = rows_of(solved, player)
    equities: dict[int, F32] = {}
    for node in decisions_of(layout, player):
        kinds, street = action_kinds(tree, node), node.street.name.lower()
        block = block_of(layout, rows, node)
        for shift in profile.shifts_at(kinds, facing(tree, node), street):
            equity = None
            if shift.needs_equity:
                level = node.street - layout.spot.street
                if level not in equities:
                    equities[level] = _equities(solved, level, player)
                equity = equities[level]
            block[...] = shift.apply(block, kinds, equity)
    return rows


def _equities(solved: SolvedSpot, level: int, player: int) -> F32:
    """(boards, P) of each hand on each board of a street, against the ranges as they began."""
    layout, spot = solved.layout, solved.spot
    reach = np.zeros((spot.num_players, num_hands(spot.hole_cards)))
    for seat, own in enumerate(reach):
        own[layout.combos[seat]] = layout.weights[seat][: len(layout.combos[seat])]
    folded = tuple(seat for seat in range(spot.num_players) if seat not in spot.playing)
    boards = layout.boards.levels[level].cards.tolist()
    table = np.full((len(boards), layout.widths[player]), np.nan, np.float32)
    for row, dealt in zip(table, boards, strict=True):
        equities = solved.reader.equities(player, dealt, tuple(reach), folded)
        row[: len(equities)] = equities
    return table


# Two strategies of one player.


def mixture(layout: Layout, player: int, first: F32, second: F32, share: float) -> F32:
    """Rows that play as one who decides before the hand: `first` with a probability, else `second`.

    With perfect recall there is such a strategy (Kuhn 1953). At a node it plays `first` with the
    probability that `first` was decided on, given what the player did so far. `second` may be
    regrets or averages.
    """
    rows = np.empty_like(first)
    levels, tree = layout.boards.levels, layout.tree
    width, start = layout.widths[player], layout.spot.street
    at: dict[int, F32] = {0: np.full((1, width), share, np.float32)}
    """Node → (boards, P) the probability that `first` was decided on."""
    for node in tree.nodes:
        belief = at.pop(node.index)
        if node.kind == NodeKind.CHANCE:
            children = np.diff(levels[node.street - start].first_child)
            at[node.children[0]] = np.repeat(belief, children, axis=0)
        elif node.kind == NodeKind.DECISION and node.player != player:
            for child in node.children:
                at[child] = belief
        elif node.kind == NodeKind.DECISION:
            one = block_of(layout, first, node)
            two = _matched(block_of(layout, second, node))
            weighted = belief[:, None] * one
            both = weighted + (1 - belief[:, None]) * two
            block_of(layout, rows, node)[...] = both
            after = np.repeat(belief[:, None], len(node.actions), axis=1)
            np.divide(weighted, both, out=after, where=both > 0)
            for action, child in enumerate(node.children):
                at[child] = after[:, action]
    return rows


# Following strategies, board by board.


@dataclass(frozen=True)
class BoardReach:
    """One board of one street, with the weights that reach its nodes."""

    street: int  # Counted from the first one of the spot
    board: int
    chance: float
    """The weight of the runouts that the board stands for, given everybody's hand."""
    reach: Mapping[int, tuple[F32, ...]]
    """Node → by player (P,) the weight of the range times what the player did on the way."""


def follow(layout: Layout, rows: Sequence[F32]) -> Iterator[BoardReach]:
    """Every board of every street, with what reaches its nodes when all play their rows."""
    nodes: list[list[TreeNode]] = [[] for _ in layout.boards.levels]
    for node in layout.tree.nodes:
        nodes[node.street - layout.spot.street].append(node)

    def walk(
        street: int, board: int, chance: float, roots: dict[int, tuple[F32, ...]]
    ) -> Iterator[BoardReach]:
        reach = dict(roots)
        for node in nodes[street]:
            if node.kind != NodeKind.DECISION:
                continue
            here = reach[node.index]
            strategy = block_of(layout, rows[node.player], node)[board]
            for action, child in enumerate(node.children):
                after = list(here)
                after[node.player] = here[node.player] * strategy[action]
                reach[child] = tuple(after)
        yield BoardReach(street, board, chance, reach)
        if street + 1 == layout.num_streets:
            return
        level, after_it = layout.boards.levels[street], layout.boards.levels[street + 1]
        for child in range(int(level.first_child[board]), int(level.first_child[board + 1])):
            members = int(after_it.first_member[child + 1] - after_it.first_member[child])
            card = int(after_it.cards[child, -1])
            live = [_without(layout, player, card) for player in range(layout.num_players)]
            dealt = {
                node.children[0]: tuple(
                    own * possible for own, possible in zip(reach[node.index], live, strict=True)
                )
                for node in nodes[street]
                if node.kind == NodeKind.CHANCE
            }
            weight = chance * members * layout.card_share(street)
            yield from walk(street + 1, child, weight, dealt)

    yield from walk(0, 0, 1.0, {0: layout.weights})


def _without(layout: Layout, player: int, card: int) -> F32:
    """(P,) zero for hands that hold a card."""
    live = np.ones(layout.widths[player], np.float32)
    live[: len(layout.hands[player])] = (layout.hands[player] != card).all(axis=1)
    return live


def met_weights(layout: Layout, reach: Sequence[F32], player: int) -> F64:
    """(P,) the weight of the others' hands, or pairs of hands, that each hand meets."""
    others = []
    for k in range(1, layout.num_players):
        seat = (player + k) % layout.num_players
        own = np.zeros(num_hands(layout.spot.hole_cards))
        own[layout.combos[seat]] = reach[seat][: len(layout.combos[seat])]
        others.append(own)
    met = np.zeros(layout.widths[player])
    weights = meetings_with(others, layout.combos[player], layout.spot.hole_cards)
    met[: len(weights)] = np.maximum(weights, 0.0)
    return met


def action_values(layout: Layout, reader: Reader, node: TreeNode, at: BoardReach) -> F64:
    """(actions, P) what each action is worth to the player who acts, summed over others' hands.

    All rows count from the same number of chips.
    """
    values, path = [], layout.boards.path(at.street, at.board)
    met = np.zeros(layout.widths[node.player])
    if layout.num_players > 2:
        met = met_weights(layout, at.reach[node.index], node.player)
    for action, child in zip(node.actions, node.children, strict=True):
        row = reader.values(layout.tree.nodes[child], path, node.player).astype(np.float64)
        if action.letter not in "FX":
            # Of three players values count the chips won from a node on; of two `met` is zero.
            row = row - (action.total - node.put[node.player]) * met
        values.append(row)
    return np.stack(values)


def best_response(layout: Layout, rows: Sequence[F32], player: int) -> F32:
    """Rows with which a player wins most from the others' rows.

    A hand leaves its own row alone where it would win no more than rounding by another action:
    where the others never come, too.
    """
    reader = open_reader(layout, [as_storage(own) for own in rows], BEST)
    answer = rows[player].copy()
    smallest = ROUNDING * layout.spot.stake * float(layout.meetings[player].max())
    own = decisions_of(layout, player)
    for at in follow(layout, rows):
        for node in own:
            if node.street - layout.spot.street != at.street:
                continue
            values = action_values(layout, reader, node, at)
            block = block_of(layout, answer, node)[at.board]
            played = (block * values).sum(axis=0)
            better = values.max(axis=0) > played + smallest
            best = values.argmax(axis=0)
            block[:, better] = best[better] == np.arange(len(values))[:, None]
    return answer
