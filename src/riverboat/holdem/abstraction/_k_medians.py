"""Clusters of rows by k-medians: Lloyd's iteration under the L1 distance.

Between cumulative histograms of equal width the L1 distance is the earth mover's distance (in
units of one bin times one sample), and the coordinate-wise median is the row that minimises it, so
that no step raises the mean distance. Seeds are sampled as in k-means++ (Arthur & Vassilvitskii,
2007) with the first power of the distance, the one that fits medians. Deterministic by seed,
whatever the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import ParameterError
from riverboat.holdem.abstraction import _k_medians_kernels as kernels
from riverboat.holdem.abstraction.card_abstraction import in_parallel

MAX_ITERATIONS = 100
_MIN_GAIN = 0.0001  # Lloyd's iteration ends when the mean distance falls by less than this share
_BLOCK = 4096


@dataclass(frozen=True)
class Centres:
    """Centres in ascending order of the sum of their coordinates, as the kernels take them."""

    rows: NDArray[np.int16]  # (K, D)
    sums: NDArray[np.int32]  # (K,)
    quarters: NDArray[np.int32]  # (K, 4)
    mean_distance: float  # Of the rows clustered from their centres

    @property
    def arrays(self) -> kernels.Medians:
        return self.rows, self.sums, self.quarters

    def nearest(
        self, rows: NDArray[np.int16], threads: int = 1
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The number of the centre nearest to each row (N,), and its distance (N,)."""
        labels, distances = np.empty(len(rows), np.int32), np.empty(len(rows), np.int32)

        def assign(start: int) -> None:
            part = slice(start, start + _BLOCK)
            kernels.assign_rows(rows[part], *self.arrays, labels[part], distances[part])

        in_parallel(assign, range(0, len(rows), _BLOCK), threads)
        return labels, distances


def k_medians(
    rows: NDArray[np.int16],
    num_clusters: int,
    *,
    rng: np.random.Generator,
    threads: int = 1,
    progress: Callable[[float], None] | None = None,
) -> Centres:
    """At most `num_clusters` centres of `rows` (N, D); fewer only where rows are too alike."""
    if rows.ndim != 2 or not len(rows) or rows.shape[1] % kernels.NUM_QUARTERS:
        raise ParameterError("Rows to be clustered need a multiple of four coordinates.")
    if num_clusters < 1 or rows.min() < 0:
        raise ParameterError("Clusters are at least one, of rows with no value below zero.")
    seeds = np.empty((num_clusters, rows.shape[1]), np.int16)
    num_seeds = int(kernels.choose_seeds(rows, rng.random(num_clusters), seeds))
    centres = sorted_centres(seeds[:num_seeds], np.inf)
    counts = np.zeros(int(rows.max()) + 1, np.int32)
    for iteration in range(MAX_ITERATIONS):
        labels, distances = centres.nearest(rows, threads)
        mean = float(distances.mean())
        if progress is not None:
            progress((iteration + 1) / MAX_ITERATIONS)
        if mean == 0 or centres.mean_distance - mean < _MIN_GAIN * mean:
            break
        medians = centres.rows.copy()
        sizes = np.bincount(labels, minlength=len(medians))
        starts = np.concatenate([[0], np.cumsum(sizes)])
        order = np.argsort(labels, kind="stable")
        kernels.fill_medians(rows, order, starts, counts, medians)
        empty = np.flatnonzero(sizes == 0)
        if len(empty):
            # Centres that no row is nearest to go to the rows farthest from theirs.
            medians[empty] = rows[np.argsort(-distances, kind="stable")[: len(empty)]]
        centres = sorted_centres(medians, mean)
    return Centres(*centres.arrays, mean_distance=mean)


def sorted_centres(centres: NDArray[np.int16], mean_distance: float = 0.0) -> Centres:
    """Rows (K, D) as centres, in the order in which the search needs them."""
    quarters = centres.reshape(len(centres), kernels.NUM_QUARTERS, -1).sum(axis=2, dtype=np.int32)
    sums = quarters.sum(axis=1, dtype=np.int32)
    order = np.argsort(sums, kind="stable")
    return Centres(centres[order], sums[order], quarters[order], mean_distance)
