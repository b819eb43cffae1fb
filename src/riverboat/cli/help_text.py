"""The help of a command as plain text that fits any width, with bold headings on a screen."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args, get_origin

import typer

from riverboat.cli.options import HIDDEN

_METAVARS = {int: "N", float: "X", str: "TEXT", Path: "FILE"}
WIDEST, NARROWEST = 100, 30
_Formatter: Any = typer.Context.formatter_class


class HelpPage(_Formatter):  # type: ignore[misc]
    """Lists of options and commands; the first column takes at most a third of the width."""

    def __init__(self, width: int | None = None, **options: Any) -> None:
        if width is None:
            width = min(max(shutil.get_terminal_size().columns, NARROWEST), WIDEST) - 1
        super().__init__(width=width, **options)

    def write_text(self, text: str) -> None:
        """The text of a command; what stands behind "Examples:" gets a line each."""
        words, examples = split_examples(text)
        super().write_text(words)
        if examples:
            self.write_paragraph()
            self.write_heading("Example" if len(examples) == 1 else "Examples")
            self.write("".join(f"  {line}\n" for line in examples))

    def write_heading(self, heading: str) -> None:
        self.write(typer.style(f"{heading}:", bold=True) + "\n")

    def write_dl(self, rows: Sequence[tuple[str, str]], **_: Any) -> None:
        super().write_dl(
            [(typer.style(name, fg="cyan"), text) for name, text in rows],
            col_max=min(30, self.width // 3),
        )


def split_examples(text: str) -> tuple[str, list[str]]:
    """The help of a command without its examples, and these, as they are typed."""
    words, marker, rest = text.partition("Example")
    heading, _, listed = rest.partition(":")
    if not marker or heading not in ("", "s"):
        return text, []
    parts = re.split(r"·|\n(?= *riverboat )", listed)
    return words.rstrip(), [line for part in parts if (line := " ".join(part.split()))]


class HelpContext(typer.Context):
    """A context whose help is a HelpPage."""

    formatter_class = HelpPage


def kind_of(parameter: Any) -> Any:
    """The type of a parameter's values; Typer's own types and Click's say so in different ways."""
    described = getattr(parameter, "type_descriptor", None)
    if described is not None:
        found = described.annotation
        return get_args(found)[0] if get_origin(found) is list else found
    name = getattr(parameter.type, "name", "").removesuffix(" range")
    return {"integer": int, "float": float, "text": str, "path": Path}.get(name)


def show_plainly(command: Any) -> None:
    """Give a command and those below it this help; numbers are shown as N, texts as TEXT."""
    children = getattr(command, "commands", None)
    if children:
        for child in children.values():
            show_plainly(child)
        command.format_commands = lambda ctx, page: _list(children, page)
    command.rich_markup_mode = None
    command.context_class = HelpContext
    for parameter in command.params:
        if any(name in HIDDEN for name in parameter.opts):
            parameter.get_help_record = _without_old_names(parameter)
        if parameter.param_type_name == "argument":
            parameter.display_type_rich = lambda ctx: None
        elif parameter.metavar is None and not parameter.is_flag:
            parameter.metavar = _METAVARS.get(kind_of(parameter))


def shown_names(parameter: Any) -> list[str]:
    """The names of an option, without those that it had before."""
    old = {name for shown in parameter.opts for name in HIDDEN.get(shown, ())}
    return [name for name in parameter.opts if name not in old]


def _without_old_names(parameter: Any) -> Callable[[Any], Any]:
    """The line of help for an option, with its present names only."""
    record, names = parameter.get_help_record, list(parameter.opts)

    def line(ctx: Any) -> Any:
        parameter.opts = shown_names(parameter)
        try:
            return record(ctx)
        finally:
            parameter.opts = names

    return line


def _list(commands: Mapping[str, Any], page: HelpPage) -> None:
    with page.section("Commands"):
        page.write_dl([(name, _first_sentences(child)) for name, child in commands.items()])


def _first_sentences(command: Any) -> str:
    """The first paragraph of a command's help, in one line."""
    return " ".join((command.help or "").partition("\n\n")[0].split())
