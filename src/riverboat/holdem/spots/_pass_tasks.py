"""Bundles of arguments for the kernels of a pass: what it does, hands, scratch and schedule."""

from __future__ import annotations

from typing import Any, NamedTuple

from riverboat.holdem.spots._boards import BoardLevel
from riverboat.holdem.spots.plan import StreetPlan
from riverboat.holdem.spots.storage import PlayerStorage
from riverboat.runtime.array_types import F32, I64

Storages = tuple[PlayerStorage, PlayerStorage]


class PassTask(NamedTuple):
    """What a pass does, and with which numbers."""

    mode: int  # LEARN, BEST or AVERAGE
    source: PlayerStorage  # What the opponent plays by: regrets or averages
    regrets: PlayerStorage  # Of the learner; a LEARN pass updates them,
    averages: PlayerStorage  # and these
    discounts: F32  # (3,) factors of regrets above zero, of regrets below zero, and of the averages


class PassScratch(NamedTuple):
    """What one thread works in; all float32."""

    reach: F32  # Rows of the opponent's reach
    rows: F32  # Rows of the learner's values; beyond them the new numbers of one node
    lanes: F32  # Eight showdowns side by side


class Sides(NamedTuple):
    """Both players' hands as one learner sees them: `HandTables`, or `SubsetHands` of k cards."""

    mine: Any
    theirs: Any
    learner: int


class Schedule(NamedTuple):
    """One learner's way through a spot that begins before the river.

    Plans and levels are those of the first street, the second, and the river, so that turns and
    flops run the same compiled program.
    """

    num_streets: int
    plans: tuple[StreetPlan, StreetPlan, StreetPlan]
    levels: tuple[BoardLevel, BoardLevel, BoardLevel]
    layout: I64  # (3, 2, 2) as Layout.places
