"""SolvedSpot: the averages a solver found, and what can be computed from them street by street.

It holds no solver. `at("r:0:c:b100")` gives a cursor (`spot_cursor`) to read and walk with. A
street that was not kept is solved when a cursor comes to it, from the ranges that come there.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.ranges import Range
from riverboat.holdem.spots.runouts import build_runouts
from riverboat.holdem.spots.spot import Spot, TreeOptions
from riverboat.holdem.spots.spot_arena import SpotArena
from riverboat.holdem.spots.spot_numbers import Numbers
from riverboat.holdem.spots.spot_plan import build_plan
from riverboat.holdem.spots.spot_tree import BettingTree, TreeNode

if TYPE_CHECKING:
    from riverboat.holdem.spots.spot_cursor import SpotCursor
    from riverboat.holdem.spots.spot_locks import Lock

__all__ = ["SolvedSpot", "cut_out"]

AVERAGE = 2
_NO_WEIGHTS = np.zeros(3, np.float32)
Doubles = NDArray[np.float64]


class SolvedSpot:
    """A spot and the strategies of both players."""

    def __init__(
        self,
        arena: SpotArena,
        averages: tuple[Numbers, Numbers],
        info: Mapping[str, Any],
        *,
        streets_kept: int | None = None,
        values: Mapping[str, NDArray[np.float32]] | None = None,
    ) -> None:
        self.arena = arena
        self.averages = averages
        """Of OOP and IP: flat, as the arena lays them out; cut off after the streets kept."""
        self.info = dict(info)
        """How it was made: iterations, seconds, exploitability, ev, …"""
        self.streets_kept = arena.num_streets if streets_kept is None else streets_kept
        self.device = "cpu"
        """Where streets that were not kept are solved."""
        self._kept_values = dict(values or {})
        self._street_nodes: dict[int, tuple[int, ...]] = {}
        self._node_values: dict[tuple[int, int, int], NDArray[np.float32]] = {}
        self._solved: dict[tuple[int, tuple[int, ...]], SolvedSpot] = {}

    @property
    def spot(self) -> Spot:
        return self.arena.spot

    @property
    def tree(self) -> BettingTree:
        return self.arena.tree

    @property
    def locks(self) -> list[Lock]:
        """What nodes were told to play when it was solved."""
        from riverboat.holdem.spots.spot_locks import read_locks

        return read_locks(self.info.get("locks", []))

    def __repr__(self) -> str:
        board = " ".join(_texts(self.spot.board))
        gap = self.info.get("exploitability_pct")
        worth = "" if gap is None else f", exploitable by {gap:.3g} % of the pot"
        return f"<SolvedSpot {board}, pot {self.spot.pot:g}, stack {self.spot.stack:g}{worth}>"

    def save(self, path: str | Path, *, without: str | None = None) -> None:
        """Write it, whole or without "rivers" or "turns"."""
        from riverboat.holdem.spots.spot_store import save_spot

        save_spot(path, self, without=without)

    @classmethod
    def load(cls, path: str | Path) -> SolvedSpot:
        """Read what `save` wrote."""
        from riverboat.holdem.spots.spot_store import load_spot

        return load_spot(path)

    def at(self, node: str = "r:0") -> SpotCursor:
        """A cursor at a node such as "r:0:c:b100:Ah"."""
        from riverboat.holdem.spots.spot_cursor import SpotCursor

        return SpotCursor.start(self).go(node)

    def street_nodes(self, street: int) -> tuple[int, ...]:
        """The nodes of a street, counted from the first one of the spot."""
        if street not in self._street_nodes:
            first = self.spot.street
            self._street_nodes[street] = tuple(
                node.index for node in self.tree.nodes if node.street - first == street
            )
        return self._street_nodes[street]

    def strategy(self, node: TreeNode, board: int) -> Doubles:
        """(actions, H) of a decision node on a board of its street, in the arena's order."""
        arena, player = self.arena, node.player
        street = node.street - self.spot.street
        width = arena.plan.widths[player]
        start = int(
            arena.layout[street, player, 0]
            + board * arena.layout[street, player, 1]
            + arena.plan.node_rows[node.index] * width
        )
        num, hands = len(node.actions), len(arena.runouts.unranked[player].combos)
        values, scales = self.averages[player][:2]
        rows = np.asarray(values[start : start + num * width], np.float64).reshape(num, width)
        if values.dtype == np.int16:
            rows = rows * scales[start // width : start // width + num, None]
        rows = np.maximum(rows[:, :hands], 0.0)
        totals = rows.sum(axis=0)
        return np.asarray(np.where(totals > 0, rows / np.where(totals > 0, totals, 1), 1 / num))

    def node_values(self, street: int, board: int, player: int) -> NDArray[np.float32]:
        """(nodes of the street, P) a player's values at all nodes on one board.

        Not normalised: sums over the opponent's hands that come there, in chips counted from half
        of the first pot.
        """
        key = (street, board, player)
        if key not in self._node_values:
            kept = self._kept_values.get(f"{street}.{player}")
            found = self._computed(*key) if kept is None else kept[board]
            if len(self._node_values) > 64:
                self._node_values.clear()
            self._node_values[key] = found
        return self._node_values[key]

    def _computed(self, street: int, board: int, player: int) -> NDArray[np.float32]:
        from riverboat.holdem.spots import spot_kernels, spot_walk_kernels

        arena, runouts = self.arena, self.arena.runouts
        scratch = arena.scratch()
        plans, other = arena.plans(player), 1 - player
        mine, theirs = runouts.hands[player], runouts.hands[other]
        source = self.averages[other]
        arrays = (source, self.averages[player], self.averages[player], _NO_WEIGHTS)
        last = arena.num_streets - 1
        chunks: Sequence[int] = [0]
        river = plans[2]
        if street == last:
            self._reach_river(board, player, scratch)
            chunks = range(len(river.chunks))
        elif street == 0:
            arena.values(player, AVERAGE, *arrays, [scratch])
        else:
            spot_walk_kernels.play_boards(
                arena.num_streets, plans, arena.levels, mine, theirs, player, arena.layout,
                np.array([board, board + 1]), np.zeros(1, np.int64), AVERAGE, *arrays, *scratch,
                arena.gains[player],
            )  # fmt: skip
        nodes, width = self.street_nodes(street), arena.plan.widths[player]
        where = arena.plan.node_values[player]
        found = np.zeros((len(nodes), width), np.float32)
        for chunk in chunks:
            if street == last:
                spot_kernels.river_board(
                    river, chunk, mine, theirs, board,
                    int(runouts.levels[last].stabiliser[board]), AVERAGE, source,
                    int(arena.layout[last, other, 0] + board * arena.layout[last, other, 1]),
                    self.averages[player], self.averages[player],
                    int(arena.layout[last, player, 0] + board * arena.layout[last, player, 1]),
                    _NO_WEIGHTS, *scratch,
                )  # fmt: skip
            for place, node in enumerate(nodes):
                at = where[node]
                if at.chunk == chunk:
                    row = scratch.rows[at.row : at.row + width]
                    found[place] = row * np.float32(at.factor)
        return found

    def _reach_river(self, board: int, player: int, scratch: Any) -> None:
        """The opponent's reach at the roots of the river, for one board of it."""
        from riverboat.holdem.spots import spot_kernels, spot_walk_kernels

        arena, other = self.arena, 1 - player
        theirs, plans = arena.runouts.hands[other], arena.plans(player)
        width = arena.plan.widths[other]
        source = self.averages[other]
        if arena.num_streets == 1:
            scratch.reach[:width] = theirs.weights
            return
        spot_walk_kernels.start_reach(
            plans[0], theirs, source, int(arena.layout[0, other, 0]), scratch.reach
        )
        if arena.num_streets == 3:
            first_child = arena.runouts.levels[1].first_child
            parent = int(np.searchsorted(first_child, board, side="right")) - 1
            base = int(arena.layout[1, other, 0] + parent * arena.layout[1, other, 1])
            spot_kernels.descend(
                plans[1], 0, len(plans[1].down), source, base, width, scratch.reach
            )

    def below(self, root: TreeNode, board: tuple[int, ...], reach: Sequence[Doubles]) -> SolvedSpot:
        """The rest of the hand from a street's root on, solved anew from the ranges there.

        `reach` are weights (1326,) of OOP and IP; `board` all cards dealt.
        """
        key = (root.index, board)
        if key not in self._solved:
            self._solved[key] = _solve_below(self, root, board, reach)
        return self._solved[key]


def _texts(cards: Sequence[int]) -> list[str]:
    from riverboat.cards.card import card_text

    return [card_text(card) for card in cards]


def _solve_below(
    whole: SolvedSpot, root: TreeNode, board: tuple[int, ...], reach: Sequence[Doubles]
) -> SolvedSpot:
    from riverboat.holdem.spots.spot_solver import solver_kind
    from riverboat.solvers.limits import Limit

    spot, base = whole.spot, root.put[0]
    ranges = []
    for player, weights in enumerate(reach):
        gone = [*board, *spot.dead]
        live = Range(np.clip(weights, 0.0, 1.0)).without(gone)
        # Where nobody comes any hand is as good as another.
        usable = live.weights.max() > 1e-9
        ranges.append(live if usable else spot.ranges[player].without(gone))
    part = Spot(
        board=board,
        pot=spot.pot + 2 * base,
        stack=spot.stack - base,
        ranges=(ranges[0], ranges[1]),
        rake_rate=spot.rake_rate,
        rake_cap=spot.rake_cap,
        tree=TreeOptions(),
        dead=spot.dead,
    )
    tree = cut_out(whole.tree, root, part)
    arena = SpotArena(part, tree, build_runouts(part), build_plan(tree))
    solver = solver_kind(whole.device)(arena)
    percent = min(float(whole.info.get("exploitability_pct", 0.3)), 0.3)
    solver.run(Limit(iterations=2000, target=max(percent, 0.01) / 100 * part.pot))
    return solver.result()


def cut_out(tree: BettingTree, root: TreeNode, spot: Spot) -> BettingTree:
    """The subtree below a street's root as a tree of its own; nodes lie side by side."""
    base, nodes = root.put[0], []
    last = root.index
    while tree.nodes[last].children:
        last = tree.nodes[last].children[-1]
    for node in tree.nodes[root.index : last + 1]:
        actions = tuple(
            dataclasses.replace(action, total=action.total - base) for action in node.actions
        )
        nodes.append(
            dataclasses.replace(
                node,
                index=node.index - root.index,
                parent=node.parent - root.index if node is not root else -1,
                put=(node.put[0] - base, node.put[1] - base),
                actions=actions,
                children=tuple(child - root.index for child in node.children),
            )
        )
    return BettingTree(spot, tuple(nodes))
