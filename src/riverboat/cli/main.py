"""The `riverboat` command. Each module named here holds one topic's commands.

Modules import typer only; whatever is heavy is imported inside the command that needs it, so that
`--help` answers at once.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import sys
from typing import Annotated, Any

import typer

from riverboat import __version__
from riverboat.cli.groups import take_powers
from riverboat.cli.startup import drop_output, is_full, make_output_safe, prepare_numba
from riverboat.errors import RiverboatError

__all__ = ["app", "command_tree", "run"]

MODULES: dict[str, str | None] = {
    "demo": None,
    "learn": None,
    "check": None,
    "games": None,
    "play": None,
    "solve": None,
    "duel": None,
    "match": None,
    "bots": None,
    "train_group": "train",
    "blackjack.exact": "blackjack",
    "blackjack.mcts": "mcts",
    "blackjack.casino": None,
    "twentyone.table": None,
    "twentyone.dealer": None,
    "twentyone.player": None,
    "twentyone.tournament": "tournament",
    "holdem.blueprints": "holdem",
    "holdem.abstraction": "abstraction",
    "holdem.acpc": "acpc",
    "holdem.phh_command": None,
    "holdem.convert_command": None,
    "holdem.review": None,
    "holdem.upi": None,
    "cards": None,
    "plot_group": "plot",
    "show": None,
    "web": None,
    "devices_command": None,
    "cluster_command": None,
}
"""Module below riverboat.cli → name of its group, or None where its commands stand at the top."""

PANELS: dict[str, tuple[str, ...]] = {
    "Start here": ("demo", "learn", "games", "play", "web", "check"),
    "Games": ("solve", "duel", "match", "bots", "train"),
    "Blackjack": ("blackjack", "mcts", "casino"),
    "Twenty-one": ("table", "dealer", "dealer-log", "player", "tournament"),
    "Hold'em": ("holdem", "abstraction", "acpc", "phh", "convert", "review", "upi"),
    "Cards": ("equity", "range", "rank"),
    "Learn": ("plot",),
    "Strategy files": ("show", "evaluate", "export"),
    "This machine": ("devices", "cluster"),
}
"""The panels of `riverboat --help`, in order."""

app = typer.Typer(
    name="riverboat",
    help="Deal, solve, learn and play imperfect-information card games: blackjack and poker.",
    epilog="Each command has its own help with an example: riverboat solve --help",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
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


def _panel_of(command: str) -> str:
    return next((panel for panel, names in PANELS.items() if command in names), "More")


for _module, _group in MODULES.items():
    _part: typer.Typer = importlib.import_module(f"riverboat.cli.{_module}").app
    for _command in _part.registered_commands:
        if _group is None:
            _command.rich_help_panel = _panel_of(str(_command.name))
    app.add_typer(_part, name=_group, rich_help_panel=_panel_of(str(_group)))


def command_tree() -> Any:
    """All commands as Typer parses them, in the order of the panels."""
    tree: Any = take_powers(typer.main.get_command(app))
    order = {name: i for i, name in enumerate(n for names in PANELS.values() for n in names)}
    ranked = sorted(tree.commands.items(), key=lambda item: order.get(item[0], len(order)))
    tree.commands = dict(ranked)
    return tree


def run(arguments: list[str] | None = None) -> None:
    """Entry point: errors a user can cause become one sentence on stderr and exit code 2."""
    make_output_safe()
    prepare_numba()
    gc.set_threshold(100_000, 20, 20)  # looking for garbage while importing is a tenth of the time
    try:
        code: Any = command_tree()(args=arguments, standalone_mode=False)
        sys.stdout.flush()
    except RiverboatError as error:
        _fail(str(error), 2)
    except KeyboardInterrupt:
        _fail("stopped.", 130)
    except BrokenPipeError:  # The reader (head, less) has gone.
        drop_output()
        sys.exit(141)
    except OSError as error:
        if not is_full(error):
            raise
        _fail(f"The output could not be written: {str(error.strerror).lower()}.", 2)
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
        with contextlib.suppress(OSError):
            print(f"riverboat: {message}", file=sys.stderr)
    drop_output()
    sys.exit(code)
