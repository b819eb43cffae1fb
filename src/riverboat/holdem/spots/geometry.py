"""What a solver knows about a spot before it starts: tree, boards, plan, sizes, card removal.

A geometry is data. `open_geometry` makes it, and with `memory` refuses a spot that cannot fit from
a count of its betting lines, before the tree is built. Where the numbers of a node lie: street by
street, board by board, one row of hands for each action of each node.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from riverboat.errors import TooLargeError
from riverboat.holdem.rules.betting import Street
from riverboat.holdem.spots._boards import (
    BoardClasses,
    Runouts,
    build_runouts,
    meeting_weights,
    padded,
)
from riverboat.holdem.spots.plan import CHUNK_BYTES, SpotPlan, build_plan
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.tree import NodeKind, SpotTree, TreeNode, build_tree, count_rows
from riverboat.runtime.array_types import F32, F64, I64

STEPS = 32767  # The largest two-byte number
BLOCKS = 16  # Blocks of boards that threads take
LARGE_SPOT = 20_000_000
"""A spot with more numbers than this has one block for each board of its second street."""
MAX_BYTES = 1 << 46


class PlayerStorage(NamedTuple):
    """A player's regrets or averages, flat: four-byte numbers, or two-byte ones with scales.

    The largest two-byte number of a row is ±32767; the row's scale is the value of one step.
    """

    values: Any  # (elements,) float32 or int16
    scales: F32  # (rows,) for int16; else (1,) and unused
    locked: I64 = np.zeros(0, np.int64)  # (locks,) where locked nodes begin, rising
    masks: F32 = np.zeros(0, np.float32)  # (locks · width,) one for hands that are locked


def make_storage(elements: int, width: int, *, int16: bool) -> PlayerStorage:
    """All zero, for rows of `width`."""
    if int16:
        return PlayerStorage(np.zeros(elements, np.int16), np.zeros(elements // width, np.float32))
    return PlayerStorage(np.zeros(elements, np.float32), np.zeros(1, np.float32))


class SpotSize(NamedTuple):
    """How large a spot is."""

    nodes: int  # Decision nodes over all boards that are kept
    infosets: int  # Nodes times hands
    updates: int  # Hand-actions that one iteration goes through, padding included
    float32: int  # Bytes with four-byte numbers,
    int16: int  # and with two-byte numbers and a scale for each row
    tables: int  # Bytes of tables and scratch, in either case; included above

    def as_dict(self) -> dict[str, int]:
        return dict(self._asdict())


@dataclass(frozen=True, eq=False)
class SpotGeometry:
    """A spot with its tree, boards and plans, and where each number of a player is kept."""

    spot: Spot
    tree: SpotTree
    runouts: Runouts
    plan: SpotPlan
    isomorphism: bool = True

    @property
    def num_streets(self) -> int:
        return len(self.plan.streets)

    @property
    def boards(self) -> BoardClasses:
        return self.runouts

    @cached_property
    def layout(self) -> I64:
        """(3, 2, 2) by street and player: first element, elements of a board."""
        found = np.zeros((3, 2, 2), np.int64)
        for player in (0, 1):
            start = 0
            for street, boards in enumerate(self.runouts.num_boards):
                each = self.plan.rows_per_board[street][player] * self.plan.widths[player]
                found[street, player] = start, each
                start += each * boards
        return found

    def board_start(self, street: int, player: int, board: int) -> int:
        """First element of a board; `street` counts from the first one of the spot."""
        first, size = self.layout[street, player]
        return int(first + board * size)

    def start(self, node: TreeNode, board: int) -> int:
        """The first element of a decision node on a board of its street."""
        row = self.plan.node_rows[node.index] * self.plan.widths[node.player]
        return self.board_start(node.street - self.spot.street, node.player, board) + row

    def storage(self, player: int, *, int16: bool = False) -> PlayerStorage:
        """Room for a player's regrets or averages."""
        return make_storage(self.elements(player), self.plan.widths[player], int16=int16)

    def elements(self, player: int, streets: int | None = None) -> int:
        """The size of a player's regrets, on all streets or the first ones."""
        boards = self.runouts.num_boards[:streets]
        sizes = self.layout[: len(boards), player, 1]
        return int(sum(int(size) * count for size, count in zip(sizes, boards, strict=True)))

    @cached_property
    def size(self) -> SpotSize:
        boards, first = self.runouts.num_boards, self.spot.street
        hands = [len(self.runouts.unranked[player].combos) for player in (0, 1)]
        nodes = infosets = 0
        for node in self.tree.nodes:
            if node.kind == NodeKind.DECISION:
                nodes += boards[node.street - first]
                infosets += boards[node.street - first] * hands[node.player]
        updates = self.elements(0) + self.elements(1)
        rows = sum(self.elements(player) // self.plan.widths[player] for player in (0, 1))
        scratch = max(self.plan.reach_size) + max(self.plan.rows_size) + sum(self.gain_sizes)
        tables = 4 * scratch + sum(table.nbytes for own in self.runouts.unranked for table in own)
        # Each hand of a river board has its place in the order and at most one group.
        tables += boards[-1] * (8 * sum(hands) + 32)
        return SpotSize(
            nodes, infosets, updates, 8 * updates + tables, 4 * updates + 8 * rows + tables, tables
        )

    @property
    def gain_sizes(self) -> tuple[int, int]:
        """For each learner the elements of what a pass adds up over the second street's boards."""
        if self.num_streets == 1:
            return 0, 0
        rows = (len(self.edges) - 1) * len(self.plan.root_nodes[1])
        return rows * self.plan.widths[0], rows * self.plan.widths[1]

    @cached_property
    def edges(self) -> I64:
        """Where blocks of the second street's boards begin and end.

        A block is the least that a thread takes, and the order in which values are added up. It
        depends on the spot alone, so that any number of threads gives the same bits.
        """
        boards = self.runouts.num_boards[1]
        large = self.elements(0) + self.elements(1) > LARGE_SPOT
        blocks = boards if large else min(boards, BLOCKS)
        return np.linspace(0, boards, blocks + 1).astype(np.int64)

    @cached_property
    def meetings(self) -> tuple[F64, F64]:
        """For each player and hand, the weight of the opponent's hands that it can meet."""
        first, second = (self._meetings_of(player) for player in (0, 1))
        return first, second

    def _meetings_of(self, player: int) -> F64:
        theirs, weights = self.runouts.unranked[1 - player], np.zeros(1326)
        weights[theirs.combos] = theirs.weights[: len(theirs.combos)]
        return meeting_weights(weights, self.runouts.unranked[player].combos)

    @cached_property
    def deals(self) -> float:
        """The weight of all pairs of hands that can meet."""
        mine = self.runouts.unranked[0]
        return float(mine.weights[: len(mine.combos)].astype(np.float64) @ self.meetings[0])

    def mean(self, player: int, values: F32) -> float:
        """A player's mean, from the root's values (P,), which count from the spot's center."""
        mine = self.runouts.unranked[player]
        weights = mine.weights.astype(np.float64)
        return float(weights @ values.astype(np.float64)) / self.deals + self.spot.center(player)


def open_geometry(
    spot: Spot,
    *,
    isomorphism: bool = True,
    chunk_bytes: int = CHUNK_BYTES,
    memory: int | None = None,
) -> SpotGeometry:
    """The geometry of a spot; what takes much memory is allocated later.

    Args:
        isomorphism: Keep one board for all runouts that differ by the names of suits only.
        chunk_bytes: Scratch that some river roots together may take (see `build_plan`).
        memory: Bytes allowed; a spot that needs more even with 16-bit numbers is refused before
            its tree is built.
    """
    runouts = build_runouts(spot, isomorphism=isomorphism)
    if memory is not None:
        _refuse_if_larger(spot, runouts, memory)
    tree = build_tree(spot)
    plan = build_plan(tree, chunk_bytes=chunk_bytes)
    geometry = SpotGeometry(spot, tree, runouts, plan, isomorphism)
    if geometry.size.int16 > MAX_BYTES:
        raise TooLargeError("The spot has more nodes than any memory holds; give fewer sizes.")
    return geometry


def _refuse_if_larger(spot: Spot, runouts: Runouts, memory: int) -> None:
    """Refuse a spot whose regrets and averages alone exceed the memory."""
    widths = [padded(len(spot.hands(player))) for player in (0, 1)]
    costs = np.zeros((len(Street), 2))
    for street, boards in enumerate(runouts.num_boards, spot.street):
        # Each row has two two-byte numbers a hand, and two scales.
        costs[street] = [boards * (4 * width + 8) for width in widths]
    if count_rows(spot, costs, memory) > memory:
        raise TooLargeError(
            f"The spot needs more than the {memory / 2**30:.2f} GiB allowed, even with 16-bit"
            " numbers; give fewer sizes or smaller ranges."
        )
