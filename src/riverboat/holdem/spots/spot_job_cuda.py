"""What a kernel of spots is told: one struct for all of them, made once and given by value.

`FIELDS` is its only description; the struct's text for CUDA and its layout for NumPy come from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from typing import Any

import numpy as np

__all__ = ["JOB", "job_text", "kernel_file"]

FIELDS: dict[str, tuple[str, ...]] = {
    # What both players have learned; averages are Kept, the source is either.
    "const void*": ("source",),
    "void*": ("averages",),
    "float*": (
        "regrets", "weights", "reach", "rows", "root_values", "scratch_reach", "scratch_rows",
    ),
    "double*": ("result",),
    "int*": ("counter", "strengths", "my_valid"),
    "u16*": ("my_starts", "my_list", "my_places"),
    "uint4*": ("records",),
    "const float*": (
        "table", "reach0", "reach1", "below", "child_factors", "lane_factors", "mix_factors",
        "my_weights", "their_weights", "lock_masks", "lock_values", "root_row", "amounts",
    ),
    "const int*": (
        "down", "up", "child_rows", "chunks", "lane_reach", "lane_values", "lane_masses", "mixes",
        "mix_rows", "masses", "chances", "roots", "parent", "links", "stabiliser",
        "canonical", "renamed", "my_cards", "their_cards", "same",
        "card_starts", "card_list", "their_strengths", "their_valid", "lock_rows", "lock_starts",
        "river_roots",
    ),
    "const u64*": ("dealt", "river_bits"),
    "const long long*": ("below_starts",),
    "const u16*": ("their_starts", "their_list", "their_places"),
    "long long": ("below_stride", "scratch_reach_size", "scratch_rows_size"),
    "int": (
        "mode", "is_first", "my_width", "their_width", "my_size", "their_size", "my_list_size",
        "their_list_size", "num_boards", "num_roots", "num_below", "num_masses", "num_locks",
        "num_links",
        "tiles", "my_first", "my_rows", "their_first", "their_rows", "reach_first", "reach_first1",
        "reach_count", "reach_count1", "rows_count",
    ),
}  # fmt: skip
"""C type → names. Rows and boards are counted, not bytes; `my` is the learner, `their` the other.

A width is the stride of a player's rows, a size the number of his hands.
"""

_KINDS = {"int": "i4", "long long": "i8"}
JOB = np.dtype(
    [(name, _KINDS.get(kind, "u8")) for kind, names in FIELDS.items() for name in names],
    align=True,
)


def job_text() -> str:
    """The struct's declaration."""
    lines = [f"  {kind} {name};" for kind, names in FIELDS.items() for name in names]
    head = "typedef unsigned short u16;\ntypedef unsigned long long u64;\n"
    return head + "struct Job {\n" + "\n".join(lines) + "\n};\n"


def kernel_file(*names: str, defines: Mapping[str, int]) -> str:
    """The text of some of the files beside this one, after the struct and the #defines."""
    folder = resources.files("riverboat.holdem.spots")
    parts = [f"#define {name} {value}\n" for name, value in defines.items()]
    parts.append(job_text())
    parts += [(folder / name).read_text(encoding="utf-8") for name in names]
    return "".join(parts)


def make_job(fields: Mapping[str, Any], address: Any) -> Any:
    """A job with these fields; arrays become their address, what is left out is zero."""
    job = np.zeros((), JOB)
    for name, value in fields.items():
        job[name] = value if isinstance(value, (int, np.integer)) else address(value)
    return job
