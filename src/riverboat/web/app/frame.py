"""What every page has: head, navigation, light and dark, and how errors are shown.

What the hold'em pages share: their tabs, their own styles, and the keys of their grids.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from nicegui import Client, run, ui
from starlette.requests import Request
from starlette.responses import Response

from riverboat.drawing.html import Markup, join, pick_button, tag
from riverboat.errors import RiverboatError
from riverboat.web.app.card_pictures import SYMBOLS
from riverboat.web.app.library import Library
from riverboat.web.app.markup import Picture

PLACES = [
    ("/", "Home", "home"),
    ("/play", "Play", "casino"),
    ("/solve", "Solve", "insights"),
    ("/blackjack", "Blackjack", "grid_on"),
    ("/holdem", "Hold'em", "apps"),
    ("/twentyone", "Twenty-one", "emoji_events"),
]
"""Address, name and icon of the pages in the navigation."""
P = ParamSpec("P")
R = TypeVar("R")
_SPOKES = "M16 3.5v9M16 19.5v9M3.5 16h9M19.5 16h9M7.2 7.2l6.3 6.3M18.5 18.5l6.3 6.3"


def _wheel(colour: str, width: float, spokes: str) -> Markup:
    circles = [tag("circle", cx=16, cy=16, r=radius) for radius in (12.5, 3.5)]
    return tag(
        "svg",
        circles,
        tag("path", d=spokes),
        xmlns="http://www.w3.org/2000/svg",
        viewBox="0 0 32 32",
        fill="none",
        stroke=colour,
        stroke_width=width,
    )


_LOGO = _wheel("currentColor", 2.2, f"{_SPOKES}M24.8 7.2l-6.3 6.3M13.5 18.5l-6.3 6.3")
FAVICON = str(_wheel("#9a6b1d", 3, "M16 4v8M16 20v8M4 16h8M20 16h8"))


@contextmanager
def page(title: str, active: str = "", *, places: bool = True) -> Iterator[None]:
    """The frame of a page; what is made inside the `with` is its content."""
    ui.add_head_html('<script src="/static/riverboat.js"></script>')
    ui.add_head_html('<link rel="stylesheet" href="/static/riverboat.css">')
    ui.page_title(f"{title} · Riverboat" if title != "Riverboat" else title)
    ui.colors(primary="#0b5f66")
    links = [
        tag(
            "a",
            tag("i", icon, cls="material-icons", aria_hidden="true"),
            name,
            href=address,
            aria_current="page" if address == active else None,
        )
        for address, name, icon in PLACES
    ]
    theme = tag(
        "button",
        tag("i", "contrast", cls="material-icons", aria_hidden="true"),
        cls="icon-button",
        data_theme_switch=True,
        title="Light or dark",
        aria_label="Light or dark",
    )
    nav = tag("nav", links, cls="nav", aria_label="Pages")

    def top(running: Markup | None) -> Markup:
        brand = tag("span", "Riverboat")
        inside = tag(
            "div",
            tag("a", "Skip to the page", href="#content", cls="skip"),
            tag("a", _LOGO, brand, href="/", cls="brand", aria_label="Riverboat"),
            tag("span", title, cls="top-title"),
            nav if places else tag("span", style="flex:1"),
            running,
            theme,
            cls="top-in",
        )
        return join(SYMBOLS, inside)

    running = _running() if places else None
    header = ui.html(top(running), sanitize=False, tag="header")
    header.classes("top").props("role=banner")
    if running is not None:
        _follow(lambda: header.set_content(top(_running())))
    with ui.element("div").classes("main").props("id=content"):  # the framework has a <main>
        yield


async def in_thread(work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run `work` in a thread and return its result.

    Cancelled when the page that waits is closed or the server stops. `run.io_bound` returns None
    then, which the rest of a page would take for a result.
    """
    try:
        call = partial(work, *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(run.thread_pool, call)
    except RuntimeError as error:
        if "after shutdown" in str(error):
            raise asyncio.CancelledError from error
        raise


RUNNING_SECONDS = 1.0
RUNNING: list[Callable[[], list[str]]] = []
"""Functions that give the addresses of jobs that run now; the server puts them here."""


def _follow(show: Callable[[], object]) -> None:
    """Keep the link to running jobs as it is now, until the last of them has ended."""

    def refresh() -> None:
        show()
        if not any(find() for find in RUNNING):
            timer.deactivate()

    timer = ui.timer(RUNNING_SECONDS, refresh)


def _running() -> Markup | None:
    """A link to what is being worked on, on every page."""
    addresses = [address for find in RUNNING for address in find()]
    if not addresses:
        return None
    one = len(addresses) == 1
    words = "1 job is running" if one else f"{len(addresses)} jobs are running"
    icon = tag("i", "hourglass_top", cls="material-icons", aria_hidden="true")
    target = addresses[0] if one else "/#running"
    return tag("a", icon, tag("span", words), href=target, cls="running-link", title=words)


def heading(title: str | Markup, lead: str | Markup = "") -> None:
    """The page's title and a sentence on what it is for."""
    words = join(tag("h1", title), tag("p", lead, cls="lead") if lead else None)
    ui.html(words, sanitize=False).classes("head")


@contextmanager
def panel(title: str = "", lead: str = "") -> Iterator[ui.element]:
    """A framed part of a page."""
    with ui.element("section").classes("panel") as element:
        if title:
            words = join(tag("h2", title), tag("p", lead, cls="muted small") if lead else None)
            ui.html(words, sanitize=False)
        yield element


_ONE_CLICK = "(event) => { if (event.detail < 2) emit(); }"


def button(
    text: str, on_click: Callable[[], Any], *, main: bool = False, icon: str | None = None
) -> ui.button:
    """A button in our look; a double click on it is one click."""
    made = ui.button(text, icon=icon, color=None).props("unelevated no-caps")
    made.on("click", lambda: on_click(), js_handler=_ONE_CLICK)
    return made.classes("primary" if main else "quiet")


async def ask_name(library: Library, stem: str) -> Path | None:
    """Ask for the name of a new file of the library; None where saving is given up."""
    with ui.dialog() as dialog, ui.card():
        field = ui.input("Name of the file", value=library.free_name(stem))
        field.props("outlined dense autofocus")

        def save() -> None:
            try:
                dialog.submit(library.new_path(str(field.value or "")))
            except RiverboatError as error:
                field.error = str(error)

        field.on("keydown.enter", save)
        with ui.element("div").classes("line-up"):
            button("Save", save, main=True)
            button("Cancel", lambda: dialog.submit(None))
    chosen: Path | None = await dialog
    return chosen


async def confirm(question: str, act: str) -> bool:
    """Ask before something that cannot be taken back; `act` is on the button that does it."""
    with ui.dialog() as dialog, ui.card():
        ui.label(question)
        with ui.element("div").classes("line-up"):
            button(act, lambda: dialog.submit(True), main=True)
            button("Cancel", lambda: dialog.submit(False))
    return bool(await dialog)


def missing_page(request: Request, error: Exception) -> Response:
    """The answer to an address that is not there, with ways back."""
    with Client(ui.page(""), request=request) as client, page("Not here"):
        heading("There is no such page", "The address may be old, or have a letter too many.")
        links = [tag("li", tag("a", name, href=address)) for address, name, _ in PLACES]
        Picture(tag("ul", links))
    return client.build_response(request, 404)


def segments(name: str, choices: list[tuple[str, str]], chosen: str, label: str) -> Markup:
    """Choices side by side under a label, one of them pressed; a click picks `name=value`."""
    group = choice_buttons(f"{name}=", choices, chosen, label)
    return tag("div", tag("span", label), group, cls="option")


def choice_buttons(
    prefix: str, choices: Sequence[tuple[str, str]], chosen: str, label: str, cls: str = "segments"
) -> Markup:
    """Choices side by side, one of them pressed; a click picks `prefix` and the value."""
    buttons = [
        pick_button(f"{prefix}{value}", text, aria_pressed="true" if value == chosen else "false")
        for value, text in choices
    ]
    return tag("div", buttons, cls=cls, role="group", aria_label=label)


def legend(entries: list[tuple[str, str]]) -> Markup:
    """Colours and what they stand for."""
    return tag(
        "div",
        [tag("span", tag("i", style=f"background:{colour}"), text) for colour, text in entries],
        cls="legend",
    )


def error_note(error: RiverboatError | str) -> Markup:
    """What went wrong, in the sentence that the terminal would print."""
    return tag("p", str(error), cls="note error", role="alert")


HOLDEM_PLACES = (
    ("/holdem/equity", "Equity"),
    ("/holdem/preflop", "Preflop"),
    ("/holdem/spots", "Spots"),
    ("/holdem/blueprints", "Blueprints"),
    ("/play/holdem", "Play"),
)


def holdem_tabs(active: str) -> None:
    """The pages about hold'em."""
    ui.add_head_html('<link rel="stylesheet" href="/static/holdem.css">')
    ui.add_head_html('<script src="/static/holdem.js" defer></script>')
    links = [
        tag("a", name, href=address, aria_current="page" if address == active else None)
        for address, name in HOLDEM_PLACES
    ]
    Picture(tag("nav", links, cls="sub-nav", aria_label="Hold'em"))
