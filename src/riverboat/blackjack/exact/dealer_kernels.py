"""Kernels of the dealer's play: one sweep over the dealer's finished hands prices all of them.

The sweep is written twice: for many of the player's hands at once, whose values stand next to each
other so that the compiler works on several of them with one instruction, and for one hand, as a
search asks. In blocks of one the first form takes several times as long as the second.

Shapes: H hands (HandTable), L lanes (hands whose dealer outcomes are wanted), T nodes of a Trie.
"""

from __future__ import annotations

import numpy as np

from riverboat.blackjack.exact.forms import CARD, CATEGORIES, CATEGORY, DEPTH, USED, Trie, Unseen
from riverboat.runtime.array_types import F64, I64
from riverboat.runtime.compiled import njit

_BLOCK = 64  # Lanes worked on together: what a first-level cache holds of every array in the sweep
_MAX_DEPTH = 24  # More cards than the dealer ever draws


@njit(cache=True)
def dealer_outcomes(lanes: I64, counts: I64, unseen: Unseen, trie: Trie, out: F64) -> None:
    """Write into out (6, L) the dealer's outcome probabilities given each lane's hand.

    lanes (L,) hand numbers; counts (H, 10) the cards of every hand.
    """
    num_lanes, nodes = np.uint64(lanes.size), trie.nodes
    base, unit = unseen.base, unseen.unit
    deepest = 1
    for node in range(nodes.shape[1]):
        deepest = max(deepest, nodes[DEPTH, node])
    cards_left = np.zeros((10, _BLOCK))
    inverse = np.zeros((deepest + 1, _BLOCK))
    path = np.ones((deepest + 1, _BLOCK))
    sums = np.zeros((CATEGORIES, _BLOCK))
    total = base.sum()
    for start in range(np.uint64(0), num_lanes, np.uint64(_BLOCK)):
        n = min(np.uint64(_BLOCK), num_lanes - start)
        for b in range(n):
            total_left = total
            for c in range(10):
                gone = unit * counts[lanes[start + b], c]
                cards_left[c, b] = base[c] - gone
                total_left -= gone
            for d in range(deepest + 1):
                # A shoe that runs out has probability 0 in the numerator already.
                inverse[d, b] = 1.0 / (total_left - unit * d) if total_left > unit * d else 0.0
        sums[:] = 0.0
        for node in range(nodes.shape[1]):
            depth = np.uint64(nodes[DEPTH, node])
            card = np.uint64(nodes[CARD, node])
            used = unit * nodes[USED, node]
            category = nodes[CATEGORY, node]
            before = path[depth - np.uint64(1)]
            after = path[depth]
            count = cards_left[card]
            scale = inverse[depth - np.uint64(1)]
            if category >= 0:
                orders = trie.orders[node]
                category_sums = sums[np.uint64(category)]
                for b in range(_BLOCK):
                    probability = before[b] * (count[b] - used) * scale[b]
                    after[b] = probability
                    category_sums[b] += orders * probability
            else:
                for b in range(_BLOCK):
                    after[b] = before[b] * (count[b] - used) * scale[b]
        for k in range(CATEGORIES):
            for b in range(n):
                out[k, start + b] = sums[k, b]


@njit(cache=True)
def dealer_outcome(cards_left: F64, total: float, unit: float, trie: Trie, out: F64) -> None:
    """Write into out (6,) the same for one hand, from the `total` cards_left (10,) without it."""
    path = np.empty(_MAX_DEPTH)
    path[0] = 1.0
    out[:] = 0.0
    nodes, orders = trie.nodes, trie.orders
    for node in range(nodes.shape[1]):
        depth = np.uint64(nodes[DEPTH, node])
        count = cards_left[np.uint64(nodes[CARD, node])] - unit * nodes[USED, node]
        before = depth - np.uint64(1)
        rest = total - unit * np.float64(before)
        probability = path[before] * count / rest if count > 0.0 and rest > 0.0 else 0.0
        path[depth] = probability
        if nodes[CATEGORY, node] >= 0:
            out[np.uint64(nodes[CATEGORY, node])] += orders[node] * probability
