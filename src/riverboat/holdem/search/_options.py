"""How long and how finely the searching player thinks, and the trees it takes for that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from riverboat.cards.ranges import Range
from riverboat.holdem.rules.betting import Street
from riverboat.holdem.search._range_tracking import StreetStart
from riverboat.holdem.spots.bet_sizes import BetSize, PlayerSizes, Sizes, TreeOptions, parse_sizes
from riverboat.holdem.spots.layout import Layout, open_layout
from riverboat.holdem.spots.lines import line_of
from riverboat.holdem.spots.plan import CHUNK_BYTES
from riverboat.holdem.spots.spot import Spot
from riverboat.players.roster import PlayerSpec
from riverboat.runtime.devices import choose_device

OPTIONS = ("seconds", "threads", "device", "sizes", "safe", "flop", "iterations", "salt",
           "preflop")  # fmt: skip
MENUS = (
    (("33%,75%,150%,a", "75%,a"), ("33%,75%,150%,a", "75%,a")),
    (("50%,100%,a", "100%,a"), ("50%,100%,a", "a")),
    (("50%,100%,a", "a"), ("75%,a", "a")),
    (("75%,a", "a"), ("75%,a", "a")),
    (("75%", "a"), ("75%", "a")),
    (("75%", ""), ("75%", "")),
    (("a", ""), ("a", "")),
)
"""Bets and raises on the turn and on the river, the richest first; the first that fits is taken."""
GPU_FLOP_MENUS = (
    (("33%,75%,150%,a", "75%,a"), ("75%,a", "a"), ("75%,a", "a")),
    (("33%,75%,a", "75%,a"), ("75%,a", "a"), ("75%,a", "a")),
    (("33%,75%,a", "75%,a"), ("75%", "a"), ("75%", "")),
    (("75%,a", "a"), ("75%", "a"), ("75%", "a")),
    (("75%,a", "a"), ("75%", "a"), ("75%", "")),
    (("75%,a", "a"), ("75%", ""), ("a", "")),
)
"""Bets and raises on flop, turn and river where a GPU solves a flop to the end."""
ITERATIONS: dict[int, int] = {Street.FLOP: 100, Street.TURN: 100, Street.RIVER: 300}
"""Of a solve from the flop, from the turn and from the river on."""
GPU_ITERATIONS: dict[int, int] = {Street.FLOP: 80, Street.TURN: 100}
"""The same on a GPU, whose iterations converge a little faster."""
NANOSECONDS = 4.0  # One hand and action in one iteration, about
GPU_NANOSECONDS: dict[int, float] = {Street.FLOP: 0.0125, Street.TURN: 0.055}
"""The same on an H200, of a flop and of a turn, which does not fill it."""
SHARE = 0.5
"""The part of the time that the iterations should take: the rest is for tables and bad luck."""


@dataclass(frozen=True)
class SearchOptions:
    """What `search:FILE?seconds=…&threads=…` may say."""

    seconds: float = 3.0  # For a decision
    threads: int = 1
    sizes: tuple[BetSize, ...] = ()
    """Bet and raise sizes to consider; none for those that fit the time."""
    safe: bool = True  # Whether the opponent's values are bounded by those in the blueprint
    flop: bool = True  # Whether it thinks about the flop, too
    iterations: int = 0
    """The most for a solve, 0 for those of the street. It answers with fewer if time is short."""
    salt: str = ""
    device: str = "cpu"  # "cpu" or "cuda": what solves flops and turns
    preflop: str = ""
    """A solution or book that plays before the flop, where it knows the hand."""

    @property
    def first_street(self) -> int:
        """The first street that is searched."""
        return Street.FLOP if self.flop else Street.TURN

    @property
    def exact_flop(self) -> bool:
        """Whether flops are solved to the end, as turns are."""
        return self.device == "cuda" and self.flop

    def on_gpu(self, street: int) -> bool:
        """Whether a GPU solves what begins on a street; a river is as quick on the CPU."""
        return self.device == "cuda" and street < Street.RIVER

    def budget(self, street: int) -> float:
        """Hands and actions that all iterations of a solve may go through."""
        if self.on_gpu(street):
            return SHARE * self.seconds * 1e9 / GPU_NANOSECONDS[street]
        return SHARE * self.seconds * 1e9 / NANOSECONDS * min(self.threads, 2)

    def iterations_on(self, street: int) -> int:
        """The most iterations of a solve that begins on a street."""
        usual = GPU_ITERATIONS if self.on_gpu(street) else ITERATIONS
        return self.iterations or usual[street]

    @classmethod
    def read(cls, given: Mapping[str, str], where: str) -> SearchOptions:
        """The options of a player's text; one that cannot be is refused."""
        spec = PlayerSpec(where, "search", "", dict(given))
        spec.check_options(OPTIONS)
        return cls(
            seconds=spec.number("seconds", 3.0, 0.05, 3600),
            threads=int(spec.number("threads", 1, 1, 1024)),
            sizes=parse_sizes(given.get("sizes", ""), where),
            safe=spec.flag("safe", usual=True),
            flop=spec.flag("flop", usual=True),
            iterations=int(spec.number("iterations", 0, 0, 1e6)),
            salt=given.get("salt", ""),
            device=choose_device(given.get("device", "cpu")),
            preflop=given.get("preflop", ""),
        )


class OpenSpot(NamedTuple):
    """The rest of a hand made ready, and which of the menus its tree has."""

    layout: Layout
    menu: int


def open_spot(
    start: StreetStart, done: tuple[str, ...], options: SearchOptions, menu: int | None = None
) -> OpenSpot:
    """The rest of the hand as a spot, with everything that was done on this street in its tree.

    The tree is the richest that fits the time on the machine the figures are from; it does not
    depend on how busy this one is, so that the same hand gives the same tree. With `menu` its
    sizes are given: those of a solve before.
    """
    menus = _menus(options, start.street)
    chunk_bytes = 0 if options.on_gpu(start.street) else CHUNK_BYTES
    for number, (flop, turn, river) in enumerate(menus):
        if menu is not None and number != menu:
            continue
        sizes = {"flop": (flop, flop), "turn": (turn, turn), "river": (river, river)}
        spot = street_spot(start, done, sizes, 3, start.dead)
        layout = open_layout(spot, chunk_bytes=chunk_bytes)
        wanted = layout.updates * options.iterations_on(start.street)
        if wanted <= options.budget(start.street) or menu is not None or number == len(menus) - 1:
            break
    return OpenSpot(layout, number)


def street_spot(
    start: StreetStart, done: tuple[str, ...], sizes: Sizes, raises: int, dead: tuple[int, ...] = ()
) -> Spot:
    """The rest of the hand with these sizes, and with what was done on this street in its tree."""
    line = line_of(done, start.stack)
    add = (line,) if any(letter in line for letter in "BRA") else ()
    tree = TreeOptions(force_allin=0.1, merge=0.1, raises=raises, add=add)
    ranges = (Range(start.weights[0]), Range(start.weights[1]))
    return Spot(start.board, start.pot, start.stack, ranges, sizes=sizes, tree=tree, dead=dead)


def _menus(options: SearchOptions, street: int) -> list[tuple[PlayerSizes, ...]]:
    """By choice the sizes of flop, turn and river."""
    chosen = options.sizes
    if chosen:
        own = PlayerSizes(chosen, tuple(size for size in chosen if size.kind != "e"))
        return [(own, own, own)]
    if street == Street.FLOP and options.on_gpu(street):
        return [tuple(_player_sizes(*sizes) for sizes in menu) for menu in GPU_FLOP_MENUS]
    menus = [(_player_sizes(*turn), _player_sizes(*river)) for turn, river in MENUS]
    return [(turn, turn, river) for turn, river in menus]


def _player_sizes(bets: str, raises: str) -> PlayerSizes:
    return PlayerSizes(parse_sizes(bets, "search"), parse_sizes(raises, "search", raises=True))
