"""Groups of commands: loaded on call, with a default command, and counts written as `1e6`."""

from __future__ import annotations

import importlib
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from difflib import get_close_matches
from typing import Annotated, Any, NamedTuple, TypeAlias

import typer
from typer.core import TyperCommand, TyperGroup

from riverboat.cli.help_text import HelpContext, kind_of, show_plainly
from riverboat.errors import UsageError
from riverboat.runtime.plugins import load_program

_POWER = re.compile(r"\d+(\.\d+)?[eE]\+?\d{1,4}|\d{1,3}(,\d{3})+|\d+(_\d+)+", re.ASCII)
_LARGEST = 2**63 - 1
MAX_COUNT, MAX_NUMBER = 10**11, 1e12
"""Largest values of options that name no limit of their own; no count or time needs more."""


class Command(NamedTuple):
    """A command, or a group with its own Typer: its module below riverboat.cli, and its help."""

    module: str
    help: str


class Group(NamedTuple):
    """A group whose commands are in several modules."""

    commands: dict[str, Any]
    help: str


Commands: TypeAlias = Mapping[str, "Command | Group"]


def read_commands(text: str) -> dict[str, Commands]:
    """Read a table of panels and commands.

    A panel begins at the margin, its commands are indented by two: `name (module): help`. A group
    has no module; its own commands follow, indented by four. A deeper line continues the help.
    """
    panels: dict[str, Any] = {}
    for line in re.sub(r"\n {8}", " ", text).strip().splitlines():
        found = re.fullmatch(r"( +)(\S+?)(?: \((\S+)\))?: (.+)", line)
        if found is None:
            commands = panels[line] = {}
            continue
        indent, name, module, words = found.groups()
        if module is None:
            within = commands[name] = Group({}, words)
        else:
            place = commands if len(indent) == 2 else within.commands
            place[name] = Command(module, words)
    return panels


class HintingGroup(TyperGroup):
    """A group that names the right command where another group's is typed, or a misspelt one."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        word = args[0]
        known = self.get_command(ctx, word) is not None or word.startswith("-")
        if known or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        path: list[str] = []
        while ctx.parent is not None:
            path.insert(0, ctx.info_name)
            ctx = ctx.parent
        ctx.command.load_all()
        meant = [f"riverboat {' '.join(words)}" for words in meant_by(ctx.command, path, word)]
        last = " or ".join(meant[-2:])
        hint = f" Did you mean {', '.join([*meant[:-2], last])}?" if meant else ""
        raise UsageError(f"No such command {word!r}.{hint}")


def meant_by(root: Any, group: Sequence[str], word: str) -> list[tuple[str, ...]]:
    """Return the commands that may be meant by `word`, which this group does not have.

    - `holdem train` is `train holdem`, and `holdem play` is `play holdem`;
    - `drill` is `holdem drill`: a command of that name in any other group;
    - `sovle` is `solve`: a name of this group that is similar, or else of any.
    """
    from riverboat.games.registry import GAMES

    commands = {path: command for path, command in walk(root) if path}
    meant = [(word, *group)] if (word, *group) in commands else []
    if not meant:
        named = sorted((path for path in commands if path[-1] == word), key=len)
        game = group[-1:] if group and group[-1] in GAMES else ()
        meant = [(*path, *game) if _takes_game(commands[path]) else path for path in named]
    if word in GAMES:
        meant += [(verb, word) for verb in ("play", "solve") if _takes_game(commands[verb,])]
    near = get_close_matches(word, [path[-1] for path in commands if path[:-1] == tuple(group)])
    meant += [(*group, name) for name in near]
    if not meant:
        nearest = get_close_matches(word, {path[-1] for path in commands}, 1)
        meant = [path for path in commands if path[-1] in nearest]
    return list(dict.fromkeys(meant))


def walk(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """A command and all commands below it, with the words that name them."""
    yield path, command
    for name, child in getattr(command, "commands", {}).items():
        yield from walk(child, (*path, name))


def _takes_game(command: Any) -> bool:
    return any(parameter.name == "game_name" for parameter in command.params)


class LazyGroup(HintingGroup):
    """A group that imports a command's module when the command is called.

    Until then a stub with the one-line help of the table takes its place.
    """

    panels: Mapping[str, Commands] = {}
    context_class = HelpContext

    def __init__(self, *, panels: Mapping[str, Commands] | None = None, **attrs: Any) -> None:
        super().__init__(**(attrs | {"rich_markup_mode": None}))
        self.panels = self.panels if panels is None else panels
        self._waiting: dict[str, tuple[Command | Group, str | None]] = {}
        for panel, commands in self.panels.items():
            for name, command in commands.items():
                self._waiting[name] = (command, panel or None)
                self.commands[name] = TyperCommand(
                    name, help=command.help, rich_help_panel=panel or None
                )

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args:
            self.load(args[0])
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for panel, commands in self.panels.items():
            with formatter.section(panel or "Commands"):
                formatter.write_dl([(name, entry.help) for name, entry in commands.items()])

    def load(self, name: str) -> None:
        """Put the command itself in the place of its stub."""
        if name not in self._waiting:
            return
        entry, panel = self._waiting.pop(name)
        command: Any
        if isinstance(entry, Group):
            command = LazyGroup(
                name=name, help=entry.help, panels={"": entry.commands}, no_args_is_help=True
            )
        else:
            part: typer.Typer = importlib.import_module(f"riverboat.cli.{entry.module}").app
            group = typer.main.get_group(part)
            command = group.commands.get(name, group)
            command.name = name
            _take_imports(command)
            _check_numbers(command)
            show_plainly(command)
        command.rich_help_panel = panel
        self.commands[name] = command

    def load_all(self) -> None:
        """Load every command, of the groups below too."""
        for name in tuple(self._waiting):
            self.load(name)
        for command in self.commands.values():
            if isinstance(command, LazyGroup):
                command.load_all()


class DefaultGroup(TyperGroup):
    """`report 3bet.toml` is `report solve 3bet.toml`: the first command may go unnamed."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in (*self.commands, "-h", "--help"):
            args = [next(iter(self.commands)), *args]
        return super().parse_args(ctx, args)


def whole_number(text: str) -> str:
    """Return `1e6`, `2.5e3`, `1_000` and `1,000` as plain digits; anything else unchanged.

    A number that no machine can count to is refused with the time it would take.
    """
    text = text.strip()
    if _POWER.fullmatch(text):
        number = Decimal(text.replace(",", "").replace("_", ""))
        if number == number.to_integral_value():
            _refuse_endless(text, number)
            return str(int(number))
    elif text.isascii() and text.isdigit():
        _refuse_endless(text, Decimal(text))
    return text


def _refuse_endless(text: str, number: Decimal) -> None:
    if number > _LARGEST:
        shown = text if len(text) <= 20 else f"{number:.1e}"
        years = number / Decimal(10**9) / Decimal(31_557_600)
        raise UsageError(
            f"{shown} is too many: at a billion per second it would take {years:.1e} years."
        )


_READ_GAMES = ("games", "show", "evaluate", "export", "web", "plot", "convergence", "game-tree")
"""Commands that meet games without an argument `game_name`."""


def _take_imports(command: Any) -> None:
    """Give every command that takes a game `--import FILE`, so that it knows a game of one's own
    (or what else the file registers).
    """
    for child in getattr(command, "commands", {}).values():
        _take_imports(child)
    if command.name in _READ_GAMES or _takes_game(command):
        only = typer.Typer(add_completion=False)
        only.command()(_with_imports)
        taken = [p for p in typer.main.get_command(only).params if p.name == "imports"]
        command.params[-1:-1] = taken


def _import(files: list[str] | None) -> None:
    for file in files or ():
        load_program(file)


def _with_imports(
    imports: Annotated[
        list[str] | None,
        typer.Option(
            "--import",
            is_eager=True,
            expose_value=False,
            callback=_import,
            metavar="FILE.py",
            help="Import a file that registers a game or player of your own; repeatable.",
        ),
    ] = None,
) -> None:
    """A command with this one option, for Typer to make it."""


def _check_numbers(command: Any) -> None:
    """Let every count of a command or group take `1e6`, and give every number a lower and an
    upper bound: 0 and MAX_COUNT or MAX_NUMBER where the option has none of its own.
    """
    for child in getattr(command, "commands", {}).values():
        _check_numbers(child)
    for parameter in command.params:
        kind = kind_of(parameter)
        if kind not in (int, float):
            continue
        name = parameter.opts[0] if parameter.opts[0].startswith("-") else parameter.metavar
        limits = parameter if hasattr(parameter, "min") else parameter.type
        low, high = getattr(limits, "min", None), getattr(limits, "max", None)
        if high is None:
            high = MAX_NUMBER if kind is float else MAX_COUNT
            high = _LARGEST if parameter.name == "seed" else high
        read = _read_whole if kind is int else _read_finite
        parameter.process_value = _reading(
            parameter.process_value,
            read,
            name or parameter.name.upper(),
            0 if low is None else low,
            high,
        )


def _read_whole(text: str, name: str) -> tuple[str, float]:
    digits = whole_number(text)
    if not re.fullmatch(r"[+-]?\d+", digits, re.ASCII):
        raise UsageError(f"{name} takes a whole number such as 1000 or 1e6, not {text!r}.")
    return digits, int(digits)


def _read_finite(text: str, name: str) -> tuple[str, float]:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise UsageError(f"{name} takes a number such as 1.5, not {text!r}.")
    return text, number


def _reading(
    process: Callable[[Any, Any], Any],
    parse: Callable[[str, str], tuple[str, float]],
    name: str,
    low: float,
    high: float,
) -> Callable[[Any, Any], Any]:
    def read(text: Any) -> Any:
        if not isinstance(text, str):
            return text
        plain, number = parse(text, name)
        if not low <= number <= high:
            raise UsageError(f"{name} takes {low:,} to {high:,}, not {text}.")
        return plain

    def process_value(context: Any, value: Any) -> Any:
        several = isinstance(value, list | tuple)
        return process(context, [read(item) for item in value] if several else read(value))

    return process_value
