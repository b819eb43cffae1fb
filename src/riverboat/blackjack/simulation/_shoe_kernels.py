"""Blackjack dealt by the million: many tables in step, one automaton, one byte shoe each.

The rules, the chart and the deviations are compiled into look-up tables (automaton.py);
nothing here knows a rule. All tables of a block do the same thing at the same time: deal, then
every table that draws draws, and those that draw again are kept in a shorter and shorter list.
So hardly a branch depends on a card, and branches that do are what makes a simulator slow.

Shoes are shuffled lazily, one Fisher–Yates step a card, one byte a card; a shoe that is played out
is already the permutation to shuffle next. Random words come from SplitMix64 read at consecutive
counters, so a block's cards depend on its first counter alone.

Shapes: S states, L levels, B bins of the count, C classes of finished hands, N cards in a shoe,
W running counts, T tables. A state, row or class is numbered by where its 16 columns begin.

    nexts   [S*16] uint16   the state after drawing a rank; the first 13 are hands of one card
    answer  [L*S*16] uint16 by level, state and up rank: a row to draw from, SPLIT, or a class
    dealer  [D*16] uint16   the dealer's row after drawing a rank, or DEALER_DONE plus a class
    pay     [C*16] int64    a class's result in tenths of the bet against a dealer's class; in
                            column 15 whether it makes the dealer draw
    ranks   [5*16] uint64   by rank: how far a card that is seen and one that is not move WHERE
                            (two's complement); the hands a pair may become; the rows of half a
                            pair that may not and may be split again
    bins    [(N+1)*W] uint8 the count's bin by cards dealt and running count
    levels  [2*B] uint64    where in `answer` the player (first half) and the others look
    insure  [B] uint8       whether the player insures
    cards   [T*N] uint8     the shoes, permuted in place
    on      [(FIELDS+2*seats)*LANES] uint32  what lies on the tables
    words   […] uint32      random words for one pass over the tables
    classes [(LANES+1)*C] uint64  how the player's split hands ended; the last row, the others'
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from riverboat.blackjack.simulation.automaton import DEALER_DONE, SPLIT, TERMINAL
from riverboat.runtime.array_types import I64, U8, U16, U32, U64
from riverboat.runtime.compiled import GOLDEN, mix, njit

Number: TypeAlias = Any  # A uint64; to mypy, range() counts in ints

U = np.uint64
LANES = U(128)  # The most tables of a block

# Where the rows of `on` begin. WHERE is the index into `bins`, cards dealt times W plus count.
DEALT, WHERE, START, START_WHERE, UP, HOLE, DEALER, BIN, INSURED, LIVE, CODE, OUTCOME, QUEUE = (
    LANES * U(row) for row in range(13)
)
FIELDS = U(13)  # After these come each seat's first card and then each seat's second

_ZERO, _ONE, _TWO, _S32 = U(0), U(1), U(2), U(32)


class Setup(NamedTuple):
    """The numbers of a run."""

    size: np.uint64  # N
    step: np.uint64  # 1, or 0 for the infinite deck, whose 13 cards stay
    cut: np.uint64  # A shoe is shuffled before a round once this many cards are out
    first_count: np.uint64  # The running count of a fresh shoe, as an index below W
    width: np.uint64  # W
    mask: np.uint64  # 2**32 - 1, or 0 for shoes dealt in the order they are in
    seats: np.uint64
    seat: np.uint64  # Which seat is the player's
    natural: np.uint64  # The dealer's code of a natural
    unplayed: np.uint64  # The class that stands for a dealer who need not draw
    peek: bool  # There is a hole card and the dealer looks at it
    whole: bool  # Every table plays on to the end of its shoe; never so with the infinite deck


@njit(cache=True)
def fill(words: U32, num_words: Number, counter: Number, mask: Number) -> Number:
    """Write at least `num_words` words from `counter` on; the next unused counter."""
    pairs = (num_words + _ONE) >> _ONE
    for i in range(pairs):
        word = mix(counter + GOLDEN * i)
        words[_TWO * i] = np.uint32(word & mask)
        words[_TWO * i + _ONE] = np.uint32((word >> _S32) & mask)
    return counter + GOLDEN * pairs


@njit(cache=True)
def _take(cards: U8, base: Number, dealt: Number, size: Number, word: Number) -> Number:
    """Swap a random undealt card to the front of the undealt ones and return its rank."""
    here = base + dealt
    there = here + ((U(word) * (size - dealt)) >> _S32)
    rank = cards[there]
    cards[there] = cards[here]
    cards[here] = rank
    return U(rank)


@njit(cache=True)
def _reverse(cards: U8, low: Number, high: Number) -> None:
    while low + _ONE < high:
        high -= _ONE
        cards[low], cards[high] = cards[high], cards[low]
        low += _ONE


@njit(cache=True)
def _refill(setup: Setup, cards: U8, on: U32, t: Number) -> None:
    """The shoe ran out in a round: the discards are shuffled and dealt, what lies stays.

    Where there are no discards, the round took the whole shoe and all of it is shuffled.
    """
    size, start = setup.size, U(on[START + t])
    _reverse(cards, t * size, t * size + start)
    _reverse(cards, t * size + start, (t + _ONE) * size)
    _reverse(cards, t * size, (t + _ONE) * size)
    dealt = size - start if start > _ZERO else _ZERO
    seen = U(on[WHERE + t]) - U(on[START_WHERE + t]) - (size - start) * setup.width
    on[DEALT + t], on[START + t] = dealt, _ZERO
    on[WHERE + t] = dealt * setup.width + setup.first_count + seen
    on[START_WHERE + t] = setup.first_count


@njit(cache=True)
def draw(setup: Setup, ranks: U64, cards: U8, on: U32, t: Number, word: Number) -> Number:
    """The next card of a table, face up."""
    if on[DEALT + t] >= setup.size:
        _refill(setup, cards, on, t)
    dealt = U(on[DEALT + t])
    rank = _take(cards, t * setup.size, dealt, setup.size, word)
    on[DEALT + t] = dealt + setup.step
    on[WHERE + t] += ranks[rank]
    return rank


@njit(cache=True)
def unfinished(setup: Setup, cards: U8, on: U32, tables: Number) -> Number:
    """Move the tables whose shoe is not at the cut card to the front; how many those are."""
    t = _ZERO
    while t < tables:
        if on[DEALT + t] < setup.cut:
            t += _ONE
            continue
        tables -= _ONE
        on[DEALT + t], on[WHERE + t] = on[DEALT + tables], on[WHERE + tables]
        for i in range(setup.size):
            cards[t * setup.size + i] = cards[tables * setup.size + i]
    return tables


@njit(cache=True)
def deal_row(
    setup: Setup, moves: U64, cards: U8, on: U32, words: U32, tables: Number, row: Number
) -> None:
    """A card for every table, written into `row` of `on`; words are taken from the front."""
    size, step = setup.size, setup.step
    for t in range(tables):
        dealt = U(on[DEALT + t])
        rank = _take(cards, t * size, dealt, size, words[t])
        on[DEALT + t] = dealt + step
        on[WHERE + t] += moves[rank]
        on[row + t] = rank


_CONTESTS, _SIXTEEN = U(15), U(16)
_HIDDEN, _LIMIT, _HALF = U(16), U(32), U(48)


@njit(cache=True)
def _deal(
    setup: Setup,
    dealer: U16,
    ranks: U64,
    bins: U8,
    insure: U8,
    cards: U8,
    on: U32,
    words: U32,
    tables: Number,
) -> None:
    """Two cards to every seat, up card and hole card, at every table."""
    seats = setup.seats
    for t in range(tables):
        if on[DEALT + t] >= setup.cut:
            on[DEALT + t], on[WHERE + t] = _ZERO, setup.first_count
        on[START + t], on[START_WHERE + t] = on[DEALT + t], on[WHERE + t]
        on[BIN + t] = bins[U(on[WHERE + t])]
        on[LIVE + t] = _ZERO
    for k in range(seats):
        deal_row(setup, ranks, cards, on, words[k * tables :], tables, LANES * (FIELDS + k))
    deal_row(setup, ranks, cards, on, words[seats * tables :], tables, UP)
    for k in range(seats, _TWO * seats):
        deal_row(
            setup, ranks, cards, on, words[(k + _ONE) * tables :], tables, LANES * (FIELDS + k)
        )
    for t in range(tables):
        up = U(on[UP + t])
        on[DEALER + t] = up * _SIXTEEN
        on[INSURED + t] = U(up == _ZERO) & U(insure[bins[U(on[WHERE + t])]])
    if setup.peek:
        last = words[(_TWO * seats + _ONE) * tables :]
        deal_row(setup, ranks[_HIDDEN:], cards, on, last, tables, HOLE)
        for t in range(tables):
            on[DEALER + t] = dealer[U(on[DEALER + t]) + U(on[HOLE + t])]


@njit(cache=True)
def _answer(answer: U16, bins: U8, levels: U64, on: U32, t: Number, state: Number) -> Number:
    return U(answer[levels[bins[U(on[WHERE + t])]] + state + U(on[UP + t])])


@njit(cache=True)
def _split(
    setup: Setup,
    nexts: U16,
    answer: U16,
    pay: I64,
    ranks: U64,
    bins: U8,
    levels: U64,
    cards: U8,
    on: U32,
    t: Number,
    rank: Number,
    counter: Number,
    classes: U64,
) -> Number:
    """Play a split pair hand by hand; `classes` [C] counts how they end."""
    limit = ranks[_LIMIT + rank]
    hands, waiting = _TWO, _TWO
    classes[:] = _ZERO
    while waiting > _ZERO:
        waiting -= _ONE
        code = ranks[_HALF + U(hands < limit) * _SIXTEEN + rank]
        while code < TERMINAL:
            word = (mix(counter) >> _S32) & setup.mask
            counter += GOLDEN
            drawn = draw(setup, ranks, cards, on, t, word)
            code = _answer(answer, bins, levels, on, t, U(nexts[code + drawn]))
        if code == SPLIT:
            hands += _ONE
            waiting += _TWO
        else:
            final = code - TERMINAL
            classes[final // _SIXTEEN] += _ONE
            on[LIVE + t] |= pay[final + _CONTESTS]
    return counter


@njit(cache=True)
def _play_seat(
    setup: Setup,
    nexts: U16,
    answer: U16,
    pay: I64,
    ranks: U64,
    bins: U8,
    levels: U64,
    cards: U8,
    on: U32,
    words: U32,
    classes: U64,
    tables: Number,
    seat: Number,
    counter: Number,
) -> Number:
    """One seat's turn at every table; leaves codes in `on`, and split hands in `classes`."""
    first, second = LANES * (FIELDS + seat), LANES * (FIELDS + setup.seats + seat)
    waiting = _ZERO
    for t in range(tables):
        state = U(nexts[U(on[first + t]) * _SIXTEEN + U(on[second + t])])
        code = _answer(answer, bins, levels, on, t, state)
        if on[DEALER + t] == setup.natural and (code < TERMINAL or code == SPLIT):
            code = TERMINAL
        on[CODE + t] = code
        on[QUEUE + waiting] = t
        waiting += U(code < TERMINAL)
    while waiting > _ZERO:
        counter = fill(words, waiting, counter, setup.mask)
        kept = _ZERO
        for i in range(waiting):
            table = U(on[QUEUE + i])
            drawn = draw(setup, ranks, cards, on, table, words[i])
            state = U(nexts[U(on[CODE + table]) + drawn])
            code = _answer(answer, bins, levels, on, table, state)
            on[CODE + table] = code
            on[QUEUE + kept] = table
            kept += U(code < TERMINAL)
        waiting = kept
    num_classes = U(pay.size) // _SIXTEEN
    for t in range(tables):
        code = U(on[CODE + t])
        if code != SPLIT:
            on[LIVE + t] |= pay[code - TERMINAL + _CONTESTS]
            continue
        row = t if seat == setup.seat else LANES
        own = classes[row * num_classes : (row + _ONE) * num_classes]
        rank = U(on[first + t])
        counter = _split(
            setup, nexts, answer, pay, ranks, bins, levels, cards, on, t, rank, counter, own
        )
    return counter


@njit(cache=True)
def _play_dealer(
    setup: Setup,
    dealer: U16,
    ranks: U64,
    cards: U8,
    on: U32,
    words: U32,
    tables: Number,
    counter: Number,
) -> Number:
    """The hole card is shown, or dealt where it is still to come; then the draws."""
    waiting = _ZERO
    if not setup.peek:
        counter = fill(words, tables, counter, setup.mask)
    for t in range(tables):
        if setup.peek:
            rank = U(on[HOLE + t])
            on[WHERE + t] += ranks[rank] - ranks[_HIDDEN + rank]
        else:
            drawn = draw(setup, ranks, cards, on, t, words[t])
            on[DEALER + t] = dealer[U(on[DEALER + t]) + drawn]
        on[QUEUE + waiting] = t
        waiting += U(on[LIVE + t]) & U(on[DEALER + t] < DEALER_DONE)
    while waiting > _ZERO:
        counter = fill(words, waiting, counter, setup.mask)
        kept = _ZERO
        for i in range(waiting):
            table = U(on[QUEUE + i])
            drawn = draw(setup, ranks, cards, on, table, words[i])
            code = U(dealer[U(on[DEALER + table]) + drawn])
            on[DEALER + table] = code
            on[QUEUE + kept] = table
            kept += U(code < DEALER_DONE)
        waiting = kept
    return counter


@njit(cache=True)
def _settle(
    setup: Setup, pay: I64, on: U32, classes: U64, tables: Number, counts: I64, width: Number
) -> None:
    """Count each table's result in `counts` [B*width]."""
    num_classes = U(pay.size) // _SIXTEEN
    middle = width >> _ONE
    for t in range(tables):
        code, dealer = U(on[OUTCOME + t]), U(on[DEALER + t])
        final = dealer - DEALER_DONE if dealer >= DEALER_DONE else setup.unplayed
        if code != SPLIT:
            result = pay[code - TERMINAL + final]
        else:
            result = np.int64(0)
            for c in range(num_classes):
                hands = np.int64(classes[t * num_classes + c])
                result += hands * pay[c * _SIXTEEN + final]
        if on[INSURED + t]:
            result += np.int64(10) if dealer == setup.natural else np.int64(-5)
        counts[U(on[BIN + t]) * width + middle + U(result)] += 1


@njit(cache=True, nogil=True)
def play_block(
    setup: Setup,
    nexts: U16,
    answer: U16,
    dealer: U16,
    pay: I64,
    ranks: U64,
    bins: U8,
    levels: U64,
    insure: U8,
    cards: U8,
    rounds: Number,
    counter: Number,
    histogram: I64,
) -> U32:
    """Play `rounds` rounds, spread over T ≤ LANES tables that each begin with a fresh shoe.

    With `setup.whole` each table then plays on until its shoe is at the cut card. A fixed number of
    rounds would leave out the ends of last shoes, where high counts are; whole shoes, stopped
    by a rule that does not look ahead, have the right mean (Wald's identity).

    `histogram` [B, width] int64 is added to: results in tenths of the bet, nothing won in the
    middle, by the bin in which the bet was made. Returns how many cards of each shoe are out.
    """
    tables = U(cards.size) // setup.size
    deals = _TWO * setup.seats + _TWO
    on = np.zeros((FIELDS + _TWO * setup.seats) * LANES, np.uint32)
    on[WHERE : WHERE + LANES] = setup.first_count
    words = np.zeros(LANES * deals + _TWO, np.uint32)
    classes = np.zeros((LANES + _ONE) * (U(pay.size) // _SIXTEEN), np.uint64)
    width, counts = U(histogram.shape[1]), histogram.ravel()
    others = levels[insure.size :]
    active = tables
    while rounds > _ZERO:
        now = min(rounds, active)
        counter = fill(words, now * deals, counter, setup.mask)
        _deal(setup, dealer, ranks, bins, insure, cards, on, words, now)
        for seat in range(setup.seats):
            own = levels if seat == setup.seat else others
            counter = _play_seat(
                setup, nexts, answer, pay, ranks, bins, own, cards, on, words, classes, now, seat,
                counter,
            )  # fmt: skip
            if seat == setup.seat:
                on[OUTCOME : OUTCOME + LANES] = on[CODE : CODE + LANES]
        counter = _play_dealer(setup, dealer, ranks, cards, on, words, now, counter)
        _settle(setup, pay, on, classes, now, counts, width)
        rounds -= now
        if rounds == _ZERO and setup.whole:
            active = unfinished(setup, cards, on, active)
            rounds = active
    return on[DEALT : DEALT + tables].copy()
