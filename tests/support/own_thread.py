"""Coroutines in tests that share their process with a browser."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def in_a_thread(work: Coroutine[Any, Any, Any]) -> Any:
    """Run it to its end in a thread: Playwright's loop runs in the test's own while it is open."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
