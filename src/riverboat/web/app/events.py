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


class _Listener:
    """A page: its topics, and what it has not been sent yet, each topic once."""

    def __init__(self, topics: Iterable[str]) -> None:
        self.topics = frozenset(topics)
        self.waiting: asyncio.Queue[str | None] = asyncio.Queue()
        self._pending: set[str] = set()

    def tell(self, topic: str) -> None:
        if topic in self.topics and topic not in self._pending:
            self._pending.add(topic)
            self.waiting.put_nowait(topic)

    async def next(self) -> str | None:
        """The next topic, or None at the end."""
        topic = await asyncio.wait_for(self.waiting.get(), KEEP_ALIVE_SECONDS)
        if topic is not None:
            self._pending.discard(topic)
        return topic


class News:
    """Topics and who listens to them. `publish` may be called from any thread."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._listeners: set[_Listener] = set()

    def open(self, loop: asyncio.AbstractEventLoop) -> None:
        """Deliver in this loop from now on."""
        self._loop = loop

    def publish(self, topic: str) -> None:
        """Report that something changed."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._deliver, topic)

    def _deliver(self, topic: str) -> None:
        for listener in self._listeners:
            listener.tell(topic)

    def close(self) -> None:
        """End every stream; the server stops."""
        for listener in self._listeners:
            listener.waiting.put_nowait(None)

    def listen(self, topics: Iterable[str]) -> AsyncIterator[str]:
        """The events of a page as text, for a response of type text/event-stream."""
        if len(self._listeners) >= MAX_LISTENERS:
            raise UsageError("Too many pages are open; close some of them.")
        listener = _Listener(topics)
        self._listeners.add(listener)
        return self._stream(listener)

    async def _stream(self, listener: _Listener) -> AsyncIterator[str]:
        try:
            yield "retry: 1000\n\n"
            while True:
                try:
                    topic = await listener.next()
                except TimeoutError:
                    yield ":\n\n"
                    continue
                if topic is None:
                    return
                yield f"data: {topic}\n\n"
        finally:
            self._listeners.discard(listener)

    def heard(self, topic: str) -> bool:
        """Whether a page listens to the topic now."""
        return any(topic in listener.topics for listener in list(self._listeners))

    @property
    def num_listeners(self) -> int:
        """Pages that listen now."""
        return len(self._listeners)
