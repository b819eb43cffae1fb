"""The algorithm of all solvers of spots, to read: discounted CFR over vectors of hands.

The compiled kernels do the same, faster: the tree becomes a flat schedule, ends are counted with
prefix sums, runouts that differ by the names of suits only are done once. This file is the oracle
that tests hold them against, for two players and for three, on spots that are small enough.

Zinkevich et al. (2007): counterfactual regret minimisation. Johanson et al. (2011): a walk over the
public tree that carries a vector with a number for each hand. Brown and Sandholm (2019): discounts
of regrets and averages. With two players and no rake the averages converge to an equilibrium; with
three nothing is promised, so `mean` measures what was found.

    solver = PlainSolver(spot)
    for _ in range(100):
        solver.iterate()
    gain = solver.mean(0, BEST) - solver.mean(0, AVERAGE)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from riverboat.cards.hands import hand_cards, hand_masks
from riverboat.cards.omaha import omaha_board_strengths
from riverboat.cards.strength import board_strengths
from riverboat.holdem.spots._side_pots import raked_pots
from riverboat.holdem.spots.schedule import discounts
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.tree import NodeKind, TreeNode, build_tree
from riverboat.runtime.array_types import F64, Bools
from riverboat.solvers.algorithms import BEST, LEARN

Place = tuple[int, tuple[int, ...]]  # A decision node and the cards dealt before it


class PlainSolver:
    """Regrets and averages of a spot that is played for chips, in plain NumPy."""

    def __init__(self, spot: Spot) -> None:
        self.spot, self.tree, self.players = spot, build_tree(spot), range(spot.num_players)
        self.cards = [hand_cards(spot.hole_cards)[spot.hands(player)] for player in self.players]
        self.weights = [spot.weights(player) for player in self.players]
        self.iterations = 0
        self.regrets: dict[Place, F64] = {}
        self.averages: dict[Place, F64] = {}
        """(actions, hands of the player who acts) by place; zero where nothing is."""

    def iterate(self) -> None:
        """One iteration: a pass for each player, who learns against what the others now play."""
        for learner in self.players:
            self.values(self.tree.nodes[0], (), self.weights, learner, LEARN)
        self.iterations += 1

    def mean(self, player: int, mode: int) -> float:
        """A player's mean in chips against the averages: of a best response, or their own."""
        values = self.values(self.tree.nodes[0], (), self.weights, player, mode)
        possible = self._against(player, np.ones_like(self._possible(player, ())), self.weights, ())
        return float(self.weights[player] @ values / (self.weights[player] @ possible))

    def values(
        self, node: TreeNode, dealt: tuple[int, ...], reach: Sequence[F64], learner: int, mode: int
    ) -> F64:
        """(H,) the learner's chips with each hand, summed over the others' hands by their `reach`.

        `reach` are the probabilities with which each player plays to the node with each hand, times
        the weight in their range. The learner's own is not used: values are counterfactual.
        """
        # 1. An end: what is won against each combination of hands, by how often it comes there.
        if node.kind in (NodeKind.FOLD, NodeKind.SHOWDOWN):
            return self._against(learner, self._won(node, dealt, learner), reach, dealt)

        # 2. A card: the mean over all that may come. Each combination of hands leaves as many.
        if node.kind == NodeKind.CHANCE:
            child = self.tree.nodes[node.children[0]]
            cards = [c for c in range(52) if c not in (*self.spot.gone, *dealt)]
            after = [self.values(child, (*dealt, card), reach, learner, mode) for card in cards]
            in_hands = self.spot.hole_cards * len(self.players)
            return np.asarray(np.sum(after, axis=0)) / (len(cards) - in_hands)

        # 3. A decision. Regret matching: play actions in proportion to their positive regrets
        #    (Zinkevich et al. 2007). Passes that measure play the averages instead.
        key, player = (node.index, dealt), node.player
        zero = np.zeros((len(node.actions), len(self.cards[player])))
        regrets = self.regrets.get(key, zero)
        averages = self.averages.get(key, zero)
        strategy = normalised(regrets if mode == LEARN else averages)

        # 4. The player's reach is split among the actions on the way down.
        children = []
        for share, index in zip(strategy, node.children, strict=True):
            split = [own * share if seat == player else own for seat, own in enumerate(reach)]
            children.append(self.values(self.tree.nodes[index], dealt, split, learner, mode))
        values = np.stack(children)

        # 5. On the way up the others' actions add up: their reach holds their strategy already.
        if player != learner:
            return np.asarray(values.sum(axis=0))

        # 6. The learner's value is that of their strategy, or of the best action hand by hand.
        if mode == BEST:
            return np.asarray(values.max(axis=0))
        value = np.asarray((strategy * values).sum(axis=0))

        # 7. Discounted CFR (Brown and Sandholm 2019): old regrets fade, by less where they are
        #    positive; then the regret of each action is added, what it would have won more.
        # 8. The average fades too, and starts anew at powers of four. It is not weighted by the
        #    learner's own reach, which departs from the paper and saves a pass.
        if mode == LEARN:
            above, below, keep = discounts(self.iterations)
            self.regrets[key] = regrets * np.where(regrets > 0, above, below) + values - value
            self.averages[key] = averages * keep + strategy
        return value

    def _won(self, node: TreeNode, dealt: tuple[int, ...], learner: int) -> F64:
        """(H, H of the others …) the learner's chips at an end, less what they put in."""
        board = [*self.spot.board, *dealt]
        ranks = [np.zeros(len(cards)) for cards in self.cards]
        if node.kind == NodeKind.SHOWDOWN:
            ranks = [self._ranks(player, board) for player in self.players]
        pots, returned = raked_pots(self.spot, node.put, node.folded)
        taken = np.full([len(cards) for cards in self.cards], returned[learner], np.float64)
        for pot in pots:
            if learner in pot.contenders:
                # The best hand wins a pot; equal ones share it.
                seats = np.stack([self._along(seat, ranks[seat]) for seat in pot.contenders])
                best = seats == seats.max(axis=0)
                mine = best[pot.contenders.index(learner)]
                taken += pot.chips * mine / best.sum(axis=0)
        return np.asarray(np.moveaxis(taken, learner, 0)) - node.put[learner]

    def _ranks(self, player: int, board: list[int]) -> F64:
        """(H,) the strengths of a player's hands, by the rules of the game."""
        if self.spot.game == "omaha":
            return omaha_board_strengths(board, self.cards[player]).astype(np.float64)
        return board_strengths(board).astype(np.float64)[self.spot.hands(player)]

    def _against(self, learner: int, won: F64, reach: Sequence[F64], dealt: tuple[int, ...]) -> F64:
        """(H,) what is won, summed over the hands that the others may hold at once.

        The kernels sort hands by strength and keep sums by card (Johanson et al. 2011), which takes
        time in proportion to the hands instead of to their combinations.
        """
        others = [reach[seat] for seat in self.players if seat != learner]
        total = won * self._possible(learner, dealt)
        for weights in reversed(others):
            total = total @ weights
        return np.asarray(total)

    def _possible(self, learner: int, dealt: tuple[int, ...]) -> F64:
        """(H, H of the others …) one where no card is held twice, nor lies on the board."""
        masks = []
        for seat in self.players:
            masks.append(
                self._along(seat, np.asarray(~np.isin(self.cards[seat], dealt).any(axis=1)))
            )
            for other in range(seat):
                apart = disjoint(self.cards[other], self.cards[seat])
                shape = [len(c) if p in (other, seat) else 1 for p, c in enumerate(self.cards)]
                masks.append(np.broadcast_to(apart.reshape(shape), list(map(len, self.cards))))
        return np.moveaxis(reduce(np.logical_and, masks), learner, 0).astype(np.float64)

    def _along(self, seat: int, numbers: F64 | Bools) -> F64:
        """One number for each of a player's hands, spread over all combinations of hands."""
        shape = [len(numbers) if player == seat else 1 for player in self.players]
        return np.broadcast_to(numbers.reshape(shape), list(map(len, self.cards)))


def normalised(numbers: F64) -> F64:
    """(actions, H) the positive part, so that each hand's adds up to one; even where it is zero."""
    positive = np.maximum(numbers, 0)
    totals = positive.sum(axis=0)
    return np.where(totals > 0, positive / np.where(totals > 0, totals, 1), 1 / len(numbers))


def disjoint(first: np.ndarray, second: np.ndarray) -> Bools:
    """(H, H) whether two hands (H, k) have no card in common."""
    return np.asarray((hand_masks(first)[:, None] & hand_masks(second)[None, :]) == 0)
