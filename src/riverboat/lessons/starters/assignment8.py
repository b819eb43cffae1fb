"""Assignment 8: the wire of twenty-one (Lesson 12).

A dealer sends messages that end in a zero byte: BEGIN, CARD Six of Hearts, DEALER Ten of Spades,
DECISION, RESULT WIN, QUIT. Answer each DECISION with HIT or STAND, also ended by a zero byte. Hit
up to 16 points, stand on 17 and more; an ace counts 11 where that does not bust.

There is no socket here: `receive` gets the bytes that have arrived and returns the bytes to send.
Bytes come in any pieces: half a message, or three at once.

Check it with: riverboat check assignment8 assignment8.py
"""


class Session:
    """One player's side of the conversation."""

    def __init__(self, name: str) -> None:
        self.name = name

    def opening(self) -> bytes:
        """What to send first: JOIN and the name."""
        raise NotImplementedError

    def receive(self, data: bytes) -> bytes:
        """Take in some bytes, and return what there is to say, perhaps nothing."""
        raise NotImplementedError
