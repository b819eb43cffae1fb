"""Checks a student's file from outside: a process with limits, and what it found in plain words.

The limits are against accidents (endless loops, endless memory, endless output), not against
malice: the file runs with the rights of the person who checks it.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from riverboat.errors import StorageError, UsageError
from riverboat.lessons.assignments import Assignment

MAX_BYTES = 1_000_000
KEPT = 2000  # Characters of what the file prints that are kept
WAITING = 6  # How many times the limit may pass, since a process does not always compute
QUIET = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8"}


@dataclass(frozen=True)
class Finding:
    """One check and how it went."""

    title: str
    passed: bool
    words: str = ""
    hint: str = ""


@dataclass(frozen=True)
class Report:
    """All checks of one file."""

    assignment: Assignment
    findings: tuple[Finding, ...]
    printed: str = ""  # The beginning of what the file printed
    much: int = 0  # How many bytes it printed in all

    @property
    def passed(self) -> bool:
        return all(finding.passed for finding in self.findings)

    def as_dict(self) -> dict[str, Any]:
        """The facts for a program: what `riverboat check --json` prints."""
        return {
            "assignment": self.assignment.name,
            "passed": self.passed,
            "checks": [
                {"title": f.title, "passed": f.passed, "words": f.words, "hint": f.hint}
                for f in self.findings
            ],
            "printed_bytes": self.much,
        }


def check_file(assignment: Assignment, path: str | Path, seconds: float | None = None) -> Report:
    """Run the checks; whatever the file does becomes a finding.

    The limit is of computing time, so that a busy machine fails nobody; where the system does not
    limit that, and for a file that only waits, it is of the time that passes.
    """
    file = Path(path)
    try:
        size = file.stat().st_size
        if not file.is_file():
            raise UsageError(f"{file} is not a file.")
        with file.open("rb"):
            pass
    except OSError as error:
        raise StorageError(f"{file} cannot be read: {str(error.strerror).lower()}.") from None
    if size > MAX_BYTES:
        raise UsageError(f"{file} is larger than 1 MB; a solution is a short file.")
    limit = assignment.seconds if seconds is None else seconds
    with tempfile.TemporaryDirectory(prefix="riverboat-check-") as folder:
        report = Path(folder) / "report.jsonl"
        late, printed, much = _run(assignment, file.resolve(), report, limit, folder)
        lines = _read(report)
    return Report(assignment, _findings(assignment, lines, late=late, limit=limit), printed, much)


def _run(
    assignment: Assignment, file: Path, report: Path, limit: float, folder: str
) -> tuple[bool, str, int]:
    """Whether the time ran out, and what was printed."""
    command = [sys.executable, "-m", "riverboat.lessons._check_child"]
    own_group = {"start_new_session": True} if os.name == "posix" else {}
    source = str(Path(__file__).parents[2])
    inherited = os.environ.get("PYTHONPATH")
    paths = source if not inherited else source + os.pathsep + inherited
    process = subprocess.Popen(
        [*command, assignment.name, str(file), str(report), str(limit)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=folder,
        env={**os.environ, **QUIET, "PYTHONPATH": paths},
        **own_group,  # type: ignore[call-overload]
    )
    kept: list[bytes] = []
    counted = [0]
    reader = threading.Thread(target=_listen, args=(process.stdout, kept, counted), daemon=True)
    reader.start()
    late = False
    try:
        patience = WAITING if hasattr(signal, "SIGXCPU") else 1
        late = process.wait(patience * limit) == -getattr(signal, "SIGXCPU", 0)
    except subprocess.TimeoutExpired:
        late = True
    finally:
        _end(process)
    reader.join(2.0)
    return late, b"".join(kept)[:KEPT].decode("utf-8", "replace"), counted[0]


def _listen(stream: IO[bytes], kept: list[bytes], counted: list[int]) -> None:
    """Take in what is printed; only the beginning is kept."""
    with contextlib.suppress(OSError, ValueError), stream:
        while piece := stream.read1(65536):  # type: ignore[attr-defined]
            if counted[0] < KEPT:
                kept.append(piece[:KEPT])
            counted[0] += len(piece)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process and what it has started."""
    if os.name == "posix":
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()


def _read(report: Path) -> list[dict[str, Any]]:
    lines = []
    with contextlib.suppress(OSError):
        for line in report.read_text(encoding="utf-8", errors="replace").splitlines()[:1000]:
            with contextlib.suppress(ValueError):
                facts = json.loads(line)
                if isinstance(facts, dict):
                    lines.append(facts)
    return lines


def _findings(
    assignment: Assignment, lines: list[dict[str, Any]], *, late: bool, limit: float
) -> tuple[Finding, ...]:
    findings: list[Finding] = []
    title = ""
    for facts in lines:
        if "begin" in facts:
            title = str(facts["begin"])
        elif "passed" in facts and title:
            words, hint = str(facts.get("words", "")), str(facts.get("hint", ""))
            findings.append(Finding(title, facts["passed"] is True, words, hint))
            title = ""
    whole = any("end" in facts for facts in lines)
    broken = any(not finding.passed for finding in findings[:1])
    if whole and (broken or len(findings) == len(assignment.checks) + 1):
        return tuple(findings)
    if late:
        words = f"This took longer than {limit:g} seconds and was stopped."
        hint = "Is there a loop that does not end? If it is only slow, do less work."
    else:
        words = "Your file ended the program before the checks were over."
        hint = "Look for exit, os._exit, or a crash in a library."
    return (*findings, Finding(title or "the checks come to their end", False, words, hint))
