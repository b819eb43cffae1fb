"""Spots of the server: what a solve takes, begin one and follow it, read it, lock, save."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from riverboat.cards.card import cards_text
from riverboat.errors import UsageError
from riverboat.holdem.spots.lock_painting import paint, unpaint
from riverboat.holdem.spots.locks import Lock
from riverboat.holdem.spots.schedule import parse_target
from riverboat.holdem.spots.spot import Spot
from riverboat.runtime.devices import choose_device, list_devices
from riverboat.web.api.spot_nodes import (
    START,
    ClassName,
    HandLine,
    SpotNode,
    class_hands,
    known,
    spot_cards,
    spot_groups,
    spot_node,
)
from riverboat.web.app.problems import REFUSED, FieldError, about
from riverboat.web.holdem.open_spots import open_spot
from riverboat.web.holdem.spot_runs import SpotOrder, SpotRun, SpotRuns
from riverboat.web.site import AskedSite, Site

router = APIRouter(prefix="/holdem/spots", tags=["Hold'em spots"], responses=REFUSED)
MAX_TOML = 200_000
"""Characters of a spot: three ranges of 1,326 hands with weights have fewer."""
MAX_NODE = 400
"""Characters of a node's id; the longest line of a deep spot has fewer."""
MAX_NAME = 60
MAX_MINUTES = 100_000
MAX_LISTED = 40
GONE = "There is no such spot; it was not kept or never begun."
NOT_SOLVED = "The spot is not solved yet; wait for its solve, or stop it to look at what it has."
FREE = "free"
"""The brush that takes locks away."""
NodeId = Annotated[str, Query(max_length=MAX_NODE, description="Such as r:0:c:b100:Ah.")]
TargetText = Annotated[
    str, Field(max_length=40, description="How far it is solved: 0.3% of the pot, or chips.")
]


class SpotAsked(BaseModel):
    """A spot to be solved."""

    toml: Annotated[
        str, Field(max_length=MAX_TOML, description="The spot as in a file for `holdem solve`.")
    ]
    target: TargetText = "0.5%"
    minutes: Annotated[
        float | None, Field(gt=0, le=MAX_MINUTES, description="It ends after so long.")
    ] = None
    device: Annotated[str, Field(max_length=10, description="cpu, cuda or auto.")] = "cpu"
    name: Annotated[str, Field(max_length=MAX_NAME, description="To find it again by.")] = ""


class SolveCost(BaseModel):
    """What a solve takes."""

    memory: int = Field(description="Bytes.")
    memory_limit: int = Field(description="Bytes that solves of this server may take together.")
    seconds: float | None = Field(description="Roughly, on an idle machine.")
    words: str


class SpotState(BaseModel):
    """A spot of the server, solved or being solved."""

    name: str = Field(description="Its name in addresses.")
    title: str = Field(description="The name it was given, or none.")
    page: str
    state: str = Field(description="waiting, starting, running, done, stopped, or what is wrong.")
    board: str
    players: list[str]
    ranges: list[str]
    pot: float
    stacks: list[float]
    target: str
    changed: datetime
    num_locks: int = Field(description="Nodes whose strategy is locked.")
    iterations: int | None
    seconds: float | None
    ev: list[float] | None = Field(description="Of each player at the start, in chips.")
    exploitability_pct: float | None = Field(description="Of the pot; two players.")
    gain_sum_pct: float | None = Field(description="Of the pot, all gains together; three players.")
    gains: list[float] | None


class LockPaint(BaseModel):
    """Classes of hands that shall play an action, or be free again, at a node."""

    node: Annotated[str, Field(max_length=MAX_NODE)] = START
    classes: Annotated[list[ClassName], Field(max_length=169)]
    action: Annotated[str, Field(max_length=60, description="In words; `free` frees the hands.")]
    share: Annotated[float, Field(ge=0, le=1, description="The others keep proportions.")] = 1.0


class PaintedLock(BaseModel):
    """A locked strategy at a node."""

    node: str
    strategy: dict[str, float]
    hands: str | None = Field(description="A range; none for every hand.")


class CardFigures(BaseModel):
    """A card that may come."""

    card: str
    player: str | None = Field(description="Who acts then.")
    strategy: dict[str, float]
    bets: float = Field(description="Frequency of bets and raises.")
    ev: list[float | None] = Field(description="Of each player, in chips.")
    equity: list[float | None]
    weight: float = Field(description="How often it comes, as a part of all cards.")
    change: float = Field(description="Distance of its mixture from the mean of all cards.")


def solve_cost(spot: Spot, target: str, limit: int, device: str = "cpu") -> SolveCost:
    """Return what a solve takes; one that is too large is refused."""
    from riverboat.holdem.spots.cost import bytes_text, seconds_text
    from riverboat.holdem.spots.cost import solve_cost as cost_of
    from riverboat.holdem.spots.solve import open_solver, spot_limit

    chosen = choose_device(device)
    allowed: int | None = limit
    if chosen == "cuda":  # A GPU has memory of its own, which open_solver looks at
        limit, allowed = list_devices()[1].memory or limit, None
    solver = open_solver(spot, memory=allowed, threads=num_threads(), device=chosen)
    cost = cost_of(solver, spot_limit(spot.stake, target))
    time = "" if cost.seconds is None else f", about {seconds_text(cost.seconds)}"
    return SolveCost(
        memory=cost.memory,
        memory_limit=limit,
        seconds=cost.seconds,
        words=f"{bytes_text(cost.memory)} of memory{time}",
    )


def num_threads() -> int:
    """Threads of a solve: one core is left to the pages."""
    return max(1, (os.cpu_count() or 2) - 1)


def begin_spot(runs: SpotRuns, order: SpotOrder, name: str) -> SpotRun:
    """Start to solve a spot, or let it wait in the queue; what is wrong is said at its field."""
    with about("target"):
        parse_target(order.target, order.spot.stake)
    with about("device"):
        order.check()
    if len(name) > MAX_NAME:
        raise FieldError("name", f"A name has at most {MAX_NAME} letters.")
    made = runs.begin(order)
    made.rename(name)
    return made


def found_spot(site: Site, name: str) -> SpotRun:
    """The spot of an address."""
    run = site.spot_runs.find(name)
    if run is None:
        raise HTTPException(404, GONE)
    return run


def solved_spot(site: Site, name: str) -> SpotRun:
    """The spot of an address, which must be solved."""
    run = found_spot(site, name)
    if not run.solved:
        raise UsageError(NOT_SOLVED)
    return run


def paint_locks(run: SpotRun, wanted: LockPaint) -> list[Lock]:
    """Lock or free classes of hands at a node for the next solve."""
    with about("node"):
        at = open_spot(run.path).at(wanted.node)
    if wanted.action == FREE:
        locks = unpaint(run.painted, at.node_id, wanted.classes)
    else:
        with about("action"):
            locks = paint(run.painted, at, wanted.classes, wanted.action, wanted.share)
    run.paint(locks)
    return locks


def solve_again(runs: SpotRuns, run: SpotRun) -> SpotRun:
    """Solve a spot anew with the locks that are painted."""
    made = runs.begin(replace(run.order, locks=tuple(run.painted)))
    made.rename(run.label)
    return made


def save_spot(site: Site, run: SpotRun, file: str) -> str:
    """Save a solved spot in the library under a new name, which is returned."""
    with about("file"):
        path = site.library.new_path(file)
        open_spot(run.path).solved.save(path)
    return path.name


def spot_state(run: SpotRun) -> SpotState:
    """Return how a spot stands."""
    spot, facts = run.spot, run.facts
    last = run.points[-1] if run.points else None
    return SpotState(
        name=run.name,
        title=run.label,
        page=run.address,
        state=run.state,
        board=cards_text(spot.board),
        players=list(spot.names),
        ranges=[str(range_) for range_ in spot.ranges],
        pot=spot.pot,
        stacks=list(spot.stacks),
        target=run.order.target,
        changed=datetime.fromtimestamp(run.changed),
        num_locks=len({lock.node for lock in run.order.locks}),
        iterations=facts.get("iterations", int(last[0]) if last else None),
        seconds=facts.get("seconds", last[1] if last else None),
        ev=facts.get("ev"),
        exploitability_pct=facts.get("exploitability_pct"),
        gain_sum_pct=facts.get("gain_sum_pct"),
        gains=facts.get("gains"),
    )


@router.get("")
def list_spots(site: AskedSite) -> list[SpotState]:
    """List the newest spots."""
    return [spot_state(run) for run in site.spot_runs.recent(MAX_LISTED)]


@router.post("", status_code=201)
def begin(asked: SpotAsked, site: AskedSite) -> SpotState:
    """Start to solve a spot."""
    with about("toml"):
        spot = Spot.from_toml(asked.toml)
    order = SpotOrder(spot, asked.target, minutes=asked.minutes, device=asked.device)
    return spot_state(begin_spot(site.spot_runs, order, asked.name))


@router.post("/cost")
def cost(asked: SpotAsked, site: AskedSite) -> SolveCost:
    """Return the memory and the time that a solve takes."""
    with about("toml"):
        spot = Spot.from_toml(asked.toml)
    with about("target"):
        parse_target(asked.target, spot.stake)
    with about("device"):
        choose_device(asked.device)
    return solve_cost(spot, asked.target, site.memory, asked.device)


@router.get("/{name}")
def state(name: str, site: AskedSite) -> SpotState:
    """Return how a spot stands."""
    return spot_state(found_spot(site, name))


@router.post("/{name}/stop")
def stop(name: str, site: AskedSite) -> SpotState:
    """Ask a solve to end after its step; what was found is kept."""
    run = found_spot(site, name)
    run.stop()
    return spot_state(run)


@router.delete("/{name}", status_code=204)
def delete(name: str, site: AskedSite) -> None:
    """Delete a spot; it can be restored."""
    site.spot_runs.delete(found_spot(site, name))


@router.post("/{name}/restore")
def restore(name: str, site: AskedSite) -> SpotState:
    """Restore a spot that was deleted."""
    return spot_state(site.spot_runs.restore(name))


@router.get("/{name}/node")
def node(name: str, site: AskedSite, node: NodeId = START) -> SpotNode:
    """Return a node: its path, actions, and each range by classes of hands."""
    run = solved_spot(site, name)
    with about("node"):
        return site.answers.wait(spot_node, run.path, node)


@router.get("/{name}/hands")
def hands(
    name: str,
    site: AskedSite,
    hand: Annotated[ClassName, Query(description="A class, such as AKs.")],
    node: NodeId = START,
    player: str = "",
) -> list[HandLine]:
    """Return the hands of a class with strategy, EVs and equity."""
    run = solved_spot(site, name)
    return class_hands(run.path, node, player_number(run, node, player), hand)


@router.get("/{name}/groups")
def groups(
    name: str,
    site: AskedSite,
    node: NodeId = START,
    player: str = "",
    find: Annotated[str, Query(max_length=2000, description="Such as: flush draw without A")] = "",
    sort: str | None = None,
    limit: Annotated[int | None, Query(ge=1, le=1326, description="List that many hands.")] = None,
) -> dict[str, Any]:
    """Return the groups of hands at a node, or of those that words find."""
    run = solved_spot(site, name)
    who = player_number(run, node, player)
    with about("find"):
        found = spot_groups(run.path, node, who, find)
    with about("sort"):
        found.check_order(sort)
    facts: dict[str, Any] = plain(found.as_dict(sort, limit))
    return facts


@router.get("/{name}/cards")
def cards(name: str, site: AskedSite, node: NodeId) -> list[CardFigures]:
    """Return each card that may come at a node."""
    run = solved_spot(site, name)
    with about("node"):
        rows = site.answers.wait(spot_cards, run.path, node)
    names = run.spot.names
    return [
        CardFigures.model_validate(
            plain({**row.as_dict(), "player": names[row.player] if row.player >= 0 else None})
        )
        for row in rows
    ]


@router.get("/{name}/locks")
def locks(name: str, site: AskedSite) -> list[PaintedLock]:
    """Return the locks that are painted for the next solve."""
    return [PaintedLock(**lock.as_dict()) for lock in found_spot(site, name).painted]


@router.post("/{name}/locks")
def lock(name: str, wanted: LockPaint, site: AskedSite) -> list[PaintedLock]:
    """Lock or free classes of hands at a node for the next solve."""
    painted = paint_locks(solved_spot(site, name), wanted)
    return [PaintedLock(**each.as_dict()) for each in painted]


@router.post("/{name}/again", status_code=201)
def again(name: str, site: AskedSite) -> SpotState:
    """Solve a spot anew with the locks that are painted."""
    return spot_state(solve_again(site.spot_runs, found_spot(site, name)))


def player_number(run: SpotRun, node: str, player: str) -> int:
    """The number of a player's name; without a name the player who acts at the node."""
    if not player:
        with about("node"):
            return open_spot(run.path).at(node).acting()
    names = run.spot.names
    if player not in names:
        raise FieldError("player", f"{player[:20]!r} does not play here; try {', '.join(names)}.")
    return names.index(player)


def plain(value: Any) -> Any:
    """The same with None for what is no number: JSON has no NaN."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return known(value) if isinstance(value, float) else value
