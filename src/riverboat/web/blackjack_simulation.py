"""A simulation while it runs: what a round wins, and where a bankroll may go."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from nicegui import ui

from riverboat.blackjack.rules import BlackjackRules
from riverboat.blackjack.simulation.bankroll import bankroll_fan
from riverboat.blackjack.simulation.simulate import (
    Simulation,
    SimulationResult,
    simulate,
)
from riverboat.errors import RiverboatError
from riverboat.web.charts_options import fan_options
from riverboat.web.live_chart import LiveChart
from riverboat.web.markup import Picture, signed, tag
from riverboat.web.page_frame import button, error_note, panel
from riverboat.web.website import Site

__all__ = ["SimulationView"]

STEP = 1 << 20
"""Rounds between two looks at the page."""
HORIZON = 10_000
"""Rounds that the fan looks ahead."""


class SimulationView:
    """Plays the published chart under the page's rules, and shows the result as it grows."""

    def __init__(self, site: Site, rules: Callable[[], BlackjackRules]) -> None:
        self.site, self.rules = site, rules
        self.stopping = self.running = False
        with panel("Play it by the million", "The printed chart, flat bets, three quarters dealt."):
            with ui.element("div").classes("line-up"):
                self.rounds = (
                    ui.select(
                        {10: "10 million rounds", 100: "100 million", 1000: "a billion"}, value=10
                    )
                    .props("outlined dense options-dense")
                    .style("max-width: 220px")
                )
                self.start = button("Start", self._run, main=True, icon="play_arrow")
                self.stop = button("Stop", self._stop, icon="stop")
                self.stop.set_enabled(False)
            self.bar = ui.linear_progress(0, show_value=False).props("rounded")
            self.figures = Picture(live=True)
        with panel("Where a bankroll may go", "Half and nine tenths of all players, by rounds."):
            self.fan = LiveChart(fan_options([], []), 340)

    def _stop(self) -> None:
        self.stopping = True

    async def _run(self) -> None:
        if self.running:
            return
        self.running, self.stopping = True, False
        self.start.set_enabled(False)
        self.stop.set_enabled(True)
        wanted, done = int(self.rounds.value) * 1_000_000, 0
        total: SimulationResult | None = None
        try:
            simulation = Simulation(self.rules())
            loop = asyncio.get_running_loop()
            while done < wanted and not self.stopping:
                part = min(STEP * (1 if done < 4 * STEP else 8), wanted - done)
                work = partial(simulate, simulation, part, seed=done)
                more = await loop.run_in_executor(self.site.workers, work)
                total = more if total is None else total.merged(more)
                done = total.rounds
                self._show(total, done / wanted)
        except RiverboatError as error:
            self.figures.show(error_note(error))
        finally:
            self.running = False
            self.start.set_enabled(True)
            self.stop.set_enabled(False)

    def _show(self, result: SimulationResult, share: float) -> None:
        self.bar.set_value(min(1.0, share))
        deviation = result.variance**0.5
        tiles = (
            (f"{result.rounds / 1e6:,.0f} M", "rounds"),
            (f"{signed(100 * result.ev)} %", f"won a round (± {196 * result.stderr:.4f}, 95 %)"),
            (f"{deviation:.3f}", "standard deviation, in bets"),
        )
        self.figures.show(
            tag(
                "div",
                [tag("div", tag("b", big), tag("span", text), cls="tile") for big, text in tiles],
                cls="tile-row",
            )
        )
        fan = bankroll_fan(result, HORIZON)
        self.fan.show(fan_options(fan.rounds, fan.bands))
