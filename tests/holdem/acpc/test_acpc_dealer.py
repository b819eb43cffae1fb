"""The ACPC dealer and player: transcripts, rough company, and a match over TCP."""

import socket
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from riverboat.errors import StorageError, UsageError
from riverboat.holdem.acpc.acpc_dealer import AcpcMatch, AcpcResult, listen, seat_players
from riverboat.holdem.acpc.acpc_line import LineSocket, dismiss
from riverboat.holdem.acpc.acpc_player import AcpcSession, connect, play_session
from riverboat.holdem.acpc.definitions import PRESETS
from riverboat.holdem.acpc.messages import parse_match_state, read_state
from riverboat.holdem.rules.state import Holdem
from riverboat.players.roster import make_player

GOLDEN = Path(__file__).parents[2] / "golden" / "acpc"


class Scripted:
    """A connection to a player who answers each request by a rule, or not at all."""

    def __init__(
        self, game: Holdem, reply: Callable[[str], list[str | None]], notes: list[str] | None = None
    ) -> None:
        self.game, self.reply, self.notes = game, reply, notes
        self.inbox: list[str | None] = []
        self.closed = False

    def send(self, line: str) -> None:
        if self.notes is not None:
            self.notes.append(f"S-> {line}")
        seen = parse_match_state(line)
        if read_state(self.game, seen).actor == seen.position:
            self.inbox = list(self.reply(line))

    def receive(self, timeout: float | None) -> str | None:
        if not self.inbox:
            raise ConnectionError("script over")
        line = self.inbox.pop(0)
        if self.notes is not None and line is not None:
            self.notes.append(f"<-C {line}")
        return line

    def close(self) -> None:
        self.closed = True


def always(action: str) -> Callable[[str], list[str | None]]:
    return lambda line: [f"{line}:{action}"]


def match(game: Holdem, hands: int, seed: int = 1) -> AcpcMatch:
    return AcpcMatch(game, hands, seed, [f"p{seat}" for seat in range(game.players)])


Turn = str | tuple[str, ...]
"""What a scripted player sends: an action, or whole lines in which {line} is the one it got."""


def sayings(turn: Turn, line: str) -> list[str]:
    if isinstance(turn, str):
        return [f"{line}:{turn}"]
    return [text.replace("{line}", line) for text in turn]


def transcript(name: str, hands: int, scripts: list[list[Turn]]) -> str:
    """What each seat of a scripted match sends and gets, then the log without its comments."""
    game = PRESETS[name]
    notes: list[list[str]] = [[] for _ in range(game.players)]

    def by_turns(script: list[Turn]) -> Callable[[str], list[str | None]]:
        turns = iter(script)
        return lambda line: [*sayings(next(turns, "c"), line)]

    seats = [
        Scripted(game, by_turns(script), note) for script, note in zip(scripts, notes, strict=True)
    ]
    result = match(game, hands).play(seats)
    parts = [f"seat {seat + 1}\n" + "\n".join(note) for seat, note in enumerate(notes)]
    log = [line for line in result.log if not line.startswith("#")]
    return "\n\n".join([*parts, "log\n" + "\n".join(log) + "\n"])


SCRIPTS: dict[str, tuple[str, int, list[list[Turn]]]] = {
    "nolimit-2p": (
        "nolimit-2p",
        3,
        [
            ["r300", "c", "r900", "c", "c", "c", "c", "f"],
            ["c", "c", "c", "r1500", "r20000", "r200"],
        ],
    ),
    "nolimit-3p": (
        "nolimit-3p",
        4,
        [
            ["r250", "c", "r20000", "c", "f", "r600", "c", "c"],
            ["c", "r1000", "f", "c", "c", "c", "r800", "c"],
            ["c", "c", "c", "r700", "c", "r20000", "c"],
        ],
    ),
    "limit-3p": (
        "limit-3p",
        3,
        [["r", "c", "r", "c"] * 5, ["c", "c", "f", "r"] * 5, ["r", "c", "c", "c"] * 5],
    ),
    "leduc": ("leduc", 3, [["r", "c", "c", "r", "f"], ["r", "r", "c", "c", "r"]]),
    "kuhn-3p": ("kuhn-3p", 4, [["c", "c", "r"], ["r", "f", "c"], ["c", "r", "f", "c"]]),
    "rough-nolimit": (
        "nolimit-2p",
        3,
        [
            [
                "r1",
                ("", "# a comment", "; another", "nonsense", "{line}:r-5"),
                ("{line}",),
                "f",
                ("MATCHSTATE:0:77::AsKs|:f", "{line}:r700"),
                "b900",
                "r99999",
            ],
            ["x", "r", "rabc", "C", ("MATCHSTATE:1:0::|KsAs:f", "{line}:k"), "f", "r1e3", "c c"],
        ],
    ),
    "rough-limit": (
        "limit-2p",
        2,
        [
            ["r", "r", "r", "r20", "f", ("{line}:",)],
            ["r", "r", "r", ("VERSION:2.0.0", "{line}:R"), "r99", "q", ("{line}:c:c",)],
        ],
    ),
}
"""Matches that the competition's dealer was made to deal with seed 1; golden/acpc holds what it
sent, took and logged."""


@pytest.mark.parametrize("title", SCRIPTS)
def test_transcripts_are_those_of_the_competitions_dealer(title: str) -> None:
    assert transcript(*SCRIPTS[title]) == (GOLDEN / f"{title}.txt").read_text()


def test_positions_rotate_and_totals_are_kept_by_seat() -> None:
    game = PRESETS["nolimit-3p"]
    result = match(game, 6).play([Scripted(game, always("f")) for _ in range(3)])
    states = [line.split(":") for line in result.log if line.startswith("STATE")]
    assert [state[5] for state in states[:4]] == ["p0|p1|p2", "p1|p2|p0", "p2|p0|p1", "p0|p1|p2"]
    # Everybody folds to the big blind: each seat wins 50 twice and loses 50 twice.
    assert result.totals == (0.0, 0.0, 0.0)
    assert result.log[-1] == "SCORE:0|0|0:p0|p1|p2"
    assert not result.complaints


def test_the_cards_depend_on_the_seed_alone() -> None:
    game = PRESETS["nolimit-2p"]

    def cards(seed: int, action: str) -> list[str]:
        seats = [Scripted(game, always(action)) for _ in range(2)]
        log = match(game, 5, seed).play(seats).log
        return [line.split(":")[3].partition("/")[0] for line in log if line.startswith("STATE")]

    assert cards(1, "c") == cards(1, "f")
    assert cards(1, "c") != cards(2, "c")


def test_rough_answers_are_ignored_or_mended_and_noted() -> None:
    game = PRESETS["nolimit-2p"]

    def rough(line: str) -> list[str | None]:
        stale = line.replace(":0:", ":77:", 1)
        return ["", "# a comment", "nonsense", stale + ":f", line + ":r1"]

    result = match(game, 1).play([Scripted(game, rough), Scripted(game, always("c"))])
    assert "r200" in result.log_text
    for word in ("'nonsense'", "unrequested", "raise of 1 changed to 200"):
        assert any(word in complaint for complaint in result.complaints), word
        assert word in result.log_text


def test_a_player_who_is_gone_checks_and_folds_to_the_end() -> None:
    game = PRESETS["nolimit-2p"]
    gone = Scripted(game, lambda line: [])
    result = match(game, 4).play([gone, Scripted(game, always("r300"))])
    assert gone.closed
    assert result.hands == 4
    assert result.totals[0] < 0
    assert sum("is gone" in complaint for complaint in result.complaints) == 1


def test_a_player_who_is_always_late_is_not_waited_for_for_ever() -> None:
    game = PRESETS["limit-2p"]
    late = Scripted(game, lambda line: [None])
    result = match(game, 10).play([late, Scripted(game, always("r"))])
    assert sum("no action in" in complaint for complaint in result.complaints) == 3
    assert result.hands == 10


def test_a_state_sent_back_without_an_action_is_a_call() -> None:
    game = PRESETS["nolimit-2p"]
    result = match(game, 1).play([Scripted(game, lambda line: [line]) for _ in range(2)])
    assert result.log[-2].startswith("STATE:0:cc/cc/cc/cc:")


def test_a_player_who_only_makes_noise_is_not_listened_to_for_ever() -> None:
    game = PRESETS["nolimit-2p"]
    noisy = Scripted(game, lambda line: ["#"] * 10_000)
    result = match(game, 2).play([noisy, Scripted(game, always("c"))])
    assert noisy.closed
    assert result.hands == 2
    assert len(result.log) < 10


class Clock:
    """Time that passes only while a player thinks."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


class Thinker(Scripted):
    """Answers after some seconds by a clock, or at the end of the time it is given."""

    clock: Clock
    seconds: float = 0.0

    def receive(self, timeout: float | None) -> str | None:
        assert timeout is not None
        self.clock.now += min(timeout, self.seconds)
        return super().receive(timeout) if self.seconds <= timeout else None


@pytest.mark.parametrize(
    ("limits", "seconds", "late", "gone"),
    [
        # A call before the flop and one on each street, 4 s each, in ten hands.
        ({"timeout": 5.0}, 4.0, 0, False),
        ({"timeout": 3.0}, 4.0, 3, True),
        # The third answer of a hand is late, and then nobody asks again in that hand.
        ({"hand_timeout": 9.0}, 4.0, 10, False),
        # Forty answers in ten hands would be 160 s.
        ({"mean_timeout": 16.5}, 4.0, 0, False),
        ({"mean_timeout": 12.1}, 4.0, 1, True),
    ],
)
def test_time_for_an_action_a_hand_and_the_match(
    limits: dict[str, float],
    seconds: float,
    late: int,
    gone: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, game = Clock(), PRESETS["nolimit-2p"]
    monkeypatch.setattr("riverboat.holdem.acpc.acpc_dealer.time", clock)
    slow = Thinker(game, always("c"))
    slow.clock, slow.seconds = clock, seconds
    table = AcpcMatch(game, 10, 1, ["slow", "quick"], **limits)  # type: ignore[arg-type]
    result = table.play([slow, Scripted(game, always("c"))])
    assert result.hands == 10
    assert sum("no action in" in complaint for complaint in result.complaints) == late
    assert slow.closed == gone


def test_impossible_matches_are_refused() -> None:
    game = PRESETS["nolimit-2p"]
    for names in (["a"], ["a", "a"], ["a", "b:c"], ["a", ""]):
        with pytest.raises(UsageError):
            AcpcMatch(game, 1, 0, names)
    with pytest.raises(UsageError):
        AcpcMatch(game, 0, 0, ["a", "b"])
    with pytest.raises(UsageError):
        AcpcMatch(game, 1, 0, ["a", "b"], timeout=0)


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
        seats = seat_players(listeners, 30.0, complaints.append)
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
        seats = seat_players(listeners, 30.0, lambda text: None)
    result = match(game, 30).play(seats)
    # The clients have said more than was read; they see the end all the same, not a reset.
    dismiss(seats, 30.0)
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
            seat_players(listeners, 0.2, lambda text: None)
        greeted.close()


def test_a_dealer_that_is_not_there_is_named() -> None:
    with listen("127.0.0.1", [0]) as listeners:
        port = listeners[0].getsockname()[1]
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
