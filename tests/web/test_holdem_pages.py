"""Ranges painted and pasted, equity, and a spot solved and walked through."""

from urllib.parse import quote

import pytest

RIVER = "Qs Jh 2d 3c 4s"


def test_equity_on_a_river_is_what_the_cards_say(visit):
    """Aces beat kings on this river, whatever the suits."""
    page = visit(f"/holdem/equity?first=AA&second=KK&board={quote(RIVER)}")
    page.get_by_text("100.00 %").wait_for()
    page.get_by_text("0.00 %", exact=True).first.wait_for()
    assert page.locator(".heat", has_text="AA").inner_text().split() == ["AA", "100"]


def test_painting_by_drag_and_by_key_and_pasting(visit):
    page = visit(f"/holdem/equity?first=AA&second=KK&board={quote(RIVER)}")
    grid = page.get_by_role("group", name="First range").first
    start, end = (grid.locator(f'[data-cell="{c}"]').bounding_box() for c in ("KK", "QQ"))
    page.mouse.move(start["x"] + 5, start["y"] + 5)
    page.mouse.down()
    page.mouse.move(end["x"] + 5, end["y"] + 5, steps=4)
    page.mouse.up()
    text = page.get_by_label("First range as text")
    page.wait_for_function("document.querySelector('textarea').value.startsWith('QQ+')")
    grid.locator('[data-cell="72o"]').press("Enter")
    page.wait_for_function("document.querySelector('textarea').value.includes('72o')")
    text.fill("T9s:0.5")
    text.blur()
    grid.get_by_label("T9s: 50 per cent").wait_for()
    page.wait_for_url("**first=T9s*")
    text.fill("nonsense")
    text.blur()
    page.get_by_text("nonsense").first.wait_for()


@pytest.fixture(scope="module")
def spot(browser, server):
    """A small river spot solved from the form; its address."""
    page = browser.new_page()
    page.set_default_timeout(120_000)
    page.goto(server.address + "/holdem/spots")
    page.get_by_label("Board").fill(RIVER)
    page.get_by_label("OOP as text").fill("AA,QQ,JTs,98s")
    page.get_by_label("OOP as text").blur()
    page.get_by_label("IP as text").fill("KK,QJs,AQs")
    page.get_by_label("IP as text").blur()
    page.get_by_role("button", name="Solve").click()
    page.locator(".mixed button").first.wait_for()
    address = page.url.removeprefix(server.address)
    page.close()
    return address


def test_a_spot_is_solved_and_its_evs_share_the_pot(visit, spot):
    page = visit(spot)
    tile = page.locator(".tile", has_text="EV of OOP").locator("b")
    tile.wait_for()
    first, second = (float(part) for part in tile.inner_text().split("/"))
    assert first + second == pytest.approx(60, abs=0.05)  # no rake: the pot is shared
    page.locator('.mixed [data-pick="class:AA"]').click()
    page.locator("table tr", has_text="%").first.wait_for()


def test_walking_to_a_node_has_an_address(visit, spot):
    page = visit(spot)
    page.locator('[data-pick="play:check"]').click()
    page.wait_for_url("**node=r:0:c")
    page.reload()
    page.get_by_text("IP to act").wait_for()
    page.locator('[data-pick="node:r:0"]').click()
    page.get_by_text("OOP to act").wait_for()


def test_a_spot_that_cannot_be_is_refused_in_a_sentence(visit):
    page = visit("/holdem/spots")
    page.get_by_label("Board").fill("Qs Qs 2d")
    page.get_by_role("button", name="Solve").click()
    page.get_by_text("twice").or_(page.get_by_text("Qs")).first.wait_for()
    visit("/holdem/spots/nosuchspot").get_by_role("alert").wait_for()


def test_the_shipped_blueprint_is_shown_and_walked(visit):
    page = visit("/holdem/blueprints")
    page.locator(".mix-cell").first.wait_for()
    assert page.locator(".mix-cell").count() == 169  # every hand comes to the first decision
    page.get_by_text("button to act").wait_for()
    page.locator('[data-pick="path:c"]').click()
    page.get_by_text("big blind to act").wait_for()
    page.wait_for_url("**path=c**")
