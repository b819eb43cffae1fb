"""`riverboat blackjack`: exact answers about a table, a hand and the dealer."""

from __future__ import annotations

import textwrap
import time
from typing import TYPE_CHECKING, Annotated

import typer

from riverboat.cli.blackjack import chart_commands, sweep_command
from riverboat.cli.blackjack import simulate as simulate_command
from riverboat.cli.blackjack import trainer as trainer_command
from riverboat.cli.console import JsonFlag, emit
from riverboat.cli.options import Changes, NumHands, Preset

if TYPE_CHECKING:
    from riverboat.blackjack.exact.analysis import Analysis

app = typer.Typer(
    help="Casino blackjack: exact values, charts, simulation, training.", no_args_is_help=True
)
app.add_typer(chart_commands.app)
app.add_typer(simulate_command.app)
app.add_typer(sweep_command.app)
app.add_typer(trainer_command.app)

ConventionName = Annotated[
    str | None,
    typer.Option(
        "--convention", help="Play after a split: CDZ- (default), CDP1 or CDP.", show_default=False
    ),
]
Seen = Annotated[
    str, typer.Option("--seen", metavar="CARDS", help="Cards already gone from the shoe.")
]

WIDTH = 80
"""Columns that a terminal has at least."""


@app.command("ev")
def ev(
    rules: Preset = "vegas-6d-s17",
    changes: Changes = None,
    convention: ConventionName = None,
    seen: Seen = "",
    as_json: JsonFlag = False,
) -> None:
    """What a round is worth with perfect play, over all and by the dealer's up card.

    Example: riverboat blackjack ev --rules vegas-6d-s17 --set h17=true
    """
    analysis = _analysis(rules, changes, convention, seen)
    started = time.perf_counter()
    total, by_up = analysis.ev, analysis.ev_by_up
    seconds = time.perf_counter() - started
    if as_json:
        emit({**analysis.as_dict(), "seconds": seconds})
        return
    print(textwrap.fill(analysis.rules.summary, WIDTH))
    print(f"a round is worth {100 * total:+.6f} % of the bet ({analysis.engine.convention})")
    print()
    print("up card " + "".join(f"{up:>7}" for up in by_up))
    print("percent " + "".join(f"{100 * value:>+7.2f}" for value in by_up.values()))
    if analysis.rules.insurance and "A" in by_up:
        print()
        print(f"insurance is worth {100 * analysis.insurance():+.3f} % of the insurance bet")


@app.command("hand")
def hand(
    cards: Annotated[str, typer.Argument(metavar="CARDS", help='The hand, e.g. "T,6" or "A,7".')],
    up: Annotated[str, typer.Option("--up", help="The dealer's up card.")],
    rules: Preset = "vegas-6d-s17",
    changes: Changes = None,
    convention: ConventionName = None,
    seen: Seen = "",
    hands: NumHands = 1,
    as_json: JsonFlag = False,
) -> None:
    """What each action is worth with a hand, best first, and why.

    Example: riverboat blackjack hand T,6 --up 10
    """
    analysis = _analysis(rules, changes, convention, seen, one_hand=True)
    answer = analysis.hand(cards, up, hands=hands)
    if as_json:
        emit(answer.as_dict())
        return
    best = answer.values[answer.best]
    print(textwrap.fill(answer.rules.summary, WIDTH))
    print(f"{','.join(answer.cards)} against {answer.up} ({answer.convention})")
    print()
    for action, value in answer.values.items():
        behind = "" if action == answer.best else f"   {value - best:+.6f}"
        print(f"  {action:<10} {value:+.6f}{behind}")
    print()
    for sentence in answer.reasons:
        print(textwrap.fill(sentence, WIDTH))


@app.command("dealer")
def dealer(
    rules: Preset = "vegas-6d-s17",
    changes: Changes = None,
    up: Annotated[str | None, typer.Option("--up", help="One up card only.")] = None,
    held: Annotated[str, typer.Option("--hand", help="The player's cards, if known.")] = "",
    seen: Seen = "",
    as_json: JsonFlag = False,
) -> None:
    """How the dealer ends, for each up card, before he looks at the hole card.

    Example: riverboat blackjack dealer --up 6
    """
    from riverboat.blackjack.charts import UPS
    from riverboat.blackjack.round import parse_cards

    analysis = _analysis(rules, changes, None, seen, one_hand=True)
    counts = analysis.engine.counts
    ups = [parse_cards(up)] if up else [c for i, c in enumerate(UPS) if counts[i]]
    table = {card: analysis.dealer(card, held) for card in ups}
    if not up and not held:
        table["all"] = {
            outcome: float(
                sum(counts[UPS.index(c)] * table[c][outcome] for c in ups) / counts.sum()
            )
            for outcome in table[ups[0]]
        }
    if as_json:
        emit({"rules": analysis.as_dict()["rules"], "hand": held, "up": table})
        return
    holding = f"; the player holds {held}" if held else ""
    print(textwrap.fill(analysis.rules.summary + holding, WIDTH))
    headings = ("natural" if name == "blackjack" else name for name in table[ups[0]])
    print("up %  " + "".join(f"{heading:>9}" for heading in headings))
    for card, row in table.items():
        print(f"{card:<6}" + "".join(f"{100 * p:>9.4f}" for p in row.values()))


def _analysis(
    preset: str,
    changes: list[str] | None,
    convention: str | None,
    seen: str,
    *,
    one_hand: bool = False,
) -> Analysis:
    """The analysis that the options describe; `one_hand` is answered before a compiler starts."""
    from riverboat.blackjack.exact.analysis import analyse, shoe_without
    from riverboat.blackjack.rules import rules_from
    from riverboat.errors import ParameterError, UsageError
    from riverboat.games.registry import parse_assignments

    given = parse_assignments(changes or ())
    named = given.pop("post_split_strategy", "").upper()
    convention = convention.upper() if convention else None
    if named and convention and named != convention:
        raise UsageError(f"--convention {convention} contradicts post_split_strategy={named}.")
    rules = rules_from(preset, given)
    try:
        shoe = shoe_without(rules, seen)
    except ParameterError as error:
        raise UsageError(f"--seen: {error}") from error
    how = convention or named or "CDZ-"
    return analyse(rules, shoe, how, compiled=not (one_hand and how == "CDZ-"))
