"""Deals of given or random hands, judged in blocks: who has the best of seven cards.

A choice among n takes 32 random bits times n, which favours none by more than n / 2^32.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy import uint16, uint64

from riverboat.array_types import F64, I64, U8, U16, U64
from riverboat.cards.strength_kernels import FLUSH_BITS, Tables, rank_strength, strength_of
from riverboat.random_kernels import GOLDEN, mix

BLOCK = 512
"""Deals judged together: their sums, masks and strengths stay in the first cache."""


class Pieces(NamedTuple):
    """What boards are drawn from: larger pieces (usually three cards, the known ones included) and
    smaller ones (usually two).
    """

    big_sums: U64  # (M,)
    big_masks: U64  # (M,)
    small_sums: U64  # (m,)
    small_masks: U64  # (m,)


class Hands(NamedTuple):
    """What hands are drawn from: player p's are `starts[p]`…`starts[p + 1]`, by weight."""

    starts: I64  # (P + 1,)
    sums: U64  # (H,)
    masks: U64  # (H,)
    thresholds: F64  # (H,) of the alias method
    aliases: I64  # (H,)


class Block(NamedTuple):
    """Deals that are judged together: their cards, and scratch."""

    totals: U64  # (P, B) sums of the keys of each player's seven cards
    masks: U64  # (P, B) their masks
    values: U16  # (P, B)
    best: U16  # (B,)
    winners: U16  # (B,)


@njit(cache=True)
def make_block(num_players: int, size: int) -> Block:
    """Room for `size` deals."""
    return Block(
        np.empty((num_players, size), uint64),
        np.empty((num_players, size), uint64),
        np.empty((num_players, size), uint16),
        np.empty(size, uint16),
        np.empty(size, uint16),
    )


@njit(cache=True)
def judge(num: int | uint64, block: Block, tables: Tables, out: I64) -> None:
    """Count who wins in the first `num` deals of a block.

    Adds to `out` (4, 2^P) by the bits of the winners, in turn to four counters so that one addition
    need not wait for the last. One plain loop for each step keeps them free of branches that cannot
    be foreseen; `winners` first lists flushes.
    """
    totals, masks, values, best, winners = block
    card_keys, displacements, strengths = tables
    for player in range(uint64(totals.shape[0])):
        total, mask, value = totals[player], masks[player], values[player]
        for i in range(uint64(num)):
            value[uint64(i)] = rank_strength(total[uint64(i)], displacements, strengths)
        num_flushes = uint64(0)
        for i in range(uint64(num)):
            winners[num_flushes] = i
            num_flushes += uint64(total[uint64(i)] & uint64(FLUSH_BITS) != 0)
        for j in range(num_flushes):
            at = uint64(winners[uint64(j)])
            value[at] = strength_of(total[at], mask[at], card_keys, displacements, strengths)
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
    deck: U8,
    num_missing: int,
    board_sum: uint64,
    board_mask: uint64,
    hand_sums: U64,
    hand_masks: U64,
    tables: Tables,
    out: I64,
) -> None:
    """Complete a board in every way from `deck` (M,) uint8 and count who wins.

    `hand_sums`, `hand_masks` (P,) uint64; adds to `out` (4, 2^P) as `judge` does. The boards that
    differ in their last card make one block.
    """
    num_players, num_cards = hand_sums.shape[0], deck.shape[0]
    block, card_keys = make_block(num_players, 52), tables.card_keys
    totals, masks = block.totals, block.masks
    depth, last = 0, max(num_missing - 1, 0)
    picks = np.arange(last + 1)
    sums, boards = np.empty(last + 1, uint64), np.empty(last + 1, uint64)
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
            judge(num, block, tables, out)
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
def sample_boards(
    num_samples: int,
    seed: int,
    pieces: Pieces,
    hand_sums: U64,
    hand_masks: U64,
    tables: Tables,
    out: I64,
) -> None:
    """Count who wins on random boards for fixed hands.

    A board is one larger and one smaller piece, drawn again while they overlap. `hand_sums`,
    `hand_masks` (P,) uint64; adds to `out` (4, 2^P) as `judge` does.
    """
    state = uint64(seed)
    num_players = hand_sums.shape[0]
    big_sums, big_masks, small_sums, small_masks = pieces
    num_big, num_small = uint64(big_sums.shape[0]), uint64(small_sums.shape[0])
    boards, board_masks = np.empty(BLOCK, uint64), np.empty(BLOCK, uint64)
    block = make_block(num_players, BLOCK)
    totals, masks = block.totals, block.masks
    done = uint64(0)
    while done < uint64(num_samples):
        num = uint64(0)
        for _ in range(min(uint64(BLOCK), uint64(num_samples) - done)):
            state += GOLDEN
            bits = mix(state)
            i = ((bits >> uint64(32)) * num_big) >> uint64(32)
            j = ((bits & uint64(0xFFFFFFFF)) * num_small) >> uint64(32)
            boards[num] = big_sums[i] + small_sums[j]
            board_masks[num] = big_masks[i] | small_masks[j]
            num += uint64(big_masks[i] & small_masks[j] == 0)
        for player in range(num_players):
            for k in range(num):
                totals[player, uint64(k)] = boards[uint64(k)] + hand_sums[player]
                masks[player, uint64(k)] = board_masks[uint64(k)] | hand_masks[player]
        judge(num, block, tables, out)
        done += num


@njit(cache=True)
def sample_deals(
    num_samples: int,
    max_tries: int,
    seed: int,
    pieces: Pieces,
    hands: Hands,
    tables: Tables,
    out: I64,
) -> int:
    """Like `sample_boards` with hands drawn from ranges; returns how many deals came about.

    Hands that overlap are all drawn again, which leaves the others in proportion; then the board,
    until it fits. Gives up after `max_tries` without one deal.
    """
    state = uint64(seed)
    big_sums, big_masks, small_sums, small_masks = pieces
    starts, hand_sums, hand_masks, thresholds, aliases = hands
    num_players = starts.shape[0] - 1
    num_big, num_small = uint64(big_sums.shape[0]), uint64(small_sums.shape[0])
    picks = np.empty(num_players, uint64)
    block = make_block(num_players, BLOCK)
    totals, masks = block.totals, block.masks
    done, tries = 0, 0
    while done < num_samples and tries < max_tries:
        num, wanted = 0, min(BLOCK, num_samples - done)
        while num < wanted and tries < max_tries:
            used, dealt = uint64(0), 0
            while dealt < num_players:
                state += GOLDEN
                bits = mix(state)
                first = uint64(starts[dealt])
                size = uint64(starts[dealt + 1]) - first
                pick = first + (((bits >> uint64(32)) * size) >> uint64(32))
                if np.float64(bits & uint64(0xFFFFFFFF)) >= thresholds[pick]:
                    pick = uint64(aliases[pick])
                if used & hand_masks[pick]:
                    break
                used |= hand_masks[pick]
                picks[dealt] = pick
                dealt += 1
            if dealt < num_players:
                tries += 1
                continue
            tries = 0
            fits = False
            i, j = uint64(0), uint64(0)
            while not fits:
                state += GOLDEN
                bits = mix(state)
                i = ((bits >> uint64(32)) * num_big) >> uint64(32)
                j = ((bits & uint64(0xFFFFFFFF)) * num_small) >> uint64(32)
                overlap = big_masks[i] & small_masks[j]
                fits = (overlap | (big_masks[i] | small_masks[j]) & used) == 0
            for player in range(num_players):
                pick = picks[player]
                totals[player, num] = big_sums[i] + small_sums[j] + hand_sums[pick]
                masks[player, num] = big_masks[i] | small_masks[j] | hand_masks[pick]
            num += 1
        judge(num, block, tables, out)
        done += num
    return done
