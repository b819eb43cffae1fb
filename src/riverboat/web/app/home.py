"""Home: the games as cards, and what was saved."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from nicegui import ui

from riverboat.drawing.html import Markup, join, tag
from riverboat.errors import RiverboatError
from riverboat.games.registry import GAMES, game_class
from riverboat.web.app.card_pictures import card, die
from riverboat.web.app.frame import button, confirm, heading, page, panel
from riverboat.web.app.library import Library, Saved
from riverboat.web.app.markup import Picture

if TYPE_CHECKING:
    from riverboat.web.server import Site


def register(site: Site) -> None:
    """Put the page at its address."""

    @ui.page("/")
    def home() -> None:
        with page("Riverboat", "/"):
            heading(
                "Deal, solve, learn and play",
                "Card games of imperfect information: sit down at one, watch it being solved, or"
                " ask for the exact value of a decision.",
            )
            addresses = [address for jobs in site.jobs for address in jobs.running_addresses()]
            if addresses:
                with panel("Running"):
                    links = [tag("li", tag("a", each, href=each)) for each in addresses]
                    Picture(tag("ul", links, id="running"))
            Picture(game_cards())
            with panel("Saved"):
                SavedFiles(site.library)


class SavedFiles:
    """The files of the library; each can be renamed and deleted."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.table = Picture(_saved(library), on_pick=self._pick)

    async def _pick(self, text: str) -> None:
        kind, _, name = text.partition(":")
        try:
            if kind == "rename":
                await self._rename(name)
            elif kind == "delete" and await confirm(f"Delete {name}?", "Delete"):
                self.library.delete(name)
        except RiverboatError as error:
            ui.notify(str(error), type="warning")
        self.table.show(_saved(self.library))

    async def _rename(self, name: str) -> None:
        with ui.dialog() as dialog, ui.card():
            field = ui.input("New name", value=name).props("outlined dense autofocus")
            with ui.element("div").classes("line-up"):
                button("Rename", lambda: dialog.submit(str(field.value or "")), main=True)
                button("Cancel", lambda: dialog.submit(None))
        new = await dialog
        if new and new != name:
            self.library.rename(name, new)


def game_cards() -> Markup:
    """Every registered game as a link to its table."""
    return tag("div", [_game(name) for name in GAMES], cls="grid-cards")


def _game(name: str) -> Markup:
    game = game_class(name)
    art = getattr(game, "art", ("?",))
    pictures = [die(text[3:]) if text.startswith("die") else card(text) for text in art]
    title = game.title.partition(",")[0].partition(" (")[0]
    words = getattr(game, "summary", game.title)
    return tag(
        "a",
        tag("span", pictures, cls="art", aria_hidden="true"),
        tag("h2", title),
        tag("p", words) if words != title else None,
        href=f"/play/{name}",
        cls="game",
    )


def _saved(library: Library) -> Markup:
    files = library.files()
    if not files:
        return tag(
            "p",
            f"Nothing yet. What you save is listed here and kept in {library.folder}.",
            cls="muted",
        )
    head = tag(
        "tr",
        tag("th", "Name"),
        tag("th", "Kind", cls="roomy"),
        tag("th", "Changed"),
        tag("th", "Size", cls="r roomy"),
        tag("th", ""),
    )
    table = tag("table", head, [_file_row(saved) for saved in files], cls="plain")
    return join(
        tag("div", table, cls="scroll-x"), tag("p", f"In {library.folder}", cls="muted small")
    )


def _file_row(saved: Saved) -> Markup:
    name: Markup | str = saved.name
    if saved.kind in ("strategy", "public-strategy"):
        name = tag("a", saved.name, href=f"/solve/strategy/{saved.name}")
    elif saved.kind in ("spot", "three-way-spot"):
        name = tag("a", saved.name, href=f"/holdem/spots?{urlencode({'file': saved.name})}")
    elif saved.kind == "preflop":
        name = tag("a", saved.name, href=f"/holdem/preflop/{quote(saved.name)}")
    elif saved.kind == "blueprint":
        name = tag("a", saved.name, href=f"/holdem/blueprints?{urlencode({'name': saved.name})}")
    elif saved.kind == "tournaments":
        name = tag("a", saved.name, href="/twentyone")
    return tag(
        "tr",
        tag("td", name),
        tag("td", tag("span", saved.kind, cls="badge"), cls="roomy"),
        tag("td", f"{saved.changed:%d %b %Y, %H:%M}"),
        tag("td", saved.size_text, cls="r roomy"),
        tag("td", _act("rename", saved.name), _act("delete", saved.name), cls="r nowrap"),
    )


def _act(act: str, name: str) -> Markup:
    return tag(
        "button",
        act,
        type="button",
        cls="linklike",
        data_pick=f"{act}:{name}",
        aria_label=f"{act} {name}",
    )
