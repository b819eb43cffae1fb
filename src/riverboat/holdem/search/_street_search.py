"""Thinks about a flop without solving it to the end: the tree, its leaves, the bound, the answer.

The flop's betting is a small spot tree. Matrices of its leaves (leaves.py) are made once for
a flop and used again when a street is solved again after an odd bet. How many runouts they have,
which sizes the tree has and how often it iterates depends on the seconds allowed alone, not on how
busy the machine is. If time is short leaves have fewer runouts, and iterations end early.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from functools import partial
from itertools import takewhile
from typing import NamedTuple

import numpy as np

from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.translation import Trail
from riverboat.holdem.rules.betting import Street
from riverboat.holdem.search._depth_limited import (
    DepthLimitedSolver,
    FlopTree,
    Learned,
    align_tree,
    blueprint_chances,
)
from riverboat.holdem.search._flop_leaves import (
    Continuation,
    FlopCards,
    LeafMatrix,
    continuation,
    leaf_matrix,
)
from riverboat.holdem.search._options import SearchOptions, street_spot
from riverboat.holdem.search._range_tracking import StreetStart
from riverboat.holdem.spots.bet_sizes import PlayerSizes, parse_sizes
from riverboat.holdem.spots.layout import Layout, open_layout
from riverboat.holdem.spots.lines import line_of
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.holdem.spots.storage import make_storage
from riverboat.holdem.spots.tree import NodeKind
from riverboat.runtime.array_types import F32
from riverboat.runtime.last_used import LastUsed
from riverboat.solvers.run import Limit, run

RUNOUTS = (48, 24, 12)
ITERATIONS = 60
RUNOUT_SECONDS, ITERATION_SECONDS = 0.0026, 0.0014
"""One leaf on one runout, and one leaf in one iteration, about."""
SHARE = 0.5  # The part of the time that both should take: the rest is for tables and bad luck
LEAVES_SHARE = 0.45  # The part of the time left that runouts may take on a busy machine
CARDS_SHARE = 0.25  # The part of it that the hands' buckets on them may take before that
KEPT_LEAVES = 24
KEPT_CONTINUATIONS = 48
NONE = PlayerSizes()


class FlopPlan(NamedTuple):
    """What is thought about: the tree, and how finely."""

    layout: Layout
    flop: FlopTree
    menu: int
    runouts: int


def solved_flop(layout: Layout, solver: DepthLimitedSolver) -> SolvedSpot:
    """A flop's betting solved; what lies behind it is known in values only."""
    averages, values = [], {}
    flop = [node.index for node in layout.tree.nodes if node.street == Street.FLOP]
    for player, (combos, width) in enumerate(zip(layout.combos, layout.widths, strict=True)):
        places = np.searchsorted(solver.cards.combos, combos)
        numbers = make_storage(layout.elements(player, 1), width, int16=False)
        for node in solver.flop.nodes:
            if node.kind == NodeKind.DECISION and node.player == player:
                num_actions, first = len(node.actions), layout.tree.node_rows[node.index] * width
                rows = numbers.values[first : first + num_actions * width].reshape(num_actions, -1)
                rows[:, : len(combos)] = solver.plan(node.index)[:, places]
        averages.append(numbers)
        by_node = solver.values(player)
        values[f"0.{player}"] = np.stack([by_node[index][places] for index in flop])[None]
    info = {"iterations": solver.iterations}
    return SolvedSpot(layout, averages, info, values=values, learned=solver.learned())


class FlopSearch:
    """Thinks about flops with one blueprint, and keeps what it may need again."""

    def __init__(self, blueprint: Blueprint, options: SearchOptions) -> None:
        self.blueprint, self.options = blueprint, options
        self._continuations: LastUsed[int, Continuation] = LastUsed(KEPT_CONTINUATIONS)
        self._cards: FlopCards | None = None
        self._leaves: OrderedDict[tuple[int, int, int], LeafMatrix] = OrderedDict()

    def solve(
        self,
        start: StreetStart,
        trail: Trail,
        done: tuple[str, ...],
        player: int,
        before: tuple[SolvedSpot, int] | None,
        deadline: float = math.inf,
    ) -> tuple[SolvedSpot, int, bool] | None:
        """The flop as `player` sees it after `done`, its menu, and whether it was bounded.

        `before` is what the player's last decision on it was taken from, with its menu. None where
        the blueprint has no such point.
        """
        if not trail.position(self.blueprint.abstract.tree).on_tree:
            return None
        plan = self._plan(start, trail, done, None if before is None else before[1])
        cards = self._cards_of(start.board)
        threads = self.options.threads
        with ThreadPoolExecutor(threads) if threads > 1 else nullcontext() as pool:
            leaves = self._made(cards, plan, player, deadline, pool)
            weights = (start.weights[0][cards.combos], start.weights[1][cards.combos])
            held = {} if before is None else _held(plan.flop, before[0], player, done, start.stack)
            solver = DepthLimitedSolver(plan.flop, cards, leaves, player, weights, held=held)
            solver.pool = pool
            plans = self._blueprint_plans(solver, player)
            bound = solver.best_response(1 - player, plans)
            if self.options.safe:
                solver.bound_by(bound)
            if before is not None and isinstance(before[0].learned, Learned):
                solver.start_from(before[0].learned)
            most = max(self.options.iterations or ITERATIONS, solver.iterations + 1)
            # Time for three more: the last evaluation and reading the values take as long as two.
            run(solver, Limit(most), deadline=deadline, reserve=3, at_once=1)
            if solver.cost(solver.best_response(1 - player)) > solver.cost(bound):
                # Cut short, it may be worse than the blueprint: then that is played.
                solver.averages.update(plans)
        return solved_flop(plan.layout, solver), plan.menu, self.options.safe

    def _plan(
        self, start: StreetStart, trail: Trail, done: tuple[str, ...], menu: int | None
    ) -> FlopPlan:
        """The richest tree, and then the most runouts, that fit the time."""
        options = self.options
        budget = SHARE * options.seconds * min(options.threads, 2)
        own = tuple(size for size in options.sizes if size.kind != "e")
        menus = [(PlayerSizes(options.sizes, own), 3)] if own else flop_menus(self.blueprint)
        iterations = options.iterations or ITERATIONS
        for number, (sizes, most) in enumerate(menus):
            if menu is not None and number != menu:
                continue
            by_street = {"flop": (sizes, sizes), "turn": (NONE, NONE), "river": (NONE, NONE)}
            spot = street_spot(start, done, by_street, most)
            layout = open_layout(spot, isomorphism=False)
            flop = align_tree(layout.tree, self.blueprint, trail)
            distinct = len(set(flop.turns.values()))
            seconds = budget - ITERATION_SECONDS * iterations * len(flop.turns)
            for runouts in RUNOUTS[:-1]:
                if RUNOUT_SECONDS * runouts * distinct <= seconds:
                    return FlopPlan(layout, flop, number, runouts)
            if menu is not None:
                break
        return FlopPlan(layout, flop, number, RUNOUTS[-1])

    def _cards_of(self, board: tuple[int, ...]) -> FlopCards:
        if self._cards is None or self._cards.board != board:
            self._leaves.clear()
            self._cards = FlopCards(self.blueprint, board)
        return self._cards

    def _made(
        self,
        cards: FlopCards,
        plan: FlopPlan,
        player: int,
        deadline: float,
        pool: ThreadPoolExecutor | None,
    ) -> dict[int, LeafMatrix]:
        """A matrix for each leaf; leaves that are the same to the blueprint share one."""
        wanted = list(dict.fromkeys(plan.flop.turns.values()))
        missing = [turn for turn in wanted if (turn, player, plan.runouts) not in self._leaves]
        plans = [
            self._continuations.get(turn, partial(continuation, self.blueprint, turn))
            for turn in missing
        ]
        now = time.perf_counter()
        until = now + (deadline - now) * CARDS_SHARE
        wanted_runouts = takewhile(lambda _: time.perf_counter() < until, range(plan.runouts))
        num_runouts = sum(1 for number in wanted_runouts if cards.runout(number))
        now = time.perf_counter()
        seconds = (deadline - now) * LEAVES_SHARE / max(1, len(missing))

        def make(part: int) -> LeafMatrix:
            end = now + seconds * (part + 1)
            return leaf_matrix(
                cards, plans[part], player, num_runouts, lambda: time.perf_counter() < end
            )

        numbers = range(len(missing))
        matrices = list(pool.map(make, numbers) if pool is not None else map(make, numbers))
        for turn, leaf in zip(missing, matrices, strict=True):
            self._leaves[turn, player, plan.runouts] = leaf
        leaves = {
            index: self._leaves[turn, player, plan.runouts]
            for index, turn in plan.flop.turns.items()
        }
        while len(self._leaves) > KEPT_LEAVES:
            self._leaves.popitem(last=False)
        return leaves

    def _blueprint_plans(self, solver: DepthLimitedSolver, player: int) -> dict[int, F32]:
        """The player's strategy: the blueprint's, locked to earlier solutions."""
        flop, cards = solver.flop, solver.cards
        plans = {
            node.index: blueprint_chances(flop, node, self.blueprint, cards.board)[
                :, cards.combos
            ].astype(np.float32)
            for node in flop.nodes
            if node.kind == NodeKind.DECISION and node.player == player
        }
        return {**plans, **solver.cfr.locked}


def flop_menus(blueprint: Blueprint) -> list[tuple[PlayerSizes, int]]:
    """Candidate bet-size menus with their raise limits, largest tree first.

    They are the blueprint's own sizes, whose continuations it knows best. Sizes that a spot cannot
    have are left out; where none is left there are default ones.
    """
    by_bets = blueprint.abstract.tree.sizes.streets[Street.FLOP]
    bets, raises = (
        [size for size in by_bets[min(i, len(by_bets) - 1)] if size.endswith("p")] for i in (0, 1)
    )
    bets, raises = bets or ["33%", "75%"], raises or ["75%"]
    two, one, answer = ",".join(bets[:2]), bets[:2][-1], raises[len(raises) // 2]
    menus = (
        (",".join(bets) + ",a", f"{answer},a", 3),
        (f"{two},a", f"{answer},a", 3),
        (f"{two},a", f"{answer},a", 2),
        (f"{one},a", f"{answer},a", 2),
        (f"{one},a", "a", 2),
    )
    return [
        (PlayerSizes(parse_sizes(bet, "search"), parse_sizes(more, "search", raises=True)), most)
        for bet, more, most in menus
    ]


def _held(
    flop: FlopTree, before: SolvedSpot, player: int, done: tuple[str, ...], stack: int
) -> Mapping[int, F32]:
    """The player's earlier decisions on this street, from the earlier solution."""
    locked = {}
    old, new = before.tree.nodes[0], flop.tree.nodes[0]
    for word in filter(None, line_of(done, stack).split("-")):
        labels = [action.label for action in old.actions]
        ours = [action.label for action in new.actions]
        if old.player == player:
            plan = before.strategy(old, 0)
            rows = np.zeros((len(ours), plan.shape[1]), np.float32)
            rows[[ours.index(label) for label in labels]] = plan
            locked[new.index] = rows
        if word not in labels:
            break
        old = before.tree.nodes[old.children[labels.index(word)]]
        new = flop.tree.nodes[new.children[ours.index(word)]]
    return locked
