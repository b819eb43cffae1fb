"""Kuhn poker's equilibria: the first player may bluff at any rate, within bounds.

Kuhn ("A simplified two-person poker", 1950) found all of them. The first player bets a jack with
any probability α from 0 to 1/3, a king with 3α, and calls a bet with a queen with α + 1/3. The
second player has one answer only.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from riverboat.drawing.figures import Picture, Theme, drawing
from riverboat.errors import UsageError
from riverboat.games.kuhn import Kuhn
from riverboat.runtime.array_types import F64
from riverboat.strategies.any_strategy import AnyStrategy
from riverboat.trees.best_response import evaluate_profile
from riverboat.trees.game_tree import build_tree
from riverboat.trees.sequence_form import sequence_form

STEPS = 41
CALLS = {"J|b": 0.0, "Q|p": 0.0, "Q|b": 1 / 3, "K|p": 1.0, "K|b": 1.0, "J|p": 1 / 3}
"""How often the second player bets or calls, in every equilibrium."""


def kuhn_family(*results: Any, title: str = "", theme: str = "light") -> Picture:
    """All equilibria of Kuhn poker's first player, and what it costs to leave them.

    Left: what the first player does with each card, by the rate of bluffs. Right: what a perfect
    opponent wins per hand, by the rates of bets with jack and king: the free valley is
    king = 3 × jack.
    Results or strategies of Kuhn poker are marked where they lie.
    """
    marks = [_mark(result) for result in results]
    with drawing(theme, (9.2, 4.2)) as (figure, colours):
        left, right = figure.subplots(1, 2)
        alpha = np.linspace(0, 1 / 3, 50)
        lines = (("K bets", 3 * alpha), ("Q calls a bet", alpha + 1 / 3), ("J bets", alpha))
        for name, heights in lines:
            left.plot(alpha, heights, label=name)
        for jack, king, queen in marks:
            for height in (king, queen, jack):
                left.plot(jack, height, "o", color=colours.ink, markersize=5, clip_on=False)
        left.set(
            title=title or "Kuhn poker: a family of equilibria",
            xlabel="how often a jack bluffs",
            ylabel="probability",
            xlim=(0, 1 / 3),
            ylim=(0, 1.02),
        )
        left.grid(visible=True)
        left.legend()
        _valley(figure, right, [(jack, king) for jack, king, _ in marks], colours)
        return figure


def _valley(figure: Picture, axes: Axes, marks: list[tuple[float, float]], colours: Theme) -> None:
    jacks, kings = np.linspace(0, 0.5, STEPS), np.linspace(0, 1, STEPS)
    losses = kuhn_losses(jacks, kings)
    drawn = axes.pcolormesh(jacks, kings, losses, cmap=colours.heat, shading="nearest")
    drawn.set_rasterized(True)
    axes.contour(
        jacks, kings, losses, levels=[0.01, 0.02, 0.04, 0.08], colors=colours.faint, linewidths=0.6
    )
    axes.plot([0, 1 / 3], [0, 1], color=colours.colours[1], linewidth=2.4)
    axes.text(0.2, 0.53, "K = 3 × J", color=colours.ink, weight="bold", ha="left", va="top")
    for jack, king in marks:
        axes.plot(jack, king, "o", color=colours.ink, markersize=6, clip_on=False)
    axes.set(
        title="What a perfect opponent wins",
        xlabel="how often a jack bluffs",
        ylabel="how often a king bets",
        xlim=(0, 0.5),
        ylim=(0, 1),
    )
    figure.colorbar(drawn, ax=axes, label="per hand, beyond the game's value")


def kuhn_losses(jacks: F64, kings: F64) -> F64:
    """(K, J) what the first player loses to a best response beyond 1/18, by the bets.

    With a queen the player passes first, and calls with what a bluffer needs: α + 1/3, at most 2/3.
    """
    tree = build_tree(Kuhn())
    form = sequence_form(tree)
    chances = tree.uniform()
    slot = {
        (int(tree.players[i]), tree.infosets[i]): int(tree.offsets[i]) + 1
        for i in range(tree.num_infosets)
    }

    def put(player: int, infoset: str, chance: float) -> None:
        bet = slot[player, infoset]
        chances[bet - 1], chances[bet] = 1 - chance, chance

    for infoset, chance in CALLS.items():
        put(1, infoset, chance)
    put(0, "Q|", 0.0)
    put(0, "J|pb", 0.0)
    put(0, "K|pb", 1.0)
    losses = np.zeros((len(kings), len(jacks)))
    for j, jack in enumerate(jacks.tolist()):
        put(0, "J|", jack)
        put(0, "Q|pb", min(jack + 1 / 3, 2 / 3))
        for k, king in enumerate(kings.tolist()):
            put(0, "K|", king)
            losses[k, j] = evaluate_profile(form, chances).best_response[1] - 1 / 18
    return losses


def _mark(result: Any) -> tuple[float, float, float]:
    """How often the first player bets jack and king and calls with a queen."""
    strategy = result if isinstance(result, AnyStrategy) else getattr(result, "strategy", None)
    if not isinstance(strategy, AnyStrategy) or strategy.game != "kuhn":
        raise UsageError("The family is Kuhn poker's: give results or strategies of kuhn.")
    rows = [strategy.lookup(0, infoset) for infoset in ("J|", "K|", "Q|pb")]
    if None in rows:
        raise UsageError("The family is of Kuhn poker with two players.")
    jack, king, queen = (row["b"] for row in rows if row is not None)
    return jack, king, queen
