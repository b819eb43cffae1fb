"""Playing cards, dice and chips as SVG, drawn here: no font and no picture from elsewhere.

The four suits are shapes in four colours, so that neither shape nor colour alone must be seen.
"""

from __future__ import annotations

from riverboat.drawing.html import Markup, join, tag

BACK = "??"  # A card that is not seen
_SHAPES = {
    "s": "M50 4C42 24 8 40 8 66c0 14 10 22 21 22 8 0 14-4 17-10-1 10-5 15-11 18h30c-6-3-10-8-11-18"
    " 3 6 9 10 17 10 11 0 21-8 21-22C92 40 58 24 50 4Z",
    "h": "M50 94C36 76 6 60 6 34 6 18 17 8 30 8c9 0 16 5 20 13C54 13 61 8 70 8c13 0 24 10 24 26 0"
    " 26-30 42-44 60Z",
    "d": "M50 3C60 22 74 38 88 50 74 62 60 78 50 97 40 78 26 62 12 50 26 38 40 22 50 3Z",
    "c": "M50 6c-13 0-22 9-22 21 0 7 3 12 7 16-3-1-6-2-9-2C14 41 5 50 5 62s9 21 21 21c9 0 16-5"
    " 20-12-1 12-5 19-11 23h30c-6-4-10-11-11-23 4 7 11 12 20 12 12 0 21-9 21-21s-9-21-21-21c-3"
    " 0-6 1-9 2 4-4 7-9 7-16C72 15 63 6 50 6Z",
}
_RANKS = {"A": "ace", "T": "ten", "J": "jack", "Q": "queen", "K": "king"}
_SUITS = {"s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs", "": ""}
NAMES = {suit: name for suit, name in _SUITS.items() if suit}


def _symbol(name: str, shape: str) -> Markup:
    return tag("symbol", tag("path", d=shape), id=f"suit-{name}", viewBox="0 0 100 100")


SYMBOLS = tag(
    "svg",
    tag("defs", [_symbol(name, shape) for name, shape in _SHAPES.items()]),
    width=0,
    height=0,
    cls="symbols",
    aria_hidden="true",
)
"""The suits, once on each page; every card refers to them."""

_WHEEL = join(
    [
        tag("path", d="M30 42 L30 14 M30 42 l0 28", transform=f"rotate({22.5 * i} 30 42)")
        for i in range(8)
    ],
    tag("circle", cx=30, cy=42, r=21),
    tag("circle", cx=30, cy=42, r=7),
)


def plain_suit(place: int) -> str:
    """A suit for the card at a place, in games whose cards have none: for the eye only."""
    return "shdc"[place % 4]


def card(text: str, *, cls: str = "") -> Markup:
    """`"As"`, `"T"` (no suit) or BACK as a picture."""
    if text.startswith("?"):
        inside = [
            tag("rect", x=1, y=1, width=58, height=82, rx=6, cls="card-back"),
            tag("rect", x=5, y=5, width=50, height=74, rx=3, cls="card-frame"),
            tag("g", _WHEEL, cls="card-wheel"),
        ]
        return _drawn(inside, "a card face down", f"card hidden-card {cls}")
    suit = text[-1] if len(text) > 1 and text[-1] in _SHAPES else ""
    rank = text[: len(text) - len(suit)]
    shown = "10" if rank == "T" else rank
    corner = tag("text", shown, x=6, y=19, cls="card-rank" + " narrow" * (len(shown) > 1))
    inside = [tag("rect", x=1, y=1, width=58, height=82, rx=6, cls="card-face"), corner]
    if suit:
        inside.append(tag("use", href=f"#suit-{suit}", x=6, y=23, width=11, height=11))
        inside.append(tag("use", href=f"#suit-{suit}", x=22, y=38, width=32, height=32))
    else:
        inside.append(
            tag("text", shown, x=38, y=66, cls="card-large" + " narrow" * (len(shown) > 1))
        )
    name = _RANKS.get(rank, rank) + (f" of {_SUITS[suit]}" if suit else "")
    return _drawn(inside, name, f"card suit-{suit or 'none'} {cls}")


def _drawn(inside: list[Markup], name: str, cls: str) -> Markup:
    return tag("svg", tag("title", name), inside, viewBox="0 0 60 84", role="img", cls=cls.strip())


def cards(texts: list[str] | tuple[str, ...], *, cls: str = "") -> Markup:
    """Several cards in a row."""
    return tag("span", [card(text) for text in texts], cls=f"cards {cls}".strip())


_PIPS = {
    1: ((30, 30),),
    2: ((16, 16), (44, 44)),
    3: ((16, 16), (30, 30), (44, 44)),
    4: ((16, 16), (44, 16), (16, 44), (44, 44)),
    5: ((16, 16), (44, 16), (30, 30), (16, 44), (44, 44)),
    6: ((16, 15), (44, 15), (16, 30), (44, 30), (16, 45), (44, 45)),
}


def die(face: str) -> Markup:
    """A die showing `"1"`…`"6"`; `"?"` is under the cup."""
    body = tag("rect", x=2, y=2, width=56, height=56, rx=10, cls="die-face")
    if face not in "123456":
        inside = [body, tag("text", "?", x=30, y=41, cls="die-hidden")]
        name = "a die under the cup"
    else:
        pips = [tag("circle", cx=x, cy=y, r=5.5, cls="die-pip") for x, y in _PIPS[int(face)]]
        inside, name = [body, *pips], f"a die showing {face}"
    picture = tag("svg", tag("title", name), inside, viewBox="0 0 60 60", role="img", cls="die")
    return tag("span", picture, cls="cards")
