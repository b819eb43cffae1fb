"""`riverboat review`: where a player's hands lost expected value, worst first."""

from __future__ import annotations

import math
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.console import Console
from rich.text import Text

from riverboat.cli.bars import work_bar
from riverboat.cli.console import emit, exit_if_stopped, output
from riverboat.cli.groups import App
from riverboat.cli.options import (
    Bounty,
    JsonFlag,
    PrizeOthers,
    PrizePlaces,
    Threads,
    argument,
    count_option,
    number_option,
    option,
    prizes,
)
from riverboat.holdem.histories.files import read_hands

if TYPE_CHECKING:
    from riverboat.holdem.review.report import Finding, Review

app = App()

SAMPLE_HANDS = 300  # Hands by which the player is recognised
MAX_REFUSED = 5


@app.command("review")
def review(
    path: Annotated[Path, argument("PokerStars' text or PHH.", metavar="HANDS")],
    player: Annotated[
        str | None,
        option("Whose hands; default: the player whose cards are shown.", metavar="NAME"),
    ] = None,
    blueprint: Annotated[
        str, option("A blueprint; default: the shipped one.", metavar="FILE")
    ] = "shipped",
    preflop: Annotated[
        Path | None, option("A solution or book for the decisions before the flop.", metavar="FILE")
    ] = None,
    worst: Annotated[int, count_option("--worst", "Number of decisions to show.", min=1)] = 10,
    seldom: Annotated[
        float,
        number_option(
            "--seldom", "Price what the blueprint does less often than this.", min=0.0, max=1.0
        ),
    ] = 0.05,
    solve: Annotated[bool, option("--solve/--no-solve", "Solve turns and rivers exactly.")] = True,
    seconds: Annotated[
        float,
        number_option(
            "--seconds", "CPU seconds for each decision solved, at most.", min=0.1, max=3600
        ),
    ] = 5.0,
    threads: Threads = 1,
    payouts: PrizePlaces = None,
    others: PrizeOthers = None,
    bounty: Bounty = None,
    as_json: JsonFlag = False,
) -> None:
    """Review a player's hands: where expected value (EV) was lost, worst first.

    Each decision is held against a blueprint. What the blueprint would seldom do is priced, by the
    blueprint and, with two players on the turn or river, by a spot that is solved for it. Ctrl-C
    shows what was found so far.

    With --preflop a solution before the flop, or a book, takes the blueprint's place
    before the flop, in hands that it fits: as many players, stacks that differ by a quarter at
    most. The flop's ranges are then its ranges. Without it the shipped book is taken where six sit.

    A decision that the blueprint, the book or the solution hardly ever reaches gets no verdict.

    With --payouts prizes count in place of chips, by ICM: turns and rivers of two players are
    solved for them, and --preflop takes a solution for the same prizes. Other decisions are counted
    and not priced.

    \b
    Examples:
    riverboat example hands.phhs
    riverboat review hands.phhs --worst 5
    riverboat review hands.phhs --payouts 50,30,20 --others 100 --seconds 1
    """
    from riverboat.holdem.blueprints.blueprint import Blueprint
    from riverboat.holdem.preflop.following import BookRanges
    from riverboat.holdem.review.report import ReviewOptions, player_of, review_hands

    name = player or player_of(islice(read_hands(path), SAMPLE_HANDS))
    strategy = Blueprint.load(blueprint)
    book = None if preflop is None else BookRanges.load(preflop)
    options = ReviewOptions(
        seldom=seldom,
        solve=solve,
        seconds=seconds,
        threads=threads,
        payouts=prizes(payouts, others, bounty),
    )
    with work_bar("reviewing", quiet=as_json) as bar:

        def show(now: Review) -> None:
            lost = f"{now.lost:.1f} {now.unit_name}"
            state = f"{now.hands:,} hands, {len(now.findings):,} findings, {lost}"
            bar.show(0, None, state)

        report = review_hands(
            read_hands(path), name, strategy, book=book, options=options, progress=show
        )
    if as_json:
        emit({"file": str(path), "blueprint": blueprint, **report.as_dict()})
    else:
        _show(report, worst, strategy.describe(), preflop)
    exit_if_stopped(report.stopped)


def _show(report: Review, worst: int, source: str, preflop: Path | None) -> None:
    console = output()
    if report.stopped:
        console.print("Stopped; this is what was found by then.", style="yellow")
    how = (
        f"{report.solved:,} solved for prizes, {report.unpriced:,} not priced in them."
        if report.prizes
        else f"{'The book or the blueprint' if report.by_book else 'The blueprint'} would seldom do"
        f" {report.seldom:,} of them; {report.solved:,} solved exactly."
    )
    console.print(
        f"{report.player}: {_count(report.hands, 'hand')}, {_count(report.decisions, 'decision')}."
        f" {how}",
        markup=False,
    )
    if report.by_book:
        which = "shipped book of six players" if not preflop else f"book {preflop}"
        console.print(
            f"{_count(report.by_book, 'decision')} before the flop by the {which}.", markup=False
        )
    per_hand = 100 * report.lost / report.hands if report.hands else 0.0
    digits, unit = (3, "in prizes") if report.prizes else (1, "big blinds")
    console.print(
        f"Lost in {_count(len(report.findings), 'decision')}: {report.lost:.{digits}f} {unit},"
        f" {per_hand:.{digits}f} per 100 hands.",
        style="bold",
    )
    for number, finding in enumerate(report.worst[:worst], 1):
        _show_finding(console, number, finding)
    if report.undetermined:
        console.print(
            f"Without a verdict: {_count(report.undetermined, 'decision')} that the strategy hardly"
            " ever reaches.",
            style="dim",
        )
    for reason, count in report.off_book.most_common():
        console.print(f"Without the book: {count:,} ({reason}).", style="dim", markup=False)
    for reason, count in report.passed.most_common():
        console.print(f"Passed over: {count:,} ({reason}).", style="dim", markup=False)
    for bad in report.refused[:MAX_REFUSED]:
        console.print(f"Not read: {bad.section}: {bad.reason}", style="dim", markup=False)
    if len(report.refused) > MAX_REFUSED:
        more = len(report.refused) - MAX_REFUSED
        console.print(f"Not read: {more:,} more (all of them with --json).", style="dim")
    if report.findings:
        exact = "those of the solver are exact for ranges that follow the blueprint and for the"
        exact += " sizes listed, up to the ± given."
        chips = f"Those of the blueprint are approximations ({source}); {exact}"
        console.print(
            f"EVs are prizes by ICM at the end of the hand; {exact}"
            if report.prizes
            else f"EVs are in big blinds from the decision on. {chips}",
            style="dim",
            markup=False,
        )


def _show_finding(console: Console, number: int, finding: Finding) -> None:
    judged, unit = finding.judgement, "bb" if not finding.prizes else "in prizes"
    board = f" {finding.board}" if finding.board else ""
    by = "exact solution" if judged.source == "solver" else judged.source
    error = finding.counted(judged.error)
    about = "" if math.isfinite(error) else "about "
    title = Text(f"{number:>3}. lost {about}{finding.lost:.2f} {unit}", style="bold red")
    if math.isfinite(error):
        title.append(f" ± {error:.2f}", style="red")
    title.append(
        f"  hand {finding.hand}, {finding.street}{board}, {finding.cards} on the {finding.seat},"
        f" pot {finding.pot.normalize():,f}"
        + (f", {finding.to_call.normalize():,f} to call" if finding.to_call else ""),
        style="not bold",
    )
    console.print(title)
    money = finding.in_money
    betting = money(finding.history) or "none yet"
    console.print(f"     betting {betting}", style="dim", markup=False)
    console.print(
        f"     {money(judged.taken.words)}; better: {money(judged.best.words)}  (by the {by})",
        markup=False,
    )
    parts = [
        f"{money(action.words)} {_signed(finding.counted(action.ev))} ({100 * action.chance:.0f} %)"
        for action in judged.actions
    ]
    if all(action.action != judged.taken.action for action in judged.actions):
        taken = judged.taken
        about = _signed(finding.counted(taken.ev))
        parts.append(f"{money(taken.words)} about {about} ({100 * taken.chance:.0f} %)")
    console.print(f"     {' · '.join(parts)}", markup=False)
    if finding.note:
        console.print(f"     note: {finding.note}", style="dim", markup=False)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _signed(number: float) -> str:
    """With a sign, unless it rounds to nothing."""
    return f"{number:+z.2f}" if abs(number) >= 0.005 else "0.00"
