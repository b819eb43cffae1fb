"""The `riverboat` command; of all commands only the one called is imported."""

from __future__ import annotations

import contextlib
import re
import shutil
import sys
import unicodedata
from typing import Annotated, Any, NoReturn

import typer

from riverboat.cli.commands import ALIASES, COMMANDS
from riverboat.cli.commands import PANELS as PANELS
from riverboat.cli.groups import App, LazyGroup
from riverboat.cli.startup import (
    announce_compiling,
    drop_output,
    is_full,
    keep_interrupts,
    make_output_safe,
)
from riverboat.errors import RiverboatError
from riverboat.runtime.stopping import interrupt_on_terminate, take_unwritten
from riverboat.version import __version__

MAX_WIDTH = 100  # of help


class CutShortError(Exception):
    """Carries an interrupt, or that the reader has gone, past Typer, which hides both."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__()
        self.cause = cause


class RootGroup(LazyGroup):
    """All commands."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(panels=COMMANDS, aliases=ALIASES, **settings)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, BrokenPipeError) as error:
            raise CutShortError(error) from None


app = App(
    name="riverboat",
    cls=RootGroup,
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


def command_tree() -> Any:
    """All commands as Typer parses them, each loaded, in the order of the panels."""
    tree: Any = typer.main.get_command(app)
    tree.load_all()
    return tree


def _call(arguments: list[str] | None) -> Any:
    try:
        return typer.main.get_command(app)(
            args=arguments,
            prog_name="riverboat",
            standalone_mode=False,
            terminal_width=min(shutil.get_terminal_size().columns, MAX_WIDTH) - 1,
        )
    except CutShortError as cut:
        raise cut.cause from None


def run(arguments: list[str] | None = None) -> None:
    """Entry point: errors a user can cause become one sentence on stderr and exit code 2.

    The exit code is 1 where the command went well but a file could not be written where it should.
    """
    make_output_safe()
    announce_compiling()
    keep_interrupts()
    take_unwritten()
    try:
        with interrupt_on_terminate():
            code = _call(arguments)
            sys.stdout.flush()
    except RiverboatError as error:
        _fail(str(error), 2)
    except KeyboardInterrupt:
        _fail("stopped.", 130)
    except BrokenPipeError:  # The reader (head, less) has gone.
        drop_output()
        sys.exit(141)
    except OSError as error:
        if is_full(error):
            _fail(f"The output could not be written: {str(error.strerror).lower()}.", 2)
        if error.filename is None:
            raise
        name = str(error.filename)
        shown = name if len(name) <= 60 else f"{name[:57]}..."
        _fail(f"Cannot use {shown}: {str(error.strerror).lower()}.", 2)
    except MemoryError:
        _fail("This does not fit in the memory of this machine.", 2)
    except Exception as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            typer.echo(error.ctx.get_help())  # type: ignore[attr-defined]
            _fail("", 2)
        message = getattr(error, "format_message", None)
        if message is None:
            if type(error).__name__ == "Abort":
                _fail("stopped.", 130)
            raise
        _fail(" ".join(str(message()).split()), int(getattr(error, "exit_code", 2)))
    code = code if isinstance(code, int) else 0
    _exit(1 if take_unwritten() and code == 0 else code)


def _fail(message: str, code: int) -> None:
    """Say the message in one line; names may hold anything, so what moves a cursor is escaped.

    Of words that nobody reads to the end only the beginning is shown.
    """
    if message:
        message = re.sub(r"\S{401,}", lambda word: f"{word[0][:60]}…", message)
        # A surrogate stands for a byte of a file's name, and is shown as that by the stream.
        whole = (c.isprintable() or unicodedata.category(c) == "Cs" for c in message)
        shown = "".join(c if ok else repr(c)[1:-1] for c, ok in zip(message, whole, strict=True))
        with contextlib.suppress(OSError):
            print(f"riverboat: {shown}", file=sys.stderr)
    drop_output()
    _exit(code)


def _exit(code: int) -> NoReturn:
    """Exit with this code, also after an interrupt that was caught.

    If an interrupt passed through the execution of a text, as in imports of SciPy, CPython ends by
    SIGINT instead, unless another text was executed since.
    """
    exec("")
    sys.exit(code)
