"""What a seat sees of a table: seats with cards, the middle, the moves with their keys, a hint.

A game brings its scene (State.scene), in which a hidden card is a back and not the card; one that
has none is shown by its own words (State.describe). Everything here is plain data: the API answers
with it, and templates/play/felt.html draws it.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, Field

from riverboat.games.base import (
    TERMINAL,
    Action,
    Game,
    Pictured,
    Revealing,
    Scene,
    SeatScene,
    Sees,
    State,
    Wagered,
)
from riverboat.players.coach import Advice
from riverboat.players.player import View, move_keys
from riverboat.web.app.colours import move_colours

MAX_RAISES = 5
"""More sizes of a raise than this are chosen by number: in pot-limit there are often thirty."""
MAX_BUTTONS = 30  # More moves than this are chosen by number (the raises of no-limit hold'em)
SIZE = "raise"
"""The move of the field for a size; the form then has the chips too."""


class Seat(BaseModel):
    """One seat at a table."""

    name: str = Field(description="Who sits there.")
    title: str = Field(default="", description="What the seat is called in this game.")
    cards: list[str] = Field(description="As, K, die5; ?? is a card face down.")
    note: str = Field(default="", description="Chips, points or the last bid, in words.")
    out: bool = Field(default=False, description="Whether the seat is out of the hand.")
    turn: bool = Field(default=False, description="Whether the table waits for this seat.")
    own: bool = Field(default=False, description="Whether this is the viewer's own seat.")

    @property
    def button(self) -> bool:
        """Whether the dealer's button lies in front of it."""
        return self.title == "button"


class Felt(BaseModel):
    """A table as one seat sees it."""

    others: list[Seat] = Field(description="In the order of play, from the viewer's left.")
    own: Seat | None = Field(description="The viewer's seat; none for one who looks on.")
    dealer: Seat | None = None
    board: list[str] = Field(description="The cards that lie open for all.")
    pot: float | None = None
    note: str = ""
    words: str = Field(default="", description="The table in words, for games without a picture.")


class Move(BaseModel):
    """Something that can be done now."""

    action: str
    words: str
    key: str = Field(default="", description="What is typed for it.")
    colour: str = Field(description="The same for an action on every page.")


class Sizes(BaseModel):
    """The sizes that a raise may have."""

    low: int
    high: int


class HintRow(BaseModel):
    """What a coach says about one move."""

    words: str
    chance: float = Field(description="How often the strategy makes it.")
    value: float | None = Field(description="Its expected value, where that is known.")
    colour: str


class Hint(BaseModel):
    """What a coach says about a decision."""

    rows: list[HintRow]
    reasons: list[str]


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


def felt_of(game: Game, state: State, names: Sequence[str], viewer: int | None, see: Sees) -> Felt:
    """A state as one seat sees it; `names` are by seat."""
    scene = scene_of(game, state, see)
    if scene is None:
        shown = state.describe(viewer if state.actor != TERMINAL else None)
        return Felt(others=[], own=None, board=[], words=shown)
    seats = [
        _seat(place, _name_at(p, names, game), turn=state.actor == p, own=p == viewer)
        for p, place in enumerate(scene.seats)
    ]
    first = 0 if viewer is None else viewer + 1
    around = [seats[(first + i) % len(seats)] for i in range(len(seats))]
    return Felt(
        others=[seat for seat in around if not seat.own],
        own=seats[viewer] if viewer is not None and viewer < len(seats) else None,
        dealer=None if scene.dealer is None else _seat(scene.dealer, "dealer"),
        board=list(scene.board),
        pot=state.stakes().pot if isinstance(state, Wagered) else None,
        note=scene.note,
    )


def _name_at(seat: int, names: Sequence[str], game: Game) -> str:
    """Who sits there; in a game for one, further seats are further hands of the same player."""
    seat = min(seat, game.num_players - 1)
    return names[seat] if seat < len(names) else f"player {seat + 1}"


def _seat(place: SeatScene, name: str, *, turn: bool = False, own: bool = False) -> Seat:
    return Seat(
        name=name,
        title=place.title,
        cards=list(place.cards),
        note=place.note,
        out=place.out,
        turn=turn,
        own=own,
    )


def moves_of(view: View, sizes: Sequence[Action] = ()) -> list[Move]:
    """The moves that get a button. Where there are too many, `sizes` and the usual ones do."""
    sized = [action for action in view.actions if action[:1] == "r" and action[1:].isdecimal()]
    few = len(view.actions) > MAX_BUTTONS or len(sized) > MAX_RAISES
    actions = _few(view, sizes) if few else list(view.actions)
    typed = {action: key for key, action in move_keys(actions).items()}
    labels = [view.label(action) for action in actions]
    return [
        Move(action=action, words=words, key=typed.get(action, ""), colour=colour)
        for action, words, colour in zip(actions, labels, move_colours(labels), strict=True)
    ]


def _few(view: View, sizes: Sequence[Action]) -> list[Action]:
    """Of a no-limit decision: fold, call, the sizes given or shares of the pot, all-in."""
    plain = [action for action in view.actions[:3] if not action.startswith("r")]
    low, high = (int(action[1:]) for action in (view.actions[len(plain)], view.actions[-1]))
    stakes = view.stakes()
    wanted = {int(action[1:]) for action in sizes if action.startswith("r")}
    if not wanted and stakes is not None:
        wanted = {int(stakes.price + share * (stakes.pot + stakes.price)) for share in (0.5, 1)}
    raises = sorted({low, high, *(size for size in wanted if low < size < high)})
    return [*plain, *(f"r{size}" for size in raises)]


def sizes_of(state: State) -> Sizes | None:
    """The sizes of a raise, where the game has many."""
    betting = getattr(state, "betting", None)
    found = betting.raise_range() if betting is not None else None
    return None if found is None or found[0] == found[1] else Sizes(low=found[0], high=found[1])


def hint_of(advice: Advice) -> Hint:
    """A coach's mixture with each move's value, and the reasons."""
    known = advice.chances.keys() | advice.values.keys()
    actions = [each for each in advice.view.actions if each in known]
    labels = [advice.view.label(action) for action in actions]
    rows = [
        HintRow(
            words=words,
            chance=advice.chances.get(action, 0.0),
            value=advice.values.get(action),
            colour=colour,
        )
        for action, words, colour in zip(actions, labels, move_colours(labels), strict=True)
    ]
    return Hint(rows=rows, reasons=advice.lines()[1:])
