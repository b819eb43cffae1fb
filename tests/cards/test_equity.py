"""Equity against the reference match-ups, plain enumeration, and sampling against exact."""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from riverboat.cards.card import parse_cards
from riverboat.cards.combos import COMBO_CARDS, parse_combo
from riverboat.cards.equity import equity, range_equities, runouts
from riverboat.cards.ranges import Range
from riverboat.cards.strength import strength
from riverboat.errors import ParameterError, RiverboatError, TooLargeError, UsageError

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "poker" / "equity.json").read_text())


@pytest.mark.parametrize("matchup", REFERENCE["matchups"], ids=lambda m: m["name"])
def test_hands_equal_the_reference(matchup: dict) -> None:
    answer = equity(matchup["hands"], matchup["board"])
    assert answer.method == "exact"
    assert answer.total == matchup["total"]
    assert list(answer.wins) == matchup["wins"]
    assert list(answer.ties) == matchup["ties"]
    assert answer.equity == pytest.approx(matchup["equity"], abs=1e-9)
    assert set(answer.stderr) == {0.0}


@pytest.mark.parametrize(
    "matchup", REFERENCE["range_matchups"], ids=lambda m: f"{' '.join(m['ranges'])} {m['board']}"
)
def test_ranges_equal_the_reference(matchup: dict) -> None:
    answer = equity(matchup["ranges"], matchup["board"])
    assert answer.method == "exact"
    assert answer.total == matchup["combo_boards"]
    assert list(answer.wins) == matchup["wins"]
    assert answer.equity == pytest.approx(matchup["equity"], abs=1e-9)
    if len(matchup["ranges"]) == 2:
        assert [ties / 2 for ties in answer.ties] == matchup["tie_shares"]


def plain_result(hands: list[int], other: Range, board: list[int]) -> tuple[float, float, float]:
    """Wins, ties and total of one hand against a range by the plain definition."""
    wins = ties = total = 0.0
    for runout in runouts(board).tolist():
        if set(runout) & set(hands):
            continue
        mine = strength([*hands, *runout])
        for combo in other.combos:
            cards = COMBO_CARDS[combo].tolist()
            if set(cards) & {*runout, *hands}:
                continue
            theirs, weight = strength([*cards, *runout]), other.weights[combo]
            wins += weight * (mine > theirs)
            ties += weight * (mine == theirs)
            total += weight
    return wins, ties, total


@pytest.mark.parametrize("board", ["2c7dJhQs", "AhKhQh2c", "AhKhQhJh"])
def test_every_hand_of_a_range_on_a_turn(board: str) -> None:
    first = Range.parse("AhTh,KsKc:0.5,98s")
    second = Range.parse("AA:0.25,KQs,T9o:0.5,98s")
    result = range_equities(first, second, board)
    for side, (mine, other) in enumerate(((first, second), (second, first))):
        for combo in mine.without(parse_cards(board)).combos[::3]:
            expected = plain_result(COMBO_CARDS[combo].tolist(), other, parse_cards(board))
            got = [figure[side, combo] for figure in (result.wins, result.ties, result.totals)]
            assert got == pytest.approx(expected)
    assert np.isnan(result.equities[0, parse_combo("3c3d")])


def test_three_ranges_on_a_flop_equal_the_plain_definition() -> None:
    texts, board = ["AsAh,KdQd", "JsTs:0.5,9h9d", "AcKc"], parse_cards("9s8d2s")
    ranges = [Range.parse(text) for text in texts]
    shares, total = np.zeros(3), 0.0
    for a in ranges[0].combos:
        for b in ranges[1].combos:
            hands = [COMBO_CARDS[c].tolist() for c in (a, b, ranges[2].combos[0])]
            used = {card for hand in hands for card in hand}
            weight = ranges[0].weights[a] * ranges[1].weights[b]
            deck = [c for c in range(52) if c not in {*used, *board}]
            for more in list(combinations(deck, 2)):
                values = np.array([strength([*hand, *board, *more]) for hand in hands])
                best = values == values.max()
                shares += weight * best / best.sum()
                total += weight
    answer = equity(texts, board)
    assert answer.method == "exact"
    assert answer.total == total
    assert answer.equity == pytest.approx(shares / total)


@pytest.mark.parametrize(
    ("players", "board"),
    [
        (["AsAh", "KdKc"], ""),
        (["AsAh", "KdKc", "QsQh", "JdJc", "TsTh", "9d9c"], ""),
        (["7c7d", "AsAc", "KhQh"], "7h4h2s"),
        (["QQ+,AK", "random"], ""),
        (["JTs:0.5,22", "AA,KQs:0.25"], "2c7dJh"),
        (["AA", "KK", "QQ"], ""),
        (["AKs,77", "random"], "2c7dJhQs9c"),
    ],
)
def test_sampling_is_within_its_error_of_exact(players: list[str], board: str) -> None:
    exact = equity(players, board, method="exact")
    sampled = equity(players, board, method="monte-carlo", samples=300_000, seed=5)
    assert sampled.method == "monte-carlo"
    assert sampled.total == 300_000
    assert sum(sampled.equity) == pytest.approx(1)
    for ours, theirs, error in zip(sampled.equity, exact.equity, sampled.stderr, strict=True):
        assert 0 < error < 0.001
        assert abs(ours - theirs) < 4.5 * error
    again = equity(players, board, method="monte-carlo", samples=300_000, seed=5)
    assert again == sampled


def test_the_error_that_a_notebook_shows_is_the_95_percent_interval() -> None:
    sampled = equity(["AA", "KK"], method="monte-carlo", samples=10_000, seed=5)
    assert f"± {1.96 * max(sampled.stderr):.2%} (95 %)" in sampled._repr_html_()


def test_nine_players_and_the_choice_of_method() -> None:
    hands = ["AsAh", "KdKc", "QsQh", "JdJc", "TsTh", "9d9c", "8s8h", "7d7c", "6s6h"]
    assert equity(hands).method == "exact"
    wide = equity(["random"] * 9, samples=20_000)
    assert wide.method == "monte-carlo"
    assert wide.equity == pytest.approx([1 / 9] * 9, abs=0.02)


@pytest.mark.parametrize(
    ("players", "board", "sentence"),
    [
        (["AsAh"], "", "2 to 9 players"),
        (["AA"] * 10, "", "2 to 9 players"),
        (["AsAh", "AsKs"], "", "Two players hold the card As"),
        (["AsAh", "KdKc"], "AsKs2d", "shares a card"),
        (["AA", "KdKc"], "AsAhAdAc2c", "no hand left"),
        (["AsAh", "KdKc"], "2c3c", "0, 3, 4 or 5"),
        (["AsAh", "KdKc"], "2c2c3c", "appears twice"),
        (["AA", "AA", "AA"], "", "never be dealt together"),
        (["", "KK"], "", "holds no hand"),
    ],
)
def test_impossible_questions(players: list[str], board: str, sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        equity(players, board)


def test_wrong_options() -> None:
    with pytest.raises(UsageError, match="no method"):
        equity(["AA", "KK"], method="guess")
    with pytest.raises(UsageError, match="at least 1"):
        equity(["AA", "KK"], method="monte-carlo", samples=0)
    with pytest.raises(TooLargeError, match="monte-carlo"):
        equity(["random"] * 3, method="exact")
    with pytest.raises(RiverboatError, match="possible"):
        equity(["AA"] * 3, method="monte-carlo", samples=100)
