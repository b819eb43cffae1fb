"""The search compared with exact values, and search trees and memories laid out for pictures."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from riverboat.blackjack.charts import UPS
from riverboat.blackjack.exact.analysis import Analysis, analyse
from riverboat.blackjack.exact.hand_tables import hand_table
from riverboat.blackjack.round import Round
from riverboat.blackjack.rules import ACTIONS, LETTER_OF, LETTERS, RANKS, points, value
from riverboat.blackjack.search import _node_kernels as nodes
from riverboat.blackjack.search.mcts import CONSTANTS, Search, estimate_of
from riverboat.blackjack.search.memory import Counts, Knowledge, probability
from riverboat.blackjack.search.problem import Situation, Table
from riverboat.blackjack.search.tree_drawing import CoverageCell, TreeNode
from riverboat.evaluation import action_values as exact

VALUES = "A23456789T"
NEAR_TIE = 0.002  # Bids between the two best actions below which the choice hardly matters


@lru_cache(maxsize=64)
def _analysis(table: Table, shoe: tuple[int, ...] | None) -> Analysis:
    return analyse(table.rules, shoe)


def exact_values(situation: Situation) -> dict[str, float]:
    """Letter → exact value of each action; twenty-one from a full pack only."""
    if situation.table.plain_natural:
        cards = "".join(VALUES[v - 1] for v in sorted(map(value, situation.hand)))
        known = exact.exact_values("twentyone", f"{cards}|{VALUES[value(situation.up) - 1]}")
        return {letter.upper(): ev for letter, ev in (known or {}).items()}
    values = _analysis(situation.table, situation.shoe).action_values(
        situation.hand, situation.up, hands=situation.hands
    )
    return {LETTER_OF[name]: v for name, v in values.items()}


def random_situations(table: Table, count: int, seed: int) -> list[Situation]:
    """Decisions met with a fresh shoe by a player who hits at random."""
    rng = np.random.default_rng(seed)
    decks = 8 if table.rules.decks == "infinite" else table.rules.decks
    pack = np.array(list(RANKS * (4 * decks)))
    situations: list[Situation] = []
    while len(situations) < count:
        cards = iter(rng.permutation(pack)[:40].tolist())
        table_round = Round.open(table.rules)
        while table_round.turn.wants != "over":
            if table_round.turn.wants == "card":
                table_round = table_round.deal(next(cards))
                continue
            options = table_round.actions()
            if "S" not in options:
                table_round = table_round.act("N")
                continue
            hand = table_round.seats[0][0].cards
            situations.append(Situation(table, hand, table_round.dealer[0]))
            table_round = table_round.act("SH"[int(rng.integers(2))])
    return situations[:count]


@dataclass(frozen=True)
class Convergence:
    """How often a search found the best action, and what its choices cost, with standard errors."""

    decisions: int
    best: float
    best_stderr: float
    clear_best: float  # The share of best actions where the second best is NEAR_TIE or more behind
    regret: float
    regret_stderr: float


def measure_convergence(
    situations: Sequence[Situation], choose: Callable[[Situation], str]
) -> Convergence:
    """Let `choose` decide each situation and value its choices exactly."""
    costs, right, clear = [], [], []
    for situation in situations:
        values = exact_values(situation)
        ordered = sorted(values.values(), reverse=True)
        cost = ordered[0] - values[choose(situation)]
        costs.append(cost)
        right.append(cost < 1e-12)
        if len(ordered) < 2 or ordered[0] - ordered[1] >= NEAR_TIE:
            clear.append(cost < 1e-12)
    num_situations, share, regret = len(costs), float(np.mean(right)), np.array(costs)
    best_stderr = float(np.sqrt(share * (1 - share) / num_situations))
    clear_best = float(np.mean(clear)) if clear else 1.0
    stderr = float(regret.std(ddof=1) / np.sqrt(num_situations)) if num_situations > 1 else 0.0
    return Convergence(num_situations, share, best_stderr, clear_best, float(regret.mean()), stderr)


def outline(search: Search, exact: Mapping[str, float]) -> TreeNode:
    """The top of the tree: the actions, best first, and what the next card leads to."""
    result, tree, problem = search.result(), search.tree, search.problem
    root = int(tree.node_at[problem.root])
    total = math.log(max(2, result.simulations))
    constant = search.config.constant or CONSTANTS[search.config.selection]
    actions = []
    for letter, estimate in result.actions.items():
        width = constant * math.sqrt(total / estimate.visits) if estimate.visits else math.nan
        figures = (estimate.visits, estimate.value, estimate.stderr, estimate.value + width)
        known, best = exact.get(letter, math.nan), letter == result.best
        hands = _next_hands(search, root, letter)
        actions.append(TreeNode(ACTIONS[letter], *figures, known, best, hands))
    actions.sort(key=lambda node: -node.value if node.value == node.value else math.inf)
    situation = result.situation
    label = f"{','.join(situation.hand)} against {situation.up}"
    return TreeNode(label, result.simulations, result.value, children=tuple(actions))


def _next_hands(search: Search, root: int, letter: str) -> tuple[TreeNode, ...]:
    """The hands one card after an action, in the order of the cards."""
    tree, problem = search.tree, search.problem
    node = root
    if letter == "P":
        start = len(problem.child) + int(problem.child[0, problem.pair])
        node = int(tree.node_at[start])
    elif letter not in "HD":
        return ()
    if node < 0 or not tree.stats[root, LETTERS.index(letter), nodes.VISITS]:
        return ()
    hands = []
    for card in range(10):
        child = int(tree.children[node, card])
        if tree.chance[node, card] <= 0 or child == nodes.BUST:
            continue
        chance = f"{UPS[card]} {100 * tree.chance[node, card]:4.1f} %"
        if child < 0:
            hands.append(TreeNode(chance, 0, math.nan))
            continue
        name = _total(int(tree.position[child]) % len(problem.child))
        if letter == "D":
            ev = float(tree.outcome[child, nodes.EV])
            known = tree.outcome[child, nodes.WIN] >= 0
            hands.append(TreeNode(f"{chance}  {name}", 0, 2 * ev if known else math.nan))
            continue
        visits = int(tree.visits[child])
        best = _best(tree, child)
        value = float(tree.value[child]) if visits else math.nan
        hands.append(TreeNode(f"{chance}  {name} {best}", visits, value))
    if tree.sums[node, nodes.BUSTS] > 0:
        share = float(tree.sums[node, nodes.BUSTS])
        bust = -2.0 if letter == "D" else -1.0
        hands.append(TreeNode(f"  {100 * share:4.1f} %  bust", 0, bust))
    return tuple(hands)


def _best(tree: nodes.Tree, node: int) -> str:
    """The name of the best action tried at a node."""
    values = [
        estimate_of(tree.stats[node, a]).value if tree.legal[node] >> a & 1 else math.nan
        for a in range(len(LETTERS))
    ]
    if all(value != value for value in values):
        return ""
    return ACTIONS[LETTERS[int(np.nanargmax(values))]]


def _total(hand: int) -> str:
    table = hand_table()
    return f"{'soft' if table.soft[hand] else 'hard'} {table.total[hand]}"


def coverage_of(knowledge: Knowledge) -> list[CoverageCell]:
    """The memory by row of a chart and up card."""
    cells: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for state in sorted(knowledge.table):
        cells[_row(state[1]), state[0]].append(state)
    coverage = []
    for (row, up), states in cells.items():
        results: dict[str, Counts] = defaultdict(Counts)
        for state in states:
            for action, counts in knowledge.table[state].items():
                results[action] = results[action] + counts
        visits = sum(counts.visits(action) for action, counts in results.items())
        means = {a: c.mean(a) for a, c in results.items() if a != "I" and c.visits(a) > 0}
        best = max(means, key=means.__getitem__) if means else ""
        chance = sum(map(probability, states))
        coverage.append(CoverageCell(row, up, visits, len(states), best, chance))
    return coverage


def _row(hand: str) -> str:
    if len(hand) == 2 and hand[0] == hand[1]:
        return f"{hand[0]},{hand[0]}"
    total, soft = points(hand)
    return f"{'soft' if soft else 'hard'} {total}"
