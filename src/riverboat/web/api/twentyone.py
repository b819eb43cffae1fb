"""Twenty-one: the exact optimum, learning in the background, and tournaments."""

from __future__ import annotations

import secrets
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException
from pydantic import BaseModel, Field

from riverboat.errors import RiverboatError, UsageError
from riverboat.web.app.problems import REFUSED, about
from riverboat.web.site import AskedSite, Site
from riverboat.web.twentyone.entrants import USUAL_ENTRANTS, entrants_of
from riverboat.web.twentyone.learning_runs import STATES, LearningOrder, LearningRun

router = APIRouter(prefix="/twentyone", tags=["Twenty-one"], responses=REFUSED)
MAX_ROUNDS = 100_000
MAX_TEXT = 20_000
"""Letters of a list of entrants."""
NUM_LISTED = 50
STORE = "tournaments.sqlite"


class OptimumAnswer(BaseModel):
    """What the best player of twenty-one gets."""

    state: str = Field(description="What the player sees of the hand.")
    reward: float = Field(description="Mean reward of a game, exactly.")


class LearningQuestion(BaseModel):
    """Methods that learn side by side, and for how long."""

    methods: list[str] = Field(max_length=10)
    state: str = "points"
    games: int = 1_000_000


class LearningAnswer(BaseModel):
    """A run of learning, and how far it is."""

    name: str
    page: str
    running: bool
    states: dict[str, str] = Field(description="Method → how it stands.")
    curves: dict[str, list[tuple[float, float]]] = Field(
        description="Method → games learned from, and the mean reward of greedy play then."
    )

    @classmethod
    def of(cls, run: LearningRun) -> LearningAnswer:
        return cls(
            name=run.name,
            page=f"/twentyone/learning/{run.name}",
            running=run.running,
            states={part.name: part.state for part in run.parts},
            curves=run.curves,
        )


class TournamentQuestion(BaseModel):
    """A tournament to play."""

    entrants: Annotated[str, Field(max_length=MAX_TEXT)] = USUAL_ENTRANTS
    rounds: int = 200


class TournamentLine(BaseModel):
    """A tournament in the list of those played."""

    number: int
    name: str
    started: str
    entrants: int
    champion: str = Field(description="Empty where it was not finished.")


class HostingAnswer(BaseModel):
    """What is being played, or was played last."""

    state: str = Field(description="playing, over, stopped, nothing, or what went wrong.")
    number: int | None
    standings: list[tuple[str, list[tuple[str, int, int]]]] = Field(
        description="Of each table: its title, and name, wins and score of each seat."
    )


def best_reward(state: str) -> float:
    """The mean reward of the best player, exactly."""
    from riverboat.twentyone.learning.optimum import optimum

    return float(optimum(state, "reward")[0].reward)


def begin_learning(site: Site, asked: LearningQuestion) -> LearningRun:
    """Begin to learn in the background; what is wrong is said at its field."""
    order = LearningOrder(tuple(dict.fromkeys(asked.methods)), asked.state, asked.games)
    return site.learning_runs.begin(order)


def find_learning(site: Site, name: str) -> LearningRun:
    """A run by its name."""
    found = site.learning_runs.find(name)
    if found is None:
        raise HTTPException(404, "There is no such run; it was not kept or never begun.")
    return found


def begin_tournament(site: Site, asked: TournamentQuestion) -> None:
    """Begin a tournament; what is wrong is said at its field."""
    with about("rounds"):
        if not 1 <= asked.rounds <= MAX_ROUNDS:
            raise UsageError(f"A table has 1 to {MAX_ROUNDS:,} rounds, not {asked.rounds:,}.")
    with about("entrants"):
        texts = entrants_of(asked.entrants, site.library)
        site.hostings.host(texts, asked.rounds, secrets.randbits(40))


def played(site: Site) -> list[TournamentLine]:
    """The tournaments of before, the newest first."""
    from riverboat.twentyone.wire.tournament_archive import TournamentStore

    path = site.settings.folder / STORE
    if not path.is_file():
        return []
    return [
        TournamentLine.model_validate(each, from_attributes=True)
        for each in TournamentStore(path).all()[:NUM_LISTED]
    ]


def tournament_facts(site: Site, number: int) -> dict[str, Any]:
    """Everything about one tournament."""
    from riverboat.twentyone.wire.tournament_archive import TournamentStore

    path = site.settings.folder / STORE
    try:
        if not path.is_file():
            raise UsageError("No tournament has been played yet.")
        return TournamentStore(path).facts(number)
    except RiverboatError as error:
        raise HTTPException(404, str(error)) from error


@router.get("/optimum")
def optimum(site: AskedSite, state: str = "points") -> OptimumAnswer:
    """Return the mean reward of the best player, exactly."""
    with about("state"):
        if state not in STATES:
            raise UsageError(f"Choose among {', '.join(STATES)}, not {state!r}.")
    return OptimumAnswer(state=state, reward=site.answers.wait(best_reward, state))


@router.post("/learning", status_code=201)
def learn(site: AskedSite, asked: LearningQuestion) -> LearningAnswer:
    """Begin to learn by playing; ask for the run to see how far it is."""
    return LearningAnswer.of(begin_learning(site, asked))


@router.get("/learning/{name}")
def learning(site: AskedSite, name: str) -> LearningAnswer:
    """Return the curves of a run so far."""
    return LearningAnswer.of(find_learning(site, name))


@router.post("/learning/{name}/stop")
def stop_learning(site: AskedSite, name: str) -> LearningAnswer:
    """End a run with what was learned."""
    found = find_learning(site, name)
    found.stop()
    return LearningAnswer.of(found)


@router.get("/tournaments")
def tournaments(site: AskedSite) -> list[TournamentLine]:
    """List the tournaments that were played, the newest first."""
    return played(site)


@router.get("/tournaments/{number}")
def tournament(site: AskedSite, number: int) -> dict[str, Any]:
    """Return everything about one tournament: its tables, placings and chances."""
    return tournament_facts(site, number)


@router.get("/hosting")
def hosting(site: AskedSite) -> HostingAnswer:
    """Return the tournament that is being played, or was played last."""
    newest = site.hostings.newest
    if newest is None:
        return HostingAnswer(state="nothing", number=None, standings=[])
    return HostingAnswer(state=newest.state, number=newest.number, standings=newest.standings)


@router.post("/hosting", status_code=201)
def host(site: AskedSite, asked: TournamentQuestion) -> HostingAnswer:
    """Begin a tournament of bots of this machine."""
    begin_tournament(site, asked)
    return hosting(site)


@router.post("/hosting/stop")
def stop_hosting(site: AskedSite) -> HostingAnswer:
    """Stop the tournament that is being played; it is not gone on with."""
    if site.hostings.playing is not None:
        site.hostings.playing.stopping = True
    return hosting(site)
