"""k-medians in whole numbers: rows (N, D) int16 not below zero, L1 distance, exact pruning.

Integers make every result the same with any number of threads, and let the compiler use vector
instructions, since their sums may be reordered. Centres are kept in ascending order of the sum of
their coordinates. |sum a − sum b| never exceeds the distance of a and b, nor does the same over the
four quarters of the coordinates added up, so a search starts at the centre of nearest sum, goes
outwards both ways, and stops when the sums alone are too far. D is a multiple of four.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy import int32, uint64

from riverboat.runtime.array_types import F64, I16, I32, I64, Whole
from riverboat.runtime.compiled import njit

NUM_QUARTERS = 4
FAR = 2**30
Medians: TypeAlias = tuple[I16, I32, I32]
"""Centres (K, D) in ascending order of their sums (K,), and the sums of their quarters (K, 4)."""


@njit(cache=True, nogil=True)
def _distance(first: I16, second: I16) -> int32:
    total = int32(0)
    for i in range(uint64(first.shape[0])):
        gap = int32(first[uint64(i)]) - int32(second[uint64(i)])
        total = int32(total + int32(abs(gap)))
    return total


@njit(cache=True, nogil=True)
def _bound(first: I32, second: I32) -> int32:
    """Lower bound of the distance from quarter sums, both (4,) int32."""
    total = int32(0)
    for i in range(uint64(NUM_QUARTERS)):
        total = int32(total + int32(abs(int32(first[uint64(i)] - second[uint64(i)]))))
    return total


@njit(cache=True, nogil=True)
def add_up_quarters(row: I16, out: I32) -> int32:
    """Write the sums of a row's four quarters to `out` (4,) int32, return the sum of all."""
    size = uint64(row.shape[0] // NUM_QUARTERS)
    total, at = int32(0), uint64(0)
    for quarter in range(uint64(NUM_QUARTERS)):
        part = int32(0)
        for _ in range(size):
            part = int32(part + int32(row[at]))
            at += uint64(1)
        out[uint64(quarter)] = part
        total = int32(total + part)
    return total


@njit(cache=True, nogil=True)
def nearest(row: I16, centres: I16, sums: I32, quarters: I32, scratch: I32) -> tuple[Whole, Whole]:
    """The centre nearest to `row` (D,), and how far it is.

    `centres` (K, D) int16 in ascending order of `sums` (K,) int32, `quarters` (K, 4) int32,
    `scratch` (4,) int32.
    """
    total = add_up_quarters(row, scratch)
    num_centres = np.int64(sums.shape[0])
    up, high = np.int64(0), num_centres
    while up < high:
        middle = (up + high) >> 1
        if sums[middle] < total:
            up = middle + 1
        else:
            high = middle
    down = up - 1
    best, best_distance = np.int64(0), int32(FAR)
    while True:
        gap_up = int32(sums[up] - total) if up < num_centres else int32(FAR)
        gap_down = int32(total - sums[down]) if down >= 0 else int32(FAR)
        if min(gap_up, gap_down) >= best_distance:
            return best, best_distance
        if gap_up <= gap_down:
            centre = up
            up += 1
        else:
            centre = down
            down -= 1
        if _bound(scratch, quarters[centre]) < best_distance:
            distance = _distance(row, centres[centre])
            if distance < best_distance:
                best, best_distance = centre, distance


@njit(cache=True, nogil=True)
def assign_rows(
    rows: I16, centres: I16, sums: I32, quarters: I32, labels: I32, distances: I32
) -> None:
    """`nearest` of `rows` (N, D); writes `labels` (N,) int32 and `distances` (N,) int32."""
    scratch = np.empty(NUM_QUARTERS, np.int32)
    for i in range(rows.shape[0]):
        best, distance = nearest(rows[i], centres, sums, quarters, scratch)
        labels[i] = best
        distances[i] = distance


@njit(cache=True, nogil=True)
def choose_seeds(rows: I16, chances: F64, centres: I16) -> Any:
    """The first centres, k-means++ with the first power of the distance.

    Each next centre is a row drawn in proportion to its distance from the nearest so far, by
    `chances` (K,) float64 in [0, 1). Writes `centres` (K, D) and returns how many: fewer when there
    are fewer different rows.
    """
    num_rows, num_seeds = rows.shape[0], centres.shape[0]
    sums = np.empty(num_rows, np.int32)
    scratch = np.empty(NUM_QUARTERS, np.int32)
    for i in range(num_rows):
        sums[i] = add_up_quarters(rows[i], scratch)
    distances = np.full(num_rows, FAR, np.int32)
    chosen = np.int64(chances[0] * num_rows)
    for k in range(num_seeds):
        centres[k] = rows[chosen]
        total = np.int64(0)
        for i in range(num_rows):
            if abs(sums[i] - sums[chosen]) < distances[i]:
                distances[i] = min(distances[i], _distance(rows[i], centres[k]))
            total += distances[i]
        if total == 0:
            return k + 1
        if k + 1 < num_seeds:
            remaining = np.int64(chances[k + 1] * total)
            chosen = np.int64(0)
            while remaining >= distances[chosen]:
                remaining -= distances[chosen]
                chosen += 1
    return num_seeds


@njit(cache=True, nogil=True)
def fill_medians(rows: I16, order: I64, starts: I64, counts: I32, centres: I16) -> None:
    """Coordinate-wise lower medians of each cluster; clusters without rows stay as they are.

    `order` (N,) int64 lists the rows cluster by cluster from `starts` (K + 1,) int64; `counts`
    (V,) int32 scratch, zero before and after, for values below V. Writes `centres` (K, D) int16.
    """
    for k in range(centres.shape[0]):
        first, last = starts[k], starts[k + 1]
        if first == last:
            continue
        half = (last - first + 1) // 2
        for j in range(rows.shape[1]):
            low = np.int64(rows[order[first], j])
            for i in range(first, last):
                value = np.int64(rows[order[i], j])
                counts[value] += 1
                low = min(low, value)
            seen, median = np.int64(counts[low]), low
            while seen < half:
                median += 1
                seen += counts[median]
            centres[k, j] = median
            for i in range(first, last):
                counts[np.int64(rows[order[i], j])] = 0
