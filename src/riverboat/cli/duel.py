"""`riverboat duel`: the first duel program's own face, with what its users asked for."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from riverboat.arena.hand import ActionTaken, Dealt, Event, play_hand
from riverboat.cli import options
from riverboat.cli.console import emit, exit_if_stopped
from riverboat.cli.groups import App
from riverboat.cli.options import (
    argument,
    count_argument,
    explain_device,
    option,
    seed_option,
    tree_device,
)
from riverboat.cli.out_files import STRATEGY, check_out
from riverboat.cli.solve import solve_with_progress
from riverboat.games.duel import CARDS, Duel
from riverboat.games.registry import make_game
from riverboat.players.simple import StrategyPlayer
from riverboat.runtime.devices import parse_memory
from riverboat.solvers.result import SolveResult
from riverboat.solvers.run import Limit
from riverboat.strategies.public_strategy import PublicStrategy, check_dump, dump_public_strategy

app = App()

GUIDE = """Solve the Blackjack duel: two players and a dealer, each with one card up and one down.

CARDS are the up cards of player 1, player 2 and the dealer, 1 (an ace) to 10, as in "6, 6, 2";
"random", or nothing at all, draws them.

MAX_HITS is how many cards a player may still take. Each hit more makes the tree, and the time,
ten to a hundred times as large; begin with 1, and take 2 or 3 for a serious answer:

\b
MAX_HITS      public nodes         memory   an iteration       files in DIR
1                      133         0.1 MB           4 µs                 12
2                   13,553           1 MB         0.3 ms              1,232
3        346,000–1,333,000       13–46 MB        7–30 ms     31,000–121,000
4             3–75 million     0.1–2.3 GB        0.1–2 s  310,000–6,800,000

ITERATIONS is how often both players go over all their hands and mend what they regret. 100 give a
fair strategy, 1,000 a good one, 10,000 more digits than needed; NashConv in the output
says how much the two could still gain together by playing better, in chips, of a pot of 3 and
more. --algorithm pdcfr+ gets there in a tenth of the iterations.

DIR gets one directory per node: DIR/strategy.txt for the first decision, DIR/s/… after a stand,
DIR/h7/… after a hit that brought a 7. It must be new or empty. Without DIR nothing is dumped;
--out writes one file instead, which riverboat show and riverboat play read.

\b
Example:
riverboat duel "6, 6, 2" 1 1000 dump
"""


@app.command("duel", help=GUIDE)
def duel(
    cards: Annotated[str, argument("Three up cards.", metavar="CARDS")] = "random",
    max_hits: Annotated[int, count_argument("MAX_HITS", "Hits per player.")] = 1,
    iterations: Annotated[int, count_argument("ITERATIONS", "The number of iterations.")] = 1000,
    directory: Annotated[
        Path | None, argument("A new directory for the dump.", metavar="DIR")
    ] = None,
    limit: Annotated[
        str, option("--turn-limit", "--limit", "Sum of up cards that ends a turn: >20 or >=20.")
    ] = ">20",
    algorithm: Annotated[
        str, option("--algorithm", "-a", "cfr+, dcfr, pdcfr+ …; sampled-cfr+ samples cards.")
    ] = "cfr+",
    random_path: Annotated[bool, option("--random-path", "Print one random line of play.")] = False,
    out: Annotated[Path | None, option("Write a strategy file.")] = None,
    threads: options.Threads = 1,
    device: options.DeviceOption = "cpu",
    memory: options.Memory = "8GiB",
    seed: Annotated[
        int | None, seed_option("Makes chance repeatable; each run differs if absent.")
    ] = None,
    as_json: options.JsonFlag = False,
) -> None:

    # Sampling starts from a fixed seed all the same: its result should not depend on the day.
    luck = secrets.randbits(32) if seed is None else seed
    given = cards if cards.strip() not in ("", "random") else _random_cards(luck)
    game = make_game("duel", {"cards": given, "max_hits": max_hits, "limit": limit})
    if directory is not None:
        check_dump(directory)
    check_out(out, STRATEGY)
    (result,) = solve_with_progress(
        game,
        Limit(iterations),
        algorithms=[algorithm],
        quiet=as_json,
        seed=seed or 0,
        out=out,
        threads=threads,
        device=tree_device(device, quiet=as_json),
        memory=parse_memory(memory or "8GiB"),
    )
    explain_device(result, quiet=as_json)
    out = result.file
    if directory is not None:
        dump_public_strategy(result.strategy, directory)
    path = _random_play(result.strategy, luck) if random_path else []
    if as_json:
        places = {"out": out, "dump": directory}
        written = {name: None if file is None else str(file) for name, file in places.items()}
        emit({**result.as_dict(), **written, **({"random_path": path} if random_path else {})})
    else:
        _print(result, out, directory, path)
    exit_if_stopped(result.stopped)


def _random_cards(seed: int) -> str:
    """Three up cards from the infinite deck."""
    cards = np.random.default_rng(seed).choice(list(CARDS), size=3, p=list(CARDS.values()))
    return ",".join(map(str, cards.tolist()))


def _print(
    result: SolveResult[PublicStrategy], out: Path | None, dump: Path | None, path: list[str]
) -> None:
    strategy = result.strategy
    game: Any = strategy.rules
    cards = ", ".join(map(str, game.cards))
    print(f"Up cards:        {cards}   (player 1, player 2, dealer)")
    print(f"Build time:      {strategy.info['build_seconds']:.3f} s")
    print(f"Number of nodes: {strategy.info['nodes']}")
    print(f"Iterations:      {result.iterations} of {result.algorithm}, {result.seconds:.3f} s")
    print("Root payoffs:    " + "  ".join(f"{payoff:z.6f}" for payoff in result.payoffs))
    print(f"NashConv:        {result.nash_conv:.3g}")
    if dump is not None:
        print(f"Strategies:      {dump}/strategy.txt and below")
    if out is not None:
        print(f"Strategy file:   {out}; look at it with: riverboat show {out}")
    if path:
        print("Random path:")
        for line in path:
            print(f"  {line}")


def _random_play(strategy: PublicStrategy, seed: int) -> list[str]:
    """One play in which both players follow the strategy, line by line."""
    game: Duel = strategy.rules  # type: ignore[assignment]
    lines: list[str] = []

    def listen(event: Event) -> None:
        if isinstance(event, ActionTaken):
            state: Any = event.before
            known = strategy.lookup(event.seat, state.infoset(event.seat)) or {}
            chances = ", ".join(f"{game.action_label(a)} {p:.1%}" for a, p in known.items())
            down = state.downs[event.seat]
            lines.append(f"{event.player} with {down} down ({chances}): {event.words}")
        elif isinstance(event, Dealt) and lines and not event.after.dealer:  # type: ignore[attr-defined]
            lines[-1] += f", gets {event.actions[0]}"

    chance, *generators = (np.random.default_rng([seed, number]) for number in (1, 2, 3))
    seats = [StrategyPlayer(f"player {number}", strategy) for number in (1, 2)]
    last: Any = play_hand(game, seats, chance, generators, listener=listen).last
    totals = [seat.total(down) for seat, down in zip(last.seats, last.downs, strict=True)]
    names = ("player 1", "player 2", "the dealer")
    for name, total in zip(names, (*totals, last.dealer_total), strict=True):
        lines.append(f"{name} has {total}" if total else f"{name} is bust")
    return [*lines, "payoffs " + "  ".join(f"{payoff:g}" for payoff in last.payoffs())]
