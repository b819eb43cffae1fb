"""A dealer of the Annual Computer Poker Competition: deals a match and keeps its log.

Each seat has its own port, as the reference dealer has it. The players move one position per hand.
Where the reference dealer gives up the match (a player late or gone), this one plays on: the late
player checks or folds, and one that is gone or late too often does so for the rest of the match.

A seed deals the same cards as there (_shuffler.py).
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from typing import cast

import numpy as np

from riverboat.arena.hand import ActionTaken, Dealt, Event, play_hand
from riverboat.errors import FileFormatError, UsageError
from riverboat.games.base import Action
from riverboat.holdem.acpc import _messages as acpc
from riverboat.holdem.acpc._line import Connection, dismiss
from riverboat.holdem.acpc._shuffler import Shuffler
from riverboat.holdem.acpc.definitions import load_game
from riverboat.holdem.acpc.lobby import seat_players
from riverboat.holdem.histories.files import GrowingFile
from riverboat.holdem.histories.phh import write_phh
from riverboat.holdem.rules.betting import CALL, FOLD
from riverboat.holdem.rules.state import Holdem, HoldemState
from riverboat.holdem.rules.table import deal_from_deck
from riverboat.players.player import View

MAX_LATE = 3  # A seat that is late this many times running is not waited for again
MAX_NOISE = 1000
"""A seat that answers one request with this many useless lines is not listened to again."""
_UNUSED = np.random.default_rng(0)
"""The hand loop hands every player a generator; players over a connection draw for themselves."""


@dataclass(frozen=True)
class AcpcResult:
    """What came of a match."""

    names: tuple[str, ...]
    totals: tuple[float, ...]
    hands: int
    log: tuple[str, ...]
    complaints: tuple[str, ...]

    @property
    def score(self) -> str:
        """The last line of the log: every player's chips."""
        return acpc.format_score(self.totals, self.names)

    def as_dict(self) -> dict[str, object]:
        """The result for a program."""
        chips = dict(zip(self.names, self.totals, strict=True))
        return {"hands": self.hands, "chips": chips, "complaints": list(self.complaints)}


@dataclass
class AcpcMatch:
    """A match in progress. `play` deals all hands; `result` is its state at any time."""

    game: Holdem
    hands: int
    seed: int
    names: Sequence[str]
    timeout: float = 60.0  # Seconds for an action
    fixed_seats: bool = False
    label: str = "match"
    complain: Callable[[str], None] = lambda text: None
    finished: Callable[[HoldemState, int, list[str]], None] = lambda state, hand, names: None
    """Called after each hand with its last state, its number and the names by position."""
    noted: Callable[[str], None] = lambda line: None
    """Called with each line of the log as soon as it is known, so that none is lost."""
    trace: Callable[[str, int, str], None] = lambda way, seat, line: None
    """Called with "TO" or "FROM", the seat's number from 1, and each line."""
    hand_timeout: float = inf  # Seconds for all the actions of a player in a hand
    mean_timeout: float = inf
    """Seconds per hand over the whole match: a player may take this times the hands in all."""
    clock: Callable[[], float] = time.monotonic  # Seconds by which the limits are kept
    totals: list[float] = field(init=False)
    log: list[str] = field(init=False)
    complaints: list[str] = field(init=False, default_factory=list)
    played: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        if self.hands < 1:
            raise UsageError("A match has at least one hand.")
        if min(self.timeout, self.hand_timeout, self.mean_timeout) <= 0:
            raise UsageError("The time for an action must be above 0 seconds.")
        if len(self.names) != self.game.players or len(set(self.names)) != len(self.names):
            raise UsageError(f"A match of this game needs {self.game.players} different names.")
        if any(set(name) & set(":|\r\n") or not name for name in self.names):
            raise UsageError("A player's name must not be empty nor hold a colon or a bar.")
        self.totals = [0.0] * len(self.names)
        self.log = [f"# name/game/hands/seed {self.label} {self.hands} {self.seed}"]
        limits = {
            "t_response": self.timeout,
            "t_hand": self.hand_timeout,
            "t_per_hand": self.mean_timeout,
        }
        self.log += [f"#--{name} {round(s * 1000)}" for name, s in limits.items() if s < inf]

    def play(
        self, seats: Sequence[Connection], progress: Callable[[int], None] = lambda hand: None
    ) -> AcpcResult:
        """Deal every hand to connected players."""
        for line in self.log:
            self.noted(line)
        table = [_Seat(seat) for seat in seats]
        shuffler = Shuffler(self.game, self.seed)
        for hand in range(self.hands):
            shift = 0 if self.fixed_seats else hand % self.game.players
            self._play_hand(hand, shift, table, shuffler.deal())
            self.played += 1
            progress(self.played)
        self._note(acpc.format_score(self.totals, self.names))
        return self.result()

    def result(self) -> AcpcResult:
        log, complaints = tuple(self.log), tuple(self.complaints)
        return AcpcResult(tuple(self.names), tuple(self.totals), self.played, log, complaints)

    def _play_hand(self, hand: int, shift: int, table: Sequence[_Seat], dealt: list[int]) -> None:
        players = self.game.players
        # Position p is played by seat p + shift, so that the button goes round.
        at = [(position + shift) % players for position in range(players)]
        for seat in table:
            seat.hand_seconds = 0.0
        state = self.game.start()

        def answer(number: int) -> Action:
            self._show(state, hand, at, table, dealt)
            return self._ask(table[number], number, state, hand, dealt)

        def follow(event: Event) -> None:
            nonlocal state
            if isinstance(event, Dealt | ActionTaken):
                state = cast(HoldemState, event.after)

        seats = [_Remote(self.names[seat], partial(answer, seat)) for seat in at]
        record = play_hand(
            self.game, seats, deal_from_deck(dealt), [_UNUSED] * players, listener=follow
        )
        for position, gain in enumerate(record.returns):
            self.totals[at[position]] += gain
        names = [self.names[seat] for seat in at]
        self._note(acpc.format_log(state, hand, names, dealt))
        self.finished(state, hand, names)
        self._show(state, hand, at, table, dealt)

    def _show(
        self,
        state: HoldemState,
        hand: int,
        at: Sequence[int],
        table: Sequence[_Seat],
        dealt: Sequence[int],
    ) -> None:
        """Every player gets the state as seen from the own position."""
        for number, seat in enumerate(table):
            if not seat.gone:
                line = acpc.format_match_state(state, at.index(number), hand, dealt)
                self.trace("TO", number + 1, line)
                try:
                    seat.connection.send(line)
                except ConnectionError as error:
                    self._lose(seat, number, str(error))

    def _ask(
        self, seat: _Seat, number: int, state: HoldemState, hand: int, dealt: Sequence[int]
    ) -> Action:
        """The action of the player to act, made legal; a check or fold where none comes."""
        sent = acpc.format_match_state(state, state.actor, hand, dealt)
        start = self.clock()
        match_left = self.mean_timeout * self.hands - seat.match_seconds
        deadline = start + min(self.timeout, self.hand_timeout - seat.hand_seconds, match_left)
        for _ in range(MAX_NOISE):
            # Who has used up the time of the hand is not asked again in it.
            if seat.gone or deadline <= start:
                break
            try:
                line = seat.connection.receive(max(0.0, deadline - self.clock()))
            except ConnectionError as error:
                self._lose(seat, number, str(error))
                break
            if line is None:
                self._late(seat, number, hand)
                seat.spend(self.clock() - start)
                if seat.match_seconds >= self.mean_timeout * self.hands:
                    self._lose(seat, number, "the time for the match is used up")
                break
            self.trace("FROM", number + 1, line)
            answer = self._answer(sent, line, number, hand)
            if answer is not None:
                seat.late = 0
                seat.spend(self.clock() - start)
                action, complaint = acpc.legal_action(state, answer)
                if complaint:
                    self._complain(f"hand {hand}: {self.names[number]}: {complaint}")
                return action
        else:
            self._lose(seat, number, f"{MAX_NOISE} lines without an answer")
        return FOLD if FOLD in state.actions() else CALL

    def _answer(self, sent: str, line: str, number: int, hand: int) -> str | None:
        """The action in a line that answers the one sent; None for any other line."""
        if line.startswith(f"{sent}:"):
            return line[len(sent) + 1 :]
        if not line or line[0] in "#;":
            return None
        try:
            received = acpc.parse_match_state(line)
        except FileFormatError:
            self._complain(f"hand {hand}: {self.names[number]}: ignored {line[:60]!r}")
            return None
        if not acpc.answers(acpc.parse_match_state(sent), received):
            self._complain(f"hand {hand}: {self.names[number]}: ignored an unrequested response")
            return None
        return received.answer or ""

    def _late(self, seat: _Seat, number: int, hand: int) -> None:
        seat.late += 1
        self._complain(f"hand {hand}: {self.names[number]}: no action in {self.timeout:g} s")
        if seat.late >= MAX_LATE:
            self._lose(seat, number, f"late {MAX_LATE} times running")

    def _lose(self, seat: _Seat, number: int, reason: str) -> None:
        seat.gone = True
        seat.connection.close()
        self._complain(f"{self.names[number]} is gone ({reason}) and checks or folds from here on")

    def _note(self, line: str) -> None:
        self.log.append(line)
        self.noted(line)

    def _complain(self, text: str) -> None:
        self.complaints.append(text)
        self._note(f"# {text}")
        self.complain(text)


@dataclass(frozen=True)
class MatchOrder:
    """Which match to deal; `players` None names the seats player1, player2, …"""

    name: str
    game: str
    hands: int
    seed: int
    players: Sequence[str] | None = None

    @classmethod
    def parse(cls, words: Sequence[str]) -> MatchOrder:
        """The command line of the competition's dealer: NAME GAME HANDS SEED PLAYER PLAYER …"""
        try:
            name, game, hands, seed, *players = words
            order = cls(name, game, int(hands), int(seed), players)
        except ValueError:
            raise UsageError(
                "A match is given as NAME GAME HANDS SEED PLAYER PLAYER …, or by options."
            ) from None
        # As there, names beyond the game's seats are passed over.
        return replace(order, players=players[: load_game(game).players])

    def match(self, limits: Sequence[float], *, fixed_seats: bool = False) -> AcpcMatch:
        """The match, with `limits` in seconds for an action, for a hand, and per hand on average.

        Raises:
            UsageError: names, hands or limits do not fit the game.
        """
        game = load_game(self.game)
        seats = [f"player{seat + 1}" for seat in range(game.players)]
        names = seats if self.players is None else self.players
        return AcpcMatch(
            game,
            self.hands,
            self.seed,
            names,
            timeout=limits[0],
            hand_timeout=limits[1],
            mean_timeout=limits[2],
            fixed_seats=fixed_seats,
            label=f"{self.name} {self.game}",
        )


def host_match(
    match: AcpcMatch,
    listeners: Sequence[socket.socket],
    *,
    wait: float | None = None,
    log: str | None = None,
    phh: str | None = None,
) -> AcpcResult:
    """Wait for a player at each listener, play the match and write it down as it goes.

    Args:
        match: What is played.
        listeners: One for each seat, from `listen`; they are closed once all players are there.
        wait: Seconds to wait for the players; None waits forever.
        log: File for the log of the match.
        phh: File for the hands as PHH.
    """
    connections = seat_players(listeners, wait, match.complain)
    for listener in listeners:
        listener.close()
    with ExitStack() as open_files:
        open_files.callback(dismiss, connections)
        if log is not None:
            lines = open_files.enter_context(closing(GrowingFile(log)))
            match.noted = lambda line: lines.add(f"{line}\n")
        if phh is not None:
            hands = open_files.enter_context(closing(GrowingFile(phh)))
            match.finished = lambda state, hand, at: hands.add(
                f"[{hand + 1}]\n{write_phh(state, players=at, hand=hand)}\n"
            )
        return match.play(connections)


@dataclass
class _Remote:
    """A player of the hand loop whose answers come over a connection."""

    name: str
    answer: Callable[[], Action]

    def choose(self, view: View, rng: np.random.Generator) -> Action:
        return self.answer()


@dataclass
class _Seat:
    connection: Connection
    late: int = 0
    gone: bool = False
    hand_seconds: float = 0.0
    match_seconds: float = 0.0

    def spend(self, seconds: float) -> None:
        self.hand_seconds += seconds
        self.match_seconds += seconds
