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
from typing import TYPE_CHECKING, Any

import numpy as np

from riverboat.cards.card import card_text, check_distinct
from riverboat.cards.combos import COMBO_CARDS
from riverboat.cards.ranges import Range
from riverboat.errors import ParameterError
from riverboat.holdem.rules.betting import Street
from riverboat.holdem.spots.spot import MAX_CHIPS, STREETS, PlayerSizes, Spot, TreeOptions
from riverboat.runtime.array_types import F64, I64

if TYPE_CHECKING:
    from riverboat.holdem.spots.multiway.solved3 import SolvedThreeWay

SEATS = (0, 1, 2)
DEFAULT_NAMES = ("sb", "bb", "btn")
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,11}")
ThreeSizes = tuple[PlayerSizes, PlayerSizes, PlayerSizes]


@dataclass(frozen=True, eq=False, repr=False)
class ThreeWaySpot:
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

    def __post_init__(self) -> None:
        object.__setattr__(self, "board", tuple(int(card) for card in self.board))
        object.__setattr__(self, "dead", tuple(sorted(int(card) for card in self.dead)))
        object.__setattr__(self, "stacks", tuple(float(stack) for stack in self.stacks))
        if len(self.board) not in (3, 4, 5):
            raise ParameterError(f"The board has 3 to 5 cards, not {len(self.board)}.")
        check_distinct(self.gone)
        for card in self.gone:
            card_text(card)
        if self.num_unseen < 6 + 5 - len(self.board):
            raise ParameterError(
                f"{len(self.dead)} dead cards leave {self.num_unseen} others: too few for"
                " three hands and the cards to come."
            )
        self._check_names()
        self._check_chips()
        self._check_ranges()
        self._check_sizes()

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

    def _check_chips(self) -> None:
        if len(self.stacks) != 3:
            raise ParameterError(f"Three players have three stacks, not {len(self.stacks)}.")
        for name, value in (("pot", self.pot), *zip(self.names, self.stacks, strict=True)):
            shown = name if name == "pot" else f"stack of {name.upper()}"
            if not 0 <= value <= MAX_CHIPS or (name == "pot" and value == 0):
                least = "above 0" if name == "pot" else "at least 0"
                raise ParameterError(
                    f"The {shown} must be {least} and at most {MAX_CHIPS:,.0f} chips,"
                    f" not {value:g}."
                )
            if abs(value * 100 - round(value * 100)) > 1e-6:
                raise ParameterError(f"The {shown} has at most two decimals, not {value}.")
        if sum(self.stacks[seat] > 0 for seat in self.playing) < 2:
            raise ParameterError("Two players at least need chips behind, or nobody can bet.")
        if not 0 <= self.rake_rate < 1:
            raise ParameterError(f"The rake's rate lies from 0 to below 1, not {self.rake_rate}.")
        if not 0 <= self.rake_cap <= MAX_CHIPS:
            raise ParameterError(f"The rake's cap must be 0 or more chips, not {self.rake_cap}.")
        if self.rake_rate > 0 and self.rake_cap == 0:
            raise ParameterError("A rake needs a cap above 0: no rake is taken at a cap of 0.")

    def _check_ranges(self) -> None:
        if len(self.ranges) != 3:
            raise ParameterError(f"Three players have three ranges, not {len(self.ranges)}.")
        for name, range_ in zip(self.names, self.ranges, strict=True):
            if not range_.weights.any():
                raise ParameterError(f"The range of {name.upper()} is empty.")
            if not range_.without(list(self.gone)).weights.any():
                held = "the board or a dead one" if self.dead else "the board"
                raise ParameterError(f"Every hand of {name.upper()} holds a card of {held}.")
        if not self._can_meet():
            raise ParameterError(
                "The three ranges never meet: no three hands, one of each, have six cards."
            )

    def _can_meet(self) -> bool:
        first, second, third = (COMBO_CARDS[self.hands(seat)].astype(np.int64) for seat in SEATS)
        for one in first:
            left = second[~np.isin(second, one).any(axis=1)]
            others = third[~np.isin(third, one).any(axis=1)]
            for two in left if len(others) else []:
                if (~np.isin(others, two).any(axis=1)).any():
                    return True
        return False

    def _check_sizes(self) -> None:
        for street in self.sizes:
            if street not in STREETS:
                raise ParameterError(f"There is no street {street!r}: flop, turn and river are.")
        if self.tree.add or self.tree.remove or self.tree.lines:
            raise ParameterError(
                "tree.add, tree.remove and tree.lines are for two players; three have sizes only."
            )

    @property
    def playing(self) -> tuple[int, ...]:
        """The players who have not folded before."""
        return tuple(seat for seat in SEATS if self.names[seat] != self.folded)

    @property
    def street(self) -> Street:
        """The street it begins on."""
        return Street(len(self.board) - 2)

    @property
    def gone(self) -> tuple[int, ...]:
        """The cards that can no longer come: the board's and the dead ones."""
        return (*self.board, *self.dead)

    @property
    def num_unseen(self) -> int:
        """The number of other cards, in hands or to come."""
        return 52 - len(self.gone)

    @property
    def unit(self) -> int:
        """How many units a chip has: 1 where all chips are whole, else 100."""
        return 1 if all(float(chips).is_integer() for chips in (self.pot, *self.stacks)) else 100

    def hands(self, player: int) -> I64:
        """(H,) the combos of a player's range that the board leaves."""
        return self.ranges[player].without(list(self.gone)).combos

    def weights(self, player: int) -> F64:
        """(H,) the weights of `hands`."""
        return np.asarray(self.ranges[player].weights[self.hands(player)])

    def sizes_on(self, street: Street, player: int) -> PlayerSizes:
        """The sizes that hold on a street, its own or the nearest before it."""
        for name in reversed(STREETS[:street]):
            if name in self.sizes:
                return self.sizes[name][player]
        return PlayerSizes()

    def rake(self, pot: float) -> float:
        """What is taken from a pot that is won."""
        return min(pot * self.rake_rate, self.rake_cap)

    def to_toml(self) -> str:
        """The text that `rb.spot` reads back to the same spot."""
        from riverboat.holdem.spots.texts.toml import format_spot

        return format_spot(self)

    def solve(self, **options: Any) -> SolvedThreeWay:
        """Solve it; `solve_three_way` has the options: target, iterations, seconds, threads, …"""
        from riverboat.holdem.spots.solve import solve_three_way

        return solve_three_way(self, **options)

    @classmethod
    def load(cls, path: str | Path) -> ThreeWaySpot:
        """Read a TOML file of three players."""
        from riverboat.holdem.spots.texts.toml import read_question

        return _three(read_question(path))

    @classmethod
    def from_toml(cls, text: str) -> ThreeWaySpot:
        """Read the text of a TOML file."""
        from riverboat.holdem.spots.texts.toml import parse_question

        return _three(parse_question(text))

    def __repr__(self) -> str:
        board = "".join(card_text(card) for card in self.board)
        hands = "/".join(str(len(self.hands(player))) for player in SEATS)
        stacks = "/".join(f"{stack:g}" for stack in self.stacks)
        return f"<ThreeWaySpot {board}, pot {self.pot:g}, stacks {stacks}, {hands} hands>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ThreeWaySpot) and self.to_toml() == other.to_toml()

    def __hash__(self) -> int:
        return hash(self.to_toml())


def _three(found: Spot | ThreeWaySpot) -> ThreeWaySpot:
    if not isinstance(found, ThreeWaySpot):
        raise ParameterError("The spot has two players, and three are wanted.")
    return found
