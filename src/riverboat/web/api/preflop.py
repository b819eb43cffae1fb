"""Before the flop: solutions, each decision class by class, and all-in or fold to be solved."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from riverboat.errors import RiverboatError, UsageError
from riverboat.web.api.jobs import JobFacts, job_facts
from riverboat.web.app.library import Library
from riverboat.web.app.problems import REFUSED, about
from riverboat.web.holdem.preflop_runs import PreflopOrder, PreflopRun, keys_of_form
from riverboat.web.site import AskedSite, Site

if TYPE_CHECKING:
    from riverboat.holdem.preflop.node import PreflopNode
    from riverboat.holdem.preflop.solution import PreflopSolution

router = APIRouter(prefix="/holdem/preflop", tags=["Before the flop"], responses=REFUSED)
SHIPPED = "shipped"
KIND = "preflop"
SHIPPED_TITLE = "Book of six players"
Known = float | None
"""A figure; None where it is not known."""


class SolutionFacts(BaseModel):
    """A solution that can be opened."""

    name: str
    title: str
    words: str


class SeatFacts(BaseModel):
    """A seat of a solution."""

    seat: str
    ev: str = Field(description="With its 95 % interval where deals are sampled.")
    gain: str = Field(description="What a best response would gain.")


class PreflopAction(BaseModel):
    """What the one who decides can do."""

    action: str
    words: str
    colour: str
    share: Known = Field(description="How often, over all hands that get here.")
    leads: Literal["decision", "flop", "end", "untrained"]
    line: str = Field(description="The line after it.")


class PreflopStep(BaseModel):
    """A decision on the way."""

    line: str
    seat: str
    words: str


class PlacedChips(BaseModel):
    """A seat at the table at this point."""

    seat: str
    chips: float = Field(description="In the pot so far.")
    did: str = Field(description="What it did last.")
    line: str | None = Field(description="The line of its last decision.")
    folded: bool


class ClassFacts(BaseModel):
    """One class of hands at a decision."""

    reach: float = Field(description="How often it gets here.")
    ev: Known
    shares: dict[str, Known] = Field(description="Action → how often; None where not trained.")
    values: dict[str, Known] = Field(description="Action → EV.")


class DecisionAnswer(BaseModel):
    """One decision before the flop."""

    name: str
    title: str
    unit: str
    line: str
    seat: str
    words: str = Field(description="Who decides after what.")
    rare: bool
    pot: float
    to_call: float
    gain: str = Field(description="What could still be gained here, where it was measured.")
    seats: list[PlacedChips]
    steps: list[PreflopStep]
    actions: list[PreflopAction]
    classes: dict[str, ClassFacts]
    figures: list[SeatFacts]
    made: str = Field(description="How the solution was made.")


class PushFoldQuestion(BaseModel):
    """A game of all-in or fold, as texts of numbers."""

    stacks: Annotated[str, Field(max_length=1000, examples=["10, 10"])]
    blinds: Annotated[str, Field(max_length=1000)] = "0.5, 1"
    ante: Annotated[str, Field(max_length=1000)] = "0"
    places: Annotated[str, Field(max_length=1000, description="Prizes, if any.")] = ""


def solutions(library: Library) -> list[SolutionFacts]:
    """Return the shipped book and the solutions of the library."""
    book = SolutionFacts(
        name=SHIPPED, title=SHIPPED_TITLE, words="100 big blinds · comes with Riverboat"
    )
    return [
        book,
        *(
            SolutionFacts(
                name=saved.name,
                title=saved.name,
                words=f"{saved.changed:%d %b %Y, %H:%M} · {saved.size_text}",
            )
            for saved in library.files()
            if saved.kind == KIND
        ),
    ]


def solution_stamp(library: Library, name: str) -> int:
    """A number that changes when a solution's file does; 0 for the book and for none."""
    try:
        path = Path() if name == SHIPPED else library.path(name)
        return 0 if name == SHIPPED else path.stat().st_mtime_ns
    except (RiverboatError, OSError):
        return 0


def find_node(library: Library, name: str, line: str) -> tuple[PreflopSolution, PreflopNode]:
    """The solution of a name and its decision after a line."""
    from riverboat.web.holdem.preflop_solutions import open_solution

    try:
        solution = open_solution(library, name)
    except OSError:
        raise UsageError(f"{name[:60]} cannot be read.") from None
    with about("line"):
        return solution, solution.node(line)


def decision(library: Library, name: str, stamp: int, line: str) -> DecisionAnswer:
    """Return one decision of a solution; `stamp` makes a changed file another question."""
    from riverboat.cards.combos import CLASS_NAMES

    solution, node = find_node(library, name, line)
    info = solution.info
    cells = node.grid.cells
    classes = {
        label: ClassFacts(
            reach=cells[c].fill,
            ev=_known(cells[c].ev),
            shares={
                action: float(node.frequencies[a, c]) if node.knows(c) else None
                for a, action in enumerate(node.actions)
            },
            values={action: _known(node.values[a, c]) for a, action in enumerate(node.actions)},
        )
        for c, label in enumerate(CLASS_NAMES)
    }
    return DecisionAnswer(
        name=name,
        title=solution.title[:1].upper() + solution.title[1:],
        unit=str(info.get("unit", "chips")),
        line=node.name,
        seat=node.seat,
        words=node.grid.title,
        rare=node.rare,
        pot=sum(node.put.values()),
        to_call=node.to_call,
        gain=_gain_here(solution, node),
        seats=_seats(solution, node),
        steps=[
            PreflopStep(line=at.name, seat=at.seat, words=words)
            for at, words in solution.steps(node.line)
        ],
        actions=_actions(solution, node),
        classes=classes,
        figures=[SeatFacts(seat=s, ev=ev, gain=gain) for s, ev, gain in solution.seat_figures()],
        made=_made(info),
    )


def _actions(solution: PreflopSolution, node: PreflopNode) -> list[PreflopAction]:
    from riverboat.drawing.palette import action_colours

    totals = node.totals.tolist()
    colours = action_colours(node.labels)
    return [
        PreflopAction(
            action=action,
            words=words,
            colour=colour,
            share=None if node.rare else share,
            leads=_leads(solution, (*node.line, action)),
            line="-".join((*node.line, action)),
        )
        for action, words, colour, share in zip(
            node.actions, node.labels, colours, totals, strict=True
        )
    ]


def _leads(
    solution: PreflopSolution, line: Sequence[str]
) -> Literal["decision", "flop", "end", "untrained"]:
    if line in solution:
        return "decision"
    if tuple(line) in solution.untrained:
        return "untrained"
    return "flop" if sees_flop(solution, line) else "end"


def sees_flop(solution: PreflopSolution, line: Sequence[str]) -> bool:
    """Return whether two or three players see the flop after a line, with chips to bet."""
    from riverboat.holdem.preflop.following import flop_start

    try:
        return len(flop_start(solution, line).seats) <= 3
    except RiverboatError:
        return False


def _seats(solution: PreflopSolution, node: PreflopNode) -> list[PlacedChips]:
    last = {at.seat: (at.name, words) for at, words in solution.steps(node.line)}
    return [
        PlacedChips(
            seat=seat,
            chips=chips,
            did=last[seat][1] if seat in last else "",
            line=last[seat][0] if seat in last else None,
            folded=seat in last and last[seat][1] == "fold",
        )
        for seat, chips in node.put.items()
    ]


def _gain_here(solution: PreflopSolution, node: PreflopNode) -> str:
    """What the one who decides could still gain here, where that was measured."""
    from riverboat.drawing.html import signed

    number, info = solution.nodes.index(node), solution.info
    gain = _measured(info.get("node_gains"), number)
    margin = _measured(info.get("node_gains_ci95"), number)
    if gain is None or margin is None:
        return ""
    unit = info.get("unit", "chips")
    return f"the best answer here would gain {signed(gain, 4)} ± {margin:.4f} {unit} per hand"


def _measured(values: Any, number: int) -> float | None:
    """One of a file's figures, or the one for all."""
    if isinstance(values, list):
        values = values[number] if number < len(values) else None
    return _known(values) if isinstance(values, int | float) else None


def _made(info: dict[str, Any]) -> str:
    how = [str(info["algorithm"])] if "algorithm" in info else []
    if isinstance(info.get("iterations"), int):
        how.append(f"{info['iterations']:,} iterations")
    how.append("every deal counted" if info.get("method") == "exact" else "deals sampled")
    return ", ".join(how)


def _known(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def begin(site: Site, question: PushFoldQuestion) -> PreflopRun:
    """Start to solve a game; what is wrong is said at its field."""
    order = PreflopOrder.of_keys(keys_of_form(question.model_dump()))
    return site.preflop_runs.begin(order)


@router.get("/solutions")
def list_solutions(site: AskedSite) -> list[SolutionFacts]:
    """List the shipped book and the solutions of the library."""
    return solutions(site.library)


@router.get("/decision")
def get_decision(
    site: AskedSite,
    file: Annotated[str, Query(max_length=200, examples=["shipped"])],
    line: Annotated[str, Query(max_length=2000, examples=["f-f-f-r2.5"])] = "start",
) -> DecisionAnswer:
    """Return one decision of a solution, class by class."""
    stamp = solution_stamp(site.library, file)
    return site.answers.wait(decision, site.library, file, stamp, line)


@router.post("/runs", status_code=201)
def begin_run(question: PushFoldQuestion, site: AskedSite) -> JobFacts:
    """Start to solve a game of all-in or fold; its solution is saved in the library."""
    run = begin(site, question)
    return job_facts(site.preflop_runs, run)
