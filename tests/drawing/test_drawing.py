"""The one writer of HTML and SVG, the palette, and the hand grid on every screen."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from rich.console import Console

from riverboat.blackjack.exact.rule_sweep import Sweep, parse_grid
from riverboat.blackjack.search.tree_drawing import TreeNode, tree_svg
from riverboat.cards.combos import CLASS_NAMES, class_of_combos
from riverboat.drawing import palette
from riverboat.drawing.grid_text import GridText
from riverboat.drawing.hand_grid import (
    HAND_CLASSES,
    HandCell,
    HandGrid,
    grid_of_classes,
    grid_of_combos,
    grid_of_range,
)
from riverboat.drawing.html import Markup, bar, facts_table, html_table, page
from riverboat.drawing.svg import curve_svg
from riverboat.errors import ParameterError

GOLDENS = Path(__file__).parent / "goldens"
"""Pictures of the writers that came before this one."""
NUMBER = re.compile(r"-?\d+(\.\d+)?")
WORDS = ("fold", "call", "raise to 5")


def elements(picture: str) -> list[tuple[str, dict[str, object], str]]:
    """Name, attributes and text of every element; numbers by value, font names left out."""
    found = []
    for element in ElementTree.fromstring(picture).iter():
        attributes: dict[str, object] = {
            key: round(float(value), 1) if NUMBER.fullmatch(value) else value.replace(".0", "")
            for key, value in element.attrib.items()
            if "font-family" not in key and "space" not in key and key not in ("style", "viewBox")
        }
        if attributes.get("font-weight") == "normal":
            del attributes["font-weight"]
        if attributes.get("text-anchor") == "start":
            del attributes["text-anchor"]
        found.append((element.tag.rpartition("}")[2], attributes, (element.text or "").strip()))
    return found


def sample_tree() -> TreeNode:
    ends = (TreeNode("T,6,2", 5, -0.1), TreeNode("T,6,5", 7, 0.3))
    hit = TreeNode("hit", 90, -0.5, 0.02, 0.1, -0.53, best=True, children=ends)
    stand = TreeNode("stand", 10, -0.54, 0.01, 0.2, -0.54)
    return TreeNode("T,6 v T", 0, -0.5, children=(stand, hit))


PICTURES = {
    "curve": lambda: curve_svg([(1, 0.5), (10, 0.1), (100, 0.01)]),
    "tree": lambda: tree_svg(sample_tree(), "A tree <1>"),
    "sweep": lambda: Sweep(
        parse_grid("vegas-6d-s17", ["decks=1,2", "h17=true,false"]), (0.01, -0.02, 0.003, 0.0)
    ).svg("Sweep <t>"),
}


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_as_they_were_drawn_before(name: str) -> None:
    before = elements((GOLDENS / f"{name}.svg").read_text())
    after = elements(PICTURES[name]())
    plain = [(tag, text) for tag, _, text in before]
    assert [(tag, text) for tag, _, text in after] == plain
    for (_, old, _), (_, new, _) in zip(before[1:], after[1:], strict=True):
        shared = {key: value for key, value in old.items() if value != "100%"}
        assert shared.items() <= {"x": 0.0, "y": 0.0, **new}.items()


def sample_grid() -> HandGrid:
    rng = np.random.default_rng(1)
    chances, fills = rng.dirichlet([1, 1, 1], 169), rng.random(169)
    return grid_of_classes("first <hand>", ("f", "c", "r5"), WORDS, chances, fills, 6 * fills)


def test_a_class_has_its_place_and_its_name() -> None:
    assert HAND_CLASSES == CLASS_NAMES
    grid = sample_grid()
    assert grid.cell("aks") is grid.cells[1]
    with pytest.raises(ParameterError, match="no class of hands"):
        grid.cell("AX")


def test_the_picture_of_a_grid_has_each_share_of_each_class() -> None:
    grid = sample_grid()
    rects = [e for tag, e, _ in elements(grid.svg()) if tag == "rect"]
    for place in (0, 1, 100, 168):
        cell, left = grid.cells[place], float(46 * (place % 13))
        bottom = 52 + 46 * (place // 13) + 46
        for share, colour in zip(cell.shares.values(), grid.colours, strict=True):
            drawn = next(
                r
                for r in rects
                if r["fill"] == colour
                and abs(float(str(r["x"])) - left) < 0.11
                and abs(float(str(r["y"])) + float(str(r["height"])) - bottom) < 0.11
            )
            assert float(str(drawn["width"])) == pytest.approx(46 * share, abs=0.06)
            assert float(str(drawn["height"])) == pytest.approx(46 * cell.fill, abs=0.06)
            left += 46 * share


def test_screens_show_the_same_colours() -> None:
    """Terminal, SVG and CSS take the colours of the one palette."""
    one = HandCell("AA", 6.0, 1.0, {"f": 0.0, "c": 1.0, "r5": 0.0})
    grid = HandGrid("", ("f", "c", "r5"), (one,) * 169, WORDS)
    assert grid.colours == (palette.FOLD, palette.CALL, palette.BETS[1])
    assert palette.CALL in grid.svg()
    console = Console(width=80, force_terminal=True, color_system="truecolor")
    with console.capture() as caught:
        console.print(GridText(grid))
    red, green, blue = (int(palette.CALL[i : i + 2], 16) for i in (1, 3, 5))
    assert f"48;2;{red};{green};{blue}m" in caught.get()
    assert f"{palette.CALL} 0.0% 100.0%" in palette.gradient(grid.colours, (0, 1, 0), 1.0)


def test_fold_check_call_and_every_bet_differ_in_colour() -> None:
    labels = ["fold", "check", "call 5", "bet 33%", "bet 75%", "raise to 20", "all-in"]
    assert len(set(palette.action_colours(labels))) == len(labels)
    assert palette.action_colours(["check", "bet 5"])[0] == palette.CHECK
    assert palette.action_colours(["fold", "call (all-in)"]) == (palette.FOLD, palette.CALL)


def test_totals_and_data_come_from_the_cells() -> None:
    grid = sample_grid()
    weights = np.array([cell.weight for cell in grid.cells])
    folds = np.array([cell.shares["f"] for cell in grid.cells])
    assert grid.totals["f"] == pytest.approx(weights @ folds / weights.sum())
    data = grid.as_dict()
    assert data["actions"] == {"f": "fold", "c": "call", "r5": "raise to 5"}
    assert data["hands"]["AKs"] == grid.cell("AKs").shares
    assert data["reach"]["72o"] == grid.cell("72o").fill


def test_combos_are_gathered_by_class() -> None:
    classes = class_of_combos()
    weights = np.where(classes == CLASS_NAMES.index("AA"), 0.5, 0.0)
    every = np.ones(1326, np.bool_)
    chances = np.tile([0.25, 0.75], (1326, 1))
    grid = grid_of_combos("t", ("f", "c"), ("fold", "call"), chances, weights, every, classes)
    assert grid.cell("AA").weight == pytest.approx(3.0)
    assert grid.cell("AA").fill == pytest.approx(0.5)
    assert grid.totals == pytest.approx({"f": 0.25, "c": 0.75})
    assert grid.cell("KK").shares == {"f": 0.25, "c": 0.75}
    held = grid_of_range("held", weights, every, classes)
    assert held.actions == ()
    assert "3 hands" in repr(held)
    assert palette.PLAIN in held.svg()


@pytest.mark.parametrize("width", [39, 52, 66, 80, 200])
@pytest.mark.parametrize("colour", [None, "truecolor"])
def test_a_grid_fits_the_terminal(width: int, colour: str | None) -> None:
    console = Console(width=width, color_system=colour, force_terminal=False)  # type: ignore[arg-type]
    with console.capture() as caught:
        console.print(GridText(sample_grid(), chosen=3))
    lines = [re.sub(r"\x1b\[[\d;]*m", "", line) for line in caught.get().splitlines()]
    assert len(lines) == 13
    assert all(len(line) <= width for line in lines)


def test_tables_escape_text_and_align_numbers() -> None:
    made = str(html_table(("a<b", "n"), [("x&y", 3), (bar(0.3, "hit"), 1.5)], title="T", note="n"))
    made += facts_table("F", [("k", 2), ("z", "<i>")])
    assert made.replace('"', "'") == (GOLDENS / "table.html").read_text().strip()


def test_a_page_of_its_own_is_whole() -> None:
    text = page("A <b>", Markup("<p>x</p>"), "y < z", style="p { color: red; }")
    assert text.startswith('<!doctype html>\n<html lang="en">')
    assert "<title>A &lt;b&gt;</title>" in text
    assert "<p>x</p>y &lt; z" in text
    assert "p { color: red; }" in text
