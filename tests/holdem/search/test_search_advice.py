"""What a thinking coach says: both ranges as grids, in the terminal too."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

from riverboat.cards.card import parse_cards
from riverboat.cards.combos import CLASS_NAMES, COMBO_CARDS, class_of_combos
from riverboat.cli.main import app
from riverboat.drawing.grid_text import side_by_side
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.search._options import SearchOptions
from riverboat.holdem.search._range_tracking import NOISE
from riverboat.holdem.search.player import SearchAdvice, SearchCoach
from riverboat.holdem.search.searcher import Searcher
from riverboat.players.player import View

QUICK = SearchOptions(seconds=0.05, iterations=3, safe=False, flop=False)


@cache
def searcher() -> Searcher:
    return Searcher(Blueprint.load("shipped"), QUICK, clock=False)


def advice(hand: str, board: str, history: str) -> SearchAdvice:
    game = searcher().blueprint.rules
    player = game.resume([[], []], parse_cards(board), history).actor
    hands: list[list[int]] = [[], []]
    hands[player] = parse_cards(hand)
    state = game.resume(hands, parse_cards(board), history)
    view = View(game, player, state.infoset(player), tuple(state.actions()))
    return SearchCoach(game, searcher()).advise(view)


def test_after_a_raise_the_opponents_range_is_what_the_blueprint_raises() -> None:
    """Bayes: each hand as likely as the raise with it; a thousandth of each is at random."""
    found = advice("AsKd", "", "r4")
    blueprint = searcher().blueprint
    start = blueprint.rules.with_hands([[], []])
    actions, chances = blueprint.all_hands(start)
    raised = (1 - NOISE) * chances[:, actions.index("r4")] + NOISE
    free = ~np.isin(COMBO_CARDS, parse_cards("AsKd")).any(axis=1)
    assert found.ranges is not None
    own, theirs = found.ranges
    kinds = class_of_combos()
    for name in ("AA", "AKs", "72o", "KTs"):
        members = (kinds == CLASS_NAMES.index(name)) & free
        expected = raised[members].mean() / raised.max()
        assert theirs.cell(name).fill == pytest.approx(expected)
    assert [cell.fill for cell in own.cells] == pytest.approx(np.ones(169))
    assert theirs.actions == ()
    assert repr(theirs).endswith("hands>")
    assert "<svg" in theirs.svg()


def test_on_the_turn_the_ranges_are_those_of_the_solution() -> None:
    found = advice("KsQc", "AdTc5s6c", "r6c/cr8c/")
    assert found.ranges is not None
    own, theirs = found.ranges
    assert found.source == "search"
    assert found.values
    at = searcher().cursor_at(
        searcher().blueprint.rules.resume([[], []], parse_cards("AdTc5s6c"), "r6c/cr8c/")
    )
    assert at is not None
    for grid, player in ((own, 0), (theirs, 1)):
        reach = at.reach[player]
        kind = int(np.argmax([cell.weight for cell in grid.cells]))
        members = class_of_combos() == kind
        cards = "AdTc5s6c" if player == 0 else "AdTc5s6cKsQc"
        members &= ~np.isin(COMBO_CARDS, parse_cards(cards)).any(axis=1)
        top = reach[~np.isin(COMBO_CARDS, parse_cards("AdTc5s6c")).any(axis=1)].max()
        assert grid.cells[kind].weight == pytest.approx(reach[members].sum() / top)
    assert sum(own.totals.values()) == pytest.approx(1.0)


@pytest.mark.parametrize(("width", "lines"), [(120, 16), (60, 32)])
def test_two_grids_stand_side_by_side_where_there_is_room(width: int, lines: int) -> None:
    found = advice("AsKd", "", "r4")
    assert found.ranges is not None
    console = Console(width=width, record=True, file=None)
    with console.capture() as caught:
        console.print(side_by_side(found.ranges, width))
    shown = [line.rstrip() for line in caught.get().splitlines()]
    assert lines - 1 <= len(shown) <= lines + 1
    assert "your range" in shown[0]
    assert ("opponent" in shown[0]) == (width > 100)
    assert max(map(len, shown)) <= width


def test_play_with_hints_shows_both_ranges() -> None:
    words = ["play", "holdem", "--against", "search?iterations=1&seconds=0.05&flop=0", "--hint"]
    done = CliRunner().invoke(app, [*words, "--hands", "1", "--seed", "3"], input="q\n")
    assert done.exit_code == 0
    assert "your range" in done.output
    assert "your opponent's range" in done.output
