"""Pictures of games, solvers and their strategies: `riverboat plot convergence` and its kin."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from riverboat.cli.console import GameName, Parameters
from riverboat.cli.options import Out, Theme, Title, check, write

app = typer.Typer()

Algorithm = Annotated[str, typer.Option("--algorithm", "-a", help="cfr, cfr+, linear, dcfr, …")]
Iterations = Annotated[int, typer.Option("--iterations", min=1, help="How many.")]
Player = Annotated[int, typer.Option("--player", min=1, help="Whose infoset; 1 is the first.")]


@app.command("convergence")
def convergence(
    sources: Annotated[
        list[str], typer.Argument(metavar="GAME|FILE…", help="A game to solve, or saved files.")
    ],
    out: Out,
    algorithms: Annotated[
        list[str] | None,
        typer.Option("--algorithm", "-a", help="Solve with this; repeatable. Default cfr, cfr+."),
    ] = None,
    iterations: Annotated[
        int | None, typer.Option("--iterations", min=1, help="How many; default 1,000.")
    ] = None,
    parameters: Parameters = [],  # noqa: B006
    by: Annotated[str, typer.Option("--by", help="iterations or seconds.")] = "iterations",
    title: Title = "",
    theme: Theme = "light",
) -> None:
    """How exploitability falls (or the regret of a Q table): of a game, or of saved files.

    Examples: riverboat plot convergence leduc -a cfr -a cfr+ -a dcfr --out leduc.svg ·
    riverboat plot convergence leduc.rb --by seconds --out leduc.png
    """
    from riverboat import pictures
    from riverboat.errors import UsageError
    from riverboat.games.registry import known_games, make_game, parse_assignments
    from riverboat.solvers.solve import solve

    check(out, theme)
    results: list[Any] = list(sources)
    if sources[0] in known_games() and not Path(sources[0]).is_file():
        if len(sources) > 1:
            raise UsageError("Draw one game at a time, or saved files.")
        game = make_game(sources[0], parse_assignments(parameters))
        results = [
            solve(game, algorithm=name, iterations=iterations or 1000)
            for name in algorithms or ["cfr", "cfr+"]
        ]
    elif algorithms or iterations or parameters:
        raise UsageError("-a, --iterations and --set are for a game; a file is solved already.")
    write(pictures.convergence(results, by=by, title=title, theme=theme), out)


@app.command("simplex")
def simplex(
    out: Out,
    game_name: Annotated[str, typer.Argument(metavar="[GAME]", help="Default rps.")] = "rps",
    infoset: Annotated[str, typer.Option("--infoset", help="One with three actions.")] = "",
    player: Player = 1,
    algorithm: Algorithm = "cfr",
    iterations: Iterations = 500,
    start: Annotated[
        str, typer.Option("--start", help="Where it begins, e.g. r=0.8,p=0.1,s=0.1.")
    ] = "",
    parameters: Parameters = [],  # noqa: B006
    title: Title = "",
    theme: Theme = "light",
) -> None:
    """The strategy over three actions as it moves in its triangle, and its average.

    Examples: riverboat plot simplex --start r=0.8,p=0.1,s=0.1 --out rps.svg ·
    riverboat plot simplex rps --set rock_stake=2 --iterations 300 --out rock.svg
    """
    from riverboat import pictures
    from riverboat.games.registry import make_game, parse_assignments

    check(out, theme)
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
    write(pictures.simplex(path, title=title, theme=theme), out)


def _start(text: str) -> dict[str, float]:
    from riverboat.errors import ParameterError

    try:
        pairs = [item.split("=") for item in text.split(",")]
        return {name.strip(): float(number) for name, number in pairs}
    except ValueError:
        raise ParameterError(f"A start is written like r=0.8,p=0.1,s=0.1, not {text!r}.") from None


@app.command("kuhn-family")
def kuhn_family(
    out: Out,
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="[FILE…]", help="Strategies to mark.")
    ] = None,
    title: Title = "",
    theme: Theme = "light",
) -> None:
    """All equilibria of Kuhn poker, and what it costs to leave them.

    Examples: riverboat plot kuhn-family --out family.svg ·
    riverboat plot kuhn-family kuhn.rb --out mine.svg
    """
    from riverboat import pictures
    from riverboat.strategies.kinds import load_table

    check(out, theme)
    strategies = [load_table(file) for file in files or ()]
    write(pictures.kuhn_family(*strategies, title=title, theme=theme), out)


@app.command("game-tree")
def game_tree(
    source: Annotated[str, typer.Argument(metavar="GAME|FILE", help="A game, or a strategy.")],
    out: Out,
    after: Annotated[
        str, typer.Option("--after", help="Begin below these actions, e.g. 'J Q'.")
    ] = "",
    depth: Annotated[int | None, typer.Option("--depth", min=0, help="Steps to draw.")] = None,
    parameters: Parameters = [],  # noqa: B006
    title: Title = "",
    theme: Theme = "light",
) -> None:
    """A game tree with how often each point is reached; of a game all actions alike.

    Examples: riverboat plot game-tree kuhn.rb --after "J Q" --out tree.svg ·
    riverboat plot game-tree leduc --depth 3 --out leduc.svg
    """
    from riverboat import pictures
    from riverboat.errors import UsageError
    from riverboat.games.registry import known_games, make_game, parse_assignments
    from riverboat.strategies.kinds import load_table

    check(out, theme)
    strategy: Any = None
    if source in known_games() and not Path(source).is_file():
        game = make_game(source, parse_assignments(parameters))
    else:
        if parameters:
            raise UsageError("--set is for a game; a file has its parameters.")
        strategy = load_table(source)
        game = make_game(strategy.game, strategy.parameters)
    write(
        pictures.game_tree(
            game, strategy, after=after.split(), depth=depth, title=title, theme=theme
        ),
        out,
    )


@app.command("regret-path")
def regret_path(
    game_name: GameName,
    out: Out,
    infoset: Annotated[str, typer.Argument(metavar="[INFOSET]", help="Default the first.")] = "",
    player: Player = 1,
    algorithm: Algorithm = "cfr",
    iterations: Iterations = 1000,
    parameters: Parameters = [],  # noqa: B006
    title: Title = "",
    theme: Theme = "light",
) -> None:
    """Regret over time of one infoset, and the strategy that follows from it.

    Example: riverboat plot regret-path kuhn "J|" --iterations 3000 --out jack.svg
    """
    from riverboat import pictures
    from riverboat.games.registry import make_game, parse_assignments

    check(out, theme)
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
    write(figure, out)
