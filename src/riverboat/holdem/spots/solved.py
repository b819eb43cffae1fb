"""SolvedSpot: the averages a solver found, and what can be computed from them street by street.

It holds no solver. `at("r:0:c:b100")` gives a cursor (`spot_cursor`) to read and walk with. A
street that was not kept is solved when a cursor comes to it, from the ranges that come there.

Solved spots on disk: one file each, kind "spot" (strategies.files has the format).

The header holds the spot as TOML and how it was solved. The arrays are both players' averages,
street by street. A file may leave out the river, or turn and river; it then holds the values of
what it kept, and what is missing is solved when somebody looks. A file that a solver wrote also
has its regrets, so that the solver can go on exactly where it stood.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.ranges import Range
from riverboat.errors import FileFormatError, RiverboatError, UsageError
from riverboat.holdem.rules.betting import Street
from riverboat.holdem.spots.engine.boards import build_runouts
from riverboat.holdem.spots.engine.geometry import PlayerStorage, SpotGeometry, open_geometry
from riverboat.holdem.spots.engine.plan import build_plan
from riverboat.holdem.spots.engine.tree import SpotTree, TreeNode
from riverboat.holdem.spots.locks import Lock, read_locks
from riverboat.holdem.spots.spot import Spot, TreeOptions
from riverboat.strategies.files import read_arrays, write_arrays

if TYPE_CHECKING:
    from riverboat.holdem.spots.cursor import SpotCursor
    from riverboat.holdem.spots.engine.solver import SpotSolver

__all__ = ["KIND", "SolvedSpot", "cut_out", "load_solver", "load_spot", "save_solver", "save_spot"]


AVERAGE = 2
_NO_WEIGHTS = np.zeros(3, np.float32)
Doubles = NDArray[np.float64]


class SolvedSpot:
    """A spot and the strategies of both players."""

    def __init__(
        self,
        geometry: SpotGeometry,
        averages: tuple[PlayerStorage, PlayerStorage],
        info: Mapping[str, Any],
        *,
        streets_kept: int | None = None,
        values: Mapping[str, NDArray[np.float32]] | None = None,
    ) -> None:
        self.geometry = geometry
        self.averages = averages
        """Of OOP and IP: flat, as the geometry lays them out; cut off after the streets kept."""
        self.info = dict(info)
        """How it was made: iterations, seconds, exploitability, ev, …"""
        self.streets_kept = geometry.num_streets if streets_kept is None else streets_kept
        self.device = "cpu"
        """Where streets that were not kept are solved."""
        self._kept_values = dict(values or {})
        self._street_nodes: dict[int, tuple[int, ...]] = {}
        self._node_values: dict[tuple[int, int, int], NDArray[np.float32]] = {}
        self._solved: dict[tuple[int, tuple[int, ...]], SolvedSpot] = {}

    @property
    def spot(self) -> Spot:
        return self.geometry.spot

    @property
    def tree(self) -> SpotTree:
        return self.geometry.tree

    @property
    def locks(self) -> list[Lock]:
        """What nodes were told to play when it was solved."""
        from riverboat.holdem.spots.locks import read_locks

        return read_locks(self.info.get("locks", []))

    def __repr__(self) -> str:
        board = " ".join(_texts(self.spot.board))
        gap = self.info.get("exploitability_pct")
        worth = "" if gap is None else f", exploitable by {gap:.3g} % of the pot"
        return f"<SolvedSpot {board}, pot {self.spot.pot:g}, stack {self.spot.stack:g}{worth}>"

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

    def strategy(self, node: TreeNode, board: int) -> Doubles:
        """(actions, H) of a decision node on a board of its street, in the geometry's order."""
        geometry, player = self.geometry, node.player
        street = node.street - self.spot.street
        width = geometry.plan.widths[player]
        start = geometry.board_start(street, player, board)
        start += geometry.plan.node_rows[node.index] * width
        num, hands = len(node.actions), len(geometry.runouts.unranked[player].combos)
        values, scales = self.averages[player][:2]
        rows = np.asarray(values[start : start + num * width], np.float64).reshape(num, width)
        if values.dtype == np.int16:
            rows = rows * scales[start // width : start // width + num, None]
        rows = np.maximum(rows[:, :hands], 0.0)
        totals = rows.sum(axis=0)
        return np.asarray(np.where(totals > 0, rows / np.where(totals > 0, totals, 1), 1 / num))

    def node_values(self, street: int, board: int, player: int) -> NDArray[np.float32]:
        """(nodes of the street, P) a player's values at all nodes on one board.

        Not normalised: sums over the opponent's hands that come there, in chips counted from half
        of the first pot.
        """
        key = (street, board, player)
        if key not in self._node_values:
            kept = self._kept_values.get(f"{street}.{player}")
            found = self._computed(*key) if kept is None else kept[board]
            if len(self._node_values) > 64:
                self._node_values.clear()
            self._node_values[key] = found
        return self._node_values[key]

    def _computed(self, street: int, board: int, player: int) -> NDArray[np.float32]:
        from riverboat.holdem.spots.engine import street_kernels as spot_kernels
        from riverboat.holdem.spots.engine import walk_kernels as spot_walk_kernels

        geometry, runouts = self.geometry, self.geometry.runouts
        scratch = geometry.scratch()
        plans, other = geometry.plans(player), 1 - player
        mine, theirs = runouts.hands[player], runouts.hands[other]
        source = self.averages[other]
        arrays = (source, self.averages[player], self.averages[player], _NO_WEIGHTS)
        last = geometry.num_streets - 1
        chunks: Sequence[int] = [0]
        river = plans[2]
        if street == last:
            self._reach_river(board, player, scratch)
            chunks = range(len(river.chunks))
        elif street == 0:
            geometry.values(player, AVERAGE, *arrays, [scratch])
        else:
            spot_walk_kernels.play_boards(
                geometry.num_streets, plans, geometry.levels, mine, theirs, player, geometry.layout,
                np.array([board, board + 1]), np.zeros(1, np.int64), AVERAGE, *arrays, *scratch,
                geometry.gains[player],
            )  # fmt: skip
        nodes, width = self.street_nodes(street), geometry.plan.widths[player]
        where = geometry.plan.node_values[player]
        found = np.zeros((len(nodes), width), np.float32)
        for chunk in chunks:
            if street == last:
                spot_kernels.river_board(
                    river, chunk, mine, theirs, board,
                    int(runouts.levels[last].stabiliser[board]), AVERAGE, source,
                    geometry.board_start(last, other, board),
                    self.averages[player], self.averages[player],
                    geometry.board_start(last, player, board),
                    _NO_WEIGHTS, *scratch,
                )  # fmt: skip
            for place, node in enumerate(nodes):
                at = where[node]
                if at.chunk == chunk:
                    row = scratch.rows[at.row : at.row + width]
                    found[place] = row * np.float32(at.factor)
        return found

    def _reach_river(self, board: int, player: int, scratch: Any) -> None:
        """The opponent's reach at the roots of the river, for one board of it."""
        from riverboat.holdem.spots.engine import street_kernels as spot_kernels
        from riverboat.holdem.spots.engine import walk_kernels as spot_walk_kernels

        geometry, other = self.geometry, 1 - player
        theirs, plans = geometry.runouts.hands[other], geometry.plans(player)
        width = geometry.plan.widths[other]
        source = self.averages[other]
        if geometry.num_streets == 1:
            scratch.reach[:width] = theirs.weights
            return
        spot_walk_kernels.start_reach(
            plans[0], theirs, source, int(geometry.layout[0, other, 0]), scratch.reach
        )
        if geometry.num_streets == 3:
            first_child = geometry.runouts.levels[1].first_child
            parent = int(np.searchsorted(first_child, board, side="right")) - 1
            base = geometry.board_start(1, other, parent)
            spot_kernels.descend(
                plans[1], 0, len(plans[1].down), source, base, width, scratch.reach
            )

    def resolve_street(
        self, root: TreeNode, board: tuple[int, ...], reach: Sequence[Doubles]
    ) -> SolvedSpot:
        """The rest of the hand from a street's root on, solved anew from the ranges there.

        `reach` are weights (1326,) of OOP and IP; `board` all cards dealt.
        """
        key = (root.index, board)
        if key not in self._solved:
            self._solved[key] = _solve_street(self, root, board, reach)
        return self._solved[key]


def _texts(cards: Sequence[int]) -> list[str]:
    from riverboat.cards.card import card_text

    return [card_text(card) for card in cards]


def _solve_street(
    whole: SolvedSpot, root: TreeNode, board: tuple[int, ...], reach: Sequence[Doubles]
) -> SolvedSpot:
    from riverboat.holdem.spots.engine.solver import solver_kind
    from riverboat.solvers.run import Limit

    spot, base = whole.spot, root.put[0]
    ranges = []
    for player, weights in enumerate(reach):
        gone = [*board, *spot.dead]
        live = Range(np.clip(weights, 0.0, 1.0)).without(gone)
        # Where nobody comes any hand is as good as another.
        usable = live.weights.max() > 1e-9
        ranges.append(live if usable else spot.ranges[player].without(gone))
    part = Spot(
        board=board,
        pot=spot.pot + 2 * base,
        stack=spot.stack - base,
        ranges=(ranges[0], ranges[1]),
        rake_rate=spot.rake_rate,
        rake_cap=spot.rake_cap,
        tree=TreeOptions(),
        dead=spot.dead,
    )
    tree = cut_out(whole.tree, root, part)
    geometry = SpotGeometry(part, tree, build_runouts(part), build_plan(tree))
    solver = solver_kind(whole.device)(geometry)
    percent = min(float(whole.info.get("exploitability_pct", 0.3)), 0.3)
    solver.run(Limit(iterations=2000, target=max(percent, 0.01) / 100 * part.pot))
    return solver.result()


def cut_out(tree: SpotTree, root: TreeNode, spot: Spot) -> SpotTree:
    """The subtree below a street's root as a tree of its own; nodes lie side by side."""
    base, nodes = root.put[0], []
    last = root.index
    while tree.nodes[last].children:
        last = tree.nodes[last].children[-1]
    for node in tree.nodes[root.index : last + 1]:
        actions = tuple(
            dataclasses.replace(action, total=action.total - base) for action in node.actions
        )
        nodes.append(
            dataclasses.replace(
                node,
                index=node.index - root.index,
                parent=node.parent - root.index if node is not root else -1,
                put=(node.put[0] - base, node.put[1] - base),
                actions=actions,
                children=tuple(child - root.index for child in node.children),
            )
        )
    return SpotTree(spot, tuple(nodes))


KIND = "spot"
Arrays = dict[str, NDArray[Any]]


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
                arrays[f"values.{street}.{player}"] = np.stack(
                    [
                        solved.node_values(street, board, player)
                        for board in range(geometry.runouts.num_boards[street])
                    ]
                )
    write_arrays(path, KIND, arrays, _header(geometry, solved.info, kept))


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


def save_solver(path: str | Path, solver: SpotSolver) -> None:
    """Write a solver with all it needs to go on; readers see a whole solved spot."""
    arrays: Arrays = {}
    for player in (0, 1):
        for name, numbers in (("average", solver.averages), ("regret", solver.regrets)):
            arrays[f"{name}s.{player}"] = numbers[player].values
            if numbers[player].values.dtype == np.int16:
                arrays[f"{name}_scales.{player}"] = numbers[player].scales
    write_arrays(
        path, KIND, arrays, _header(solver.geometry, solver.info(), solver.geometry.num_streets)
    )


def load_spot(path: str | Path) -> SolvedSpot:
    """Read a solved spot; a damaged or foreign file is refused with a sentence."""
    arrays, header = read_arrays(path, KIND)
    geometry, kept = _arena(path, header)
    averages = (
        _numbers(path, arrays, "average", geometry, 0, kept),
        _numbers(path, arrays, "average", geometry, 1, kept),
    )
    values = {}
    if kept < geometry.num_streets:
        nodes = SolvedSpot(geometry, averages, {}).street_nodes
        for street in range(kept):
            for player in (0, 1):
                shape = (
                    geometry.runouts.num_boards[street],
                    len(nodes(street)),
                    geometry.plan.widths[player],
                )
                name = f"{street}.{player}"
                values[name] = _checked(path, arrays, f"values.{name}", shape)
    return SolvedSpot(geometry, averages, header["info"], streets_kept=kept, values=values)


def load_solver(path: str | Path, *, threads: int = 1, device: str = "cpu") -> SpotSolver:
    """The solver that a file was saved from, ready to go on."""
    from riverboat.holdem.spots.engine.solver import solver_kind

    arrays, header = read_arrays(path, KIND)
    if "regrets.0" not in arrays:
        raise FileFormatError(f"{path} holds a finished spot and no solver to go on with.")
    geometry, _ = _arena(path, header)
    locks = _locks(path, header["info"])
    int16 = "regret_scales.0" in arrays if device == "cpu" else None
    solver = solver_kind(device)(geometry, threads=threads, int16=int16, locks=locks)
    found = {
        name: [
            _numbers(path, arrays, name, geometry, player, geometry.num_streets)
            for player in (0, 1)
        ]
        for name in ("regret", "average")
    }
    kinds = {each.values.dtype for pair in found.values() for each in pair}
    if len(kinds) != 1:
        raise FileFormatError(f"{path} is damaged: its numbers are of two kinds.")
    info = header["info"]
    try:
        solver.iterations = int(info["iterations"])
        solver.seconds, solver.cpu_seconds = float(info["seconds"]), float(info["cpu_seconds"])
    except (KeyError, TypeError, ValueError) as error:
        raise FileFormatError(f"{path} is damaged: its header is incomplete.") from error
    solver.restore(found["regret"], found["average"])
    return solver


def _locks(path: str | Path, info: Mapping[str, Any]) -> list[Lock]:
    try:
        return read_locks(info.get("locks", []))
    except UsageError as error:
        raise FileFormatError(f"{path} is damaged: its locks cannot be read.") from error


def _arena(path: str | Path, header: Mapping[str, Any]) -> tuple[SpotGeometry, int]:
    try:
        text, kept = str(header["spot"]), int(header["streets_kept"])
        isomorphism, info = bool(header["isomorphism"]), header["info"]
    except (KeyError, TypeError, ValueError) as error:
        raise FileFormatError(f"{path} is damaged: its header is incomplete.") from error
    try:
        geometry = open_geometry(Spot.from_toml(text), isomorphism=isomorphism)
    except RiverboatError as error:
        raise FileFormatError(f"{path} is damaged: its spot cannot be read.") from error
    if not 1 <= kept <= geometry.num_streets or not isinstance(info, dict):
        raise FileFormatError(f"{path} is damaged: its header does not fit its spot.")
    return geometry, kept


def _numbers(
    path: str | Path, arrays: Arrays, name: str, geometry: SpotGeometry, player: int, kept: int
) -> PlayerStorage:
    size = geometry.elements(player, kept)
    scales = f"{name}_scales.{player}"
    int16 = scales in arrays
    values = _checked(path, arrays, f"{name}s.{player}", (size,), np.int16 if int16 else np.float32)
    if not int16:
        return PlayerStorage(values, np.zeros(1, np.float32))
    rows = (size // geometry.plan.widths[player],)
    return PlayerStorage(values, _checked(path, arrays, scales, rows))


def _checked(
    path: str | Path,
    arrays: Arrays,
    name: str,
    shape: tuple[int, ...],
    kind: type[np.generic] = np.float32,
) -> NDArray[Any]:
    found = arrays.get(name)
    if found is None or found.shape != shape or found.dtype != kind:
        raise FileFormatError(f"{path} is damaged: its {name} do not fit its spot.")
    if kind is np.float32 and not np.isfinite(found).all():
        raise FileFormatError(f"{path} is damaged: its {name} hold what is no number.")
    return found
