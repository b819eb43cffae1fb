"""Events of a twenty-one table → the messages that each of its seats is told, as bytes."""

from __future__ import annotations

from riverboat.twentyone.table_events import (
    Acted,
    Asked,
    Dealt,
    Finished,
    Folded,
    Settled,
    TableEvent,
)
from riverboat.twentyone.wire.codec import BEGIN, CARD, DEALER, DECISION, QUIT, RESULT

__all__ = ["Announcer"]

_RESULT = {result.value: raw for result, raw in RESULT.items()}


class Announcer:
    """Listens to a table. What is to be said to a seat lies in `outbox[seat]` to be taken away.

    With `quit_at_end` off the last round is not followed by QUIT: the seats play on elsewhere.
    """

    def __init__(self, seats: int, *, quit_at_end: bool = True) -> None:
        self.outbox: list[list[bytes]] = [[] for _ in range(seats)]
        self._quit_at_end = quit_at_end
        self._out: set[int] = set()

    def hear(self, event: TableEvent) -> None:
        """Put an event into messages."""
        if isinstance(event, Asked):
            self.outbox[event.seat].append(DECISION)
        elif isinstance(event, Acted):
            if event.card:
                self.outbox[event.seat].append(CARD[event.card])
        elif isinstance(event, Dealt):
            up = DEALER[event.up]
            for out, hand in zip(self.outbox, event.hands, strict=True):
                if hand is not None:
                    out += (BEGIN, CARD[hand[0]], CARD[hand[1]], up)
        elif isinstance(event, Settled):
            for out, word in zip(self.outbox, event.results, strict=True):
                if word in _RESULT:
                    out.append(_RESULT[word])
        elif isinstance(event, Folded):
            self._out.add(event.seat)
            self.outbox[event.seat].append(QUIT)
        elif isinstance(event, Finished) and self._quit_at_end:
            for seat, out in enumerate(self.outbox):
                if seat not in self._out:
                    out.append(QUIT)
