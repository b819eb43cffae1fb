"""Counting systems, ramps and deviations as texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from riverboat.blackjack.simulation.counting import (
    DEVIATIONS,
    SYSTEMS,
    Counter,
    Deviation,
    Ramp,
    counter_from,
)
from riverboat.errors import ParameterError, UnknownNameError


@pytest.mark.parametrize("name", SYSTEMS)
def test_systems_are_balanced_or_start_so_as_to_end_at_the_pivot(name):
    """A balanced count ends at 0; KO ends at its pivot of +4 (Vancura and Fuchs)."""
    system = SYSTEMS[name]
    for decks in (1, 2, 6, 8):
        deck = 4 * sum(system.tags[:9]) + 16 * system.tags[9]
        assert system.initial(decks) + decks * deck == (4 if name == "ko" else 0)


def test_ko_starts_at_minus_20_with_six_decks():
    assert SYSTEMS["ko"].initial(6) == -20
    assert SYSTEMS["ko"].initial(1) == 0


def test_the_eighteen_are_eighteen():
    for name, size in (("illustrious18", 18), ("fab4", 4), ("none", 0)):
        assert len(DEVIATIONS[name].split()) == size


@pytest.mark.parametrize("text", [*" ".join(DEVIATIONS.values()).split(), "A7v2:D@1", "9v2:H@-1.5"])
def test_deviations_round_trip(text):
    assert str(Deviation.parse(text)) == text


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("16vT:S@0", ("hard", 16)),
        ("11vA:D@1", ("hard", 11)),
        ("A7v2:D@1", ("soft", 18)),
        ("TTv5:P@5", ("pair", 9)),
        ("AAv5:P@5", ("pair", 0)),
        ("22v5:P@5", ("pair", 1)),
    ],
)
def test_the_rows_a_deviation_is_about(text, row):
    assert Deviation.parse(text).row == row


@pytest.mark.parametrize(
    "text", ["16vT", "22vT:S@0 ", "16vK:S@0", "16vT:P@0", "11v2:P@1", "16vT:X@0"]
)
def test_bad_deviations_are_refused(text):
    with pytest.raises(ParameterError, match="16vT:S@0"):
        Deviation.parse(text)


@given(
    st.integers(1, 50),
    st.lists(st.tuples(st.integers(-9, 9), st.integers(0, 50)), unique_by=lambda step: step[0]),
)
def test_ramps_round_trip(base, steps):
    ramp = Ramp(float(base), tuple((float(c), float(b)) for c, b in sorted(steps)))
    assert Ramp.parse(str(ramp)) == ramp


def test_a_ramp_bets_by_the_highest_count_reached():
    ramp = Ramp.parse("1 2@1 4@2.5 8@4")
    assert [ramp.bet(count) for count in (-3, 0.9, 1, 2.4, 2.5, 4, 9)] == [1, 1, 2, 2, 4, 8, 8]


@pytest.mark.parametrize("text", ["", "x", "1 2", "1 2@2 3@1", "1 2@1 2@1", "-1", "0", "1 2@1@3"])
def test_bad_ramps_are_refused(text):
    with pytest.raises(ParameterError, match="ramp"):
        Ramp.parse(text)


def test_a_counter_from_texts():
    hilo = counter_from("hilo")
    assert str(hilo.ramp) == "1 2@1 4@2 6@3 8@4"
    assert len(hilo.deviations) == 22
    assert counter_from("ko").deviations == ()
    mixed = counter_from("hilo", "1", "fab4 16v9:S@5")
    assert [str(d) for d in mixed.deviations][-1] == "16v9:S@5"
    with pytest.raises(UnknownNameError, match="hilo"):
        counter_from("hillo")
    with pytest.raises(UnknownNameError, match="illustrious18"):
        counter_from("hilo", deviations="illustrious17")
    with pytest.raises(ParameterError, match="two deviations"):
        counter_from("hilo", deviations="illustrious18 16vT:H@2")
    with pytest.raises(ParameterError, match="resolution"):
        Counter(SYSTEMS["hilo"], resolution=0)
