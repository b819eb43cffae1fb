"""HTML from text, and work that a page waits for."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("nicegui")

from hypothesis import given
from hypothesis import strategies as st

from riverboat.drawing.html import Markup, join, signed, tag
from riverboat.web.app.card_pictures import BACK, card, die
from riverboat.web.app.charts import curve_options
from riverboat.web.app.frame import in_thread
from riverboat.web.app.markup import decided


def test_text_is_escaped_and_markup_is_not():
    assert tag("b", "<i>&") == "<b>&lt;i&gt;&amp;</b>"
    assert tag("p", tag("b", "x"), None, ["<"], cls="a", hidden=True, title=None) == (
        '<p class="a" hidden><b>x</b>&lt;</p>'
    )
    assert tag("use", href='"#s') == '<use href="&quot;#s" />'


@given(st.text(max_size=40))
def test_no_text_can_open_an_element(text):
    shown = join(text, tag("span", text, title=text))
    assert shown.count("<") == 2
    assert isinstance(shown, Markup)


def test_a_hidden_card_says_nothing():
    assert card(BACK) == card("?")
    assert "face down" in card(BACK)
    assert "ace of spades" in card("As")
    assert "#suit-s" in card("Ts")
    assert ">10<" in card("Ts")
    assert die("4").count("circle") == 4
    assert "circle" not in die("?")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("do:c@3", ("do:c", 3)),
        ("do:a@b@12", ("do:a@b", 12)),
        ("do:c", ("do:c", None)),
        ("do:c@", ("do:c@", None)),
        ("do:c@-1", ("do:c@-1", None)),
        ("@3", ("@3", None)),
        ("", ("", None)),
    ],
)
def test_a_pick_carries_the_number_of_its_decision(text, found):
    assert decided(text) == found


def test_numbers_with_their_sign():
    assert signed(-0.5) == "−0.5000"
    assert signed(1, 1) == "+1.0"


def test_work_for_a_closed_page_ends_there_and_gives_no_result():
    """NiceGUI's io_bound returns None, which a page took for the answer: a traceback in the log."""

    async def close_the_page() -> None:
        begun, released = asyncio.Event(), threading.Event()
        loop = asyncio.get_running_loop()

        def work() -> None:
            loop.call_soon_threadsafe(begun.set)
            released.wait()

        page = asyncio.create_task(in_thread(work))
        await begun.wait()
        page.cancel()
        released.set()
        with pytest.raises(asyncio.CancelledError):
            await page
        assert await in_thread(divmod, 7, 2) == (3, 1)

    # In a thread of its own: the browser of other tests has a loop running in this one.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, close_the_page()).result()


@pytest.mark.parametrize(("curves", "top"), [(0, 44), (2, 44), (3, 66), (5, 88)])
def test_a_legend_of_several_rows_has_room_above_the_curves(curves, top):
    named = {f"player {i}, mean 33.3": [(0.0, 1.0)] for i in range(curves)}
    assert curve_options(named, x="x", y="y")["grid"]["top"] == top
