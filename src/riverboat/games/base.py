"""The words every game speaks: Game makes states, State is what is true at one point of a play.

Both are immutable and pure. An action is a short text ("b", "h7", "r300"), for chance too, so
that a history can be written down, parsed back and shown without a table of codes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Sequence
from typing import ClassVar, NamedTuple, Protocol, Self, TypeAlias, runtime_checkable

from riverboat.errors import ParameterError, UsageError

Action: TypeAlias = str
ParameterValue: TypeAlias = int | float | bool | str | tuple[int, ...]

CHANCE = -1
TERMINAL = -2
HIDDEN = "??"  # A card that lies face down


class State(Protocol):
    """One point of a play. `actor` is 0…P−1, CHANCE or TERMINAL."""

    @property
    def actor(self) -> int: ...

    def actions(self) -> Sequence[Action]:
        """The acting player's legal actions, in a fixed order; empty for CHANCE and TERMINAL."""

    def chance(self) -> Sequence[tuple[Action, float]]:
        """Chance's outcomes with their probabilities; empty unless the actor is CHANCE."""

    def after(self, action: Action) -> Self:
        """The state that follows; IllegalActionError for a move the rules refuse."""

    def returns(self) -> tuple[float, ...]:
        """Each player's payoff at a TERMINAL state."""

    def infoset(self, player: int) -> str:
        """What that player knows here and nothing more, as a short readable key."""

    def describe(self, player: int | None) -> str:
        """The scene in words as `player` sees it, or with every card open for None."""


class Stakes(NamedTuple):
    """The money at one point of a play."""

    pot: float
    price: float  # What the acting player must add to stay in; 0 where there is nothing to call

    @classmethod
    def of(cls, paid: Sequence[int], actor: int) -> Stakes:
        """Where each player has put in so much and `actor` is to act."""
        return cls(sum(paid), max(paid) - paid[actor] if actor >= 0 else 0)


@runtime_checkable
class Wagered(Protocol):
    """A state of a game with a pot. Not every game has one, so it is not part of State."""

    def stakes(self) -> Stakes: ...


@runtime_checkable
class Factored(Protocol):
    """A state whose hidden cards and public course can be told apart. No game needs it.

    A tree is then built by one walk over the public states for all cards at once, many times as
    fast. What must hold: `infoset(p)` is `private(p) + public()`; only chance changes `private` and
    `showdown`; of two states after equally many moves, the same `public()` means the same actor,
    the same actions and the same `public()` after each of them; at the end of a play the returns
    follow from `terms()` and `showdown()`.
    """

    def public(self) -> str:
        """What all players have seen and done: how an infoset's text ends."""

    def private(self, player: int) -> str:
        """What that player knows of the cards: how an infoset's text begins."""

    def terms(self) -> Hashable:
        """What of the public course the returns depend on; asked at a TERMINAL state."""

    def showdown(self) -> Hashable:
        """What of the cards the returns depend on; asked at any state with an actor ≥ 0."""


class KnownCards(NamedTuple):
    """The cards, or dice, that a player knows, as texts."""

    hole: tuple[str, ...]  # The player's own
    board: tuple[str, ...]  # Those that lie open


@runtime_checkable
class Dealing(Protocol):
    """A game whose infosets name cards. It reads them from the infoset alone, so it reveals
    nothing that the player does not know.
    """

    def cards_in(self, infoset: str) -> KnownCards: ...


Sees: TypeAlias = Callable[[int], bool]  # Whether a viewer sees the cards of a seat


def face_up(cards: Sequence[str], seen: bool) -> tuple[str, ...]:
    """The cards themselves, or their backs where they are not seen."""
    return tuple(cards) if seen else (HIDDEN,) * len(cards)


class SeatScene(NamedTuple):
    """One seat of a table that a screen draws."""

    cards: tuple[str, ...] = ()  # "Kh", "K" without a suit, "die5", "die?", or HIDDEN
    note: str = ""  # Below the cards: chips, points, the last bid
    out: bool = False  # Whether the seat is out of the play
    title: str = ""  # Of the seat, not of who sits there: "button"


class Scene(NamedTuple):
    """A table as one viewer sees it: plain data, so that any screen can draw it."""

    seats: Sequence[SeatScene]
    board: Sequence[str] = ()
    dealer: SeatScene | None = None
    note: str = ""


@runtime_checkable
class Pictured(Protocol):
    """A state that can be drawn as a table with cards. No game needs it: a screen shows the words
    of `describe` where it is missing.

    A game may further have, as attributes of its class, `summary`, one line that says what it is,
    and `art`, the cards and dice that stand for it in a list of games.
    """

    def scene(self, sees: Sees) -> Scene:
        """The table for a viewer; the cards of a seat that is not seen must not be in it."""


@runtime_checkable
class Revealing(Protocol):
    """A state whose end opens only some seats' cards, because others folded."""

    def opens(self, seat: int) -> bool:
        """Whether that seat's cards are shown to all when the play is over."""


class Game(Protocol):
    """The rules with their parameters: a frozen dataclass whose fields are the parameters."""

    name: ClassVar[str]
    title: ClassVar[str]
    small: ClassVar[bool]
    """True when the default parameters give a tree that can be walked whole in a test."""

    @property
    def num_players(self) -> int: ...

    @property
    def utility_sum(self) -> float | None:
        """What the returns always add up to; None where that varies."""

    def start(self) -> State: ...

    def action_label(self, action: Action) -> str:
        """An action in words for a person, e.g. "bet"."""


class PlainGame:
    """What small games share: payoffs that add up to 0, parameters in ranges, named actions."""

    name: ClassVar[str]
    small: ClassVar[bool] = True
    utility_sum: ClassVar[float | None] = 0.0
    ranges: ClassVar[dict[str, tuple[int, int]]] = {}
    words: ClassVar[dict[Action, str]] = {}
    labels: ClassVar[dict[str, str]] = {}
    """Parameter → what a form calls it."""

    def __post_init__(self) -> None:
        for name, (low, high) in self.ranges.items():
            value = getattr(self, name)
            if not low <= value <= high:
                raise ParameterError(f"{self.name}: {name} must be {low} to {high}, not {value}.")

    def action_label(self, action: Action) -> str:
        return self.words.get(action, action)

    def cards_in(self, infoset: str) -> KnownCards:
        """The cards of an infoset "own+open|…"; see Dealing."""
        head, bar, _ = infoset.partition("|")
        own, _, board = head.partition("+")
        return KnownCards((own,) if bar and own else (), (board,) if bar and board else ())


def check_seats(game: Game, given: int) -> None:
    """Refuse a number of players that is not the game's."""
    if given != game.num_players:
        noun = "player" if game.num_players == 1 else "players"
        raise UsageError(f"{game.name} takes {game.num_players} {noun}, not {given}.")


def even_chances(outcomes: Sequence[Action]) -> tuple[tuple[Action, float], ...]:
    """Outcomes of chance that are equally likely."""
    return tuple((outcome, 1 / len(outcomes)) for outcome in outcomes)


def parameters_of(game: Game) -> dict[str, ParameterValue]:
    """The game's parameters by name, as make_game takes them back."""
    if not dataclasses.is_dataclass(game):
        raise TypeError(f"{type(game).__name__} is not a dataclass")
    return {f.name: getattr(game, f.name) for f in dataclasses.fields(game)}


def parameter_label(game: Game | type[Game], name: str) -> str:
    """What a form calls a parameter: the game's own words, else its name as words."""
    labels: dict[str, str] = getattr(game, "labels", {})
    return labels.get(name) or name.replace("_", " ").capitalize()


def default_parameters(game: Game) -> dict[str, ParameterValue]:
    """The defaults of the game's parameters, of those that have one."""
    fields = dataclasses.fields(game)  # type: ignore[arg-type]
    return {f.name: f.default for f in fields if f.default is not dataclasses.MISSING}
