"""Spots of three players counted the slow way: every triple of hands, chip by chip, in float64."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.card import card_text
from riverboat.cards.combos import COMBO_CARDS, combo_text, parse_combo
from riverboat.cards.strength import strength
from riverboat.games.base import CHANCE, TERMINAL, PlainGame, parameters_of
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.holdem.spots.spot import Spot as ThreeWaySpot
from riverboat.holdem.spots.tree import NodeKind, SpotTree, TreeNode
from riverboat.holdem.spots.tree import build_tree as build_betting

RIVER = """\
board = "Ks Th 7s 4d 2c"
pot = 30
stacks = { sb = 50, bb = 20, btn = 40 }
[ranges]
sb = "KhQh,KcQc:0.5,9s8s,7h7d,AcQc"
bb = "KhJh,KcJc,ThTd,5s5c,AcJc:0.25"
btn = "KdQd,KdJd,4h4c,8c8d,QsJs"
[rake]
rate = 0.05
cap = 3
[sizes.river]
sb = { bet = "50%,a", raise = "a" }
bb = { bet = "50%", raise = "a" }
btn = { bet = "a", raise = "60%,a" }
"""
TURN = """\
board = "Ks Th 7s 4d"
pot = 30
stacks = { sb = 40, bb = 25, btn = 40 }
[ranges]
sb = "KhQh,9s8s,7h7d"
bb = "KcJc,5s5c,AcJc"
btn = "KdQd,4h4c,QsJs"
[sizes.turn]
sb = { bet = "a" }
bb = { bet = "60%", raise = "a" }
btn = { bet = "a" }
"""

Doubles = NDArray[np.float64]
Triple = tuple[int, int, int]


@cache
def _strength(*cards: int) -> int:
    return strength(list(cards))


def winnings(
    spot: ThreeWaySpot, put: tuple[float, ...], folded: tuple[int, ...], strengths: Triple
) -> list[float]:
    """What each player takes from the table at an end: every chip is given away by itself.

    A chip that only one player matched goes back; the k-th chips of all others are won by the best
    hand among those who put in a k-th chip and did not fold.
    """
    unit = spot.unit
    coins = [round(chips * unit) for chips in put]
    live = [seat for seat in range(3) if seat not in folded]
    back, won, contested = [0.0] * 3, [0.0] * 3, 0.0

    def give(amount: float, contenders: list[int]) -> None:
        best = max(strengths[seat] for seat in contenders)
        winners = [seat for seat in contenders if strengths[seat] == best]
        for seat in winners:
            won[seat] += amount / len(winners)

    give(spot.pot * unit, live)
    contested += spot.pot * unit
    for k in range(1, max(coins) + 1):
        paying = [seat for seat in range(3) if coins[seat] >= k]
        if len(paying) == 1:
            back[paying[0]] += 1
        else:
            give(len(paying), [seat for seat in paying if seat in live])
            contested += len(paying)
    left = 1 - spot.rake(contested / unit) * unit / contested
    return [(back[seat] + left * won[seat]) / unit for seat in range(3)]


def end_payoffs(
    spot: ThreeWaySpot, put: tuple[float, ...], folded: tuple[int, ...], board: list[int]
) -> Doubles:
    """(3, H0, H1, H2) chips taken at an end, zero where two hands share a card."""
    hands = [COMBO_CARDS[spot.hands(seat)].tolist() for seat in range(3)]
    found = np.zeros((3, *map(len, hands)))
    known: dict[Triple, list[float]] = {}  # Only the order of the three hands counts
    for at in itertools.product(*(range(len(own)) for own in hands)):
        cards = [hands[seat][at[seat]] for seat in range(3)]
        if len({*itertools.chain(*cards), *board}) < 6 + len(board):
            continue
        ranks = [_strength(*own, *sorted(board)) for own in cards]
        first, second, third = (sorted(set(ranks)).index(rank) for rank in ranks)
        order = (first, second, third)
        if order not in known:
            known[order] = winnings(spot, put, folded, order)
        found[:, at[0], at[1], at[2]] = known[order]
    return found


def legal(spot: ThreeWaySpot, board: list[int]) -> Doubles:
    """(H0, H1, H2) one where three hands and the board have different cards."""
    hands = [COMBO_CARDS[spot.hands(seat)].tolist() for seat in range(3)]
    found = np.zeros(tuple(map(len, hands)))
    for at in itertools.product(*(range(len(own)) for own in hands)):
        cards = itertools.chain(*(hands[seat][at[seat]] for seat in range(3)))
        found[at] = len({*cards, *board}) == 6 + len(board)
    return found


def slow_values(
    spot: ThreeWaySpot,
    strategies: Callable[[TreeNode, tuple[int, ...]], Doubles],
    learner: int,
    *,
    best: bool,
    tree: SpotTree | None = None,
) -> float:
    """A player's mean in chips when all play `strategies`, or the learner a best response.

    `strategies(node, cards dealt)` are (actions, H). Every runout is played, with no symmetry, and
    all triples of hands are kept until the end.
    """
    tree = tree or build_betting(spot)
    weights = [spot.weights(seat) for seat in range(3)]
    ends: dict[tuple[Any, ...], Doubles] = {}

    def spread(row: Doubles, seat: int) -> Doubles:
        shape = [1, 1, 1]
        shape[seat] = -1
        return row.reshape(shape)

    def value(node: TreeNode, dealt: tuple[int, ...], reach: Doubles) -> Doubles:
        """(H,) of the learner: chips taken less those put in since the spot began."""
        board = [*spot.board, *dealt]
        if node.kind in (NodeKind.FOLD, NodeKind.SHOWDOWN):
            cards = board if len(board) == 5 else [*board, *_fill(board, 5 - len(board))]
            key = (node.put, node.folded, tuple(sorted(board)))
            if key not in ends:
                taken = end_payoffs(spot, node.put, node.folded, cards)
                ends[key] = taken if len(board) == 5 else _any_board(spot, node, board)
            chips = (ends[key][learner] - node.put[learner]) * legal_on(board)
            axes = tuple(seat for seat in range(3) if seat != learner)
            return np.asarray((chips * reach).sum(axis=axes))
        if node.kind == NodeKind.CHANCE:
            left = [card for card in range(52) if card not in {*board, *spot.dead}]
            below, total = tree.nodes[node.children[0]], np.zeros(len(weights[learner]))
            for card in left:
                total += value(below, (*dealt, card), reach * legal_on([*board, card]))
            return total / (len(left) - 6)
        shares = strategies(node, dealt)
        found = []
        for action, child in enumerate(node.children):
            seen = reach if node.player == learner else reach * spread(shares[action], node.player)
            found.append(value(tree.nodes[child], dealt, seen))
        if node.player != learner:
            return np.asarray(np.sum(found, axis=0))
        rows = np.stack(found)
        return np.asarray(rows.max(axis=0) if best else (shares * rows).sum(axis=0))

    tables: dict[tuple[int, ...], Doubles] = {}

    def legal_on(board: list[int]) -> Doubles:
        key = tuple(sorted(board))
        if key not in tables:
            tables[key] = legal(spot, board)
        return tables[key]

    reach = legal_on(list(spot.board)).copy()
    for seat in range(3):
        if seat != learner:
            reach = reach * spread(weights[seat], seat)
    deals = float((reach * spread(weights[learner], learner)).sum())
    return float(weights[learner] @ value(tree.nodes[0], (), reach)) / deals


def _fill(board: list[int], num: int) -> list[int]:
    return [card for card in range(52) if card not in board][:num]


def _any_board(spot: ThreeWaySpot, node: TreeNode, board: list[int]) -> Doubles:
    """Payoffs where all but one folded before the river: the same for every hand."""
    assert node.kind == NodeKind.FOLD
    hands = [len(spot.hands(seat)) for seat in range(3)]
    taken = winnings(spot, node.put, node.folded, (0, 0, 0))
    return np.asarray(np.broadcast_to(np.array(taken).reshape(3, 1, 1, 1), (3, *hands)))


@dataclass(frozen=True)
class SmallRiver(PlainGame):
    """A river of three players as a game of the core: chance deals a triple of hands."""

    toml: str = ""
    name: ClassVar[str] = "small-river"
    title: ClassVar[str] = "A river of three players"

    @property
    def num_players(self) -> int:
        return 3

    def start(self) -> RiverState:
        spot, tree = _river(self.toml)
        return RiverState(spot, tree, None, 0)


@cache
def _river(toml: str) -> tuple[ThreeWaySpot, SpotTree]:
    spot = ThreeWaySpot.from_toml(toml)
    return spot, build_betting(spot)


@dataclass(frozen=True)
class RiverState:
    """The hands of all players, and where the betting stands."""

    spot: ThreeWaySpot
    tree: SpotTree
    hands: Triple | None
    node: int
    line: str = ""

    @property
    def at(self) -> TreeNode:
        return self.tree.nodes[self.node]

    @property
    def actor(self) -> int:
        if self.hands is None:
            return CHANCE
        return self.at.player if self.at.kind == NodeKind.DECISION else TERMINAL

    def actions(self) -> tuple[str, ...]:
        return tuple(action.label for action in self.at.actions) if self.actor >= 0 else ()

    def chance(self) -> tuple[tuple[str, float], ...]:
        if self.actor != CHANCE:
            return ()
        found, board = [], set(self.spot.board)
        own = [list(zip(self.spot.hands(s), self.spot.weights(s), strict=True)) for s in range(3)]
        for triple in itertools.product(*own):
            cards = {card for combo, _ in triple for card in COMBO_CARDS[combo].tolist()}
            if len(cards) == 6 and not cards & board:
                text = "".join(combo_text(int(combo)) for combo, _ in triple)
                found.append((text, float(np.prod([weight for _, weight in triple]))))
        total = sum(weight for _, weight in found)
        return tuple((text, weight / total) for text, weight in found)

    def after(self, action: str) -> RiverState:
        from riverboat.cards.combos import parse_combo

        if self.hands is None:
            first, second, third = (parse_combo(action[i : i + 4]) for i in (0, 4, 8))
            return RiverState(self.spot, self.tree, (first, second, third), 0)
        which = self.actions().index(action)
        line = f"{self.line}-{action}"
        return RiverState(self.spot, self.tree, self.hands, self.at.children[which], line)

    def returns(self) -> tuple[float, ...]:
        assert self.hands is not None
        board = sorted(self.spot.board)
        ranks = [_strength(*COMBO_CARDS[combo].tolist(), *board) for combo in self.hands]
        won = winnings(self.spot, self.at.put, self.at.folded, (ranks[0], ranks[1], ranks[2]))
        return tuple(won[seat] - self.at.put[seat] for seat in range(3))

    def infoset(self, player: int) -> str:
        hand = "" if self.hands is None else combo_text(self.hands[player])
        return f"{hand}|{self.line}"

    def describe(self, player: int | None) -> str:
        board = " ".join(card_text(card) for card in self.spot.board)
        return f"{board} {self.infoset(player or 0)}"


class Found:
    """A solved river as a strategy of its game."""

    def __init__(self, solved: SolvedSpot, game: SmallRiver) -> None:
        self.solved, self.game, self.parameters = solved, game.name, parameters_of(game)

    def lookup(self, player: int, infoset: str) -> dict[str, float] | None:
        hand, line = infoset.split("|")
        node = self.solved.tree.nodes[0]
        for label in filter(None, line.split("-")):
            names = [action.label for action in node.actions]
            node = self.solved.tree.nodes[node.children[names.index(label)]]
        place = self.solved.layout.combos[player].tolist().index(parse_combo(hand))
        row = self.solved.strategy(node, 0)[:, place].tolist()
        return dict(zip((action.label for action in node.actions), row, strict=True))
