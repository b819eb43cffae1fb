"""Pages as text: the templates, and what every one of them may use."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from riverboat.drawing.html import Markup, signed, tag
from riverboat.web.app import card_pictures
from riverboat.web.app.static import static

PLACES = [
    ("/", "Home", "home"),
    ("/play", "Play", "play"),
    ("/learn", "Learn", "learn"),
    ("/solve", "Solve", "solve"),
    ("/blackjack", "Blackjack", "chart"),
    ("/holdem", "Hold'em", "grid"),
    ("/twentyone", "Twenty-one", "cup"),
]
"""Address, name and icon of the places in the navigation."""
CLASS_PLACE = ("/class/teacher", "Class", "learn")
"""The one that a server with a class has too."""
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


LOGO = _wheel("currentColor", 2.2, f"{_SPOKES}M24.8 7.2l-6.3 6.3M13.5 18.5l-6.3 6.3")
FAVICON = _wheel("#9a6b1d", 3, "M16 4v8M16 20v8M4 16h8M20 16h8")


def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent.parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(
        card=card_pictures.card,
        die=card_pictures.die,
        logo=LOGO,
        static=static,
        suit_names=card_pictures.NAMES,
        unique=itertools.count().__next__,
        symbols=card_pictures.SYMBOLS,
    )
    made.filters["signed"] = signed
    return made


_TEMPLATES = _environment()


def render(request: Request, name: str, status: int = 200, **context: Any) -> HTMLResponse:
    """A page from its template.

    `title` is a page's own name, `place` the address in the navigation that it belongs to.
    """
    site = request.app.state.site
    running = [address for address, _ in site.running_jobs()]
    text = _TEMPLATES.get_template(name).render(
        {
            "place": "",
            "waiting": False,
            "url": str(request.url.replace(scheme="", netloc="")),
            "places": [*PLACES, CLASS_PLACE] if site.settings.classroom else PLACES,
            "running": running,
            **context,
        }
    )
    return HTMLResponse(text, status)


def part(name: str, **context: Any) -> Markup:
    """A part of a page, drawn without the rest."""
    return Markup(_TEMPLATES.get_template(name).render(context))


def macro(name: str, which: str) -> Callable[..., str]:
    """A macro of a template, to draw a part without a page."""
    return cast("Callable[..., str]", getattr(_TEMPLATES.get_template(name).module, which))
