"""The memory of a person: SM-2's own figures, exact chances, a file that survives anything."""

import json
import math
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest

from riverboat.arena.drill import Verdict
from riverboat.arena.memory import (
    RARE,
    Memory,
    Question,
    Schedule,
    Wanted,
    closeness,
    gap_of,
    people,
    person_file,
)
from riverboat.errors import FileFormatError, UsageError

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
TODAY = NOON.date()
QUESTION = Question("kuhn", "0 Jb", "J after a bet", "antes", 1.0, {"street": "1"})
WRONG = Verdict("call", "fold", 1.0)
RIGHT = Verdict("fold", "fold", 0.0)
LOOKED_UP = Verdict("fold", "fold", 0.0, scored=False)


def on_day(number):
    return NOON + timedelta(days=number)


def test_the_intervals_of_an_ease_of_two_and_a_half_are_those_of_sm2():
    """I(1) = 1, I(2) = 6, I(n) = I(n − 1) · EF rounded up (Wozniak 1990); quality 4 keeps EF."""
    schedule, today, days = Schedule(TODAY), TODAY, []
    for _ in range(6):
        schedule = schedule.after(4, today)
        days.append(schedule.days)
        today = schedule.due
    assert days == [1, 6, 15, 38, 95, 238]
    assert schedule.ease == pytest.approx(2.5)
    assert schedule.due == TODAY + timedelta(days=sum(days))


@pytest.mark.parametrize(("quality", "change"), [(5, 0.1), (4, 0.0), (3, -0.14)])
def test_the_ease_changes_as_in_sm2(quality, change):
    """EF' = EF + (0.1 − (5 − q)(0.08 + (5 − q) 0.02))."""
    assert Schedule(TODAY).after(quality, TODAY).ease == pytest.approx(2.5 + change)


def test_the_ease_never_falls_below_that_of_sm2():
    schedule = Schedule(TODAY)
    for _ in range(20):
        schedule = schedule.after(3, TODAY)
    assert schedule.ease == 1.3


@pytest.mark.parametrize("quality", [0, 1, 2])
def test_a_miss_begins_again_at_one_day_with_the_same_ease(quality):
    known = Schedule(TODAY, 5, 95, 2.36)
    assert known.after(quality, TODAY) == Schedule(TODAY + timedelta(1), 0, 1, 2.36)


def test_a_missed_question_comes_again_tomorrow_and_then_by_its_schedule():
    memory = Memory()
    memory.note(QUESTION, WRONG, on_day(0))
    assert memory.due(on_day(0)) == []
    assert [missed.question for missed in memory.due(on_day(1))] == [QUESTION]
    memory.note(QUESTION, RIGHT, on_day(1))
    assert memory.due(on_day(1)) == []
    memory.note(QUESTION, RIGHT, on_day(2))  # due after one more day
    (missed,) = memory.mistakes()
    assert missed.schedule.due == date(2026, 3, 9)  # six days later
    assert missed.mistakes == 1


def test_a_right_answer_before_the_day_changes_nothing_and_a_wrong_one_begins_again():
    memory = Memory()
    memory.note(QUESTION, WRONG, on_day(0))
    before = memory.mistakes()[0].schedule
    memory.note(QUESTION, RIGHT, on_day(0))
    assert memory.mistakes()[0].schedule == before
    for day in (1, 2):
        memory.note(QUESTION, RIGHT, on_day(day))
    memory.note(QUESTION, WRONG, on_day(3))
    assert memory.mistakes()[0].schedule.due == date(2026, 3, 5)


def test_what_was_known_at_once_does_not_come_again_and_what_was_looked_up_does():
    memory = Memory()
    memory.note(QUESTION, RIGHT, NOON)
    assert memory.due(on_day(1000)) == []
    memory.note(QUESTION, LOOKED_UP, NOON)
    assert len(memory.due(on_day(1))) == 1


def test_the_question_that_waited_longest_comes_first_and_of_a_day_the_closest():
    memory = Memory()
    close = replace(QUESTION, key="close", gap=0.1)
    late = replace(QUESTION, key="late")
    memory.note(late, WRONG, on_day(1))
    memory.note(QUESTION, WRONG, on_day(0))
    memory.note(close, WRONG, on_day(0))
    assert [m.question.key for m in memory.due(on_day(5))] == ["close", "0 Jb", "late"]


def test_close_decisions_come_more_often_by_the_exponential_of_their_gap():
    weights = closeness(np.array([0.0, 0.5, 1.0, 100.0]), 0.5)
    assert weights.tolist() == pytest.approx([1, math.exp(-1), math.exp(-2), RARE])
    assert gap_of([1.0, -2.0, 0.75]) == 0.25
    assert gap_of([1.0, math.nan]) == 0.0


def test_groups_filter_what_is_due():
    memory = Memory()
    river = replace(QUESTION, key="river", groups={"street": "river", "position": "ip"})
    memory.note(QUESTION, WRONG, NOON)
    memory.note(river, WRONG, NOON)
    wanted = Wanted.parse(["street=river", "street=turn", "position=ip", "mistakes"])
    assert wanted.words == ("position=ip", "street=river", "street=turn", "mistakes")
    assert [m.question.key for m in memory.due(on_day(1), None, wanted)] == ["river"]
    assert memory.due(on_day(1), "leduc", wanted) == []


@pytest.mark.parametrize("word", ["", "river", "=river", "street=", "mistakes=1 x="])
def test_a_group_that_cannot_be_read_is_refused(word):
    if word == "mistakes=1 x=":
        assert Wanted.parse([word]).groups == {"mistakes": {"1 x="}}
        return
    with pytest.raises(UsageError, match="KIND=GROUP"):
        Wanted.parse([word])


def test_results_are_added_up_by_day_deck_and_group():
    memory = Memory()
    for day, verdict in ((0, WRONG), (0, RIGHT), (2, RIGHT), (2, LOOKED_UP)):
        memory.note(QUESTION, verdict, on_day(day))
    days = memory.results("day")
    assert {day: (t.asked, t.right, t.lost) for day, t in days.items()} == {
        "2026-03-01": (2, 1, 1.0),
        "2026-03-03": (1, 1, 0.0),
    }
    assert days["2026-03-03"].looked_up == 1
    assert memory.results("street")["1"].asked == 3
    assert memory.results("deck", "leduc") == {}
    assert memory.kinds == ("street",)


def test_a_memory_is_read_again_and_followed_while_another_program_writes(tmp_path):
    first = Memory.of("Ada", tmp_path)
    first.note(QUESTION, WRONG, NOON)
    second = Memory.of("ADA", tmp_path)
    assert second.person == "Ada"
    assert second.answers == first.answers
    second.note(QUESTION, RIGHT, on_day(1))
    first.refresh()
    assert first.answers == second.answers
    assert first.missed == second.missed
    assert people(tmp_path) == ["Ada"]
    path = person_file(tmp_path, "Ada")
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0


def test_a_line_that_was_cut_is_skipped_and_the_next_one_is_whole(tmp_path):
    memory = Memory.of("Ada", tmp_path)
    memory.note(QUESTION, WRONG, NOON)
    with memory.path.open("ab") as stream:
        stream.write(b'{"time": "2026-03')
    memory.note(QUESTION, RIGHT, on_day(1))
    assert [answer.right for answer in memory.answers] == [False, True]
    assert [answer.right for answer in Memory.of("Ada", tmp_path).answers] == [False, True]


@pytest.mark.parametrize(
    "change", [{"cost": "much"}, {"cost": -1}, {"time": "today"}, {"groups": 7}, {"gap": math.inf}]
)
def test_a_line_of_nonsense_is_skipped(tmp_path, change):
    memory = Memory.of("Ada", tmp_path)
    memory.note(QUESTION, WRONG, NOON)
    line = memory.path.read_text().splitlines()[1]
    with memory.path.open("a") as stream:
        stream.write(json.dumps(json.loads(line) | change) + "\n[1]\nnonsense\n")
    assert len(Memory.of("Ada", tmp_path).answers) == 1


def test_a_file_that_is_no_memory_is_refused_and_not_changed(tmp_path):
    path = person_file(tmp_path, "Ada")
    path.parent.mkdir(parents=True)
    path.write_text("my diary\n")
    with pytest.raises(FileFormatError, match="not a memory of training"):
        Memory.of("Ada", tmp_path)
    assert people(tmp_path) == []
    assert path.read_text() == "my diary\n"


@pytest.mark.parametrize("name", ["", "  ", "../x", "a/b", "a\\b", ".x", "a\0b", "x" * 41, "<b>"])
def test_names_that_are_no_names_are_refused(tmp_path, name):
    with pytest.raises(UsageError):
        Memory.of(name, tmp_path)
    assert list(tmp_path.iterdir()) == []
