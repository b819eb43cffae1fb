"""Kernels of the search's leaves, against NumPy."""

import numpy as np
import pytest

from riverboat.holdem.search._flop_leaf_kernels import columns


@pytest.mark.parametrize("height", [1, 3, 4, 6, 8])
def test_columns_takes_any_number_of_rows(height: int) -> None:
    rng = np.random.default_rng(1)
    matrix = rng.integers(-99, 100, (height, 4 * height)).astype(np.int16)
    weights = rng.integers(-9, 10, height).astype(np.float32)
    found = np.full(4 * height, np.nan, np.float32)
    columns(matrix, weights, found)
    assert found.tolist() == (weights @ matrix.astype(np.float32)).tolist()
