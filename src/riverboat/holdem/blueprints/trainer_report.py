"""Facts of training: how large a game is, what was learned so far, and how well it does.

size = GameSize.of(plan.tree, plan.num_buckets)
report = TrainingReport.of(trainer)
opening_grid(trainer)              # the first decision, by kind of hand
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from riverboat.cards.combos import NUM_CLASSES
from riverboat.drawing.hand_grid import HandGrid, grid_of_classes
from riverboat.drawing.html import facts_table
from riverboat.holdem.abstraction.equity_buckets import LiveBuckets
from riverboat.holdem.blueprints.abstract_play import UNIFORM, Estimate, against, seat_values
from riverboat.holdem.blueprints.betting_tree import BettingTree, action_text
from riverboat.holdem.blueprints.trainer import HoldemTrainer
from riverboat.holdem.rules.state import Holdem
from riverboat.holdem.rules.table import seat_name


@dataclass(frozen=True)
class GameSize:
    """The size of an abstract game."""

    players: int
    nodes: int  # Points of the betting
    buckets: tuple[int, ...]  # By street
    infosets: int
    bytes: int  # Memory of regrets and averages

    @classmethod
    def of(cls, tree: BettingTree, num_buckets: tuple[int, ...]) -> GameSize:
        return cls(
            tree.game.players,
            tree.num_nodes,
            tuple(num_buckets),
            tree.num_infosets(num_buckets),
            tree.num_bytes(num_buckets),
        )

    def as_dict(self) -> dict[str, Any]:
        return {"game": "holdem", **asdict(self), "buckets": list(self.buckets)}

    def __str__(self) -> str:
        buckets = "/".join(f"{count:,}" for count in self.buckets)
        return (
            f"{self.players} players, {self.nodes:,} betting nodes, buckets {buckets}:"
            f" {self.infosets:,} infosets, {self.bytes / 1e6:,.1f} MB"
        )


@dataclass(frozen=True, repr=False)
class TrainingReport:
    """Progress of a trainer, and what its averages win inside the abstract game, in mbb/g."""

    size: GameSize
    iterations: int
    deals: int
    seconds: float
    threads: int
    seed: int
    touched: int  # Infosets that have been visited
    seats: tuple[Estimate, ...]  # Self-play by seat
    against: dict[str, Estimate]  # One seat against simple opponents in all others
    stopped: bool

    @classmethod
    def of(cls, trainer: HoldemTrainer) -> TrainingReport:
        """Measured now, in the abstract game (a second or two)."""
        abstract, table = trainer.abstract, trainer.table
        quick = not isinstance(abstract.buckets, LiveBuckets)
        return cls(
            GameSize.of(abstract.tree, abstract.buckets.num_buckets),
            trainer.iterations,
            trainer.deals,
            trainer.seconds,
            trainer.threads,
            trainer.seed,
            trainer.sweep(),
            tuple(seat_values(abstract, table)) if quick else (),
            {"call": against(abstract, table), "random": against(abstract, table, UNIFORM)}
            if quick
            else {},
            trainer.stopped,
        )

    @property
    def iterations_per_second(self) -> float:
        return self.iterations / self.seconds if self.seconds else 0.0

    def as_dict(self) -> dict[str, Any]:
        counted = ("iterations", "deals", "seconds", "iterations_per_second")
        return {
            **self.size.as_dict(),
            **{name: getattr(self, name) for name in (*counted, "threads", "seed", "touched")},
            "seats_mbb": [seat.mean for seat in self.seats],
            "seats_ci95": [seat.ci95 for seat in self.seats],
            "against_mbb": {name: estimate.mean for name, estimate in self.against.items()},
            "against_ci95": {name: estimate.ci95 for name, estimate in self.against.items()},
            "stopped": self.stopped,
        }

    def lines(self) -> list[str]:
        """The report in words."""
        space = "\u00a0"
        seats = "  ".join(f"{s.mean:+z,.0f}{space}±{space}{s.ci95:,.0f}" for s in self.seats)
        simple = ", ".join(
            f"{name} {s.mean:+z,.0f}{space}±{space}{s.ci95:,.0f}"
            for name, s in self.against.items()
        )
        return [
            f"{self.iterations:,} iterations in {self.seconds:,.1f} s"
            f" ({self.iterations_per_second:,.0f}/s), {self.touched:,} infosets touched",
            *[f"self-play by seat, mbb/g: {seats}"] * bool(seats),
            *[f"inside the abstraction against {simple} mbb/g"] * bool(simple),
        ]

    def __repr__(self) -> str:
        return (
            f"<TrainingReport {self.iterations:,} iterations in {self.seconds:,.1f} s,"
            f" {self.touched:,} of {self.size.infosets:,} infosets touched>"
        )

    def _repr_html_(self) -> str:
        facts = [("game", str(self.size)), *[("", line) for line in self.lines()]]
        return facts_table("Training hold'em", facts)


def opening_grid(trainer: HoldemTrainer) -> HandGrid | None:
    """What the first player to act does before the flop; None for a reduced deck."""
    abstract = trainer.abstract
    if abstract.buckets.num_buckets[0] != NUM_CLASSES:
        return None
    tree = abstract.tree
    row, offset, count = tree.infosets[0].tolist()
    stride, first = int(tree.strides[row]), int(trainer.starts[row])
    rows = trainer.table[first : int(trainer.starts[row + 1])].reshape(NUM_CLASSES, stride)
    averages = rows[:, offset + count : offset + 2 * count].astype(np.float64)
    total = averages.sum(axis=1, keepdims=True)
    chances = np.divide(averages, total, where=total > 0, out=np.full(averages.shape, 1 / count))
    actions = tuple(action_text(amount) for amount in tree.actions(0).tolist())
    game: Holdem = tree.game
    state = game.with_hands([()] * game.players)
    name = seat_name(state.actor, game.players)
    sizes = np.array([12 if kind % 14 else 6 for kind in range(NUM_CLASSES)], np.float64)
    sizes[[13 * i + j for i in range(13) for j in range(i + 1, 13)]] = 4
    return grid_of_classes(
        f"before the flop, {name} to act first",
        actions,
        tuple(state.action_words(action) for action in actions),
        chances,
        np.ones(NUM_CLASSES),
        sizes,
    )
