"""Run the riverboat command inside the test process."""

from __future__ import annotations

import json
import signal
from dataclasses import dataclass
from typing import Any

import pytest

from riverboat.cli.main import run


def usual_signals() -> None:
    """Heed signals as in a terminal: a shell's background jobs ignore Ctrl-C, nohup hang-ups."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """Standard output as the one JSON object it must be."""
        found: dict[str, Any] = json.loads(self.out)
        return found


class Command:
    """`command("solve", "kuhn")` gives exit code, standard output and standard error."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def __call__(self, *arguments: object) -> Answer:
        self.capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            run([str(argument) for argument in arguments])
        out, err = self.capsys.readouterr()
        code = stopped.value.code
        return Answer(code if isinstance(code, int) else 1, out, err)

    def refused(self, *arguments: object) -> str:
        """The one sentence with which bad input is refused."""
        answer = self(*arguments)
        assert answer.code == 2, (answer.code, answer.out, answer.err)
        assert answer.out == ""
        lines = answer.err.strip().splitlines()
        assert len(lines) == 1, answer.err
        assert lines[0].startswith("riverboat: ")
        return lines[0]
