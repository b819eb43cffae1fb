"""Draws of a measurement, made here or by somebody else, counted as they come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from riverboat.errors import ParameterError

__all__ = ["made_draws"]

T = TypeVar("T")


def made_draws(
    draws: int,
    play: Callable[[Sequence[int]], Iterable[T]],
    progress: Callable[[int], None] | None = None,
) -> tuple[T, ...]:
    """All draws; `play` makes those of given numbers, in order."""
    if draws < 2:
        raise ParameterError(f"An interval needs at least 2 boards, not {draws}.")
    found: list[T] = []
    for one in play(range(draws)):
        found.append(one)
        if progress is not None:
            progress(len(found))
    return tuple(found)
