"""A state of any game as a table with cards, as one seat sees it.

A game brings its scene (State.scene), in which a hidden card is a back and not the card; one that
has none is shown by its own words (State.describe).
"""

from __future__ import annotations

from collections.abc import Sequence

from riverboat.drawing.html import Markup, join, tag
from riverboat.games.base import (
    TERMINAL,
    Game,
    Pictured,
    Revealing,
    Scene,
    SeatScene,
    Sees,
    State,
    Wagered,
)
from riverboat.web.app.card_pictures import card, die
from riverboat.web.play.names import isolated


def may_see(state: State, viewer: int | None, *, open_end: bool = True) -> Sees:
    """What `viewer` sees: the own cards; at the end all, or those of a showdown only.

    None looks on and sees no cards before the end.
    """
    over = state.actor == TERMINAL

    def sees(seat: int) -> bool:
        if seat == viewer or not over:
            return seat == viewer
        return open_end or not isinstance(state, Revealing) or state.opens(seat)

    return sees


def scene_of(game: Game, state: State, see: Sees) -> Scene | None:
    """The picture of a state, or None for a game that has none."""
    return state.scene(see) if isinstance(state, Pictured) else None


def draw_scene(
    game: Game, state: State, names: Sequence[str], viewer: int | None, see: Sees
) -> Markup:
    """The felt: the others on top, the middle, the viewer's own place below."""
    scene = scene_of(game, state, see)
    if scene is None:
        shown = state.describe(viewer if state.actor != TERMINAL else None)
        return tag("div", tag("p", shown), cls="felt")
    drawn = [
        _seat(place, names[p] if p < len(names) else f"player {p + 1}", state.actor == p)
        for p, place in enumerate(scene.seats)
    ]
    others = [seat for p, seat in enumerate(drawn) if p != viewer]
    own = drawn[viewer] if viewer is not None and viewer < len(drawn) else None
    if scene.dealer is not None:
        others.append(_seat(scene.dealer, "dealer", False))
    pot = None
    if isinstance(state, Wagered):
        chip = tag("i", cls="chip", aria_hidden="true")
        pot = tag("span", chip, f"pot {state.stakes().pot:g}", cls="pot")
    board = tag("span", [card(text) for text in scene.board], cls="cards") if scene.board else None
    note = tag("span", scene.note, cls="muted small") if scene.note else None
    return tag(
        "div",
        tag("div", others, cls="seats"),
        tag("div", board, pot, note, cls="middle"),
        tag("div", own, cls="seats own"),
        cls="felt",
    )


def _seat(place: SeatScene, name: str, turn: bool) -> Markup:
    pictures = [die(c[3:]) if c.startswith("die") else card(c) for c in place.cards]
    title = join(isolated(name), f" · {place.title}" if place.title else None)
    return tag(
        "div",
        tag("span", title, cls="who"),
        tag("span", pictures, cls="cards"),
        tag("span", join(place.note), cls="what"),
        cls="seat" + " turn" * turn + " out" * place.out,
    )
