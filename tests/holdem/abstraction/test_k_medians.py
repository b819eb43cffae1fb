"""k-medians: exact nearest centres, medians as centres, EMD, and the same whatever the threads."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from scipy.stats import wasserstein_distance

from riverboat.cards.isomorphism import board_histograms
from riverboat.errors import ParameterError
from riverboat.holdem.abstraction._k_medians import k_medians


@pytest.fixture(scope="module")
def rows() -> NDArray[np.int16]:
    """Histograms of some hands on two turns, made cumulative from above."""
    counts = [board_histograms(board, 49).counts for board in ("QsJs2d3h", "7c7d8cAh")]
    stacked = np.concatenate(counts).astype(np.int64)
    stacked = stacked[stacked.sum(axis=1) > 0]
    above = stacked.sum(axis=1)[:, None] - np.cumsum(stacked, axis=1)
    return np.ascontiguousarray(above[:, :-1], dtype=np.int16)


def test_nearest_is_exact(rows: NDArray[np.int16]) -> None:
    centres = k_medians(rows, 40, rng=np.random.default_rng(1))
    labels, distances = centres.nearest(rows)
    every = cdist(rows, centres.rows, "cityblock")
    assert (distances == every.min(axis=1)).all()
    assert (every[np.arange(len(rows)), labels] == distances).all()
    assert (np.diff(centres.sums) >= 0).all()
    assert centres.mean_distance == pytest.approx(distances.mean())


def test_distance_is_the_earth_movers(rows: NDArray[np.int16]) -> None:
    bins = np.arange(49)
    for first, second in ((0, 500), (3, 1700), (900, 901)):
        weights = [
            -np.diff(np.concatenate([[46], rows[i].astype(int), [0]])) for i in (first, second)
        ]
        expected = wasserstein_distance(bins, bins, weights[0], weights[1])
        ours = np.abs(rows[first].astype(int) - rows[second]).sum()
        assert ours == pytest.approx(46 * expected)


def test_centres_are_medians() -> None:
    rng = np.random.default_rng(2)
    middles = rng.integers(0, 1000, (6, 8)) * 10
    rows = (middles[rng.integers(0, 6, 3001)] + rng.integers(0, 9, (3001, 8))).astype(np.int16)
    centres = k_medians(rows, 6, rng=rng)
    labels, _ = centres.nearest(rows)
    for k in range(6):
        members = np.sort(rows[labels == k], axis=0)
        assert (members[(len(members) - 1) // 2] == centres.rows[k]).all()
    found = {tuple(row // 10 * 10) for row in centres.rows.tolist() for row in [np.array(row)]}
    assert found == {tuple(row) for row in middles.tolist()}


def test_deterministic_with_any_number_of_threads(rows: NDArray[np.int16]) -> None:
    many = np.concatenate([rows] * 3)
    one, two = (k_medians(many, 25, rng=np.random.default_rng(7), threads=n) for n in (1, 2))
    assert (one.rows == two.rows).all()
    assert one.mean_distance == two.mean_distance
    other = k_medians(many, 25, rng=np.random.default_rng(8))
    assert other.rows.shape != one.rows.shape or (other.rows != one.rows).any()


def test_better_than_the_seeds_alone(rows: NDArray[np.int16]) -> None:
    """Lloyd's steps never raise the mean distance, so that it ends below that of the seeds."""
    from riverboat.holdem.abstraction._k_medians_kernels import choose_seeds

    seeds = np.empty((30, 48), np.int16)
    assert choose_seeds(rows, np.random.default_rng(3).random(30), seeds) == 30
    before = cdist(rows, seeds, "cityblock").min(axis=1).mean()
    after = k_medians(rows, 30, rng=np.random.default_rng(3)).mean_distance
    assert after < before


def test_fewer_clusters_than_wanted_where_rows_are_alike() -> None:
    rows = np.repeat(np.array([[0, 0, 0, 1], [5, 5, 5, 5], [9, 9, 0, 0]], np.int16), 10, axis=0)
    centres = k_medians(rows, 8, rng=np.random.default_rng(0))
    assert len(centres.rows) == 3
    assert centres.mean_distance == 0


def test_refuses_rows_it_cannot_cluster() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(ParameterError):
        k_medians(np.zeros((5, 3), np.int16), 2, rng=rng)
    with pytest.raises(ParameterError):
        k_medians(np.full((5, 4), -1, np.int16), 2, rng=rng)
