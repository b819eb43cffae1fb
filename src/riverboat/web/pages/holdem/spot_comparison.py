"""Two solved nodes next to each other: sums, a grid of differences, groups and hands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from riverboat.cards.card import card_text
from riverboat.cards.combos import CLASS_NAMES, class_of_combos, parse_combo
from riverboat.errors import RiverboatError
from riverboat.holdem.spots.locks import words_of
from riverboat.web.api.comparable_spots import (
    SolvedSide,
    before_locks,
    comparable,
    find_side,
    side_of_run,
    words_of_side,
)
from riverboat.web.api.spot_comparisons import file_of, spot_comparison
from riverboat.web.api.spot_nodes import START, NodePlace, node_place
from riverboat.web.api.spots import GONE, NOT_SOLVED
from riverboat.web.app.problems import by_field
from riverboat.web.app.templates import render
from riverboat.web.pages.holdem.change_cells import (
    FIGURES,
    ChangeGrid,
    ChangeRow,
    change_grid,
    change_rows,
)
from riverboat.web.site import AskedSite, Site

if TYPE_CHECKING:
    from riverboat.holdem.spots.node_comparison import Difference, NodeComparison

router = APIRouter()
TABS = {"groups": "Groups", "hands": "Hands"}
KINDS = {"made": "Made hands", "draw": "Draws", "blocker": "Blockers", "suits": "Suits"}
PAGE_HANDS = 100


@dataclass(frozen=True)
class CompareState:
    """What the address says: both sides, and what is shown of them."""

    node: str = START
    other: str = ""  # "with" in the address
    second: str = ""  # The node of the other side; none for the same
    player: str = ""
    show: str = "ev"
    tab: str = "groups"
    kind: str = "made"
    find: str = ""
    hand: str = ""  # A class whose hands are listed
    sort: str = ""
    up: str = ""  # "1" has the smallest differences first
    page: str = "1"

    @classmethod
    def read(cls, query: Mapping[str, str]) -> CompareState:
        """Read the query; what is unknown is as if it were not there."""
        given = {key: query[key][:2000] for key in cls.__dataclass_fields__ if key in query}
        given["other"] = query.get("with", "")[:200]
        choices: dict[str, Collection[str]] = {
            "tab": TABS, "kind": KINDS, "hand": CLASS_NAMES, "up": ("1",),
        }  # fmt: skip
        known = {key: text for key, text in given.items() if text in choices.get(key, (text,))}
        number = known.get("page", "1")
        if not number.isascii() or not number.isdecimal() or not 1 <= int(number[:9]) < 10**6:
            del known["page"]
        return cls(**known)

    def fields(self, gone: Collection[str]) -> list[tuple[str, str]]:
        """The values that a form keeps in hidden fields, without some names."""
        return [(key, value) for key, value in self._kept() if key not in gone]

    def query(self, **changes: str) -> str:
        """The query of this state with some changes; what is usual is left out."""
        changed = replace(self, **changes)
        if {"node", "other", "second"} & changes.keys():
            changed = replace(changed, **{"page": "1", "hand": "", **changes})
        elif "page" not in changes:
            changed = replace(changed, page="1")
        kept = changed._kept()
        return f"?{urlencode(kept)}" if kept else ""

    def _kept(self) -> list[tuple[str, str]]:
        usual = vars(CompareState())
        return [
            ("with" if key == "other" else key, value)
            for key, value in vars(self).items()
            if value != usual[key]
        ]


class Comparison:
    """Everything that the page shows once both nodes are compared."""

    def __init__(self, state: CompareState, compared: NodeComparison, home: str) -> None:
        self.state, self.compared, self.home = state, compared, home
        self.figures = {**FIGURES, **{action: action for action in compared.actions}}
        self.shown = state.show if state.show in self.figures else "ev"
        self.names = compared.sides[0].names
        self.player = compared.player

    @property
    def sums(self) -> list[ChangeRow]:
        """A line for each player."""
        return change_rows(list(self.compared.totals.values()), list(self.figures))

    @property
    def grid(self) -> ChangeGrid | None:
        """The differences by class; None where hands have more than two cards."""
        return change_grid(self.compared, self.shown) if self.compared.has_classes else None

    @property
    def links(self) -> dict[str, str]:
        """Class → the address that lists its hands."""
        start = self.address(hand="AA", tab="hands")
        rows = self.compared.classes()
        return {row.name: start.replace("hand=AA", f"hand={row.name}") for row in rows}

    @property
    def columns(self) -> list[str]:
        """The figures of the tables: the one of the grid first."""
        return [self.shown, *(figure for figure in self.figures if figure != self.shown)]

    @property
    def order(self) -> str:
        """What the tables are sorted by; the figure of the grid where the address says none."""
        known = (*self.figures, "name")
        return self.state.sort if self.state.sort in known else self.shown

    def sorted_by(self, order: str) -> str:
        """The address that sorts a table so; the other way around where it is sorted so."""
        return self.address(sort=order, up="" if self.order != order or self.state.up else "1")

    @property
    def groups(self) -> list[ChangeRow]:
        """The groups of the kind that is shown."""
        rows = self.compared.groups(self.state.kind, self.order if self.state.sort else None)
        return change_rows(rows[::-1] if self.state.up else rows, self.columns)

    @property
    def num_hands(self) -> int:
        return len(self._hands())

    @property
    def pages(self) -> int:
        return max(1, -(-self.num_hands // PAGE_HANDS))

    @property
    def page(self) -> int:
        return min(int(self.state.page), self.pages)

    @property
    def hands(self) -> list[ChangeRow]:
        """The hands of a page of the list."""
        first = (self.page - 1) * PAGE_HANDS
        return change_rows(self._hands()[first : first + PAGE_HANDS], self.columns)

    def _hands(self) -> list[Difference]:
        rows = self.compared.hands(self.order)
        if self.state.hand and self.compared.has_classes:
            number, classes = CLASS_NAMES.index(self.state.hand), class_of_combos()
            rows = [row for row in rows if classes[parse_combo(row.name)] == number]
        return rows[::-1] if self.state.up else rows

    def group_address(self, name: str) -> str:
        """The address that lists the hands of a group, among those found."""
        find = f"({self.state.find}) and {name}" if self.state.find else name
        return self.address(find=find, tab="hands", hand="")

    def address(self, **changes: str) -> str:
        """The address of this page with some changes."""
        return f"{self.home}{self.state.query(**changes)}"


@router.get("/holdem/spots/{name}/compare", response_model=None)
def compare_page(request: Request, name: str, site: AskedSite) -> Response:
    """Show what differs between two nodes of one solved spot or of two."""
    run = site.spot_runs.find(name)
    if run is None or not run.solved:
        words = GONE if run is None else NOT_SOLVED
        status = 404 if run is None else 422
        title = "There is no such spot" if run is None else "That cannot be done"
        return render(request, "problem.html", status, title=title, words=words)
    one, state = side_of_run(run), CompareState.read(request.query_params)
    if not state.other and not state.second:
        before = before_locks(site, one)
        if before is not None:  # What a lock changed reads from before to after
            query = replace(state, other=one.name).query()
            return RedirectResponse(f"{_home(before.name)}{query}", 303)
    return _page(request, site, one, state)


def _home(name: str) -> str:
    return f"/holdem/spots/{quote(name)}/compare"


def _page(request: Request, site: Site, one: SolvedSide, state: CompareState) -> Response:
    problems: dict[str, str] = {}
    others = comparable(site, one)
    two, chosen = one, bool(state.other or state.second)
    try:
        two = find_side(site, state.other) if state.other else one
    except RiverboatError as error:
        problems["with"], chosen = str(error), False
    first, problems["node"] = _place(site, one, state.node)
    second, problems["second"] = _place(site, two, state.second or state.node)
    problems = {field: words for field, words in problems.items() if words}
    comparison = None
    if chosen and not problems:
        try:
            comparison = _compared(site, one, two, state)
        except RiverboatError as error:
            found = dict(by_field(error))
            problems |= {field or "with": words for field, words in found.items()}
    waiting = chosen and comparison is None and not problems
    home = _home(one.name)
    return render(
        request,
        "holdem/spot_comparison.html",
        422 if problems else 200,
        title="Compare",
        place="/holdem",
        tab="/holdem/spots",
        url=f"{home}{state.query()}",
        home=home,
        waiting=waiting or (first is None and "node" not in problems),
        state=state,
        one=one,
        two=two,
        chosen=chosen,
        sides=[(one, first, "node"), (two, second, "second")],
        cards=[card_text(card) for card in one.spot.board],
        choices=[(one.name, "this spot, another node")]
        + [(side.name, words_of_side(one, side)) for side in others],
        swap=_swap(one, two, state) if chosen else "",
        comparison=comparison,
        problems=defaultdict(str, problems),
        tabs=TABS,
        kinds=KINDS,
        page_hands=PAGE_HANDS,
    )


def _place(site: Site, side: SolvedSide, node: str) -> tuple[NodePlace | None, str]:
    """Where a node lies, and what is wrong with it; None alone while it is read."""
    try:
        words_of(node)
        return site.answers.ask(node_place, side.path, node), ""
    except RiverboatError as error:
        return None, str(error)


def _compared(
    site: Site, one: SolvedSide, two: SolvedSide, state: CompareState
) -> Comparison | None:
    names = one.spot.names
    place = site.answers.ask(node_place, one.path, state.node)
    if place is None:
        return None
    acts = names.index(place.acts) if place.acts else 0
    player = names.index(state.player) if state.player in names else acts
    nodes = state.node, state.second or state.node
    compared = site.answers.ask(
        spot_comparison, file_of(one), nodes[0], file_of(two), nodes[1], player, state.find
    )
    return None if compared is None else Comparison(state, compared, _home(one.name))


def _swap(one: SolvedSide, two: SolvedSide, state: CompareState) -> str:
    """The address with both sides in the other order; none where the second is only a file."""
    if not two.is_run:
        return ""
    node = state.second or state.node
    changed = replace(state, node=node, second="" if node == state.node else state.node)
    return f"{_home(two.name)}{replace(changed, other=one.name).query()}"
