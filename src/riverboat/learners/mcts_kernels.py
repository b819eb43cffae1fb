"""Kernels of the search: simulated rounds through a tree of information states.

A position is (context, hand): context 0 is the hand asked about, context j ≥ 1 a hand of its split
with j − 1 further pair cards drawn. Hands are numbered by composition (solvers.blackjack_tables),
H of them, so that different orders of the same cards meet in one node. Nodes are numbered as they
are first touched, C at most. Cards run A, 2, …, 9, T; outcome PAIR of a split's first draw is a
card that makes one more hand.

Cards are drawn from those the bot has not seen, one by one without replacement, given that there
is no dealer's natural where he has peeked. The dealer's play is not drawn card by card: what he
ends with has a distribution for the cards unseen at the node, computed once (one pass over the trie
of his hands) and kept; results are drawn from it, which is the same in law.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from riverboat.random_kernels import GOLDEN, mix, unit

__all__ = [
    "AVERAGE", "BELLMAN", "CARDS", "CHART", "DOUBLE", "FLAT", "HIT", "NUM_ACTIONS", "PUCT",
    "RANDOM", "SPLIT", "STAND", "SURRENDER", "UCB1", "UCB1_TUNED", "Problem", "Tree", "clear",
    "refresh", "run", "touch",
]  # fmt: skip

Array = NDArray[Any]

STAND, HIT, DOUBLE, SPLIT, SURRENDER = 0, 1, 2, 3, 4
NUM_ACTIONS = 5
CARDS = 11
PAIR = 10
UNKNOWN, BUST = -1, -2
DEEPEST = 24
"""More cards than any hand or dealer's hand can have."""
NATURAL = 6

UCB1, UCB1_TUNED, PUCT, FLAT = 0, 1, 2, 3
"""Selection rules; FLAT deals simulations to the actions in turn and grows no tree."""
AVERAGE, BELLMAN = 0, 1
"""Backup rules."""
RANDOM, CHART = 0, 1
"""Policies of rollouts."""

VISITS, VALUE, SUM, SQUARES, WINS, DRAWS, LOSSES, PRIOR, KNOWN, KNOWN_MEAN, EXPLORE = range(11)
"""Columns of Tree.stats; KNOWN and KNOWN_MEAN are what the memory says, as visits and mean;
EXPLORE is 1/√(visits + known), or UNTRIED."""
WIN, NOT_LOST, WORTH, PAYS = range(4)
"""Columns of Tree.outcome."""
SPLIT_STEP = 16.0
"""Simulations of a split between two looks at its value, after the first few."""
UNTRIED = 1e9
LIKED = 0.7
"""PUCT's prior of the action that the chart or the memory likes; the others share the rest."""
HIT_SUM, HIT_MASS, DOUBLE_SUM, DOUBLE_MASS, BUSTS, LINES = range(6)
"""Columns of Tree.sums."""


class Problem(NamedTuple):
    """A decision to be searched; nothing in it changes."""

    child: Array
    """(H, 10) int32 the hand after one more card, −1 over 21."""
    counts: Array
    """(H, 10) float64 cards of each hand."""
    legal: Array
    """(2, H) uint8 bits of actions, before a split and after one."""
    rank: Array
    """(2, H) int8 −1 below 17, 0…4 for 17…21, 5 Charlie, 6 natural."""
    policy: Array
    """(2, H) int8 what a rollout by the chart does."""
    memory: Array
    """(H, 5, 2) float64 what is remembered of this up card: visits and mean; (1, 5, 2) nothing."""
    trie: Array
    """(4, T) the dealer's hands, see solvers.blackjack_kernels.dealer_outcomes."""
    orders: Array
    """(T,)"""
    base: Array
    """(10,) float64 cards unseen, the hand asked about included."""
    unit: float
    """1, or 0 for the infinite deck."""
    hole: int
    """The card that makes the dealer's natural, or −1."""
    peeked: bool
    """Whether the dealer is known to have none."""
    natural_pays: float
    plain_natural: bool
    """Whether a dealer's two-card 21 is only a 21."""
    surrender: float
    """What giving up is worth."""
    root: int
    """The hand asked about."""
    pair: int
    """The card it is a pair of."""
    pair_left: float
    """Unseen cards that would pair with it."""
    resplits: int
    """How many further hands a split can make."""


class Tree(NamedTuple):
    """The nodes, changed in place."""

    slot: Array
    """(contexts × H,) int32 node of each position, or −1."""
    where: Array
    """(C,) int32 position of each node."""
    kids: Array
    """(C, 10) int32 node after a card, UNKNOWN or BUST."""
    weight: Array
    """(C, 11) float64 probability of each card."""
    cut: Array
    """(C, 11) float64, with `other` (C, 11) int8: the alias table of `weight` (Vose 1991)."""
    other: Array
    outcome: Array
    """(C, 4) float64 of standing: WIN … PAYS; −1 until it is needed."""
    legal: Array
    """(C,) uint8"""
    policy: Array
    """(C,) uint8 what the chart does."""
    stats: Array
    """(C, 5, 11) float64, columns VISITS … EXPLORE."""
    sums: Array
    """(C, 6) float64 Σ p·value and Σ p over the cards visited without bust, for hit and for
    double; probability of a bust; sum of what all lines through the node came to."""
    taken: Array
    """(C, 10) float64 the value of each child as last put into `sums`."""
    counted: Array
    """(C,) int64 bits of the cards in `sums`: hit from bit 0, double from bit 16."""
    value: Array
    """(C,) float64"""
    visits: Array
    """(C,) float64"""
    size: Array
    """(1,) int64 nodes in use."""
    random: Array
    """(1,) uint64"""
    path: Array
    """(DEEPEST, 3) int64 work space: node, action, card or −1."""


@njit(cache=True)
def clear(slot, where, size):
    """Forget every node."""
    for i in range(size[0]):
        slot[where[i]] = UNKNOWN
    size[0] = 0


@njit(cache=True)
def unseen(base, counts, unit_, gone, pair, left):
    """Write into left (10,) the cards unseen with counts (10,) in hand; returns how many.

    `gone` more cards of a pair are in other hands.
    """
    total = 0.0
    for c in range(10):
        left[c] = max(0.0, base[c] - unit_ * (counts[c] + (gone if c == pair else 0)))
        total += left[c]
    return max(total, 1e-9)


@njit(cache=True)
def draw_weights(left, total, unit_, hole, peeked, weight):
    """Write into weight (10,) the probability of each card."""
    no_natural = total - unit_ - (left[hole] if hole >= 0 else 0.0)
    mass = 0.0
    for c in range(10):
        weight[c] = left[c]
        if peeked:
            # The hole card is one of the others, and it is not the card of a natural.
            weight[c] *= no_natural + (unit_ if c == hole else 0.0)
        mass += weight[c]
    for c in range(10):
        weight[c] /= max(mass, 1e-300)


@njit(cache=True)
def alias_table(weight, cut, other):
    """Write cut and other (11,): column i is taken below cut[i], else other[i] is."""
    scaled = np.empty(CARDS)
    for i in range(CARDS):
        scaled[i] = weight[i] * CARDS
        other[i] = i
    for _ in range(CARDS):
        low, high = -1, -1
        for i in range(CARDS):
            if other[i] == i and scaled[i] < 1.0 and (low < 0 or scaled[i] < scaled[low]):
                low = i
            if other[i] == i and scaled[i] > 1.0 and (high < 0 or scaled[i] > scaled[high]):
                high = i
        if low < 0 or high < 0:
            break
        other[low] = high
        scaled[high] -= 1.0 - scaled[low]
    for i in range(CARDS):
        cut[i] = scaled[i] if other[i] != i else 1.0


@njit(cache=True)
def touch(problem, tree, context, hand):
    """The node of a position, made if there is none."""
    position = context * problem.child.shape[0] + hand
    if tree.slot[position] >= 0:
        return np.int64(tree.slot[position])
    node = tree.size[0]
    tree.size[0] += 1
    tree.slot[position] = node
    tree.where[node] = position
    left, weight = np.empty(10), tree.weight[node]
    pair, split = problem.pair, context > 0
    total = unseen(problem.base, problem.counts[hand], problem.unit, context, pair, left)
    draw_weights(left, total, problem.unit, problem.hole, problem.peeked, weight)
    weight[PAIR] = 0.0
    if split and hand == problem.child[0, pair] and context <= problem.resplits:
        again = max(0.0, problem.pair_left - problem.unit * (context - 1))
        if left[pair] > 0.0:
            weight[PAIR] = weight[pair] * min(1.0, again / left[pair])
            weight[pair] -= weight[PAIR]
    alias_table(weight, tree.cut[node], tree.other[node])
    busts = 0.0
    for c in range(10):
        tree.kids[node, c] = UNKNOWN
        if problem.child[hand, c] < 0:
            tree.kids[node, c] = BUST
            busts += weight[c]
    for i in range(tree.sums.shape[1]):
        tree.sums[node, i] = 0.0
    tree.sums[node, BUSTS] = busts
    tree.counted[node] = 0
    tree.outcome[node, WIN] = -1.0
    tree.value[node] = 0.0
    tree.visits[node] = 0.0
    kind = np.uint64(split)
    tree.legal[node] = problem.legal[kind, hand]
    tree.policy[node] = problem.policy[kind, hand]
    stats = tree.stats[node]
    for a in range(NUM_ACTIONS):
        for i in range(stats.shape[1]):
            stats[a, i] = 0.0
        stats[a, EXPLORE] = UNTRIED
    known = problem.memory[hand if problem.memory.shape[0] > 1 else 0]
    priors(known, tree.legal[node], np.int64(tree.policy[node]), stats)
    return np.int64(node)


@njit(cache=True)
def priors(known, legal, liked, stats):
    """Fill stats (5, 11) with what the memory knows, known (5, 2), and the priors of PUCT."""
    most, count = -1e300, 0
    for a in range(NUM_ACTIONS):
        if not (legal >> a) & 1:
            continue
        count += 1
        if known[a, 0] > 0.0:
            stats[a, KNOWN] = known[a, 0]
            stats[a, KNOWN_MEAN] = known[a, 1]
            stats[a, EXPLORE] = 1.0 / np.sqrt(known[a, 0])
            if known[a, 1] > most:
                liked, most = a, known[a, 1]
    for a in range(NUM_ACTIONS):
        stats[a, PRIOR] = LIKED if a == liked else (1.0 - LIKED) / max(1, count - 1)


@njit(cache=True)
def dealer_play(trie, orders, left, total, unit_, out):
    """Write into out (6,) how the dealer ends: 17, …, 21, Charlie; naturals and busts apart."""
    along = np.empty(DEEPEST)
    along[0] = 1.0
    for k in range(6):
        out[k] = 0.0
    for i in range(trie.shape[1]):
        deep = np.uint64(trie[0, i])
        have = left[np.uint64(trie[1, i])] - unit_ * trie[2, i]
        before = deep - np.uint64(1)
        there = total - unit_ * np.float64(before)
        p = along[before] * have / there if have > 0.0 and there > 0.0 else 0.0
        along[deep] = p
        if trie[3, i] >= 0:
            out[np.uint64(trie[3, i])] += orders[i] * p


@njit(cache=True)
def settle(problem, tree, node):
    """Work out what standing at a node brings."""
    num_hands = problem.child.shape[0]
    context, hand = tree.where[node] // num_hands, tree.where[node] % num_hands
    left, out = np.empty(10), np.empty(6)
    total = unseen(problem.base, problem.counts[hand], problem.unit, context, problem.pair, left)
    dealer_play(problem.trie, problem.orders, left, total, problem.unit, out)
    natural = left[problem.hole] / total if problem.hole >= 0 else 0.0
    if problem.plain_natural:
        out[4] += natural
        natural = 0.0
    rank = problem.rank[np.uint64(context > 0), hand]
    lost, draw, pays = natural, 0.0, 1.0
    if problem.peeked:
        lost = 0.0
        for k in range(6):
            out[k] /= max(1.0 - natural, 1e-9)
    if rank == NATURAL:
        draw, lost, pays = lost, 0.0, problem.natural_pays
    else:
        for k in range(6):
            if k > rank:
                lost += out[k]
            elif k == rank:
                draw += out[k]
    tree.outcome[node, WIN] = max(0.0, 1.0 - draw - lost)
    tree.outcome[node, NOT_LOST] = 1.0 - lost
    tree.outcome[node, WORTH] = pays * tree.outcome[node, WIN] - lost
    tree.outcome[node, PAYS] = pays


@njit(cache=True)
def kid_after(problem, tree, node, card):
    """The node after a card that does not bust, made if there is none."""
    num_hands = problem.child.shape[0]
    position = tree.where[node]
    hand = problem.child[position % num_hands, card]
    tree.kids[node, card] = touch(problem, tree, position // num_hands, hand)
    return np.int64(tree.kids[node, card])


@njit(cache=True, inline="always")
def draw_card(cut, other, node, bits):
    """A card at a node, 0…9 or PAIR."""
    column = ((bits >> np.uint64(32)) * np.uint64(CARDS)) >> np.uint64(32)
    share = np.float64(bits & np.uint64(0xFFFFFFFF)) * (1.0 / 4294967296.0)
    return column if share < cut[node, column] else np.uint64(other[node, column])


@njit(cache=True, inline="always")
def random_action(legal, u):
    """One of stand, hit and double, as far as they are legal."""
    count = np.uint64(1) + np.uint64((legal >> 1) & 1) + np.uint64((legal >> 2) & 1)
    return np.uint64(u * count)


@njit(cache=True)
def estimate(stats, node, a):
    """The value of an action at a node: what was found, blended with what was remembered."""
    known = stats[node, a, KNOWN]
    if known == 0.0:
        return stats[node, a, VALUE]
    n = stats[node, a, VISITS]
    return (known * stats[node, a, KNOWN_MEAN] + n * stats[node, a, VALUE]) / (known + n)


@njit(cache=True)
def select(stats, node, legal, visits, rule, constant):
    """The action that a selection rule tries next at a node."""
    if legal == 1:
        return np.uint64(STAND)
    best, most = np.uint64(0), -1e300
    log_total = np.log(visits + 1.0)
    width = constant * np.sqrt(log_total if rule == UCB1 else visits + 1.0)
    for a in range(np.uint64(NUM_ACTIONS)):
        if not (legal >> a) & np.uint64(1):
            continue
        explore = stats[node, a, EXPLORE]
        if rule == UCB1:
            score = estimate(stats, node, a) + width * explore
        else:
            n = stats[node, a, VISITS] + stats[node, a, KNOWN]
            if rule == PUCT:
                score = estimate(stats, node, a) + width * stats[node, a, PRIOR] / (1.0 + n)
            elif n == 0.0:
                score = UNTRIED
            elif rule == FLAT:
                score = -n
            else:
                score = estimate(stats, node, a) + constant * tuned(stats[node, a], n, log_total)
        if explore == UNTRIED and rule != PUCT:
            # The action that the chart or the memory likes is tried first.
            score += stats[node, a, PRIOR] * UNTRIED
        if score > most:
            best, most = a, score
    return best


@njit(cache=True)
def tuned(row, n, log_total):
    """The width of UCB1-Tuned, from the spread of an action's results.

    Its bound of 1/4 on the variance is for rewards within 1; these span four times that.
    """
    m = max(row[VISITS], 1.0)
    mean = row[SUM] / m
    spread = max(0.0, row[SQUARES] / m - mean * mean) + np.sqrt(2.0 * log_total / n)
    return np.sqrt(log_total / n * min(4.0, spread))


@njit(cache=True)
def best_value(stats, node, legal):
    """The best action's value, or −1e300 while an action is untried."""
    best = -1e300
    for a in range(np.uint64(NUM_ACTIONS)):
        if (legal >> a) & np.uint64(1):
            if stats[node, a, EXPLORE] == UNTRIED:
                return -1e300
            best = max(best, estimate(stats, node, a))
    return best


@njit(cache=True)
def record(stats, node, a, reward, wins, draws, losses):
    """Count a result for an action; its mean becomes the value, which expectation may replace."""
    n = stats[node, a, VISITS] + 1.0
    stats[node, a, VISITS] = n
    stats[node, a, SUM] += reward
    stats[node, a, SQUARES] += reward * reward
    stats[node, a, WINS] += wins
    stats[node, a, DRAWS] += draws
    stats[node, a, LOSSES] += losses
    stats[node, a, EXPLORE] = 1.0 / np.sqrt(n + stats[node, a, KNOWN])
    stats[node, a, VALUE] = stats[node, a, SUM] / n


@njit(cache=True)
def take_over(weight, sums, taken, counted, node, card, value):
    """Put a child's value into the expectation over the cards at a node."""
    p = weight[node, card]
    bit = np.int64(1) << np.int64(card)
    if not counted[node] & bit:
        counted[node] |= bit
        sums[node, HIT_MASS] += p
        sums[node, HIT_SUM] += p * value
    else:
        sums[node, HIT_SUM] += p * (value - taken[node, card])
    taken[node, card] = value


@njit(cache=True)
def over_cards(sums, node, column):
    """The expectation over the next card: busts exactly, other cards by those visited."""
    bust, mass = sums[node, BUSTS], sums[node, column + 1]
    if mass <= 0.0:
        return -bust
    return (1.0 - bust) * sums[node, column] / mass - bust


@njit(cache=True)
def doubled(weight, sums, counted, node, card, worth):
    """The value of doubling after a card that makes standing `worth`, or none (card < 0)."""
    bit = np.int64(1) << np.int64(16 + card)
    if card >= 0 and not counted[node] & bit:
        counted[node] |= bit
        sums[node, DOUBLE_MASS] += weight[node, card]
        sums[node, DOUBLE_SUM] += weight[node, card] * worth
    return 2.0 * over_cards(sums, node, DOUBLE_SUM)


@njit(cache=True)
def split_value(starts, weight, sums):
    """The value of splitting from the values of its hands, starts (resplits + 2,) from index 1.

    By exchangeability every hand of a split expects the same from the cards not seen, so only how
    many hands there will be matters: worth[m] is that of m hands which wait for a second card when
    k − 1 further pair cards are gone; a pair card always makes one more hand while that is allowed.
    """
    last, known = starts.size - 1, 1
    for k in range(1, last + 1):
        if sums[starts[k], HIT_MASS] > 0.0:
            known = k
    worth = np.zeros(last + 3)
    for k in range(last, 0, -1):
        other = over_cards(sums, starts[min(k, known)], HIT_SUM)
        again = weight[starts[k], PAIR]
        fewer = 0.0
        for m in range(1, k + 2):
            if k == last:
                worth[m] = m * other
            else:
                # worth[m + 1] is still that of one more pair card gone.
                fewer = again * worth[m + 1] + (1.0 - again) * (other + fewer)
                worth[m] = fewer
    return worth[2]


@njit(cache=True)
def run(problem, tree, simulations, rule, constant, backup, policy):
    """So many simulated rounds from the hand asked about.

    One simulation plays one hand, or the hands of a split one after the other; each goes down the
    tree, then on by the policy, ends, and is counted on its way back.
    """
    stats, value, visits, sums = tree.stats, tree.value, tree.visits, tree.sums
    kids, outcome, path = tree.kids, tree.outcome, tree.path
    weight, cut, other = tree.weight, tree.cut, tree.other
    taken, counted, legals, chart = tree.taken, tree.counted, tree.legal, tree.policy
    state = tree.random[0]
    split_worth = 0.0
    root = np.uint64(touch(problem, tree, 0, problem.root))
    single = problem.child[0, problem.pair]
    starts = np.zeros(problem.resplits + 2, np.int64)
    if (legals[root] >> SPLIT) & 1:
        for k in range(1, problem.resplits + 2):
            starts[k] = touch(problem, tree, k, single)
    for _ in range(simulations):
        first = select(stats, root, np.uint64(legals[root]), visits[root], rule, constant)
        splits = first == np.uint64(SPLIT)
        context, waiting = 1, 2
        reward_sum, expected_sum, win_sum, draw_sum, loss_sum = 0.0, 0.0, 0.0, 0.0, 0.0
        start, second = root, np.uint64(0)
        while True:
            node, inside, length, grown = root, True, np.uint64(0), False
            if splits:
                start = np.uint64(starts[context])
                state += GOLDEN
                second = draw_card(cut, other, start, mix(state))
                if second == np.uint64(PAIR):
                    context += 1
                    waiting += 1
                    continue
                waiting -= 1
                node = np.uint64(kids[start, second])
                if kids[start, second] < 0:
                    node = np.uint64(kid_after(problem, tree, start, second))
            action, last = first, node
            while True:
                if splits or length > 0 or not inside:
                    if inside and (visits[node] == 0.0 or rule == FLAT):
                        inside, grown, last = False, rule != FLAT, node
                    if inside:
                        legal = np.uint64(legals[node])
                        action = select(stats, node, legal, visits[node], rule, constant)
                    elif policy == RANDOM:
                        state += GOLDEN
                        action = random_action(legals[node], unit(mix(state)))
                    else:
                        action = np.uint64(chart[node])
                stake, card, end = 1.0, np.int64(-1), node
                bust = False
                if action == np.uint64(HIT) or action == np.uint64(DOUBLE):
                    state += GOLDEN
                    drawn = draw_card(cut, other, node, mix(state))
                    bust = kids[node, drawn] == BUST
                    if not bust:
                        card = np.int64(drawn)
                        end = np.uint64(kids[node, drawn])
                        if kids[node, drawn] < 0:
                            end = np.uint64(kid_after(problem, tree, node, drawn))
                    if action == np.uint64(DOUBLE):
                        stake = 2.0
                if inside:
                    path[length, 0] = np.int64(node)
                    path[length, 1] = np.int64(action)
                    path[length, 2] = card
                    length += np.uint64(1)
                if action != np.uint64(HIT) or bust:
                    break
                node = end
            wins, draws, losses = 0.0, 0.0, 0.0
            if bust:
                reward, expected, losses = -stake, -stake, stake
            elif action == np.uint64(SURRENDER):
                reward, expected, losses = problem.surrender, problem.surrender, 1.0
            else:
                if outcome[end, WIN] < 0.0:
                    settle(problem, tree, end)
                state += GOLDEN
                u = unit(mix(state))
                expected = stake * outcome[end, WORTH]
                if u < outcome[end, WIN]:
                    reward, wins = stake * outcome[end, PAYS], stake
                elif u < outcome[end, NOT_LOST]:
                    reward, draws = 0.0, 1.0
                else:
                    reward, losses = -stake, stake
            came_to = expected if backup == BELLMAN else reward
            if grown:
                visits[last] = 1.0
                sums[last, LINES] = came_to
                value[last] = came_to
                best = best_value(stats, last, np.uint64(legals[last]))
                if best > -1e300:
                    value[last] = best
            while length > 0:
                length -= np.uint64(1)
                node, a = np.uint64(path[length, 0]), np.uint64(path[length, 1])
                card = path[length, 2]
                record(stats, node, a, reward, wins, draws, losses)
                visits[node] += 1.0
                sums[node, LINES] += came_to
                best = -1e300
                if backup == BELLMAN:
                    if a == np.uint64(HIT):
                        if card >= 0:
                            kid = np.uint64(kids[node, card])
                            take_over(weight, sums, taken, counted, node, card, value[kid])
                        stats[node, a, VALUE] = over_cards(sums, node, HIT_SUM)
                    elif a == np.uint64(DOUBLE):
                        worth = outcome[end, WORTH]
                        stats[node, a, VALUE] = doubled(weight, sums, counted, node, card, worth)
                    else:
                        stats[node, a, VALUE] = expected
                    best = best_value(stats, node, np.uint64(legals[node]))
                value[node] = best if best > -1e300 else sums[node, LINES] / visits[node]
            if not splits:
                break
            if rule != FLAT:
                kid = np.uint64(kids[start, second])
                take_over(weight, sums, taken, counted, start, second, value[kid])
            reward_sum += reward
            expected_sum += expected
            win_sum += wins
            draw_sum += draws
            loss_sum += losses
            if waiting == 0:
                break
        if splits:
            record(stats, root, first, reward_sum, win_sum, draw_sum, loss_sum)
            visits[root] += 1.0
            if backup == BELLMAN:
                n = stats[root, first, VISITS]
                if n < 4.0 * SPLIT_STEP or n % SPLIT_STEP == 0.0 or split_worth == 0.0:
                    split_worth = split_value(starts, weight, sums)
                stats[root, first, VALUE] = split_worth
    tree.random[0] = state


@njit(cache=True)
def refresh(problem, tree):
    """Renew every value by expectation once, children first.

    A node that is reached by several orders of its cards is renewed where a simulation came from;
    this lets the other parents know.
    """
    stats = tree.stats
    for position in range(tree.slot.size - 1, -1, -1):
        if tree.slot[position] < 0:
            continue
        node = np.uint64(tree.slot[position])
        for c in range(10):
            if (tree.counted[node] >> c) & 1:
                value = tree.value[np.uint64(tree.kids[node, c])]
                take_over(tree.weight, tree.sums, tree.taken, tree.counted, node, c, value)
        if stats[node, HIT, VISITS] > 0.0:
            stats[node, HIT, VALUE] = over_cards(tree.sums, node, HIT_SUM)
        best = best_value(stats, node, np.uint64(tree.legal[node]))
        if best > -1e300 and tree.visits[node] > 0.0:
            tree.value[node] = best
    root = touch(problem, tree, 0, problem.root)
    if stats[root, SPLIT, VISITS] > 0.0:
        starts = np.zeros(problem.resplits + 2, np.int64)
        for k in range(1, problem.resplits + 2):
            starts[k] = touch(problem, tree, k, problem.child[0, problem.pair])
        stats[root, SPLIT, VALUE] = split_value(starts, tree.weight, tree.sums)
