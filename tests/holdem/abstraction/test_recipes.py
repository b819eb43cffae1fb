"""Recipes: names and tables parse back; what cannot be built is refused in a sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from riverboat.errors import ParameterError, RiverboatError, UnknownNameError
from riverboat.holdem.abstraction.card_tables import Recipe

STREETS = ("flop", "turn", "river")


@pytest.mark.parametrize(
    ("name", "recipe"),
    [
        ("preflop169", Recipe("preflop169")),
        ("features", Recipe("features")),
        ("features-flop-turn", Recipe("features", streets=("flop", "turn"))),
        ("equity-k-50", Recipe("equity-k", (50, 50, 50))),
        ("equity-k-50-60-70", Recipe("equity-k", (50, 60, 70))),
        ("equity-k-200-river-seed3", Recipe("equity-k", (200,) * 3, ("river",), 3)),
    ],
)
def test_names(name: str, recipe: Recipe) -> None:
    assert Recipe.parse(name) == recipe
    assert recipe.name == name


def test_equity_k_has_200_buckets_by_default() -> None:
    assert Recipe.parse("equity-k").name == "equity-k-200"


@given(
    st.lists(st.integers(50, 5000), min_size=3, max_size=3),
    st.sets(st.sampled_from(STREETS)),
    st.integers(0, 99),
)
def test_names_and_tables_parse_back(counts: list[int], streets: set[str], seed: int) -> None:
    recipe = Recipe.make("equity-k", buckets=counts, streets=sorted(streets), seed=seed)
    assert Recipe.parse(recipe.name) == recipe
    table = {
        "scheme": recipe.scheme,
        "buckets": list(recipe.buckets),
        "streets": list(recipe.streets),
        "seed": recipe.seed,
    }
    assert Recipe.from_table(table) == recipe


@pytest.mark.parametrize("name", ["equity", "equity-k-", "features-river-preflop", "../features"])
def test_unknown_names(name: str) -> None:
    with pytest.raises(UnknownNameError):
        Recipe.parse(name)


@pytest.mark.parametrize(
    "table",
    [
        {},
        {"scheme": "features", "buckets": 200},
        {"scheme": "features", "seed": 1},
        {"scheme": "equity-k", "buckets": [50, 60]},
        {"scheme": "equity-k", "buckets": "many"},
        {"scheme": "equity-k", "buckets": 200.5},
        {"scheme": "equity-k", "streets": ["preflop"]},
        {"scheme": "equity-k", "seed": -1},
        {"scheme": "equity-k", "colour": "red"},
        {"scheme": "nothing"},
    ],
)
def test_refused_tables(table: dict[str, object]) -> None:
    with pytest.raises(RiverboatError):
        Recipe.from_table(table)


def test_refused_before_any_work() -> None:
    with pytest.raises(ParameterError, match="50 to 5,000"):
        Recipe.parse("equity-k-20").build()
    with pytest.raises(ParameterError, match="thread"):
        Recipe.parse("features").build(threads=0)
