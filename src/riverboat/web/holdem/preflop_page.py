"""Before the flop: solutions opened, walked through, printed and drilled; small games solved."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, urlencode

from nicegui import ui
from nicegui.events import GenericEventArguments

from riverboat.cards.combos import CLASS_NAMES
from riverboat.drawing.html import Markup, tag
from riverboat.errors import RiverboatError, UsageError
from riverboat.holdem.preflop.charts import chart_svg
from riverboat.holdem.preflop.solution import KIND, SHIPPED, PreflopSolution
from riverboat.web.app.frame import button, error_note, heading, holdem_tabs, page, panel, segments
from riverboat.web.app.library import Library
from riverboat.web.app.markup import Picture
from riverboat.web.holdem.drill import PreflopDrillView
from riverboat.web.holdem.preflop_runs import (
    FIELDS,
    FIRST,
    PreflopOrder,
    PreflopRun,
    PreflopRuns,
    keys_of_form,
)
from riverboat.web.holdem.preflop_views import (
    MAX_PICKED,
    METRICS,
    breadcrumb,
    compare_table,
    decision_grid,
    facts,
    unit_of,
)

if TYPE_CHECKING:
    from riverboat.web.server import Site

REFRESH_SECONDS = 0.3
ADDRESS = "/holdem/preflop"


@lru_cache(maxsize=4)
def _loaded(path: str, changed: float) -> PreflopSolution:
    """The solution in a file; its time of change makes a new one another key."""
    return PreflopSolution.load(path)


def register(site: Site) -> None:
    """Put the pages at their addresses."""
    runs = site.add_jobs(PreflopRuns(site.settings.folder / ".web" / "preflop"))

    @ui.page("/holdem/preflop")
    def solutions(run: str = "") -> None:
        with page("Hold'em", "/holdem"):
            heading(
                "Before the flop",
                "What to do with each of the 169 kinds of hands, decision by decision.",
            )
            holdem_tabs(ADDRESS)
            with panel("Solutions"):
                Picture(saved_solutions(site.library))
            with panel(
                "All-in or fold",
                "Two to six stacks, the first to act first and the big blind last. Two players take"
                " a moment, three some seconds the first time.",
            ):
                PushFoldForm(runs, runs.find(run) if run else None)

    @ui.page("/holdem/preflop/{name}")
    def explorer(name: str, line: str = "start", hands: str = "") -> None:
        with page("Hold'em", "/holdem"):
            found = find_solution(site, name)
            heading(_title(found))
            holdem_tabs(ADDRESS)
            if isinstance(found, PreflopSolution):
                PreflopExplorer(found, name, line, hands)
            else:
                Picture(_no_solution(found))

    @ui.page("/holdem/preflop/{name}/drill")
    def drill(name: str, side: str = "any") -> None:
        with page("Hold'em", "/holdem"):
            found = find_solution(site, name)
            heading("Fold, call or raise?", _title(found))
            holdem_tabs(ADDRESS)
            if isinstance(found, PreflopSolution):
                folder = site.settings.folder / ".web" / "preflop-drills"
                PreflopDrillView(found, name, folder, side)
            else:
                Picture(_no_solution(found))


def open_solution(library: Library, name: str) -> PreflopSolution:
    """The shipped book, or a file of the library; the same sentence for all that is neither."""
    if name == SHIPPED:
        return _loaded(SHIPPED, 0.0)
    try:
        path = library.path(name)
        known = path.is_file()
    except (UsageError, OSError):
        known = False
    if not known:
        raise UsageError(f"There is no {name[:60]!r} in the library.")
    try:
        return _loaded(str(path), path.stat().st_mtime)
    except RiverboatError as error:
        # A page does not say where the library lies.
        raise UsageError(str(error).replace(str(path), name)) from None


def find_solution(site: Site, name: str) -> PreflopSolution | Markup:
    """The solution of a name, or why there is none."""
    try:
        return open_solution(site.library, name)
    except (RiverboatError, OSError) as error:
        known = isinstance(error, RiverboatError)
        return error_note(str(error) if known else f"{name[:60]} cannot be read.")


def _no_solution(why: Markup) -> Markup:
    return tag("div", why, tag("a", "All solutions", href=ADDRESS), cls="options")


def _title(found: PreflopSolution | Markup) -> str:
    title = found.title if isinstance(found, PreflopSolution) else "before the flop"
    return title[:1].upper() + title[1:]


def saved_solutions(library: Library) -> Markup:
    """The shipped book and the solutions of the library as cards; without one, how to make it."""
    found = [
        (saved.name, saved.name, f"{saved.changed:%d %b %Y, %H:%M} · {saved.size_text}")
        for saved in library.files()
        if saved.kind == KIND
    ]
    cards = [
        tag(
            "a",
            tag("b", title),
            tag("span", words, cls="muted small"),
            href=f"{ADDRESS}/{quote(name)}",
            cls="table-card",
            title=title,
        )
        for name, title, words in [
            (SHIPPED, "Book of six players", "100 big blinds · comes with Riverboat"),
            *found,
        ]
    ]
    shown = tag("div", cards, cls="table-cards")
    if found:
        return shown
    folder = tag("a", "this site's folder", href="/")
    return tag(
        "div",
        shown,
        tag("p", "None is saved yet. Solve all-in or fold below, or a larger game with"),
        tag("pre", "riverboat example before-flop.toml", cls="command"),
        tag("pre", "riverboat holdem preflop before-flop.toml --out before-flop.rb", cls="command"),
        tag("p", "and put the file into ", folder, ".", cls="muted small"),
        cls="options",
    )


class PushFoldForm:
    """The form of a game of all-in or fold; its job goes on without the page."""

    def __init__(self, runs: PreflopRuns, begun: PreflopRun | None) -> None:
        self.runs, self.run = runs, begun
        self.fields: dict[str, ui.input] = {}
        with ui.element("div").classes("form-grid"):
            for name, label in FIELDS.items():
                made = ui.input(label, value=FIRST[name]).props("outlined dense hide-bottom-space")
                self.fields[name] = made
        with ui.element("div").classes("line-up"):
            button("Solve", self._solve, main=True, icon="play_arrow")
            self.stop = button("Stop", self._stop, icon="stop")
        self.said = Picture(live=True)
        self.timer = ui.timer(REFRESH_SECONDS, self._refresh)
        self._refresh()

    def _solve(self) -> None:
        if self.run is not None and self.run.running:
            return
        try:
            form = {name: str(made.value or "") for name, made in self.fields.items()}
            self.run = self.runs.begin(PreflopOrder.of_keys(keys_of_form(form)))
        except RiverboatError as error:
            self.said.show(error_note(error))
            return
        ui.navigate.history.replace(f"{ADDRESS}?{urlencode({'run': self.run.name})}")
        self.timer.activate()
        self._refresh()

    def _stop(self) -> None:
        if self.run is not None:
            self.run.stop()

    def _refresh(self) -> None:
        found = self.run
        self.stop.set_visibility(found is not None and found.running)
        if found is None:
            self.timer.deactivate()
            return
        self.runs.poll()
        if found.running:
            self.said.show(tag("p", found.words, cls="strong"))
            return
        self.timer.deactivate()
        if found.file:
            self.said.show(tag("p", f"Solved and saved as {found.file}.", cls="strong"))
            ui.navigate.to(f"{ADDRESS}/{quote(found.file)}")
        else:
            self.said.show(error_note(found.words))


class PreflopExplorer:
    """One decision at a time; the address has the line and the picked hands."""

    def __init__(self, solution: PreflopSolution, name: str, line: str, hands: str) -> None:
        self.solution, self.name, self.metric = solution, name, "mix"
        self.picked = [hand for hand in hands.split(",") if hand in CLASS_NAMES][:MAX_PICKED]
        self.node = solution.nodes[0]
        with ui.element("div").classes("columns halves preflop"):
            with panel():
                self.breadcrumb = Picture(on_pick=self._pick)
                with ui.element("div").classes("line-up grid-head"):
                    self.title = Picture(live=True)
                    self.metrics = Picture(on_pick=self._pick, cls="no-print")
                self.grid = Picture(on_pick=self._pick)
                self.grid.element.props('data-reveal=".hands-box"')
            with ui.element("div").classes("stack no-print"):
                with panel("Compare two hands"):
                    self.hands = Picture(on_pick=self._pick, cls="hands-box")
                with panel("Seats"):
                    Picture(facts(solution))
                with panel(), ui.element("div").classes("line-up"):
                    button("Drill", self._drill, main=True, icon="school")
                    button("Print", lambda: ui.run_javascript("window.print()"), icon="print")
                    button("SVG", self._svg, icon="image")
        ui.on("riverboat-address", self._came_back)
        if not self._go(line):
            self._show()

    @property
    def address(self) -> str:
        asked = {"line": self.node.name} if self.node.line else {}
        asked |= {"hands": ",".join(self.picked)} if self.picked else {}
        return f"{ADDRESS}/{quote(self.name)}" + (f"?{urlencode(asked)}" if asked else "")

    def _go(self, line: str) -> bool:
        """Show the decision after a line; False, with a sentence, where there is none."""
        try:
            self.node = self.solution.node(line)
        except RiverboatError as error:
            ui.notify(str(error), type="warning")
            return False
        self._show()
        return True

    def _pick(self, text: str) -> None:
        kind, _, what = text.partition(":")
        if kind == "class" and what in CLASS_NAMES:
            others = [hand for hand in self.picked if hand != what]
            self.picked = others if what in self.picked else [*others, what][-MAX_PICKED:]
            self._show()
            ui.navigate.history.replace(self.address)
        elif text.startswith("metric=") and text[7:] in METRICS:
            self.metric = text[7:]
            self._show()
        elif kind == "line" and self._go(what):
            ui.navigate.history.push(self.address)
        elif kind == "play" and what in self.node.actions:
            after = (*self.node.line, what)
            if after in self.solution and self._go("-".join(after)):
                ui.navigate.history.push(self.address)

    def _came_back(self, event: GenericEventArguments) -> None:
        """The browser's Back or Forward: show the decision of the address."""
        self._go(parse_qs(str(event.args).removeprefix("?")).get("line", ["start"])[0])

    def _show(self) -> None:
        node = self.node
        self.breadcrumb.show(breadcrumb(self.solution, node, self.name))
        seat, unit = node.seat.upper(), unit_of(self.solution.info)
        words = f"EV of {seat}, {unit}" if self.metric == "ev" else f"Strategy of {seat}"
        self.title.show(tag("h2", words))
        self.grid.show(decision_grid(node, self.picked, self.metric))
        self.hands.show(compare_table(node, self.picked, unit))
        self.metrics.show(segments("metric", list(METRICS.items()), self.metric, "Cells show"))

    def _drill(self) -> None:
        ui.navigate.to(f"{ADDRESS}/{quote(self.name)}/drill")

    def _svg(self) -> None:
        ui.download.content(chart_svg(self.solution, self.node.name), f"{self.node.name}.svg")
