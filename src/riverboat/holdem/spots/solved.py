"""SolvedSpot: the averages that a solver found, what they are worth, and their file.

`at("r:0:c:b100")` gives a cursor (cursor.py) to read and walk with. A street that was not kept is
solved again when a cursor reaches it, from the ranges that reach it.

A file has the kind "spot" (strategies.files has the format). Its header holds the spot as TOML and
how it was solved, its arrays both players' averages street by street. Rivers, or turns and rivers,
may be left out; the file then holds the values of the streets that it kept. A solver's file also
has its regrets, so that it goes on exactly where it stood.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.card import card_text
from riverboat.cards.ranges import Range
from riverboat.errors import FileFormatError, RiverboatError, UsageError
from riverboat.holdem.rules.betting import Street
from riverboat.holdem.spots._boards import build_runouts
from riverboat.holdem.spots.geometry import MAX_BYTES, PlayerStorage, SpotGeometry, open_geometry
from riverboat.holdem.spots.locks import Lock, place_locks, read_locks
from riverboat.holdem.spots.passes import street_values
from riverboat.holdem.spots.plan import build_plan
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.tree import SpotTree, TreeNode
from riverboat.runtime.array_types import F32, F64
from riverboat.strategies.files import are_numbers, read_arrays, write_arrays

if TYPE_CHECKING:
    from riverboat.holdem.spots.cursor import SpotCursor
    from riverboat.holdem.spots.solver import SpotSolver
KIND = "spot"
Arrays = dict[str, NDArray[Any]]
FIGURES = ("iterations", "seconds", "exploitability", "exploitability_pct")
"""Numbers that the header of every file has."""


class SolvedSpot:
    """A spot and the strategies of both players."""

    def __init__(
        self,
        geometry: SpotGeometry,
        averages: tuple[PlayerStorage, PlayerStorage],
        info: Mapping[str, Any],
        *,
        streets_kept: int | None = None,
        values: Mapping[str, F32] | None = None,
        next_roots: Mapping[int, F32] | None = None,
        learned: Any = None,
    ) -> None:
        self.geometry, self.spot, self.tree = geometry, geometry.spot, geometry.tree
        self.averages = averages
        """Of OOP and IP: flat, as the geometry lays them out; cut off after the streets kept."""
        self.info = dict(info)
        """How it was made: iterations, seconds, exploitability, ev, …"""
        self.streets_kept = geometry.num_streets if streets_kept is None else streets_kept
        self.device = "cpu"
        """Where streets that were not kept are solved."""
        self._kept_values = dict(values or {})
        self.next_roots = next_roots
        """Player → (roots of the second street, its boards, P) values, where only the first street
        was kept: a cursor can be dealt a card and read them, but not go on from there."""
        self.learned = learned
        """What a search may start from when it solves the street again."""
        self._street_nodes: dict[int, tuple[int, ...]] = {}
        self._node_values: dict[tuple[int, int, int], F32] = {}
        self._solved: dict[tuple[int, tuple[int, ...]], SolvedSpot] = {}

    @property
    def locks(self) -> list[Lock]:
        """The locked nodes of the solve."""
        return read_locks(self.info.get("locks", []))

    def __repr__(self) -> str:
        board = " ".join(card_text(card) for card in self.spot.board)
        gap = self.info.get("exploitability_pct")
        accuracy = "" if gap is None else f", exploitable by {gap:.3g} % of the pot"
        return f"<SolvedSpot {board}, pot {self.spot.pot:g}, stack {self.spot.stack:g}{accuracy}>"

    def save(self, path: str | Path, *, without: str | None = None) -> None:
        """Write it, whole or without "rivers" or "turns"."""
        save_spot(path, self, without=without)

    @classmethod
    def load(cls, path: str | Path) -> SolvedSpot:
        """Read what `save` wrote."""
        return load_spot(path)

    def at(self, node: str = "r:0") -> SpotCursor:
        """A cursor at a node such as "r:0:c:b100:Ah"."""
        from riverboat.holdem.spots.cursor import SpotCursor

        return SpotCursor.start(self).go(node)

    def street_nodes(self, street: int) -> tuple[int, ...]:
        """The nodes of a street, counted from the first one of the spot."""
        if street not in self._street_nodes:
            first = self.spot.street
            self._street_nodes[street] = tuple(
                node.index for node in self.tree.nodes if node.street - first == street
            )
        return self._street_nodes[street]

    def strategy(self, node: TreeNode, board: int) -> F64:
        """(actions, H) of a decision node on a board of its street, in the geometry's order."""
        geometry, player = self.geometry, node.player
        width, start = geometry.plan.widths[player], geometry.start(node, board)
        num, hands = len(node.actions), len(geometry.runouts.unranked[player].combos)
        values, scales = self.averages[player][:2]
        rows = np.asarray(values[start : start + num * width], np.float64).reshape(num, width)
        if values.dtype == np.int16:
            rows = rows * scales[start // width : start // width + num, None]
        rows = np.maximum(rows[:, :hands], 0.0)
        totals = rows.sum(axis=0)
        return np.asarray(np.where(totals > 0, rows / np.where(totals > 0, totals, 1), 1 / num))

    def node_values(self, street: int, board: int, player: int) -> F32:
        """(nodes of the street, P) a player's values at all nodes on one board: `street_values`."""
        if street and self.next_roots is not None:
            return self._root_values(street, board, player)
        key = (street, board, player)
        if key not in self._node_values:
            kept = self._kept_values.get(f"{street}.{player}")
            if kept is not None:
                found = kept[board]
            else:
                nodes = self.street_nodes(street)
                found = street_values(self.geometry, self.averages, nodes, *key)
            if len(self._node_values) > 64:
                self._node_values.clear()
            self._node_values[key] = found
        return self._node_values[key]

    def _root_values(self, street: int, board: int, player: int) -> F32:
        assert self.next_roots is not None
        geometry, nodes = self.geometry, self.street_nodes(street)
        size = len(geometry.runouts.unranked[player].combos)
        found = np.full((len(nodes), geometry.plan.widths[player]), np.nan, np.float32)
        for place, root in enumerate(geometry.plan.root_nodes[street]):
            factor = np.float32(geometry.plan.node_values[player][root].factor)
            row = self.next_roots[player][place, board, :size]
            found[nodes.index(root), :size] = row * factor
        return found

    def resolve_street(
        self, root: TreeNode, board: tuple[int, ...], reach: Sequence[F64]
    ) -> SolvedSpot:
        """Solve the rest of the hand again, from a street's root and the ranges that reach it.

        `reach` are weights (1326,) of OOP and IP; `board` all cards dealt.
        """
        key = (root.index, board)
        if key not in self._solved:
            self._solved[key] = _solve_street(self, root, board, reach)
        return self._solved[key]


def _solve_street(
    whole: SolvedSpot, root: TreeNode, board: tuple[int, ...], reach: Sequence[F64]
) -> SolvedSpot:
    from riverboat.holdem.spots.devices import solver_kind
    from riverboat.solvers.run import Limit

    spot, base = whole.spot, root.put[0]
    ranges = []
    for player, weights in enumerate(reach):
        gone = [*board, *spot.dead]
        live = Range(np.clip(weights, 0.0, 1.0)).without(gone)
        # Where no hand arrives any range will do.
        usable = live.weights.max() > 1e-9
        ranges.append(live if usable else spot.ranges[player].without(gone))
    part = Spot(
        board, spot.pot + 2 * base, spot.stack - base, ranges,
        rake_rate=spot.rake_rate, rake_cap=spot.rake_cap, dead=spot.dead,
    )  # fmt: skip
    if spot.payouts is not None:
        left = tuple(chips - base for chips in spot.payouts.stacks)
        part = dataclasses.replace(part, payouts=dataclasses.replace(spot.payouts, stacks=left))
    tree = cut_out(whole.tree, root, part)
    geometry = SpotGeometry(part, tree, build_runouts(part), build_plan(tree))
    solver = solver_kind(whole.device)(geometry)
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
    kept = min(solved.streets_kept, _streets_kept(solved.spot, without))
    geometry = solved.geometry
    arrays: Arrays = {}
    for player in (0, 1):
        cut = geometry.elements(player, kept)
        values, scales = solved.averages[player][:2]
        arrays[f"averages.{player}"] = values[:cut]
        if values.dtype == np.int16:
            arrays[f"average_scales.{player}"] = scales[: cut // geometry.plan.widths[player]]
    if kept < geometry.num_streets:
        for street in range(kept):
            for player in (0, 1):
                boards = range(geometry.runouts.num_boards[street])
                values = [solved.node_values(street, board, player) for board in boards]
                arrays[f"values.{street}.{player}"] = np.stack(values)
    write_arrays(path, KIND, arrays, _header(geometry, solved.info, kept))


def kept_bytes(geometry: SpotGeometry, *, int16: bool, without: str | None = None) -> int:
    """About the size of the file that a solver writes, regrets included; or `without` streets."""
    kept = _streets_kept(geometry.spot, without)
    total = 0
    for player in (0, 1):
        elements, width = geometry.elements(player, kept), geometry.plan.widths[player]
        numbers = 2 * elements + 4 * (elements // width) if int16 else 4 * elements
        total += numbers if without else 2 * numbers
        for street in range(kept if without else 0):
            nodes = sum(
                node.street - geometry.spot.street == street for node in geometry.tree.nodes
            )
            total += 4 * geometry.runouts.num_boards[street] * nodes * width
    return total


def _streets_kept(spot: Spot, without: str | None) -> int:
    if without is None:
        return Street.RIVER + 1 - spot.street
    first_missing = {"rivers": Street.RIVER, "turns": Street.TURN}.get(without)
    if first_missing is None:
        raise UsageError(f"A spot is saved without rivers or turns, not without {without!r}.")
    if first_missing <= spot.street:
        raise UsageError(
            f"A spot that begins on the {spot.street.name.lower()} cannot be saved without"
            f" {without}."
        )
    return first_missing - spot.street


def _header(geometry: SpotGeometry, info: Mapping[str, Any], kept: int) -> dict[str, Any]:
    return {
        "spot": geometry.spot.to_toml(),
        "info": dict(info),
        "streets_kept": kept,
        "isomorphism": geometry.isomorphism,
    }


def save_solver(path: str | Path, solver: SpotSolver, info: Mapping[str, Any]) -> None:
    """Write a solver with all it needs to go on; readers see a whole solved spot."""
    arrays: Arrays = {}
    for player in (0, 1):
        for name, storages in (("average", solver.averages), ("regret", solver.regrets)):
            arrays[f"{name}s.{player}"] = storages[player].values
            if storages[player].values.dtype == np.int16:
                arrays[f"{name}_scales.{player}"] = storages[player].scales
    geometry = solver.geometry
    write_arrays(path, KIND, arrays, _header(geometry, info, geometry.num_streets))


def load_spot(path: str | Path) -> SolvedSpot:
    """Read a solved spot; a damaged or foreign file is refused with a sentence."""
    arrays, header = read_arrays(path, KIND)
    geometry, kept = _read_geometry(path, header, arrays)
    first, second = (
        _read_storage(path, arrays, "average", geometry, player, kept) for player in (0, 1)
    )
    averages = (first, second)
    values = {}
    if kept < geometry.num_streets:
        nodes = SolvedSpot(geometry, averages, {}).street_nodes
        for street in range(kept):
            for player in (0, 1):
                boards, width = geometry.runouts.num_boards[street], geometry.plan.widths[player]
                shape = (boards, len(nodes(street)), width)
                name = f"{street}.{player}"
                values[name] = _checked(path, arrays, f"values.{name}", shape)
    return SolvedSpot(geometry, averages, header["info"], streets_kept=kept, values=values)


@dataclass(frozen=True)
class SavedSolver:
    """All of a solver's file, checked."""

    geometry: SpotGeometry
    locks: list[Lock]
    int16: bool
    iterations: int
    seconds: float
    cpu_seconds: float
    regrets: list[PlayerStorage]
    averages: list[PlayerStorage]


def read_solver(path: str | Path) -> SavedSolver:
    """What a solver needs to go on; a file without it is refused."""
    arrays, header = read_arrays(path, KIND)
    if "regrets.0" not in arrays:
        raise FileFormatError(f"{path} holds a finished spot and no solver to go on with.")
    geometry, _ = _read_geometry(path, header, arrays)
    regrets, averages = (
        [
            _read_storage(path, arrays, name, geometry, player, geometry.num_streets)
            for player in (0, 1)
        ]
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
    return SavedSolver(geometry, locks, int16, iterations, *times, regrets, averages)


def _read_geometry(
    path: str | Path, header: Mapping[str, Any], arrays: Arrays
) -> tuple[SpotGeometry, int]:
    """The geometry of a file's spot and the streets kept; all of the header is checked."""
    try:
        text, kept, info = header["spot"], header["streets_kept"], header["info"]
        isomorphism, sides = header["isomorphism"], [*info["ev"], *info.get("best", (0.0, 0.0))]
        figures = [info[name] for name in FIGURES]
        locks = info.get("locks", [])
    except (KeyError, TypeError, AttributeError) as error:
        raise FileFormatError(f"{path} is damaged: its header is incomplete.") from error
    good = (
        isinstance(text, str)
        and type(kept) is int
        and type(isomorphism) is bool
        and type(info["iterations"]) is int
        and len(sides) == 4
        and are_numbers([*sides, *figures])
        and min(info["iterations"], info["seconds"]) >= 0
    )
    if not good:
        raise FileFormatError(f"{path} is damaged: its header does not fit its kind.")
    # A tree far larger than what the file holds of it is refused before it is built.
    whole = sum(4 * array.nbytes for name, array in arrays.items() if name.startswith("average"))
    try:
        spot = Spot.from_toml(text)
        memory = whole if kept == Street.RIVER + 1 - spot.street else MAX_BYTES
        geometry = open_geometry(spot, isomorphism=isomorphism, memory=memory)
        place_locks(geometry, read_locks(locks))
    except RiverboatError as error:
        raise FileFormatError(f"{path} is damaged: its spot cannot be read.") from error
    if spot.payouts is None and max(map(abs, sides)) > 1.01 * (spot.pot + spot.stack):
        raise FileFormatError(f"{path} is damaged: its EVs are more than all chips of the spot.")
    if not 1 <= kept <= geometry.num_streets:
        raise FileFormatError(f"{path} is damaged: its header does not fit its spot.")
    return geometry, kept


def _read_storage(
    path: str | Path, arrays: Arrays, name: str, geometry: SpotGeometry, player: int, kept: int
) -> PlayerStorage:
    size = geometry.elements(player, kept)
    scales = f"{name}_scales.{player}"
    int16 = scales in arrays
    values = _checked(
        path, arrays, f"{name}s.{player}", (size,), np.int16 if int16 else np.float32,
        positive=name == "average",
    )  # fmt: skip
    if not int16:
        return PlayerStorage(values, np.zeros(1, np.float32))
    rows = (size // geometry.plan.widths[player],)
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
    found = arrays.get(name)
    if found is None or found.shape != shape or found.dtype != kind:
        raise FileFormatError(f"{path} is damaged: its {name} do not fit its spot.")
    if kind is np.float32 and not np.isfinite(found).all():
        raise FileFormatError(f"{path} is damaged: its {name} hold what is no number.")
    if positive and found.size and found.min() < 0:
        raise FileFormatError(f"{path} is damaged: its {name} hold numbers below 0.")
    return found
