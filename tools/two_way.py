"""Make the shipped table of two all-in hands by class: python tools/two_way.py [FILE].

For two classes in rising order it holds the deals (two hands that share no card, and five more
cards) in which the first wins, ties and loses, counted by riverboat.cards.preflop.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from riverboat.cards.combos import class_of_combos
from riverboat.cards.preflop import build_preflop_table
from riverboat.holdem.preflop._allin_tables import KIND
from riverboat.holdem.preflop._matchups import SHIPPED, sorted_classes
from riverboat.strategies.files import write_arrays


def main(path: Path) -> None:
    """Count and write."""
    wins, ties, totals = build_preflop_table().class_counts()
    sizes = np.bincount(class_of_combos())[:, None]
    counts = np.stack([wins, ties, totals - wins - ties], axis=2) * sizes[:, :, None]
    low, high = sorted_classes(2)
    write_arrays(path, KIND, {"counts": counts[low, high].astype(np.uint32)}, {})


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else SHIPPED)
