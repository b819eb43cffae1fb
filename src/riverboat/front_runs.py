"""What the front door runs at tables: matches, tournaments, a person's sitting, simulations, and
comparisons of algorithms.

Those with `workers` are split among processes; every job has random
numbers of its own, so that the result is the same for any number of workers.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from riverboat.errors import UsageError
from riverboat.front_door import check_options, game_of, options_of, with_known_options
from riverboat.games.base import Game, parameters_of
from riverboat.games.registry import game_class
from riverboat.runtime.plugins import find

if TYPE_CHECKING:
    from riverboat.arena.match import MatchLog
    from riverboat.arena.round_robin import RoundRobin
    from riverboat.blackjack.simulation.result import SimulationResult
    from riverboat.players.player import Player
    from riverboat.players.simple import Seatable
    from riverboat.solvers.result import Comparison

HOLDEM_TABLE = "riverboat.holdem.blueprints.shipped:game_of_players"
"""The game of a table where a blueprint sits is the blueprint's own."""


@with_known_options
def match(
    game: str | Game,
    *players: Seatable,
    hands: int = 10_000,
    seed: int = 0,
    workers: int | None = None,
    payouts: Mapping[str, Any] | Sequence[float] | None = None,
    progress: Callable[[int], None] | None = None,
) -> MatchLog:
    """Let players meet: names, files, strategies, results or players, one for each seat.

    With `payouts` hold'em counts prizes by ICM in place of chips: [50, 30, 20], or a table with
    places, others and bounty.

    With `workers` the hands are split among that many processes; the result is the same for any
    number of them, and without, where players remember nothing from hand to hand.
    """
    from riverboat.arena.match import run_match

    rules = _tablegame_of(game, players, payouts)
    if workers is None:
        return run_match(rules, _seated(rules, players), hands, seed=seed, progress=progress)
    from riverboat.jobs.crews import open_crew

    with open_crew(workers=workers) as crew:
        split = find("riverboat.arena.crew_matches:split_match")
        log = split(rules, players, hands, crew, seed=seed, progress=progress)
        return cast("MatchLog", log)


@with_known_options
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
    """Every player against every other at a game for two: payoffs, Elo ratings, 95 % intervals.

    Each pairing plays `hands` hands: duplicate deals, each from both seats, the same deals for all.
    A player of your own that fails, breaks the rules or needs more than `move_seconds` for a
    decision loses its turn, not the tournament. The table is the same for any number of workers.
    `payouts` are as in rb.match.
    """
    from riverboat.jobs.crews import open_crew

    rules = _tablegame_of(game, players, payouts)
    with open_crew(workers=workers) as crew:
        split = find("riverboat.arena.crew_matches:split_round_robin")
        deals = -(-hands // 2)
        options = {"seed": seed, "move_seconds": move_seconds, "progress": progress}
        return cast("RoundRobin", split(rules, players, deals, crew, **options))


def _tablegame_of(
    game: str | Game,
    players: Sequence[Seatable],
    payouts: Mapping[str, Any] | Sequence[float] | None = None,
) -> Game:
    holdem = isinstance(game, str) and game_class(game).name == "holdem"
    rules = cast("Game", find(HOLDEM_TABLE)(players, {})) if holdem else game_of(game)
    if payouts is None:
        return rules
    if rules.name != "holdem":
        raise UsageError(f"Payouts are for hold'em, not for {rules.name}.")
    return cast("Game", find("riverboat.holdem.rules.prizes:for_prizes")(rules, payouts))


def _seated(rules: Game, players: Sequence[Seatable]) -> list[Player]:
    from riverboat.players.simple import seat

    return [seat(rules, who) for who in players]


@with_known_options
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
    """Sit down in the terminal, or in a notebook's cell: rb.play("leduc", hint=True).

    `against` is a name, a file, a strategy, a result or a player; `players` and `phh` are for
    hold'em, `rules` for blackjack, as in `riverboat play`.
    """
    table = game_of(game)
    options: dict[str, Any] = {"hint": hint, "hands": hands, "seed": seed}
    asked = {"against": against, "seat": seat, "players": players, "phh": phh, "rules": rules}
    options |= {name: value for name, value in asked.items() if value is not None}
    if table.name not in ("blackjack", "holdem"):
        play_any = find("riverboat.cli.play:play_any")
        check_options(f"rb.play at {table.name}", options, options_of(play_any))
        play_any(table, **options)
        return
    settings = [
        f"{key}={','.join(map(str, value)) if isinstance(value, tuple) else value}"
        for key, value in parameters_of(table).items()
        if value not in ((), "") and table is game
    ]
    find("riverboat.cli.play:play")(table.name, parameters=settings, **options)


@with_known_options
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
    """Several algorithms on one game, those that sample with several seeds; then `.plot()`.

    rb.compare("leduc", ["dcfr", "es-mccfr"], seeds=5, iterations=1000). `seeds` is a number or the
    seeds themselves. With `workers` the runs are split among that many processes.
    """
    from riverboat.jobs.crews import open_crew

    chosen = range(seeds) if isinstance(seeds, int) else tuple(seeds)
    limits = {"target": target, "iterations": iterations, "seconds": seconds, "device": device}
    names = [algorithms] if isinstance(algorithms, str) else list(algorithms)
    with open_crew(workers=workers) as crew:
        split = find("riverboat.solvers.comparison:split_comparison")
        return cast("Comparison", split(game_of(game), names, chosen, limits, crew, progress))


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
    """Rounds of blackjack by the million: rb.simulate("vegas-6d-s17", rounds=10**7, count="hilo").

    `strategy` is "best" for the rules, "published" or a rule of thumb; `count`, `ramp` and
    `deviations` are as in `riverboat blackjack simulate`; `penetration` is the share of the shoe
    that is dealt, 0 to shuffle before every round; `seat` counts from 0. Rules that differ from the
    preset's follow by name (h17=True). Any number of threads or workers gives the same counts.
    """
    from riverboat.blackjack.exact.best_chart import named_chart
    from riverboat.blackjack.rules import BlackjackRules, rules_from
    from riverboat.blackjack.simulation.counting import counter_from
    from riverboat.blackjack.simulation.simulate import Simulation
    from riverboat.blackjack.simulation.simulate import simulate as run

    own = inspect.signature(simulate).parameters.keys() - {"changes", "preset"}
    check_options("rb.simulate", changes, own | BlackjackRules.__dataclass_fields__.keys())
    if count is None and (ramp is not None or deviations is not None):
        raise UsageError("A ramp or deviations need a count, e.g. count='hilo'.")
    table = rules_from(preset, changes)
    counter = None if count is None else counter_from(count, ramp, deviations)
    chart, others = named_chart(strategy, table), named_chart("best", table) if seats > 1 else None
    simulation = Simulation(table, chart, counter, seats, seat, others, penetration)
    if workers is None:
        options = {"seed": seed, "threads": threads, "progress": progress, "device": device}
        return run(simulation, rounds, **cast("Any", options))
    if threads != 1 or device != "cpu":
        raise UsageError("Workers play on CPUs with a thread each; leave threads and device out.")
    from riverboat.jobs.crews import open_crew

    with open_crew(workers=workers) as crew:
        split = find("riverboat.blackjack.simulation.crew_simulation:split_simulation")
        return cast(
            "SimulationResult", split(simulation, rounds, crew, seed=seed, progress=progress)
        )
