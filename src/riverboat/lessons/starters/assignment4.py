"""Assignment 4: how the dealer ends (Lesson 7).

The deck never runs out: each card from 1 (the ace) to 9 comes with probability 1/13, a ten with
4/13. The dealer draws to 17 or more, and stands on every 17. An ace counts 11 if that
does not bust, otherwise 1.

Check it with: riverboat check assignment4 assignment4.py
"""


def dealer(up: int) -> dict[int | str, float]:
    """The probability of each end, {17: …, 18: …, …, 21: …, "bust": …}, by the open card."""
    raise NotImplementedError


def stand(points: int, up: int) -> float:
    """The value of standing on that many points: +1 for a win, -1 for a loss, 0 for a draw."""
    raise NotImplementedError
