"""SolvedSpot: the averages that a solver found, their values, and their file.

`at("r:0:c:b100")` gives a cursor (cursor.py) to read and walk with. A street that was not kept is
solved again when a cursor reaches it, from the ranges that reach it.

A file has the kind "spot", of three players "three-way-spot" (strategies.files has the format). Its
header holds the spot as TOML and how it was solved, its arrays all players' averages street by
street. Of two players rivers, or turns and rivers, may be left out; the file then holds the values
of the streets that it kept. A solver's file also has its regrets, so that it goes on exactly where
it stood.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.card import card_text
from riverboat.errors import FileFormatError, RiverboatError, UsageError
from riverboat.holdem.rules.betting import Street
from riverboat.holdem.spots._boards import classify_boards
from riverboat.holdem.spots.devices import open_reader
from riverboat.holdem.spots.layout import MAX_BYTES, Layout, open_layout
from riverboat.holdem.spots.locks import Lock, place_locks, read_locks
from riverboat.holdem.spots.passes import Reader
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.storage import PlayerStorage
from riverboat.holdem.spots.tree import SpotTree, TreeNode
from riverboat.holdem.vector_cfr import matched
from riverboat.runtime.array_types import F32, F64
from riverboat.strategies.files import are_numbers, file_kind, read_arrays, write_arrays

if TYPE_CHECKING:
    from riverboat.holdem.spots.cursor import SpotCursor

KINDS = {2: "spot", 3: "three-way-spot"}
"""Number of players → the kind of their file."""
Arrays = dict[str, NDArray[Any]]
FIGURES = ("iterations", "seconds", "exploitability", "exploitability_pct")
"""Numbers that the header of every file has,"""
FIGURES_OF_THREE = ("iterations", "seconds", "cpu_seconds", "gain_sum", "gain_sum_pct")
"""and that of three players."""


class SolvedSpot:
    """A spot and the strategies of its players."""

    def __init__(
        self,
        layout: Layout,
        averages: Sequence[PlayerStorage],
        info: Mapping[str, Any],
        *,
        streets_kept: int | None = None,
        values: Mapping[str, F32] | None = None,
        next_roots: Mapping[int, F32] | None = None,
        learned: Any = None,
    ) -> None:
        self.layout, self.spot, self.tree = layout, layout.spot, layout.tree
        self.averages = tuple(averages)
        """Of each player: flat, as the layout has them; cut off after the streets kept."""
        self.info = dict(info)
        """How it was made: iterations, seconds, exploitability or gains, ev, …"""
        self.streets_kept = layout.num_streets if streets_kept is None else streets_kept
        self.device = "cpu"
        """Where streets that were not kept are solved."""
        self._kept_values = dict(values or {})
        self.next_roots = next_roots
        """Player → (roots of the second street, its boards, P) values, where only the first street
        was kept: a cursor can be dealt a card and read them, but not go on from there."""
        self.learned = learned
        """What a search may start from when it solves the street again."""
        self._street_nodes: dict[int, dict[int, int]] = {}
        self._solved: dict[tuple[int, tuple[int, ...]], SolvedSpot] = {}

    @cached_property
    def reader(self) -> Reader:
        """What reads values of nodes."""
        return open_reader(self.layout, self.averages)

    @property
    def locks(self) -> list[Lock]:
        """The locked nodes of the solve."""
        return read_locks(self.info.get("locks", []))

    def __repr__(self) -> str:
        board, spot = " ".join(card_text(card) for card in self.spot.board), self.spot
        stacks = "/".join(dict.fromkeys(f"{stack:g}" for stack in spot.stacks))
        names = "" if spot.num_players == 2 else f", players {', '.join(spot.names)}"
        gap, gains = self.info.get("exploitability_pct"), self.info.get("gain_sum_pct")
        accuracy = "" if gap is None else f", exploitable by {gap:.3g} % of the pot"
        accuracy += "" if gains is None else f", gains {gains:.3g} % of the pot"
        return f"<SolvedSpot {board}, pot {spot.pot:g}, stack {stacks}{names}{accuracy}>"

    def save(self, path: str | Path, *, without: str | None = None) -> None:
        """Write it, whole or without "rivers" or "turns"."""
        save_spot(path, self, without=without)

    @classmethod
    def load(cls, path: str | Path) -> SolvedSpot:
        """Read what `save` or a solver wrote."""
        return load_spot(path)

    def at(self, node: str = "r:0") -> SpotCursor:
        """A cursor at a node such as "r:0:c:b100:Ah"."""
        from riverboat.holdem.spots.cursor import SpotCursor

        return SpotCursor.start(self).go(node)

    def street_nodes(self, street: int) -> dict[int, int]:
        """Node of a street, counted from the first one of the spot → its place among them."""
        if street not in self._street_nodes:
            first = self.spot.street
            own = [node.index for node in self.tree.nodes if node.street - first == street]
            self._street_nodes[street] = {index: number for number, index in enumerate(own)}
        return self._street_nodes[street]

    def strategy(self, node: TreeNode, board: int) -> F64:
        """(actions, H) of a decision node on a board of its street, in the layout's order."""
        layout, player = self.layout, node.player
        width, start = layout.widths[player], layout.start(node, board)
        num_actions, hands = len(node.actions), len(layout.hands[player])
        values, scales = self.averages[player][:2]
        rows = np.asarray(values[start : start + num_actions * width], np.float64).reshape(
            num_actions, width
        )
        if values.dtype == np.int16:
            rows = rows * scales[start // width : start // width + num_actions, None]
        return matched(rows[:, :hands])

    def node_values(self, node: TreeNode, path: Sequence[int], player: int) -> F32:
        """(P,) a player's values at a node; `path` are the boards on the way, by street.

        `Reader.values` says what they are, and `Reader.origin` what they count from.
        """
        street, board = len(path) - 1, path[-1]
        kept = self._kept_values.get(f"{street}.{player}")
        if kept is not None:
            return np.asarray(kept[board][self.street_nodes(street)[node.index]])
        if street and self.next_roots is not None:
            return self._root_values(node, board, player)
        return self.reader.values(node, path, player)

    def street_values(self, street: int, board: int, player: int) -> F32:
        """(nodes of the street, P) a player's values at all nodes of a street on one board."""
        path = self.layout.boards.path(street, board)
        nodes = (self.tree.nodes[index] for index in self.street_nodes(street))
        return np.stack([self.node_values(node, path, player) for node in nodes])

    def _root_values(self, node: TreeNode, board: int, player: int) -> F32:
        assert self.next_roots is not None
        layout, size = self.layout, len(self.layout.hands[player])
        values = np.full(layout.widths[player], np.nan, np.float32)
        roots = layout.plan.root_nodes[1]
        if node.index in roots:
            factor = np.float32(layout.plan.node_values[player][node.index].factor)
            row = self.next_roots[player][roots.index(node.index), board, :size]
            values[:size] = row * factor
        return values

    def resolve_street(
        self, root: TreeNode, board: tuple[int, ...], reach: Sequence[F64]
    ) -> SolvedSpot:
        """Solve the rest of the hand again, from a street's root and the ranges that reach it.

        `reach` are weights (N,) of OOP's and IP's hands; `board` all cards dealt.
        """
        key = (root.index, board)
        if key not in self._solved:
            self._solved[key] = _solve_street(self, root, board, reach)
        return self._solved[key]


def _solve_street(
    whole: SolvedSpot, root: TreeNode, board: tuple[int, ...], reach: Sequence[F64]
) -> SolvedSpot:
    from riverboat.holdem.spots.solver import make_solver
    from riverboat.solvers.run import Limit

    spot, base = whole.spot, root.put[0]
    ranges = []
    for player, weights in enumerate(reach):
        gone = [*board, *spot.dead]
        live = type(spot.ranges[player])(np.clip(weights, 0.0, 1.0)).without(gone)
        # Where no hand arrives any range will do.
        usable = live.weights.max() > 1e-9
        ranges.append(live if usable else spot.ranges[player].without(gone))
    part = Spot(
        board, spot.pot + 2 * base, spot.stack - base, ranges,
        rake_rate=spot.rake_rate, rake_cap=spot.rake_cap, dead=spot.dead,
        game=spot.game,
    )  # fmt: skip
    if spot.payouts is not None:
        stacks = tuple(chips - base for chips in spot.payouts.stacks)
        part = dataclasses.replace(part, payouts=dataclasses.replace(spot.payouts, stacks=stacks))
    tree = cut_out(whole.tree, root, part)
    layout = Layout(part, tree, classify_boards(part))
    solver = make_solver(layout, device=whole.device)
    percent = min(float(whole.info.get("exploitability_pct", 0.3)), 0.3)
    solver.run(Limit(iterations=2000, target=max(percent, 0.01) / 100 * part.stake))
    return solver.result()


def cut_out(tree: SpotTree, root: TreeNode, spot: Spot) -> SpotTree:
    """The subtree below a street's root as a tree of its own; nodes lie side by side."""
    base, first, last = root.put[0], root.index, root.index
    while tree.nodes[last].children:
        last = tree.nodes[last].children[-1]
    nodes = tuple(
        dataclasses.replace(
            node,
            index=node.index - first,
            parent=node.parent - first if node is not root else -1,
            put=(node.put[0] - base, node.put[1] - base),
            actions=tuple(dataclasses.replace(a, total=a.total - base) for a in node.actions),
            children=tuple(child - first for child in node.children),
        )
        for node in tree.nodes[first : last + 1]
    )
    return SpotTree(spot, nodes)


def save_spot(path: str | Path, solved: SolvedSpot, *, without: str | None = None) -> None:
    """Write a solved spot, whole or `without` "rivers" or "turns" (and rivers)."""
    layout = solved.layout
    kept = min(solved.streets_kept, _streets_kept(solved.spot, without))
    players = range(layout.num_players)
    cuts = [layout.elements(player, kept) for player in players]
    arrays = _arrays("average", solved.averages, layout, cuts)
    if kept < layout.num_streets:
        for street in range(kept):
            for player in players:
                boards = range(layout.boards.num_boards[street])
                values = [solved.street_values(street, board, player) for board in boards]
                arrays[f"values.{street}.{player}"] = np.stack(values)
    _write(path, layout, arrays, solved.info, kept)


def save_solver(
    path: str | Path,
    layout: Layout,
    regrets: Sequence[PlayerStorage],
    averages: Sequence[PlayerStorage],
    info: Mapping[str, Any],
) -> None:
    """Write a solver with all it needs to go on; readers see a whole solved spot."""
    sizes = [layout.elements(player) for player in range(layout.num_players)]
    arrays = _arrays("average", averages, layout, sizes)
    arrays |= _arrays("regret", regrets, layout, sizes)
    _write(path, layout, arrays, info, layout.num_streets)


def _arrays(
    name: str, storages: Sequence[PlayerStorage], layout: Layout, sizes: Sequence[int]
) -> Arrays:
    """All players' regrets or averages by their names in a file, the first `sizes` numbers."""
    arrays: Arrays = {}
    for player, (storage, size) in enumerate(zip(storages, sizes, strict=True)):
        arrays[f"{name}s.{player}"] = storage.values[:size]
        if storage.values.dtype == np.int16:
            arrays[f"{name}_scales.{player}"] = storage.scales[: size // layout.widths[player]]
    return arrays


def _write(
    path: str | Path, layout: Layout, arrays: Arrays, info: Mapping[str, Any], kept: int
) -> None:
    header = {
        "spot": layout.spot.to_toml(),
        "info": dict(info),
        "streets_kept": kept,
        "isomorphism": layout.isomorphism,
    }
    write_arrays(path, KINDS[layout.num_players], arrays, header)


def kept_bytes(layout: Layout, *, int16: bool, without: str | None = None) -> int:
    """About the size of the file that a solver writes, regrets included; or `without` streets."""
    kept = _streets_kept(layout.spot, without)
    total = 0
    for player, width in enumerate(layout.widths):
        elements = layout.elements(player, kept)
        numbers = 2 * elements + 4 * (elements // width) if int16 else 4 * elements
        total += numbers if without else 2 * numbers
        for street in range(kept if without else 0):
            nodes = sum(node.street - layout.spot.street == street for node in layout.tree.nodes)
            total += 4 * layout.boards.num_boards[street] * nodes * width
    return total


def _streets_kept(spot: Spot, without: str | None) -> int:
    if without is None:
        return Street.RIVER + 1 - spot.street
    if spot.num_players > 2:
        raise UsageError("A spot of three players is kept whole; leave out --drop-streets.")
    first_missing = {"rivers": Street.RIVER, "turns": Street.TURN}.get(without)
    if first_missing is None:
        raise UsageError(f"A spot is saved without rivers or turns, not without {without!r}.")
    if first_missing <= spot.street:
        raise UsageError(
            f"A spot that begins on the {spot.street.name.lower()} cannot be saved without"
            f" {without}."
        )
    return first_missing - spot.street


def load_spot(path: str | Path) -> SolvedSpot:
    """Read a solved spot; a damaged or foreign file is refused with a sentence."""
    arrays, header = _read(path)
    layout, kept = _read_layout(path, header, arrays)
    averages = _read_storages(path, arrays, "average", layout, kept)
    values = {}
    if kept < layout.num_streets:
        nodes = SolvedSpot(layout, averages, {}).street_nodes
        for street in range(kept):
            for player, width in enumerate(layout.widths):
                shape = (layout.boards.num_boards[street], len(nodes(street)), width)
                name = f"{street}.{player}"
                values[name] = _checked(path, arrays, f"values.{name}", shape)
    return SolvedSpot(layout, averages, header["info"], streets_kept=kept, values=values)


@dataclass(frozen=True)
class SavedSolver:
    """All of a solver's file, checked."""

    layout: Layout
    locks: list[Lock]
    int16: bool
    iterations: int
    seconds: float
    cpu_seconds: float
    regrets: tuple[PlayerStorage, ...]
    averages: tuple[PlayerStorage, ...]


def read_solver(path: str | Path) -> SavedSolver:
    """What a solver needs to go on; a file without it is refused."""
    arrays, header = _read(path)
    if "regrets.0" not in arrays:
        raise FileFormatError(f"{path} holds a finished spot and no solver to go on with.")
    layout, _ = _read_layout(path, header, arrays)
    regrets, averages = (
        _read_storages(path, arrays, name, layout, layout.num_streets)
        for name in ("regret", "average")
    )
    if len({storage.values.dtype for storage in (*regrets, *averages)}) != 1:
        raise FileFormatError(f"{path} is damaged: its numbers are of two kinds.")
    info = header["info"]
    try:
        times = float(info["seconds"]), float(info["cpu_seconds"])
        iterations = int(info["iterations"])
    except (KeyError, TypeError, ValueError) as error:
        raise FileFormatError(f"{path} is damaged: its header is incomplete.") from error
    int16, locks = "regret_scales.0" in arrays, read_locks(info.get("locks", []))
    return SavedSolver(layout, locks, int16, iterations, *times, regrets, averages)


def _read(path: str | Path) -> tuple[Arrays, dict[str, Any]]:
    """The arrays and the header of a file of either kind."""
    kind = file_kind(path)
    return read_arrays(path, kind if kind in KINDS.values() else KINDS[2])


def _read_layout(path: str | Path, header: Mapping[str, Any], arrays: Arrays) -> tuple[Layout, int]:
    """The layout of a file's spot and the streets kept; all of the header is checked."""
    kept = _check_header(path, header)
    info = header["info"]
    # A tree far larger than what the file holds of it is refused before it is built.
    whole = sum(4 * array.nbytes for name, array in arrays.items() if name.startswith("average"))
    try:
        spot = Spot.from_toml(header["spot"])
        num_streets = Street.RIVER + 1 - spot.street
        memory = whole if kept in (None, num_streets) else MAX_BYTES
        layout = open_layout(spot, isomorphism=header["isomorphism"], memory=memory)
        place_locks(layout, read_locks(info.get("locks", [])))
    except RiverboatError as error:
        raise FileFormatError(f"{path} is damaged: its spot cannot be read.") from error
    sides, players = [*info["ev"], *info.get("best", ())], layout.num_players
    chips = spot.pot + (spot.stack if players == 2 else sum(spot.stacks))
    if spot.payouts is None and max(map(abs, sides)) > 1.01 * chips:
        raise FileFormatError(f"{path} is damaged: its EVs are more than all chips of the spot.")
    if len(info["ev"]) != players or not 1 <= (kept or num_streets) <= num_streets:
        raise FileFormatError(f"{path} is damaged: its header does not fit its spot.")
    if players > 2 and kept not in (None, num_streets):
        raise FileFormatError(f"{path} is damaged: its header does not fit its spot.")
    return layout, kept or num_streets


def _check_header(path: str | Path, header: Mapping[str, Any]) -> int | None:
    """The streets kept, if the header says so; refused where anything in it is not as it is."""
    try:
        text, isomorphism, info = header["spot"], header["isomorphism"], header["info"]
        three = "gain_sum" in info
        # Files of three players of 0.3.0 do not say how many streets they keep: all.
        kept = header.get("streets_kept") if three else header["streets_kept"]
        figures = [info[name] for name in (FIGURES_OF_THREE if three else FIGURES)]
        sides = [*info["ev"], *(info["gains"] if three else info.get("best", (0.0, 0.0)))]
    except (KeyError, TypeError, AttributeError) as error:
        raise FileFormatError(f"{path} is damaged: its header is incomplete.") from error
    good = (
        isinstance(text, str)
        and (type(kept) is int or (three and kept is None))
        and type(isomorphism) is bool
        and type(info["iterations"]) is int
        and len(sides) == (6 if three else 4)
        and are_numbers([*sides, *figures])
        and min(info["iterations"], info["seconds"]) >= 0
    )
    if not good:
        raise FileFormatError(f"{path} is damaged: its header does not fit its kind.")
    return kept


def _read_storages(
    path: str | Path, arrays: Arrays, name: str, layout: Layout, kept: int
) -> tuple[PlayerStorage, ...]:
    return tuple(
        _read_storage(path, arrays, name, layout, player, kept)
        for player in range(layout.num_players)
    )


def _read_storage(
    path: str | Path, arrays: Arrays, name: str, layout: Layout, player: int, kept: int
) -> PlayerStorage:
    size = layout.elements(player, kept)
    scales = f"{name}_scales.{player}"
    int16 = scales in arrays
    values = _checked(
        path, arrays, f"{name}s.{player}", (size,), np.int16 if int16 else np.float32,
        positive=name == "average",
    )  # fmt: skip
    if not int16:
        return PlayerStorage(values, np.zeros(1, np.float32))
    rows = (size // layout.widths[player],)
    return PlayerStorage(values, _checked(path, arrays, scales, rows, positive=True))


def _checked(
    path: str | Path,
    arrays: Arrays,
    name: str,
    shape: tuple[int, ...],
    kind: type[np.generic] = np.float32,
    *,
    positive: bool = False,
) -> NDArray[Any]:
    array = arrays.get(name)
    if array is None or array.shape != shape or array.dtype != kind:
        raise FileFormatError(f"{path} is damaged: its {name} do not fit its spot.")
    if kind is np.float32 and not np.isfinite(array).all():
        raise FileFormatError(f"{path} is damaged: its {name} hold what is no number.")
    if positive and array.size and array.min() < 0:
        raise FileFormatError(f"{path} is damaged: its {name} hold numbers below 0.")
    return array
