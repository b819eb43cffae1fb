"""Strategies on disk: one file each, kind "strategy" (strategies.files has the format)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import FileFormatError
from riverboat.games.base import ParameterValue
from riverboat.strategies.files import read_arrays
from riverboat.strategies.strategy import KIND, Strategy, strategy_arrays

__all__ = [
    "KIND",
    "load_strategy",
    "read_parameters",
    "strategy_arrays",
    "strategy_from_arrays",
]


def load_strategy(path: str | Path) -> Strategy:
    """Read a strategy; a damaged or foreign file is refused with a sentence."""
    arrays, header = read_arrays(path, KIND)
    return strategy_from_arrays(path, arrays, header)


def strategy_from_arrays(
    path: str | Path, arrays: dict[str, NDArray[Any]], header: dict[str, Any]
) -> Strategy:
    """The strategy in a file's arrays, checked; `path` is for the message only."""
    try:
        strategy = Strategy(
            game=str(header["game"]),
            parameters=read_parameters(header),
            infosets=_unpack(arrays["infosets"]),
            players=arrays["players"].astype(np.int8),
            offsets=arrays["offsets"].astype(np.int64),
            actions=_unpack(arrays["actions"]),
            probabilities=arrays["probabilities"].astype(np.float64),
            info=header["info"],
        )
    except (KeyError, AttributeError, UnicodeDecodeError) as error:
        raise FileFormatError(f"{path} is damaged: a part of the strategy is missing.") from error
    _check(path, strategy)
    return strategy


def read_parameters(header: Mapping[str, Any]) -> dict[str, ParameterValue]:
    """A game's parameters from a file's header; JSON has lists where they have tuples."""
    return {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in header["parameters"].items()
    }


def _check(path: str | Path, strategy: Strategy) -> None:
    """Refuse arrays that do not fit together or are no probabilities."""
    count, offsets, probabilities = len(strategy.infosets), strategy.offsets, strategy.probabilities
    fits = (
        strategy.players.shape == (count,)
        and offsets.shape == (count + 1,)
        and probabilities.shape == (len(strategy.actions),)
        and int(offsets[0]) == 0
        and int(offsets[-1]) == len(strategy.actions)
        and bool(np.all(np.diff(offsets) > 0))
    )
    if fits:
        sums = np.add.reduceat(probabilities, offsets[:-1]) if count else np.ones(1)
        fits = bool(np.all(probabilities >= 0) and np.allclose(sums, 1, atol=1e-6))
    if not fits:
        raise FileFormatError(f"{path} is damaged: its arrays do not fit together.")


def _unpack(packed: NDArray[Any]) -> tuple[str, ...]:
    return tuple(packed.astype(np.uint8).tobytes().decode().split("\n")[:-1])
