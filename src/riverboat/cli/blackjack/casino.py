"""`riverboat casino`: bots against each other with points and bids."""

from __future__ import annotations

from typing import Annotated

from riverboat.blackjack.rules import rules_from
from riverboat.cli.bars import work_bar
from riverboat.cli.console import columns, emit, exit_if_stopped, output
from riverboat.cli.groups import App
from riverboat.cli.options import Changes, JsonFlag, Seed, count_option, option
from riverboat.errors import UsageError
from riverboat.runtime.stopping import stop_on_signals

app = App()


@app.command("casino")
def casino(
    bots: Annotated[
        str,
        option(
            "--bot",
            "--bots",
            "mcts[?simulations=…&memory=FILE&bid=kelly], basic, mimic, neverbust, random.",
            metavar="BOT,BOT…",
        ),
    ] = "mcts,basic,mimic,random",
    rounds: Annotated[int, count_option("--rounds", "Rounds of the game.", min=1)] = 100,
    rules: Annotated[str, option("The table's rules.", metavar="PRESET")] = "combo-charlie",
    changes: Changes = None,
    learn: Annotated[
        bool, option("--train", "--learn", "Write what bots with a memory=FILE learned back to it.")
    ] = False,
    seed: Seed = 0,
    as_json: JsonFlag = False,
) -> None:
    """Bots with 10,000 points each at one table, bids 10 to 100, ranked at the end.

    \b
    Example:
    riverboat casino --bot mcts,basic,random --rounds 100 --seed 7
    """
    from riverboat.blackjack.casino.bots import Casino, keep_memories, make_bot, save_memories
    from riverboat.blackjack.casino.session import play_casino

    terms = Casino(rules_from(rules, changes or ()), rounds)
    seated = [make_bot(terms.rules, text.strip()) for text in bots.split(",") if text.strip()]
    if learn:
        if "memory=" not in bots:
            raise UsageError("--train does nothing without a bot that has a memory=FILE.")
        keep_memories(seated)
    with stop_on_signals() as stop, work_bar("casino", quiet=as_json) as bar:
        result = play_casino(
            terms, seated, seed=seed, progress=lambda done: bar.show(done, rounds, f"{done} rounds")
        )
    saved = save_memories(seated)
    if as_json:
        emit({"rules": rules, **result.as_dict()})
        exit_if_stopped(stop.requested)
        return

    heads = ("", "bot", ">points", ">won", ">drawn", ">lost", ">bids per round (95 %)")
    table = columns(*heads, title=f"{result.rounds:,} rounds, {terms.rules.summary}", pad_edge=True)
    for s in result.standings:
        mean = f"{s.per_round:+z.3f} ± {s.ci95:.3f}"
        counts = (f"{n:,}" for n in (s.won, s.drawn, s.lost))
        table.add_row(f"{s.rank}.", s.name, f"{s.points:,g}", *counts, mean)
    output().print(table)
    for file in saved:
        print(f"memory written: {file}")
    exit_if_stopped(stop.requested)
