"""The trainer at the terminal: drills, what is not scored, what comes again."""

from pathlib import Path

import pytest

from commands import Command


@pytest.fixture
def trainer(command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """The command with a record of its own and its answers as lines."""
    record = tmp_path / "record.json"

    def run(*arguments: object, answers: str = "") -> str:
        lines = iter(answers.splitlines())

        def answer(prompt: str) -> str:
            try:
                return next(lines)
            except StopIteration:
                raise EOFError from None

        monkeypatch.setattr("builtins.input", answer)
        return command("blackjack", "trainer", "--record", record, *arguments).out

    return run


def test_a_seed_repeats_and_hands_are_counted(command: Command, monkeypatch) -> None:
    monkeypatch.setattr("builtins.input", lambda prompt: "s")
    arguments = ("blackjack", "trainer", "--no-record", "--seed", 1, "--hands", 3)
    first = command(*arguments).out
    assert first == command(*arguments).out
    assert "of 3 right" in first
    assert "3. dealer shows" in first
    assert "4. dealer shows" not in first
    assert "Record" not in first


def test_it_ends_with_the_input_or_on_request(trainer) -> None:
    assert "No hand was scored." in trainer("--seed", 1)
    assert "No hand was scored." in trainer("--seed", 1, answers="x\n?\nq\n")
    assert "of 2 right" in trainer("--seed", 1, answers="h\nh\n")


def test_looking_does_not_score(trainer) -> None:
    out = trainer("--drill", "hard", "--seed", 1, answers="?\nh\n?\ns\nq")
    assert out.count("This one does not score.") == 2
    assert "No hand was scored." in out
    assert "2 hands will come again." in out


def test_statistics_are_kept_across_runs(trainer, command: Command, tmp_path: Path) -> None:
    for _ in range(2):
        trainer("--drill", "pairs", "--seed", 4, "--hands", 5, answers="s\n" * 5)
    facts = command(
        "blackjack", "trainer", "--record", tmp_path / "record.json", "--stats", "--json"
    ).json
    assert facts["tallies"]["pairs"]["asked"] == 10
    assert facts["answered"] == 10
    assert "pairs" in trainer("--stats")
    assert "Nothing is recorded" in command(
        "blackjack", "trainer", "--record", tmp_path / "none.json", "--stats"
    ).out  # fmt: skip


def test_a_mistake_is_asked_again_in_the_next_run(trainer) -> None:
    first = trainer("--drill", "pairs", "--seed", 4, "--hands", 4, answers="s\n" * 4)
    assert "will come again" in first
    assert "(again)" in trainer("--drill", "pairs", "--seed", 5, "--hands", 3, answers="h\n" * 3)


def test_counting_cards(trainer, command: Command) -> None:
    # Twenty-six cards in groups of two, then both counts.
    answers = "\n" * 13 + "x\n100\n100\n" + "q\n"
    out = trainer("--drill", "count", "--seed", 3, answers=answers)
    assert "The count is +0." in out
    assert "0 of 1 counts right" in out
    assert "s per deck" in out
    # One card, shown for no time at all: a 5 counts +1, and 52 - 1 cards are one deck.
    once = trainer(
        "--drill", "count", "--set", "decks=1", "--cards", 1, "--seed", 2, "--hands", 1,
        answers="\n0\n0",
    )  # fmt: skip
    assert "counts right" in once
    assert "cannot be counted" in command.refused(
        "blackjack", "trainer", "--drill", "count", "--rules", "infinite"
    )


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--hands", -1), "--hands"),
        (("--seed", -1), "--seed"),
        (("--drill", "bridge"), "bridge"),
        (("--drill", "surrender"), "surrender=late"),
        (("--drill", "count", "--drill", "soft"), "alone"),
        (("--cards", 10), "--drill count"),
        (("--drill", "count", "--count", "hallo"), "hallo"),
        (("--drill", "count", "--cards", 300), "cards"),
        (("--no-record", "--stats"), "--no-record"),
        (("--json",), "--stats"),
        (("--drill", "deviations", "--rules", "infinite"), "infinite"),
    ],
)
def test_refusals(command: Command, arguments: tuple[object, ...], named: str) -> None:
    assert named in command.refused("blackjack", "trainer", *arguments)


def test_a_file_that_is_no_record_is_left_alone(command: Command, tmp_path: Path) -> None:
    other = tmp_path / "notes.json"
    other.write_text('{"format": 1}')
    assert "not a trainer's record" in command.refused("blackjack", "trainer", "--record", other)
    assert other.read_text() == '{"format": 1}'
