"""What search makes of a blueprint where the best response is exact: in the rest of a hand.

A turn with its board, pot, stacks and both ranges is a game of its own, small enough for exact best
responses over every hand and river. In it the blueprint plays; then each player's rivers are solved
anew, at every point where a river can begin and for every card, safely or not, and the best
responses are played again. So one sees by how much search lowers (or raises) exploitability.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.card import card_text
from riverboat.cards.combos import COMBO_CARDS, NUM_COMBOS
from riverboat.cards.ranges import Range
from riverboat.errors import UsageError
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.translation import Trail
from riverboat.holdem.search._range_tracking import StreetStart, normalise_max
from riverboat.holdem.search._resolving import (
    FORCED,
    blueprint_spot,
    bounded_solver,
    write_blueprint,
)
from riverboat.holdem.spots._boards import classify_boards
from riverboat.holdem.spots.bet_sizes import TreeOptions
from riverboat.holdem.spots.cursor import SpotCursor
from riverboat.holdem.spots.layout import Layout
from riverboat.holdem.spots.solved import SolvedSpot, cut_out
from riverboat.holdem.spots.solver import SpotEvaluation, SpotSolver, make_solver
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.storage import PlayerStorage
from riverboat.holdem.spots.tree import NodeKind, TreeNode
from riverboat.holdem.spots.two_way_passes import PassRunner
from riverboat.solvers.algorithms import AVERAGE, BEST

__all__ = ["MODES", "TurnGame"]

MODES = ("unsafe", "safe")
MIN_REACH = 1e-6
"""The weight of a hand that the blueprint never brings here: a best response may bring it."""
_NO_WEIGHTS = np.zeros(3, np.float32)
Pair = tuple[PlayerStorage, PlayerStorage]


@dataclass(frozen=True)
class TurnGame:
    """A turn with everything after it, and the blueprint's strategies in it."""

    layout: Layout
    averages: Pair

    @classmethod
    def of(cls, blueprint: Blueprint, start: StreetStart, trail: Trail) -> TurnGame:
        """The game from a street's start on; refused where the blueprint has no such point."""
        laid = blueprint_spot(blueprint, start, trail)
        if laid is None or start.street != 2:
            raise UsageError("The blueprint knows no turn that begins so.")
        arena, nodes = laid
        found = [arena.storage(player) for player in (0, 1)]
        for player, averages in enumerate(found):
            write_blueprint(blueprint, arena, nodes, player, averages)
        return cls(arena, (found[0], found[1]))

    def evaluation(self, averages: Pair | None = None) -> SpotEvaluation:
        """Exact best responses to both strategies."""
        arena, pair = self.layout, averages or self.averages
        runner = PassRunner(arena)
        idle = [arena.storage(player) for player in (0, 1)]
        found = [
            [
                arena.mean(
                    player,
                    runner.values(player, mode, pair[1 - player], idle[player], pair[player]),
                )
                + arena.spot.center(player)
                for player in (0, 1)
            ]
            for mode in (BEST, AVERAGE)
        ]
        best, ev = ((means[0], means[1]) for means in found)
        return SpotEvaluation(ev, best, arena.spot.pot)

    def searched(
        self,
        way: str,
        *,
        iterations: int = 300,
        forced: float = FORCED,
        progress: Callable[[int], None] | None = None,
    ) -> Pair:
        """Both strategies with all rivers solved anew, "safe" or "unsafe"."""
        if way not in MODES:
            raise UsageError(f"Search is {' or '.join(MODES)}, not {way!r}.")
        new = tuple(
            PlayerStorage(averages.values.copy(), averages.scales.copy())
            for averages in self.averages
        )
        solved = SolvedSpot(self.layout, self.averages, {})
        for number, (at, board) in enumerate(self._rivers(solved)):
            for player in (0, 1):
                self._solve(at, board, player, new[player], way, iterations, forced)
            if progress is not None:
                progress(number + 1)
        return new[0], new[1]

    @property
    def num_rivers(self) -> int:
        """Points at which a river begins, times cards."""
        roots = sum(1 for _ in self._roots())
        return roots * self.layout.boards.num_boards[1]

    def _roots(self) -> Iterator[TreeNode]:
        for node in self.layout.tree.nodes:
            if node.kind == NodeKind.CHANCE:
                child = self.layout.tree.nodes[node.children[0]]
                if child.kind == NodeKind.DECISION:
                    yield child

    def _rivers(self, solved: SolvedSpot) -> Iterator[tuple[SpotCursor, int]]:
        tree = self.layout.tree
        for root in self._roots():
            chance = tree.nodes[root.parent]
            at = solved.at(_path(tree.nodes, chance))
            for board, dealt in enumerate(self.layout.boards.levels[1].cards[:, 0].tolist()):
                yield at.deal(card_text(dealt)), board

    def _solve(
        self,
        at: SpotCursor,
        board: int,
        player: int,
        new: PlayerStorage,
        way: str,
        iterations: int,
        forced: float,
    ) -> None:
        """One player's river from one point on, written into `new`."""
        if at.reach[player].max() <= MIN_REACH:
            return
        part = self._part(at, player)
        rows = list(self._rows(at, board, part, player))
        opponent = 1 - player
        if way == "safe":
            averages, idle = part.storage(player), part.storage(opponent)
            for small, large, places in rows:
                averages.values[small] = self.averages[player].values[large][:, places]
            values = PassRunner(part).values(opponent, BEST, averages, idle, idle)
            bound = np.full(NUM_COMBOS, np.nan)
            combos, mass = part.combos[opponent], part.meetings[opponent]
            bound[combos] = (
                values[: len(combos)] / np.where(mass > 0, mass, np.nan) + part.spot.pot / 2
            )
            solver: SpotSolver = bounded_solver(part, opponent, bound, forced=forced)
        else:
            solver = make_solver(part)
        solver.step(iterations)
        found = solver.averages[player].values
        for small, large, places in rows:
            block = new.values[large]
            block[:, places] = found[small]
            new.values[large] = block

    def _part(self, at: SpotCursor, player: int) -> Layout:
        """The river as an arena of its own; the opponent may hold any hand."""
        blocked = np.isin(COMBO_CARDS, at.board).any(axis=1)
        weights = [normalise_max(np.clip(reach, 0, None)) for reach in at.reach]
        weights[1 - player] = np.where(blocked, 0.0, np.maximum(weights[1 - player], MIN_REACH))
        spot, base = self.layout.spot, at.node.put[0]
        part = Spot(
            board=at.board,
            pot=spot.pot + 2 * base,
            stack=spot.stack - base,
            ranges=(Range(weights[0]), Range(weights[1])),
            tree=TreeOptions(),
        )
        tree = cut_out(self.layout.tree, at.node, part)
        return Layout(part, tree, classify_boards(part, isomorphism=False), isomorphism=False)

    def _rows(
        self, at: SpotCursor, board: int, part: Layout, player: int
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
        """For each of the player's river nodes: where its numbers are in the part (actions, H),
        in the whole (actions, all hands), and the places of the part's hands among all.
        """
        whole = self.layout
        index = np.full(NUM_COMBOS, -1)
        all_hands = whole.combos[player]
        index[all_hands] = np.arange(len(all_hands))
        mine = part.combos[player]
        start, each = whole.places[1, player].tolist()
        wide, narrow = whole.widths[player], part.widths[player]
        for node in part.tree.nodes:
            if node.kind != NodeKind.DECISION or node.player != player:
                continue
            lines = np.arange(len(node.actions))[:, None]
            below = int(part.places[0, player, 0]) + part.tree.node_rows[node.index] * narrow
            above = whole.tree.node_rows[node.index + at.node.index] * wide
            small = below + lines * narrow + np.arange(len(mine))
            large = start + board * each + above + lines * wide + np.arange(len(all_hands))
            yield small, large, index[mine]


def _path(nodes: tuple[TreeNode, ...], node: TreeNode) -> str:
    """The id of a node on the first street of a spot."""
    words: list[str] = []
    while node.parent >= 0:
        above = nodes[node.parent]
        words.append(above.actions[above.children.index(node.index)].code)
        node = above
    return ":".join(["r", "0", *reversed(words)])
