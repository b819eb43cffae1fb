"""`riverboat equity`, `riverboat range` and `riverboat rank`: the card engine at the prompt."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from riverboat.cards.card import CARDS, check_distinct, parse_cards
from riverboat.cards.combos import CLASS_NAMES, combo_text
from riverboat.cards.plain_strength import CATEGORY_NAMES, describe_score, score_of, strength_of_one
from riverboat.cards.range_library import RangeLibrary, is_saved_range, read_range
from riverboat.cards.ranges import LONGEST_TEXT, Range, format_range, parse_range
from riverboat.cli.bars import waiting
from riverboat.cli.console import columns, emit
from riverboat.cli.groups import App
from riverboat.cli.options import JsonFlag, argument, count_option, option, seed_option
from riverboat.errors import ParameterError, UsageError

if TYPE_CHECKING:
    from riverboat.cards.equity import Equity

app = App()


@app.command("equity")
def equity_command(
    players: Annotated[
        list[str],
        argument("Two to nine hands or ranges, such as AsAh or QQ+,AKs:0.5.", metavar="HAND"),
    ],
    game: Annotated[str, option("holdem, omaha, omaha5 (five cards) or shortdeck.")] = "holdem",
    board: Annotated[str, option("0, 3, 4 or 5 cards: 9s8d2s.")] = "",
    method: Annotated[str, option("auto, exact or monte-carlo.")] = "auto",
    samples: Annotated[
        int | None,
        count_option("--samples", "Deals to sample; default 5,000,000, in Omaha 1,000,000."),
    ] = None,
    seed: Annotated[int | None, seed_option("Makes the sampling repeatable.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Each player's equity, exact where affordable.

    \b
    Examples:
    riverboat equity AsAh KdKc
    riverboat equity "QQ+,AKs" 55 --board "9s 8d 2s"
    riverboat equity AsKsQhJh AdAc7d2c --game omaha
    riverboat equity 'AA$ds' "KK" --game omaha --board Ts9s2d
    """
    from riverboat.cards.game_equity import game_equity
    from riverboat.holdem.abstraction.preflop_store import preflop_table

    with waiting("counting deals", quiet=as_json):
        answer = game_equity(
            game,
            players,
            board,
            method=method,
            samples=samples,
            seed=seed or 0,
            table=preflop_table,
        )
    if answer.method == "exact" and (samples is not None or seed is not None):
        option = "--seed" if samples is None else "--samples"
        raise UsageError(
            f"{option} does nothing where the answer is exact; leave it out,"
            " or add --method monte-carlo."
        )
    emit(answer.as_dict()) if as_json else _show_equity(answer)


def _show_equity(answer: Equity) -> None:
    from riverboat.evaluation.estimates import Z95

    sampled = answer.method == "monte-carlo"
    table = columns("player", ">equity", ">win", ">tie", *([">± 95 %"] if sampled else []))
    for i, player in enumerate(answer.players):
        row = [
            escape(player),
            f"[bold]{answer.equity[i]:.4%}[/bold]",
            f"{answer.wins[i] / answer.total:.4%}",
            f"{answer.ties[i] / answer.total:.4%}",
        ]
        table.add_row(*row, *([f"{Z95 * answer.stderr[i]:.4%}"] if sampled else []))
    console = Console()
    if answer.board:
        console.print(f"board {answer.board}", highlight=False)
    console.print(table)
    count = _count(answer.total, "deal")
    console.print(f"{answer.method}, {count}", style="dim", highlight=False)


def _count(number: float, noun: str) -> str:
    """As in "1 deal", "990 deals", "105.75 deals": decimals only where weights leave some."""
    text = f"{number:,.0f}" if number == round(number) else f"{number:,.2f}"
    return f"{text} {noun}" if number == 1 else f"{text} {noun}s"


@app.command("range")
def range_command(
    text: Annotated[
        str, argument("QQ+,AKs:0.5,A5s-A2s,15%,AsKd …, or a file with it.", metavar="RANGE")
    ],
    form: Annotated[
        str | None, option("--as", "Write it as plain, pio, gto+ or eval7.", metavar="FORM")
    ] = None,
    read: Annotated[
        str | None, option("--from", "What it is written in; default: recognised.", metavar="FORM")
    ] = None,
    save: Annotated[
        str | None,
        option("Keep it in the library of ranges; @NAME is then this range.", metavar="NAME"),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """A range as a grid, with its combos and share of all hands, or as other programs write it.

    A range may be a saved one: @ and its name.

    \b
    Examples:
    riverboat range "QQ+,AKs,A5s-A2s"
    riverboat range "AA,KK:0.5" --as gto+
    riverboat range "22+,A2s+,KTs+" --save "BTN/open 2.5"
    """
    if len(text) < 1000 and "\0" not in text and Path(text).is_file():
        with Path(text).open(encoding="utf-8", errors="replace") as stream:
            text = stream.read(LONGEST_TEXT + 1)
    hands = read_range(text) if is_saved_range(text) else parse_range(text, read)
    if save is not None:
        saved = RangeLibrary.of_user().save(save, hands)
        Console(stderr=True, highlight=False).print(f"saved as @{saved}", markup=False)
    if as_json:
        combos = {combo_text(int(c)): float(hands.weights[c]) for c in hands.combos}
        facts = {
            "input": text,
            "range": str(hands),
            "combos": hands.num_combos,
            "percent": 100 * hands.share,
            "grid": hands.grid().tolist(),
            "hands": combos,
            **({"text": format_range(hands, form)} if form else {}),
        }
        emit(facts)
    elif form:
        print(format_range(hands, form))
    else:
        _show_range(hands)


def _show_range(hands: Range) -> None:
    console = Console()
    plain = not console.is_terminal  # without styles letters must say what is in the range
    width = 5 if plain else 4
    grid = hands.grid().reshape(-1)
    for row in range(13):
        line = Text()
        for column in range(13):
            weight, name = float(grid[13 * row + column]), CLASS_NAMES[13 * row + column]
            colour = "yellow" if row == column else "green" if column > row else "cyan"
            if weight == 0:
                line.append(f"{'·' if plain else name:<{width}}", style="bright_black")
            elif weight < 1:
                line.append(f"{name + '~' * plain:<{width}}", style=f"{colour} underline")
            else:
                line.append(f"{name:<{width}}", style=f"bold reverse {colour}")
        console.print(line)
    in_part = "~" if plain else "underlined"
    console.print(str(hands), highlight=False, soft_wrap=True)
    console.print(
        f"{_count(round(hands.num_combos, 9), 'combo')}, {hands.share:.2%} of hands"
        + (f" ({in_part}: in part)" if ((grid > 0) & (grid < 1)).any() else ""),
        style="dim",
        highlight=False,
    )


@app.command("rank")
def rank_command(
    cards: Annotated[list[str], argument("Five to seven cards: As Kd Qh Jc Ts.")],
    as_json: JsonFlag = False,
) -> None:
    """The strength of a hand: in words, and as a number from 0 to 7461.

    \b
    Example:
    riverboat rank As Kd Qh Jc Ts
    """
    numbers = parse_cards(" ".join(cards))
    if not 5 <= len(numbers) <= 7:
        raise ParameterError(f"A hand to be ranked has 5 to 7 cards, not {len(numbers)}.")
    check_distinct(numbers)
    value, score = strength_of_one(numbers), score_of(numbers)
    if as_json:
        emit(
            {
                "cards": [CARDS[card] for card in numbers],
                "strength": value,
                "category": CATEGORY_NAMES[score >> 20],
                "description": describe_score(score),
            }
        )
    else:
        print(f"{describe_score(score)}  (strength {value} of 0 to 7461)")
