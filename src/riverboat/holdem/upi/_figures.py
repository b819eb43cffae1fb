"""What UPI shows of a solved spot: nodes and vectors of 1,326 numbers in PioSOLVER's order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

from riverboat.cards.card import NUM_CARDS, card_text
from riverboat.cards.combos import COMBO_CARDS, NUM_COMBOS
from riverboat.cards.equity import range_equities
from riverboat.cards.ranges import Range, pio_order
from riverboat.holdem.spots.cursor import SpotCursor
from riverboat.holdem.spots.locks import Lock
from riverboat.holdem.spots.tree import NodeKind, SpotTree, TreeNode
from riverboat.runtime.array_types import F64

_CARD = re.compile(r"[2-9TJQKA][cdhs]")
STEPS = 10_000  # Parts of a probability in a lock
SAME = 1e-3  # Probabilities of hands that differ by their suits alone are solved to within this
_TYPES = {NodeKind.CHANCE: "SPLIT_NODE", NodeKind.FOLD: "END_NODE", NodeKind.SHOWDOWN: "END_NODE"}


def vector(values: Iterable[float]) -> str:
    """1,326 numbers in one line."""
    return " ".join("nan" if value != value else f"{value:.7g}" for value in values)


def _spread(at: SpotCursor, player: int, values: F64, missing: float) -> str:
    """Values of a player's hands as a line for all hands in PioSOLVER's order."""
    whole = np.full(NUM_COMBOS, missing)
    whole[at.combos(player)] = values
    return vector(whole[pio_order()].tolist())


def child_order(at: SpotCursor) -> list[int]:
    """The children as PioSOLVER lists them: bets from the largest on, then call, then fold."""
    return list(range(len(at.node.actions)))[::-1]


def shown_children(at: SpotCursor) -> list[SpotCursor]:
    """The nodes after this one, in that order; after a chance node one for each card."""
    if at.kind == NodeKind.CHANCE:
        return [at.deal(card) for card in at.cards_to_come]
    if at.kind != NodeKind.DECISION:
        return []
    # The code with all chips since the first street, as ids write it.
    codes = [action.code for action in at.node.actions]
    return [at.play(_whole(at, codes[which])) for which in child_order(at)]


def _whole(at: SpotCursor, code: str) -> str:
    return f"b{float(code[1:]) + at.offset:.10g}" if code.startswith("b") else code


def node_lines(at: SpotCursor, solved: bool) -> list[str]:
    """The six lines of `show_node`."""
    kind = ("OOP_DEC", "IP_DEC")[at.player] if at.player >= 0 else _TYPES[at.kind]
    put = [chips + at.offset for chips in at.node.put]
    start = at.pot - sum(at.node.put) - 2 * at.offset
    count = len(at.cards_to_come) if at.kind == NodeKind.CHANCE else len(at.node.actions)
    return [
        at.node_id,
        kind,
        " ".join(card_text(card) for card in at.board),
        f"{put[0]:.10g} {put[1]:.10g} {start:.10g}",
        f"{count} children",
        "flags: PIO_ALG" if solved else "flags:",
    ]


def strategy_lines(at: SpotCursor) -> list[str]:
    """A line for each child, in their order; hands outside the range have 0."""
    return [_spread(at, at.node.player, at.strategies[which], 0.0) for which in child_order(at)]


def range_line(at: SpotCursor, player: int) -> str:
    """The weight with which each hand reaches this node."""
    return vector(at.reach[player][pio_order()].tolist())


def _matchups(at: SpotCursor, player: int) -> F64:
    return at.weights(player) * at.meetings(player)


def ev_lines(at: SpotCursor, player: int) -> list[str]:
    """EVs counted from the tree's beginning, so that a node's is the mean of its children's."""
    evs = at.evs(player) - at.node.put[player] - at.offset
    weights = _matchups(at, player)
    return [_spread(at, player, evs, float("nan")), _spread(at, player, weights, 0.0)]


def equity_lines(at: SpotCursor, player: int) -> list[str]:
    """Equities, matchups, and the range's equity as a whole."""
    equities, weights = at.equities(player), _matchups(at, player)
    live = weights > 0
    total = float(weights[live] @ equities[live] / weights[live].sum()) if live.any() else 0.0
    shown = _spread(at, player, equities, float("nan"))
    return [shown, _spread(at, player, weights, 0.0), f"{total:.6f}"]


def plain_equity_lines(ranges: Sequence[Range], board: tuple[int, ...], player: int) -> list[str]:
    """Equities and matchups of ranges on a board, without any tree."""
    mine, theirs = (ranges[who].without(list(board)) for who in (player, 1 - player))
    equities = range_equities(mine, theirs, list(board)).equities[0]
    cards = COMBO_CARDS.astype(np.int64)
    weights = theirs.weights
    by_card = np.bincount(cards.ravel(), np.repeat(weights, 2), NUM_CARDS)
    met = weights.sum() - by_card[cards[:, 0]] - by_card[cards[:, 1]] + weights
    shown = np.where(mine.weights > 0, equities, np.nan)[pio_order()]
    matchups = (mine.weights * np.maximum(met, 0.0))[pio_order()]
    return [vector(shown.tolist()), vector(matchups.tolist())]


def all_lines(tree: SpotTree) -> list[str]:
    """Every line of betting by node id without cards, `r` first, each before what follows it."""
    lines = ["r"]

    def follow(node: TreeNode, path: str) -> None:
        if node.kind == NodeKind.CHANCE:
            follow(tree.nodes[node.children[0]], path)
            return
        lines.append(path)
        for action, child in zip(node.actions, node.children, strict=True):
            follow(tree.nodes[child], f"{path}:{action.code}")

    follow(tree.nodes[0], "r:0")
    return list(dict.fromkeys(lines))


def line_frequency(root: SpotCursor, node_id: str) -> float:
    """How often the betting goes as on the way to a node, whatever cards are dealt."""
    words = [word for word in node_id.split(":")[2:] if word and not _CARD.fullmatch(word)]

    def follow(at: SpotCursor, remaining: list[str]) -> float:
        if not remaining:
            return global_frequency(at)
        if at.kind == NodeKind.CHANCE:
            return sum(follow(at.deal(card), remaining) for card in at.cards_to_come)
        return follow(at.play(remaining[0]), remaining[1:])

    root.go(":".join(node_id.split(":")[:2]))  # refuses what does not begin as an id does
    return follow(root, words)


def node_locks(at: SpotCursor, rows: F64) -> list[Lock]:
    """Locks of a node for the mixtures (actions, H) of its hands, one lock for each mixture.

    Probabilities are kept in parts of STEPS, so that each mixture adds up to one. Hands that are
    the same up to suits get one mixture where theirs differ by the solver's rounding alone.
    """
    layout, hands = at.solved.layout, rows.shape[1]
    if not at.dealt:
        stabiliser = int(layout.boards.levels[0].stabiliser[0])
        first = layout.maps[at.player].canonical[stabiliser][:hands]
        if np.abs(rows - rows[:, first]).max() < SAME:
            rows = rows[:, first]
    totals = rows.sum(axis=0)
    live = totals > 0
    shares = rows[:, live] / totals[live]
    parts = np.diff(np.rint(STEPS * np.cumsum(shares, axis=0)), axis=0, prepend=0)
    mixtures, which = np.unique(parts.astype(np.int64), axis=1, return_inverse=True)
    combos = at.combos(at.player)[live]
    locks = []
    for number, mixture in enumerate(mixtures.T.tolist()):
        weights = np.zeros(NUM_COMBOS)
        weights[combos[which.ravel() == number]] = 1.0
        strategy = {name: part / STEPS for name, part in zip(at.actions, mixture, strict=True)}
        locks.append(Lock(at.node_id, strategy, str(Range(weights))))
    return locks


def global_frequency(at: SpotCursor) -> float:
    """How often the line comes to this node, cards included."""
    here, root = (float(_matchups(node, 0).sum()) for node in (at, at.root))
    dealt = len(at.board) - len(at.root.board)
    ways = 1.0
    for number in range(dealt):
        # Four cards are in hands, and what lies on the board is gone.
        ways *= NUM_CARDS - 4 - len(at.root.board) - number
    return here / root / ways if root > 0 else 0.0
