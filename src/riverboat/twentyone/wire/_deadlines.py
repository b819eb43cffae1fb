"""When the lines of a host must be checked next: a heap of their deadlines."""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterator

from riverboat.twentyone.wire.line import Line


class Deadlines:
    """The next moments at which lines need a check, earliest first."""

    def __init__(self) -> None:
        # A line stands in the heap once for its deadline and once for all else. A clock that was
        # set back stays where it is and is found out when it runs out, so that the heap does not
        # grow with every decision.
        self._heap: list[tuple[float, int, bool, Line]] = []
        self._order = itertools.count()

    @property
    def earliest(self) -> float:
        """The first of them; infinity without any."""
        return self._heap[0][0] if self._heap else math.inf

    def schedule(self, line: Line) -> None:
        """Have the line checked when its next clock runs out."""
        if line.deadline < line.slow_scheduled:
            line.slow_scheduled = line.deadline
            heapq.heappush(self._heap, (line.deadline, next(self._order), True, line))
        quick = line.quick_at
        if quick < line.quick_scheduled:
            line.quick_scheduled = quick
            heapq.heappush(self._heap, (quick, next(self._order), False, line))

    def due(self, now: float) -> Iterator[Line]:
        """Lines whose clocks have run out; those scheduled meanwhile are included."""
        while self._heap and self._heap[0][0] <= now:
            when, _, slow, line = heapq.heappop(self._heap)
            if when != (line.slow_scheduled if slow else line.quick_scheduled):
                continue
            if slow:
                line.slow_scheduled = math.inf
            else:
                line.quick_scheduled = math.inf
            yield line
