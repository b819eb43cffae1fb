"""`riverboat learn`: lessons in the terminal, with cells that run and pictures as text."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from itertools import takewhile
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.live import Live
from rich.markdown import Markdown
from rich.padding import Padding
from rich.syntax import Syntax
from rich.text import Text

from riverboat.cli.console import columns, emit, output
from riverboat.cli.groups import App
from riverboat.cli.options import JsonFlag, argument, option
from riverboat.cli.out_files import check_out
from riverboat.drawing.figure_text import figure_frames, figure_lines
from riverboat.errors import StorageError, UsageError
from riverboat.lessons.notebook import LINK, CellOutput, Desk, notebook_text, write_notebook
from riverboat.lessons.texts import (
    Cell,
    Lesson,
    Place,
    Progress,
    Step,
    default_progress,
    find_lesson,
    lessons,
)
from riverboat.runtime.stopping import report_unwritten

app = App()

LONGEST = 3.0  # Seconds for which a picture may move
WIDEST = 92  # Columns of text; longer lines are hard to read
NEXT, BACK, QUIT = ("\r", "\n", " ", "n", "a", "\x1b[C"), ("b", "\x1b[D"), ("q", "\x1b", "\x04")


@app.command("learn")
def learn(
    lesson: Annotated[
        str | None, argument("Number or name; none: the list.", metavar="LESSON")
    ] = None,
    restart: Annotated[
        bool, option("--restart", "Begin the lesson again from its first step.")
    ] = False,
    notebook: Annotated[
        bool, option("--notebook", "Write it as a notebook, and open that in Jupyter.")
    ] = False,
    out: Annotated[str | None, option("Write the notebook here.", metavar="FILE")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Twelve lessons, from no knowledge to "I see why it bluffs": read, run, answer.

    Enter goes on, b goes back, q quits; your place is remembered. Where there is no terminal, the
    whole lesson is printed.

    \b
    Example:
    riverboat learn 2
    """
    progress = Progress(default_progress())
    if lesson is None:
        if restart or notebook or out is not None:
            raise UsageError("Say which lesson: riverboat learn 2.")
        _list(lessons(), progress, as_json=as_json)
        return
    if as_json:
        raise UsageError("--json is for the list of lessons; leave the lesson out.")
    chosen = find_lesson(lesson)
    if notebook or out is not None:
        if restart:
            raise UsageError("--restart is for the terminal; a notebook begins at its first cell.")
        _notebook(chosen, out)
        return
    _step_through(chosen, progress, restart=restart)


def _list(every: tuple[Lesson, ...], progress: Progress, *, as_json: bool) -> None:
    rows = [(one, progress.place(one.number), len(one.steps)) for one in every]
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

    table = columns(">", "lesson", ">minutes", "you")
    for lesson, place, steps in rows:
        table.add_row(str(lesson.number), lesson.title, str(lesson.minutes), _where(place, steps))
    console = output()
    console.print(table)
    current = [lesson for lesson, place, steps in rows if 0 < place.step < steps]
    undone = [lesson for lesson, place, _ in rows if not place.done]
    following = (current or undone or [rows[0][0]])[0]
    console.print(f"\nStart with: riverboat learn {following.number}", markup=False)


def _where(place: Place, steps: int) -> str:
    if 0 < place.step < steps:
        return f"step {place.step + 1} of {steps}" + ", done before" * place.done
    return "done" if place.done else ""


def _step_through(lesson: Lesson, progress: Progress, *, restart: bool) -> None:
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
    path = Path(out or f"lesson_{lesson.number:02}_{lesson.slug}.ipynb")
    check_out(path, ("ipynb",))
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


def read_key() -> str:
    """One key; Ctrl-C is raised, the end of the input is q."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import termios  # not on Windows

        termios.tcflush(sys.stdin, termios.TCIFLUSH)  # what was typed while a cell ran
    try:
        key = str(typer.getchar()).lower()
        # A fast or pasted "q, Enter" is read in one piece, and so is an arrow key.
        return key if key.startswith("\x1b") else key[:1]
    except (EOFError, OSError):
        return "q"


class LessonScreen:
    """Shows a lesson; `key` gives the reader's keys, and is None without a keyboard."""

    def __init__(
        self, lesson: Lesson, progress: Progress, console: Console, key: Callable[[], str] | None
    ) -> None:
        self.lesson, self.progress, self.console, self.key = lesson, progress, console, key
        self.steps = lesson.steps
        self.desk = Desk()
        self._outputs: dict[int, CellOutput] = {}
        self._kept = True

    @property
    def _width(self) -> int:
        return max(20, min(self.console.width, WIDEST))

    def run(self, start: int = 0) -> bool:
        """Step through from `start`; whether the end was reached."""
        if self.key is None:
            for number in range(len(self.steps)):
                self._show(number)
            return True
        number = start if 0 < start < len(self.steps) else 0
        if number:
            self._catch_up(number)
        while number < len(self.steps):
            self._show(number)
            wish = self._wish(number)
            if wish == "quit":
                self._keep(Place(number, self.progress.place(self.lesson.number).done))
                return False
            number = max(0, number - 1) if wish == "back" else number + 1
            done = number >= len(self.steps) or self.progress.place(self.lesson.number).done
            self._keep(Place(0 if number >= len(self.steps) else number, done))
        return True

    def _keep(self, place: Place) -> None:
        try:
            self.progress.keep(self.lesson.number, place)
        except StorageError as error:
            if self._kept:
                report_unwritten(f"Your place is not remembered. {error}")
            self._kept = False

    def _catch_up(self, number: int) -> None:
        """Run the earlier cells, so that their names are defined."""
        with self._busy("running the cells before this one"):
            for earlier in range(number):
                self._output(earlier)
        self.console.print(f"Going on at step {number + 1}.", style="dim")

    def _busy(self, words: str) -> Any:
        live = self.key is not None and self.console.is_terminal
        return self.console.status(f"{words} …", spinner="line") if live else nullcontext()

    def _output(self, number: int) -> CellOutput | None:
        cell = self.steps[number].cell
        if cell is None:
            return None
        if number not in self._outputs:
            self._outputs[number] = self.desk.run(cell)
        return self._outputs[number]

    def _show(self, number: int) -> None:
        step = self.steps[number]
        title = f"Lesson {self.lesson.number} · step {number + 1} of {len(self.steps)}"
        if number == 0:
            self.console.print()
            self._markdown(f"# Lesson {self.lesson.number}. {self.lesson.title}")
        if self.key is not None:
            self.console.rule(title, style="dim")
        self._markdown(step.text)
        if step.cell is not None:
            self._code(step.cell)
            first = number not in self._outputs
            with self._busy("running"):
                output = self._output(number)
            if output is not None:
                self._show_output(output, first=first)
        if step.answer and self.key is None:
            self._answer(step)

    def _markdown(self, text: str) -> None:
        if text:
            plain = LINK.sub(r"*\1*", text)
            self.console.print(Markdown(plain, hyperlinks=False), width=self._width)
            self.console.print()

    def _code(self, cell: Cell) -> None:
        theme = "ansi_dark"
        code = Syntax(cell.code, "python", theme=theme, word_wrap=True, background_color="default")
        self.console.print(code, width=self._width)
        self.console.print()

    def _show_output(self, output: CellOutput, *, first: bool) -> None:
        if output.printed:
            self.console.print(Text(output.printed.rstrip("\n"), style="green"), width=self._width)
        if hasattr(output.value, "get_size_inches"):
            self._picture(output.value, moving=first)
        elif output.value is not None:
            self.console.print(Text(repr(output.value), style="green"), width=self._width)
        if output.error:
            self.console.print(Text(f"This cell stopped: {output.error}", style="red"))
        self.console.print()

    def _picture(self, figure: Any, *, moving: bool) -> None:
        """A figure as text; on a terminal its curves are drawn step by step."""
        colour = self.console.color_system is not None and not self.console.no_color
        lines: list[Text] | None = None
        if moving and self.key is not None and self.console.is_terminal:
            frames = figure_frames(figure, self._width, colour=colour)
            end = time.monotonic() + LONGEST
            fits = takewhile(
                lambda drawn: time.monotonic() < end and len(drawn) < self.console.height, frames
            )
            with Live(console=self.console, auto_refresh=False, transient=True) as live:
                for lines in fits:
                    live.update(Text("\n").join(lines), refresh=True)
            frames.close()
            if time.monotonic() >= end:  # It took too long, so the last frame is not the figure.
                lines = None
        for line in lines or figure_lines(figure, self._width, colour=colour):
            self.console.print(line, no_wrap=True, overflow="crop")

    def _answer(self, step: Step) -> None:
        self.console.print(Padding(Markdown(step.answer), (0, 0, 1, 4)), width=self._width)

    def _wish(self, number: int) -> str:
        """What the reader wants: next, back or quit; an answer is shown first if asked for."""
        assert self.key is not None
        answer = self.steps[number].answer
        while True:
            first = "Enter: the answer" if answer else "Enter: go on"
            self.console.print(f"{first} · b: back · q: quit", style="dim", end=" ")
            sys.stdout.flush()
            key = self.key()
            self.console.print()
            if key in BACK:
                return "back"
            if key in QUIT or key == "":
                return "quit"
            if key not in NEXT:
                continue
            if not answer:
                return "next"
            self._answer(self.steps[number])
            answer = ""
