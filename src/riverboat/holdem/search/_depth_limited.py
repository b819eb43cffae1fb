"""Solve a flop up to the end of its betting: discounted CFR with the blueprint's values there.

Brown, Sandholm and Amos, "Depth-limited solving for imperfect-information games" (NeurIPS 2018).
Where the flop's betting ends the searching player is assumed to play the blueprint; the opponent
chooses, hand by hand, one of four continuations: a plan that only beats one of them gains nothing.
The discounts are the spot solver's, all 1,176 hands of both players count, and an iteration updates
first one player and then the other. All-ins and folds are exact.

With a bound the opponent may stop before the flop (`spots.first_choice`). The bound that
belongs here is the best response in this same game to the blueprint: `best_response` finds it.

`FlopTree` aligns the flop's tree with the blueprint's: a node has the point of the blueprint that
its line is understood as; a bet the blueprint does not have is the likelier of its two neighbours.
Where the betting ends the blueprint's turn follows, its chips scaled by the real pot.

Cost of an iteration: two passes over one matrix of 11 MB for each leaf, 1.3 ms.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from riverboat.cards.combos import COMBO_CARDS, NUM_COMBOS
from riverboat.holdem.blueprints.betting_tree import between, pot_share
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.pot_shares import meets
from riverboat.holdem.blueprints.translation import Trail
from riverboat.holdem.rules.betting import Street, nearest_action
from riverboat.holdem.search._flop_leaf_kernels import columns, rows
from riverboat.holdem.search._flop_leaves import CHOICES, FlopCards, LeafMatrix
from riverboat.holdem.search._resolving import (
    FORCED,
    WARM_ITERATIONS,
    amount_of_action,
    shared_nodes,
)
from riverboat.holdem.spots.first_choice import FirstChoice
from riverboat.holdem.spots.schedule import discounts
from riverboat.holdem.spots.tree import BetAction, NodeKind, SpotTree, TreeNode
from riverboat.holdem.vector_cfr import Decision, VectorCFR, matched
from riverboat.runtime.array_types import F32, F64
from riverboat.solvers.algorithms import AVERAGE, BEST, LEARN


@dataclass(frozen=True, eq=False)
class FlopTree:
    """The flop's nodes of a spot's tree, parents first."""

    tree: SpotTree
    nodes: tuple[TreeNode, ...]
    trails: dict[int, Trail]  # By node: the real betting and how the blueprint understands it
    turns: dict[int, int]
    """Where the betting ends and goes on on the turn: the blueprint's first node there."""


def align_tree(tree: SpotTree, blueprint: Blueprint, trail: Trail) -> FlopTree:
    """Align a spot's tree on a flop with the blueprint's from `trail`, where the flop begins."""
    theirs = blueprint.abstract.tree
    trails, turns, nodes = {0: trail}, dict[int, int](), list[TreeNode]()
    for node in tree.nodes:
        if node.street != tree.spot.street:
            continue
        nodes.append(node)
        here = trails[node.index]
        if node.kind == NodeKind.CHANCE and node.put[0] < tree.spot.stack:
            position = None if here.over else here.position(theirs)
            if position is not None and position.on_tree and position.betting.street == Street.TURN:
                turns[node.index] = position.node
        if node.kind != NodeKind.DECISION:
            continue
        for action, child in zip(node.actions, node.children, strict=True):
            trails[child] = here if action.letter == "F" else _after(here, action, blueprint)
    return FlopTree(tree, tuple(nodes), trails, turns)


def _after(trail: Trail, action: BetAction, blueprint: Blueprint) -> Trail:
    """The likelier reading of an action; one that does not end the abstract hand is preferred."""
    if trail.over:
        return trail
    amount = math.inf if action.letter == "A" else amount_of_action(action)
    token = nearest_action(trail.real, amount)
    readings = trail.readings(blueprint.abstract.tree, token)
    below, best, likelier = 0.0, (False, 0.0), readings[0][1]
    for bound, after in readings:
        rank = bool(after.now.queue), bound - below
        below = bound
        if rank > best:
            best, likelier = rank, after
    return likelier


def blueprint_chances(
    flop: FlopTree, node: TreeNode, blueprint: Blueprint, board: tuple[int, ...]
) -> F64:
    """(actions, 1326) how the blueprint plays at a node of the tree, with every hand.

    A size that the tree does not have counts as those it lies between, in parts.
    """
    theirs, trail = blueprint.abstract.tree, flop.trails[node.index]
    letters = [action.letter for action in node.actions]
    passive = next(i for i, letter in enumerate(letters) if letter in "XC")
    if trail.over or not trail.position(theirs).on_tree or trail.now.street != Street.FLOP:
        strategy = np.zeros((len(letters), NUM_COMBOS))
        strategy[passive] = 1.0
        return strategy
    chances = blueprint.at(trail.node, blueprint.whole_board(board, Street.FLOP)).T
    strategy = np.zeros((len(letters), chances.shape[1]))
    bets = [i for i, letter in enumerate(letters) if letter in "BRA"]
    shares = [pot_share(trail.real, round(node.actions[i].chips)) for i in bets]
    most = trail.now.raise_range()
    for row, amount in zip(chances, theirs.actions(trail.node).tolist(), strict=True):
        if amount < 0:
            strategy[letters.index("F") if "F" in letters else passive] += row
        elif amount == 0 or not bets:
            strategy[passive] += row
        elif letters[-1] == "A" and most is not None and amount == most[1]:
            strategy[-1] += row
        else:
            low, high, part = between(shares, pot_share(trail.now, amount))
            strategy[bets[low]] += part * row
            strategy[bets[high]] += (1 - part) * row
    return strategy


Plans = Mapping[int, F32]
"""By node (actions, H), or (4, H) for what the opponent chooses where the betting ends."""


class Learned(NamedTuple):
    """Regrets by node, and of the opponent's choice to play on."""

    tree: SpotTree
    iterations: int
    regrets: Plans
    leaves: frozenset[int]
    choice: F64 | None


class DepthLimitedSolver:
    """The searching player `ours` against an opponent, from `weights` (2, H) on.

    `leaves` has a matrix for each node of the flop's tree where the betting ends and is not all-in.
    `held` are locked nodes and their strategies.
    """

    algorithm = "depth-limited"

    def __init__(
        self,
        flop: FlopTree,
        cards: FlopCards,
        leaves: Mapping[int, LeafMatrix],
        ours: int,
        weights: tuple[F64, F64],
        *,
        held: Plans | None = None,
    ) -> None:
        self.flop, self.cards, self.leaves, self.ours = flop, cards, leaves, ours
        self.weights = tuple(weight.astype(np.float32) for weight in weights)
        self.iterations, self.seconds = 0, 0.0
        self.pool: ThreadPoolExecutor | None = None
        """Threads for the leaves of an iteration."""
        self.choice: FirstChoice | None = None
        self.hands = len(cards.combos)
        self._hand_cards = COMBO_CARDS[cards.combos].astype(np.int64)
        decisions = {
            node.index: Decision(node.player, node.children)
            for node in flop.nodes
            if node.kind == NodeKind.DECISION
        }
        self.cfr = VectorCFR(decisions, self.hands, np.float32)
        self._ends = [node for node in flop.nodes if node.kind != NodeKind.DECISION]
        for index in leaves:
            self.cfr.add(index, len(CHOICES))
        for index, plan in (held or {}).items():
            self.cfr.locked[index] = self.cfr.averages[index] = plan.astype(np.float32)
        self.regrets, self.averages = self.cfr.regrets, self.cfr.averages

    def bound_by(self, bound: F64, forced: float = FORCED) -> None:
        """Let the opponent take `bound` (H,), in chips of the pot, before the flop instead."""
        own = self.weights[1 - self.ours].astype(np.float64)
        met = self.meets(self.weights[self.ours]).astype(np.float64)
        gain = bound - self.flop.tree.spot.pot / 2
        self.choice = FirstChoice(1 - self.ours, own, met, gain, forced)

    def start_from(self, before: Learned) -> None:
        """Take over regrets of nodes that an earlier tree of this flop has, too (`_resolving`)."""
        if before.iterations < WARM_ITERATIONS:
            return
        for old, new in shared_nodes(before.tree, self.flop.tree):
            if old.index not in before.regrets:
                continue
            labels = [action.label for action in new.actions]
            for action, row in zip(old.actions, before.regrets[old.index], strict=True):
                if action.label in labels:
                    number = labels.index(action.label)
                    self.regrets[new.index][number] = row
                    ends = old.children[old.actions.index(action)], new.children[number]
                    if ends[0] in before.leaves and ends[1] in self.leaves:
                        self.regrets[ends[1]][...] = before.regrets[ends[0]]
        self.iterations = WARM_ITERATIONS
        if self.choice is not None and before.choice is not None:
            self.choice.regrets = before.choice.copy()

    def learned(self) -> Learned:
        """What a later solve of this flop may begin with."""
        choice = None if self.choice is None else self.choice.regrets
        return Learned(
            self.flop.tree, self.iterations, self.regrets, frozenset(self.leaves), choice
        )

    def meets(self, weights: F32) -> F32:
        """(H,) the weight of all hands that share no card with each."""
        met = meets(weights.astype(np.float64), self._hand_cards)
        return np.asarray(np.maximum(met, 0.0), np.float32)

    def advance(self, count: int) -> None:
        """Do some iterations, as work of a run."""
        for _ in range(count):
            self.step()

    def evaluate(self) -> float:
        return self.exploitability()

    def step(self) -> None:
        """Do one iteration."""
        factors = discounts(self.iterations)
        for learner in (0, 1):
            reach = self.weights[1 - learner]
            if self.choice is not None and learner == self.ours:
                reach = self.choice.reach().astype(np.float32)
            values = self._pass(learner, LEARN, reach, self.cfr.current(), factors)
            if self.choice is not None and learner != self.ours:
                self.choice.learn(values[0].astype(np.float64), factors)
        self.iterations += 1

    def plan(self, index: int) -> F32:
        """A node's average."""
        return matched(self.averages[index])

    def _pass(
        self, learner: int, mode: int, reach: F32, plans: Plans, factors: Sequence[float] = ()
    ) -> dict[int, F32]:
        """The learner's values (H,) at every node, not normalised, from half of the first pot.

        The opponent comes with `reach` (H,) and plays by `plans`; so does the learner unless the
        mode is BEST.
        """

        def ends(reaches: Mapping[int, F32]) -> dict[int, F32]:
            def end(node: TreeNode) -> F32:
                return self._end(node, learner, mode, reaches[node.index], plans, factors)

            pool = self.pool if mode == LEARN else None
            values = map(end, self._ends) if pool is None else pool.map(end, self._ends)
            return {node.index: value for node, value in zip(self._ends, values, strict=True)}

        return self.cfr.run_pass(learner, mode, reach, plans, ends, factors).values

    def _end(
        self,
        node: TreeNode,
        learner: int,
        mode: int,
        reach: F32,
        plans: Plans,
        factors: Sequence[float],
    ) -> F32:
        """The learner's values where the flop's betting ends."""
        chips = np.float32(self.flop.tree.spot.pot / 2 + min(node.put))
        if node.kind == NodeKind.FOLD:
            return self.meets(reach) * (-chips if node.player == learner else chips)
        out = np.empty(self.hands, np.float32)
        leaf = self.leaves.get(node.index)
        if leaf is None:
            rows(self.cards.leads, reach, out)
            return out * chips
        scale = np.float32(leaf.step * chips / leaf.half)
        if learner == self.ours:
            rows(leaf.steps, (reach * plans[node.index]).T.ravel(), out)
            return out * scale
        wide = np.empty(len(CHOICES) * self.hands, np.float32)
        columns(leaf.steps, reach, wide)
        by_choice = np.ascontiguousarray(wide.reshape(-1, len(CHOICES)).T) * -scale
        return self.cfr.decide(node.index, by_choice, plans, mode, factors)

    def best_response(self, player: int, plans: Plans | None = None) -> F64:
        """(H,) chips of the pot that each hand of a player wins at most from the other's plans.

        Those are the averages unless given. Hands that meet no hand of the opponent are NaN.
        """
        values = self._pass(player, BEST, self.weights[1 - player], plans or self.cfr.average())
        return self._per_hand(player, values[0])

    def cost(self, response: F64) -> float:
        """The opponent's chips by a best response (H,), over the range assumed for them."""
        weights = self.meets(self.weights[self.ours]) * self.weights[1 - self.ours]
        return float(np.nansum(weights * response) / weights.sum(dtype=np.float64))

    def values(self, player: int) -> dict[int, F32]:
        """A player's values (H,) at every node when both play their averages."""
        return self._pass(player, AVERAGE, self.weights[1 - player], self.cfr.average())

    def exploitability(self) -> float:
        """Mean gain in chips of both best responses, in this game."""
        total = float(self.weights[0] @ self.meets(self.weights[1]))
        gains = 0.0
        for player in (0, 1):
            best = self._pass(player, BEST, self.weights[1 - player], self.cfr.average())[0]
            gains += float(self.weights[player].astype(np.float64) @ best) / total
        return gains / 2

    def _per_hand(self, player: int, values: F32) -> F64:
        met = self.meets(self.weights[1 - player]).astype(np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(met > 0, values / met, np.nan) + self.flop.tree.spot.pot / 2
