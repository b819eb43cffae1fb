"""Range notation, its round trip, the grid and set operations."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riverboat.cards.combos import CLASS_NAMES, class_of_combos
from riverboat.cards.ranges import CLASSES_BY_EQUITY, Range
from riverboat.errors import ParameterError


def classes(text: str) -> str:
    """The names of the classes that a range holds whole, in the grid's order."""
    grid = Range.parse(text).grid().reshape(-1)
    return " ".join(name for name, weight in zip(CLASS_NAMES, grid, strict=True) if weight == 1)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("AA", "AA"),
        ("AK", "AKs AKo"),
        ("QQ+", "AA KK QQ"),
        ("A9s+", "AKs AQs AJs ATs A9s"),
        ("KTo+", "KQo KJo KTo"),
        ("98s+", "AKs KQs QJs JTs T9s 98s"),
        ("KQo+", "AKo KQo"),
        ("QQ-TT", "QQ JJ TT"),
        ("TT-QQ", "QQ JJ TT"),
        ("A5s-A2s", "A5s A4s A3s A2s"),
        ("JTs-87s", "JTs T9s 98s 87s"),
        ("J9-T8", "J9s T8s J9o T8o"),
        ("aa, kqS ;22", "AA KQs 22"),
        ("KA", "AKs AKo"),
    ],
)
def test_notation(text: str, names: str) -> None:
    assert classes(text) == names


def test_sizes_known_from_counting() -> None:
    assert Range.parse("random").num_combos == 1326
    assert Range.parse("22+").num_combos == 13 * 6
    assert Range.parse("A2s+,A2o+").num_combos == 12 * 16
    assert Range.parse("AsKd").num_combos == Range.parse("As Kd").num_combos == 1
    assert Range.parse("10s9s") == Range.parse("Ts9s")


def test_weights() -> None:
    mixed = Range.parse("AA,AKs:0.5,TT:25%,[10]22,33[/10]")
    grid = mixed.grid()
    assert grid[0, 0] == 1
    assert grid[0, 1] == 0.5
    assert grid[4, 4] == 0.25
    assert grid[12, 12] == grid[11, 11] == 0.1
    assert mixed.num_combos == pytest.approx(6 + 2 + 1.5 + 1.2)
    assert Range.parse("AA:0.5,AA").num_combos == 6
    assert Range.parse("AA,AA:0.5").num_combos == 3


@pytest.mark.parametrize("percent", [0.5, 5, 15, 33.3, 100])
def test_percentages_hold_that_share(percent: float) -> None:
    assert Range.parse(f"{percent}%").share == pytest.approx(percent / 100)
    assert "AsAh" in Range.parse(f"{percent}%")


def test_a_percentage_is_written_without_rounding_noise() -> None:
    assert "A6s:0.725," in str(Range.parse("15%"))  # 198.9 combos: 2.9 of the four A6s
    with pytest.raises(ParameterError, match="not at 150 %"):
        Range.parse("150%")


def test_suit_symbols_are_read() -> None:
    assert Range.parse("A♠K♠,7♦7♣") == Range.parse("AsKs,7d7c")


def test_order_of_hands_is_complete() -> None:
    assert sorted(CLASSES_BY_EQUITY) == sorted(CLASS_NAMES)
    assert CLASSES_BY_EQUITY[:4] == ("AA", "KK", "QQ", "JJ")
    assert CLASSES_BY_EQUITY[-1] == "32o"


@settings(max_examples=60)
@given(st.lists(st.sampled_from([0.0, 0.0, 1.0, 0.5, 1 / 3]), min_size=169, max_size=169))
def test_text_round_trip_of_classes(weights: list[float]) -> None:
    built = Range.from_grid(np.array(weights).reshape(13, 13))
    if built.combos.size:
        assert Range.parse(str(built)) == built
        whole = repr(built) == f"Range.parse({str(built)!r})"
        assert whole or (len(str(built)) > 100 and len(repr(built)) < 160)


@settings(max_examples=30)
@given(st.dictionaries(st.integers(0, 1325), st.floats(1e-9, 1), min_size=1, max_size=200))
def test_text_round_trip_of_combos(weights: dict[int, float]) -> None:
    array = np.zeros(1326)
    array[list(weights)] = list(weights.values())
    assert Range.parse(str(Range(array))) == Range(array)


def test_text_is_what_players_write() -> None:
    assert str(Range.parse("KK,AA,QQ,A3s,A2s,A4s,KQs,KJs,AhKd,72o:0.5")) == (
        "QQ+,A4s-A2s,KJs+,72o:0.5,AhKd"
    )
    assert str(Range.parse("any")) == "random"


def test_set_operations() -> None:
    big, pairs = Range.parse("TT+,AK"), Range.parse("22+")
    assert (big & pairs) == Range.parse("TT+")
    assert (big - pairs) == Range.parse("AK")
    assert (big | pairs) == Range.parse("22+,AK")
    assert (~pairs).num_combos == 1326 - 78
    assert hash(Range.parse("AK")) == hash(Range.parse("AKs,AKo"))
    assert Range.parse("AA").without([51]).num_combos == 3


def test_grid_has_suited_hands_above_the_diagonal() -> None:
    grid = Range.parse("AKs").grid()
    assert grid[0, 1] == 1
    assert grid.sum() == 1
    assert Range.from_grid(grid) == Range.parse("AKs")
    assert (class_of_combos()[Range.parse("AKs").combos] == 1).all()


@pytest.mark.parametrize(
    "text",
    ["", " , ", "AX", "AAs", "AKs-QJo", "A2s-K5s", "AA:1.5", "AA:x", "0%", "101%", "AsAs", "AA:0"],
)
def test_bad_ranges_are_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(ParameterError, match=r"^[^\n]+\.$"):
        Range.parse(text)


def test_bad_weights_are_refused() -> None:
    with pytest.raises(ParameterError, match="1326"):
        Range(np.ones(3))
    with pytest.raises(ParameterError, match="0 to 1"):
        Range(np.full(1326, 2.0))


def test_a_range_gives_its_facts_to_a_program() -> None:
    facts = Range.parse("AA,KQs:0.5").as_dict()
    assert facts["combos"] == 6 + 4 * 0.5
    assert facts["share"] == pytest.approx(8 / 1326)
    assert Range.parse(str(facts["text"])) == Range.parse("AA,KQs:0.5")
    weights = facts["weights"]
    assert isinstance(weights, dict)
    assert len(weights) == 10
    assert weights["AsAh"] == 1.0
    assert weights["KdQd"] == 0.5
