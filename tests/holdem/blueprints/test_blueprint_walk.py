"""Walking through a blueprint: ranges by the product of what was done, grids by their hands."""

from xml.etree import ElementTree

import numpy as np
import pytest

from riverboat.cards.combos import CLASS_NAMES, COMBO_CARDS, combo_index
from riverboat.errors import RiverboatError
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.game_config import AbstractGame, HoldemConfig
from riverboat.holdem.blueprints.walk import look

CONFIG = {
    "game": {"stacks": 24},
    "bets": {"preflop": "1p,a", "flop": "0.5p,a", "cap": [2, 2, 1, 1]},
    "cards": {"scheme": "percentile", "flop": 3, "turn": 2, "river": 5},
}


@pytest.fixture(scope="module")
def blueprint() -> Blueprint:
    abstract = AbstractGame.build(HoldemConfig.from_table(CONFIG))
    numbers = np.random.default_rng(1).integers(1, 65_536, abstract.num_bytes // 8)
    return Blueprint(abstract, numbers.astype(np.uint16))


def test_the_first_decision_is_the_buttons(blueprint: Blueprint) -> None:
    first = look(blueprint)
    assert first.seat == "button"
    assert first.actions == ("f", "c", "r6", "r24")
    state = blueprint.rules.with_hands([(), tuple(COMBO_CARDS[5].tolist())])
    assert first.chances[5].tolist() == list(blueprint.choices(state).values())
    assert all(cell.fill == 1 for cell in first.grid.cells)
    assert sum(cell.weight for cell in first.grid.cells) == 1326


def test_ranges_are_products_of_what_was_done(blueprint: Blueprint) -> None:
    """The button raises to 6 and is called; on the flop a hand's weight is that probability."""
    button, caller = look(blueprint), look(blueprint, "r6")
    flop = look(blueprint, "r6c/", "Qs Js 2d")
    hand = combo_index(10, 30)
    raised = button.chances[hand][button.actions.index("r6")]
    called = caller.chances[hand][caller.actions.index("c")]
    assert flop.state.actor == 0
    assert flop.ranges[1, hand] == pytest.approx(raised)
    assert flop.ranges[0, hand] == pytest.approx(called)
    blocked = np.isin(COMBO_CARDS, flop.state.board).any(axis=1)
    assert not flop.ranges[:, blocked].any()
    assert look(blueprint, "r6, c", "QsJs2d").state == flop.state


def test_a_cell_is_the_mean_of_its_hands_by_their_weights(blueprint: Blueprint) -> None:
    found = look(blueprint, "r6c", "Qs Js 2d")
    kind = CLASS_NAMES.index("AA")
    aces = [combo_index(a, b) for a in range(48, 52) for b in range(a + 1, 52)]
    weights, chances = found.ranges[0, aces], found.chances[aces]
    expected = weights @ chances / weights.sum()
    assert list(found.grid.cells[kind].shares.values()) == pytest.approx(expected.tolist())
    assert found.grid.cells[kind].fill == pytest.approx(weights.mean())
    assert sum(found.grid.totals.values()) == pytest.approx(1)


def test_a_grid_draws_itself(blueprint: Blueprint) -> None:
    grid = look(blueprint, "r6").grid
    picture = ElementTree.fromstring(grid.svg())
    words = [element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert set(CLASS_NAMES) <= set(words)
    assert grid.html().startswith("<!doctype html>")
    assert "<svg" in grid._repr_html_()
    assert "\n" not in repr(grid)
    facts = look(blueprint, "r6").as_dict()
    assert facts["next"]["r24"] == "r6r24"
    assert "f" not in facts["next"]
    assert sum(facts["hands"]["72o"].values()) == pytest.approx(1)


def test_a_bet_that_is_not_its_own_says_nothing_about_the_range(blueprint: Blueprint) -> None:
    found = look(blueprint, "r7")
    assert found.foreign == ("r7",)
    assert np.all(found.ranges == 1)


@pytest.mark.parametrize(
    ("path", "board", "word"),
    [
        ("r6c", "", "board of 3 cards"),
        ("r6c", "Qs Js", "board of 3 cards"),
        ("r6c", "Qs Js 2d 3d", "not on the board yet"),
        ("", "Qs Js 2d", "ends on the preflop"),
        ("f", "", "nobody acts"),
        ("ff", "", "over"),
        ("r6x", "", "cr6c"),
        ("r5000", "", "not possible"),
        ("r6c", "Qs Qs 2d", "Qs"),
    ],
)
def test_a_path_that_leads_nowhere_is_refused(
    blueprint: Blueprint, path: str, board: str, word: str
) -> None:
    with pytest.raises(RiverboatError, match=word):
        look(blueprint, path, board)


def test_a_single_hand(blueprint: Blueprint) -> None:
    first = look(blueprint)
    assert sum(first.hand("AsKd").values()) == pytest.approx(1)
    with pytest.raises(RiverboatError, match="two cards"):
        first.hand("As")
