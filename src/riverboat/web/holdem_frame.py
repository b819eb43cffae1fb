"""What the hold'em pages share: their tabs, their own styles, and the keys of their grids."""

from __future__ import annotations

from nicegui import ui

from riverboat.web.markup import Picture, tag

__all__ = ["holdem_tabs"]

PLACES = (
    ("/holdem/equity", "Ranges and equity"),
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
        for address, name in PLACES
    ]
    Picture(tag("nav", links, cls="sub-nav", aria_label="Hold'em"))
