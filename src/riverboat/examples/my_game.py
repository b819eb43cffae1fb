"""A game of your own in one file: matching pennies, where two heads pay double.

Try: python my_game.py

Each player shows a coin, unseen by the other. Equal coins: the first player wins. The value is 1/5,
and both show heads with 2/5.
"""

from dataclasses import dataclass
from typing import ClassVar

import riverboat as rb
from riverboat.games import Scene, SeatScene, face_up


@dataclass(frozen=True)
class State:
    """The coins shown so far."""

    game: "Pennies"
    shown: str = ""

    @property
    def actor(self):
        return rb.TERMINAL if len(self.shown) == 2 else len(self.shown)

    def actions(self):
        return ("h", "t") if self.actor >= 0 else ()

    def chance(self):
        return ()

    def after(self, action):
        return State(self.game, self.shown + action)

    def returns(self):
        gain = {"hh": self.game.heads, "tt": 1.0}.get(self.shown, -1.0)
        return (gain, -gain)

    def infoset(self, player):
        return self.shown[player : player + 1] or "?"

    def describe(self, player):
        return self.shown if player is None else "both show a coin"

    def scene(self, sees):
        """What a screen draws, if it can: the coins, face down where they are not seen."""
        coins = self.shown.upper()
        return Scene([SeatScene(face_up(coins[seat : seat + 1], sees(seat))) for seat in range(2)])


@rb.register
@dataclass(frozen=True)
class Pennies:
    """The rules; `heads` is what two heads pay."""

    heads: float = 2.0
    name: ClassVar = "pennies"
    title: ClassVar = "Matching pennies"
    summary: ClassVar = "Two coins, and two heads pay double."
    art: ClassVar = ("H", "T")
    small: ClassVar = True
    num_players: ClassVar = 2
    utility_sum: ClassVar = 0.0

    def start(self):
        return State(self)

    def action_label(self, action):
        return {"h": "heads", "t": "tails"}[action]


if __name__ == "__main__":
    print(rb.solve("pennies"))
