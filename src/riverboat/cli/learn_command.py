"""`riverboat learn`: the lessons, step by step in the terminal or as notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from riverboat.cli.console import JsonFlag, emit, output

if TYPE_CHECKING:
    from riverboat.lessons.lesson_progress import Progress
    from riverboat.lessons.lesson_texts import Lesson

app = typer.Typer()


@app.command("learn")
def learn(
    lesson: Annotated[
        str | None, typer.Argument(metavar="[LESSON]", help="Number or name; none: the list.")
    ] = None,
    restart: Annotated[
        bool, typer.Option("--restart", help="Begin the lesson again from its first step.")
    ] = False,
    notebook: Annotated[
        bool, typer.Option("--notebook", help="Write it as a notebook, and open that in Jupyter.")
    ] = False,
    out: Annotated[
        str | None, typer.Option("--out", metavar="FILE", help="Write the notebook here.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Twelve lessons, from no knowledge to "I see why it bluffs": read, run, answer.

    Enter goes on, b goes back, q quits; your place is remembered. Where there is no terminal, the
    whole lesson is printed.

    Example: riverboat learn 2
    """
    from riverboat.errors import UsageError
    from riverboat.lessons.lesson_progress import Progress, default_progress
    from riverboat.lessons.lesson_texts import find_lesson, lessons

    progress = Progress(default_progress())
    if lesson is None:
        if restart or notebook or out is not None:
            raise UsageError("Say which lesson: riverboat learn 2.")
        _list(lessons(), progress, as_json=as_json)
        return
    if as_json:
        raise UsageError("--json is for the list of lessons; leave the lesson out.")
    found = find_lesson(lesson)
    if notebook or out is not None:
        if restart:
            raise UsageError("--restart is for the terminal; a notebook begins at its first cell.")
        _notebook(found, out)
        return
    _step_through(found, progress, restart=restart)


def _list(every: tuple[Lesson, ...], progress: Progress, *, as_json: bool) -> None:
    rows = []
    for lesson in every:
        place, steps = progress.place(lesson.number), len(lesson.steps)
        rows.append((lesson, place, steps))
    if as_json:
        facts = [
            {
                "number": lesson.number,
                "name": lesson.slug,
                "title": lesson.title,
                "promise": lesson.promise,
                "minutes": lesson.minutes,
                "steps": steps,
                "step": min(place.step, steps),
                "done": place.done,
            }
            for lesson, place, steps in rows
        ]
        emit({"lessons": facts})
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("", justify="right")
    table.add_column("lesson")
    table.add_column("minutes", justify="right")
    table.add_column("you")
    for lesson, place, steps in rows:
        table.add_row(str(lesson.number), lesson.title, str(lesson.minutes), _where(place, steps))
    console = output()
    console.print(table)
    current = [lesson for lesson, place, steps in rows if 0 < place.step < steps]
    undone = [lesson for lesson, place, _ in rows if not place.done]
    following = (current or undone or [rows[0][0]])[0]
    console.print(f"\nStart with: riverboat learn {following.number}", markup=False)


def _where(place: object, steps: int) -> str:
    from riverboat.lessons.lesson_progress import Place

    assert isinstance(place, Place)
    if 0 < place.step < steps:
        return f"step {place.step + 1} of {steps}" + ", done before" * place.done
    return "done" if place.done else ""


def _step_through(lesson: Lesson, progress: Progress, *, restart: bool) -> None:
    import sys

    from riverboat.cli.lesson_screen import LessonScreen, read_key
    from riverboat.lessons.lesson_texts import lessons

    console = output()
    there = sys.stdin.isatty() and sys.stdout.isatty()
    screen = LessonScreen(lesson, progress, console, read_key if there else None)
    finished = screen.run(0 if restart else progress.place(lesson.number).step)
    if not there:
        return
    if not finished:
        console.print(f"To go on: riverboat learn {lesson.number}", style="dim")
    elif lesson.number < len(lessons()):
        console.print(f"Done. Next: riverboat learn {lesson.number + 1}", style="bold")
    else:
        console.print("Done. That was the last lesson.", style="bold")


def _notebook(lesson: Lesson, out: str | None) -> None:
    import shutil
    import subprocess
    import sys
    from pathlib import Path

    from riverboat.errors import UsageError
    from riverboat.lessons.lesson_notebook import notebook_text, write_notebook

    path = Path(out or f"lesson_{lesson.number:02}_{lesson.slug}.ipynb")
    if path.suffix != ".ipynb":
        raise UsageError(f"A notebook ends in .ipynb, not {path.suffix or 'nothing'}.")
    if path.exists() and path.read_bytes() != notebook_text(lesson).encode():
        if out is None:
            print(f"{path} has changed since it was written; it is kept as it is.")
        else:
            raise UsageError(f"{path} exists already; choose another name with --out.")
    else:
        write_notebook(lesson, path)
        print(f"Written: {path}")
    command = shutil.which("jupyter-lab") or shutil.which("jupyter-notebook")
    if command is None:
        print("To open it: pip install jupyterlab matplotlib, then jupyter lab " + str(path))
    elif out is None and sys.stdin.isatty() and sys.stdout.isatty():
        subprocess.run([command, str(path)], check=False)
    else:
        print(f"To open it: {Path(command).name.replace('-', ' ')} {path}")
