"""The `riverboat` command. Each module named here holds one topic's commands.

Modules import typer only; whatever is heavy is imported inside the command that needs it, so that
`--help` answers at once.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import Annotated, Any

import typer

from riverboat import __version__
from riverboat.errors import RiverboatError

__all__ = ["app", "run"]

MODULES: dict[str, str | None] = {
    "demo": None,
    "games_command": None,
    "duel_command": None,
    "solve_command": None,
    "show_command": None,
    "match_command": None,
    "bots_command": None,
    "play_command": None,
    "train_group": "train",
    "blackjack.exact_commands": "blackjack",
    "blackjack.mcts_commands": "mcts",
    "blackjack.casino_command": None,
    "holdem.acpc_commands": "acpc",
    "cards_commands": None,
    "twentyone.dealer_commands": None,
    "twentyone.tournament_commands": "tournament",
    "twentyone.table_command": None,
    "holdem.holdem_commands": "holdem",
    "holdem.abstraction_commands": "abstraction",
    "holdem.phh_command": None,
}
"""Module below riverboat.cli → name of its group, or None where its commands stand at the top."""

app = typer.Typer(
    name="riverboat",
    help="Deal, solve, learn and play imperfect-information card games: blackjack and poker.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"riverboat {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


for _module, _group in MODULES.items():
    app.add_typer(importlib.import_module(f"riverboat.cli.{_module}").app, name=_group)


def run(arguments: list[str] | None = None) -> None:
    """Entry point: errors a user can cause become one sentence on stderr and exit code 2."""
    try:
        code: Any = app(args=arguments, standalone_mode=False)
    except RiverboatError as error:
        _fail(str(error), 2)
    except KeyboardInterrupt:
        _fail("stopped.", 130)
    except BrokenPipeError:
        # The reader (head, less) has gone: keep the interpreter from complaining at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except Exception as error:
        message = getattr(error, "format_message", None)
        if message is None:
            if type(error).__name__ == "Abort":
                _fail("stopped.", 130)
            raise
        _fail(" ".join(str(message()).split()), int(getattr(error, "exit_code", 2)))
    sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str, code: int) -> None:
    if message:  # Without arguments the help has been shown, and there is nothing to add.
        print(f"riverboat: {message}", file=sys.stderr)
    sys.exit(code)
