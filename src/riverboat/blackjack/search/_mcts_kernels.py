"""Kernels of the search: simulated rounds through a tree of information states.

Cards are drawn from those the bot has not seen, one by one without replacement, given that there
is no dealer's natural after a peek. The dealer's play is not sampled card by card: what the dealer
ends with has a distribution for the cards unseen at the node, computed once (one pass over the trie
of the dealer's hands) and kept; results are sampled from it, which has the same distribution.
"""

from __future__ import annotations

import numpy as np

from riverboat.blackjack.exact.forms import DOUBLE, HIT, SPLIT, STAND, SURRENDER
from riverboat.blackjack.search._node_kernels import (
    BUST,
    CARDS,
    EV,
    EXPLORE,
    HIT_SUM,
    KNOWN,
    LOG,
    NUM_ACTIONS,
    PAIR,
    PRIOR,
    RETURNS,
    ROOT_LOG,
    SQUARES,
    SUM,
    UNTRIED,
    VALUE,
    VISITS,
    WIN,
    Number,
    Problem,
    Tree,
    child_after,
    settle,
    touch,
)
from riverboat.blackjack.search._value_kernels import (
    BELLMAN,
    ENDLESS,
    back_up,
    best_value,
    double_value,
    estimate,
    expand,
    expectation,
    record,
    stand_result,
    updated_split,
)
from riverboat.runtime.array_types import F64, I8
from riverboat.runtime.compiled import GOLDEN, mix, njit, unit

UCB1, UCB1_TUNED, PUCT, FLAT = 0, 1, 2, 3
"""Selection rules; FLAT deals simulations to the actions in turn and grows no tree."""
RANDOM, CHART = 0, 1  # Policies of rollouts


@njit(cache=True, inline="always")
def draw_card(threshold: F64, alias: I8, node: Number, bits: Number) -> Number:
    """A card at a node, 0…9 or PAIR."""
    column = ((bits >> np.uint64(32)) * np.uint64(CARDS)) >> np.uint64(32)
    share = np.float64(bits & np.uint64(0xFFFFFFFF)) * (1.0 / 4294967296.0)
    return column if share < threshold[node, column] else np.uint64(alias[node, column])


@njit(cache=True, inline="always")
def random_action(legal: Number, u: float) -> Number:
    """One of stand, hit and double, as far as they are legal."""
    count = np.uint64(1) + np.uint64((legal >> 1) & 1) + np.uint64((legal >> 2) & 1)
    return np.uint64(u * count)


@njit(cache=True)
def select(
    stats: F64, sums: F64, node: Number, legal: Number, visits: float, rule: int, constant: float
) -> Number:
    """The action that a selection rule tries next at a node."""
    if legal == 1:
        return np.uint64(STAND)
    best: Number = np.uint64(0)
    most = -1e300
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
def tuned(row: F64, n: float, log_total: float) -> float:
    """The width of UCB1-Tuned, from the spread of an action's results.

    Its bound of 1/4 on the variance is for rewards within 1; these span four times that.
    """
    m = max(row[VISITS], 1.0)
    mean = row[SUM] / m
    spread = max(0.0, row[SQUARES] / m - mean * mean) + np.sqrt(2.0 * log_total / n)
    width: float = np.sqrt(log_total / n * min(4.0, spread))
    return width


@njit(cache=True)
def run(
    problem: Problem,
    tree: Tree,
    simulations: int,
    rule: int,
    constant: float,
    backup: int,
    policy: int,
) -> None:
    """Simulate rounds from the hand asked about.

    One simulation plays one hand, or the hands of a split one after the other; each goes down the
    tree, then on by the policy, ends, and is counted on its way back. Down and back are one
    function on purpose: a call that hands on all these arrays counts the references of each, which
    takes a third of the speed, and two thirds with `inline="always"` (measured: 3.6 million rounds
    per second for T,6 against 9 where this form plays 13.8 million).
    """
    stats, value, visits, sums = tree.stats, tree.value, tree.visits, tree.sums
    children, outcome, path = tree.children, tree.outcome, tree.path
    chance, threshold, alias = tree.chance, tree.alias_threshold, tree.alias
    child_values, counted = tree.child_values, tree.counted
    legals, chart = tree.legal, tree.policy
    state = tree.random[0]
    split_ev = 0.0
    root = np.uint64(touch(problem, tree, np.int64(0), problem.root))
    single = np.int64(problem.child[0, problem.pair])
    pair_left = problem.pair_left if problem.unit > 0.0 else ENDLESS
    starts = np.zeros(problem.resplits + 2, np.int64)
    if (legals[root] >> SPLIT) & 1:
        for k in range(1, problem.resplits + 2):
            starts[k] = touch(problem, tree, np.int64(k), single)
    for _ in range(simulations):
        first = select(stats, sums, root, np.uint64(legals[root]), visits[root], rule, constant)
        splits = first == np.uint64(SPLIT)
        context, waiting = 1, 2
        reward_sum, win_sum, draw_sum, loss_sum = 0.0, 0.0, 0.0, 0.0
        start, second = root, np.uint64(0)
        while True:
            node, inside, length, grown = root, True, np.uint64(0), False
            if splits:
                start = np.uint64(starts[context])
                state += GOLDEN
                second = draw_card(threshold, alias, start, mix(state))
                if second == np.uint64(PAIR):
                    context += 1
                    waiting += 1
                    continue
                waiting -= 1
                node = np.uint64(children[start, second])
                if children[start, second] < 0:
                    node = np.uint64(child_after(problem, tree, start, second))
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
                    drawn = draw_card(threshold, alias, node, mix(state))
                    bust = children[node, drawn] == BUST
                    if not bust:
                        card = np.int64(drawn)
                        end = np.uint64(children[node, drawn])
                        if children[node, drawn] < 0:
                            end = np.uint64(child_after(problem, tree, node, drawn))
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
            if bust:
                reward, expected, wins, draws, losses = -stake, -stake, 0.0, 0.0, stake
            elif action == np.uint64(SURRENDER):
                given_up = problem.surrender
                reward, expected, wins, draws, losses = given_up, given_up, 0.0, 0.0, 1.0
            else:
                if outcome[end, WIN] < 0.0:
                    settle(problem, tree, end)
                state += GOLDEN
                reward, expected, wins, draws, losses = stand_result(
                    outcome, end, stake, unit(mix(state))
                )
            backed_up = expected if backup == BELLMAN else reward
            if grown:
                expand(stats, sums, visits, value, last, np.uint64(legals[last]), backed_up)
            while length > 0:
                length -= np.uint64(1)
                node, a = np.uint64(path[length, 0]), np.uint64(path[length, 1])
                card = path[length, 2]
                record(stats, node, a, reward, wins, draws, losses)
                visits[node] += 1.0
                sums[node, RETURNS] += backed_up
                best = -1e300
                if backup == BELLMAN:
                    if a == np.uint64(HIT):
                        if card >= 0:
                            child = np.uint64(children[node, card])
                            back_up(chance, sums, child_values, counted, node, card, value[child])
                        stats[node, a, VALUE] = expectation(sums, node, HIT_SUM)
                    elif a == np.uint64(DOUBLE):
                        ev = outcome[end, EV]
                        stats[node, a, VALUE] = double_value(chance, sums, counted, node, card, ev)
                    else:
                        stats[node, a, VALUE] = expected
                    best = best_value(stats, node, np.uint64(legals[node]))
                else:
                    stats[node, a, VALUE] = stats[node, a, SUM] / stats[node, a, VISITS]
                value[node] = best if best > -1e300 else sums[node, RETURNS] / visits[node]
            if not splits:
                break
            if rule != FLAT:
                child = np.uint64(children[start, second])
                back_up(chance, sums, child_values, counted, start, second, value[child])
            reward_sum += reward
            win_sum += wins
            draw_sum += draws
            loss_sum += losses
            if waiting == 0:
                break
        if splits:
            record(stats, root, first, reward_sum, win_sum, draw_sum, loss_sum)
            visits[root] += 1.0
            stats[root, first, VALUE], split_ev = updated_split(
                stats,
                sums,
                chance,
                starts,
                problem.split_sequences,
                pair_left,
                root,
                backup,
                split_ev,
            )
    tree.random[0] = state
