"""A solution before the flop in a notebook."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import riverboat as rb
from riverboat.holdem.preflop.solution import PreflopSolution


def test_a_solution_shows_seats_grid_and_decisions():
    """Ten big blinds: the small blind pushes 58 % of hands, the big blind calls 37 %."""
    solution = rb.solve(rb.preflop(stacks=[10, 10]))
    shown = solution._repr_html_()
    root = ElementTree.fromstring(f"<div>{shown}</div>")
    words = [each.text for each in root.iter() if each.text and "aria-hidden" not in each.attrib]
    assert words.count("AKs") == 1
    assert solution.title in words
    assert re.search(r"fold 4\d\.\d%, all-in 58\.\d%", shown)
    assert re.search(r"fold 6\d\.\d%, call 37\.\d%", shown)
    assert "<svg" in solution.node("a")._repr_html_()


def test_a_notebook_names_the_decisions_that_it_leaves_out():
    solution = rb.solve(rb.preflop(stacks=[10, 10]), iterations=2)
    node = replace(solution.nodes[0], seat="<b>", put={"<b>": 0.5, "bb": 1.0})
    many = PreflopSolution("<script>", {}, ("<b>", "bb"), [node] * 100, {})
    shown = many._repr_html_()
    assert "and 88 more" in shown
    assert "<script" not in shown
    assert "<b></b>" not in shown
