"""`riverboat check`: the assignments of the course, their starter files, and their checks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.padding import Padding
from rich.text import Text

from riverboat.cli.console import columns, emit, output
from riverboat.cli.groups import App
from riverboat.cli.options import JsonFlag, argument, number_option, option
from riverboat.cli.out_files import check_out
from riverboat.errors import UsageError
from riverboat.lessons.assignments import ASSIGNMENTS, Assignment, find_assignment
from riverboat.lessons.check_file import Report, check_file
from riverboat.runtime.storage import atomic_write

app = App()


@app.command("check")
def check(
    assignment: Annotated[
        str | None, argument("assignment1 …; none: the list.", metavar="ASSIGNMENT")
    ] = None,
    file: Annotated[str | None, argument("Your Python file.", metavar="FILE")] = None,
    starter: Annotated[bool, option("--starter", "Write the file to begin with.")] = False,
    out: Annotated[str | None, option("Write the starter here.", metavar="FILE")] = None,
    seconds: Annotated[
        float | None, number_option("--seconds", "Computing time for all checks.", min=1.0)
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Check the solution of an assignment, and say in plain words what is missing.

    Your file runs in a process of its own, with limits on time and memory. The exit code is 0 if
    all checks pass and 1 if not.

    \b
    Examples:
    riverboat check
    riverboat check assignment1 --starter
    """
    if assignment is None:
        if starter or out is not None or seconds is not None:
            raise UsageError("Say which assignment: riverboat check assignment1 --starter.")
        _list(as_json=as_json)
        return
    task = find_assignment(assignment)
    if starter or out is not None:
        if file is not None or as_json or seconds is not None:
            raise UsageError("--starter writes a file and checks none; leave the rest out.")
        _write_starter(task, out)
        return
    if file is None:
        raise UsageError(
            f"Say which file to check: riverboat check {task.name} mine.py; to get one to begin"
            f" with: riverboat check {task.name} --starter."
        )
    report = check_file(task, file, seconds)
    emit(report.as_dict()) if as_json else _show(report)
    raise typer.Exit(0 if report.passed else 1)


def _list(*, as_json: bool) -> None:
    if as_json:
        facts = [
            {"name": one.name, "title": one.title, "session": one.session, "lesson": one.lesson}
            for one in ASSIGNMENTS
        ]
        emit({"assignments": facts})
        return

    table = columns("assignment", "what", "session", "lesson")
    for one in ASSIGNMENTS:
        table.add_row(one.name, one.title, str(one.session), str(one.lesson))
    console = output()
    console.print(table)
    console.print("\nTo begin: riverboat check assignment1 --starter", markup=False)


def _write_starter(assignment: Assignment, out: str | None) -> None:
    path = Path(out or f"{assignment.name}.py")
    check_out(path, ("py",))
    if path.exists():
        raise UsageError(f"{path} exists already; choose another name with --out.")
    atomic_write(path, assignment.starter)
    print(f"Written: {path}")
    print(f"Fill it in, then: riverboat check {assignment.name} {path}")


def _show(report: Report) -> None:
    console = output()
    console.print(Text(f"{report.assignment.name}: {report.assignment.title}", style="bold"))
    said = ""
    for finding in report.findings:
        mark = Text("  pass  " if finding.passed else "  FAIL  ")
        mark.stylize("green" if finding.passed else "red")
        console.print(mark + Text(finding.title))
        if not finding.passed and finding.words != said:
            said = finding.words
            console.print(Padding(Text(_clean(said)), (0, 0, 0, 8)))
            if finding.hint:
                hint = Text(f"Hint: {_clean(finding.hint)}", style="dim")
                console.print(Padding(hint, (0, 0, 0, 8)))
    if report.much:
        shown = _clean(report.printed)[:50]
        console.print(Text(f"Your file printed {report.much:,} bytes: {shown}", style="dim"))
    passed = sum(finding.passed for finding in report.findings)
    if report.passed:
        console.print(f"All {passed} checks passed.", style="green")
    else:
        console.print(f"{passed} passed, {len(report.findings) - passed} failed.")


def _clean(text: str) -> str:
    """One line without control characters: what a student's file says is only shown."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
