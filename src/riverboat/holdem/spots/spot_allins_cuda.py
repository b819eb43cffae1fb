"""River roots at which both players are all in: their values as products with tables made once.

There is nothing to decide on these rivers, so a pass does not deal them: how often each hand beats
each of the opponent's on the cards to come is counted when a spot is opened.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from riverboat.device_cuda import Launch
from riverboat.holdem.spots.spot_arena import SpotArena
from riverboat.holdem.spots.spot_plan import won
from riverboat.holdem.spots.spot_tables_cuda import Fields
from riverboat.holdem.spots.spot_tree import NodeKind

if TYPE_CHECKING:
    from riverboat.holdem.spots.spot_passes_cuda import SpotPasses

__all__ = ["AllIns", "allin_bytes", "allin_roots"]

ROOTS, HANDS, WARPS = 8, 128, 16
"""Of a block, as in spot_allins.cu."""


def allin_roots(arena: SpotArena) -> list[int]:
    """The river roots that are showdowns; none where a spot begins on the river."""
    if arena.num_streets == 1:
        return []
    kinds = [arena.tree.nodes[root].kind for root in arena.plan.root_nodes[-1]]
    return [index for index, kind in enumerate(kinds) if kind == NodeKind.SHOWDOWN]


def allin_bytes(arena: SpotArena, width: int, opponents: int) -> int:
    """What one player's table takes on a GPU."""
    if not allin_roots(arena):
        return 0
    return arena.runouts.num_boards[-2] * width * opponents * _planes(arena)


def _planes(arena: SpotArena) -> int:
    """Numbers for each pair of hands: with rake ties must be told from wins."""
    return 3 if arena.spot.rake_rate > 0 else 1


class AllIns:
    """One learner's table on a device, and the launch that uses it."""

    def __init__(
        self,
        passes: SpotPasses,
        learner: int,
        upload: Callable[..., Any],
        job: Callable[[Fields], Any],
    ) -> None:
        arena, roots = passes.arena, passes.allin_roots
        fields = passes.streets[learner][-2]
        self.passes, self.learner, self.planes = passes, learner, _planes(arena)
        boards, width = fields["num_boards"], passes.widths[learner]
        size = boards * width * passes.sizes[1 - learner] * self.planes
        self.equities = passes.device.zeros(size, np.int8)
        chances = arena.plan.streets[-2][learner].chances[:, 0] // arena.plan.widths[1 - learner]
        rows = fields["chance_rows"]
        tree, nodes = arena.tree, arena.plan.root_nodes[-1]
        amounts = []
        for root in roots:
            win, tie, lose = won(tree, tree.nodes[nodes[root]])
            amounts.append((win, 0.0, 0.0) if self.planes == 1 else (win - tie, tie - lose, lose))
        self.fields: Fields = {
            **fields,
            "equities": self.equities,
            "num_planes": self.planes,
            "num_roots": len(roots),
            "river_roots": upload([(chances[root], rows[root]) for root in roots]),
            "amounts": upload(amounts, np.float32),
        }
        left = [root for root in range(len(nodes)) if root not in roots]
        starts = np.array(left) * arena.runouts.num_boards[-1] * width
        self.others: Fields = {
            "num_below": len(left),
            "below_starts": upload(starts, np.int64),
            "chances": upload([(0, rows[root]) for root in left]),
        }
        """What add_boards is told about the other roots."""
        self.job = job
        launch = Launch("count_equities", boards * (width // 32), 128, 0, job(self.fields))
        passes.device.record([launch])()

    def launch(self) -> Launch:
        passes = self.passes
        tiles = -(-passes.widths[self.learner] // HANDS)
        sets = -(-len(passes.allin_roots) // ROOTS)
        shared = 16 * WARPS * ROOTS * 32 + 4 * ROOTS * passes.sizes[1 - self.learner]
        blocks = self.fields["num_boards"] * sets * tiles
        job = self.job({**self.fields, "tiles": tiles})
        return Launch("value_allins", blocks, 32 * WARPS, shared, job, 1)
