"""A game before the flop solved in one call: the right method, limits, progress."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from riverboat.cards.combos import NUM_CLASSES
from riverboat.holdem.preflop.pushfold.exact_play import ExactPlay, Measured
from riverboat.holdem.preflop.pushfold.push_fold import PushFold
from riverboat.holdem.preflop.solution import PreflopNode, PreflopSolution
from riverboat.runtime.array_types import F64
from riverboat.solvers.run import Limit, ProgressCallback, run

MAX_EXACT = 3
"""Players for whom every deal of classes is counted; with more, deals are sampled."""
DEFAULT_TARGETS = {2: 1e-5, 3: 1e-4}
"""Mean gain of a best response in big blinds at which exact play of that many players ends without
a limit; of all prizes it is a hundredth of that share."""
MAX_ITERATIONS = 4000
"""Where a target is not reached, as may be with three players, exact play ends here."""
SAMPLED_ITERATIONS = 400
"""Iterations of sampled play without a limit."""


def preflop_limit(
    game: PushFold,
    target: float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
) -> Limit:
    """Where to stop; of several limits the first that is reached counts."""
    if target is None and iterations is None and seconds is None:
        if game.num_players > MAX_EXACT:
            iterations = SAMPLED_ITERATIONS
        else:
            target = DEFAULT_TARGETS[game.num_players] * (sum(game.payouts) / 100 or 1.0)
    if iterations is None and seconds is None:
        iterations = MAX_ITERATIONS
    return Limit(iterations, target, seconds)


def solve_preflop(
    game: PushFold,
    *,
    target: float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    progress: ProgressCallback | None = None,
    counting: Callable[[float], None] | None = None,
) -> PreflopSolution:
    """Solve a game; without a limit two players to a mean gain of 0.00001 big blinds.

    Args:
        game: What is played.
        target: Mean gain of a best response at which to stop, in big blinds or prizes.
        iterations: Limit of iterations.
        seconds: Limit of time.
        seed: Of the deals, for four and more players.
        progress: Called ten times a second with a solvers.run.Progress.
        counting: Called with the share done while three-way deals are counted, once.
    """
    limit = preflop_limit(game, target, iterations, seconds)
    work: Any
    if game.num_players <= MAX_EXACT:
        work, every = ExactPlay(game, counting), 25
    else:
        from riverboat.holdem.preflop.pushfold.sampled_play import SampledPlay

        work, every = SampledPlay(game, seed), 100
    marks = None if limit.target is None else lambda done, _: done - done % every + every
    stopped = run(work, limit, progress=progress, marks=marks)
    strategy = work.average()
    measured = work.measure(strategy)
    info = {
        "algorithm": work.algorithm,
        "iterations": work.iterations,
        "seconds": work.seconds,
        "seed": seed,
        "method": "exact" if game.num_players <= MAX_EXACT else "sampled",
        "stopped": stopped,
        "unit": game.unit,
        "ev": measured.ev.tolist(),
        "gains": measured.gains.tolist(),
        "gains_ci95": measured.margin,
        "exploitability": float(np.maximum(measured.gains, 0.0).mean()),
    }
    return _solution(game, strategy, measured, info)


def _solution(
    game: PushFold, strategy: F64, measured: Measured, info: dict[str, Any]
) -> PreflopSolution:
    """The strategy (D, 169) of going all-in as decisions with lines, frequencies and EVs."""
    seats = tuple(name.lower() for name in game.names)
    nodes = []
    for row, decision in enumerate(game.decisions):
        before = decision.before
        put = {
            seat: game.stacks[i] if i in before else game.posts[i] + game.dead[i]
            for i, seat in enumerate(seats)
        }
        reach = measured.reach[row]
        values = np.divide(
            measured.values[row], reach, out=np.full((2, NUM_CLASSES), np.nan), where=reach > 0
        )
        nodes.append(
            PreflopNode(
                tuple("a" if seat in before else "f" for seat in range(decision.player)),
                seats[decision.player],
                ("f", "a"),
                np.stack([1 - strategy[row], strategy[row]]),
                values,
                np.ones(NUM_CLASSES),
                put,
            )
        )
    stacks = ", ".join(f"{n} {stack:g}" for n, stack in zip(game.names, game.stacks, strict=True))
    title = f"all-in or fold, {stacks}"
    return PreflopSolution(title, game.as_dict(), seats, nodes, info)
