"""`riverboat learn`: the list, whole lessons without a terminal, steps and keys with one."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from riverboat.cli.learn import LessonScreen, read_key
from riverboat.cli.main import app
from riverboat.lessons.texts import Lesson, Place, Progress, find_lesson, lessons, parse
from riverboat.runtime.stopping import take_unwritten
from waiting import PATIENCE

SMALL = """---
minutes: 5
promise: p
---
# Lesson 3. Small

Begin with [Lesson 1](01_regret.md).

```{code-cell} python
x = 20
print("printed", x + 1)
```

```{code-cell} python
x + 2
```

```{code-cell} python
1 / 0
```

**1.** Why?

```{dropdown} Answer
Because.
```

The end.
"""


@pytest.fixture(autouse=True)
def _own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RIVERBOAT_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def small() -> Lesson:
    return parse(3, "small", SMALL)


def walk(keys: str, tmp_path: Path, start: int = 0, width: int = 80) -> tuple[str, Progress, bool]:
    """What is on the screen after these keys; running out of them quits."""
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=False)
    progress = Progress(tmp_path / "lessons.json")
    left = iter(keys)
    screen = LessonScreen(small(), progress, console, lambda: next(left, "q"))
    done = screen.run(start)
    return out.getvalue(), progress, done


def test_a_place_that_cannot_be_kept_is_said_once_and_exits_with_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    _, progress, done = walk("\r" * 6, tmp_path / "file")
    assert (done, progress.place(3)) == (True, Place(0, True))
    assert capsys.readouterr().err.count("Your place is not remembered. Cannot write") == 1
    assert len(take_unwritten()) == 1


def test_enter_goes_through_and_the_answer_comes_on_a_key(tmp_path: Path) -> None:
    text, progress, done = walk("\r" * 6, tmp_path)
    assert done
    assert progress.place(3) == Place(0, True)
    for words in ("printed 21", "22", "ZeroDivisionError", "Because.", "The end.", "Lesson 1"):
        assert words in text
    assert "01_regret.md" not in text
    assert text.index("Enter: the answer") < text.index("Because.")


def test_back_and_quit_and_going_on(tmp_path: Path) -> None:
    text, progress, done = walk("\r\rb?q", tmp_path)
    assert not done
    assert text.count("printed 21") == 1
    assert text.count("step 2 of 5") == 2
    assert progress.place(3) == Place(1)
    text, progress, _ = walk("q", tmp_path, start=progress.place(3).step)
    assert "Going on at step 2" in text
    assert "22" in text  # the cell before has run again, so x is known
    assert "NameError" not in text
    text, progress, _ = walk("b", tmp_path)
    assert progress.place(3) == Place(0)


@pytest.mark.parametrize(("read", "key"), [("Q\r", "q"), ("\r", "\r"), ("\x1b[D", "\x1b[d")])
def test_keys_that_are_read_in_one_piece(
    read: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("typer.getchar", lambda: read)
    assert read_key() == key


def test_an_answer_may_be_left_out(tmp_path: Path) -> None:
    text, _, _ = walk("\r\r\rb", tmp_path)
    assert "Because." not in text


def test_a_place_beyond_the_end_begins_anew(tmp_path: Path) -> None:
    text, _, _ = walk("q", tmp_path, start=99)
    assert "step 1 of 5" in text


@pytest.mark.parametrize("width", [20, 40, 200])
def test_any_width_will_do(width: int, tmp_path: Path) -> None:
    text, _, _ = walk("\r" * 6, tmp_path, width=width)
    assert max(map(len, text.splitlines())) <= width


def test_without_a_terminal_the_whole_lesson_is_printed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "60")
    result = CliRunner().invoke(app, ["learn", "1"])
    assert result.exit_code == 0, result.output
    assert "\x1b" not in result.output
    words = " ".join(result.output.split())
    assert "0.67, the average is off by 0.005" in words
    assert "Rock with 3/4 and scissors with 1/4" in words
    assert any("\u2800" < sign <= "\u28ff" for sign in result.output)  # the picture
    assert not (tmp_path / "lessons.json").exists()


def test_the_list_shows_where_one_is(tmp_path: Path) -> None:
    progress = Progress(tmp_path / "lessons.json")
    progress.keep(1, Place(0, True))
    progress.keep(2, Place(4))
    result = CliRunner().invoke(app, ["learn"])
    assert result.exit_code == 0
    assert "done" in result.output
    assert f"step 5 of {len(find_lesson('2').steps)}" in result.output
    assert "riverboat learn 2" in result.output
    facts = json.loads(CliRunner().invoke(app, ["learn", "--json"]).output)["lessons"]
    assert [one["number"] for one in facts] == [lesson.number for lesson in lessons()]
    assert (facts[0]["done"], facts[1]["step"]) == (True, 4)


def test_a_notebook_is_written_and_an_edited_one_is_kept(tmp_path: Path) -> None:
    first = CliRunner().invoke(app, ["learn", "2", "--out", "two.ipynb"])
    assert first.exit_code == 0, first.output
    assert "To open it" in first.output
    assert json.loads((tmp_path / "two.ipynb").read_text())["nbformat"] == 4
    assert CliRunner().invoke(app, ["learn", "2", "--out", "two.ipynb"]).exit_code == 0
    mine = CliRunner().invoke(app, ["learn", "2", "--notebook"])
    assert mine.exit_code == 0
    path = tmp_path / "lesson_02_kuhn.ipynb"
    path.write_text("mine")
    kept = CliRunner().invoke(app, ["learn", "2", "--notebook"])
    assert "it is kept as it is" in kept.output
    assert path.read_text() == "mine"


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["13"], "they are 1 to 12"),
        (["--restart"], "Say which lesson"),
        (["2", "--json"], "--json is for the list"),
        (["2", "--notebook", "--restart"], "a notebook begins at its first cell"),
        (["2", "--out", "x.txt"], "writes .ipynb, by the ending"),
        (["poker"], "There is no lesson"),
    ],
)
def test_a_mistake_is_one_sentence(arguments: list[str], words: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "riverboat", "learn", *arguments]
    result = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, cwd=tmp_path)
    assert result.returncode == 2
    assert words in result.stderr
    assert result.stderr.count("\n") == 1
