"""Spots counted the slow way: every pair of hands, every runout, every line, in float64."""

from collections.abc import Callable
from functools import cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from riverboat.cards.hands import hand_cards
from riverboat.cards.strength import strength
from riverboat.holdem.spots.cursor import SpotCursor
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.tree import NodeKind, TreeNode, build_tree

Doubles = NDArray[np.float64]
Sequence = tuple[int, tuple[int, ...], int]
"""A player's last decision node, the cards dealt before it, and the action there."""
ROOT: Sequence = (-1, (), 0)


@cache
def _strength(spot: Spot, hand: tuple[int, ...], board: tuple[int, ...]) -> int:
    if spot.game == "omaha":
        pairs, threes = combinations(hand, 2), list(combinations(board, 3))
        return max(strength([*two, *three]) for two in pairs for three in threes)
    return strength([*hand, *board])


def _cards(spot: Spot, player: int) -> list[list[int]]:
    found: list[list[int]] = hand_cards(spot.hole_cards)[spot.hands(player)].tolist()
    return found


def payoffs(spot: Spot, node: TreeNode, board: list[int]) -> tuple[Doubles, Doubles]:
    """(H0, H1) chips that OOP and IP take out of an end less what they put in, weighted."""
    hands = [_cards(spot, player) for player in (0, 1)]
    pot = spot.pot + 2 * min(node.put)
    rake = min(pot * spot.rake_rate, spot.rake_cap)
    back = [put - min(node.put) for put in node.put]
    result = np.zeros((2, len(hands[0]), len(hands[1])))
    weights = [spot.weights(player) for player in (0, 1)]
    for i, first in enumerate(hands[0]):
        for j, second in enumerate(hands[1]):
            if len({*first, *second, *board}) < 2 * spot.hole_cards + len(board):
                continue
            if node.kind == NodeKind.FOLD:
                shares = [float(node.player != 0), float(node.player != 1)]
            else:
                there = tuple(sorted(board))
                a, b = (_strength(spot, tuple(hand), there) for hand in (first, second))
                shares = [(a > b) + (a == b) / 2, (b > a) + (a == b) / 2]
            for player in (0, 1):
                won = shares[player] * (pot - rake) + back[player] - node.put[player]
                result[player, i, j] = won * weights[0][i] * weights[1][j]
    return result[0], result[1]


def deals(spot: Spot) -> float:
    """The weight of all pairs of hands that can meet."""
    hands = [_cards(spot, player) for player in (0, 1)]
    weights = [spot.weights(player) for player in (0, 1)]
    return float(
        sum(
            weights[0][i] * weights[1][j]
            for i, first in enumerate(hands[0])
            for j, second in enumerate(hands[1])
            if not {*first} & {*second}
        )
    )


def lp_value(
    spot: Spot, learner: int = 0, *, given: SpotCursor | None = None, share: float = 0.0
) -> float:
    """A player's chips at the equilibrium of a spot without rake, by the sequence-form LP.

    With the probability `share` the other plays what they play in the spot that begins at `given`.
    """
    tree = build_tree(spot)
    hands = [len(spot.hands(player)) for player in (0, 1)]
    sequences: list[dict[Sequence, int]] = [{}, {}]
    infosets: list[list[tuple[Sequence, list[Sequence]]]] = [[], []]
    ends: list[tuple[TreeNode, tuple[int, ...], float, Sequence, Sequence]] = []

    def walk(
        node: TreeNode, last: list[Sequence], dealt: tuple[int, ...] = (), chance: float = 1.0
    ) -> None:
        if node.kind == NodeKind.CHANCE:
            cards = [card for card in range(52) if card not in (*spot.gone, *dealt)]
            for card in cards:
                each = chance / (len(cards) - 2 * spot.hole_cards)
                walk(tree.nodes[node.children[0]], last, (*dealt, card), each)
            return
        if node.kind != NodeKind.DECISION:
            ends.append((node, dealt, chance, last[0], last[1]))
            return
        made = [(node.index, dealt, a) for a in range(len(node.actions))]
        infosets[node.player].append((last[node.player], made))
        for sequence, child in zip(made, node.children, strict=True):
            after = list(last)
            after[node.player] = sequence
            walk(tree.nodes[child], after, dealt, chance)

    walk(tree.nodes[0], [ROOT, ROOT])
    for player in (0, 1):
        sequences[player] = {ROOT: 0}
        for _, made in infosets[player]:
            for sequence in made:
                sequences[player][sequence] = len(sequences[player])
    counts = [len(sequences[player]) * hands[player] for player in (0, 1)]
    matrix = np.zeros((counts[0], counts[1]))
    for node, dealt, chance, mine, theirs in ends:
        block = chance * payoffs(spot, node, [*spot.board, *dealt])[learner]
        row, column = sequences[0][mine] * hands[0], sequences[1][theirs] * hands[1]
        matrix[row : row + hands[0], column : column + hands[1]] += block
    other = 1 - learner
    matrix = matrix if learner == 0 else matrix.T
    forms = [_constraints(infosets[p], sequences[p], hands[p]) for p in (learner, other)]
    (e, e_right), (f, f_right) = forms
    sure = np.zeros(counts[learner])
    if given is not None:
        sure = share * matrix @ _plan(given, other, sequences[other], hands[other])
    # Maximise x·A·y's value: min over y is the dual, f_right·q with A'x >= F'q.
    cost = np.concatenate([-sure, -(1 - share) * f_right])
    upper = np.hstack([-matrix.T, f.T])
    equal = np.hstack([e, np.zeros((len(e_right), len(f_right)))])
    bounds = [(0, None)] * counts[learner] + [(None, None)] * len(f_right)
    found = linprog(cost, upper, np.zeros(counts[other]), equal, e_right, bounds, method="highs")
    return float(-found.fun) / deals(spot)


def _plan(root: SpotCursor, player: int, sequences: dict[Sequence, int], hands: int) -> Doubles:
    """(sequences · H,) the realisation plan of what a player plays in a solved spot."""
    plan = np.zeros(len(sequences) * hands)

    def walk(at: SpotCursor, reach: Doubles) -> None:
        if at.kind == NodeKind.CHANCE:
            for card in at.cards_to_come:
                walk(at.deal(card), reach)
        if at.kind != NodeKind.DECISION:
            return
        for number, action in enumerate(at.bet_actions):
            after = reach
            if at.player == player:
                after = reach * at.strategies[number]
                first = sequences[at.node.index, at.dealt, number] * hands
                plan[first : first + hands] = after
            walk(at.play(action.label), after)

    plan[:hands] = 1.0
    walk(root, plan[:hands].copy())
    return plan


def _constraints(
    infosets: list[tuple[Sequence, list[Sequence]]], sequences: dict[Sequence, int], hands: int
) -> tuple[Doubles, Doubles]:
    rows = np.zeros((hands * (1 + len(infosets)), hands * len(sequences)))
    right = np.zeros(len(rows))
    right[:hands] = 1
    for hand in range(hands):
        rows[hand, hand] = 1
        for k, (parent, made) in enumerate(infosets, 1):
            rows[k * hands + hand, sequences[parent] * hands + hand] = -1
            for sequence in made:
                rows[k * hands + hand, sequences[sequence] * hands + hand] = 1
    return rows, right


def best_response(root: SpotCursor, player: int) -> float:
    """What a best response to the other's averages gets, by the plainest recursion there is."""
    return _walked(root, player, lambda values, mine: values.max(axis=0))


def played_value(root: SpotCursor, player: int) -> float:
    """What a player gets when both play their averages."""
    return _walked(root, player, lambda values, mine: (values * mine).sum(axis=0))


def _walked(root: SpotCursor, player: int, choose: Callable[[Doubles, Doubles], Doubles]) -> float:
    spot = root.solved.spot
    size = len(spot.hands(player))

    def value(at: SpotCursor, theirs: Doubles) -> Doubles:
        if at.kind == NodeKind.CHANCE:
            total = np.zeros(size)
            cards = at.cards_to_come
            for card in cards:
                total += value(at.deal(card), theirs)
            return total / (len(cards) - 2 * spot.hole_cards)
        if at.kind != NodeKind.DECISION:
            block = payoffs(spot, at.node, list(at.board))[player]
            return block @ theirs if player == 0 else block.T @ theirs
        if at.player == player:
            values = np.stack([value(at.play(action.label), theirs) for action in at.bet_actions])
            return choose(values, at.strategies)
        split = at.strategies
        return sum(
            (
                value(at.play(action.label), theirs * part)
                for action, part in zip(at.bet_actions, split, strict=True)
            ),
            np.zeros(size),
        )

    return float(value(root, np.ones(len(spot.hands(1 - player)))).sum()) / deals(spot)
