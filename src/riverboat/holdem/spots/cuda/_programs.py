"""Programs of the kernels before the river: what a block does at its root, as one piece of numbers.

streets.cu keeps a program in shared memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.holdem.spots import plan as col
from riverboat.runtime.array_types import I32, I64

HEAD = 8
Table = I64


@dataclass(frozen=True)
class Programs:
    """One for each root of a street, all with the same room."""

    numbers: I32  # (roots, size)
    columns: int  # The most numbers that a thread keeps in shared memory next to its program

    @property
    def size(self) -> int:
        return int(self.numbers.shape[1])

    def shared(self, threads: int) -> int:
        """Bytes of shared memory of a block."""
        return 4 * (self.size + self.columns * threads)


def down_programs(down: Table, chunks: Table) -> Programs:
    """The way down: `down` has actions, row, and rows of reach before and after."""
    programs, columns = [], 1
    for first, last in chunks[:, col.CHUNK_DOWN : col.CHUNK_DOWN + 2]:
        nodes = down[first:last]
        if not len(nodes):
            programs.append([0] * HEAD)
            continue
        row, after = nodes[0, col.DOWN_OFFSET], nodes[0, col.DOWN_AFTER]
        num_rows, before = int(nodes[:, col.DOWN_ACTIONS].sum()), nodes[:, col.DOWN_BEFORE]
        parts = np.column_stack(
            [
                nodes[:, col.DOWN_ACTIONS],
                nodes[:, col.DOWN_OFFSET] - row,
                np.where(before >= after, before - after, -1),
                nodes[:, col.DOWN_AFTER] - after,
            ]
        )
        head = [len(nodes), row, num_rows, after, before[0], 0, 0, 0]
        programs.append([*head, *parts.ravel()])
        columns = max(columns, 2 * num_rows)
    return Programs(_same_room(programs), columns)


def up_programs(
    up: list[Table], child_rows: Table, child_factors: NDArray[Any], inputs: list[Table]
) -> Programs:
    """The way up: whose node it is, actions, own row, row of the value, first child, for each root.

    `up` and `inputs` have one table for each root: its nodes, and the rows that it reads.
    """
    programs, columns = [], 1
    bits = np.asarray(child_factors, np.float32).view(np.int32)
    for nodes, reads in zip(up, inputs, strict=True):
        first = nodes[0, col.UP_CHILD]
        edges = np.arange(first, nodes[-1, col.UP_CHILD] + nodes[-1, col.UP_ACTIONS])
        rows = np.concatenate([child_rows[edges], nodes[:, col.UP_RESULT], reads])
        base = rows.min()
        mine = nodes[nodes[:, col.UP_OWN] == 1]
        own, num_own = 0, 0
        if len(mine):
            own = mine[:, col.UP_OFFSET].min()
            num_own = (mine[:, col.UP_OFFSET] + mine[:, col.UP_ACTIONS]).max() - own
        parts = np.column_stack(
            [
                nodes[:, col.UP_ACTIONS],
                np.where(nodes[:, col.UP_OWN] == 1, nodes[:, col.UP_OFFSET] - own, -1),
                nodes[:, col.UP_RESULT] - base,
                nodes[:, col.UP_CHILD] - first,
            ]
        )
        nodes_at = HEAD
        edges_at = nodes_at + parts.size
        reads_at = edges_at + 2 * len(edges)
        head = [len(nodes), own, num_own, base, len(reads), reads_at, nodes_at, edges_at]
        pairs = np.column_stack([child_rows[edges] - base, bits[edges]])
        programs.append([*head, *parts.ravel(), *pairs.ravel(), *(reads - base)])
        columns = max(columns, int(2 * num_own + rows.max() - base + 1))
    return Programs(_same_room(programs), columns)


def _same_room(programs: list[list[int]]) -> I32:
    size = -(-max(len(program) for program in programs) // 4) * 4
    return np.array([program + [0] * (size - len(program)) for program in programs], np.int32)
