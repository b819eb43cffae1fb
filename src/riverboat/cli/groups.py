"""Groups whose commands are imported when they are called, after Click's recipe for lazy groups.

Help is Click's own. `RiverboatCommand` leaves out the old names of options, which are still taken.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import typer
from typer.core import TyperCommand, TyperGroup

from riverboat.errors import UsageError

OLD_NAMES = {
    "--abstraction": ("-a",),
    "--bot": ("--player", "--bots"),
    "--drop-streets": ("--without",),
    "--from-memory": ("--memory",),
    "--max-characters": ("--limit",),
    "--other-seats": ("--others",),
    "--out": ("--svg", "--output", "--html"),
    "--player": ("--side",),
    "--port": ("-p",),
    "--set": ("--parameter",),
    "--train": ("--learn",),
    "--turn-limit": ("--limit",),
}
"""Name of an option → its other names that help leaves out."""


class Command(NamedTuple):
    """A command, or a group with its own Typer: its module below riverboat.cli, and its help."""

    module: str
    help: str


class Group(NamedTuple):
    """A group whose commands are in several modules; hidden names lead to commands elsewhere."""

    commands: Mapping[str, Command | Group]
    help: str
    aliases: Mapping[str, str] = MappingProxyType({})


Commands: TypeAlias = Mapping[str, "Command | Group"]


class RiverboatCommand(TyperCommand):
    """A command whose help leaves out the old names of its options."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        for kind, heading in (("argument", "Arguments"), ("option", "Options")):
            parameters = [p for p in self.get_params(ctx) if p.param_type_name == kind]
            rows = [(p, record) for p in parameters if (record := p.get_help_record(ctx))]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(
                        [(_without_old_names(p, names), words) for p, (names, words) in rows],
                        col_max=formatter.width // 3,
                    )


def shown_names(parameter: Any) -> list[str]:
    """The names of an option, without those that it had before."""
    old = {name for shown in parameter.opts for name in OLD_NAMES.get(shown, ())}
    return [name for name in parameter.opts if name not in old]


def _without_old_names(parameter: Any, names: str) -> str:
    for old in set(parameter.opts) - set(shown_names(parameter)):
        names = names.replace(f", {old}", "").replace(f"{old}, ", "")
    return names


class App(typer.Typer):
    """A Typer with plain help, whose commands are RiverboatCommands."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(rich_markup_mode=None, **settings)

    def command(self, name: str | None = None, **settings: Any) -> Any:
        return super().command(name, cls=RiverboatCommand, **settings)


def examples(command: Any) -> list[str]:
    """The examples in the help of a command, as they are typed."""
    return [line for line in (command.help or "").splitlines() if line.startswith("riverboat ")]


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
    - `sovle` is `solve`: similar names of this group, and another group's if that is more similar.
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
    nearest = get_close_matches(word, {path[-1] for path in commands}, 1)
    elsewhere = [] if meant or set(nearest) & set(near) else nearest
    meant += [(*group, name) for name in near]
    meant += [path for path in commands if path[-1] in elsewhere]
    return list(dict.fromkeys(meant))


def walk(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """A loaded command and all commands below it, with the words that name them."""
    yield path, command
    for name, child in getattr(command, "commands", {}).items():
        yield from walk(child, (*path, name))


def _takes_game(command: Any) -> bool:
    return any(parameter.name == "game_name" for parameter in command.params)


class LazyGroup(HintingGroup):
    """A group that imports a command's module when the command is called.

    Its help is that of the table, so that it imports nothing.
    """

    def __init__(
        self,
        *,
        panels: Mapping[str, Commands],
        aliases: Mapping[str, str] = MappingProxyType({}),
        **settings: Any,
    ) -> None:
        super().__init__(**settings)
        self.panels, self.aliases = panels, aliases
        self.entries = {
            name: entry for commands in panels.values() for name, entry in commands.items()
        }

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.entries)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in self.aliases:
            command = ctx.find_root().command
            for word in self.aliases[cmd_name].split():
                command = command.get_command(ctx, word)
            return command
        if cmd_name not in self.commands and cmd_name in self.entries:
            self.commands[cmd_name] = _load(cmd_name, self.entries[cmd_name])
        return self.commands.get(cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for panel, commands in self.panels.items():
            with formatter.section(panel):
                rows = [(name, entry.help) for name, entry in commands.items()]
                formatter.write_dl(rows, col_max=formatter.width // 3)

    def load_all(self) -> None:
        """Load every command, of the groups below too."""
        for name in self.entries:
            command = self.get_command(None, name)
            if isinstance(command, LazyGroup):
                command.load_all()


def _load(name: str, entry: Command | Group) -> Any:
    if isinstance(entry, Group):
        return LazyGroup(
            name=name,
            help=entry.help,
            panels={"Commands": entry.commands},
            aliases=entry.aliases,
            no_args_is_help=True,
            rich_markup_mode=None,
        )
    part: typer.Typer = importlib.import_module(f"riverboat.cli.{entry.module}").app
    group = typer.main.get_group(part)
    command = group.commands.get(name, group)
    command.name = name
    return command


class DefaultGroup(TyperGroup):
    """`report 3bet.toml` is `report solve 3bet.toml`: the first command may go unnamed."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in (*self.commands, "-h", "--help"):
            args = [next(iter(self.commands)), *args]
        return super().parse_args(ctx, args)
