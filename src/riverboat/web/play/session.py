"""Sittings that outlive a reload and a restart.

A sitting is its settings, its seed and what the person did: from these it is played again, card
for card. One small file each, written whole or not at all.

One person's sitting in the browser: the core's sitting, driven by clicks and written down.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import threading
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from riverboat.arena.hand import ActionTaken, Hand, HandEnded, HandStarted, deal_at_random
from riverboat.arena.narration import Narrator
from riverboat.arena.sitting import MoveJudged, Sitting, SittingEvent
from riverboat.errors import RiverboatError, StorageError, TooLargeError, UsageError
from riverboat.games.base import Action, Game, ParameterValue, State, parameters_of
from riverboat.games.registry import make_game
from riverboat.holdem.rules.state import Holdem
from riverboat.holdem.rules.table import deal_streets
from riverboat.players.coach import Advice, Coach, PublicCoach, TreeCoach, coach_for
from riverboat.players.player import HumanPlayer, Player, View
from riverboat.players.roster import make_player
from riverboat.players.simple import StrategyPlayer
from riverboat.runtime.stopping import Stop, current_stop, use_thread_stop
from riverboat.runtime.storage import atomic_write
from riverboat.strategies.kinds import load
from riverboat.web.app.library import Library
from riverboat.web.app.problems import FieldError
from riverboat.web.journal import drop_oldest

if TYPE_CHECKING:
    from riverboat.holdem.blueprints.blueprint import Blueprint

MAX_ACTIONS = 20_000  # A sitting that went on for so long begins anew
MAX_FILES = 300  # The oldest sittings are forgotten beyond this
_NAME = re.compile(r"[A-Za-z0-9_-]{8,32}")


@dataclass
class Kept:
    """What a sitting needs to be played again."""

    game: str
    parameters: dict[str, str] = field(default_factory=dict)
    against: str = ""
    seat: int = 0
    seed: int = 0
    actions: list[str] = field(default_factory=list)
    """What the person did, "next" for the next hand."""
    name: str = field(default_factory=lambda: secrets.token_urlsafe(8))


class SittingStore:
    """A folder of sittings."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._locks: WeakValueDictionary[str, Any] = WeakValueDictionary()
        self._lock = threading.Lock()

    def lock(self, name: str) -> AbstractContextManager[bool]:
        """The lock of one sitting, which all that show it share."""
        with self._lock:
            made: AbstractContextManager[bool] = self._locks.get(name) or threading.RLock()
            self._locks[name] = made
            return made

    def save(self, kept: Kept) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        atomic_write(self.folder / f"{kept.name}.json", json.dumps(asdict(kept)))

    def load(self, name: str) -> Kept | None:
        """The sitting of that name; None where there is none or it cannot be read."""
        if not _NAME.fullmatch(name):
            return None
        try:
            raw = json.loads((self.folder / f"{name}.json").read_text())
            return _checked(raw) if raw.get("name") == name else None
        except (OSError, ValueError, TypeError, AttributeError, RiverboatError):
            return None

    def tidy(self, max_files: int = MAX_FILES) -> None:
        """Forget the oldest beyond `max_files`, and what is older than a month."""
        drop_oldest(self.folder, "*.json", max_files)

    def find(self, game: str, name: str) -> Kept | None:
        """The sitting of that name; where there is none, a new one, whose cards the name decides.

        So the address of a table is the table, before anything was done there. None where the
        name is none, or that of a sitting at another game.
        """
        if not _NAME.fullmatch(name):
            return None
        known = self.load(name)
        if known is not None:
            return known if known.game == game else None
        seed = int.from_bytes(hashlib.sha256(name.encode()).digest()[:5])
        return Kept(game, seed=seed, name=name)


def _checked(raw: dict[str, Any]) -> Kept:
    kept = Kept(**raw)
    good = (
        isinstance(kept.game, str)
        and isinstance(kept.parameters, dict)
        and isinstance(kept.against, str)
        and isinstance(kept.seat, int)
        and isinstance(kept.seed, int)
        and isinstance(kept.actions, list)
        and all(isinstance(action, str) for action in kept.actions)
    )
    if not good or len(kept.actions) > MAX_ACTIONS:
        raise StorageError("The sitting is damaged.")
    return kept


class KeptSession(ABC):
    """Actions of one person, each kept in the sitting's file."""

    def __init__(self, kept: Kept, store: SittingStore) -> None:
        self.kept, self.store = kept, store
        self.lock = store.lock(kept.name)
        """Held while a move is made and while the table is drawn."""

    @abstractmethod
    def _do(self, action: Action) -> None:
        """Play an action; one that is not possible is refused and changes nothing."""

    @property
    def decisions(self) -> int:
        """Number of actions so far: what a page shows is the decision of that number."""
        return len(self.kept.actions)

    def do(self, action: Action, decision: int | None = None) -> bool:
        """Play an action and keep it.

        `decision` is the one that the action was chosen for, by default the current one. Returns
        False where that is over, because of a double click or a second tab: then the action does
        nothing, and what the second tab did is shown.
        """
        with self.lock:
            if decision is not None and decision != self.decisions:
                return False
            stored = self.store.load(self.kept.name)
            done = self.kept.actions
            if stored and len(stored.actions) > len(done) and stored.actions[: len(done)] == done:
                self._replay(stored.actions[len(done) :])
                return False
            self._do(action)
            done.append(action)
            self.store.save(self.kept)
            return True

    def _replay(self, actions: Sequence[Action]) -> None:
        """Play actions of the file, up to one that is not possible."""
        for action in actions:
            try:
                self._do(action)
            except RiverboatError:
                return
            self.kept.actions.append(action)


NEXT = "next"
PEOPLE = "people"  # In place of an opponent: other people, at a table of their own
SHIPPED = "blueprint:shipped"
HOLDEM = {
    SHIPPED: "the blueprint that comes with Riverboat",
    "holdem:rules": "a tight player by rules",
    "holdem:call": "one who always calls",
    "holdem:random": "one who plays at random",
}
PLAY_ANY_CARDS = ("holdem:call", "holdem:random")
"""Those of them who play Omaha and short deck too."""


def opponents(game: Game, library: Library) -> dict[str, str]:
    """Who can be played against: text for the store → words for the page."""
    if game.num_players == 1:
        return {}
    if isinstance(game, Holdem) and game.name != "holdem":
        return {text: words for text, words in HOLDEM.items() if text in PLAY_ANY_CARDS}
    found, kinds = dict(HOLDEM), ["blueprint"]
    if game.name != "holdem":
        found = {"equilibrium": "the equilibrium", "random": "one who plays at random"}
        kinds = ["strategy", "public-strategy"]
    for saved in library.files():
        if saved.kind in kinds:
            found[f"file:{saved.name}"] = f"{saved.name} (saved)"
    return found


class AbandonedError(RiverboatError):
    """The person left before the opponent was solved."""


NUM_COACHES = 8
SMALL_COACH = 50_000  # Infosets up to which a coach is kept when its last sitting is over
_CoachKey = tuple[str, tuple[tuple[str, ParameterValue], ...]]
_kept_coaches: OrderedDict[_CoachKey, Coach | None] = OrderedDict()
_used_coaches: WeakValueDictionary[_CoachKey, Coach] = WeakValueDictionary()
"""Every coach that a sitting has, large ones as long as it lasts."""
_coach_lock = threading.Lock()


def _coach(game: Game) -> Coach | None:
    """Solved once for all visitors; None where the game is too large.

    `current_stop()` ends the solving; nothing is kept of it then.
    """
    key = (game.name, tuple(parameters_of(game).items()))
    with _coach_lock:
        if key in _kept_coaches:
            _kept_coaches.move_to_end(key)
            return _kept_coaches[key]
        if (known := _used_coaches.get(key)) is not None:
            return known
    made = _made_coach(game)
    with _coach_lock:
        if made is not None:
            _used_coaches[key] = made
        if made is None or _is_small(made):
            _kept_coaches[key] = made
            while len(_kept_coaches) > NUM_COACHES:
                _kept_coaches.popitem(last=False)
    return made


def _made_coach(game: Game) -> Coach | None:
    if getattr(game, "other_way", "") and game.name != "twentyone":
        return None
    try:
        made = coach_for(game)
        current_stop().check()  # what was stopped early is no equilibrium
    except TooLargeError:
        return None
    except KeyboardInterrupt:
        raise AbandonedError("The opponent was not solved to the end.") from None
    return made


def _is_small(coach: Coach) -> bool:
    if isinstance(coach, TreeCoach | PublicCoach):
        return len(coach.strategy) <= SMALL_COACH
    return True


def bot_for(game: Game) -> Player:
    """Who takes an empty seat: the equilibrium where it is known, else rules or chance."""
    if isinstance(game, Holdem):
        return make_player(game, "holdem:rules" if game.name == "holdem" else "holdem:random")
    coach = _coach(game)
    return make_player(game, "random") if coach is None else StrategyPlayer("bot", coach.strategy)


class PlaySession(KeptSession):
    """Hands, events and what is on the table now. Made in a worker: a coach may be solved."""

    def __init__(self, kept: Kept, library: Library, store: SittingStore) -> None:
        super().__init__(kept, store)
        game, opponent, coach = seated(kept, library)
        self.game, self.coach = game, coach
        deal = deal_streets if isinstance(game, Holdem) else deal_at_random
        self.sitting = Sitting(
            game,
            opponent,
            coach=coach,
            seat=kept.seat,
            seed=kept.seed,
            listener=self._receive,
            deal=deal,
        )
        self.person = HumanPlayer(None, "you")
        self.lines: list[tuple[str, str]] = []
        """The log, newest last: kind ("hand", "move", "cost", "end") and words."""
        self.view: View | None = None
        self.advice: Advice | None = None
        """What the coach says about the decision now."""
        self._begin()
        actions, kept.actions = kept.actions, []
        self._replay(actions)
        self._advise()  # here, because a coach may take long for its first answer

    @property
    def state(self) -> State:
        return self.hand.state

    @property
    def over(self) -> bool:
        return self.view is None

    @property
    def prices_moves(self) -> bool:
        """Whether the coach knows the values of moves; a blueprint does not."""
        from riverboat.holdem.blueprints.players import BlueprintCoach

        return self.coach is not None and not isinstance(self.coach, BlueprintCoach)

    @property
    def names(self) -> list[str]:
        """Names by seat."""
        opponent = self.sitting.opponent.name
        short = "opponent" if ":" in opponent else opponent
        several = self.game.num_players > 2
        return [
            "you" if p == self.mine else f"{short} {p + 1}" if several else short
            for p in range(self.game.num_players)
        ]

    def _begin(self) -> None:
        self.mine = self.sitting.place
        self.narrator = Narrator(self.game, self.mine, self.names)
        self.hand: Hand = self.sitting.next_hand(self.person)
        self.view = self.hand.advance()

    def do(self, action: Action, decision: int | None = None) -> bool:
        """Play a move of the person, or NEXT for the next hand."""
        with self.lock:
            done = super().do(action, decision)
            self._advise()
            return done

    def _do(self, action: Action) -> None:
        if self.view is None and action != NEXT:
            raise UsageError("The hand is over; deal the next one.")
        if self.view is None:
            self._begin()
            return
        if action not in self.view.actions:
            raise UsageError("That is not possible here.")
        self.hand.act(action)
        self.view = self.hand.advance()

    def _advise(self) -> None:
        self.advice = None if self.view is None else self.sitting.advise(self.view)

    def _receive(self, event: SittingEvent) -> None:
        if isinstance(event, MoveJudged):
            if event.cost >= 5e-4:
                self.lines.append(("cost", f"that cost {event.cost:.3f}"))
        elif isinstance(event, HandStarted):
            place = f", you are player {self.mine + 1}" if self.game.num_players > 1 else ""
            self.lines.append(("hand", f"Hand {self.sitting.played + 1}{place}"))
        elif isinstance(event, HandEnded):
            gain = event.record.returns[self.mine]
            words = f"you win {gain:g}" if gain > 0 else f"you lose {-gain:g}"
            self.lines.append(("end", words if gain else "nothing won, nothing lost"))
        elif isinstance(event, ActionTaken) or self.narrator.narrate(event):
            self.lines.append(("move", self.narrator.narrate(event)))
        del self.lines[:-400]


def sit_down(kept: Kept, library: Library, store: SittingStore, stop: Stop) -> PlaySession:
    """A session whose opponent is solved unless `stop` is requested; then AbandonedError."""
    with use_thread_stop(stop):
        return PlaySession(kept, library, store)


def seated(kept: Kept, library: Library) -> tuple[Game, Player, Coach | None]:
    """The game, the player in all other seats, and who gives hints."""
    game = make_game(kept.game, dict(kept.parameters))
    kind, _, name = kept.against.partition(":")
    if game.name == "holdem" and (kind == "file" or kept.against == SHIPPED):
        path = str(library.path(name)) if kind == "file" else "shipped"
        return _blueprint(path, kept.parameters)
    if kind == "file" and not isinstance(game, Holdem):
        strategy: Any = load(library.path(name))
        return game, StrategyPlayer(name, strategy), _coach(game)
    if isinstance(game, Holdem):
        if kept.against not in (HOLDEM if game.name == "holdem" else PLAY_ANY_CARDS):
            raise UsageError(f"There is no player {kept.against!r} for {game.title}.")
        return game, make_player(game, kept.against), None
    coach = _coach(game)
    if kept.against == "random" or coach is None:
        return game, make_player(game, "random"), coach
    return game, StrategyPlayer("equilibrium", coach.strategy), coach


def parameter_text(game: Game, name: str) -> str:
    """A parameter as it is typed into a field."""
    value = getattr(game, name)
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def rules_of(against: str, library: Library) -> Game | None:
    """The rules that an opponent decides: those of a hold'em blueprint; None for others."""
    kind, _, name = against.partition(":")
    if against != SHIPPED and kind != "file":
        return None
    return load_blueprint(str(library.path(name)) if kind == "file" else "shipped").rules


@lru_cache(maxsize=3)
def load_blueprint(path: str) -> Blueprint:
    """A blueprint, read once for all visitors."""
    from riverboat.holdem.blueprints.blueprint import Blueprint  # It needs Numba

    return Blueprint.load(path)


def _blueprint(path: str, asked: dict[str, str]) -> tuple[Game, Player, Coach | None]:
    """A blueprint as opponent and coach. It decides players and chips; others are refused."""
    blueprint = load_blueprint(path)
    game = blueprint.rules
    wanted: Any = make_game("holdem", dict(asked))
    for name, text in asked.items():
        if _rule(wanted, name) != _rule(game, name):
            own = parameter_text(game, name)
            raise FieldError(
                name,
                f"This blueprint plays with {name.replace('_', ' ')} {own}, not {text};"
                " change it or choose another opponent.",
            )
    from riverboat.holdem.blueprints.players import BlueprintCoach, BlueprintPlayer

    player = BlueprintPlayer("blueprint", game, blueprint)
    return game, player, BlueprintCoach(game, blueprint)


def check_opponent(against: str, parameters: dict[str, str], library: Library) -> None:
    """Refuse parameters that a hold'em blueprint does not play with."""
    kind, _, name = against.partition(":")
    if against == SHIPPED:
        _blueprint("shipped", parameters)
    elif kind == "file" and _is_blueprint(name, library):
        _blueprint(str(library.path(name)), parameters)


def _is_blueprint(name: str, library: Library) -> bool:
    return any(saved.name == name and saved.kind == "blueprint" for saved in library.files())


def _rule(game: Holdem, name: str) -> Any:
    """A parameter's value; stacks seat by seat, because "100" and "100,100" are the same."""
    return game.betting_rules.stacks if name == "stacks" else getattr(game, name)
