"""A player of your own in a few lines: for Leduc poker, rather timid.

Try: python my_bot.py

`choose` sees what the player may know and returns one of `view.actions`. `view.infoset` is the
player's card, a bar, and what followed; `view.scene()` says the same in words.
"""

import riverboat as rb


class MyBot:
    """Raises with a king, else calls."""

    name = "my_bot"

    def choose(self, view, rng):
        if "r" in view.actions and view.infoset.startswith("K"):
            return "r"
        return "c" if "c" in view.actions else view.actions[0]


if __name__ == "__main__":
    print(rb.match("leduc", MyBot(), "random", hands=2000, seed=1))
