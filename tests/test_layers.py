"""The direction of imports: a room knows only the rooms above it (docs/design.md)."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from house import RANK, SCREENS

SOURCE = Path(__file__).parent.parent / "src" / "riverboat"
SOCKETS = [
    "twentyone/wire",
    "twentyone/tournament",
    "holdem/acpc",
    "jobs/ray_crew",
    "cli",
    "tui",
    "web",
]
FILES = sorted(path for path in SOURCE.rglob("*.py") if path.parent.name != "examples")


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write imports in full"
            yield node.module or ""


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0]


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_point_upwards(path: Path) -> None:
    room = room_of(path)
    if room not in RANK:
        return
    for name in imports(path):
        parts = name.split(".")
        if parts[0] == "riverboat" and len(parts) > 1 and parts[1] in RANK:
            below = RANK[parts[1]] < RANK[room] or room in SCREENS
            assert parts[1] == room or below, f"{path.name} imports {name}"


def top_level_imports(path: Path) -> Iterator[str]:
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def test_the_core_needs_only_the_core() -> None:
    """Packages of the extras are imported where they are used, or in the rooms they belong to."""
    project = tomllib.loads((SOURCE.parents[1] / "pyproject.toml").read_text())["project"]
    core = {re.split(r"[^\w-]", text)[0] for text in project["dependencies"]}
    assert core == {"numpy", "numba", "highspy", "typer", "rich", "safetensors", "textual"}
    known = core | {"llvmlite", "riverboat"} | set(sys.stdlib_module_names)
    for path in FILES:
        strange = {name.partition(".")[0] for name in top_level_imports(path)} - known
        assert not strange or room_of(path) in ("interop", "pictures", "web"), (path, strange)


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_each_room_keeps_to_its_trade(path: Path) -> None:
    room, names = room_of(path), {name.split(".")[0] for name in imports(path)}
    calls = {
        node.func.id
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    if room in RANK and RANK[room] < RANK["cli"]:
        assert "print" not in calls, f"{path.name} prints"
        screens = {"typer", "textual", "nicegui"} | ({"rich"} if room != "drawing" else set())
        assert not names & screens, f"{path.name} shows things"
    if room == "games":
        assert not names & {"numpy", "numba", "random"}, f"{path.name} is not pure"
    if not str(path.relative_to(SOURCE)).startswith(tuple(SOCKETS)):
        assert not names & {"socket", "asyncio"}, f"{path.name} opens sockets"
    if room == "trees" and not path.name.endswith("_kernels.py"):
        assert "numba" not in names, f"{path.name} imports numba"
    assert "pickle" not in names
