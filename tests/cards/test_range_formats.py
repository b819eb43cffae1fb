"""Ranges of other programs, in and out."""

import contextlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riverboat.cards.combos import combo_text, parse_combo
from riverboat.cards.ranges import FORMATS, Range, format_range, parse_range, pio_hands, pio_order
from riverboat.errors import RiverboatError


def test_pio_weights_have_no_more_digits_than_they_need() -> None:
    words = format_range(Range.parse("AA:0.36,KK"), "pio").split()
    assert set(words) == {"0", "0.36", "1"}


def test_pio_order_is_that_of_show_hand_order() -> None:
    """UPI's documentation begins it with 2d2c 2h2c 2h2d; position a(a−1)/2 + b of cards a > b."""
    assert pio_hands()[:4] == ("2d2c", "2h2c", "2h2d", "2s2c")
    assert pio_hands()[-1] == "AsAh"
    assert len(set(pio_hands())) == 1326
    assert [combo_text(int(combo)) for combo in pio_order()] == list(pio_hands())
    cards = [r + s for r in "23456789TJQKA" for s in "cdhs"]
    kd, ac = cards.index("Kd"), cards.index("Ac")
    assert pio_hands()[ac * (ac - 1) // 2 + kd] == "AcKd"


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("text", ["AA", "QQ+,AKs:0.5,A5s-A2s:0.333,AsKd:0.1", "random", "37.7%"])
def test_what_is_written_reads_back(form: str, text: str) -> None:
    range_ = Range.parse(text)
    written = format_range(range_, form)
    assert parse_range(written, form) == range_
    assert parse_range(written) == range_


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.sampled_from(FORMATS))
def test_any_weights_read_back(seed: int, form: str) -> None:
    rng = np.random.default_rng(seed)
    weights = np.where(rng.random(1326) < 0.3, rng.choice([1.0, 0.5, rng.random()], 1326), 0.0)
    weights[0] = 1.0
    range_ = Range(weights)
    assert parse_range(format_range(range_, form), form) == range_


def test_eval7_reads_as_its_documentation_says() -> None:
    """T6s+ is T6s to T9s, 40%(ATs+) a weighted group, #UTG# a remark, and 98s+ is 98s alone."""
    assert parse_range("T6s+ #UTG#") == Range.parse("T6s,T7s,T8s,T9s")
    assert parse_range("0.6(AA, AK), 40%(ATs-AJs)") == Range.parse("AA:0.6,AK:0.6,ATs:0.4,AJs:0.4")
    assert parse_range("98s+, 88-JJ", "eval7") == Range.parse("98s,88,99,TT,JJ")
    assert parse_range("98s+", "plain") == Range.parse("98s,T9s,JTs,QJs,KQs,AKs")


def test_gto_plus_has_per_cent_around_lists() -> None:
    assert format_range(Range.parse("AA,KK:0.5,AKs:0.5"), "gto+") == "AA,[50]AKs,KK[/50]"
    assert parse_range("AA,[12.5]KQs,KJs[/12.5]") == Range.parse("AA,KQs:0.125,KJs:0.125")


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("1 " * 1325, "pio"),
        ("0 " * 1326, "pio"),
        ("x " * 1326, "pio"),
        ("2 " * 1326, "pio"),
        ("nan " * 1326, "pio"),
        ("0.5(AA", "eval7"),
        ("0.5(AA))", "eval7"),
        ("7(AA)", "eval7"),
        ("AA", "excel"),
        ("A" * 300_000, None),
    ],
)
def test_what_is_no_range_is_refused(text: str, form: str | None) -> None:
    with pytest.raises(RiverboatError):
        parse_range(text, form)


@given(st.text(max_size=60), st.sampled_from([None, *FORMATS]))
@settings(max_examples=150)
def test_any_text_is_a_range_or_refused(text: str, form: str | None) -> None:
    with contextlib.suppress(RiverboatError):
        parse_range(text, form)


def test_eval7_itself_reads_what_we_write() -> None:
    eval7 = pytest.importorskip("eval7")
    range_ = Range.parse("QQ+,AKs:0.5,A5s-A2s:0.333,AsKd:0.1,98s")
    weights = np.zeros(1326)
    for (first, second), weight in eval7.HandRange(format_range(range_, "eval7")).hands:
        weights[parse_combo(f"{first}{second}")] = weight
    assert (weights == range_.weights).all()


@pytest.mark.parametrize(
    "text",
    [
        "9" * 199_000,
        "AA:0." + "9" * 199_000,
        "AA:" + "9" * 190_000 + "x",
        "[" + "9" * 190_000 + "]AA",
        "AA:1e" + "9" * 5_000,
        "1" + " " * 190_000 + "x",
    ],
    ids=["digits", "weight", "broken", "bracket", "exponent", "blanks"],
)
def test_a_number_of_any_length_is_refused_at_once(text: str) -> None:
    """A search that tried each digit as a beginning and an end would take hours."""
    with pytest.raises(RiverboatError):
        parse_range(text)


def test_every_way_to_write_a_weight() -> None:
    found = parse_range("[50]AA[/50],QQ:.75,JJ:5e-1,TT:50%,KK:1")
    assert found == Range.parse("AA:0.5,KK,QQ:0.75,JJ:0.5,TT:0.5")
    assert parse_range("0.25(KK, AKs), 50%(AA)") == Range.parse("AA:0.5,KK:0.25,AKs:0.25")
