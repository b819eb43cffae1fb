"""The functions of `import riverboat as rb` for what is played: matches, tournaments, a person's
sitting, simulations, and comparisons of algorithms.

Those with `workers` are split among processes; every job has random numbers of its own, so that
the result is the same for any number of workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from riverboat.api import game_of
from riverboat.errors import UsageError
from riverboat.games.base import Game, parameters_of
from riverboat.games.registry import game_class

if TYPE_CHECKING:
    from riverboat.arena.match import MatchLog
    from riverboat.arena.quiz import QuizResult
    from riverboat.arena.round_robin import RoundRobin
    from riverboat.blackjack.simulation.result import SimulationResult
    from riverboat.holdem.rules.state import Holdem
    from riverboat.players.simple import Seatable
    from riverboat.solvers.result import Comparison


def match(
    game: str | Game,
    *players: Seatable,
    hands: int = 10_000,
    seed: int = 0,
    workers: int | None = None,
    payouts: Mapping[str, Any] | Sequence[float] | None = None,
    progress: Callable[[int], None] | None = None,
) -> MatchLog:
    """Let players meet over many hands.

    Parameters
    ----------
    game : str or Game
        The game, or its name. At "holdem" it is the game of the first blueprint among the players.
    *players : str, Path, AnyStrategy, SolveResult or Player
        One for each seat: names, files, strategies, results of a solve, or players of your own.
    hands : int, default 10_000
        The number of hands; seats rotate.
    seed : int, default 0
        Of the deals and of the players.
    workers : int, optional
        Split the hands among that many processes. The result is the same for any number of them,
        and without, where players remember nothing from hand to hand.
    payouts : sequence or mapping, optional
        Prizes of hold'em, counted by ICM in place of chips: [50, 30, 20], or a table with places,
        others and bounty.
    progress : callable, optional
        Called with the number of hands played.

    Returns
    -------
    MatchLog
        Each player's mean result per hand, with its 95 % interval.

    Examples
    --------
    >>> log = rb.match("kuhn", "random", "uniform", hands=100, seed=1)
    >>> log.players
    ('random', 'uniform')
    """
    from riverboat.arena.match import run_match
    from riverboat.players.simple import seat

    rules = _table_rules(game, players, payouts)
    if workers is None:
        seated = [seat(rules, who) for who in players]
        return run_match(rules, seated, hands, seed=seed, progress=progress)
    from riverboat.arena.meetings import split_match
    from riverboat.jobs.crews import open_crew

    with open_crew(workers=workers) as crew:
        return split_match(rules, players, hands, crew, seed=seed, progress=progress)


def tournament(
    game: str | Game,
    *players: Seatable,
    hands: int = 2_000,
    seed: int = 0,
    workers: int | None = None,
    move_seconds: float = 10.0,
    payouts: Mapping[str, Any] | Sequence[float] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> RoundRobin:
    """Let every player meet every other at a game for two.

    Deals are duplicate: each is played from both seats, the same deals by all pairings. A player
    of your own that fails, breaks the rules or is late loses its turn, not the tournament.

    Parameters
    ----------
    game : str or Game
        The game, or its name.
    *players : str, Path, AnyStrategy, SolveResult or Player
        Two or more: names, files, strategies, results of a solve, or players of your own.
    hands : int, default 2_000
        The number of hands of each pairing.
    seed : int, default 0
        Of the deals and of the players.
    workers : int, optional
        Split the pairings among that many processes; the table is the same for any number.
    move_seconds : float, default 10.0
        The time that a player of your own has for a decision.
    payouts : sequence or mapping, optional
        Prizes of hold'em, as in rb.match.
    progress : callable, optional
        Called with the number of hands played, and of all.

    Returns
    -------
    RoundRobin
        Payoffs, Elo ratings and their 95 % intervals.

    Examples
    --------
    >>> rb.tournament("kuhn", "random", "uniform", hands=100).players
    ('random', 'uniform')
    """
    from riverboat.arena.meetings import split_round_robin
    from riverboat.jobs.crews import open_crew

    rules = _table_rules(game, players, payouts)
    with open_crew(workers=workers) as crew:
        return split_round_robin(
            rules,
            players,
            -(-hands // 2),
            crew,
            seed=seed,
            move_seconds=move_seconds,
            progress=progress,
        )


def _table_rules(
    game: str | Game,
    players: Sequence[Seatable],
    payouts: Mapping[str, Any] | Sequence[float] | None,
) -> Game:
    rules = game_of(game)
    if isinstance(game, str) and game_class(game).name == "holdem":
        from riverboat.holdem.blueprints.shipped import game_of_players

        rules = game_of_players(players, {})
    if payouts is None:
        return rules
    if rules.name != "holdem":
        raise UsageError(f"Payouts are for hold'em, not for {rules.name}.")
    from riverboat.holdem.rules.prizes import for_prizes

    return for_prizes(cast("Holdem", rules), payouts)


def quiz(
    *players: Seatable,
    of: Iterable[str] | None = None,
    repeats: int = 1,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> QuizResult:
    """Ask players fixed decisions of solved games, and measure the EV that their answers lose.

    Parameters
    ----------
    *players : str, Path, AnyStrategy, SolveResult or Player
        Names, "llm:MODEL" among them, files, strategies, or players of your own.
    of : iterable of str, optional
        The quizzes: "kuhn", "leduc", "blackjack", "pushfold", "rivers". All of them if left out.
    repeats : int, default 1
        How often each decision is asked; more for players that mix.
    seed : int, default 0
        Of the players' random numbers.
    progress : callable, optional
        Called with the number of answers so far, and of all.

    Returns
    -------
    QuizResult
        Each player's mean loss per decision in each quiz, with its 95 % interval.

    Examples
    --------
    >>> result = rb.quiz("random", of=["kuhn"], repeats=10)
    >>> result.scores[0].unit
    'antes'
    """
    from riverboat.arena.quiz import take_quiz

    return take_quiz(players, of, repeats=repeats, seed=seed, progress=progress)


def play(
    game: str | Game,
    *,
    against: Seatable | None = None,
    seat: int | None = None,
    hint: bool = False,
    hands: int = 0,
    seed: int | None = None,
    players: int | None = None,
    phh: Path | None = None,
    rules: str | None = None,
) -> None:
    """Sit down yourself, in the terminal or in a notebook's cell.

    Parameters
    ----------
    game : str or Game
        The game, or its name.
    against : str, Path, AnyStrategy, SolveResult or Player, optional
        Who takes the other seats; the equilibrium if left out. At hold'em a name or a file.
    seat : int, optional
        1 to sit first, 2 second; 0 takes turns.
    hint : bool, default False
        Show the best play and what each move cost.
    hands : int, default 0
        Stop after this many hands; 0 plays on.
    seed : int, optional
        Makes the deals repeatable.
    players : int, optional
        Hold'em, Omaha and short deck: how many sit down.
    phh : Path, optional
        The same: the file that the hands are written to.
    rules : str, optional
        Blackjack: a rule set by name.

    Returns
    -------
    None

    Examples
    --------
    >>> rb.play("leduc", against="random", hint=True)  # doctest: +SKIP
    """
    from riverboat.cli.play import has_own_table, play_any
    from riverboat.cli.play import play as play_by_name

    table = game_of(game)
    if has_own_table(type(table)):
        if not (against is None or isinstance(against, str | Path)):
            raise UsageError(f"At {table.name} the others are named: a player, or a file.")
        settings = [
            f"{key}={','.join(map(str, value)) if isinstance(value, tuple) else value}"
            for key, value in parameters_of(table).items()
            if value not in ((), "") and table is game
        ]
        play_by_name(
            table.name,
            against=None if against is None else str(against),
            seat=seat,
            hint=hint,
            hands=hands,
            players=players,
            phh=phh,
            rules=rules,
            parameters=settings,
            seed=seed,
        )
        return
    for name, value in (("players", players), ("phh", phh), ("rules", rules)):
        if value is not None:
            raise UsageError(f"There is no option of rb.play at {table.name} called {name!r}.")
    play_any(
        table,
        against="equilibrium" if against is None else against,
        seat=seat or 0,
        hint=hint,
        hands=hands,
        seed=seed,
    )


def compare(
    game: str | Game,
    algorithms: str | Sequence[str],
    *,
    seeds: int | Iterable[int] = 1,
    target: float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    device: str = "cpu",
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """Run several algorithms on one game, those that sample with several seeds.

    Parameters
    ----------
    game : str or Game
        The game, or its name.
    algorithms : str or sequence of str
        Names as in rb.solve.
    seeds : int or iterable of int, default 1
        How many seeds, or the seeds themselves. Algorithms without chance run once.
    target : float, optional
        The exploitability to reach.
    iterations : int, optional
        The number of iterations.
    seconds : float, optional
        The time of each run.
    device : str, default "cpu"
        "cpu", "cuda" or "auto".
    workers : int, optional
        Split the runs among that many processes.
    progress : callable, optional
        Called with the number of runs finished, and of all.

    Returns
    -------
    Comparison
        The runs; plot() draws them, rows() sums them up.

    Examples
    --------
    >>> comparison = rb.compare("kuhn", ["dcfr", "es-mccfr"], seeds=2, iterations=100)
    >>> len(comparison["es-mccfr"])
    2
    """
    from riverboat.jobs.crews import open_crew
    from riverboat.solvers.comparison import split_comparison

    chosen = range(seeds) if isinstance(seeds, int) else tuple(seeds)
    limits = {"target": target, "iterations": iterations, "seconds": seconds, "device": device}
    names = [algorithms] if isinstance(algorithms, str) else list(algorithms)
    with open_crew(workers=workers) as crew:
        return split_comparison(game_of(game), names, chosen, limits, crew, progress)


def simulate(
    preset: str = "vegas-6d-s17",
    *,
    rounds: int = 10_000_000,
    strategy: str = "best",
    count: str | None = None,
    ramp: str | None = None,
    deviations: str | None = None,
    penetration: float = 0.75,
    seats: int = 1,
    seat: int = 0,
    seed: int = 0,
    threads: int = 1,
    workers: int | None = None,
    device: str = "cpu",
    progress: Callable[[int, int], None] | None = None,
    **changes: Any,
) -> SimulationResult:
    """Play rounds of blackjack by the million.

    Any number of threads or workers gives the same counts.

    Parameters
    ----------
    preset : str, default "vegas-6d-s17"
        A rule set by name.
    rounds : int, default 10_000_000
        The number of rounds; the last shoes are played to their end.
    strategy : str, default "best"
        "best" for the rules, "published", or a rule of thumb: "mimic-dealer", "never-bust".
    count : str, optional
        A counting system, such as "hilo".
    ramp : str, optional
        The bet by the count, "1 2@1 4@2"; needs a count.
    deviations : str, optional
        What is played otherwise by the count, "illustrious18 fab4"; needs a count.
    penetration : float, default 0.75
        The share of the shoe that is dealt; 0 shuffles before every round.
    seats : int, default 1
        How many play at the table.
    seat : int, default 0
        The counter's seat among them, from 0.
    seed : int, default 0
        Of the shuffles.
    threads : int, default 1
        Threads on the CPU.
    workers : int, optional
        Split the rounds among that many processes.
    device : str, default "cpu"
        "cpu", "cuda" or "auto".
    progress : callable, optional
        Called with the number of rounds played, and of all.
    **changes
        Rules that differ from the preset's, such as h17=True.

    Returns
    -------
    SimulationResult
        The expected value with its interval, and the results by count.

    Examples
    --------
    >>> rb.simulate("single-deck", rounds=1_000, seed=1).rounds >= 1_000
    True
    """
    from riverboat.blackjack.exact.best_chart import named_chart
    from riverboat.blackjack.rules import rules_from
    from riverboat.blackjack.simulation.counting import counter_from
    from riverboat.blackjack.simulation.simulate import Simulation
    from riverboat.blackjack.simulation.simulate import simulate as run

    if count is None and (ramp is not None or deviations is not None):
        raise UsageError("A ramp or deviations need a count, e.g. count='hilo'.")
    table = rules_from(preset, changes)
    counter = None if count is None else counter_from(count, ramp, deviations)
    chart, others = named_chart(strategy, table), named_chart("best", table) if seats > 1 else None
    simulation = Simulation(table, chart, counter, seats, seat, others, penetration)
    if workers is None:
        return run(simulation, rounds, seed=seed, threads=threads, progress=progress, device=device)
    if threads != 1 or device != "cpu":
        raise UsageError("Workers play on CPUs with a thread each; leave threads and device out.")
    from riverboat.blackjack.simulation.crew_simulation import split_simulation
    from riverboat.jobs.crews import open_crew

    with open_crew(workers=workers) as crew:
        return split_simulation(simulation, rounds, crew, seed=seed, progress=progress)
