"""`riverboat drill`: decisions of a small game, priced by its equilibrium."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

from rich.console import Console
from rich.markup import escape

from riverboat.cli import clock, options
from riverboat.cli.bars import waiting
from riverboat.cli.console import emit, output
from riverboat.cli.groups import App
from riverboat.cli.options import count_option
from riverboat.cli.terminal_table import ask_for_move, move_by_key, moves_by_key, show_scene
from riverboat.games.base import Action
from riverboat.players.player import LeaveTable

if TYPE_CHECKING:
    from riverboat.arena.game_drill import GameQuestion

app = App()


@app.command("drill")
def drill(
    game: options.GameName = "kuhn",
    parameters: options.Parameters = [],  # noqa: B006
    decisions: Annotated[
        int, count_option("--decisions", "The number of questions.", min=1, max=10**6)
    ] = 10,
    person: options.Person = None,
    only: options.Only = None,
    seed: options.SeedIfGiven = None,
    imports: options.Imports = None,
    as_json: options.JsonFlag = False,
) -> None:
    """Practise the decisions of a small game: each is priced by its equilibrium, misses come again.

    A decision is asked as often as the equilibrium comes to it; close ones come more often. With
    --person answers are remembered by days, as `riverboat training` shows them. --only asks about
    some groups: player=1, facing=bet, round=2, mistakes.

    Type the key of a move, ? for what the equilibrium does (such a decision is not counted), q to
    leave.

    \b
    Examples:
    riverboat drill kuhn
    riverboat drill leduc --person Ada --only facing=bet
    riverboat drill kuhn --set players=3
    """
    options.import_programs(imports)
    from riverboat.arena.game_drill import GameDrill
    from riverboat.arena.memory import Memory, Wanted, again_words
    from riverboat.games.registry import make_game, parse_assignments
    from riverboat.runtime.storage import data_folder

    console = Console(stderr=True, highlight=False) if as_json else output()
    memory = Memory() if person is None else Memory.of(person, data_folder())
    wanted = Wanted.parse(only or ())
    chosen = make_game(game, parse_assignments(parameters))
    with waiting(f"{game} is being solved", quiet=as_json):
        trained = GameDrill(chosen, seed=seed)
    for number in range(1, decisions + 1):
        question = trained.next_to_train(memory, clock.now(), wanted)
        console.rule(f"{number} of {decisions}")
        try:
            action, looked_up = _ask(console, question)
        except (LeaveTable, KeyboardInterrupt):
            break
        verdict = trained.answer(question, action, looked_up=looked_up)
        if verdict.right:
            console.print("  [green]right[/green]")
        else:
            best = escape(question.view.label(verdict.best))
            console.print(f"  [red]costs {verdict.cost:.4f} {trained.unit}[/red]: {best} is best")
        if person is not None:
            asked, now = trained.remembered(question), clock.now()
            memory.note(asked, verdict, now)
            console.print(f"  {again_words(memory.schedule_of(asked), now)}", markup=False)
    total = trained.score.total
    if as_json:
        facts = {"asked": total.asked, "right": total.right, "lost": total.lost}
        emit({"game": chosen.name, "deck": trained.deck, "unit": trained.unit, **facts})
        return
    console.rule("score")
    for line in trained.score.lines(trained.unit, "decision"):
        console.print(line, markup=False)
    if person is not None:
        console.print(memory.words(clock.now()), markup=False)


def _ask(console: Console, question: GameQuestion) -> tuple[Action, bool]:
    """The move of the person, and whether the equilibrium was looked up."""
    view, looked_up = question.view, False

    def hint() -> None:
        nonlocal looked_up
        looked_up = True
        for action, value in question.values.items():
            share, label = question.chances.get(action, 0.0), view.label(action)
            console.print(f"  {label:<12} {share:5.0%}   EV {value:+z.4f}", markup=False)

    if question.again:
        console.print("  Once more: you missed this decision before.")
    show_scene(console, view)
    move_of = partial(move_by_key, view)
    return ask_for_move(console, moves_by_key(view), move_of, hint=hint), looked_up
