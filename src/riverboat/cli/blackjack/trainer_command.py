"""`riverboat blackjack trainer`: drills for hands and for counting."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from riverboat.cli.blackjack.table_options import Changes, Preset
from riverboat.cli.console import JsonFlag, emit

app = typer.Typer()


class Drill(StrEnum):
    """What to practise; `all` is basic strategy."""

    ALL = "all"
    HARD = "hard"
    SOFT = "soft"
    PAIRS = "pairs"
    SURRENDER = "surrender"
    DEVIATIONS = "deviations"
    COUNT = "count"


Drills = Annotated[
    list[Drill] | None,
    typer.Option(
        "--drill",
        help="What to practise; repeatable. all is basic strategy, count counts cards.",
        show_default="all",
    ),
]
Hands = Annotated[int, typer.Option("--hands", min=0, help="How many to ask; 0 goes on until q.")]
CountSystem = Annotated[
    str | None,
    typer.Option("--count", metavar="SYSTEM", help="count: hilo (default), ko, zen, …"),
]
Cards = Annotated[
    int | None, typer.Option("--cards", min=1, help="count: cards per question (default 26).")
]
Group = Annotated[
    int | None, typer.Option("--group", min=1, help="count: cards at a time (default 2).")
]
Seconds = Annotated[
    float | None,
    typer.Option("--seconds", min=0.0, max=60.0, help="count: how long each group shows."),
]
RecordFile = Annotated[
    Path | None, typer.Option("--record", metavar="FILE", help="Where statistics are kept.")
]
Seed = Annotated[int | None, typer.Option("--seed", min=0, help="Same seed, same questions.")]


@app.command("trainer")
def trainer(
    rules: Preset = "vegas-6d-s17",
    changes: Changes = None,
    drill: Drills = None,
    hands: Hands = 0,
    system: CountSystem = None,
    cards: Cards = None,
    group: Group = None,
    seconds: Seconds = None,
    record: RecordFile = None,
    no_record: Annotated[bool, typer.Option("--no-record", help="Keep no statistics.")] = False,
    stats: Annotated[bool, typer.Option("--stats", help="Show the statistics and end.")] = False,
    seed: Seed = None,
    as_json: JsonFlag = False,
) -> None:
    """Practise: it deals, you answer, it says what a mistake costs. What you miss comes again.

    Examples: riverboat blackjack trainer --drill soft --drill pairs ·
    riverboat blackjack trainer --drill deviations ·
    riverboat blackjack trainer --drill count --seconds 1 ·
    riverboat blackjack trainer --stats
    """
    from riverboat.blackjack.rules import rules_from
    from riverboat.blackjack.training.practice_record import PracticeRecord, default_record
    from riverboat.errors import UsageError

    if no_record and (record is not None or stats):
        raise UsageError("--no-record keeps nothing; leave out --record and --stats.")
    if as_json and not stats:
        raise UsageError("--json is for --stats: a drill is a conversation.")
    kept = PracticeRecord() if no_record else PracticeRecord.load(record or default_record())
    if stats:
        from riverboat.cli.blackjack.trainer import show_record

        emit(kept.as_dict()) if as_json else show_record(kept)
        return
    table, wanted = rules_from(rules, changes or ()), drill or [Drill.ALL]
    if Drill.COUNT in wanted:
        if len(wanted) > 1:
            raise UsageError("--drill count stands alone: cards are counted without deciding.")
        if table.decks == "infinite":
            raise UsageError("An infinite deck cannot be counted; set decks to 1 to 8.")
        from riverboat.blackjack.training.count_drill import CountDrill
        from riverboat.cli.blackjack.trainer import count_cards

        practice = CountDrill(system or "hilo", table.decks, seed, kept)
        count_cards(practice, hands, cards or 26, group or 2, seconds or 0.0)
        return
    for name, value in {
        "count": system,
        "cards": cards,
        "group": group,
        "seconds": seconds,
    }.items():
        if value is not None:
            raise UsageError(f"--{name} is for --drill count.")
    from riverboat.blackjack.training.drills import Trainer
    from riverboat.cli.blackjack.trainer import drill as run_drill

    kinds = () if Drill.ALL in wanted else [kind.value for kind in wanted]
    run_drill(Trainer(table, kinds, seed=seed, record=kept), hands)
