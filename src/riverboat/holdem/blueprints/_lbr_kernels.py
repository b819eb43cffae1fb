"""Local best response for all hands at once on one board.

Hands are in an order of the board: first those possible on the river, weakest first, then those
that only the river card, the turn card and the flop rule out. The hands of street s are the first
`lengths[s]`, so dealing a card shortens every vector and nothing moves.

A point of the walk has the weights of the blueprint's hands, a product of its probabilities, and a
mark for each of the exploiter's hands that reach it. Both seats' values are sums over leaves: the
exploiter looks no further than its next action, so nothing has to be passed back up.

One hand against a weighted range on a board, over every way the board can be completed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy import float32, int16, uint64

from riverboat.cards.card import NUM_CARDS
from riverboat.cards.combos import NUM_COMBOS
from riverboat.cards.strength import BLOCKED, strengths_on_board, sweep
from riverboat.runtime.array_types import F32, F64, I16, I64, U8, U16, U32, U64, Index
from riverboat.runtime.compiled import njit

FOLDED, SHOWDOWN, EXPLOITER, OPPONENT, LOST = range(5)
"""Kinds of nodes: two of leaves, the exploiter to act, the blueprint on and off its tree."""
NODE_FIELDS = 8
KIND, STREET, EDGE, COUNT = range(4)
POT, COST = 4, 5
"""Leaves and the exploiter's nodes: chips in the middle, and put in, won or to call."""
START, STRIDE, SLOT, ACTIONS = 4, 5, 6, 7
"""The blueprint's nodes: where its numbers begin, how far buckets lie apart, its slots."""
EDGE_WIDTH = 6
MEANS, PUT, ANSWER, LOW, HIGH, MARK = range(EDGE_WIDTH)
"""Edges: kind, chips it takes and asks for, both readings, the mark that chooses (or −1)."""
CALLS, FOLDS, RAISES = range(3)


@njit(cache=True, nogil=True)
def pot_shares(
    board: U8,
    order: U16,
    combo_cards: U8,
    card_keys: U64,
    displacements: U16,
    strengths: U16,
    out: F32,
) -> None:
    """Each hand's part of the pot against each other over all completions of a flop or turn.

    `board` (5,) uint8 of which the first 3 or 4 cards are dealt: `order` (n,) uint16 are the hands
    that they leave, C(49, 2) or C(48, 2). Writes `out` (n, n) float32, 0 where hands share a card.
    """
    n = uint64(order.shape[0])
    dealt = 3 if n == 1176 else 4
    unseen = np.empty(NUM_CARDS - dealt, np.uint8)
    count = 0
    for card in range(NUM_CARDS):
        if not np.any(board[:dealt] == card):
            unseen[count] = card
            count += 1
    full, rows = board.copy(), np.empty((13, NUM_CARDS), np.uint16)
    hand_strengths = np.empty(NUM_COMBOS, np.uint16)
    runouts = count * (count - 1) // 2 if dealt == 3 else count
    ranks = np.empty((runouts, order.shape[0]), np.int16)
    at = 0
    for a in range(count):
        full[3 if dealt == 3 else 4] = unseen[a]
        for b in range(a + 1 if dealt == 3 else count - 1, count):
            if dealt == 3:
                full[4] = unseen[b]
            strengths_on_board(full, card_keys, displacements, strengths, rows, hand_strengths)
            for i in range(n):
                value = hand_strengths[order[i]]
                # Blocked hands count as the best; how often that happens is known.
                ranks[at, i] = 32767 if value == BLOCKED else int16(value)
            at += 1
    valid, blocked = (990, 91) if dealt == 3 else (44, 2)
    lead = np.empty(order.shape[0], np.int16)
    for i in range(n):
        _lead_over(ranks, i, lead)
        a, b = combo_cards[order[i], 0], combo_cards[order[i], 1]
        for j in range(i, n):
            c, d = combo_cards[order[j], 0], combo_cards[order[j], 1]
            if a == c or a == d or b == c or b == d:
                out[i, j] = out[j, i] = 0.0
            else:
                share = 0.5 + 0.5 * (lead[j] + blocked) / valid
                out[i, j], out[j, i] = share, 1.0 - share


@njit(cache=True, nogil=True)
def _lead_over(ranks: I16, hand: Index, lead: I16) -> None:
    """Runouts that a hand wins less those it loses, against hands after it; (n,) int16."""
    n = uint64(lead.shape[0])
    for j in range(hand, n):
        lead[j] = 0
    for at in range(uint64(ranks.shape[0])):
        mine = ranks[at, hand]
        if mine != 32767:
            for j in range(hand, n):
                lead[j] += int16(mine > ranks[at, j]) - int16(mine < ranks[at, j])


class Play(NamedTuple):
    """What can happen and what the blueprint does: arrays of LbrTree, and its probabilities."""

    nodes: I64  # (N, 8)
    limits: F64  # (N, 2)
    edges: I64  # (E, 6)
    slots: I64
    weights: U16


class Deal(NamedTuple):
    """A board, its hands in their order, and how the blueprint reads bets on it."""

    marks: U8  # (Q,)
    lengths: I64  # (4,) hands by street
    scales: F64  # (4,) 1 / pairs of hands by street
    buckets: U32  # (4, 1326)
    beaten: F64  # (4, 1326) the part of all hands that each beats
    cards: U8  # (1326, 2)
    order: U16  # (1326,) counting up
    ends: U16  # (G,) where equal hands end on the river
    shares: tuple[F32, ...]
    """Three of pot_shares, for the streets before the river; unused ones are empty."""


class Entries(NamedTuple):
    """Points of the walk: nodes (K,), the blueprint's weights and the exploiter's hands there."""

    nodes: I64
    ranges: F64  # (K, 1326)
    hands: U8  # (K, 1326)


class Scratch(NamedTuple):
    """Vectors (1326,), used again at every point."""

    meets: F64
    wins: F64
    left: F64
    stays: F64
    best: F64
    chosen: U8
    narrow: F32
    sums: F64  # (52,)
    swept: F64  # (1326, 3)
    chances: F64  # (edges, 1326)


@njit(cache=True, nogil=True)
def _meets(weights: F64, n: Index, deal: Deal, sums: F64, out: F64) -> None:
    """What each hand meets of `weights` (n,): all but hands that share a card with it."""
    cards = deal.cards
    sums[:] = 0.0
    total = 0.0
    for i in range(n):
        weight = weights[i]
        total += weight
        sums[cards[i, 0]] += weight
        sums[cards[i, 1]] += weight
    for i in range(n):
        out[i] = total - sums[cards[i, 0]] - sums[cards[i, 1]] + weights[i]


@njit(cache=True, nogil=True, fastmath=True)
def _dot(row: F32, weights: F32, n: Index) -> float32:
    total = float32(0.0)
    for j in range(n):
        total += row[j] * weights[j]
    return total


@njit(cache=True, nogil=True)
def _wins(street: int, weights: F64, mask: U8, n: Index, deal: Deal, scratch: Scratch) -> None:
    """The weight that each marked hand wins of what it meets, if nobody bets any more."""
    wins, swept, narrow = scratch.wins, scratch.swept, scratch.narrow
    if street == 3:
        swept[:n] = 0.0
        sweep(deal.order, deal.ends, deal.ends.shape[0], weights, deal.cards, scratch.sums, swept)
        for i in range(n):
            wins[i] = 0.5 * (swept[i, 0] + swept[i, 1])
        return
    shares = deal.shares[street]
    for i in range(n):
        narrow[i] = weights[i]
    for i in range(n):
        if mask[i]:
            wins[i] = _dot(shares[i], narrow, n)


@njit(cache=True, nogil=True)
def _chances(number: int, n: Index, play: Play, deal: Deal, out: F64) -> int:
    """The blueprint's probabilities `out` (edges, 1326) at a node; the number of its fold or −1."""
    node = play.nodes[number]
    folds, raises, edge = -1, -1, node[EDGE]
    for k in range(node[COUNT]):
        if play.edges[edge + k, MEANS] == FOLDS:
            folds = k
        elif play.edges[edge + k, MEANS] == RAISES:
            raises = k
        out[k, :n] = 0.0
    if node[KIND] == LOST:
        beaten, limits = deal.beaten[node[STREET]], play.limits[number]
        for i in range(n):
            if raises >= 0 and beaten[i] >= limits[1]:
                out[raises, i] = 1.0
            elif folds < 0 or beaten[i] >= limits[0]:
                out[0, i] = 1.0
            else:
                out[folds, i] = 1.0
        return folds
    buckets, weights, slots = deal.buckets[node[STREET]], play.weights, play.slots
    actions, first = uint64(node[ACTIONS]), uint64(node[SLOT])
    start, stride = uint64(node[START]), uint64(node[STRIDE])
    for i in range(n):
        at = start + uint64(buckets[i]) * stride
        total = 0.0
        for a in range(actions):
            total += weights[at + a]
        for a in range(actions):
            part = weights[at + a] / total if total > 0.0 else 1.0 / actions
            out[slots[first + a], i] += part
    return folds


@njit(cache=True, nogil=True)
def _child(edge: I64, deal: Deal) -> int:
    """The node after an edge, as the blueprint reads it."""
    return int(edge[LOW] if edge[MARK] < 0 or deal.marks[edge[MARK]] else edge[HIGH])


@njit(cache=True, nogil=True)
def _decide(
    node: I64, mine: F64, mask: U8, n: Index, play: Play, deal: Deal, scratch: Scratch
) -> None:
    """The edge that each of the exploiter's hands takes, in `scratch.chosen`.

    A fold is worth 0, a call its part of the pot, a raise the pot where the blueprint folds and
    else its part of what both then put in.
    """
    meets, wins, left, stays = scratch.meets, scratch.wins, scratch.left, scratch.stays
    best, chosen = scratch.best, scratch.chosen
    street, pot, to_call = node[STREET], node[POT], node[COST]
    _meets(mine, n, deal, scratch.sums, meets)
    _wins(street, mine, mask, n, deal, scratch)
    for i in range(n):
        best[i] = wins[i] * (pot + to_call) - meets[i] * to_call
        chosen[i] = 0
    for k in range(1, node[COUNT]):
        edge = play.edges[node[EDGE] + k]
        if edge[MEANS] == FOLDS:
            for i in range(n):
                if best[i] < 0.0:
                    best[i], chosen[i] = 0.0, k
            continue
        folds = _chances(_child(edge, deal), n, play, deal, scratch.chances)
        for i in range(n):
            # A small bet that the blueprint takes for a check is never folded to.
            left[i] = mine[i] * (1.0 - scratch.chances[folds, i]) if folds >= 0 else mine[i]
        _wins(street, left, mask, n, deal, scratch)
        _meets(left, n, deal, scratch.sums, stays)
        for i in range(n):
            value = (meets[i] - stays[i]) * pot - stays[i] * edge[PUT]
            value += wins[i] * (pot + edge[PUT] + edge[ANSWER])
            if value > best[i]:
                best[i], chosen[i] = value, k


@njit(cache=True, nogil=True)
def _leaf(node: I64, mine: F64, mask: U8, n: Index, deal: Deal, scratch: Scratch) -> float:
    """What the exploiter's hands win at a leaf, in chips times weights."""
    meets, wins = scratch.meets, scratch.wins
    _meets(mine, n, deal, scratch.sums, meets)
    value = 0.0
    if node[KIND] == FOLDED:
        for i in range(n):
            value += mask[i] * meets[i]
        return float(value * node[COST])
    _wins(node[STREET], mine, mask, n, deal, scratch)
    for i in range(n):
        if mask[i]:
            value += wins[i] * node[POT] - meets[i] * node[COST]
    return value


@njit(cache=True, nogil=True)
def walk(
    play: Play, deal: Deal, last: int, entries: Entries, count: int, ends: Entries
) -> tuple[float, int]:
    """Follow every entry to the leaves; `count` of them are there at first.

    Nodes of streets after `last` are not followed but written to `ends`. Returns what the exploiter
    wins, in chips per game, and the number of such ends.
    """
    stack, ranges, hands = entries.nodes, entries.ranges, entries.hands
    kept, kept_ranges, kept_hands = ends.nodes, ends.ranges, ends.hands
    size = ranges.shape[1]
    vectors = np.empty((6, size))
    scratch = Scratch(
        vectors[0],
        vectors[1],
        vectors[2],
        vectors[3],
        vectors[4],
        np.empty(size, np.uint8),
        np.empty(size, np.float32),
        np.empty(NUM_CARDS),
        np.empty((size, 3)),
        np.empty((play.nodes[:, COUNT].max(), size)),
    )
    mine, mask = vectors[5], np.empty(size, np.uint8)
    chances, chosen = scratch.chances, scratch.chosen
    num_kept, total = 0, 0.0
    while count > 0:
        count -= 1
        number = stack[count]
        node = play.nodes[number]
        street, kind = node[STREET], node[KIND]
        # Where a node is only kept, no card of its street is known yet, and hands have no order.
        n = uint64(deal.lengths[min(street, last)])
        weight, present = 0.0, uint64(0)
        for i in range(n):
            mine[i], mask[i] = ranges[count, i], hands[count, i]
            weight += mine[i]
            present += mask[i]
        if weight <= 0.0 or present == 0:
            continue
        if street > last:
            kept[num_kept] = number
            kept_ranges[num_kept], kept_hands[num_kept] = ranges[count], hands[count]
            num_kept += 1
            continue
        if kind == FOLDED or kind == SHOWDOWN:
            total += deal.scales[street] * _leaf(node, mine, mask, n, deal, scratch)
            continue
        if kind == EXPLOITER:
            _decide(node, mine, mask, n, play, deal, scratch)
        else:
            _chances(number, n, play, deal, chances)
        for k in range(node[COUNT]):
            stack[count] = _child(play.edges[node[EDGE] + k], deal)
            if kind == EXPLOITER:
                for i in range(n):
                    ranges[count, i], hands[count, i] = mine[i], mask[i] * (chosen[i] == k)
            else:
                for i in range(n):
                    ranges[count, i], hands[count, i] = mine[i] * chances[k, i], mask[i]
            count += 1
    return total, num_kept


@njit(cache=True)
def share_on_boards(
    boards: U8, combo: int, weights: F64, card_keys: U64, displacements: U16, strengths: U16
) -> float:
    """What part of the pot the hand `combo` wins on average against `weights` (1326,) float64.

    `boards` (N, 5) uint8, none with a card of the hand; weights are zero for hands that share a
    card with it. Hands that share a card with a board do not count there.
    """
    rows, hand_strengths = np.empty((13, NUM_CARDS), np.uint16), np.empty(NUM_COMBOS, np.uint16)
    won, total = 0.0, 0.0
    for i in range(boards.shape[0]):
        strengths_on_board(boards[i], card_keys, displacements, strengths, rows, hand_strengths)
        mine = hand_strengths[combo]
        for j in range(NUM_COMBOS):
            weight = weights[j] if hand_strengths[j] != BLOCKED else 0.0
            total += weight
            theirs = hand_strengths[j]
            won += weight * (1.0 if theirs < mine else 0.5 if theirs == mine else 0.0)
    return won / total if total > 0.0 else 0.5
