"""One peer's line by a clock of our own: pauses, and the step that the lines of a table keep."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from riverboat.twentyone.game import Result
from riverboat.twentyone.wire.codec import BEGIN, CARD, DECISION, QUIT, RESULT
from riverboat.twentyone.wire.line import Line, drawn_cards

PACE = 0.026
Pair = tuple[Line, socket.socket]


class Clock:
    """The time that lines read."""

    now = 0.0


@pytest.fixture
def pairs() -> Iterator[list[Pair]]:
    made: list[Pair] = []
    Clock.now = 0.0
    for number in range(2):
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        theirs.setblocking(False)
        made.append((Line(ours, str(number), PACE, clock=lambda: Clock.now), theirs))
    yield made
    for line, theirs in made:
        line.close()
        theirs.close()


def heard(pair: Pair, now: float) -> bytes:
    """What the peer has been sent by this time and not read before."""
    line, sock = pair
    Clock.now = now
    line.pump(now)
    try:
        return sock.recv(4096)
    except BlockingIOError:
        return b""


def test_one_message_a_pause(pairs: list[Pair]) -> None:
    pair = pairs[0]
    pair[0].send([BEGIN, CARD["As"], DECISION], 0.0)
    assert [heard(pair, when * PACE) for when in (0, 0.5, 1, 1.5, 2, 3)] == [
        BEGIN, b"", CARD["As"], b"", DECISION, b"",
    ]  # fmt: skip


def test_the_pause_runs_from_the_write_even_if_that_came_late(pairs: list[Pair]) -> None:
    """A host with many lines looks at the clock, then writes to one after the other."""
    pair = pairs[0]
    looked_at, written_at = 0.0, 0.4 * PACE
    Clock.now = written_at
    pair[0].send([BEGIN, CARD["As"]], looked_at)
    assert heard(pair, written_at) == BEGIN
    assert heard(pair, PACE) == b""
    assert heard(pair, written_at + PACE) == CARD["As"]


def test_a_bust_is_told_before_anybody_hears_a_result(pairs: list[Pair]) -> None:
    idle, bust = pairs
    won, over = RESULT[Result.WIN], RESULT[Result.BUST]
    bust[0].send([DECISION], 0.0)
    assert heard(bust, 0.0) == DECISION
    now = 0.001
    messages = [[won, BEGIN], [CARD["Ks"], over, BEGIN]]
    lines = [pair[0] for pair in pairs]
    step = max(line.free_at(now, drawn_cards(m)) for line, m in zip(lines, messages, strict=True))
    assert step == pytest.approx(2 * PACE)
    for line, said in zip(lines, messages, strict=True):
        line.send(said, now, step)
    assert (heard(idle, now), heard(bust, now)) == (b"", b"")
    assert (heard(idle, PACE), heard(bust, PACE)) == (b"", CARD["Ks"])
    assert (heard(idle, step), heard(bust, step)) == (won, over)
    assert (heard(idle, step + PACE), heard(bust, step + PACE)) == (BEGIN, BEGIN)


def test_results_wait_for_the_line_that_was_spoken_to_last(pairs: list[Pair]) -> None:
    asked, idle = pairs
    asked[0].send([DECISION], 0.0)
    assert heard(asked, 0.0) == DECISION
    step = max(line.free_at(0.001) for line, _ in pairs)
    assert step == pytest.approx(PACE)
    result = RESULT[Result.PUSH]
    for line, _ in pairs:
        line.send([result], 0.001, step)
    assert (heard(asked, 0.9 * step), heard(idle, 0.9 * step)) == (b"", b"")
    assert (heard(asked, step), heard(idle, step)) == (result, result)


def test_the_end_comes_out_whole_when_the_pause_is_given_up(pairs: list[Pair]) -> None:
    pair = pairs[0]
    pair[0].send([BEGIN, CARD["As"]], 0.0, 5.0)
    pair[0].pace = 0.0
    pair[0].send([QUIT], 0.001)
    assert heard(pair, 0.001) == BEGIN + CARD["As"] + QUIT
