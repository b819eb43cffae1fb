"""The desk of a spot: its solve while it runs, then the solution, node by node, on one screen."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Form
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from riverboat.cards.card import RANK_NAMES, card_text
from riverboat.cards.combos import CLASS_NAMES, class_of_combos, parse_combo
from riverboat.errors import RiverboatError
from riverboat.holdem.spots.lock_painting import Mark, marks
from riverboat.holdem.spots.locks import CARD, words_of
from riverboat.holdem.spots.node_report import ANY
from riverboat.web.api.spot_nodes import (
    START,
    SpotNode,
    class_hands,
    spot_cards,
    spot_curves,
    spot_groups,
    spot_node,
)
from riverboat.web.api.spots import (
    FREE,
    GONE,
    MAX_NAME,
    LockPaint,
    paint_locks,
    save_spot,
    solve_again,
    spot_state,
)
from riverboat.web.app.plots import Curve, line_plot
from riverboat.web.app.problems import by_field
from riverboat.web.app.templates import render
from riverboat.web.classroom.showing import showing
from riverboat.web.holdem.open_spots import open_spot
from riverboat.web.holdem.spot_runs import SpotRun
from riverboat.web.pages.holdem.desk_grid import SHOWN, DeskGrid, desk_grid
from riverboat.web.pages.holdem.desk_hands import (
    example_words,
    has_grid,
    is_written_out,
    shown_tab,
    shown_tabs,
)
from riverboat.web.pages.holdem.desk_runouts import METRICS, Runouts, runouts
from riverboat.web.pages.studies import opened
from riverboat.web.site import AskedSite, Site

if TYPE_CHECKING:
    from riverboat.holdem.spots.node_groups import HandRow, NodeGroups

router = APIRouter()
TABS = {
    "hands": "Class",
    "list": "All hands",
    "groups": "Groups",
    "graph": "Graph",
    "locks": "Locks",
}
LISTS = ("list", "groups")
"""The tabs that list hands in groups, which words and menus narrow."""
CURVES = {"equity": "Equity", "ev": "EV"}
KINDS = {"made": "Made hands", "draw": "Draws", "blocker": "Blockers", "suits": "Suits"}
VIEWS = {"both": "All", "one": "One, large"}
MENUS = {
    "made": "Made hand",
    "draw": "Draw",
    "blocker": "Blocker",
    "suits": "Suits",
    "holds": "Holds",
    "lacks": "Without",
}
"""The menus that narrow a list of hands: each name in the address, and its label."""
CARD_WORDS = (*RANK_NAMES[::-1], "spades", "hearts", "diamonds", "clubs")
"""What a hand can hold: a rank or a suit."""
PAGE_HANDS = 100
"""Hands of a list that a page shows; the next ones have addresses of their own."""
MAX_LOCK_CHARS = 60
"""Characters of a lock's hands that are shown."""


@dataclass(frozen=True)
class DeskState:
    """What the address says: where one is, and what is shown there."""

    node: str = START
    hand: str = ""
    player: str = ""  # Whose hands are shown; none for the one who acts
    show: str = "strategy"
    view: str = "both"
    tab: str = "hands"
    one: str = ""  # The actions that an EV difference compares
    other: str = ""
    find: str = ""
    made: str = ""  # The menus: groups that hands are in, and ranks or suits
    draw: str = ""
    blocker: str = ""
    suits: str = ""
    holds: str = ""
    lacks: str = ""
    sort: str = "share"  # The order of a list
    up: str = ""  # "1" has the smallest first
    page: str = "1"  # Of a list
    kind: str = "made"
    group: str = ""
    curve: str = "equity"
    cards: str = "mix"
    brush: str = ""  # The action that is painted as a lock; "free" takes locks away
    share: str = "100"
    chapter: str = ""  # The chapter of a study that was opened here

    @classmethod
    def read(cls, form: Mapping[str, str]) -> DeskState:
        """Read the query; what is unknown is as if it were not there."""
        given = {name: form[name][:2000] for name in cls.__dataclass_fields__ if name in form}
        choices: dict[str, Collection[str]] = {
            "show": SHOWN, "view": VIEWS, "tab": TABS, "curve": CURVES, "kind": KINDS,
            "cards": METRICS, "hand": CLASS_NAMES, "up": ("1",),
            "holds": CARD_WORDS, "lacks": CARD_WORDS,
        }  # fmt: skip
        known = {name: text for name, text in given.items() if text in choices.get(name, (text,))}
        if not known.get("share", "100").isdecimal() or int(known.get("share", "100")) > 100:
            del known["share"]
        number = known.get("page", "1")
        if not number.isascii() or not number.isdecimal() or not 1 <= int(number[:9]) < 10**6:
            del known["page"]
        return cls(**known)

    @property
    def filter(self) -> str:
        """The words of the search and of the menus in one filter; empty where none is used."""
        menus = [getattr(self, name) for name in (*KINDS, "holds") if getattr(self, name)]
        if self.lacks:
            menus.append(f"not {self.lacks}")
        if not menus:
            return self.find
        return " and ".join([f"({self.find})"] * bool(self.find) + menus)

    def fields(self, gone: Collection[str]) -> list[tuple[str, str]]:
        """The values that a form keeps in hidden fields, without some names."""
        usual = vars(DeskState())
        kept = vars(self).items()
        return [(n, value) for n, value in kept if value != usual[n] and n not in gone]

    def query(self, **changes: str) -> str:
        """The query of this state with some changes; what is usual is left out."""
        usual = DeskState()
        changed = replace(self, **changes)
        if changed.node != self.node:  # What belongs to a node stays with it
            gone = dict.fromkeys(("player", "one", "other", "group", "brush"), "")
            changed = replace(changed, **{**gone, "page": "1", **changes})
        elif "page" not in changes and not changes.keys() <= {"hand", "show", "view", "tab"}:
            changed = replace(changed, page="1")  # Another list
        kept = {
            name: value for name, value in vars(changed).items() if value != getattr(usual, name)
        }
        return f"?{urlencode(kept)}" if kept else ""


@router.get("/holdem/spots/{name}", response_model=None)
def desk_page(request: Request, name: str, site: AskedSite) -> Response:
    """Show a spot: how its solve goes, or its solution at the node of the address."""
    run = site.spot_runs.find(name)
    return _gone(request) if run is None else _page(request, site, run)


@router.post("/holdem/spots/{name}/stop", response_model=None)
def stop(request: Request, name: str, site: AskedSite) -> Response:
    """Ask the solve to end; what was found is kept."""
    run = site.spot_runs.find(name)
    if run is None:
        return _gone(request)
    run.stop()
    return RedirectResponse(f"/holdem/spots/{name}", 303)


@router.post("/holdem/spots/{name}/save", response_model=None)
def save(
    request: Request, name: str, site: AskedSite, file: Annotated[str, Form()] = ""
) -> Response:
    """Save the solution in the library."""
    run = site.spot_runs.find(name)
    if run is None:
        return _gone(request)
    try:
        saved = save_spot(site, run, file)
    except RiverboatError as error:
        return _page(request, site, run, by_field(error), file)
    query = urlencode({**dict(request.query_params), "saved": saved})
    return RedirectResponse(f"/holdem/spots/{name}?{query}", 303)


@router.post("/holdem/spots/{name}/name", response_model=None)
def rename(
    request: Request, name: str, site: AskedSite, label: Annotated[str, Form()] = ""
) -> Response:
    """Give the spot a name to find it again by."""
    run = site.spot_runs.find(name)
    if run is None:
        return _gone(request)
    if len(label) > MAX_NAME:
        return _page(request, site, run, {"label": f"A name has at most {MAX_NAME} letters."})
    run.rename(label)
    return RedirectResponse(f"/holdem/spots/{name}{_query(request)}", 303)


@router.post("/holdem/spots/{name}/locks", response_model=None)
def paint(
    request: Request,
    name: str,
    site: AskedSite,
    lock_paint: Annotated[str, Form(max_length=1000)] = "",
    brush: Annotated[str, Form(max_length=60)] = "",
    lock_brush: Annotated[int, Form(ge=0, le=100)] = 100,
    remove: Annotated[str, Form(max_length=10)] = "",
) -> Response:
    """Lock the painted classes, free them, or remove one lock or `all` of them."""
    run = site.spot_runs.find(name)
    if run is None or not run.solved:
        return _gone(request)
    state = replace(DeskState.read(request.query_params), brush=brush, share=str(lock_brush))
    try:
        if remove:
            kept = [lock for number, lock in enumerate(run.painted) if str(number) != remove]
            run.paint([] if remove == "all" else kept)
        classes = [part for part in lock_paint.split(",") if part]
        if classes:
            share = lock_brush / 100
            paint_locks(run, LockPaint(node=state.node, classes=classes, action=brush, share=share))
            state = replace(state, hand=classes[-1])
    except (RiverboatError, ValidationError) as error:
        sentence = str(error) if isinstance(error, RiverboatError) else "These are no classes."
        return _page(request, site, run, {"locks": sentence})
    return RedirectResponse(f"/holdem/spots/{name}{state.query()}", 303)


@router.post("/holdem/spots/{name}/again", response_model=None)
def again(request: Request, name: str, site: AskedSite) -> Response:
    """Solve the spot anew with the locks that are painted."""
    run = site.spot_runs.find(name)
    if run is None:
        return _gone(request)
    try:
        made = solve_again(site.spot_runs, run)
    except RiverboatError as error:
        return _page(request, site, run, {"locks": str(error)})
    state = DeskState.read(request.query_params)
    return RedirectResponse(f"/holdem/spots/{made.name}{DeskState(node=state.node).query()}", 303)


def menu_names(kind: str) -> tuple[str, ...]:
    """The groups of a kind, and after them those of made hands that take several together."""
    from riverboat.cards.hand_groups import KINDS as GROUPS
    from riverboat.cards.hand_groups import WIDER

    names = GROUPS[kind]
    wider = [name for name in WIDER if name not in names] if kind == "made" else []
    return (*names, *wider)


def _query(request: Request) -> str:
    return f"?{request.url.query}" if request.url.query else ""


def _gone(request: Request) -> Response:
    return render(request, "problem.html", 404, title="There is no such spot", words=GONE)


def _page(
    request: Request,
    site: Site,
    run: SpotRun,
    problems: Mapping[str, str] | None = None,
    typed: str = "",
) -> Response:
    asked = DeskState.read(request.query_params)
    state = replace(asked, tab=shown_tab(run.spot, asked.tab))
    found = dict(problems or {})
    desk: Desk | None = None
    if run.solved:
        try:
            desk = Desk.open(site, run, state)
        except RiverboatError as error:
            found["node"] = str(error)
            state = replace(state, node=START)
            desk = _start(site, run, state, found)
        if desk is not None:
            found |= desk.problems
    waiting = run.solved and desk is None and not found
    here = f"/holdem/spots/{run.name}{state.query(chapter='')}"
    return render(
        request,
        "holdem/desk.html",
        422 if found else 200,
        title=run.label or f"Spot {' '.join(card_text(card) for card in run.spot.board)}",
        place="/holdem",
        tab="/holdem/spots",
        url=f"/holdem/spots/{run.name}{state.query()}",
        link=f"{str(request.base_url).rstrip('/')}/holdem/spots/{run.name}{state.query()}",
        waiting=waiting or run.running,
        run=run,
        spot=spot_state(run),
        cards=[card_text(card) for card in run.spot.board],
        desk=desk,
        state=state,
        problems=defaultdict(str, found),
        typed=typed,
        saved=request.query_params.get("saved", "")[:200],
        plot="" if run.solved else _progress_plot(run),
        gap=_gap(run),
        tabs=shown_tabs(run.spot, TABS),
        example=example_words(run.spot),
        shown=SHOWN,
        views=VIEWS,
        kinds=KINDS,
        curves=CURVES,
        metrics=METRICS,
        free=FREE,
        names=CLASS_NAMES,
        page_hands=PAGE_HANDS,
        chapter=opened(request, site),
        studies=site.studies.names(),
        showing=showing(site.classroom, here, state.chapter),
    )


def _start(site: Site, run: SpotRun, state: DeskState, found: dict[str, str]) -> Desk | None:
    """The desk at the start, where the node of the address is none."""
    try:
        return Desk.open(site, run, state)
    except RiverboatError as error:
        found["node"] = str(error)
        return None


def _gap(run: SpotRun) -> str:
    """What the strategy lacks so far, in words; empty where it was not measured yet."""
    if not run.points or not 0 <= run.points[-1][2] < math.inf:
        return ""
    what = "chips to gain" if run.spot.num_players == 3 else f"{run.spot.unit_name} exploitable"
    return f"{run.points[-1][2]:.3g} {what}"


def _progress_plot(run: SpotRun) -> str:
    """How far the strategy can be exploited, or gained on, over the seconds of the solve."""
    points = [(seconds, gap) for _, seconds, gap in run.points if 0 < gap < math.inf]
    if len(points) < 2:
        return ""
    name = "could be gained" if run.spot.num_players == 3 else "exploitable"
    return line_plot(
        [Curve(name, points)], x="seconds", y=run.spot.unit_name, log_y=True, width=560, height=260
    )


@dataclass(frozen=True)
class HandPage:
    """A part of a long list of hands."""

    rows: list[HandRow]
    total: int
    first: int  # The number of its first hand, from 1
    page: int
    pages: int


class Desk:
    """Everything that is shown of a node; the parts of a tab are computed when it is open."""

    def __init__(self, site: Site, run: SpotRun, state: DeskState, node: SpotNode) -> None:
        self.site, self.run, self.state, self.node = site, run, state, node
        self.problems: dict[str, str] = {}
        self.names = [side.player for side in node.sides]
        acting = node.player if node.acts else 0
        self.player = self.names.index(state.player) if state.player in self.names else acting
        self.acts = self.names[self.player] == node.acts
        self.side = node.sides[self.player]
        narrowed = state.filter or state.tab in LISTS
        self.groups = self._groups(state.filter) if narrowed else None
        self.locking = state.tab == "locks" and self.acts
        self.marks: Mapping[str, Mark] = self._marks()

    @classmethod
    def open(cls, site: Site, run: SpotRun, state: DeskState) -> Desk | None:
        """The desk at the node of the address; None while it is computed."""
        words_of(state.node)
        node = site.answers.ask(spot_node, run.path, state.node)
        return None if node is None else cls(site, run, state, node)

    def _groups(self, find: str) -> NodeGroups | None:
        """The groups of hands, of all or of those that a filter finds."""
        asked = (self.run.path, self.node.node, self.player)
        try:
            return self.site.answers.ask(spot_groups, *asked, find)
        except RiverboatError as error:
            self.problems["find"] = str(error)
            return None

    def _marks(self) -> Mapping[str, Mark]:
        if not self.node.acts or not self.run.painted or not self.has_grid:
            return {}
        return marks(self.run.painted, open_spot(self.run.path).at(self.node.node))

    @property
    def has_grid(self) -> bool:
        """Whether hands have classes; those of four cards have none."""
        return has_grid(self.run.spot)

    @property
    def compared(self) -> tuple[int, int]:
        """The actions whose EVs are compared: as asked, else the two that are taken most."""
        words = [action.words for action in self.node.actions]
        if len(words) < 2:
            return (0, 0)
        order = sorted(range(len(words)), key=lambda number: -self.node.actions[number].share)
        one = words.index(self.state.one) if self.state.one in words else order[0]
        rest = [number for number in order if number != one]
        other = words.index(self.state.other) if self.state.other in words else rest[0]
        return (one, other) if other != one else (one, rest[0])

    @property
    def grids(self) -> list[DeskGrid]:
        """The grid of the player shown, and that of the next one where all are shown."""
        if self.node.kind == "chance" or not self.has_grid:
            return []
        players = [self.player]
        wide = self.state.view == "both" and self.state.tab == "hands"
        if wide:
            others = [p for p in range(len(self.names)) if p != self.player]
            live = [p for p in others if not self.node.sides[p].folded]
            players.append((live or others)[0])
            if len(self.names) == 2:
                players.sort()
        return [
            desk_grid(
                self.node,
                player,
                "strategy" if self.locking else self.state.show,
                compared=self.compared,
                marks=self.marks,
                found=self.found if player == self.player else None,
            )
            for player in players
        ]

    @property
    def found(self) -> frozenset[str] | None:
        """Classes of which a filter found hands; None without a filter."""
        if self.groups is None or not self.state.filter:
            return None
        names, classes = CLASS_NAMES, class_of_combos()
        return frozenset(
            names[int(classes[parse_combo(row.cards)])] for row in self.groups.hands(None)
        )

    def links(self, grid: DeskGrid) -> dict[str, str]:
        """Class → the address that shows its hands."""
        player = grid.side.player
        shown = (
            ""
            if player == self.node.acts or (not self.node.acts and player == self.names[0])
            else player
        )
        start = self.address(hand="AA", player=shown, tab="hands", find="", group="")
        return {
            cell.name: start.replace("hand=AA", f"hand={cell.name}")
            for cell in grid.cells
            if not cell.empty
        }

    def address(self, **changes: str) -> str:
        """The address of this desk with some changes."""
        return f"/holdem/spots/{self.run.name}{self.state.query(**changes)}"

    @property
    def picked(self) -> str:
        """The class whose hands are shown: as asked, else the strongest one that is there."""
        if self.state.hand:
            return self.state.hand
        return next((name for name in CLASS_NAMES if name in self.side.classes), "")

    @property
    def hands(self) -> list[Any]:
        """The hands of the picked class."""
        if not self.picked:
            return []
        return class_hands(self.run.path, self.node.node, self.player, self.picked)

    def parts(self, shares: Iterable[float]) -> list[tuple[str, float]]:
        """Colour and share of each action, for a bar."""
        colours = [action.colour for action in self.node.actions]
        return list(zip(colours, shares, strict=True))

    @property
    def order(self) -> str:
        """What a list is sorted by; the share of the range where the address says no order."""
        assert self.groups is not None
        return self.state.sort if self.state.sort in self.groups.orders else "share"

    def sorted_by(self, order: str) -> str:
        """The address that sorts a list so; the other way around where it is sorted so."""
        up = "" if self.order != order or self.state.up else "1"
        return self.address(sort=order, up=up)

    @property
    def group_rows(self) -> list[Any]:
        """The groups of the kind that is shown: best first, or sorted."""
        if self.groups is None:
            return []
        sort = None if self.state.sort == "share" and not self.state.up else self.order
        return self.groups.groups(self.state.kind, sort, ascending=bool(self.state.up))

    @property
    def open_group(self) -> tuple[str, str] | None:
        """Kind and name of the group whose hands are listed; none for all that were found."""
        known = menu_names(self.state.kind)
        opened = self.state.tab == "groups" and self.state.group in known
        return (self.state.kind, self.state.group) if opened else None

    @property
    def hand_page(self) -> HandPage:
        """The hands that a list shows."""
        assert self.groups is not None
        total = self.groups.num_hands(self.open_group)
        pages = max(1, -(-total // PAGE_HANDS))
        page = min(int(self.state.page), pages)
        first = (page - 1) * PAGE_HANDS
        rows = self.groups.hands(
            self.order,
            ascending=bool(self.state.up),
            group=self.open_group,
            rows=slice(first, first + PAGE_HANDS),
        )
        return HandPage(rows, total, first + 1, page, pages)

    @property
    def no_filter(self) -> str:
        """The address without words and menus."""
        return self.address(group="", find="", **dict.fromkeys(MENUS, ""))

    @property
    def range_text(self) -> str:
        """The hands that are listed as text of the range grammar; none where they are too many."""
        assert self.groups is not None
        if not is_written_out(self.run.spot, self.groups.num_hands(self.open_group)):
            return ""
        return self.groups.range_text(self.open_group)

    @property
    def menus(self) -> list[tuple[str, str, list[str]]]:
        """Name, label and choices of each menu: what the range has here, and what is chosen."""
        from riverboat.cards.hand_groups import WIDER

        whole = self._groups("")
        menus = []
        for name, label in MENUS.items():
            choices = list(CARD_WORDS) if name not in KINDS else list(menu_names(name))
            if whole is not None and name in KINDS:
                here = {
                    row.name for row in whole.groups(name) if row.players[self.player].share > 0
                }
                chosen = getattr(self.state, name)
                choices = [
                    choice
                    for choice in choices
                    if choice == chosen or here & set(WIDER.get(choice, (choice,)))
                ]
            menus.append((name, label, choices))
        return menus

    @property
    def plots(self) -> list[str] | None:
        """The curves of all ranges, for wide and for narrow screens; None while computed."""
        asked = (self.run.path, self.node.node, self.state.curve)
        curves = self.site.answers.ask(spot_curves, *asked)
        if curves is None:
            return None
        words = "equity, per cent" if self.state.curve == "equity" else "EV, chips"
        limits = (0.0, 100.0) if self.state.curve == "equity" else None
        return [
            line_plot(
                [Curve(name, points) for name, points in curves],
                x="per cent of the range, best hands first",
                y=words,
                x_limits=(0, 100),
                y_limits=limits,
                width=width,
                height=280,
            )
            for width in (520, 330)
        ]

    @property
    def runouts(self) -> Runouts | None:
        """The next cards; None while they are computed."""
        rows = self.site.answers.ask(spot_cards, self.run.path, self.node.node)
        if rows is None:
            return None
        return runouts(rows, self.state.cards, self.player, self.side.player)

    @property
    def report_node(self) -> str:
        """The node of a report over the next cards, or over others in place of the last one."""
        words = self.node.node.split(":")
        if self.node.kind == "chance":
            return self.node.node
        dealt = [place for place, word in enumerate(words) if CARD.fullmatch(word)]
        if not dealt or self.node.kind != "decision":
            return ""
        return ":".join([*words[: dealt[-1]], ANY, *words[dealt[-1] + 1 :]])

    @property
    def lock_lines(self) -> list[tuple[int, str, str, str]]:
        """Number, hands, strategy and place of each lock that is painted."""
        lines = []
        for number, lock in enumerate(self.run.painted):
            hands = lock.hands or "every hand"
            shown = hands if len(hands) <= MAX_LOCK_CHARS else f"{hands[:MAX_LOCK_CHARS]} …"
            mix = ", ".join(f"{a} {s:.0%}" for a, s in lock.strategy.items() if s > 0)
            lines.append((number, shown, mix, self.place(lock.node)))
        return lines

    def place(self, node: str) -> str:
        """A node in words, such as "after check, bet 60"."""
        if node == START:
            return "at the start"
        try:
            path = self.site.answers.wait(spot_node, self.run.path, node).path
        except RiverboatError:
            return node
        return "after " + ", ".join(step.taken for step in path)

    @property
    def locks_changed(self) -> bool:
        """Whether what is painted differs from what was solved."""
        return self.run.painted != list(self.run.order.locks)
