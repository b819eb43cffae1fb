"""ThreeWaySpot: a board, three ranges in order of action, pot, stacks and bet sizes; its TOML.

    board = "Ks Th 7s 4d 2c"
    pot = 60
    stack = 100                      # or stacks = { sb = 100, bb = 60, btn = 300 }
    [ranges]                         # any three names, in order of action
    sb = "99,88,A5s:0.5"
    bb = "KQs,T9s"
    btn = "AA,AKs"
    [sizes.river]
    sb = { bet = "60%,a", raise = "a" }
    bb = { bet = "60%,a", raise = "a" }
    btn = { bet = "60%,a", raise = "a" }

`folded = "btn"` says that a player folded before: they hold cards, and so block others, but do not
play. A stack of 0 says that a player is all-in: they can win the first pot and nothing more.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from riverboat.cards.card import card_text
from riverboat.cards.combos import COMBO_CARDS
from riverboat.cards.ranges import Range
from riverboat.errors import ParameterError
from riverboat.holdem.spots.spot import PlayerSizes, PostflopSpot, Spot, TreeOptions

if TYPE_CHECKING:
    from riverboat.holdem.spots.three_way_solved import SolvedThreeWay

SEATS = (0, 1, 2)
DEFAULT_NAMES = ("sb", "bb", "btn")
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,11}")
ThreeSizes = tuple[PlayerSizes, PlayerSizes, PlayerSizes]


@dataclass(frozen=True, eq=False, repr=False)
class ThreeWaySpot(PostflopSpot):
    """What is to be solved; checked when made. All triples are in order of action."""

    board: tuple[int, ...]
    """3, 4 or 5 cards."""
    pot: float
    stacks: tuple[float, float, float]
    """Behind; 0 for a player who is all-in already."""
    ranges: tuple[Range, Range, Range]
    names: tuple[str, str, str] = DEFAULT_NAMES
    rake_rate: float = 0.0
    rake_cap: float = 0.0
    """The most chips of rake."""
    sizes: Mapping[str, ThreeSizes] = field(default_factory=dict)
    """Street → sizes of each player; a street left out has those of the street before it."""
    tree: TreeOptions = field(default_factory=TreeOptions)
    dead: tuple[int, ...] = ()
    """Cards that cannot be held or dealt."""
    folded: str | None = None
    """The name of a player who folded before: their hands only block."""
    payouts: ClassVar[None] = None  # Three players play for chips

    def __post_init__(self) -> None:
        self._check_cards("three")
        self._check_names()
        self._check_stacks()
        self._check_rake()
        self._check_ranges(self.names)
        if not self._can_meet():
            raise ParameterError(
                "The three ranges never meet: no three hands, one of each, have six cards."
            )
        self._check_streets()
        if self.tree.add or self.tree.remove or self.tree.lines:
            raise ParameterError(
                "tree.add, tree.remove and tree.lines are for two players; three have sizes only."
            )

    def _check_names(self) -> None:
        for each in self.names:
            if not _NAME.fullmatch(each):
                raise ParameterError(f"{each!r} is no player's name; write one such as sb or btn.")
        if len(self.names) != 3 or len(set(self.names)) != 3:
            raise ParameterError("Three players need three names.")
        if self.folded is not None and self.folded not in self.names:
            raise ParameterError(
                f"{self.folded!r} cannot have folded: the players are {', '.join(self.names)}."
            )

    def _check_stacks(self) -> None:
        object.__setattr__(self, "stacks", tuple(float(stack) for stack in self.stacks))
        if len(self.stacks) != 3:
            raise ParameterError(f"Three players have three stacks, not {len(self.stacks)}.")
        self._check_chips("pot", self.pot)
        for name, stack in zip(self.names, self.stacks, strict=True):
            self._check_chips(f"stack of {name.upper()}", stack, zero=True)
        if sum(self.stacks[seat] > 0 for seat in self.playing) < 2:
            raise ParameterError("Two players at least need chips behind, or nobody can bet.")

    def _can_meet(self) -> bool:
        first, second, third = (COMBO_CARDS[self.hands(seat)].astype(np.int64) for seat in SEATS)
        for one in first:
            left = second[~np.isin(second, one).any(axis=1)]
            others = third[~np.isin(third, one).any(axis=1)]
            for two in left if len(others) else []:
                if (~np.isin(others, two).any(axis=1)).any():
                    return True
        return False

    @property
    def playing(self) -> tuple[int, ...]:
        """The players who have not folded before."""
        return tuple(seat for seat in SEATS if self.names[seat] != self.folded)

    @property
    def unit(self) -> int:
        """How many units a chip has: 1 where all chips are whole, else 100."""
        return 1 if all(float(chips).is_integer() for chips in (self.pot, *self.stacks)) else 100

    @property
    def stake(self) -> float:
        """What percentages count from."""
        return self.pot

    def solve(self, **options: Any) -> SolvedThreeWay:
        """Solve it; `solve_spot` has the options: target, iterations, seconds, threads, …"""
        from riverboat.holdem.spots.solve import solve_spot

        return cast("SolvedThreeWay", solve_spot(self, **options))

    @classmethod
    def load(cls, path: str | Path) -> ThreeWaySpot:
        """Read a TOML file of three players."""
        from riverboat.holdem.spots.spot_toml import read_question

        return _three(read_question(path))

    @classmethod
    def from_toml(cls, text: str) -> ThreeWaySpot:
        """Read the text of a TOML file."""
        from riverboat.holdem.spots.spot_toml import parse_question

        return _three(parse_question(text))

    def __repr__(self) -> str:
        board = "".join(card_text(card) for card in self.board)
        hands = "/".join(str(len(self.hands(player))) for player in SEATS)
        stacks = "/".join(f"{stack:g}" for stack in self.stacks)
        return f"<ThreeWaySpot {board}, pot {self.pot:g}, stacks {stacks}, {hands} hands>"


def _three(found: Spot | ThreeWaySpot) -> ThreeWaySpot:
    if not isinstance(found, ThreeWaySpot):
        raise ParameterError("The spot has two players, and three are wanted.")
    return found
