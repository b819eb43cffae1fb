"""A table for people in their own browsers: each opens the link of a seat and sits down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from nicegui import app, ui
from starlette.requests import Request
from starlette.responses import RedirectResponse

from riverboat.drawing.html import Markup, join, pick_button, tag
from riverboat.errors import RiverboatError
from riverboat.games.registry import game_class
from riverboat.web.app.frame import error_note, heading, in_thread, page, panel
from riverboat.web.app.markup import Picture
from riverboat.web.play.names import isolated
from riverboat.web.play.people_table import PeopleTable
from riverboat.web.play.seat import SeatView, score_text

if TYPE_CHECKING:
    from riverboat.web.server import Site

MAX_FORM_BYTES = 4_000


def register(site: Site) -> None:
    """Put the pages at their addresses."""
    tables = site.people_tables
    site.workers.submit(tables.tidy)

    @app.post("/play/table/{name}/{secret}/sit")
    async def sit(request: Request, name: str, secret: str) -> RedirectResponse:
        table: PeopleTable | None = await in_thread(tables.find, name)
        here = f"/play/table/{quote(name)}/{quote(secret)}"
        if table is None or int(request.headers.get("content-length") or 0) > MAX_FORM_BYTES:
            return RedirectResponse(here, 303)
        form = await request.form()
        try:
            own = table.sit(secret, str(form.get("name", "")))
        except RiverboatError as error:
            request.session["problem"] = str(error)
            return RedirectResponse(here, 303)
        return RedirectResponse(f"/play/table/{table.name}/{own}", 303)

    @ui.page("/play/table/{name}/{secret}")
    async def table_page(request: Request, name: str, secret: str) -> None:
        table: PeopleTable | None = await in_thread(tables.find, name)
        problem = str(request.session.pop("problem", ""))
        place = table.place_of(secret) if table is not None else None
        with page("Play", "/play"):
            if table is None or place is None:
                heading("A table")
                words = "There is no such seat: the table is gone, or the seat is taken."
                Picture(error_note(words))
                Picture(tag("p", tag("a", "Play something else", href="/play")))
                return
            title = game_class(table.kept.game).title.partition(",")[0].partition(" (")[0]
            heading(title, "Each player sees only their own cards. Seats move on by one each hand.")
            if table.chairs[place].free:
                _sit_form(f"/play/table/{table.name}/{secret}/sit", table, problem)
            else:
                PeoplePage(table, place, str(request.base_url).rstrip("/"))


def _sit_form(address: str, table: PeopleTable, problem: str) -> None:
    others = [chair.name for chair in table.chairs if chair.name and not chair.bot]
    company = f"At the table: {', '.join(others)}." if others else "You are the first."
    field = tag(
        "input", name="name", required=True, autofocus=True, autocomplete="nickname", cls="field"
    )
    form = tag(
        "form",
        tag("p", problem, cls="note error", role="alert") if problem else None,
        tag("p", company, cls="muted"),
        tag("label", "Your name", field),
        tag("button", "Sit down", cls="btn main-act", type="submit"),
        method="post",
        action=address,
        cls="panel join",
    )
    Picture(form)


class PeoplePage:
    """What one person at the table sees."""

    def __init__(self, table: PeopleTable, place: int, base: str) -> None:
        self.table, self.place, self.base = table, place, base
        self.secret = table.chairs[place].secret
        with ui.element("div").classes("columns wide-side"):
            with ui.element("div").classes("stack"):
                self.seat = SeatView(self._pick)
            with ui.element("div").classes("stack"):
                with panel("At the table"):
                    self.people = Picture(on_pick=self._people)
                with panel("What happened"):
                    self.seat.log = Picture(tag("p", "Nothing yet.", cls="muted"))
        ui.context.client.on_delete(table.listen(self.refresh))
        self.refresh()

    @property
    def gone(self) -> bool:
        """Whether a bot has taken this place over."""
        return self.table.chairs[self.place].secret != self.secret

    def _pick(self, text: str) -> None:
        kind, _, rest = text.partition(":")
        decision, _, action = rest.partition(":")
        if self.gone:
            return
        try:
            if kind == "ready":
                self.table.be_ready(self.place)
            elif kind == "do" and decision.isdecimal():
                self.table.act(self.place, int(decision), action)
        except RiverboatError as error:
            ui.notify(str(error), type="warning")

    def _people(self, text: str) -> None:
        kind, _, number = text.partition(":")
        if kind != "bot" or not number.isdecimal() or self.gone:
            return
        place = int(number)
        if place == self.place or self.place == self.table.host:
            self.table.give_to_bot(place)

    def refresh(self) -> None:
        """Show the table as this place may see it."""
        if self.gone:
            self.seat.clear(tag("p", "A bot plays for you now.", cls="note"), "")
            self.people.show(self._seats())
            return
        self.people.show(self._seats())
        if self.table.table is None:
            free = sum(chair.free for chair in self.table.chairs)
            words = "one more person" if free == 1 else f"{free} more people"
            waits = tag("div", tag("p", f"Waiting for {words}.", cls="strong"), cls="middle")
            felt = tag("div", waits, cls="felt waiting")
            self.seat.clear(felt, "The first hand is dealt as soon as every seat is taken.")
            return
        ready = ""
        if self.place in self.table.ready:
            ready = f"waiting for {', '.join(self.table.waiting_for())}"
        self.seat.show(self.table.table, self.place, self.table.names(), ready=ready)

    def _seats(self) -> Markup:
        host = self.place == self.table.host and not self.gone
        scores = self.table.table.scores if self.table.table else [0.0] * len(self.table.chairs)
        rows: list[Any] = []
        for number, (chair, name) in enumerate(
            zip(self.table.chairs, self.table.names(), strict=True)
        ):
            who = f"{name} (you)" if number == self.place and not chair.bot else name
            score = score_text(scores[number]) if self.table.table else ""
            act = None
            if not chair.bot and number == self.place:
                act = _seat_button("leave", number, "leave the table: a bot plays on")
            elif not chair.bot and host:
                act = _seat_button("let a bot play", number, f"let a bot play for {who}")
            cells = [tag("td", tag("b", "open seat" if chair.free else isolated(who)))]
            cells += [tag("td", score, cls="r"), tag("td", act, cls="r")]
            rows.append(tag("tr", cells))
            if chair.free and host:
                rows.append(tag("tr", tag("td", self._link(chair.secret), colspan=3)))
        note = None
        if host and any(chair.free for chair in self.table.chairs):
            note = tag(
                "p",
                "Send each open seat's link to one person. It works once: the player who sits down"
                " gets a personal address.",
                cls="muted small",
            )
        return join(tag("table", rows, cls="plain"), note)

    def _link(self, secret: str) -> Markup:
        address = f"{self.base}/play/table/{self.table.name}/{secret}"
        field = tag("input", value=address, readonly=True, cls="field small", aria_label="Link")
        copy = tag("button", "copy", type="button", cls="btn", data_copy=address)
        return tag("div", field, copy, cls="copy-line")


def _seat_button(text: str, number: int, label: str) -> Markup:
    return pick_button(f"bot:{number}", text, cls="linklike", aria_label=label)
