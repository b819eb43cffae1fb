"""A dealer's log, hand by hand at a table.

Twenty-one: host a tournament from the page, watch its tables, look at old ones, replay a log.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nicegui import app, ui

from riverboat.drawing.html import Markup, join, tag
from riverboat.errors import RiverboatError, UnknownNameError, UsageError
from riverboat.players.roster import known_players, parse_spec
from riverboat.twentyone.game import is_bust, points
from riverboat.twentyone.log import read_log
from riverboat.twentyone.wire.tournament_archive import TournamentStore
from riverboat.web.app.card_pictures import card
from riverboat.web.app.frame import button, error_note, heading, in_thread, page, panel
from riverboat.web.app.library import Library
from riverboat.web.app.markup import Picture
from riverboat.web.play.names import isolated
from riverboat.web.twentyone.hosting import Hosting, Hostings, Ranked, logs_of

if TYPE_CHECKING:
    from riverboat.web.server import Site

MAX_LINES = 200_000  # Entries of a log that are read


def hands_of_log(path: Path) -> list[dict[str, Any]]:
    """Every finished hand: table, round, names, each seat's cards, the dealer's and the results."""
    hands: list[dict[str, Any]] = []
    names: dict[int, list[str]] = {}
    open_hands: dict[int, dict[str, Any]] = {}
    for _, entry in islice(read_log(path), MAX_LINES):
        kind, table = entry["event"], int(entry.get("table", -1))
        if kind == "table":
            names[table] = list(entry["names"])
        elif kind == "deal":
            cards = [list(hand or []) for hand in entry["hands"]]
            open_hands[table] = {
                "table": table + 1,
                "round": entry["round"],
                "names": names.get(table, []),
                "cards": cards,
            }
        elif kind == "act" and table in open_hands and entry.get("card"):
            open_hands[table]["cards"][int(entry["seat"])].append(entry["card"])
        elif kind == "round" and table in open_hands:
            hand = open_hands.pop(table)
            hands.append({**hand, "dealer": entry["dealer"], "results": entry["results"]})
    return hands


class Replay:
    """Buttons back and forward through the hands of a log."""

    def __init__(self, logs: Sequence[Path], hand: int, address: str) -> None:
        """`hand` is the one to begin with, counted from 1; it stands in the address."""
        self.address = address
        with panel("Hand by hand", "← and → turn the pages."):
            try:
                self.hands = [each for path in logs for each in hands_of_log(path)]
            except (RiverboatError, KeyError, TypeError, ValueError, IndexError) as error:
                Picture(error_note(str(error) or "The log cannot be read."))
                return
            self.at = max(0, min(len(self.hands) - 1, hand - 1))
            self.picture = Picture(on_pick=self._turn)
            self._show()

    def _turn(self, text: str) -> None:
        step = {"back": -1, "forward": 1, "first": -len(self.hands), "last": len(self.hands)}
        self.at = max(0, min(len(self.hands) - 1, self.at + step.get(text, 0)))
        self._show()
        ui.navigate.history.replace(f"{self.address}?hand={self.at + 1}")

    def _show(self) -> None:
        if not self.hands:
            self.picture.show(tag("p", "The log has no finished hand.", cls="muted"))
            return
        self.picture.show(_hand(self.hands[self.at], self.at, len(self.hands)))


def _hand(hand: dict[str, Any], at: int, count: int) -> Markup:
    seats = [
        tag(
            "div",
            tag("span", isolated(name), cls="who"),
            tag("span", [card(text) for text in cards], cls="cards"),
            tag("span", " · ".join({_points(cards): 0, str(result).lower(): 0}), cls="what"),
            cls="seat",
        )
        for name, cards, result in zip(hand["names"], hand["cards"], hand["results"], strict=False)
        if cards
    ]
    dealer = tag(
        "div",
        tag("span", "dealer", cls="who"),
        tag("span", [card(text) for text in hand["dealer"]], cls="cards"),
        tag("span", _points(hand["dealer"]), cls="what"),
        cls="seat",
    )
    felt = tag(
        "div",
        tag("div", dealer, cls="seats"),
        tag("div", seats, cls="seats own"),
        cls="felt replay",
    )
    moves = [
        tag(
            "button",
            words,
            type="button",
            cls="btn",
            data_pick=pick,
            data_key=key,
            data_repeat=True,
        )
        for words, pick, key in (
            ("first", "first", None),
            ("← back", "back", "ArrowLeft"),
            ("forward →", "forward", "ArrowRight"),
            ("last", "last", None),
        )
    ]
    where = f"hand {at + 1:,} of {count:,}: table {hand['table']}, round {hand['round']}"
    return tag(
        "div", tag("div", moves, tag("span", where, cls="muted"), cls="moves"), felt, cls="options"
    )


def _points(cards: list[str]) -> str:
    return "bust" if is_bust(cards) else f"{points(cards)} points"


REFRESH_SECONDS = 0.3
MAX_ENTRANTS, MAX_ROUNDS, LONGEST_NAME = 60, 100_000, 40
ENTRANTS = "\n".join(
    [f"basic {i + 1} = basic" for i in range(12)] + [f"random {i + 1} = random" for i in range(6)]
)


def twentyone_tabs(active: str) -> None:
    """The pages about twenty-one."""
    places = (
        ("/twentyone", "Tournaments"),
        ("/twentyone/learning", "Learning"),
        ("/play/twentyone", "Play"),
    )
    links = [
        tag("a", name, href=address, aria_current="page" if address == active else None)
        for address, name in places
    ]
    Picture(tag("nav", links, cls="sub-nav", aria_label="Twenty-one"))


def register(site: Site) -> None:
    """Put the pages at their addresses, and go on with what a killed server was playing."""
    folder = site.settings.folder
    hostings = Hostings(folder)
    site.library.in_use.append(hostings.files)
    app.on_startup(hostings.go_on)
    app.on_shutdown(hostings.end)

    @ui.page("/twentyone")
    def tournaments() -> None:
        with page("Twenty-one", "/twentyone"):
            heading("Twenty-one", "Tables of six, the top two of each go on to the final.")
            twentyone_tabs("/twentyone")
            TournamentPage(site.library, hostings)

    @ui.page("/twentyone/tournaments/{number}")
    def one(number: int, hand: int = 1) -> None:
        with page("Twenty-one", "/twentyone"):
            heading(f"Tournament {number}")
            twentyone_tabs("/twentyone")
            try:
                facts = TournamentStore(folder / "tournaments.sqlite").facts(number)
            except RiverboatError as error:
                Picture(error_note(error))
                return
            title = f"Champion: {facts['champion']}" if facts["champion"] else "Not finished"
            with panel(title, facts["verdict"]):
                tables = [_table(t, facts["champion"]) for t in facts["tables"]]
                Picture(tag("div", tables, cls="columns halves"))
            logs = logs_of(folder, int(facts["seed"]))
            if logs:
                Replay(logs, hand, f"/twentyone/tournaments/{number}")


class TournamentPage:
    """The form, the tables in play, and the tournaments of before."""

    def __init__(self, library: Library, hostings: Hostings) -> None:
        self.library, self.hostings = library, hostings
        self.seen: tuple[Hosting, int] | None = None
        with ui.element("div").classes("columns side"):
            with panel("Host one"):
                self.entrants = ui.textarea("Entrants, one per line: name = player", value=ENTRANTS)
                self.entrants.props("outlined dense input-style='height: 220px'")
                self.rounds = ui.number("Rounds per table", value=200, min=1, precision=0)
                self.rounds.props("outlined dense")
                with ui.element("div").classes("line-up"):
                    self.start = button("Start", self._start, main=True, icon="play_arrow")
                    self.stop = button("Stop", self._stop, icon="stop")
                Picture(
                    tag(
                        "p",
                        "Players: basic, random, mcts …; q:FILE plays a Q table of the library.",
                        cls="muted small",
                    )
                )
            with ui.element("div").classes("stack"):
                with panel("Tables"):
                    self.tables = Picture(tag("p", "None in play.", cls="muted"), live=True)
                with panel("Ranking", "By stage, then by wins in it."):
                    self.ranking = Picture(tag("p", "Nobody has played yet.", cls="muted"))
                with panel("Played before"):
                    self.old = Picture()
        ui.timer(REFRESH_SECONDS, self._refresh)
        ui.timer(0, self._list, once=True)

    @property
    def hosting(self) -> Hosting | None:
        return self.hostings.newest

    def _start(self) -> None:
        if self.hosting is not None and self.hosting.state == "playing":
            ui.notify("A tournament is being played.", type="warning")
            return
        try:
            texts = _entrants(str(self.entrants.value or ""), self.library)
            rounds = int(self.rounds.value or 0)
            if not 1 <= rounds <= MAX_ROUNDS:
                raise UsageError(f"A table has 1 to {MAX_ROUNDS:,} rounds, not {rounds:,}.")
            self.hostings.host(texts, rounds, secrets.randbits(40))
        except UnknownNameError as error:  # like other faults of a player, in place of standings
            self.tables.show(tag("p", str(error), cls="strong"))
        except RiverboatError as error:
            ui.notify(str(error), type="negative", multi_line=True)

    def _stop(self) -> None:
        if self.hosting is not None:
            self.hosting.stopping = True

    async def _refresh(self) -> None:
        hosting = self.hosting
        playing = hosting is not None and hosting.state == "playing"
        self.start.set_enabled(not playing)
        self.stop.set_enabled(playing)
        if hosting is None or (hosting, hosting.version) == self.seen:
            return
        self.seen = (hosting, hosting.version)
        self.tables.show(_standings(hosting))
        if hosting.ranking:
            self.ranking.show(_ranking(hosting.ranking))
        if not playing:
            await self._list()

    async def _list(self) -> None:
        shown: Any = await in_thread(_played, self.library.folder)
        self.old.show(shown)


def _entrants(text: str, library: Library) -> list[tuple[str, str]]:
    """Name and player of each line; files are those of the library, by their names."""
    found = []
    for line in text.splitlines():
        name, equals, spec = (part.strip() for part in line.partition("="))
        if not name:
            continue
        if len(name) > LONGEST_NAME:
            raise UsageError(f"A name has at most {LONGEST_NAME} letters, not {len(name)}.")
        found.append((name, _of_library(spec if equals else name, library)))
    if not 2 <= len(found) <= MAX_ENTRANTS:
        raise UsageError(f"A tournament has 2 to {MAX_ENTRANTS} entrants, not {len(found)}.")
    return found


def _of_library(text: str, library: Library) -> str:
    """A player's text with the library's folder before the names of files.

    A path is refused before anything is opened, so that nothing is revealed about other files.
    """
    if any(mark in text for mark in ("/", "\\", "..", "~")):
        raise UsageError("A player's file is one of the library, named without a folder.")
    spec = parse_spec(text)
    if spec.name == "python" or ".py" in text:
        raise UsageError(
            "A program of your own plays over TCP here, with riverboat twentyone player --bot."
        )
    head, options = spec.name, dict(spec.options)
    if spec.name not in known_players():
        if not _is_saved(text.partition("?")[0], library):
            raise UnknownNameError.among("player", spec.name, known_players())
        head = _saved(text.partition("?")[0], library)
    elif spec.argument and spec.name != "openspiel":  # whose argument is the name of a bot
        head = f"{spec.name}:{_saved(spec.argument, library)}"
    elif spec.argument:
        head = f"{spec.name}:{spec.argument}"
    if "memory" in options:
        options["memory"] = _saved(options["memory"], library)
    query = "&".join(f"{key}={value}" for key, value in options.items())
    return f"{head}?{query}" if query else head


def _is_saved(name: str, library: Library) -> bool:
    return bool(name) and not name.startswith(".") and library.path(name).is_file()


def _saved(name: str, library: Library) -> str:
    """The path of a file of the library; nothing else is looked at."""
    if not _is_saved(name, library):
        raise UsageError(f"There is no {name} in the library.")
    return str(library.path(name))


def _standings(hosting: Hosting) -> Markup:
    words = {"playing": "Playing …", "over": "The tournament is over.", "stopped": "Stopped."}
    state = tag("p", words.get(hosting.state, hosting.state), cls="strong")
    link = None
    if hosting.state == "over":
        link = tag("a", "The results", href=f"/twentyone/tournaments/{hosting.number}")
    tables = []
    for title, rows in hosting.standings:
        body = [
            tag(
                "tr",
                tag("td", isolated(name)),
                tag("td", f"{wins:,}", cls="r"),
                tag("td", f"{score:+,}".replace("-", "−"), cls="r"),
            )
            for name, wins, score in rows
        ]
        head = tag("tr", tag("th", title), tag("th", "wins", cls="r"), tag("th", "score", cls="r"))
        tables.append(tag("table", head, body, cls="plain"))
    return join(state, link, tag("div", tables, cls="columns halves"))


def _ranking(rows: list[Ranked]) -> Markup:
    last = "champion" if sum(not each.out for each in rows) == 1 else "in"
    body = [
        tag(
            "tr",
            tag("td", str(place)),
            tag("td", isolated(each.name)),
            tag("td", f"stage {each.stage}", cls="muted nowrap"),
            tag("td", f"{each.wins:,}", cls="r"),
            tag("td", f"{each.score:+,}".replace("-", "−"), cls="r"),
            tag("td", "out" if each.out else last, cls="muted" if each.out else "good"),
        )
        for place, each in enumerate(rows, 1)
    ]
    heads = [tag("th", ""), tag("th", "entrant"), tag("th", "")]
    heads += [tag("th", "wins", cls="r"), tag("th", "score", cls="r"), tag("th", "")]
    table = tag("table", tag("tr", heads), body, cls="plain")
    return tag("div", table, cls="scroll-x ranking-box", tabindex="0")


def _table(facts: dict[str, Any], champion: str) -> Markup:
    # Of the final one goes on, the champion.
    final = [p["name"] for p in facts["placings"] if p["advanced"]] == [champion]
    words = "champion" if final else "goes on"
    rows = [
        tag(
            "tr",
            tag("td", str(p["rank"])),
            tag("td", isolated(p["name"])),
            tag("td", f"{p['wins']:,}", cls="r"),
            tag("td", f"{100 * p['low']:.1f}–{100 * p['high']:.1f} %", cls="r nowrap"),
            tag("td", words if p["advanced"] else "", cls="good nowrap"),
        )
        for p in facts["placings"]
    ]
    title = f"Stage {facts['stage']}, table {facts['table']}"
    heads = [
        tag("th", ""),
        tag("th", title),
        tag("th", "wins", cls="r"),
        tag("th", "chance to win, 95 %", cls="r"),
        tag("th", ""),
    ]
    return tag("div", tag("table", tag("tr", heads), rows, cls="plain"), cls="scroll-x")


def _played(folder: Path) -> Markup:
    path = folder / "tournaments.sqlite"
    if not path.is_file():
        return tag("p", "None yet.", cls="muted")
    rows = [
        tag(
            "tr",
            tag("td", tag("a", f"{each.number}", href=f"/twentyone/tournaments/{each.number}")),
            tag("td", each.name),
            tag("td", each.started.replace("T", " ").rstrip("Z")),
            tag("td", f"{each.entrants} entrants"),
            tag("td", isolated(each.champion) if each.champion else "not finished"),
        )
        for each in TournamentStore(path).all()[:50]
    ]
    return tag("div", tag("table", rows, cls="plain"), cls="scroll-x")
