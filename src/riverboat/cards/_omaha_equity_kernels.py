"""Who wins in Omaha: given hands over many boards, random deals of ranges, two ranges on boards.

`tables` are those of `strength_tables()`. Cards are uint8, masks of cards uint64 with bit c for
card c. Everything runs without the interpreter's lock, so that threads share the boards.
"""

from __future__ import annotations

import numpy as np
from numpy import uint16, uint64

from riverboat.cards._omaha_kernels import best_flush, best_pairs, pair_strengths_on_board
from riverboat.cards._strength_kernels import BLOCKED, EMPTY_SUM, FLUSH_BITS, rank_strength
from riverboat.runtime.array_types import F64, I32, I64, U8, U16, U64
from riverboat.runtime.compiled import GOLDEN, mix, njit

NUM_STRENGTHS = 7462


@njit(cache=True)
def _sum_pairs(hand: U8, player: uint64, card_keys: U64, pairs: U64) -> None:
    """Write the sums of keys of a hand's pairs to `pairs` (10 P,) from 10 · player on."""
    at = uint64(10) * player
    for j in range(uint64(1), uint64(hand.shape[0])):
        for k in range(uint64(j)):
            pairs[at] = card_keys[hand[uint64(j)]] + card_keys[hand[uint64(k)]]
            at += uint64(1)


@njit(cache=True)
def _sum_threes(board: U8, card_keys: U64, threes: U64) -> None:
    """Write the sums of keys of the ten threes of a board (5,) to `threes` (10,)."""
    at = uint64(0)
    for i in range(uint64(2), uint64(5)):
        for j in range(uint64(1), uint64(i)):
            two = uint64(EMPTY_SUM) + card_keys[board[uint64(i)]] + card_keys[board[uint64(j)]]
            for k in range(uint64(j)):
                threes[at] = two + card_keys[board[uint64(k)]]
                at += uint64(1)


@njit(cache=True)
def _suit_counts(mask: uint64) -> uint64:
    """Four counters of four bits: the number of cards of each suit."""
    counts = uint64(0)
    bits = mask
    for _ in range(uint64(13)):
        counts += (bits & uint64(1)) | ((bits & uint64(2)) << uint64(3))
        counts += ((bits & uint64(4)) << uint64(6)) | ((bits & uint64(8)) << uint64(9))
        bits >>= uint64(4)
    return counts


@njit(cache=True)
def _winners(
    pairs: U64,
    num_pairs: uint64,
    masks: U64,
    threes: U64,
    board_mask: uint64,
    card_keys: U64,
    displacements: U16,
    strengths: U16,
    suit_counts: U64,
) -> uint64:
    """The players with the best hand, as bits. `pairs` (10 P,), `masks`, `suit_counts` (P,)."""
    # A suit's counter of the board plus 5 has bit 3 set from three cards on, plus 6 from two on.
    board_suits = _suit_counts(board_mask) + uint64(0x5555)
    highest, winners = uint16(0), uint64(0)
    for p in range(uint64(masks.shape[0])):
        player = uint64(p)
        best = uint16(0)
        start = uint64(10) * player
        for i in range(start, start + num_pairs):
            keys = pairs[uint64(i)]
            for j in range(uint64(10)):
                best = max(best, rank_strength(keys + threes[uint64(j)], displacements, strengths))
        flush = board_suits & (suit_counts[player] + uint64(0x6666)) & uint64(FLUSH_BITS)
        for suit in range(uint64(4)):
            if (flush >> (uint64(4) * uint64(suit))) & uint64(8):
                value = best_flush(
                    masks[player], board_mask, uint64(suit), card_keys, displacements, strengths
                )
                best = max(best, value)
        if best > highest:
            highest, winners = best, uint64(0)
        if best == highest:
            winners |= uint64(1) << player
    return winners


@njit(cache=True, nogil=True)
def count_winners(
    hands: U8, boards: U8, card_keys: U64, displacements: U16, strengths: U16, out: I64
) -> None:
    """Count on how many of `boards` (B, 5) each set of `hands` (P, k) is best; adds to (2^P,)."""
    num_players, size = hands.shape
    pairs, threes = np.zeros(10 * num_players, uint64), np.empty(10, uint64)
    masks, suit_counts = np.zeros(num_players, uint64), np.zeros(num_players, uint64)
    for player in range(num_players):
        _sum_pairs(hands[player], uint64(player), card_keys, pairs)
        for card in hands[player]:
            masks[player] |= uint64(1) << uint64(card)
        suit_counts[player] = _suit_counts(masks[player])
    num_pairs = uint64(size * (size - 1) // 2)
    for b in range(boards.shape[0]):
        board = boards[b]
        board_mask = uint64(0)
        for card in board:
            board_mask |= uint64(1) << uint64(card)
        _sum_threes(board, card_keys, threes)
        winners = _winners(
            pairs,
            num_pairs,
            masks,
            threes,
            board_mask,
            card_keys,
            displacements,
            strengths,
            suit_counts,
        )
        out[winners] += 1


@njit(cache=True, nogil=True)
def sample_omaha_deals(
    num_samples: int,
    max_tries: int,
    seed: int,
    board: U8,
    starts: I64,
    hands: U8,
    thresholds: F64,
    aliases: I64,
    card_keys: U64,
    displacements: U16,
    strengths: U16,
    out: I64,
) -> int:
    """Deal hands and boards at random and count who wins; returns the number of deals made.

    Player p's hands are rows `starts[p]`…`starts[p + 1]` of `hands` (H, k), none with a card of
    `board` (0…5,), drawn by `thresholds` and `aliases` (H,) of the alias method. Hands that overlap
    are all drawn again, which leaves the others in proportion. Gives up after `max_tries` without
    one deal. Adds to `out` (2^P,).
    """
    num_players = starts.shape[0] - 1
    size = hands.shape[1]
    num_pairs = uint64(size * (size - 1) // 2)
    pairs, threes = np.zeros(10 * num_players, uint64), np.empty(10, uint64)
    masks, suit_counts = np.zeros(num_players, uint64), np.zeros(num_players, uint64)
    known = uint64(0)
    whole = np.zeros(5, np.uint8)
    for i in range(board.shape[0]):
        whole[i] = board[i]
        known |= uint64(1) << uint64(board[i])
    state = uint64(seed)
    done, tries = 0, 0
    while done < num_samples and tries < max_tries:
        used, dealt = known, 0
        while dealt < num_players:
            state += GOLDEN
            bits = mix(state)
            first = uint64(starts[dealt])
            count = uint64(starts[dealt + 1]) - first
            pick = first + (((bits >> uint64(32)) * count) >> uint64(32))
            if np.float64(bits & uint64(0xFFFFFFFF)) >= thresholds[pick]:
                pick = uint64(aliases[pick])
            held = uint64(0)
            for card in hands[pick]:
                held |= uint64(1) << uint64(card)
            if used & held:
                break
            used |= held
            masks[dealt] = held
            suit_counts[dealt] = _suit_counts(held)
            _sum_pairs(hands[pick], uint64(dealt), card_keys, pairs)
            dealt += 1
        if dealt < num_players:
            tries += 1
            continue
        tries = 0
        board_mask, place = known, board.shape[0]
        while place < 5:
            state += GOLDEN
            card = ((mix(state) >> uint64(32)) * uint64(52)) >> uint64(32)
            if not (used >> card) & uint64(1):
                used |= uint64(1) << card
                board_mask |= uint64(1) << card
                whole[place] = np.uint8(card)
                place += 1
        _sum_threes(whole, card_keys, threes)
        winners = _winners(
            pairs,
            num_pairs,
            masks,
            threes,
            board_mask,
            card_keys,
            displacements,
            strengths,
            suit_counts,
        )
        out[winners] += 1
        done += 1
    return done


@njit(cache=True)
def _disjoint_weight(
    hand: uint64, subsets: I32, signs: F64, sums: F64, total: float, own: float
) -> float:
    """Weight of the hands summed up that share no card with a hand, by inclusion and exclusion.

    `own` is what the hand itself has among them, with the sign of its whole set of cards.
    """
    weight = total + own
    for s in range(uint64(subsets.shape[1])):
        weight += signs[uint64(s)] * sums[subsets[hand, uint64(s)]]
    return weight


@njit(cache=True, nogil=True)
def sweep_ranges(
    boards: U8,
    hands: U8,
    masks: U64,
    weights: F64,
    subsets: I32,
    signs: F64,
    num_sums: int,
    card_keys: U64,
    displacements: U16,
    strengths: U16,
    out: F64,
) -> None:
    """What a range wins against another on each of `boards` (B, 5): writes `out` (B, 3).

    `hands` (H, k) of either range with `masks` (H,) and `weights` (2, H); `subsets` (H, 2^k − 2)
    number the proper subsets of a hand's cards, with `signs` −1 for odd ones. Columns of `out` are
    the weight of deals that the first wins, that are tied, and of all. Hands go through in the
    order of strength; sums over the second range's hands with each subset say what a hand beats.
    """
    num_hands = hands.shape[0]
    pairs, values = np.empty((52, 52), uint16), np.empty(num_hands, uint16)
    order, ends = np.empty(num_hands, np.int64), np.empty(NUM_STRENGTHS + 1, np.int64)
    sums = np.empty(num_sums)
    own_sign = 1.0 if hands.shape[1] % 2 == 0 else -1.0
    for b in range(boards.shape[0]):
        pair_strengths_on_board(boards[b], card_keys, displacements, strengths, pairs)
        best_pairs(hands, pairs, values)
        ends[:] = 0
        board_mask = uint64(0)
        for card in boards[b]:
            board_mask |= uint64(1) << uint64(card)
        for hand in range(num_hands):
            if masks[hand] & board_mask:
                values[hand] = BLOCKED
            else:
                ends[values[hand]] += 1
        at = 0
        for value in range(NUM_STRENGTHS):
            count = ends[value]
            ends[value] = at
            at += count
        for hand in range(num_hands):
            if values[hand] != BLOCKED:
                order[ends[values[hand]]] = hand
                ends[values[hand]] += 1
        sums[:] = 0.0
        total, won, tied, met, start = 0.0, 0.0, 0.0, 0.0, 0
        for value in range(NUM_STRENGTHS):
            end = ends[value]
            if end == start:
                continue
            below = 0.0
            for i in range(start, end):
                h = uint64(order[i])
                if weights[0, h] > 0.0:
                    below += weights[0, h] * _disjoint_weight(h, subsets, signs, sums, total, 0.0)
            for i in range(start, end):
                h = uint64(order[i])
                weight = weights[1, h]
                if weight > 0.0:
                    total += weight
                    for s in range(uint64(subsets.shape[1])):
                        sums[subsets[h, uint64(s)]] += weight
            up_to = 0.0
            for i in range(start, end):
                h = uint64(order[i])
                if weights[0, h] > 0.0:
                    own = own_sign * weights[1, h]
                    up_to += weights[0, h] * _disjoint_weight(h, subsets, signs, sums, total, own)
            won += below
            tied += up_to - below
            start = end
        for i in range(start):
            h = uint64(order[i])
            if weights[0, h] > 0.0:
                own = own_sign * weights[1, h]
                met += weights[0, h] * _disjoint_weight(h, subsets, signs, sums, total, own)
        out[b, 0], out[b, 1], out[b, 2] = won, tied, met
