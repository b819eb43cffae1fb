"""The hand calculator: any hand, any up card, any cards already seen.

A simulation while it runs: what a round wins, and where a bankroll may go.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from nicegui import ui

from riverboat.blackjack.charts import UPS
from riverboat.blackjack.exact.analysis import Analysis, analyse, fresh_shoe
from riverboat.blackjack.rules import BlackjackRules, points
from riverboat.blackjack.simulation.simulate import (
    Simulation,
    SimulationResult,
    bankroll_fan,
    simulate,
)
from riverboat.drawing.html import Markup, join, pick_button, signed, tag
from riverboat.errors import ParameterError, RiverboatError
from riverboat.web.app.charts import LiveChart, fan_options
from riverboat.web.app.frame import button, error_note, panel
from riverboat.web.app.markup import Picture
from riverboat.web.blackjack.views import ORDER, hand_cards, worths

if TYPE_CHECKING:
    from riverboat.web.server import Site

CARDS = ORDER
MAX_SEEN = 400  # Cards that can be marked as seen


class HandCalculator:
    """A hand, an up card and what has been seen; the values follow every click."""

    def __init__(
        self,
        rules: Callable[[], BlackjackRules],
        fresh: Callable[[BlackjackRules], Analysis] = analyse,
    ) -> None:
        """`fresh` gives the analysis of a whole shoe, which others may have worked out already."""
        self.rules, self.fresh = rules, fresh
        self.hand, self.up, self.seen = "T6", "T", ""
        self.cached: tuple[BlackjackRules, str, Analysis] | None = None
        with ui.element("div").classes("columns halves"):
            with panel("The hand", "Click the cards that are on the table."):
                self.picker = Picture(on_pick=self._pick)
            with panel("What each action is worth"):
                self.answer = Picture(live=True)
        self.picker.show(self._picker())

    def _pick(self, text: str) -> None:
        what, _, rank = text.partition(":")
        if what == "hand" and rank in UPS and points(self.hand + rank)[0] <= 21:
            self.hand += rank
        elif what == "up" and rank in UPS:
            self.up = rank
        elif what == "seen" and rank in UPS and len(self.seen) < MAX_SEEN:
            self.seen += rank
        elif what == "unhand":
            self.hand = self.hand[:-1]
        elif what == "unseen":
            self.seen = self.seen[:-1]
        elif what == "clear":
            self.hand = ""
        elif what == "fresh":
            self.seen = ""
        self.refresh()

    def refresh(self) -> None:
        """Show the hand and its values under the rules as they are now."""
        self.picker.show(self._picker())
        try:
            self.answer.show(self._answer())
        except RiverboatError as error:
            self.answer.show(error_note(error))

    def _picker(self) -> Markup:
        total, soft = points(self.hand) if self.hand else (0, False)
        label = f"{'soft ' if soft else ''}{total}" if self.hand else "no cards"
        seen = "".join(sorted(self.seen, key=ORDER.index)) or "nothing"
        return tag(
            "div",
            _row("Your hand", "hand", label, [("unhand:", "undo"), ("clear:", "clear")]),
            tag("div", hand_cards(self.hand), cls="tray"),
            _row("Dealer shows", "up", self.up, []),
            tag("div", hand_cards(self.up), cls="tray"),
            _row("Seen before", "seen", seen, [("unseen:", "undo"), ("fresh:", "new shoe")]),
            cls="options",
        )

    def _analysis(self) -> Analysis:
        rules = self.rules()
        if self.cached is None or self.cached[:2] != (rules, self.seen):
            found = None
            if self.seen:
                if rules.decks == "infinite":
                    raise ParameterError("Seen cards need a finite shoe: choose 1 to 8 decks.")
                counts = zip(UPS, fresh_shoe(rules.decks), strict=True)
                shoe = [count - self.seen.count(rank) for rank, count in counts]
                if min(shoe) < 0:
                    raise ParameterError("More cards of a rank were seen than the shoe holds.")
                found = analyse(rules, shoe)
            self.cached = (rules, self.seen, found or self.fresh(rules))
        return self.cached[2]

    def _answer(self) -> Markup:
        if len(self.hand) < 2:
            return tag("p", "Give the hand two cards or more.", cls="muted")
        analysis = self._analysis()
        values = analysis.action_values(self.hand, self.up)
        insurance = None
        if self.up == "A" and analysis.rules.insurance and len(self.hand) == 2:
            ev = analysis.insurance(self.hand)
            verdict = "take it" if ev > 0 else "leave it"
            insurance = tag("p", f"Insurance is worth {signed(ev)} per unit of it: {verdict}.")
        why = tag("p", " ".join(analysis.explain(self.hand, self.up)), cls="muted")
        return tag("div", worths(values), insurance, why, cls="options")


def _row(label: str, what: str, value: str, extra: list[tuple[str, str]]) -> Markup:
    buttons = [pick_button(f"{what}:{rank}", rank, aria_label=f"{label}: {rank}") for rank in CARDS]
    others = [pick_button(pick, text) for pick, text in extra]
    head = tag("span", label, ": ", tag("b", value, cls="ink"))
    group = tag("div", buttons, cls="segments tight", role="group", aria_label=label)
    more = tag("div", others, cls="segments tight") if others else None
    return join(tag("div", head, tag("div", group, more, cls="line-up"), cls="option"))


STEP = 1 << 20  # Rounds between two looks at the page
HORIZON = 10_000  # Rounds that the fan looks ahead


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
        self.bar.set_value(0)
        self.figures.show(tag("p", "The simulator starts …", cls="muted"))
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
            (f"{signed(100 * result.ev)} %", f"won a round (± {100 * result.ci95:.4f}, 95 %)"),
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
