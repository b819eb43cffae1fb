"""The form of a spot: board, chips, rake, sizes per street and player, two or three ranges.

Hold'em spots: set one up, solve it with progress, walk through the solution, and drill it.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import resources
from typing import TYPE_CHECKING, Any

from fastapi.responses import RedirectResponse
from nicegui import app, ui

from riverboat.cards.card import card_text
from riverboat.cards.ranges import Range
from riverboat.drawing.html import Markup, tag
from riverboat.errors import RiverboatError, UsageError
from riverboat.holdem.preflop.following import flop_start, is_preflop_range, spot_range
from riverboat.holdem.preflop.solution import PreflopSolution
from riverboat.holdem.rules.betting import Street
from riverboat.holdem.spots.bet_sizes import STREETS
from riverboat.holdem.spots.form import SpotForm, size_fields
from riverboat.holdem.spots.spot import Spot
from riverboat.web.app.card_pictures import cards
from riverboat.web.app.frame import button, error_note, heading, holdem_tabs, in_thread, page, panel
from riverboat.web.app.library import Library
from riverboat.web.app.markup import Picture
from riverboat.web.holdem.drill import SpotDrillView
from riverboat.web.holdem.explorer import SpotExplorer
from riverboat.web.holdem.inputs import BoardPicker, RangeEditor
from riverboat.web.holdem.preflop_page import find_solution, open_solution
from riverboat.web.holdem.spot_runs import SpotOrder, SpotRun, SpotRuns, warm_kernels

if TYPE_CHECKING:
    from riverboat.web.server import Site

OOP = "66-TT,AJs,ATs,A5s-A2s,KJs+,QTs+,J9s+,T8s+,97s+,86s+,75s+,AQo,KQo"
IP = "22+,A2s+,K9s+,Q9s+,J9s+,T9s,98s,87s,76s,ATo+,KJo+,QJo"
KEPT = "holdem-spot-form"
CHIPS = (
    ("pot", "Pot"),
    ("rate", "Rake, % of the pot"),
    ("cap", "Rake, at most"),
    ("target", "Solve to"),
)
SEATS = ("First", "Second", "Third")
THREE = (
    "Name the players in the order in which they act. A stack of 0 is a player who is all-in."
    " Three take far longer to solve than two, above all on a flop."
)
LABELS = {"bet": "bets", "raise": "raises", "donk": "donk bets"}


@dataclass(frozen=True)
class Preset:
    """Sizes for every street at once."""

    name: str
    bet: tuple[str, str, str]
    raises: tuple[str, str, str]


PRESETS = (
    Preset("one size", ("50%", "66%", "75%"), ("60%", "60%", "a")),
    Preset("two sizes", ("33%,75%", "50%,125%", "50%,125%,a"), ("60%", "60%", "a")),
    Preset("geometric", ("e", "e", "e"), ("a", "a", "a")),
)


def _first(players: int) -> SpotForm:
    if players == 3:
        example = resources.files("riverboat") / "examples" / "threeway.toml"
        return SpotForm.of(Spot.from_toml(example.read_text(encoding="utf-8")), "0.3%")
    form = SpotForm("Qs Jh 2h 8d", "60", ["170"], [OOP, IP])
    for street, player, kind in size_fields():
        form.sizes[street, player, kind] = _preset_text(PRESETS[0], street, kind)
    return form


def form_after(solution: PreflopSolution, line: str) -> SpotForm:
    """A flop after a line before it: the ranges, the pot and the stacks that the line leads to."""
    start = flop_start(solution, line)
    if len(start.seats) > 3:
        raise UsageError(f"After {line} {len(start.seats)} players see the flop; a spot has three.")
    form = _first(len(start.seats))
    form.board = "Qs Jh 2h"
    form.pot = f"{start.pot:.10g}"
    form.ranges = [str(solution.range_of(seat, line)) for seat in start.seats]
    form.stacks = [f"{min(start.stacks):.10g}"]
    if form.three:
        form.names = list(start.seats)
        form.stacks = [f"{stack:.10g}" for stack in start.stacks]
    return form


def _preset_text(preset: Preset, street: str, kind: str) -> str:
    number = STREETS.index(street)
    return {"bet": preset.bet, "raise": preset.raises}.get(kind, ("", "", ""))[number]


class SpotEditor:
    """The form; solving opens the explorer's address. What was typed is kept for a reload."""

    def __init__(self, runs: SpotRuns, form: SpotForm, library: Library) -> None:
        self.runs, self.form, self.library = runs, form, library
        self.fields: dict[str, ui.input] = {}
        self.legends: dict[tuple[str, int], ui.html] = {}
        self.first_street = -1
        with ui.element("div").classes("columns halves"):
            with ui.element("div").classes("stack"):
                with panel("Board", "Click cards or type them; three to five."):
                    self.board = BoardPicker(form.board, self._board_changed)
                with panel("Chips"), ui.element("div").classes("form-grid chips-grid"):
                    for name, label in CHIPS:
                        self._field(name, label, getattr(form, name))
                        if name == "pot" and not form.three:
                            self._field("stack:0", "Stack behind", form.stacks[0])
            with panel("Bet sizes"):
                copy = "all as the first" if form.three else "IP as OOP"
                Picture(_presets(copy), on_pick=self._preset)
                self.table = ui.element("div").classes("sizes of-three" if form.three else "sizes")
                Picture(_sizes_help())
        self._size_rows()
        self.ranges: list[RangeEditor] = []
        with ui.element("div").classes("columns thirds" if form.three else "columns halves"):
            for player in range(len(form.names)):
                self._player(player)
        with panel():
            Picture(_range_help())
            self.said = Picture(live=True)
            with ui.element("div").classes("line-up"):
                button("Solve", self._solve, main=True, icon="play_arrow")

    def _player(self, player: int) -> None:
        """The panel of a range, for three players with name and stack."""
        form = self.form
        if not form.three:
            title, order = form.names[player].upper(), ("acts first", "acts second")[player]
            with panel(f"{title}, {order}"):
                self._range(player, title)
            return
        seat = SEATS[player]
        out = ", has folded before" if form.folded == player else ""
        with panel(f"{seat} to act{out}"):
            with ui.element("div").classes("form-grid seat-grid"):
                self._field(f"name:{player}", "Name", form.names[player], f"{seat} name")
                stack = form.stacks[player]
                self._field(f"stack:{player}", "Stack behind", stack, f"{seat} stack behind")
            self._range(player, f"{seat} range")

    def _range(self, player: int, title: str) -> None:
        read = partial(self._read_range, player)
        self.ranges.append(RangeEditor(title, self.form.ranges[player], self._changed, read))

    def _read_range(self, player: int, text: str) -> Range:
        """The range that a text means: hands, or a line of a solution of the library."""
        if not is_preflop_range(text):
            return Range.parse(text)
        form, find = self.read(), partial(open_solution, self.library)
        return spot_range(text, find, player, form.names, *form.chips())

    def _read_lines(self) -> dict[str, str]:
        """Read the ranges that name a solution again, as chips may fit now; return their errors."""
        found = {}
        for player, editor in enumerate(self.ranges):
            if is_preflop_range(str(editor.text.value or "")):
                editor.paste()
                if editor.text.error:
                    found[f"range:{player}"] = editor.text.error
        return found

    def _field(self, name: str, label: str, value: str, spoken: str = "") -> None:
        made = ui.input(label, value=value).props("outlined dense hide-bottom-space")
        if spoken:
            made.props(f'aria-label="{spoken}"')
        made.on("change", lambda: self._changed(name))
        self.fields[name] = made

    def _size_rows(self) -> None:
        """The sizes of the streets that are still to be played; typing goes on where it can."""
        first = max(0, len(self.board.chosen()) - 3)
        if first == self.first_street:
            return
        self.first_street = first
        for name in [name for name in self.fields if name.count(":") == 2]:
            self.form.sizes[_size_key(name)] = str(self.fields[name].value or "")
            del self.fields[name]
        self.legends.clear()
        self.table.clear()
        names = self.form.names
        asked = list(size_fields(Street(first + 1), len(names)))
        with self.table:
            for street in STREETS[first:]:
                for player, name in enumerate(names):
                    with ui.element("fieldset").classes("sizes-row"):
                        legend = ui.html(_legend(street, name), sanitize=False)
                        self.legends[street, player] = legend
                        for s, p, kind in asked:
                            if (s, p) == (street, player):
                                usual = _preset_text(PRESETS[0], s, kind)
                                text = self.form.sizes.get((s, p, kind), usual)
                                spoken = _spoken(s, name, kind)
                                self._field(f"{s}:{p}:{kind}", LABELS[kind], text, spoken)

    def _rename(self, names: list[str]) -> None:
        """Name the rows of sizes anew, without touching what is typed there."""
        self.form.names = names
        for (street, player), legend in self.legends.items():
            legend.set_content(_legend(street, names[player]))
        for field, made in self.fields.items():
            if field.count(":") == 2:
                street, player, kind = _size_key(field)
                made.props(f'aria-label="{_spoken(street, names[player], kind)}"')

    def _board_changed(self) -> None:
        self._size_rows()
        self._changed("board")

    def _changed(self, *names: str) -> None:
        """Keep the form; say what is wrong with the fields that were left."""
        lines, form = self._read_lines(), self.read()
        errors = form.errors() | lines
        for name in names:
            self._refuse(name, errors.get(name))
        if not errors:
            self.said.show(Markup(""))
        kept = replace(form, sizes=self.form.sizes | form.sizes)  # also those of streets before
        app.storage.user[_key(len(form.names))] = _plain(kept)
        if form.names != self.form.names and not any(name.startswith("name:") for name in errors):
            self._rename(form.names)

    def _refuse(self, name: str, sentence: str | None) -> None:
        if name == "board":
            self.board.refuse(sentence)
        elif name.startswith("range:"):
            self.ranges[int(name[6:])].text.error = sentence
        elif name in self.fields:
            self.fields[name].error = sentence

    def read(self) -> SpotForm:
        """The contents of the form."""
        old = self.form
        form = SpotForm(self.board.text, tree=old.tree, dead=old.dead)
        form.payouts, form.folded = old.payouts, old.folded
        typed = {name: str(made.value or "") for name, made in self.fields.items()}
        for name, _ in CHIPS:
            setattr(form, name, typed[name])
        form.ranges = [str(editor.text.value or "") for editor in self.ranges]
        form.stacks = [typed[f"stack:{player}"] for player in range(len(old.stacks))]
        if old.three:
            form.names = [typed[f"name:{p}"].strip().lower() for p in range(len(old.names))]
        for name, text in typed.items():
            if name.count(":") == 2:
                form.sizes[_size_key(name)] = text
        return form

    def _preset(self, text: str) -> None:
        kind, _, what = text.partition(":")
        for name, made in self.fields.items():
            if name.count(":") != 2:
                continue
            street, player, size = _size_key(name)
            if kind == "preset":
                chosen = next((each for each in PRESETS if each.name == what), PRESETS[0])
                made.set_value(_preset_text(chosen, street, size))
            elif kind == "copy" and player:
                made.set_value(self.fields[f"{street}:0:{size}"].value)
            made.error = None
        self._changed()

    def _solve(self) -> None:
        lines, form = self._read_lines(), self.read()
        errors = form.errors() | lines
        for name in ("board", *(f"range:{p}" for p in range(len(form.names))), *self.fields):
            self._refuse(name, errors.get(name))
        if errors:
            self.said.show(error_note(_summary(errors)))
            return
        try:
            made = self.runs.begin(SpotOrder(form.spot(), form.target))
        except RiverboatError as error:
            self.said.show(error_note(error))
            return
        ui.navigate.to(f"/holdem/spots/{made.name}")


def _summary(errors: dict[str, str]) -> str:
    if "" in errors:
        return errors[""]
    if len(errors) == 1:
        return next(iter(errors.values()))
    return f"{len(errors)} fields need a change; each says what is wrong with it."


def _size_key(name: str) -> tuple[str, int, str]:
    street, player, kind = name.split(":")
    return street, int(player), kind


def _legend(street: str, name: str) -> Markup:
    return tag("legend", f"{street.capitalize()}, {name.upper()}")


def _spoken(street: str, name: str, kind: str) -> str:
    return f"{name.upper()} {LABELS[kind]}, {street}"


def _key(players: int) -> str:
    return KEPT if players == 2 else f"{KEPT}-{players}"


def _plain(form: SpotForm) -> dict[str, Any]:
    plain = {key: value for key, value in vars(form).items() if isinstance(value, str)}
    lists = {"stacks": form.stacks, "ranges": form.ranges, "names": form.names}
    return plain | lists | {"sizes": [[*key, text] for key, text in form.sizes.items()]}


def _kept(players: int) -> SpotForm | None:
    """The form as it was left; None where there is none or it cannot be used."""
    kept: Any = app.storage.user.get(_key(players))
    form, known = SpotForm(), frozenset(size_fields(num_players=players))
    try:
        form.sizes = {(s, p, k): str(t) for s, p, k, t in kept["sizes"] if (s, p, k) in known}
        for key in ("board", *dict(CHIPS)):
            setattr(form, key, str(kept[key]))
        stacks = 3 if players == 3 else 1
        for key, number in (("stacks", stacks), ("ranges", players), ("names", players)):
            setattr(form, key, [str(kept[key][place]) for place in range(number)])
        usable = not any(name.startswith("range:") for name in form.errors())
    except (TypeError, KeyError, ValueError, IndexError):
        return None
    return form if usable else None


def _sizes_help() -> Markup:
    words = (
        ("33%", "of the pot"),
        ("2.5x", "a raise to 2.5 times the bet"),
        ("100c", "chips"),
        ("e", "geometric: all-in by the river"),
        ("a", "all-in"),
    )
    shown = [tag("span", tag("code", code), f" {text}") for code, text in words]
    donk = tag(
        "span",
        "An empty donk bet is the same as the bets, ",
        tag("code", "-"),
        " is none; an empty field allows nothing.",
    )
    return tag("p", shown, donk, cls="muted small size-words")


def _range_help() -> Markup:
    example = tag("code", "preflop:shipped f f f r2.5 f c")
    words = "A range may be a line of a solution before the flop, with a file of the library: "
    return tag("p", words, example, cls="muted small size-words")


def _presets(copy: str) -> Markup:
    names = [(f"preset:{each.name}", each.name) for each in PRESETS]
    buttons = [
        tag("button", words, type="button", cls="btn small-btn", data_pick=pick)
        for pick, words in [*names, ("copy:", copy)]
    ]
    return tag("div", tag("span", "Fill in:", cls="muted small"), buttons, cls="moves")


GONE = "There is no such spot; it was not kept or never begun."


def register(site: Site) -> None:
    """Put the pages at their addresses."""
    runs = site.add_jobs(SpotRuns(site.settings.folder / ".web" / "spots", site.memory))
    prepare = cache(lambda: threading.Thread(target=_prepare, args=(runs,), daemon=True).start())

    @ui.page("/holdem/spots")
    async def editor(
        copy: str = "", file: str = "", players: str = "2", preflop: str = "", line: str = ""
    ) -> RedirectResponse | None:
        refused, given = "", None
        prepare()
        after = _after_line(site, preflop, line) if preflop else None
        if file:
            try:
                given = await in_thread(_opened, site, runs, file)
            except (RiverboatError, OSError, KeyError, TypeError) as error:
                known = isinstance(error, RiverboatError)
                refused = str(error) if known else f"{file[:60]} cannot be read as a spot."
        if isinstance(given, SpotRun):
            return RedirectResponse(f"/holdem/spots/{given.name}")
        with page("Hold'em", "/holdem"):
            heading("Spots", "A board, the players' ranges, a pot and sizes: solved hand by hand.")
            holdem_tabs("/holdem/spots")
            if refused:
                Picture(error_note(refused))
            if after is not None and not isinstance(after, SpotForm):
                Picture(after)
            recent = runs.recent()
            if recent:
                with panel("Solved before"):
                    Picture(_recent(recent))
            form, old = SpotForm.of(given) if given else None, runs.find(copy) if copy else None
            if form is None and old is not None:
                form = SpotForm.of(old.spot, old.order.target)
            number = 3 if players == "3" else 2
            if isinstance(after, SpotForm):
                form = after
            form = form or _kept(number) or _first(number)
            Picture(_players(form.three))
            SpotEditor(runs, form, site.library)
        return None

    @ui.page("/holdem/spots/{name}")
    def explorer(name: str, node: str = "r:0") -> None:
        found = runs.find(name)
        with page("Hold'em", "/holdem"):
            heading(_title(found))
            holdem_tabs("/holdem/spots")
            if found is None:
                Picture(error_note(GONE))
            else:
                SpotExplorer(site, runs, found, node)

    @ui.page("/holdem/spots/{name}/drill")
    def drill(name: str, side: str = "oop") -> None:
        found = runs.find(name)
        with page("Hold'em", "/holdem"):
            heading("Drill", "Play the spot against its solution; what you miss comes again.")
            holdem_tabs("/holdem/spots")
            if found is None:
                Picture(error_note(GONE))
            else:
                SpotDrillView(found, side)


def _after_line(site: Site, name: str, line: str) -> SpotForm | Markup:
    """The form of a flop after a line of a solution, or why there is none."""
    found = find_solution(site, name)
    if not isinstance(found, PreflopSolution):
        return found
    try:
        return form_after(found, line)
    except RiverboatError as error:
        return error_note(str(error))


def _players(three: bool) -> Markup:
    """The switch between the forms for two and for three; each keeps what was typed."""
    links = [
        tag("a", words, href=address, aria_current="page" if here else None)
        for words, address, here in (
            ("Two players", "/holdem/spots", not three),
            ("Three players", "/holdem/spots?players=3", three),
        )
    ]
    switch = tag("nav", links, cls="segments players", aria_label="Players")
    return tag("div", switch, tag("p", THREE, cls="muted small") if three else None, cls="options")


def _prepare(runs: SpotRuns) -> None:
    """While the form is filled in, a process and the server itself load the kernels."""
    runs.prepare()
    warm_kernels()


def _opened(site: Site, runs: SpotRuns, name: str) -> SpotRun | Spot:
    """A file of the library: a solved spot, or one to be solved."""
    path = site.library.path(name)
    return Spot.load(path) if path.suffix == ".toml" else runs.adopt(path)


def _title(found: SpotRun | None) -> str:
    return "A spot" if found is None else f"Spot {_board_text(found)}".strip()


def _board_text(spot: SpotRun) -> str:
    return " ".join(_board(spot))


def _board(spot: SpotRun) -> list[str]:
    return [card_text(card) for card in spot.spot.board]


def _recent(recent: list[SpotRun]) -> Markup:
    """The spots solved last, as cards to click."""
    shown = []
    for each in recent[:8]:
        value, gains = (each.facts.get(key) for key in ("exploitability_pct", "gain_sum_pct"))
        if gains is not None:
            words = f"three players, gains {gains:.2f}\u00a0% of the pot"
        elif value is not None:
            words = f"{value:.2f} % exploitable"
        else:
            words = "being solved" if each.running else "not solved"
        locked = tag("span", "locked", cls="badge") if each.order.locks else None
        words = f"pot {each.spot.pot:g}, {words}"
        shown.append(
            tag(
                "a",
                cards(_board(each), cls="tiny-cards"),
                tag("span", words, cls="muted small"),
                locked,
                href=f"/holdem/spots/{each.name}",
                cls="table-card",
                aria_label=f"Spot {_board_text(each)}, {words}",
            )
        )
    return tag("div", shown, cls="table-cards")
