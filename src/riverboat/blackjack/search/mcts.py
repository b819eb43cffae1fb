"""UCT over the bot's information states, for one player who meets only chance and a dealer.

A simulation walks down the tree: at a decision the selection rule takes an action (UCB1 or
UCB1-Tuned, Auer et al. 2002; PUCT with a prior, Rosin 2011), at a chance node a card comes from
those the bot has not seen. It adds one node, plays on from there by the rollout policy, and its
result in bids goes back up (Kocsis & Szepesvári, "Bandit based Monte-Carlo planning", 2006).

What goes up is chosen by `backup`. "average" is plain UCT: an action is worth the mean of its
simulated results, as noisy as they are. "bellman" (the default) is DP-UCT (Keller & Helmert,
"Trial-based heuristic tree search", 2013): a chance node is the expectation over the cards seen so
far with their known probabilities, a decision the best of its actions once all have been tried, and
standing is worth its exact expectation over the dealer's play. Both converge to the optimum for
cards drawn from the shoe; they differ in how many simulations that takes.

Splitting is one action: the hands of a split are nodes of their own, valued as described in
_value_kernels.split_value. A pair drawn to a split hand is split again while the table allows it,
and a hand is played without looking at the other ones; both as in the exact analysis (CDZ-).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np

from riverboat.blackjack.exact.hand_tables import hand_table
from riverboat.blackjack.rules import ACTIONS, LETTERS, points, value
from riverboat.blackjack.search import _mcts_kernels as kernels
from riverboat.blackjack.search import _node_kernels as nodes
from riverboat.blackjack.search import _value_kernels as values
from riverboat.blackjack.search.problem import Situation, make_problem, shoe_counts
from riverboat.drawing.html import html_table
from riverboat.errors import ParameterError, TooLargeError, UnknownNameError
from riverboat.runtime.array_types import F64, U64
from riverboat.runtime.compiled import stream
from riverboat.solvers.run import Limit
from riverboat.solvers.run import run as run_work

CHUNK = 200  # Simulations between two checks of the clock
LONG_CHUNK = 1_000_000  # Simulations between two checks for Ctrl-C
Selection = Literal["ucb1", "ucb1-tuned", "puct", "flat"]
Backup = Literal["average", "bellman"]
Rollout = Literal["random", "basic", "greedy"]
CONSTANTS = {"ucb1": 2.0, "ucb1-tuned": 2.0, "puct": 2.0, "flat": 0.0}
"""The half width of what a doubled bet can bring, in bids."""
MAX_SIMULATIONS = 10**10


@dataclass(frozen=True)
class SearchConfig:
    """How to search.

    `selection` "flat" is no tree at all: the actions take turns and are followed by rollouts.
    `rollout` "greedy" follows the memory where that knows the hand, else the published chart.
    """

    selection: Selection = "ucb1"
    constant: float | None = None  # The weight of exploration in bids; None for the rule's own
    backup: Backup = "bellman"
    rollout: Rollout = "basic"

    def __post_init__(self) -> None:
        for name, kind in (("selection", Selection), ("backup", Backup), ("rollout", Rollout)):
            if getattr(self, name) not in get_args(kind):
                raise UnknownNameError.among(f"{name} rule", getattr(self, name), get_args(kind))
        if self.constant is not None and not 0 <= self.constant < math.inf:
            raise ParameterError(f"constant must be 0 or more, not {self.constant}.")
        if self.selection == "flat" and self.backup != "average":
            raise ParameterError("selection flat keeps no tree, so its backup must be average.")


@dataclass(frozen=True)
class Budget:
    """When to stop: after this many simulations, or milliseconds, or whichever comes first."""

    simulations: int | None = None
    ms: float | None = None

    def __post_init__(self) -> None:
        if self.simulations is None and self.ms is None:
            raise ParameterError("A budget needs simulations or ms.")
        if self.simulations is not None and self.simulations < 1:
            raise ParameterError(f"simulations must be 1 or more, not {self.simulations}.")
        if self.simulations is not None and self.simulations > MAX_SIMULATIONS:
            raise TooLargeError(
                f"A decision has at most {MAX_SIMULATIONS:,} simulations,"
                f" not {self.simulations:,}; give it a time instead."
            )
        if self.ms is not None and not 0 < self.ms < math.inf:
            raise ParameterError(f"ms must be above 0, not {self.ms}.")

    @classmethod
    def of(cls, limit: Budget | Limit) -> Budget:
        """A budget from a solver's limit: its iterations are simulations."""
        if isinstance(limit, Budget):
            return limit
        if limit.target is not None:
            raise ParameterError("A search stops after iterations or seconds, not at a target.")
        return cls(limit.iterations, None if limit.seconds is None else 1000 * limit.seconds)


@dataclass(frozen=True)
class ActionEstimate:
    """What the search knows of an action."""

    visits: int
    value: float  # In bids, with what the memory adds; of an action never tried or remembered, nan
    searched: float  # The same by this search alone
    mean: float  # The mean of the simulated results; `stderr` is its standard error
    stderr: float
    wins: float
    draws: float
    losses: float  # Simulated results weighted by the stake, for the memory


@dataclass(frozen=True, repr=False)
class SearchResult:
    """An anytime answer."""

    situation: Situation
    actions: dict[str, ActionEstimate]  # By letter, in the order S H D P R
    simulations: int
    nodes: int

    @property
    def best(self) -> str:
        """The letter of the action with the highest value."""
        tried = {letter: e.value for letter, e in self.actions.items() if e.value == e.value}
        return max(tried, key=tried.__getitem__) if tried else next(iter(self.actions))

    @property
    def value(self) -> float:
        return self.actions[self.best].value

    @property
    def insurance(self) -> float | None:
        """What insurance adds, in bids; None where it is not offered."""
        situation = self.situation
        offered = situation.table.rules.insurance and situation.up == "A"
        if not offered or len(situation.hand) != 2:
            return None
        offers = offer_values(self)
        return offers["I"] - offers["N"]

    def ranked(self) -> list[tuple[str, ActionEstimate]]:
        """Letter and estimate, best first; what was never tried last."""

        def known_ev(item: tuple[str, ActionEstimate]) -> float:
            ev = item[1].value
            return -math.inf if math.isnan(ev) else ev

        return sorted(self.actions.items(), key=known_ev, reverse=True)

    def as_dict(self, exact: Mapping[str, float] | None = None) -> dict[str, Any]:
        """Plain data; `exact` values by letter are added to those found."""
        return {
            "hand": ",".join(self.situation.hand),
            "up": self.situation.up,
            "best": ACTIONS[self.best],
            "actions": {
                ACTIONS[letter]: {
                    "visits": e.visits,
                    "value": _known(e.value),
                    "stderr": _known(e.stderr),
                    "exact": (exact or {}).get(letter),
                    "mean": _known(e.mean),
                    "wins": e.wins,
                    "draws": e.draws,
                    "losses": e.losses,
                }
                for letter, e in self.ranked()
            },
            "insurance": self.insurance,
            "simulations": self.simulations,
            "nodes": self.nodes,
        }

    def __repr__(self) -> str:
        values = ", ".join(f"{ACTIONS[letter]} {e.value:+z.4f}" for letter, e in self.ranked())
        hand = f"{','.join(self.situation.hand)} against {self.situation.up}"
        return f"SearchResult({hand}, {self.simulations:,} simulations: {values})"

    def _repr_html_(self) -> str:
        rows = [(ACTIONS[letter], f"{e.value:+z.5f}", e.visits) for letter, e in self.ranked()]
        title = f"{','.join(self.situation.hand)} against {self.situation.up}: {ACTIONS[self.best]}"
        note = f"{self.simulations:,} simulations, {self.nodes:,} nodes; values in bids"
        return html_table(("action", "value", "visits"), rows, title=title, note=note)


@dataclass(eq=False)
class Search:
    """A search tree that is kept while the cards that decide about it stay the same."""

    config: SearchConfig = field(default_factory=SearchConfig)
    seed: int = 0

    def __post_init__(self) -> None:
        self._random = np.array([stream(self.seed, 0)], np.uint64)
        self._problem: nodes.Problem | None = None
        self._situation: Situation | None = None
        self._memory: F64 | None = None
        self._tree = _empty_tree(1, self._random)

    @property
    def tree(self) -> nodes.Tree:
        """The nodes, for display."""
        return self._tree

    @property
    def problem(self) -> nodes.Problem:
        if self._problem is None:
            raise ParameterError("Nothing was searched yet: call run first.")
        return self._problem

    def reseed(self, seed: int) -> None:
        """Start chance anew."""
        self._random[0] = stream(seed, 0)

    def run(
        self, situation: Situation, budget: Budget | Limit, *, memory: F64 | None = None
    ) -> SearchResult:
        """Search a situation; with the same shoe and a longer hand the tree goes on growing."""
        began = time.perf_counter()
        self.open(situation, memory)
        return self.go_on(Budget.of(budget), began)

    def go_on(self, budget: Budget, began: float | None = None) -> SearchResult:
        """Search the last situation further; the budget's milliseconds run from `began` or now."""
        began = time.perf_counter() if began is None else began
        rule = get_args(Selection).index(self.config.selection)
        constant = self.config.constant
        if constant is None:
            constant = CONSTANTS[self.config.selection]
        backup = get_args(Backup).index(self.config.backup)
        policy = kernels.RANDOM if self.config.rollout == "random" else kernels.CHART
        problem, tree = self.problem, self._tree
        work = _Simulations(
            budget, lambda n: kernels.run(problem, tree, n, rule, constant, backup, policy)
        )
        # A deadline that never comes leaves Ctrl-C to the game in which the search runs.
        deadline = math.inf if budget.ms is None else began + budget.ms / 1000
        run_work(work, Limit(iterations=budget.simulations), deadline=deadline, first=CHUNK)
        if backup == values.BELLMAN:
            values.refresh(self.problem, self._tree)
        return self.result()

    def open(self, situation: Situation, memory: F64 | None = None) -> None:
        """Turn to a situation; the tree is kept where it goes on from the last one."""
        before = self._situation
        goes_on = (
            before is not None
            and len(situation.hand) > 2
            and replace(situation, hand=before.hand) == before
            and memory is self._memory
        )
        greedy = self.config.rollout == "greedy"
        problem = make_problem(situation, memory=memory, greedy=greedy)
        if not goes_on:
            nodes.clear(self._tree.node_at, self._tree.position, self._tree.size)
            contexts = 2 + problem.resplits if problem.legal[0, problem.root] >> 3 & 1 else 1
            if self._tree.node_at.size < contexts * len(problem.child):
                self._tree = _empty_tree(contexts, self._random)
        self._problem, self._situation, self._memory = problem, situation, memory

    def result(self) -> SearchResult:
        """What is known now."""
        problem, tree = self.problem, self._tree
        assert self._situation is not None
        root = nodes.touch(problem, tree, 0, problem.root)
        legal = int(problem.legal[0, problem.root])
        actions = {
            letter: estimate_of(tree.stats[root, a], 2.0 if letter in "DP" else 1.0)
            for a, letter in enumerate(LETTERS)
            if legal >> a & 1
        }
        visits = sum(estimate.visits for estimate in actions.values())
        return SearchResult(self._situation, actions, visits, int(tree.size[0]))


class _Simulations:
    """Simulations as the work of a run.

    Without a clock they are done in chunks of one size: the search of a split depends on where a
    chunk ends, and a game must be a function of its seed.
    """

    algorithm = "mcts"
    seconds = 0.0

    def __init__(self, budget: Budget, simulate: Callable[[int], None]) -> None:
        self.iterations, self._budget, self._simulate = 0, budget, simulate

    def advance(self, count: int) -> None:
        most = self._budget.simulations
        if self._budget.ms is None:
            count = LONG_CHUNK if most is None else min(LONG_CHUNK, most - self.iterations)
        self._simulate(count)
        self.iterations += count

    def evaluate(self) -> float:
        return math.nan


def _known(number: float) -> float | None:
    """None for what is not known yet."""
    return number if number == number else None


def offer_values(result: SearchResult) -> dict[str, float]:
    """What the answers before the peek are worth: I insurance, N none, R early surrender.

    Insurance is half a bid that pays two to one if the dealer has a natural, of which the chance
    is known from the cards not seen; the rest is the search's value of playing on.
    """
    situation = result.situation
    rules = situation.table.rules
    base, _, unit = shoe_counts(situation)
    for card in situation.hand + situation.up:
        base[value(card) - 1] -= unit
    hole = {1: 9, 10: 0}.get(value(situation.up))
    natural = 0.0 if hole is None else float(base[hole] / base.sum())
    play = result.value
    if rules.hole_card == "peek":
        mine = len(situation.hand) == 2 and points(situation.hand)[0] == 21
        play = (1 - natural) * play - (0.0 if mine else natural)
    return {"I": play + 1.5 * natural - 0.5, "N": play, "R": -0.5}


def estimate_of(row: F64, stake: float = 1.0) -> ActionEstimate:
    """One line of Tree.stats in words; `stake` is what the action usually plays for."""
    n, known = float(row[nodes.VISITS]), float(row[nodes.KNOWN])
    nan = math.nan
    ev = nan
    if n + known > 0:
        ev = (n * row[nodes.VALUE] + known * row[nodes.KNOWN_MEAN]) / (n + known)
    mean = float(row[nodes.SUM]) / n if n else nan
    # One more result, a whole stake off, keeps a few equal results from claiming certainty.
    spread = max(float(row[nodes.SQUARES]) - n * mean * mean, 0.0) + stake * stake if n else nan
    stderr = math.sqrt(spread) / n if n else nan
    wins, draws, losses = (float(row[c]) for c in (nodes.WINS, nodes.DRAWS, nodes.LOSSES))
    searched = float(row[nodes.VALUE]) if n else nan
    return ActionEstimate(int(n), float(ev), searched, mean, stderr, wins, draws, losses)


def _empty_tree(contexts: int, random: U64) -> nodes.Tree:
    num_hands = len(hand_table().size)
    n = contexts * num_hands
    return nodes.Tree(
        node_at=np.full(n, nodes.UNKNOWN, np.int32),
        position=np.zeros(n, np.int32),
        children=np.zeros((n, 10), np.int32),
        chance=np.zeros((n, nodes.CARDS)),
        alias_threshold=np.zeros((n, nodes.CARDS)),
        alias=np.zeros((n, nodes.CARDS), np.int8),
        outcome=np.zeros((n, 4)),
        legal=np.zeros(n, np.uint8),
        policy=np.zeros(n, np.uint8),
        stats=np.zeros((n, nodes.NUM_ACTIONS, 11)),
        sums=np.zeros((n, 8)),
        child_values=np.zeros((n, 10)),
        counted=np.zeros(n, np.int64),
        value=np.zeros(n),
        visits=np.zeros(n),
        size=np.zeros(1, np.int64),
        random=random,
        path=np.zeros((nodes.DEEPEST, 3), np.int64),
    )
