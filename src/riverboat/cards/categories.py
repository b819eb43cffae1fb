"""The categories of a poker hand, weakest first."""

from __future__ import annotations

__all__ = ["CATEGORY_NAMES"]

CATEGORY_NAMES = (
    "high card",
    "pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
)
