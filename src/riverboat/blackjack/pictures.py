"""Blackjack in pictures: what each deal is worth, the chart, and where a bankroll may go."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from riverboat.blackjack.chart_drawing import chart_marks
from riverboat.blackjack.charts import UPS, BlackjackChart
from riverboat.blackjack.exact.analysis import Analysis, analyse
from riverboat.blackjack.exact.best_chart import best_chart
from riverboat.blackjack.exact.hand_tables import hand_table
from riverboat.blackjack.rules import BlackjackRules, rules_from
from riverboat.blackjack.simulation.result import SimulationResult
from riverboat.blackjack.simulation.simulate import BankrollFan
from riverboat.blackjack.simulation.simulate import bankroll_fan as fan_of
from riverboat.drawing.figures import Picture, Theme, drawing, ink_on
from riverboat.errors import UsageError
from riverboat.runtime.array_types import F64

COLUMNS = "23456789TA"
HARD = tuple(f"{total}" for total in range(20, 3, -1))
SOFT = tuple(f"A,{card}" for card in "98765432A")
Rules = BlackjackRules | Analysis | str


def _rules(rules: Rules) -> BlackjackRules:
    if isinstance(rules, Analysis):
        return rules.rules
    return rules_from(rules, {}) if isinstance(rules, str) else rules


def blackjack_landscape(
    rules: Rules = "vegas-6d-s17", *, title: str = "", theme: str = "light"
) -> Picture:
    """What the first two cards are worth against each up card, exactly, when played best.

    Above the whole round by up card; below hard totals (pairs among them) and soft hands, in parts
    of the bet, a dealer's blackjack included. Rules are a preset's name, rules, or an analysis.
    """
    analysis = rules if isinstance(rules, Analysis) else analyse(_rules(rules))
    values = landscape_values(analysis)
    ev = [analysis.ev_by_up.get(up, np.nan) for up in COLUMNS]
    with drawing(theme, (7.0, 8.2)) as (figure, colours):
        bars, hard, soft = figure.subplots(
            3, 1, sharex=True, height_ratios=(2.2, len(HARD) / 2.6, len(SOFT) / 2.6)
        )
        shades = [colours.colours[0] if value >= 0 else colours.colours[1] for value in ev]
        bars.bar(range(10), ev, color=shades, width=0.82)
        bars.axhline(0, color=colours.ink, linewidth=0.8)
        for column, value in enumerate(ev):
            bars.annotate(
                f"{value:+z.3f}",
                (column, value),
                textcoords="offset points",
                xytext=(0, 3 if value >= 0 else -3),
                ha="center",
                va="bottom" if value >= 0 else "top",
                fontsize=8,
            )
        low, high = np.nanmin([*ev, 0]), np.nanmax([*ev, 0])
        bars.set_ylim(low - 0.2 * (high - low), high + 0.2 * (high - low))
        name = f"A round is worth {analysis.ev:+z.5f} of the bet"
        bars.set(title=title or f"Blackjack by up card. {name}", ylabel="round")
        limit = float(np.nanmax(np.abs(values)))
        _heat(hard, values[: len(HARD)], HARD, limit, colours)
        drawn = _heat(soft, values[len(HARD) :], SOFT, limit, colours)
        hard.set_ylabel("hard total")
        soft.set(ylabel="soft hand", xlabel="the dealer's up card")
        soft.set_xticks(range(10), [*COLUMNS[:8], "10", "A"])
        figure.colorbar(drawn, ax=[hard, soft], label="value in bets", shrink=0.7)
        return figure


def _heat(axes: Axes, values: F64, names: tuple[str, ...], limit: float, colours: Theme) -> Any:
    drawn: Any = axes.imshow(values, cmap=colours.gains, vmin=-limit, vmax=limit, aspect="auto")
    for (row, column), value in np.ndenumerate(values):
        if np.isfinite(value):
            ink = ink_on(drawn.cmap(drawn.norm(value)))
            axes.text(
                column, row, f"{value:+z.2f}", ha="center", va="center", fontsize=6.5, color=ink
            )
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    return drawn


def landscape_values(analysis: Analysis) -> F64:
    """(17 + 9, 10) the value of hard 20 … 4 and of A,9 … A,A by the up cards 2 … T, A.

    A total's hands are weighted by how often they are dealt; NaN where the shoe deals none.
    """
    sums, chances = np.zeros((2, len(HARD) + len(SOFT), 10))
    table = hand_table()
    for column, up in enumerate(COLUMNS):
        number = UPS.index(up)
        if not analysis.engine.counts[number]:
            continue
        for p, hand, pair_left in analysis.deals(number):
            cards = [card for card, n in enumerate(table.counts[hand]) for _ in range(int(n))]
            if 0 in cards:
                other = cards[1]
                if other == 9:
                    continue  # a blackjack is paid before anything is decided
                row = len(HARD) + (8 if other == 0 else 8 - other)
            else:
                row = 20 - sum(card + 1 for card in cards)
            chances[row, column] += p
            sums[row, column] += p * analysis.round_value(hand, number, pair_left)
    with np.errstate(invalid="ignore"):
        return sums / chances


def chart(
    rules: Rules = "vegas-6d-s17",
    strategy: BlackjackChart | None = None,
    *,
    note: str = "",
    theme: str = "light",
) -> Picture:
    """The basic strategy for a table: the best chart by exact values, or the one given."""
    table = _rules(rules)
    marks, width, height = chart_marks(strategy or best_chart(table), table, note)
    with drawing(theme, (width / 96, height / 96)) as (figure, colours):
        figure.set_layout_engine("none")
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, width), ylim=(height, 0))
        axes.set_axis_off()
        for mark in marks:
            x, y, ink = mark.x, mark.y, colours.ink
            if mark.fill:
                axes.add_patch(Rectangle((x, y), mark.width, mark.height, color=mark.fill, lw=0))
                x, y, ink = x + mark.width / 2, y + mark.height / 2 + 0.35 * mark.size, "#000000"
            size, weight = 0.75 * mark.size, "bold" if mark.bold else "normal"
            side = {"start": "left", "middle": "center", "end": "right"}[mark.anchor]
            style: dict[str, Any] = {"fontsize": size, "weight": weight, "ha": side}
            axes.text(x, y, mark.text, va="baseline", color=ink, **style)
        return figure


def bankroll_fan(
    result: SimulationResult | BankrollFan,
    rounds: int = 10_000,
    *,
    title: str = "",
    theme: str = "light",
) -> Picture:
    """Where a bankroll may go: the bands that hold half and nine tenths of all players."""
    if not isinstance(result, SimulationResult | BankrollFan):
        raise UsageError(f"{type(result).__name__} is no result of a simulation.")
    fan = result if isinstance(result, BankrollFan) else fan_of(result, rounds)
    with drawing(theme) as (figure, colours):
        axes = figure.add_subplot()
        for name, low, high in fan.bands[:-1]:
            axes.fill_between(
                fan.rounds, low, high, color=colours.colours[0], alpha=0.25, label=name
            )
        name, middle, _ = fan.bands[-1]
        axes.plot(fan.rounds, middle, color=colours.colours[1], label=name)
        axes.axhline(0, color=colours.ink, linewidth=0.8)
        axes.set(
            title=title or "Where a bankroll may go",
            xlabel="rounds",
            ylabel="won, in betting units",
            xlim=(0, fan.rounds[-1]),
        )
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.grid(visible=True)
        axes.legend(loc="upper left")
        return figure
