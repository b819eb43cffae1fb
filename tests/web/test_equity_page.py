"""Equity: two ranges painted and pasted, a board picked, who is ahead."""

import json
import re
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from commands import Command
from page_fit import fits
from waiting import becomes, wait_until

RIVER = "Qs Jh 2d 3c 4s"


def address(**query):
    return f"/holdem/equity?{urlencode({'first': 'AA', 'second': 'KK', 'board': RIVER, **query})}"


def filled(client, path):
    """A page that has its answer: it may be computed for a moment."""

    def there():
        return "Computing" not in client.get(path).text

    wait_until(there)
    return client.get(path).text


def kept(page, name):
    """A value of the address of a page in the browser, when it is read."""
    read = f"new URLSearchParams(location.search).get({name!r})"
    return lambda: page.evaluate(read)


def after(client, **query):
    """The address that a press of a button leads to, as its values."""
    answer = client.get(address(**query))
    assert answer.status_code == 303
    query = parse_qs(urlsplit(answer.headers["location"]).query, keep_blank_values=True)
    return {name: values[0] for name, values in query.items()}


def test_equity_on_a_river_is_what_the_cards_say(client):
    """Aces beat kings on this river, whatever the suits."""
    page = filled(client, address())
    assert re.findall(r"<b>([\d.]+) %</b>", page) == ["100.00", "0.00"]
    assert '<span class="heat p100">AA<small>100</small></span>' in page


@pytest.mark.parametrize(
    ("first", "second", "board"), [("AA,KQs:0.4", "KK,QQ", "Qs Jh 2d"), ("22+", "AKs", RIVER)]
)
def test_page_api_and_command_line_say_the_same_numbers(
    client, command: Command, first, second, board
):
    said = json.loads(command("equity", first, second, "--board", board, "--json").out)
    answer = client.get("/api/v1/holdem/equity", params={"player": [first, second], "board": board})
    assert answer.json()["equity"] == said["equity"]
    assert answer.json()["total"] == said["total"]
    sides = client.get(
        "/api/v1/holdem/ranges", params={"first": first, "second": second, "board": board}
    ).json()["sides"]
    assert [side["equity"] for side in sides] == said["equity"]
    page = filled(client, address(first=first, second=second, board=board))
    assert re.findall(r"<b>([\d.]+) %</b>", page) == [f"{100 * e:.2f}" for e in said["equity"]]


def test_a_cell_that_is_pressed_is_painted_and_pressed_again_erased(client):
    assert after(client, first_paint="KK")["first"] == "KK+"
    assert after(client, first="KK+", first_paint="KK")["first"] == "AA"
    assert after(client, first_paint="T9s", first_brush=50)["first"] == "AA,T9s:0.5"
    assert after(client, first_paint="KK,QQ,AA", first_erase="")["first"] == "QQ+"
    assert after(client, first="QQ+", first_paint="KK,QQ", first_erase="1")["first"] == "AA"


def test_single_hands_of_a_class_are_painted(client):
    """Of the four suited hands of ace and king two have clubs or diamonds: 2 of 4 stay."""
    page = client.get(address(first="AKs", first_suits="AKs")).text
    assert len(re.findall(r'name="first_paint" value="A[shdc]K[shdc]"', page)) == 4
    left = after(client, first="AKs", first_paint="AcKc,AdKd", first_erase="1", first_suits="AKs")
    assert (left["first"], left["first_suits"]) == ("AsKs,AhKh", "AKs")


def test_a_card_that_is_pressed_lies_on_the_board_and_pressed_again_does_not(client):
    assert after(client, board="Qs Jh 2d", board_card="3c")["board"] == "Qs Jh 2d 3c"
    assert after(client, board="Qs Jh 2d 3c", board_card="Jh")["board"] == "Qs 2d 3c"
    assert after(client, board=RIVER, board_card="As")["board"] == RIVER  # five are enough


@pytest.mark.parametrize(
    ("field", "text", "sentence"),
    [
        ("first", "nonsense", "&#39;nonsense&#39; is not a hand"),
        ("second", "", "A range is empty"),
        ("first", "A" * 30_000, "at most 20,000 characters"),
        ("board", "Qs Jh", "0, 3, 4 or 5 cards"),
        ("board", "Qs Qs 2d", "twice"),
        ("board", "<b>", "&lt;b&gt;"),
    ],
)
def test_what_cannot_be_read_gets_a_sentence_at_its_field(client, field, text, sentence):
    answer = client.get(address(**{field: text}))
    assert answer.status_code == 422
    problem = re.search(rf'id="{field}-problem" role="alert">([^<]*)<', answer.text)
    assert sentence in problem[1]
    assert f'aria-describedby="{field}-problem"' in answer.text


def test_ranges_that_cannot_meet_are_refused_with_a_sentence(client):
    answer = client.get(address(first="QsQh", second="QsQh"))
    assert answer.status_code == 422
    assert 'class="note error"' in answer.text


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"player": ["AA"]}, "player"),
        ({"player": ["AA", "KK"], "samples": "many"}, "samples"),
        ({"player": ["AA", "KK"], "method": "guess"}, "method"),
        ({"player": ["AA", "nonsense"]}, None),
        ({"player": ["AA", "KK"], "board": "Qs"}, None),
    ],
)
def test_the_api_refuses_with_an_object(client, query, field):
    answer = client.get("/api/v1/holdem/equity", params=query)
    assert answer.status_code == 422
    (problem,) = answer.json()["problems"]
    assert problem["field"] == field
    assert problem["message"].endswith((".", "?"))


def test_a_range_is_read_and_written_shorter(client):
    facts = client.get("/api/v1/holdem/range", params={"text": "AA,KK,AKs:0.5"}).json()
    assert facts["text"] == "KK+,AKs:0.5"
    assert facts["num_combos"] == 14  # 6 + 6 + 4 × ½
    assert facts["weights"] == {"AA": 1.0, "AKs": 0.5, "KK": 1.0}


def test_painting_by_drag_and_by_key_and_pasting(visit):
    page = visit(address())
    grid = page.get_by_role("group", name="First range", exact=True)
    grid.locator('[data-cell="KK"]').hover()
    page.mouse.down()
    grid.locator('[data-cell="QQ"]').hover()
    page.mouse.up()
    becomes(kept(page, "first"), "QQ+")
    text = page.get_by_label("First range as text")
    becomes(text.input_value, "QQ+")
    # By keyboard alone: arrows move, Enter paints, and the focus stays where it was.
    grid.locator('[data-cell="72o"]').focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    becomes(kept(page, "first"), "QQ+,62o")
    becomes(text.input_value, "QQ+,62o")
    becomes(lambda: page.evaluate("document.activeElement.dataset.cell"), "62o")
    text.fill("T9s:0.5")
    text.blur()
    grid.get_by_label("T9s: 50 per cent").wait_for()
    becomes(kept(page, "first"), "T9s:0.5")
    page.go_back()
    becomes(text.input_value, "QQ+,62o")
    page.wait_for_load_state()  # changes count once the page's modules are there
    visit.forgiven = ("422",)
    text.fill("nonsense")
    text.blur()
    page.locator("#first-field").get_by_text("'nonsense' is not a hand").wait_for()


def test_a_board_is_picked_card_by_card(visit):
    page = visit(address(board=""))
    deck = page.get_by_role("group", name="The deck")
    becomes(deck.locator("button").count, 52)
    visit.forgiven = ("422",)  # one and two cards are no board yet
    for name in ("queen of spades", "jack of hearts", "2 of diamonds", "3 of clubs"):
        deck.get_by_role("button", name=name).click()
        page.get_by_role("button", name=f"Take {name} away").wait_for()
    deck.get_by_role("button", name="5 of spades").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    page.get_by_text("100.00 %").wait_for()
    becomes(page.get_by_label("Board", exact=True).input_value, RIVER)
    becomes(deck.locator("button:disabled").count, 47)  # five are enough
    page.reload()
    page.get_by_text("100.00 %").wait_for()
    page.get_by_role("button", name="Take 4 of spades away").click()
    becomes(kept(page, "board"), "Qs Jh 2d 3c")
    becomes(deck.locator("button:disabled").count, 0)


def test_no_press_is_lost_while_an_answer_is_under_way(visit):
    """Three cards, a cell and a typed text in one moment: each counts, in their order."""
    page = visit(address(board=""))
    visit.forgiven = ("422",)
    page.evaluate(
        """() => {
          for (const card of ['Qs', 'Jh', '2d']) document.getElementById(`board-${card}`).click();
          document.getElementById('first-QQ').click();
          const text = document.getElementById('second-text');
          text.value = 'TT';
          text.dispatchEvent(new Event('change', { bubbles: true }));
        }"""
    )
    becomes(kept(page, "board"), "Qs Jh 2d")
    becomes(kept(page, "first"), "AA,QQ")
    becomes(kept(page, "second"), "TT")
    becomes(page.get_by_label("Second range as text").input_value, "TT")


def test_what_was_painted_stays_when_something_else_is_typed(visit):
    page = visit(address())
    page.locator("#first-72o").click()
    becomes(kept(page, "first"), "AA,72o")
    board = page.get_by_label("Board", exact=True)
    board.fill("Qs Jh 3h")
    board.blur()
    becomes(kept(page, "board"), "Qs Jh 3h")
    assert kept(page, "first")() == "AA,72o"


def test_without_scripts_buttons_and_fields_still_work(visit):
    page = visit(address(), scripts=False)
    page.get_by_label("KQs: 0 per cent").first.click()
    becomes(kept(page, "first"), "AA,KQs")
    page.get_by_label("Board", exact=True).fill("Qs Jh 2d")
    page.get_by_label("Board", exact=True).press("Enter")
    becomes(kept(page, "board"), "Qs Jh 2d")
    page.get_by_role("button", name="Take queen of spades away").wait_for()


def test_the_suits_of_a_class_fit_at_any_width(visit):
    page = visit(address(first_suits="AA"))
    page.get_by_role("group", name="Suits of AA").wait_for()
    page.get_by_text("100.00 %").wait_for()
    fits(page)
