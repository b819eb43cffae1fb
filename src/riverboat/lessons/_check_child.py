"""The process in which a student's file is loaded and checked.

It is started as python -m riverboat.lessons._check_child. Its arguments are an assignment, the
file, where to write what it finds, and how many seconds it may compute. It writes one JSON object
per line, {"begin": title} and {"passed": …} for each check, at last {"end": true}. The file may do
what it likes with this process; check_file.py watches from outside.
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
import sys
import traceback
from contextlib import suppress
from types import ModuleType
from typing import IO, Any

from riverboat.lessons.assignments import Failed, find_assignment

MEMORY = 4 << 30  # Bytes of address space; compiled code and libraries take the first of them


def main(arguments: list[str]) -> None:
    """Check a file and end the process, whatever threads the file has left behind."""
    name, path, report_path, seconds = arguments
    _limit_resources(float(seconds))
    with open(report_path, "w", encoding="utf-8") as report:  # noqa: PTH123 - one call before any import
        check(name, path, report)
    os._exit(0)


def check(name: str, path: str, report: IO[str]) -> None:
    """Write down how the file does."""

    def say(**facts: Any) -> None:
        report.write(json.dumps(facts) + "\n")
        report.flush()

    assignment = find_assignment(name)
    checks = assignment.checks
    say(begin="the file can be read")
    try:
        module = _load(path)
        missing = [name for name in assignment.wanted if not callable(getattr(module, name, None))]
        if missing:
            raise Failed(
                f"Your file does not define {missing[0]}.",
                f"Begin with: riverboat check {assignment.name} --starter",
            )
    except BaseException as error:
        say(passed=False, **_words(error, path))
        say(end=True)
        return
    say(passed=True)
    for one in checks:
        say(begin=one.title)
        try:
            one.run(module)
        except BaseException as error:
            say(passed=False, **_words(error, path))
        else:
            say(passed=True)
    say(end=True)


def _load(path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location("students_file", path)
    if spec is None or spec.loader is None:
        raise Failed("Your file must end in .py.")
    module = importlib.util.module_from_spec(spec)
    sys.modules["students_file"] = module
    spec.loader.exec_module(module)
    return module


def _limit_resources(seconds: float) -> None:
    """Memory, and seconds of computing, after which the system ends the process."""
    try:
        import resource
    except ImportError:  # Windows has no such limits.
        return
    computing = math.ceil(seconds)
    for kind, limits in (
        (resource.RLIMIT_AS, (MEMORY, MEMORY)),
        (resource.RLIMIT_CPU, (computing, computing + 2)),
    ):
        with suppress(OSError, ValueError):
            resource.setrlimit(kind, limits)


def _words(error: BaseException, path: str) -> dict[str, str]:
    """What went wrong, for the student."""
    if isinstance(error, Failed):
        return {"words": error.words, "hint": error.hint}
    if isinstance(error, SyntaxError):
        line = f"Line {error.lineno}" if error.lineno else "Your file"
        return {"words": f"{line} is not Python: {error.msg}.", "hint": ""}
    if isinstance(error, NotImplementedError):
        return {
            "words": f"This is not written yet{_place(error, path)}.",
            "hint": "Replace `raise NotImplementedError` by your own code.",
        }
    if isinstance(error, SystemExit):
        return {
            "words": f"Your file ends the program with sys.exit or exit{_place(error, path)}.",
            "hint": "Leave it out; the checks call your functions themselves.",
        }
    if isinstance(error, MemoryError):
        return {"words": "Your file needs more than 4 GB of memory.", "hint": ""}
    if isinstance(error, EOFError):
        return {
            "words": f"Your file asks for input{_place(error, path)}; there is nobody to answer.",
            "hint": "",
        }
    try:
        text = " ".join(str(error).split())[:200]
    except Exception:
        text = "an error that cannot be shown"
    kind = type(error).__name__
    return {"words": f"{kind}: {text or 'no message'}{_place(error, path)}.", "hint": ""}


def _place(error: BaseException, path: str) -> str:
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == path]
    return f" (line {lines[-1]})" if lines and lines[-1] else ""


if __name__ == "__main__":
    main(sys.argv[1:])
