"""Class, for the teacher: who joined, rounds, every table with open cards, results."""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING

from nicegui import app, ui
from starlette.requests import Request
from starlette.responses import RedirectResponse

from riverboat.arena.class_table import ClassTable
from riverboat.drawing.html import Markup, join, pick_button, tag
from riverboat.errors import RiverboatError
from riverboat.games.registry import GAMES, game_class, make_game
from riverboat.web.app.frame import PLACES, button, confirm, heading, in_thread, page, panel
from riverboat.web.app.guard import digest, is_teacher
from riverboat.web.app.markup import Picture
from riverboat.web.classroom.room import (
    MAX_HANDS,
    MAX_SECONDS,
    MIN_SECONDS,
    SIZED_GAMES,
    Classroom,
    Student,
)
from riverboat.web.classroom.student_page import MAX_FORM_BYTES, WRONG_CODE_WAIT, ranking_table
from riverboat.web.play.names import isolated
from riverboat.web.play.scenes import draw_scene
from riverboat.web.play.seat import score_text
from riverboat.web.play.session import bot_for

if TYPE_CHECKING:
    from riverboat.web.server import Site

TICK = 1.0
REFRESH_SECONDS = 0.4


def register(site: Site) -> None:
    """Put the pages at their addresses and start the clock."""
    assert site.classroom is not None
    room = site.classroom
    PLACES.append(("/class/teacher", "Class", "school"))
    app.timer(TICK, room.tick)

    @app.post("/class/teacher/enter")
    async def enter(request: Request) -> RedirectResponse:
        if int(request.headers.get("content-length") or 0) <= MAX_FORM_BYTES:
            form = await request.form()
            key = str(form.get("key", "")).strip()
            if secrets.compare_digest(key.encode(), room.key.encode()):
                request.session["teacher"] = digest(room.key)
                return RedirectResponse("/class/teacher", 303)
        await asyncio.sleep(WRONG_CODE_WAIT)
        return RedirectResponse("/class/teacher?wrong=1", 303)

    @ui.page("/class/teacher")
    def teacher(request: Request, wrong: str = "") -> None:
        known = is_teacher(request, room.key)
        with page("Class", "/class/teacher", places=known):
            if known:
                TeacherPage(room, str(request.base_url).rstrip("/"))
            else:
                _key_form(bool(wrong))


def _key_form(wrong: bool) -> None:
    heading("For the teacher", "The key is in the terminal where the server was started.")
    Picture(
        tag(
            "form",
            tag("p", "That is not the key.", cls="note error", role="alert") if wrong else None,
            tag(
                "label",
                "Key",
                tag(
                    "input",
                    name="key",
                    type="password",
                    required=True,
                    autocomplete="current-password",
                    cls="field",
                ),
            ),
            tag("button", "Enter", cls="btn main-act", type="submit"),
            method="post",
            action="/class/teacher/enter",
            cls="panel join",
        )
    )


class TeacherPage:
    """Everything about the class on one page."""

    def __init__(self, room: Classroom, base: str) -> None:
        self.room = room
        self.watched = ""
        self.code_of = ""  # The student whose personal code is shown: the page may be on a wall
        heading("Your class", "Students join in their own browsers and sit where you put them.")
        with ui.element("div").classes("columns side"):
            with ui.element("div").classes("stack"):
                with panel("Join"):
                    Picture(_invitation(base, room.code))
                with panel("A round"):
                    self._round_form()
                with panel("Students"):
                    self.students = Picture(on_pick=self._student)
            with ui.element("div").classes("stack"):
                with panel("Tables", "Click a table to watch it with open cards."):
                    self.tables = Picture(on_pick=self._watch)
                self.felt = Picture()
                with panel("Ranking"):
                    self.ranking = Picture()
        self.seen = -1
        ui.timer(REFRESH_SECONDS, self._poll)

    def _poll(self) -> None:
        if self.seen != self.room.version:
            self.seen = self.room.version
            self.refresh()

    def _round_form(self) -> None:
        games = {n: game_class(n).title.partition(",")[0].partition(" (")[0] for n in GAMES}
        games.pop("blackjack")
        self.game = ui.select(games, label="Game", value="kuhn")
        self.game.props("outlined dense options-dense")
        with ui.element("div").classes("line-up"):
            self.hands = ui.number("Hands", value=10, min=1, max=MAX_HANDS, precision=0)
            self.size = ui.number("Seats", value=2, min=2, max=6, precision=0)
            self.seconds = ui.number(
                "Seconds per move",
                value=self.room.seconds,
                min=MIN_SECONDS,
                max=MAX_SECONDS,
                precision=0,
            )
            for each, width in ((self.hands, 80), (self.size, 80), (self.seconds, 160)):
                each.props("outlined dense").style(f"flex: 1 1 {width}px")
        self.size.bind_enabled_from(self.game, "value", lambda name: name in SIZED_GAMES)
        self.start = button("Start the round", self._start, main=True, icon="play_arrow")

    async def _start(self) -> None:
        going = self.room.rounds and not self.room.rounds[-1].over
        if going and not await confirm("The round is not over. Start another one?", "Start"):
            return
        self.start.set_enabled(False)
        try:
            self.room.set_seconds(int(self.seconds.value or 60))
            size, hands = int(self.size.value or 2), int(self.hands.value or 10)
            event = self.room.plan_round(str(self.game.value), hands, size, secrets.randbits(32))
            plan = event["tables"][0]
            # The bots' strategy is solved in a thread before the round begins.
            await in_thread(bot_for, make_game(plan["game"], dict(plan["parameters"])))
            self.room.do(event)
        except RiverboatError as error:
            ui.notify(str(error), type="negative")
        finally:
            self.start.set_enabled(True)

    async def _student(self, text: str) -> None:
        kind, _, identity = text.partition(":")
        student = self.room.students.get(identity)
        if student is None or student.kicked:
            return
        if kind == "code":
            self.code_of = "" if self.code_of == identity else identity
            self.refresh()
        if kind != "kick":
            return
        question = f"Take \u2068{student.name}\u2069 out of the class? The score goes too."
        if await confirm(question, "Take out") and not student.kicked:
            self.room.do({"do": "kick", "id": student.identity})

    def _watch(self, text: str) -> None:
        self.watched = text.removeprefix("watch:")
        self.refresh()

    def refresh(self) -> None:
        room = self.room
        self.students.show(_students(room, self.code_of))
        self.tables.show(_tables(room, self.watched))
        self.ranking.show(ranking_table(room))
        table = next((t for t in room.tables if t.plan.name == self.watched), None)
        self.felt.show(_watched(room, table) if table else Markup(""))


def _invitation(base: str, code: str) -> Markup:
    import segno

    address = f"{base}/class"
    picture = Markup(segno.make(address, error="m").svg_inline(scale=5, light="#ffffff", border=2))
    return tag(
        "div",
        tag("div", picture, cls="qr", role="img", aria_label=f"QR code of {address}"),
        tag(
            "div",
            tag("p", address, cls="strong"),
            tag("p", "Code ", tag("b", code, cls="code")),
            cls="options",
        ),
        cls="invitation",
    )


def _students(room: Classroom, code_of: str) -> Markup:
    """The students; the personal code of one of them is shown when it is asked for."""
    rows = [
        tag(
            "tr",
            tag("td", isolated(student.name)),
            tag("td", _code(room, student, student.identity == code_of), cls="r small"),
            tag(
                "td",
                pick_button(
                    f"kick:{student.identity}",
                    "take out",
                    cls="linklike",
                    aria_label=f"take out {student.name}",
                ),
                cls="r",
            ),
        )
        for student in room.present()
    ]
    if not rows:
        return tag("p", "No students yet.", cls="muted")
    return tag("table", rows, cls="plain")


def _code(room: Classroom, student: Student, shown: bool) -> Markup:
    words: Markup | str = "show code"
    if shown:
        words = tag("code", room.personal_code(student.identity))
    return pick_button(
        f"code:{student.identity}",
        words,
        cls="linklike",
        aria_pressed="true" if shown else "false",
        aria_label=None if shown else f"show the personal code of {student.name}",
    )


def _tables(room: Classroom, watched: str) -> Markup:
    if not room.tables:
        return tag("p", "Start a round: every student gets a seat.", cls="muted")
    cards = []
    for table in room.tables:
        facts = table.summary(room.name_of)
        people = join(
            *(
                [", "] * bool(i) + [isolated(name), f" {score_text(score)}"]
                for i, (name, score) in enumerate(facts["seats"])
            )
        )
        state = "over" if facts["over"] else f"hand {facts['hand']} of {facts['hands']}"
        turn = join(" waits for ", isolated(facts["turn"])) if facts["turn"] else None
        cards.append(
            pick_button(
                f"watch:{facts['name']}",
                tag("b", f"Table {facts['name']}"),
                tag("span", people),
                tag("span", state, turn, cls="muted small"),
                cls="table-card",
                aria_pressed="true" if facts["name"] == watched else "false",
            )
        )
    return tag("div", cards, cls="table-cards")


def _watched(room: Classroom, table: ClassTable) -> Markup:
    names = [room.name_of(table.plan.seats[table.place_at(p)]) for p in range(table.count)]
    return join(draw_scene(table.game, table.state, names, None, lambda seat: True))
