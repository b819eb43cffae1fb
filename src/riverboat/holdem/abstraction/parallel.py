"""Work in parts, in several threads where the kernels release the interpreter's lock."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

__all__ = ["in_parallel"]


def in_parallel(
    work: Callable[[int], None],
    parts: range,
    threads: int,
    progress: Callable[[float], None] | None = None,
) -> None:
    """Do `work` for each of `parts`; `progress` is told the share done, in the calling thread."""
    if threads == 1:
        for done, part in enumerate(parts):
            work(part)
            if progress is not None:
                progress((done + 1) / len(parts))
        return
    with ThreadPoolExecutor(threads) as pool:
        try:
            for done, _ in enumerate(pool.map(work, parts)):
                if progress is not None:
                    progress((done + 1) / len(parts))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
