"""Spot: a board, two ranges, pot, stacks and bet sizes, as a frozen record, and its TOML.

    board = "Qs Jh 2h"
    pot = 180
    stack = 910
    [ranges]
    oop = "AA,KK,A5s:0.5"
    ip = "99,88,AJs"
    [sizes.flop]
    oop = { bet = "33%,75%,a", raise = "60%,2.5x", donk = "50%" }
    ip = { bet = "52%", raise = "45%" }

OOP acts first on every street, IP second. `bet_sizes` has the words for sizes, `tree`
what the options of the tree mean, `spot_toml` every key of the file. `make_spot` makes a spot from
a file, a text or its fields.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from riverboat.cards.card import card_text, check_distinct, parse_cards
from riverboat.cards.combos import COMBO_CARDS
from riverboat.cards.ranges import Range
from riverboat.errors import ParameterError, UsageError
from riverboat.holdem.rules.betting import Street
from riverboat.holdem.rules.icm import Payouts
from riverboat.holdem.spots.bet_sizes import BetSize
from riverboat.runtime.array_types import F64, I64

if TYPE_CHECKING:
    from riverboat.holdem.spots.solved import SolvedSpot
    from riverboat.holdem.spots.three_way_spot import ThreeWaySpot


OOP, IP = 0, 1
PLAYERS = ("oop", "ip")
STREETS = ("flop", "turn", "river")  # The names of the streets from Street.FLOP on
MIN_CHIPS = 0.01  # Chips have at most two decimals
MAX_CHIPS = 1e7  # Beyond this, float32 cannot represent single chips


@dataclass(frozen=True)
class PlayerSizes:
    """What one player may bet on one street."""

    bet: tuple[BetSize, ...] = ()
    raises: tuple[BetSize, ...] = ()
    donk: tuple[BetSize, ...] | None = None
    """OOP's bets into the one who bet last on the street before; None for the same as `bet`."""


@dataclass(frozen=True)
class TreeOptions:
    """What is done to the sizes, or lines instead of them."""

    allin_below_spr: float = 0.0  # All-in is added where the stack left is at most this many pots
    force_allin: float = 0.0  # A bet that leaves at most this part of the stack becomes all-in
    merge: float = 0.0
    """A size of b pots is dropped next to one of a pots where (1 + a) / (1 + b) < 1 + merge."""
    raises: int | None = None  # The most bets and raises on one street
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()  # The whole tree, line by line, instead of sizes

    def __post_init__(self) -> None:
        for name, most in (("allin_below_spr", math.inf), ("force_allin", 1.0), ("merge", 1.0)):
            value = getattr(self, name)
            if not 0 <= value <= most or math.isnan(value):
                raise ParameterError(f"tree.{name} must lie from 0 up to {most:g}, not {value}.")
        if self.raises is not None and self.raises < 1:
            raise ParameterError(f"tree.raises must be at least 1, not {self.raises}.")


Sizes = Mapping[str, tuple[PlayerSizes, PlayerSizes]]


class PostflopSpot:
    """What spots for two and for three players have in common: cards, chips, ranges and sizes."""

    board: tuple[int, ...]
    pot: float
    ranges: tuple[Range, ...]
    rake_rate: float
    rake_cap: float
    sizes: Mapping[str, tuple[PlayerSizes, ...]]
    tree: TreeOptions
    dead: tuple[int, ...]

    def _check_cards(self, players: str) -> None:
        """Order the cards and refuse too many or too few; `players` is their number in words."""
        object.__setattr__(self, "board", tuple(int(card) for card in self.board))
        object.__setattr__(self, "dead", tuple(sorted(int(card) for card in self.dead)))
        if len(self.board) not in (3, 4, 5):
            raise ParameterError(f"The board has 3 to 5 cards, not {len(self.board)}.")
        check_distinct(self.gone)
        for card in self.gone:
            card_text(card)
        if len(self.ranges) != {"two": 2, "three": 3}[players]:
            raise ParameterError(
                f"{players.capitalize()} players have {players} ranges, not {len(self.ranges)}."
            )
        if self.num_unseen < 2 * len(self.ranges) + 5 - len(self.board):
            raise ParameterError(
                f"{len(self.dead)} dead cards leave {self.num_unseen} others: too few for"
                f" {players} hands and the cards to come."
            )

    def _check_chips(self, name: str, value: float, *, zero: bool = False) -> None:
        lowest = 0.0 if zero else MIN_CHIPS
        if not lowest <= value <= MAX_CHIPS:
            raise ParameterError(
                f"The {name} must be {'at least 0' if zero else f'above 0, at least {lowest:g},'}"
                f" and at most {MAX_CHIPS:,.0f} chips, not {value!r:.60}."
            )
        if abs(value * 100 - round(value * 100)) > 1e-6:
            raise ParameterError(f"The {name} has at most two decimals, not {value}.")

    def _check_rake(self) -> None:
        if not 0 <= self.rake_rate < 1:
            raise ParameterError(f"The rake's rate lies from 0 to below 1, not {self.rake_rate}.")
        if not 0 <= self.rake_cap <= MAX_CHIPS:
            raise ParameterError(f"The rake's cap must be 0 or more chips, not {self.rake_cap}.")
        if self.rake_rate > 0 and self.rake_cap == 0:
            raise ParameterError("A rake needs a cap above 0: no rake is taken at a cap of 0.")

    def _check_ranges(self, names: Sequence[str]) -> None:
        for name, range_ in zip(names, self.ranges, strict=True):
            if not range_.weights.any():
                raise ParameterError(f"The range of {name.upper()} is empty.")
            if not range_.without(list(self.gone)).weights.any():
                held = "the board or a dead one" if self.dead else "the board"
                raise ParameterError(f"Every hand of {name.upper()} holds a card of {held}.")

    def _check_streets(self) -> None:
        for street in self.sizes:
            if street not in STREETS:
                raise ParameterError(f"There is no street {street!r}: flop, turn and river are.")

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

    def hands(self, player: int) -> I64:
        """(H,) the combos of a player's range that the board leaves, in the order of `combos`."""
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
        """The text that `from_toml` and `rb.spot` read back to the same spot."""
        from riverboat.holdem.spots.spot_toml import format_spot

        return format_spot(cast("Spot | ThreeWaySpot", self))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.to_toml() == other.to_toml()

    def __hash__(self) -> int:
        return hash(self.to_toml())


@dataclass(frozen=True, eq=False, repr=False)
class Spot(PostflopSpot):
    """What is to be solved; checked when made."""

    board: tuple[int, ...]
    """3, 4 or 5 cards."""
    pot: float
    stack: float
    """Behind, each player."""
    ranges: tuple[Range, Range]
    """Of OOP and IP."""
    rake_rate: float = 0.0
    rake_cap: float = 0.0
    """The most chips of rake."""
    sizes: Sizes = field(default_factory=dict)
    """Street → sizes of OOP and IP; a street left out has those of the street before it."""
    tree: TreeOptions = TreeOptions()
    dead: tuple[int, ...] = ()
    """Cards that cannot be held or dealt: exposed ones, or those a smaller deck lacks."""
    payouts: Payouts | None = None
    """Prizes to play for; values are then prizes by ICM instead of chips."""

    def __post_init__(self) -> None:
        self._check_cards("two")
        self._check_chips("pot", self.pot)
        self._check_chips("stack", self.stack)
        self._check_rake()
        self._check_payouts()
        self._check_ranges(PLAYERS)
        if not self._can_meet():
            raise ParameterError(
                "The two ranges never meet: any hand of one shares a card with any of the other."
            )
        self._check_streets()
        if self.tree.lines and self.sizes:
            raise ParameterError("tree.lines is the whole tree, so sizes contradict it; drop one.")

    def _can_meet(self) -> bool:
        mine, theirs = (COMBO_CARDS[self.hands(player)].astype(np.int64) for player in (OOP, IP))
        # The first hand nearly always does.
        return any(bool(~(np.isin(theirs, hand).any(axis=1)).all()) for hand in mine)

    @property
    def unit(self) -> int:
        """How many units a chip has: 1 where pot and stack are whole, else 100."""
        return 1 if float(self.pot).is_integer() and float(self.stack).is_integer() else 100

    def _check_payouts(self) -> None:
        if self.payouts is None:
            return
        self.payouts.check(len(PLAYERS))
        if self.rake_rate:
            raise ParameterError("A tournament's pots are not raked: leave out rake or payouts.")
        if self.payouts.stacks and abs(min(self.payouts.stacks) - self.stack) > 1e-6:
            raise ParameterError(
                f"The shorter of payouts.stacks is the stack, {self.stack:g}, not"
                f" {min(self.payouts.stacks):g}."
            )

    @property
    def unit_name(self) -> str:
        """What values are counted in."""
        return "chips" if self.payouts is None else "prizes"

    def payoffs(self, player: int, put: float) -> tuple[float, float, float]:
        """What a player has more than `center` who wins, ties or loses with `put` chips each."""
        if self.payouts is None:
            half = self.pot / 2 + put
            rake = self.rake(2 * half)
            return half - rake, -rake / 2, -half
        won, level, lost = (self._prize(player, share, put) for share in (1.0, 0.5, 0.0))
        center = self.center(player)
        return won - center, level - center, lost - center

    def center(self, player: int) -> float:
        """Where payoffs count from: what a player has when the pot is split as it is."""
        return self.pot / 2 if self.payouts is None else self._prize(player, 0.5, 0.0)

    @property
    def stake(self) -> float:
        """What the pot is worth, as percentages count it: in chips, or to both in the mean."""
        if self.payouts is None:
            return self.pot
        gains = [
            self._prize(player, 1.0, 0.0) - self._prize(player, 0.0, 0.0) for player in (OOP, IP)
        ]
        return max(sum(gains) / 2, 1e-9)

    def _prize(self, player: int, share: float, put: float) -> float:
        """A player's prize by ICM who gets a share of the pot after both have put in chips."""
        assert self.payouts is not None
        behind = self.payouts.stacks or (self.stack, self.stack)
        pot = self.pot + 2 * put
        mine, theirs = share * pot, (1 - share) * pot
        won = (mine, theirs) if player == OOP else (theirs, mine)
        after = [chips - put + more for chips, more in zip(behind, won, strict=True)]
        return self.payouts.values([0.0 if abs(each) < 1e-9 else each for each in after])[player]

    def with_board(self, board: tuple[int, ...]) -> Spot:
        """The same spot on another board of as many cards."""
        return dataclasses.replace(self, board=board)

    @classmethod
    def load(cls, path: str | Path) -> Spot:
        """Read a TOML file, or a tree script of PioSOLVER."""
        from riverboat.holdem.spots.spot_toml import read_spot

        return read_spot(path)

    @classmethod
    def from_toml(cls, text: str) -> Spot:
        """Read the text of a TOML file."""
        from riverboat.holdem.spots.spot_toml import parse_spot

        return parse_spot(text)

    def solve(self, **options: Any) -> SolvedSpot:
        """Solve it; `solve_spot` has the options: target, iterations, seconds, threads, …"""
        from riverboat.holdem.spots.solve import solve_spot

        return cast("SolvedSpot", solve_spot(self, **options))

    def __repr__(self) -> str:
        board = "".join(card_text(card) for card in self.board)
        hands = " against ".join(str(len(self.hands(player))) for player in (0, 1))
        return f"<Spot {board}, pot {self.pot:g}, stack {self.stack:g}, {hands} hands>"


def make_spot(source: str | Path | None = None, **fields: Any) -> Spot | ThreeWaySpot:
    """A spot for two or three players from a file, from the text of one, or from its fields.

    Fields are those of Spot: board ("Qs Jh 2h"), pot, stack, ranges ("AA,KK", "99,AJs") and more.
    With three ranges, in order of action, they are those of ThreeWaySpot; `stack` is for all.
    Tables may stand as in the file: sizes={"flop": {"oop": {"bet": "50%"}}}, tree={"raises": 2}.
    """
    from riverboat.holdem.spots.spot_toml import parse_question, read_question

    if source is not None and fields:
        raise UsageError("Name a spot's file or give its fields, not both.")
    if source is None:
        return _from_fields(fields)
    text = str(source)
    return parse_question(text, folder=Path()) if "\n" in text else read_question(text)


def _from_fields(given: Mapping[str, Any]) -> Spot | ThreeWaySpot:
    from riverboat.holdem.spots.spot_toml import check_keys, read_tables
    from riverboat.holdem.spots.three_way_spot import ThreeWaySpot

    known = {each.name for kind in (Spot, ThreeWaySpot) for each in dataclasses.fields(kind)}
    check_keys(given, (*known, "rake"), "a spot")
    behind = "stacks" if "stacks" in given else "stack"
    missing = {"board", "pot", behind, "ranges"} - given.keys()
    if missing:
        raise UsageError(f"A spot needs {', '.join(sorted(missing))}, or a file with them.")
    fields = read_tables(given)
    board, ranges = fields.pop("board"), fields.pop("ranges")
    if isinstance(ranges, str) or not isinstance(ranges, Sequence) or len(ranges) not in (2, 3):
        raise UsageError("A spot has two ranges, or three, in order of action.")
    cards = parse_cards(board) if isinstance(board, str) else board
    kind, players = (Spot, "two") if len(ranges) == 2 else (ThreeWaySpot, "three")
    for name in fields.keys() - {each.name for each in dataclasses.fields(kind)} - {"stack"}:
        raise UsageError(f"A spot of {players} players has no {name}.")
    try:
        read = _read_ranges(ranges, fields)
        if len(read) == 2:
            return Spot(board=tuple(cards), ranges=(read[0], read[1]), **fields)
        if behind == "stack":
            fields["stacks"] = (fields.pop("stack"),) * 3
        return ThreeWaySpot(board=tuple(cards), ranges=(read[0], read[1], read[2]), **fields)
    except TypeError as error:
        raise UsageError(f"A spot cannot be made so: {error}.") from None


def _read_ranges(given: Sequence[Any], fields: Mapping[str, Any]) -> list[Any]:
    """Ranges as they are, or from their texts."""
    from riverboat.holdem.spots.spot_toml import read_ranges

    for each in given:
        if not isinstance(each, str | Range):
            raise UsageError(f"A range is a text, such as 'QQ+,AKs', or a Range, not {each!r}.")
    texts = [each if isinstance(each, str) else "AA" for each in given]
    names = PLAYERS if len(given) == 2 else fields.get("names", ("", "", ""))
    stacks = fields["stacks"] if "stacks" in fields else (fields["stack"],)
    read = read_ranges(texts, Path(), names, fields["pot"], stacks)
    return [own if isinstance(own, Range) else text for own, text in zip(given, read, strict=True)]
