"""What solve and demo share: a run with the curve of its exploitability on the screen."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from riverboat.cli.live_curve import live_curve

if TYPE_CHECKING:
    from riverboat.games.base import Game
    from riverboat.solvers.limits import Limit, Progress
    from riverboat.solvers.result import SolveResult

__all__ = ["evaluate_file", "rescue", "solve_with_progress"]


def solve_with_progress(
    game: Game,
    limit: Limit | None,
    *,
    algorithms: Sequence[str] = ("auto",),
    simultaneous: bool = False,
    seed: int = 0,
    out: Path | None = None,
    resume: Path | None = None,
    memory: int = 4 << 30,
    threads: int = 1,
    device: str = "cpu",
    quiet: bool = False,
) -> list[SolveResult[Any]]:
    """Solve by each algorithm in turn, with the curve on the screen; `out` is renewed on the way.

    Ctrl-C ends the one that runs and leaves out the rest.
    """
    from riverboat.solvers.solve import solve

    results: list[SolveResult[Any]] = []
    with live_curve(game.title, _share_done(limit), quiet=quiet) as view:
        for algorithm in algorithms:
            result = solve(
                game,
                algorithm=algorithm,
                iterations=limit.iterations if limit else None,
                target=limit.target if limit else None,
                seconds=limit.seconds if limit else None,
                alternating=False if simultaneous else None,
                seed=seed,
                progress=view.show if view.screen else None,
                checkpoint=out,
                resume=resume,
                threads=threads,
                device=device,
                memory_limit=memory,
            )
            results.append(result)
            view.show(result.trace[-1])
            if result.stopped:
                break
    return results


def _share_done(limit: Limit | None) -> Callable[[Progress], float]:
    """How much of the way to the limit is behind; an exploitability counts by its logarithm."""
    from riverboat.solvers.solve import DEFAULT_TARGET

    first: list[float] = []

    def share(now: Progress) -> float:
        if limit is not None and limit.iterations is not None:
            return now.iterations / limit.iterations
        if limit is not None and limit.seconds is not None:
            return now.seconds / limit.seconds
        target = limit.target if limit is not None and limit.target else DEFAULT_TARGET
        if not first:
            first.append(max(now.exploitability, 2 * target))
        gone = math.log(first[0] / max(now.exploitability, target))
        return max(0.0, min(1.0, gone / math.log(first[0] / target)))

    return share


def rescue(game: Game, result: SolveResult[Any]) -> Path | None:
    """Where a run that was stopped without --out leaves what it learned; nothing is overwritten."""
    path = next(
        (p for n in range(100) if not (p := Path(f"{game.name}-stopped-{n}.rb")).exists()), None
    )
    if path is not None:
        result.save(path)
    return path


def evaluate_file(path: Path) -> dict[str, Any]:
    """The facts of a saved strategy of any kind, its evaluation computed anew."""
    from riverboat.front_door import evaluate
    from riverboat.games.registry import make_game
    from riverboat.solvers.result import caveat
    from riverboat.strategies.kinds import load_table

    strategy = load_table(path)
    found, info = evaluate(strategy), strategy.info
    facts = {
        "game": strategy.game,
        "parameters": dict(strategy.parameters),
        "algorithm": info.get("algorithm", info.get("method", "unknown")),
        "iterations": info.get("iterations", info.get("games", 0)),
        "seconds": info.get("seconds", 0.0),
        **found.as_dict(),
        "nodes": info.get("nodes"),
        "infosets": len(strategy),
        "seed": info.get("seed"),
        "file": str(path),
        "out": str(path),
        "note": caveat(make_game(strategy.game, strategy.parameters)),
    }
    return {key: value for key, value in facts.items() if value is not None}
