"""The nodes of the search: what a decision is, and what a position knows when it is first touched.

A position is (context, hand): context 0 is the hand asked about, context j ≥ 1 a hand of its split
with j − 1 further pair cards drawn. Hands are numbered by composition (exact.hand_tables),
H of them, so that different orders of the same cards meet in one node. Nodes are numbered as they
are first touched, C at most. Cards run A, 2, …, 9, T; outcome PAIR of a split's first draw is a
card that makes one more hand.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from riverboat.blackjack.exact.dealer_kernels import dealer_outcome
from riverboat.blackjack.exact.forms import CATEGORIES, NATURAL, Trie
from riverboat.runtime.array_types import F64, I8, I32, I64, U8, U64
from riverboat.runtime.compiled import njit

Number: TypeAlias = Any  # A uint64 or int64 that is an index; to mypy, range() counts in ints

NUM_ACTIONS = 5
CARDS = 11
PAIR = 10
UNKNOWN, BUST = -1, -2
DEEPEST = 24  # More cards than any hand or dealer's hand can have

VISITS, VALUE, SUM, SQUARES, WINS, DRAWS, LOSSES, PRIOR, KNOWN, KNOWN_MEAN, EXPLORE = range(11)
"""Columns of Tree.stats; KNOWN and KNOWN_MEAN are what the memory says, as visits and mean;
EXPLORE is 1/√(visits + known), or UNTRIED."""
WIN, NOT_LOST, EV, PAYS = range(4)  # Columns of Tree.outcome
HIT_SUM, HIT_CHANCE, DOUBLE_SUM, DOUBLE_CHANCE, BUSTS, RETURNS, LOG, ROOT_LOG = range(8)
"""Columns of Tree.sums."""
UNTRIED = 1e9
LIKED = 0.7
"""PUCT's prior of the action that the chart or the memory likes; the others share the rest."""


class Problem(NamedTuple):
    """A decision to be searched; nothing in it changes."""

    child: I32  # (H, 10) int32 the hand after one more card, −1 over 21
    counts: F64  # (H, 10) float64 cards of each hand
    legal: U8  # (2, H) uint8 bits of actions, before a split and after one
    rank: I8  # (2, H) int8 −1 below 17, 0…4 for 17…21, 5 Charlie, 6 natural
    policy: I8  # (2, H) int8 what a rollout by the chart does
    memory: F64
    """(H, 5, 2) float64 what is remembered of this up card: visits and mean; (1, 5, 2) nothing."""
    trie: Trie  # The dealer's hands
    base: F64  # (10,) float64 cards unseen, the hand asked about included
    unit: float  # 1, or 0 for the infinite deck
    hole: int  # The card that makes the dealer's natural, or −1
    peeked: bool  # Whether the dealer is known to have none
    natural_pays: float
    plain_natural: bool  # Whether a dealer's two-card 21 is only a 21
    surrender: float  # What giving up is worth
    root: int  # The hand asked about
    pair: int  # The card it is a pair of
    pair_left: float  # Unseen cards that would pair with it
    resplits: int  # How many further hands a split can make
    split_sequences: F64  # (W, 4) float64 how a split can go, see exact.splits.split_sequences


class Tree(NamedTuple):
    """The nodes, changed in place."""

    node_at: I32  # (contexts × H,) int32 node of each position, or −1
    position: I32  # (C,) int32 position of each node
    children: I32  # (C, 10) int32 node after a card, UNKNOWN or BUST
    chance: F64  # (C, 11) float64 probability of each card
    alias_threshold: F64  # (C, 11) float64, with `alias` the alias table of them (Vose 1991)
    alias: I8  # (C, 11) int8
    outcome: F64  # (C, 4) float64 of standing: WIN … PAYS; −1 until it is needed
    legal: U8  # (C,) uint8
    policy: U8  # (C,) uint8 what the chart does
    stats: F64  # (C, 5, 11) float64, columns VISITS … EXPLORE
    sums: F64
    """(C, 8) float64 Σ p·value and Σ p over the cards visited without bust, for hit and for
    double; probability of a bust; sum of what all lines through the node came to; log of the
    visits and its root."""
    child_values: F64  # (C, 10) float64 the value of each child as last put into `sums`
    counted: I64  # (C,) int64 bits of the cards in `sums`: hit from bit 0, double from bit 16
    value: F64  # (C,) float64
    visits: F64  # (C,) float64
    size: I64  # (1,) int64 nodes in use
    random: U64  # (1,) uint64
    path: I64  # (DEEPEST, 3) int64 work space: node, action, card or −1


@njit(cache=True)
def clear(node_at: I32, position: I32, size: I64) -> None:
    """Forget every node."""
    for node in range(size[0]):
        node_at[position[node]] = UNKNOWN
    size[0] = 0


@njit(cache=True)
def unseen(base: F64, counts: F64, unit_: float, gone: Number, pair: int, cards_left: F64) -> float:
    """Write into cards_left (10,) the cards unseen with counts (10,) in hand; returns how many.

    `gone` more cards of a pair are in other hands.
    """
    total = 0.0
    for c in range(10):
        cards_left[c] = max(0.0, base[c] - unit_ * (counts[c] + (gone if c == pair else 0)))
        total += cards_left[c]
    return max(total, 1e-9)


@njit(cache=True)
def draw_chances(
    cards_left: F64, total: float, unit_: float, hole: int, peeked: bool, chance: F64
) -> None:
    """Write into chance (10,) the probability of each card."""
    no_natural = total - unit_ - (cards_left[hole] if hole >= 0 else 0.0)
    total_chance = 0.0
    for c in range(10):
        chance[c] = cards_left[c]
        if peeked:
            # The hole card is one of the others, and it is not the card of a natural.
            chance[c] *= no_natural + (unit_ if c == hole else 0.0)
        total_chance += chance[c]
    for c in range(10):
        chance[c] /= max(total_chance, 1e-300)


@njit(cache=True)
def alias_table(chance: F64, threshold: F64, alias: I8) -> None:
    """Write threshold and alias (11,): column i is drawn below threshold[i], else alias[i] is."""
    scaled = np.empty(CARDS)
    for i in range(CARDS):
        scaled[i] = chance[i] * CARDS
        alias[i] = i
    for _ in range(CARDS):
        low, high = -1, -1
        for i in range(CARDS):
            if alias[i] == i and scaled[i] < 1.0 and (low < 0 or scaled[i] < scaled[low]):
                low = i
            if alias[i] == i and scaled[i] > 1.0 and (high < 0 or scaled[i] > scaled[high]):
                high = i
        if low < 0 or high < 0:
            break
        alias[low] = high
        scaled[high] -= 1.0 - scaled[low]
    for i in range(CARDS):
        threshold[i] = scaled[i] if alias[i] != i else 1.0


@njit(cache=True)
def touch(problem: Problem, tree: Tree, context: Number, hand: Number) -> Number:
    """The node of a position, made if there is none."""
    position = context * problem.child.shape[0] + hand
    if tree.node_at[position] >= 0:
        return np.int64(tree.node_at[position])
    node = tree.size[0]
    tree.size[0] += 1
    tree.node_at[position] = node
    tree.position[node] = position
    cards_left, chance = np.empty(10), tree.chance[node]
    pair, split = problem.pair, context > 0
    total = unseen(problem.base, problem.counts[hand], problem.unit, context, pair, cards_left)
    draw_chances(cards_left, total, problem.unit, problem.hole, problem.peeked, chance)
    chance[PAIR] = 0.0
    if split and hand == problem.child[0, pair] and context <= problem.resplits:
        again = max(0.0, problem.pair_left - problem.unit * (context - 1))
        if cards_left[pair] > 0.0:
            chance[PAIR] = chance[pair] * min(1.0, again / cards_left[pair])
            chance[pair] -= chance[PAIR]
    alias_table(chance, tree.alias_threshold[node], tree.alias[node])
    busts = 0.0
    for c in range(10):
        tree.children[node, c] = UNKNOWN
        if problem.child[hand, c] < 0:
            tree.children[node, c] = BUST
            busts += chance[c]
    for i in range(tree.sums.shape[1]):
        tree.sums[node, i] = 0.0
    tree.sums[node, BUSTS] = busts
    tree.counted[node] = 0
    tree.outcome[node, WIN] = -1.0
    tree.value[node] = 0.0
    tree.visits[node] = 0.0
    kind = np.uint64(split)
    tree.legal[node] = problem.legal[kind, hand]
    tree.policy[node] = problem.policy[kind, hand]
    stats = tree.stats[node]
    for a in range(NUM_ACTIONS):
        for i in range(stats.shape[1]):
            stats[a, i] = 0.0
        stats[a, EXPLORE] = UNTRIED
    known = problem.memory[hand if problem.memory.shape[0] > 1 else 0]
    priors(known, tree.legal[node], np.int64(tree.policy[node]), stats)
    return np.int64(node)


@njit(cache=True)
def priors(known: F64, legal: Number, liked: Number, stats: F64) -> None:
    """Fill stats (5, 11) with what the memory knows, known (5, 2), and the priors of PUCT."""
    most, count = -1e300, 0
    for a in range(NUM_ACTIONS):
        if not (legal >> a) & 1:
            continue
        count += 1
        if known[a, 0] > 0.0:
            stats[a, KNOWN] = known[a, 0]
            stats[a, KNOWN_MEAN] = known[a, 1]
            stats[a, EXPLORE] = 1.0 / np.sqrt(known[a, 0])
            if known[a, 1] > most:
                liked, most = a, known[a, 1]
    for a in range(NUM_ACTIONS):
        stats[a, PRIOR] = LIKED if a == liked else (1.0 - LIKED) / max(1, count - 1)


@njit(cache=True)
def settle(problem: Problem, tree: Tree, node: Number) -> None:
    """Work out what standing at a node brings."""
    num_hands = problem.child.shape[0]
    context, hand = tree.position[node] // num_hands, tree.position[node] % num_hands
    cards_left, out = np.empty(10), np.empty(CATEGORIES)
    counts, unit, pair = problem.counts[hand], problem.unit, problem.pair
    total = unseen(problem.base, counts, unit, context, pair, cards_left)
    dealer_outcome(cards_left, total, problem.unit, problem.trie, out)
    natural = cards_left[problem.hole] / total if problem.hole >= 0 else 0.0
    if problem.plain_natural:
        out[4] += natural
        natural = 0.0
    rank = problem.rank[np.uint64(context > 0), hand]
    lost, draw, pays = natural, 0.0, 1.0
    if problem.peeked:
        lost = 0.0
        for k in range(CATEGORIES):
            out[k] /= max(1.0 - natural, 1e-9)
    if rank == NATURAL:
        draw, lost, pays = lost, 0.0, problem.natural_pays
    else:
        for k in range(CATEGORIES):
            if k > rank:
                lost += out[k]
            elif k == rank:
                draw += out[k]
    tree.outcome[node, WIN] = max(0.0, 1.0 - draw - lost)
    tree.outcome[node, NOT_LOST] = 1.0 - lost
    tree.outcome[node, EV] = pays * tree.outcome[node, WIN] - lost
    tree.outcome[node, PAYS] = pays


@njit(cache=True)
def child_after(problem: Problem, tree: Tree, node: Number, card: Number) -> Number:
    """The node after a card that does not bust, made if there is none."""
    num_hands = problem.child.shape[0]
    position = tree.position[node]
    # One type for each argument: touch is compiled once.
    hand = np.int64(problem.child[position % num_hands, card])
    tree.children[node, card] = touch(problem, tree, np.int64(position // num_hands), hand)
    return np.int64(tree.children[node, card])
