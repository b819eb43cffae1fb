"""The 169 classes as a template draws them."""

import re
from dataclasses import replace

import numpy as np
import pytest

import riverboat as rb
from riverboat.games.base import parameter_label, parameters_of
from riverboat.games.registry import GAMES, game_class, make_game
from riverboat.web.app.templates import macro
from riverboat.web.pages.holdem.class_grid import action_cells, value_cells


@pytest.fixture(scope="module")
def node():
    """The small blind with ten big blinds, who folds or goes all-in."""
    return rb.solve(rb.preflop(stacks=[10, 10])).node()


def drawn(cells, **options):
    return macro("holdem/class_grid.html", "class_grid")(cells, "The strategy", **options)


def test_every_class_is_in_the_grid_with_frequencies_and_ev(node):
    """Folding as the small blind loses half a big blind."""
    grid = drawn(action_cells(node.grid))
    assert grid.count('<span class="cell') == 169
    assert "72o: fold 100%, all-in 0%, EV −0.50" in grid
    assert ">−0.50</small>" in drawn(value_cells(node.grid))


def test_classes_are_links_and_those_picked_are_marked(node):
    links = {cell.name: f"?hands={cell.name}" for cell in node.grid.cells}
    grid = drawn(action_cells(node.grid), links=links, picked=["AA"])
    assert grid.count("<a ") == 169
    assert re.findall(r'id="cell-(\w+)"[^>]*aria-current="true"', grid) == ["AA"]
    assert grid.count('tabindex="0"') == 1


def test_letters_can_be_read_on_every_colour_behind_them(node):
    """Half fold (light letters) and half all-in (dark ones): light letters with a dark halo."""
    half = replace(node, frequencies=np.full_like(node.frequencies, 0.5))
    assert {cell.ink for cell in action_cells(half.grid)} == {"light"}
    called = replace(node, actions=("c", "a"))
    green = replace(called, frequencies=np.stack([np.full(169, 0.8), np.full(169, 0.2)]))
    assert {cell.ink for cell in action_cells(green.grid)} == {"dark"}


def test_bars_fill_a_cell_from_side_to_side(node):
    for cell in action_cells(node.grid):
        assert sum(bar.width for bar in cell.bars) == pytest.approx(100, abs=0.3)


def test_unknown_evs_and_empty_classes_are_named(node):
    unknown = replace(node, values=np.full_like(node.values, np.nan))
    assert drawn(value_cells(unknown.grid)).count(">?</small>") == 169
    absent = replace(node, reach=np.zeros(169))
    assert drawn(action_cells(absent.grid)).count("does not get here") == 169


@pytest.mark.parametrize("name", GAMES)
def test_a_parameter_has_words_and_no_raw_name(name):
    for field in parameters_of(make_game(name)):
        assert "_" not in parameter_label(game_class(name), field)
