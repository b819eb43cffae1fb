"""The form of a spot: every field is refused in its own sentence, and a spot comes back whole."""

import pytest

from exact_three_way import RIVER, TURN
from riverboat.errors import ParameterError
from riverboat.holdem.rules.betting import Street
from riverboat.holdem.spots.form import SpotForm, size_fields
from riverboat.holdem.spots.spot import Spot, make_spot
from riverboat.holdem.spots.spot import Spot as ThreeWaySpot

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
    return put(SpotForm("Qs Jh 2h", "60", ["170"], ["QQ+", "99-TT"]), **fields)


def put(made: SpotForm, **fields: str) -> SpotForm:
    """A form with other texts; `range:1` and the like have the number of a player."""
    for name, text in fields.items():
        kind, _, player = name.partition(":")
        if player:
            getattr(made, f"{kind}s")[int(player)] = text
        else:
            setattr(made, name, text)
    return made


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
        ("stack:0", "0", "above 0"),
        ("stack:0", "1e99", "at most"),
        ("rate", "100", "below 100 per cent"),
        ("rate", "five", "'five'"),
        ("cap", "-1", "0 or more"),
        ("target", "soon", "no target"),
        ("range:0", "", "empty"),
        ("range:1", "nonsense", "nonsense"),
        ("range:1", "QsJs", "holds a card of the board"),
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
    assert set(found) == {"flop:1:raise", "turn:0:bet"}
    assert found["flop:1:raise"].startswith("The field has 'half', which is no size")
    with pytest.raises(ParameterError, match=r"^flop:1:raise: The field has 'half'"):
        made.spot()


def test_what_is_wrong_with_the_whole_is_said_too() -> None:
    assert "never meet" in form(**{"range:0": "AsAh", "range:1": "AsAh"}).errors()[""]
    rake = form(rate="5", cap="0").errors()
    assert "cap above 0" in rake["cap"]


def three(**fields: str) -> SpotForm:
    return put(SpotForm.of(make_spot(RIVER)), **fields)


BOTH = TURN + TURN[TURN.index("[sizes.turn]") :].replace("turn", "river")  # each street by itself


@pytest.mark.parametrize("text", [RIVER, BOTH, BOTH.replace("pot = 30", 'pot = 9\nfolded = "bb"')])
def test_a_form_gives_back_its_spot_for_three(text: str) -> None:
    spot = make_spot(text)
    assert SpotForm.of(spot).spot() == spot
    assert ("turn", 2, "donk") not in list(size_fields(num_players=3))
    assert ("turn", 1, "donk") in list(size_fields(num_players=3))


@pytest.mark.parametrize(
    ("field", "text", "words"),
    [
        ("name:1", "sb", "SB is taken"),
        ("name:2", "", "no player's name"),
        ("name:0", "a name that is too long", "no player's name"),
        ("stack:1", "-1", "at least 0"),
        ("stack:2", "many", "'many'"),
        ("range:1", "", "The range of BB is empty"),
        ("range:2", "KsQs", "Every hand of BTN holds a card of the board"),
    ],
)
def test_a_field_of_three_is_refused_by_itself(field: str, text: str, words: str) -> None:
    found = three(**{field: text}).errors()
    assert list(found) == [field]
    assert words in found[field]


def test_what_is_wrong_with_three_together_is_said_too() -> None:
    stacks = three(**{"stack:0": "0", "stack:1": "0"})
    assert "need chips behind" in stacks.errors()[""]
    same = three(**{f"range:{player}": "AcAd" for player in range(3)})
    assert "never meet" in same.errors()[""]
    renamed = three(**{"name:0": "ut-g", "name:1": "co"}).spot()
    assert isinstance(renamed, ThreeWaySpot)
    assert renamed.names == ("ut-g", "co", "btn")
