"""The check of a game that the user wrote: does it keep the contract of games.base?

`check_game` runs before a game is solved, played or evaluated, once for each game. It plays
NUM_PLAYS random plays and then visits histories breadth-first up to MAX_STATES: all of a small
game, the beginning of a large one. A fault is a GameError, one sentence that names the state by the
moves that lead to it. `find_fault` visits every history, for a tree with a fault beyond those
states. The games of this package are tested and not checked again.
"""

from __future__ import annotations

import math
import operator
import random
from collections import deque
from collections.abc import Callable, Mapping, Sequence, Set
from functools import partial
from typing import Any, Final, NoReturn, TypeAlias, TypeVar

from riverboat.errors import GameError
from riverboat.games.base import CHANCE, TERMINAL, Action, Game, State
from riverboat.runtime.plugins import program_error
from riverboat.runtime.stopping import current_stop

MAX_STATES = 2_000  # States that a check visits after its random plays
NUM_PLAYS = 30  # Random plays of a check
MAX_MOVES = 10_000  # A play that goes on for longer is taken to be endless
MAX_PAYOFF = 1e15  # Beyond it differences of a chip are lost in floating point
MAX_PLAYERS = 100
SHOWN_MOVES = 12  # Moves of a state that a message names

Moves: TypeAlias = "tuple[Moves, Action] | None"
"""The moves that lead to a state, the last one first; None at the start."""
Answer = TypeVar("Answer")
_checked: Final[set[tuple[type, str, bool]]] = set()


def is_own_game(game: Game) -> bool:
    """Whether a game's class is not of this package."""
    return not type(game).__module__.startswith("riverboat.")


def check_game(game: Game, *, shown: bool = False) -> None:
    """Refuse a game of the user's that breaks the contract; `shown` checks its words as well."""
    if not is_own_game(game):
        return
    key = (type(game), repr(game), shown)
    if key not in _checked:
        _Check(game, shown).run()
        _checked.add(key)


def find_fault(game: Game) -> None:
    """Visit every history of a game until one breaks the contract."""
    _Check(game, shown=False).visit_all(None)


def check_returns(game: Game, returns: Any, moves: Sequence[Action]) -> None:
    """Refuse the payoffs of one finished play that no play can have."""
    path: Moves = None
    for move in moves:
        path = (path, move)
    _Check(game, shown=False).payoffs(returns, path)


def failure_of(
    game: Game, state: State, moves: Sequence[Action], error: Exception
) -> GameError | None:
    """What to say of an error that a method of the game or its state has raised, else None.

    The method is the first one on the way to the error.
    """
    trace = error.__traceback__
    while trace is not None:
        frame = trace.tb_frame
        if isinstance(frame.f_locals.get("self"), (type(state), type(game))):
            what = f"{frame.f_code.co_name} fails with {program_error(error)}"
            return GameError(f"{game.name}, {place_in_words(moves)}: {what}.")
        trace = trace.tb_next
    return None


def place_in_words(moves: Sequence[Action]) -> str:
    """A state by the moves that lead to it: "after h, b"."""
    if not moves:
        return "at the start"
    texts = [_text(move) for move in moves[-SHOWN_MOVES:]]
    if len(moves) > SHOWN_MOVES:
        return f"after {len(moves):,} moves, the last of them {', '.join(texts)}"
    return f"after {', '.join(texts)}"


def _text(value: Any) -> str:
    """A value of the user's in a few printable characters."""
    words = value if type(value) is str else repr(value)
    words = "".join(c if c.isprintable() else "?" for c in words[:100])
    words = words if len(words) <= 40 else f"{words[:39]}…"
    return words if words.strip() else repr(words)


class _Check:
    """One game under check, with the actions of the infosets met so far."""

    def __init__(self, game: Game, shown: bool) -> None:
        self.game, self.shown = game, shown
        self.infosets: dict[tuple[int, str], tuple[Action, ...]] = {}
        self.num_players = self.ask(None, "num_players", lambda: operator.index(game.num_players))
        if not 1 <= self.num_players <= MAX_PLAYERS:
            self.refuse(f"num_players is {self.num_players}, not 1 to {MAX_PLAYERS}")
        self.total = self.ask(None, "utility_sum", lambda: game.utility_sum)
        if self.total is not None and not _is_finite(self.total):
            self.refuse(f"utility_sum is {_text(self.total)}, not a finite number or None")

    def run(self) -> None:
        rng = random.Random(0)
        for _ in range(NUM_PLAYS):
            self.play(rng)
        self.visit_all(MAX_STATES)

    def play(self, rng: random.Random) -> None:
        """Play once at random."""
        path: Moves = None
        state, stop = self.start(), current_stop()
        for _ in range(MAX_MOVES):
            stop.check()
            actor, moves = self.visit(state, path)
            if not moves:
                return
            move = rng.choice(moves)
            following = self.after(state, path, move)
            self.unchanged(state, path, actor, moves)
            state, path = following, (path, move)
        raise self.endless()

    def visit_all(self, limit: int | None) -> None:
        """Visit histories, breadth-first up to a limit, or all of them depth-first."""
        waiting: deque[tuple[State, Moves, int]] = deque([(self.start(), None, 0)])
        visited, stop = 0, current_stop()
        while waiting:
            stop.check()
            state, path, depth = waiting.pop() if limit is None else waiting.popleft()
            visited += 1
            if depth > MAX_MOVES:
                raise self.endless()
            actor, moves = self.visit(state, path)
            room = len(moves) if limit is None else max(0, limit - visited - len(waiting))
            following: list[tuple[State, Moves, int]] = [
                (self.after(state, path, move), (path, move), depth + 1) for move in moves[:room]
            ]
            waiting.extend(following if limit is not None else following[::-1])
            if moves and room:
                self.unchanged(state, path, actor, moves)

    def endless(self) -> GameError:
        return GameError(f"{self.game.name}: a play does not end within {MAX_MOVES:,} moves.")

    def start(self) -> State:
        return self.ask(None, "start", self.game.start)

    def visit(self, state: State, path: Moves) -> tuple[int, Sequence[Action]]:
        """Check one state: who acts, and the moves."""
        actor = self.actor(state, path)
        moves: Sequence[Action] = ()
        if actor == TERMINAL:
            self.payoffs(self.ask(path, "returns", state.returns), path)
        elif actor == CHANCE:
            moves = self.outcomes(state, path)
        else:
            moves = self.actions(state, path, actor)
        if self.shown:
            self.words(state, path, moves if actor >= 0 else ())
        return actor, moves

    def actor(self, state: State, path: Moves) -> int:
        actor: Any = self.ask(path, "actor", lambda: state.actor)
        try:
            number = operator.index(actor)
        except TypeError:
            hint = "; it must be a property" if callable(actor) else ""
            self.refuse(f"actor is {_text(actor)}, not a number{hint}", path)
        if not TERMINAL <= number < self.num_players:
            players = f"0 to {self.num_players - 1}" if self.num_players > 1 else "0"
            self.refuse(
                f"actor is {number}; it can be {players}, {CHANCE} for chance, or {TERMINAL} at"
                " the end of a play",
                path,
            )
        return number

    def actions(self, state: State, path: Moves, actor: int) -> Sequence[Action]:
        """The legal actions of a decision, the same in all histories of its infoset."""
        actions = self.listed(self.ask(path, "actions", state.actions), "actions", path)
        if not actions:
            self.refuse(f"player {actor} must act and has no actions", path)
        self.distinct(actions, "action", path)
        infoset = self.ask(path, "infoset", lambda: state.infoset(actor))
        if not isinstance(infoset, str):
            self.refuse(f"infoset({actor}) is {_text(infoset)}, not a text", path)
        if self.infosets.setdefault((actor, infoset), actions) != actions:
            self.refuse(
                f"the actions are {_listing(actions)},"
                f" but {_listing(self.infosets[actor, infoset])}"
                f" in another history of infoset {_text(infoset)!r}: histories of one infoset must"
                " not differ in their actions",
                path,
            )
        return actions

    def outcomes(self, state: State, path: Moves) -> Sequence[Action]:
        """The outcomes of chance."""
        outcomes = self.listed(self.ask(path, "chance", state.chance), "chance", path)
        for pair in outcomes:
            if not isinstance(pair, tuple | list) or len(pair) != 2:
                self.refuse(f"chance gives {_text(pair)}, not (outcome, probability)", path)
        self.distinct([outcome for outcome, _ in outcomes], "outcome", path)
        chances = [p for _, p in outcomes]
        right = all(_is_finite(p) and p >= 0 for p in chances)
        if not right or abs(math.fsum(map(float, chances)) - 1) > 1e-9:
            self.refuse(
                f"chance has the probabilities {_listing(chances) or '(none)'}; they must be 0 or"
                " more and add up to one",
                path,
            )
        return [outcome for outcome, _ in outcomes]

    def payoffs(self, returns: Any, path: Moves) -> None:
        """The end of a play: a finite number for each player, with the sum that was declared."""
        payoffs = self.listed(returns, "returns", path)
        if len(payoffs) != self.num_players:
            self.refuse(
                f"returns gives {len(payoffs)} payoffs for {self.num_players} players", path
            )
        if not all(_is_finite(value) and abs(value) <= MAX_PAYOFF for value in payoffs):
            self.refuse(f"the payoffs are {_listing(payoffs)}, not finite numbers", path)
        if self.total is None:
            return
        total = math.fsum(map(float, payoffs))
        if abs(total - self.total) > 1e-6 * max(1.0, *(abs(value) for value in payoffs)):
            self.refuse(
                f"the payoffs {_listing(payoffs)} add up to {total:g}, but utility_sum is"
                f" {float(self.total):g}",
                path,
            )

    def after(self, state: State, path: Moves, move: Action) -> State:
        """The state after a move."""
        following: State | None = self.ask(path, f"after({move!r})", lambda: state.after(move))
        if following is None or following is state:
            what = "None" if following is None else "the state itself"
            self.refuse(f"after({move!r}) returns {what}, not a new state", path)
        return following

    def unchanged(self, state: State, path: Moves, actor: int, moves: Sequence[Action]) -> None:
        """Refuse a state that its moves have changed."""
        same = self.actor(state, path) == actor
        if same and actor >= 0:
            same = tuple(self.ask(path, "actions", state.actions)) == tuple(moves)
        if not same:
            self.refuse("a move changes the state; after must return a new one", path)

    def words(self, state: State, path: Moves, actions: Sequence[Action]) -> None:
        """What tables show to people."""
        questions: list[tuple[str, Callable[[], object]]] = [
            *((f"infoset({p})", partial(state.infoset, p)) for p in range(self.num_players)),
            *((f"describe({p})", partial(state.describe, p)) for p in range(self.num_players)),
            ("describe(None)", partial(state.describe, None)),
            *((f"action_label({a!r})", partial(self.game.action_label, a)) for a in actions),
        ]
        for name, question in questions:
            words = self.ask(path, name, question)
            if not isinstance(words, str):
                self.refuse(f"{name} is {_text(words)}, not a text", path)

    def listed(self, value: Any, name: str, path: Moves) -> tuple[Any, ...]:
        """What a method returned, which must be a list or a tuple."""
        if isinstance(value, Mapping | Set) or not hasattr(value, "__getitem__"):
            kind = type(value).__name__
            self.refuse(f"{name} returns {_text(value)}, a {kind} and not a tuple", path)
        return tuple(value)

    def distinct(self, moves: Sequence[Any], noun: str, path: Moves) -> None:
        """Refuse moves that are no texts, or that come twice."""
        for move in moves:
            if not isinstance(move, str):
                self.refuse(f"the {noun} {_text(move)} is no text", path)
        if len(set(moves)) < len(moves):
            twice = next(move for move in moves if moves.count(move) > 1)
            self.refuse(f"the {noun} {_text(twice)!r} comes twice", path)

    def ask(self, path: Moves, name: str, question: Callable[[], Answer]) -> Answer:
        """What the game answers; an error of its own names the method."""
        try:
            return question()
        except (Exception, SystemExit) as error:
            words = f"{name} fails with {program_error(error)}"
            raise GameError(f"{self.game.name}, {self.place(path)}: {words}.") from error

    def refuse(self, words: str, path: Moves = None) -> NoReturn:
        raise GameError(f"{self.game.name}, {self.place(path)}: {words}.")

    def place(self, path: Moves) -> str:
        moves = []
        while path is not None:
            path, move = path
            moves.append(move)
        return place_in_words(moves[::-1])


def _is_finite(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except (TypeError, ValueError, OverflowError):
        return False


def _listing(values: Sequence[Any]) -> str:
    texts = [_text(value) for value in values[:8]]
    return ", ".join(texts) + " …" * (len(values) > 8)
