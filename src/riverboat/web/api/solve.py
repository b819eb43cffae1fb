"""Solving games: what can be solved, how large it is, runs of algorithms and their curves."""

from __future__ import annotations

import math
from datetime import datetime
from typing import Annotated, Literal, cast

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from riverboat.errors import RiverboatError, UsageError
from riverboat.games.base import Game, parameter_label, parameters_of
from riverboat.games.contract import is_own_game
from riverboat.games.registry import GAMES, game_class, make_game, parse_assignments
from riverboat.runtime.plugins import program_error
from riverboat.solvers.algorithms import AGAINST, algorithms
from riverboat.trees.public_games import has_shapes
from riverboat.web.app.problems import REFUSED, about
from riverboat.web.site import AskedSite, Site
from riverboat.web.solve.runs import SolveOrder, SolveRun, game_title

router = APIRouter(prefix="/solve", tags=["Solve"], responses=REFUSED)
NUM_SHOWN = 20
MEASURED_HISTORIES = 60_000
"""Up to so many, by the estimate, a tree is walked to say its exact size."""
Limit = Literal["target", "iterations", "seconds"]
Rules = tuple[tuple[str, str], ...]
"""A game's parameters as texts, for keys of answers."""


class ParameterFacts(BaseModel):
    """A parameter of a game."""

    name: str
    label: str = Field(description="What forms call it.")
    value: str


class GameFacts(BaseModel):
    """A game that can be solved here."""

    name: str
    title: str
    parameters: list[ParameterFacts]


class AlgorithmFacts(BaseModel):
    """An algorithm to solve with."""

    name: str
    about: str
    source: str


class SizeFacts(BaseModel):
    """How large a game is."""

    histories: int = Field(description="Nodes of its tree; of a public tree the public ones.")
    infosets: int | None = Field(description="None where it was not counted.")
    num_bytes: int | None = Field(description="Memory to solve it, at least; None where unknown.")
    exact: bool = Field(description="Counted, not estimated from random plays.")
    words: str


class SolveQuestion(BaseModel):
    """What is to be solved, how, and until when."""

    game: Annotated[str, Field(max_length=200, examples=["leduc"])]
    parameters: dict[str, str] = Field({}, description="Parameter → text; the others as usual.")
    algorithms: list[Annotated[str, Field(max_length=200)]] = ["dcfr", "cfr+"]
    limit: Limit = Field("target", description="What ends a run: exploitability is reached, …")
    amount: float = Field(1e-5, description="How much of it.")


class RunPart(BaseModel):
    """One algorithm of a run."""

    algorithm: str
    state: str
    words: str
    failed: bool
    iterations: int
    seconds: float
    exploitability: float | None
    value: list[float] | None = Field(description="What each player gets; when it has ended.")
    curve: list[tuple[float, float, float]] = Field(
        description="Iterations, seconds, exploitability."
    )
    page: str | None = Field(description="The address of its strategy, as soon as there is one.")


class RunAnswer(BaseModel):
    """A run of one or more algorithms on one game."""

    name: str
    title: str
    game: str
    game_title: str
    parameters: dict[str, str]
    limit: Limit
    amount: float
    running: bool
    unfinished: bool
    changed: datetime
    parts: list[RunPart]


def solvable() -> list[str]:
    """Return the names of the games that are solved as trees, those of the user included."""
    return [name for name in GAMES if not getattr(game_class(name), "other_way", "")]


def game_facts(name: str) -> GameFacts:
    """Return a game's parameters with their usual values."""
    with about("game"):
        if name not in solvable():
            other = getattr(game_class(name), "other_way", "")
            raise UsageError(other or f"{name} cannot be solved here.")
        made = make_game(name)
    return GameFacts(name=name, title=game_title(name), parameters=parameter_facts(made))


def parameter_facts(game: Game) -> list[ParameterFacts]:
    """Return each parameter of a game as a form has it."""
    return [
        ParameterFacts(name=name, label=parameter_label(game, name), value=_text(value))
        for name, value in parameters_of(game).items()
    ]


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def algorithm_facts(game: str = "") -> list[AlgorithmFacts]:
    """Return the algorithms for games of two and more players, or for one; `auto` first."""
    public = bool(game) and has_shapes(make_game(game))
    auto = AlgorithmFacts(name="auto", about="chosen by the size of the game", source="")
    return [
        auto,
        *(
            AlgorithmFacts(name=name, about=each.about, source=each.source)
            for name, each in algorithms().items()
            if not each.one_player
            and name != AGAINST
            and (not public or each.config is not None or name == "cs-cfr")
        ),
    ]


def game_size(name: str, rules: Rules) -> SizeFacts:
    """Return how large a game is: counted where that is quick, else estimated."""
    from riverboat.trees.game_tree import TreeSize, amount, estimate_histories, measure
    from riverboat.trees.public_games import public_game

    game = make_game(name, dict(rules))
    try:
        if has_shapes(game):
            shapes = public_game(game).shapes
            nodes, infosets = shapes.num_public_nodes, shapes.num_infosets
            words = f"{nodes:,} public situations, {infosets:,} infosets"
            return SizeFacts(
                histories=nodes, infosets=infosets, num_bytes=None, exact=True, words=words
            )
        about_many = estimate_histories(game)
        if about_many <= MEASURED_HISTORIES:
            size = measure(game)
            words = f"{size.histories:,} histories, {size.infosets:,} infosets"
        else:
            half = about_many // 2
            size = TreeSize(game.num_players, about_many, half, 0, half, 0, 0)
            words = f"about {_rounded(about_many)} histories, some {amount(size.bytes)}"
    except RiverboatError:
        raise
    except Exception as error:
        if not is_own_game(game):
            raise
        raise UsageError(f"{name} cannot be walked through: {program_error(error)}.") from error
    counted = about_many <= MEASURED_HISTORIES
    return SizeFacts(
        histories=size.histories,
        infosets=size.infosets if counted else None,
        num_bytes=size.bytes,
        exact=counted,
        words=words,
    )


def _rounded(number: int) -> str:
    """Two digits of an estimate: 290,000; from a trillion on as a power of ten."""
    if number >= 10**12:
        return f"10^{math.floor(math.log10(number))}"
    unit = 10 ** max(0, len(str(number)) - 2)
    return f"{round(number / unit) * unit:,}"


def check_question(question: SolveQuestion) -> SolveOrder:
    """Return the order of a run; what is wrong is said at its field."""
    game_facts(question.game)
    for name, value in question.parameters.items():
        with about(f"{question.game}.{name}"):
            make_game(question.game, {name: value})
    with about("game"):
        make_game(question.game, dict(question.parameters))
    order = SolveOrder(
        question.game,
        dict(question.parameters),
        tuple(question.algorithms),
        question.limit,
        question.amount,
    )
    with about("amount"):
        order.check_limit()
    with about("algorithm"):
        order.check_algorithms()
    return order


def begin(site: Site, question: SolveQuestion) -> SolveRun:
    """Start a run; what is wrong is said at its field."""
    return site.solve_runs.begin(check_question(question))


def run_answer(run: SolveRun) -> RunAnswer:
    """Return a run as it is now."""
    order = run.order
    return RunAnswer(
        name=run.name,
        title=order.title,
        game=order.game,
        game_title=game_title(order.game),
        parameters=order.parameters,
        limit=cast(Limit, order.limit),
        amount=order.amount,
        running=run.running,
        unfinished=run.unfinished,
        changed=datetime.fromtimestamp(run.changed),
        parts=[_part(run, number) for number in range(len(run.parts))],
    )


def _part(run: SolveRun, number: int) -> RunPart:
    part, facts = run.parts[number], run.parts[number].facts
    last = part.points[-1] if part.points else [0, 0.0, math.nan]
    return RunPart(
        algorithm=part.name,
        state=part.state,
        words="solving" if part.state == "running" else part.words,
        failed=part.failed,
        iterations=int(facts.get("iterations", last[0])),
        seconds=facts.get("seconds", last[1]),
        exploitability=_known(facts.get("exploitability", last[2])),
        value=facts.get("value"),
        curve=[(p[0], p[1], p[2]) for p in part.points if all(map(math.isfinite, p[:3]))],
        page=f"/solve/run/{run.name}/{number}" if run.path(number).is_file() else None,
    )


def _known(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def find_run(site: Site, name: str) -> SolveRun:
    """Return a run by its name."""
    run = site.solve_runs.find(name)
    if run is None:
        raise UsageError("There is no such run; it was not kept or never begun.")
    return run


@router.get("/games")
def list_games() -> list[GameFacts]:
    """List the games that can be solved, with their parameters."""
    return [game_facts(name) for name in solvable()]


@router.get("/algorithms")
def list_algorithms() -> list[AlgorithmFacts]:
    """List the algorithms."""
    return algorithm_facts()


@router.get("/size")
def size(
    site: AskedSite,
    game: Annotated[str, Query(max_length=200)],
    parameter: Annotated[
        list[str], Query(max_length=30, description="name=value, repeatable.")
    ] = [],  # noqa: B006
) -> SizeFacts:
    """Return how large a game is, counted or estimated."""
    game_facts(game)
    with about("parameter"):
        rules = parse_assignments(parameter)
        make_game(game, dict(rules))
    return site.answers.wait(game_size, game, tuple(rules.items()))


@router.get("/runs")
def list_runs(site: AskedSite) -> list[RunAnswer]:
    """List the newest runs."""
    return [run_answer(run) for run in site.solve_runs.recent(NUM_SHOWN)]


@router.post("/runs", status_code=201)
def begin_run(question: SolveQuestion, site: AskedSite) -> RunAnswer:
    """Start a run in the background; /api/v1/jobs stops it and goes on with it."""
    return run_answer(begin(site, question))


@router.get("/runs/{name}")
def get_run(name: str, site: AskedSite) -> RunAnswer:
    """Return a run as it is now, with the curve of each algorithm."""
    return run_answer(find_run(site, name))
