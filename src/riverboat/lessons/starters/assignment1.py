"""Assignment 1: regret matching (Lesson 1).

Write `strategy`. It gets the regret of each action and returns the probability of each action:
in proportion to the regret where that is positive, and all alike if no regret is positive.

    strategy([1.0, 3.0, 0.0])   ->  [0.25, 0.75, 0.0]
    strategy([2.0, -5.0, 2.0])  ->  [0.5, 0.0, 0.5]
    strategy([-1.0, -2.0])      ->  [0.5, 0.5]

Check it with: riverboat check assignment1 assignment1.py
"""


def strategy(regrets: list[float]) -> list[float]:
    """The probabilities of the actions, from their regrets."""
    raise NotImplementedError
