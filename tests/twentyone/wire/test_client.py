"""The player's end: transcripts of real dealers' habits, and whole matches over TCP."""

import itertools
import socket
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from riverboat.errors import UsageError
from riverboat.twentyone.game import Result
from riverboat.twentyone.learning.online import LiteralPlayer
from riverboat.twentyone.learning.players import SeatedPlayer, seat_greedy, seat_named
from riverboat.twentyone.learning.q_table import QTable
from riverboat.twentyone.wire.client import ClientOptions, PlayerSession, connect, join_table, play
from seats import Threshold, seated
from waiting import PATIENCE

RNG = np.random.default_rng(0)


ROUND = [
    "BEGIN",
    "CARD Ten of Clubs",
    "CARD Six of Hearts",
    "DEALER Ace of Spades",
    "DECISION",
    "CARD Five of Diamonds",
    "DECISION",
    "RESULT WIN",
]
SEEN = ["6T|A", "56T|A"]


def wire(messages: Sequence[str], end: str = "\0") -> bytes:
    return "".join(message + end for message in messages).encode()


def run(stream: bytes, cuts: Sequence[int] = ()) -> tuple[PlayerSession, Threshold, bytes]:
    mind = Threshold()
    session = PlayerSession(SeatedPlayer(mind, RNG))
    edges = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    said = b""
    for start, end in itertools.pairwise(edges):
        if start < end:
            said += session.receive(stream[start:end])
    return session, mind, said


def test_a_round_as_the_wire_gives_it() -> None:
    session, mind, said = run(wire([*ROUND, "QUIT"]))
    assert session.opening() == b"JOIN ada\t\0"
    assert said == b"HIT\0STAND\0"
    assert mind.seen == SEEN
    assert mind.results == [Result.WIN]
    assert session.ended == "the dealer said QUIT"
    assert (session.games, session.score) == (1, 1)


@given(st.lists(st.integers(0, 500), max_size=20))
def test_packets_do_not_matter(cuts: list[int]) -> None:
    session, mind, said = run(wire([*ROUND, *ROUND, "QUIT"]), cuts)
    assert said == b"HIT\0STAND\0" * 2
    assert mind.seen == SEEN * 2
    assert session.tally[Result.WIN] == 2


@pytest.mark.parametrize(
    ("word", "result"),
    [
        ("LOSE", Result.LOSE),
        ("LOOSE", Result.LOSE),
        ("LOSS", Result.LOSE),
        ("BUST", Result.BUST),
        ("PUSH", Result.PUSH),
        ("win", Result.WIN),
    ],
)
def test_results_in_all_their_spellings(word: str, result: Result) -> None:
    _, mind, _ = run(wire([*ROUND[:-1], f"RESULT {word}"]))
    assert mind.results == [result]


class Searching(Threshold):
    """One whose time can be limited."""

    def limit_time(self, seconds: float) -> None:
        assert seconds < 0.027


@pytest.mark.parametrize("player", [Threshold(), Searching()])
def test_quit_after_a_slow_answer_is_explained(player: Threshold) -> None:
    """The instructor's dealer waits for 27 ms and then says QUIT; a person cannot think less."""
    times = iter([0.0, 0.5])
    session = PlayerSession(SeatedPlayer(player, RNG), clock=lambda: next(times))
    assert session.receive(wire(ROUND[:5])) == b"HIT\0"
    session.receive(b"QUIT\0")
    assert session.ended.startswith("the dealer said QUIT after an answer that took 500 ms")
    assert ("mcts?ms=5" in session.ended) == isinstance(player, Searching)


@pytest.mark.parametrize("seconds", [0.001, 1.0])
def test_quit_at_the_end_of_a_match_needs_no_explanation(seconds: float) -> None:
    times = itertools.count(0.0, seconds)
    session = PlayerSession(SeatedPlayer(Threshold(), RNG), clock=lambda: next(times))
    session.receive(wire([*ROUND, "QUIT"]))
    assert session.ended == "the dealer said QUIT"


def test_join_is_sent_once() -> None:
    ours, theirs = socket.socketpair()
    session = PlayerSession(SeatedPlayer(Threshold(), RNG))
    join_table(ours, session)
    theirs.sendall(b"QUIT\0")
    play(ours, session)
    assert theirs.recv(100) == b"JOIN ada\t\0"
    assert theirs.recv(100) == b""
    theirs.close()


def test_the_searching_player_answers_a_dealer_in_time_by_default() -> None:
    """Half of the ten milliseconds is searched; a budget that was asked for stays."""
    for spec, simulations, ms in (
        ("mcts", 100_000, 5.0),
        ("mcts?ms=200", None, 200.0),
        ("mcts?simulations=500", 500, None),
    ):
        seat = seat_named(spec, RNG)
        PlayerSession(seat)
        player: Any = seat.player
        budget = player.budget
        assert (budget.simulations, budget.ms) == (simulations, ms)


def test_a_bust_reported_as_a_loss_and_begin_only_once() -> None:
    bust = [*ROUND[:5], "CARD King of Diamonds", "RESULT LOOSE"]
    _, mind, said = run(wire([*bust, *ROUND[1:], *ROUND[1:]]))
    assert said == b"HIT\0" + b"HIT\0STAND\0" * 2
    assert mind.seen[1:3] == SEEN
    assert mind.results == [Result.LOSE, Result.WIN, Result.WIN]


def test_messages_without_nul_are_taken_after_a_silence() -> None:
    session = PlayerSession(seated())
    said = b""
    for message in [*ROUND, "QUIT"]:
        said += session.receive(message.encode())
        assert session.pending == (message not in ("DECISION", "QUIT"))
        said += session.silence()
        assert not session.pending
    assert said == b"HIT\0STAND\0"
    assert session.ended


def test_messages_run_together_without_nul() -> None:
    session = PlayerSession(seated())
    assert session.receive(wire(ROUND[:3], "")) == b""
    assert session.receive(wire(ROUND[3:5], "")) == b"HIT\0"
    assert session.receive(b"\0") == b""


def test_half_a_message_is_waited_for() -> None:
    session = PlayerSession(seated())
    session.receive(b"BEGIN\0CARD Ten of Cl")
    assert session.pending
    assert session.silence() == b""
    assert not session.pending
    session.receive(b"ubs\0")
    assert session.cards == ["Tc"]
    assert session.unknown == 0


def test_the_last_message_may_lack_its_nul_and_quit_may_not_come() -> None:
    session, mind, _ = run(wire(ROUND[:-1]) + b"RESULT PUSH")
    session.hang_up("gone")
    assert mind.results == [Result.PUSH]
    assert session.ended == "gone"


def test_oddities_that_change_nothing() -> None:
    odd = [
        *ROUND[:4],
        "DEALER King of Clubs",
        "WELCOME",
        "",
        *ROUND[4:],
        "RESULT WIN",
        "begin\r\n",
        "QUIT",
        "BEGIN",
    ]
    session, mind, said = run(wire(odd))
    assert said == b"HIT\0STAND\0"
    assert mind.seen == SEEN
    assert mind.results == [Result.WIN]
    assert session.unknown == 1


def test_a_decision_without_cards_is_answered() -> None:
    assert run(wire(["BEGIN", "DECISION"]))[2] == b"STAND\0"


def test_a_dealer_without_end_is_left() -> None:
    session, _, _ = run(b"x" * 100_000)
    assert session.ended == "the dealer sent a message without an end"


@given(st.lists(st.binary(max_size=50), max_size=10))
def test_any_bytes_are_survived(packets: list[bytes]) -> None:
    session = PlayerSession(seated())
    for packet in packets:
        session.receive(packet)
        session.silence()
    session.hang_up("gone")
    assert session.ended


def fake_dealer(packets: Sequence[bytes]) -> tuple[int, threading.Thread]:
    """Sends the packets one by one, waiting for an answer after each that asks; then closes."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with listener, listener.accept()[0] as sock:
            sock.settimeout(PATIENCE)
            assert sock.recv(100) == b"JOIN ada\t\0"
            for packet in packets:
                sock.sendall(packet)
                if b"DECISION" in packet:
                    assert sock.recv(100) in (b"HIT\0", b"STAND\0")

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    return listener.getsockname()[1], thread


@pytest.mark.parametrize("end", ["\0", ""], ids=["NUL", "no NUL"])
@pytest.mark.parametrize("quits", [True, False])
def test_dealers_that_forget_nul_or_quit(end: str, quits: bool) -> None:
    messages = [wire([message], end) for message in [*ROUND, *ROUND, *(["QUIT"] if quits else [])]]
    port, thread = fake_dealer(messages)
    mind = Threshold()
    session = PlayerSession(SeatedPlayer(mind, RNG))
    play(connect("127.0.0.1", port, 1), session, ClientOptions(quiet=0.02, patience=PATIENCE))
    thread.join(PATIENCE)
    assert mind.results == [Result.WIN, Result.WIN]
    assert session.ended.startswith("the dealer said QUIT" if quits else "the dealer is gone")


def test_a_silent_dealer_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        session = PlayerSession(seated())
        sock = connect("127.0.0.1", listener.getsockname()[1], 1)
        play(sock, session, ClientOptions(patience=0.02))
    assert session.ended == "the dealer is gone (no answer)"


def test_nobody_there_is_one_sentence() -> None:
    with socket.socket() as taken:  # so that nobody else listens there meanwhile
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"Nobody deals at 127.0.0.1:{port}"):
            connect("127.0.0.1", port, 0.0)


@pytest.mark.parametrize("pace", [0.0, 0.001, None])
def test_a_match_over_tcp_agrees_at_both_ends(serve: Any, pace: float | None) -> None:
    games = 300 if pace == 0.0 else 4
    served = serve(players=1, games=games, pace=pace, careful_pace=0.001)
    session = PlayerSession(seated())
    play(connect("127.0.0.1", served.port, 5), session)
    seat = served.finish()[0]
    assert session.ended == "the dealer said QUIT"
    assert session.games == seat.games == games
    assert [seat.wins, seat.losses, seat.busts, seat.pushes] == [
        session.tally[r] for r in (Result.WIN, Result.LOSE, Result.BUST, Result.PUSH)
    ]


def test_learning_at_the_table_fills_the_averages(serve: Any) -> None:
    """Every decision of a hand gets the hand's return; averages are those of the results."""
    table = QTable.empty("points")
    served = serve(players=1, games=400)
    session = PlayerSession(SeatedPlayer(LiteralPlayer("ada", table), np.random.default_rng(3)))
    play(connect("127.0.0.1", served.port, 5), session)
    served.finish()
    acts = served.events("act")
    assert int(table.counts.sum()) == len(acts)
    assert int(table.counts[:, 0].sum()) == sum(act["action"] == "HIT" for act in acts)
    stood = {act["round"] for act in acts if act["action"] == "STAND"}
    paid = {"WIN": 1, "LOSE": -1, "PUSH": 0}
    rounds = [event for event in served.events("round") if event["round"] in stood]
    total = sum(paid[event["results"][0]] for event in rounds)
    assert float((table.values[:, 1] * table.counts[:, 1]).sum()) == pytest.approx(total)


def test_a_named_player_decides_as_in_the_registry() -> None:
    rng = np.random.default_rng(0)
    bot = seat_named("basic", rng)
    assert bot.decide(["Tc", "6d"], "Th")
    assert bot.decide(["Tc", "6d"], "Th")
    assert not bot.decide(["Tc", "6d"], "6h")
    dice = seat_named("random", rng, "dice")
    assert dice.name == "dice"
    assert {dice.decide(["Tc", "6d"], "Th") for _ in range(50)} == {True, False}


def test_a_q_table_is_played_greedily() -> None:
    table = QTable.empty("points")
    table.record("8T|7", "s", 1.0)
    bot = seat_greedy("ada", table, np.random.default_rng(0))
    assert not bot.decide(["Tc", "8c"], "7h")
    table.record("8T|7", "h", 2.0)
    bot = seat_greedy("ada", table, np.random.default_rng(0))
    assert bot.decide(["Kc", "8c"], "7h")
