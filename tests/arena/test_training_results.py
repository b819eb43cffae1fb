"""What training came to: sums by hand, units that are never mixed, a picture and a frame."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

import riverboat as rb
from riverboat.arena.drill import Verdict
from riverboat.arena.memory import Memory, Question
from riverboat.arena.training_results import COLUMNS, TrainingResults
from riverboat.errors import UsageError

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
TURN = Question("spot a", "r:0 AhKd", "Ks as OOP: AhKd at r:0", "chips", 0.5, {"street": "turn"})
RIVER = replace(TURN, key="r:1 AhKd", groups={"street": "river"})
HAND = Question("blackjack", "soft A6v4", "Blackjack: A,6 against 4", "bets", 0.1, {"hand": "soft"})
RIGHT = Verdict("bet", "bet", 0.0)
LOOKED_UP = Verdict("bet", "bet", 0.0, scored=False)


def wrong(cost):
    return Verdict("check", "bet", cost)


@pytest.fixture
def memory(tmp_path):
    """Two days: 2 chips lost in three decisions and one looked up, a quarter of a bet in one."""
    kept = Memory.of("Ada", tmp_path)
    second = NOON + timedelta(days=1)
    for question, verdict, time in (
        (RIVER, wrong(2.0), NOON),
        (TURN, RIGHT, NOON),
        (HAND, wrong(0.25), NOON),
        (TURN, RIGHT, second),
        (RIVER, LOOKED_UP, second),
    ):
        kept.note(question, verdict, time)
    return kept


@pytest.fixture
def results(memory):
    return TrainingResults.of_memory(memory, NOON + timedelta(days=1))


def test_days_and_groups_are_added_up_in_their_unit(results):
    rows = {(row.group, row.unit): row for row in results.of("day")}
    assert {key: (row.tally.asked, row.share, row.per_decision) for key, row in rows.items()} == {
        ("2026-03-01", "bets"): (1, 0.0, 0.25),
        ("2026-03-01", "chips"): (2, 0.5, 1.0),
        ("2026-03-02", "chips"): (1, 1.0, 0.0),
    }
    assert rows["2026-03-02", "chips"].tally.looked_up == 1
    turn, river = results.of("street")
    assert (turn.group, turn.share, turn.to_repeat, turn.due) == ("turn", 1.0, 0, 0)
    assert (river.group, river.per_decision, river.to_repeat, river.due) == ("river", 2.0, 1, 0)
    assert results.kinds == ("street",)  # of hands there is one group only
    assert results.units == ("bets", "chips")


def test_the_curve_has_a_point_for_each_day(results):
    assert results.shares() == [(date(2026, 3, 1), pytest.approx(1 / 3)), (date(2026, 3, 2), 1.0)]
    assert results.losses("chips") == [(date(2026, 3, 1), 1.0), (date(2026, 3, 2), 0.0)]
    assert results.losses("bets") == [(date(2026, 3, 1), 0.25)]


def test_what_comes_again_is_counted_by_day_and_what_is_overdue_is_due_today(memory):
    """The river was looked up on the second day: it begins again at one day."""
    at = {
        day: TrainingResults.of_memory(memory, NOON + timedelta(days=day)).coming
        for day in (1, 2, 9)
    }
    assert at[1] == {"2026-03-02": 1, "2026-03-03": 1}
    assert at[2] == {"2026-03-03": 2}
    assert at[9] == {"2026-03-10": 2}


def test_a_deck_is_found_by_its_name_or_by_words_of_its_title(memory):
    for wanted in ("spot a", "ks AS oop"):
        results = TrainingResults.of_memory(memory, NOON, wanted)
        assert results.deck == "spot a"
        assert results.units == ("chips",)
        assert results.total.asked == 3
    with pytest.raises(UsageError, match="No deck has 'omaha' in the name; there are: Ks as OOP"):
        TrainingResults.of_memory(memory, NOON, "omaha")
    with pytest.raises(UsageError, match="2 decks have"):
        TrainingResults.of_memory(memory, NOON, "a")


def test_no_answer_or_only_answers_that_were_looked_up_have_no_share():
    empty = TrainingResults.of_memory(Memory(), NOON)
    assert (empty.rows, empty.due, empty.shares()) == ((), 0, [])
    memory = Memory()
    memory.note(TURN, LOOKED_UP, NOON)
    (row,) = TrainingResults.of_memory(memory, NOON).of("day")
    assert (row.share, row.per_decision) == (None, None)


def test_rows_are_a_frame_and_a_file(results, tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = results.to_frame(library="pandas")
    assert isinstance(frame, pandas.DataFrame)
    assert tuple(frame.columns) == COLUMNS
    assert frame[frame.kind == "street"].lost.tolist() == [0.0, 2.0]
    results.write(tmp_path / "rows.csv")
    assert len((tmp_path / "rows.csv").read_text().splitlines()) == 1 + len(results.rows)


def test_the_picture_names_the_person_and_the_units(results):
    figures = pytest.importorskip("riverboat.drawing.figures")
    picture = figures.picture_bytes(results.figure(), "svg").decode()
    assert "Training of Ada" in picture
    assert "chips" in picture
    assert picture == figures.picture_bytes(results.figure(), "svg").decode()


def test_the_front_door_reads_the_same_memory(memory, tmp_path):
    results = rb.training("ada", folder=tmp_path, now=NOON)
    assert results.as_dict() == TrainingResults.of_memory(memory, NOON).as_dict()
    with pytest.raises(UsageError, match="There is no memory of Bo; there are: Ada"):
        rb.training("Bo", folder=tmp_path)
    with pytest.raises(UsageError, match="nobody has trained here yet"):
        rb.training("Bo", folder=tmp_path / "empty")
