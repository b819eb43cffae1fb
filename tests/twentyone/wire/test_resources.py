"""A host under siege: no descriptors, silent crowds, bursts, ghosts, thousands of tables."""

import contextlib
import socket
import sys
import threading
import time
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from riverboat.twentyone.wire import _listening_socket as doors
from riverboat.twentyone.wire.codec import QUIT
from riverboat.twentyone.wire.line import HostOptions, Stage
from riverboat.twentyone.wire.server import Dealer, DealerOptions
from seats import seated
from waiting import PATIENCE

resource = pytest.importorskip("resource", reason="Windows has no such limits")
NETWORK = HostOptions(pace=0.0, linger=0.2, join_timeout=PATIENCE)


@contextlib.contextmanager
def few_descriptors(room: int) -> Iterator[None]:
    """As if the process might open only so many more files and sockets."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    spare = [socket.socket() for _ in range(room)]
    last = spare[-1].fileno()
    for sock in spare:
        sock.close()
    resource.setrlimit(resource.RLIMIT_NOFILE, (last + 1, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def poll(dealer: Dealer, until: Any) -> None:
    end = time.monotonic() + PATIENCE
    while not until():
        assert time.monotonic() < end, "it did not happen"
        dealer.poll(0.01)


def test_without_descriptors_the_door_rests() -> None:
    """Everybody who is in has said JOIN, so that nobody can be sent home for one who knocks."""
    told: list[str] = []
    host = replace(NETWORK, descriptors=64)
    dealer = Dealer(DealerOptions(players=6, games=1, seed=1, host=host), told.append)
    port = dealer.listen()
    knocking = [socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) for _ in range(5)]
    for number, sock in enumerate(knocking):
        sock.sendall(f"JOIN p{number}\0".encode())
    with few_descriptors(2):
        poll(dealer, lambda: told)
        began, polls = time.thread_time(), 0
        end = time.monotonic() + 0.6
        while time.monotonic() < end:
            dealer.poll(0.1)
            polls += 1
        assert polls < 30, "it spins"
        assert time.thread_time() - began < 0.3
    assert told == ["no file descriptor is left for more players; see ulimit -n"]
    poll(dealer, lambda: len(dealer.host.lobby) == 5)
    dealer.close()
    for sock in knocking:
        assert sock.recv(100) == QUIT
        sock.close()


def test_a_silent_crowd_does_not_keep_newcomers_out(stander: Any, serve: Any) -> None:
    served = serve(players=1, games=2, max_silent=10)
    crowd = [socket.create_connection(("127.0.0.1", served.port)) for _ in range(25)]
    assert stander(served).finish()[-1] == "QUIT"
    served.finish()
    for sock in crowd:
        sock.settimeout(PATIENCE)
        assert sock.recv(100) == QUIT
        sock.close()
    reasons = {event["reason"] for event in served.events("refuse")}
    assert reasons == {"said nothing while others waited", "the tables are full"}


def test_a_burst_of_joins_gets_an_answer_to_the_last() -> None:
    """More JOINs at once than there are seats, or room for the silent: 1 plays, 400 hear QUIT."""
    dealer = Dealer(DealerOptions(players=1, games=1, seed=1, host=NETWORK))
    port, count = dealer.listen(), 401
    burst = [socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) for _ in range(count)]
    for number, sock in enumerate(burst):
        sock.sendall(f"JOIN p{number}\0".encode())
    thread = threading.Thread(target=dealer.run, daemon=True)
    thread.start()
    heard = []
    for sock in burst:
        data = sock.recv(1000)
        if data.startswith(b"BEGIN"):
            sock.sendall(b"STAND\0")
            while more := sock.recv(1000):
                data += more
        heard.append(data)
        sock.close()
    thread.join(PATIENCE)
    assert sum(data == QUIT for data in heard) == count - 1
    assert sum(data.startswith(b"BEGIN") for data in heard) == 1
    assert all(data.endswith(QUIT) for data in heard)


@pytest.mark.skipif(sys.platform != "linux", reason="the options have these names on Linux")
def test_the_system_looks_after_ghosts(serve: Any, peers: Any) -> None:
    """A peer whose machine has died says nothing; the system asks it and breaks the line."""
    served = serve(players=2, games=1)
    peers(served, "ada")
    served.wait_for(1)
    sock = served.dealer.host.lobby[0].sock
    assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
    ask = [socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT]
    wait = [sock.getsockopt(socket.IPPROTO_TCP, option) for option in ask]
    assert wait == [doors.IDLE, doors.BETWEEN, doors.TRIES]
    assert doors.IDLE + doors.BETWEEN * doors.TRIES <= 60
    served.dealer.close()


def test_finished_tables_are_let_go() -> None:
    """A thousand tables of local players leave their scores and little else."""
    dealer = Dealer(DealerOptions(players=1, games=1, tables=2_000, seed=1, host=NETWORK))
    player = seated()

    def play(tables: int) -> None:
        for _ in range(tables):
            dealer.host.seat(dealer.started, [player], 1, iter([_DECK]))
            dealer.started += 1

    play(100)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    play(1_000)
    kept = (tracemalloc.get_traced_memory()[0] - before) / 1_000
    tracemalloc.stop()
    assert len(dealer.results()) == 1_100
    assert kept < 1_500, f"{kept:.0f} bytes a table"
    assert not dealer.host.runs
    dealer.close()


_DECK = ["Tc", "9d", "9h", "8s", *(f"2{suit}" for suit in "cdhs")]


def test_a_line_that_has_gone_is_forgotten(serve: Any, peers: Any) -> None:
    served = serve(players=1, games=1)
    peer = peers(served, "ada")
    peer.stand_to_the_end()
    peer.close()
    served.finish()
    assert served.dealer.host.quiet
    assert all(line.stage is Stage.CLOSED for line in served.dealer.host._places)
