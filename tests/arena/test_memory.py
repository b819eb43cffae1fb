"""The memory of a person: SM-2's own figures, exact chances, a file that survives anything."""

import json
import math
import threading
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
    again_words,
    closeness,
    gap_of,
    people,
    person_file,
)
from riverboat.arena.people import delete_person, rename_person
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


def test_an_ease_that_grows_lengthens_the_intervals_as_worked_out_by_hand():
    """Quality 5 adds 0.1: 2.6, 2.7, 2.8, 2.9; 6 · 2.8 = 16.8 → 17, 17 · 2.9 = 49.3 → 50."""
    schedule, today, days = Schedule(TODAY), TODAY, []
    for _ in range(4):
        schedule = schedule.after(5, today)
        days.append(schedule.days)
        today = schedule.due
    assert days == [1, 6, 17, 50]


def test_when_a_question_comes_again_is_said_in_words():
    memory = Memory()
    memory.note(QUESTION, RIGHT, NOON)
    assert again_words(memory.schedule_of(QUESTION), NOON).startswith("You knew it")
    memory.note(QUESTION, WRONG, NOON)
    assert again_words(memory.schedule_of(QUESTION), NOON) == "It comes again tomorrow."
    assert again_words(memory.schedule_of(QUESTION), on_day(1)) == "It comes again today."
    for day in (1, 2):
        memory.note(QUESTION, RIGHT, on_day(day))
    words = again_words(memory.schedule_of(QUESTION), on_day(2))
    assert words == "It comes again in 6 days, on 09 Mar 2026."


def test_a_question_without_a_key_is_counted_and_does_not_come_again():
    memory = Memory()
    memory.note(replace(QUESTION, key=""), WRONG, NOON)
    assert memory.results("deck")["kuhn"].asked == 1
    assert memory.mistakes() == []


def test_two_writers_at_once_lose_no_answer(tmp_path):
    """Two programs, or two tabs, with memories of their own."""
    writers = [Memory.of("Ada", tmp_path) for _ in range(2)]
    keys = [[f"{number} {key}" for key in range(40)] for number in range(2)]

    def write(number):
        for key in keys[number]:
            writers[number].note(replace(QUESTION, key=key), WRONG, NOON)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    kept = Memory.of("Ada", tmp_path)
    assert sorted(answer.question.key for answer in kept.answers) == sorted(keys[0] + keys[1])
    for writer in writers:
        writer.refresh()
        assert len(writer.answers) == 80


def test_a_copy_is_a_memory_of_its_own_over_the_same_file(tmp_path):
    memory = Memory.of("Ada", tmp_path)
    memory.note(QUESTION, WRONG, NOON)
    copy = memory.copy()
    copy.note(QUESTION, RIGHT, on_day(1))
    assert len(memory.answers) == 1
    assert memory.mistakes()[0].schedule.known == 0
    memory.refresh()
    assert memory.missed == copy.missed


def test_a_person_is_renamed_while_another_program_writes(tmp_path):
    writer = Memory.of("Ada", tmp_path)
    writer.note(QUESTION, WRONG, NOON)
    assert rename_person(tmp_path, "ada", "Grace H") == "Grace H"
    assert people(tmp_path) == ["Grace H"]
    moved = Memory.of("grace h", tmp_path)
    assert (moved.person, len(moved.answers)) == ("Grace H", 1)
    assert rename_person(tmp_path, "grace h", "GRACE H") == "GRACE H"
    assert Memory.of("grace h", tmp_path).person == "GRACE H"
    writer.note(QUESTION, WRONG, NOON)  # under the old name, which begins anew
    assert sorted(people(tmp_path)) == ["Ada", "GRACE H"]
    with pytest.raises(UsageError, match="There is a GRACE H already"):
        rename_person(tmp_path, "Ada", "GRACE H")
    with pytest.raises(UsageError, match="There is no memory of Bo; there are: Ada, GRACE H"):
        rename_person(tmp_path, "Bo", "Eve")
    delete_person(tmp_path, "ada")
    assert people(tmp_path) == ["GRACE H"]
    writer.refresh()
    assert writer.answers == []
    assert writer.missed == {}


def test_another_file_in_the_same_place_is_read_anew(tmp_path):
    memory, other = Memory.of("Ada", tmp_path), Memory.of("Bo", tmp_path)
    memory.note(QUESTION, WRONG, NOON)
    for _ in range(3):
        other.note(QUESTION, RIGHT, NOON)
    person_file(tmp_path, "Bo").replace(memory.path)
    memory.refresh()
    assert [answer.right for answer in memory.answers] == [True] * 3


def test_any_bytes_are_a_memory_or_one_sentence(tmp_path):
    """Changed bytes and cut ends of a real file, and bytes of chance with a fixed seed."""
    memory = Memory.of("Ada", tmp_path)
    memory.note(QUESTION, WRONG, NOON)
    memory.note(QUESTION, RIGHT, on_day(1))
    whole, rng = memory.path.read_bytes(), np.random.default_rng(1)
    refused = set()
    for number in range(200):
        raw = bytearray(whole if number % 4 else rng.bytes(200))
        for place in rng.integers(0, len(raw), 3):
            raw[place] = int(rng.integers(256))
        memory.path.write_bytes(raw[: int(rng.integers(len(raw)))] if number % 2 else raw)
        try:
            read = Memory(memory.path)
        except FileFormatError as error:
            refused.add(str(error).rpartition("; ")[2])
        else:
            assert len(read.answers) <= 2
            read.due(on_day(3)), read.results("day")
    assert refused == {"move it away, or take another name."}
