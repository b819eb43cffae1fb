"""Assignment 2: best response and NashConv (Lesson 3).

A game is a table: payoff[i][j] is what the row player wins, and the column player loses, if row i
meets column j. A strategy is a list of probabilities.

Check it with: riverboat check assignment2 assignment2.py
"""


def best_response(payoff: list[list[float]], column: list[float]) -> int:
    """The number of the row that wins most against the column player's strategy."""
    raise NotImplementedError


def nash_conv(payoff: list[list[float]], row: list[float], column: list[float]) -> float:
    """What the row player could gain by a best response, plus what the column player could."""
    raise NotImplementedError
