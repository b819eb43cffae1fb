"""Lessons as notebooks: valid files, which run from top to bottom."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from riverboat.lessons.notebook import Desk, notebook_of, notebook_text, write_notebook
from riverboat.lessons.texts import Cell, Lesson, find_lesson, lessons

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_a_notebook_is_valid_and_whole(lesson: Lesson) -> None:
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.reads(notebook_text(lesson), as_version=4)
    nbformat.validate(notebook)
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    assert code == [cell.code for cell in lesson.cells]
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert text.startswith(f"# Lesson {lesson.number}. {lesson.title}")
    assert text.count("<summary>Answer</summary>") == 3
    assert ".md)" not in text
    assert "{dropdown}" not in text


def test_the_same_lesson_gives_the_same_bytes(tmp_path: Path) -> None:
    write_notebook(find_lesson("2"), tmp_path / "a.ipynb")
    assert (tmp_path / "a.ipynb").read_text() == notebook_text(find_lesson("2"))
    assert json.loads(notebook_text(find_lesson("2"))) == notebook_of(find_lesson("2"))


def test_what_a_cell_prints_is_its_own_and_standard_output_is_left_alone(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Cells of the browser run in a thread next to others that print."""
    cells = ("import sys\nprint('of the cell')\nprint('aloud', file=sys.stdout)", "sys.stdout")
    desk = Desk()
    first, second = (desk.run(Cell(code)) for code in cells)
    assert first.printed == "of the cell\n"
    assert second.printed == ""
    assert second.value is sys.stdout
    assert capsys.readouterr().out == "aloud\n"


def run_notebook(lesson: Lesson, folder: Path) -> Any:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    notebook = nbformat.reads(notebook_text(lesson), as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    )
    return client.execute()


def outputs(notebook: Any) -> list[Any]:
    return [output for cell in notebook.cells for output in cell.get("outputs", ())]


@pytest.mark.filterwarnings("ignore")
def test_the_notebook_of_lesson_2_runs_and_shows_its_picture(tmp_path: Path) -> None:
    found = outputs(run_notebook(find_lesson("2"), tmp_path))
    printed = "".join(output.get("text", "") for output in found)
    assert "the jack bets 0.3333 times as often" in printed
    assert any("image/svg+xml" in output.get("data", {}) for output in found)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_every_notebook_runs_from_top_to_bottom(lesson: Lesson, tmp_path: Path) -> None:
    found = outputs(run_notebook(lesson, tmp_path))
    assert not [output for output in found if output.output_type == "error"]
    assert any("image/svg+xml" in output.get("data", {}) for output in found)
