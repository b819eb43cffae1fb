"""Regret matching at one node, on four-byte numbers or on two-byte ones with a scale for each row.

Storage is `storage.PlayerStorage`. What differs between the two kinds of numbers are `read16`,
`put16` and `compress_rows`; the types of the arrays choose when kernels are compiled.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types
from numba.extending import overload

from riverboat.holdem.spots._simd_kernels import (
    largest_size,
    load16,
    positive,
    rounded,
    scaled_by_sign,
    share_of,
    spread16,
    store16,
    store_int16,
    where_none,
)
from riverboat.holdem.spots.plan import UP_ACTIONS, UP_CHILD, UP_RESULT
from riverboat.runtime.compiled import njit

if TYPE_CHECKING:
    from riverboat.holdem.spots._pass_tasks import PassTask
    from riverboat.holdem.spots.plan import StreetPlan
    from riverboat.runtime.array_types import F32


def read16(values: Any, scales: F32, row: int, at: int) -> Any:
    """Sixteen numbers of a row, from element `at` on, as float32."""
    raise NotImplementedError


@overload(read16)
def _read16(values, scales, row, at):
    if values.dtype == types.float32:
        return lambda values, scales, row, at: load16(values, at)
    return lambda values, scales, row, at: load16(values, at) * spread16(scales[row])


def put16(values: Any, at: int, rows: F32, spare: int, new: Any) -> None:
    """Keep sixteen new numbers: float32 at once, int16 in scratch until their scale is known."""
    raise NotImplementedError


@overload(put16)
def _put16(values, at, rows, spare, new):
    if values.dtype == types.float32:
        return lambda values, at, rows, spare, new: store16(values, at, new)
    return lambda values, at, rows, spare, new: store16(rows, spare, new)


def compress_rows(
    values: Any, scales: F32, start: int, num_rows: int, width: int, rows: F32, fresh: int
) -> None:
    """Write the rows that `put16` left in scratch, every second one from `fresh` on, as int16."""
    raise NotImplementedError


@overload(compress_rows)
def _compress_rows(values, scales, start, num_rows, width, rows, fresh):
    if values.dtype == types.float32:
        return lambda values, scales, start, num_rows, width, rows, fresh: None

    def compress(values, scales, start, num_rows, width, rows, fresh):
        row = start // width
        for a in range(num_rows):
            cell, target = fresh + 2 * a * width, start + a * width
            most = np.float32(0.0)
            for i in range(0, width, 16):
                most = max(most, largest_size(load16(rows, cell + i)))
            factor = np.float32(0.0)
            if most > np.float32(0.0):
                factor = np.float32(32767.0) / most
            steps = spread16(factor)
            scales[row + a] = most * np.float32(1.0 / 32767.0)
            for i in range(0, width, 16):
                store_int16(values, target + i, rounded(load16(rows, cell + i) * steps))

    return compress


@njit(cache=True, nogil=True)
def learn_node(plan: StreetPlan, k: int, task: PassTask, start: int, width: int, rows: F32) -> None:
    """The learner's node `plan.up[k]`: its value into `rows`; regrets and averages are updated.

    The node's numbers lie from `start` on, a row of `width` for each action.
    """
    num_actions, result, child = plan.up[k, UP_ACTIONS], plan.up[k, UP_RESULT], plan.up[k, UP_CHILD]
    child_rows, factors = plan.child_rows, plan.child_factors
    discounts = task.discounts
    old, old_scales = task.regrets.values, task.regrets.scales
    sums, sum_scales = task.averages.values, task.averages.scales
    above, below, keep = spread16(discounts[0]), spread16(discounts[1]), spread16(discounts[2])
    even = spread16(np.float32(1.0 / num_actions))
    row = start // width
    # Scratch for int16: beyond all rows, regrets and averages of the actions by turns.
    fresh = rows.shape[0] - 2 * num_actions * width
    for i in range(0, width, 16):
        total = positive(read16(old, old_scales, row, start + i))
        for a in range(1, num_actions):
            total = total + positive(read16(old, old_scales, row + a, start + a * width + i))
        scale, uniform = share_of(total), where_none(total, even)
        value = spread16(np.float32(0.0))
        for a in range(num_actions):
            at = start + a * width + i
            part = positive(read16(old, old_scales, row + a, at)) * scale + uniform
            gain = load16(rows, child_rows[child + a] + i) * spread16(factors[child + a])
            value = value + part * gain
        store16(rows, result + i, value)
        # The strategy is computed again rather than kept: a row fits the cache, not registers.
        for a in range(num_actions):
            at, cell = start + a * width + i, fresh + 2 * a * width + i
            regret = read16(old, old_scales, row + a, at)
            part = positive(regret) * scale + uniform
            gain = load16(rows, child_rows[child + a] + i) * spread16(factors[child + a])
            average = read16(sums, sum_scales, row + a, at) * keep + part
            put16(old, at, rows, cell, scaled_by_sign(regret, above, below) + (gain - value))
            put16(sums, at, rows, cell + width, average)
    compress_rows(old, old_scales, start, num_actions, width, rows, fresh)
    compress_rows(sums, sum_scales, start, num_actions, width, rows, fresh + width)
