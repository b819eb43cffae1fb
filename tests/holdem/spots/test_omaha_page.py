"""The worked spots, costs and counts of docs/omaha.md are what the programs give."""

import importlib.util
import re
from importlib import resources
from math import comb
from pathlib import Path
from typing import Any

import pytest

import riverboat as rb
from riverboat.holdem.spots.layout import open_layout
from riverboat.holdem.spots.node_groups import node_groups
from riverboat.holdem.spots.spot import Spot

ROOT = Path(__file__).parent.parent.parent.parent
PAGE = (ROOT / "docs" / "omaha.md").read_text(encoding="utf-8")
EXAMPLES = Path(str(resources.files("riverboat") / "examples"))
SOLVE = re.compile(r"holdem solve (omaha-\w+\.toml) --target (\S+)")


def sections() -> dict[str, str]:
    """The part of the page about each spot, by its file."""
    parts = re.split(r"^##+ ", PAGE, flags=re.M)
    return {found[1]: part for part in parts if (found := SOLVE.search(part))}


def rows_of(text: str) -> list[list[str]]:
    """The cells of a table, without its heading."""
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


@pytest.fixture(scope="module")
def blockers() -> Any:
    spec = importlib.util.spec_from_file_location("omaha_blockers", EXAMPLES / "omaha_blockers.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.e2e
@pytest.mark.parametrize("file", ["omaha-river.toml", "omaha-turn.toml", "omaha-paired.toml"])
def test_worked_spots_have_the_figures_of_the_page(file: str) -> None:
    """Up to what the target leaves open: processors round otherwise."""
    section, text = sections()[file], (EXAMPLES / file).read_text(encoding="utf-8")
    found = SOLVE.search(section)
    assert found is not None
    shown = re.search(r"```toml\n(.*?)```", section, re.S)
    assert shown is not None
    assert text.endswith("\n\n" + shown[1])
    root = rb.solve(rb.spot(text), target=found[2]).at("r:0")
    for words, *figures in rows_of(section):
        total = node_groups(root, words.strip("`")).total
        assert total.strategy is not None
        mine = total.players[0]
        got = (100 * mine.share, 100 - 100 * total.strategy["check"], mine.ev, 100 * mine.equity)
        for one, cell, step in zip(got, figures, (0.1, 5, 1.5, 1), strict=True):
            assert one == pytest.approx(float(cell.rstrip("%")), abs=step), (words, cell)


def test_the_page_tells_what_flops_take() -> None:
    both = {"bet": "100%,a", "raise": "a"}
    sizes = {street: {"oop": both, "ip": both} for street in ("flop", "turn", "river")}
    table = PAGE[PAGE.index("**What is too large.**") :].partition("\n\n## ")[0]
    for text, hands, gigabytes in rows_of(table):
        spot: Spot = rb.spot(
            game="omaha", board="Ks Th 7s", pot=100, stack=300, ranges=(text, text), sizes=sizes
        )
        layout = open_layout(spot)
        assert f"{len(layout.hands[0]):,}" == hands
        assert f"{4 * layout.updates / 2**30:.1f}" == gigabytes


def test_the_page_has_the_counts_and_picture_of_the_example(blockers: Any) -> None:
    assert blockers.table() in PAGE
    kept = (ROOT / "docs" / "images" / "omaha-blockers.svg").read_text(encoding="utf-8")
    assert blockers.picture() == kept


def test_blockers_are_counted_as_by_binomials(blockers: Any) -> None:
    flush, straight = blockers.SITUATIONS
    for hole_cards in (2, 4):
        left = 52 - 5 - hole_cards
        hands = comb(left, hole_cards)
        # With the ace of spades at least one of nine more spades.
        nuts = comb(left - 1, hole_cards - 1) - comb(left - 10, hole_cards - 1)
        assert blockers.share_of_nuts(flush, "", hole_cards) == pytest.approx(nuts / hands)
        assert blockers.share_of_nuts(flush, "As", hole_cards) == 0
        for held, queens, jacks in (("", 4, 4), ("Qc", 3, 4), ("Qc Qd", 2, 4)):
            lacking = (
                comb(left - queens, hole_cards)
                + comb(left - jacks, hole_cards)
                - comb(left - queens - jacks, hole_cards)
            )
            share = blockers.share_of_nuts(straight, held, hole_cards)
            assert share == pytest.approx(1 - lacking / hands)
