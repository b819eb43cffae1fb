"""A hand of every game to its end in a real browser, hints, reload, and what a seat may see."""

import pytest

MOVES = '.moves [data-pick^="do:"]'
LOG = ".log"


def play_to_the_end(page, *, moves=60):
    """Press the first move until the hand is over; the words of the end."""
    for _ in range(moves):
        page.wait_for_selector(MOVES)
        if page.locator('[data-pick="do:next"]').count():
            return page.locator(".hand-end").first.inner_text()
        before = page.locator(LOG).inner_html()
        page.locator(MOVES).first.click()
        page.wait_for_function(
            "text => document.querySelector('.log').innerHTML !== text", arg=before
        )
    raise AssertionError("the hand does not end")


@pytest.mark.parametrize(
    "game", ["rps", "kuhn", "leduc", "showdown", "duel", "twentyone", "holdem"]
)
def test_a_hand_to_its_end_survives_a_reload(visit, game):
    page = visit(f"/play/{game}")
    words = play_to_the_end(page)
    assert words.startswith(("you win", "you lose", "nothing"))
    page.wait_for_url(f"**/play/{game}/*")
    told = page.locator(LOG).inner_text()
    page.reload()
    page.wait_for_selector(".hand-end")
    assert page.locator(LOG).inner_text() == told
    page.keyboard.press("Enter")
    page.get_by_text("Hand 2").wait_for()


def test_a_hint_by_key_shows_the_equilibrium_and_its_values(visit):
    page = visit("/play/kuhn")
    page.wait_for_selector(MOVES)
    page.keyboard.press("?")
    page.locator(".mix").wait_for()
    assert "worth" in page.locator(".mix").inner_text()


def test_parameters_that_cannot_be_are_refused_in_a_sentence(visit):
    page = visit("/play/kuhn")
    page.wait_for_selector(MOVES)
    page.get_by_label("players").fill("9")
    page.get_by_role("button", name="New sitting").click()
    page.get_by_text("players must be 2 to 5, not 9").wait_for()


def test_an_unknown_game_or_sitting_is_no_error(visit):
    visit("/play/no-such-game").get_by_text("There is no game").wait_for()
    page = visit("/play/kuhn/no-such-sitting")
    page.wait_for_selector(MOVES)
    page.wait_for_url(lambda url: "no-such-sitting" not in url)


def test_blackjack_with_chips_and_the_count(visit):
    page = visit("/play/blackjack")
    page.locator('[data-pick="chip:5"]').click()
    page.get_by_text("Deal for 6").wait_for()
    page.keyboard.press("Enter")
    page.get_by_text("Round 1, bet 6").wait_for()
    page.get_by_text("Show the count").click()
    page.get_by_text("running / true count").wait_for()
    for _ in range(12):
        if page.locator('[data-pick="deal:"]').count():
            break
        before = page.locator(LOG).inner_html()
        page.locator(MOVES).first.click()
        page.wait_for_function(
            "text => document.querySelector('.log').innerHTML !== text", arg=before
        )
    told = page.locator(LOG).inner_text()
    page.reload()
    page.wait_for_selector(".hand-end")
    assert page.locator(LOG).inner_text() == told
