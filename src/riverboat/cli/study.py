"""`riverboat show FILE.study`: the chapters of a study, or one of them."""

from __future__ import annotations

from pathlib import Path

from rich.text import Text

from riverboat.arena.study import Chapter, Study
from riverboat.cli.console import emit, output
from riverboat.errors import UsageError


def show_study(file: Path, number: str, *, as_json: bool) -> None:
    """List the chapters of a study, or show the one with this number."""
    study = Study.load(file)
    if not number:
        _show_list(file, study, as_json=as_json)
        return
    if not (number.isascii() and number.isdecimal()):
        raise UsageError(f"{number!r} is no chapter; chapters have numbers, such as 1.")
    _show_chapter(study.chapter(int(number[:9])), as_json=as_json)


def _show_list(file: Path, study: Study, *, as_json: bool) -> None:
    if as_json:
        emit(study.as_dict())
        return
    console = output()
    chapters = "1 chapter" if len(study) == 1 else f"{len(study)} chapters"
    console.print(Text(f"{file.stem}, {chapters}", style="bold"))
    width = len(str(len(study)))
    for at, chapter in enumerate(study.chapters, 1):
        line = Text.assemble(f"{at:>{width}}  {chapter.title}  ", (chapter.kind, "dim"))
        console.print(line, soft_wrap=True)


def _show_chapter(chapter: Chapter, *, as_json: bool) -> None:
    if as_json:
        emit(chapter.as_dict())
        return
    console = output()
    console.print(Text(chapter.title, style="bold"), soft_wrap=True)
    console.print(Text(chapter.address, style="dim"), soft_wrap=True)
    if chapter.note:
        console.print(Text(f"\n{chapter.note}"))
