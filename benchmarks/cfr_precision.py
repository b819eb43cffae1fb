"""CFR, CFR+ and DCFR on Leduc in as many digits as wanted, compared with float64 and with a paper.

    python benchmarks/cfr_precision.py                 # 100 digits, some five minutes
    python benchmarks/cfr_precision.py --digits 200    # the same figures, ten minutes

Regret matching divides by the sum of the positive regrets. Where that is small, a rounding error
grows from iteration to iteration, until two programs with the same rule and the same game follow
different paths. This program shows from where on, and which path is the one of exact arithmetic.

The solver here shares no code with Riverboat: public states, a vector of six cards for each player,
Python's `decimal`. Players update in turn, the first player first; averages weigh iteration t by
1 (CFR), t (CFR+) or t² (DCFR), with the strategy played in t.
"""

from __future__ import annotations

import argparse
import decimal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np

CARDS = 6  # Two jacks, two queens, two kings: a card's rank is its number // 2
RAISES = (2, 4)
MOVES = {"": "cr", "c": "cr", "r": "fcr", "cr": "fcr", "rr": "fc", "crr": "fc"}
"""The betting of a round and what may follow; a round that is not listed is over."""

PUBLISHED = {
    "cfr": {50: 0.1890834659549563, 100: 0.0957163530045979, 200: 0.05383832390280856,
            300: 0.03552411624109633, 500: 0.021507209207812267, 1000: 0.011817129942816987},
    "cfr+": {50: 0.03412145649454963, 100: 0.0134159949715811, 200: 0.004991256680480519,
             300: 0.0023296348919080723, 500: 0.000889063125878789, 1000: 0.00025710955969532323},
    "dcfr": {50: 0.022921832286570437, 100: 0.007753340469168979, 200: 0.002076069905228753,
             300: 0.0010565306043662515, 500: 0.0005621192963002064, 1000: 0.00015270815274320837},
}  # fmt: skip
"""Exploitability by iteration: results/{CFR,CFRPlus,DCFR}/LeducPoker/data.csv, commit 0e4de9b of
github.com/rpSebastian/DDCFR (Xu et al., "Dynamic discounted counterfactual regret minimization",
ICLR 2024). Their program is Python on OpenSpiel's leduc_poker, in float64."""
MARKS = tuple(PUBLISHED["cfr"])


@dataclass
class Node:
    """A public state: a decision, the community card (children, no player), or an end (payoffs)."""

    player: int = -1
    children: list[Node] = field(default_factory=list)
    payoffs: Any = None  # (6, 6) first player's gain by both cards, times the deal's probability
    strategy: Any = None  # (actions, 6)
    regrets: Any = None
    average: Any = None


@dataclass(frozen=True)
class Rule:
    """The factors of one iteration."""

    positive: Any
    negative: Any
    weight: Any
    plus: bool


def rule_of(algorithm: str, t: int) -> Rule:
    one = Decimal(1)
    if algorithm == "cfr":
        return Rule(one, one, one, plus=False)
    if algorithm == "cfr+":
        return Rule(one, one, Decimal(t), plus=True)
    power = (Decimal(t - 1) ** 3).sqrt()  # alpha = 1.5, beta = 0, gamma = 2
    return Rule(power / (power + 1), one / 2, Decimal(t * t), plus=False)


def filled(rows: int, number: Decimal) -> Any:
    return np.full((rows, CARDS), number, dtype=object)


def public_state(
    betting: str = "", board: int | None = None, paid: tuple[int, int] = (1, 1)
) -> Node:
    """The public tree from a state on: the betting of this round, the card, what both have paid."""
    if betting in MOVES:
        player, moves = len(betting) % 2, MOVES[betting]
        node = Node(player)
        for move in moves:
            chips = list(paid)
            if move != "f":
                extra = RAISES[board is not None] if move == "r" else 0
                chips[player] = max(paid) + extra
            node.children.append(public_state(betting + move, board, (chips[0], chips[1])))
        node.strategy = filled(len(moves), Decimal(1) / len(moves))
        node.regrets = filled(len(moves), Decimal(0))
        node.average = filled(len(moves), Decimal(0))
        return node
    if board is None and not betting.endswith("f"):
        return Node(children=[public_state("", card, paid) for card in range(CARDS)])
    return Node(payoffs=payoff_matrix(betting, board, paid))


def payoff_matrix(betting: str, board: int | None, paid: tuple[int, int]) -> Any:
    deals = CARDS * (CARDS - 1) * (1 if board is None else CARDS - 2)
    matrix = filled(CARDS, Decimal(0))
    for first in range(CARDS):
        for second in range(CARDS):
            if first == second or board in (first, second):
                continue
            if betting.endswith("f"):
                first_wins = len(betting) % 2 == 0
            elif first // 2 == second // 2:
                continue
            elif board is not None and board // 2 in (first // 2, second // 2):
                first_wins = first // 2 == board // 2
            else:
                first_wins = first > second
            matrix[first, second] = Decimal(paid[1] if first_wins else -paid[0]) / deals
    return matrix


def values_at_end(node: Node, player: int, reach: Any) -> Any:
    return node.payoffs @ reach if player == 0 else -(reach @ node.payoffs)


def matched(weights: Any) -> Any:
    """The strategy in proportion to the positive parts, uniform where there are none."""
    positive = np.where(weights > 0, weights, Decimal(0))
    total = positive.sum(axis=0)
    uniform = Decimal(1) / len(weights)
    return np.where(total > 0, positive / np.where(total > 0, total, Decimal(1)), uniform)


def update(node: Node, player: int, own: Any, other: Any, rule: Rule) -> Any:
    """Values (6,) of the player's cards by the opponent's reach; renews the player's infosets."""
    if node.payoffs is not None:
        return values_at_end(node, player, other)
    if node.player == -1:
        return sum(update(child, player, own, other, rule) for child in node.children)
    pairs = list(zip(node.children, node.strategy, strict=True))
    if node.player != player:
        return sum(update(child, player, own, other * share, rule) for child, share in pairs)
    gains = np.array([update(child, player, own * share, other, rule) for child, share in pairs])
    value = (node.strategy * gains).sum(axis=0)
    node.average = node.average + rule.weight * own * node.strategy
    factor = np.where(node.regrets > 0, rule.positive, rule.negative)
    node.regrets = node.regrets * factor + (gains - value)
    if rule.plus:
        node.regrets = np.where(node.regrets > 0, node.regrets, Decimal(0))
    node.strategy = matched(node.regrets)
    return value


def best_response(node: Node, player: int, other: Any) -> Any:
    """Values (6,) of the best answer to the opponent's average strategy."""
    if node.payoffs is not None:
        return values_at_end(node, player, other)
    if node.player == -1:
        return sum(best_response(child, player, other) for child in node.children)
    if node.player == player:
        return np.max([best_response(child, player, other) for child in node.children], axis=0)
    pairs = zip(node.children, matched(node.average), strict=True)
    return sum(best_response(child, player, other * share) for child, share in pairs)


def exploitabilities(
    algorithm: str, marks: Sequence[int], digits: int
) -> Iterator[tuple[int, Decimal]]:
    """Iterations and exploitability (NashConv / 2) at the marks, in `digits` decimal digits."""
    with decimal.localcontext() as context:
        context.prec = digits
        root, everything = public_state(), filled(1, Decimal(1))[0]
        for t in range(1, max(marks) + 1):
            for player in (0, 1):
                update(root, player, everything, everything, rule_of(algorithm, t))
            if t in marks:
                best = [best_response(root, player, everything).sum() for player in (0, 1)]
                yield t, sum(best) / 2


def float_runs(algorithm: str, marks: Sequence[int], runs: int) -> Any:
    """(runs, marks) Riverboat's figures; the first run as it is, the others with changed bits.

    After the first iteration their regrets change by at most one unit in the last place.
    """
    from riverboat.games.registry import make_game
    from riverboat.solvers.cfr import CFRSolver
    from riverboat.trees.game_tree import build_tree
    from riverboat.trees.sequence_form import sequence_form

    form, random = sequence_form(build_tree(make_game("leduc"))), np.random.default_rng(0)
    table = np.zeros((runs, len(marks)))
    for run in range(runs):
        solver = CFRSolver(form, algorithm)
        solver.iterate(1)
        if run:
            steps = random.choice([-1, 0, 1], size=len(solver.regrets))
            solver.regrets *= 1 + steps * np.finfo(float).eps
        for i, mark in enumerate(marks):
            solver.iterate(mark - solver.iterations)
            table[run, i] = solver.nash_conv() / 2
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--digits", type=int, default=100, help="of the decimal arithmetic")
    parser.add_argument("--runs", type=int, default=100, help="in float64, with changed bits")
    parser.add_argument("--algorithm", action="append", choices=list(PUBLISHED))
    options = parser.parse_args()
    show: Callable[[float], str] = "{:>12.5e}".format
    for algorithm in options.algorithm or PUBLISHED:
        table = float_runs(algorithm, MARKS, options.runs + 1)
        print(f"{algorithm} on Leduc, exploitability; the range is of {options.runs} runs in")
        print("float64 whose regrets differ in the last bit after the first iteration")
        heads = (f"{options.digits} digits", "Riverboat", "published", "from", "to")
        print("iteration", *(f"{head:>12}" for head in heads))
        for i, (t, exact) in enumerate(exploitabilities(algorithm, MARKS, options.digits)):
            ours, theirs, others = table[0, i], PUBLISHED[algorithm][t], table[1:, i]
            figures = (float(exact), ours, theirs, others.min(), others.max())
            print(f"{t:>9}", *(show(figure) for figure in figures), flush=True)


if __name__ == "__main__":
    main()
