"""What a report's page shows: the lines of its address, sorted and narrowed, and two pictures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from urllib.parse import urlencode

from riverboat.cards.board_texture import KINDS
from riverboat.drawing.html import Markup
from riverboat.drawing.palette import action_colours
from riverboat.errors import RiverboatError
from riverboat.holdem.spots.report_table import ReportLine, ReportTable, TexturePart
from riverboat.web.app.plots import Dot, SharesBar, scatter_plot, shares_plot
from riverboat.web.holdem.report_runs import ReportRun

PAGE_LINES = 100
"""Boards of a page; the next ones have addresses of their own."""
LABELS = {"suits": "Suits", "pairing": "Pairs", "high": "Highest card", "connected": "Straights"}
"""The kinds of textures, as fields are called."""
BETTING = "betting"
"""What the table shows: this, or the name of a player for the hands that they hold."""
MAX_NUMBER = 1e12


@dataclass(frozen=True)
class ReportState:
    """What the address says: which lines, in which order, and what is drawn."""

    suits: str = ""
    pairing: str = ""
    high: str = ""
    connected: str = ""
    of: str = ""  # A column, and the range that its numbers lie in; shares in per cent
    low: str = ""
    top: str = ""
    show: str = BETTING
    sort: str = ""
    up: str = ""  # "1" has the smallest first
    page: str = "1"
    x: str = ""  # The columns of the scatter
    y: str = ""
    by: str = "suits"  # The texture that points and bars are told apart by
    board: str = ""  # The one that was picked

    @classmethod
    def read(cls, form: Mapping[str, str]) -> ReportState:
        """Read the query; what is unknown is as if it were not there."""
        given = {name: form[name][:200] for name in cls.__dataclass_fields__ if name in form}
        for name, choices in {**KINDS, "by": tuple(KINDS), "up": ("1",)}.items():
            if given.get(name, "") not in choices:
                given.pop(name, None)
        number = given.get("page", "1")
        if not (number.isascii() and number.isdecimal() and 1 <= int(number[:9]) < 10**6):
            del given["page"]
        return cls(**given)

    @property
    def textures(self) -> dict[str, str]:
        """The textures that lines must have."""
        return {kind: getattr(self, kind) for kind in KINDS if getattr(self, kind)}

    @property
    def narrowed(self) -> bool:
        """Whether some lines may be left out."""
        return bool(self.textures or self.of)

    def query(self, **changes: str) -> dict[str, str]:
        """The query of this state with some changes; what is usual is left out."""
        usual = ReportState()
        if "page" not in changes and not changes.keys() <= {"board", "show", "x", "y", "by"}:
            changes["page"] = "1"
        changed = vars(replace(self, **changes))
        return {name: value for name, value in changed.items() if value != getattr(usual, name)}

    def fields(self, *gone: str) -> list[tuple[str, str]]:
        """The values that a form keeps in hidden fields, without some names."""
        return [(name, value) for name, value in self.query().items() if name not in gone]


@dataclass(frozen=True)
class Column:
    """A column of the table that is shown."""

    key: str
    words: str
    share: bool
    colour: str = ""


class ReportView:
    """The rows of a report as its page shows them."""

    def __init__(
        self, run: ReportRun, state: ReportState, home: str, query: dict[str, str]
    ) -> None:
        """`home` is the page's address, `query` what it keeps whatever is shown."""
        self.run, self.state, self.home, self.kept = run, state, home, query
        self.whole: ReportTable = run.table
        self.problems: dict[str, str] = {}
        self.players = self.whole.players

    def address(self, **changes: str) -> str:
        """The address of this page with some changes."""
        query = {**self.kept, **self.state.query(**changes)}
        return f"{self.home}?{urlencode(query)}" if query else self.home

    @property
    def csv(self) -> str:
        """The address of the lines that are shown as CSV."""
        query = urlencode(self.state.query())
        address = f"/holdem/reports/{self.run.name}/table.csv"
        return f"{address}?{query}" if query else address

    @property
    def clear(self) -> str:
        """The address of all lines."""
        return self.address(of="", low="", top="", **dict.fromkeys(KINDS, ""))

    @property
    def show(self) -> str:
        """Betting, or the player whose hands are shown."""
        return self.state.show if self.state.show in self.players else BETTING

    @cached_property
    def shown(self) -> ReportTable:
        """The lines of the address, sorted; a problem stands at its field and shows all."""
        table = self.whole
        if self.state.sort in table.columns:
            table = table.sorted(self.state.sort, ascending=bool(self.state.up))
        elif self.run.order.node:
            table = table.sorted(table.key)
        try:
            low, high = self._bound("low", -math.inf), self._bound("top", math.inf)
            if low > high:
                self.problems["top"] = "The second number is below the first."
                return table
            if self.problems:
                return table
            column = self.state.of if self.state.of in table.figures else ""
            if self.state.of and not column and len(table):
                self.problems["of"] = f"There is no column {self.state.of[:40]!r} in this report."
                return table
            return table.where(self.state.textures, column=column, low=low, high=high)
        except RiverboatError as error:
            self.problems["of"] = str(error)
            return table

    def _bound(self, name: str, otherwise: float) -> float:
        text = getattr(self.state, name).strip().removesuffix("%").strip()
        if not text or not self.state.of:
            return otherwise
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not abs(number) < MAX_NUMBER:
            self.problems[name] = f"{text[:20]!r} is not a number."
            return otherwise
        # A little room, so that a number that is shown finds the lines that show it.
        return number / 100 if self.whole.is_share(self.state.of) else number

    @cached_property
    def means(self) -> dict[str, float]:
        """The means of the lines that are shown."""
        return self.shown.means()

    @property
    def pages(self) -> int:
        """How many pages the list has."""
        return max(1, -(-len(self.shown) // PAGE_LINES))

    @property
    def page(self) -> int:
        """The page that is shown."""
        return min(int(self.state.page), self.pages)

    @property
    def lines(self) -> list[tuple[ReportLine, list[float]]]:
        """The lines of the page, each with its figures in the order of the columns."""
        first = (self.page - 1) * PAGE_LINES
        columns = [self.shown.columns.get(column.key) for column in self.columns]
        return [
            (line, [0.0 if own is None else own[i] for own in columns])
            for i, line in enumerate(self.shown.lines[first : first + PAGE_LINES], first)
        ]

    @property
    def mean_line(self) -> list[float]:
        """The weighted means in the order of the columns."""
        return [self.means.get(column.key, math.nan) for column in self.columns]

    @cached_property
    def columns(self) -> list[Column]:
        """The columns with numbers."""
        table = self.whole
        if self.show != BETTING:
            return [
                Column(f"{self.show} {name}", name, True)
                for name in table.groups.get(self.show, [])
            ]
        many = len(self.players) > 2
        found = [Column(f"ev_{name}", f"EV {name.upper()}", False) for name in self.players]
        who = self.players if many else self.players[:1]
        found += [Column(f"equity_{name}", f"Equity {name.upper()}", True) for name in who]
        for name in self.players:
            actions = table.actions[name]
            found += [
                Column(f"{name} {words}", f"{name.upper()} {words}", True, colour)
                for words, colour in zip(actions, action_colours(actions), strict=True)
            ]
        return found

    def sorted_by(self, key: str) -> str:
        """The address that sorts so; the other way around where it is sorted so."""
        up = "" if self.state.sort != key or self.state.up else "1"
        return self.address(sort=key, up=up)

    @cached_property
    def choices(self) -> list[tuple[str, str]]:
        """All columns with numbers, and what they are called."""
        return [(key, self.words(key)) for key in self.whole.figures]

    def words(self, key: str) -> str:
        """A column as people read it."""
        for kind, words in (("ev_", "EV of "), ("equity_", "Equity of ")):
            if key.startswith(kind):
                return words + key.removeprefix(kind).upper()
        name, _, rest = key.partition(" ")
        return f"{name.upper()}: {rest}" if rest else "Exploitable, % of the pot"

    @cached_property
    def axes(self) -> tuple[str, str]:
        """The columns of the scatter: as asked, else equity and the action that is no check."""
        figures = self.whole.figures
        first = self.players[0]
        actions = [f"{name} {a}" for name in self.players for a in self.whole.actions[name]]
        bets = [key for key in actions if not key.endswith((" check", " fold"))]
        y = next(iter([*bets, *actions, f"ev_{first}"]))
        return (
            self.state.x if self.state.x in figures else f"equity_{first}",
            self.state.y if self.state.y in figures else y,
        )

    @cached_property
    def parts(self) -> list[TexturePart]:
        """The lines that are shown, put together by texture."""
        return self.shown.by(self.state.by)

    @property
    def scatter(self) -> list[Markup]:
        """The picture of two columns, for wide and for narrow screens."""
        x, y = self.axes
        names = [part.name for part in self.parts]
        kind = list(KINDS).index(self.state.by)
        dots = [
            Dot(
                self._drawn(x, i),
                self._drawn(y, i),
                line.name,
                f"{line.name}: {', '.join(f'{self.words(k)} {self.text(k, i)}' for k in (x, y))}",
                self.opens(line),
                line.texture[kind],
                line.name == self.state.board,
            )
            for i, line in enumerate(self.shown.lines)
        ]
        words = [f"{self.words(k)}{', %' if self.whole.is_share(k) else ''}" for k in (x, y)]
        drawn = [
            scatter_plot(dots, names, x=words[0], y=words[1], width=width, height=340)
            for width in (560, 340)
        ]
        return [plot for plot in drawn if plot]

    def _drawn(self, key: str, i: int) -> float:
        value = float(self.shown.columns.get(key, [math.nan] * len(self.shown))[i])
        return 100 * value if self.whole.is_share(key) else value

    def text(self, key: str, i: int) -> str:
        """A figure of a line in words."""
        value = self._drawn(key, i)
        if math.isnan(value):
            return "–"
        return f"{value:.1f} %" if self.whole.is_share(key) else f"{value:z.2f}"

    @property
    def bars(self) -> list[tuple[str, list[Markup]]]:
        """Player and frequencies by texture, for each player who acts."""
        found = []
        for name in self.players:
            actions = self.whole.actions[name]
            if not actions:
                continue
            rows = [
                SharesBar(
                    part.name,
                    [_known(part.means.get(f"{name} {action}")) for action in actions],
                    f"{part.weight:.0%}",
                )
                for part in self.parts
            ]
            parts = list(zip(actions, action_colours(actions), strict=True))
            title = f"Frequencies of {name.upper()} by {LABELS[self.state.by].lower()}"
            plots = [shares_plot(rows, parts, title=title, width=w) for w in (560, 340)]
            found.append((name, plots))
        return found

    def opens(self, line: ReportLine) -> str:
        """Where a press on a board leads: the desk at its node, or what is known of a flop."""
        if not self.run.order.node:
            return f"{self.address(board=line.name)}#picked"
        return f"/holdem/spots/{self.run.order.source}?{urlencode({'node': line.node})}"

    @property
    def picked(self) -> ReportLine | None:
        """The board of the address, if the report has it."""
        return next((line for line in self.whole.lines if line.name == self.state.board), None)


def _known(share: float | None) -> float:
    return 0.0 if share is None or math.isnan(share) else share
