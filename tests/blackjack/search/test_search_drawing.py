"""Pictures of the search: well-formed, complete, and of a width that terminals have."""

from xml.etree import ElementTree

from riverboat.blackjack.rules import PRESETS
from riverboat.blackjack.search.mcts import Budget, Search
from riverboat.blackjack.search.memory import Knowledge
from riverboat.blackjack.search.problem import Situation, Table
from riverboat.blackjack.search.tree import coverage_of, exact_values, outline
from riverboat.blackjack.search.tree_drawing import (
    ROWS,
    coverage_lines,
    coverage_svg,
    tree_lines,
    tree_svg,
)
from riverboat.drawing.html import page

TEXT = "/10B86TH$HW20L30|SW10L90$4S$SW70L30$/10BTTTS$SW9000L1000$"


def test_the_tree() -> None:
    situation = Situation.of(Table(PRESETS["combo-charlie"]), "8,8", "6")
    search = Search()
    search.run(situation, Budget(20_000))
    exact = exact_values(situation)
    root = outline(search, exact)
    assert root.children[0].label == "split"
    assert {node.label: node.exact for node in root.children} == {
        "split": exact["P"],
        "stand": exact["S"],
        "hit": exact["H"],
        "double": exact["D"],
    }
    assert sum(node.visits for node in root.children) == 20_000
    lines = list(tree_lines(root))
    assert max(map(len, lines)) < 80
    assert any("bust" in line for line in lines)
    assert sum("◀" in line for line in lines) == 1
    picture = tree_svg(root, "8,8 & 6")
    ElementTree.fromstring(picture)
    assert "8,8 &amp; 6" in picture
    assert picture in page("<title>", picture)
    assert "&lt;title&gt;" in page("<title>", picture)


def test_the_coverage() -> None:
    cells = coverage_of(Knowledge.from_text(TEXT))
    assert {(c.row, c.up): (c.best, c.states) for c in cells} == {
        ("hard 16", "8"): ("H", 1),
        ("hard 20", "8"): ("S", 1),
        ("T,T", "T"): ("S", 1),
    }
    lines = list(coverage_lines(cells))
    assert len(lines) == 1 + len(ROWS) + 3
    assert "H3" in next(line for line in lines if line.startswith("hard 16"))
    assert "S5" in next(line for line in lines if line.startswith("T,T"))
    ElementTree.fromstring(coverage_svg(cells, "a < b"))
