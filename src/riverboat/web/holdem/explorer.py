"""Node locking by painting: a brush of one action and a share, and what is locked so far.

A spot being solved, then walked through: grid, hands, graphs, runouts and locks.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from nicegui import ui
from nicegui.events import GenericEventArguments

from riverboat.cards.combos import CLASS_NAMES
from riverboat.drawing.html import Markup, join, pick_button, tag
from riverboat.drawing.palette import action_colours
from riverboat.errors import RiverboatError
from riverboat.holdem.spots.cursor import SpotCursor
from riverboat.holdem.spots.lock_painting import marks, paint, unpaint
from riverboat.holdem.spots.locks import Lock
from riverboat.holdem.spots.node_views import CardRow, next_cards, node_curves
from riverboat.holdem.spots.solve import load_solved
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.holdem.spots.three_way_solved import SolvedThreeWay
from riverboat.holdem.spots.tree import NodeKind
from riverboat.web.app.charts import LiveChart, curve_options
from riverboat.web.app.frame import (
    ask_name,
    button,
    choice_buttons,
    error_note,
    in_thread,
    panel,
    segments,
)
from riverboat.web.app.markup import Picture
from riverboat.web.holdem.spot_runs import SpotRun, SpotRuns
from riverboat.web.holdem.spot_views import (
    METRICS,
    change_table,
    hand_table,
    mix_grid,
    node_breadcrumb,
    reach_grid,
    runout_grid,
)

if TYPE_CHECKING:
    from riverboat.web.server import Site

FREE = ""  # The brush that takes locks away
MAX_CHARS = 60  # Characters of a lock's hands that are shown


class LockPainter:
    """Tools below the grid. `on_change` is called when a lock or the mode changes."""

    def __init__(
        self, run: SpotRun, on_change: Callable[[], None], on_solve: Callable[[], Any]
    ) -> None:
        self.run, self.on_change = run, on_change
        self.on = False
        self.action = FREE
        self.at: SpotCursor | None = None
        self.mode = Picture(on_pick=self._pick)
        with ui.element("div").classes("lock-tools") as self.tools:
            self.brushes = Picture(on_pick=self._pick)
            with ui.element("div").classes("line-up brush-line") as self.share_line:
                self.share = ui.slider(min=0, max=100, step=5, value=100).props("dense")
                self.share.props('aria-label="Share of the brush, per cent"')
                self.share.on_value_change(lambda: self._show_share())
                self.words = Picture()
        self.list = Picture(on_pick=self._pick)
        with ui.element("div").classes("line-up"):
            self.solve = button("Solve again with locks", on_solve, main=True, icon="lock")

    @property
    def locks(self) -> list[Lock]:
        return self.run.painted

    def show(self, at: SpotCursor | None) -> None:
        """At another node."""
        self.at = at
        if at is None or (self.action and self.action not in at.actions):
            self.action = FREE
        if at is not None and at.player >= 0 and not self.action:
            self.action = at.actions[0]
        self._show()

    def painted(self, text: str) -> None:
        """Cells that were dragged over, as "paint:AA,KK"."""
        if self.at is None or not self.on:
            return
        names = [name for name in text.partition(":")[2].split(",") if name]
        try:
            if self.action == FREE:
                self.run.paint(unpaint(self.locks, self.at.node_id, names))
            else:
                share = float(self.share.value) / 100
                self.run.paint(paint(self.locks, self.at, names, self.action, share))
        except RiverboatError as error:
            ui.notify(str(error), type="warning")
        self._changed()

    def _pick(self, text: str) -> None:
        kind, _, what = text.partition(":")
        if kind == "mode":
            self.on = what == "lock"
        elif kind == "brush" and self.at is not None and what in (FREE, *self.at.actions):
            self.action = what
        elif kind == "unlock":
            kept = [lock for i, lock in enumerate(self.locks) if str(i) != what]
            self.run.paint(kept if what != "all" else [])
        self._changed()

    def _changed(self) -> None:
        self._show()
        self.on_change()

    def _show(self) -> None:
        acts = self.at is not None and self.at.player >= 0
        self.mode.show(_modes(self.on) if acts else Markup(""))
        self.tools.set_visibility(acts and self.on)
        if acts and self.at is not None:
            self.brushes.show(_brushes(self.at, self.action))
        self.share_line.set_visibility(self.action != FREE)
        self.list.show(_list(self.locks))
        changed = self.locks != list(self.run.order.locks)
        self.solve.set_visibility(changed and not self.run.running)
        self.solve.set_text("Solve again with locks" if self.locks else "Solve again without locks")
        self._show_share()

    def _show_share(self) -> None:
        words = f"{self.action} {self.share.value:g} %"
        if self.share.value < 100:
            words += ", the rest as now"
        self.words.show(tag("span", words, cls="muted small nowrap"))


def _modes(on: bool) -> Markup:
    choices = (("look", "Look"), ("lock", "Lock by painting"))
    return choice_buttons("mode:", choices, "lock" if on else "look", "What a click does")


def _brushes(at: SpotCursor, chosen: str) -> Markup:
    named = list(zip(at.actions, action_colours(at.actions), strict=True))
    buttons = [
        pick_button(
            f"brush:{action}",
            tag("i", cls="dot", style=f"background:{colour}") if colour else None,
            words,
            aria_pressed="true" if action == chosen else "false",
        )
        for action, words, colour in [*((a, a, c) for a, c in named), (FREE, "free again", "")]
    ]
    return tag("div", buttons, cls="segments wrap brushes", role="group", aria_label="Brush")


def _list(locks: list[Lock]) -> Markup:
    if not locks:
        return Markup("")
    rows = []
    for number, lock in enumerate(locks):
        hands = lock.hands or "every hand"
        shown = hands if len(hands) <= MAX_CHARS else hands[:MAX_CHARS] + " …"
        mix = ", ".join(f"{a} {s:.0%}" for a, s in lock.strategy.items() if s > 0)
        away = pick_button(
            f"unlock:{number}",
            "remove",
            cls="linklike",
            aria_label=f"Remove the lock of {shown} at {lock.node}",
        )
        node = tag("code", lock.node, cls="muted")
        rows.append(tag("li", tag("b", shown), " ", mix, " ", node, " ", away))
    every = pick_button("unlock:all", "Remove all", cls="linklike")
    return tag(
        "div",
        tag("h3", "Locked ", every if len(locks) > 1 else None),
        tag("ul", rows),
        cls="lock-list",
    )


REFRESH_SECONDS = 0.3
GRAPHS = {"equity": "Equity", "ev": "EV"}
EXPLOITABLE = "of the pot is exploitable"
PROMISE = (
    "In chips. A gain is what a player could win more by the best answer to the other two."
    " Small gains are all that is promised for three: other solutions may exist and pay otherwise."
)


@lru_cache(maxsize=3)
def loaded(path: str, changed: float) -> SolvedSpot | SolvedThreeWay:
    """The spot in a file; its time of change makes a new one another key."""
    return load_solved(path)


class SpotExplorer:
    """Progress while it is solved, then the walk through it."""

    def __init__(self, site: Site, runs: SpotRuns, spot_run: SpotRun, node: str) -> None:
        self.site, self.runs, self.run, self.node = site, runs, spot_run, node
        self.at: SpotCursor | None = None
        self.cards: list[CardRow] = []
        self.picked, self.graph, self.metric = "", "equity", "mix"
        self.seen: int | None = None
        """The player whose hands are shown; None for the one who acts."""
        with ui.element("div").classes("columns halves even"):
            with panel() as self.breadcrumb_panel:
                self.breadcrumb = Picture(on_pick=self._pick)
            with panel():
                self.facts = Picture(live=True)
                with ui.element("div").classes("line-up"):
                    self.stop = button("Stop", spot_run.stop, icon="stop")
                    self.drill = button("Drill", self._drill, main=True, icon="school")
                    button("Change", self._again, icon="edit")
                    self.save = button("Save", self._save, icon="save")
        with ui.element("div").classes("columns halves") as self.body:
            with panel() as self.left:
                self.title = Picture()
                self.players = Picture(on_pick=self._pick)
                self.metrics = Picture(on_pick=self._pick)
                self.grid = Picture(on_pick=self._pick)
                self.grid.element.props('data-reveal=".hands-box"')
                self.grid.element.on("paint", self._painted, js_handler="(e) => emit(e.detail)")
                self.painter = LockPainter(spot_run, self._show_grid, self._solve_locked)
            with ui.element("div").classes("stack"):
                with panel():
                    self.hands = Picture(on_pick=self._pick, cls="hands-box")
                with panel():
                    self.graphs = Picture(on_pick=self._pick)
                    self.chart = LiveChart(_graph({}, "equity"), 280)
        for part in (self.breadcrumb_panel, self.body, self.drill, self.save):
            part.set_visibility(False)
        ui.on("riverboat-address", self._came_back)
        self.timer = ui.timer(REFRESH_SECONDS, self._refresh)

    async def _refresh(self) -> None:
        if self.run.running:
            self.runs.poll()
        self.facts.show(_facts(self.run))
        if self.run.running:
            return
        self.timer.deactivate()
        self.stop.set_visibility(False)
        if self.run.solved:
            changed = self.run.path.stat().st_mtime
            try:
                solved: Any = await in_thread(loaded, str(self.run.path), changed)
            except RiverboatError as error:
                self.facts.show(error_note(error))
                return
            self.solved: SolvedSpot | SolvedThreeWay = solved
            for part in (self.breadcrumb_panel, self.body, self.drill, self.save):
                part.set_visibility(True)
            await self._go(self.node)

    async def _pick(self, text: str) -> None:
        kind, _, what = text.partition(":")
        if self.at is None:
            return
        if kind == "class":
            self.picked = what
            self._show_grid()
            self._show_hands()
        elif text.startswith("player=") and text[7:] in self.at.names:
            self.seen = self.at.names.index(text[7:])
            self.painter.show(self.at if self.seen == self.at.player else None)
            self._show_grid()
            self._show_hands()
        elif text.startswith("metric=") and text[7:] in METRICS:
            self.metric = text[7:]
            self._show_grid()
        elif text.startswith("graph=") and text[6:] in GRAPHS:
            self.graph = text[6:]
            await self._show_graph(self.at)
        try:
            if kind == "node":
                await self._go(what)
            elif kind == "play":
                await self._take(self.at.play(what))
            elif kind == "deal":
                at: Any = await in_thread(self.at.deal, what)
                await self._take(at)
        except RiverboatError as error:
            ui.notify(str(error), type="warning")

    async def _go(self, node: str) -> None:
        try:
            at: Any = await in_thread(self.solved.at, node)
        except RiverboatError as error:
            ui.notify(str(error), type="warning")
            at = self.solved.at("r:0")
        await self._take(at)

    async def _came_back(self, event: GenericEventArguments) -> None:
        """The browser's Back or Forward: show the node of the address."""
        node = parse_qs(str(event.args).removeprefix("?")).get("node", ["r:0"])[0]
        if self.at is not None and node != self.at.node_id:
            self.node = node  # is in the address already
            await self._go(node)

    async def _take(self, at: SpotCursor) -> None:
        """Show a node; its figures are computed in a thread."""
        address = f"/holdem/spots/{self.run.name}?node={at.node_id}"
        if self.at is None or at.node_id == self.node:
            ui.navigate.history.replace(address)
        else:
            ui.navigate.history.push(address)
        self.at, self.node, self.seen = at, at.node_id, None
        self.breadcrumb.show(node_breadcrumb(at))
        if at.kind == NodeKind.CHANCE:
            self.title.show(tag("h2", "The next card"))
            self.grid.show(tag("p", "Looking at every card …", cls="muted"))
            rows: Any = await in_thread(next_cards, at)
            self.cards = rows
        else:
            await in_thread(at.summary)
        if self.at is not at:
            return
        self.painter.show(at)
        self._show_grid()
        self._show_hands()
        await self._show_graph(at)

    def _show_grid(self) -> None:
        at = self.at
        if at is None:
            return
        who = at.acting(self.seen)
        names = [(name, name.upper()) for name in at.names]
        ends = at.player < 0 and at.kind != NodeKind.CHANCE
        hands = Markup("") if ends else segments("player", names, at.names[who], "Hands of")
        self.players.show(hands)
        self.metrics.show(Markup(""))
        if at.kind == NodeKind.CHANCE:
            names = [(name, words) for name, (words, _) in METRICS.items()]
            self.metrics.show(segments("metric", names, self.metric, "Cards show"))
            self.grid.show(runout_grid(at, self.cards, self.metric, who))
        elif ends:
            self.title.show(tag("h2", "The end"))
            self.grid.show(tag("p", f"The hand ends here with {at.pot:g} in the pot.", cls="muted"))
        else:
            acts = who == at.player
            what = "Strategy" if acts else "Range"
            out = ", who has folded" if who in at.node.folded else ""
            self.title.show(tag("h2", f"{what} of {at.names[who].upper()}{out}"))
            locked, paints = marks(self.painter.locks, at), self.painter.on
            self.grid.show(
                mix_grid(at, self.picked, painted=locked, paints=paints)
                if acts
                else reach_grid(at, who, self.picked)
            )

    def _show_hands(self) -> None:
        at = self.at
        if at is not None and at.kind == NodeKind.CHANCE:
            title = tag("h2", "Cards that change the betting most")
            table = change_table(self.cards, at.acting(self.seen))
            self.hands.show(tag("div", title, table, cls="options"))
        elif at is not None and at.player >= 0:
            title = tag("h2", f"Hands of {self.picked}" if self.picked else "Hands")
            table = hand_table(at, self.picked, self.seen)
            self.hands.show(tag("div", title, table, cls="options"))
        else:
            self.hands.show(tag("p", "Nobody acts here.", cls="muted"))

    async def _show_graph(self, at: SpotCursor) -> None:
        self.graphs.show(segments("graph", list(GRAPHS.items()), self.graph, "Best hands first"))
        found: Any = await in_thread(_curves, at, self.graph)
        if self.at is at:
            self.chart.show(_graph(found, self.graph))

    def _painted(self, event: GenericEventArguments) -> None:
        text = str(event.args)
        last = text.rpartition(":")[2].rpartition(",")[2]
        if last in CLASS_NAMES and self.painter.on:
            self.picked = last
        self.painter.painted(text)
        self._show_hands()

    def _solve_locked(self) -> None:
        try:
            order = self.run.order
            made = self.runs.begin(replace(order, locks=tuple(self.run.painted)))
        except RiverboatError as error:
            ui.notify(str(error), type="negative", multi_line=True)
            return
        node = f"?node={self.at.node_id}" if self.at is not None else ""
        ui.navigate.to(f"/holdem/spots/{made.name}{node}")

    def _drill(self) -> None:
        ui.navigate.to(f"/holdem/spots/{self.run.name}/drill")

    def _again(self) -> None:
        ui.navigate.to(f"/holdem/spots?copy={self.run.name}")

    async def _save(self) -> None:
        path = await ask_name(self.site.library, "spot")
        if path is not None:
            await in_thread(self.solved.save, path)
            ui.notify(f"Saved as {path.name}.", type="positive")


def _facts(spot_run: SpotRun) -> Markup:
    facts, last = spot_run.facts, spot_run.points[-1] if spot_run.points else None
    three = spot_run.spot.num_players == 3
    unit = spot_run.spot.unit_name
    if spot_run.solved and "ev" in facts:
        gap = facts["gain_sum_pct" if three else "exploitability_pct"]
        tiles = [
            (f"{gap:.3f} %", "of the pot, all gains together" if three else EXPLOITABLE),
            (f"{facts['iterations']:,}", f"iterations, {facts['seconds']:.1f} s"),
        ]
        if not three:
            both = " / ".join(f"{ev:z.2f}" for ev in facts["ev"])
            tiles.insert(1, (both, f"EV of OOP / IP, {unit}"))
        if spot_run.order.locks:
            nodes = len({lock.node for lock in spot_run.order.locks})
            tiles.append((f"{nodes}", "locked node" if nodes == 1 else "locked nodes"))
        shown = [tag("div", tag("b", b), tag("span", s), cls="tile") for b, s in tiles]
        row = tag("div", shown, cls="tile-row")
        return tag("div", row, _gains(spot_run.spot, facts), cls="options") if three else row
    if not spot_run.running:
        return error_note(spot_run.state)
    words = "The solver starts …"
    if last is not None:
        what = "chips to gain" if three else f"{unit} exploitable"
        chips = "" if not last[2] <= 1e12 else f", {last[2]:.3g} {what}"
        words = f"{last[0]:,} iterations in {last[1]:.1f} s{chips}"
    if spot_run.state == "waiting":
        words = "Waiting for its turn: other spots are being solved."
    target, size = spot_run.order.target, facts.get("memory")
    memory = f" · {size / 1e6:.0f} MB" if size else ""
    aim = f" · until {target} of the pot" if target.endswith("%") else ""
    return tag("p", words + memory + aim, cls="strong")


def _gains(spot: Any, facts: dict[str, Any]) -> Markup:
    """EV of each of three players, and what they could win more by changing alone."""
    head = tag("tr", tag("th", "player"), [tag("th", w, cls="r") for w in ("EV", "gain", "of pot")])
    rows = [
        tag(
            "tr",
            tag("td", tag("b", name.upper())),
            tag("td", f"{ev:z.2f}", cls="r"),
            tag("td", f"{gain:z.4f}", cls="r"),
            tag("td", f"{100 * gain / spot.pot:z.3f} %", cls="r"),
        )
        for name, ev, gain in zip(spot.names, facts["ev"], facts["gains"], strict=True)
    ]
    return join(tag("table", head, rows, cls="plain"), tag("p", PROMISE, cls="muted small"))


def _curves(at: SpotCursor, value: str) -> dict[str, list[tuple[float, float]]]:
    scale = 100.0 if value == "equity" else 1.0
    return {
        f"{at.names[curve.player].upper()}, mean {scale * curve.mean:.1f}": curve.points(scale)
        for curve in node_curves(at, value)
        if len(curve.values) and curve.player not in at.node.folded
    }


def _graph(curves: dict[str, list[tuple[float, float]]], value: str) -> dict[str, Any]:
    """Axes are given in full: the chart would keep those of the other graph."""
    words = "equity, per cent" if value == "equity" else "EV, chips"
    options = curve_options(curves, x="per cent of the range", y=words, log=False)
    options["xAxis"].update(min=0, max=100, scale=False)
    low, high = 0.0, 100.0
    if value == "ev":
        values = [y for points in curves.values() for _, y in points] or [0.0, 1.0]
        step = 10.0 ** math.floor(math.log10(max(max(values) - min(values), 0.1))) / 2
        low = step * math.floor(min(0.0, *values) / step)
        high = step * math.ceil(max(0.0, *values) / step)
    options["yAxis"].update(min=low, max=max(high, low + 0.1), scale=False)
    for series in options["series"]:
        series["showSymbol"] = False
    return options
