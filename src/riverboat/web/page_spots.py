"""Hold'em spots: set one up, solve it with progress, and walk through the solution."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from nicegui import app, run, ui

from riverboat.errors import RiverboatError
from riverboat.holdem.spots.solved_spot import SolvedSpot
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.spot_cursor import SpotCursor
from riverboat.holdem.spots.spot_tree import NodeKind
from riverboat.web.charts_options import curve_options
from riverboat.web.live_chart import LiveChart
from riverboat.web.markup import Markup, Picture, signed, tag
from riverboat.web.page_equity import holdem_tabs
from riverboat.web.page_frame import button, error_note, heading, page, panel
from riverboat.web.range_editor import RangeEditor
from riverboat.web.spot_views import equity_curves, hand_table, mix_grid, node_way, runout_table
from riverboat.web.spot_work import SpotRun, SpotRuns
from riverboat.web.website import Site

__all__ = ["register"]

LOOK = 0.3
OOP = "66-TT,AJs,ATs,A5s-A2s,KJs+,QTs+,J9s+,T8s+,97s+,86s+,75s+,AQo,KQo"
IP = "22+,A2s+,K9s+,Q9s+,J9s+,T9s,98s,87s,76s,ATo+,KJo+,QJo"


def register(site: Site) -> None:
    """Put the pages at their addresses."""
    runs = SpotRuns(site.settings.folder / ".web" / "spots")
    app.on_shutdown(runs.end)

    @ui.page("/holdem/spots")
    def editor(copy: str = "") -> None:
        with page("Hold'em", "/holdem"):
            heading("Spots", "A board, two ranges, a pot and bet sizes: solved hand by hand.")
            holdem_tabs("/holdem/spots")
            SpotEditor(runs, runs.find(copy) if copy else None)
            with panel("Solved before"):
                Picture(_recent(runs))

    @ui.page("/holdem/spots/{name}")
    def explorer(name: str, node: str = "r:0", player: int = -1) -> None:
        found = runs.find(name)
        with page("Hold'em", "/holdem"):
            heading("A spot")
            holdem_tabs("/holdem/spots")
            if found is None:
                Picture(error_note("There is no such spot; it was not kept or never begun."))
            else:
                SpotExplorer(site, found, node[:300])


def _recent(runs: SpotRuns) -> Markup:
    rows = []
    for each in runs.recent():
        board = str(Spot.from_toml(each.toml).board and each.toml.splitlines()[0])
        value = each.facts.get("exploitability_pct")
        words = each.state if value is None else f"exploitability {value:.2f} % of the pot"
        link = tag(
            "a", board.partition("=")[2].strip(' "') or each.name, href=f"/holdem/spots/{each.name}"
        )
        rows.append(tag("tr", tag("td", link), tag("td", words, cls="muted")))
    if not rows:
        return tag("p", "None yet.", cls="muted")
    return tag("table", rows, cls="plain")


class SpotEditor:
    """The form; solving opens the explorer's address."""

    def __init__(self, runs: SpotRuns, old: SpotRun | None) -> None:
        self.runs = runs
        spot = Spot.from_toml(old.toml) if old else None
        fields = _fields(spot)
        with panel("The spot"), ui.element("div").classes("form-grid"):
            self.board = _input("Board", fields["board"])
            self.pot = _input("Pot", fields["pot"])
            self.stack = _input("Stack behind", fields["stack"])
            self.rate = _input("Rake, per cent", fields["rate"])
            self.cap = _input("Rake, at most", fields["cap"])
            self.target = _input("Solve to, % of the pot", "0.5")
        with panel(
            "Bet sizes", "33% of the pot, 2.5x the bet, 100c chips, a all-in; commas between."
        ):
            self.sizes: dict[str, tuple[ui.input, ui.input]] = {}
            with ui.element("div").classes("form-grid"):
                for street in ("flop", "turn", "river"):
                    bet, raises = fields[street]
                    self.sizes[street] = (
                        _input(f"Bets on the {street}", bet),
                        _input(f"Raises on the {street}", raises),
                    )
        with ui.element("div").classes("columns halves"):
            with panel("OOP, acts first"):
                first = str(spot.ranges[0]) if spot else OOP
                self.oop = RangeEditor("OOP", first, lambda: None)
            with panel("IP, acts second"):
                second = str(spot.ranges[1]) if spot else IP
                self.ip = RangeEditor("IP", second, lambda: None)
        with panel():
            button("Solve", self._solve, main=True, icon="play_arrow")

    def _solve(self) -> None:
        try:
            spot = Spot.from_toml(self._toml())
            made = self.runs.begin(spot, f"{str(self.target.value).strip(' %')}%")
        except RiverboatError as error:
            ui.notify(str(error), type="negative", multi_line=True)
            return
        ui.navigate.to(f"/holdem/spots/{made.name}")

    def _toml(self) -> str:
        """The form as the text of a spot's file, which says what is wrong with it."""
        rate = _plain(self.rate.value) or "0"
        lines = [
            f"board = {json.dumps(str(self.board.value or ''))}",
            f"pot = {_plain(self.pot.value)}",
            f"stack = {_plain(self.stack.value)}",
            "[ranges]",
            f"oop = {json.dumps(str(self.oop.range))}",
            f"ip = {json.dumps(str(self.ip.range))}",
        ]
        if rate not in ("0", "0.0"):
            share = float(rate) / 100
            lines += ["[rake]", f"rate = {share:.6g}", f"cap = {_plain(self.cap.value)}"]
        for street, (bet, raises) in self.sizes.items():
            b, r = json.dumps(str(bet.value or "")), json.dumps(str(raises.value or ""))
            both = f"{{ bet = {b}, raise = {r} }}"
            lines += [f"[sizes.{street}]", f"oop = {both}", f"ip = {both}"]
        return "\n".join(lines) + "\n"


def _fields(spot: Spot | None) -> dict[str, Any]:
    """What stands in the form at first."""
    plain = {"flop": ("50%", "60%"), "turn": ("66%", "60%"), "river": ("75%", "a")}
    if spot is None:
        return {
            "board": "Qs Jh 2h 8d",
            "pot": "60",
            "stack": "170",
            "rate": "0",
            "cap": "0",
            **plain,
        }
    from riverboat.cards.card import cards_text
    from riverboat.holdem.spots.bet_sizes import sizes_text

    for number, street in enumerate(plain):
        sizes = spot.sizes_on(number, 0)
        plain[street] = (sizes_text(sizes.bet), sizes_text(sizes.raises))
    return {
        "board": cards_text(spot.board),
        "pot": f"{spot.pot:g}",
        "stack": f"{spot.stack:g}",
        "rate": f"{100 * spot.rake_rate:g}",
        "cap": f"{spot.rake_cap:g}",
        **plain,
    }


def _plain(value: object) -> str:
    """A number as TOML takes it; anything else is refused."""
    from riverboat.errors import UsageError

    text = str(value or "").strip()
    try:
        return f"{float(text):.10g}"
    except ValueError:
        raise UsageError(f"A number is wanted, not {text[:30]!r}.") from None


def _input(label: str, value: str) -> ui.input:
    return ui.input(label, value=value).props("outlined dense")


@lru_cache(maxsize=3)
def _loaded(path: str, changed: float) -> SolvedSpot:
    return SolvedSpot.load(path)


class SpotExplorer:
    """Progress while it is solved, then the walk through it."""

    def __init__(self, site: Site, spot_run: SpotRun, node: str) -> None:
        self.site, self.run, self.node = site, spot_run, node
        self.at: SpotCursor | None = None
        self.picked = ""
        with panel():
            self.facts = Picture(live=True)
            with ui.element("div").classes("line-up"):
                self.stop = button("Stop", spot_run.stop, icon="stop")
                button("Change and solve again", self._again, icon="edit")
                button("Save", self._save, icon="save")
        with panel() as self.way_panel:
            self.way = Picture(on_pick=self._pick)
        with ui.element("div").classes("columns halves") as self.body:
            with panel("Strategy"):
                self.grid = Picture(on_pick=self._pick)
            with ui.element("div").classes("stack"):
                with panel("Hands"):
                    self.hands = Picture()
                with panel("Equity of each range, best hands first"):
                    self.chart = LiveChart(_curves({}), 280)
        self.timer = ui.timer(LOOK, self._look)

    async def _look(self) -> None:
        if self.run.running:
            self.run.hear()
        self.facts.show(self._facts())
        if self.run.running:
            return
        self.timer.deactivate()
        self.stop.set_enabled(False)
        if self.run.state == "done" and self.run.path.is_file():
            changed = self.run.path.stat().st_mtime
            solved: Any = await run.io_bound(_loaded, str(self.run.path), changed)
            self.solved: SolvedSpot = solved
            await self._go(self.node)

    def _facts(self) -> Markup:
        facts, last = self.run.facts, self.run.points[-1] if self.run.points else None
        if self.run.state == "done":
            ev = facts["ev"]
            tiles = [
                (f"{facts['exploitability_pct']:.3f} %", "of the pot is exploitable"),
                (f"{ev[0]:.2f} / {ev[1]:.2f}", "EV of OOP / IP, chips"),
                (f"{facts['iterations']:,}", f"iterations, {facts['seconds']:.1f} s"),
            ]
            shown = [tag("div", tag("b", b), tag("span", s), cls="tile") for b, s in tiles]
            return tag("div", shown, cls="tile-row")
        if not self.run.running:
            return error_note(self.run.state)
        words = "The solver starts …"
        if last is not None:
            chips = "" if last[2] > 1e12 else f", {last[2]:.3g} chips exploitable"
            words = f"{last[0]:,} iterations in {last[1]:.1f} s{chips}"
        memory = f" · {self.run.memory / 1e6:.0f} MB" if self.run.memory else ""
        return tag("p", words + memory, cls="strong")

    async def _pick(self, text: str) -> None:
        kind, _, what = text.partition(":")
        if self.at is None:
            return
        if kind == "class":
            self.picked = what
            self._show_hands()
            self.grid.show(mix_grid(self.at, what))
            return
        try:
            if kind == "node":
                await self._go(what)
            elif kind == "play":
                await self._take(self.at.play(what))
            elif kind == "deal":
                await self._take(self.at.deal(what))
        except RiverboatError as error:
            ui.notify(str(error), type="warning")

    async def _go(self, node: str) -> None:
        try:
            at: Any = await run.io_bound(self.solved.at, node)
        except RiverboatError as error:
            ui.notify(str(error), type="warning")
            at = self.solved.at("r:0")
        await self._take(at)

    async def _take(self, at: SpotCursor) -> None:
        """Show a node; figures are worked out beside the page."""
        self.at = at
        ui.navigate.history.replace(f"/holdem/spots/{self.run.name}?node={at.node_id}")
        self.way.show(node_way(at))
        shown: Any = await run.io_bound(_pictures, at, self.picked)
        if self.at is not at:
            return
        self.grid.show(shown[0])
        self._show_hands()
        self.chart.show(_curves(shown[1]))

    def _show_hands(self) -> None:
        if self.at is not None and self.at.player >= 0:
            self.hands.show(hand_table(self.at, self.picked))
        else:
            self.hands.show(tag("p", "Nobody acts here.", cls="muted"))

    def _again(self) -> None:
        ui.navigate.to(f"/holdem/spots?copy={self.run.name}")

    def _save(self) -> None:
        if self.run.state != "done":
            ui.notify("Solve it first.", type="warning")
            return
        name = self.site.library.free_name("spot")
        self.solved.save(self.site.library.path(name))
        ui.notify(f"Saved as {name}.", type="positive")


def _pictures(at: SpotCursor, picked: str) -> tuple[Markup, dict[str, list[tuple[float, float]]]]:
    if at.kind == NodeKind.CHANCE:
        lead = tag(
            "p", "The next card: how often the player who acts then bets, per cent.", cls="muted"
        )
        return tag("div", lead, runout_table(at)), equity_curves(at)
    if at.player < 0:
        ends = tag(
            "p", f"The hand ends here; the pot is {signed(at.pot, 1).lstrip('+')}.", cls="muted"
        )
        return ends, {}
    return mix_grid(at, picked), equity_curves(at)


def _curves(curves: dict[str, list[tuple[float, float]]]) -> dict[str, Any]:
    return curve_options(curves, x="per cent of the range", y="equity, per cent", log=False)
