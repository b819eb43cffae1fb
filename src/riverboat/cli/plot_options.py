"""What all commands of `riverboat plot` share: where the picture goes and how it looks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Out", "Theme", "Title", "check", "write"]

Out = Annotated[
    Path, typer.Option("--out", "-o", metavar="FILE", help="A file ending in svg, png or pdf.")
]
Theme = Annotated[str, typer.Option("--theme", help="light or dark.")]
Title = Annotated[str, typer.Option("--title", help="In place of the picture's own.")]


def check(out: Path, theme: str) -> None:
    """Refuse what cannot be, before the work."""
    from riverboat import pictures
    from riverboat.errors import UnknownNameError
    from riverboat.strategies.files import check_writable

    pictures.check_format(out.suffix)
    check_writable(out)
    if theme not in pictures.THEMES:
        raise UnknownNameError.among("theme", theme, pictures.THEMES)


def write(figure: Figure, out: Path) -> None:
    """Write the picture and say so."""
    from riverboat import pictures

    pictures.save(figure, out)
    print(f"{out} written")
