"""Blueprints: what a trained strategy does with each hand, openings, and measured strength."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from riverboat.errors import RiverboatError, UsageError
from riverboat.web.api.jobs import JobFacts, job_facts
from riverboat.web.app.library import Library
from riverboat.web.app.problems import REFUSED, about
from riverboat.web.holdem.strength_runs import StrengthOrder, StrengthRun, measurement_name
from riverboat.web.site import AskedSite, Site

if TYPE_CHECKING:
    from riverboat.holdem.blueprints.blueprint import Blueprint
    from riverboat.holdem.blueprints.walk import Decision

router = APIRouter(prefix="/holdem/blueprints", tags=["Blueprints"], responses=REFUSED)
SHIPPED = "shipped"
KIND = "blueprint"
FileText = Annotated[str, Query(max_length=200, examples=["shipped"])]
PathText = Annotated[
    str, Query(max_length=400, description="The betting, such as r6c.", examples=["r6c"])
]
BoardText = Annotated[str, Query(max_length=60, examples=["Qs Js 2d"])]
_STEP = re.compile(r"[fc]|r\d+")


class BlueprintAction(BaseModel):
    """An action at a decision."""

    action: str
    words: str
    colour: str
    share: float = Field(description="How often, over all hands that get here.")
    next: str | None = Field(description="The path of the decision after it, where there is one.")


class BlueprintHands(BaseModel):
    """What a class of hands does."""

    reach: float
    shares: dict[str, float]


class BlueprintAnswer(BaseModel):
    """A decision of a blueprint."""

    path: str
    title: str
    seat: str
    players: int
    pot: int
    to_call: int
    board: str
    before: str | None = Field(description="The path of the decision before; None at the first.")
    foreign: list[str] = Field(
        description="Actions of the path that the blueprint itself never takes."
    )
    actions: list[BlueprintAction]
    classes: dict[str, BlueprintHands]


class StrengthFigure(BaseModel):
    """One figure of a blueprint's strength."""

    name: str
    value: str = Field(description="In thousandths of a big blind per game, with its interval.")
    progress: str
    mean: float | None
    ci95: float | None


def names(library: Library) -> dict[str, str]:
    """Return the blueprints that can be opened, with words."""
    saved = [each.name for each in library.files() if each.kind == KIND]
    return {SHIPPED: "the one that comes with Riverboat"} | {name: name for name in saved}


def blueprint_file(library: Library, name: str) -> Path:
    """The file of a blueprint by its name."""
    from riverboat.holdem.blueprints.shipped import blueprint_path

    if name == SHIPPED:
        return blueprint_path(SHIPPED)
    path = library.path(name)
    if not path.is_file():
        raise UsageError(f"There is no {name[:60]!r} in the library.")
    return path


@lru_cache(maxsize=2)
def loaded(path: str, changed: int) -> Blueprint:
    """A blueprint, read once for all visitors; its time of change makes a new one another key."""
    from riverboat.holdem.blueprints.blueprint import Blueprint

    try:
        return Blueprint.load(path)
    except RiverboatError as error:
        # A page does not say where the library lies.
        raise UsageError(str(error).replace(path, Path(path).name)) from None


def find_decision(file: Path, changed: int, path: str, board: str) -> Decision:
    """The decision after a path on a board; what is wrong is said at its field."""
    from riverboat.cards.card import check_distinct, parse_cards
    from riverboat.holdem.blueprints.walk import look

    blueprint = loaded(str(file), changed)
    with about("board"):
        check_distinct(parse_cards(board))
    with about("path"):
        return look(blueprint, path, board)


def decision(file: Path, changed: int, path: str, board: str) -> BlueprintAnswer:
    """Return what a blueprint does at a decision, class by class."""
    found = find_decision(file, changed, path, board)
    grid, following, state = found.grid, found.next_paths(), found.state
    steps = _STEP.findall(state.history.replace("/", ""))
    return BlueprintAnswer(
        path=state.history,
        title=found.title,
        seat=found.seat,
        players=found.blueprint.rules.players,
        pot=state.betting.pot,
        to_call=state.betting.to_call,
        board=found.as_dict()["board"],
        before="".join(steps[:-1]) if steps else None,
        foreign=list(found.foreign),
        actions=[
            BlueprintAction(
                action=action,
                words=words,
                colour=colour,
                share=grid.totals[action],
                next=following.get(action),
            )
            for action, words, colour in zip(grid.actions, grid.labels, grid.colours, strict=True)
        ],
        classes={
            cell.name: BlueprintHands(reach=cell.fill, shares=cell.shares) for cell in grid.cells
        },
    )


def figures(run: StrengthRun) -> list[StrengthFigure]:
    """Return the figures of a measurement as far as it is."""
    rows = []
    for name, step in run.steps.items():
        found = step["estimate"]
        value, mean, ci95 = "…", None, None
        if found is not None:
            mean, ci95 = float(found["mean"]), float(found["ci95"])
            value = f"{mean:+z,.0f}" + (f" ± {ci95:,.0f}" if ci95 > 0 else "")
        done, total = int(step["done"]), int(step["total"])
        progress = f"{done:,} of {total:,}" if done < total else f"{total:,}"
        rows.append(
            StrengthFigure(
                name=name, value=value, progress=f"{progress} {step['unit']}", mean=mean, ci95=ci95
            )
        )
    return rows


def measured(site: Site, file: Path) -> StrengthRun | None:
    """Return the measurement of a blueprint; None where there is none yet."""
    return site.strength_runs.find(measurement_name(file))


def measure(site: Site, file: Path) -> StrengthRun:
    """Begin to measure a blueprint; one that is being measured goes on."""
    found = measured(site, file)
    if found is not None and found.running:
        return found
    return site.strength_runs.begin(StrengthOrder(str(file)), measurement_name(file))


@router.get("/decision")
def get_decision(
    site: AskedSite, file: FileText = SHIPPED, path: PathText = "", board: BoardText = ""
) -> BlueprintAnswer:
    """Return what a blueprint does at a decision, class by class."""
    with about("file"):
        found = blueprint_file(site.library, file)
    return site.answers.wait(decision, found, found.stat().st_mtime_ns, path, board)


@router.get("/strength")
def get_strength(site: AskedSite, file: FileText = SHIPPED) -> list[StrengthFigure]:
    """Return what was measured of a blueprint's strength; empty where nothing was."""
    with about("file"):
        run = measured(site, blueprint_file(site.library, file))
    return figures(run) if run else []


@router.post("/strength", status_code=201)
def measure_strength(site: AskedSite, file: FileText = SHIPPED) -> JobFacts:
    """Begin to measure a blueprint in the background."""
    with about("file"):
        run = measure(site, blueprint_file(site.library, file))
    return job_facts(site.strength_runs, run)
