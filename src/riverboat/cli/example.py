"""`riverboat example`: files to begin with, listed and copied.

An example is a file of riverboat/examples. Its first line says what it is; a line that begins with
"Try:" is a command for it. So a new file there is listed without a change here.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Annotated

from rich.text import Text

from riverboat.cli.console import emit, output
from riverboat.cli.groups import App
from riverboat.cli.options import JsonFlag, argument, option
from riverboat.errors import UnknownNameError, UsageError
from riverboat.runtime.storage import atomic_write

app = App()

MARKS = '#" '
"""What stands before words in a file's first lines."""


@dataclass(frozen=True)
class Example:
    """A file to begin with."""

    name: str
    text: str

    @property
    def what(self) -> str:
        return self.text.partition("\n")[0].strip(MARKS)

    @property
    def tried_by(self) -> str:
        """A command for it."""
        lines = (line.lstrip(MARKS) for line in self.text.splitlines())
        return next((line[4:].strip() for line in lines if line.startswith("Try:")), "")


def read_examples() -> dict[str, Example]:
    """All of them by name."""
    folder = resources.files("riverboat") / "examples"
    files = sorted((entry for entry in folder.iterdir() if entry.is_file()), key=lambda e: e.name)
    return {entry.name: Example(entry.name, entry.read_text(encoding="utf-8")) for entry in files}


@app.command("example")
def example(
    names: Annotated[
        list[str] | None, argument("Which to copy; none: the list.", metavar="NAME")
    ] = None,
    every: Annotated[bool, option("--all", "Copy all of them.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Files to begin with: a spot, hands, a training config, a bot, a game. Lists or copies them.

    A copy is written into this folder. A file that is there already and differs is left alone.

    \b
    Examples:
    riverboat example
    riverboat example 3bet.toml
    riverboat holdem solve 3bet.toml --out 3bet.rb
    """
    known = read_examples()
    if every and names:
        raise UsageError("--all copies every example; leave the names out.")
    wanted = [_find(name, known) for name in names or (known if every else ())]
    for one in wanted:
        _check_free(one)
    for one in wanted:
        atomic_write(Path(one.name), one.text)
    if as_json:
        shown = [
            {"name": one.name, "what": one.what, "try": one.tried_by}
            for one in wanted or known.values()
        ]
        emit({"copied" if wanted else "examples": shown})
        return
    for one in wanted or known.values():
        output().print(Text(f"{'written: ' if wanted else ''}{one.name}", style="bold cyan"))
        output().print(Text(f"  {one.what}"))
        output().print(Text(f"  try: {one.tried_by}", style="dim"), soft_wrap=True)
    if not wanted:
        output().print("\nTo copy one into this folder: riverboat example 3bet.toml", markup=False)


def _find(name: str, known: dict[str, Example]) -> Example:
    """The example of this name; its ending may be left out."""
    example = known.get(name) or next(
        (e for e in known.values() if Path(e.name).stem == name), None
    )
    if example is None:
        raise UnknownNameError.among("example", name, known)
    return example


def _check_free(one: Example) -> None:
    path = Path(one.name)
    if path.is_dir() or (path.is_file() and path.read_bytes() != one.text.encode("utf-8")):
        raise UsageError(f"{path} exists already and differs; rename it first, or work elsewhere.")
