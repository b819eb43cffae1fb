"""The house in figures: which way imports point, how large files are. Prints them; 1 on a fault.

python tools/house.py
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "riverboat"
CORE = ("cards", "games", "trees", "strategies", "evaluation", "solvers", "players", "arena")
PRODUCTS = ("blackjack", "twentyone", "holdem")
RANK = {room: rank for rank, room in enumerate(CORE)}
RANK |= dict.fromkeys(PRODUCTS, len(CORE))
OUTSIDE = ("jobs", "interop", "pictures", "lessons")
RANK |= {room: len(CORE) + 1 + rank for rank, room in enumerate(OUTSIDE)}
SCREENS = ("cli", "tui", "web")
RANK |= dict.fromkeys(SCREENS, len(CORE) + 1 + len(OUTSIDE))
LONGEST = 400


@dataclass(frozen=True)
class House:
    """Every module with its lines, and every import from one to another."""

    lines: dict[str, int]
    imports: list[tuple[str, str]]
    """All of them, also those inside functions."""
    at_once: list[tuple[str, str]]
    """Those that are made when a module is loaded."""

    @property
    def inside(self) -> float:
        """The share of imports that stay inside a part: the core, a product, the screens.

        What stands beside the rooms (errors, random numbers) is everybody's floor and not counted.
        """
        pairs = [(part_of(a), part_of(b)) for a, b in self.imports if room_of(b)]
        return sum(a == b for a, b in pairs) / len(pairs)

    @property
    def upward(self) -> list[tuple[str, str]]:
        """Imports from a room of one that stands above it; screens may import one another."""
        return [
            (a, b)
            for a, b in self.imports
            if room_of(a) in RANK
            and room_of(b) in RANK
            and room_of(a) != room_of(b)
            and RANK[room_of(b)] >= RANK[room_of(a)]
            and room_of(a) not in SCREENS
        ]

    @property
    def twice(self) -> list[str]:
        """File names that occur more than once."""
        names = Counter(module.rpartition(".")[2] for module in self.lines)
        return sorted(name for name, count in names.items() if count > 1)

    @property
    def long(self) -> list[str]:
        """Modules above the limit of lines."""
        return sorted(module for module, count in self.lines.items() if count > LONGEST)

    def cycles(self) -> list[list[str]]:
        """Groups of modules that import one another when they are loaded."""
        below: dict[str, set[str]] = {module: set() for module in self.lines}
        for a, b in self.at_once:
            below[a].add(b)
        return [group for group in _strong(below) if len(group) > 1]


def read_house() -> House:
    """Read every module's imports."""
    files = {_name(path): path for path in sorted(SOURCE.rglob("*.py"))}
    lines, imports, at_once = {}, [], []
    for module, path in files.items():
        text = path.read_text()
        tree = ast.parse(text)
        if path.name != "__init__.py":
            lines[module] = len(text.splitlines())
        top = {id(node) for node in tree.body}
        for node in ast.walk(tree):
            for target in _targets(node, files):
                if target == module or path.name == "__init__.py":
                    continue
                if files[target].name == "__init__.py":
                    continue
                imports.append((module, target))
                if id(node) in top:
                    at_once.append((module, target))
    return House(lines, imports, at_once)


def _targets(node: ast.AST, files: dict[str, Path]) -> Iterator[str]:
    names: list[str] = []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.module:
        names = [f"{node.module}.{alias.name}" for alias in node.names] + [node.module]
    found = {name for name in names if name in files}
    yield from sorted(found)


def _name(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str:
    """The folder directly below the package; a module beside the folders has none."""
    parts = module.split(".")
    return parts[1] if len(parts) > 2 else ""


def part_of(module: str) -> str:
    """The core with the modules beside it, one product with its outside, or the rest outside."""
    parts = module.split(".")[1:]
    if parts[0] in PRODUCTS:
        return parts[0]
    if parts[0] in SCREENS + OUTSIDE:
        return next((p for p in PRODUCTS if any(part.startswith(p) for part in parts)), "outside")
    return "core"


def _strong(below: dict[str, set[str]]) -> list[list[str]]:
    """Strongly connected components (Tarjan 1972)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        order[node] = low[node] = len(order)
        stack.append(node)
        for child in below[node]:
            if child not in order:
                visit(child)
                low[node] = min(low[node], low[child])
            elif child in stack:
                low[node] = min(low[node], order[child])
        if low[node] == order[node]:
            cut = stack.index(node)
            found.append(sorted(stack[cut:]))
            del stack[cut:]

    for node in below:
        if node not in order:
            visit(node)
    return found


def main() -> int:
    """Print the figures; 1 where a rule is broken."""
    house = read_house()
    longest = max(house.lines, key=lambda module: house.lines[module])
    faults = [*house.cycles(), *house.upward, *house.twice, *house.long]
    rows = [
        ("modules", f"{len(house.lines):,}"),
        ("lines of src", f"{sum(house.lines.values()):,}"),
        ("longest module", f"{house.lines[longest]} {longest}"),
        (f"modules above {LONGEST} lines", ", ".join(house.long) or "none"),
        ("file names that occur twice", ", ".join(house.twice) or "none"),
        ("imports inside a part", f"{house.inside:.1%} of {len(house.imports):,}"),
        ("imports upward", "; ".join(f"{a} → {b}" for a, b in house.upward) or "none"),
        ("cycles", "; ".join(" ↔ ".join(group) for group in house.cycles()) or "none"),
    ]
    for name, figure in rows:
        print(f"{name:<28} {figure}")
    return 1 if faults or house.inside < 0.7 else 0


if __name__ == "__main__":
    sys.exit(main())
