"""Files that count how all-in hands finish, by class: one of two players, one of three."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from riverboat.runtime.array_types import U32
from riverboat.strategies.files import read_contents

KIND = "allin-table"


def read_table(path: Path, rows: int, orders: int) -> U32:
    """The counts (rows, orders) in a file."""
    with read_contents(path, KIND) as contents:
        counts: U32 = contents.array("counts", np.uint32, shape=(rows, orders))
        return counts
