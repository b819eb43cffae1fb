"""Blackjack dealt by the million: many tables in step, one automaton, one byte shoe each.

The rules, the chart and the deviations are compiled into look-up tables (blackjack_automaton);
nothing here knows a rule. All tables of a block do the same thing at the same time: deal, then
every table that draws draws, and those that draw again are kept in a shorter and shorter list.
So no branch depends on a card, which is what makes a simulator slow.

Shoes are shuffled lazily, one Fisher–Yates step a card; a shoe that is played out is already the
permutation to shuffle next. Random words come from SplitMix64 read at consecutive counters, so a
block's cards depend on its first counter alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

__all__ = ["SPLIT", "TERMINAL", "WORDS_PER_BLOCK", "Automaton", "Shoes", "play_block"]

U = np.uint64
SPLIT = U(0xFFFF)
"""The code of "split" among the automaton's answers."""
TERMINAL = U(0x8000)
"""Codes from here on are a hand's final class (plus this), those below are rows to draw from."""
DEALER_DONE = U(0x80)
"""The same for the dealer's automaton."""
UNPLAYED = U(8)
"""The dealer's class when nobody stayed to contest."""
WORDS_PER_BLOCK = U(1 << 40)
"""Counters reserved for a block."""

_GAMMA = U(0x9E3779B97F4A7C15)
_MIX_1 = U(0xBF58476D1CE4E5B9)
_MIX_2 = U(0x94D049BB133111EB)
_ZERO, _ONE, _TWO, _SIXTEEN = U(0), U(1), U(2), U(16)
_S27, _S30, _S31, _S32 = U(27), U(30), U(31), U(32)


class Automaton(NamedTuple):
    """The game as tables; S states, L levels, B count bins, N cards, W running counts."""

    next: Any
    """[S*16] uint16: the state after drawing a rank; states 0…12 are hands of one card."""
    answer: Any
    """[L*S*16] uint16: by level, state and up rank, a row to draw from, SPLIT or a class."""
    split_row: Any
    """[26] uint64: by rank and whether another split is allowed, the row of half a pair."""
    split_limit: Any
    """[13] uint64: hands a pair of that rank may become."""
    dealer: Any
    """[D*16] uint8: the dealer's row after drawing a rank, or DEALER_DONE plus a class."""
    contests: Any
    """[C] uint64: 1 for a class that makes the dealer draw."""
    survives_peek: Any
    """[C] uint8: whether the class is settled as it stands when the dealer shows a natural."""
    pay: Any
    """[C*16] int64: a class's result in tenths of the bet against a dealer's class."""
    dealer_natural: Any
    """uint64: the dealer's code of a natural."""
    tags: Any
    """[13] uint64: what a seen rank adds to the running count (two's complement)."""
    bins: Any
    """[(N+1)*W] uint8: the count's bin by cards dealt and running count."""
    levels: Any
    """[2*B] uint64: the level at which the player (first half) and the others act."""
    insure: Any
    """[B] uint8: whether the player insures."""


class Shoes(NamedTuple):
    """How the tables of a block are dealt."""

    cards: Any
    """[T*N] uint8: T shoes of N ranks, permuted in place."""
    size: Any
    """uint64: N."""
    step: Any
    """uint64: 1, or 0 for the infinite deck, whose 13 cards stay."""
    cut: Any
    """uint64: a shoe is shuffled before a round once this many cards are out."""
    first_count: Any
    """uint64: the running count of a fresh shoe, as an index below W."""
    width: Any
    """uint64: W."""
    mask: Any
    """uint64: 2**32 - 1, or 0 for shoes dealt in the order they are in."""
    peek: Any
    """bool: the dealer has a hole card and looks at it."""
    seats: Any
    """uint64: hands dealt at a table."""
    seat: Any
    """uint64: which of them is the player's."""


class _Round(NamedTuple):
    """What is on the tables, [T] each unless said otherwise."""

    dealt: Any
    count: Any
    start: Any
    start_count: Any
    up: Any
    hole: Any
    house: Any
    """The dealer's row or code."""
    bin: Any
    insured: Any
    live: Any
    """Whether some hand contests."""
    first: Any
    """[T*seats]: first cards."""
    state: Any
    """[T*seats]: two-card states."""
    code: Any
    """The acting seat's code."""
    outcome: Any
    """The player's code."""
    classes: Any
    """[T*C]: how many of the player's split hands ended in each class."""
    queue: Any
    words: Any
    """[…] uint32: random words for one pass over the tables."""


@njit(cache=True)
def _mix(z):
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return z ^ (z >> _S31)


@njit(cache=True)
def _fill(words, num, counter, mask):
    """Write at least `num` words from `counter` on; the next unused counter."""
    pairs = (num + _ONE) >> _ONE
    for i in range(pairs):
        word = _mix(counter + _GAMMA * i)
        words[_TWO * i] = np.uint32(word & mask)
        words[_TWO * i + _ONE] = np.uint32((word >> _S32) & mask)
    return counter + _GAMMA * pairs


@njit(cache=True)
def _take(cards, base, dealt, size, word):
    """Swap a random undealt card to the front of the undealt ones and return its rank."""
    here = base + dealt
    there = here + ((U(word) * (size - dealt)) >> _S32)
    rank = cards[there]
    cards[there] = cards[here]
    cards[here] = rank
    return U(rank)


@njit(cache=True)
def _refill(shoes, table, on):
    """The shoe ran out in a round: the discards are shuffled and dealt, what lies stays."""
    size, start = shoes.size, on.start[table]
    if start == _ZERO:
        on.dealt[table] = _ZERO
        return
    shoe = shoes.cards[table * size : (table + _ONE) * size]
    lying = shoe[start:].copy()
    shoe[size - start :] = shoe[:start].copy()
    shoe[: size - start] = lying
    on.dealt[table] = size - start
    on.start[table] = _ZERO
    on.count[table] += shoes.first_count - on.start_count[table]
    on.start_count[table] = shoes.first_count


@njit(cache=True)
def _draw(shoes, table, on, word):
    if on.dealt[table] >= shoes.size:
        _refill(shoes, table, on)
    dealt = on.dealt[table]
    rank = _take(shoes.cards, table * shoes.size, dealt, shoes.size, word)
    on.dealt[table] = dealt + shoes.step
    return rank


@njit(cache=True)
def _deal(game, shoes, on, tables):
    """Two cards to every seat, up card and hole card, at every table."""
    seats, size, step = shoes.seats, shoes.size, shoes.step
    per_table = _TWO * seats + _TWO
    for t in range(tables):
        base, word = t * size, t * per_table
        dealt, count = on.dealt[t], on.count[t]
        if dealt >= shoes.cut:
            dealt, count = _ZERO, shoes.first_count
        on.start[t], on.start_count[t] = dealt, count
        on.bin[t] = game.bins[dealt * shoes.width + count]
        for s in range(t * seats, t * seats + seats):
            rank = _take(shoes.cards, base, dealt, size, on.words[word])
            dealt, word, count = dealt + step, word + _ONE, count + game.tags[rank]
            on.first[s] = rank
        up = _take(shoes.cards, base, dealt, size, on.words[word])
        dealt, word, count = dealt + step, word + _ONE, count + game.tags[up]
        for s in range(t * seats, t * seats + seats):
            rank = _take(shoes.cards, base, dealt, size, on.words[word])
            dealt, word, count = dealt + step, word + _ONE, count + game.tags[rank]
            on.state[s] = game.next[on.first[s] * _SIXTEEN + rank]
        house = up
        if shoes.peek:
            hole = _take(shoes.cards, base, dealt, size, on.words[word])
            dealt += step
            on.hole[t] = hole
            house = U(game.dealer[up * _SIXTEEN + hole])
        on.dealt[t], on.count[t], on.up[t], on.house[t] = dealt, count, up, house
        on.live[t] = _ZERO
        insured = _ZERO
        if up == _ZERO:
            insured = U(game.insure[game.bins[dealt * shoes.width + count]])
        on.insured[t] = insured


@njit(cache=True)
def _answer(game, shoes, on, table, state, others):
    where = on.dealt[table] * shoes.width + on.count[table]
    level = game.levels[others + game.bins[where]]
    states = U(game.next.size)
    return U(game.answer[level * states + state * _SIXTEEN + on.up[table]])


@njit(cache=True)
def _split(game, shoes, on, table, rank, others, counter, classes):
    """Play a split pair hand by hand; `classes` [C] counts how they end."""
    limit = game.split_limit[rank]
    hands, waiting = _TWO, _TWO
    while waiting > _ZERO:
        waiting -= _ONE
        code = game.split_row[_TWO * rank + U(hands < limit)]
        while code < TERMINAL:
            drawn = _draw(shoes, table, on, _mix(counter) & shoes.mask)
            counter += _GAMMA
            on.count[table] += game.tags[drawn]
            state = U(game.next[code * _SIXTEEN + drawn])
            code = _answer(game, shoes, on, table, state, others)
        if code == SPLIT:
            hands += _ONE
            waiting += _TWO
        else:
            classes[code - TERMINAL] += _ONE
            on.live[table] |= game.contests[code - TERMINAL]
    return counter


@njit(cache=True)
def _play_seat(game, shoes, on, tables, seat, counter):
    """One seat's turn at every table; leaves the codes of the hands that were not split."""
    others = U(game.insure.size) if seat != shoes.seat else _ZERO
    waiting = _ZERO
    for t in range(tables):
        code = _answer(game, shoes, on, t, U(on.state[t * shoes.seats + seat]), others)
        if on.house[t] == game.dealer_natural and (
            code < TERMINAL or code == SPLIT or not game.survives_peek[code - TERMINAL]
        ):
            code = TERMINAL
        on.code[t] = code
        on.queue[waiting] = t
        waiting += U(code < TERMINAL)
    while waiting > _ZERO:
        counter = _fill(on.words, waiting, counter, shoes.mask)
        kept = _ZERO
        for i in range(waiting):
            t = on.queue[i]
            drawn = _draw(shoes, t, on, on.words[i])
            on.count[t] += game.tags[drawn]
            state = U(game.next[on.code[t] * _SIXTEEN + drawn])
            code = _answer(game, shoes, on, t, state, others)
            on.code[t] = code
            on.queue[kept] = t
            kept += U(code < TERMINAL)
        waiting = kept
    num_classes = U(game.contests.size)
    for t in range(tables):
        code = on.code[t]
        if code == SPLIT:
            classes = on.classes[t * num_classes : (t + _ONE) * num_classes]
            classes[:] = _ZERO
            rank = on.first[t * shoes.seats + seat]
            counter = _split(game, shoes, on, t, rank, others, counter, classes)
        else:
            on.live[t] |= game.contests[code - TERMINAL]
    return counter


@njit(cache=True)
def _play_dealer(game, shoes, on, tables, counter):
    """The dealer's second card where it is still to come, then the draws."""
    if not shoes.peek:
        counter = _fill(on.words, tables, counter, shoes.mask)
        for t in range(tables):
            drawn = _draw(shoes, t, on, on.words[t])
            on.hole[t] = drawn
            on.house[t] = game.dealer[on.up[t] * _SIXTEEN + drawn]
    waiting = _ZERO
    for t in range(tables):
        on.count[t] += game.tags[on.hole[t]]
        on.queue[waiting] = t
        waiting += on.live[t] & U(on.house[t] < DEALER_DONE)
    while waiting > _ZERO:
        counter = _fill(on.words, waiting, counter, shoes.mask)
        kept = _ZERO
        for i in range(waiting):
            t = on.queue[i]
            drawn = _draw(shoes, t, on, on.words[i])
            on.count[t] += game.tags[drawn]
            house = U(game.dealer[on.house[t] * _SIXTEEN + drawn])
            on.house[t] = house
            on.queue[kept] = t
            kept += U(house < DEALER_DONE)
        waiting = kept
    return counter


@njit(cache=True)
def _settle(game, on, tables, histogram, width, zero):
    """Count each table's result."""
    num_classes = U(game.contests.size)
    for t in range(tables):
        house = on.house[t]
        final = house - DEALER_DONE if house >= DEALER_DONE else UNPLAYED
        result = np.int64(0)
        if on.outcome[t] == SPLIT:
            for c in range(num_classes):
                hands = np.int64(on.classes[t * num_classes + c])
                result += hands * game.pay[c * _SIXTEEN + final]
        else:
            result = game.pay[(on.outcome[t] - TERMINAL) * _SIXTEEN + final]
        if on.insured[t]:
            result += np.int64(10) if house == game.dealer_natural else np.int64(-5)
        histogram[on.bin[t] * width + U(zero + result)] += 1


@njit(cache=True)
def _tables(tables, shoes, num_classes):
    def lane(num):
        return np.zeros(num, np.uint64)

    hands = tables * shoes.seats
    words = tables * (_TWO * shoes.seats + _TWO) + _TWO
    return _Round(
        lane(tables), np.full(tables, shoes.first_count), lane(tables), lane(tables),
        lane(tables), lane(tables), lane(tables), lane(tables), lane(tables), lane(tables),
        lane(hands), lane(hands), lane(tables), lane(tables), lane(tables * num_classes),
        lane(tables), np.zeros(words, np.uint32),
    )  # fmt: skip


@njit(cache=True, nogil=True)
def play_block(game, shoes, rounds, tables, counter, histogram, width, zero, cards_out):
    """Play `rounds` rounds, spread over `tables` tables that each begin with a fresh shoe.

    `histogram` [B*width] int64 counts in place: the results, in tenths of the bet and `zero`
    for nothing won, by the bin in which the bet was made. `cards_out` [T] takes how many cards
    of each shoe are dealt at the end.
    """
    on = _tables(tables, shoes, U(game.contests.size))
    left = rounds
    while left > _ZERO:
        now = min(left, tables)
        counter = _fill(on.words, now * (_TWO * shoes.seats + _TWO), counter, shoes.mask)
        _deal(game, shoes, on, now)
        for seat in range(shoes.seats):
            counter = _play_seat(game, shoes, on, now, seat, counter)
            if seat == shoes.seat:
                on.outcome[:] = on.code
        counter = _play_dealer(game, shoes, on, now, counter)
        _settle(game, on, now, histogram, width, zero)
        left -= now
    cards_out[:] = on.dealt
