"""What a solver of spots asks of its kernels, and which kernels there are.

A **pass** goes once through the whole tree for one player, the learner: the others' reach goes
down, the learner's values come up, and in LEARN the learner's regrets and averages are renewed.
`Passes` are the numbers of all players on one device with the passes over them. There is a class
for two players and one for three, each on the CPU and on a GPU; `devices.open_passes` chooses.
`SpotSolver` does the rest: iterations to a limit, evaluations, files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from riverboat.holdem.spots.first_choice import FirstChoice
from riverboat.holdem.spots.layout import Layout
from riverboat.holdem.spots.locks import PlacedLock
from riverboat.holdem.spots.storage import PlayerStorage
from riverboat.holdem.spots.tree import TreeNode
from riverboat.runtime.array_types import F32, F64
from riverboat.solvers.run import Limit
from riverboat.strategies.files import RemoteArray

NO_DISCOUNTS = np.zeros(3, np.float32)  # For passes that learn nothing


class Passes(Protocol):
    """All numbers of a spot on one device, and the passes over them."""

    device_name: str  # "cpu" or "cuda"
    layout: Layout
    locks: Sequence[PlacedLock]
    choice: FirstChoice | None
    """What one player may do before the spot begins; None for nothing."""
    iterations: int
    """How many the numbers have seen; discounts go by it."""
    threads: int
    int16: bool  # Whether numbers have two bytes where they can

    @property
    def storage(self) -> str:
        """The type of the numbers in words, such as "float32"."""

    @property
    def memory_bytes(self) -> int:
        """What it takes; known before anything is allocated on a device."""

    def compile(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Make ready, without changing any number; `progress` is called with ready and all."""

    def pooled(self) -> AbstractContextManager[None]:
        """Keep threads for the passes made inside the block."""

    def begin(self, limit: Limit) -> None:
        """What is done before the first evaluation of a run is planned."""

    def iterate(self, count: int) -> None:
        """Do some iterations: a pass in LEARN for each player in turn, locks, and the choice."""

    def values(
        self,
        learner: int,
        mode: int,
        discounts: F32 = NO_DISCOUNTS,
        *,
        reach: Mapping[int, F64] | None = None,
    ) -> F32:
        """(P,) the learner's values at the root after one pass of a mode.

        The others play by their regrets in LEARN, by their averages in BEST and AVERAGE. Values are
        sums over the others' hands that a hand can meet, times their weights. `reach` gives a
        player's hands (H,) other weights than those of the range, for this pass alone.
        """

    def means(self, mode: int) -> tuple[float, ...]:
        """Each player's mean in chips (or prizes), in BEST or AVERAGE."""

    def quick_gain(self) -> float | None:
        """The sum of what best responses gain, where that is known without all of `means`."""

    @property
    def regrets(self) -> tuple[PlayerStorage, ...]:
        """Of each player as the layout has them; from a GPU a copy."""

    @property
    def averages(self) -> tuple[PlayerStorage, ...]:
        """The same for the strategies that were played on average."""

    def restore(self, regrets: Sequence[PlayerStorage], averages: Sequence[PlayerStorage]) -> None:
        """Take over what other passes of the same layout have learned in `iterations`."""

    def stored(self) -> dict[tuple[str, int], NDArray[Any] | RemoteArray]:
        """(name, player) → numbers as the device keeps them; to be saved and put back."""


class Reader(Protocol):
    """Reads the values of a solved spot, node by node."""

    def values(self, node: TreeNode, path: Sequence[int], player: int) -> F32:
        """(P,) a player's values at a node, when all play their averages.

        `path` are the boards on the way, by street, the node's own the last. Values are sums over
        the others' hands that reach the node, and count from `origin`.
        """

    def origin(self, node: TreeNode, player: int) -> float:
        """What is added to a mean of `values` to get the chips won from the node on."""

    def equities(
        self, player: int, dealt: Sequence[int], reach: Sequence[F64], folded: Sequence[int]
    ) -> F64:
        """(H,) each hand's share of the pot if all cards were dealt now; NaN where it meets none.

        `reach` (N,) are the weights with which each player's hands come there.
        """
