"""Kernels of the search: simulated rounds through a tree of information states.

Cards are drawn from those the bot has not seen, one by one without replacement, given that there
is no dealer's natural where he has peeked. The dealer's play is not drawn card by card: what he
ends with has a distribution for the cards unseen at the node, computed once (one pass over the trie
of his hands) and kept; results are drawn from it, which is the same in law.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from __future__ import annotations

import numpy as np
from numba import njit

from riverboat.learners.mcts_node_kernels import (
    BUST,
    BUSTS,
    CARDS,
    DOUBLE,
    DOUBLE_MASS,
    DOUBLE_SUM,
    DRAWS,
    EXPLORE,
    HIT,
    HIT_MASS,
    HIT_SUM,
    KNOWN,
    KNOWN_MEAN,
    LINES,
    LOG,
    LOSSES,
    NOT_LOST,
    NUM_ACTIONS,
    PAIR,
    PAYS,
    PRIOR,
    ROOT_LOG,
    SPLIT,
    SQUARES,
    STAND,
    SUM,
    SURRENDER,
    UNTRIED,
    VALUE,
    VISITS,
    WIN,
    WINS,
    WORTH,
    kid_after,
    settle,
    touch,
)
from riverboat.random_kernels import GOLDEN, mix, unit

__all__ = [
    "AVERAGE", "BELLMAN", "CHART", "FLAT", "PUCT", "RANDOM", "UCB1", "UCB1_TUNED", "refresh", "run",
]  # fmt: skip

UCB1, UCB1_TUNED, PUCT, FLAT = 0, 1, 2, 3
"""Selection rules; FLAT deals simulations to the actions in turn and grows no tree."""
AVERAGE, BELLMAN = 0, 1
"""Backup rules."""
RANDOM, CHART = 0, 1
"""Policies of rollouts."""
ENDLESS = 1e18
"""Cards of a rank in an infinite deck."""
SPLIT_STEP = 16.0
"""Simulations of a split between two looks at its value, after the first few."""


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
def select(stats, sums, node, legal, visits, rule, constant):
    """The action that a selection rule tries next at a node."""
    if legal == 1:
        return np.uint64(STAND)
    best, most = np.uint64(0), -1e300
    if visits < 64.0 or visits % 16.0 == 0.0:
        # A logarithm changes slowly: it need not be taken anew for every visit.
        sums[node, LOG] = np.log(visits + 1.0)
        sums[node, ROOT_LOG] = np.sqrt(sums[node, LOG])
    log_total = sums[node, LOG]
    width = constant * (sums[node, ROOT_LOG] if rule == UCB1 else np.sqrt(visits + 1.0))
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
    """Count a result for an action."""
    n = stats[node, a, VISITS] + 1.0
    stats[node, a, VISITS] = n
    stats[node, a, SUM] += reward
    stats[node, a, SQUARES] += reward * reward
    stats[node, a, WINS] += wins
    stats[node, a, DRAWS] += draws
    stats[node, a, LOSSES] += losses
    stats[node, a, EXPLORE] = 1.0 / np.sqrt(n + stats[node, a, KNOWN])


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
def split_value(starts, weight, sums, ways, left):
    """The value of splitting from the values of its hands, starts (resplits + 2,) from index 1.

    Cards are exchangeable, so every hand of a split expects the same from the cards not seen and
    only the second cards decide how many hands there are, summed over ways (W, 4) by inclusion and
    exclusion as in solvers.blackjack_engine. `left` cards would pair. What was not visited yet,
    or has more pair cards gone than the tree has contexts for, takes the nearest value known.
    """
    last, known = starts.size - 1, 1
    for k in range(1, last + 1):
        if sums[starts[k], HIT_MASS] > 0.0:
            known = k
    terms = 2 * last + 1
    whole, other = np.zeros(terms), np.zeros(terms)
    any_card = over_cards(sums, starts[known], HIT_SUM)
    drawn = 1.0
    for k in range(terms):
        again = weight[starts[1], PAIR] * max(0.0, left - k) / max(left, 1.0)
        if k + 1 < last:
            again = weight[starts[k + 1], PAIR]
        whole[k] = drawn * any_card
        not_again = over_cards(sums, starts[max(1, min(k + 1, last - 1, known))], HIT_SUM)
        other[k] = drawn * (1.0 - again) * not_again
        drawn *= again
    value = 0.0
    for w in range(ways.shape[0]):
        pairs, others = np.int64(ways[w, 0]), np.int64(ways[w, 1])
        sign, choose, choose_less = 1.0, 1.0, 1.0
        for i in range(others + 1):
            value += sign * ways[w, 3] * ways[w, 2] * choose * whole[pairs + i]
            if i < others:
                value += sign * ways[w, 3] * others * choose_less * other[pairs + i]
                choose_less *= (others - 1.0 - i) / (i + 1.0)
            choose *= (others - i) / (i + 1.0)
            sign = -sign
    return value


@njit(cache=True)
def run(problem, tree, simulations, rule, constant, backup, policy):
    """So many simulated rounds from the hand asked about.

    One simulation plays one hand, or the hands of a split one after the other; each goes down the
    tree, then on by the policy, ends, and is counted on its way back. One function on purpose: a
    call that hands on the tree counts references of all its arrays, ten times the work of a step.
    """
    stats, value, visits, sums = tree.stats, tree.value, tree.visits, tree.sums
    kids, outcome, path = tree.kids, tree.outcome, tree.path
    weight, cut, other = tree.weight, tree.cut, tree.other
    taken, counted, legals, chart = tree.taken, tree.counted, tree.legal, tree.policy
    state = tree.random[0]
    split_worth = 0.0
    root = np.uint64(touch(problem, tree, np.int64(0), problem.root))
    single = np.int64(problem.child[0, problem.pair])
    left = problem.pair_left if problem.unit > 0.0 else ENDLESS
    starts = np.zeros(problem.resplits + 2, np.int64)
    if (legals[root] >> SPLIT) & 1:
        for k in range(1, problem.resplits + 2):
            starts[k] = touch(problem, tree, np.int64(k), single)
    for _ in range(simulations):
        first = select(stats, sums, root, np.uint64(legals[root]), visits[root], rule, constant)
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
                        action = select(stats, sums, node, legal, visits[node], rule, constant)
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
                else:
                    stats[node, a, VALUE] = stats[node, a, SUM] / stats[node, a, VISITS]
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
                    split_worth = split_value(starts, weight, sums, problem.ways, left)
                stats[root, first, VALUE] = split_worth
            else:
                stats[root, first, VALUE] = stats[root, first, SUM] / stats[root, first, VISITS]
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
    root = touch(problem, tree, np.int64(0), problem.root)
    if stats[root, SPLIT, VISITS] > 0.0:
        starts = np.zeros(problem.resplits + 2, np.int64)
        for k in range(1, problem.resplits + 2):
            start = np.int64(problem.child[0, problem.pair])
            starts[k] = touch(problem, tree, np.int64(k), start)
        left = problem.pair_left if problem.unit > 0.0 else ENDLESS
        stats[root, SPLIT, VALUE] = split_value(starts, tree.weight, tree.sums, problem.ways, left)
