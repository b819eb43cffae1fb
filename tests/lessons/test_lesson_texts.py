"""The lessons' files: all twelve are whole, and their form is kept."""

import itertools
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import riverboat
from riverboat.errors import FileFormatError, UnknownNameError
from riverboat.lessons.texts import Cell, Lesson, find_lesson, lessons, parse

TEXTS = Path(riverboat.__file__).parent / "lessons" / "texts"
HEAD = "---\nminutes: 5\npromise: p\n---\n"


def test_there_are_twelve_in_order() -> None:
    assert [lesson.number for lesson in lessons()] == list(range(1, 13))


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_a_lesson_has_a_thing_to_run_a_picture_a_surprise_and_three_questions(
    lesson: Lesson,
) -> None:
    text = (TEXTS / f"{lesson.number:02}_{lesson.slug}.md").read_text()
    assert 10 <= lesson.minutes <= 15
    assert lesson.promise
    assert lesson.title
    assert any("import riverboat as rb" in cell.code for cell in lesson.cells)
    assert any(re.search(r"^pictures\.\w+\(", cell.code, re.M) for cell in lesson.cells)
    assert "\n## The surprise\n" in text
    assert len(lesson.questions) == 3
    assert [question.ask[:6] for question in lesson.questions] == ["**1.**", "**2.**", "**3.**"]
    assert all(question.answer for question in lesson.questions)


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_links_lead_to_lessons_that_exist(lesson: Lesson) -> None:
    text = (TEXTS / f"{lesson.number:02}_{lesson.slug}.md").read_text()
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", text):
        assert (TEXTS / target).is_file(), target


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_code_fits_a_page_and_a_terminal(lesson: Lesson) -> None:
    assert max(len(line) for cell in lesson.cells for line in cell.code.splitlines()) <= 88


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_no_line_becomes_a_list_or_a_heading_by_accident(lesson: Lesson) -> None:
    for step in lesson.steps:
        for before, line in itertools.pairwise(step.text.splitlines()):
            starts = r"(\d+\.|[-+*#>]) "
            if re.match(starts, line) and before.strip():
                assert re.match(starts, before), line


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_steps_lose_nothing(lesson: Lesson) -> None:
    steps = lesson.steps
    assert [step.cell for step in steps if step.cell] == lesson.cells
    assert [step.answer for step in steps if step.answer] == [q.answer for q in lesson.questions]
    shown = " ".join(" ".join(step.text for step in steps).split())
    for block in lesson.blocks:
        if not isinstance(block, Cell):
            words = getattr(block, "markdown", None) or getattr(block, "ask", "")  # type: ignore[union-attr]
            assert " ".join(words.split()) in shown


@pytest.mark.parametrize("name", ["2", "02", "kuhn", " KUHN "])
def test_a_lesson_is_found_by_number_or_name(name: str) -> None:
    assert find_lesson(name).number == 2


@pytest.mark.parametrize("name", ["0", "13", "99999999999999999999", "poker", "", "²", "二"])
def test_a_lesson_that_does_not_exist_is_one_sentence(name: str) -> None:
    with pytest.raises(UnknownNameError, match="There is no lesson"):
        find_lesson(name)


def test_a_text_is_taken_apart() -> None:
    cell = "```{code-cell} python\n1 + 1\n```\n"
    ask = "## Questions\n\n**1.** Why?\n\n```{dropdown} Answer\nSo.\n```\n\nEnd.\n"
    lesson = parse(
        7, "x", HEAD + "# Lesson 7. Title\n\nHello.\n\n## Part\n\nText.\n\n" + cell + ask
    )
    assert (lesson.title, lesson.minutes, lesson.promise) == ("Title", 5, "p")
    assert [(step.text, step.answer) for step in lesson.steps] == [
        ("Hello.", ""),
        ("## Part\n\nText.", ""),
        ("## Questions\n\n**1.** Why?", "So."),
        ("End.", ""),
    ]
    assert lesson.cells == [Cell("1 + 1")]


@pytest.mark.parametrize(
    "text", ["", "# x", HEAD, HEAD + "no title", HEAD + "# T\n\n```{code-cell} python\nx = 1"]
)
def test_a_damaged_text_is_refused(text: str) -> None:
    with pytest.raises(FileFormatError, match="The lesson 'x'"):
        parse(1, "x", text)


@given(st.text(max_size=300))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        parse(1, "x", HEAD + "# T\n" + text)
    except FileFormatError:
        assert "```{" in text
