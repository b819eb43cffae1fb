"""Whatever comes on standard input is answered, and the server ends when it is asked to."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import pytest

pytest.importorskip("mcp")

from riverboat.assistants import _standard_input
from riverboat.assistants._standard_input import fault_of, lines_of, read_messages

PING = b'{"jsonrpc": "2.0", "id": 7, "method": "ping"}'
CALL = b'{"jsonrpc":"2.0","id":"a-1","method":"tools/call","params":{"name":"x","arguments":%s}}'


@contextmanager
def pipe(content: bytes) -> Iterator[int]:
    """A file that has this content and then ends."""
    reading, writing = os.pipe()
    try:
        os.write(writing, content)
        os.close(writing)
        yield reading
    finally:
        os.close(reading)


def test_lines_are_read_without_blank_ones_and_the_last_needs_no_end() -> None:
    with pipe(b"one\n\n  \r\ntwo\nthree") as file:
        assert list(lines_of(file)) == [b"one", b"two", b"three"]


def test_a_line_that_is_too_long_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_standard_input, "MAX_LINE", 100)
    monkeypatch.setattr(_standard_input, "CHUNK", 30)
    with pipe(b"x" * 10_000 + b"\nnext\n") as file:
        long, after = lines_of(file)
    assert 100 < len(long) <= 130
    assert after == b"next"


def test_a_message_has_no_fault() -> None:
    assert fault_of(PING) is None
    assert fault_of(CALL % b'{"cards": 5}') is None


@pytest.mark.parametrize(
    ("line", "number", "words"),
    [
        (b"garbage", None, "no JSON"), (b"{}", None, "JSON-RPC"), (b"\xff\xfe", None, "no JSON"),
        (b"null", None, "JSON-RPC"), (b'{"id": 5}', 5, "JSON-RPC"),
        (b'{"id": "a b"}', None, "JSON-RPC"), (CALL % b'"\\ud800"', "a-1", "no JSON"),
        (CALL % (b"[" * 5_000 + b"]" * 5_000), "a-1", "recursion limit"),
        (CALL % (b'{"cards": 1' + b"0" * 5_000 + b"}"), "a-1", "no JSON"),
        (CALL % (b'"' + b"A" * (4 << 20) + b'"'), "a-1", "at most 4,194,304 bytes"),
    ],
    ids=range(10),
)  # fmt: skip
def test_what_is_no_message_is_answered_with_its_id(line: bytes, number: Any, words: str) -> None:
    fault = fault_of(line)
    assert fault is not None
    assert fault.id == number
    assert words in fault.error.message
    assert fault.error.message.endswith(".")
    assert "\n" not in fault.error.message


def test_messages_go_to_the_server_and_faults_to_the_client() -> None:
    async def run() -> tuple[list[str], list[Any]]:
        sending, lines = anyio.create_memory_object_stream[str](10)
        outgoing, errors = anyio.create_memory_object_stream[Any](10)
        with pipe(PING + b"\ngarbage\n" + PING) as file:
            await read_messages(sending, outgoing, file)
        outgoing.close()
        async with lines, errors:
            return [line async for line in lines], [one.message async for one in errors]

    messages, faults = anyio.run(run)
    assert messages == [PING.decode()] * 2
    assert [fault.error.code for fault in faults] == [-32700]


@contextmanager
def server() -> Iterator[subprocess.Popen[bytes]]:
    """A server over stdio that has answered once."""
    command = [sys.executable, "-m", "riverboat", "mcp"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            assert ask(process, PING) == {"jsonrpc": "2.0", "id": 7, "result": {}}
            yield process
        finally:
            process.kill()


def write(process: subprocess.Popen[bytes], line: bytes) -> None:
    assert process.stdin is not None
    process.stdin.write(line + b"\n")
    process.stdin.flush()


def ask(process: subprocess.Popen[bytes], line: bytes) -> Any:
    write(process, line)
    assert process.stdout is not None
    return json.loads(process.stdout.readline())


def written(process: subprocess.Popen[bytes]) -> bytes:
    assert process.stderr is not None
    return process.stderr.read()


@pytest.mark.e2e
def test_a_request_that_cannot_be_read_is_answered_and_the_next_one_too() -> None:
    with server() as process:
        refused = ask(process, CALL % (b"[" * 100_000 + b"]" * 100_000))
        assert refused["id"] == "a-1"
        assert "recursion limit" in refused["error"]["message"]
        assert ask(process, PING)["id"] == 7


@pytest.mark.e2e
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_ends_a_server_whose_client_says_nothing() -> None:
    with server() as process:
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=120) == 130
        assert b"Traceback" not in written(process)


@pytest.mark.e2e
def test_a_client_that_goes_during_a_heavy_call_ends_the_server() -> None:
    hello = {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    }  # fmt: skip
    heavy = {
        "name": "solve_game",
        "arguments": {"game": "leduc", "algorithm": "cfr", "seconds": 3_000},
        "_meta": {"progressToken": 1},
    }
    with server() as process:
        message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
        assert "result" in ask(process, json.dumps(message).encode())
        message = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": heavy}
        assert ask(process, json.dumps(message).encode())["method"] == "notifications/progress"
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.close()  # The next progress cannot be written
        assert process.wait(timeout=120) == 0
        assert b"Traceback" not in written(process)
