"""A street solved with all that follows it, of which little is kept.

Kept are the street's own averages and values, and what a player's hands are worth where the next
street begins. A cursor may be dealt a card and tell that, but not go on from there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.holdem.spots.solved_spot import SolvedSpot
from riverboat.holdem.spots.spot_arena import SpotArena
from riverboat.holdem.spots.spot_numbers import Numbers

__all__ = ["StreetOutline"]

Floats = NDArray[np.float32]


class StreetOutline(SolvedSpot):
    """The first street of a solved spot, and the values at the roots of the second."""

    def __init__(
        self,
        arena: SpotArena,
        averages: tuple[Numbers, Numbers],
        info: Mapping[str, Any],
        *,
        values: Mapping[str, Floats],
        roots: Mapping[int, Floats],
    ) -> None:
        # A cursor goes to the second street without solving it again.
        super().__init__(arena, averages, info, streets_kept=2, values=values)
        self.roots = dict(roots)
        """Player → (roots of the next street, its boards, P) values."""

    @property
    def numbers_beside(self) -> int:
        """How many are kept beside the averages."""
        return sum(each.size for each in self.roots.values())

    def node_values(self, street: int, board: int, player: int) -> Floats:
        """As any solved spot has them; of the next street only its roots are told."""
        if street == 0:
            return super().node_values(street, board, player)
        arena = self.arena
        nodes, size = self.street_nodes(street), len(arena.runouts.unranked[player].combos)
        found = np.full((len(nodes), arena.plan.widths[player]), np.nan, np.float32)
        for place, root in enumerate(arena.plan.root_nodes[street]):
            factor = np.float32(arena.plan.node_values[player][root].factor)
            found[nodes.index(root), :size] = self.roots[player][place, board, :size] * factor
        return found
