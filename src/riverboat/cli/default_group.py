"""A group of commands, one of which is meant where none is named."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

__all__ = ["DefaultGroup"]


class DefaultGroup(TyperGroup):
    """`report 3bet.toml` is `report solve 3bet.toml`: the first command is the usual one."""

    @property
    def usual(self) -> str:
        """The command that is meant where none is named."""
        return next(iter(self.commands))

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in (*self.commands, "-h", "--help"):
            args = [self.usual, *args]
        return super().parse_args(ctx, args)
