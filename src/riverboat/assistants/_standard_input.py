"""Standard input of the server: messages, one a line, whatever a client writes.

The reader of the package `mcp` has no limit of length, drops a line that it cannot read, so that
the client waits for ever, and keeps a process that is asked to stop alive until the next line.
This one answers such a line with an error of the protocol, which has the request's id as far as
that can be found, and reads in a thread that ends with the process.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Iterator
from typing import Any

import anyio
import anyio.from_thread
import anyio.lowlevel
from mcp import types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

MAX_LINE = 4 << 20  # Bytes of a message
CHUNK = 1 << 16  # Bytes of one read
_ID = re.compile(rb'"id"\s*:\s*(\d{1,15}|"[\w-]{1,100}")')


async def read_messages(lines: Any, outgoing: Any, file: int = 0) -> None:
    """Send each message of a file to the stream `lines`; what is none is answered to `outgoing`."""
    token, ended = anyio.lowlevel.current_token(), anyio.Event()

    async def take(line: bytes) -> None:
        fault = fault_of(line)
        if fault is None:
            await lines.send(line.decode("utf-8", "replace"))
        else:
            await outgoing.send(SessionMessage(fault))

    def read() -> None:
        try:
            for line in lines_of(file):
                anyio.from_thread.run(take, line, token=token)
            anyio.from_thread.run_sync(ended.set, token=token)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, RuntimeError):
            return  # The server has ended, and its streams or its event loop with it

    threading.Thread(target=read, daemon=True).start()
    async with lines:
        await ended.wait()


def lines_of(file: int) -> Iterator[bytes]:
    """The lines of a file that are not blank; of one that is too long a little more than allowed.

    A file that cannot be read any more has ended.
    """
    line, cut = bytearray(), False
    while True:
        try:
            chunk = os.read(file, CHUNK)
        except OSError:
            chunk = b""
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            if not cut:
                line += end
            if line.strip():
                yield bytes(line)
            line, cut = bytearray(), False
        if not cut:
            line += rest
            cut = len(line) > MAX_LINE
        if not chunk:
            if line.strip():
                yield bytes(line)
            return


def fault_of(line: bytes) -> types.JSONRPCError | None:
    """The answer to a line that is no message; None for a message."""
    if len(line) > MAX_LINE:
        return _error(line, types.INVALID_REQUEST, f"A message has at most {MAX_LINE:,} bytes.")
    try:
        types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        if first["type"] == "json_invalid":
            reason = first["ctx"]["error"]
            return _error(line, types.PARSE_ERROR, f"The message is no JSON: {reason}.")
        return _error(line, types.INVALID_REQUEST, "The message is none of JSON-RPC 2.0.")
    return None


def _error(line: bytes, code: int, words: str) -> types.JSONRPCError:
    request = _ID.search(line)
    return types.JSONRPCError(
        jsonrpc="2.0",
        id=None if request is None else json.loads(request[1]),
        error=types.ErrorData(code=code, message=words),
    )
