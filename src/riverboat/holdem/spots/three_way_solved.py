"""SolvedThreeWay: the averages of three players, how to read them, and their file.

A file has the kind "three-way-spot": its header holds the spot as TOML and how it was solved, its
arrays the averages of each player and, of a solver's file, the regrets, so that it goes on exactly
where it stood.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from riverboat.cards.card import card_text
from riverboat.cards.combos import COMBO_CARDS
from riverboat.errors import FileFormatError, RiverboatError
from riverboat.holdem.spots._boards import BoardClasses
from riverboat.holdem.spots._side_pots import SidePot, raked_pots, side_pots
from riverboat.holdem.spots._three_way_layout import (
    SEATS,
    ThreeWayLayout,
    open_layout,
    opponents,
    pair_meetings,
)
from riverboat.holdem.spots.cursor import SpotCursor
from riverboat.holdem.spots.locks import Lock, place_locks, read_locks
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.tree import TreeNode
from riverboat.runtime.array_types import F32, F64, I64
from riverboat.strategies.files import are_numbers, read_arrays, write_arrays

if TYPE_CHECKING:
    from riverboat.holdem.spots._three_way_passes import ThreePasses

KIND = "three-way-spot"


class SolvedThreeWay:
    """A spot and the strategies of three players."""

    def __init__(
        self,
        layout: ThreeWayLayout,
        averages: Sequence[F32],
        info: Mapping[str, Any],
        *,
        passes: ThreePasses | None = None,
    ) -> None:
        self.layout, self.spot, self.tree = layout, layout.spot, layout.tree
        self.averages = list(averages)
        """Of each player: flat, as the layout has them."""
        self.info = dict(info)
        """How it was made: iterations, seconds, gains, ev, …"""
        self.device = "cpu"
        self._passes = passes
        self._values: dict[tuple[int, int, tuple[int, ...]], dict[int, F32]] = {}

    @property
    def passes(self) -> ThreePasses:
        if self._passes is None:
            from riverboat.holdem.spots._three_way_passes import ThreePasses

            self._passes = ThreePasses(self.layout, 1)
        return self._passes

    @property
    def locks(self) -> list[Lock]:
        """The locked nodes of the solve."""
        return read_locks(self.info.get("locks", []))

    def __repr__(self) -> str:
        board = " ".join(card_text(card) for card in self.spot.board)
        gap = self.info.get("gain_sum_pct", math.nan)
        return (
            f"<SolvedThreeWay {board}, pot {self.spot.pot:g}, players {', '.join(self.spot.names)},"
            f" gains {gap:.3g} % of the pot>"
        )

    def save(self, path: str | Path) -> None:
        """Write what was found, without what a solver needs to go on."""
        save_three_way(path, self.layout, self.averages, self.info)

    @classmethod
    def load(cls, path: str | Path) -> SolvedThreeWay:
        """Read what `save` or a solver wrote."""
        return load_three_way(path)

    def at(self, node: str = "r:0") -> ThreeWayCursor:
        """A cursor at a node such as "r:0:c:b100:Ah"."""
        return ThreeWayCursor.begin(self).go(node)

    def strategy(self, node: TreeNode, board: int) -> F64:
        """(actions, H) of a decision node on a board of its street, in the layout's order."""
        layout, player = self.layout, node.player
        width, num = layout.widths[player], len(node.actions)
        start = layout.start(node, board)
        rows = self.averages[player][start : start + num * width].reshape(num, width)
        kept = rows[:, : len(layout.combos[player])].astype(np.float64)
        totals = kept.sum(axis=0)
        return np.asarray(np.where(totals > 0, kept / np.where(totals > 0, totals, 1), 1 / num))

    def node_values(self, node: TreeNode, path: tuple[int, ...], player: int) -> F32:
        """(P,) a player's values at a node; `path` are the boards on the way, its own the last."""
        width = self.layout.widths[player]
        if player in node.folded:
            return np.zeros(width, np.float32)
        root = node
        while root.index not in self._parts:
            root = self.tree.nodes[root.parent]
        key = (player, root.index, path)
        if key not in self._values:
            if len(self._values) > 256:
                self._values.clear()
            part = self._parts[root.index]
            self._values[key] = self.passes.part_values(player, part, path, self.averages)
        return self._values[key][node.index]

    @cached_property
    def _parts(self) -> dict[int, int]:
        return {root.index: part for part, root in enumerate(self.layout.roots)}


@dataclass(frozen=True, eq=False)
class ThreeWayCursor(SpotCursor):
    """A point of a solved spot of three players.

    EVs come from sums of 32-bit numbers, of which the pairs of hands that share cards are taken
    off. Where a line is played less than once in ten million hands, what is left may be as small as
    the rounding: EVs are off there by some tenths of a per cent of the pot, and by several per cent
    in the worst case seen. The three means of `summary`, which add up to the pot without rake, show
    how far.
    """

    @property
    def found(self) -> SolvedThreeWay:
        """What the cursor stands in."""
        return cast(SolvedThreeWay, self.solved)

    @classmethod
    def begin(cls, solved: SolvedThreeWay) -> ThreeWayCursor:
        """A cursor at the root."""
        reach = np.zeros((3, 1326))
        for seat in SEATS:
            reach[seat, solved.spot.hands(seat)] = solved.spot.weights(seat)
        return cls(cast(Any, solved), solved.tree.nodes[0], (), tuple(reach))

    @property
    def names(self) -> tuple[str, ...]:
        return self.found.spot.names

    @property
    def stacks(self) -> tuple[float, ...]:
        """What each player has behind."""
        pairs = zip(self.found.spot.stacks, self.node.put, strict=True)
        return tuple(stack - put for stack, put in pairs)

    @property
    def pots(self) -> list[SidePot]:
        """The main pot and side pots as they stand, before rake."""
        return side_pots(self.found.spot, self.node.put, self.node.folded)[0]

    def shared_pots(self) -> list[tuple[float, tuple[str, ...]]]:
        return [(pot.chips, tuple(self.names[s] for s in pot.contenders)) for pot in self.pots]

    def payout(self, combos: Sequence[int]) -> list[float]:
        """What each player takes at the end of a hand in which they hold these combos."""
        from riverboat.cards.strength import board_strengths

        pots, taken = raked_pots(self.found.spot, self.node.put, self.node.folded)
        ranks = [0, 0, 0]
        if len(self.board) == 5:
            ranks = board_strengths(list(self.board))[list(combos)].tolist()
        for pot in pots:
            best = max(ranks[seat] for seat in pot.contenders)
            winners = [seat for seat in pot.contenders if ranks[seat] == best]
            for seat in winners:
                taken[seat] += pot.chips / len(winners)
        return taken

    def deal(self, card: str) -> ThreeWayCursor:
        """After a card is dealt."""
        return self._dealt(card)

    def combos(self, player: int) -> I64:
        return self.found.layout.combos[player]

    @property
    def _boards(self) -> BoardClasses:
        return self.found.layout.boards

    @cached_property
    def _path(self) -> tuple[int, ...]:
        """The boards on the way here, by street."""
        find = self._boards.find
        return tuple(find(self.dealt[:num])[0] for num in range(len(self.dealt) + 1))

    @cached_property
    def _meetings(self) -> dict[int, F64]:
        return {}

    def meetings(self, player: int) -> F64:
        """(H,) the weight of the pairs of opponents' hands that each hand meets here."""
        if player not in self._meetings:
            one, two = opponents(player)
            combos = self.combos(player)
            met = pair_meetings(self.reach[one], self.reach[two], combos)
            blocked = np.isin(COMBO_CARDS[combos], self.board).any(axis=1)
            self._meetings[player] = np.where(blocked, 0.0, met)
        return self._meetings[player]

    def _evs_of(self, node: TreeNode, player: int) -> F64:
        values = self.found.node_values(node, self._path, player)
        row = values.astype(np.float64)[self._place[1][player]]
        mass = self.meetings(player)
        # Differences of sums leave a rest of rounding where no pair of hands is met.
        safe = mass > 1e-9 * max(1.0, float(mass.max(initial=0.0)))
        return np.where(safe, row / np.where(safe, mass, 1.0), np.nan)

    def equities(self, player: int) -> F64:
        """(H,) each hand's share of the pot if all cards were dealt now; 0 after a fold."""
        if player not in self._equities:
            mass = self.meetings(player)
            safe = mass > 1e-9 * max(1.0, float(mass.max(initial=0.0)))
            shares = np.zeros(len(mass))
            if player not in self.node.folded:
                board, places = self._place
                rows = []
                for seat in SEATS:
                    row = np.zeros(self.found.layout.widths[seat], np.float32)
                    row[places[seat]] = self.reach[seat][self.combos(seat)]
                    rows.append(row)
                live = [seat for seat in SEATS if seat not in self.node.folded]
                street = len(self.dealt)
                won = self.found.passes.shares(player, street, board, rows, live)
                shares = won.astype(np.float64)[places[player]]
            self._equities[player] = np.where(safe, shares / np.where(safe, mass, 1.0), np.nan)
        return self._equities[player]


def save_three_way(
    path: str | Path,
    layout: ThreeWayLayout,
    averages: Sequence[F32],
    info: Mapping[str, Any],
    *,
    regrets: Sequence[F32] = (),
) -> None:
    """Write a solved spot, with `regrets` a solver that can go on."""
    arrays = {f"averages.{seat}": numbers for seat, numbers in enumerate(averages)}
    arrays |= {f"regrets.{seat}": numbers for seat, numbers in enumerate(regrets)}
    header = {"spot": layout.spot.to_toml(), "info": dict(info), "isomorphism": layout.isomorphism}
    write_arrays(path, KIND, arrays, header)


@dataclass(frozen=True)
class ThreeWayFile:
    """What a file holds, checked."""

    layout: ThreeWayLayout
    averages: list[F32]
    regrets: list[F32]  # Empty where no solver was saved
    info: dict[str, Any]
    locks: list[Lock]


def load_three_way(path: str | Path) -> SolvedThreeWay:
    """Read a solved spot; a damaged or foreign file is refused with a sentence."""
    found = read_three_way(path)
    return SolvedThreeWay(found.layout, found.averages, found.info)


def read_three_way(path: str | Path, *, solver: bool = False) -> ThreeWayFile:
    """All of a file; with `solver` one without regrets is refused."""
    arrays, header = read_arrays(path, KIND)
    if solver and "regrets.0" not in arrays:
        raise FileFormatError(f"{path} holds a finished spot and no solver to go on with.")
    try:
        text, info, isomorphism = header["spot"], header["info"], header["isomorphism"]
        figures = [info[name] for name in ("seconds", "cpu_seconds", "gain_sum", "gain_sum_pct")]
        figures += [*info["ev"], *info["gains"]]
        good = (
            isinstance(text, str)
            and type(isomorphism) is bool
            and type(info["iterations"]) is int
            and info["iterations"] >= 0
            and len(figures) == 10
            and are_numbers(figures)
            and min(figures[:2]) >= 0
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise FileFormatError(f"{path} is damaged: its header is incomplete.") from error
    if not good:
        raise FileFormatError(f"{path} is damaged: its header does not fit its kind.")
    whole = sum(4 * array.nbytes for name, array in arrays.items() if name.startswith("average"))
    try:
        spot = Spot.from_toml(text)
        # A tree far larger than what the file holds of it is refused before it is built.
        layout = open_layout(spot, isomorphism=isomorphism, memory=whole + (1 << 30))
        locks = read_locks(info.get("locks", []))
        place_locks(layout, locks)
    except RiverboatError as error:
        raise FileFormatError(f"{path} is damaged: its spot cannot be read.") from error
    if max(map(abs, info["ev"])) > 1.01 * (spot.pot + sum(spot.stacks)):
        raise FileFormatError(f"{path} is damaged: its EVs are more than all chips of the spot.")
    names = ("averages", "regrets") if "regrets.0" in arrays else ("averages",)
    kept: dict[str, list[F32]] = {"averages": [], "regrets": []}
    for name in names:
        for seat in SEATS:
            numbers = arrays.get(f"{name}.{seat}")
            size = (layout.elements(seat),)
            if numbers is None or numbers.shape != size or numbers.dtype != np.float32:
                raise FileFormatError(f"{path} is damaged: its {name} do not fit its spot.")
            if not np.isfinite(numbers).all():
                raise FileFormatError(f"{path} is damaged: its {name} hold what is no number.")
            if name == "averages" and numbers.size and numbers.min() < 0:
                raise FileFormatError(f"{path} is damaged: its {name} hold numbers below 0.")
            kept[name].append(numbers)
    return ThreeWayFile(layout, kept["averages"], kept["regrets"], dict(info), locks)
