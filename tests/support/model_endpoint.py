"""An endpoint in the form of OpenAI's, on this machine, that answers as a test wants."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Writes = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]
MAX_REQUEST = 1 << 20


def says(answer: Callable[[str], str], tokens: tuple[int, int] = (10, 2)) -> Writes:
    """A model whose text is a function of the last message."""

    def write(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        content = answer(body["messages"][-1]["content"])
        usage = dict(zip(("prompt_tokens", "completion_tokens"), tokens, strict=True))
        fields = {"choices": [{"message": {"content": content}}], "usage": usage}
        send(handler, json.dumps(fields).encode())

    return write


def send(handler: BaseHTTPRequestHandler, content: bytes, status: int = 200) -> None:
    """Write a reply."""
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content)


def write_raw(handler: BaseHTTPRequestHandler, reply: bytes) -> None:
    """Write bytes in place of a reply, and close."""
    handler.wfile.write(reply)
    handler.close_connection = True


@contextmanager
def endpoint(write: Writes) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The base URL of a server, and the requests that it received."""
    received: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = min(int(self.headers.get("Content-Length", 0)), MAX_REQUEST)
            body = json.loads(self.rfile.read(length))
            received.append({**body, "path": self.path, "key": self.headers.get("Authorization")})
            write(self, body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", received
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
