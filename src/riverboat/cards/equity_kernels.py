"""Showdowns: every hand against a weighted range on one board, fixed hands over boards, sampling.

Tables as in strength_kernels: `card_keys` (256,), `displacements` (16384,), `strengths` (81920,).
Hands are combos 0…1325 with their cards in `combo_cards` (1326, 2) uint8.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, uint16, uint64

from riverboat.cards.strength_kernels import (
    BLOCKED,
    FLUSH_BITS,
    rank_strength,
    strength_of,
    strengths_on_board,
    trailing_zeros,
)

NUM_WORDS = 117
"""Words of 64 bits that hold one bit for each of the 7,462 strengths."""
BLOCK = 512
"""Deals judged together: their sums, masks and strengths stay in the first cache."""


@njit(cache=True)
def sort_hands(hands: Any, values: Any, counts: Any, words: Any, order: Any, ends: Any) -> Any:
    """Order hands by strength, weakest first, leaving out the blocked; return the groups' number.

    `hands` (L,) uint16, `values` (1326,) uint16 strengths; `counts` (7462,) uint16 and `words`
    (117,) uint64 are scratch, zero before and after; writes `order` (L,) uint16 and `ends` (L,)
    uint16, where each group of equal hands ends.
    """
    for i in range(uint64(hands.shape[0])):
        value = uint64(values[hands[uint64(i)]])
        if value != uint64(BLOCKED):
            counts[value] += uint16(1)
            words[value >> uint64(6)] |= uint64(1) << (value & uint64(63))
    num_groups, at = uint64(0), uint16(0)
    for w in range(uint64(NUM_WORDS)):
        word = words[uint64(w)]
        while word:
            value = (uint64(w) << uint64(6)) + uint64(trailing_zeros(word))
            word &= word - uint64(1)
            size = counts[value]
            counts[value] = at
            at = uint16(at + size)
            ends[num_groups] = at
            num_groups += uint64(1)
    for i in range(uint64(hands.shape[0])):
        hand = hands[uint64(i)]
        value = uint64(values[hand])
        if value != uint64(BLOCKED):
            order[counts[value]] = hand
            counts[value] += uint16(1)
    for w in range(uint64(NUM_WORDS)):
        word = words[uint64(w)]
        while word:
            counts[(uint64(w) << uint64(6)) + uint64(trailing_zeros(word))] = uint16(0)
            word &= word - uint64(1)
        words[uint64(w)] = uint64(0)
    return num_groups


@njit(cache=True)
def sweep(
    order: Any, ends: Any, num_groups: Any, weights: Any, combo_cards: Any, cards: Any, out: Any
) -> None:
    """Add to every sorted hand the weight of hands it beats, does not lose to, and meets.

    Running totals of all weights passed and of those holding each card give, for a hand of two
    cards, what is left when they are taken out. `weights` (1326,) float64 of the opponent;
    `cards` (52,) float64 scratch; adds to `out` (1326, 3).
    """
    cards[:] = 0.0
    total, start = 0.0, uint64(0)
    for group in range(num_groups):
        end = uint64(ends[uint64(group)])
        for i in range(start, end):
            hand = uint64(order[uint64(i)])
            a, b = uint64(combo_cards[hand, 0]), uint64(combo_cards[hand, 1])
            out[hand, 0] += total - cards[a] - cards[b]
        for i in range(start, end):
            hand = uint64(order[uint64(i)])
            weight = weights[hand]
            total += weight
            cards[uint64(combo_cards[hand, 0])] += weight
            cards[uint64(combo_cards[hand, 1])] += weight
        for i in range(start, end):
            hand = uint64(order[uint64(i)])
            a, b = uint64(combo_cards[hand, 0]), uint64(combo_cards[hand, 1])
            out[hand, 1] += total - cards[a] - cards[b] + weights[hand]
        start = end
    for i in range(start):
        hand = uint64(order[uint64(i)])
        a, b = uint64(combo_cards[hand, 0]), uint64(combo_cards[hand, 1])
        out[hand, 2] += total - cards[a] - cards[b] + weights[hand]


@njit(cache=True)
def showdowns(
    boards: Any,
    hands: Any,
    weights: Any,
    combo_cards: Any,
    card_keys: Any,
    displacements: Any,
    strengths: Any,
    out: Any,
) -> None:
    """Sum `sweep` over boards (B, 5) uint8 for both sides of a match of two ranges.

    `hands` (L,) uint16 all hands of either range, `weights` (2, 1326); adds to `out`
    (2, 1326, 3): side 0's hands against side 1's weights, then the reverse.
    """
    num = hands.shape[0]
    values, rows = np.empty(1326, np.uint16), np.empty((13, 52), np.uint16)
    counts, words = np.zeros(7462, np.uint16), np.zeros(NUM_WORDS, np.uint64)
    order, ends, cards = np.empty(num, np.uint16), np.empty(num, np.uint16), np.empty(52)
    for i in range(boards.shape[0]):
        strengths_on_board(boards[i], card_keys, displacements, strengths, rows, values)
        num_groups = sort_hands(hands, values, counts, words, order, ends)
        sweep(order, ends, num_groups, weights[1], combo_cards, cards, out[0])
        sweep(order, ends, num_groups, weights[0], combo_cards, cards, out[1])


@njit(cache=True)
def judge(
    num: Any,
    totals: Any,
    masks: Any,
    card_keys: Any,
    displacements: Any,
    strengths: Any,
    values: Any,
    best: Any,
    winners: Any,
    out: Any,
) -> None:
    """Count who wins in the first `num` deals of a block.

    `totals`, `masks` (P, B) uint64 of each player's seven cards; `values` (P, B) uint16, `best`
    and `winners` (B,) uint16 are scratch; adds to `out` (4, 2^P) by the bits of the winners, in
    turn to four counters so that one addition need not wait for the last. One plain loop for
    each step keeps them free of branches that cannot be foreseen; `winners` first lists flushes.
    """
    for player in range(uint64(totals.shape[0])):
        total, mask, value = totals[player], masks[player], values[player]
        for i in range(uint64(num)):
            value[uint64(i)] = rank_strength(total[uint64(i)], displacements, strengths)
        num_flushes = uint64(0)
        for i in range(uint64(num)):
            winners[num_flushes] = i
            num_flushes += uint64(total[uint64(i)] & uint64(FLUSH_BITS) != 0)
        for j in range(num_flushes):
            i = uint64(winners[uint64(j)])
            value[i] = strength_of(total[i], mask[i], card_keys, displacements, strengths)
    for i in range(uint64(num)):
        best[uint64(i)] = values[0, uint64(i)]
        winners[uint64(i)] = 0
    for player in range(uint64(1), uint64(totals.shape[0])):
        for i in range(uint64(num)):
            best[uint64(i)] = max(best[uint64(i)], values[uint64(player), uint64(i)])
    for player in range(uint64(totals.shape[0])):
        for i in range(uint64(num)):
            has_best = values[uint64(player), uint64(i)] == best[uint64(i)]
            winners[uint64(i)] |= uint16(has_best) << uint16(player)
    for i in range(uint64(num)):
        out[uint64(i) & uint64(3), uint64(winners[uint64(i)])] += 1


@njit(cache=True)
def enumerate_boards(
    deck: Any,
    num_missing: Any,
    board_sum: Any,
    board_mask: Any,
    hand_sums: Any,
    hand_masks: Any,
    card_keys: Any,
    displacements: Any,
    strengths: Any,
    out: Any,
) -> None:
    """Complete a board in every way from `deck` (M,) uint8 and count who wins.

    `hand_sums`, `hand_masks` (P,) uint64; adds to `out` (4, 2^P) as `judge` does. The boards that
    differ in their last card make one block.
    """
    num_players, num_cards = hand_sums.shape[0], deck.shape[0]
    totals, masks = np.empty((num_players, 52), np.uint64), np.empty((num_players, 52), np.uint64)
    values = np.empty((num_players, 52), np.uint16)
    best, winners = np.empty(52, np.uint16), np.empty(52, np.uint16)
    depth, last = 0, max(num_missing - 1, 0)
    picks = np.arange(last + 1)
    sums, boards = np.empty(last + 1, np.uint64), np.empty(last + 1, np.uint64)
    sums[0], boards[0] = board_sum, board_mask
    while depth >= 0:
        if depth == last:
            num = uint64(num_cards - picks[depth]) if num_missing else uint64(1)
            for player in range(num_players):
                for i in range(num):
                    key, bit = uint64(0), uint64(0)
                    if num_missing:
                        card = uint64(deck[uint64(picks[depth]) + uint64(i)])
                        key, bit = card_keys[card], uint64(1) << card
                    totals[player, uint64(i)] = sums[depth] + hand_sums[player] + key
                    masks[player, uint64(i)] = boards[depth] | hand_masks[player] | bit
            judge(
                num,
                totals,
                masks,
                card_keys,
                displacements,
                strengths,
                values,
                best,
                winners,
                out,
            )
        elif picks[depth] < num_cards - (last - depth):
            card = uint64(deck[picks[depth]])
            sums[depth + 1] = sums[depth] + card_keys[card]
            boards[depth + 1] = boards[depth] | uint64(1) << card
            picks[depth + 1] = picks[depth] + 1
            depth += 1
            continue
        depth -= 1
        if depth >= 0:
            picks[depth] += 1


@njit(cache=True)
def _random(state: Any) -> Any:
    """The random number of a splitmix64 state; the caller adds the golden ratio each time."""
    z = (state ^ (state >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> uint64(27))) * uint64(0x94D049BB133111EB)
    return z ^ (z >> uint64(31))


@njit(cache=True)
def sample_boards(
    num_samples: Any,
    seed: Any,
    big_sums: Any,
    big_masks: Any,
    small_sums: Any,
    small_masks: Any,
    hand_sums: Any,
    hand_masks: Any,
    card_keys: Any,
    displacements: Any,
    strengths: Any,
    out: Any,
) -> None:
    """Count who wins on random boards for fixed hands.

    A board is one of the larger pieces (`big_*`, usually three cards, the known board included)
    and one of the smaller (`small_*`, usually two), drawn again while they overlap. `hand_sums`,
    `hand_masks` (P,) uint64; adds to `out` (4, 2^P) as `judge` does.
    """
    state = uint64(seed)
    num_players = hand_sums.shape[0]
    num_big, num_small = uint64(big_sums.shape[0]), uint64(small_sums.shape[0])
    boards, board_masks = np.empty(BLOCK, np.uint64), np.empty(BLOCK, np.uint64)
    totals = np.empty((num_players, BLOCK), np.uint64)
    masks = np.empty((num_players, BLOCK), np.uint64)
    values = np.empty((num_players, BLOCK), np.uint16)
    best, winners = np.empty(BLOCK, np.uint16), np.empty(BLOCK, np.uint16)
    done = uint64(0)
    while done < uint64(num_samples):
        num = uint64(0)
        for _ in range(min(uint64(BLOCK), uint64(num_samples) - done)):
            state += uint64(0x9E3779B97F4A7C15)
            bits = _random(state)
            i = ((bits >> uint64(32)) * num_big) >> uint64(32)
            j = ((bits & uint64(0xFFFFFFFF)) * num_small) >> uint64(32)
            boards[num] = big_sums[i] + small_sums[j]
            board_masks[num] = big_masks[i] | small_masks[j]
            num += uint64(big_masks[i] & small_masks[j] == 0)
        for player in range(num_players):
            for k in range(num):
                totals[player, uint64(k)] = boards[uint64(k)] + hand_sums[player]
                masks[player, uint64(k)] = board_masks[uint64(k)] | hand_masks[player]
        judge(
            num,
            totals,
            masks,
            card_keys,
            displacements,
            strengths,
            values,
            best,
            winners,
            out,
        )
        done += num


@njit(cache=True)
def sample_deals(
    num_samples: Any,
    max_tries: Any,
    seed: Any,
    big_sums: Any,
    big_masks: Any,
    small_sums: Any,
    small_masks: Any,
    starts: Any,
    hand_sums: Any,
    hand_masks: Any,
    thresholds: Any,
    aliases: Any,
    card_keys: Any,
    displacements: Any,
    strengths: Any,
    out: Any,
) -> Any:
    """Like `sample_boards` with hands drawn from ranges; returns how many deals came about.

    Player p's hands are `starts[p]`…`starts[p + 1]` of `hand_sums`, `hand_masks`, drawn by weight
    with `thresholds` (H,) float64 and `aliases` (H,) int64 (alias method). A deal in which any
    cards overlap is drawn again as a whole, which leaves the others in proportion.
    """
    state = uint64(seed)
    num_players = starts.shape[0] - 1
    num_big, num_small = uint64(big_sums.shape[0]), uint64(small_sums.shape[0])
    totals = np.empty((num_players, BLOCK), np.uint64)
    masks = np.empty((num_players, BLOCK), np.uint64)
    values = np.empty((num_players, BLOCK), np.uint16)
    best, winners = np.empty(BLOCK, np.uint16), np.empty(BLOCK, np.uint16)
    done, tries = 0, 0
    while done < num_samples and tries < max_tries:
        num = 0
        for _ in range(min(BLOCK, num_samples - done)):
            state += uint64(0x9E3779B97F4A7C15)
            bits = _random(state)
            i = ((bits >> uint64(32)) * num_big) >> uint64(32)
            j = ((bits & uint64(0xFFFFFFFF)) * num_small) >> uint64(32)
            board, board_mask = big_sums[i] + small_sums[j], big_masks[i] | small_masks[j]
            clash, used = big_masks[i] & small_masks[j], board_mask
            for player in range(num_players):
                state += uint64(0x9E3779B97F4A7C15)
                bits = _random(state)
                first = uint64(starts[player])
                size = uint64(starts[player + 1]) - first
                pick = first + (((bits >> uint64(32)) * size) >> uint64(32))
                if np.float64(bits & uint64(0xFFFFFFFF)) >= thresholds[pick]:
                    pick = uint64(aliases[pick])
                clash |= used & hand_masks[pick]
                used |= hand_masks[pick]
                totals[player, num] = board + hand_sums[pick]
                masks[player, num] = board_mask | hand_masks[pick]
            num += clash == 0
        tries += BLOCK
        judge(
            num,
            totals,
            masks,
            card_keys,
            displacements,
            strengths,
            values,
            best,
            winners,
            out,
        )
        done += num
    return done
