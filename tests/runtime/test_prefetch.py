"""Asking for memory early changes nothing but time."""

from __future__ import annotations

import numpy as np
from numba import njit

from riverboat.runtime.compiled import prefetch


@njit
def total(numbers, order):  # type: ignore[no-untyped-def]
    found = 0.0
    for i in range(len(order)):
        prefetch(numbers, order[min(i + 4, len(order) - 1)])  # type: ignore[call-arg]
        found += numbers[order[i]]
    return found


def test_a_sum_is_the_same_with_prefetches() -> None:
    numbers = np.arange(1000, dtype=np.float32)
    order = np.random.default_rng(1).permutation(1000).astype(np.uint64)
    assert total(numbers, order) == 499_500
    assert "prefetch" in next(iter(total.inspect_llvm().values()))
