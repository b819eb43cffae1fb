"""Many blackjack tables with one seat each, stepped by the actions of a learner.

The rules are in look-up tables, from the simulation's automaton with every open action; nothing
here knows a rule. A table plays on by itself until its seat must decide or the round is over.
A round that is decided by the deal (a natural) still asks once, with standing as the only choice,
so that every round has a reward.

Shapes: T tables, N cards in a shoe, S states, C classes of finished hands. A row is numbered by
where its 16 columns begin, a state by its row divided by 16.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from riverboat.runtime.array_types import F32, F64, I8, I16, I64, U8, U16, U64, Bools
from riverboat.runtime.compiled import GOLDEN, mix, njit

PLAY, PEEK, OVER = 0, 1, 2
"""Stages: a hand to play, an answer before the dealer looks, a round that the deal decided."""
TERMINAL, SPLIT = 0x8000, 0xFFFF
"""Codes of the automaton: a class of finished hands from here on; split."""
NONE = 0x7FFF  # The code of an action that is not open
STAND, HIT, DOUBLE, PAIR, SURRENDER, INSURE, DECLINE = range(7)


class Tables(NamedTuple):
    """The rules as look-up tables, shared by all tables."""

    nexts: U16  # [S*16] the row after drawing a rank
    codes: U16
    """[S*10*5] by state, up card and action: a row to draw from, SPLIT, a class, or NONE."""
    menus: I8
    """[(S+3)*10*7] by state and up card: 1 for the actions open while the hand is played; then
    those before the dealer looks, of a hand, of a natural, and those when the deal decided."""
    forced: U16  # [S*10] the only code where there is nothing to decide, else NONE
    facts: F32  # [S*4] total, soft, pair, cards
    dealer: U16
    """[D*16] the dealer's row after drawing a rank, or TERMINAL plus a class."""
    pay: I64
    """[C*16] tenths of the bet against the dealer's class; column 15: must the dealer draw?."""
    limits: I64
    """[3*16] by rank: hands a pair may become, row of half a pair that stays, that may split."""
    early: U8  # [10] by up card: whether surrender is asked before the dealer looks
    numbers: I64
    """[6] peek, insurance, the dealer's natural, the dealer's class without drawing, cut, step."""
    tags: F64  # [10] what each card adds to the count


class Seats(NamedTuple):
    """What lies on the tables."""

    cards: U8  # [T, N] shoes, ranks 0…12, permuted in place
    at: I64  # [T, 13] see the columns below
    classes: U8  # [T, C] how many hands ended in each class
    seen: I16  # [T, 10] cards of each value that the player has seen of this shoe
    words: U64  # [T] random counters


DEALT, START, UP, HOLE, DEALER, STATE, HANDS, WAITING, RANK, STAGE, INSURED, LIVE, MENU = range(13)
"""Columns of Seats.at; RANK is the first card's, START the round's first
card in the shoe, MENU where in Tables.menus the open actions are."""


@njit(cache=True)
def _reverse(cards: U8, t: int, low: int, high: int) -> None:
    while low + 1 < high:
        high -= 1
        cards[t, low], cards[t, high] = cards[t, high], cards[t, low]
        low += 1


@njit(cache=True)
def _refill(seats: Seats, t: int) -> None:
    """The shoe ran out in a round: the discards are shuffled and dealt, what lies stays."""
    size, start = seats.cards.shape[1], int(seats.at[t, START])
    _reverse(seats.cards, t, 0, start)
    _reverse(seats.cards, t, start, size)
    _reverse(seats.cards, t, 0, size)
    seats.at[t, DEALT] = size - start if start > 0 else 0
    seats.at[t, START] = 0
    for v in range(10):
        seats.seen[t, v] = 0
    for i in range(seats.at[t, DEALT]):
        seats.seen[t, min(seats.cards[t, i], 9)] += 1


@njit(cache=True, forceinline=True)
def _draw(tables: Tables, seats: Seats, t: int, shown: bool) -> int:
    """The next card of a table."""
    cards, size = seats.cards, seats.cards.shape[1]
    if seats.at[t, DEALT] >= size:
        _refill(seats, t)
    here = seats.at[t, DEALT]
    word = mix(seats.words[t]) >> np.uint64(32)
    seats.words[t] += GOLDEN
    there = here + np.int64((word * np.uint64(size - here)) >> np.uint64(32))
    rank = cards[t, there]
    cards[t, there] = cards[t, here]
    cards[t, here] = rank
    seats.at[t, DEALT] = here + tables.numbers[5]
    if shown:
        seats.seen[t, min(rank, 9)] += 1
    return int(rank)


@njit(cache=True, forceinline=True)
def _begin(tables: Tables, seats: Seats, t: int) -> None:
    """Deal a round, up to the first decision."""
    at = seats.at
    if at[t, DEALT] >= tables.numbers[4]:
        at[t, DEALT] = 0
        for v in range(10):
            seats.seen[t, v] = 0
    for c in range(seats.classes.shape[1]):
        seats.classes[t, c] = 0
    at[t, START], at[t, HANDS], at[t, WAITING] = at[t, DEALT], 1, 0
    at[t, INSURED], at[t, LIVE] = 0, 0
    first = _draw(tables, seats, t, True)
    up = _draw(tables, seats, t, True)
    second = _draw(tables, seats, t, True)
    at[t, RANK], at[t, UP] = first, min(up, 9)
    at[t, DEALER] = up * 16
    if tables.numbers[0]:
        hole = _draw(tables, seats, t, False)
        at[t, HOLE], at[t, DEALER] = hole, tables.dealer[up * 16 + hole]
    at[t, STATE] = tables.nexts[first * 16 + second] // 16
    row = at[t, STATE] * 10 + at[t, UP]
    natural = tables.forced[row] != NONE
    if (tables.numbers[1] and up == 0) or (tables.early[at[t, UP]] and not natural):
        at[t, STAGE] = PEEK
        special = len(tables.facts) // 4 + (1 if natural else 0)
        at[t, MENU] = (special * 10 + at[t, UP]) * 7
        return
    _after_peek(tables, seats, t)


@njit(cache=True, forceinline=True)
def _after_peek(tables: Tables, seats: Seats, t: int) -> None:
    """The dealer has looked: a natural ends the round, otherwise the hand is played."""
    at = seats.at
    row = at[t, STATE] * 10 + at[t, UP]
    forced = int(tables.forced[row])
    at[t, STAGE], at[t, MENU] = PLAY, row * 7
    if tables.numbers[0] and at[t, DEALER] == tables.numbers[2]:
        seats.classes[t, 0 if forced == NONE else (forced - TERMINAL) // 16] += 1
    elif forced != NONE:
        _end_hand(tables, seats, t, forced)
    else:
        return
    at[t, STAGE] = OVER
    at[t, MENU] = (len(tables.facts) // 4 + 2) * 70


@njit(cache=True, forceinline=True)
def _end_hand(tables: Tables, seats: Seats, t: int, code: int) -> None:
    final = code - TERMINAL
    seats.classes[t, final // 16] += 1
    seats.at[t, LIVE] |= tables.pay[final + 15]


@njit(cache=True, forceinline=True)
def _play(tables: Tables, seats: Seats, t: int, code: int) -> bool:
    """Carry out a code and all that follows by itself; False when the seat is done."""
    at = seats.at
    while True:
        if code == SPLIT:
            at[t, HANDS] += 1
            at[t, WAITING] += 2
        elif code >= TERMINAL:
            _end_hand(tables, seats, t, code)
        else:
            rank = _draw(tables, seats, t, True)
            row = int(tables.nexts[code + rank]) // 16 * 10 + at[t, UP]
            code = int(tables.forced[row])
            if code == NONE:
                at[t, STATE], at[t, MENU] = row // 10, row * 7
                return True
            continue
        if at[t, WAITING] == 0:
            return False
        at[t, WAITING] -= 1
        first = at[t, RANK]
        code = int(tables.limits[(32 if at[t, HANDS] < tables.limits[first] else 16) + first])


@njit(cache=True, forceinline=True)
def _finish(tables: Tables, seats: Seats, t: int) -> float:
    """The dealer's turn; the round's result in bets."""
    dealer = int(seats.at[t, DEALER])
    if tables.numbers[0]:
        seats.seen[t, min(seats.at[t, HOLE], 9)] += 1
    else:
        dealer = int(tables.dealer[dealer + _draw(tables, seats, t, True)])
    while seats.at[t, LIVE] and dealer < TERMINAL:
        dealer = int(tables.dealer[dealer + _draw(tables, seats, t, True)])
    final = dealer - TERMINAL if dealer >= TERMINAL else int(tables.numbers[3])
    result = 0
    for c in range(seats.classes.shape[1]):
        hands = seats.classes[t, c]
        if hands:
            result += int(hands) * int(tables.pay[c * 16 + final])
    if seats.at[t, INSURED]:
        result += 10 if dealer == tables.numbers[2] else -5
    return result / 10.0


@njit(cache=True, forceinline=True)
def _act(tables: Tables, seats: Seats, t: int, action: int) -> bool:
    """An open action; whether the seat goes on deciding."""
    at = seats.at
    if at[t, STAGE] == OVER:
        return False
    code = 0
    if action <= SURRENDER:
        code = int(tables.codes[(at[t, STATE] * 10 + at[t, UP]) * 5 + action])
    if at[t, STAGE] == PLAY:
        return _play(tables, seats, t, code)
    if action == SURRENDER:
        _end_hand(tables, seats, t, code)
        return False
    at[t, INSURED] = int(action == INSURE)
    _after_peek(tables, seats, t)
    return bool(at[t, STAGE] == PLAY)


@njit(cache=True, nogil=True)
def reset_tables(tables: Tables, seats: Seats, which: Bools) -> None:
    """Deal a new round at the tables in `which` [T]."""
    for t in range(which.size):
        if which[t]:
            _begin(tables, seats, t)


@njit(cache=True, nogil=True)
def first_closed(tables: Tables, seats: Seats, actions: I64) -> int:
    """The first table where the action [T] is not open, else −1."""
    for t in range(actions.size):
        action = actions[t]
        if action < 0 or action > DECLINE or not tables.menus[seats.at[t, MENU] + action]:
            return t
    return -1


@njit(cache=True, nogil=True)
def step_tables(
    tables: Tables, seats: Seats, actions: I64, rewards: F64, ended: Bools, again: bool
) -> None:
    """One action at each table; writes `rewards` and `ended` [T] in place.

    With `again` a table whose round is over deals the next one at once. An action that is not
    open is taken as standing, or as declining before the dealer looks.
    """
    for t in range(actions.size):
        action = actions[t]
        if not tables.menus[seats.at[t, MENU] + action]:
            action = DECLINE if seats.at[t, STAGE] == PEEK else STAND
        going = _act(tables, seats, t, action)
        ended[t] = not going
        rewards[t] = 0.0
        if not going:
            rewards[t] = _finish(tables, seats, t)
            if again:
                _begin(tables, seats, t)


@njit(cache=True, nogil=True)
def observe(tables: Tables, seats: Seats, kind: int, observations: F32, masks: I8) -> None:
    """Write observations [T, 7 + …] and masks [T, 7]; `kind` 1 adds the true count, 2 the shoe."""
    size = seats.cards.shape[1]
    for t in range(observations.shape[0]):
        fact, menu = seats.at[t, STATE] * 4, seats.at[t, MENU]
        observations[t, 0], observations[t, 1] = tables.facts[fact], tables.facts[fact + 1]
        observations[t, 2] = seats.at[t, UP] + 1
        observations[t, 3], observations[t, 4] = tables.facts[fact + 2], seats.at[t, HANDS]
        observations[t, 5], observations[t, 6] = tables.facts[fact + 3], seats.at[t, STAGE]
        for action in range(7):
            masks[t, action] = tables.menus[menu + action]
        if kind == 1:
            running, unseen = 0.0, size
            for v in range(10):
                running += seats.seen[t, v] * tables.tags[v]
                unseen -= seats.seen[t, v]
            observations[t, 7] = 52.0 * running / max(unseen, 1)
        elif kind == 2:
            for v in range(10):
                copies = size // 13 * (4 if v == 9 else 1)
                observations[t, 7 + v] = (copies - seats.seen[t, v]) / copies
