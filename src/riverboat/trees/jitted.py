"""Compiled functions and array bundles of both trees, for kernels of other folders.

The folder's other modules import without Numba.
"""

from __future__ import annotations

from riverboat.trees._public_kernels import (
    TINY,
    LevelArrays,
    TreeArrays,
    add_ends,
    add_row,
    average,
    descend,
    evaluate,
    make_frames,
    match,
    number_levels,
)
from riverboat.trees._sequence_form_kernels import FormArrays, gradient, nash_conv, realise

__all__ = [
    "TINY",
    "FormArrays",
    "LevelArrays",
    "TreeArrays",
    "add_ends",
    "add_row",
    "average",
    "descend",
    "evaluate",
    "gradient",
    "make_frames",
    "match",
    "nash_conv",
    "number_levels",
    "realise",
]
