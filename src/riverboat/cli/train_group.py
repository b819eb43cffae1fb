"""`riverboat train SYSTEM`: learning by play, one sub-command a system, one module each."""

from __future__ import annotations

import importlib

import typer

SYSTEMS = ("twentyone.train", "holdem.train_blueprint")
"""Modules below riverboat.cli whose commands stand under `train`."""

app = typer.Typer(help="Learn a game by playing it.", no_args_is_help=True)
for _module in SYSTEMS:
    app.add_typer(importlib.import_module(f"riverboat.cli.{_module}").app)
