"""`riverboat duel`: the first duel program's own face, with what its users asked for."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from riverboat.cli.console import JsonFlag, emit, progress_bar
from riverboat.cli.options import DeviceOption, explain_device, tree_device
from riverboat.games.base import CHANCE, TERMINAL, Game
from riverboat.games.duel import CARDS, Duel
from riverboat.games.registry import make_game
from riverboat.solvers.run import Progress
from riverboat.solvers.solve import solve
from riverboat.strategies.files import check_writable
from riverboat.strategies.public_strategy import PublicStrategy, check_dump, dump_public_strategy

if TYPE_CHECKING:
    from riverboat.solvers.result import SolveResult

app = typer.Typer()

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
fair strategy, 1,000 a good one, 10,000 more digits than anybody needs; NashConv in the output
says how much the two could still gain together by playing better, in chips, of a pot of 3 and
more. --algorithm pdcfr+ gets there in a tenth of the iterations.

DIR gets one directory a node: DIR/strategy.txt for the first decision, DIR/s/… after a stand,
DIR/h7/… after a hit that brought a 7. It must be new or empty. Without DIR nothing is dumped;
--out writes one file instead, which riverboat show and riverboat play read.

Example: riverboat duel "6, 6, 2" 1 1000 dump
"""


@app.command("duel", help=GUIDE)
def duel(
    cards: Annotated[str, typer.Argument(metavar="CARDS", help="Three up cards.")] = "random",
    max_hits: Annotated[int, typer.Argument(metavar="MAX_HITS", help="Hits a player.")] = 1,
    iterations: Annotated[int, typer.Argument(metavar="ITERATIONS", help="How long.")] = 1000,
    directory: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="A new directory for the dump.")
    ] = None,
    limit: Annotated[
        str, typer.Option("--limit", help="Sum of up cards that ends a turn: >20 or >=20.")
    ] = ">20",
    algorithm: Annotated[
        str, typer.Option("--algorithm", help="cfr+, dcfr, pdcfr+ …; sampled-cfr+ samples cards.")
    ] = "cfr+",
    random_path: Annotated[
        bool, typer.Option("--random-path", help="Print one random line of play.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write a strategy file.")
    ] = None,
    threads: Annotated[int, typer.Option("--threads", min=1, help="For large trees.")] = 1,
    device: DeviceOption = "cpu",
    memory: Annotated[
        float, typer.Option("--memory", min=0.001, help="GiB that may be used.")
    ] = 8.0,
    seed: Annotated[
        int | None,
        typer.Option("--seed", min=0, help="Makes chance repeatable; each run differs if absent."),
    ] = None,
    as_json: JsonFlag = False,
) -> None:

    # Sampling starts from a fixed seed all the same: its result should not depend on the day.
    luck = secrets.randbits(32) if seed is None else seed
    given = cards if cards.strip() not in ("", "random") else _random_cards(luck)
    game = make_game("duel", {"cards": given, "max_hits": max_hits, "limit": limit})
    if directory is not None:
        check_dump(directory)
    if out is not None:
        check_writable(out)
    result = _solve(
        game,
        iterations,
        quiet=as_json,
        algorithm=algorithm,
        seed=seed or 0,
        threads=threads,
        device=tree_device(device, quiet=as_json),
        memory_limit=int(memory * 2**30),
    )
    explain_device(result, quiet=as_json)
    if directory is not None:
        dump_public_strategy(result.strategy, directory)
    if out is not None:
        result.save(out)
    facts = {
        **result.as_dict(),
        "out": None if out is None else str(out),
        "dump": None if directory is None else str(directory),
    }
    path = _random_play(result.strategy, luck) if random_path else []
    if as_json:
        emit({**facts, **({"random_path": path} if random_path else {})})
        return
    _print(facts, path)


def _solve(
    game: Game, iterations: int, *, quiet: bool, **options: Any
) -> SolveResult[PublicStrategy]:
    """Solve with a bar that shows NashConv."""

    with progress_bar("gap", quiet=quiet) as bar:
        task = bar.add_task("solving", total=iterations, gap="")

        def show(now: Progress) -> None:
            gap = f"NashConv {2 * now.exploitability:.2g}"
            bar.update(task, completed=now.iterations, gap=gap)

        return solve(game, iterations=iterations, progress=show, **options)


def _random_cards(seed: int) -> str:
    """Three up cards from the infinite deck."""

    drawn = np.random.default_rng(seed).choice(list(CARDS), size=3, p=list(CARDS.values()))
    return ",".join(map(str, drawn.tolist()))


def _print(facts: dict[str, Any], path: list[str]) -> None:
    cards = ", ".join(map(str, facts["parameters"]["cards"]))
    print(f"Up cards:        {cards}   (player 1, player 2, dealer)")
    print(f"Build time:      {facts['build_seconds']:.3f} s")
    print(f"Number of nodes: {facts['nodes']}")
    print(
        f"Iterations:      {facts['iterations']} of {facts['algorithm']}, {facts['seconds']:.3f} s"
    )
    print("Root payoffs:    " + "  ".join(f"{payoff:.6f}" for payoff in facts["payoffs"]))
    print(f"NashConv:        {facts['nash_conv']:.3g}")
    if facts["dump"] is not None:
        print(f"Strategies:      {facts['dump']}/strategy.txt and below")
    if facts["out"] is not None:
        print(f"Strategy file:   {facts['out']}; look at it with: riverboat show {facts['out']}")
    if path:
        print("Random path:")
        for line in path:
            print(f"  {line}")


def _random_play(strategy: PublicStrategy, seed: int) -> list[str]:
    """One play in which everybody follows the strategy, line by line."""

    rng = np.random.default_rng([seed, 1])
    game: Duel = strategy.rules  # type: ignore[assignment]
    state = game.start()
    lines: list[str] = []
    while state.actor != TERMINAL:
        if state.actor == CHANCE:
            cards = dict(state.chance())
            drawn = str(rng.choice(list(cards), p=list(cards.values())))
            state = state.after(drawn)
            if state.history and not state.dealer:
                lines[-1] += f", gets {drawn}"
            continue
        player = state.actor
        known = strategy.lookup(player, state.infoset(player)) or {}
        odds = [known[action] for action in state.actions()]
        action = str(rng.choice(state.actions(), p=odds))
        chances = ", ".join(f"{game.action_label(a)} {p:.1%}" for a, p in known.items())
        lines.append(
            f"player {player + 1} with {state.downs[player]} down ({chances}):"
            f" {game.action_label(action)}"
        )
        state = state.after(action)
    totals = [seat.total(down) for seat, down in zip(state.seats, state.downs, strict=True)]
    for name, total in zip(
        ("player 1", "player 2", "the dealer"), (*totals, state.dealer_total), strict=True
    ):
        lines.append(f"{name} has {total}" if total else f"{name} is bust")
    payoffs = "  ".join(f"{payoff:g}" for payoff in state.payoffs())
    return [*lines, f"payoffs {payoffs}"]
