"""Regret matching at one node, on four-byte numbers or on two-byte ones with a scale for each row.

Storage is `geometry.PlayerStorage`. Which of the two versions runs is chosen by the type of the
arrays when kernels are compiled.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from riverboat.holdem.spots.engine.simd_kernels import (
    largest_size,
    load16,
    positive,
    rounded,
    scaled_by_sign,
    share_of,
    spread16,
    store16,
    store_short16,
    where_none,
)


def read16(values: Any, scales: Any, row: int, at: int) -> Any:
    """Sixteen numbers from `at` on, which lie in a row."""
    raise NotImplementedError


@overload(read16)
def _read16(values, scales, row, at):
    if values.dtype == types.float32:
        return lambda values, scales, row, at: load16(values, at)
    return lambda values, scales, row, at: load16(values, at) * spread16(scales[row])


def learn_node(
    regrets: Any,
    regret_scales: Any,
    averages: Any,
    average_scales: Any,
    start: int,
    num: int,
    width: int,
    child_rows: Any,
    factors: Any,
    child: int,
    result: int,
    weights: Any,
    rows: Any,
) -> None:
    """A learner's node: its value into `rows` at `result`, its regrets and averages renewed.

    `num` actions lie from `start` on, a row of `width` each; the values of their children are at
    `child_rows[child …]` times `factors[child …]`; `weights` (3,) as in `ascend`.
    """
    raise NotImplementedError


@overload(learn_node)
def _learn_node(
    regrets,
    regret_scales,
    averages,
    average_scales,
    start,
    num,
    width,
    child_rows,
    factors,
    child,
    result,
    weights,
    rows,
):
    if regrets.dtype == types.float32:
        return _learn_floats
    return _learn_shorts


def _learn_floats(
    regrets,
    regret_scales,
    averages,
    average_scales,
    start,
    num,
    width,
    child_rows,
    factors,
    child,
    result,
    weights,
    rows,
):
    above, below, keep = spread16(weights[0]), spread16(weights[1]), spread16(weights[2])
    even = spread16(np.float32(1.0 / num))
    for i in range(0, width, 16):
        total = positive(load16(regrets, start + i))
        for a in range(1, num):
            total = total + positive(load16(regrets, start + a * width + i))
        scale, uniform = share_of(total), where_none(total, even)
        value = spread16(np.float32(0.0))
        for a in range(num):
            part = positive(load16(regrets, start + a * width + i)) * scale + uniform
            gain = load16(rows, child_rows[child + a] + i) * spread16(factors[child + a])
            value = value + part * gain
        store16(rows, result + i, value)
        for a in range(num):
            at = start + a * width + i
            regret = load16(regrets, at)
            part = positive(regret) * scale + uniform
            gain = load16(rows, child_rows[child + a] + i) * spread16(factors[child + a])
            store16(regrets, at, scaled_by_sign(regret, above, below) + (gain - value))
            store16(averages, at, load16(averages, at) * keep + part)


def _learn_shorts(
    regrets,
    regret_scales,
    averages,
    average_scales,
    start,
    num,
    width,
    child_rows,
    factors,
    child,
    result,
    weights,
    rows,
):
    above, below, keep = spread16(weights[0]), spread16(weights[1]), spread16(weights[2])
    even = spread16(np.float32(1.0 / num))
    row = start // width
    # New numbers are kept beyond all rows until each row's largest is known.
    fresh = rows.shape[0] - 2 * num * width
    for i in range(0, width, 16):
        total = positive(read16(regrets, regret_scales, row, start + i))
        for a in range(1, num):
            at = start + a * width + i
            total = total + positive(read16(regrets, regret_scales, row + a, at))
        scale, uniform = share_of(total), where_none(total, even)
        value = spread16(np.float32(0.0))
        for a in range(num):
            at = start + a * width + i
            part = positive(read16(regrets, regret_scales, row + a, at)) * scale + uniform
            gain = load16(rows, child_rows[child + a] + i) * spread16(factors[child + a])
            value = value + part * gain
        store16(rows, result + i, value)
        for a in range(num):
            at = start + a * width + i
            regret = read16(regrets, regret_scales, row + a, at)
            part = positive(regret) * scale + uniform
            gain = load16(rows, child_rows[child + a] + i) * spread16(factors[child + a])
            average = read16(averages, average_scales, row + a, at) * keep + part
            store16(
                rows,
                fresh + 2 * a * width + i,
                scaled_by_sign(regret, above, below) + (gain - value),
            )
            store16(rows, fresh + (2 * a + 1) * width + i, average)
    for a in range(num):
        for which in range(2):
            place = fresh + (2 * a + which) * width
            most = np.float32(0.0)
            for i in range(0, width, 16):
                most = max(most, largest_size(load16(rows, place + i)))
            factor = np.float32(0.0)
            if most > np.float32(0.0):
                factor = np.float32(32767.0) / most
            steps = spread16(factor)
            target = start + a * width
            if which == 0:
                regret_scales[row + a] = most * np.float32(1.0 / 32767.0)
                for i in range(0, width, 16):
                    store_short16(regrets, target + i, rounded(load16(rows, place + i) * steps))
            else:
                average_scales[row + a] = most * np.float32(1.0 / 32767.0)
                for i in range(0, width, 16):
                    store_short16(averages, target + i, rounded(load16(rows, place + i) * steps))
