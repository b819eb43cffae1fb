"""The ACPC dealer and player over sockets: matches on loopback, and rough company."""

import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from acpc_scripts import Scripted, always, match
from riverboat.errors import StorageError, UsageError
from riverboat.holdem.acpc._line import LineSocket, dismiss
from riverboat.holdem.acpc.client import AcpcSession, connect, play_session
from riverboat.holdem.acpc.dealer import AcpcResult
from riverboat.holdem.acpc.definitions import PRESETS
from riverboat.holdem.acpc.lobby import listen, seat_players
from riverboat.holdem.histories.files import GrowingFile
from riverboat.holdem.histories.phh import read_phh_file
from riverboat.players.player import View
from riverboat.players.roster import make_player
from waiting import PATIENCE

pytestmark = pytest.mark.e2e


def over_tcp(
    name: str, hands: int, players: list[str], visitor: bytes = b""
) -> tuple[AcpcResult, list[AcpcSession], list[str]]:
    """A match between our dealer and our players on loopback."""
    game = PRESETS[name]
    sessions: dict[int, AcpcSession] = {}
    complaints: list[str] = []

    def sit(seat: int, port: int) -> None:
        connection = connect("127.0.0.1", port)
        player = make_player(game, players[seat])
        sessions[seat] = play_session(connection, game, player, np.random.default_rng(seat))
        connection.close()

    with listen("127.0.0.1", [0] * game.players) as listeners:
        ports = [listener.getsockname()[1] for listener in listeners]
        strays = [socket.create_connection(("127.0.0.1", ports[0]))] if visitor else []
        for stray in strays:
            stray.sendall(visitor)
        threads = [threading.Thread(target=sit, args=(s, p)) for s, p in enumerate(ports)]
        for thread in threads:
            thread.start()
        seats = seat_players(listeners, PATIENCE, complaints.append)
    try:
        result = match(game, hands).play(seats)
    finally:
        for seat in seats:
            seat.close()
        for thread in threads:
            thread.join()
        for stray in strays:
            stray.close()
    return result, [sessions[seat] for seat in range(game.players)], complaints


def test_a_thousand_hands_over_tcp() -> None:
    result, sessions, _ = over_tcp("nolimit-2p", 1000, ["holdem:rules", "holdem:random"])
    assert result.hands == 1000
    assert not result.complaints
    assert sum(result.totals) == 0
    assert [session.chips for session in sessions] == list(result.totals)
    assert all(session.hands == 1000 and not session.ignored for session in sessions)
    assert sum(line.startswith("STATE:") for line in result.log) == 1000


@pytest.mark.parametrize("name", ["limit-3p", "nolimit-6p", "limit-10p"])
def test_more_players_over_tcp(name: str) -> None:
    styles = ["holdem:rules", "holdem:call", "holdem:random", "holdem:fold"]
    players = [styles[seat % 4] for seat in range(PRESETS[name].players)]
    result, sessions, _ = over_tcp(name, 20, players)
    assert not result.complaints
    assert [session.chips for session in sessions] == pytest.approx(list(result.totals))


def test_a_stray_visitor_does_not_spoil_the_match() -> None:
    result, _, complaints = over_tcp(
        "leduc", 5, ["holdem:call", "holdem:call"], b"GET / HTTP/1.1\r\n\r\n"
    )
    assert result.hands == 5
    assert all("VERSION" in complaint for complaint in complaints)


def rough_client(port: int) -> None:
    """Answers in pieces, with stale, senseless and doubled lines in the same packets."""
    with socket.create_connection(("127.0.0.1", port)) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        stale = b""
        for byte in b"VERSION:2.0.0\n":
            sock.sendall(bytes([byte]))
        for raw in sock.makefile("rb"):
            line = raw.rstrip(b"\r\n")
            answer = line + b":c\r\n"
            half = len(answer) // 2
            sock.sendall(b"# thinking\r\n\r\nwhat?\n" + stale + answer[:half])
            sock.sendall(answer[half:] + answer)
            stale = answer


def test_a_rough_client_over_tcp_plays_like_a_tidy_one() -> None:
    game = PRESETS["leduc"]
    with listen("127.0.0.1", [0, 0]) as listeners:
        ports = [listener.getsockname()[1] for listener in listeners]
        threads = [threading.Thread(target=rough_client, args=(port,)) for port in ports]
        for thread in threads:
            thread.start()
        seats = seat_players(listeners, PATIENCE, lambda text: None)
    result = match(game, 30).play(seats)
    # The clients have said more than was read; they see the end all the same, not a reset.
    dismiss(seats, PATIENCE)
    for thread in threads:
        thread.join()
    tidy = match(game, 30).play([Scripted(game, always("c")) for _ in range(2)])
    assert result.totals == tidy.totals
    assert not any("gone" in complaint for complaint in result.complaints)


def session_with(lines: list[bytes], name: str = "nolimit-2p") -> tuple[AcpcSession, bytes]:
    """What our player makes of a dealer that sends these packets and goes."""
    left, right = socket.socketpair()
    connection = LineSocket(right)
    for packet in lines:
        left.sendall(packet)
    left.shutdown(socket.SHUT_WR)
    game = PRESETS[name]
    player = make_player(game, "holdem:call")
    try:
        session = play_session(connection, game, player, np.random.default_rng(1))
        connection.close()
        said = b"".join(iter(lambda: left.recv(65536), b""))
    finally:
        connection.close()
        left.close()
    return session, said


def test_our_player_at_a_rough_dealer() -> None:
    session, said = session_with(
        [
            b"# GUI\r\n;\r\n\r\nMATCHSTATE:rubbish\r\nMATCHST",
            b"ATE:1:9::|KsAs\nMATCHSTATE:1:9:c:|KsAs\r\nMATCHSTATE:1:9:cr300",
            b":|KsAs\r\nMATCHSTATE:1:9:cr300c/:|KsAs/2c2d3h\r\n",
            b"MATCHSTATE:1:9:cr300c/r400:|KsAs/2c2d3h\r\nMATCHSTATE:1:9:x:|\r\n",
            b"MATCHSTATE:1:9:cr300c/r400f:|KsAs/2c2d3h\r\nMATCHSTATE:0:10:",
        ]
    )
    assert said.splitlines() == [
        b"MATCHSTATE:1:9::|KsAs:c",
        b"MATCHSTATE:1:9:cr300:|KsAs:c",
        b"MATCHSTATE:1:9:cr300c/r400:|KsAs/2c2d3h:c",
    ]
    assert (session.hands, session.actions, session.ignored) == (1, 3, 2)


def test_our_player_does_not_sit_silent_at_a_table_of_another_game() -> None:
    with pytest.raises(UsageError, match="another game"):
        session_with([b"MATCHSTATE:0:0::9s8h||\r\n"])
    with pytest.raises(UsageError, match="another game"):
        session_with([b"MATCHSTATE:0:0:r:9s8h|\r\n"])


def test_missing_players_are_named() -> None:
    with listen("127.0.0.1", [0, 0]) as listeners:
        greeted = connect("127.0.0.1", listeners[0].getsockname()[1])
        with pytest.raises(UsageError, match="seat 2"):
            seat_players(listeners, 2.0, lambda text: None)
        greeted.close()


def test_a_dealer_that_is_not_there_is_named() -> None:
    with socket.socket() as taken:  # so that nobody else listens there meanwhile
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with pytest.raises(StorageError, match=str(port)):
            connect("127.0.0.1", port)


def test_lines_survive_any_cutting_into_packets() -> None:
    left, right = socket.socketpair()
    line = LineSocket(right)
    for piece in (b"MATCH", b"STATE:0:0::AsKs|\r", b"\nsecond\nthird", b""):
        left.sendall(piece)
    assert line.receive(1) == "MATCHSTATE:0:0::AsKs|"
    assert line.receive(1) == "second"
    assert line.receive(0.01) is None
    left.sendall(b"\r\n")
    assert line.receive(1) == "third"
    left.sendall(b"x" * 5000)
    with pytest.raises(ConnectionError, match="more than"):
        line.receive(1)
    left.close()
    line.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_hands_are_written_as_they_are_played(number: signal.Signals, tmp_path: Path) -> None:
    """A dealer that is ended, or killed, leaves every hand that was over."""
    log, hands = tmp_path / "match.log", tmp_path / "match.phhs"
    command = ["acpc", "dealer", "--hands", "1000000", "--log", log, "--phh", hands]
    with subprocess.Popen(
        [sys.executable, "-m", "riverboat", *map(str, command)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as dealer:
        assert dealer.stdout is not None
        ports = [int(word) for word in dealer.stdout.readline().split()]
        game, ended = PRESETS["nolimit-2p"], threading.Event()

        def play(port: int) -> None:
            connection, rng = connect("127.0.0.1", port), np.random.default_rng(port)
            try:
                play_session(connection, game, Counted(), rng)
            finally:
                connection.close()

        class Counted:
            name, asked = "counted", 0

            def choose(self, view: View, rng: np.random.Generator) -> str:
                self.asked += 1
                if self.asked == 100 and not ended.is_set():
                    ended.set()
                    dealer.send_signal(number)
                return "c"

        threads = [threading.Thread(target=play, args=(port,)) for port in ports]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert dealer.wait(PATIENCE) == (130 if number == signal.SIGTERM else -number)
    lines = log.read_text().splitlines()
    states = [line for line in lines if line.startswith("STATE:")]
    assert len(states) >= 20  # every hand has four rounds of checks: 100 answers are 25 hands
    assert [int(line.split(":")[1]) for line in states] == list(range(len(states)))
    read = read_phh_file(hands.read_text())
    assert len(read.hands) in (len(states), len(states) - 1)
    assert not read.refused


def test_a_full_disk_does_not_end_a_match(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = GrowingFile("/dev/full")
    file.add("one hand, ")
    file.add("another")
    assert capsys.readouterr().err.count("Cannot write /dev/full: no space left") == 1
    file.close()
    assert "/dev/full is not complete" in (told := capsys.readouterr().err)
    assert "The rest is in full." in told
    assert Path("full").read_text() == "one hand, another"
