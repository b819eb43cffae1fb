"""Regret over time of one infoset: what each action would have gained, and what follows from it."""

from __future__ import annotations

import numpy as np

from riverboat.games.base import Game
from riverboat.pictures.figures import Picture, drawing
from riverboat.pictures.path_recording import SolverPath, solver_path


def regret_path(
    game: str | Game | SolverPath = "kuhn",
    infoset: str = "",
    *,
    player: int = 0,
    algorithm: str = "cfr",
    iterations: int = 1000,
    title: str = "",
    theme: str = "light",
) -> Picture:
    """The regret of each action by iterations above, the strategy that follows from it below.

    Regret is drawn as the algorithm keeps it, summed over the iterations. Thin lines are the
    strategy of each iteration, thick ones its average. A path that was recorded may be given
    in place of a game.
    """
    if isinstance(game, SolverPath):
        path = game
    else:
        path = solver_path(game, infoset, player=player, algorithm=algorithm, iterations=iterations)
    steps = np.arange(1, len(path.current) + 1)
    with drawing(theme, (7.0, 5.4)) as (figure, colours):
        above, below = figure.subplots(2, 1, sharex=True)
        for i, label in enumerate(path.labels):
            colour = colours.colours[i % len(colours.colours)]
            above.plot(steps, path.regrets[:, i], color=colour, label=label)
            below.plot(steps, path.current[:, i], color=colour, linewidth=0.7, alpha=0.55)
            below.plot(steps, path.average[:, i], color=colour, linewidth=2.4)
            below.annotate(
                f"{path.average[-1, i]:.3f}",
                (steps[-1], path.average[-1, i]),
                textcoords="offset points",
                xytext=(5, 0),
                va="center",
                color=colour,
                annotation_clip=False,
            )
        above.axhline(0, color=colours.faint, linewidth=0.8)
        above.set(title=title or path.title, ylabel="regret so far")
        below.set(ylabel="probability", xlabel="iterations", ylim=(-0.03, 1.03))
        below.set_xscale("log")
        for axes in (above, below):
            axes.grid(visible=True)
        above.legend()
        return figure
