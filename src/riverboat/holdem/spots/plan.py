"""A betting tree as schedules that kernels follow: what is done at each node, and where it is kept.

For each street and each player who learns there is a plan. Going down, the opponent's nodes split
their reach; going up, each node's value is made from its children's. Numbers lie in two flat
buffers, `reach` (a row of the opponent's hands for each sequence of their actions) and `rows` (a
row of the learner's hands for each value); a plan holds offsets into them. Regrets and averages of
a node lie in the storage at its street's board and its `offset`, one row for each action.

On the river eight showdowns are counted together; their plan names the eight rows of reach and the
rows for values and for the opponent's reach: the weight of the opponent's hands that each hand can
meet. Where the opponent folds, that is their reach before less that of their other actions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from riverboat.holdem.rules.betting import Street
from riverboat.holdem.spots._boards import padded
from riverboat.holdem.spots.tree import NodeKind, SpotTree, TreeNode
from riverboat.runtime.array_types import F32, I64

CHUNK_BYTES = 256 * 1024
"""What the rows of some river roots together may take: they should stay in the second cache."""
LARGE_CHUNK_BYTES = 1 << 28
"""The same in Omaha, where a row exceeds that cache: eight showdowns should be found together."""

# Columns of the tables of a StreetPlan. Kernels take them as constants.
DOWN_ACTIONS, DOWN_OFFSET, DOWN_BEFORE, DOWN_AFTER = range(4)
UP_OWN, UP_ACTIONS, UP_OFFSET, UP_RESULT, UP_CHILD = range(5)
CHUNK_DOWN, CHUNK_UP, CHUNK_BLOCKS, CHUNK_COMBINATIONS, CHUNK_ROOTS = range(0, 10, 2)
"""Each is followed by its end. Before the river, where each root is a chunk, the third and fourth
pair are ranges of `opponent_reach` and `chances`."""
CHUNK_REACH, CHUNK_CHANCES = CHUNK_BLOCKS, CHUNK_COMBINATIONS
COMBINE_RESULT, COMBINE_FIRST, COMBINE_COUNT = range(3)
REACH_FROM, REACH_ROW = range(2)
CHANCE_REACH, CHANCE_ROW = range(2)


class StreetPlan(NamedTuple):
    """One street for one learner; offsets count elements, columns have the names above."""

    down: I64
    """(n, 4) opponent's nodes: actions, offset in the storage, reach before, first reach after."""
    up: I64
    """(n, 5) nodes from the leaves: learner's (1) or not, actions, offset, result, first child."""
    child_rows: I64  # (edges,) the row of a child's value,
    child_factors: F32  # (edges,) and what it is multiplied by
    chunks: I64
    """(chunks, 10) first and last of down, up, blocks of eight showdowns, combinations, roots."""
    lane_reach: I64  # (8 · blocks,) reach of each showdown
    lane_values: I64  # (8 · blocks,) row of its value,
    lane_opponent_reach: I64  # (8 · blocks,) and row of the opponent's reach there
    lane_factors: F32
    """(24 · blocks,) eight factors each of what is beaten, of what is not lost to, and of all."""
    combinations: I64  # (n, 3) opponent's reach made from other rows of it: result, first, number
    combination_rows: I64
    combination_factors: F32
    opponent_reach: I64
    """(n, 2) before the river: where the reach of a fold lies, and the row for its sum."""
    chances: I64
    """(n, 2) before the river: reach, and the row for the value of the next street's root."""
    roots: I64  # (roots,) row of each root's value


class NodeValue(NamedTuple):
    """Where a node's values are after a pass over its street."""

    chunk: int
    row: int
    factor: float


class SpotPlan(NamedTuple):
    """Plans by street and learner, and the sizes of everything."""

    streets: tuple[tuple[StreetPlan, StreetPlan], ...]
    node_values: tuple[dict[int, NodeValue], dict[int, NodeValue]]
    """For each learner, where a pass leaves a node's values."""
    root_nodes: tuple[tuple[int, ...], ...]  # By street
    reach_size: tuple[int, int]  # Elements of `reach` for each learner
    rows_size: tuple[int, int]


@dataclass
class _Draft:
    """A plan in the making."""

    down: list[tuple[int, ...]] = field(default_factory=list)
    up: list[tuple[int, ...]] = field(default_factory=list)
    child_rows: list[int] = field(default_factory=list)
    child_factors: list[float] = field(default_factory=list)
    chunks: list[tuple[int, ...]] = field(default_factory=list)
    lanes: list[tuple[int, int, int, tuple[float, float, float]]] = field(default_factory=list)
    blocks: list[tuple[int, int, int, tuple[float, float, float]]] = field(default_factory=list)
    combinations: list[tuple[int, int, int]] = field(default_factory=list)
    combination_rows: list[int] = field(default_factory=list)
    combination_factors: list[float] = field(default_factory=list)
    opponent_reach: list[tuple[int, int]] = field(default_factory=list)
    chances: list[tuple[int, int]] = field(default_factory=list)
    roots: list[int] = field(default_factory=list)


def build_plan(tree: SpotTree, *, chunk_bytes: int | None = None) -> SpotPlan:
    """The plans of a tree; with no `chunk_bytes` every river root is a chunk of its own."""
    spot = tree.spot
    if chunk_bytes is None:
        chunk_bytes = CHUNK_BYTES if spot.game == "holdem" else LARGE_CHUNK_BYTES
    widths = (padded(len(spot.hands(0))), padded(len(spot.hands(1))))
    roots = tuple(
        tuple(root.index for root in tree.roots if root.street == street)
        for street in range(spot.street, Street.RIVER + 1)
    )
    makers = [_PlanMaker(tree, learner, widths, roots, chunk_bytes) for learner in (0, 1)]
    plans = [player.plans() for player in makers]
    return SpotPlan(
        tuple((plans[0][street], plans[1][street]) for street in range(len(roots))),
        (makers[0].node_values, makers[1].node_values),
        roots,
        (makers[0].max_reach, makers[1].max_reach),
        (makers[0].max_rows, makers[1].max_rows),
    )


def payoffs(tree: SpotTree, node: TreeNode, player: int = 0) -> tuple[float, float, float]:
    """Payoffs (win, tie, loss) at a terminal node, relative to the spot's `center`."""
    return tree.spot.payoffs(player, min(node.put))


class _PlanMaker:
    """Makes the plans of one learner."""

    def __init__(
        self,
        tree: SpotTree,
        learner: int,
        widths: tuple[int, int],
        roots: tuple[tuple[int, ...], ...],
        chunk_bytes: int,
    ) -> None:
        self.tree, self.learner, self.all_roots = tree, learner, roots
        self.chunk_bytes, self.river = chunk_bytes, False
        self.own, self.other = widths[learner], widths[1 - learner]
        self.num_reach, self.num_rows = 1, 1  # Row 0 of values is for lanes that are not used.
        self.max_reach = self.max_rows = 0
        self.root_reach = [0]
        self.draft = _Draft()
        self.node_values: dict[int, NodeValue] = {}
        self.open_nodes: list[int] = []
        """The learner's folds on the river, whose row is not known yet."""
        self.lane_of: dict[int, int] = {}
        """Reach → row of its sum over the hands that each hand can meet."""
        self.splits: dict[int, list[list[int]]] = {}
        """Reach → what nodes without a fold split it into."""
        self.folds: list[tuple[int, int, list[int]]] = []
        """The opponent's folds on the river: row of the sum, reach before, after other actions."""

    def plans(self) -> list[StreetPlan]:
        streets = []
        for street, roots in enumerate(self.all_roots):
            self.draft = _Draft()
            self.river = street == len(self.all_roots) - 1
            if self.river:
                self._river(roots)
            else:
                self._upper(roots)
            streets.append(self._finished())
        return streets

    def _upper(self, roots: tuple[int, ...]) -> None:
        draft = self.draft
        for root, reach in zip(roots, self.root_reach, strict=True):
            marks = self._marks()
            row, _ = self._walk(self.tree.nodes[root], reach, is_root=True)
            self._end_chunk(marks, len(draft.roots), len(draft.roots) + 1)
            draft.roots.append(row)
        self.root_reach = [reach // self.other for reach, _ in draft.chances]
        self._count()

    def _marks(self) -> tuple[int, int, int, int]:
        """How far the tables are that chunks are stretches of."""
        draft = self.draft
        last = (len(draft.opponent_reach), len(draft.chances))
        if self.river:
            last = (len(draft.blocks) // 8, len(draft.combinations))
        return len(draft.down), len(draft.up), *last

    def _end_chunk(self, marks: tuple[int, int, int, int], first: int, last: int) -> None:
        """A chunk from these marks on, with these roots."""
        pairs = [mark for pair in zip(marks, self._marks(), strict=True) for mark in pair]
        self.draft.chunks.append((*pairs, first, last))

    def _river(self, roots: tuple[int, ...]) -> None:
        draft, first = self.draft, 0
        reach, rows = self.num_reach, self.num_rows
        while first < len(roots):
            self.num_reach, self.num_rows = reach, rows
            marks = self._marks()
            draft.lanes, self.lane_of, self.splits, self.folds = [], {}, {}, []
            last = first
            while last < len(roots):
                row, _ = self._walk(self.tree.nodes[roots[last]], self.root_reach[last], True)
                draft.roots.append(row)
                last += 1
                used = (self.num_reach - reach) * self.other + (self.num_rows - rows) * self.own
                if 4 * used > self.chunk_bytes:
                    break
            self._combine_reach()
            self._fill_blocks()
            self._end_chunk(marks, first, last)
            self._count()
            first = last

    def _count(self) -> None:
        self.max_reach = max(self.max_reach, self.num_reach * self.other)
        self.max_rows = max(self.max_rows, self.num_rows * self.own)

    def _new_row(self) -> int:
        self.num_rows += 1
        return (self.num_rows - 1) * self.own

    def _walk(self, node: TreeNode, reach: int, is_root: bool = False) -> tuple[int, float]:
        """Plan a subtree; the row of its value and the factor it takes."""
        row, factor = self._walked(node, reach, is_root)
        chunk = len(self.draft.chunks) if self.river else 0
        self.node_values[node.index] = NodeValue(chunk, row, factor)
        if row < 0:
            self.open_nodes.append(node.index)
        return row, factor

    def _walked(self, node: TreeNode, reach: int, is_root: bool) -> tuple[int, float]:
        if node.kind == NodeKind.FOLD:
            return self._fold(node, reach)
        if node.kind == NodeKind.SHOWDOWN:
            return self._showdown(node, reach), 1.0
        if node.kind == NodeKind.CHANCE:
            row = self._new_row()
            self.draft.chances.append((reach * self.other, row))
            spot = self.tree.spot
            in_hands = 2 * spot.hole_cards
            factor = 1.0 / (52 - len(spot.dead) - (2 + node.street) - in_hands)
            if not is_root:
                return row, factor
            # A root that is dealt on at once: its value is one child's, with the factor.
            result = self._new_row()
            self._up(0, 0, result, [(row, factor)])
            return result, 1.0
        offset = self.tree.node_rows[node.index]
        num_actions = len(node.actions)
        after = [reach] * num_actions
        if node.player != self.learner:
            after = [self.num_reach + i for i in range(num_actions)]
            self.num_reach += num_actions
            self.splits.setdefault(reach, []).append(after if node.actions[0].letter != "F" else [])
            self.draft.down.append(
                (num_actions, offset * self.other, reach * self.other, after[0] * self.other)
            )
        children = [
            self._walk(self.tree.nodes[child], state)
            for child, state in zip(node.children, after, strict=True)
        ]
        if node.player != self.learner and node.actions[0].letter == "F":
            self.folds.append((children[0][0], reach, after[1:]))
        result = self._new_row()
        self._up(int(node.player == self.learner), offset * self.own, result, children)
        return result, 1.0

    def _up(self, own: int, offset: int, result: int, children: list[tuple[int, float]]) -> None:
        draft = self.draft
        draft.up.append((own, len(children), offset, result, len(draft.child_rows)))
        draft.child_rows += [row for row, _ in children]
        draft.child_factors += [factor for _, factor in children]

    def _fold(self, node: TreeNode, reach: int) -> tuple[int, float]:
        win, _, lose = payoffs(self.tree, node, self.learner)
        factor = lose if node.player == self.learner else win
        if node.street < Street.RIVER:
            row = self._new_row()
            self.draft.opponent_reach.append((reach * self.other, row))
            return row, factor
        # On the river the learner's fold meets the same hands as their call, which is a showdown.
        row = -1 - reach if node.player == self.learner else self._new_row()
        return row, factor

    def _showdown(self, node: TreeNode, reach: int) -> int:
        win, tie, lose = payoffs(self.tree, node, self.learner)
        value, total = self._new_row(), self._new_row()
        self.draft.lanes.append((reach * self.other, value, total, (win - tie, tie - lose, lose)))
        self.lane_of[reach] = total
        return value

    def _combine_reach(self) -> None:
        """Sums of reach that no showdown has: those of the root and of the opponent's folds."""
        draft = self.draft

        def add(row: int, parts: list[tuple[int, float]]) -> None:
            draft.combinations.append((row, len(draft.combination_rows), len(parts)))
            draft.combination_rows.extend(part for part, _ in parts)
            draft.combination_factors.extend(factor for _, factor in parts)

        def reach_row(reach: int) -> int:
            if reach not in self.lane_of:
                # Some node without a fold splits this reach into what has showdowns.
                split = next(after for after in self.splits[reach] if after)
                row = self._new_row()
                add(row, [(reach_row(state), 1.0) for state in split])
                self.lane_of[reach] = row
            return self.lane_of[reach]

        for row, reach, others in self.folds:
            add(row, [(reach_row(reach), 1.0), *((reach_row(state), -1.0) for state in others)])
        start = draft.chunks[-1][CHUNK_UP + 1] if draft.chunks else 0
        first = draft.up[start][UP_CHILD] if start < len(draft.up) else len(draft.child_rows)
        for link in range(first, len(draft.child_rows)):
            if draft.child_rows[link] < 0:
                draft.child_rows[link] = reach_row(-1 - draft.child_rows[link])
        for index in self.open_nodes:
            value = self.node_values[index]
            self.node_values[index] = value._replace(row=reach_row(-1 - value.row))
        self.open_nodes = []

    def _fill_blocks(self) -> None:
        """The showdowns in blocks of eight, the last filled up with a row that is never read."""
        draft = self.draft
        draft.blocks += draft.lanes
        while len(draft.blocks) % 8:
            draft.blocks.append((draft.lanes[0][0], 0, 0, (0.0, 0.0, 0.0)))

    def _finished(self) -> StreetPlan:
        draft = self.draft
        factors = np.array([lane[3] for lane in draft.blocks], np.float32).reshape(-1, 8, 3)
        return StreetPlan(
            _table(draft.down, 4),
            _table(draft.up, 5),
            np.array(draft.child_rows, np.int64),
            np.array(draft.child_factors, np.float32),
            _table(draft.chunks, 10),
            np.array([lane[0] for lane in draft.blocks], np.int64),
            np.array([lane[1] for lane in draft.blocks], np.int64),
            np.array([lane[2] for lane in draft.blocks], np.int64),
            np.ascontiguousarray(factors.transpose(0, 2, 1)).ravel(),
            _table(draft.combinations, 3),
            np.array(draft.combination_rows, np.int64),
            np.array(draft.combination_factors, np.float32),
            _table(draft.opponent_reach, 2),
            _table(draft.chances, 2),
            np.array(draft.roots, np.int64),
        )


def _table(rows: Sequence[tuple[int, ...]], width: int) -> I64:
    return np.array(rows, np.int64).reshape(-1, width)
