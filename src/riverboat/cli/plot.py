"""`riverboat plot NAME`: every picture of riverboat.pictures as a file; alone it lists them.

A function here turns what is typed into a call of the picture's function, still without its style;
`picture` reads its signature, adds the options that every picture has, and makes the command.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
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
from riverboat.cli.groups import App, HintingGroup, examples
from riverboat.cli.options import argument, count_option, option, seed_option
from riverboat.cli.out_files import check_plot
from riverboat.errors import ParameterError, UnknownNameError, UsageError
from riverboat.games.registry import known_games, make_game, parse_assignments
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.runtime.stopping import current_stop, stop_on_signals
from riverboat.solvers.solve import solve
from riverboat.strategies.kinds import load, load_table

app = App(
    cls=HintingGroup,
    help="Draw a picture as SVG, PNG or PDF, from a file or a run; alone it lists them.",
    invoke_without_command=True,
)


@app.callback()
def plot(context: typer.Context, imports: options.Imports = None) -> None:
    options.import_programs(imports)
    if context.invoked_subcommand is not None:
        return

    console = output()
    console.print("Pictures (each has --out FILE.svg, .png or .pdf, and --theme dark):\n")
    for name, command in context.command.commands.items():  # type: ignore[attr-defined]
        what = " ".join(command.help.partition("\n\n")[0].split())
        drawn = next(line for line in examples(command) if line.startswith("riverboat plot "))
        console.print(f"[bold]{name}[/bold]  {what}")
        console.print(f"    {drawn}", style="dim", soft_wrap=True, markup=False)
    console.print("\nriverboat plot NAME --help has the options.")


Draw = Callable[..., Any]
"""A function of riverboat.pictures with all arguments but title and theme."""


def _every_picture(
    *,
    out: Annotated[Path, option("--out", "-o", "A file ending in svg, png or pdf.")],
    title: Annotated[str, option("--title", "Title; default: the picture's own.")] = "",
    theme: Annotated[str, option("--theme", "light or dark.")] = "light",
    imports: options.Imports = None,
) -> None:
    """The options that every picture has."""


def picture(prepare: Callable[..., Draw]) -> Callable[..., Draw]:
    """Make the command of a picture: the options of `prepare` and those of every picture."""

    def command(
        *, out: Path, theme: str, title: str = "", imports: list[str] | None = None, **given: Any
    ) -> None:
        options.import_programs(imports)
        check_plot(out, "--out")
        if theme not in pictures.THEMES:
            raise UnknownNameError.among("theme", theme, pictures.THEMES)
        with stop_on_signals() as stop, waiting("drawing"):
            draw = prepare(**given)
            if title and "title" not in inspect.signature(draw).parameters:
                raise UsageError("This picture has no --title of its own.")
            pictures.save(draw(theme=theme, **({"title": title} if title else {})), out)
        print(f"{out} written")
        exit_if_stopped(stop.requested)

    own, common = (
        inspect.signature(function, eval_str=True).parameters
        for function in (prepare, _every_picture)
    )
    parameters = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for parameter in {**own, **common}.values()
    ]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    command.__doc__, command.__wrapped__ = prepare.__doc__, prepare  # type: ignore[attr-defined]
    app.command(prepare.__name__.replace("_", "-"))(command)
    return prepare


Algorithm = Annotated[str, option("--algorithm", "-a", "cfr, cfr+, linear, dcfr, …")]
Iterations = Annotated[int, count_option("--iterations", "The number of iterations.", min=1)]
Player = Annotated[int, count_option("--player", "Whose infoset; 1 is the first.", min=1)]


@picture
def convergence(
    sources: Annotated[
        list[str], argument("A game to solve, or saved files.", metavar="GAME|FILE")
    ],
    algorithms: Annotated[
        list[str] | None,
        option("--algorithm", "-a", "Solve with this; repeatable. Default cfr, cfr+."),
    ] = None,
    iterations: Annotated[
        int | None, count_option("--iterations", "How many; default 1,000.", min=1)
    ] = None,
    parameters: options.Parameters = [],  # noqa: B006
    by: Annotated[str, option("iterations or seconds.")] = "iterations",
) -> Draw:
    """How exploitability falls (or the regret of a Q table): of a game, or of saved files.

    \b
    Examples:
    riverboat plot convergence leduc -a cfr -a cfr+ -a dcfr --out leduc.svg
    riverboat solve leduc --target 1e-3 --out leduc.rb
    riverboat plot convergence leduc.rb --by seconds --out leduc.png
    """
    results: list[Any] = list(sources)
    if sources[0] in known_games() and not Path(sources[0]).is_file():
        if len(sources) > 1:
            raise UsageError("Draw one game at a time, or saved files.")
        game = make_game(sources[0], parse_assignments(parameters))
        results = []
        for name in algorithms or ["cfr", "cfr+"]:
            results.append(solve(game, algorithm=name, iterations=iterations or 1000))
            if current_stop().requested:
                break
    elif algorithms or iterations or parameters:
        raise UsageError("-a, --iterations and --set are for a game; a file is solved already.")
    return partial(pictures.convergence, results, by=by)


@picture
def simplex(
    game_name: Annotated[str, argument("Default rps.", metavar="GAME")] = "rps",
    infoset: Annotated[str, option("One with three actions.")] = "",
    player: Player = 1,
    algorithm: Algorithm = "cfr",
    iterations: Iterations = 500,
    start: Annotated[str, option("Where it begins, e.g. r=0.8,p=0.1,s=0.1.")] = "",
    parameters: options.Parameters = [],  # noqa: B006
) -> Draw:
    """The strategy over three actions as it moves in its triangle, and its average.

    \b
    Examples:
    riverboat plot simplex --start r=0.8,p=0.1,s=0.1 --out rps.svg
    riverboat plot simplex rps --set rock_stake=2 --iterations 300 --out rock.svg
    """
    game = make_game(game_name, parse_assignments(parameters))
    first = _start(start) if start else None
    if first is None and game_name == "rps" and not parameters:
        first = {"r": 0.8, "p": 0.15, "s": 0.05}  # from the middle nothing would move
    path = pictures.solver_path(
        game, infoset, player=player - 1, algorithm=algorithm, iterations=iterations, start=first
    )
    return partial(pictures.simplex, path)


def _start(text: str) -> dict[str, float]:
    try:
        shares = parse_assignments(text.split(","))
        return {name: float(share) for name, share in shares.items()}
    except (ParameterError, ValueError):
        raise ParameterError(f"A start is written like r=0.8,p=0.1,s=0.1, not {text!r}.") from None


@picture
def kuhn_family(
    files: Annotated[list[Path] | None, argument("Strategies to mark.", metavar="FILE")] = None,
) -> Draw:
    """All equilibria of Kuhn poker, and what it costs to leave them.

    \b
    Examples:
    riverboat plot kuhn-family --out family.svg
    riverboat solve kuhn --out kuhn.rb
    riverboat plot kuhn-family kuhn.rb --out mine.svg
    """
    return partial(pictures.kuhn_family, *map(load_table, files or ()))


@picture
def game_tree(
    source: Annotated[str, argument("A game, or a strategy.", metavar="GAME|FILE")],
    after: Annotated[str, option("Begin below these actions, e.g. 'J Q'.")] = "",
    depth: Annotated[int | None, count_option("--depth", "Steps to draw.", min=0)] = None,
    parameters: options.Parameters = [],  # noqa: B006
) -> Draw:
    """A game tree with how often each point is reached; of a game all actions alike.

    \b
    Examples:
    riverboat solve kuhn --out kuhn.rb
    riverboat plot game-tree kuhn.rb --after "J Q" --out tree.svg
    riverboat plot game-tree leduc --depth 3 --out leduc.svg
    """
    strategy: Any = None
    if source in known_games() and not Path(source).is_file():
        game = make_game(source, parse_assignments(parameters))
    else:
        if parameters:
            raise UsageError("--set is for a game; a file has its parameters.")
        strategy = load_table(source)
        game = make_game(strategy.game, strategy.parameters)
    return partial(pictures.game_tree, game, strategy, after=after.split(), depth=depth)


@picture
def regret_path(
    game_name: options.GameName,
    infoset: Annotated[str, argument("Default the first.", metavar="INFOSET")] = "",
    player: Player = 1,
    algorithm: Algorithm = "cfr",
    iterations: Iterations = 1000,
    parameters: options.Parameters = [],  # noqa: B006
) -> Draw:
    """Regret over time of one infoset, and the strategy that follows from it.

    \b
    Example:
    riverboat plot regret-path kuhn "J|" --iterations 3000 --out jack.svg
    """
    game = make_game(game_name, parse_assignments(parameters))
    return partial(
        pictures.regret_path,
        game,
        infoset,
        player=player - 1,
        algorithm=algorithm,
        iterations=iterations,
    )


@picture
def blackjack_landscape(
    rules: options.Preset = "vegas-6d-s17", changes: options.Changes = None
) -> Draw:
    """What the first two cards of blackjack are worth against each up card, exactly.

    \b
    Example:
    riverboat plot blackjack-landscape --set h17=true --out landscape.svg
    """
    return partial(pictures.blackjack_landscape, rules_from(rules, changes or ()))


@picture
def chart(
    rules: options.Preset = "vegas-6d-s17",
    changes: options.Changes = None,
    strategy: options.Strategy = "best",
) -> Draw:
    """The basic strategy for a blackjack table.

    \b
    Example:
    riverboat plot chart --rules single-deck --theme dark --out chart.png
    """
    from riverboat.blackjack.exact.best_chart import named_chart

    table = rules_from(rules, changes or ())
    return partial(pictures.chart, table, named_chart(strategy, table))


@picture
def bankroll_fan(
    rules: options.Preset = "vegas-6d-s17",
    changes: options.Changes = None,
    strategy: options.Strategy = "best",
    count: options.Count = None,
    ramp: options.Ramp = None,
    rounds: Annotated[int, count_option("--rounds", "Number of rounds.", min=1)] = 10_000,
    simulated: Annotated[
        int, count_option("--simulated", "Rounds to learn from.", min=1000)
    ] = 1_000_000,
    seed: options.Seed = 0,
) -> Draw:
    """Where a bankroll may go: the bands that hold half and nine tenths of all players.

    \b
    Example:
    riverboat plot bankroll-fan --count hilo --rounds 50000 --out fan.svg
    """
    from riverboat.blackjack.exact.best_chart import named_chart

    if ramp is not None and count is None:
        raise UsageError("--ramp needs --count, e.g. --count hilo.")
    table = rules_from(rules, changes or ())
    counter = counter_from(count, ramp, None, 26) if count else None
    played = Simulation(table, named_chart(strategy, table), counter)
    return partial(pictures.bankroll_fan, simulate(played, simulated, seed=seed), rounds)


@picture
def value_surface(
    file: Annotated[
        Path | None, argument("A Q table; without it one is trained.", metavar="FILE")
    ] = None,
    games: Annotated[
        int | None, count_option("--games", "Games to train; default 500,000.", min=1)
    ] = None,
    method: Annotated[str | None, option("literal, on-policy, q-learning, sarsa, …")] = None,
    state: Annotated[str | None, option("points, soft (default) or composition.")] = None,
    seed: Annotated[int | None, seed_option("Makes chance repeatable.")] = None,
) -> Draw:
    """The learned value of twenty-one's hands as surfaces, with the exact ones below.

    \b
    Examples:
    riverboat plot value-surface --games 500000 --out surface.svg
    riverboat train twentyone --out q.rb
    riverboat plot value-surface q.rb --out mine.png
    """
    from riverboat.twentyone.learning.regret import train_table

    if file is None:
        table = train_table(
            games or 500_000, method=method or "on-policy", state=state or "soft", seed=seed or 0
        )
        return partial(pictures.value_surface, table)
    if any(option is not None for option in (games, method, state, seed)):
        raise UsageError("--games, --method, --state and --seed train a table; leave the file out.")
    return partial(pictures.value_surface, file)


@picture
def range_grid(
    source: Annotated[
        str, argument("QQ+,AKs:0.5 …, a blueprint or a solved spot.", metavar="RANGE|FILE")
    ],
    at: Annotated[str, option("A node of a spot (r:0:c), or a blueprint's betting (r6c).")] = "",
    board: Annotated[str, option("A blueprint's board: Qs Js 2d.")] = "",
) -> Draw:
    """A range as the 13 × 13 grid, or what a hold'em strategy does with each hand.

    \b
    Examples:
    riverboat plot range-grid "22+,A2s+,KTs+,QTs+,JTs,ATo+,KJo+:0.5" --out range.svg
    riverboat example 3bet.toml
    riverboat holdem solve 3bet.toml --out 3bet.rb
    riverboat plot range-grid 3bet.rb --at r:0:c --out flop.svg
    """
    if Path(source).is_file() or source.endswith(".rb"):
        return partial(pictures.range_grid, _decision(Path(source), at, board))
    if at or board:
        raise UsageError("--at and --board are for files; a range has no board.")
    return partial(pictures.range_grid, Range.parse(source))


def _decision(path: Path, at: str, board: str) -> Any:
    from riverboat.holdem.blueprints.blueprint import Blueprint
    from riverboat.holdem.blueprints.walk import look

    loaded = load(path)
    if isinstance(loaded, Blueprint):
        return look(loaded, at, board)
    if isinstance(loaded, SolvedSpot):
        if board:
            raise UsageError("A node of a spot names its cards: --at r:0:c:c:Ah.")
        return loaded.at(at or "r:0")
    raise UsageError(f"{path} holds no hold'em blueprint and no solved spot.")
