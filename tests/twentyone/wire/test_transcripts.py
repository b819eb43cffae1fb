"""The player against written-down conversations, over a real socket."""

import socket
import threading
from pathlib import Path

import pytest

from riverboat.twentyone.wire.client import ClientOptions, PlayerSession, connect, play
from seats import seated
from waiting import PATIENCE

FOLDER = Path(__file__).parents[2] / "data" / "twentyone_transcripts"
TRANSCRIPTS = sorted(FOLDER.glob("*.txt"))


def script(path: Path) -> tuple[list[tuple[str, bytes]], list[str]]:
    """(who, packet) in order, and the results to be learned."""
    steps: list[tuple[str, bytes]] = []
    results: list[str] = []
    for line in path.read_text().splitlines():
        who, _, text = line.partition(" ")
        if who == "=":
            results = text.split()
        elif who in ("D", "P"):
            packets = text.split("|") if who == "D" else [text]
            steps += [
                (who, packet.encode().decode("unicode_escape").encode()) for packet in packets
            ]
    return steps, results


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_the_player_keeps_to_the_transcript(path: Path) -> None:
    steps, results = script(path)
    said: list[bytes] = []
    expected = [packet for who, packet in steps if who == "P"]
    listener = socket.create_server(("127.0.0.1", 0))

    def deal() -> None:
        with listener, listener.accept()[0] as sock:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sock.settimeout(PATIENCE)
            for who, packet in steps:
                if who == "D":
                    sock.sendall(packet)
                else:
                    said.append(sock.recv(len(packet), socket.MSG_WAITALL))

    thread = threading.Thread(target=deal)
    thread.start()
    player = seated()
    session = PlayerSession(player)
    options = ClientOptions(quiet=0.02, patience=PATIENCE)
    play(connect("127.0.0.1", listener.getsockname()[1], 1), session, options)
    thread.join(PATIENCE)
    assert said == expected
    assert player.player.results == results  # type: ignore[attr-defined]
    assert session.ended


def test_there_are_transcripts() -> None:
    assert len(TRANSCRIPTS) >= 7
