"""The `riverboat` command: a table of all commands, of which only the one called is imported."""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from riverboat import __version__
from riverboat.cli.groups import Command, Commands, Group, LazyGroup
from riverboat.cli.startup import (
    drop_output,
    is_full,
    keep_interrupts,
    make_output_safe,
    prepare_numba,
)
from riverboat.errors import RiverboatError
from riverboat.runtime.stopping import interrupt_on_terminate

__all__ = ["COMMANDS", "PANELS", "app", "command_tree", "run"]

TRAIN = {
    "twentyone": Command(
        "twentyone.train", "Learn twenty-one by playing it and measure the result exactly."
    ),
    "holdem": Command(
        "holdem.train_blueprint", "Train a hold'em strategy by external-sampling MCCFR."
    ),
}
BLACKJACK = {
    "ev": Command(
        "blackjack.exact",
        "What a round is worth with perfect play, over all and by the dealer's up card.",
    ),
    "hand": Command(
        "blackjack.exact", "What each action is worth with a hand, best first, and why."
    ),
    "dealer": Command(
        "blackjack.exact",
        "How the dealer ends, for each up card, before the hole card is checked.",
    ),
    "chart": Command(
        "blackjack.exact", "The basic strategy for a table: hard totals, soft totals and pairs."
    ),
    "simulate": Command(
        "blackjack.simulate",
        "Play rounds by the million and report what they bring. Ctrl-C reports what was played.",
    ),
    "sweep": Command(
        "blackjack.simulate",
        "What a round is worth with perfect play under every combination of rules, exactly.",
    ),
    "trainer": Command(
        "blackjack.trainer",
        "Practise: it deals, you answer, it says what a mistake costs. What you miss comes again.",
    ),
}
HOLDEM = {
    "strength": Command(
        "holdem.blueprints",
        "Measure a blueprint: matches with duplicate deals, local best response, a learned"
        " response.",
    ),
    "show": Command(
        "holdem.blueprints",
        "Walk through a blueprint: what the player to act does with each hand, at any decision.",
    ),
    "solve": Command(
        "holdem.spots",
        "Solve a spot: a board, two ranges, pot, stacks and bet sizes, every hand and every"
        " runout.",
    ),
    "view": Command(
        "holdem.spot_view",
        "Show a node of a solved spot: who does what with which hand, and what it is worth.",
    ),
    "explore": Command(
        "holdem.spot_view",
        "Walk a solved spot on the screen: arrows move in the grid, keys play actions.",
    ),
    "drill": Command(
        "holdem.drill",
        "Play a solved spot against its solution; each decision is priced, mistakes come again.",
    ),
    "report": Command(
        "holdem.report",
        "Solve a spot on many flops: report SPOT.toml. Then ask, or make a page.",
    ),
}
COMMANDS: Mapping[str, Commands] = {
    "Start here": {
        "demo": Command(
            "demo",
            "Solve Kuhn, Leduc and Showdown, show Showdown's table of bots, and say what to try"
            " next.",
        ),
        "learn": Command(
            "learn",
            'Twelve lessons, from no knowledge to "I see why it bluffs": read, run, answer.',
        ),
        "games": Command("games", "List the games with their parameters and defaults."),
        "play": Command("play", "Play in the terminal: keys for moves, ? for a hint, q to leave."),
        "web": Command("web", "Play, look and learn in a browser; Ctrl-C stops the server."),
        "check": Command(
            "check", "Check the solution of an assignment, and say in plain words what is missing."
        ),
    },
    "Games": {
        "solve": Command("solve", "Solve a game: find a strategy that nobody can exploit."),
        "duel": Command(
            "duel",
            "Solve the Blackjack duel: two players and a dealer, each with one card up and one"
            " down.",
        ),
        "match": Command(
            "match",
            "Let players meet over many hands, seats rotating, and give mean and 95 % interval.",
        ),
        "bots": Command(
            "bots", "Train by sampling, keep the bot at several stages, and let each meet each."
        ),
        "train": Group(TRAIN, "Learn a game by playing it."),
    },
    "Blackjack": {
        "blackjack": Group(
            BLACKJACK, "Casino blackjack: exact values, charts, simulation, training."
        ),
        "mcts": Command("blackjack.mcts", "The searching bot: its thoughts and its memory."),
        "casino": Command(
            "blackjack.casino",
            "Bots with 10,000 points each at one table, bids 10 to 100, ranked at the end.",
        ),
    },
    "Twenty-one": {
        "table": Command(
            "twentyone.table",
            "Play twenty-one in the terminal, next to bots, at a dealer over TCP, or just watch.",
        ),
        "dealer": Command("twentyone.dealer", "Deal twenty-one to players over TCP."),
        "dealer-log": Command(
            "twentyone.dealer",
            "Play a dealer's log again from its seed and check every card and result.",
        ),
        "player": Command("twentyone.player", "Play twenty-one at a dealer's table over TCP."),
        "tournament": Command("twentyone.tournament", "Tournaments of twenty-one."),
    },
    "Hold'em": {
        "holdem": Group(HOLDEM, "Solve spots, walk blueprints, measure strength."),
        "abstraction": Command(
            "holdem.abstraction", "Card abstractions: which hands a strategy does not tell apart."
        ),
        "acpc": Command(
            "holdem.acpc", "Hold'em over the protocol of the Annual Computer Poker Competition."
        ),
        "phh": Command(
            "holdem.histories",
            "Read hold'em hands, PHH or PokerStars' text, play them again and say who won what.",
        ),
        "convert": Command(
            "holdem.histories",
            "Turn hold'em hands of PokerStars into PHH, or PHH into PokerStars' text.",
        ),
        "review": Command(
            "holdem.review",
            "Look over a player's hands and say where expected value (EV) was lost, worst first.",
        ),
        "upi": Command(
            "holdem.upi", "Speak UPI, PioSOLVER's text protocol, on standard input and output."
        ),
    },
    "Cards": {
        "equity": Command("cards", "Each player's equity, exact where affordable."),
        "range": Command(
            "cards",
            "A range as a grid, with its combos and share of all hands, or as other programs"
            " write it.",
        ),
        "rank": Command(
            "cards", "The strength of a hand: in words, and as a number from 0 to 7461."
        ),
    },
    "Learn": {
        "plot": Command(
            "plot", "Draw a picture as SVG, PNG or PDF, from a file or a run; alone it lists them."
        ),
    },
    "Strategy files": {
        "show": Command(
            "show",
            "Show a strategy of any kind: how it was made, and each infoset's probabilities as"
            " bars.",
        ),
        "evaluate": Command(
            "solve",
            "Measure a saved strategy of any kind exactly: value, best responses, exploitability.",
        ),
        "export": Command(
            "show",
            "Write a strategy as JSON, CSV, Parquet or Arrow; one on a public tree as a dump too.",
        ),
    },
    "This machine": {
        "devices": Command(
            "machine",
            "List the CPU and the GPUs that `--device` can name, or say why there is no GPU.",
        ),
        "cluster": Command(
            "machine",
            "Show the nodes of a Ray cluster: cores, GPUs, memory, and versions that differ.",
        ),
    },
}
"""Panel of `riverboat --help` → command → module and the first sentence of its help."""

PANELS = {panel: tuple(commands) for panel, commands in COMMANDS.items()}


class RootGroup(LazyGroup):
    """All commands."""

    panels = COMMANDS


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


def run(arguments: list[str] | None = None) -> None:
    """Entry point: errors a user can cause become one sentence on stderr and exit code 2."""
    make_output_safe()
    prepare_numba()
    keep_interrupts()
    gc.set_threshold(100_000, 20, 20)  # looking for garbage while importing is a tenth of the time
    try:
        with interrupt_on_terminate():
            code: Any = typer.main.get_command(app)(
                args=arguments, prog_name="riverboat", standalone_mode=False
            )
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
        if type(error).__name__ == "NoArgsIsHelpError":
            typer.echo(error.ctx.get_help())  # type: ignore[attr-defined]
            _fail("", 2)
        message = getattr(error, "format_message", None)
        if message is None:
            if type(error).__name__ == "Abort":
                _fail("stopped.", 130)
            raise
        _fail(" ".join(str(message()).split()), int(getattr(error, "exit_code", 2)))
    sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str, code: int) -> None:
    if message:
        with contextlib.suppress(OSError):
            print(f"riverboat: {message}", file=sys.stderr)
    drop_output()
    sys.exit(code)
