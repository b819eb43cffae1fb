"""Solving in the browser: to its end, kept over a restart, walked through, compared."""

import pytest


@pytest.fixture(scope="module")
def solved(browser, server):
    """Kuhn solved by two algorithms; the address of the run."""
    page = browser.new_page()
    page.set_default_timeout(90_000)
    page.goto(server.address + "/solve?game=kuhn")
    page.get_by_role("button", name="Solve").click()
    page.get_by_text("walk the tree").nth(1).wait_for()
    address = page.url.removeprefix(server.address)
    page.close()
    return address


def test_a_solve_to_its_end_is_found_again_by_its_address(visit, solved):
    page = visit(solved)
    page.get_by_text("walk the tree").nth(1).wait_for()
    # Kuhn poker's value for the first player is −1/18.
    text = page.locator("table").inner_text()
    assert text.count("−0.0555") + text.count("−0.0556") == 2
    assert "dcfr" in text
    assert "cfr+" in text


def test_walking_the_tree_shows_every_hand(visit, solved):
    page = visit(f"{solved}/0")
    page.wait_for_selector(".shares")
    assert page.locator("table td:first-child").all_inner_texts() == ["J", "K", "Q"]
    page.locator('[data-pick="go:b"]').click()
    page.get_by_text("Player 2 does").wait_for()
    row = page.locator("tr", has_text="K").inner_text()
    assert "100.0%" in row  # a king always calls
    page.wait_for_url("**node=b")
    page.reload()
    page.get_by_text("Player 2 does").wait_for()


def test_a_saved_strategy_is_at_home_and_compared_with_itself(visit, solved, server):
    page = visit(f"{solved}/0")
    page.wait_for_selector(".shares")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved as kuhn").wait_for()
    home = visit("/")
    home.get_by_role("link", name="kuhn.rb").click()
    home.wait_for_selector(".shares")
    home.get_by_role("button", name="Compare").click()
    home.get_by_text("this one first").wait_for()
    first = home.locator("tr", has_text="this one first").inner_text()
    assert "−0.0555" in first or "−0.0556" in first


def test_a_run_can_be_stopped_keeps_what_it_found_and_blocks_no_page(visit):
    page = visit("/solve?game=leduc")
    page.get_by_label("is").fill("1e-14")
    page.get_by_role("button", name="Solve").click()
    page.get_by_text("solving").first.wait_for()
    other = visit("/blackjack/hand")
    other.locator('[data-pick="hand:2"]').click()
    other.get_by_text("Your hand: 18").wait_for()
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("walk the tree").nth(1).wait_for()


@pytest.mark.parametrize("path", ["/solve/run/nosuchrun", "/solve/strategy/none.rb"])
def test_what_is_not_there_is_said_in_a_sentence(visit, path):
    visit(path).get_by_role("alert").wait_for()


def test_wrong_parameters_are_refused(visit):
    page = visit("/solve?game=kuhn")
    page.get_by_label("players").fill("one")
    page.get_by_role("button", name="Solve").click()
    page.get_by_text("players takes a whole number").wait_for()
