"""Play: any registered game at a table with cards, hints on demand, the price of each move."""

from __future__ import annotations

import dataclasses
import inspect
import secrets
import sys
from typing import TYPE_CHECKING, Any, cast

from nicegui import ui
from starlette.requests import Request

from riverboat.drawing.html import Markup, join, tag
from riverboat.errors import RiverboatError
from riverboat.games.base import Game
from riverboat.games.registry import GAMES, game_class, make_game
from riverboat.players.player import move_keys
from riverboat.runtime.stopping import Stop
from riverboat.web.app.frame import button, error_note, heading, in_thread, page, panel
from riverboat.web.app.home import game_cards
from riverboat.web.app.markup import Picture, decided
from riverboat.web.play.scenes import draw_scene, may_see
from riverboat.web.play.seat import (
    RaiseField,
    advice_picture,
    move_buttons,
    next_button,
    score_text,
)
from riverboat.web.play.session import (
    NEXT,
    PEOPLE,
    SHIPPED,
    AbandonedError,
    Kept,
    PlaySession,
    SittingStore,
    opponents,
    parameter_text,
    rules_of,
    sit_down,
)

if TYPE_CHECKING:
    from riverboat.web.server import Site

HOLDEM_FIELDS = ("players", "stacks")  # Of hold'em's many parameters, those that the page offers


def register(site: Site) -> None:
    """Put the page at its addresses."""
    store = SittingStore(site.settings.folder / ".web" / "sittings")
    site.workers.submit(store.tidy)

    @ui.page("/play")
    def choose() -> None:
        with page("Play", "/play"):
            heading("Play", "Choose a game. Keys are those of the terminal; ? asks for a hint.")
            Picture(game_cards())

    @ui.page("/play/{name}")
    @ui.page("/play/{name}/{sitting}")
    def play(request: Request, name: str, sitting: str = "") -> None:
        if name not in GAMES:
            with page("Play", "/play"):
                heading("Play")
                Picture(error_note(f"There is no game {name[:40]!r}."))
                Picture(game_cards())
            return
        rules = game_class(name)
        with page("Play", "/play"):
            title = rules.title.partition(",")[0].partition(" (")[0]
            heading(title, getattr(rules, "summary", ""))
            kept = store.load(sitting) if sitting else None
            if kept is None or kept.game != name:
                kept = Kept(name, seed=secrets.randbits(40), against=_first(site, name))
            ui.timer(0, PlayPage(site, store, kept).open, once=True)


def _first(site: Site, name: str) -> str:
    return next(iter(opponents(make_game(name), site.library)), "")


class PlayPage:
    """The page of one person at one table."""

    def __init__(self, site: Site, store: SittingStore, kept: Kept) -> None:
        self.site, self.store, self.kept = site, store, kept
        self.session: PlaySession | None = None
        self.hinting = False
        self._stop = Stop()
        ui.context.client.on_delete(self.leave)
        with ui.element("div").classes("columns wide-side"):
            with ui.element("div").classes("stack"):
                self.table = Picture(_waiting(), live=True, cls=f"table-box {kept.game}-box")
                with panel() as moves:
                    moves.classes("moves-panel")
                    self.moves = Picture(on_pick=self._pick)
                    self.raising = RaiseField(self._move)
                    self.hint = Picture(live=True)
            with ui.element("div").classes("stack"):
                with panel() as score:
                    score.classes("score-panel")
                    self.score = Picture()
                    self.log = Picture(cls="log-box")
                with panel("Table"):
                    self._settings()
                Picture(_rules_text(kept.game))

    async def open(self) -> None:
        """Sit down; a coach may have to be solved first, in the background.

        Its solving stops when the person begins another sitting or has left the page.
        """
        self._clear(_waiting())
        self._stop.request()
        stop = self._stop = Stop()
        try:
            session: Any = await in_thread(sit_down, self.kept, self.site.library, self.store, stop)
        except AbandonedError:
            return
        except RiverboatError as error:
            if stop is not self._stop:
                return
            self._clear(error_note(error))
            return
        if stop is not self._stop:
            return
        self.session = session
        self.store.save(self.kept)
        self._address()
        self._show_rules(session.game)
        self.refresh()

    def leave(self) -> None:
        """The page is closed: nothing is solved for it any more."""
        self._stop.request()
        self.session = None

    def _clear(self, words: Markup) -> None:
        """Show only `words`: no moves, slider, hint, score or log of another sitting."""
        self.session, self.hinting = None, False
        self.table.show(words)
        self.raising.clear()
        for part in (self.moves, self.hint, self.score, self.log):
            part.show(Markup(""))

    def _show_rules(self, game: Game) -> None:
        """Put the rules in force into the fields."""
        for name, field in self.fields.items():
            field.set_value(parameter_text(game, name))

    async def _other_opponent(self, against: str) -> None:
        """Show the chips of a blueprint as soon as it is chosen."""
        if self.kept.game != "holdem":
            return
        try:
            rules: Any = await in_thread(rules_of, against, self.site.library)
        except RiverboatError:
            return  # New sitting says what is wrong with it
        if rules is not None and self.against is not None and self.against.value == against:
            self._show_rules(rules)

    def _address(self) -> None:
        ui.navigate.history.replace(f"/play/{self.kept.game}/{self.kept.name}")

    def _settings(self) -> None:
        """Parameters, opponent and seat; a change begins a new sitting."""
        game = make_game(self.kept.game, dict(self.kept.parameters))
        self.fields: dict[str, Any] = {}
        for each in dataclasses.fields(cast(Any, game)):
            if game.name == "holdem" and each.name not in HOLDEM_FIELDS:
                continue
            label, text = each.name.replace("_", " "), parameter_text(game, each.name)
            self.fields[each.name] = ui.input(label, value=text).props("outlined dense")
        choices = opponents(game, self.site.library)
        self.against = None
        if choices:
            chosen = self.kept.against if self.kept.against in choices else next(iter(choices))
            with_people = {**choices, PEOPLE: "other people, by a link"}
            self.against = ui.select(
                with_people,
                label="Against",
                value=chosen,
                on_change=lambda event: self._other_opponent(str(event.value)),
            )
            self.against.props("outlined dense options-dense")
            with ui.element("div").classes("options") as people:
                self._people_fields({k: v for k, v in choices.items() if k != SHIPPED})
            people.bind_visibility_from(self.against, "value", value=PEOPLE)
        self.seat = None
        if game.num_players > 1:
            seats = {0: "take turns"} | {p + 1: f"seat {p + 1}" for p in range(game.num_players)}
            here = self.kept.seat if self.kept.seat in seats else 0
            self.seat = ui.select(seats, label="Your seat", value=here)
            self.seat.props("outlined dense options-dense")
        again = button("New sitting", self._new, icon="restart_alt")
        if self.against is not None:
            for element in (self.seat, again):
                if element is not None:
                    element.bind_visibility_from(
                        self.against, "value", backward=lambda value: value != PEOPLE
                    )

    def _people_fields(self, bots: dict[str, str]) -> None:
        self.people = ui.number("People at the table", value=2, min=2, max=6, precision=0)
        self.people.props("outlined dense")
        self.bots = ui.select(bots, label="In empty seats", value=next(iter(bots)))
        self.bots.props("outlined dense options-dense")
        button("Open a table", self._new, main=True, icon="groups")

    async def _invite(self, kept: Kept) -> None:
        """A table for people; this browser goes to its first seat."""
        kept.against = str(self.bots.value)
        try:
            table: Any = await in_thread(
                self.site.people_tables.open, kept, int(self.people.value or 2)
            )
        except RiverboatError as error:
            ui.notify(str(error), type="negative", multi_line=True)
            return
        ui.navigate.to(f"/play/table/{table.name}/{table.chairs[0].secret}")

    async def _new(self) -> None:
        parameters = {name: str(field.value or "").strip() for name, field in self.fields.items()}
        try:
            make_game(self.kept.game, parameters)
        except RiverboatError as error:
            ui.notify(str(error), type="negative", multi_line=True)
            return
        self.kept = Kept(
            self.kept.game,
            parameters,
            str(self.against.value) if self.against else "",
            int(self.seat.value or 0) if self.seat else 0,
            secrets.randbits(40),
        )
        if self.kept.against == PEOPLE:
            await self._invite(self.kept)
        else:
            await self.open()

    async def _pick(self, text: str) -> None:
        session = self.session
        if session is None:
            return
        if text == "?":
            self.hinting = not self.hinting
            self.refresh()
            return
        pick, decision = decided(text)
        kind, _, action = pick.partition(":")
        if kind == "do" and decision is not None:
            await self._move(action, decision)

    async def _move(self, action: str, decision: int) -> None:
        session = self.session
        if session is None:
            return
        try:
            await in_thread(session.do, action, decision)
        except RiverboatError as error:
            ui.notify(str(error), type="warning")
        self.hinting = False
        self.refresh()

    def refresh(self) -> None:
        """Show the table as it is now."""
        session = self.session
        if session is None:
            return
        see = may_see(session.state, session.mine, open_end=session.game.name != "holdem")
        self.table.show(draw_scene(session.game, session.state, session.names, session.mine, see))
        self.moves.show(self._moves(session))
        self.raising.show(session.view, session.state, session.decisions)
        advice = session.advice if self.hinting else None
        self.hint.show(advice_picture(advice) if advice else Markup(""))
        self.score.show(_score(session))
        self.log.show(_log(session))

    def _moves(self, session: PlaySession) -> Markup:
        if session.over:
            end = session.lines[-1][1] if session.lines else ""
            following = next_button(f"do:{NEXT}", session.decisions)
            return tag("div", following, tag("b", end), cls="moves")
        assert session.view is not None
        hint = session.coach is not None
        sizes = list(session.advice.chances) if session.advice is not None else []
        return move_buttons(
            session.view, hint=hint, keys=move_keys, decision=session.decisions, sizes=sizes
        )


def _waiting() -> Markup:
    return tag(
        "div", tag("p", "Sitting down … the opponent is being solved.", cls="muted"), cls="felt"
    )


def _score(session: PlaySession) -> Markup:
    sitting = session.sitting
    score = "score in chips" if session.game.name == "holdem" else "score"
    tiles = [(str(sitting.played), "hands"), (score_text(sitting.score), score)]
    if session.prices_moves:
        tiles.append((f"{sitting.cost or 0:.3f}", "cost of your moves"))
    return tag(
        "div",
        [tag("div", tag("b", big), tag("span", small), cls="tile") for big, small in tiles],
        cls="tile-row",
    )


def _log(session: PlaySession) -> Markup:
    classes = {"hand": "strong", "cost": "bad", "end": "hand-end", "move": "muted"}
    lines = [tag("span", words, cls=classes[kind]) for kind, words in session.lines[-60:]]
    return join(tag("div", list(reversed(lines)), cls="log", tabindex="0", aria_label="The hand"))


def _rules_text(name: str) -> Markup:
    """The rules from the docstring of the game's module."""
    text = inspect.getdoc(sys.modules[game_class(name).__module__]) or ""
    rules = text.partition("\n\nSource:")[0].partition("\n\n|")[0]
    paragraphs = [tag("p", " ".join(part.split())) for part in rules.split("\n\n")[1:]]
    return tag(
        "details", tag("summary", "How it is played"), paragraphs, cls="more panel rules-text"
    )
