"""The form of a spot: board, chips, rake, sizes per street and player, two ranges.

Hold'em spots: set one up, solve it with progress, walk through the solution, and drill it.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cache
from typing import Any

from fastapi.responses import RedirectResponse
from nicegui import app, run, ui

from riverboat.cards.card import card_text
from riverboat.drawing.html import Markup, tag
from riverboat.errors import RiverboatError
from riverboat.holdem.rules.betting import Street
from riverboat.holdem.spots.spot import PLAYERS, STREETS, Spot
from riverboat.holdem.spots.texts.form import SpotForm, size_fields
from riverboat.web.app.card_pictures import cards
from riverboat.web.app.frame import button, error_note, heading, holdem_tabs, page, panel
from riverboat.web.app.markup import Picture
from riverboat.web.app.server import Site
from riverboat.web.holdem.drill import SpotDrillView
from riverboat.web.holdem.explorer import SpotExplorer
from riverboat.web.holdem.inputs import BoardPicker, RangeEditor
from riverboat.web.holdem.spot_runs import SpotOrder, SpotRun, SpotRuns, warm_kernels

OOP = "66-TT,AJs,ATs,A5s-A2s,KJs+,QTs+,J9s+,T8s+,97s+,86s+,75s+,AQo,KQo"
IP = "22+,A2s+,K9s+,Q9s+,J9s+,T9s,98s,87s,76s,ATo+,KJo+,QJo"
KEPT = "holdem-spot-form"
CHIPS = (
    ("pot", "Pot"),
    ("stack", "Stack behind"),
    ("rate", "Rake, % of the pot"),
    ("cap", "Rake, at most"),
    ("target", "Solve to"),
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


def _first() -> SpotForm:
    form = SpotForm("Qs Jh 2h 8d", "60", "170", OOP, IP)
    for street, player, kind in size_fields():
        form.sizes[street, player, kind] = _preset_text(PRESETS[0], street, kind)
    return form


def _preset_text(preset: Preset, street: str, kind: str) -> str:
    number = STREETS.index(street)
    return {"bet": preset.bet, "raise": preset.raises}.get(kind, ("", "", ""))[number]


class SpotEditor:
    """The form; solving opens the explorer's address. What was typed is kept for a reload."""

    def __init__(self, runs: SpotRuns, old: SpotRun | None, given: Spot | None = None) -> None:
        self.runs = runs
        if given is not None:
            self.form = SpotForm.of(given)
        else:
            self.form = _of_run(old) if old else _kept() or _first()
        self.fields: dict[str, ui.input] = {}
        with ui.element("div").classes("columns halves"):
            with ui.element("div").classes("stack"):
                with panel("Board", "Click cards or type them; three to five."):
                    self.board = BoardPicker(self.form.board, self._board_changed)
                with panel("Chips"), ui.element("div").classes("form-grid chips-grid"):
                    for name, label in CHIPS:
                        self._field(name, label, getattr(self.form, name))
            with panel("Bet sizes"):
                Picture(_presets(), on_pick=self._preset)
                self.table = ui.element("div").classes("sizes")
                Picture(_sizes_help())
        self._size_rows()
        with ui.element("div").classes("columns halves"):
            self.ranges = []
            for name, title in zip(PLAYERS, ("OOP, acts first", "IP, acts second"), strict=True):
                with panel(title):
                    text = getattr(self.form, name)
                    self.ranges.append(RangeEditor(name.upper(), text, self._changed))
        with panel():
            self.said = Picture(live=True)
            with ui.element("div").classes("line-up"):
                button("Solve", self._solve, main=True, icon="play_arrow")

    def _field(self, name: str, label: str, value: str, spoken: str = "") -> None:
        made = ui.input(label, value=value).props("outlined dense hide-bottom-space")
        if spoken:
            made.props(f'aria-label="{spoken}"')
        made.on("change", lambda: self._changed(name))
        self.fields[name] = made

    def _size_rows(self) -> None:
        """The sizes of the streets that are still to be played."""
        for name in [name for name in self.fields if "." in name]:
            self.form.sizes[_size_key(name)] = str(self.fields[name].value or "")
            del self.fields[name]
        self.table.clear()
        first = max(0, len(self.board.chosen()) - 3)
        with self.table:
            for street in STREETS[first:]:
                for player, name in enumerate(PLAYERS):
                    with ui.element("fieldset").classes("sizes-row"):
                        legend = f"{street.capitalize()}, {name.upper()}"
                        ui.html(tag("legend", legend), sanitize=False)
                        for s, p, kind in size_fields(Street(first + 1)):
                            if (s, p) == (street, player):
                                text = self.form.sizes.get((s, p, kind), "")
                                spoken = _label(s, name, kind)
                                self._field(f"{s}.{name}.{kind}", LABELS[kind], text, spoken)

    def _board_changed(self) -> None:
        self._size_rows()
        self._changed("board")

    def _changed(self, *names: str) -> None:
        """Keep the form; say what is wrong with the fields that were left."""
        form = self.read()
        errors = form.errors()
        for name in names:
            self._refuse(name, errors.get(name))
        if not errors:
            self.said.show(Markup(""))
        app.storage.user[KEPT] = _plain(form)

    def _refuse(self, name: str, sentence: str | None) -> None:
        if name == "board":
            self.board.refuse(sentence)
        elif name in PLAYERS:
            self.ranges[PLAYERS.index(name)].text.error = sentence
        elif name in self.fields:
            self.fields[name].error = sentence

    def read(self) -> SpotForm:
        """The contents of the form."""
        form = SpotForm(self.board.text, tree=self.form.tree, dead=self.form.dead)
        for name, _ in CHIPS:
            setattr(form, name, str(self.fields[name].value or ""))
        for name, editor in zip(PLAYERS, self.ranges, strict=True):
            setattr(form, name, str(editor.text.value or ""))
        for name, made in self.fields.items():
            if "." in name:
                form.sizes[_size_key(name)] = str(made.value or "")
        return form

    def _preset(self, text: str) -> None:
        kind, _, what = text.partition(":")
        for name, made in self.fields.items():
            if "." not in name:
                continue
            street, player, size = _size_key(name)
            if kind == "preset":
                chosen = next((each for each in PRESETS if each.name == what), PRESETS[0])
                made.set_value(_preset_text(chosen, street, size))
            elif kind == "copy" and player == 1:
                made.set_value(self.fields[f"{street}.oop.{size}"].value)
            made.error = None
        self._changed()

    def _solve(self) -> None:
        form = self.read()
        errors = form.errors()
        for name in ("board", *PLAYERS, *self.fields):
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
    street, player, kind = name.split(".")
    return street, PLAYERS.index(player), kind


def _label(street: str, player: str, kind: str) -> str:
    return f"{player.upper()} {LABELS[kind]}, {street}"


def _of_run(old: SpotRun) -> SpotForm:
    return SpotForm.of(old.spot, old.order.target)


def _plain(form: SpotForm) -> dict[str, Any]:
    plain = {key: value for key, value in vars(form).items() if isinstance(value, str)}
    return plain | {"sizes": [[*key, text] for key, text in form.sizes.items()]}


def _kept() -> SpotForm | None:
    """The form as it was left; None where there is none or it cannot be used."""
    kept: Any = app.storage.user.get(KEPT)
    form = SpotForm()
    try:
        form.sizes = {(s, p, k): str(t) for s, p, k, t in kept["sizes"] if (s, p, k) in _KNOWN}
        for key in ("board", *PLAYERS, *dict(CHIPS)):
            setattr(form, key, str(kept[key]))
        usable = not set(PLAYERS) & form.errors().keys()
    except (TypeError, KeyError, ValueError):
        return None
    return form if usable else None


_KNOWN = frozenset(size_fields())


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


def _presets() -> Markup:
    names = [(f"preset:{each.name}", each.name) for each in PRESETS]
    buttons = [
        tag("button", words, type="button", cls="btn small-btn", data_pick=pick)
        for pick, words in [*names, ("copy:", "IP as OOP")]
    ]
    return tag("div", tag("span", "Fill in:", cls="muted small"), buttons, cls="moves")


GONE = "There is no such spot; it was not kept or never begun."


def register(site: Site) -> None:
    """Put the pages at their addresses."""
    runs = site.add_jobs(SpotRuns(site.settings.folder / ".web" / "spots", site.memory))
    prepare = cache(lambda: threading.Thread(target=_prepare, args=(runs,), daemon=True).start())

    @ui.page("/holdem/spots")
    async def editor(copy: str = "", file: str = "") -> RedirectResponse | None:
        refused, given = "", None
        prepare()
        if file:
            try:
                given = await run.io_bound(_opened, site, runs, file)
            except (RiverboatError, OSError, KeyError, TypeError) as error:
                known = isinstance(error, RiverboatError)
                refused = str(error) if known else f"{file[:60]} cannot be read as a spot."
        if isinstance(given, SpotRun):
            return RedirectResponse(f"/holdem/spots/{given.name}")
        with page("Hold'em", "/holdem"):
            heading("Spots", "A board, two ranges, a pot and bet sizes: solved hand by hand.")
            holdem_tabs("/holdem/spots")
            if refused:
                Picture(error_note(refused))
            recent = runs.recent()
            if recent:
                with panel("Solved before"):
                    Picture(_recent(recent))
            SpotEditor(runs, runs.find(copy) if copy else None, given)
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
        value = each.facts.get("exploitability_pct")
        if value is not None:
            words = f"{value:.2f} % exploitable"
        else:
            words = "being solved" if each.running else "not solved"
        locked = tag("span", "locked", cls="badge") if each.order.locks else None
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
