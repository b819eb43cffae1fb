"""`riverboat drill` and `riverboat training`: one memory for all drills, by days handed in."""

from datetime import UTC, datetime, timedelta

import pytest

import riverboat as rb
from commands import Command
from riverboat.arena.memory import Memory
from riverboat.cli import clock

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def typed(command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path):
    """A command with a folder of data of its own, its answers as lines, and its day."""
    monkeypatch.setenv("RIVERBOAT_DATA", str(tmp_path))

    def run(*arguments, answers="", day=0, code=0):
        lines = iter(answers.splitlines())

        def answer(*_args, **_kwargs):
            try:
                return next(lines)
            except StopIteration:
                raise EOFError from None

        monkeypatch.setattr("builtins.input", answer)
        monkeypatch.setattr("rich.console.Console.input", answer)
        monkeypatch.setattr(clock, "now", lambda: NOON + timedelta(days=day))
        done = command(*arguments)
        assert done.code == code, done.err
        return done

    return run


def train(typed, day=0):
    """Three decisions of Kuhn poker, each answered by a bet or a call."""
    return typed(
        "drill",
        "kuhn",
        "--person",
        "Ada",
        "--seed",
        1,
        "--decisions",
        3,
        answers="b\nb\nb\n",
        day=day,
    ).out


def test_a_drill_prices_remembers_and_says_when_it_asks_again(typed, tmp_path):
    out = train(typed)
    memory = Memory.of("Ada", tmp_path)
    assert len(memory.answers) == 3
    missed = [answer for answer in memory.answers if not answer.right]
    assert out.count("It comes again tomorrow.") == len(missed)
    for answer in missed:
        assert f"costs {answer.cost:.4f} antes" in out
    assert f"Ada has {len(memory.missed)} question" in out


def test_what_is_due_is_asked_first_on_its_day(typed, tmp_path):
    train(typed)
    due = Memory.of("Ada", tmp_path).due(NOON + timedelta(days=1))
    out = typed(
        "drill", "kuhn", "--person", "ada", "--decisions", len(due), answers="p\n" * 9, day=1
    ).out
    assert out.count("Once more: you missed this decision before.") == len(due)


def test_groups_and_hints_of_a_drill(typed):
    out = typed("drill", "leduc", "--only", "facing=bet", "--seed", 1, answers="?\nf\nq\n").out
    assert "EV" in out
    assert "No decision was scored." in out  # the only one was looked up
    for words, sentence in (
        (("--only", "street=river"), "has no decision in this group"),
        (("--only", "x"), "KIND=GROUP"),
        (("--person", "a/b"), "letters, digits"),
    ):
        assert sentence in typed("drill", "kuhn", *words, code=2).err
    assert "too large for this drill" in typed("drill", "holdem", code=2).err


def test_a_drill_as_json_is_one_object(typed):
    facts = typed("drill", "kuhn", "--json", "--seed", 1, "--decisions", 2, answers="b\nb\n").json
    assert facts["asked"] == 2
    assert (facts["deck"], facts["unit"]) == ("game kuhn", "antes")


def test_training_is_what_the_front_door_says(typed, tmp_path):
    train(typed)
    facts = typed("training", "ADA", "--json", day=1).json
    results = rb.training("Ada", folder=tmp_path, now=NOON + timedelta(days=1))
    assert facts == results.as_dict()
    assert facts["due"] == len(Memory.of("Ada", tmp_path).due(NOON + timedelta(days=1)))
    listed = typed("training", "--json", day=1).json["people"]
    assert listed == [
        {"person": "Ada", "answers": 3, "to_repeat": facts["due"], "due": facts["due"]}
    ]
    out = typed("training", "Ada", day=1).out
    assert f"Ada: 3 answers, {results.total.right} right" in out
    assert "2026-03-01" in out


def test_training_is_drawn_and_written(typed, tmp_path):
    pytest.importorskip("matplotlib")
    train(typed)
    for name, begin in (("a.svg", b"<?xml"), ("a.csv", b"kind,group")):
        typed("training", "Ada", "--out", tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(begin)
    assert "--out writes" in typed("training", "Ada", "--out", tmp_path / "a.txt", code=2).err


def test_a_person_is_renamed_and_deleted_after_a_question(typed):
    train(typed)
    assert "Ada is Grace now." in typed("training", "Ada", "--rename", "Grace").out
    assert "no memory of Ada; there are: Grace" in typed("training", "Ada", code=2).err
    refused = typed("training", "Grace", "--delete", answers="no\n", code=2)
    assert "Nothing was deleted." in refused.err
    assert "are deleted" in typed("training", "Grace", "--delete", answers="yes\n").out
    assert "Nobody has trained here yet" in typed("training").out
    train(typed)
    assert "are deleted" in typed("training", "Ada", "--delete", "--yes").out


def test_options_that_do_not_go_together_are_refused(typed):
    assert "give a name" in typed("training", "--delete", code=2).err
    refused = typed("training", "Ada", "--delete", "--rename", "Bo", code=2)
    assert "--delete goes alone" in refused.err
    assert "--yes is for --delete" in typed("training", "Ada", "--yes", code=2).err


def test_a_damaged_memory_is_one_sentence(typed, tmp_path):
    train(typed)
    Memory.of("Ada", tmp_path).path.write_bytes(b"\x00\xff")
    for words in (("training", "Ada"), ("drill", "kuhn", "--person", "Ada")):
        error = typed(*words, code=2).err
        assert "is not a memory of training" in error
        assert error.count("\n") <= 2


def test_blackjack_and_counting_share_the_memory(typed, tmp_path):
    out = typed(
        "blackjack", "drill", "--person", "Ada", "--only", "hand=soft", "--seed", 1, "--hands", 2,
        answers="h\nh\n",
    ).out  # fmt: skip
    memory = Memory.of("Ada", tmp_path)
    assert [answer.question.groups["hand"] for answer in memory.answers] == ["soft", "soft"]
    assert out.count("It comes again") == len(memory.missed)
    out = typed(
        "blackjack", "drill", "--person", "Ada", "--drill", "count", "--cards", 2, "--hands", 1,
        "--seed", 1, answers="\n99\n0\n",
    ).out  # fmt: skip
    counted = rb.training("Ada", folder=tmp_path, now=NOON, deck="counting")
    (row,) = counted.of("day")
    assert (row.tally.asked, row.tally.right, row.unit, row.to_repeat) == (1, 0, "points", 0)
    assert not (tmp_path / "blackjack-trainer.json").exists()


def test_a_person_has_no_second_record(typed, tmp_path):
    for words in (("--no-record",), ("--stats",), ("--record", tmp_path / "r.json")):
        error = typed("blackjack", "drill", "--person", "Ada", *words, code=2).err
        assert "--person keeps a memory of its own" in error
    error = typed("blackjack", "drill", "--drill", "count", "--only", "up=T", code=2).err
    assert "--only is for hands to decide" in error
    error = typed("blackjack", "drill", "--only", "street=turn", code=2).err
    assert "no hand in this group: street=turn" in error
