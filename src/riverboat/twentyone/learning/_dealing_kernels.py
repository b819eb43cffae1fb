"""Games of twenty-one dealt by the block, for learners to play.

Chance is a pure function of (key, game number): a game has WORDS words of a SplitMix64 sequence
(riverboat.runtime.compiled), of which the first half shuffles and the second half tosses coins.
So a run can stop and go on anywhere.

Draw k of a Fisher-Yates shuffle exchanges the card at place k for one at a random place from k on;
half a word says which. Learners need no shuffled deck, only its first cards. So a block does it the
other way round: for all of its games at once it looks through the draws before draw k for one that
has put another card where draw k looks. Those are comparisons of bytes without a branch, of which a
processor does dozens at a time.

Arrays that one compiled function hands to another are counted, at a price of many cards. So
functions here take a whole block, and loops over games take cards from its arrays themselves.

The order of cards is player, dealer, player, dealer's open card, the dealer's draws, the player's
hits: that the dealer draws first changes no probability, and makes the dealer's hand the same
whatever the player does.

A player at a table sees its own cards, the open card and the result, not the dealer's hand. For
learning there, `dealer_in_hindsight` samples one from the cards not seen until it fits the result:
it has exactly the distribution of the real hand given all that was seen.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from riverboat.runtime.array_types import F64, I32, I64, U8, U64, Bools
from riverboat.runtime.compiled import GOLDEN, mix, njit

WORDS = 32  # Words of a game: 0…15 draw two cards each, word 16 + d is the coin of decision d
COINS = 16
DRAWS = 32
BLOCK = 512  # Games dealt at once
DEALT = 10  # Cards of each game that a block keeps; few games need more
UNFINISHED = 255

_U1 = np.uint64(1)
_U32, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
_WORDS, _COINS = np.uint64(WORDS), np.uint64(COINS)
_B2, _B9 = np.uint8(2), np.uint8(9)


class Rules(NamedTuple):
    """Hands by number, for the player as fine as the table needs, and for the dealer."""

    first: I32  # (100,) the hand of two cards of values a and b at (a − 1) · 10 + b − 1
    after: I32  # (H · 10,) the hand after a card of value v at h · 10 + v − 1; −1 is a bust
    points: I32  # (H,) of a hand
    row: I32  # (H,) the table's row of a hand against an ace; the other open cards follow it
    dealer_first: I32
    dealer_after: I32
    dealer_points: I32  # The same for the dealer, who looks at points and softness
    dealer_two: U8
    """(10 000,) at the digits hole, up, first, second draw: 4 · points + draws used, 0 points for a
    bust, or UNFINISHED after both draws."""
    complete: bool  # Whether a row is one hand only, so that it does not matter how it was reached


class Block(NamedTuple):
    """The first cards of BLOCK games and what they bring the dealer."""

    place: U8  # (DEALT, BLOCK) where draw k looks in the deck
    moved: U8  # (DEALT, BLOCK) the card that lay at place k before draw k
    value: U8  # (DEALT, BLOCK) value − 1 of card k
    theirs: I32  # (BLOCK,) the dealer's points, 0 for a bust
    drawn: I32  # (BLOCK,) cards dealt before the player's first hit
    hand: I32  # (BLOCK,) the player's first hand
    hit: I32  # (BLOCK,) the player's hand after one hit; −1 is a bust


class Outlook(NamedTuple):
    """What the first two decisions of each game of a block can bring, however they are decided."""

    slot: I64  # (BLOCK,) the table's place of a hit with the first hand; standing follows it
    stood: F64  # (BLOCK,) the reward of standing on it
    asked: Bools  # (BLOCK,) whether there is a choice: not at 21
    next_slot: I64
    """(BLOCK,) the three again, after one hit; a bust stands with a loss and has no choice."""
    next_stood: F64
    next_asked: Bools
    alive: Bools  # (BLOCK,) whether one hit does not bust
    coins: U64  # (BLOCK,) 64 random bits


@njit(cache=True, forceinline=True)
def signed(number: np.uint8 | np.uint64) -> int:
    """An unsigned number as a signed one; mixed with others it would become a float."""
    return int(np.int64(number))


@njit(cache=True, forceinline=True)
def _draw_word(key: np.uint64, game: np.uint64, pair: np.uint64) -> np.uint64:
    return np.uint64(mix(key + (game * _WORDS + pair) * GOLDEN))


@njit(cache=True, forceinline=True)
def coin_word(key: np.uint64, game: np.uint64, decision: np.uint64) -> np.uint64:
    """64 random bits for a decision."""
    return np.uint64(mix(key + (game * _WORDS + _COINS + decision) * GOLDEN))


@njit(cache=True)
def deal_kernel(key: np.uint64, game: int, cards: U8) -> None:
    """Write the order in which a game draws to cards (DRAWS,), as places in DECK."""
    deck = np.arange(52).astype(np.uint8)
    for k in range(len(cards)):
        word = _draw_word(key, np.uint64(game), np.uint64(k >> 1))
        half = word & _LOW if k & 1 else word >> _U32
        swap = signed((half * np.uint64(52 - k)) >> _U32) + k
        cards[k] = deck[swap]
        deck[swap] = deck[k]


@njit(cache=True)
def late_value(key: np.uint64, game: int, k: int) -> int:
    """Value − 1 of a card that a block does not hold."""
    cards = np.empty(k + 1, np.uint8)
    deal_kernel(key, game, cards)
    return min(signed(cards[k]) >> 2, 9)


@njit(cache=True)
def new_block() -> Block:
    """Room for a block."""
    return Block(
        np.empty((DEALT, BLOCK), np.uint8),
        np.empty((DEALT, BLOCK), np.uint8),
        np.empty((DEALT, BLOCK), np.uint8),
        np.empty(BLOCK, np.int32),
        np.empty(BLOCK, np.int32),
        np.empty(BLOCK, np.int32),
        np.empty(BLOCK, np.int32),
    )


@njit(cache=True)
def new_outlook() -> Outlook:
    """Room for the outlook on a block."""
    return Outlook(
        np.empty(BLOCK, np.int64),
        np.empty(BLOCK, np.float64),
        np.empty(BLOCK, np.bool_),
        np.empty(BLOCK, np.int64),
        np.empty(BLOCK, np.float64),
        np.empty(BLOCK, np.bool_),
        np.empty(BLOCK, np.bool_),
        np.empty(BLOCK, np.uint64),
    )


@njit(cache=True)
def _places(key: np.uint64, start: int, pair: int, even: U8, odd: U8) -> None:
    """Write where draws 2 · pair and 2 · pair + 1 look, (BLOCK,) each."""
    first, k = np.uint64(start), np.uint64(2 * pair)
    remaining = np.uint64(52) - k
    for g in range(BLOCK):
        word = _draw_word(key, first + np.uint64(g), np.uint64(pair))
        even[g] = np.uint8(k + (((word >> _U32) * remaining) >> _U32))
        odd[g] = np.uint8(k + _U1 + (((word & _LOW) * (remaining - _U1)) >> _U32))


@njit(cache=True)
def _look_through(earlier: U8, carried: U8, place: U8, k: np.uint8, card: U8, moved: U8) -> None:
    """Bring card and moved (BLOCK,) of draw k up to date with an earlier draw, written in place.

    The earlier draw has put the card it found at its own place, `carried`, where it looked.
    A function of its own, so that the compiler sees arrays that do not overlap.
    """
    for g in range(BLOCK):
        was, there = carried[g], earlier[g]
        same, before = card[g], moved[g]
        card[g] = was if there == place[g] else same
        moved[g] = was if there == k else before


@njit(cache=True)
def _values(place: U8, moved: U8, value: U8) -> None:
    """From where each draw looks, the values of the cards found."""
    for k in range(DEALT):
        for g in range(BLOCK):
            value[k, g] = place[k, g]
            moved[k, g] = np.uint8(k)
        for j in range(k):
            _look_through(place[j], moved[j], place[k], np.uint8(k), value[k], moved[k])
    for k in range(DEALT):
        for g in range(BLOCK):
            rank = value[k, g] >> _B2
            value[k, g] = rank if rank < _B9 else _B9


@njit(cache=True)
def deal_block(key: np.uint64, start: int, rules: Rules, block: Block) -> None:
    """Deal the games from `start` on, the dealer's draws too."""
    for pair in range(DEALT // 2):
        _places(key, start, pair, block.place[2 * pair], block.place[2 * pair + 1])
    _values(block.place, block.moved, block.value)
    value = block.value
    for g in range(BLOCK):
        hole, up = signed(value[1, g]), signed(value[3, g])
        dealt = ((hole * 10 + up) * 10 + signed(value[4, g])) * 10 + signed(value[5, g])
        code = signed(rules.dealer_two[dealt])
        theirs, k = code >> 2, 4 + (code & 3)
        if code == UNFINISHED:
            dealer, k = int(rules.dealer_first[hole * 10 + up]), 4
            while dealer >= 0 and rules.dealer_points[dealer] < 17:
                card = signed(value[k, g]) if k < DEALT else late_value(key, start + g, k)
                dealer = int(rules.dealer_after[dealer * 10 + card])
                k += 1
            theirs = int(rules.dealer_points[dealer]) if dealer >= 0 else 0
        block.theirs[g] = theirs
        block.drawn[g] = k
        hand = int(rules.first[signed(value[0, g]) * 10 + signed(value[2, g])])
        block.hand[g] = hand
        card = signed(value[k, g]) if k < DEALT else late_value(key, start + g, k)
        block.hit[g] = rules.after[hand * 10 + card]


@njit(cache=True, forceinline=True)
def reward_of(mine: int, theirs: int, loss: float) -> float:
    """1, 0 or `loss` for a hand that stands against the dealer's points, 0 for a bust."""
    return np.float64(mine > theirs) + loss * np.float64(mine < theirs)


@njit(cache=True)
def toss_coins(key: np.uint64, start: int, coins: U64) -> None:
    """Write the bits for the first decisions of a block to coins (BLOCK,)."""
    first = np.uint64(start)
    for g in range(BLOCK):
        coins[g] = coin_word(key, first + np.uint64(g), np.uint64(0))


@njit(cache=True)
def look_ahead(
    loss: float, up: U8, theirs: I32, hand: I32, hit: I32, points: I32, row: I32, outlook: Outlook
) -> None:
    """Write the outlook on a block of which these are parts; all games at once."""
    for g in range(BLOCK):
        mine = points[np.uint64(hand[g])]
        outlook.slot[g] = 2 * (int(row[np.uint64(hand[g])]) + signed(up[g]))
        outlook.stood[g] = reward_of(mine, theirs[g], loss)
        outlook.asked[g] = mine < 21
    for g in range(BLOCK):
        alive = hit[g] >= 0
        following = np.uint64(max(hit[g], 0))
        then = points[following]
        outlook.next_slot[g] = 2 * (int(row[following]) + signed(up[g]))
        stood = reward_of(then, theirs[g], loss)
        outlook.next_stood[g] = stood if alive else loss
        outlook.next_asked[g] = alive & (then < 21)
        outlook.alive[g] = alive


LOST, PUSHED, WON, UNREPORTED = -1, 0, 1, 2
"""What a result says of the dealer's hand; after a bust it says nothing."""
NO_FIT = -1
TRIES = 4000


@njit(cache=True)
def dealer_in_hindsight(
    key: np.uint64, unseen: I64, up: int, mine: int, reported: int, rules: Rules
) -> int:
    """Points of a dealer's hand that fits, 0 for a bust; NO_FIT where none was found.

    key: where chance begins; unseen (10,): cards not seen, by value; up: value − 1 of the open
    card; mine: the player's points; reported: what the result says.
    """
    remaining = np.empty(10, np.int64)
    draw = np.uint64(0)
    for _ in range(TRIES):
        total, hand = 0, -2
        for v in range(10):
            remaining[v] = unseen[v]
            total += remaining[v]
        while hand == -2 or (hand >= 0 and rules.dealer_points[hand] < 17):
            word = mix(key + draw * GOLDEN)
            draw += np.uint64(1)
            mark = signed(((word >> np.uint64(32)) * np.uint64(total)) >> np.uint64(32))
            v = 0
            while mark >= remaining[v]:
                mark -= remaining[v]
                v += 1
            remaining[v] -= 1
            total -= 1
            known = hand != -2
            hand = int(
                rules.dealer_after[hand * 10 + v] if known else rules.dealer_first[v * 10 + up]
            )
        theirs = int(rules.dealer_points[hand]) if hand >= 0 else 0
        sign = (mine > theirs) - (mine < theirs)
        if reported == UNREPORTED or reported == sign:
            return theirs
    return NO_FIT
