"""Class, for students: join with a name and the code, then play at the assigned table."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from nicegui import app, ui
from starlette.requests import Request
from starlette.responses import RedirectResponse

from riverboat.drawing.html import Markup, join, tag
from riverboat.errors import RiverboatError
from riverboat.web.app.frame import heading, page, panel
from riverboat.web.app.markup import Picture
from riverboat.web.classroom.room import Classroom, Student
from riverboat.web.play.names import isolated
from riverboat.web.play.seat import SeatView, score_text

if TYPE_CHECKING:
    from riverboat.web.server import Site

WRONG_CODE_WAIT = 0.5
MAX_FORM_BYTES = 4_000
RANKING_SECONDS = 2.0


def register(site: Site) -> None:
    """Put the pages at their addresses; identity lives in a signed cookie, never in a message."""
    assert site.classroom is not None
    room = site.classroom

    @app.post("/class/join")
    async def join_class(request: Request) -> RedirectResponse:
        if int(request.headers.get("content-length") or 0) > MAX_FORM_BYTES:
            return RedirectResponse("/class", 303)
        form = await request.form()
        name, code, personal = (str(form.get(key, "")) for key in ("name", "code", "personal"))
        try:
            # A browser may have filled in the name: the personal code decides.
            back = personal.strip()
            student = room.rejoin(personal, code) if back else room.join(name, code)
            request.session["student"] = student.identity
            request.session.pop("problem", None)
        except RiverboatError as error:
            await asyncio.sleep(WRONG_CODE_WAIT)
            request.session["problem"] = str(error)
        return RedirectResponse("/class", 303)

    @ui.page("/class")
    def class_page(request: Request) -> None:
        student = room.students.get(str(request.session.get("student", "")))
        with page("Class", places=False):
            if student is None or student.kicked:
                problem = str(request.session.pop("problem", ""))
                if student is not None:
                    problem = "The teacher has taken you out of the class."
                _join_form(problem)
            else:
                StudentPage(room, student)


def _join_form(problem: str) -> None:
    heading("Join the class", "The teacher shows the code.")
    form = tag(
        "form",
        tag("p", problem, cls="note error", role="alert") if problem else None,
        _field("Code", "code", autocapitalize="characters", required=True, cls="field code"),
        _field("Your name", "name", autocomplete="nickname"),
        tag(
            "details",
            tag("summary", "I have joined before"),
            _field("Your personal code", "personal", autocapitalize="characters"),
            tag("p", "It is on your page; the teacher has it too.", cls="muted small"),
            cls="more",
        ),
        tag("button", "Join", cls="btn main-act", type="submit"),
        method="post",
        action="/class/join",
        cls="panel join",
    )
    Picture(form)


def _field(label: str, name: str, **attributes: object) -> Markup:
    usual = {"autocomplete": "off", "cls": "field"}
    return tag("label", label, tag("input", name=name, **{**usual, **attributes}))


class StudentPage:
    """What one student sees: their table, their moves, the ranking."""

    def __init__(self, room: Classroom, student: Student) -> None:
        self.room, self.student = room, student
        heading(
            join("Hello, ", isolated(student.name)),
            f"To return from another browser: {room.personal_code(student.identity)}",
        )
        with ui.element("div").classes("columns wide-side"):
            with ui.element("div").classes("stack"):
                self.seat = SeatView(self._pick)
            with ui.element("div").classes("stack"):
                with panel("This table"):
                    self.log = self.seat.log = Picture()
                with panel("Ranking"):
                    self.ranking = Picture()
        self.seen = -1
        ui.context.client.on_delete(room.listen(student.identity, self.refresh))
        ui.timer(RANKING_SECONDS, self._refresh_ranking)
        self.refresh()

    def _refresh_ranking(self) -> None:
        """Show the ranking at intervals; the own table is shown at once."""
        if self.seen != self.room.version:
            self.seen = self.room.version
            self.ranking.show(ranking_table(self.room, self.student.name))
            if self.room.table_of(self.student.identity) is None:
                self.refresh()

    def _pick(self, text: str) -> None:
        kind, _, rest = text.partition(":")
        decision, _, action = rest.partition(":")
        try:
            if kind == "ready":
                self.room.be_ready(self.student.identity)
            elif kind == "do" and decision.isdecimal():
                self.room.act(self.student.identity, int(decision), action)
        except RiverboatError as error:
            ui.notify(str(error), type="warning")

    def refresh(self) -> None:
        """Show the table as this student may see it."""
        if self.student.kicked:
            self.seat.clear(tag("p", "The teacher has taken you out of the class.", cls="note"), "")
            self.log.show(Markup(""))
            return
        table = self.room.table_of(self.student.identity)
        place = table.place_of(self.student.identity) if table else None
        if table is None or place is None:
            self.seat.clear(_lobby(self.room), "Wait for the teacher to start a round.")
            self.log.show(tag("p", "You sit at no table yet.", cls="muted"))
            return
        names = [self.room.name_of(identity) for identity in table.plan.seats]
        self.seat.show(table, place, names, seconds=self.room.seconds_left(table))


def _lobby(room: Classroom) -> Markup:
    names = [tag("span", isolated(student.name), cls="badge") for student in room.present()]
    return tag(
        "div",
        tag("p", f"{len(names)} in the class"),
        tag("div", names, cls="moves"),
        cls="felt lobby",
    )


def ranking_table(room: Classroom, own: str = "") -> Markup:
    """Names and scores, the best first; no more than fits, the own line always."""
    rows, last, rank = [], None, 0
    for number, (name, score) in enumerate(room.ranking(), 1):
        if score != last:  # Equal scores share a rank
            last, rank = score, number
        if number > 20 and name != own:
            continue
        cls = "strong" if name == own else None
        rows.append(
            tag(
                "tr",
                tag("td", str(rank)),
                tag("td", isolated(name)),
                tag("td", score_text(score), cls="r"),
                cls=cls,
            )
        )
    if not rows:
        return tag("p", "No students yet.", cls="muted")
    return tag("table", rows, cls="plain")
