"""`riverboat plot NAME`: every picture of riverboat.pictures as a file; alone it lists them."""

from __future__ import annotations

import importlib
import re
from typing import Any

import typer

TOPICS = (
    "plot_solving",
    "blackjack.blackjack_plots",
    "twentyone.twentyone_plots",
    "holdem.holdem_plots",
)
"""Modules below riverboat.cli whose commands stand under `plot`."""

app = typer.Typer(
    help="Draw a picture as SVG, PNG or PDF, from a file or a run; alone it lists them.",
    invoke_without_command=True,
)
for _module in TOPICS:
    app.add_typer(importlib.import_module(f"riverboat.cli.{_module}").app)


@app.callback()
def plot(context: typer.Context) -> None:
    if context.invoked_subcommand is not None:
        return
    from riverboat.cli.console import output

    console = output()
    console.print("Pictures (each has --out FILE.svg, .png or .pdf, and --theme dark):\n")
    for name, command in context.command.commands.items():  # type: ignore[attr-defined]
        what, example = _told(command)
        console.print(f"[bold]{name}[/bold]  {what}")
        console.print(f"    {example}", style="dim", soft_wrap=True, markup=False)
    console.print("\nriverboat plot NAME --help has the options.")


def _told(command: Any) -> tuple[str, str]:
    """What a command draws, and its first example."""
    what, _, rest = (command.help or "").partition("Example")
    example = re.split(r"\n *·|·|\n\n", rest.partition(":")[2])[0]
    return " ".join(what.split("\n\n")[0].split()), " ".join(example.split())
