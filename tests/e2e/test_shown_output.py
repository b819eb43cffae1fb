"""Output that a page shows after `$ riverboat …` is the output that the command gives.

A line of … stands for any lines that were left out.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from commands import Command
from examples import PAGES, ROOT

BLOCK = re.compile(r"^```(?:console|text)?\n(.*?)^```", re.S | re.M)


def shown() -> list[tuple[str, str, list[str]]]:
    """Page, command and the lines shown below it."""
    found: list[tuple[str, str, list[str]]] = []
    for page in PAGES:
        for block in BLOCK.findall((ROOT / page).read_text(encoding="utf-8")):
            for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
                command, _, output = part.partition("\n")
                lines = [line.rstrip() for line in output.rstrip().splitlines()]
                if command.startswith("riverboat ") and lines:
                    found.append((page, command, lines))
    return found


def agrees(lines: list[str], got: list[str]) -> bool:
    """Whether the lines are those got, where … may stand for any of them."""
    if not lines:
        return not got
    if lines[0].strip() == "…":
        return any(agrees(lines[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and lines[0] == got[0] and agrees(lines[1:], got[1:])


@pytest.mark.parametrize(("page", "line", "lines"), shown(), ids=lambda x: str(x)[:60])
def test_the_output_shown_is_the_output_got(
    page: str,
    line: str,
    lines: list[str],
    command: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    answer = command(*shlex.split(line.partition(" #")[0])[1:])
    assert answer.code == 0, answer.err
    got = [one.rstrip() for one in answer.out.rstrip().splitlines()]
    assert agrees(lines, got), f"{page}: {line} gives\n" + "\n".join(got)
