"""docs/bots.md: its bot, its commands and its Python run as they stand there."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import riverboat as rb

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGE = (DOCS / "bots.md").read_text()
BLOCKS = re.findall(r"```(python)?\n(.*?)```", PAGE, flags=re.DOTALL)
BOT = next(text for kind, text in BLOCKS if "class MyBot" in text)
COMMANDS = [line for kind, text in BLOCKS if not kind for line in text.splitlines() if line.strip()]


def test_a_bot_has_twenty_lines_at_most_and_is_the_one_that_ships() -> None:
    assert BOT.strip() in (ROOT / "src/riverboat/examples/my_bot.py").read_text()
    assert len(BOT.strip().splitlines()) <= 20


def test_every_command_of_the_page_runs(tmp_path: Path) -> None:
    for line in COMMANDS:
        done = subprocess.run(
            [sys.executable, "-m", *shlex.split(line)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, (line, done.stderr)
        assert "mbb/g" in done.stdout or "my_" in done.stdout or "pennies" in done.stdout.lower()


def test_the_python_of_the_page_runs() -> None:
    space: dict[str, object] = {"__name__": "bots_page"}
    code = next(text for kind, text in BLOCKS if kind and "rb.tournament" in text)
    exec(compile(code, "docs/bots.md", "exec"), space)
    table = space["table"]
    assert table.rows()[0][0] not in ("random", "caller")  # type: ignore[attr-defined]


def test_the_table_names_what_a_view_has() -> None:
    names = re.findall(r"`(\w+)[`(]", "".join(re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE)))
    assert {"hole", "board", "pot", "to_call", "legal"} <= set(names)
    fields = rb.View.__dataclass_fields__  # type: ignore[attr-defined]
    assert all(hasattr(rb.View, name) or name in fields for name in names)


@pytest.mark.parametrize("page", ["holdem.md", "python.md", "bots.md"])
def test_pages_import_the_front_door_only(page: str) -> None:
    text = (DOCS / page).read_text()
    assert not re.search(r"^(from|import) riverboat\.", text, flags=re.MULTILINE)
