"""A game before the flop solved in one call: the right method, limits, progress."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.combos import NUM_CLASSES
from riverboat.holdem.preflop._exact_play import ExactPlay, Measured
from riverboat.holdem.preflop.node import PreflopNode
from riverboat.holdem.preflop.solution import PreflopSolution
from riverboat.runtime.array_types import F64
from riverboat.solvers.run import Limit, ProgressCallback, run

if TYPE_CHECKING:
    from riverboat.holdem.preflop.push_fold import PushFold

MAX_EXACT = 3
"""Players for whom every deal of classes is counted; with more, deals are sampled."""
DEFAULT_TARGETS = {2: 1e-9, 3: 1e-4}
"""Mean gain of a best response in big blinds at which exact play of that many players ends without
a limit; of all prizes it is a hundredth of that share. Two players: all 169 hands are then played
as a linear program plays them, to half a percent."""
MAX_ITERATIONS = {2: 50_000, 3: 4000}
"""Where a target is not reached, as may be with three players, exact play ends here."""
MAX_SAMPLED_ITERATIONS = 2500
"""Sampled play ends here where ranges do not become stable, or a target is not reached."""
MIN_CHANCE = 1e-7  # A decision that comes up less often is as good as never reached
TOLERANCE = 0.02
"""Part of an average stack's value: a hand is shown at a decision where its better action is known
and played, or where the difference is known to be smaller than this."""


def preflop_limit(
    game: PushFold,
    target: float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
) -> Limit:
    """Where to stop; of several limits the first that is reached counts.

    Without one, sampled play has a limit only for ranges that do not become stable.
    """
    sampled = game.num_players > MAX_EXACT
    if target is None and iterations is None and seconds is None and not sampled:
        target = DEFAULT_TARGETS[game.num_players] * (sum(game.payouts) / 100 or 1.0)
    if iterations is None and seconds is None:
        iterations = MAX_SAMPLED_ITERATIONS if sampled else MAX_ITERATIONS[game.num_players]
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
    """Solve a game; without a limit two players to a mean gain of 1e-9 big blinds, three to 1e-4,
    and more until their ranges are stable.

    Args:
        game: What is played.
        target: Mean gain of a best response at which to stop, in big blinds or prizes; where
            deals are sampled, an upper bound of it.
        iterations: Limit of iterations.
        seconds: Limit of time.
        seed: Of the deals, for four and more players.
        progress: Called ten times a second with a solvers.run.Progress.
        counting: Called with the share done while three-way deals are counted, once.
    """
    limit = preflop_limit(game, target, iterations, seconds)
    work: Any
    if game.num_players <= MAX_EXACT:
        work = ExactPlay(game, counting)

        def mark(done: int, _: float) -> int:
            return done - done % 25 + 25
    else:
        from riverboat.holdem.preflop._sampled_play import SampledPlay, next_comparison

        until_stable = target is None and iterations is None and seconds is None
        work = SampledPlay(game, seed, until_stable=until_stable)

        def mark(done: int, _: float) -> int:
            return next_comparison(done)

    stopped = run(work, limit, progress=progress, marks=None if limit.target is None else mark)
    strategy = work.average()
    measured: Measured = work.measure(strategy)
    info = {
        "algorithm": work.algorithm,
        "iterations": work.iterations,
        "seconds": work.seconds,
        "seed": seed,
        "stopped": stopped,
        "unit": game.unit,
        "ev": measured.ev.tolist(),
        **_gains(measured),
    }
    if measured.sampled is not None:
        info["range_change"] = None if math.isnan(work.change) else work.change
        if until_stable:
            info["stable"] = work.finished
    return _solution(game, strategy, measured, info)


def _gains(measured: Measured) -> dict[str, Any]:
    """What best responses gain: the figures of `info`.

    Sampled gains are estimates from below, at least 0, with their intervals; `gains_below` are
    upper bounds, and `exploitability` is the mean of these.
    """
    sampled = measured.sampled
    if sampled is None:
        return {
            "method": "exact",
            "gains": measured.gains.tolist(),
            "exploitability": float(np.maximum(measured.gains, 0.0).mean()),
        }
    return {
        "method": "sampled",
        "ev_ci95": sampled.ev.tolist(),
        "gains": np.maximum(measured.gains, 0.0).tolist(),
        "gains_ci95": sampled.gains.tolist(),
        "gains_below": sampled.bounds.tolist(),
        "exploitability": float(sampled.bounds.mean()),
        "exploitability_is": "an upper bound",
    }


def _solution(
    game: PushFold, strategy: F64, measured: Measured, info: dict[str, Any]
) -> PreflopSolution:
    """The strategy (D, 169) of going all-in as decisions with lines, frequencies and EVs."""
    seats = tuple(name.lower() for name in game.names)
    reach = measured.reach[:, None]
    values = np.divide(
        measured.values, reach, out=np.full_like(measured.values, np.nan), where=reach > 0
    )
    chances = measured.reach.sum(axis=1)
    known = _known(game, strategy, values, chances, measured)
    errors = None if measured.sampled is None else measured.sampled.values
    nodes = []
    for row, decision in enumerate(game.decisions):
        before = decision.before
        put = {
            seat: game.stacks[i] if i in before else game.posts[i] + game.dead[i]
            for i, seat in enumerate(seats)
        }
        rare = not known[row].any()
        shown = np.zeros((2, NUM_CLASSES), bool) if rare else ~np.isnan(values[row])
        if errors is not None:
            shown &= ~np.isnan(errors[row])
        nodes.append(
            PreflopNode(
                tuple("a" if seat in before else "f" for seat in range(decision.player)),
                seats[decision.player],
                ("f", "a"),
                np.stack([1 - strategy[row], strategy[row]]),
                np.where(shown, values[row], np.nan),
                np.ones(NUM_CLASSES),
                put,
                errors=None if errors is None else np.where(shown, errors[row], np.nan),
                trained=None if known.all() else known[row],
                chance=min(1.0, float(chances[row])),
                stack=game.stacks[decision.player],
            )
        )
    stacks = ", ".join(f"{n} {stack:g}" for n, stack in zip(game.names, game.stacks, strict=True))
    title = f"all-in or fold, {stacks}"
    return PreflopSolution(title, game.as_dict(), seats, nodes, info)


def _known(
    game: PushFold, strategy: F64, values: F64, chances: F64, measured: Measured
) -> NDArray[np.bool_]:
    """(D, 169) the hands whose play the measured values `values` (D, 2, 169) bear out.

    Of a line that is rare no hand is. Of the others a hand is, unless its play loses more than
    TOLERANCE, or may do so for all that the sampled deals say.
    """
    stack = sum(game.payouts) / (game.num_players + len(game.others)) if game.payouts else 0.0
    tolerance = TOLERANCE * (stack or sum(game.stacks) / game.num_players / game.blinds[1])
    difference = values[:, 1] - values[:, 0]
    loss = np.where(difference > 0, (1 - strategy) * difference, -strategy * difference)
    least_chance, uncertain = MIN_CHANCE, np.zeros_like(loss)
    if measured.sampled is not None:
        from riverboat.holdem.preflop._sampled_play import RARE

        least_chance = RARE
        errors = np.hypot(*np.moveaxis(measured.sampled.values, 1, 0))
        uncertain = np.where(np.abs(difference) > errors, 0.0, errors)
    forced = np.array([game.forced(decision) for decision in game.decisions])
    # Comparisons with nan, where nothing is known, are false.
    known = (loss <= tolerance) & (uncertain <= tolerance) | forced[:, None]
    return np.asarray(known & (chances >= least_chance)[:, None])
