"""Learning: Q tables learn by playing in background jobs; their curves approach the optimum."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from nicegui import ui

from riverboat.drawing.html import Markup, signed, tag
from riverboat.errors import RiverboatError, UsageError
from riverboat.twentyone.learning.optimum import optimum
from riverboat.web.app.charts import LiveChart, curve_options
from riverboat.web.app.frame import button, error_note, heading, in_thread, page, panel
from riverboat.web.app.markup import Picture
from riverboat.web.background import Job, Jobs, Workplace
from riverboat.web.twentyone.tournament_page import twentyone_tabs

if TYPE_CHECKING:
    from riverboat.web.server import Site

METHODS = ("literal", "on-policy", "off-policy", "q-learning", "sarsa")
LENGTHS = {100_000: "100,000 games", 1_000_000: "a million", 10_000_000: "10 million"}
STATES = {"points": "points and the open card", "soft": "soft hands too"}
AT_ONCE = 5
CHECKPOINT_SECONDS = 3.0


@dataclass(frozen=True)
class LearningOrder:
    """Methods that learn side by side, and for how long."""

    methods: tuple[str, ...]
    state: str
    games: int
    resumable: ClassVar[bool] = True

    def parts(self) -> tuple[str, ...]:
        return self.methods

    def check(self) -> None:
        """Refuse what cannot be learned."""
        known = set(self.methods) <= set(METHODS)
        if not self.methods or not known or self.state not in STATES or self.games not in LENGTHS:
            raise UsageError("Choose at least one method.")

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> LearningOrder:
        return cls(tuple(map(str, data["methods"])), str(data["state"]), int(data["games"]))

    @classmethod
    def warm_up(cls) -> None:
        """Nothing is worth preparing: learning takes longer."""

    def work(self, place: Workplace) -> dict[str, Any]:
        """Learn, from the checkpoint where there is one.

        Points are (games, mean reward of greedy play). All that the checkpoint knows are reported
        again: the server may have been killed before it kept the last of them.
        """
        from riverboat.solvers.run import Autosave, Limit
        from riverboat.twentyone.learning.learner import Trainer
        from riverboat.twentyone.learning.q_table import QTable
        from riverboat.twentyone.learning.regret import train

        best = optimum(self.state, "reward")[0].reward
        path = place.folder / f"{place.part}.rb"
        if path.is_file():
            trainer = Trainer.resume(QTable.load(path))
        else:
            trainer = Trainer(QTable.empty(self.state, "reward"), method=place.part, seed=1)
        autosave = Autosave(lambda where: trainer.table.save(where), path, every=CHECKPOINT_SECONDS)
        sent = 0

        def report(now: Any) -> None:
            nonlocal sent
            for played, regret in trainer.curve[sent:]:
                place.report("point", [played, best - regret])
            sent = len(trainer.curve)

        last = train(trainer, Limit(iterations=self.games), report, autosave)
        place.report("point", [last.games, last.outcome.reward])
        return {}


class LearningRun(Job[LearningOrder]):
    """Curves of one or more methods."""

    @property
    def curves(self) -> dict[str, list[tuple[float, float]]]:
        """(games, mean reward) by method; a point that was reported twice stands once."""
        return {part.name: sorted({p[0]: p[1] for p in part.points}.items()) for part in self.parts}

    @cached_property
    def best(self) -> float:
        return float(optimum(self.order.state, "reward")[0].reward)


def learning_runs(folder: Path) -> Jobs[LearningRun]:
    """The learning runs in a folder."""
    address = "/twentyone/learning/{}"
    return Jobs(folder, LearningOrder, LearningRun, address=address, at_once=AT_ONCE)


REFRESH_SECONDS = 0.3


def register(site: Site) -> None:
    """Put the pages at their addresses."""
    runs = site.add_jobs(learning_runs(site.settings.folder / ".web" / "learning"))

    @ui.page("/twentyone/learning")
    @ui.page("/twentyone/learning/{name}")
    async def learning(name: str = "") -> None:
        found: LearningRun | None = await in_thread(runs.find, name) if name else None
        with page("Twenty-one", "/twentyone"):
            heading(
                "Learning",
                "Q tables learn by playing; the line is what the best player could get. The"
                " course's literal method never reaches it.",
            )
            twentyone_tabs("/twentyone/learning")
            if name and found is None:
                Picture(error_note("There is no such run; it was not kept or never begun."))
            LearningPage(runs, found)


class LearningPage:
    """The form and the curves."""

    def __init__(self, runs: Jobs[LearningRun], found: LearningRun | None) -> None:
        self.runs, self.run = runs, found
        with ui.element("div").classes("columns side"):
            with panel():
                self._form()
            with ui.element("div").classes("stack"):
                with panel("Mean reward of greedy play"):
                    self.chart = LiveChart(self._options(), 400)
                with panel("Now"):
                    self.table = Picture(self._now(), live=True)
        self._shown: list[tuple[int, str]] = []
        self.timer = ui.timer(REFRESH_SECONDS, self._refresh, active=self.running)

    @property
    def running(self) -> bool:
        return self.run is not None and self.run.running

    def _form(self) -> None:
        known = self.run
        self.methods = ui.select(
            list(METHODS),
            label="Methods",
            value=list(known.order.methods) if known else ["literal", "on-policy"],
            multiple=True,
        ).props("outlined dense options-dense use-chips")
        self.state = ui.select(
            STATES, label="What it sees", value=known.order.state if known else "points"
        )
        self.games = ui.select(
            LENGTHS, label="Games to learn from", value=known.order.games if known else 1_000_000
        )
        for each in (self.state, self.games):
            each.props("outlined dense options-dense")
        with ui.element("div").classes("line-up"):
            self.start = button("Learn", self._start, main=True, icon="play_arrow")
            self.stop = button("Stop", self._stop, icon="stop")
        self._buttons()

    def _buttons(self) -> None:
        self.start.set_enabled(not self.running)
        self.stop.set_enabled(self.running)

    async def _start(self) -> None:
        chosen = tuple(name for name in METHODS if name in (self.methods.value or ()))
        order = LearningOrder(chosen, str(self.state.value), int(self.games.value or 0))
        try:
            begun: Any = await in_thread(self.runs.begin, order)
        except RiverboatError as error:
            ui.notify(str(error), type="negative")
            return
        self.run = begun
        ui.navigate.history.push(f"/twentyone/learning/{begun.name}")
        self._buttons()
        self._show()
        self.timer.activate()

    def _stop(self) -> None:
        if self.run is not None:
            self.run.stop()

    def _refresh(self) -> None:
        if self.run is None:
            return
        self.runs.poll()
        self._show()
        if not self.run.running:
            self.timer.deactivate()
            self._buttons()

    def _show(self) -> None:
        run = self.run
        now = [(len(part.points), part.state) for part in run.parts] if run else []
        if now != self._shown:
            self._shown = now
            self.chart.show(self._options())
            self.table.show(self._now())

    def _options(self) -> dict[str, Any]:
        run = self.run
        levels = {"the exact optimum": run.best} if run else None
        curves = run.curves if run else {}
        return curve_options(
            curves, x="games", y="mean reward", log=False, log_x=True, levels=levels
        )

    def _now(self) -> Markup:
        if self.run is None:
            return tag("p", "Nothing learned yet.", cls="muted")
        best = self.run.best
        rows = [
            tag(
                "tr",
                tag("td", name),
                tag("td", f"{points[-1][0]:,.0f}", cls="r"),
                tag("td", signed(points[-1][1], 5), cls="r"),
                tag("td", f"{best - points[-1][1]:.5f}", cls="r"),
            )
            for name, points in self.run.curves.items()
            if points
        ]
        exact = tag(
            "tr",
            tag("td", "the exact optimum"),
            tag("td", ""),
            tag("td", signed(best, 5), cls="r"),
            tag("td", ""),
        )
        heads = [
            tag("th", words, cls="r") for words in ("games", "mean reward", "below the optimum")
        ]
        table = tag("table", tag("tr", tag("th", "method"), heads), rows, exact, cls="plain")
        failed = [
            error_note(f"{part.name}: {part.state}")
            for part in self.run.parts
            if not part.active and part.state not in ("done", "stopped")
        ]
        return tag("div", table, failed, cls="scroll-x")
