"""Spot: a board, two or three ranges, pot, stacks and bet sizes, as a frozen record.

    board = "Qs Jh 2h"
    pot = 180
    stack = 910
    [ranges]
    oop = "AA,KK,A5s:0.5"
    ip = "99,88,AJs"
    [sizes.flop]
    oop = { bet = "33%,75%,a", raise = "60%,2.5x", donk = "50%" }
    ip = { bet = "52%", raise = "45%" }

Players are numbered in order of action. Two are OOP and IP. Three have any names, and may have
stacks of their own; one who is all-in has a stack of 0 and can win the first pot and nothing more,
one who `folded` before holds cards, and so blocks others, but does not play.

`spot_toml` has every key of the file, `bet_sizes` the words for sizes, `tree` what the options of
the tree mean. `make_spot` makes a spot from a file, a text or its fields.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from riverboat.cards.card import card_text, check_distinct, parse_cards
from riverboat.cards.hands import hand_cards
from riverboat.cards.omaha_ranges import OmahaRange
from riverboat.cards.ranges import Range
from riverboat.errors import ParameterError, UnknownNameError, UsageError
from riverboat.holdem.rules.betting import Street
from riverboat.holdem.rules.fields import check_keys
from riverboat.holdem.rules.icm import Payouts
from riverboat.holdem.spots._pio_script import format_pio_script
from riverboat.holdem.spots.bet_sizes import STREETS, PlayerSizes, Sizes, TreeOptions
from riverboat.holdem.spots.spot_toml import (
    DEFAULT_NAMES,
    PLAYERS,
    format_spot,
    parse_fields,
    read_fields,
    read_hole_cards,
    read_ranges,
    read_tables,
)
from riverboat.runtime.array_types import F64, I64

if TYPE_CHECKING:
    from riverboat.holdem.spots.solved import SolvedSpot


OOP, IP = 0, 1
GAMES = ("holdem", "omaha")
SpotRange = Range | OmahaRange
MIN_CHIPS = 0.01  # Chips have at most two decimals
MAX_CHIPS = 1e7  # Beyond this, float32 cannot represent single chips
_WORDS = {2: "two", 3: "three"}
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,11}")
_KEYS = (
    "game", "hole_cards", "board", "pot", "ranges", "rake", "rake_rate", "rake_cap", "sizes",
    "tree", "dead",
)  # fmt: skip
_ONLY_OF = {2: ("stack", "payouts"), 3: ("stack", "stacks", "names", "folded")}
"""Number of players → fields that not every spot has."""


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Spot:
    """What is to be solved; checked when made. Everything by player is in order of action."""

    board: tuple[int, ...]
    """3, 4 or 5 cards."""
    pot: float
    stacks: tuple[float, ...]
    """Behind; of two players alike, of three 0 for one who is all-in already."""
    ranges: tuple[SpotRange, ...]
    rake_rate: float
    rake_cap: float
    """The most chips of rake."""
    sizes: Sizes
    """Street → sizes of each player; a street left out has those of the street before it."""
    tree: TreeOptions
    dead: tuple[int, ...]
    """Cards that cannot be held or dealt: exposed ones, or those a smaller deck lacks."""
    payouts: Payouts | None
    """Prizes that two players play for; values are then prizes by ICM instead of chips."""
    names: tuple[str, ...]
    game: str
    """"holdem", or "omaha": hands of four cards, of which two are played; bets up to the pot."""
    folded: str | None
    """The name of one of three players who folded before: their hands only block."""

    def __init__(
        self,
        board: Sequence[int],
        pot: float,
        stacks: float | Sequence[float] | None = None,
        ranges: Sequence[SpotRange] = (),
        rake_rate: float = 0.0,
        rake_cap: float = 0.0,
        sizes: Sizes | None = None,
        tree: TreeOptions | None = None,
        dead: Sequence[int] = (),
        payouts: Payouts | None = None,
        *,
        stack: float | None = None,
        names: Sequence[str] = (),
        folded: str | None = None,
        game: str = "holdem",
    ) -> None:
        """`stacks` is one for each player, or one for all, which may also be called `stack`."""
        if (stacks is None) == (stack is None):
            raise ParameterError("A spot has a stack for all players, or stacks, one of the two.")
        behind = stack if stacks is None else stacks
        if isinstance(behind, Sequence):
            by_player = tuple(float(chips) for chips in behind)
        else:
            assert behind is not None
            by_player = (behind,) * len(ranges)
        defaults = PLAYERS if len(ranges) == 2 else DEFAULT_NAMES
        values = {
            "board": tuple(int(card) for card in board),
            "pot": pot,
            "stacks": by_player,
            "ranges": tuple(ranges),
            "names": tuple(names) or defaults,
            "rake_rate": rake_rate,
            "rake_cap": rake_cap,
            "sizes": {} if sizes is None else sizes,
            "tree": TreeOptions() if tree is None else tree,
            "dead": tuple(sorted(int(card) for card in dead)),
            "payouts": payouts,
            "folded": folded,
            "game": game,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        self._check()

    def _check(self) -> None:
        if self.num_players not in _WORDS:
            raise ParameterError(f"A spot has two or three ranges, not {self.num_players}.")
        self._check_game()
        self._check_cards()
        self._check_players()
        self._check_stacks()
        self._check_rake()
        self._check_payouts()
        self._check_ranges()
        for street in self.sizes:
            if street not in STREETS:
                raise ParameterError(f"There is no street {street!r}: flop, turn and river are.")
        if self.num_players > 2 and (self.tree.add or self.tree.remove or self.tree.lines):
            raise ParameterError(
                "tree.add, tree.remove and tree.lines are for two players; three have sizes only."
            )
        if self.tree.lines and self.sizes:
            raise ParameterError("tree.lines is the whole tree, so sizes contradict it; drop one.")

    def _check_game(self) -> None:
        if self.game not in GAMES:
            raise UnknownNameError.among("game of spots", self.game, GAMES)
        kind = OmahaRange if self.game == "omaha" else Range
        if not all(isinstance(range_, kind) for range_ in self.ranges):
            raise ParameterError(f"The ranges of a spot of {self.game} are of another game.")
        if self.game == "omaha":
            if self.num_players > 2:
                raise ParameterError("A spot of Omaha has two players.")
            if self.payouts is not None:
                raise ParameterError("A spot of Omaha is played for chips; leave out payouts.")
            if len({range_.weights.shape for range_ in self.ranges}) > 1:
                raise ParameterError("The hands of both players have the same number of cards.")
            self._check_pot_limit()

    def _check_pot_limit(self) -> None:
        for street, by_player in self.sizes.items():
            for name, own in zip(self.names, by_player, strict=True):
                for size in (*own.bet, *own.raises, *(own.donk or ())):
                    if size.kind == "%" and size.number > 1:
                        raise ParameterError(
                            f"sizes.{street}.{name} has {size.text}, which is above the pot: Omaha"
                            " is played pot-limit."
                        )

    def _check_cards(self) -> None:
        if len(self.board) not in (3, 4, 5):
            raise ParameterError(f"The board has 3 to 5 cards, not {len(self.board)}.")
        check_distinct(self.gone)
        for card in self.gone:
            card_text(card)
        if self.num_unseen < self.hole_cards * self.num_players + 5 - len(self.board):
            raise ParameterError(
                f"{len(self.dead)} dead cards leave {self.num_unseen} others: too few for"
                f" {_WORDS[self.num_players]} hands and the cards to come."
            )

    def _check_players(self) -> None:
        for name in self.names:
            if not _NAME.fullmatch(name):
                raise ParameterError(f"{name!r} is no player's name; write one such as sb or btn.")
        if self.num_players == 2:
            if self.names != PLAYERS:
                raise ParameterError("Two players are called oop and ip.")
            if self.folded is not None:
                raise ParameterError("Of two players none can have folded before.")
            return
        if len(self.names) != 3 or len(set(self.names)) != 3:
            raise ParameterError("Three players need three names.")
        if self.folded is not None and self.folded not in self.names:
            raise ParameterError(
                f"{self.folded!r} cannot have folded: the players are {', '.join(self.names)}."
            )

    def _check_stacks(self) -> None:
        _check_chips("pot", self.pot)
        if len(self.stacks) != self.num_players:
            word = _WORDS[self.num_players]
            raise ParameterError(
                f"{word.capitalize()} players have {word} stacks, not {len(self.stacks)}."
            )
        if self.num_players == 2:
            if len(set(self.stacks)) > 1:
                raise ParameterError("Two players have one stack, the shorter of theirs.")
            _check_chips("stack", self.stack)
            return
        for name, chips in zip(self.names, self.stacks, strict=True):
            _check_chips(f"stack of {name.upper()}", chips, zero=True)
        if sum(self.stacks[player] > 0 for player in self.playing) < 2:
            raise ParameterError("Two players at least need chips behind, or nobody can bet.")

    def _check_rake(self) -> None:
        if not 0 <= self.rake_rate < 1:
            raise ParameterError(f"The rake's rate lies from 0 to below 1, not {self.rake_rate}.")
        if not 0 <= self.rake_cap <= MAX_CHIPS:
            raise ParameterError(f"The rake's cap must be 0 or more chips, not {self.rake_cap}.")
        if self.rake_rate > 0 and self.rake_cap == 0:
            raise ParameterError("A rake needs a cap above 0: no rake is taken at a cap of 0.")

    def _check_payouts(self) -> None:
        if self.payouts is None:
            return
        if self.num_players > 2:
            raise ParameterError("Three players of a spot play for chips; payouts are for two.")
        self.payouts.check(self.num_players)
        if self.rake_rate:
            raise ParameterError("A tournament's pots are not raked: leave out rake or payouts.")
        if self.payouts.stacks and abs(min(self.payouts.stacks) - self.stack) > 1e-6:
            raise ParameterError(
                f"The shorter of payouts.stacks is the stack, {self.stack:g}, not"
                f" {min(self.payouts.stacks):g}."
            )

    def _check_ranges(self) -> None:
        for name, range_ in zip(self.names, self.ranges, strict=True):
            if not range_.weights.any():
                raise ParameterError(f"The range of {name.upper()} is empty.")
            if not range_.without(list(self.gone)).weights.any():
                held = "the board or a dead one" if self.dead else "the board"
                raise ParameterError(f"Every hand of {name.upper()} holds a card of {held}.")
        every = hand_cards(self.hole_cards).astype(np.int64)
        cards = [every[self.hands(player)] for player in range(self.num_players)]
        if not _can_meet(cards):
            raise ParameterError(
                "The two ranges never meet: any hand of one shares a card with any of the other."
                if self.num_players == 2
                else "The three ranges never meet: no three hands, one of each, have six cards."
            )

    @property
    def num_players(self) -> int:
        return len(self.ranges)

    @property
    def hole_cards(self) -> int:
        """The number of cards of a hand."""
        first = self.ranges[0]
        return first.hole_cards if isinstance(first, OmahaRange) else 2

    @property
    def stack(self) -> float:
        """The chips behind, where all players have as many; else those of the shortest."""
        return min(self.stacks)

    def seat_of(self, name: str) -> int:
        """The number of a player by name."""
        if name.lower() not in self.names:
            raise UnknownNameError.among("player", name, self.names)
        return self.names.index(name.lower())

    @property
    def playing(self) -> tuple[int, ...]:
        """The players who have not folded before."""
        return tuple(
            player for player in range(self.num_players) if self.names[player] != self.folded
        )

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

    @property
    def unit_name(self) -> str:
        """What values are counted in."""
        return "chips" if self.payouts is None else "prizes"

    def hands(self, player: int) -> I64:
        """(H,) the numbers of a player's hands that the board leaves; of two cards the combos."""
        return np.flatnonzero(self.ranges[player].without(list(self.gone)).weights)

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

    def payoffs(self, player: int, put: float) -> tuple[float, float, float]:
        """What one of two has more than `center` who wins, ties or loses with `put` chips each."""
        if self.payouts is None:
            half = self.pot / 2 + put
            rake = self.rake(2 * half)
            return half - rake, -rake / 2, -half
        won, level, lost = (self._prize(player, share, put) for share in (1.0, 0.5, 0.0))
        center = self.center(player)
        return won - center, level - center, lost - center

    def center(self, player: int) -> float:
        """Where payoffs count from: what one of two has when the pot is split as it is."""
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
        return self.payouts.values([0.0 if abs(chips) < 1e-9 else chips for chips in after])[player]

    def with_board(self, board: tuple[int, ...]) -> Spot:
        """The same spot on another board of as many cards."""
        return dataclasses.replace(self, board=board)

    def of_two(self) -> Spot:
        """The spot itself; refused where it has three players, or hands of four cards."""
        if self.game != "holdem":
            raise UsageError(
                "The spot is of Omaha, and this is made for hold'em; riverboat holdem solve, view"
                " and explore take it."
            )
        if self.num_players > 2:
            raise UsageError(
                "The spot has three players, and this is made for two; riverboat holdem solve,"
                " view, explore and drill take three."
            )
        return self

    @classmethod
    def load(cls, path: str | Path) -> Spot:
        """Read a TOML file, or a tree script of PioSOLVER."""
        return cls(**read_fields(path))

    @classmethod
    def from_toml(cls, text: str) -> Spot:
        """Read the text of such a file; its ranges may name no other file."""
        return cls(**parse_fields(text))

    def to_toml(self) -> str:
        """The text that `from_toml` and `rb.spot` read back to the same spot."""
        return self._toml

    @cached_property
    def _toml(self) -> str:
        return format_spot(self)

    def to_pio_script(self) -> str:
        """The spot as a tree script of PioSOLVER; refused where a script has no words for it."""
        return format_pio_script(self)

    def solve(self, **options: Any) -> SolvedSpot:
        """Solve it; `solve_spot` has the options: target, iterations, seconds, threads, …"""
        from riverboat.holdem.spots.solve import solve_spot

        return solve_spot(self, **options)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Spot) and self._text == other._text)

    def __hash__(self) -> int:
        return hash(self._text)

    @cached_property
    def _text(self) -> str:
        """What equality and hash go by; a spot never changes."""
        return self.to_toml()

    def __repr__(self) -> str:
        board = "".join(card_text(card) for card in self.board)
        hands = " against ".join(str(len(self.hands(player))) for player in range(self.num_players))
        stacks = "/".join(dict.fromkeys(f"{stack:g}" for stack in self.stacks))
        return f"<Spot {board}, pot {self.pot:g}, stack {stacks}, {hands} hands>"


def _check_chips(name: str, value: float, *, zero: bool = False) -> None:
    lowest = 0.0 if zero else MIN_CHIPS
    if not lowest <= value <= MAX_CHIPS:
        shown = repr(value).removesuffix(".0")
        raise ParameterError(
            f"The {name} must be {'at least 0' if zero else f'above 0, at least {lowest:g},'}"
            f" and at most {MAX_CHIPS:,.0f} chips, not {shown:.60}."
        )
    if abs(value * 100 - round(value * 100)) > 1e-6:
        raise ParameterError(f"The {name} has at most two decimals, not {value}.")


def _can_meet(cards: Sequence[I64]) -> bool:
    """Whether there are hands (H, 2), one of each player, that share no card."""
    first, others = cards[0], cards[1:]
    if not others:
        return len(first) > 0
    # The first hand nearly always goes with some others.
    return any(
        _can_meet([theirs[~np.isin(theirs, hand).any(axis=1)] for theirs in others])
        for hand in first
    )


def make_spot(source: str | Path | None = None, **fields: Any) -> Spot:
    """A spot for two or three players from a file, from the text of one, or from its fields.

    Fields are those of Spot: board ("Qs Jh 2h"), pot, stack, ranges ("AA,KK", "99,AJs") and more.
    Three ranges are those of three players, in order of action. Tables may stand as in the file:
    sizes={"flop": {"oop": {"bet": "50%"}}}, tree={"raises": 2}.
    """
    if source is not None and fields:
        raise UsageError("Name a spot's file or give its fields, not both.")
    if source is None:
        return _from_fields(fields)
    text = str(source)
    return Spot(**(parse_fields(text, folder=Path()) if "\n" in text else read_fields(text)))


def _from_fields(given: Mapping[str, Any]) -> Spot:
    check_keys(given, (*_KEYS, *dict.fromkeys((*_ONLY_OF[2], *_ONLY_OF[3]))), "a spot")
    behind = "stacks" if "stacks" in given else "stack"
    missing = {"board", "pot", behind, "ranges"} - given.keys()
    if missing:
        raise UsageError(f"A spot needs {', '.join(sorted(missing))}, or a file with them.")
    fields = read_tables(given)
    ranges, board = fields["ranges"], fields["board"]
    if isinstance(ranges, str) or not isinstance(ranges, Sequence) or len(ranges) not in _WORDS:
        raise UsageError("A spot has two ranges, or three, in order of action.")
    for name in fields.keys() - {*_KEYS, *_ONLY_OF[len(ranges)]}:
        raise UsageError(f"A spot of {_WORDS[len(ranges)]} players has no {name}.")
    fields["board"] = tuple(parse_cards(board)) if isinstance(board, str) else board
    try:
        fields["ranges"] = _read_ranges(ranges, fields)
        fields.pop("hole_cards", None)
        return Spot(**fields)
    except TypeError as error:
        raise UsageError(f"A spot cannot be made so: {error}.") from None


def _read_ranges(given: Sequence[Any], fields: Mapping[str, Any]) -> list[SpotRange]:
    """Ranges as they are, or from their texts."""
    for own in given:
        if not isinstance(own, str | SpotRange):
            raise UsageError(f"A range is a text, such as 'QQ+,AKs', or a Range, not {own!r}.")
    texts = [own if isinstance(own, str) else "AA" for own in given]
    names = PLAYERS if len(given) == 2 else fields.get("names", ("", "", ""))
    stacks = fields["stacks"] if "stacks" in fields else (fields["stack"],)
    game = fields.get("game", "holdem")
    kept = [own.hole_cards for own in given if isinstance(own, OmahaRange)]
    hole_cards = read_hole_cards(fields, game, *kept[:1])
    for own in kept:
        if own != hole_cards:
            raise ParameterError(f"A range here has hands of {hole_cards} cards, not of {own}.")
    read = read_ranges(texts, Path(), names, fields["pot"], stacks, game, hole_cards)
    return [text if isinstance(own, str) else own for own, text in zip(given, read, strict=True)]
