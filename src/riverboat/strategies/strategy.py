"""Strategy: for every infoset a probability for each action. The only thing saved, shown or played.

Infosets are grouped in CSR form: slots `offsets[i]:offsets[i + 1]` of `actions` and
`probabilities` belong to infoset i. Keys are the texts of State.infoset; two players may use the
same text, so an infoset is known by (player, key).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from riverboat.games.base import Action, ParameterValue
from riverboat.strategies.any_strategy import AnyStrategy, Entry
from riverboat.strategies.files import write_arrays

__all__ = ["KIND", "Lookup", "Strategy", "strategy_arrays"]

KIND = "strategy"


class Lookup(Protocol):
    """What a player, a hint or a viewer needs of anything that was learned."""

    @property
    def game(self) -> str: ...

    @property
    def parameters(self) -> Mapping[str, ParameterValue]: ...

    def lookup(self, player: int, infoset: str) -> dict[Action, float] | None:
        """The probability of each action, or None where nothing is known."""


@dataclass(frozen=True, eq=False, repr=False)
class Strategy(AnyStrategy):
    """A behaviour strategy for all players of a game whose infosets can be listed."""

    kind: ClassVar[str] = KIND
    game: str
    parameters: Mapping[str, ParameterValue]
    infosets: tuple[str, ...]
    """(I,) keys."""
    players: NDArray[np.int8]
    """(I,) who acts."""
    offsets: NDArray[np.int64]
    """(I + 1,) first slot of each infoset."""
    actions: tuple[Action, ...]
    """(A,) the action of each slot."""
    probabilities: NDArray[np.float64]
    """(A,) sums to one within each infoset."""
    info: Mapping[str, Any] = field(default_factory=dict)
    """How it was made: algorithm, iterations, seed, seconds, value, exploitability, nash_conv."""

    @cached_property
    def index(self) -> dict[tuple[int, str], int]:
        """(player, key) → infoset."""
        return {
            (player, key): i
            for i, (player, key) in enumerate(
                zip(self.players.tolist(), self.infosets, strict=True)
            )
        }

    def lookup(self, player: int, infoset: str) -> dict[Action, float] | None:
        i = self.index.get((player, infoset))
        return None if i is None else self._at(i)

    def __len__(self) -> int:
        return len(self.infosets)

    def save(self, path: str | Path) -> None:
        """Write the strategy; the file appears whole or not at all."""
        write_arrays(path, KIND, *strategy_arrays(self))

    def entries(self) -> Iterator[Entry]:
        """Every infoset: player, text, and the probability of each action."""
        for i, (player, key) in enumerate(zip(self.players.tolist(), self.infosets, strict=True)):
            yield player, key, self._at(i)

    def _at(self, i: int) -> dict[Action, float]:
        first, last = int(self.offsets[i]), int(self.offsets[i + 1])
        return dict(
            zip(self.actions[first:last], self.probabilities[first:last].tolist(), strict=True)
        )


def strategy_arrays(strategy: Strategy) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The arrays and the header that hold a strategy, for files that hold more beside it."""
    arrays: dict[str, NDArray[Any]] = {
        "infosets": _pack(strategy.infosets),
        "players": strategy.players,
        "offsets": strategy.offsets,
        "actions": _pack(strategy.actions),
        "probabilities": strategy.probabilities,
    }
    header: dict[str, Any] = {
        "game": strategy.game,
        "parameters": dict(strategy.parameters),
        "info": dict(strategy.info),
    }
    return arrays, header


def _pack(texts: Sequence[str]) -> NDArray[np.uint8]:
    """Texts as UTF-8 bytes, each ended by a newline."""
    return np.frombuffer("".join(f"{text}\n" for text in texts).encode(), dtype=np.uint8)
