"""The drill of a small game: decisions of its equilibrium, one after another."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Form
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from riverboat.errors import RiverboatError
from riverboat.games.registry import game_class, make_game
from riverboat.players.player import state_behind
from riverboat.web.app.answers import PATIENCE_SECONDS
from riverboat.web.app.templates import render
from riverboat.web.pages.holdem.drill_parts import MixRow, mix_rows
from riverboat.web.play.felt import Felt, felt_of, may_see
from riverboat.web.site import AskedSite, Site
from riverboat.web.training.sittings import Sitting, person_sitting
from riverboat.web.training.trainee import Trainee, known, trainee

if TYPE_CHECKING:
    from riverboat.arena.game_drill import GameDrill, GameQuestion

router = APIRouter()
OWN = ("person", "only")
"""Keys of an address that are no parameters of a game."""
FORGOTTEN = "This sitting is not known any more; begin a new one. What you missed is remembered."


@lru_cache(16)
def solved_drill(game: str, parameters: tuple[tuple[str, str], ...]) -> GameDrill:
    """The questions of a game, solved once."""
    from riverboat.arena.game_drill import GameDrill

    return GameDrill(make_game(game, dict(parameters)))


def _asked(request: Request) -> tuple[tuple[str, str], ...]:
    pairs = request.query_params.multi_items()[:20]
    return tuple((name, value[:40]) for name, value in pairs if name not in OWN)


@router.get("/drill/{game}", response_model=None)
def begin_page(request: Request, game: str, site: AskedSite) -> Response:
    """Show what can be asked, and begin."""
    return _page(request, site, game)


@router.post("/drill/{game}", response_model=None)
def begin(request: Request, game: str, site: AskedSite) -> Response:
    """Begin a sitting."""
    try:
        drill = site.answers.ask(solved_drill, game, _asked(request))
        trained = known(trainee(request, site))
        if drill is None:  # still being solved: the page says so
            return RedirectResponse(_place(request, game, trained).whole, 303)
        drill.chances(replace(trained.wanted, mistakes=False))
        sitting = person_sitting(
            site, drill.sitting(), trained, trained.wanted, game=game, asked=_asked(request)
        )
    except RiverboatError as error:
        return _page(request, site, game, str(error))
    return RedirectResponse(f"/drill/{quote(game)}/{site.trainings.add(sitting)}", 303)


@router.get("/drill/{game}/{name}", response_model=None)
def sitting_page(request: Request, game: str, name: str, site: AskedSite) -> Response:
    """Show a sitting's question, or its verdict."""
    sitting = site.trainings.find(name)
    if sitting is None or sitting.facts.get("game") != game:
        return _page(request, site, game, FORGOTTEN, 404)
    return _page(request, site, game, sitting=sitting, name=name)


@router.post("/drill/{game}/{name}", response_model=None)
def act(
    game: str,
    name: str,
    site: AskedSite,
    what: Annotated[str, Form(max_length=60)],
    decision: Annotated[int, Form()],
) -> Response:
    """Answer, look up, or go on to the next question."""
    sitting = site.trainings.find(name)
    if sitting is not None and sitting.facts.get("game") == game:
        sitting.do(what, decision)
    return RedirectResponse(f"/drill/{quote(game)}/{name}", 303)


def _place(request: Request, game: str, trained: Trainee) -> Trainee:
    query = urlencode(_asked(request))
    return replace(trained, here=f"/drill/{quote(game)}{f'?{query}' if query else ''}")


@dataclass(frozen=True)
class Move:
    """A move as a button."""

    action: str
    label: str


def _page(
    request: Request,
    site: Site,
    game: str,
    problem: str = "",
    status: int = 422,
    sitting: Sitting | None = None,
    name: str = "",
) -> Response:
    question: GameQuestion | None = None
    drill: GameDrill | None = None
    asked = sitting.facts["asked"] if sitting else _asked(request)
    try:
        title = game_class(game).title.partition(",")[0].partition(" (")[0]
    except RiverboatError as error:
        words = str(error)
        return render(request, "problem.html", 404, title="There is no such game", words=words)
    trained = trainee(request, site)
    try:
        drill = site.answers.ask(solved_drill, game, asked)
        if sitting is not None:
            question = sitting.question(PATIENCE_SECONDS)
    except RiverboatError as error:
        problem, sitting = str(error), None
    problem = problem or trained.problem
    query = urlencode(asked)
    trained = replace(trained, here=f"/drill/{quote(game)}{f'?{query}' if query else ''}")
    if sitting is not None:
        person, wanted = str(sitting.facts["person"]), sitting.facts["wanted"]
        trained = replace(trained, person=person, wanted=wanted)
    if drill is not None:
        trained = replace(trained, deck=drill.deck, groups=drill.groups)
    waiting = not problem and (drill is None or (sitting is not None and question is None))
    return render(
        request,
        "training/game.html",
        status if problem else 200,
        title=f"{title}: drill",
        place="/learn",
        game=game,
        game_title=title,
        num_questions=len(drill.questions) if drill else 0,
        unit=drill.unit if drill else "",
        problem=problem,
        waiting=waiting,
        trained=trained,
        sitting=sitting,
        address=f"/drill/{quote(game)}/{name}",
        question=question,
        felt=_felt(question),
        moves=_moves(question),
        best=_label(question, sitting.verdict.best) if sitting and sitting.verdict else "",
        mix=_mix(question, sitting),
        score=sitting.judge.score.lines(sitting.judge.unit, "decision") if sitting else [],
    )


def _felt(question: GameQuestion | None) -> Felt | None:
    """The table as the one who acts sees it."""
    state = None if question is None else state_behind(question.view)
    if question is None or state is None:
        return None
    player = question.view.player
    names = [f"player {seat + 1}" for seat in range(question.view.game.num_players)]
    names[player] = f"you, player {player + 1}"
    return felt_of(question.view.game, state, names, player, may_see(state, player))


def _moves(question: GameQuestion | None) -> list[Move]:
    if question is None:
        return []
    return [Move(action, question.view.label(action)) for action in question.view.actions]


def _label(question: GameQuestion | None, action: str) -> str:
    return "" if question is None else question.view.label(action)


def _mix(question: GameQuestion | None, sitting: Sitting | None) -> list[MixRow]:
    """What the equilibrium does, once the answer is given or it was looked up."""
    if question is None or sitting is None or not (sitting.verdict or sitting.looked_up):
        return []
    label = question.view.label
    actions = list(question.view.actions)
    chances = {label(action): question.chances.get(action, 0.0) for action in actions}
    values = {label(action): question.values[action] for action in actions}
    taken = label(sitting.verdict.action) if sitting.verdict else ""
    return mix_rows(chances, values, taken)
