"""A bluff into one player and into two: the example, and the table and picture that docs show."""

import importlib.util
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import riverboat
from riverboat.cards.combos import COMBO_CARDS, parse_combo

ROOT = Path(__file__).parent.parent.parent.parent
PAGE = ROOT / "docs" / "spots.md"
PICTURE = ROOT / "docs" / "images" / "bluff-into-two.svg"


@pytest.fixture(scope="module")
def example() -> Any:
    path = Path(riverboat.__file__).parent / "examples" / "bluff_into_two.py"
    spec = importlib.util.spec_from_file_location("bluff_into_two", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def rivers(example: Any) -> tuple[Any, Any]:
    return example.solve(example.SB), example.solve(example.SB, example.BB)


def _numbers(text: str) -> list[float]:
    """All figures of a text; its words stand between them."""
    return [float(found.replace("−", "-")) for found in re.findall(r"[+−]?\d+(?:\.\d+)?", text)]


def _words(text: str) -> str:
    return re.sub(r"[+−]?\d+(?:\.\d+)?", "#", text)


def test_the_page_has_the_table_that_the_example_prints(example: Any, rivers: Any) -> None:
    """Up to what the target leaves open: processors round otherwise."""
    printed = example.table(*rivers)
    first = printed.splitlines()[0]
    text = PAGE.read_text(encoding="utf-8")
    shown = text[text.index(first) :][: len(printed)]
    assert _words(shown) == _words(printed)
    steps = [2.0 if "%" in line else 0.3 for line in printed.splitlines() for _ in _numbers(line)]
    for mine, theirs, step in zip(_numbers(printed), _numbers(shown), steps, strict=True):
        assert abs(mine - theirs) <= step + 1e-9


def test_the_picture_is_the_one_that_the_example_draws(example: Any, rivers: Any) -> None:
    drawn, kept = example.picture(*rivers), PICTURE.read_text(encoding="utf-8")
    assert _words(drawn) == _words(kept)
    assert _numbers(drawn) == pytest.approx(_numbers(kept), abs=4)


def test_one_player_folds_as_often_as_the_bluff_s_ev_says(example: Any, rivers: Any) -> None:
    """Counted hand by hand: the weight of SB's hands that fold, without those that 6h5h blocks."""
    two = rivers[0]
    after = two.play(f"bet {example.BET}")
    cards = COMBO_CARDS[parse_combo(example.BLUFF)]
    free = ~np.isin(COMBO_CARDS[after.combos(0)], cards).any(axis=1)
    weights = after.weights(0) * free
    folds = float(weights @ after.strategies[after.actions.index("fold")] / weights.sum())
    ev = two.figures(example.BLUFF).action_evs[f"bet {example.BET}"]
    assert ev == pytest.approx(folds * example.POT - (1 - folds) * example.BET, abs=1e-3)


def test_two_players_fold_less_often_together(example: Any, rivers: Any) -> None:
    """36 into 60 must take the pot in 36/96 of all cases: against one player it does."""
    evs = [at.figures(example.BLUFF).action_evs[f"bet {example.BET}"] for at in rivers]
    assert evs[0] > 0 > evs[1]
    bets = [at.summary().strategy[f"bet {example.BET}"] for at in rivers]
    assert bets[0] > bets[1]
