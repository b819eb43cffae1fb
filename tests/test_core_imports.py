"""The core installs without extras: no module loads one of their packages unasked."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "riverboat"
FILES = sorted(path for path in SOURCE.rglob("*.py") if path.parent.name != "examples")

FIGURES = (
    "blackjack/pictures.py",
    "drawing/figures.py",
    "drawing/svg_figure.py",
    "holdem/range_picture.py",
    "twentyone/learning/surfaces.py",
)
"""Modules that draw with Matplotlib and that only riverboat.pictures and commands load."""


def top_level_imports(path: Path) -> Iterator[str]:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def test_the_core_needs_only_the_core() -> None:
    """Packages of the extras are imported where they are used, or in the rooms they belong to."""
    project = tomllib.loads((SOURCE.parents[1] / "pyproject.toml").read_text())["project"]
    core = {re.split(r"[^\w-]", text)[0].replace("-", "_") for text in project["dependencies"]}
    known = core | {"llvmlite", "riverboat"} | set(sys.stdlib_module_names)
    for path in FILES:
        strange = {name.partition(".")[0] for name in top_level_imports(path)} - known
        room = path.relative_to(SOURCE).parts[0]
        if path.relative_to(SOURCE).as_posix() in FIGURES:
            strange -= {"matplotlib"}
        assert not strange or room in ("assistants", "interop", "pictures", "web"), (path, strange)
