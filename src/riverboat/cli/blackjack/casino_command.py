"""`riverboat casino`: the hundred-round game between bots at one blackjack table."""

from __future__ import annotations

from typing import Annotated

import typer

from riverboat.cli.console import JsonFlag, Seed, emit, output, progress_bar

app = typer.Typer()


@app.command("casino")
def casino(
    bots: Annotated[
        str,
        typer.Option(
            "--bots",
            metavar="BOT,BOT…",
            help="mcts[?simulations=…&memory=FILE&bid=kelly], basic, mimic, neverbust, random.",
        ),
    ] = "mcts,basic,mimic,random",
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="Rounds of the game.")] = 100,
    rules: Annotated[
        str, typer.Option("--rules", metavar="PRESET", help="The table's rules.")
    ] = "combo-charlie",
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="OPTION=VALUE", help="A rule that differs; repeatable."),
    ] = None,
    learn: Annotated[
        bool,
        typer.Option("--learn", help="Write what bots with a memory=FILE learned back to it."),
    ] = False,
    seed: Seed = 0,
    as_json: JsonFlag = False,
) -> None:
    """Bots with 10,000 points each at one table, bids 10 to 100, ranked at the end.

    Example: riverboat casino --bots mcts,basic,random --rounds 100 --seed 7
    """
    from riverboat.blackjack.casino.casino_bots import keep_memories, make_bot, save_memories
    from riverboat.blackjack.casino.casino_rules import Casino
    from riverboat.blackjack.casino.session import play_casino
    from riverboat.blackjack.rules import rules_from
    from riverboat.errors import UsageError

    terms = Casino(rules_from(rules, changes or ()), rounds)
    seated = [make_bot(terms.rules, text.strip()) for text in bots.split(",") if text.strip()]
    if learn:
        if "memory=" not in bots:
            raise UsageError("--learn does nothing without a bot that has a memory=FILE.")
        keep_memories(seated)
    with progress_bar("count", quiet=as_json) as bar:
        task = bar.add_task("casino", total=rounds, count="")
        result = play_casino(
            terms,
            seated,
            seed=seed,
            progress=lambda done: bar.update(task, completed=done, count=f"{done} rounds"),
        )
    saved = save_memories(seated)
    if as_json:
        emit({"rules": rules, **result.as_dict()})
        return
    from rich.table import Table

    table = Table(title=f"{rounds:,} rounds, {terms.rules.summary}", title_justify="left", box=None)
    table.add_column("")
    table.add_column("bot")
    for name in ("points", "won", "drawn", "lost", "bids per round"):
        table.add_column(name, justify="right")
    for s in result.standings:
        mean = f"{s.per_round:+.3f} ± {s.stderr:.3f}"
        counts = (f"{n:,}" for n in (s.won, s.drawn, s.lost))
        table.add_row(f"{s.rank}.", s.name, f"{s.points:,g}", *counts, mean)
    output().print(table)
    for file in saved:
        print(f"memory written: {file}")
