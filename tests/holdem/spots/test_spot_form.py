"""The form of a spot: every field is refused in its own sentence, and a spot comes back whole."""

from typing import Any

import pytest

from riverboat.errors import ParameterError
from riverboat.holdem.rules.betting import Street
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.texts.form import SpotForm, size_fields

WHOLE = """board = "Qs Jh 2h"
pot = 60.5
stack = 170
[ranges]
oop = "QQ+,A5s:0.25,KsQs"
ip = "99-TT"
[rake]
rate = 0.05
cap = 3
[sizes.flop]
oop = { bet = "33%,a", raise = "2.5x" }
ip = { bet = "75%", raise = "60%" }
[sizes.turn]
oop = { bet = "50%", raise = "a", donk = "25%" }
ip = { bet = "e", raise = "a" }
[sizes.river]
oop = { bet = "100c" }
ip = { bet = "a" }
[tree]
raises = 3
"""


def form(**fields: str) -> SpotForm:
    good: dict[str, Any] = {
        "board": "Qs Jh 2h",
        "pot": "60",
        "stack": "170",
        "oop": "QQ+",
        "ip": "99-TT",
    }
    return SpotForm(**{**good, **fields})


def test_a_form_gives_back_its_spot() -> None:
    spot = Spot.from_toml(WHOLE)
    assert SpotForm.of(spot).spot() == spot
    no_donk = Spot.from_toml(WHOLE.replace('donk = "25%"', 'donk = ""'))
    assert SpotForm.of(no_donk).sizes["turn", 0, "donk"] == "-"
    assert SpotForm.of(no_donk).spot() == no_donk


def test_streets_and_players_have_sizes_of_their_own() -> None:
    made = form()
    made.sizes = {("flop", 0, "bet"): "33%", ("flop", 1, "bet"): "75%", ("turn", 0, "donk"): "20%"}
    spot = made.spot()
    assert [spot.sizes_on(Street.FLOP, player).bet[0].text for player in (0, 1)] == ["33%", "75%"]
    donk = spot.sizes_on(Street.TURN, 0).donk
    assert donk is not None
    assert donk[0].text == "20%"
    fields = list(size_fields(Street.TURN))
    assert ("turn", 0, "donk") not in fields
    assert ("river", 0, "donk") in fields
    assert not any(kind == "donk" and player for _, player, kind in fields)


@pytest.mark.parametrize(
    ("field", "text", "words"),
    [
        ("board", "Qs Qs 2d", "twice"),
        ("board", "Qs", "3 to 5 cards"),
        ("board", "Qx Js 2d", "Qx"),
        ("board", "", "3 to 5 cards"),
        ("pot", "", "nothing is there"),
        ("pot", "-3", "above 0"),
        ("pot", "sixty", "'sixty'"),
        ("pot", "nan", "above 0"),
        ("stack", "0", "above 0"),
        ("stack", "1e99", "at most"),
        ("rate", "100", "below 100 per cent"),
        ("rate", "five", "'five'"),
        ("cap", "-1", "0 or more"),
        ("target", "soon", "no target"),
        ("oop", "", "empty"),
        ("ip", "nonsense", "nonsense"),
        ("ip", "QsJs", "holds a card of the board"),
    ],
)
def test_a_field_is_refused_by_itself(field: str, text: str, words: str) -> None:
    found = form(**{field: text}).errors()
    assert list(found) == [field]
    assert words in found[field]
    with pytest.raises(ParameterError, match=words):
        form(**{field: text}).spot()


def test_a_size_is_refused_in_its_place() -> None:
    made = form()
    made.sizes = {("flop", 1, "raise"): "half", ("turn", 0, "bet"): "2x", ("flop", 0, "bet"): "33%"}
    found = made.errors()
    assert set(found) == {"flop.ip.raise", "turn.oop.bet"}
    assert found["flop.ip.raise"].startswith("The field has 'half', which is no size")
    with pytest.raises(ParameterError, match=r"^flop\.ip\.raise: The field has 'half'"):
        made.spot()


def test_what_is_wrong_with_the_whole_is_said_too() -> None:
    assert "never meet" in form(oop="AsAh", ip="AsAh").errors()[""]
    rake = form(rate="5", cap="0").errors()
    assert "cap above 0" in rake["cap"]
