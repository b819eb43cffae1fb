"""Strategy: for every infoset a probability for each action. The only thing saved, shown or played.

Infosets are grouped in CSR form: slots `offsets[i]:offsets[i + 1]` of `actions` and
`probabilities` belong to infoset i. Keys are the texts of State.infoset; two players may use the
same text, so an infoset is known by (player, key).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from riverboat.games.base import Action, ParameterValue

__all__ = ["Lookup", "Strategy"]


class Lookup(Protocol):
    """What a player, a hint or a viewer needs of anything that was learned."""

    @property
    def game(self) -> str: ...

    @property
    def parameters(self) -> Mapping[str, ParameterValue]: ...

    def lookup(self, player: int, infoset: str) -> dict[Action, float] | None:
        """The probability of each action, or None where nothing is known."""


@dataclass(frozen=True, eq=False)
class Strategy:
    """A behaviour strategy for all players of a game whose infosets can be listed."""

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

    def entries(self) -> Iterator[tuple[int, str, dict[Action, float]]]:
        """Every infoset: player, text, and the probability of each action."""
        for i, (player, key) in enumerate(zip(self.players.tolist(), self.infosets, strict=True)):
            yield player, key, self._at(i)

    def _at(self, i: int) -> dict[Action, float]:
        first, last = int(self.offsets[i]), int(self.offsets[i + 1])
        return dict(
            zip(self.actions[first:last], self.probabilities[first:last].tolist(), strict=True)
        )
