"""Two strategies of one game beside each other: what they get, and where they differ."""

from __future__ import annotations

import heapq

from riverboat.evaluation.head_to_head import exact_value
from riverboat.games.base import Game
from riverboat.strategies.any_strategy import AnyStrategy
from riverboat.web.markup import Markup, join, signed, tag

__all__ = ["comparison", "differences"]

MOST_INFOSETS = 200_000
SHOWN = 8

Difference = tuple[float, int, str, dict[str, float], dict[str, float]]
"""How much of the mixture differs, player, infoset, and both mixtures."""


def differences(one: AnyStrategy, other: AnyStrategy, most: int = SHOWN) -> list[Difference]:
    """The infosets where two strategies differ most: half the sum of absolute differences."""

    def every() -> list[Difference]:
        found = []
        for player, infoset, mine in one.entries():
            theirs = other.lookup(player, infoset) or {}
            gap = sum(abs(chance - theirs.get(a, 0.0)) for a, chance in mine.items()) / 2
            found.append((gap, player, infoset, mine, theirs))
        return found

    return heapq.nlargest(most, every(), key=lambda each: each[0])


def comparison(game: Game, one: AnyStrategy, other: AnyStrategy) -> Markup:
    """What each seat gets in every seating, and the infosets that differ most."""
    seatings = [("this one in all seats", [one] * game.num_players)]
    if game.num_players == 2:
        seatings = [
            ("this one first", [one, other]),
            ("the other first", [other, one]),
            ("this one against itself", [one, one]),
            ("the other against itself", [other, other]),
        ]
    else:
        seatings += [
            (f"the other in seat {p + 1}", [other if p == q else one for q in range(len(seats))])
            for seats in [[one] * game.num_players]
            for p in range(game.num_players)
        ]
    rows = []
    for words, seats in seatings:
        cells = [tag("td", signed(value, 6), cls="r") for value in exact_value(game, seats)]
        rows.append(tag("tr", tag("td", words), cells))
    heads = [tag("th", f"seat {p + 1}", cls="r") for p in range(game.num_players)]
    table = tag("table", tag("tr", tag("th", ""), heads), rows, cls="plain")
    found = join(tag("div", table, cls="scroll-x"), _where(game, one, other))
    return tag("div", found, cls="options")


def _where(game: Game, one: AnyStrategy, other: AnyStrategy) -> Markup:
    if len(one) > MOST_INFOSETS:
        return Markup("")
    rows = []
    for gap, player, infoset, mine, theirs in differences(one, other):
        if gap < 5e-4:
            break
        rows.append(
            tag(
                "tr",
                tag("td", str(player + 1)),
                tag("td", tag("b", infoset)),
                tag("td", _mixture(game, mine)),
                tag("td", _mixture(game, theirs)),
                tag("td", f"{gap:.1%}", cls="r"),
            )
        )
    if not rows:
        return tag("p", "They play alike everywhere, to a twentieth of a per cent.", cls="muted")
    heads = [tag("th", text) for text in ("Player", "Infoset", "this one", "the other")]
    heads.append(tag("th", "differs", cls="r"))
    table = tag("table", tag("tr", heads), rows, cls="plain")
    title = tag("h3", "Where they differ most")
    return tag("div", title, tag("div", table, cls="scroll-x"), cls="options")


def _mixture(game: Game, chances: dict[str, float]) -> str:
    order = sorted(chances, key=lambda action: -chances[action])
    return ", ".join(f"{game.action_label(a)} {chances[a]:.0%}" for a in order[:4])
