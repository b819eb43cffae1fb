"""What a block before the river is told about its root, in one piece: spot_streets.cu reads it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Programs", "down_programs", "up_programs"]

HEAD = 8
Table = NDArray[np.int64]


@dataclass(frozen=True)
class Programs:
    """One for each root of a street, all with the same room."""

    numbers: NDArray[np.int32]
    """(roots, size)"""
    columns: int
    """The most numbers that a thread keeps in shared memory beside its program."""

    @property
    def size(self) -> int:
        return int(self.numbers.shape[1])

    def shared(self, threads: int) -> int:
        """Bytes of shared memory of a block."""
        return 4 * (self.size + self.columns * threads)


def down_programs(down: Table, chunks: Table) -> Programs:
    """The way down: `down` has actions, row, and rows of reach before and after."""
    found, columns = [], 1
    for first, last in chunks[:, :2]:
        nodes = down[first:last]
        if not len(nodes):
            found.append([0] * HEAD)
            continue
        row, after, num_rows = nodes[0, 1], nodes[0, 3], int(nodes[:, 0].sum())
        parts = np.column_stack(
            [
                nodes[:, 0],
                nodes[:, 1] - row,
                np.where(nodes[:, 2] >= after, nodes[:, 2] - after, -1),
                nodes[:, 3] - after,
            ]
        )
        head = [len(nodes), row, num_rows, after, nodes[0, 2], 0, 0, 0]
        found.append([*head, *parts.ravel()])
        columns = max(columns, 2 * num_rows)
    return Programs(_same_room(found), columns)


def up_programs(
    up: list[Table], child_rows: Table, child_factors: NDArray[Any], inputs: list[Table]
) -> Programs:
    """The way up: whose node it is, actions, own row, row of the value, first child, for each root.

    `up` and `inputs` have one table for each root: its nodes, and the rows that it reads.
    """
    found, columns = [], 1
    bits = np.asarray(child_factors, np.float32).view(np.int32)
    for nodes, reads in zip(up, inputs, strict=True):
        first = nodes[0, 4]
        edges = np.arange(first, nodes[-1, 4] + nodes[-1, 1])
        rows = np.concatenate([child_rows[edges], nodes[:, 3], reads])
        base = rows.min()
        mine = nodes[nodes[:, 0] == 1]
        own, num_own = 0, 0
        if len(mine):
            own = mine[:, 2].min()
            num_own = (mine[:, 2] + mine[:, 1]).max() - own
        parts = np.column_stack(
            [
                nodes[:, 1],
                np.where(nodes[:, 0] == 1, nodes[:, 2] - own, -1),
                nodes[:, 3] - base,
                nodes[:, 4] - first,
            ]
        )
        nodes_at = HEAD
        edges_at = nodes_at + parts.size
        reads_at = edges_at + 2 * len(edges)
        head = [len(nodes), own, num_own, base, len(reads), reads_at, nodes_at, edges_at]
        pairs = np.column_stack([child_rows[edges] - base, bits[edges]])
        found.append([*head, *parts.ravel(), *pairs.ravel(), *(reads - base)])
        columns = max(columns, int(2 * num_own + rows.max() - base + 1))
    return Programs(_same_room(found), columns)


def _same_room(programs: list[list[int]]) -> NDArray[np.int32]:
    size = -(-max(len(each) for each in programs) // 4) * 4
    return np.array([each + [0] * (size - len(each)) for each in programs], np.int32)
