"""Rounds by the million: a form, the simulation while it runs, and where a bankroll may go."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Form
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from riverboat.blackjack.rules import PRESETS
from riverboat.blackjack.simulation.counting import DEVIATIONS, SYSTEMS
from riverboat.errors import RiverboatError
from riverboat.web.api.blackjack import SimulationQuestion, begin_simulation, find_simulation
from riverboat.web.app.plots import band_plot
from riverboat.web.app.problems import by_field
from riverboat.web.app.templates import render
from riverboat.web.blackjack.simulations import STRATEGIES, SimulationRun
from riverboat.web.blackjack.table import USUAL_TABLE, query_of, rules_of_query
from riverboat.web.pages.blackjack.frame import AskedTable, table_context
from riverboat.web.site import AskedSite, Site

router = APIRouter()
NUM_RECENT = 6
ROUNDS = ("10,000,000", "100,000,000", "1,000,000,000")
"""Suggested numbers of rounds."""
START = {
    "rounds": ROUNDS[0],
    "strategy": "published",
    "count": "",
    "ramp": "",
    "deviations": "",
    "penetration": "75",
    "bankroll": "1000",
}
"""What the form says at first; penetration is per cent here."""


@router.get("/blackjack/simulate", response_model=None)
def simulate_page(request: Request, site: AskedSite) -> Response:
    """Show the form, and the simulations of before."""
    query = request.query_params
    return _page(
        request, site, AskedTable.read(request), {k: query.get(k, START[k]) for k in START}
    )


@router.post("/blackjack/simulate", response_model=None)
def start(
    request: Request,
    site: AskedSite,
    rounds: Annotated[str, Form(max_length=40)] = "",
    strategy: Annotated[str, Form(max_length=40)] = "published",
    count: Annotated[str, Form(max_length=40)] = "",
    ramp: Annotated[str, Form(max_length=200)] = "",
    deviations: Annotated[str, Form(max_length=1000)] = "",
    penetration: Annotated[str, Form(max_length=40)] = "75",
    bankroll: Annotated[str, Form(max_length=40)] = "1000",
) -> Response:
    """Begin a simulation under the rules of the address."""
    typed = {
        "rounds": rounds,
        "strategy": strategy,
        "count": count,
        "ramp": ramp,
        "deviations": deviations,
        "penetration": penetration,
        "bankroll": bankroll,
    }
    table = AskedTable.read(request)
    problems: dict[str, str] = {"": table.problem} if table.problem else {}
    values: dict[str, Any] = {**typed}
    for field, what, read in (
        ("rounds", "A number of rounds is written like 10,000,000 or 1e7", _whole),
        ("penetration", "Write per cent of the shoe, such as 75", lambda text: float(text) / 100),
        ("bankroll", "A bankroll is a number of bets, such as 1000", float),
    ):
        try:
            values[field] = read(typed[field].strip())
        except (ValueError, OverflowError):
            problems[field] = f"{what}, not {typed[field]!r}."
    if not problems:
        rules = query_of(table.rules)
        try:
            asked = SimulationQuestion(rules=rules.pop("rules"), options=rules, **values)
            run = begin_simulation(site, asked)
            return RedirectResponse(f"/blackjack/simulate/{run.name}", 303)
        except ValidationError as error:
            problems = {str(each["loc"][0]): f"{each['msg']}." for each in error.errors()}
        except RiverboatError as error:
            problems = dict(by_field(error))
    return _page(request, site, table, typed, problems)


def _whole(text: str) -> int:
    value = float(text.replace(",", "").replace("_", "").replace(" ", ""))
    if value != int(value):
        raise ValueError(text)
    return int(value)


@router.get("/blackjack/simulate/{name}", response_model=None)
def run_page(request: Request, site: AskedSite, name: str) -> Response:
    """Show a simulation: how far it is and what it says."""
    run = find_simulation(site, name)
    order = run.order
    try:
        table = AskedTable(rules_of_query(order.rules), "")
    except RiverboatError as error:
        table = AskedTable(PRESETS[USUAL_TABLE], str(error))
    typed = {
        "rounds": f"{order.rounds:,}",
        "strategy": order.strategy,
        "count": order.count,
        "ramp": order.ramp,
        "deviations": order.deviations,
        "penetration": f"{100 * order.penetration:g}",
        "bankroll": f"{order.bankroll:g}",
    }
    return _page(request, site, table, typed, run=run)


@router.post("/blackjack/simulate/{name}/stop", response_model=None)
def stop(site: AskedSite, name: str) -> Response:
    """End a simulation with what was played."""
    find_simulation(site, name).stop()
    return RedirectResponse(f"/blackjack/simulate/{name}", 303)


def _page(
    request: Request,
    site: Site,
    table: AskedTable,
    typed: dict[str, str],
    problems: dict[str, str] | None = None,
    run: SimulationRun | None = None,
) -> Response:
    context = table_context(request, site, table, "simulate")
    recent = site.simulations.recent(NUM_RECENT)
    counted = {key: typed[key] for key in START if typed[key] != START[key]}
    return render(
        request,
        "blackjack/simulate.html",
        422 if table.problem or problems else 200,
        **context,
        typed=typed,
        kept=f"&{urlencode(counted)}" if counted else "",
        problems=problems or {},
        run=run,
        recent=[each for each in recent if each is not run],
        rate=next((r.facts["rounds_per_second"] for r in recent if r.facts), None),
        plots=[_fan(run, width) for width in (560, 330)] if run and run.facts else [],
        strategies=STRATEGIES,
        systems=list(SYSTEMS),
        deviations=list(DEVIATIONS),
        suggested=ROUNDS,
    )


def _fan(run: SimulationRun, width: int) -> str:
    fan = run.facts["fan"]
    return band_plot(fan["rounds"], fan["bands"], x="rounds", y="bets won", width=width, height=300)
