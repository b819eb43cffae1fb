"""The exact analysis in plain NumPy: what _hand_kernels computes, without a compiler.

The functions have the same names, arguments and results as the kernels, which say what they mean;
here the player's hands are worked on all at once, by hard points. Some ten times slower for a
whole table, but a single question is answered before the compiler would have started.
"""

from __future__ import annotations

import numpy as np

from riverboat.blackjack.exact.forms import (
    CATEGORIES,
    CHARLIE,
    DEPTH,
    DOUBLE,
    HIT,
    OBEY,
    OPTIMISE,
    STAND,
    Hands,
    Trie,
    Unseen,
)
from riverboat.runtime.array_types import F64, I8, I64

POINTS = np.arange(1, 11)


def dealer_outcomes(lanes: I64, counts: I64, unseen: Unseen, trie: Trie, out: F64) -> None:
    """Write into out (6, L) the dealer's outcome probabilities given each lane's hand."""
    cards_left = unseen.base[:, None] - unseen.unit * counts[lanes].T
    num_left = cards_left.sum(0)
    inverse: list[F64] = []
    for depth in range(int(trie.nodes[DEPTH].max()) + 1):
        rest = num_left - unseen.unit * depth
        inverse.append(np.where(rest > 0, 1.0 / np.where(rest > 0, rest, 1.0), 0.0))
    path = [np.ones(lanes.size)] * (len(inverse) + 1)
    out[:] = 0.0
    rows = zip(*trie.nodes.tolist(), trie.orders.tolist(), strict=True)
    for depth, card, used, category, orders in rows:
        reached = path[depth - 1] * (cards_left[card] - unseen.unit * used)
        reached *= inverse[depth - 1]
        path[depth] = reached
        if category >= 0:
            out[category] += orders * reached


def stand_values(lanes: I64, hands: Hands, unseen: Unseen, outcomes: F64, stand: F64) -> None:
    """Write into stand (H,) the value of standing for the lanes, from outcomes (6, L)."""
    cards_left = unseen.base - unseen.unit * hands.counts[lanes]
    natural = np.zeros(lanes.size)
    if unseen.hole >= 0:
        natural = cards_left[:, unseen.hole] / np.maximum(cards_left.sum(1), 1e-9)
    category, rank = np.arange(CATEGORIES)[:, None], hands.rank[lanes]
    lost = np.where(category > rank, 2.0, np.where(category == rank, 1.0, 0.0))
    value = 1.0 - natural - (lost * outcomes).sum(0) + unseen.natural_costs * natural
    stand[lanes] = np.where(rank > CHARLIE, unseen.natural_pays * (1.0 - natural), value)


def play_hands(
    subset: I64,
    hands: Hands,
    unseen: Unseen,
    mode: int,
    stand: F64,
    action: I8,
    value: F64,
    hit: F64,
    double: F64,
) -> None:
    """Work the hands of subset (ascending numbers) backwards from stand (H,)."""
    hard = hands.counts[subset] @ POINTS
    for points in range(21, -1, -1):
        level = subset[hard == points]
        if not level.size:
            continue
        _play_level(level, hands, unseen, stand, value, hit, double)
        final = hands.final[level]
        if mode == OPTIMISE:
            best = np.where(hit[level] > stand[level], HIT, STAND)
            doubles = double[level] > np.maximum(hit[level], stand[level])
            best = np.where(hands.doublable[level] & doubles, DOUBLE, best)
            action[level] = best
        action[level] = np.where(final, STAND, action[level])
        chosen = action[level]
        drawn = np.where(chosen == DOUBLE, double[level], hit[level])
        value[level] = np.where(chosen == STAND, stand[level], drawn)


def _play_level(
    level: I64, hands: Hands, unseen: Unseen, stand: F64, value: F64, hit: F64, double: F64
) -> None:
    """Price hitting and doubling for hands (L,) of the same hard points."""
    cards = unseen.base - unseen.unit * hands.counts[level]
    num_left = cards.sum(1)
    count, child = np.maximum(cards, 0.0), hands.child[level]
    bust = np.full(cards.shape, -1.0)
    if unseen.hole >= 0:
        tens = cards[:, [unseen.hole]] - unseen.unit * (np.arange(10) == unseen.hole)
        rest = np.maximum(num_left - unseen.unit, 1e-9)[:, None]
        bust += (1.0 + unseen.natural_costs) * tens / rest
    weight = count / np.maximum(num_left, 1e-9)[:, None]
    hit[level] = (weight * np.where(child >= 0, value[child], bust)).sum(1)
    double[level] = 2.0 * (weight * np.where(child >= 0, stand[child], bust)).sum(1)


def _reached(pair: int, hands: Hands, action: I8, optimise: bool) -> tuple[I64, I64]:
    """The hands that a split hand can become, and those that may stand; see mark_reached."""
    marks = np.zeros(len(hands.rank), np.int8)
    child, final, acts = hands.child.tolist(), hands.final.tolist(), action.tolist()
    for first in child[child[0][pair]]:
        marks[first] = 1
    for h in range(1, len(marks)):
        if not marks[h] & 1:
            continue
        if optimise or final[h] or acts[h] == STAND:
            marks[h] |= 2
        if final[h] or not (optimise or acts[h] != STAND):
            continue
        kinds = 3 if optimise else (1 if acts[h] == HIT else 2)
        marks[[c for c in child[h] if c >= 0]] |= kinds
    return np.nonzero(marks & 1)[0], np.nonzero(marks & 2)[0]


def play_split(
    pair: int, hands: Hands, unseen: Unseen, trie: Trie, reoptimise: int, action: I8, result: F64
) -> None:
    """Write into result (2, removals) the values of a split hand with k more pair cards gone."""
    stand, value, hit, double = (np.zeros(len(hands.rank)) for _ in range(4))
    cards_left = unseen.base.copy()
    now = unseen._replace(base=cards_left)
    seconds = hands.child[hands.child[0, pair]]
    subset = lanes = np.zeros(0, np.int64)
    for k in range(result.shape[1]):
        cards_left[pair] -= unseen.unit if k > 0 else 0.0
        optimise = k < reoptimise
        if k in (0, reoptimise):
            subset, lanes = _reached(pair, hands, action, optimise)
        outcomes = np.zeros((CATEGORIES, lanes.size))
        dealer_outcomes(lanes, hands.counts, now, trie, outcomes)
        stand_values(lanes, hands, now, outcomes, stand)
        mode = OPTIMISE if optimise else OBEY
        play_hands(subset, hands, now, mode, stand, action, value, hit, double)
        count = cards_left.copy()
        count[pair] -= unseen.unit
        total = cards_left.sum() - unseen.unit
        result[0, k] = (np.maximum(count, 0.0) * value[seconds]).sum() / total
        result[1, k] = value[seconds[pair]]
