"""Deals of given or random hands, judged in blocks; two hands before the flop over all boards.

A choice among n takes 32 random bits times n, which favours none by more than n / 2^32.

The 1,712,304 boards of two hands take some ten thousand steps.
Suits apart, a board is one of 6,175 multisets of five ranks, each standing for a number of boards
that depends only on how many cards of each rank are left. That counts every board by its ranks
alone; boards that give a player a flush were then counted wrongly, and for each suit they are
few enough to be visited and moved from the old result to the true one. How one suit looks from
two hands is a pair of *views*: a hand's two ranks with a mark on those that are of the suit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy import uint16, uint64

from riverboat.cards._strength_kernels import (
    FLUSH_BITS,
    Tables,
    as_flush,
    rank_strength,
    strength_of,
)
from riverboat.runtime.array_types import F64, I64, U8, U16, U64, Bools
from riverboat.runtime.compiled import GOLDEN, mix, njit

BLOCK = 512  # Deals judged together: their sums, masks and strengths stay in the first cache


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
def judge(num_deals: int | uint64, block: Block, tables: Tables, out: I64) -> None:
    """Count who wins in the first `num_deals` deals of a block.

    Adds to `out` (4, 2^P) by the bits of the winners, in turn to four counters so that one addition
    need not wait for the last. One plain loop for each step keeps them free of branches that cannot
    be foreseen; `winners` first lists flushes.
    """
    totals, masks, values, best, winners = block
    card_keys, displacements, strengths = tables
    for player in range(uint64(totals.shape[0])):
        total, mask, value = totals[player], masks[player], values[player]
        for i in range(uint64(num_deals)):
            value[uint64(i)] = rank_strength(total[uint64(i)], displacements, strengths)
        num_flushes = uint64(0)
        for i in range(uint64(num_deals)):
            winners[num_flushes] = i
            num_flushes += uint64(total[uint64(i)] & uint64(FLUSH_BITS) != 0)
        for j in range(num_flushes):
            at = uint64(winners[uint64(j)])
            value[at] = strength_of(total[at], mask[at], card_keys, displacements, strengths)
    for i in range(uint64(num_deals)):
        best[uint64(i)] = values[0, uint64(i)]
        winners[uint64(i)] = 0
    for player in range(uint64(1), uint64(totals.shape[0])):
        for i in range(uint64(num_deals)):
            best[uint64(i)] = max(best[uint64(i)], values[uint64(player), uint64(i)])
    for player in range(uint64(totals.shape[0])):
        for i in range(uint64(num_deals)):
            has_best = values[uint64(player), uint64(i)] == best[uint64(i)]
            winners[uint64(i)] |= uint16(has_best) << uint16(player)
    for i in range(uint64(num_deals)):
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
            num_last = uint64(num_cards - picks[depth]) if num_missing else uint64(1)
            for player in range(num_players):
                for i in range(num_last):
                    key, bit = uint64(0), uint64(0)
                    if num_missing:
                        card = uint64(deck[uint64(picks[depth]) + uint64(i)])
                        key, bit = card_keys[card], uint64(1) << card
                    totals[player, uint64(i)] = sums[depth] + hand_sums[player] + key
                    masks[player, uint64(i)] = boards[depth] | hand_masks[player] | bit
            judge(num_last, block, tables, out)
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
        num_boards = uint64(0)
        for _ in range(min(uint64(BLOCK), uint64(num_samples) - done)):
            state += GOLDEN
            bits = mix(state)
            i = ((bits >> uint64(32)) * num_big) >> uint64(32)
            j = ((bits & uint64(0xFFFFFFFF)) * num_small) >> uint64(32)
            boards[num_boards] = big_sums[i] + small_sums[j]
            board_masks[num_boards] = big_masks[i] | small_masks[j]
            num_boards += uint64(big_masks[i] & small_masks[j] == 0)
        for player in range(num_players):
            for k in range(num_boards):
                totals[player, uint64(k)] = boards[uint64(k)] + hand_sums[player]
                masks[player, uint64(k)] = board_masks[uint64(k)] | hand_masks[player]
        judge(num_boards, block, tables, out)
        done += num_boards


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
        num_deals, wanted = 0, min(BLOCK, num_samples - done)
        while num_deals < wanted and tries < max_tries:
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
                totals[player, num_deals] = big_sums[i] + small_sums[j] + hand_sums[pick]
                masks[player, num_deals] = big_masks[i] | small_masks[j] | hand_masks[pick]
            num_deals += 1
        judge(num_deals, block, tables, out)
        done += num_deals
    return done


class RankBoards(NamedTuple):
    """Boards by their ranks alone."""

    sums: U64  # (6175,) of rank keys
    counts: U64  # (6175,) three bits a rank
    weights: I64  # (6175,) boards of a full deck


class SuitSets(NamedTuple):
    """All sets of 3, then 4, then 5 ranks."""

    masks: U16  # (2288,)
    sums: U64  # (2288,) of rank keys


class Views(NamedTuple):
    """How hands look from a suit."""

    ranks: I64  # (338, 2) low and high rank
    marks: Bools  # (338, 2) whether of the suit


_ENDS = np.array([0, 286, 1001, 2288])
"""Where the sets of three, four and five ranks end among the 2,288."""
_SCALE = 12
_LEFT = np.array(
    [[12 * c // f for c, f in zip(row, (1, 4, 6, 4, 1), strict=True)]
     for row in ([1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 2, 1, 0, 0], [1, 3, 3, 1, 0])]
)  # fmt: skip
"""[left, taken]: twelve times the share of C(4, taken) that C(left, taken) is."""


@njit(cache=True)
def count_by_ranks(first: I64, second: I64, tables: Tables, boards: RankBoards) -> tuple[int, int]:
    """Boards won by the first and tied, ranks alone; `first`, `second` (2,) ranks of the hands."""
    card_keys, displacements, strengths = tables
    board_sums, board_counts, board_weights = boards
    remaining = np.full(13, 4)
    for rank in (first[0], first[1], second[0], second[1]):
        remaining[rank] -= 1
    changed = np.zeros(4, uint64)
    rows = np.full((4, 5), _SCALE)
    num_changed, divisor = 0, _SCALE**4
    for rank in range(13):
        if remaining[rank] < 4:
            changed[num_changed] = 3 * rank
            for taken in range(5):
                rows[num_changed, taken] = _LEFT[remaining[rank], taken]
            num_changed += 1
    sum_first = card_keys[4 * first[0]] + card_keys[4 * first[1]]
    sum_second = card_keys[4 * second[0]] + card_keys[4 * second[1]]
    wins, ties = 0, 0
    s0, s1, s2, s3 = changed[0], changed[1], changed[2], changed[3]
    for board in range(uint64(board_sums.shape[0])):
        i = uint64(board)
        counts = board_counts[i]
        weight = board_weights[i]
        weight *= rows[0, (counts >> s0) & uint64(7)] * rows[1, (counts >> s1) & uint64(7)]
        weight *= rows[2, (counts >> s2) & uint64(7)] * rows[3, (counts >> s3) & uint64(7)]
        mine = rank_strength(board_sums[i] + sum_first, displacements, strengths)
        theirs = rank_strength(board_sums[i] + sum_second, displacements, strengths)
        wins += weight * (mine > theirs)
        ties += weight * (mine == theirs)
    return wins // divisor, ties // divisor


@njit(cache=True)
def count_flush_changes(
    first: I64,
    first_marks: Bools,
    second: I64,
    second_marks: Bools,
    tables: Tables,
    suits: SuitSets,
) -> tuple[int, int]:
    """What one suit's flushes change in the boards won by the first and tied.

    `first`, `second` (2,) ranks; the marks (2,) say which cards are of the suit.
    """
    card_keys, displacements, strengths = tables
    suit_masks, suit_sums = suits
    remaining = np.full(13, 3)
    held, num_first, num_second = 0, 0, 0
    all_first, all_second = uint64(0), uint64(0)
    suited_first, suited_second = uint64(0), uint64(0)
    for j in range(2):
        all_first += card_keys[4 * first[j]]
        all_second += card_keys[4 * second[j]]
        if first_marks[j]:
            suited_first += card_keys[4 * first[j]]
            held |= 1 << first[j]
            num_first += 1
        else:
            remaining[first[j]] -= 1
        if second_marks[j]:
            suited_second += card_keys[4 * second[j]]
            held |= 1 << second[j]
            num_second += 1
        else:
            remaining[second[j]] -= 1
    # The cards of other suits that complete the board: none, one or two ranks, with their number.
    rest_sums, rest_weights = np.zeros(91, uint64), np.zeros(91, np.int64)
    wins, ties = 0, 0
    for size in range(5 - max(num_first, num_second), 6):
        num_rest = _list_rest(5 - size, remaining, card_keys, rest_sums, rest_weights)
        first_has, second_has = num_first + size >= 5, num_second + size >= 5
        for i in range(_ENDS[size - 3], _ENDS[size - 2]):
            if suit_masks[i] & held:
                continue
            base = suit_sums[i]
            flush_first = as_flush(rank_strength(base + suited_first, displacements, strengths))
            flush_second = as_flush(rank_strength(base + suited_second, displacements, strengths))
            for j in range(uint64(num_rest)):
                total, weight = base + rest_sums[uint64(j)], rest_weights[uint64(j)]
                mine = rank_strength(total + all_first, displacements, strengths)
                theirs = rank_strength(total + all_second, displacements, strengths)
                wins -= weight * (mine > theirs)
                ties -= weight * (mine == theirs)
                mine = flush_first if first_has else mine
                theirs = flush_second if second_has else theirs
                wins += weight * (mine > theirs)
                ties += weight * (mine == theirs)
    return wins, ties


@njit(cache=True)
def _list_rest(size: int, remaining: I64, card_keys: U64, sums: U64, weights: I64) -> int:
    """List the multisets of `size` (0…2) ranks of which `left` (13,) are left; writes both."""
    if size == 0:
        sums[0], weights[0] = 0, 1
        return 1
    num_rests = 0
    for high in range(13):
        if size == 1:
            if remaining[high]:
                sums[num_rests], weights[num_rests] = card_keys[4 * high], remaining[high]
                num_rests += 1
            continue
        for low in range(high + 1):
            ways = (
                remaining[high] * remaining[low]
                if low < high
                else remaining[high] * (remaining[high] - 1) // 2
            )
            if ways:
                sums[num_rests], weights[num_rests] = card_keys[4 * high] + card_keys[4 * low], ways
                num_rests += 1
    return num_rests


@njit(cache=True)
def _flush_changes_of(
    mine: int, theirs: int, views: Views, tables: Tables, suits: SuitSets
) -> tuple[int, int]:
    """`count_flush_changes` of two views of a suit."""
    ranks, marks = views.ranks, views.marks
    return count_flush_changes(
        ranks[mine], marks[mine], ranks[theirs], marks[theirs], tables, suits
    )


@njit(cache=True)
def count_pair(
    views_first: I64, views_second: I64, views: Views, tables: Tables, boards: RankBoards,
    suits: SuitSets,
) -> tuple[int, int]:  # fmt: skip
    """Boards won by the first hand and tied; `views_*` (4,) are the hands' views of each suit."""
    wins, ties = count_by_ranks(
        views.ranks[views_first[0]], views.ranks[views_second[0]], tables, boards
    )
    for suit in range(4):
        mine, theirs = views_first[suit], views_second[suit]
        repeats, seen = 0, False
        for other in range(4):
            same = views_first[other] == mine and views_second[other] == theirs
            seen = seen or (same and other < suit)
            repeats += same
        if seen:
            continue
        more_wins, more_ties = _flush_changes_of(mine, theirs, views, tables, suits)
        wins += repeats * more_wins
        ties += repeats * more_ties
    return wins, ties


@njit(cache=True)
def fill_flush_changes(
    wanted: I64, views: Views, tables: Tables, suits: SuitSets, out: I64
) -> None:
    """`count_flush_changes` of the pairs of views in `wanted` (N, 2); writes `out` (N, 2)."""
    for i in range(wanted.shape[0]):
        mine, theirs = wanted[i]
        out[i] = _flush_changes_of(mine, theirs, views, tables, suits)


@njit(cache=True)
def fill_rank_counts(
    wanted: I64, views: Views, tables: Tables, boards: RankBoards, out: I64
) -> None:
    """`count_by_ranks` of the pairs of views in `wanted` (N, 2); writes `out` (N, 2)."""
    for i in range(wanted.shape[0]):
        mine, theirs = wanted[i]
        out[i] = count_by_ranks(views.ranks[mine], views.ranks[theirs], tables, boards)
