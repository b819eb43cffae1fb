"""`riverboat mcts explain | train | memory | coverage`: look into the searching bot."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from riverboat.blackjack.rules import rules_from
from riverboat.blackjack.search.tree_drawing import (
    coverage_lines,
    coverage_svg,
    tree_lines,
    tree_svg,
)
from riverboat.cli.bars import waiting, work_bar
from riverboat.cli.console import emit, exit_if_stopped, output
from riverboat.cli.groups import App
from riverboat.cli.options import (
    Changes,
    JsonFlag,
    NumHands,
    Seed,
    argument,
    count_option,
    number_option,
    option,
)
from riverboat.cli.out_files import PICTURES, STRATEGY, check_out, write_picture
from riverboat.errors import ParameterError, UsageError
from riverboat.runtime.stopping import stop_on_signals
from riverboat.solvers.run import save_somewhere

if TYPE_CHECKING:
    from riverboat.blackjack.search.memory import Dropped, Knowledge
    from riverboat.blackjack.search.problem import Table

app = App()

Rules = Annotated[
    str, option("--rules", "A rule set of blackjack, or twentyone.", metavar="PRESET")
]
Simulations = Annotated[
    int, count_option("--simulations", "Simulated rounds per decision.", min=1, max=10**9)
]
Limit = Annotated[
    int | None,
    count_option(
        "--max-characters", "--limit", "Characters a text memory may have (default 10000).", min=100
    ),
]
MEMORIES = ("txt", *STRATEGY)
Pictures = Annotated[
    list[Path] | None,
    option("--out", "--svg", "--html", "Draw it: .svg, .html, .pdf or .png; repeatable."),
]


def _table(rules: str, changes: list[str] | None) -> Table:
    from riverboat.blackjack.search.problem import TWENTYONE, Table

    if rules == "twentyone":
        if changes:
            raise UsageError("twentyone has no rules to --set; choose a rule set of blackjack.")
        return TWENTYONE
    return Table(rules_from(rules, changes or ()))


@app.command("explain")
def explain(
    hand: Annotated[str, option('The hand, e.g. "8,8".', metavar="CARDS")],
    up: Annotated[str, option("The dealer's up card.", metavar="CARD")],
    rules: Rules = "combo-charlie",
    changes: Changes = None,
    seen: Annotated[str, option("Cards already gone from the shoe.", metavar="CARDS")] = "",
    hands: NumHands = 1,
    memory: Annotated[
        str | None, option("--from-memory", "--memory", "A memory to begin from.", metavar="FILE")
    ] = None,
    simulations: Simulations = 100_000,
    selection: Annotated[str, option("ucb1, ucb1-tuned, puct or flat.")] = "ucb1",
    backup: Annotated[str | None, option("bellman (default) or average.")] = None,
    rollout: Annotated[str, option("basic, random or greedy (from the memory).")] = "basic",
    out: Pictures = None,
    seed: Seed = 0,
    as_json: JsonFlag = False,
) -> None:
    """What the search finds for a hand, next to the exact values, and the tree's top.

    \b
    Example:
    riverboat mcts explain --hand "8,8" --up 10
    """
    from riverboat.blackjack.search.mcts import Budget, Search, SearchConfig
    from riverboat.blackjack.search.memory import Knowledge
    from riverboat.blackjack.search.tree import exact_values, outline

    for file in out or ():
        check_out(file, PICTURES)
    situation = _situation(_table(rules, changes), hand, up, hands, seen)
    if rollout == "greedy" and memory is None:
        raise UsageError("--rollout greedy plays by a memory: add --from-memory FILE.")
    how: Any = {"selection": selection, "rollout": rollout}
    how["backup"] = backup or ("average" if selection == "flat" else "bellman")
    search = Search(SearchConfig(**how), seed=seed)
    prior = None
    if memory is not None:
        known = Knowledge.load(memory)
        known.check_rules(situation.table.words, memory)
        prior = known.prior(situation.up)
    result = search.run(situation, Budget(simulations), memory=prior)
    exact = exact_values(situation)
    facts = {**result.as_dict(exact), "memory": memory}
    tree = outline(search, exact)
    title = f"{','.join(situation.hand)} against {situation.up}"
    picture = tree_svg(tree, f"{title}, {result.simulations:,} simulations")
    for file in out or ():
        write_picture(file, picture, title=f"Riverboat: {title}")
    if as_json:
        emit(facts)
        return
    console = output()
    console.print(f"[bold]{title}[/], {situation.table.rules.summary}")
    console.print(f"{result.simulations:,} simulations, {result.nodes:,} nodes; values in bids\n")
    for line in tree_lines(tree):
        console.print(line, markup=False)
    if result.insurance is not None:
        console.print(f"\ninsurance adds {result.insurance:+z.5f} bids")


def _situation(table: Table, hand: str, up: str, hands: int, seen: str) -> Any:
    from riverboat.blackjack.exact.analysis import shoe_without
    from riverboat.blackjack.search.problem import Situation

    if seen and table.plain_natural:
        raise UsageError("--seen: cards can only be seen at blackjack with 1 to 8 decks.")
    try:
        shoe = shoe_without(table.rules, seen, tens_apart=True)
    except ParameterError as error:
        raise UsageError(f"--seen: {error}") from error
    return Situation.of(table, hand, up, hands=hands, shoe=shoe)


@app.command("train")
def train(
    memory: Annotated[str, argument("The memory: text if it ends in .txt.", metavar="FILE")],
    rounds: Annotated[int, count_option("--rounds", "Rounds to play.", min=1)] = 1_000,
    rules: Rules = "combo-charlie",
    changes: Changes = None,
    simulations: Simulations = 2_000,
    limit: Limit = None,
    age: Annotated[
        float, number_option("--age", "What old counts are multiplied by.", min=0.0, max=1.0)
    ] = 1.0,
    seed: Seed = 0,
    as_json: JsonFlag = False,
) -> None:
    """Play rounds, search every decision, and merge what was found into a memory.

    \b
    Example:
    riverboat mcts train bot.txt --rounds 2000
    """
    from riverboat.blackjack.search.mcts import Budget
    from riverboat.blackjack.search.memory import LIMIT, Knowledge
    from riverboat.blackjack.search.player import learn_by_playing

    table = _table(rules, changes)
    _check_limit(limit, memory)
    check_out(memory, MEMORIES, "A memory")
    knowledge = Knowledge.load(memory) if Path(memory).exists() else Knowledge()
    knowledge.check_rules(table.words, memory)
    knowledge.age(age)
    with stop_on_signals() as stop, work_bar("learning", quiet=as_json) as bar:
        searched = learn_by_playing(
            knowledge,
            table,
            rounds,
            Budget(simulations),
            seed=seed,
            progress=lambda done: bar.show(done, rounds, f"{done:,} rounds"),
        )
    dropped = []
    written = save_somewhere(
        lambda path: dropped.append(knowledge.save(str(path), limit or LIMIT)), memory
    )
    _report(str(written), Knowledge.load(written), dropped[-1], as_json, searched=searched)
    exit_if_stopped(stop.requested)


def _check_limit(limit: int | None, path: str | None) -> None:
    """Refuse a limit that would do nothing."""
    if limit is not None and not str(path).endswith(".txt"):
        raise UsageError("--max-characters is for a text memory, whose name ends in .txt.")


def _report(path: str, knowledge: Knowledge, dropped: Dropped, as_json: bool, **more: Any) -> None:
    visits = sum(c.visits(a) for acts in knowledge.table.values() for a, c in acts.items())
    size = Path(path).stat().st_size
    if as_json:
        emit(
            {
                "file": path,
                "bytes": size,
                "states": len(knowledge.table),
                "visits": visits,
                "rules": knowledge.rules or None,
                "dropped": vars(dropped),
                **more,
            }
        )
        return
    print(f"{path}: {len(knowledge.table):,} states, {visits:,.0f} visits, {size:,} bytes")
    if knowledge.rules:
        print(textwrap.fill(f"learned at: {knowledge.rules}", 80))
    if dropped.states:
        print(
            f"dropped for lack of room: {dropped.states:,} states,"
            f" {100 * dropped.visits:.1f} % of the visits,"
            f" {100 * dropped.probability:.1f} % of the probability"
        )


@app.command("memory")
def memory(
    files: Annotated[list[str], argument("Memories to read.", metavar="FILE")],
    into: Annotated[
        str | None,
        option("--out", "-o", "--output", "Write them merged: .txt is text.", metavar="FILE"),
    ] = None,
    limit: Limit = None,
    age: Annotated[
        float, number_option("--age", "What counts are multiplied by.", min=0.0, max=1.0)
    ] = 1.0,
    as_json: JsonFlag = False,
) -> None:
    """Check, merge, age and convert memories, text and binary.

    \b
    Examples:
    riverboat mcts train old.txt --rounds 2000
    riverboat mcts train more.txt --rounds 2000 --seed 2
    riverboat mcts memory old.txt more.txt -o both.rb
    """
    from riverboat.blackjack.search.memory import LIMIT, Dropped, Knowledge

    _check_limit(limit, into)
    check_out(into, MEMORIES)
    knowledge = Knowledge()
    for file in files:
        knowledge.merge(Knowledge.load(file))
    knowledge.age(age)
    if into is None:
        _report(files[0], knowledge, Dropped(0, 0.0, 0.0), as_json)
        return
    dropped = knowledge.save(into, limit or LIMIT)
    _report(into, Knowledge.load(into), dropped, as_json)


@app.command("coverage")
def coverage(
    memory: Annotated[str, argument("A memory, text or binary.", metavar="FILE")],
    out: Pictures = None,
    as_json: JsonFlag = False,
) -> None:
    """Which hands a memory knows, and how well: visits and best action, by total and up card.

    \b
    Examples:
    riverboat mcts train bot.txt --rounds 2000
    riverboat mcts coverage bot.txt --out coverage.svg
    """
    from riverboat.blackjack.search.memory import Knowledge
    from riverboat.blackjack.search.tree import coverage_of

    for file in out or ():
        check_out(file, PICTURES)
    title = f"What {memory} knows"
    with waiting("reading the memory", quiet=as_json):
        cells = coverage_of(Knowledge.load(memory))
        for file in out or ():
            write_picture(file, coverage_svg(cells, title), title=f"Riverboat: {title}")
    if as_json:
        known = [cell for cell in cells if cell.visits]
        emit(
            {
                "file": memory,
                "probability": sum(cell.probability for cell in known),
                "cells": {
                    f"{cell.row}|{cell.up}": {
                        "visits": cell.visits,
                        "best": cell.best,
                        "states": cell.states,
                        "probability": cell.probability,
                    }
                    for cell in known
                },
            }
        )
        return
    for line in coverage_lines(cells):
        print(line)
