"""Ranges painted and pasted, boards picked, equity, and blueprints with their strength."""

from urllib.parse import quote

import numpy as np
import pytest

from holdem_configs import KUHN
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.game_config import AbstractGame, HoldemConfig
from waiting import becomes

RIVER = "Qs Jh 2d 3c 4s"
THREE = {
    "game": {"players": 3, "stacks": 8},
    "bets": {"preflop": "a", "cap": 1},
    "cards": {"scheme": "percentile", "flop": 1, "turn": 1, "river": 1},
}


def test_equity_on_a_river_is_what_the_cards_say(visit):
    """Aces beat kings on this river, whatever the suits."""
    page = visit(f"/holdem/equity?first=AA&second=KK&board={quote(RIVER)}")
    page.get_by_text("100.00 %").wait_for()
    page.get_by_text("0.00 %", exact=True).first.wait_for()
    assert page.locator(".heat", has_text="AA").inner_text().split() == ["AA", "100"]


def test_painting_by_drag_and_by_key_and_pasting(visit):
    page = visit(f"/holdem/equity?first=AA&second=KK&board={quote(RIVER)}")
    grid = page.get_by_role("group", name="First range", exact=True)
    grid.locator('[data-cell="KK"]').hover()  # waits until the page is laid out
    page.mouse.down()
    grid.locator('[data-cell="QQ"]').hover()
    page.mouse.up()
    text = page.get_by_label("First range as text")
    page.wait_for_function("document.querySelector('textarea').value.startsWith('QQ+')")
    # By keyboard alone: arrows move, Enter paints, and the focus stays where it was.
    grid.locator('[data-cell="72o"]').focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('textarea').value.includes('62o')")
    page.wait_for_function("document.activeElement.dataset.cell === '62o'")
    text.fill("T9s:0.5")
    text.blur()
    grid.get_by_label("T9s: 50 per cent").wait_for()
    page.wait_for_url("**first=T9s*")
    text.fill("nonsense")
    text.blur()
    page.locator(".q-field", has=text).get_by_text("'nonsense' is not a hand").wait_for()


def test_suits_of_a_class_are_painted_one_by_one(visit):
    """Of the four combos of ace-king suited two have clubs or diamonds: 2 of 4 stay."""
    page = visit(f"/holdem/equity?first=AKs&second=KK&board={quote(RIVER)}")
    page.get_by_role("button", name="Suits").first.click()
    suits = page.get_by_role("group", name="Suits of AKs")
    suits.wait_for()
    becomes(suits.locator("button").count, 4)
    suits.get_by_label("AcKc: 100 per cent").click()
    suits.get_by_label("AcKc: 0 per cent").wait_for()
    suits.get_by_label("AdKd: 100 per cent").press("Enter")
    suits.get_by_label("AdKd: 0 per cent").wait_for()
    page.get_by_text("2 combos").wait_for()
    becomes(page.get_by_label("First range as text").input_value, "AsKs,AhKh")
    page.get_by_role("group", name="First range", exact=True).get_by_text("QJo").click()
    page.get_by_role("group", name="Suits of QJo").wait_for()
    becomes(page.locator(".suit-grid button").count, 12)


def test_a_board_is_picked_card_by_card(visit):
    page = visit("/holdem/equity?first=AA&second=KK&board=")
    deck = page.get_by_role("group", name="The deck")
    becomes(deck.locator("button").count, 52)
    for name in ("queen of spades", "jack of hearts", "2 of diamonds", "3 of clubs"):
        deck.get_by_role("button", name=name).click()
        page.get_by_role("button", name=f"Take {name} away").wait_for()
    deck.get_by_role("button", name="5 of spades").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    page.get_by_text("100.00 %").wait_for()
    becomes(page.get_by_label("Board", exact=True).input_value, RIVER)
    becomes(deck.locator("button:disabled").count, 47)  # five are enough
    page.wait_for_url("**board=Qs**4s*")
    page.reload()
    page.get_by_text("100.00 %").wait_for()
    page.get_by_role("button", name="Take 4 of spades away").click()
    page.wait_for_url("**board=Qs+Jh+2d+3c")  # the field has its new text by then
    becomes(deck.locator("button:disabled").count, 0)
    page.get_by_label("Board", exact=True).fill("Qs Jh")
    page.get_by_label("Board", exact=True).blur()
    page.get_by_text("0, 3, 4 or 5 cards").first.wait_for()


def test_the_shipped_blueprint_is_shown_and_walked(visit):
    page = visit("/holdem/blueprints")
    page.locator(".mix-cell").first.wait_for()
    becomes(page.locator(".mix-cell").count, 169)  # every hand comes to the first decision
    page.get_by_text("button to act").wait_for()
    page.locator('[data-pick="path:c"]').click()
    page.get_by_text("big blind to act").wait_for()
    page.wait_for_url("**path=c**")


def _saved(server, name, table):
    abstract = AbstractGame.build(HoldemConfig.from_table(table))
    Blueprint(abstract, np.ones(abstract.num_bytes // 8, np.uint16)).save(server.folder / name)


def test_every_seat_of_a_blueprint_opens(visit, server):
    """Three players: the button and the small blind can open; half of a coin plays."""
    _saved(server, "three.rb", THREE)
    page = visit("/holdem/blueprints?name=three.rb")
    page.locator(".seat-card").first.wait_for()
    assert [text.split("\n")[0] for text in page.locator(".seat-card").all_inner_texts()] == [
        "Button",
        "Small blind",
    ]
    page.locator(".seat-card", has_text="Small blind").click()
    page.get_by_text("small blind to act").wait_for()
    page.wait_for_url("**path=f**")


def test_a_small_blueprint_is_measured_exactly(visit, server):
    """Uniform play in Kuhn poker gives a best response 11/24 of the ante per game on average
    (5/12 and 1/2 by enumeration in tests of Kuhn poker), that is 458 thousandths."""
    _saved(server, "kuhn.rb", KUHN)
    page = visit("/holdem/blueprints?name=kuhn.rb")
    page.get_by_text("reduced deck").wait_for()
    page.get_by_role("button", name="Measure").click()
    row = page.locator("tr", has_text="a best response wins, exact")
    row.wait_for()
    becomes(row.locator("td").nth(1).inner_text, "+458")
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("Stopped").or_(
        page.get_by_role("button", name="Measure again")
    ).first.wait_for()
    page.reload()
    page.locator("tr", has_text="a best response wins, exact").wait_for()


@pytest.mark.slow
def test_a_local_best_response_is_measured_beside_the_page_and_stopped(visit):
    page = visit("/holdem/blueprints")
    page.get_by_role("button", name="Measure").click()
    row = page.locator("tr", has_text="a local best response wins")
    row.get_by_text("±").wait_for()
    page.locator('[data-pick="path:c"]').click()  # the page answers meanwhile
    page.get_by_text("big blind to act").wait_for()
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("Stopped").wait_for()
    page.reload()
    row.get_by_text("±").wait_for()
