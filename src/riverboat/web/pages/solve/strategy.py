"""A strategy to walk through: every hand at every public point; saved, exported, compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Form
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from riverboat.drawing.html import signed
from riverboat.errors import RiverboatError
from riverboat.web.api.strategies import (
    HandAt,
    History,
    PointAnswer,
    comparable,
    comparison,
    exported,
    read_node,
    save,
    stamp,
    strategy_path,
    strategy_view,
)
from riverboat.web.app.problems import by_field
from riverboat.web.app.templates import render
from riverboat.web.pages.studies import opened
from riverboat.web.site import AskedSite, Site
from riverboat.web.solve.runs import game_title

router = APIRouter()
FIGURES = {"value": "values", "regret": "regrets", "each": "regrets per iteration"}
"""Figures that can stand next to the share of each move."""
MAX_OPEN = 80


@dataclass(frozen=True)
class Walk:
    """Where a visitor is: the state of the page's address."""

    base: str
    node: History
    hand: str
    figure: str
    opened: frozenset[History]
    other: str
    chapter: str = ""  # The chapter of a study that was opened here

    @classmethod
    def read(cls, base: str, query: QueryParams) -> Walk:
        node = read_node(query.get("node", "")[:2000])
        opened = [read_node(text[:2000]) for text in query.getlist("open")[:MAX_OPEN]]
        figure = query.get("figure", "value")
        return cls(
            base,
            node,
            query.get("hand", "")[:200],
            figure if figure in FIGURES else "value",
            frozenset(opened) if opened else _prefixes(node),
            query.get("with", "")[:200],
            query.get("chapter", "")[:200],
        )

    @property
    def address(self) -> str:
        """The address of this state."""
        query: list[tuple[str, str]] = []
        if self.node:
            query.append(("node", " ".join(self.node)))
        if self.hand:
            query.append(("hand", self.hand))
        if self.figure != "value":
            query.append(("figure", self.figure))
        if self.opened != _prefixes(self.node):
            query += [("open", " ".join(each)) for each in sorted(self.opened)]
        if self.other:
            query.append(("with", self.other))
        if self.chapter:
            query.append(("chapter", self.chapter))
        return self.base + (f"?{urlencode(query, quote_via=quote)}" if query else "")

    def to(self, node: Iterable[str]) -> str:
        """The address of another point; the branch that leads there is open."""
        node = tuple(node)
        return replace(self, node=node, hand="", opened=self.opened | _prefixes(node)).address

    def toggled(self, node: Iterable[str]) -> str:
        """The address with a branch opened or closed."""
        opened = self.opened ^ {tuple(node)}
        return replace(self, opened=frozenset(opened) or frozenset({("",)})).address

    def with_figure(self, figure: str) -> str:
        return replace(self, figure=figure).address

    def with_hand(self, infoset: str) -> str:
        """The address with a hand in detail, or without it where it is shown."""
        return replace(self, hand="" if infoset == self.hand else infoset).address


def _prefixes(node: History) -> frozenset[History]:
    return frozenset(node[:length] for length in range(len(node) + 1))


@router.get("/solve/strategy/{name}")
def saved_strategy(request: Request, name: str, site: AskedSite) -> HTMLResponse:
    """Show a strategy of the library."""
    return _page(request, site, name, name, f"/solve/strategy/{quote(name)}")


@router.get("/solve/run/{name}/{number}")
def solved_strategy(request: Request, name: str, number: str, site: AskedSite) -> HTMLResponse:
    """Show what an algorithm of a run found."""
    return _run_page(request, site, name, number)


def _run_page(
    request: Request,
    site: Site,
    name: str,
    number: str,
    problems: Mapping[str, str] | None = None,
    typed: str = "",
) -> HTMLResponse:
    run = site.solve_runs.find(name)
    title = "The solution"
    if run is not None and number.isdecimal() and int(number) < len(run.parts):
        title = f"{game_title(run.order.game)} by {run.parts[int(number)].name}"
    base = f"/solve/run/{quote(name)}/{quote(number)}"
    return _page(
        request, site, f"{name}/{number}", title, base, run=name, problems=problems, typed=typed
    )


@router.post("/solve/run/{name}/{number}/save", response_model=None)
def save_strategy(
    request: Request,
    name: str,
    number: str,
    site: AskedSite,
    new: Annotated[str, Form(alias="name", max_length=1000)] = "",
) -> Response:
    """Save what an algorithm found in the library, with its solver, and show it there."""
    try:
        kept = save(site, strategy_path(site, f"{name}/{number}"), new)
    except RiverboatError as error:
        return _run_page(request, site, name, number, by_field(error), new)
    return RedirectResponse(f"/solve/strategy/{quote(kept)}", 303)


@router.get("/solve/strategy/{name}/export/{kind}")
def export_saved(name: str, kind: Literal["json", "csv"], site: AskedSite) -> Response:
    """A strategy of the library as a file for other programs."""
    return _export(strategy_path(site, name), kind)


@router.get("/solve/run/{name}/{number}/export/{kind}")
def export_solved(
    name: str, number: str, kind: Literal["json", "csv"], site: AskedSite
) -> Response:
    """What an algorithm found as a file for other programs."""
    return _export(strategy_path(site, f"{name}/{number}"), kind)


def _export(path: Path, kind: Literal["json", "csv"]) -> Response:
    text, name = exported(path, kind)
    form = "application/json" if kind == "json" else "text/csv; charset=utf-8"
    headers = {"content-disposition": f"attachment; filename*=utf-8''{quote(name)}"}
    return Response(text, media_type=form, headers=headers)


def _page(
    request: Request,
    site: Site,
    file: str,
    title: str,
    base: str,
    *,
    run: str = "",
    problems: Mapping[str, str] | None = None,
    typed: str = "",
) -> HTMLResponse:
    walk = Walk.read(base, request.query_params)
    wrong: dict[str, str] = dict(problems or {})
    try:
        path = strategy_path(site, file)
        changed = stamp(path)
    except RiverboatError as error:
        return _missing(request, title, error)
    others, other, met = comparable(site, path), None, None
    if walk.other:
        try:
            other = strategy_path(site, walk.other)
            met = site.answers.ask(comparison, path, changed, other, stamp(other))
        except RiverboatError as error:
            wrong["with"], other = str(error), None
    view = None
    try:
        view = site.answers.ask(
            strategy_view,
            path,
            changed,
            walk.node,
            walk.opened,
            other,
            stamp(other) if other else 0,
        )
    except RiverboatError as error:
        return _missing(request, title, error, base)
    chosen = next((h for h in view.point.hands if h.infoset == walk.hand), None) if view else None
    return render(
        request,
        "solve/strategy.html",
        422 if wrong else 200,
        title=title,
        place="/solve",
        walk=walk,
        view=view,
        chosen=chosen,
        detail=_detail(chosen, view.point) if view and chosen else [],
        figures=_figures(view.point) if view else {},
        figure_of=_figure_of,
        percent=_percent,
        others=others,
        other_name=others.get(walk.other, walk.other) if other else "",
        met=met,
        run=run,
        free_name=site.library.free_name(view.facts.game) if view and run else "",
        problems=wrong,
        typed=typed,
        waiting=view is None or (other is not None and met is None),
        chapter=opened(request, site),
        place_here=replace(walk, chapter="").address,
    )


def _missing(request: Request, title: str, error: RiverboatError, start: str = "") -> HTMLResponse:
    """What is not there, with ways to go on."""
    return render(
        request,
        "solve/missing.html",
        404,
        title=title,
        place="/solve",
        words=str(error),
        start=start,
    )


def _figures(point: PointAnswer) -> dict[str, str]:
    """The figures that there are for a point's hands."""
    names = ["value"] if point.has_values else []
    return {
        name: FIGURES[name] for name in [*names, *(["regret", "each"] * (point.iterations > 0))]
    }


def _figure_of(point: PointAnswer, hand: HandAt, action: str, figure: str) -> str:
    """A figure of a hand's move in words; empty where it is unknown."""
    move = hand.moves[action]
    if figure == "value":
        return "" if move.value is None else signed(move.value, 3)
    if move.regret is None:
        return ""
    return _regret(move.regret if figure == "regret" else move.regret / max(1, point.iterations))


@dataclass(frozen=True)
class MoveRow:
    """A move of one infoset in full."""

    words: str
    colour: str
    share: float
    value: str
    behind: str  # "best", or by how much less it is worth
    regret: str
    each: str
    side: float  # −1 to 1: the regret over the largest one


def _detail(hand: HandAt, point: PointAnswer) -> list[MoveRow]:
    """One infoset move by move."""
    figures = hand.moves
    most = max((abs(f.regret) for f in figures.values() if f.regret is not None), default=0.0)
    best = max((f.value for f in figures.values() if f.value is not None), default=0.0)
    rows = []
    for move in point.moves:
        found = figures[move.action]
        behind = ""
        if found.value is not None:
            behind = "best" if found.value == best else signed(found.value - best, 4)
        rows.append(
            MoveRow(
                move.words,
                move.colour,
                found.share,
                "" if found.value is None else signed(found.value, 4),
                behind,
                _figure_of(point, hand, move.action, "regret"),
                _figure_of(point, hand, move.action, "each"),
                (found.regret or 0.0) / (most or 1.0),
            )
        )
    return rows


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %" if share >= 5e-5 or share == 0 else "fewer than 0.01 %"


def _regret(value: float) -> str:
    if value == 0:
        return "0"
    if 1e-3 <= abs(value) < 1e5:
        return f"{value:+z.4g}".replace("-", "−")
    return f"{value:+.2e}".replace("e-0", "e-").replace("-", "−")
