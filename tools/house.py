"""The house in figures: rooms, doors, which way imports point.

    python tools/house.py           print the figures; exit code 1 where a rule is broken
    python tools/house.py --svg F   draw the house: folders by size, doors, arrows by imports

A folder is a Python package below src/riverboat. Its `__init__.py` names its doors (`DOORS`), the
modules that other folders may import. docs/design.md explains the rules; `make check` keeps them.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "riverboat"
FLOOR = ("runtime", "drawing")
CORE = ("cards", "games", "trees", "strategies", "evaluation", "solvers", "players", "arena")
PRODUCTS = ("blackjack", "twentyone", "holdem")
OUTSIDE = ("jobs", "interop", "pictures", "lessons")
SCREENS = ("cli", "tui", "web")
ORDER = (*FLOOR, *CORE, PRODUCTS[0], *OUTSIDE, SCREENS[0])
RANK = {room: rank for rank, room in enumerate(ORDER)}
RANK |= dict.fromkeys(PRODUCTS, RANK[PRODUCTS[0]]) | dict.fromkeys(SCREENS, RANK[SCREENS[0]])
PRODUCT_FLOOR = {"blackjack": "", "twentyone": "", "holdem": "rules"}
"""The rules of a product: every room stands on them, so importing them is counted apart."""
RUN_LOOPS = ("solvers.run", "runtime.stopping")
"""Modules that may loop against a clock because they are the one run."""
PEERS = (
    *("twentyone.wire", "twentyone.tournament", "holdem.acpc", "tui", "web", "interop.upi"),
    "holdem.search.worker",
)
"""Waiting for a peer or a person is no run: sockets, pipes and screens have clocks of their own."""
SPAWNERS = ("jobs", "web.background", "lessons.check_file", "holdem.search.worker")
"""Who may start processes. A student's file is checked in a process of its own; a search runs in
one, so that the player who waits for it keeps the clock."""
MARKUP = re.compile(r"(?<!\?P)<(svg|rect|path|table|tr|td|div|span|html|body)\b[^>]*[ >]")


@dataclass
class House:
    """Every module with its lines, every import, every door."""

    lines: dict[str, int] = field(default_factory=dict)
    imports: list[tuple[str, str]] = field(default_factory=list)
    """All of them, also those inside functions."""
    loaded: list[tuple[str, str]] = field(default_factory=list)
    """Those made when a module is loaded."""
    doors: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Folder → its doors."""
    clocks: list[str] = field(default_factory=list)
    """Loops that look at a clock: module:line."""
    markup: list[str] = field(default_factory=list)
    spawned: list[str] = field(default_factory=list)

    def folders(self) -> dict[str, list[str]]:
        """Folder → its modules."""
        found: dict[str, list[str]] = defaultdict(list)
        for module in self.lines:
            found[folder_of(module)].append(module)
        return found

    def entered(self) -> dict[str, set[str]]:
        """Folder → modules of it that other folders import."""
        found: dict[str, set[str]] = defaultdict(set)
        for a, b in self.imports:
            if folder_of(a) != folder_of(b):
                found[folder_of(b)].add(b.rpartition(".")[2])
        return found

    def inside(self, product: str, *, floor: bool = False) -> float:
        """Share of a product's imports of itself that stay in one of its rooms.

        With `floor`, imports of the product's rules from other rooms are counted too.
        """
        rooms = [(room_in(a, product), room_in(b, product)) for a, b in self.imports]
        own = [(a, b) for a, b in rooms if a is not None and b is not None]
        if not floor:
            own = [(a, b) for a, b in own if a == b or b != PRODUCT_FLOOR[product]]
        return sum(a == b for a, b in own) / len(own)

    def cycles(self) -> list[list[str]]:
        """Groups of modules that import one another when they are loaded."""
        below: dict[str, set[str]] = {module: set() for module in self.lines}
        for a, b in self.loaded:
            below[a].add(b)
        return [group for group in _strong(below) if len(group) > 1]

    def rules(self) -> dict[str, list[str]]:
        """Rule → what breaks it."""
        folders, entered = self.folders(), self.entered()
        every = {folder: set(self.doors.get(folder, ())) for folder in folders}
        return {
            "no imports in circles": [" ↔ ".join(group) for group in self.cycles()],
            "no imports upward": [f"{a} → {b}" for a, b in self.imports if _upward(a, b)],
            "no module entered without a door": [
                f"{folder}.{name}"
                for folder, names in sorted(entered.items())
                for name in sorted(names - every[folder])
                if folder  # modules next to the folders belong to all of them
            ],
            "one run: no other loop against a clock": self.clocks,
            "SVG and HTML are written in drawing/": self.markup,
            "processes are started in jobs/ and web/background.py": self.spawned,
        }


def read_house(source: Path = SOURCE) -> House:
    """Read every module below `source`."""
    house = House()
    paths = (path for path in sorted(source.rglob("*.py")) if path.parent.name != "examples")
    files = {_name(path, source): path for path in paths}  # examples are data: users copy them
    for module, path in files.items():
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        if path.name == "__init__.py":
            house.doors[module] = _doors(tree)
            continue
        house.lines[module] = len(text.splitlines())
        if ".starters." not in module:
            _read_body(house, module, tree)
        top = {id(node) for node in tree.body}
        for node in ast.walk(tree):
            for target in _targets(node, files):
                if target == module or files[target].name == "__init__.py":
                    continue
                house.imports.append((module, target))
                if id(node) in top:
                    house.loaded.append((module, target))
    return house


def _read_body(house: House, module: str, tree: ast.Module) -> None:
    for node in ast.walk(tree):
        at = f"{module}:{getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.While | ast.For) and _looks_at_a_clock(node):
            if not module.startswith((*RUN_LOOPS, *PEERS)):
                house.clocks.append(at)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if MARKUP.search(node.value) and not module.startswith("drawing."):
                house.markup.append(at)
        elif isinstance(node, ast.Call) and not module.startswith(SPAWNERS):
            name = ast.unparse(node.func).rpartition(".")[2]
            if name in ("get_context", "Popen", "ProcessPoolExecutor", "Process"):
                house.spawned.append(f"{at} {name}")


def _looks_at_a_clock(loop: ast.While | ast.For) -> bool:
    """A loop that reads a clock and may leave because of it."""
    calls = {
        ast.unparse(node.func).rpartition(".")[2]
        for node in ast.walk(loop)
        if isinstance(node, ast.Call)
    }
    leaves = isinstance(loop, ast.While) or any(isinstance(n, ast.Break) for n in ast.walk(loop))
    return leaves and bool(calls & {"perf_counter", "monotonic", "process_time", "thread_time"})


def _doors(tree: ast.Module) -> tuple[str, ...]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "DOORS":
            return tuple(ast.literal_eval(node.value))
    return ()


def _targets(node: ast.AST, files: dict[str, Path]) -> Iterator[str]:
    names: list[str] = []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.module:
        names = [f"{node.module}.{alias.name}" for alias in node.names] + [node.module]
    short = {name.removeprefix("riverboat.") for name in names if name.startswith("riverboat.")}
    yield from sorted(name for name in short if name in files)


def _name(path: Path, source: Path) -> str:
    parts = path.relative_to(source).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def folder_of(module: str) -> str:
    """The package of a module; empty for those next to the folders."""
    return module.rpartition(".")[0]


def room_in(module: str, product: str) -> str | None:
    """The room of a product that a module belongs to; empty directly below the product."""
    first, *rest = module.split(".")
    if first != product:
        return None
    return rest[0] if len(rest) > 1 else ""


def _upward(a: str, b: str) -> bool:
    first, second = a.split(".")[0], b.split(".")[0]
    if first not in RANK or second not in RANK or first == second or first in SCREENS:
        return False
    return RANK[second] >= RANK[first]


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


def print_house(house: House) -> None:
    """Folders, products and rules as tables."""
    folders, entered = house.folders(), house.entered()
    total, within = Counter[str](), Counter[str]()
    for a, b in house.imports:
        total[folder_of(a)] += 1
        within[folder_of(a)] += folder_of(a) == folder_of(b)
    print(f"{'folder':<34}{'modules':>8}{'lines':>8}{'doors':>7}{'entered':>9}{'inside':>8}")
    for folder, modules in sorted(folders.items()):
        doors = house.doors.get(folder, ())
        share = within[folder] / total[folder] if total[folder] else 0.0
        print(
            f"{folder or 'riverboat':<34}{len(modules):>8}"
            f"{sum(house.lines[m] for m in modules):>8,}{len(doors):>7}"
            f"{len(entered[folder]):>9}{share:>8.0%}"
        )
    print(f"\n{'all':<34}{len(house.lines):>8}{sum(house.lines.values()):>8,}")
    for product in PRODUCTS:
        print(
            f"{product}: {house.inside(product):.1%} of its imports of itself stay in one room "
            f"(its rules not counted; with them {house.inside(product, floor=True):.1%})"
        )
    print()
    for rule, broken in house.rules().items():
        print(f"{'ok  ' if not broken else 'NOT '} {rule}" + (f": {len(broken)}" if broken else ""))
        for one in broken:
            print(f"       {one}")


def main(arguments: list[str]) -> int:
    """Print the figures, or draw the house; 1 where a rule is broken."""
    house = read_house()
    if arguments[:1] == ["--svg"]:
        from house_picture import draw_house

        Path(arguments[1]).write_text(draw_house(house), encoding="utf-8")
        return 0
    print_house(house)
    return 1 if any(house.rules().values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
