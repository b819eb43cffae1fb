"""Learners of twenty-one, tens of millions of games per second.

Games come dealt from dealing_kernels. A hand of 21 stands without being asked. Most games end with
the first card drawn or before; literal and on-policy settle those without a branch, since a wrong
guess of what a random hand does next costs a processor as much as the rest of the game. Every
learner takes

    key            where chance begins
    games (1,)     the number of the next game, written back when the games are done
    until          games are played up to this number
    loss           worth of a loss, −1 or 0; a win is worth 1 and a push 0
    rules          hands as an automaton, see Rules
    values, counts (S · 2,) the table, hit at 2s and stand at 2s + 1, written in place

Q-learning and SARSA carry values from one decision to the next; the others credit whole games.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from riverboat.runtime.array_types import F64, I64, Bools
from riverboat.runtime.compiled import njit
from riverboat.twentyone.learning._dealing_kernels import (
    BLOCK,
    DEALT,
    Block,
    Outlook,
    Rules,
    coin_word,
    deal_block,
    late_value,
    look_ahead,
    new_block,
    new_outlook,
    reward_of,
    signed,
    toss_coins,
)

MAX_DECISIONS = 16

_U1, _U2, _U4, _U32 = (np.uint64(n) for n in (1, 2, 4, 32))
_LOW = np.uint64(15)


@njit(cache=True, forceinline=True, error_model="numpy")
def average(values: F64, counts: I64, slot: int, value: float) -> None:
    """Take one more return into an average."""
    count = counts[slot] + 1
    counts[slot] = count
    values[slot] += (value - values[slot]) / count


@njit(cache=True)
def _deal(
    key: np.uint64, start: int, loss: float, rules: Rules, block: Block, outlook: Outlook
) -> None:
    """Deal a block and look at what its first decisions can bring."""
    deal_block(key, start, rules, block)
    parts = (block.value[3], block.theirs, block.hand, block.hit)
    look_ahead(loss, *parts, rules.points, rules.row, outlook)
    toss_coins(key, start, outlook.coins)


class RandomPlay(NamedTuple):
    """What random play did in the games of a block, decision after decision."""

    taken: I64  # (BLOCK · MAX_DECISIONS,) the slots of the actions taken, game after game
    reward: F64  # (BLOCK · MAX_DECISIONS,) the reward of the game that each belongs to
    ends: I64  # (BLOCK + 1,) game g took the actions from ends[g] to ends[g + 1]
    certain: Bools  # (BLOCK,) whether the last action was a 21, which needs no coin


@njit(cache=True)
def _new_random_play() -> RandomPlay:
    size = BLOCK * MAX_DECISIONS
    return RandomPlay(
        np.empty(size, np.int64),
        np.empty(size, np.float64),
        np.zeros(BLOCK + 1, np.int64),
        np.empty(BLOCK, np.bool_),
    )


@njit(cache=True, error_model="numpy")
def _play_at_random(
    key: np.uint64,
    start: int,
    number: int,
    loss: float,
    rules: Rules,
    block: Block,
    outlook: Outlook,
    play: RandomPlay,
) -> None:
    """Play the first games of a block by coins."""
    value, after, points, row = block.value, rules.after, rules.points, rules.row
    n = 0
    for g in range(number):
        coins = outlook.coins[g]
        hits = outlook.asked[g] & (coins & _U1 == 0)
        first, slot = n, outlook.next_slot[g]
        play.taken[n] = outlook.slot[g] + int(not hits)
        play.taken[n + 1] = slot + 1
        n += 1 + int(hits & outlook.alive[g])
        reward = outlook.next_stood[g] if hits else outlook.stood[g]
        certain = not outlook.asked[g]
        if hits & outlook.next_asked[g] & (coins & _U2 == 0):
            up, k = signed(value[3, g]), int(block.drawn[g]) + 1
            hand, mine = int(block.hit[g]), 0
            reward = loss
            while mine < 21 and coins & _U2 == 0:
                coins >>= _U1
                play.taken[n - 1] = slot
                card = signed(value[k, g]) if k < DEALT else late_value(key, start + g, k)
                hand = int(after[hand * 10 + card])
                k += 1
                if hand < 0:
                    break
                mine, slot = int(points[hand]), 2 * (int(row[hand]) + up)
                play.taken[n] = slot + 1
                n += 1
            if hand >= 0:
                reward = reward_of(mine, int(block.theirs[g]), loss)
            certain = mine == 21 and hand >= 0
        elif hits:
            certain = outlook.alive[g] and not outlook.next_asked[g]
        play.certain[g] = certain
        play.ends[g + 1] = n
        for step in range(first, n):
            play.reward[step] = reward


@njit(cache=True, error_model="numpy")
def literal_kernel(
    key: np.uint64, games: I64, until: int, loss: float, rules: Rules, values: F64, counts: I64
) -> None:
    """The course's method: act at random, average what each action taken led to."""
    block, outlook, play = new_block(), new_outlook(), _new_random_play()
    for start in range(games[0], until, BLOCK):
        number = min(BLOCK, until - start)
        _deal(key, start, loss, rules, block, outlook)
        _play_at_random(key, start, number, loss, rules, block, outlook, play)
        for step in range(play.ends[number]):
            average(values, counts, play.taken[step], play.reward[step])
    games[0] = max(games[0], until)


@njit(cache=True, error_model="numpy")
def off_policy_kernel(
    key: np.uint64, games: I64, until: int, loss: float, rules: Rules, values: F64, counts: I64
) -> None:
    """Weighted importance sampling (Sutton & Barto §5.7): act at random, learn the greedy play.

    From the end of a game backwards, while the coins fell as the table would have decided; each
    such coin had one chance in two, so what lies before it weighs twice as much.
    """
    block, outlook, play = new_block(), new_outlook(), _new_random_play()
    for start in range(games[0], until, BLOCK):
        number = min(BLOCK, until - start)
        _deal(key, start, loss, rules, block, outlook)
        _play_at_random(key, start, number, loss, rules, block, outlook, play)
        for g in range(number):
            weight, certain = 1, play.certain[g]
            for step in range(play.ends[g + 1] - 1, play.ends[g] - 1, -1):
                slot = play.taken[step]
                counts[slot] += weight
                values[slot] += (play.reward[step] - values[slot]) * weight / counts[slot]
                hit = slot & ~1
                if certain:
                    certain = False
                    continue
                if (values[hit] > values[hit + 1]) == (slot != hit):
                    break
                weight *= 2
    games[0] = max(games[0], until)


@njit(cache=True, forceinline=True)
def prefers_hit(values: F64, counts: I64, slot: int) -> bool:
    """Whether the table would hit; what it never tried it tries."""
    return bool((counts[slot] == 0) | (values[slot] > values[slot + 1]))


@njit(cache=True, forceinline=True)
def explores(values: F64, counts: I64, slot: int, coin: np.uint64) -> bool:
    """Surely while hit and stand lie within five standard errors, afterwards one time in 16.

    The variance of a difference of averages of returns within ±1 is at most 2 / counts.
    """
    difference = values[slot] - values[slot + 1]
    return bool((difference * difference * counts[slot] < 50.0) | (coin & _LOW == 0))


@njit(cache=True, forceinline=True, error_model="numpy")
def average_if(values: F64, counts: I64, slot: int, value: float, wanted: bool) -> None:
    """average, or nothing, without a branch."""
    count = counts[slot] + int(wanted)
    counts[slot] = count
    values[slot] += np.float64(wanted) * (value - values[slot]) / max(count, 1)


@njit(cache=True, forceinline=True)
def credit(slot: int, hit: bool, reward: float, stood: float, values: F64, counts: I64) -> None:
    """Credit a decision played on-policy: what the hit led to, if there was one, and standing."""
    if hit:
        average(values, counts, slot, reward)
    average(values, counts, slot + 1, stood)


@njit(cache=True, error_model="numpy")
def on_policy_kernel(
    key: np.uint64, games: I64, until: int, loss: float, rules: Rules, values: F64, counts: I64
) -> None:
    """Monte Carlo control that follows the better average and explores by hitting.

    Along a game the reward of standing is known at every point passed, since the dealer's hand
    does not depend on the player's, so that only hits need exploring; and the reward of the
    table's own play from any point on is known too, so that a hit explored later spoils nothing
    credited before it. What comes after it is not credited, unless rows are single hands: the
    mixture of hands behind a row must be the one that the table's own play brings about.

    It is one long function because arrays handed to another one are counted (dealing_kernels).
    """
    block, outlook = new_block(), new_outlook()
    path = np.empty(MAX_DECISIONS, np.int64)
    stood = np.empty(MAX_DECISIONS, np.float64)
    hits = np.empty(MAX_DECISIONS, np.bool_)
    value, after, points, row = block.value, rules.after, rules.points, rules.row
    for start in range(games[0], until, BLOCK):
        _deal(key, start, loss, rules, block, outlook)
        for g in range(min(BLOCK, until - start)):
            slot, asked = outlook.slot[g], outlook.asked[g]
            following = outlook.next_slot[g]
            coins = outlook.coins[g]
            own = asked & prefers_hit(values, counts, slot)
            goes_on = own | (asked & explores(values, counts, slot, coins))
            credited = own | rules.complete
            later = coins if own else coins >> _U4
            again = explores(values, counts, following, later) & credited
            again = (again | prefers_hit(values, counts, following)) & outlook.next_asked[g]
            if not (goes_on & again):
                reward = outlook.next_stood[g]
                played = goes_on & credited & outlook.alive[g]
                average_if(values, counts, following + 1, reward, played)
                average_if(values, counts, slot, reward, goes_on)
                average(values, counts, slot + 1, outlook.stood[g])
                continue
            # Two hits, still without a branch.
            up, k = signed(value[3, g]), int(block.drawn[g])
            card = signed(value[k + 1, g]) if k + 1 < DEALT else late_value(key, start + g, k + 1)
            hand = int(after[int(block.hit[g]) * 10 + card])
            alive = hand >= 0
            hand = max(hand, 0)
            mine, last = int(points[hand]), 2 * (int(row[hand]) + up)
            own_next = prefers_hit(values, counts, following)
            untried = (own & own_next) | rules.complete
            later = later if own_next else later >> _U4
            again = explores(values, counts, last, later) & untried
            again = (again | prefers_hit(values, counts, last)) & alive & (mine < 21)
            theirs = int(block.theirs[g])
            if not again:
                reward = reward_of(mine, theirs, loss) if alive else loss
                average_if(values, counts, last + 1, reward, alive & untried)
                average_if(values, counts, following, reward, credited)
                average_if(values, counts, following + 1, outlook.next_stood[g], credited)
                reward = reward if own_next else outlook.next_stood[g]
                average(values, counts, slot, reward)
                average(values, counts, slot + 1, outlook.stood[g])
                continue
            # A longer game, from its beginning.
            hand = int(block.hand[g])
            steps, end = 0, MAX_DECISIONS
            while hand >= 0:
                mine, slot = int(points[hand]), 2 * (int(row[hand]) + up)
                path[steps] = slot
                stood[steps] = reward_of(mine, theirs, loss)
                own = mine < 21 and prefers_hit(values, counts, slot)
                hits[steps] = own
                steps += 1
                if not own:
                    over = mine == 21 or steps > end
                    if over or not explores(values, counts, slot, coins):
                        break
                    coins >>= _U4
                    if not rules.complete:
                        end = steps
                card = signed(value[k, g]) if k < DEALT else late_value(key, start + g, k)
                hand = int(after[hand * 10 + card])
                k += 1
            reward = loss
            for step in range(steps - 1, -1, -1):
                if step < end:
                    average_if(values, counts, path[step], reward, step < steps - 1 or hand < 0)
                    average(values, counts, path[step] + 1, stood[step])
                if not hits[step]:
                    reward = stood[step]
    games[0] = max(games[0], until)


@njit(cache=True, forceinline=True)
def _epsilon_greedy(values: F64, counts: I64, slot: int, coin: np.uint64) -> int:
    """The slot of an action: at random with probability 1 / √(1 + visits / 100), else greedy."""
    visits = counts[slot] + counts[slot + 1]
    u = np.float64(coin >> _U32) * 2.0**-32
    if u * u * (1.0 + 0.01 * visits) < 1.0:
        return slot + signed(coin & _U1)
    return slot if values[slot] > values[slot + 1] else slot + 1


@njit(cache=True, forceinline=True, error_model="numpy")
def _step_towards(values: F64, counts: I64, slot: int, target: float) -> None:
    """Step size 2 / (visits + 1): an average in which the n-th target has weight n."""
    counts[slot] += 1
    values[slot] += (target - values[slot]) * (2.0 / (counts[slot] + 1))


@njit(cache=True, forceinline=True, error_model="numpy")
def _step_by_step(
    key: np.uint64,
    games: I64,
    until: int,
    loss: float,
    rules: Rules,
    values: F64,
    counts: I64,
    sarsa: bool,
) -> None:
    """Move the last hit towards the value of the hand it led to: see the two kernels below."""
    block = new_block()
    value = block.value
    for start in range(games[0], until, BLOCK):
        deal_block(key, start, rules, block)
        for g in range(min(BLOCK, until - start)):
            hand, up = int(block.hand[g]), signed(value[3, g])
            theirs, k = int(block.theirs[g]), int(block.drawn[g])
            coin, before = np.uint64(0), -1
            while hand >= 0:
                slot = 2 * (int(rules.row[hand]) + up)
                mine = int(rules.points[hand])
                taken = slot + 1
                # A soft hand may become a hard one of the same row, so the order of updates and
                # choices matters: Q-learning updates before it chooses, SARSA cannot.
                if before >= 0 and not sarsa:
                    best = max(values[slot], values[taken]) if mine < 21 else values[taken]
                    _step_towards(values, counts, before, best)
                if mine < 21:
                    word = coin_word(key, np.uint64(start + g), coin)
                    taken = _epsilon_greedy(values, counts, slot, word)
                    coin += _U1
                if before >= 0 and sarsa:
                    _step_towards(values, counts, before, values[taken])
                if taken != slot:
                    _step_towards(values, counts, taken, reward_of(mine, theirs, loss))
                    break
                before = slot
                card = signed(value[k, g]) if k < DEALT else late_value(key, start + g, k)
                hand = int(rules.after[hand * 10 + card])
                k += 1
                if hand < 0:
                    _step_towards(values, counts, before, loss)
    games[0] = max(games[0], until)


@njit(cache=True, error_model="numpy")
def q_learning_kernel(
    key: np.uint64, games: I64, until: int, loss: float, rules: Rules, values: F64, counts: I64
) -> None:
    """Q-learning (Watkins 1989): a hit is worth the better average of where it leads."""
    _step_by_step(key, games, until, loss, rules, values, counts, False)


@njit(cache=True, error_model="numpy")
def sarsa_kernel(
    key: np.uint64, games: I64, until: int, loss: float, rules: Rules, values: F64, counts: I64
) -> None:
    """SARSA (Rummery & Niranjan 1994): a hit is worth the average of the action taken next."""
    _step_by_step(key, games, until, loss, rules, values, counts, True)
