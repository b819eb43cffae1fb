"""Processes that work beside the server: they end with it, also where it was killed."""

from __future__ import annotations

import multiprocessing
import os
import threading

__all__ = ["end_with_server"]


def end_with_server() -> None:
    """Called first in such a process: once the server is gone nobody waits for the work."""
    server = multiprocessing.parent_process()
    if server is None:
        return

    def watch() -> None:
        server.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
