"""Features of a hand on a board as one number, FIELDS of four bits each, the first the highest.

What is made follows from the board and the hand's score alone (its category and deciding ranks),
so on the river a board and a strength suffice; what the hand may still become needs its cards.
`facts` (NUM_FACTS,) int64 holds a board: masks of its ranks there at least once to four times,
masks of ranks of the four suits, then F, P, ToK, S as below.

| field | holds |
|---|---|
| CATEGORY | 0 high card … 8 straight flush |
| MAIN | rank of the pair, trips, quads, of a straight's top; 1 + the hand's own highest rank that plays in a high card or flush, 0 for none |
| SIDE | class of the hand's own first kicker, of two pair the second pair's, of a full house the pair's rank; of a flush how many higher cards are out |
| SECOND | class of the hand's own second kicker |
| SHAPE | how many of the cards that make it are on the board; for straights own cards × 2 + H_S |
| ABOVE | board ranks higher than MAIN, below a straight |
| F, P, TOK, S | most cards of one suit on the board, on the river 0 below three; its pairs; its threes of a kind; how many more than two of its cards fit in one straight |
| FLUSH_DRAW | 0 none, 1 both cards with one on a flop, 2 one card short, 3 with the highest card out |
| STRAIGHT_DRAW | ranks that make a straight, 0 to 2 |
"""  # noqa: E501

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import uint64

from riverboat.cards.isomorphism import canonical_cards
from riverboat.cards.strength import Tables, strength_of_cards
from riverboat.runtime.array_types import I64, U8, U16, U32, U64, Whole
from riverboat.runtime.compiled import njit

CATEGORY, MAIN, SIDE, SECOND, SHAPE, ABOVE, F, P, TOK, S, FLUSH_DRAW, STRAIGHT_DRAW = range(12)
NUM_FIELDS = 12
NUM_FACTS = 12
SUITS, COUNTS = 4, 8  # Where the suits' masks and the numbers F, P, ToK, S begin in `facts`
BACKDOOR, ONE_SHORT, TO_THE_NUTS = 1, 2, 3
HIGH_CARD, PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH = range(9)

_ALL_RANKS = 0x1FFF
_WHEEL = 0b1_0000_0000_1111


@njit(cache=True, nogil=True)
def _size(mask: Whole) -> Any:
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


@njit(cache=True, nogil=True)
def _top(mask: Whole) -> Any:
    """Position of the highest bit, −1 for none."""
    rank = -1
    while mask:
        mask >>= 1
        rank += 1
    return rank


@njit(cache=True, nogil=True)
def rank_class(rank: Whole) -> Any:
    """1 for 2 to 7, 2 for 8 to T, 3 for J and Q, 4 for K, 5 for A; 0 for no card (−1)."""
    if rank < 0:
        return 0
    if rank < 6:
        return 1
    if rank < 9:
        return 2
    return 3 if rank < 11 else rank - 7


@njit(cache=True, nogil=True)
def _straight_ranks(top: Whole) -> Any:
    """The five ranks of a straight; a top of 3 is the one from the ace up."""
    return 0b11111 << (top - 4) if top > 3 else _WHEEL


@njit(cache=True, nogil=True)
def _completing(mask: Whole) -> Any:
    """The ranks that would make `mask` hold a straight, those it has left out."""
    completing = 0
    for top in range(3, 13):
        missing = _straight_ranks(top) & ~mask
        if missing and not missing & (missing - 1):
            completing |= missing
    return completing


@njit(cache=True, nogil=True)
def board_facts(board: U8, facts: I64) -> None:
    """Write the facts of `board` (3…5,) uint8."""
    facts[:] = 0
    num_suited = 0
    for i in range(board.shape[0]):
        bit = 1 << np.int64(board[i] >> 2)
        suit = np.int64(board[i] & 3)
        facts[3] |= facts[2] & bit
        facts[2] |= facts[1] & bit
        facts[1] |= facts[0] & bit
        facts[0] |= bit
        facts[SUITS + suit] |= bit
        num_suited = max(num_suited, _size(facts[SUITS + suit]))
    longest = 2
    for top in range(3, 13):
        longest = max(longest, _size(facts[0] & _straight_ranks(top)))
    # With every card out, one or two of a suit can no longer become a flush.
    facts[COUNTS] = 0 if board.shape[0] == 5 and num_suited < 3 else num_suited
    facts[COUNTS + 1] = _size(facts[1] & ~facts[2])
    facts[COUNTS + 2] = _size(facts[2])
    facts[COUNTS + 3] = longest - 2


@njit(cache=True, nogil=True)
def _on_board(rank: Whole, facts: I64) -> Any:
    """How many cards of a rank the board has."""
    count = 0
    for i in range(4):
        count += (facts[i] >> rank) & 1
    return count


@njit(cache=True, nogil=True)
def _kickers(mask: Whole) -> Any:
    """The fields SIDE and SECOND of the hand's own kickers, packed."""
    first = _top(mask)
    second = _top(mask & ~(1 << first)) if mask else -1
    return rank_class(first) << 4 | rank_class(second)


@njit(cache=True, nogil=True)
def made_code(score: Whole, facts: I64) -> Any:
    """The fields CATEGORY to S of a hand of this score, in place, draws zero."""
    category = np.int64(score >> 20)
    r1, r2, r3 = (score >> 16) & 15, (score >> 12) & 15, (score >> 8) & 15
    r4, r5 = (score >> 4) & 15, score & 15
    main, kickers, shape = r1, 0, 0
    if category == HIGH_CARD:
        own = (1 << r1 | 1 << r2 | 1 << r3 | 1 << r4 | 1 << r5) & ~facts[0]
        main = _top(own) + 1
        kickers = rank_class(_top(own & ~(1 << _top(own)))) << 4 if own else 0
    elif category == PAIR:
        shape = _on_board(r1, facts)
        kickers = _kickers((1 << r2 | 1 << r3 | 1 << r4) & ~facts[0])
    elif category == TWO_PAIR:
        shape = 3 * _on_board(r1, facts) + _on_board(r2, facts)
        kickers = rank_class(r2) << 4 | rank_class(_top(1 << r3 & ~facts[0]))
    elif category == TRIPS:
        shape = _on_board(r1, facts)
        kickers = rank_class(_top((1 << r2 | 1 << r3) & ~facts[0])) << 4
    elif category == STRAIGHT:
        own = _straight_ranks(r1) & ~facts[0]
        shape = 2 * _size(own) + ((own >> r1) & 1)
    elif category == FULL_HOUSE:
        shape = 3 * _on_board(r1, facts) + _on_board(r2, facts)
        kickers = r2 << 4  # type: ignore[assignment]
    elif category == QUADS:
        shape = _on_board(r1, facts)
        kickers = rank_class(_top(1 << r2 & ~facts[0])) << 4 if shape == 4 else 0
    else:
        held = 0
        for suit in range(4):
            if _size(facts[SUITS + suit]) >= 3:
                held = facts[SUITS + suit]
        if category == FLUSH:
            own = (1 << r1 | 1 << r2 | 1 << r3 | 1 << r4 | 1 << r5) & ~held
            shape = _size(own)
            main = _top(own) + 1
            kickers = _size((_ALL_RANKS >> main << main) & ~held) << 4 if own else 0
        else:
            own = _straight_ranks(r1) & ~held
            shape = 2 * _size(own) + ((own >> r1) & 1)
    above = 0
    if category < STRAIGHT:
        rank = main - 1 if category == HIGH_CARD else main
        above = _size(facts[0] >> (rank + 1))
    code = category << 8 | main << 4
    code = (code << 4 | kickers) << 8 | shape << 4 | above
    for i in range(4):
        code = code << 4 | facts[COUNTS + i]
    return code << 8


@njit(cache=True, nogil=True)
def draw_code(first: Whole, second: Whole, category: Whole, size: int, facts: I64) -> Any:
    """The fields FLUSH_DRAW and STRAIGHT_DRAW of two cards on a board of `size` 3 or 4."""
    flush, straight = 0, 0
    if category < FLUSH:
        for card in (first, second):
            suit, bit = np.int64(card & 3), 1 << np.int64(card >> 2)
            other = second if card == first else first
            if np.int64(other & 3) == suit:
                bit |= 1 << np.int64(other >> 2)
            count = _size(bit) + _size(facts[SUITS + suit])
            if count == 4:
                above = _ALL_RANKS >> (_top(bit) + 1) << (_top(bit) + 1)
                nuts = not above & ~facts[SUITS + suit]
                flush = max(flush, TO_THE_NUTS if nuts else ONE_SHORT)
            elif count == 3 and size == 3 and _size(bit) == 2:
                flush = max(flush, BACKDOOR)
    if category < STRAIGHT:
        hand = 1 << np.int64(first >> 2) | 1 << np.int64(second >> 2)
        straight = min(2, _size(_completing(facts[0] | hand) & ~_completing(facts[0])))
    return flush << 4 | straight


@njit(cache=True, nogil=True)
def code_of(cards: U8, tables: Tables, scores: I64, facts: I64) -> Any:
    """The code of `cards` (5…7,) uint8, hand and board; `facts` (NUM_FACTS,) int64 scratch.

    `scores` (7462,) int64 by strength.
    """
    size, (card_keys, displacements, strengths) = cards.shape[0] - 2, tables
    board_facts(cards[2:], facts)
    score = scores[strength_of_cards(cards, card_keys, displacements, strengths)]
    code = made_code(score, facts)
    if size < 5:
        code |= draw_code(cards[0], cards[1], score >> 20, size, facts)
    return code


@njit(cache=True, nogil=True)
def fill_codes(
    start: int, size: int, index_table: U64, tables: Tables, scores: I64, out: I64
) -> None:
    """`code_of` the classes from `start` on of hand and a board of `size` 3 or 4.

    Writes `out` (N,) int64.
    """
    cards, facts = np.empty(2 + size, np.uint8), np.empty(NUM_FACTS, np.int64)
    for i in range(out.shape[0]):
        cards[:] = 255
        canonical_cards(uint64(start + i), index_table, cards)
        out[i] = code_of(cards, tables, scores, facts)


@njit(cache=True, nogil=True)
def fill_river_codes(boards: U8, starts: U32, strengths: U16, scores: I64, out: I64) -> None:
    """Codes of every strength on `boards` (B, 5) uint8; writes `out` from `starts` (B + 1,) on."""
    facts = np.empty(NUM_FACTS, np.int64)
    for b in range(boards.shape[0]):
        board_facts(boards[b], facts)
        for i in range(starts[b], starts[b + 1]):
            out[i] = made_code(scores[strengths[i]], facts)
