"""docs/files.md: its reader runs on files of every kind, and it names every field they have."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exact_three_way import RIVER
from riverboat.blackjack.search.memory import Knowledge
from riverboat.games.registry import make_game
from riverboat.holdem.blueprints.shipped import shipped_path
from riverboat.holdem.preflop._matchups import SHIPPED
from riverboat.holdem.preflop.node import PreflopNode
from riverboat.holdem.preflop.solution import PreflopSolution
from riverboat.holdem.spots.solver import make_solver
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.spot import Spot as ThreeWaySpot
from riverboat.solvers.solve import solve
from riverboat.strategies.files import read_arrays, write_arrays
from riverboat.strategies.kinds import KINDS, load
from riverboat.twentyone.learning.q_table import QTable

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "files.md").read_text(encoding="utf-8")
WITH_ARRAYS = set(KINDS) - {"study"}
"""A study is a text: the page has its form, and `tests/arena/test_study.py` reads it."""
OLD = ROOT / "tests" / "data" / "files_0.1.0"
Reader = Callable[[Path], Any]


@pytest.fixture(scope="module")
def page() -> dict[str, Reader]:
    """The functions of the page's Python blocks."""
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(block, names)
    return names


def test_the_reader_has_thirty_lines_and_needs_no_package() -> None:
    block = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0]
    assert len(block.strip().splitlines()) <= 30
    assert re.findall(r"^import (.*)$", block, re.M) == ["array, hashlib, json, struct"]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """One file at least of each kind, as this version writes it where that is quick."""
    folder = tmp_path_factory.mktemp("kinds")
    made = {
        name: folder / f"{name}.rb"
        for name in ("leduc", "duel", "q", "spot", "cut", "bot", "three")
    }
    solve(make_game("kuhn"), algorithm="dcfr", iterations=20).save(made["leduc"])
    solve(make_game("duel"), iterations=3).save(made["duel"])
    QTable.load(OLD / "q-table.rb").save(made["q"])
    Knowledge.load(OLD / "memory.rb").save(made["bot"])
    spot = Spot.from_toml(
        'board = "Qs Jh 2h 8d"\npot = 60\nstack = 60\n'
        '[ranges]\noop = "AsAh,KdKc"\nip = "TsTh,9d9c"\n'
        '[sizes.turn]\noop = { bet = "a" }\nip = { bet = "a" }\n'
    )
    solver = make_solver(spot)
    solver.step(2)
    solver.save(made["spot"])
    solver.result().save(made["cut"], without="rivers")
    make_solver(ThreeWaySpot.from_toml(RIVER)).save(made["three"])
    table = folder / "preflop.rb"
    counts = np.zeros((169, 1326), np.int32)
    write_arrays(table, "preflop-table", {"wins": counts, "ties": counts}, {"sha256": "0"})
    cards = folder / "cards.rb"
    facts = {"name": "x", "recipe": {}, "buckets": [1], "schemes_version": 1, "sha256": "0"}
    write_arrays(cards, "card-abstraction", {"flop": np.zeros(3, np.uint16)}, facts)
    before = folder / "before.rb"
    node = PreflopNode(
        *((), "sb", ("f", "r2"), np.full((2, 169), 0.5), np.zeros((2, 169)), np.ones(169)),
        {"sb": 0.5, "bb": 1.0},
    )
    PreflopSolution("two players", {}, ("sb", "bb"), [node], {"iterations": 1}).save(before)
    going = folder / "going.rb"
    facts = {"spec": {}, "iterations": 1, "seconds": 0.5, "int16": False}
    write_arrays(going, "preflop-checkpoint", {"solver.regrets.0": np.zeros((2, 169))}, facts)
    own = (before, going, table, cards, shipped_path(), SHIPPED)
    return [*made.values(), *own, *sorted(OLD.glob("*.rb"))]


def test_the_reader_reads_every_kind(page: dict[str, Reader], files: list[Path]) -> None:
    seen = set()
    for path in files:
        header, arrays = page["read"](path)
        wanted, own = read_arrays(path, *KINDS)
        assert header == own
        assert sorted(arrays) == sorted(wanted)
        for name, (shape, numbers) in arrays.items():
            assert tuple(shape) == wanted[name].shape
            assert np.array(numbers).reshape(shape).tobytes() == wanted[name].tobytes()
        seen.add(header["kind"])
    assert seen == WITH_ARRAYS


def test_the_page_names_every_field(files: list[Path]) -> None:
    sections = dict(re.findall(r"^### `([a-z-]+)`\n(.*?)(?=^##)", PAGE, re.DOTALL | re.M))
    assert set(sections) == WITH_ARRAYS
    everywhere = {"format", "kind", "package"}
    for path in files:
        arrays, header = read_arrays(path, *KINDS)
        named = set()
        for row in re.findall(r"^\|(.*?)\|", sections[header["kind"]], re.M):
            named |= set(re.findall(r"`([^`]+)`", row))
        fields = {re.sub(r"^solver\..*", "solver.*", name) for name in arrays} | set(header)
        assert fields - everywhere <= named, path


def test_a_strategy_in_a_few_lines_more(page: dict[str, Reader], files: list[Path]) -> None:
    found = page["strategy"](files[0])
    wanted = {(player, key): chances for player, key, chances in load(files[0]).entries()}
    assert found == wanted


def test_a_damaged_file_is_refused(
    page: dict[str, Reader], files: list[Path], tmp_path: Path
) -> None:
    raw = bytearray(files[0].read_bytes())
    raw[-3] ^= 1
    path = tmp_path / "bad.rb"
    path.write_bytes(raw)
    with pytest.raises(ValueError, match="damaged"):
        page["read"](path)
