"""Games of twenty-one dealt and learned from, more than ten million a second.

Chance is a pure function of (key, game number): draw i of a game takes word game · 64 + i of a
SplitMix64 sequence (riverboat.random_kernels), so a run can stop and go on anywhere.
Cards come from a partial Fisher-Yates shuffle in the order player, dealer, player, dealer's open
card, the dealer's draws, the player's hits: that the dealer draws first changes no probability,
and makes his hand the same whatever the player does. A hand of 21 stands without being asked.

Every learner takes

    key            where the sequence begins
    games (1,)     the number of the next game, written back when the games are done
    until          games are played up to this number
    loss           worth of a loss, −1 or 0; a win is worth 1 and a push 0
    rules          hands as an automaton, see Rules
    values, counts (S · 2,) the table, hit at 2s and stand at 2s + 1, written in place
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from riverboat.random_kernels import GOLDEN, mix

__all__ = [
    "Rules",
    "deal_kernel",
    "literal_kernel",
    "off_policy_kernel",
    "on_policy_kernel",
    "q_learning_kernel",
    "sarsa_kernel",
]

DRAWS = 32
"""Words 0…31 of a game draw cards, word 32 + d is the coin of decision d."""
MAX_DECISIONS = 16

_U1, _U2, _U4, _U10 = (np.uint64(n) for n in (1, 2, 4, 10))
_U32, _U52, _U64 = (np.uint64(n) for n in (32, 52, 64))
_TEN = np.uint64(9)
_LOW = np.uint64(15)


class Rules(NamedTuple):
    """Hands by number, for the player at the grain his table needs and for the dealer."""

    first: NDArray[np.int16]
    """(100,) the hand of two cards of values a and b at (a − 1) · 10 + b − 1."""
    after: NDArray[np.int16]
    """(H · 10,) the hand after a card of value v at h · 10 + v − 1; −1 is a bust."""
    points: NDArray[np.int8]
    """(H,) of a hand."""
    row: NDArray[np.int32]
    """(H,) the table's row of a hand against an ace; the other open cards follow it."""
    dealer_first: NDArray[np.int16]
    dealer_after: NDArray[np.int16]
    dealer_points: NDArray[np.int8]
    complete: bool
    """Whether a row is one hand only, so that it does not matter how it was reached."""


@njit(cache=True, forceinline=True)
def _word(key: Any, index: Any) -> Any:
    return mix(key + index * GOLDEN)


@njit(cache=True, forceinline=True)
def _card(deck: Any, key: Any, base: Any, drawn: Any) -> Any:
    """Draw from deck (52,), whose first `drawn` places are spent: a place in DECK."""
    place = drawn + (((_word(key, base + drawn) >> _U32) * (_U52 - drawn)) >> _U32)
    card = deck[place]
    deck[place] = deck[drawn]
    return np.uint64(card)


@njit(cache=True, forceinline=True)
def _value(card: Any) -> Any:
    """Value − 1 of a place in DECK."""
    return min(card >> _U2, _TEN)


@njit(cache=True)
def deal_kernel(key: Any, game: int, cards: NDArray[np.uint8]) -> None:
    """Write the order in which a game draws to cards (DRAWS,), as places in DECK."""
    deck = np.arange(52).astype(np.uint8)
    for i in range(len(cards)):
        cards[i] = _card(deck, key, np.uint64(game) * _U64, np.uint64(i))


@njit(cache=True, forceinline=True)
def _deal(deck: Any, key: Any, base: Any, rules: Any) -> Any:
    """A new game: the player's hand, the open card − 1, the dealer's points (0 bust), draws."""
    for i in range(52):
        deck[i] = i
    a = _value(_card(deck, key, base, np.uint64(0)))
    hole = _value(_card(deck, key, base, np.uint64(1)))
    b = _value(_card(deck, key, base, np.uint64(2)))
    up = _value(_card(deck, key, base, np.uint64(3)))
    drawn = np.uint64(4)
    dealer = np.int64(rules.dealer_first[hole * _U10 + up])
    while dealer >= 0 and rules.dealer_points[dealer] < 17:
        value = _value(_card(deck, key, base, drawn))
        dealer = np.int64(rules.dealer_after[dealer * 10 + value])
        drawn += _U1
    theirs = np.int64(rules.dealer_points[dealer]) if dealer >= 0 else np.int64(0)
    return np.int64(rules.first[a * _U10 + b]), np.int64(up), theirs, drawn


@njit(cache=True, forceinline=True)
def _hit(deck: Any, key: Any, base: Any, drawn: Any, rules: Any, hand: Any) -> Any:
    return np.int64(rules.after[hand * 10 + _value(_card(deck, key, base, drawn))])


@njit(cache=True, forceinline=True)
def _reward(mine: Any, theirs: Any, loss: float) -> float:
    if mine > theirs:
        return 1.0
    return 0.0 if mine == theirs else loss


@njit(cache=True, forceinline=True)
def _average(values: Any, counts: Any, slot: Any, value: float) -> None:
    counts[slot] += 1
    values[slot] += (value - values[slot]) / counts[slot]


@njit(cache=True, forceinline=True)
def _random_play(
    deck: Any, key: Any, base: Any, loss: float, rules: Any, path: Any
) -> tuple[int, float, bool]:
    """Play a game by coins; write the slots taken to path.

    Returns how many, the reward, and whether the last was a 21, which needs no coin.
    """
    hand, up, theirs, drawn = _deal(deck, key, base, rules)
    coins = _word(key, base + _U32)
    steps = 0
    reward = loss
    certain = False
    while True:
        stands = np.int64((coins >> np.uint64(steps)) & _U1)
        if rules.points[hand] == 21:
            certain = True
            stands = np.int64(1)
        path[steps] = 2 * (rules.row[hand] + up) + stands
        steps += 1
        if stands:
            reward = _reward(rules.points[hand], theirs, loss)
            break
        hand = _hit(deck, key, base, drawn, rules, hand)
        drawn += _U1
        if hand < 0:
            break
    return steps, reward, certain


@njit(cache=True)
def literal_kernel(
    key: Any, games: Any, until: int, loss: float, rules: Any, values: Any, counts: Any
) -> None:
    """The course's method: act at random, average what each action taken led to."""
    deck = np.empty(52, np.uint8)
    path = np.empty(MAX_DECISIONS, np.int64)
    for game in range(games[0], until):
        steps, reward, _ = _random_play(deck, key, np.uint64(game) * _U64, loss, rules, path)
        for step in range(steps):
            _average(values, counts, path[step], reward)
    games[0] = max(games[0], until)


@njit(cache=True)
def off_policy_kernel(
    key: Any, games: Any, until: int, loss: float, rules: Any, values: Any, counts: Any
) -> None:
    """Weighted importance sampling (Sutton & Barto §5.7): act at random, learn the greedy play.

    From the end of a game backwards, while the coins fell as the table would have decided; each
    such coin had one chance in two, so what lies before it weighs twice as much.
    """
    deck = np.empty(52, np.uint8)
    path = np.empty(MAX_DECISIONS, np.int64)
    for game in range(games[0], until):
        steps, reward, certain = _random_play(deck, key, np.uint64(game) * _U64, loss, rules, path)
        weight = 1
        for step in range(steps - 1, -1, -1):
            slot = path[step]
            counts[slot] += weight
            values[slot] += (reward - values[slot]) * weight / counts[slot]
            hit = slot & ~1
            if certain:
                certain = False
                continue
            if (values[hit] > values[hit + 1]) == (slot != hit):
                break
            weight *= 2
    games[0] = max(games[0], until)


@njit(cache=True, forceinline=True)
def _prefers_hit(values: Any, counts: Any, slot: Any) -> Any:
    return counts[slot] == 0 or values[slot] > values[slot + 1]


@njit(cache=True, forceinline=True)
def _worth_exploring(values: Any, counts: Any, slot: Any, coin: Any) -> Any:
    """Surely while hit and stand lie within five standard errors, afterwards one time in 16.

    The variance of a difference of averages of returns within ±1 is at most 2 / counts.
    """
    difference = values[slot] - values[slot + 1]
    return difference * difference * counts[slot] < 50.0 or coin & _LOW == 0


@njit(cache=True)
def on_policy_kernel(
    key: Any, games: Any, until: int, loss: float, rules: Any, values: Any, counts: Any
) -> None:
    """Monte Carlo control that follows the better average and explores by hitting.

    Along a game the reward of standing is known at every point passed, since the dealer's hand
    does not depend on the player's, so that only hits need exploring; and the reward of the
    table's own play from any point on is known too, so that a hit explored later spoils nothing
    credited before it. What comes after it is not credited, unless rows are single hands: the
    mixture of hands behind a row must be the one that the table's own play brings about.
    """
    deck = np.empty(52, np.uint8)
    path = np.empty(MAX_DECISIONS, np.int64)
    stood = np.empty(MAX_DECISIONS, np.float64)
    hits = np.empty(MAX_DECISIONS, np.bool_)
    for game in range(games[0], until):
        base = np.uint64(game) * _U64
        hand, up, theirs, drawn = _deal(deck, key, base, rules)
        coins = _word(key, base + _U32)
        steps = 0
        credited = MAX_DECISIONS
        while hand >= 0:
            slot = 2 * (rules.row[hand] + up)
            asked = rules.points[hand] < 21
            path[steps] = slot
            stood[steps] = _reward(rules.points[hand], theirs, loss)
            hits[steps] = asked and _prefers_hit(values, counts, slot)
            steps += 1
            if not hits[steps - 1]:
                over = not asked or steps > credited
                if over or not _worth_exploring(values, counts, slot, coins):
                    break
                coins >>= _U4
                if not rules.complete:
                    credited = steps
            hand = _hit(deck, key, base, drawn, rules, hand)
            drawn += _U1
        reward = loss
        for step in range(steps - 1, -1, -1):
            if step < credited:
                if step < steps - 1 or hand < 0:
                    _average(values, counts, path[step], reward)
                _average(values, counts, path[step] + 1, stood[step])
            if not hits[step]:
                reward = stood[step]
    games[0] = max(games[0], until)


@njit(cache=True, forceinline=True)
def _epsilon_greedy(values: Any, counts: Any, slot: Any, coin: Any) -> Any:
    """The slot of an action: at random with probability 1 / √(1 + visits / 100), else greedy."""
    visits = counts[slot] + counts[slot + 1]
    u = np.float64(coin >> _U32) * 2.0**-32
    if u * u * (1.0 + 0.01 * visits) < 1.0:
        return slot + np.int64(coin & _U1)
    return slot if values[slot] > values[slot + 1] else slot + 1


@njit(cache=True, forceinline=True)
def _step_towards(values: Any, counts: Any, slot: Any, target: float) -> None:
    """Step size 2 / (visits + 1): an average in which the n-th target has weight n."""
    counts[slot] += 1
    values[slot] += (target - values[slot]) * (2.0 / (counts[slot] + 1))


@njit(cache=True)
def q_learning_kernel(
    key: Any, games: Any, until: int, loss: float, rules: Any, values: Any, counts: Any
) -> None:
    """Q-learning (Watkins 1989): a hit is worth the better average of where it leads."""
    deck = np.empty(52, np.uint8)
    for game in range(games[0], until):
        base = np.uint64(game) * _U64
        hand, up, theirs, drawn = _deal(deck, key, base, rules)
        coin = _U32
        while hand >= 0:
            slot = 2 * (rules.row[hand] + up)
            taken = slot + 1
            if rules.points[hand] < 21:
                taken = _epsilon_greedy(values, counts, slot, _word(key, base + coin))
                coin += _U1
            if taken != slot:
                _step_towards(values, counts, taken, _reward(rules.points[hand], theirs, loss))
                break
            hand = _hit(deck, key, base, drawn, rules, hand)
            drawn += _U1
            target = loss
            if hand >= 0:
                following = 2 * (rules.row[hand] + up)
                target = values[following + 1]
                if rules.points[hand] < 21:
                    target = max(target, values[following])
            _step_towards(values, counts, slot, target)
    games[0] = max(games[0], until)


@njit(cache=True)
def sarsa_kernel(
    key: Any, games: Any, until: int, loss: float, rules: Any, values: Any, counts: Any
) -> None:
    """SARSA (Rummery & Niranjan 1994): a hit is worth the average of the action taken next."""
    deck = np.empty(52, np.uint8)
    for game in range(games[0], until):
        base = np.uint64(game) * _U64
        hand, up, theirs, drawn = _deal(deck, key, base, rules)
        coin = _U32
        before = -1
        while hand >= 0:
            slot = 2 * (rules.row[hand] + up)
            taken = slot + 1
            if rules.points[hand] < 21:
                taken = _epsilon_greedy(values, counts, slot, _word(key, base + coin))
                coin += _U1
            if before >= 0:
                _step_towards(values, counts, before, values[taken])
            if taken != slot:
                _step_towards(values, counts, taken, _reward(rules.points[hand], theirs, loss))
                break
            before = taken
            hand = _hit(deck, key, base, drawn, rules, hand)
            drawn += _U1
            if hand < 0:
                _step_towards(values, counts, before, loss)
    games[0] = max(games[0], until)
