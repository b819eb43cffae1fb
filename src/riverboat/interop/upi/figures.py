"""What UPI shows of a solved spot: nodes and vectors of 1,326 numbers in PioSOLVER's order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.card import card_text
from riverboat.cards.combos import COMBO_CARDS
from riverboat.cards.equity import range_equities
from riverboat.cards.ranges import Range, pio_order
from riverboat.holdem.spots.cursor import SpotCursor
from riverboat.holdem.spots.engine.tree import NodeKind

_TYPES = {
    NodeKind.CHANCE: "SPLIT_NODE",
    NodeKind.FOLD: "END_NODE",
    NodeKind.SHOWDOWN: "END_NODE",
}
Doubles = NDArray[np.float64]


def vector(values: Iterable[float]) -> str:
    """1,326 numbers in one line."""
    return " ".join("nan" if value != value else f"{value:.7g}" for value in values)


def _spread(at: SpotCursor, player: int, values: Doubles, missing: float) -> str:
    """Values of a player's hands as a line for all hands in PioSOLVER's order."""
    whole = np.full(1326, missing)
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
    """With which weight each hand comes here."""
    return vector(at.reach[player][pio_order()].tolist())


def _matchups(at: SpotCursor, player: int) -> Doubles:
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
    by_card = np.bincount(cards.ravel(), np.repeat(weights, 2), 52)
    met = weights.sum() - by_card[cards[:, 0]] - by_card[cards[:, 1]] + weights
    shown = np.where(mine.weights > 0, equities, np.nan)[pio_order()]
    matchups = (mine.weights * np.maximum(met, 0.0))[pio_order()]
    return [vector(shown.tolist()), vector(matchups.tolist())]


def global_frequency(at: SpotCursor) -> float:
    """How often the line comes to this node, cards included."""
    here, root = (float(_matchups(node, 0).sum()) for node in (at, at.root))
    dealt = len(at.board) - len(at.root.board)
    ways = 1.0
    for number in range(dealt):
        # Four cards are in hands, and what lies on the board is gone.
        ways *= 52 - 4 - len(at.root.board) - number
    return here / root / ways if root > 0 else 0.0
