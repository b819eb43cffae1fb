"""`riverboat quiz`: what the answers of players to fixed decisions give away."""

from __future__ import annotations

from typing import Annotated

from rich.console import Console
from rich.markup import escape

from riverboat.cli import options
from riverboat.cli.bars import work_bar
from riverboat.cli.console import columns, emit, exit_if_stopped, output, own_prints_aside
from riverboat.cli.groups import App
from riverboat.cli.options import argument, count_option, option
from riverboat.cli.terminal_table import person_at
from riverboat.players.simple import Seatable

app = App()


@app.command("quiz")
def quiz(
    specs: Annotated[
        list[str],
        argument("llm:MODEL, human, a file, random, my_bot.py:MyBot or another.", metavar="PLAYER"),
    ],
    quizzes: Annotated[
        str | None,
        option("--of", "Which quizzes, by commas: kuhn, leduc, blackjack, pushfold, rivers."),
    ] = None,
    repeats: Annotated[
        int, count_option("--repeats", "How often each decision is asked.", min=1, max=1000)
    ] = 1,
    details: Annotated[bool, option("--details", "Show each answer.")] = False,
    seed: options.Seed = 0,
    imports: options.Imports = None,
    as_json: options.JsonFlag = False,
) -> None:
    """Ask players fixed decisions of solved games, and say how much EV their answers lose.

    The decisions are those of Kuhn and Leduc poker, of blackjack, of all-in or fold, and of three
    rivers; their values are exact. A language model, llm:MODEL, is asked through the endpoint in
    OPENAI_BASE_URL, with the key in OPENAI_API_KEY; a person, human, is asked here. A player for
    one game takes that game's quiz: `riverboat quiz leduc.rb --of leduc`.

    \b
    Examples:
    riverboat quiz random
    riverboat quiz random holdem:rules --of pushfold,rivers --repeats 10
    riverboat quiz human equilibrium --of kuhn
    """
    from riverboat.arena.quiz import take_quiz

    options.import_programs(imports)
    names = None if quizzes is None else [name.strip() for name in quizzes.split(",")]
    # With --json standard output belongs to the one object, so a person is asked on the other.
    asked_on = Console(stderr=True, highlight=False) if as_json else output()
    players: list[Seatable] = [person_at(asked_on) if text == "human" else text for text in specs]
    quiet = as_json or "human" in specs
    with own_prints_aside(as_json), work_bar("quiz", quiet=quiet) as bar:
        result = take_quiz(
            players,
            names,
            repeats=repeats,
            seed=seed,
            progress=lambda done, total: bar.show(done, total, f"{done:,} answers"),
        )
    if as_json:
        emit(result.as_dict())
        exit_if_stopped(result.stopped and "human" not in specs)
        return
    console = output()
    if "human" in specs:
        console.print()
    heads = [f">{head}" if i else head for i, head in enumerate(result.heads)]
    for quiz, unit in result.units.items():
        table = columns(*heads, title=f"{quiz}: EV lost per decision, in {unit}")
        for row in result.rows(quiz):
            table.add_row(*map(escape, row))
        console.print(table)
    for score in result.scores:
        if score.usage is not None:
            words = f"{score.player}, {score.quiz}: {score.usage.words()}"
            console.print(words, markup=False, emoji=False)
        if details:
            answers = columns("decision", "answer", f">loss ({score.unit})", pad_edge=True)
            for reply in score.replies:
                words = reply.question.view.label(reply.action) + " (illegal)" * (not reply.legal)
                answers.add_row(escape(reply.question.title), escape(words), f"{reply.loss:.4f}")
            console.print(escape(f"\n{score.player}, {score.quiz}"))
            console.print(answers)
    exit_if_stopped(result.stopped and "human" not in specs)
