"""Every example that a user can copy: from the help of each command, README and docs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from riverboat.cli.main import command_tree

ROOT = Path(__file__).parent.parent.parent
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    *sorted(p.relative_to(ROOT).as_posix() for p in ROOT.glob("docs/**/*.md")),
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
    """What stands behind "Example:" or "Examples:" in a command's help."""
    for path, command in leaves():
        text = command.help or ""
        _, marker, examples = text.partition("Example")
        if marker:
            for part in re.split(r"·|,? then |\n(?= *riverboat )", examples.partition(":")[2]):
                yield from _example(f"{' '.join(path)} --help", " ".join(part.split()))


def page_examples() -> Iterator[Example]:
    """Lines that begin with riverboat in fenced blocks, without the remark that follows them."""
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        fence, shell = False, False
        for line in text.splitlines():
            if line.lstrip().startswith("```"):
                fence = not fence
                shell = fence and line.strip("` ") in ("", "console", "sh", "bash", "text")
            elif shell:
                command = re.split(r"\s{2,}(?=[^ ])|\s+#", line.strip().removeprefix("$ "))[0]
                yield from _example(page, command)


def table_examples() -> Iterator[Example]:
    """The commands in README's tables, each on its own."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for span in re.findall(r"^\| `(riverboat [^`]+)`", text, re.M):
        yield from _example(f"README.md `{span[:48]}`", span)


def _example(source: str, line: str) -> Iterator[Example]:
    line = line.strip().strip("`")
    if line.startswith("riverboat "):
        line = line.partition(" > ")[0]
        yield Example(source, tuple(shlex.split(line)[1:]))
