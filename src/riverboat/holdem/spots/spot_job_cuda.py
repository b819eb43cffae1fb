"""What a kernel of spots is told: one struct for all of them, made once and given by value.

`FIELDS` is its only description; the struct's text for CUDA and its layout for NumPy come from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riverboat.device_cuda import JobLayout, kernel_text

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
    "signed char*": ("equities",),
    "const float*": (
        "table", "reach0", "reach1", "below", "child_factors", "lane_factors", "mix_factors",
        "my_weights", "their_weights", "lock_masks", "lock_values", "root_row", "amounts",
    ),
    "const int*": (
        "down", "up", "child_rows", "chunks", "lane_reach", "lane_values", "lane_masses", "mixes",
        "mix_rows", "masses", "chances", "roots", "parent", "links", "stabiliser",
        "canonical", "renamed", "their_renamed", "my_cards", "their_cards", "same",
        "card_starts", "card_list", "their_strengths", "their_valid", "lock_rows", "lock_starts",
        "river_roots", "down_programs", "up_programs",
    ),
    "const u64*": ("dealt", "river_bits"),
    "const long long*": ("below_starts",),
    "const u16*": ("their_starts", "their_list", "their_places"),
    "long long": ("below_stride", "scratch_reach_size", "scratch_rows_size"),
    "int": (
        "mode", "is_first", "my_width", "their_width", "my_size", "their_size", "my_list_size",
        "their_list_size", "num_boards", "num_roots", "num_below", "num_masses", "num_locks",
        "num_links", "num_planes",
        "tiles", "my_first", "my_rows", "their_first", "their_rows", "reach_first", "reach_first1",
        "reach_count", "reach_count1", "rows_count", "down_size", "up_size",
    ),
}  # fmt: skip
"""C type → names. Rows and boards are counted, not bytes; `my` is the learner, `their` the other.

A width is the stride of a player's rows, a size the number of his hands.
"""

LAYOUT = JobLayout(FIELDS)
JOB = LAYOUT.dtype


def job_text() -> str:
    """The struct's declaration."""
    return LAYOUT.text


def kernel_file(*names: str, defines: Mapping[str, int]) -> str:
    """The text of some of the files beside this one, after the struct and the #defines."""
    return kernel_text(LAYOUT, "riverboat.holdem.spots", *names, defines=defines)


def make_job(fields: Mapping[str, Any], address: Any) -> Any:
    """A job with these fields; arrays become their address, what is left out is zero."""
    return LAYOUT.make(fields, address)
