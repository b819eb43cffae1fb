"""Tables against bots: sit down, see the table as one's own seat does, ask for a hint, move."""

from __future__ import annotations

import secrets
from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from riverboat.errors import RiverboatError, UsageError
from riverboat.games.base import Game
from riverboat.games.registry import GAMES, make_game
from riverboat.holdem.rules.state import Holdem
from riverboat.runtime.stopping import Stop
from riverboat.web.app.problems import REFUSED, about
from riverboat.web.play.felt import (
    SIZE,
    Felt,
    Hint,
    Move,
    Sizes,
    felt_of,
    hint_of,
    may_see,
    moves_of,
    sizes_of,
)
from riverboat.web.play.session import Kept, PlaySession, check_opponent, opponents, sit_down
from riverboat.web.site import AskedSite, Site

router = APIRouter(prefix="/play", tags=["Play"], responses=REFUSED)
MAX_LINES = 60
NO_SITTING = "There is no such sitting."


class Line(BaseModel):
    """A line of the log."""

    kind: str = Field(description="hand, move, cost or end.")
    words: str


class PlayTable(BaseModel):
    """A sitting as its person sees it."""

    game: str
    sitting: str = Field(description="Its name; it is played again under it after a restart.")
    decision: int = Field(description="The number of this decision. A move is made for one.")
    over: bool = Field(description="Whether the hand is over; the move is then `next`.")
    felt: Felt
    moves: list[Move]
    sizes: Sizes | None = Field(description="The sizes that a raise may have, where it has many.")
    hint: Hint | None = Field(description="What the coach says about this decision, if it can.")
    log: list[Line] = Field(description="What happened, the newest last.")
    hands: int
    score: float
    cost: float | None = Field(description="What the moves gave away; none where nobody knows it.")


class NewSitting(BaseModel):
    """What to sit down at."""

    parameters: dict[str, str] = Field(
        default={}, description="Of the game, as on the command line."
    )
    against: str = Field(default="", description="Whom; by default the first.")
    seat: int = Field(default=0, ge=0, description="1 for the first seat; 0 takes turns.")


class SittingName(BaseModel):
    """Where to play."""

    sitting: str = Field(description="The name in the addresses of the table.")


class Played(BaseModel):
    """A move."""

    decision: Annotated[int, Field(ge=0, description="The decision that it was chosen for.")]
    move: Annotated[str, Field(max_length=40)]
    size: int | None = Field(default=None, description="For the move `raise`: to how many chips.")


def new_sitting(site: Site, game: str, wanted: NewSitting) -> Kept:
    """A sitting, checked and kept; what cannot be is said at its field."""
    made = make_rules(game, wanted.parameters)
    choices = opponents(made, site.library)
    with about("against"):
        if wanted.against and wanted.against not in choices:
            raise UsageError(f"There is no player {wanted.against[:40]!r} for {game}.")
    against = wanted.against or next(iter(choices), "")
    with about("seat"):
        if wanted.seat > made.num_players:
            raise UsageError(f"{game} has {made.num_players} seats; there is no {wanted.seat}.")
    check_opponent(against, wanted.parameters, site.library)
    kept = Kept(game, dict(wanted.parameters), against, wanted.seat, secrets.randbits(40))
    site.sittings.save(kept)
    return kept


def make_rules(game: str, parameters: dict[str, str]) -> Game:
    """A game from texts; what is wrong with one of them alone is said at its field."""
    try:
        return make_game(game, dict(parameters))
    except RiverboatError:
        for name, text in parameters.items():
            with about(name):
                make_game(game, {name: text})
        raise


def find_sitting(site: Site, game: str, name: str) -> Kept | None:
    """A sitting by its name, kept or not yet begun; None where there can be none."""
    kept = site.sittings.find(game, name)
    if kept is not None and not kept.against:
        kept.against = next(iter(opponents(make_game(game), site.library)), "")
    return kept


def session_of(site: Site, kept: Kept) -> PlaySession | None:
    """The table of a sitting; None while its opponent is solved."""

    def sit(kept: Kept, stop: Stop) -> PlaySession:
        return sit_down(kept, site.library, site.sittings, stop)

    return site.live_sittings.ask(kept, sit)


def table_of(session: PlaySession) -> PlayTable:
    """A sitting as its person sees it now."""
    with session.lock:
        state, game, view = session.state, session.game, session.view
        see = may_see(state, session.mine, open_end=not isinstance(game, Holdem))
        advice = session.advice
        sizes = list(advice.chances) if advice is not None else []
        return PlayTable(
            game=game.name,
            sitting=session.kept.name,
            decision=session.decisions,
            over=session.over,
            felt=felt_of(game, state, session.names, session.mine, see),
            moves=[] if view is None else moves_of(view, sizes),
            sizes=None if view is None else sizes_of(state),
            hint=None if advice is None else hint_of(advice),
            log=[Line(kind=kind, words=words) for kind, words in session.lines[-MAX_LINES:]],
            hands=session.sitting.played,
            score=session.sitting.score,
            cost=(session.sitting.cost or 0.0) if session.prices_moves else None,
        )


def make_move(site: Site, session: PlaySession, played: Played) -> None:
    """Make a move for its decision; one for a decision that is over changes nothing."""
    session.do(sized(played.move, played.size), played.decision)
    site.live_sittings.publish(session.kept.name)


def sized(move: str, size: int | None) -> str:
    """A move of a form: `raise` with its size is one of the game."""
    if move != SIZE:
        return move
    with about("size"):
        if size is None:
            raise UsageError("Write to how many chips you raise.")
    return f"r{size}"


def check_game_name(game: str) -> None:
    """Refuse a game that nobody can sit down at here."""
    if game not in GAMES:
        raise HTTPException(404, f"There is no game {game[:40]!r}.")


def _found(site: Site, game: str, sitting: str) -> PlaySession:
    check_game_name(game)
    kept = find_sitting(site, game, sitting)
    if kept is None:
        raise HTTPException(404, NO_SITTING)
    session = session_of(site, kept)
    if session is None:
        raise UsageError("The opponent is being solved; ask again in a moment.")
    return session


@router.get("/{game}/opponents")
def list_opponents(game: str, site: AskedSite) -> dict[str, str]:
    """List who can be played against: text for `against`, and words."""
    check_game_name(game)
    return opponents(make_game(game), site.library)


@router.post("/{game}", status_code=201)
def begin(game: str, wanted: NewSitting, site: AskedSite) -> SittingName:
    """Sit down at a game; the answer names the sitting."""
    check_game_name(game)
    return SittingName(sitting=new_sitting(site, game, wanted).name)


@router.get("/{game}/{sitting}")
def see_table(game: str, sitting: str, site: AskedSite) -> PlayTable:
    """See a table as its person does."""
    return table_of(_found(site, game, sitting))


@router.post("/{game}/{sitting}/move")
def play_move(game: str, sitting: str, played: Played, site: AskedSite) -> PlayTable:
    """Make a move, or deal the next hand; the answer is the table after it."""
    session = _found(site, game, sitting)
    make_move(site, session, played)
    return table_of(session)
