"""A state of any game as a table with cards, as one seat sees it.

What a seat may not see never leaves this module: a hidden card is drawn from BACK, not from the
card. A game that is not known here is shown by its own words (State.describe).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from riverboat.cards.card import CARDS
from riverboat.drawing.html import Markup, join, tag
from riverboat.games.base import TERMINAL, Game, State, Wagered
from riverboat.holdem.rules.table import seat_names
from riverboat.web.app.card_pictures import BACK, card, die
from riverboat.web.play.names import isolated


@dataclass
class SeatScene:
    """One place at the table."""

    cards: list[str] = field(default_factory=list)
    """As card_pictures.card takes them; "die5" is a die."""
    note: str = ""
    out: bool = False
    title: str = ""


@dataclass
class Scene:
    """The table as one viewer sees it."""

    seats: list[SeatScene]
    board: list[str] = field(default_factory=list)
    dealer: SeatScene | None = None
    note: str = ""


See = Callable[[int], bool]  # Whether the cards of a seat may be seen


def may_see(state: State, viewer: int | None, *, open_end: bool = True) -> See:
    """What `viewer` sees: the own cards; at the end all, or those of a showdown only.

    None looks on and sees no cards before the end.
    """
    over = state.actor == TERMINAL
    betting = getattr(state, "betting", None)

    def see(seat: int) -> bool:
        if seat == viewer:
            return True
        if not over:
            return False
        if open_end:
            return True
        if betting is not None:
            return bool(sum(betting.in_hand) > 1 and betting.in_hand[seat])
        return not _folded(state)

    return see


def _folded(state: State) -> bool:
    """Whether the small poker games ended by a fold, after which no card is shown."""
    bets = str(getattr(state, "bets", ""))
    name = type(state).__name__
    if name == "LeducState":
        return bets.endswith("f")
    return name in ("KuhnState", "ShowdownState") and "b" in bets and bets.endswith("p")


def scene_of(game: Game, state: State, see: See) -> Scene | None:
    """The picture of a state, or None for a game that has none."""
    make = _SCENES.get(game.name)
    return None if make is None else make(game, state, see)


def _hidden(cards: Sequence[str], seen: bool) -> list[str]:
    return list(cards) if seen else [BACK] * len(cards)


def _kuhn(game: Any, state: Any, see: See) -> Scene:
    paid = state.paid()
    return Scene(
        [SeatScene(_hidden(c, see(p)), f"in the pot: {paid[p]}") for p, c in enumerate(state.cards)]
    )


def _leduc(game: Any, state: Any, see: See) -> Scene:
    paid = state.paid()
    seats = [
        SeatScene(_hidden([c], see(p)), f"in the pot: {paid[p]}")
        for p, c in enumerate(state.cards[:2])
    ]
    return Scene(seats, board=list(state.cards[2:]))


def _showdown(game: Any, state: Any, see: See) -> Scene:
    ranks = ["A", *map(str, range(2, 10)), "T", "J", "Q", "K"]

    def face(number: int) -> str:
        return ranks[number - 1] + "s"

    seats = [SeatScene(_hidden([face(number)], see(p))) for p, number in enumerate(state.cards[1:])]
    return Scene(seats, board=[face(number) for number in state.cards[:1]])


def _liars_dice(game: Any, state: Any, see: See) -> Scene:
    bids = list(state.bids)
    seats = []
    for p, face in enumerate(state.dice):
        mine = [game.action_label(bid) for bid in bids[p::2]]
        seats.append(SeatScene([f"die{face if see(p) else '?'}"], mine[-1] if mine else ""))
    return Scene(seats, note=f"the {game.faces} is wild")


def _rps(game: Any, state: Any, see: See) -> Scene:
    names = {"r": "R", "p": "P", "s": "S"}
    seats = []
    for p in range(2):
        chosen = state.choices[p : p + 1]
        known = chosen and see(p)
        cards = [names[chosen] if known else BACK] if chosen else []
        seats.append(SeatScene(cards, game.action_label(chosen) if known else ""))
    return Scene(seats)


def _value(number: int) -> str:
    return {1: "A", 10: "T"}.get(number, str(number))


def _duel(game: Any, state: Any, see: See) -> Scene:
    over = state.actor == TERMINAL
    hits = state._scene[2]
    seats = []
    for p in range(2):
        down = state.downs[p] if p < len(state.downs) else 0
        shown = [_value(int(c)) for c in (game.cards[p], *hits[p])]
        known = bool(down) and (see(p) or over)
        total = state.seats[p].total(down) if known else None
        words = "" if total is None else "bust" if total == 0 else f"{total} points"
        stood = " · stands" if state.seats[p].stood else ""
        seats.append(SeatScene([_value(down) if known else BACK, *shown], words + stood))
    up = _value(game.cards[2])
    drawn = [_value(number) for number in state.dealer]
    dealer = [drawn[0] if over and drawn else BACK, up, *(drawn[1:] if over else [])]
    words = ("bust" if state.dealer_total == 0 else f"{state.dealer_total} points") if over else ""
    pot = 3 + sum(seat.hits for seat in state.seats)
    return Scene(seats, dealer=SeatScene(dealer, words), note=f"pot {pot}")


def _twentyone(game: Any, state: Any, see: See) -> Scene:
    from riverboat.twentyone.game import is_soft, points

    over = state.actor == TERMINAL
    dealer = list(state.dealer)
    if dealer and not over:
        dealer[0] = BACK
    soft = "soft " if state.hand and is_soft(state.hand) else ""
    total = points(state.hand)
    mine = "bust" if total > 21 else f"{soft}{total} points"
    theirs = points(state.dealer)
    words = ("bust" if theirs > 21 else f"{theirs} points") if over else ""
    return Scene([SeatScene(list(state.hand), mine)], dealer=SeatScene(dealer, words))


def _holdem(game: Any, state: Any, see: See) -> Scene:
    betting = state.betting
    names = seat_names(game.players)
    seats = []
    for p in range(game.players):
        hole = [CARDS[c] for c in state.holes[p]] if p < len(state.holes) else []
        inside = betting.in_hand[p]
        bet = f"bet {betting.bets[p]} · " if betting.bets[p] else ""
        note = f"{bet}{betting.stacks[p]} left" if inside else "folded"
        cards = _hidden(hole, see(p)) if inside or see(p) else []
        seats.append(SeatScene(cards, note, not inside, names[p]))
    return Scene(seats, board=[CARDS[c] for c in state.board])


_SCENES: dict[str, Callable[[Any, Any, See], Scene]] = {
    "kuhn": _kuhn,
    "leduc": _leduc,
    "showdown": _showdown,
    "liars_dice": _liars_dice,
    "rps": _rps,
    "duel": _duel,
    "twentyone": _twentyone,
    "holdem": _holdem,
}


def draw_scene(
    game: Game, state: State, names: Sequence[str], viewer: int | None, see: See
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
