"""Tournaments on paper: the format, the draw, ties, and the statistics against closed forms."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, chi2

from riverboat.errors import ParameterError, UnknownNameError, UsageError
from riverboat.twentyone.table import Seat
from riverboat.twentyone.wire.tournament_rounds import (
    Comparison,
    TournamentFormat,
    chi_square_tail,
    draw,
    rank,
    verdict,
    wilson_interval,
)


def test_the_courses_format_is_three_tables_of_six_and_a_final() -> None:
    assert TournamentFormat().stages(18) == [[6, 6, 6], [6]]


@pytest.mark.parametrize(
    ("format", "entrants", "stages"),
    [
        (TournamentFormat(), 2, [[2]]),
        (TournamentFormat(), 6, [[6]]),
        (TournamentFormat(), 7, [[4, 3], [4]]),
        (TournamentFormat(), 100, [[6] * 15 + [5] * 2, [6] * 4 + [5] * 2, [6, 6], [4]]),
        (TournamentFormat(table_size=2, advance=1), 8, [[2] * 4, [2] * 2, [2]]),
        (TournamentFormat(table_size=2, advance=1), 7, [[2, 2, 2, 1], [2, 2], [2]]),
        (TournamentFormat(table_size=4, advance=2), 5, [[3, 2], [4]]),
        (TournamentFormat(table_size=4, advance=3), 4, [[4]]),
    ],
)
def test_any_number_of_entrants(
    format: TournamentFormat, entrants: int, stages: list[list[int]]
) -> None:
    assert format.stages(entrants) == stages


def test_a_table_from_which_all_would_advance_is_refused() -> None:
    with pytest.raises(ParameterError, match="let fewer advance"):
        TournamentFormat(table_size=4, advance=3).stages(9)


@given(st.integers(2, 300), st.integers(2, 6), st.integers(1, 3))
def test_every_tournament_has_a_final(entrants: int, size: int, advance: int) -> None:
    format = TournamentFormat(table_size=size, advance=advance)
    if entrants > size < 2 * advance:
        with pytest.raises(ParameterError):
            format.stages(entrants)
        return
    stages = format.stages(entrants)
    assert [len(stage) for stage in stages].count(1) == 1
    assert len(stages[-1]) == 1
    assert 2 <= stages[-1][0] <= size
    assert sum(stages[0]) == entrants


@given(st.integers(2, 300), st.integers(3, 6), st.integers(0, 1000))
def test_a_draw_seats_everybody_once(entrants: int, size: int, seed: int) -> None:
    format = TournamentFormat(table_size=size, advance=1)
    names = [str(n) for n in range(entrants)]
    sizes = format.table_sizes(entrants)
    tables = draw(names, sizes, np.random.default_rng(seed))
    assert [len(table) for table in tables] == sizes
    assert max(sizes) <= size
    assert max(sizes) - min(sizes) <= 1
    assert sorted(itertools.chain.from_iterable(tables)) == sorted(names)


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        ({"table_size": 1}, ParameterError),
        ({"table_size": 7}, ParameterError),
        ({"rounds": 0}, ParameterError),
        ({"advance": 0}, ParameterError),
        ({"rank_by": "luck"}, UnknownNameError),
    ],
)
def test_formats_that_cannot_be_are_refused(bad: dict[str, object], error: type[Exception]) -> None:
    with pytest.raises(error):
        TournamentFormat(**bad)  # type: ignore[arg-type]


def test_a_tournament_of_one_is_refused() -> None:
    with pytest.raises(UsageError):
        TournamentFormat().stages(1)


def seat(name: str, wins: int, pushes: int, losses: int, out: str = "") -> Seat:
    return Seat(name, wins=wins, pushes=pushes, losses=losses, out=out)


def test_wins_rank_before_score_and_the_other_way_round() -> None:
    seats = [seat("a", 40, 10, 50), seat("b", 41, 0, 59), seat("c", 40, 20, 40)]
    rng = np.random.default_rng(0)
    assert [p.name for p in rank(seats, "wins", 2, rng)] == ["b", "c", "a"]
    assert [p.name for p in rank(seats, "score", 2, rng)] == ["c", "a", "b"]
    assert [p.advanced for p in rank(seats, "wins", 2, rng)] == [True, True, False]
    assert not any(p.note for p in rank(seats, "wins", 2, rng))


def test_ties_are_broken_by_lot_and_said_so() -> None:
    seats = [seat("a", 4, 1, 5), seat("b", 4, 1, 5), seat("c", 3, 1, 6)]
    first = [rank(seats, "wins", 1, np.random.default_rng(s))[0] for s in range(400)]
    assert {p.note for p in first} == {
        "tied with a on wins and score; placed by lot",
        "tied with b on wins and score; placed by lot",
    }
    ahead = sum(p.name == "a" for p in first)
    assert binomtest(ahead, 400).pvalue > 0.001


def test_who_was_folded_out_stands_last_and_does_not_advance() -> None:
    seats = [seat("a", 90, 0, 0, out="left"), seat("b", 1, 0, 9)]
    placings = rank(seats, "wins", 2, np.random.default_rng(0))
    assert [(p.name, p.advanced) for p in placings] == [("b", True), ("a", False)]
    assert placings[1].note == "folded out: left"


@given(st.integers(0, 500), st.integers(1, 500))
def test_intervals_are_wilsons(wins: int, more: int) -> None:
    low, high = wilson_interval(wins, wins + more)
    expected = binomtest(wins, wins + more).proportion_ci(method="wilson")
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_no_games_say_nothing() -> None:
    assert wilson_interval(0, 0) == (0.0, 1.0)


def compare(rounds: list[list[bool]]) -> tuple[Comparison, list[int]]:
    comparison = Comparison(len(rounds[0]))
    for row in rounds:
        comparison.add(["WIN" if won else "LOSE" for won in row])
    return comparison, [sum(column) for column in zip(*rounds, strict=True)]


@given(st.lists(st.lists(st.booleans(), min_size=2, max_size=2), min_size=1, max_size=60))
def test_for_two_players_cochrans_q_is_mcnemars_test(rounds: list[list[bool]]) -> None:
    comparison, wins = compare(rounds)
    assert comparison.all_equal(wins) == pytest.approx(comparison.two_equal(0, 1))


def test_cochrans_q_by_its_definition() -> None:
    """Sum over players of squared distances from the mean, by the formula of the 1950 paper."""
    rng = np.random.default_rng(1)
    table = rng.random((200, 4)) < [0.4, 0.45, 0.5, 0.42]
    comparison, wins = compare(table.tolist())
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    k = 4
    q = k * (k - 1) * ((columns - columns.mean()) ** 2).sum() / (rows * (k - rows)).sum()
    assert comparison.all_equal(wins) == pytest.approx(chi2.sf(q, k - 1))


@given(st.floats(0, 2000), st.integers(1, 120))
def test_the_chi_square_tail_is_scipys(x: float, freedom: int) -> None:
    assert chi_square_tail(x, freedom) == pytest.approx(chi2.sf(x, freedom), rel=1e-11, abs=1e-300)


@pytest.mark.parametrize(
    ("x", "freedom", "tail"),
    [(3.841458820694124, 1, 0.05), (9.487729036781154, 4, 0.05), (15.086272469388987, 5, 0.01)],
)
def test_the_chi_square_tail_as_it_is_tabled(x: float, freedom: int, tail: float) -> None:
    assert chi_square_tail(x, freedom) == pytest.approx(tail, rel=1e-12)


def test_equals_pass_for_equals_as_often_as_they_should() -> None:
    """Under luck alone the probability given is uniform: about 5% of tables fall below 5%."""
    rng = np.random.default_rng(7)
    below = 0
    for _ in range(400):
        comparison, wins = compare((rng.random((60, 3)) < 0.43).tolist())
        below += comparison.all_equal(wins) < 0.05
    assert binomtest(below, 400, 0.05).pvalue > 0.001


def test_the_verdict_is_honest() -> None:
    even = [[True, False], [False, True]] * 50 + [[True, False]] * 3
    comparison, wins = compare(even)
    seats = [seat(n, w, 0, 103 - w) for n, w in zip("ab", wins, strict=True)]
    placings = rank(seats, "wins", 1, np.random.default_rng(0))
    said = verdict(placings, seats, comparison)
    assert said.startswith("The lead of a over b may well be luck")
    assert "If it is real, about 4,5" in said  # 103 · 1.96² · 103 / 3² = 4,528
    comparison, wins = compare([[True, False]] * 40 + [[False, True]] * 10)
    seats = [seat(n, w, 0, 50 - w) for n, w in zip("ab", wins, strict=True)]
    said = verdict(rank(seats, "wins", 1, np.random.default_rng(0)), seats, comparison)
    assert said.startswith("a is better than b")
    comparison, wins = compare([[True, False], [False, True]] * 5)
    seats = [seat(n, w, 0, 10 - w) for n, w in zip("ab", wins, strict=True)]
    said = verdict(rank(seats, "wins", 1, np.random.default_rng(0)), seats, comparison)
    assert said.endswith("are level; the first place was drawn by lot.")
