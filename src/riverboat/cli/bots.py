"""`riverboat bots`: the learner after more and more training, each against each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from rich.table import Table
from rich.text import Text

from riverboat.cli import options
from riverboat.cli.bars import work_bar
from riverboat.cli.console import emit, output, own_prints_aside
from riverboat.cli.groups import App
from riverboat.cli.options import JsonFlag, Parameters, Seed, argument, count_option, option
from riverboat.errors import UsageError
from riverboat.games.registry import make_game, parse_assignments

if TYPE_CHECKING:
    from riverboat.arena.bot_table import BotTable
    from riverboat.games.base import Game

app = App()


@app.command("bots")
def bots(
    game_name: Annotated[str, argument("A game for two.", metavar="GAME")] = "showdown",
    training: Annotated[
        str, option("Iterations after which a bot is taken.")
    ] = "100,10000,1000000",
    algorithm: Annotated[
        str, option("--algorithm", "-a", "cs-cfr, es-mccfr or os-mccfr.")
    ] = "cs-cfr",
    hands: Annotated[int, count_option("--hands", "Hands per pairing.", min=2)] = 1_000_000,
    parameters: Parameters = [],  # noqa: B006
    seed: Seed = 0,
    imports: options.Imports = None,
    as_json: JsonFlag = False,
) -> None:
    """Train by sampling, keep the bot at several stages, and let each meet each.

    Rows against columns: the sampled mean per hand, its 95 % interval, and the exact value. Seats
    alternate, except that a bot against itself is shown from the first seat.

    \b
    Example:
    riverboat bots showdown --training 100,10000 --hands 100000
    """
    options.import_programs(imports)
    stages = _stages(training)
    game = make_game(game_name, parse_assignments(parameters))
    table = train_and_meet(game, stages, algorithm, hands, seed, quiet=as_json)
    if as_json:
        emit({"game": game.name, "algorithm": algorithm, "seed": seed, **table.as_dict()})
    else:
        output().print(draw(game, table))


def _stages(text: str) -> list[int]:
    try:
        stages = [int(part.replace("_", "")) for part in text.split(",")]
    except ValueError:
        stages = []
    if not stages or min(stages) < 1 or sorted(set(stages)) != stages:
        raise UsageError(f"--training takes rising numbers such as 100,10000, not {text!r}.")
    return stages


def train_and_meet(
    game: Game, stages: list[int], algorithm: str, hands: int, seed: int, *, quiet: bool
) -> BotTable:
    """The table of a random bot and the learner at each stage, with a bar."""
    from riverboat.arena.bot_table import train_bots

    with own_prints_aside(quiet), work_bar(game.title, quiet=quiet) as bar:

        def show(what: str, done: int, size: int) -> None:
            bar.show(done, size, what)

        return train_bots(game, stages, algorithm=algorithm, hands=hands, seed=seed, progress=show)


def draw(game: Game, table: BotTable) -> Table:
    """The table as Rich shows it."""
    drawn = Table(
        title=f"{game.title}: row against column, chips per hand over {table.hands:,} hands",
        title_justify="left",
        caption="below ±: the exact value · a bot meets itself from the first seat",
        caption_justify="left",
        header_style="bold",
        show_lines=True,
    )
    drawn.add_column("")
    for name in table.names:
        drawn.add_column(name, justify="right")
    drawn.add_column("exploitable by", justify="right")
    for row, name in enumerate(table.names):
        cells = []
        for column in range(len(table.names)):
            mean, width = table.mean[row, column], table.ci95[row, column]
            style = "green" if mean - width > 0 else "red" if mean + width < 0 else ""
            cell = Text(f"{mean:+z.4f}\n± {width:.4f}\n", style=style)
            cells.append(cell.append(f"{table.exact[row, column]:+z.4f}", style="dim"))
        drawn.add_row(name, *cells, f"{table.exploitability[row]:.4f}")
    return drawn
