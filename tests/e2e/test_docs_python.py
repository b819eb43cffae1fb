"""The Python in the docs runs as it stands, the blocks of a page one after the other."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pytest

from commands import Command
from examples import PAGES, ROOT

pytestmark = pytest.mark.e2e

BLOCK = re.compile(r"^```(?:python|\{code-cell\}[^\n]*)\n(.*?)^```", re.S | re.M)
SHOWN = ("class State(Protocol)",)
"""Blocks that show an interface and are no program begin so."""
LONG = ("docs/holdem.md", "docs/pictures.md", "docs/spots.md")
ELSEWHERE = ("README.md", "docs/python.md", "docs/blackjack.md", "docs/blackjack_simulation.md")
"""Run by tests of their own, which look at what they print or make them smaller."""


MAKERS = {
    "3bet.toml": "example 3bet.toml",
    "hands.phhs": "example hands.phhs",
    "kuhn.rb": "solve kuhn --out kuhn.rb",
}
"""A file that a page takes for granted → the command that makes it."""


def programs(page: str) -> list[str]:
    blocks = BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))
    return [block for block in blocks if not block.startswith(SHOWN)]


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.slow] * (page in LONG))
        for page in PAGES
        if page not in ELSEWHERE and programs(page)
    ],
)
def test_a_page_runs(
    page: str, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for file, maker in MAKERS.items():
        if any(f'"{file}"' in program for program in programs(page)):
            monkeypatch.setattr("sys.stdin", io.StringIO("c\n" * 100))
            assert command(*maker.split()).code == 0
    names: dict[str, Any] = {"__name__": "page"}
    for number, program in enumerate(programs(page)):
        exec(compile(program, f"{page}, block {number + 1}", "exec"), names)


def test_two_hands_of_the_cards_page_compare_as_it_says() -> None:
    names: dict[str, Any] = {}
    for program in programs("docs/cards.md"):
        exec(compile(program, "docs/cards.md", "exec"), names)
    assert names["mine"].num_combos == 20  # 18 pairs, and 4 suited hands by half
    assert (
        names["showdown"](names["first"], names["second"], *names["strength_tables"]().arrays) == 1
    )
