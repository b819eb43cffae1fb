"""Assignment 3: solve Kuhn poker by counterfactual regret minimisation (Lesson 3).

Write `solve`. It runs the given number of iterations of CFR and returns the average strategy at
all 12 infosets, such as {"J|": {"p": 0.8, "b": 0.2}, "J|pb": {"p": 1.0, "b": 0.0}, …}.

A state of the game has
    state.actor          0 or 1, rb.CHANCE (cards are dealt) or rb.TERMINAL (the play is over)
    state.actions()      the actions, "p" and "b"
    state.chance()       at rb.CHANCE: pairs of an outcome and its probability
    state.after(action)  the state that follows, for an action or an outcome
    state.returns()      at rb.TERMINAL: what each player wins
    state.infoset(0)     what player 0 knows, such as "J|pb"

Check it with: riverboat check assignment3 assignment3.py
"""

import riverboat as rb


def solve(iterations: int) -> dict[str, dict[str, float]]:
    """The average strategy after that many iterations."""
    state = rb.game("kuhn").start()
    assert state.actor == rb.CHANCE
    raise NotImplementedError
