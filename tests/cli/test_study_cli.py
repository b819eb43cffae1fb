"""`riverboat show FILE.study`: chapters as a list, one by one, and what is refused."""

from pathlib import Path

import pytest

from commands import Command
from riverboat.arena.study import Chapter, Study

STUDY = Study(
    (
        Chapter("The start", "/holdem/spots/5f1d?node=r%3A0", "Who bets?\n\n[red]Why?[/red]"),
        Chapter("A bluff", "/learn/2/8?bluff=50&call=20"),
    )
)


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "rivers.study"
    STUDY.save(path)
    return str(path)


def test_the_chapters_of_a_study_are_listed(command: Command, file: str) -> None:
    assert command("show", file).out.splitlines() == [
        "rivers, 2 chapters",
        "1  The start  spot",
        "2  A bluff  lesson",
    ]
    assert command("show", file, "--json").json == STUDY.as_dict()


def test_a_chapter_is_shown_with_address_and_note(command: Command, file: str) -> None:
    assert command("show", file, "1").out.splitlines() == [
        "The start",
        "/holdem/spots/5f1d?node=r%3A0",
        "",
        "Who bets?",
        "",
        "[red]Why?[/red]",
    ]
    assert command("show", file, "2", "--json").json == STUDY.chapter(2).as_dict()


def test_what_a_study_has_not_is_refused(command: Command, file: str, tmp_path: Path) -> None:
    assert "this study has 1 to 2" in command.refused("show", file, "3")
    assert "'r:0' is no chapter" in command.refused("show", file, "r:0")
    assert "--match is for tables" in command.refused("show", file, "--match", "K")
    assert "solved spots" in command.refused("show", file, "--groups")
    assert "a study" in command.refused("evaluate", file)
    damaged = tmp_path / "damaged.study"
    damaged.write_text("chapter = 3")
    assert "is no study" in command.refused("show", damaged)
