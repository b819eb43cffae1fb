"""Tournaments of twenty-one: one is hosted here, its tables are watched, old ones looked at."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from riverboat.errors import RiverboatError
from riverboat.players.roster import known_players
from riverboat.twentyone.game import is_bust, points
from riverboat.web.api.twentyone import (
    MAX_TEXT,
    TournamentQuestion,
    begin_tournament,
    played,
    tournament_facts,
)
from riverboat.web.app.problems import by_field
from riverboat.web.app.templates import render
from riverboat.web.site import AskedSite, Site
from riverboat.web.twentyone.entrants import USUAL_ENTRANTS
from riverboat.web.twentyone.replays import hands_of_logs

router = APIRouter()
STATES = {"playing": "Playing …", "over": "The tournament is over.", "stopped": "Stopped."}
USUAL_ROUNDS = "200"


@router.get("/twentyone", response_model=None)
def tournaments_page(request: Request, site: AskedSite) -> Response:
    """Show the form, the tables in play, and the tournaments of before."""
    return _page(request, site, {"entrants": USUAL_ENTRANTS, "rounds": USUAL_ROUNDS})


@router.post("/twentyone", response_model=None)
def start(
    request: Request,
    site: AskedSite,
    entrants: Annotated[str, Form()] = "",
    rounds: Annotated[str, Form(max_length=40)] = "",
) -> Response:
    """Begin a tournament."""
    typed = {"entrants": entrants[:MAX_TEXT], "rounds": rounds}
    plain = rounds.strip().replace(",", "")
    if len(entrants) > MAX_TEXT:
        problems = {"entrants": f"A list of entrants has at most {MAX_TEXT:,} characters."}
    elif not (plain.isascii() and plain.isdigit()):
        problems = {"rounds": f"Write a whole number of rounds, not {rounds!r}."}
    else:
        try:
            lines = entrants.replace("\r", "")
            begin_tournament(site, TournamentQuestion(entrants=lines, rounds=int(plain)))
            return RedirectResponse("/twentyone", 303)
        except RiverboatError as error:
            problems = dict(by_field(error))
    return _page(request, site, typed, problems)


@router.post("/twentyone/stop", response_model=None)
def stop(site: AskedSite) -> Response:
    """Stop the tournament that is being played."""
    if site.hostings.playing is not None:
        site.hostings.playing.stopping = True
    return RedirectResponse("/twentyone", 303)


def _page(
    request: Request, site: Site, typed: dict[str, str], problems: dict[str, str] | None = None
) -> Response:
    hosting = site.hostings.newest
    return render(
        request,
        "twentyone/tournaments.html",
        422 if problems else 200,
        title="Twenty-one: tournaments",
        place="/twentyone",
        tab="/twentyone",
        typed=typed,
        problems=problems or {},
        hosting=hosting,
        words=STATES.get(hosting.state, hosting.state) if hosting else "",
        num_left=sum(not each.out for each in hosting.ranking) if hosting else 0,
        played=played(site),
        players=[name for name in known_players() if name != "python"],
    )


@router.get("/twentyone/tournaments/{number}", response_model=None)
def tournament_page(request: Request, site: AskedSite, number: int, hand: int = 1) -> Response:
    """Show a tournament's tables, and its log hand by hand."""
    from riverboat.web.twentyone.hosting import logs_of

    facts = tournament_facts(site, number)
    logs = logs_of(site.settings.folder, int(facts["seed"]))
    problem, hands = "", []
    try:
        hands = hands_of_logs(logs)
    except RiverboatError as error:
        problem = str(error)
    at = max(1, min(len(hands), hand))
    return render(
        request,
        "twentyone/tournament.html",
        title=f"Tournament {number}",
        place="/twentyone",
        tab="/twentyone",
        number=number,
        facts=facts,
        logged=bool(logs),
        problem=problem,
        hands=len(hands),
        at=at,
        hand=hands[at - 1] if hands else None,
        points_of=points_of,
    )


def points_of(cards: list[str]) -> str:
    """What a hand counts, in words."""
    return "bust" if is_bust(cards) else f"{points(cards)} points"
