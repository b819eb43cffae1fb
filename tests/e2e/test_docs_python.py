"""The Python in the docs runs as it stands, the blocks of a page one after the other."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from examples import PAGES, ROOT

BLOCK = re.compile(r"^```(?:python|\{code-cell\}[^\n]*)\n(.*?)^```", re.S | re.M)
SHOWN = ("class State(Protocol)",)
"""Blocks that show an interface and are no program begin so."""
LONG = ("docs/abstraction.md", "docs/spots.md")
ELSEWHERE = (
    "README.md",
    "docs/python.md",
    "docs/blackjack.md",
    "docs/blackjack_simulation.md",
)
"""Run by tests of their own, which look at what they print or make them smaller."""


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
def test_a_page_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (ROOT / page).read_text(encoding="utf-8")
    for spot in re.findall(r"^```toml\n(board.*?)^```", text, re.S | re.M)[:1]:
        Path("3bet.toml").write_text(spot)
    names: dict[str, Any] = {"__name__": "page"}
    for number, program in enumerate(programs(page)):
        exec(compile(program, f"{page}, block {number + 1}", "exec"), names)


def test_two_hands_of_the_cards_page_compare_as_it_says() -> None:
    names: dict[str, Any] = {}
    (program,) = programs("docs/cards.md")
    exec(compile(program, "docs/cards.md", "exec"), names)
    assert (
        names["showdown"](names["first"], names["second"], *names["strength_tables"]().arrays) == 1
    )
