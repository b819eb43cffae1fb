"""Stand-ins of the programs that really speak this wire, with their habits, at our tables and ours
at theirs.

Those players take one `read()` for one message, into buffers of 25 to 1,024 bytes. Those dealers
sleep between messages because they know it, and differ in what they send. The pauses here are as
long as a busy machine needs to read in between.
"""

import itertools
import socket
import threading
import time
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from riverboat.twentyone.game import Result, dealer_draws, is_bust, points, result
from riverboat.twentyone.learning.online import learning_player
from riverboat.twentyone.learning.players import SeatedPlayer, seat_named
from riverboat.twentyone.learning.q_table import QTable
from riverboat.twentyone.table import shuffled_decks
from riverboat.twentyone.wire.client import ClientOptions, PlayerSession, connect, play
from riverboat.twentyone.wire.codec import CARD, DEALER, read
from seats import Threshold
from waiting import PATIENCE

GAMES = 3


@dataclass
class StandInPlayer:
    """Reads up to `size` bytes, takes what comes before the first NUL for the message."""

    size: int
    joining: bytes
    hit: bytes
    stand: bytes
    results: list[str] = field(default_factory=list)
    lost: list[bytes] = field(default_factory=list)
    """Packets of which it has seen a part only."""

    def play(self, port: int) -> None:
        cards: list[str] = []
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as sock:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sock.sendall(self.joining)
            while data := sock.recv(self.size):
                if data.count(b"\0") != 1 or not data.endswith(b"\0"):
                    self.lost.append(data)
                    return
                text = data.split(b"\0")[0].decode()
                word = text.split()[0]
                if word == "BEGIN":
                    cards = []
                elif word == "CARD":
                    cards.append(read(text.encode())[0].card)
                elif word == "DECISION":
                    sock.sendall(self.hit if points(cards) < 17 else self.stand)
                elif word == "RESULT":
                    self.results.append(text.split()[1])
                elif word == "QUIT":
                    return


def padded(text: bytes, size: int) -> bytes:
    return text.ljust(size, b"\0")


STAND_INS = [
    StandInPlayer(25, b"JOIN twenty_five\0", b"HIT\0", b"STAND\0"),
    StandInPlayer(30, b"JOIN thirty\0", b"HIT\0", b"STAND\0"),
    StandInPlayer(80, padded(b"JOIN eighty", 80), padded(b"HIT", 80), padded(b"STAND", 80)),
    StandInPlayer(500, b"JOIN no_nul", b"HIT", b"STAND"),
    StandInPlayer(1024, b"JOIN dirty\0", b"HIT\0D\0", b"STAND\0"),
]


def test_players_of_every_buffer_play_all_their_games(serve: Any) -> None:
    """Seed 5 deals long names too: a probe of two messages in a packet would lose the first two.

    Where a busy machine held up a reader for longer than the pause, it is tried with a longer one.
    """
    for pace in (0.2, 1.0, 4.0):
        served = serve(
            players=1,
            games=GAMES,
            tables=5,
            pace=None,
            careful_pace=pace,
            quiet=0.02,
            unterminated_pace=pace,
        )
        players = [replace(one, results=[], lost=[]) for one in STAND_INS]
        threads = [threading.Thread(target=one.play, args=(served.port,)) for one in players]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        seats = {seat.name: seat for seat in served.finish()}
        if not any(one.lost for one in players):
            break
    assert set(seats) == {"twenty_five", "thirty", "eighty", "no_nul", "dirty"}
    for one in players:
        assert len(one.results) == GAMES
        assert one.lost == []
    assert all(seat.folded == "" and seat.games == GAMES for seat in seats.values())


@dataclass
class StandInDealer:
    """A dealer for one player, as other programs are."""

    pause: float = 0.026
    nul: bytes = b"\0"
    quits: bool = True
    begins_once: bool = False
    asks_after_a_bust: bool = False
    shows_again: bool = False
    results: list[Result] = field(default_factory=list)

    def open(self) -> int:
        self.listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self.deal, daemon=True).start()
        return int(self.listener.getsockname()[1])

    def deal(self) -> None:
        with self.listener, self.listener.accept()[0] as sock:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sock.settimeout(PATIENCE)
            self.sock = sock
            assert sock.recv(80).startswith(b"JOIN ")
            for number, deck in enumerate(itertools.islice(shuffled_decks(1), GAMES)):
                if number == 0 or not self.begins_once:
                    self.say(b"BEGIN")
                self.results.append(self.round(list(deck)))
            if self.quits:
                self.say(b"QUIT")

    def say(self, text: bytes) -> None:
        time.sleep(self.pause)
        self.sock.sendall(text.rstrip(b"\0") + self.nul)

    def ask(self) -> bool:
        self.say(b"DECISION")
        answer = self.sock.recv(80)
        assert answer in (b"HIT\0", b"STAND\0")
        return answer == b"HIT\0"

    def round(self, deck: list[str]) -> Result:
        hand, dealer = [deck[0], deck[2]], [deck[1], deck[3]]
        del deck[:4]
        for card in hand:
            self.say(CARD[card])
        self.say(DEALER[dealer[1]])
        while self.ask():
            hand.append(deck.pop(0))
            self.say(CARD[hand[-1]])
            if self.shows_again:
                self.say(DEALER[dealer[1]])
            if is_bust(hand) and not self.asks_after_a_bust:
                break
        while not is_bust(hand) and dealer_draws(dealer):
            dealer.append(deck.pop(0))
        outcome = result(hand, dealer)
        lost = outcome in (Result.BUST, Result.LOSE)
        self.say(b"RESULT " + (b"LOOSE" if lost else outcome.value.encode()))
        return Result.LOSE if lost else outcome


DEALERS = {
    "26 ms": StandInDealer(),
    "50 ms": StandInDealer(pause=0.05),
    "no NUL": StandInDealer(nul=b""),
    "no QUIT": StandInDealer(quits=False),
    "BEGIN once": StandInDealer(begins_once=True),
    "DECISION after a bust": StandInDealer(asks_after_a_bust=True),
    "DEALER again": StandInDealer(shows_again=True),
    "all at once": StandInDealer(0.05, b"", False, True, True, True),
}


def players() -> dict[str, SeatedPlayer]:
    """One that busts often, one that learns, one that searches."""
    rng = np.random.default_rng(0)
    learner = learning_player("learner", QTable.empty("points"), "on-policy")
    return {
        "bold": SeatedPlayer(Threshold("bold", 19), rng),
        "learner": SeatedPlayer(learner, rng),
        "mcts": seat_named("mcts?simulations=20", rng, "mcts"),
    }


@pytest.mark.parametrize("name", players())
def test_our_players_play_all_games_at_every_dealer(name: str) -> None:
    sessions: dict[str, PlayerSession] = {}
    threads, dealers = [], {habit: replace(one, results=[]) for habit, one in DEALERS.items()}
    players()[name].warm_up()
    for habit, dealer in dealers.items():
        sessions[habit] = PlayerSession(players()[name])
        sock = connect("127.0.0.1", dealer.open(), 5)
        options = ClientOptions(patience=PATIENCE)
        threads.append(threading.Thread(target=play, args=(sock, sessions[habit], options)))
        threads[-1].start()
    for thread in threads:
        thread.join(PATIENCE)
    for habit, session in sessions.items():
        assert (habit, session.games) == (habit, GAMES)
        heard = {outcome: dealers[habit].results.count(outcome) for outcome in Result}
        assert session.tally == heard
        assert session.unknown == 0
        assert session.seated.trouble == ""
