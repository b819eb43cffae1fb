"""A live dealer: the sequence on the wire, and every fault a peer can have.

Each fault is played beside a well-behaved player, whose games must all be played, and each log
must verify from its seed.
"""

import contextlib
import itertools
import json
import signal
import socket
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from riverboat.errors import ParameterError, UsageError
from riverboat.twentyone.events import Event, Joined, Refused
from riverboat.twentyone.table import Table, shuffled_decks
from riverboat.twentyone.wire._host import Host
from riverboat.twentyone.wire.codec import Announcer
from riverboat.twentyone.wire.line import HostOptions, Line
from riverboat.twentyone.wire.server import Dealer, DealerOptions, LogOptions
from waiting import PATIENCE

GAMES = 4


def folded(served: Any) -> list[str]:
    return [event["reason"] for event in served.events("fold")]


def test_the_sequence_is_that_of_the_wire(serve: Any, peers: Any) -> None:
    served = serve(players=1, games=2)
    peer = peers(served, "ada")
    received = peer.stand_to_the_end()
    seat = served.finish()[0]
    results = [m for m in received if m.startswith("RESULT")]
    words = [m.split()[0] for m in received]
    assert words == ["BEGIN", "CARD", "CARD", "DEALER", "DECISION", "RESULT"] * 2 + ["QUIT"]
    assert (seat.name, seat.games, seat.wins) == ("ada", 2, results.count("RESULT WIN"))


def test_what_goes_over_the_wire_is_what_the_table_says(serve: Any, peers: Any) -> None:
    """Two players against a table driven by hand from the same seed."""
    served = serve(players=2, games=6)
    ada = peers(served, "ada")
    served.wait_for(1)
    bob = peers(served, "bob")
    announcer = Announcer(2)
    table = Table(["ada", "bob"], 6, shuffled_decks(5), announcer.receive)
    table.start()
    received: dict[int, list[str]] = {0: [], 1: []}
    hits = itertools.cycle([True, False, True, True, False])
    while not table.finished:
        peer = (ada, bob)[table.asking]
        received[table.asking] += peer.receive_until("DECISION")
        hit = next(hits)
        peer.say("HIT" if hit else "STAND")
        table.answer(hit)
    for number, peer in enumerate((ada, bob)):
        received[number] += peer.receive_until("QUIT")
        assert received[number] == [raw[:-1].decode() for raw in announcer.outbox[number]]
        assert peer.receive() == ""
    served.finish()


def test_a_paced_dealer_sends_one_message_a_packet(serve: Any, peers: Any) -> None:
    """A peer that takes each read for one message, as many programs do, loses nothing."""
    served = serve(players=1, games=1, pace=0.12)
    peer = peers(served, "one_message_a_read")
    words = []
    while data := peer.sock.recv(1024):
        text = data.split(b"\0")[0].decode()
        words.append(text.split()[0])
        if text == "DECISION":
            peer.say("STAND")
    assert words == ["BEGIN", "CARD", "CARD", "DEALER", "DECISION", "RESULT", "QUIT"]
    served.finish()


@pytest.mark.parametrize(
    "joining", [b"JOIN peer\0", b"JOIN peer \0", b"JOIN peer\0\0\0", b"JOIN peer"]
)
def test_automatic_pace_is_safe_for_whoever_does_not_ask_for_more(
    serve: Any, peers: Any, joining: bytes
) -> None:
    """One message a read, from the first to the last, however hard the peer hits."""
    served = serve(players=1, games=2, pace=None, careful_pace=0.06, unterminated_pace=0.06)
    peer = peers(served)
    peer.send(joining)
    reads = []
    while data := peer.sock.recv(4096):
        reads.append(data)
        if data == b"DECISION\0":
            peer.say("HIT")
    assert [data.count(b"\0") for data in reads] == [1] * len(reads)
    assert served.finish()[0].folded == ""


def test_automatic_pace_does_not_pause_for_players_that_frame(serve: Any, peers: Any) -> None:
    """With this pause a single round would take longer than the test may."""
    served = serve(players=1, games=50, pace=None, careful_pace=10.0)
    peer = peers(served)
    peer.send(b"JOIN ada\t\0")
    assert peer.stand_to_the_end().count("DECISION") == 50
    assert served.finish()[0].name == "ada"


def test_the_pause_follows_from_the_join(serve: Any, peers: Any) -> None:
    """26 ms, but 40 for programs that end no message with NUL, and none for those that frame."""
    served = serve(players=4, games=1, pace=None, quiet=0.01)
    for number, joining in enumerate((b"JOIN plain\0", b"JOIN bare", b"JOIN ours\t\0"), 1):
        peers(served).send(joining)
        served.wait_for(number)
    paces = {line.name: line.pace for line in served.dealer.host.lobby}
    assert paces == {"plain": 0.026, "bare": 0.040, "ours": 0.0}
    served.dealer.close()


PLAIN_JOIN, PLAIN_STAND = [b"JOIN odd\0"], [b"STAND\0"]


@pytest.mark.parametrize(
    ("joining", "deciding"),
    [
        ([b"JOIN odd"], PLAIN_STAND),
        ([b"join odd\n"], PLAIN_STAND),
        ([b"\0\0JOIN odd\0\0\0"], PLAIN_STAND),
        ([bytes([byte]) for byte in b"JOIN odd\0"], [bytes([byte]) for byte in b"STAND\0"]),
        (PLAIN_JOIN, [b"STAND"]),
        (PLAIN_JOIN, [b"stand\r\n"]),
        (PLAIN_JOIN, [b"STAND\0\0\0\0\0\0"]),
        (PLAIN_JOIN, [b"STAND\0D\0\0"]),
    ],
    ids=["JOIN without NUL", "line", "empty messages", "byte by byte", "without NUL", "lower case",
         "padded", "dirty buffer"],
)  # fmt: skip
def test_odd_ways_to_say_it_are_understood(
    serve: Any, peers: Any, stander: Any, joining: list[bytes], deciding: list[bytes]
) -> None:
    quiet = 0.02 if len(joining) == 1 else PATIENCE  # a byte that comes late ends no message
    served = serve(players=2, games=GAMES, quiet=quiet)
    good = stander(served)
    odd = peers(served)
    for part in joining:
        odd.send(part)
    rounds = 0
    while odd.receive_until("DECISION", "QUIT")[-1] == "DECISION":
        rounds += 1
        for part in deciding:
            odd.send(part)
    assert good.finish().count("DECISION") == GAMES
    seats = {seat.name: seat for seat in served.finish()}
    assert seats["odd"].folded == ""
    assert seats["odd"].games == rounds == GAMES


def test_decisions_sent_ahead_count_within_the_turn_only(serve: Any, peers: Any) -> None:
    served = serve(players=1, games=30)
    peer = peers(served, "hasty")
    peer.receive_until("DECISION")
    for _ in range(30):
        peer.send(b"HIT\0STAND\0STAND\0")
        peer.receive_until("RESULT")
        if peer.receive_until("DECISION", "QUIT")[-1] == "QUIT":
            break
    seat = served.finish()[0]
    assert seat.folded == ""
    hits = [event for event in served.events("act") if event["action"] == "HIT"]
    assert len(hits) == 30


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"HELLO\0", "answered DECISION with 'HELLO'"),
        (b"\xff\xfe\xfd\0", "answered DECISION with '���'"),
        (b"HIT ME\0", "answered DECISION with 'HIT ME'"),
        (b"RESULT WIN\0", "answered DECISION with RESULT"),
        (b"QUIT\0", "answered DECISION with QUIT"),
        (b"x" * 1_000_000, "sent a message without an end"),
    ],
    ids=["word", "not text", "almost", "dealer's word", "quit", "1 MB"],
)
def test_nonsense_is_folded_out_and_the_others_play_on(
    serve: Any, peers: Any, stander: Any, answer: bytes, reason: str
) -> None:
    served = serve(players=2, games=GAMES)
    good, bad = stander(served), peers(served, "bad")
    bad.receive_until("DECISION")
    with contextlib.suppress(OSError):
        bad.send(answer)
    received = bad.receive_until("QUIT")
    assert received[-1] in ("QUIT", "")
    assert good.finish().count("DECISION") == GAMES
    seats = {seat.name: seat for seat in served.finish()}
    assert folded(served) == [reason]
    assert seats["bad"].forfeits == GAMES
    assert seats["good"].forfeits == 0


@pytest.mark.parametrize("word", ["HİT", "ſTAND", "JOİN x"])
def test_unicode_twins_before_join_and_as_an_answer_stop_nothing(
    serve: Any, peers: Any, stander: Any, word: str
) -> None:
    served = serve(players=2, games=GAMES)
    peers(served).say(word)
    good, bad = stander(served), peers(served, "bad")
    bad.receive_until("DECISION")
    bad.say(word)
    assert good.finish().count("DECISION") == GAMES
    served.finish()
    assert folded(served) == [f"answered DECISION with {word!r}"]


@pytest.mark.parametrize("received", range(1, 14))
@pytest.mark.parametrize("abruptly", [False, True])
def test_a_peer_may_leave_at_any_point(
    serve: Any, peers: Any, stander: Any, received: int, abruptly: bool
) -> None:
    """It leaves after so many messages: in the deal, when asked, after a hit, between games."""
    served = serve(players=2, games=GAMES)
    bad = peers(served, "bad")
    good = stander(served)
    for _ in range(received):
        if bad.receive() == "DECISION":
            bad.say("STAND")
    if abruptly:
        bad.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    bad.close()
    good.finish()
    seats = {seat.name: seat for seat in served.finish()}
    assert seats["good"].games == GAMES
    assert seats["good"].forfeits == 0
    assert folded(served)[0].startswith("left")
    assert seats["bad"].forfeits > 0


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only "bad" has little time: a busy machine may make all others slow."""
    usual = Host.all_said

    def all_said(self: Host, line: Line) -> None:
        usual(self, line)
        if line.asked and line.name == "bad":
            line.deadline = min(line.deadline, time.monotonic() + 0.5)

    monkeypatch.setattr(Host, "all_said", all_said)


@pytest.mark.parametrize("received", [0, 3, 5, 7, 12])
@pytest.mark.usefixtures("impatient")
def test_a_peer_may_stall_at_any_point(serve: Any, peers: Any, stander: Any, received: int) -> None:
    served = serve(players=2, games=GAMES)
    bad = peers(served, "bad")
    good = stander(served)
    for _ in range(received):
        if bad.receive() == "DECISION" and received != 5:
            bad.say("STAND")
    good.finish()
    seats = {seat.name: seat for seat in served.finish()}
    assert folded(served) == [f"gave no decision in {PATIENCE:g} s"]
    assert seats["good"].forfeits == 0
    assert bad.receive_until("QUIT")[-1] == "QUIT"


def test_who_never_says_join_takes_no_seat(serve: Any, peers: Any, stander: Any) -> None:
    served = serve(players=2, games=1, join_timeout=2.0)
    mute, partial, rude = peers(served), peers(served), peers(served)
    partial.send(b"JOI")
    rude.say("HIT")
    assert [peer.receive_until("QUIT") for peer in (mute, partial, rude)] == [["QUIT"]] * 3
    good = [stander(served, name) for name in ("a", "b")]
    assert all(peer.finish()[-1] == "QUIT" for peer in good)
    served.finish()
    reasons = sorted(event["reason"] for event in served.events("refuse"))
    assert reasons == ["did not say JOIN in 2 s"] * 2 + ["said HIT before JOIN"]


def test_who_leaves_before_the_start_frees_the_seat(serve: Any, peers: Any, stander: Any) -> None:
    served = serve(players=2, games=1)
    early = peers(served, "early")
    served.wait_for(1)
    early.close()
    served.wait_for(0)
    good = [stander(served, name) for name in ("a", "b")]
    assert all(peer.finish()[-1] == "QUIT" for peer in good)
    assert {seat.name for seat in served.finish()} == {"a", "b"}


def test_join_twice_is_noted_and_changes_nothing(serve: Any, peers: Any) -> None:
    served = serve(players=1, games=2)
    peer = peers(served)
    peer.send(b"JOIN ada\0JOIN eve\0")
    peer.receive_until("DECISION")
    peer.say("JOIN eve")
    peer.say("STAND")
    assert peer.stand_to_the_end()[-1] == "QUIT"
    seat = served.finish()[0]
    assert (seat.name, seat.folded, seat.games) == ("ada", "", 2)
    assert [event["text"] for event in served.events("note")] == ["said 'eve' unasked"] * 2


def test_names_are_made_fit_and_told_apart(serve: Any, stander: Any) -> None:
    served = serve(players=4, games=1)
    names = ["Mary Ann", "x" * 10_000, "Mary Ann", ""]
    standers = []
    for number, name in enumerate(names):
        peer = stander(served, name or "\t")
        standers.append(peer)
        if number < 3:
            served.wait_for(number + 1)
    for peer in standers:
        assert peer.finish()[-1] == "QUIT"
    shown = [seat.name for seat in served.finish()]
    assert shown == ["Mary Ann", "x" * 39 + "…", "Mary Ann#2", "player"]


@pytest.mark.parametrize(
    ("flood", "reason", "notes"),
    [
        (b"BLAH\0" * 50_000, "talks without being asked", 100),
        (b"\0" * 3_000_000, "sends too much", None),
    ],
    ids=["words", "nothing"],
)
def test_a_flood_is_folded_out(
    serve: Any, peers: Any, flood: bytes, reason: str, notes: int | None
) -> None:
    """Words out of turn are dropped and noted, up to a point."""
    served = serve(players=2, games=GAMES)
    good = peers(served, "good")
    served.wait_for(1)
    bad = peers(served, "bad")
    assert bad.receive() == "BEGIN"
    with contextlib.suppress(OSError):
        bad.send(flood)
    assert bad.receive_until("QUIT")[-1] in ("QUIT", "")
    assert good.stand_to_the_end().count("DECISION") == GAMES
    served.finish()
    assert folded(served) == [reason]
    if notes is not None:
        assert len(served.events("note")) == notes


def test_a_dirty_buffer_may_go_on_for_ever(serve: Any, peers: Any) -> None:
    """Programs that send a fixed buffer leave the tail of an older message after the NUL."""
    served = serve(players=1, games=150)
    peer = peers(served, "sloppy")
    while peer.receive_until("DECISION", "QUIT")[-1] == "DECISION":
        peer.send(b"STAND\0loppy\0\0\0\0")
    seat = served.finish()[0]
    assert (seat.games, seat.folded) == (150, "")
    assert len(served.events("note")) == 149


def test_tables_fill_in_the_order_of_joining(serve: Any, stander: Any) -> None:
    served = serve(players=3, games=2, tables=4)
    peers = [stander(served, f"p{n}") for n in range(12)]
    for peer in peers:
        assert peer.finish().count("DECISION") == 2
    results = served.finish()
    assert sorted(seat.name for seat in results) == sorted(f"p{n}" for n in range(12))
    assert [seat.table for seat in results] == [n // 3 for n in range(12)]
    assert served.report().rounds == 8


@pytest.mark.usefixtures("impatient")
@settings(max_examples=12, suppress_health_check=list(HealthCheck))
@given(
    st.lists(
        st.one_of(
            st.binary(max_size=40),
            st.sampled_from([b"HIT\0", b"STAND\0", b"JOIN x\0", b"\0", b"HIT", b"QUIT\0"]),
        ),
        max_size=12,
    )
)
def test_no_bytes_stop_the_table(serve: Any, peers: Any, stander: Any, chunks: list[bytes]) -> None:
    served = serve(players=2, games=GAMES, quiet=0.005)
    bad, good = peers(served, "bad"), stander(served)
    with contextlib.suppress(OSError):
        for chunk in chunks:
            bad.send(chunk)
    good.finish()
    seats = {seat.name: seat for seat in served.finish()}
    assert seats["good"].games == GAMES
    assert seats["good"].forfeits == 0


@pytest.mark.parametrize(
    "bad", [{"players": 0}, {"players": 7}, {"games": 0}, {"tables": 0}, {"seed": -1}], ids=str
)
def test_options_that_cannot_be_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        DealerOptions(**{"players": 1, "games": 1, "seed": 0, **bad})


@pytest.mark.parametrize(
    "bad",
    [{"pace": -1}, {"pace": float("nan")}, {"decision_timeout": 0}, {"join_timeout": -1}],
    ids=str,
)
def test_network_options_that_cannot_be_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        HostOptions(**bad)


def test_a_port_in_use_is_one_sentence(serve: Any, peers: Any) -> None:
    first = Dealer(DealerOptions(1, 1, 0))
    port = first.listen()
    second = Dealer(DealerOptions(1, 1, 0, host=HostOptions(port=port)))
    with pytest.raises(UsageError, match="choose another address or port"):
        second.listen()
    first.close()
    second.close()


def test_a_signal_interrupts_between_two_messages(tmp_path: Path) -> None:
    """SIGTERM while a JOIN is read: the JOIN is dealt with, then players hear QUIT."""
    log = LogOptions(tmp_path / "log.jsonl")
    dealer = Dealer(DealerOptions(players=2, games=1, seed=5, log=log))
    address = ("127.0.0.1", dealer.listen())

    def admit(name: str, token: str) -> tuple[str, str]:
        signal.raise_signal(signal.SIGTERM)
        return name, ""

    dealer.host.gatekeeper = admit
    with socket.create_connection(address, timeout=PATIENCE) as peer:
        peer.sendall(b"JOIN ada\0")
        with pytest.raises(KeyboardInterrupt):
            dealer.run()
        assert peer.recv(100) == b"QUIT\0"
    events = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [event["name"] for event in events if event["event"] == "join"] == ["ada"]
    assert events[-1]["reason"] == "stopped"


def poll_for_ever(host: Host) -> None:
    while True:
        host.poll(0.1)


@pytest.mark.parametrize("interrupted_at", [Joined, Refused])
def test_an_interrupt_anywhere_in_a_flood_leaves_a_host_that_closes(interrupted_at: type) -> None:
    """The second signal interrupts at once, here while a connection is read to make room."""

    def interrupt(event: Event, table: int) -> None:
        if isinstance(event, interrupted_at):
            raise KeyboardInterrupt

    host = Host(HostOptions(max_silent=1), interrupt)
    address = ("127.0.0.1", host.listen())
    with contextlib.ExitStack() as peers:
        for greeting in (b"JOIN ada\0", b"", b"JOIN bob\0", b""):
            peer = peers.enter_context(socket.create_connection(address, timeout=PATIENCE))
            peer.sendall(greeting)
            if greeting:
                peer.shutdown(socket.SHUT_WR)
        with pytest.raises(KeyboardInterrupt):
            poll_for_ever(host)
        flood = [
            peers.enter_context(socket.create_connection(address, timeout=PATIENCE))
            for _ in range(5)
        ]
        host.close()
        for peer in flood:
            assert peer.recv(100) == b"QUIT\0"
