"""All-ins before the river: a table of how often each hand beats each other one (allins.cu).

Where both players are all in before the river there is nothing to decide, so the rivers are not
dealt: wins are counted once, and values are products with that table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from riverboat.holdem.spots import plan as col
from riverboat.holdem.spots.cuda._device_tables import Fields
from riverboat.holdem.spots.layout import Layout
from riverboat.holdem.spots.plan import payoffs
from riverboat.holdem.spots.tree import NodeKind
from riverboat.runtime.cuda import Launch

if TYPE_CHECKING:
    from riverboat.holdem.spots.cuda.launches import SpotLaunches

ROOTS, HANDS, WARPS = 8, 128, 16  # Of a block, as in allins.cu


def allin_roots(layout: Layout) -> list[int]:
    """The river roots that are showdowns; none where a spot begins on the river."""
    if layout.num_streets == 1:
        return []
    kinds = [layout.tree.nodes[root].kind for root in layout.plan.root_nodes[-1]]
    return [index for index, kind in enumerate(kinds) if kind == NodeKind.SHOWDOWN]


def allin_bytes(layout: Layout, width: int, opponents: int) -> int:
    """What one player's table takes on a GPU."""
    if not allin_roots(layout):
        return 0
    return layout.boards.num_boards[-2] * width * opponents * _planes(layout)


def _planes(layout: Layout) -> int:
    """Numbers for each pair of hands: with rake ties differ from half a win."""
    return 3 if layout.spot.rake_rate > 0 else 1


class AllIns:
    """One learner's table on a device, and the launch that uses it."""

    def __init__(
        self,
        passes: SpotLaunches,
        learner: int,
        upload: Callable[..., Any],
        job: Callable[[Fields], Any],
    ) -> None:
        layout, roots = passes.layout, passes.allin_roots
        fields = passes.streets[learner][-2]
        self.passes, self.learner, self.planes = passes, learner, _planes(layout)
        boards, width = fields["num_boards"], passes.widths[learner]
        size = boards * width * passes.sizes[1 - learner] * self.planes
        self.equities = passes.device.zeros(size, np.int8)
        chances = (
            layout.plan.streets[-2][learner].chances[:, col.CHANCE_REACH]
            // layout.widths[1 - learner]
        )
        rows = fields["chance_rows"]
        tree, nodes = layout.tree, layout.plan.root_nodes[-1]
        amounts = []
        for root in roots:
            win, tie, lose = payoffs(tree, tree.nodes[nodes[root]])
            amounts.append((win, 0.0, 0.0) if self.planes == 1 else (win - tie, tie - lose, lose))
        self.fields: Fields = {
            **fields,
            "equities": self.equities,
            "num_planes": self.planes,
            "num_roots": len(roots),
            "river_roots": upload([(chances[root], rows[root]) for root in roots]),
            "amounts": upload(amounts, np.float32),
        }
        later = [root for root in range(len(nodes)) if root not in roots]
        starts = np.array(later) * layout.boards.num_boards[-1] * width
        self.others: Fields = {
            "num_below": len(later),
            "below_starts": upload(starts, np.int64),
            "chances": upload([(0, rows[root]) for root in later]),
        }
        """Fields of add_boards for the other roots."""
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
