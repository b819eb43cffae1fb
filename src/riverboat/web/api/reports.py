"""Reports of the server: begin one over flops or over a node's cards, follow it, read its table."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from riverboat.cards.board_texture import board_texture
from riverboat.errors import UsageError
from riverboat.holdem.spots.flops import Flop, check_spot, chosen_subsets, list_of_flops, subset
from riverboat.holdem.spots.schedule import parse_target
from riverboat.web.api.spots import MAX_NAME, NodeId, TargetText, num_threads, plain, solved_spot
from riverboat.web.app.answers import import_numba
from riverboat.web.app.problems import REFUSED, FieldError, about
from riverboat.web.holdem.open_spots import open_spot
from riverboat.web.holdem.report_runs import ReportOrder, ReportRun, node_report_name
from riverboat.web.holdem.spot_runs import SpotOrder, SpotRun, check_shown
from riverboat.web.site import AskedSite, Site

router = APIRouter(prefix="/holdem", tags=["Hold'em reports"], responses=REFUSED)
MAX_LIST = 60_000
"""Characters of a list of flops: 1,755 with weights have fewer."""
MAX_LISTED = 40
GONE = "There is no such report; it was not kept or never begun."
NUM_FLOPS = 1755


class ReportAsked(BaseModel):
    """A report over flops."""

    spot: Annotated[str, Field(max_length=40, description="The name of a spot of the server.")]
    number: Annotated[int, Field(description="Flops that stand for all: 25, or 1755 for all.")] = 25
    flops: Annotated[
        str, Field(max_length=MAX_LIST, description="Or a list, a flop and its weight per line.")
    ] = ""
    target: TargetText = "0.5%"
    locks: Annotated[bool, Field(description="Keep the locks that the spot was solved with.")] = (
        True
    )
    name: Annotated[str, Field(max_length=MAX_NAME, description="To find it again by.")] = ""


class ReportCost(BaseModel):
    """What a report takes."""

    flops: int
    memory: int = Field(description="Bytes, of the largest flop.")
    seconds: float = Field(description="Roughly, on an idle machine.")
    words: str


class ReportState(BaseModel):
    """A report of the server."""

    name: str = Field(description="Its name in addresses.")
    title: str
    page: str
    state: str = Field(description="waiting, starting, running, done, stopped, or what is wrong.")
    spot: str = Field(description="The name of the spot that it was started from.")
    node: str | None = Field(description="The node of a report over cards; `any` is all cards.")
    players: list[str]
    target: str | None = Field(description="How far each flop is solved.")
    num_locks: int = Field(description="Nodes whose strategy is locked.")
    done: int
    total: int
    seconds_left: float | None
    changed: datetime


def chosen_flops(number: int, listed: str) -> tuple[Flop, ...]:
    """The flops of a list, or that number of flops which stand for all."""
    if listed.strip():
        with about("flops"):
            return list_of_flops(listed)
    with about("number"):
        return subset(number)


def flop_order(run: SpotRun, asked: ReportAsked) -> ReportOrder:
    """The order of a report over flops; what is wrong is said at its field."""
    with about("spot"):
        check_shown(run.spot)
        locks = run.order.locks if asked.locks else ()
        check_spot(run.spot, locks)
    with about("target"):
        parse_target(asked.target, run.spot.stake)
    if len(asked.name) > MAX_NAME:
        raise FieldError("name", f"A name has at most {MAX_NAME} letters.")
    flops = chosen_flops(asked.number, asked.flops)
    return ReportOrder(run.spot, run.name, locks, asked.target, flops)


def order_text(order: ReportOrder) -> str:
    """An order as text: a key under which what was computed for it is kept."""
    return json.dumps(order.as_dict())


def report_cost(text: str, limit: int) -> ReportCost:
    """Return what the order of a text takes: one flop of each kind of suits is looked at."""
    from riverboat.holdem.spots.cost import bytes_text, seconds_text, solve_cost
    from riverboat.holdem.spots.flop_report import FlopLocks
    from riverboat.holdem.spots.solve import open_solver, spot_limit

    order = ReportOrder.from_dict(json.loads(text))
    spot, locked = order.spot, FlopLocks(order.spot, order.locks)
    kinds: dict[str, list[Flop]] = {}
    for flop in order.flops:
        kinds.setdefault(board_texture(flop.cards).suits, []).append(flop)
    seconds, memory, aim = 0.0, 0, spot_limit(spot.stake, order.target)
    for flops in kinds.values():
        board, locks = locked.on(flops[0])
        solver = open_solver(board, memory=limit, threads=num_threads(), locks=locks)
        cost = solve_cost(solver, aim)
        memory = max(memory, cost.memory)
        seconds += len(flops) * (cost.seconds or 0.0)
    num = len(order.flops)
    words = f"{num:,} flop{'s' if num > 1 else ''}, about {seconds_text(seconds)} in all"
    return ReportCost(
        flops=num, memory=memory, seconds=seconds, words=f"{words}, {bytes_text(memory)} of memory"
    )


def begin_report(site: Site, order: ReportOrder, name: str) -> ReportRun:
    """Start a report over flops; one whose flops are too large is refused."""
    site.answers.wait(report_cost, order_text(order), site.memory)
    made = site.report_runs.begin(order)
    if name:
        made.rename(name)
    return made


def node_order(run: SpotRun, node: str) -> ReportOrder:
    """The order of a report over the cards of a node of a solved spot."""
    from riverboat.holdem.spots.node_report import node_pattern, pattern_words

    solved = open_spot(run.path).solved
    with about("node"):
        pattern = node_pattern(solved, node)
    words, spot = pattern_words(solved, pattern), run.spot
    return ReportOrder(
        spot, run.name, run.order.locks, node=pattern, words=words, path=str(run.path)
    )


def begin_node_report(site: Site, run: SpotRun, node: str) -> ReportRun:
    """Start the report of a node, or go on with it; one that is there already is kept."""
    order = site.answers.wait(node_order, run, node)
    name = node_report_name(run.name, run.path, order.node)
    found = site.report_runs.find(name)
    if found is None:
        return site.report_runs.begin(order, name)
    if found.unfinished:
        site.report_runs.go_on(found)
    return found


def open_board(site: Site, report: ReportRun, flop: str) -> SpotRun:
    """The spot of a report on one of its flops: solved already, or begun now."""
    order = report.order
    known = {each.name: each for each in order.flops}
    if flop not in known:
        raise FieldError("flop", f"{flop[:20]!r} is not a flop of this report.")
    from riverboat.holdem.spots.flop_report import FlopLocks

    spot, locks = FlopLocks(order.spot, order.locks).on(known[flop])
    key = f"{spot.to_toml()} {order.target} {[lock.as_dict() for lock in locks]}"
    name = hashlib.sha256(key.encode()).hexdigest()[:16]
    found = site.spot_runs.find(name)
    if found is not None:
        return found
    made = site.spot_runs.begin(SpotOrder(spot, order.target, tuple(locks)), name)
    made.rename(report.label)
    return made


def found_report(site: Site, name: str) -> ReportRun:
    """The report of an address."""
    run = site.report_runs.find(name)
    if run is None:
        raise HTTPException(404, GONE)
    return run


def report_state(run: ReportRun) -> ReportState:
    """Return how a report stands."""
    order = run.order
    return ReportState(
        name=run.name,
        title=run.label or order.title,
        page=f"/holdem/reports/{run.name}",
        state=run.state,
        spot=order.source,
        node=order.node or None,
        players=list(order.spot.names),
        target=None if order.node else order.target,
        num_locks=len({lock.node for lock in order.locks}),
        done=int(run.parts[0].facts.get("done", 0)),
        total=run.total,
        seconds_left=run.left,
        changed=datetime.fromtimestamp(run.changed),
    )


def spot_of_report(site: Site, name: str) -> SpotRun:
    """The spot that a report is started from."""
    run = site.spot_runs.find(name)
    if run is None:
        raise FieldError("spot", "There is no such spot; choose one that was set up before.")
    return run


def flop_spots(site: Site) -> list[SpotRun]:
    """The spots of the server that a report over flops can start from."""
    found = []
    for run in site.spot_runs.recent(MAX_LISTED):
        try:
            check_shown(run.spot)
            check_spot(run.spot)
        except UsageError:
            continue
        found.append(run)
    return found


def usual_number(run: SpotRun | None) -> int:
    """The number of flops that a form begins with; three players take longer."""
    smallest, second, *_ = sorted(chosen_subsets())
    return smallest if run is not None and run.spot.num_players > 2 else second


def report_facts(run: ReportRun) -> dict[str, Any]:
    """Return the table of a report: means, and a row for each board that is done."""
    run.read()
    facts: dict[str, Any] = plain(run.table.as_dict())
    return {**report_state(run).model_dump(mode="json"), **facts}


def loaded(run: ReportRun, version: int) -> int:
    """Read a report's rows as they are at a version; to be asked for and waited for."""
    del version  # It makes the answer another one as soon as there is news
    return run.read()


@router.get("/reports")
def list_reports(site: AskedSite) -> list[ReportState]:
    """List the newest reports."""
    return [report_state(run) for run in site.report_runs.recent(MAX_LISTED)]


@router.post("/reports", status_code=201)
def begin(asked: ReportAsked, site: AskedSite) -> ReportState:
    """Start a report over flops from a spot's settings."""
    order = flop_order(spot_of_report(site, asked.spot), asked)
    return report_state(begin_report(site, order, asked.name))


@router.post("/reports/cost")
def cost(asked: ReportAsked, site: AskedSite) -> ReportCost:
    """Return the memory and the time that a report over flops takes."""
    order = flop_order(spot_of_report(site, asked.spot), asked)
    return site.answers.wait(report_cost, order_text(order), site.memory)


@router.get("/reports/{name}")
def report(name: str, site: AskedSite) -> dict[str, Any]:
    """Return a report: how it stands, weighted means, and a row for each board that is done."""
    run = found_report(site, name)
    import_numba()
    return report_facts(run)


@router.post("/spots/{name}/report", status_code=201)
def begin_node(
    name: str,
    site: AskedSite,
    node: Annotated[NodeId, Query(description="`any` is all cards: r:0:c:c:any:b30.")],
) -> ReportState:
    """Start the report of a node of a solved spot over all cards to come, or go on with it."""
    return report_state(begin_node_report(site, solved_spot(site, name), node))


@router.post("/reports/{name}/boards/{flop}", status_code=201)
def board(name: str, flop: str, site: AskedSite) -> dict[str, str]:
    """Solve the spot of a report on one of its flops; the address of the spot."""
    run = open_board(site, found_report(site, name), flop)
    return {"page": f"/holdem/spots/{run.name}"}
