"""News for pages, by server-sent events: which of the things they show have changed.

A page names its topics in `/events?topic=…`. An event carries a topic and nothing else: the page
then fetches its own address again and takes the changed part from it, so that there is one way to
draw a thing and no second one over a socket.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable

from riverboat.errors import UsageError

MAX_LISTENERS = 500
"""Pages that may listen at once, a class with two tabs each included."""
KEEP_ALIVE_SECONDS = 15.0
"""After so long without news a comment is sent, so that proxies keep the connection."""


class News:
    """Topics and who listens to them. `publish` may be called from any thread."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._listeners: dict[asyncio.Queue[str | None], frozenset[str]] = {}

    def open(self, loop: asyncio.AbstractEventLoop) -> None:
        """Deliver in this loop from now on."""
        self._loop = loop

    def publish(self, topic: str) -> None:
        """Report that something changed."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._deliver, topic)

    def _deliver(self, topic: str) -> None:
        for waiting, topics in self._listeners.items():
            if topic in topics and waiting.qsize() < len(topics):
                waiting.put_nowait(topic)

    def close(self) -> None:
        """End every stream; the server stops."""
        for waiting in self._listeners:
            waiting.put_nowait(None)

    def listen(self, topics: Iterable[str]) -> AsyncIterator[str]:
        """The events of a page as text, for a response of type text/event-stream."""
        if len(self._listeners) >= MAX_LISTENERS:
            raise UsageError("Too many pages are open; close some of them.")
        waiting: asyncio.Queue[str | None] = asyncio.Queue()
        self._listeners[waiting] = frozenset(topics)
        return self._stream(waiting)

    async def _stream(self, waiting: asyncio.Queue[str | None]) -> AsyncIterator[str]:
        try:
            yield "retry: 1000\n\n"
            while True:
                try:
                    topic = await asyncio.wait_for(waiting.get(), KEEP_ALIVE_SECONDS)
                except TimeoutError:
                    yield ":\n\n"
                    continue
                if topic is None:
                    return
                yield f"data: {topic}\n\n"
        finally:
            self._listeners.pop(waiting, None)

    def heard(self, topic: str) -> bool:
        """Whether a page listens to the topic now."""
        return any(topic in topics for topics in list(self._listeners.values()))

    @property
    def num_listeners(self) -> int:
        """Pages that listen now."""
        return len(self._listeners)
