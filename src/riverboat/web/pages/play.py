"""Play: the list of games, and a table for each of them against bots."""

from __future__ import annotations

import dataclasses
import inspect
import re
import secrets
import sys
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Match
from starlette.types import Scope

from riverboat.errors import RiverboatError
from riverboat.games.base import Game, parameter_label
from riverboat.games.registry import GAMES, game_class, make_game
from riverboat.web.app.forms import Posted, number_in
from riverboat.web.app.game_cards import game_cards
from riverboat.web.app.problems import by_field
from riverboat.web.app.templates import render
from riverboat.web.site import AskedSite, Site

HOLDEM_FIELDS = {
    "holdem": ("players", "stacks"),
    "omaha": ("players", "stacks", "hole_cards"),
    "shortdeck": ("players", "stacks", "trips_beat_straights"),
}
"""Of the many parameters of hold'em and its relatives, those that the page offers."""
LABELS = {"stacks": "Chips of each player"}
"""Parameters whose names say too little."""
PEOPLE = range(2, 7)


class GameRoute(APIRoute):
    """Blackjack has a page of its own."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Whether this route answers."""
        match, found = super().matches(scope)
        if found.get("path_params", {}).get("game") == "blackjack":
            return Match.NONE, {}
        return match, found


router = APIRouter(route_class=GameRoute)


@dataclass(frozen=True)
class RuleField:
    """A parameter of a game as a field."""

    name: str
    label: str
    text: str
    meaning: str


@router.get("/play")
def play(request: Request) -> HTMLResponse:
    """Show every game."""
    return _games(request)


@router.get("/play/{game}", response_model=None)
def sit(request: Request, game: str) -> Response:
    """Lead to a new table. Nothing is kept before the first move."""
    if game not in GAMES:
        return _no_game(request, game)
    return RedirectResponse(_address(game, secrets.token_urlsafe(8)), 303)


@router.post("/play/{game}", response_model=None)
def new_table(request: Request, game: str, form: Posted, site: AskedSite) -> Response:
    """Begin a sitting with other rules or another opponent."""
    from riverboat.web.api.play import NewSitting, new_sitting

    if game not in GAMES:
        return _no_game(request, game)
    try:
        wanted = NewSitting(
            parameters=_parameters(game, form),
            against=form.get("against", ""),
            seat=number_in(form, "seat", 0),
        )
        kept = new_sitting(site, game, wanted)
    except RiverboatError as error:
        return _refused(request, site, game, form, error)
    return RedirectResponse(_address(game, kept.name), 303)


@router.post("/play/{game}/people", response_model=None)
def people_table(request: Request, game: str, form: Posted, site: AskedSite) -> Response:
    """Open a table for people; this browser goes to its first seat."""
    from riverboat.web.api.play import make_rules
    from riverboat.web.play.session import Kept

    if game not in GAMES:
        return _no_game(request, game)
    try:
        parameters = _parameters(game, form)
        make_rules(game, parameters)
        kept = Kept(game, parameters, form.get("bots", ""), 0, secrets.randbits(40))
        table = site.people_tables.open(kept, number_in(form, "people", 2))
    except RiverboatError as error:
        return _refused(request, site, game, form, error)
    return RedirectResponse(f"/play/table/{table.name}/{table.chairs[0].secret}", 303)


@router.get("/play/{game}/{sitting}", response_model=None)
def table(request: Request, game: str, sitting: str, site: AskedSite) -> Response:
    """Show a table; `hint` shows what the coach says, `against` the rules of an opponent."""
    if game not in GAMES:
        return _no_game(request, game)
    return _table(request, site, game, sitting)


@router.post("/play/{game}/{sitting}/move", response_model=None)
def move(request: Request, game: str, sitting: str, form: Posted, site: AskedSite) -> Response:
    """Make a move for the decision that the form was shown for."""
    from riverboat.web.api.play import Played, find_sitting, make_move, session_of

    if game not in GAMES:
        return _no_game(request, game)
    kept = find_sitting(site, game, sitting)
    if kept is None:
        return RedirectResponse(_address(game, ""), 303)
    try:
        session = session_of(site, kept)
        if session is not None:
            played = Played(
                decision=number_in(form, "decision"),
                move=form.get("move", "")[:40],
                size=number_in(form, "size") if form.get("move") == "raise" else None,
            )
            make_move(site, session, played)
    except RiverboatError as error:
        answer = _table(request, site, game, sitting, 422, problems=by_field(error))
        answer.headers["HX-Replace-Url"] = "false"
        return answer
    return RedirectResponse(_address(game, sitting), 303)


def _address(game: str, sitting: str) -> str:
    return f"/play/{quote(game)}/{quote(sitting)}".rstrip("/")


def _no_game(request: Request, game: str) -> HTMLResponse:
    return _games(request, 404, f"There is no game {game[:40]!r}.")


def _games(request: Request, status: int = 200, problem: str = "") -> HTMLResponse:
    facts = {"title": "Play", "place": "/play", "games": game_cards(), "problem": problem}
    return render(request, "play.html", status, **facts)


def _parameters(game: str, form: dict[str, str]) -> dict[str, str]:
    """The rules of a form; an empty field is the default."""
    names = _rule_names(make_game(game))
    return {name: form[name].strip()[:200] for name in names if form.get(name, "").strip()}


def _refused(
    request: Request, site: Site, game: str, form: dict[str, str], error: RiverboatError
) -> Response:
    """The table that the form stood on, with the sentences at their fields."""
    sitting = form.get("sitting", "") or secrets.token_urlsafe(8)
    return _table(request, site, game, sitting, 422, problems=by_field(error), form=form)


def _table(
    request: Request,
    site: Site,
    game: str,
    sitting: str,
    status: int = 200,
    problems: Any = (),
    form: dict[str, str] | None = None,
) -> Response:
    from riverboat.web.api.play import find_sitting, session_of, table_of
    from riverboat.web.play.live import topic_of

    kept = find_sitting(site, game, sitting)
    if kept is None:
        return RedirectResponse(_address(game, ""), 303)
    shown, broken = None, ""
    try:
        session = session_of(site, kept)
        shown = None if session is None else table_of(session)
    except RiverboatError as error:
        broken, status = str(error), 422
    query = request.query_params
    typed = dict(form) if form is not None else dict(query)
    rules = game_class(game)
    return render(
        request,
        "play/game.html",
        status,
        title=_title(game),
        place="/play",
        summary=getattr(rules, "summary", ""),
        game=game,
        here=_address(game, sitting),
        topic=topic_of(kept.name),
        table=shown,
        broken=broken,
        waiting=shown is None and not broken,
        hinting=query.get("hint") == "1",
        problems=problems or {},
        settings=_settings(site, game, kept, typed, chosen=form is None and "against" in query),
        paragraphs=_how_it_is_played(game),
    )


def _settings(
    site: Site, game: str, kept: Any, typed: dict[str, str], *, chosen: bool
) -> dict[str, Any]:
    """The fields of the form for another sitting: as typed, else as this sitting has them."""
    from riverboat.web.play.session import SHIPPED, opponents, rules_of

    rules = make_game(game, dict(kept.parameters))
    choices = opponents(rules, site.library)
    against = typed.get("against", kept.against)
    shown: Game = rules
    if game == "holdem" and (chosen or not kept.parameters):
        try:
            shown = rules_of(against, site.library) or rules
        except RiverboatError:
            shown = rules  # The new sitting says what is wrong with the opponent
    meanings = _meanings(game)
    fields = [
        RuleField(
            name,
            (LABELS.get(name) if game == "holdem" else None) or parameter_label(rules, name),
            typed.get(name, _text(shown, name)),
            meanings.get(name, ""),
        )
        for name in _rule_names(rules)
    ]
    seats = rules.num_players
    return {
        "fields": fields,
        "choices": choices,
        "bots": {name: words for name, words in choices.items() if name != SHIPPED},
        "against": against,
        "seats": seats,
        "seat": typed.get("seat", str(kept.seat)),
        "people": typed.get("people", "2"),
        "asks_for_rules": game == "holdem",
        "chips": game in HOLDEM_FIELDS,
    }


def _rule_names(game: Game) -> list[str]:
    names = [each.name for each in dataclasses.fields(cast(Any, game))]
    return [name for name in names if name in HOLDEM_FIELDS.get(game.name, names)]


def _text(game: Game, name: str) -> str:
    from riverboat.web.play.session import parameter_text

    return parameter_text(game, name)


def _title(game: str) -> str:
    return game_class(game).title.partition(",")[0].partition(" (")[0]


def _source(game: str) -> str:
    return inspect.getdoc(sys.modules[game_class(game).__module__]) or ""


def _how_it_is_played(game: str) -> list[str]:
    """The rules from the docstring of the game's module."""
    rules = _source(game).partition("\n\nSource:")[0].partition("\n\n|")[0]
    return [" ".join(part.split()) for part in rules.split("\n\n")[1:]]


def _meanings(game: str) -> dict[str, str]:
    """Parameter → what it means, from the table in the docstring of the game's module."""
    return dict(re.findall(r"^\| (\w+) \| [^|]+ \| ([^|]+) \|$", _source(game), re.M))
