"""`riverboat blackjack`: exact answers about a table, a hand and the dealer."""

from __future__ import annotations

import json
import textwrap
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from riverboat.cli.blackjack import chart_commands, trainer_command
from riverboat.cli.blackjack.table_options import Changes, Preset
from riverboat.cli.console import JsonFlag

if TYPE_CHECKING:
    from riverboat.blackjack.exact.analysis import Analysis
    from riverboat.blackjack.rules import BlackjackRules

app = typer.Typer(
    help="Casino blackjack: exact values, charts, simulation, training.", no_args_is_help=True
)
app.add_typer(chart_commands.app)
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

REASONS = {
    "stand": "So the total is worth more than what one more card would bring.",
    "hit": "So a card is worth its risk.",
    "double": "So one card wins often enough to want twice the money on it.",
    "split": "So two hands with one of these cards each are worth more than both together.",
    "surrender": "So every way to play on loses more than half the bet.",
}


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
        _print_json(
            rules=_rules_dict(analysis.rules),
            ev=total,
            ev_by_up=by_up,
            convention=analysis.engine.convention,
            seconds=seconds,
        )
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
    hands: Annotated[
        int, typer.Option("--hands", min=1, help="Hands you have; above 1 after a split.")
    ] = 1,
    as_json: JsonFlag = False,
) -> None:
    """What each action is worth with a hand, best first, and why.

    Example: riverboat blackjack hand T,6 --up 10
    """
    from riverboat.blackjack.round import parse_cards

    analysis = _analysis(rules, changes, convention, seen)
    values = analysis.action_values(cards, up, hands=hands)
    best = next(iter(values))
    mine, shown = ",".join(parse_cards(cards)), parse_cards(up)
    if as_json:
        _print_json(
            hand=mine,
            up=shown,
            actions=values,
            best=best,
            rules=_rules_dict(analysis.rules),
            convention=analysis.engine.convention,
        )
        return
    print(textwrap.fill(analysis.rules.summary, WIDTH))
    print(f"{mine} against {shown} ({analysis.engine.convention})")
    print()
    for action, value in values.items():
        behind = "" if action == best else f"   {value - values[best]:+.6f}"
        print(f"  {action:<10} {value:+.6f}{behind}")
    print()
    for sentence in _reasons(analysis, parse_cards(cards), shown, values):
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

    analysis = _analysis(rules, changes, None, seen)
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
        _print_json(rules=_rules_dict(analysis.rules), hand=held, up=table)
        return
    holding = f"; the player holds {held}" if held else ""
    print(textwrap.fill(analysis.rules.summary + holding, WIDTH))
    headings = ("natural" if name == "blackjack" else name for name in table[ups[0]])
    print("up %  " + "".join(f"{heading:>9}" for heading in headings))
    for card, row in table.items():
        print(f"{card:<6}" + "".join(f"{100 * p:>9.4f}" for p in row.values()))


def _analysis(
    preset: str, changes: list[str] | None, convention: str | None, seen: str
) -> Analysis:
    """The analysis that the options describe."""
    from riverboat.blackjack.exact.analysis import analyse, fresh_shoe
    from riverboat.blackjack.round import parse_cards, value
    from riverboat.blackjack.rules import rules_from
    from riverboat.errors import ParameterError, UsageError
    from riverboat.games.registry import parse_assignments

    given = parse_assignments(changes or ())
    named = given.pop("post_split_strategy", "").upper()
    convention = convention.upper() if convention else None
    if named and convention and named != convention:
        raise UsageError(f"--convention {convention} contradicts post_split_strategy={named}.")
    rules = rules_from(preset, given)
    shoe: list[int] | None = None
    if seen:
        if rules.decks == "infinite":
            raise UsageError("--seen needs a finite shoe: set decks to 1 to 8.")
        shoe = list(fresh_shoe(rules.decks))
        for card in parse_cards(seen):
            shoe[value(card) - 1] -= 1
        if min(shoe) < 0:
            raise ParameterError("--seen has more cards of a rank than the shoe holds.")
    return analyse(rules, shoe, convention or named or "CDZ-")


def _reasons(analysis: Analysis, cards: str, up: str, values: dict[str, float]) -> list[str]:
    """Why the best action is best, in words."""
    from riverboat.blackjack.round import points, value

    rules = analysis.rules
    total = points(cards)[0]
    if len(cards) == 2 and total == 21:
        return ["A two-card 21 is settled as it is."]
    outcomes = analysis.dealer(up, cards)
    before_peek = rules.surrender == "early" and "surrender" in values
    peeked = rules.hole_card == "peek" and not before_peek
    # Where the dealer has peeked, his outcomes are those without a natural.
    rest = 1 - outcomes["blackjack"] if peeked else 1.0
    better = sum(outcomes[str(points_)] for points_ in range(max(total + 1, 17), 22))
    better += outcomes.get("charlie", 0.0) + (0.0 if peeked else outcomes["blackjack"])
    given = " once he has no blackjack" if rest < 1 else ""
    said = [
        f"Showing {up}, the dealer busts {100 * outcomes['bust'] / rest:.1f} % of the time{given}"
        f" and beats {total} in {100 * better / rest:.1f} %."
    ]
    if total < 17:
        said.append(f"Standing on {total} wins only when he busts.")
    left = analysis.engine.column(value(up) - 1).base.copy()
    for card in cards:
        left[value(card) - 1] -= analysis.engine.unit
    bust = float(left[21 - sum(value(card) for card in cards) :].sum() / left.sum())
    said.append(f"A hit busts {100 * bust:.1f} % of the time." if bust else "A hit cannot bust.")
    best, *others = values
    said.append(REASONS[best])
    if others:
        gain = values[best] - values[others[0]]
        said.append(f"{best.capitalize()} beats {others[0]} by {gain:.4f} bets.")
    return said


def _rules_dict(rules: BlackjackRules) -> dict[str, Any]:
    import dataclasses

    return dataclasses.asdict(rules)


def _print_json(**facts: Any) -> None:
    print(json.dumps(facts))
