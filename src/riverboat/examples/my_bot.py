"""A bot of your own in a few lines: for hold'em, rather tight.

Try: riverboat match holdem my_bot.py:MyBot holdem:rules --hands 200 --duplicate

`choose` sees what the player may know and returns one of `view.actions`.
"""

import riverboat as rb


class MyBot:
    """Raises good cards, folds bad ones to a large bet, calls otherwise."""

    def __init__(self, nerve=0.5):
        self.nerve = nerve  # the share of the pot that it pays with bad cards

    def choose(self, view, rng):
        ranks = sorted("23456789TJQKA".index(card[0]) for card in view.hole)
        pair = ranks[0] == ranks[-1]
        good = pair or sum(ranks) >= 18  # K7 and better
        if good and rng.random() < 0.8:
            return view.raise_to(3 * view.pot)
        if not good and view.to_call > self.nerve * view.pot:
            return "f"
        return "c"


if __name__ == "__main__":
    print(rb.tournament("holdem", MyBot(), "holdem:call", hands=200, seed=1))
