"""Every example that a user can copy: from the help of each command, README and docs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from riverboat.cli.groups import examples
from riverboat.cli.main import command_tree
from site_pages import game_pages

ROOT = Path(__file__).parent.parent.parent
MADE = re.compile(r"docs/(games/(?!index)|lessons/\d|reference/options)")
"""Pages that are made from the code while the site is built."""
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    *sorted(
        page
        for page in (path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/**/*.md"))
        if not MADE.match(page)
    ),
)


@dataclass(frozen=True)
class Example:
    """A command line and where it stands."""

    source: str
    words: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.source}: riverboat {shlex.join(self.words)}"


def leaves(
    command: Any = None, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command that does something, with its words."""
    command = command_tree() if command is None else command
    children = getattr(command, "commands", None)
    if not children:
        yield path, command
        return
    for name, child in children.items():
        yield from leaves(child, (*path, name))


def help_examples() -> Iterator[Example]:
    """The lines of a command's help that can be typed."""
    for path, command in leaves():
        for line in examples(command):
            yield from _example(f"{' '.join(path)} --help", line)


def page_examples() -> Iterator[Example]:
    """Lines that begin with riverboat in fenced blocks, without the remark that follows them."""
    texts = {page: (ROOT / page).read_text(encoding="utf-8") for page in PAGES}
    texts |= {f"docs/games/{name}.md": text for name, text in game_pages().items()}
    for page, text in texts.items():
        fence, shell = False, False
        for line in text.splitlines():
            if line.lstrip().startswith("```"):
                fence = not fence
                shell = fence and line.strip("` ") in ("", "console", "sh", "bash", "text")
            elif shell:
                command = re.split(r"\s{2,}(?=[^ ])|\s+#", line.strip().removeprefix("$ "))[0]
                yield from _example(page, command)


def table_examples() -> Iterator[Example]:
    """The commands in the tables of README and of the page of commands, table by table."""
    for page in ("README.md", "docs/commands.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        for heading, table in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", text, re.M | re.S):
            for span in re.findall(r"^\| `(riverboat [^`]+)`", table, re.M):
                yield from _example(f"{page}, {heading}", span.replace("\\|", "|"))


def _example(source: str, line: str) -> Iterator[Example]:
    line = line.strip().strip("`")
    if line.startswith("riverboat "):
        line = line.partition(" > ")[0]
        yield Example(source, tuple(shlex.split(line)[1:]))
