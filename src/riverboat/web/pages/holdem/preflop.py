"""Before the flop: solutions to open, all-in or fold to solve, and each decision as a grid."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from riverboat.cards.combos import CLASS_NAMES
from riverboat.errors import RiverboatError
from riverboat.web.api.preflop import (
    DecisionAnswer,
    PushFoldQuestion,
    begin,
    decision,
    find_node,
    solution_stamp,
    solutions,
)
from riverboat.web.app.library import Library
from riverboat.web.app.problems import by_field
from riverboat.web.app.templates import render
from riverboat.web.holdem.preflop_runs import FIELDS, FIRST, PreflopRun
from riverboat.web.pages.holdem.class_grid import GridCell, action_cells, value_cells
from riverboat.web.pages.holdem.seats_table import Seated, SeatSpot, seats_round_table
from riverboat.web.site import AskedSite, Site

router = APIRouter()
ADDRESS = "/holdem/preflop"
CELLS = {"mix": "Actions", "ev": "EV"}
"""What the cells show."""
MAX_PICKED = 2
MAX_TEXT = 1000


@dataclass(frozen=True)
class View:
    """A decision with both of its grids."""

    answer: DecisionAnswer
    cells: dict[str, list[GridCell]]
    legend: list[tuple[str, str]]
    errors: dict[str, list[float]]  # Class → half the 95 % interval of each action's EV


def decision_view(library: Library, name: str, stamp: int, line: str) -> View:
    """A decision as the page draws it."""
    node = find_node(library, name, line)[1]
    errors = {}
    if node.errors is not None:
        errors = {label: node.errors[:, c].tolist() for c, label in enumerate(CLASS_NAMES)}
    return View(
        decision(library, name, stamp, line),
        {"mix": action_cells(node.grid), "ev": value_cells(node.grid)},
        node.grid.legend() if node.grid.actions else [],
        errors,
    )


@router.get("/holdem/preflop")
def preflop_page(request: Request, site: AskedSite, run: str = "") -> HTMLResponse:
    """Show the solutions, and the form of all-in or fold with the job that it began."""
    query = request.query_params
    form = {name: query.get(name, FIRST[name])[:MAX_TEXT] for name in FIELDS}
    return _page(request, site, form, site.preflop_runs.find(run) if run else None, {})


@router.post("/holdem/preflop", response_model=None)
async def solve_push_fold(request: Request, site: AskedSite) -> Response:
    """Start to solve; what is wrong is said at its field."""
    sent = await request.form(max_files=0, max_fields=20)
    form = {name: str(sent.get(name, ""))[:MAX_TEXT] for name in FIELDS}
    try:
        run = begin(site, PushFoldQuestion(**form))
    except RiverboatError as error:
        return _page(request, site, form, None, by_field(error))
    return RedirectResponse(f"{ADDRESS}?{urlencode({'run': run.name, **form})}", 303)


def _page(
    request: Request,
    site: Site,
    form: Mapping[str, str],
    run: PreflopRun | None,
    problems: Mapping[str, str],
) -> HTMLResponse:
    found = solutions(site.library)
    return render(
        request,
        "holdem/preflop.html",
        422 if problems else 200,
        title="Before the flop",
        place="/holdem",
        tab=ADDRESS,
        solutions=[(each, f"{ADDRESS}/{quote(each.name)}") for each in found],
        fields=FIELDS,
        form=form,
        problems=problems,
        run=run,
        opens="hx-request" in request.headers,
        file_address=f"{ADDRESS}/{quote(run.file)}" if run and run.file else "",
        waiting=run is not None and run.running,
    )


@dataclass(frozen=True)
class Place:
    """What the address of a decision holds."""

    name: str
    line: str
    hands: tuple[str, ...]
    cells: str

    def address(self, **changes: Any) -> str:
        """The address with something else."""
        line, hands = changes.get("line", self.line), changes.get("hands", self.hands)
        cells = changes.get("cells", self.cells)
        query = {"line": line} if line != "start" else {}
        query |= {"hands": ",".join(hands)} if hands else {}
        query |= {"cells": cells} if cells != "mix" else {}
        base = f"{ADDRESS}/{quote(self.name)}"
        return f"{base}?{urlencode(query, safe=',')}" if query else base

    def picked(self, hand: str) -> str:
        """The address with a class picked, or let go where it was."""
        others = tuple(each for each in self.hands if each != hand)
        hands = others if hand in self.hands else (*others, hand)[-MAX_PICKED:]
        return self.address(hands=hands)


@router.get("/holdem/preflop/{name}")
def solution_page(
    request: Request,
    name: str,
    site: AskedSite,
    line: str = "start",
    hands: str = "",
    cells: str = "mix",
) -> HTMLResponse:
    """Show one decision of a solution."""
    picked = dict.fromkeys(hand for hand in hands[:100].split(",") if hand in CLASS_NAMES)
    place = Place(name, line[:2000], tuple(picked)[:MAX_PICKED], cells if cells in CELLS else "mix")
    view, problem, status = None, "", 200
    stamp = solution_stamp(site.library, name)
    try:
        view = site.answers.ask(decision_view, site.library, name, stamp, place.line)
    except RiverboatError as error:
        problem, status = str(error), 404
    answer = view.answer if view else None
    return render(
        request,
        "holdem/preflop_solution.html",
        status,
        title=answer.title if answer else "Before the flop",
        place="/holdem",
        tab=ADDRESS,
        at=place,
        base=f"{ADDRESS}/{quote(name)}",
        view=view,
        answer=answer,
        problem=problem,
        choices=CELLS,
        links={hand: place.picked(hand) for hand in CLASS_NAMES},
        compared=_compared(view, place.hands) if view else [],
        table=_table(answer, place) if answer else [],
        spots={
            each.action: f"/holdem/spots?{urlencode({'preflop': name, 'line': each.line})}"
            for each in (answer.actions if answer else ())
        },
        waiting=view is None and not problem,
    )


@router.get("/holdem/preflop/{name}/chart.svg")
def chart(name: str, site: AskedSite, line: str = "start") -> Response:
    """A decision as a picture for other programs."""
    from riverboat.holdem.preflop.charts import chart_svg

    solution, node = find_node(site.library, name, line[:2000])
    headers = {"content-disposition": f"attachment; filename*=utf-8''{quote(node.name)}.svg"}
    return Response(chart_svg(solution, node.name), media_type="image/svg+xml", headers=headers)


@dataclass(frozen=True)
class Compared:
    """A picked class: for each action how often, the EV in words, and whether it is the best."""

    name: str
    rows: list[tuple[float | None, str, bool]]
    ev: str
    reach: float
    combos: int


def _compared(view: View, hands: tuple[str, ...]) -> list[Compared]:
    found = []
    for hand in hands:
        facts = view.answer.classes[hand]
        known = [value for value in facts.values.values() if value is not None]
        best = max(known, default=math.inf)
        rows = []
        for number, (action, value) in enumerate(facts.values.items()):
            words = "?" if value is None else _signed(value)
            error = view.errors[hand][number] if hand in view.errors else 0.0
            words += f" ± {error:.3f}" if error > 0 else ""
            rows.append((facts.shares[action], words, value is not None and value >= best - 1e-9))
        combos = 6 if len(hand) == 2 else 4 if hand.endswith("s") else 12
        ev = "?" if facts.ev is None else _signed(facts.ev)
        found.append(Compared(hand, rows, ev, facts.reach, combos))
    return found


def _signed(value: float) -> str:
    return f"{round(value, 3) + 0.0:+.3f}".replace("-", "−")


def _table(answer: DecisionAnswer, place: Place) -> list[SeatSpot]:
    """The seats of a decision; each that has acted leads back there."""
    return seats_round_table(
        [
            Seated(
                seat.seat,
                seat.chips,
                "to act" if seat.seat == answer.seat else seat.did,
                seat.folded,
                place.address(line=seat.line) if seat.line else None,
            )
            for seat in answer.seats
        ],
        answer.seat,
    )
