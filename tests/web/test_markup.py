"""HTML from text."""

import pytest

pytest.importorskip("fastapi")

from hypothesis import given
from hypothesis import strategies as st

from riverboat.drawing.html import Markup, join, signed, tag
from riverboat.web.app.card_pictures import BACK, card, die


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


def test_numbers_with_their_sign():
    assert signed(-0.5) == "−0.5000"
    assert signed(1, 1) == "+1.0"
