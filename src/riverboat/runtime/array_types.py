"""Short names for the arrays that kernels take: element type and bits; docstrings give shapes."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

F32: TypeAlias = NDArray[np.float32]
F64: TypeAlias = NDArray[np.float64]
I8: TypeAlias = NDArray[np.int8]
I16: TypeAlias = NDArray[np.int16]
I32: TypeAlias = NDArray[np.int32]
I64: TypeAlias = NDArray[np.int64]
U8: TypeAlias = NDArray[np.uint8]
U16: TypeAlias = NDArray[np.uint16]
U32: TypeAlias = NDArray[np.uint32]
U64: TypeAlias = NDArray[np.uint64]
Bools: TypeAlias = NDArray[np.bool_]
Index: TypeAlias = int | np.uint64
"""A place in an array: unsigned inside kernels, so that no test for negatives is compiled."""
Whole: TypeAlias = int | np.integer[Any]  # A whole number of any width
