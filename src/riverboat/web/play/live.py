"""Sittings that pages show now: sat down once for all tabs, given up when nobody looks any more.

A sitting can always be played again from its file, so one that is given up is not lost. A page
follows its sitting by news (`topic_of`): the stream tells that the page is still there.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass, field
from typing import Any, TypeVar

from riverboat.runtime.stopping import Stop
from riverboat.web.app.answers import PATIENCE_SECONDS
from riverboat.web.app.events import News
from riverboat.web.play.session import Kept, KeptSession

MAX_SITTINGS = 40
"""Sessions in memory, each a hand or a shoe, and the opponent that it plays against."""
LEFT_SECONDS = 15.0
"""After so long without a page that follows or asks, a sitting is given up."""
SessionT = TypeVar("SessionT", bound=KeptSession)


def topic_of(name: str) -> str:
    """The topic that is published when something happens in a sitting."""
    return f"sitting:{name}"


@dataclass
class _Live:
    """A sitting, made or in the making."""

    future: Future[Any]
    stop: Stop
    asked: float = field(default_factory=time.monotonic)


class LiveSittings:
    """The sessions of a server, by the sitting's name."""

    def __init__(self, workers: Executor, news: News) -> None:
        self._workers, self._news = workers, news
        self._live: dict[str, _Live] = {}
        self._lock = threading.Lock()

    def ask(self, kept: Kept, sit: Callable[[Kept, Stop], SessionT]) -> SessionT | None:
        """The session of a sitting, or None while `sit(kept, stop)` makes it.

        News of its topic say when it is there. What `sit` raises is raised here once.
        """
        with self._lock:
            live = self._live.get(kept.name)
            if live is None:
                live = self._begin(kept, sit)
            live.asked = time.monotonic()
        try:
            session: SessionT = live.future.result(PATIENCE_SECONDS)
        except BaseException as error:
            if isinstance(error, NotYet) and not live.future.done():
                return None
            self.forget(kept.name)
            raise
        return session

    def _begin(self, kept: Kept, sit: Callable[[Kept, Stop], SessionT]) -> _Live:
        stop = Stop()
        live = _Live(self._workers.submit(sit, kept, stop), stop)
        live.future.add_done_callback(lambda _: self.publish(kept.name))
        self._live[kept.name] = live
        while len(self._live) > MAX_SITTINGS:
            self._give_up(min(self._live, key=lambda name: self._live[name].asked))
        return live

    def publish(self, name: str) -> None:
        """Report that something happened in a sitting."""
        self._news.publish(topic_of(name))

    def forget(self, name: str) -> None:
        """Let go of a sitting; one that is in the making is stopped."""
        with self._lock:
            self._give_up(name)

    def _give_up(self, name: str) -> None:
        live = self._live.pop(name, None)
        if live is not None:
            live.stop.request()
            live.future.cancel()

    def tidy(self) -> None:
        """Give up what nobody looks at any more."""
        now = time.monotonic()
        with self._lock:
            for name, live in list(self._live.items()):
                if self._news.heard(topic_of(name)):
                    live.asked = now
                elif now - live.asked > LEFT_SECONDS:
                    self._give_up(name)

    def end(self) -> None:
        """The server stops."""
        with self._lock:
            for name in list(self._live):
                self._give_up(name)

    def __contains__(self, name: object) -> bool:
        return name in self._live
