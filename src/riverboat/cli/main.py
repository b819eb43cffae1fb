"""The `riverboat` command: a table of all commands, of which only the one called is imported."""

from __future__ import annotations

import contextlib
import gc
import re
import sys
import unicodedata
from typing import Annotated, Any

import typer

from riverboat import __version__
from riverboat.cli.groups import LazyGroup, read_commands
from riverboat.cli.startup import (
    drop_output,
    is_full,
    keep_interrupts,
    make_output_safe,
    prepare_numba,
)
from riverboat.errors import RiverboatError
from riverboat.runtime.stopping import interrupt_on_terminate, take_unwritten

COMMANDS = read_commands(
    """
Start here
  demo (demo): Watch CFR learn Kuhn poker, solve Leduc next to OpenSpiel's time, and play: twenty
        seconds.
  learn (learn): Twelve lessons, from no knowledge to "I see why it bluffs": read, run, answer.
  games (games): List the games with their parameters and defaults.
  play (play): Play in the terminal: keys for moves, ? for a hint, q to leave.
  web (web): Play, study and learn in a browser; Ctrl-C stops the server.
  example (example): Files to begin with: a spot, hands, a training config, a bot, a game. Lists or
        copies them.
  check (check): Check the solution of an assignment, and say in plain words what is missing.
Games
  solve (solve): Solve a game: find a strategy that nobody can exploit.
  duel (duel): Solve the Blackjack duel: two players and a dealer, each with one card up and one
        down.
  match (match): Let players meet over many hands, seats rotating, and give mean and 95 % interval.
  bots (bots): Train by sampling, keep the bot at several stages, and let each meet each.
  train: Learn a game by playing it.
    twentyone (twentyone.train): Learn twenty-one by playing it and measure the result exactly.
    holdem (holdem.train_blueprint): Train a hold'em strategy by external-sampling MCCFR.
Blackjack
  blackjack: Casino blackjack: exact values, charts, simulation, training.
    ev (blackjack.exact): What a round is worth with perfect play, over all and by the dealer's up
        card.
    hand (blackjack.exact): What each action is worth with a hand, best first, and why.
    dealer (blackjack.exact): How the dealer ends, for each up card, before the hole card is
        checked.
    chart (blackjack.exact): The basic strategy for a table: hard totals, soft totals and pairs.
    simulate (blackjack.simulate): Play rounds by the million and report what they bring. Ctrl-C
        reports what was played.
    sweep (blackjack.simulate): What a round is worth with perfect play under every combination of
        rules, exactly.
    trainer (blackjack.trainer): Practise: it deals, you answer, it says what a mistake costs. What
        you miss comes again.
  mcts (blackjack.mcts): The searching bot: its thoughts and its memory.
  casino (blackjack.casino): Bots with 10,000 points each at one table, bids 10 to 100, ranked at
        the end.
Twenty-one
  table (twentyone.table): Play twenty-one in the terminal, next to bots, at a dealer over TCP, or
        just watch.
  dealer (twentyone.dealer): Deal twenty-one to players over TCP.
  dealer-log (twentyone.dealer): Play a dealer's log again from its seed and check every card and
        result.
  player (twentyone.player): Play twenty-one at a dealer's table over TCP.
  tournament (twentyone.tournament): Tournaments of twenty-one.
Hold'em
  holdem: Solve spots, walk blueprints, measure strength.
    strength (holdem.blueprints): Measure a blueprint: matches with duplicate deals, local best
        response, a learned response.
    show (holdem.blueprints): Walk through a blueprint: what the player to act does with each hand,
        at any decision.
    solve (holdem.spots): Solve a spot: a board, two or three ranges, pot, stacks, bet sizes: every
        hand and runout.
    view (holdem.spot_view): Show a node of a solved spot: the strategy of each hand and its EV.
    explore (holdem.spot_view): Walk a solved spot on the screen: arrows move in the grid, keys play
        actions.
    drill (holdem.drill): Play against a solution: each decision is priced, mistakes come again.
    preflop (holdem.preflop): Solve a game before the flop: all-in or fold, or two players with
        flops after every call.
    book (holdem.book): Look up a book: every decision before the flop, 169 hands, how often each
        action and its EV.
    icm (holdem.preflop): What chips are worth in prizes: the independent chip model of Malmuth and
        Harville, exactly.
    report (holdem.report): Solve a spot on many flops: report SPOT.toml. Then ask, or make a page.
  abstraction (holdem.abstraction): Card abstractions: which hands a strategy does not tell apart.
  acpc (holdem.acpc): Hold'em over the protocol of the Annual Computer Poker Competition.
  phh (holdem.histories): Read hold'em hands, PHH or PokerStars' text, play them again and say who
        won what.
  convert (holdem.histories): Turn hold'em hands of PokerStars into PHH, or PHH into PokerStars'
        text.
  review (holdem.review): Review a player's hands: where expected value (EV) was lost,
        worst first.
  upi (holdem.upi): Speak UPI, PioSOLVER's text protocol, on standard input and output.
Cards
  equity (cards): Each player's equity, exact where affordable.
  range (cards): A range as a grid, with its combos and share of all hands, or as other programs
        write it.
  rank (cards): The strength of a hand: in words, and as a number from 0 to 7461.
Learn
  plot (plot): Draw a picture as SVG, PNG or PDF, from a file or a run; alone it lists them.
Strategy files
  show (show): Show a strategy of any kind: how it was made, and each infoset's probabilities as
        bars.
  evaluate (solve): Measure a saved strategy of any kind exactly: value, best responses,
        exploitability.
  export (show): Write a strategy as JSON, CSV, Parquet or Arrow; one on a public tree as a dump
        too.
This machine
  devices (machine): List the CPU and the GPUs that `--device` can name, or say why there is no GPU.
  cluster (machine): Show the nodes of a Ray cluster: cores, GPUs, memory, and versions that differ.
"""
)
"""Panels of `riverboat --help` and their commands; see read_commands."""

PANELS = {panel: tuple(commands) for panel, commands in COMMANDS.items()}


class CutShortError(Exception):
    """Carries an interrupt, or that the reader has gone, past Typer, which hides both."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__()
        self.cause = cause


class RootGroup(LazyGroup):
    """All commands."""

    panels = COMMANDS

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, BrokenPipeError) as error:
            raise CutShortError(error) from None


app = typer.Typer(
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
            args=arguments, prog_name="riverboat", standalone_mode=False
        )
    except CutShortError as cut:
        raise cut.cause from None


def run(arguments: list[str] | None = None) -> None:
    """Entry point: errors a user can cause become one sentence on stderr and exit code 2.

    The exit code is 1 where the command went well but a file could not be written where it should.
    """
    make_output_safe()
    prepare_numba()
    keep_interrupts()
    take_unwritten()
    gc.set_threshold(100_000, 20, 20)  # looking for garbage while importing is a tenth of the time
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
    sys.exit(1 if take_unwritten() and code == 0 else code)


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
    sys.exit(code)
