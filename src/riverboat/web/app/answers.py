"""Answers that take a moment: computed once by a worker, kept, and asked for until they are there.

A page asks with a short patience. Where the answer is not there yet, the page says what is being
computed and asks again; a slow first compile never leaves a page white.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Executor, Future
from concurrent.futures import TimeoutError as NotYet
from typing import Any, ParamSpec, TypeVar

MAX_ANSWERS = 128
PATIENCE_SECONDS = 0.2
_importing = threading.Lock()
P = ParamSpec("P")
R = TypeVar("R")


def import_numba() -> None:
    """Import Numba in one thread at a time: two that begin together get half of the module."""
    with _importing:
        import numba  # noqa: F401


def _work(work: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
    import_numba()
    return work(*args, **kwargs)


class Answers:
    """The newest answers, by the function and its arguments, which must be hashable."""

    def __init__(self, workers: Executor) -> None:
        self._workers = workers
        self._futures: OrderedDict[Hashable, Future[Any]] = OrderedDict()
        self._lock = threading.Lock()

    def ask(self, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R | None:
        """`work(*args)`, or None where it takes longer than a page should wait.

        What `work` raises is raised here, and computed again the next time.
        """
        answer: R | None = self._result(PATIENCE_SECONDS, work, args, kwargs)
        return answer

    def wait(self, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """`work(*args)`, however long it takes: for programs."""
        answer: R = self._result(None, work, args, kwargs)
        return answer

    def _result(
        self, seconds: float | None, work: Callable[..., Any], args: Any, kwargs: dict[str, Any]
    ) -> Any:
        key = (work, args, tuple(sorted(kwargs.items())))
        with self._lock:
            future = self._futures.get(key) or self._workers.submit(_work, work, args, kwargs)
            self._futures[key] = future
            self._futures.move_to_end(key)
            while len(self._futures) > MAX_ANSWERS:
                self._futures.popitem(last=False)[1].cancel()
        try:
            return future.result(seconds)
        except BaseException as error:
            if isinstance(error, NotYet) and not future.done():
                return None
            if isinstance(error, NotYet) and future.done() and future.exception() is None:
                return future.result()  # it came between the end of the patience and here
            with self._lock:
                self._futures.pop(key, None)
            raise
