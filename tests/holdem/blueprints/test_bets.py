"""The grammar of bet sizes and the translation of real bets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from riverboat.errors import ParameterError
from riverboat.holdem.blueprints.betting_tree import BetSizes, between, pseudo_harmonic
from riverboat.holdem.rules.betting import open_betting
from riverboat.holdem.rules.state import Holdem


def test_sizes_mean_what_the_table_says() -> None:
    game = Holdem(stacks=(200,))
    betting = open_betting(game.betting_rules)
    # Blinds 1 and 2: the small blind calls 1, then the pot is 4.
    sizes = BetSizes.parse({"preflop": ["0.5p,1p,2.5x,m,a"]}, 4)
    assert sizes.raises(betting) == {4: "m", 5: "2.5x", 6: "1p", 200: "a"}
    raised = betting.after("r6")
    # The big blind calls 4 more into 8: 12 in the pot, a pot-size raise is to 18.
    assert BetSizes.parse({"preflop": ["1p", "1p,3x"]}, 4).raises(raised) == {18: "3x"}
    assert BetSizes.parse({"preflop": "1p"}, 4, cap=1).raises(raised) == {}
    assert BetSizes.parse({"preflop": "1p"}, 4, cap=[2, 1, 1, 1]).raises(raised) == {18: "1p"}


@pytest.mark.parametrize("cap", [[2, 1], -1, 2.5, "2", True, {"flop": 1}, [1.0, 1, 1, 1], None])
def test_a_cap_is_a_whole_number_or_one_a_street(cap: object) -> None:
    with pytest.raises(ParameterError, match="4 of them"):
        BetSizes.parse({"preflop": "1p"}, 4, cap)


@pytest.mark.parametrize("cap", [0, [0, 0, 0, 0]])
def test_a_cap_that_forbids_every_bet_is_refused(cap: object) -> None:
    with pytest.raises(ParameterError, match="nobody may bet"):
        BetSizes.parse({"preflop": "1p"}, 4, cap)


def test_levels_go_by_the_number_of_raises_and_streets_inherit() -> None:
    sizes = BetSizes.parse({"preflop": ["2x", "a"], "turn": "1p"}, 4)
    assert sizes.streets[1] == sizes.streets[0] == (("2x",), ("a",))
    assert sizes.streets[3] == (("1p",),)
    assert BetSizes.parse(sizes.as_table(), 4) == sizes


@pytest.mark.parametrize(
    ("table", "word"),
    [
        ({}, "no bet sizes"),
        ({"preflop": ""}, "empty"),
        ({"preflop": []}, "empty"),
        ({"preflop": "0p"}, "'0p'"),
        ({"preflop": "1q"}, "'1q'"),
        ({"preflop": 0.5}, "'0.5'"),
        ({"preflop": ["1p", 2]}, "'2'"),
        ({"preflop": "-1p"}, "'-1p'"),
        ({"preflop": f"{'9' * 400}p"}, "is not one"),
        ({"preflop": ","}, "empty"),
        ({"river": "1p"}, "'river'"),
    ],
)
def test_what_is_not_a_size_is_refused(table: dict[str, object], word: str) -> None:
    with pytest.raises(ParameterError, match=word):
        BetSizes.parse(table, 2)


def test_pseudo_harmonic_is_the_formula_of_the_paper() -> None:
    """Ganzfried and Sandholm 2013: f(x) = (B − x)(1 + A) / ((B − A)(1 + x)); f is ½ at
    (A + B + 2AB) / (A + B + 2)."""
    low, high = 0.25, 1.5
    middle = (low + high + 2 * low * high) / (low + high + 2)
    assert pseudo_harmonic(low, high, middle) == pytest.approx(0.5)
    assert pseudo_harmonic(low, high, low) == 1
    assert pseudo_harmonic(low, high, high) == 0


@given(st.floats(0, 5), st.floats(0.01, 5), st.floats(0, 1), st.floats(0.1, 10))
def test_the_mapping_falls_from_one_to_zero_whatever_the_unit(
    low: float, step: float, place: float, unit: float
) -> None:
    """What the paper asks of a mapping: f(A) = 1, f(B) = 0, falling, the same in all units of
    chips; and the closed form in chips, pot 1 having become `unit`."""
    high = low + step
    share = low + place * step
    a, b, x = (value * unit for value in (low, high, share))
    closed = (b - x) * (unit + a) / ((b - a) * (unit + x))
    found = pseudo_harmonic(low, high, share)
    assert found == pytest.approx(closed, abs=1e-9)
    assert 0 <= found <= 1
    assert found >= pseudo_harmonic(low, high, share + step / 10) - 1e-12


@given(st.floats(0, 20))
def test_a_bet_counts_as_one_of_its_neighbours(share: float) -> None:
    shares = [0.0, 0.5, 1.0, 4.0]
    low, high, chance = between(shares, share)
    below = max(i for i, known in enumerate(shares) if known <= share)
    assert 0 <= chance <= 1
    for found, part in ((low, chance), (high, 1 - chance)):
        assert part == 0 or found in (below, min(below + 1, 3))
        if share in shares and part > 0:
            assert shares[found] == share
