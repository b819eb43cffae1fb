"""riverboat equity, range and rank as a user and as a program meet them."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from riverboat.cli.main import run

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "poker" / "equity.json").read_text())

Answer = tuple[int, str, str]


@pytest.fixture
def riverboat(capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    def call(*arguments: str) -> Answer:
        with pytest.raises(SystemExit) as exit_:
            run(list(arguments))
        out = capsys.readouterr()
        return int(exit_.value.code or 0), out.out, out.err

    return call


def test_equity_as_json(riverboat: Callable[..., Answer]) -> None:
    code, out, err = riverboat("equity", "AsAh", "KdKc", "--json")
    assert (code, err) == (0, "")
    facts = json.loads(out)
    assert set(facts) == {"players", "board", "method", "total", "wins", "ties", "equity", "stderr"}
    expected = next(m for m in REFERENCE["matchups"] if m["hands"] == ["AsAh", "KdKc"])
    assert facts["players"] == ["AsAh", "KdKc"]
    assert facts["method"] == "exact"
    for key in ("total", "wins", "ties"):
        assert facts[key] == expected[key]
    assert facts["equity"] == pytest.approx(expected["equity"])


def test_counts_are_whole_where_they_are(riverboat: Callable[..., Answer]) -> None:
    board = ("--board", "2s3s4s5d9c")
    assert "exact, 1 deal\n" in riverboat("equity", "AsAh", "KdKc", *board)[1]
    assert "exact, 36 deals\n" in riverboat("equity", "AA", "KK", *board)[1]
    assert "exact, 0.50 deals\n" in riverboat("equity", "AsAh:0.5", "KdKc", *board)[1]
    assert "\n1 combo, 0.08%" in riverboat("range", "AhKh")[1]
    assert "\n198.90 combos, 15.00%" in riverboat("range", "15%")[1]


def test_a_grid_without_styles_still_shows_the_range(riverboat: Callable[..., Answer]) -> None:
    lines = riverboat("range", "KK+,AKs,AQs:0.5")[1].splitlines()
    assert lines[0].split() == ["AA", "AKs", "AQs~", *"··········"]
    assert lines[1].split() == ["·", "KK", *"···········"]
    assert lines[-1].endswith("(~: in part)")


def test_a_negative_seed_is_refused(riverboat: Callable[..., Answer]) -> None:
    code, out, err = riverboat("equity", "AsAh", "KdKc", "--seed", "-1")
    assert (code, out, err.count("\n")) == (2, "", 1)


def test_equity_on_a_board_and_sampled(riverboat: Callable[..., Answer]) -> None:
    code, out, _ = riverboat("equity", "JsTs", "AdAc", "--board", "9s8d2s")
    assert code == 0
    assert "56.2626%" in out
    assert "990 deals" in out
    arguments = ["equity", "QQ+", "random", "--method", "monte-carlo", "--samples", "1000"]
    code, out, _ = riverboat(*arguments, "--json")
    facts = json.loads(out)
    assert facts["total"] == 1000
    assert facts["stderr"][0] > 0
    code, out, _ = riverboat(*arguments)
    assert "± 95 %" in out


def test_range(riverboat: Callable[..., Answer]) -> None:
    code, out, _ = riverboat("range", "QQ+,AKs:0.5")
    assert code == 0
    assert out.splitlines()[0].startswith("AA   AKs~ ·")
    assert "20 combos, 1.51% of hands (~: in part)" in out
    code, out, _ = riverboat("range", "KK,AA,QQ,AKs:0.5", "--json")
    facts = json.loads(out)
    assert facts["range"] == "QQ+,AKs:0.5"
    assert facts["combos"] == 20
    assert facts["grid"][0][1] == 0.5
    assert facts["hands"]["AsKs"] == 0.5
    assert len(facts["hands"]) == 22


def test_rank(riverboat: Callable[..., Answer]) -> None:
    # The full houses come after 7,140 lesser hands: twelve for each rank of the triple.
    value = 7140 + 12 * "23456789TJQKA".index("K") + "23456789TJQA".index("3")
    code, out, _ = riverboat("rank", "KsKdKh3c3s")
    assert code == 0
    assert out == f"full house, kings over threes  (strength {value} of 0 to 7461)\n"
    code, out, _ = riverboat("rank", "As", "Ks", "Qs", "Js", "10s", "2d", "2h", "--json")
    assert json.loads(out) == {
        "cards": ["As", "Ks", "Qs", "Js", "Ts", "2d", "2h"],
        "strength": 7461,
        "category": "straight flush",
        "description": "royal flush",
    }


@pytest.mark.parametrize(
    "arguments",
    [
        ["equity", "AsAs", "KdKc"],
        ["equity", "AsAh", "AsKs"],
        ["equity", "AsAh"],
        ["equity", "AsAh", "KdKc", "--board", "AsKs2d"],
        ["equity", "AsAh", ""],
        ["equity", "AsAh", "KdKc", "--method", "guess"],
        ["range", ""],
        ["range", "AKx"],
        ["rank", "AsKdQhJcTs9s8s7s6s5s"],
        ["rank", "AsKdQhJcAs"],
    ],
)
def test_bad_input_is_one_sentence_and_exit_2(
    riverboat: Callable[..., Answer], arguments: list[str]
) -> None:
    code, out, err = riverboat(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("riverboat: ")
    assert err.count("\n") == 1
