"""Reports: the form that starts one over flops, those made before, and a report with its table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from riverboat.cards.board_texture import KINDS
from riverboat.errors import RiverboatError, UsageError
from riverboat.holdem.spots.flops import chosen_subsets
from riverboat.web.api.reports import (
    GONE,
    NUM_FLOPS,
    ReportAsked,
    ReportCost,
    begin_node_report,
    begin_report,
    flop_order,
    flop_spots,
    loaded,
    node_order,
    open_board,
    order_text,
    report_cost,
    report_state,
    spot_of_report,
    usual_number,
)
from riverboat.web.api.spots import GONE as SPOT_GONE
from riverboat.web.api.spots import MAX_NODE, NOT_SOLVED
from riverboat.web.app.forms import Posted
from riverboat.web.app.problems import FieldError, by_field
from riverboat.web.app.templates import render
from riverboat.web.holdem.report_runs import ReportOrder, ReportRun, cards_words
from riverboat.web.holdem.spot_runs import SpotRun
from riverboat.web.pages.holdem.report_view import LABELS, ReportState, ReportView
from riverboat.web.site import AskedSite, Site

router = APIRouter()
ADDRESS = "/holdem/reports"
NUM_LISTED = 24


@dataclass(frozen=True)
class Fields:
    """The form of a report over flops, as it was typed."""

    spot: str = ""
    number: str = ""
    flops: str = ""
    target: str = "0.5%"
    locks: str = "1"
    name: str = ""

    @classmethod
    def read(cls, form: Mapping[str, str]) -> Fields:
        """Read what was sent; a form without its box of locks has none."""
        given = {name: form[name] for name in cls.__dataclass_fields__ if name in form}
        if "number" in form:
            given.setdefault("locks", "")
        return cls(**given)

    def asked(self, run: SpotRun | None) -> ReportAsked:
        """The report that is asked for; FieldError where a field cannot be read."""
        if len(self.flops) > 60_000:
            raise FieldError("flops", "The list is too long: there are 1,755 flops.")
        if len(self.target) > 40:
            raise FieldError("target", "Write a percentage of the pot, such as 0.5%, or chips.")
        number = self.number.strip() or str(usual_number(run))
        if not (number.isascii() and number.isdecimal() and len(number) < 6):
            raise FieldError("number", f"{number[:20]!r} is not a number of flops; write 25.")
        if len(self.name) > 60:
            raise FieldError("name", "A name has at most 60 letters.")
        return ReportAsked(
            spot=self.spot[:40],
            number=int(number),
            flops=self.flops,
            target=self.target,
            locks=bool(self.locks),
            name=self.name,
        )


@router.get("/holdem/reports", response_model=None)
def form_page(request: Request, site: AskedSite) -> Response:
    """Show the form with what the report would take, and the reports made before."""
    return _form(request, site, Fields.read(request.query_params))


@router.post("/holdem/reports", response_model=None)
def start(request: Request, site: AskedSite, form: Posted) -> Response:
    """Start a report over flops; what cannot be is said at its field."""
    fields = Fields.read(form)
    try:
        run = spot_of_report(site, fields.spot)
        asked = fields.asked(run)
        made = begin_report(site, flop_order(run, asked), asked.name)
    except RiverboatError as error:
        return _form(request, site, fields, by_field(error))
    return _redirect(request, f"{ADDRESS}/{made.name}")


@router.get("/holdem/reports/{name}", response_model=None)
def report_page(request: Request, name: str, site: AskedSite) -> Response:
    """Show a report: progress, table and pictures."""
    run = site.report_runs.find(name)
    if run is None:
        return _gone(request)
    if run.order.node:
        query = urlencode({"node": run.order.node, **request.query_params})
        return RedirectResponse(f"/holdem/spots/{run.order.source}/report?{query}", 303)
    return _report(request, site, run, f"{ADDRESS}/{name}", {})


@router.get("/holdem/reports/{name}/table.csv", response_model=None)
def table_csv(request: Request, name: str, site: AskedSite) -> Response:
    """The lines that the page shows as CSV, with all columns."""
    run = site.report_runs.find(name)
    if run is None:
        return _gone(request)
    site.answers.wait(loaded, run, run.version)
    view = ReportView(run, ReportState.read(request.query_params), "", {})
    table = view.shown
    if view.problems:
        raise UsageError(" ".join(view.problems.values()))
    headers = {"Content-Disposition": f'attachment; filename="report-{run.name}.csv"'}
    return Response(table.to_csv(), media_type="text/csv", headers=headers)


@router.post("/holdem/reports/{name}/open", response_model=None)
def open_flop(
    request: Request, name: str, site: AskedSite, flop: Annotated[str, Form(max_length=20)] = ""
) -> Response:
    """Open a flop of the report as a desk; it is solved where it was not."""
    run = site.report_runs.find(name)
    if run is None:
        return _gone(request)
    return _redirect(request, f"/holdem/spots/{open_board(site, run, flop).name}")


@router.post("/holdem/reports/{name}/name", response_model=None)
def rename(
    request: Request, name: str, site: AskedSite, label: Annotated[str, Form(max_length=60)] = ""
) -> Response:
    """Give the report a name to find it again by."""
    run = site.report_runs.find(name)
    if run is None:
        return _gone(request)
    run.rename(label)
    return RedirectResponse(f"{ADDRESS}/{name}", 303)


@router.get("/holdem/spots/{name}/report", response_model=None)
def node_page(request: Request, name: str, site: AskedSite) -> Response:
    """Show the report of a node over all cards to come, or offer to start it."""
    spot = site.spot_runs.find(name)
    if spot is None:
        return render(request, "problem.html", 404, title="There is no such spot", words=SPOT_GONE)
    node = request.query_params.get("node", "")[:MAX_NODE]
    home = f"/holdem/spots/{name}/report"
    if not spot.solved:
        return _node_form(request, spot, node, None, NOT_SOLVED)
    try:
        order = site.answers.ask(node_order, spot, node)
    except RiverboatError as error:
        return _node_form(request, spot, node, None, str(error))
    if order is None:
        return _node_form(request, spot, node, None, "", waiting=True)
    run = site.report_runs.of_node(spot, order.node)
    if run is None:
        return _node_form(request, spot, node, order, "")
    return _report(request, site, run, home, {"node": order.node}, spot)


@router.post("/holdem/spots/{name}/report", response_model=None)
def start_node(request: Request, name: str, site: AskedSite, form: Posted) -> Response:
    """Start the report of a node, or go on with it."""
    spot = site.spot_runs.find(name)
    if spot is None:
        return render(request, "problem.html", 404, title="There is no such spot", words=SPOT_GONE)
    node = form.get("node", "")[:MAX_NODE]
    try:
        if not spot.solved:
            raise UsageError(NOT_SOLVED)
        run = begin_node_report(site, spot, node)
    except RiverboatError as error:
        return _node_form(request, spot, node, None, str(error))
    query = urlencode({"node": run.order.node})
    return _redirect(request, f"/holdem/spots/{name}/report?{query}")


def _redirect(request: Request, address: str) -> Response:
    """A page of its own, not a part of this one."""
    if request.headers.get("hx-request"):
        return Response(status_code=200, headers={"HX-Redirect": address})
    return RedirectResponse(address, 303)


def _gone(request: Request) -> Response:
    return render(request, "problem.html", 404, title="There is no such report", words=GONE)


def _form(
    request: Request, site: Site, fields: Fields, problems: Mapping[str, str] | None = None
) -> Response:
    found, spots = dict(problems or {}), flop_spots(site)
    if not fields.spot and spots:
        fields = Fields(**{**vars(fields), "spot": spots[0].name})
    run = next((each for each in spots if each.name == fields.spot), None)
    if run is None and fields.spot:
        run = site.spot_runs.find(fields.spot)
    estimate: ReportCost | None = None
    waiting = False
    if spots or fields.spot:
        try:
            order = flop_order(spot_of_report(site, fields.spot), fields.asked(run))
            estimate = site.answers.ask(report_cost, order_text(order), site.memory)
            waiting = estimate is None
        except RiverboatError as error:
            found = {**by_field(error), **found}
    numbers = [*sorted(chosen_subsets()), NUM_FLOPS]
    return render(
        request,
        "holdem/reports.html",
        422 if found else 200,
        title="Reports",
        place="/holdem",
        tab=ADDRESS,
        fields=fields,
        number=fields.number.strip() or str(usual_number(run)),
        numbers=numbers,
        spots=spots if run is None or run in spots else [run, *spots],
        spot=run,
        spot_words=_spot_words,
        estimate=estimate,
        waiting=waiting,
        url=f"{ADDRESS}?{urlencode(vars(fields))}",
        problems=defaultdict(str, found),
        reports=[(each, report_state(each)) for each in site.report_runs.recent(NUM_LISTED)],
        flops=[],
    )


def _spot_words(run: SpotRun) -> str:
    """A spot in a line of a menu."""
    spot = run.spot
    words = [
        run.label or cards_words(spot),
        f"pot {spot.pot:g}",
        " against ".join(n.upper() for n in spot.names),
    ]
    if run.order.locks:
        words.append("locked")
    return ", ".join(words)


def _node_form(
    request: Request,
    spot: SpotRun,
    node: str,
    order: ReportOrder | None,
    problem: str,
    *,
    waiting: bool = False,
) -> Response:
    """The page of a node that has no report yet."""
    num = order.node.split(":").count("any") if order is not None else 0
    left = 52 - len(spot.spot.board) - len(spot.spot.dead)
    dealt = sum(len(word) == 2 for word in node.split(":")[2:])
    return render(
        request,
        "holdem/node_report.html",
        422 if problem else 200,
        title="Report of all cards",
        place="/holdem",
        tab=ADDRESS,
        spot=spot,
        spot_words=_spot_words(spot),
        node=node,
        pattern=order.node if order is not None else "",
        num_boards=(left - dealt) * ((left - dealt - 1) if num > 1 else 1),
        problem=problem,
        waiting=waiting,
        url=f"/holdem/spots/{spot.name}/report?{urlencode({'node': node})}",
    )


def _report(
    request: Request,
    site: Site,
    run: ReportRun,
    home: str,
    query: dict[str, str],
    spot: SpotRun | None = None,
) -> Response:
    state = ReportState.read(request.query_params)
    newest = site.answers.ask(loaded, run, run.version) is not None
    ready = newest or run.num_read > 0  # Else what is known already is shown meanwhile
    view = ReportView(run, state, home, query)
    if ready:
        _ = view.shown  # Finds the problems of the fields
    source = spot or site.spot_runs.find(run.order.source)
    url = view.address()
    return render(
        request,
        "holdem/report.html",
        422 if view.problems else 200,
        title=run.label or run.order.title,
        place="/holdem",
        tab=ADDRESS,
        url=url,
        waiting=not ready,
        ready=ready,
        newest=newest,
        run=run,
        report=report_state(run),
        view=view,
        state=state,
        source=source,
        source_words=_spot_words(source) if source is not None else "",
        textures=KINDS,
        labels=LABELS,
        problems=defaultdict(str, view.problems),
        card_of=lambda name: [name[i : i + 2] for i in range(0, len(name), 2)],
    )
