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

pytestmark = pytest.mark.e2e

BLOCK = re.compile(r"^```(?:console|text)?\n(.*?)^```", re.S | re.M)


Shown = list[tuple[str, list[str]]]
"""The commands of a block in order, each with the lines shown below it."""


def blocks() -> list[tuple[str, Shown]]:
    """Every block that shows some output, and its page."""
    found = []
    for page in PAGES:
        for block in BLOCK.findall((ROOT / page).read_text(encoding="utf-8")):
            parts = [part.partition("\n") for part in re.split(r"^\$ ", block, flags=re.M)[1:]]
            shown = [(command, output.rstrip().splitlines()) for command, _, output in parts]
            if any(lines and command.startswith("riverboat ") for command, lines in shown):
                found.append((page, shown))
    return found


def agrees(lines: list[str], got: list[str]) -> bool:
    """Whether the lines are those got, where … may stand for any of them."""
    if not lines:
        return not got
    if lines[0].strip() == "…":
        return any(agrees(lines[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and lines[0] == got[0] and agrees(lines[1:], got[1:])


@pytest.mark.parametrize(("page", "shown"), blocks(), ids=lambda x: str(x)[:40])
def test_the_output_shown_is_the_output_got(
    page: str, shown: Shown, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for line, lines in shown:
        answer = command(*shlex.split(line.partition(" #")[0])[1:])
        assert answer.code == 0, answer.err
        got = [one.rstrip() for one in answer.out.rstrip().splitlines()]
        told = f"{page}: {line} gives\n" + "\n".join(got)
        assert not lines or agrees([one.rstrip() for one in lines], got), told
