"""A hand of every game to its end in a real browser, hints, reload, and what a seat may see."""

import json
import re

import pytest

from page_fit import fits
from waiting import becomes

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
    "game", ["rps", "kuhn", "leduc", "liars_dice", "showdown", "duel", "twentyone", "holdem"]
)
def test_a_hand_to_its_end_survives_a_reload(visit, game):
    page = visit(f"/play/{game}")
    words = play_to_the_end(page)
    assert words.startswith(("you win", "you lose", "nothing"))
    fits(page)
    page.wait_for_url(f"**/play/{game}/*")
    told = page.locator(LOG).inner_text()
    page.reload()
    page.wait_for_selector(".hand-end")
    becomes(page.locator(LOG).inner_text, told)
    page.keyboard.press("Enter")
    page.get_by_text("Hand 2").wait_for()


def kept_actions(page, server):
    """The moves in the file of the page's sitting, after a reload has taken in what was sent."""
    page.reload()
    page.wait_for_selector(MOVES)
    name = page.url.rpartition("/")[2]
    file = server.folder / ".web" / "sittings" / f"{name}.json"
    return json.loads(file.read_text())["actions"]


@pytest.mark.parametrize("hand", ["double click", "held key"])
def test_a_double_click_or_a_held_key_is_one_move(visit, server, hand):
    page = visit("/play/leduc")
    page.wait_for_selector(MOVES)
    before = page.locator(LOG).inner_html()
    if hand == "double click":
        page.locator('[data-pick="do:c"]').dblclick()
    else:
        for _ in range(6):
            page.keyboard.down("c")
        page.keyboard.up("c")
    page.wait_for_function("text => document.querySelector('.log').innerHTML !== text", arg=before)
    told = page.locator(LOG).inner_text()
    assert kept_actions(page, server) == ["c"]
    assert page.locator(LOG).inner_text() == told


def test_a_double_click_on_raise_is_one_raise(visit, server):
    page = visit("/play/holdem")
    first_decision(page)
    before = page.locator(LOG).inner_html()
    actions = len(kept_actions(page, server))
    page.get_by_role("button", name="Raise", exact=True).dblclick()
    page.wait_for_function("text => document.querySelector('.log').innerHTML !== text", arg=before)
    assert len(kept_actions(page, server)) == actions + 1


def test_a_double_click_deals_one_round_of_blackjack(visit, server):
    page = visit("/play/blackjack")
    page.locator('[data-pick="chip:5"]').dblclick()
    page.get_by_text("Deal for 11").wait_for()
    page.locator('[data-pick="deal:"]').dblclick()
    page.get_by_text("Round 1, bet 11").wait_for()
    assert kept_actions(page, server) == ["bet:11"]


def test_a_hand_by_keyboard_alone(visit):
    """From the address bar: Tab to the game, Enter, its keys, Enter for the next hand."""
    page = visit("/play")
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('href')") == "/play/liars_dice":
            break
    ring = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert ring == "solid"
    page.keyboard.press("Enter")
    page.wait_for_selector(MOVES)
    page.keyboard.type("26")  # two sixes, the highest bid, as it is typed in the terminal
    page.get_by_text("you bid 2 × 6").or_(page.get_by_text("you choose 2 × 6")).first.wait_for()
    page.locator(".hand-end").first.wait_for()
    page.keyboard.press("Enter")
    page.get_by_text("Hand 2").wait_for()
    page.keyboard.press("?")
    page.locator(".mix").wait_for()


def test_every_button_is_reached_by_tab_in_the_order_of_reading(visit):
    page = visit("/play/kuhn")
    page.wait_for_selector(MOVES)
    stops = []
    for _ in range(40):
        page.keyboard.press("Tab")
        where = page.evaluate(
            """() => {
              const at = document.activeElement, box = at.getBoundingClientRect();
              const look = getComputedStyle(at);
              const seen = at.matches('input') ? 'frame'
                : look.outlineStyle !== 'none' ? 'line'
                : getComputedStyle(at, '::after').borderTopStyle;
              return at === document.body ? null : [at.textContent || at.ariaLabel, box.top, seen];
            }"""
        )
        if where is None or where in stops:
            break
        stops.append(where)
    names = [str(name) for name, _, _ in stops]
    assert names[0] == "Skip to the page"
    order = [
        next(i for i, name in enumerate(names) if text in name)
        for text in ("Play", "hint", "New sitting")
    ]
    assert order == sorted(order)
    # What has the focus can be seen: by an outline, or by the frame of a field.
    assert not [name for name, _, seen in stops if seen == "none"]


def test_a_hint_by_key_shows_the_equilibrium_and_its_values(visit):
    page = visit("/play/kuhn")
    page.wait_for_selector(MOVES)
    page.keyboard.press("?")
    page.locator(".mix").wait_for()
    assert "EV" in page.locator(".mix").inner_text()


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
    fits(page)
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
    becomes(page.locator(LOG).inner_text, told)


def first_decision(page):
    """At hold'em for two; where the opponent folds at once, that of the next hand."""
    page.wait_for_selector(MOVES)
    if page.get_by_text("Next hand").count():
        page.keyboard.press("Enter")
        page.locator('[data-pick="do:c"]').wait_for()


def test_a_blueprint_decides_the_chips_and_refuses_others(visit):
    page = visit("/play/holdem")
    first_decision(page)
    stacks = page.get_by_label("stacks")
    becomes(stacks.input_value, "100")
    left = re.search(r"bet (\d+) · (\d+) left", page.locator(".seats.own").inner_text())
    assert int(left.group(1)) + int(left.group(2)) == 100
    page.get_by_text("hint").click()
    page.locator(".mix").wait_for()
    named = page.locator(".mix > span:first-child, .mix > .value + span").all_inner_texts()
    buttons = page.locator(MOVES).all_inner_texts()
    assert all(any(words in text for text in buttons) for words in named), (named, buttons)
    becomes(page.get_by_text("cost of your moves").count, 0)
    stacks.fill("200")
    page.get_by_role("button", name="New sitting").click()
    page.get_by_role("alert").get_by_text("plays with stacks 100, not 200").wait_for()
    for gone in (MOVES, ".log", ".q-slider", ".mix", ".tile"):
        page.locator(gone).first.wait_for(state="detached")
    page.get_by_label("Against").click()
    page.get_by_role("option", name="a tight player by rules").click()
    page.get_by_role("button", name="New sitting").click()
    first_decision(page)
    left = re.search(r"bet (\d+) · (\d+) left", page.locator(".seats.own").inner_text())
    assert int(left.group(1)) + int(left.group(2)) == 200
    page.get_by_label("Against").click()
    page.get_by_role("option", name="the blueprint").click()
    page.wait_for_function("document.querySelector('[aria-label=stacks]').value === '100'")
