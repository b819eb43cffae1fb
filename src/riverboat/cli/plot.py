"""`riverboat plot NAME`: every picture of riverboat.pictures as a file; alone it lists them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from riverboat import pictures
from riverboat.blackjack.rules import rules_from
from riverboat.blackjack.simulation.counting import counter_from
from riverboat.blackjack.simulation.simulate import Simulation, simulate
from riverboat.cards.ranges import Range
from riverboat.cli import options
from riverboat.cli.bars import waiting
from riverboat.cli.console import exit_if_stopped, output
from riverboat.cli.groups import HintingGroup
from riverboat.cli.help_text import split_examples
from riverboat.cli.options import argument, option
from riverboat.cli.out_files import check_plot
from riverboat.errors import ParameterError, UnknownNameError, UsageError
from riverboat.games.registry import known_games, make_game, parse_assignments
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.runtime.stopping import stop_on_signals
from riverboat.solvers.solve import solve
from riverboat.strategies.kinds import load, load_table

Out = Annotated[Path, option("--out", "-o", "A file ending in svg, png or pdf.")]
Theme = Annotated[str, option("--theme", "light or dark.")]
Title = Annotated[str, option("--title", "Title; default: the picture's own.")]


@contextmanager
def _picture(out: Path, theme: str) -> Iterator[Callable[[Any], None]]:
    """Check place and theme before the work; then write the figure that was drawn, and say so."""
    check_plot(out, "--out")
    if theme not in pictures.THEMES:
        raise UnknownNameError.among("theme", theme, pictures.THEMES)
    figures: list[Any] = []
    with waiting("drawing"):
        yield figures.append
        pictures.save(figures[-1], out)
    print(f"{out} written")


app = typer.Typer(
    cls=HintingGroup,
    help="Draw a picture as SVG, PNG or PDF, from a file or a run; alone it lists them.",
    invoke_without_command=True,
)


@app.callback()
def plot(context: typer.Context) -> None:
    if context.invoked_subcommand is not None:
        return

    console = output()
    console.print("Pictures (each has --out FILE.svg, .png or .pdf, and --theme dark):\n")
    for name, command in context.command.commands.items():  # type: ignore[attr-defined]
        what, example = _summary(command)
        console.print(f"[bold]{name}[/bold]  {what}")
        console.print(f"    {example}", style="dim", soft_wrap=True, markup=False)
    console.print("\nriverboat plot NAME --help has the options.")


def _summary(command: Any) -> tuple[str, str]:
    """What a command draws, and its first example."""
    what, examples = split_examples(command.help or "")
    drawn = next(line for line in examples if line.startswith("riverboat plot "))
    return " ".join(what.split("\n\n")[0].split()), drawn


Algorithm = Annotated[str, option("--algorithm", "-a", "cfr, cfr+, linear, dcfr, …")]
Iterations = Annotated[int, option("--iterations", "The number of iterations.", min=1)]
Player = Annotated[int, option("--player", "Whose infoset; 1 is the first.", min=1)]


@app.command("convergence")
def convergence(
    sources: Annotated[
        list[str], argument("A game to solve, or saved files.", metavar="GAME|FILE")
    ],
    out: Out,
    algorithms: Annotated[
        list[str] | None,
        option("--algorithm", "-a", "Solve with this; repeatable. Default cfr, cfr+."),
    ] = None,
    iterations: Annotated[int | None, option("How many; default 1,000.", min=1)] = None,
    parameters: options.Parameters = [],  # noqa: B006
    by: Annotated[str, option("iterations or seconds.")] = "iterations",
    title: Title = "",
    theme: Theme = "light",
) -> None:
    """How exploitability falls (or the regret of a Q table): of a game, or of saved files.

    Examples: riverboat plot convergence leduc -a cfr -a cfr+ -a dcfr --out leduc.svg ·
    riverboat solve leduc --target 1e-3 --out leduc.rb ·
    riverboat plot convergence leduc.rb --by seconds --out leduc.png
    """
    stopped = False
    with _picture(out, theme) as draw:
        results: list[Any] = list(sources)
        if sources[0] in known_games() and not Path(sources[0]).is_file():
            if len(sources) > 1:
                raise UsageError("Draw one game at a time, or saved files.")
            game = make_game(sources[0], parse_assignments(parameters))
            results = []
            for name in algorithms or ["cfr", "cfr+"]:
                results.append(solve(game, algorithm=name, iterations=iterations or 1000))
                if stopped := results[-1].stopped:
                    break
        elif algorithms or iterations or parameters:
            raise UsageError("-a, --iterations and --set are for a game; a file is solved already.")
        draw(pictures.convergence(results, by=by, title=title, theme=theme))
    exit_if_stopped(stopped)


@app.command("simplex")
def simplex(
    out: Out,
    game_name: Annotated[str, argument("Default rps.", metavar="GAME")] = "rps",
    infoset: Annotated[str, option("One with three actions.")] = "",
    player: Player = 1,
    algorithm: Algorithm = "cfr",
    iterations: Iterations = 500,
    start: Annotated[str, option("Where it begins, e.g. r=0.8,p=0.1,s=0.1.")] = "",
    parameters: options.Parameters = [],  # noqa: B006
    title: Title = "",
    theme: Theme = "light",
) -> None:
    """The strategy over three actions as it moves in its triangle, and its average.

    Examples: riverboat plot simplex --start r=0.8,p=0.1,s=0.1 --out rps.svg ·
    riverboat plot simplex rps --set rock_stake=2 --iterations 300 --out rock.svg
    """
    with _picture(out, theme) as draw:
        game = make_game(game_name, parse_assignments(parameters))
        first = _start(start) if start else None
        if first is None and game_name == "rps" and not parameters:
            first = {"r": 0.8, "p": 0.15, "s": 0.05}  # from the middle nothing would move
        path = pictures.solver_path(
            game,
            infoset,
            player=player - 1,
            algorithm=algorithm,
            iterations=iterations,
            start=first,
        )
        draw(pictures.simplex(path, title=title, theme=theme))


def _start(text: str) -> dict[str, float]:
    try:
        pairs = [item.split("=") for item in text.split(",")]
        return {name.strip(): float(number) for name, number in pairs}
    except ValueError:
        raise ParameterError(f"A start is written like r=0.8,p=0.1,s=0.1, not {text!r}.") from None


@app.command("kuhn-family")
def kuhn_family(
    out: Out,
    files: Annotated[list[Path] | None, argument("Strategies to mark.", metavar="FILE")] = None,
    title: Title = "",
    theme: Theme = "light",
) -> None:
    """All equilibria of Kuhn poker, and what it costs to leave them.

    Examples: riverboat plot kuhn-family --out family.svg ·
    riverboat solve kuhn --out kuhn.rb · riverboat plot kuhn-family kuhn.rb --out mine.svg
    """
    with _picture(out, theme) as draw:
        strategies = [load_table(file) for file in files or ()]
        draw(pictures.kuhn_family(*strategies, title=title, theme=theme))


@app.command("game-tree")
def game_tree(
    source: Annotated[str, argument("A game, or a strategy.", metavar="GAME|FILE")],
    out: Out,
    after: Annotated[str, option("Begin below these actions, e.g. 'J Q'.")] = "",
    depth: Annotated[int | None, option("Steps to draw.", min=0)] = None,
    parameters: options.Parameters = [],  # noqa: B006
    title: Title = "",
    theme: Theme = "light",
) -> None:
    """A game tree with how often each point is reached; of a game all actions alike.

    Examples: riverboat solve kuhn --out kuhn.rb ·
    riverboat plot game-tree kuhn.rb --after "J Q" --out tree.svg ·
    riverboat plot game-tree leduc --depth 3 --out leduc.svg
    """
    with _picture(out, theme) as draw:
        strategy: Any = None
        if source in known_games() and not Path(source).is_file():
            game = make_game(source, parse_assignments(parameters))
        else:
            if parameters:
                raise UsageError("--set is for a game; a file has its parameters.")
            strategy = load_table(source)
            game = make_game(strategy.game, strategy.parameters)
        draw(
            pictures.game_tree(
                game, strategy, after=after.split(), depth=depth, title=title, theme=theme
            )
        )


@app.command("regret-path")
def regret_path(
    game_name: options.GameName,
    out: Out,
    infoset: Annotated[str, argument("Default the first.", metavar="INFOSET")] = "",
    player: Player = 1,
    algorithm: Algorithm = "cfr",
    iterations: Iterations = 1000,
    parameters: options.Parameters = [],  # noqa: B006
    title: Title = "",
    theme: Theme = "light",
) -> None:
    """Regret over time of one infoset, and the strategy that follows from it.

    Example: riverboat plot regret-path kuhn "J|" --iterations 3000 --out jack.svg
    """
    with _picture(out, theme) as draw:
        game = make_game(game_name, parse_assignments(parameters))
        figure = pictures.regret_path(
            game,
            infoset,
            player=player - 1,
            algorithm=algorithm,
            iterations=iterations,
            title=title,
            theme=theme,
        )
        draw(figure)


@app.command("blackjack-landscape")
def blackjack_landscape(
    out: Out,
    rules: options.Preset = "vegas-6d-s17",
    changes: options.Changes = None,
    title: Title = "",
    theme: Theme = "light",
) -> None:
    """What the first two cards of blackjack are worth against each up card, exactly.

    Example: riverboat plot blackjack-landscape --set h17=true --out landscape.svg
    """
    with _picture(out, theme) as draw:
        table = rules_from(rules, changes or ())
        draw(pictures.blackjack_landscape(table, title=title, theme=theme))


@app.command("chart")
def chart(
    out: Out,
    rules: options.Preset = "vegas-6d-s17",
    changes: options.Changes = None,
    strategy: options.Strategy = "best",
    theme: Theme = "light",
) -> None:
    """The basic strategy for a blackjack table.

    Example: riverboat plot chart --rules single-deck --theme dark --out chart.png
    """
    from riverboat.blackjack.exact.best_chart import named_chart

    with _picture(out, theme) as draw:
        table = rules_from(rules, changes or ())
        draw(pictures.chart(table, named_chart(strategy, table), theme=theme))


@app.command("bankroll-fan")
def bankroll_fan(
    out: Out,
    rules: options.Preset = "vegas-6d-s17",
    changes: options.Changes = None,
    strategy: options.Strategy = "best",
    count: options.Count = None,
    ramp: options.Ramp = None,
    rounds: Annotated[int, option("Number of rounds.", min=1)] = 10_000,
    simulated: Annotated[int, option("Rounds to learn from.", min=1000)] = 1_000_000,
    seed: options.Seed = 0,
    title: Title = "",
    theme: Theme = "light",
) -> None:
    """Where a bankroll may go: the bands that hold half and nine tenths of all players.

    Example: riverboat plot bankroll-fan --count hilo --rounds 50000 --out fan.svg
    """
    from riverboat.blackjack.exact.best_chart import named_chart

    with _picture(out, theme) as draw:
        if ramp is not None and count is None:
            raise UsageError("--ramp needs --count, e.g. --count hilo.")
        table = rules_from(rules, changes or ())
        counter = counter_from(count, ramp, None, 26) if count else None
        played = Simulation(table, named_chart(strategy, table), counter)
        result = simulate(played, simulated, seed=seed)
        draw(pictures.bankroll_fan(result, rounds, title=title, theme=theme))


@app.command("value-surface")
def value_surface(
    out: Out,
    file: Annotated[
        Path | None, argument("A Q table; without it one is trained.", metavar="FILE")
    ] = None,
    games: Annotated[int | None, option("Games to train; default 500,000.", min=1)] = None,
    method: Annotated[str | None, option("literal, on-policy, q-learning, sarsa, …")] = None,
    state: Annotated[str | None, option("points, soft (default) or composition.")] = None,
    seed: Annotated[int | None, option("Makes chance repeatable.", min=0)] = None,
    title: Title = "",
    theme: Theme = "light",
) -> None:
    """The learned value of twenty-one's hands as surfaces, with the exact ones below.

    Examples: riverboat plot value-surface --games 500000 --out surface.svg ·
    riverboat train twentyone --out q.rb · riverboat plot value-surface q.rb --out mine.png
    """
    from riverboat.twentyone.learning.regret import train_table

    with stop_on_signals() as stop, _picture(out, theme) as draw:
        learned: Any = file
        if file is None:
            learned = train_table(
                games or 500_000,
                method=method or "on-policy",
                state=state or "soft",
                seed=seed or 0,
            )
        elif any(option is not None for option in (games, method, state, seed)):
            raise UsageError(
                "--games, --method, --state and --seed train a table; leave the file out."
            )
        draw(pictures.value_surface(learned, title=title, theme=theme))
    exit_if_stopped(stop.requested)


@app.command("range-grid")
def range_grid(
    source: Annotated[
        str, argument("QQ+,AKs:0.5 …, a blueprint or a solved spot.", metavar="RANGE|FILE")
    ],
    out: Out,
    at: Annotated[str, option("A node of a spot (r:0:c), or a blueprint's betting (r6c).")] = "",
    board: Annotated[str, option("A blueprint's board: Qs Js 2d.")] = "",
    title: Title = "",
    theme: Theme = "light",
) -> None:
    """A range as the 13 × 13 grid, or what a hold'em strategy does with each hand.

    Examples: riverboat plot range-grid "22+,A2s+,KTs+,QTs+,JTs,ATo+,KJo+:0.5" --out range.svg ·
    riverboat example 3bet.toml · riverboat holdem solve 3bet.toml --out 3bet.rb ·
    riverboat plot range-grid 3bet.rb --at r:0:c --out flop.svg
    """
    with _picture(out, theme) as draw:
        if Path(source).is_file() or source.endswith(".rb"):
            hands = _decision(Path(source), at, board)
        else:
            if at or board:
                raise UsageError("--at and --board are for files; a range has no board.")
            hands = Range.parse(source)
        draw(pictures.range_grid(hands, title=title, theme=theme))


def _decision(path: Path, at: str, board: str) -> Any:
    from riverboat.holdem.blueprints.blueprint import Blueprint
    from riverboat.holdem.blueprints.walk import look

    found = load(path)
    if isinstance(found, Blueprint):
        return look(found, at, board)
    if isinstance(found, SolvedSpot):
        if board:
            raise UsageError("A node of a spot names its cards: --at r:0:c:c:Ah.")
        return found.at(at or "r:0")
    raise UsageError(f"{path} holds no hold'em blueprint and no solved spot.")
