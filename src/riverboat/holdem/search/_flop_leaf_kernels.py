"""Kernels of a depth-limited flop: what pairs of hands win after it, and products with that.

Matrices have the searching player's hands as rows and, side by side, the opponent's hands with
the opponent's four continuation strategies: (H, H, 4).
"""

from __future__ import annotations

import numpy as np
from numpy import float32, int64, uint64

from riverboat.runtime.array_types import F32, I16, I64, Index
from riverboat.runtime.compiled import njit

BLOCK = 64  # Columns that are added up together: with all rows they fit a core's cache


@njit(cache=True, nogil=True)
def reach_rows(
    parents: I64, actors: I64, streets: I64, chances: F32, player: Index, buckets: I64, out: F32
) -> None:
    """The probability that a player takes all own actions up to each edge.

    `chances` (E, B) of one way to play; `buckets` (2, C) of classes of hands on turn and river.
    Writes `out` (E, C).
    """
    num_buckets = uint64(buckets.shape[1])
    for c in range(num_buckets):
        out[0, c] = 1.0
    for edge in range(1, uint64(parents.shape[0])):
        above, mine = uint64(parents[edge]), actors[edge] == player
        street = uint64(streets[edge])
        for c in range(num_buckets):
            part = chances[edge, uint64(buckets[street, c])] if mine else float32(1.0)
            out[edge, c] = out[above, c] * part


@njit(cache=True, nogil=True, fastmath=True)
def meet(edges: I64, chips: F32, mine: F32, theirs: F32, out: F32) -> None:
    """Chips of the row's class against the column's over some terminals.

    `edges` (T,) and `chips` (T,) of the terminals, `mine` (E, C) and `theirs` (E, 4 · C) how likely
    each class comes to each edge. Writes `out` (C, 4 · C).
    """
    out[...] = 0.0
    wide = uint64(theirs.shape[1])
    for t in range(uint64(edges.shape[0])):
        edge = uint64(edges[t])
        row = theirs[edge]
        for c in range(uint64(mine.shape[1])):
            part = mine[edge, c] * chips[t]
            if part != 0.0:
                sums = out[c]
                for at in range(wide):
                    sums[at] += part * row[at]


@njit(cache=True, nogil=True, fastmath=True)
def add_runouts(order: I16, starts: I64, classes: I64, ranks: F32, tables: F32, out: F32) -> None:
    """Add what every pair of hands wins on some runouts.

    On each of S runouts hands are in classes: `order` (S, H) has the hands class by class, those of
    class c from `starts` (S, C + 1) on, and at the end those that a card of the runout rules out;
    `classes` (S, H) has each hand's, C for these; `ranks` (S, H) its strength.
    `tables` (S, 2, C, C + 1, 4): chips at showdowns and from folds, of the row's class against the
    column's. Adds to `out` (H, 4 · H).
    """
    hands, block = uint64(out.shape[0]), uint64(BLOCK)
    wins, folds = np.empty(4 * BLOCK, np.float32), np.empty(4 * BLOCK, np.float32)
    strengths = np.empty(4 * BLOCK, np.float32)
    for first in range(uint64(0), hands, block):
        num_rows = min(block, hands - first)
        for s in range(uint64(order.shape[0])):
            for j in range(num_rows):
                for k in range(uint64(4)):
                    strengths[uint64(4) * j + k] = ranks[s, first + j]
            for c in range(uint64(starts.shape[1] - 1)):
                if starts[s, c] == starts[s, c + uint64(1)]:
                    continue
                for j in range(num_rows):
                    other = uint64(classes[s, first + j])
                    for k in range(uint64(4)):
                        wins[uint64(4) * j + k] = tables[s, 0, c, other, k]
                        folds[uint64(4) * j + k] = tables[s, 1, c, other, k]
                for entry in range(uint64(starts[s, c]), uint64(starts[s, c + uint64(1)])):
                    i = uint64(order[s, entry])
                    rank = ranks[s, i]
                    row = out[i, uint64(4) * first : uint64(4) * (first + num_rows)]
                    for at in range(uint64(4) * num_rows):
                        sign = float32(rank > strengths[at]) - float32(rank < strengths[at])
                        row[at] += folds[at] + sign * wins[at]


@njit(cache=True, nogil=True, fastmath=True)
def rounded(
    sums: F32, counts: F32, leads: F32, apart: F32, known: float32, step: float32, out: I16
) -> None:
    """Means of `sums` (H, 4 · H) over `counts` (H, H), with `known` times `leads` added.

    Writes `out` (H, 4 · H) in parts of `step`; 0 where `apart` (H, H) is, as are `leads` (H, H).
    """
    hands, per_step = uint64(leads.shape[0]), float32(1.0) / step
    for i in range(hands):
        for j in range(hands):
            weight = apart[i, j] * per_step / max(counts[i, j], float32(1.0))
            first = leads[i, j] * known * per_step
            for k in range(uint64(4)):
                value = sums[i, uint64(4) * j + k] * weight + first
                out[i, uint64(4) * j + k] = np.int16(np.rint(value))


@njit(cache=True, nogil=True, fastmath=True)
def rows(matrix: I16 | F32, weights: F32, out: F32) -> None:
    """`out` (H,) = matrix (H, W) @ weights (W,); in steps where the matrix is."""
    width = uint64(matrix.shape[1])
    for i in range(uint64(matrix.shape[0])):
        total = float32(0.0)
        row = matrix[i]
        for j in range(width):
            total += float32(row[j]) * weights[j]
        out[i] = total


@njit(cache=True, nogil=True, fastmath=True)
def columns(matrix: I16, weights: F32, out: F32) -> None:
    """`out` (4H,) = weights (H,) @ matrix (H, 4H), in steps; four rows at a time, then the rest."""
    width, height = uint64(matrix.shape[1]), int64(matrix.shape[0])
    for j in range(width):
        out[j] = 0.0
    for i in range(height - height % 4, height):
        for j in range(width):
            out[j] += weights[i] * float32(matrix[i, j])
    for i in range(0, height - height % 4, 4):
        a, b = matrix[i], matrix[i + 1]
        c, d = matrix[i + 2], matrix[i + 3]
        x, y, z, w = weights[i], weights[i + 1], weights[i + 2], weights[i + 3]
        for j in range(width):
            out[j] += x * float32(a[j]) + y * float32(b[j]) + z * float32(c[j]) + w * float32(d[j])
