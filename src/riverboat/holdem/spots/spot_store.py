"""Solved spots on disk: one file each, kind "spot" (strategies.files has the format).

The header holds the spot as TOML and how it was solved. The arrays are both players' averages,
street by street. A file may leave out the river, or turn and river; it then holds the values of
what it kept, and what is missing is solved when somebody looks. A file that a solver wrote also
has its regrets, so that the solver can go on exactly where it stood.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import FileFormatError, RiverboatError, UsageError
from riverboat.holdem.spots.solved_spot import SolvedSpot
from riverboat.holdem.spots.spot import STREETS, Spot
from riverboat.holdem.spots.spot_arena import SpotArena, open_arena
from riverboat.holdem.spots.spot_locks import Lock, read_locks
from riverboat.holdem.spots.spot_numbers import Numbers
from riverboat.strategies.files import read_arrays, write_arrays

if TYPE_CHECKING:
    from riverboat.holdem.spots.spot_solver import SpotSolver

__all__ = ["KIND", "load_solver", "load_spot", "save_solver", "save_spot"]

KIND = "spot"
Arrays = dict[str, NDArray[Any]]


def save_spot(path: str | Path, solved: SolvedSpot, *, without: str | None = None) -> None:
    """Write a solved spot, whole or `without` "rivers" or "turns" (and rivers)."""
    kept = min(solved.streets_kept, _streets_kept(solved.spot, without))
    arena = solved.arena
    arrays: Arrays = {}
    for player in (0, 1):
        cut = arena.elements(player, kept)
        values, scales = solved.averages[player][:2]
        arrays[f"averages.{player}"] = values[:cut]
        if values.dtype == np.int16:
            arrays[f"average_scales.{player}"] = scales[: cut // arena.plan.widths[player]]
    if kept < arena.num_streets:
        for street in range(kept):
            for player in (0, 1):
                arrays[f"values.{street}.{player}"] = np.stack(
                    [
                        solved.node_values(street, board, player)
                        for board in range(arena.runouts.num_boards[street])
                    ]
                )
    write_arrays(path, KIND, arrays, _header(arena, solved.info, kept))


def _streets_kept(spot: Spot, without: str | None) -> int:
    if without is None:
        return 3 - spot.street
    first_missing = {"rivers": 2, "turns": 1}.get(without)
    if first_missing is None:
        raise UsageError(f"A spot is saved without rivers or turns, not without {without!r}.")
    if first_missing <= spot.street:
        raise UsageError(
            f"A spot that begins on the {STREETS[spot.street]} cannot be saved without {without}."
        )
    return first_missing - spot.street


def _header(arena: SpotArena, info: Mapping[str, Any], kept: int) -> dict[str, Any]:
    return {
        "spot": arena.spot.to_toml(),
        "info": dict(info),
        "streets_kept": kept,
        "isomorphism": arena.isomorphism,
    }


def save_solver(path: str | Path, solver: SpotSolver) -> None:
    """Write a solver with all it needs to go on; readers see a whole solved spot."""
    arrays: Arrays = {}
    for player in (0, 1):
        for name, numbers in (("average", solver.averages), ("regret", solver.regrets)):
            arrays[f"{name}s.{player}"] = numbers[player].values
            if numbers[player].values.dtype == np.int16:
                arrays[f"{name}_scales.{player}"] = numbers[player].scales
    write_arrays(path, KIND, arrays, _header(solver.arena, solver.info(), solver.arena.num_streets))


def load_spot(path: str | Path) -> SolvedSpot:
    """Read a solved spot; a damaged or foreign file is refused with a sentence."""
    arrays, header = read_arrays(path, KIND)
    arena, kept = _arena(path, header)
    averages = (
        _numbers(path, arrays, "average", arena, 0, kept),
        _numbers(path, arrays, "average", arena, 1, kept),
    )
    values = {}
    if kept < arena.num_streets:
        nodes = SolvedSpot(arena, averages, {}).street_nodes
        for street in range(kept):
            for player in (0, 1):
                shape = (
                    arena.runouts.num_boards[street],
                    len(nodes(street)),
                    arena.plan.widths[player],
                )
                name = f"{street}.{player}"
                values[name] = _checked(path, arrays, f"values.{name}", shape)
    return SolvedSpot(arena, averages, header["info"], streets_kept=kept, values=values)


def load_solver(path: str | Path, *, threads: int = 1, device: str = "cpu") -> SpotSolver:
    """The solver that a file was saved from, ready to go on."""
    from riverboat.holdem.spots.spot_solver import solver_kind

    arrays, header = read_arrays(path, KIND)
    if "regrets.0" not in arrays:
        raise FileFormatError(f"{path} holds a finished spot and no solver to go on with.")
    arena, _ = _arena(path, header)
    locks = _locks(path, header["info"])
    short = "regret_scales.0" in arrays if device == "cpu" else None
    solver = solver_kind(device)(arena, threads=threads, short=short, locks=locks)
    found = {
        name: [_numbers(path, arrays, name, arena, player, arena.num_streets) for player in (0, 1)]
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


def _arena(path: str | Path, header: Mapping[str, Any]) -> tuple[SpotArena, int]:
    try:
        text, kept = str(header["spot"]), int(header["streets_kept"])
        isomorphism, info = bool(header["isomorphism"]), header["info"]
    except (KeyError, TypeError, ValueError) as error:
        raise FileFormatError(f"{path} is damaged: its header is incomplete.") from error
    try:
        arena = open_arena(Spot.from_toml(text), isomorphism=isomorphism)
    except RiverboatError as error:
        raise FileFormatError(f"{path} is damaged: its spot cannot be read.") from error
    if not 1 <= kept <= arena.num_streets or not isinstance(info, dict):
        raise FileFormatError(f"{path} is damaged: its header does not fit its spot.")
    return arena, kept


def _numbers(
    path: str | Path, arrays: Arrays, name: str, arena: SpotArena, player: int, kept: int
) -> Numbers:
    size = arena.elements(player, kept)
    scales = f"{name}_scales.{player}"
    short = scales in arrays
    values = _checked(path, arrays, f"{name}s.{player}", (size,), np.int16 if short else np.float32)
    if not short:
        return Numbers(values, np.zeros(1, np.float32))
    rows = (size // arena.plan.widths[player],)
    return Numbers(values, _checked(path, arrays, scales, rows))


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
