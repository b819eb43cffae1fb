"""Playing a spot against its solution: hands are dealt from the ranges, every decision is priced.

    drill = Drill(solved, side=0, seed=1)
    hand = drill.deal()                    a hand of yours and one of the opponent's
    while hand.your_turn:
        print(hand.cursor.actions)
        verdict = hand.act("check")        what it cost, what the solution does
    drill.score                            over all hands

The opponent plays the solution's mixed strategy with the cards he holds. What a decision costs is
the EV of the best action less that of yours, against all hands he may hold here.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from riverboat.cards.card import card_text
from riverboat.cards.combos import COMBO_CARDS, combo_text
from riverboat.cards.strength import board_strengths
from riverboat.errors import IllegalActionError
from riverboat.holdem.spots.solved_spot import SolvedSpot
from riverboat.holdem.spots.spot_cursor import SpotCursor
from riverboat.holdem.spots.spot_tree import NodeKind

__all__ = ["Drill", "DrillHand", "Score", "Verdict"]

GOOD = 0.005
"""A decision that costs at most this part of the pot counts as right."""


@dataclass(frozen=True)
class Verdict:
    """What one decision was worth."""

    node: str
    action: str
    best: str
    loss: float
    """In chips."""
    pot: float
    values: dict[str, float]
    """Action → EV."""
    strategy: dict[str, float]
    """What the solution does with this hand."""

    @property
    def right(self) -> bool:
        return self.loss <= GOOD * self.pot


@dataclass
class Score:
    """Decisions, how many were right, and what the others cost."""

    hands: int = 0
    decisions: int = 0
    right: int = 0
    loss: float = 0.0
    chips: float = 0.0
    """Won over all hands, luck included."""

    def as_dict(self) -> dict[str, float]:
        return dict(vars(self))


class Drill:
    """Hands of one spot, one after another."""

    def __init__(self, solved: SolvedSpot, *, side: int = 0, seed: int = 0) -> None:
        self.solved, self.side = solved, side
        self.rng = np.random.default_rng(seed)
        self.score = Score()
        root = solved.at("r:0")
        weights = root.weights(0) * root.meetings(0)
        self._first = weights / weights.sum()

    def deal(self) -> DrillHand:
        """A pair of hands as often as the ranges hold it, at the root of the spot."""
        root = self.solved.at("r:0")
        combos = [root.combos(player) for player in (0, 1)]
        oop = int(combos[0][self.rng.choice(len(combos[0]), p=self._first)])
        theirs = root.weights(1).copy()
        theirs[np.isin(COMBO_CARDS[combos[1]], COMBO_CARDS[oop]).any(axis=1)] = 0.0
        ip = int(combos[1][self.rng.choice(len(theirs), p=theirs / theirs.sum())])
        self.score.hands += 1
        hand = DrillHand(self, root, (oop, ip))
        hand._go_on()
        return hand


@dataclass
class DrillHand:
    """One hand on its way; it stops where it is your turn, or at its end."""

    drill: Drill
    cursor: SpotCursor
    combos: tuple[int, int]
    story: list[str] = field(default_factory=list)
    """What happened since you last acted, in words."""
    verdicts: list[Verdict] = field(default_factory=list)
    won: float | None = None
    """Your chips at the end, counted from the chips you began with."""

    @property
    def your_turn(self) -> bool:
        return self.won is None

    @property
    def cards(self) -> str:
        """Your cards."""
        return combo_text(self.combos[self.drill.side])

    @property
    def their_cards(self) -> str:
        """The opponent's, to be shown once the hand is over."""
        return combo_text(self.combos[1 - self.drill.side])

    def act(self, action: str) -> Verdict:
        """Take an action; the opponent and the cards go on until it is your turn again."""
        if not self.your_turn:
            raise IllegalActionError("The hand is over.")
        cursor, side = self.cursor, self.drill.side
        after = cursor.play(action)
        taken = cursor.actions[cursor.node.children.index(after.node.index)]
        place = self._place(side)
        values = dict(zip(cursor.actions, cursor.action_evs()[:, place].tolist(), strict=True))
        best = max(values, key=lambda name: values[name])
        verdict = Verdict(
            cursor.node_id,
            taken,
            best,
            values[best] - values[taken],
            cursor.pot,
            values,
            dict(zip(cursor.actions, cursor.strategies[:, place].tolist(), strict=True)),
        )
        score = self.drill.score
        score.decisions += 1
        score.right += verdict.right
        score.loss += verdict.loss
        self.verdicts.append(verdict)
        self.story = []
        # The range you are seen with stays the solution's, unless it never plays this.
        self.cursor = after
        self._go_on()
        return verdict

    def _place(self, player: int) -> int:
        return int(np.flatnonzero(self.cursor.combos(player) == self.combos[player])[0])

    def _go_on(self) -> None:
        drill, rng = self.drill, self.drill.rng
        while True:
            cursor = self.cursor
            if cursor.kind == NodeKind.CHANCE:
                used = {*cursor.board, *COMBO_CARDS[list(self.combos)].ravel().tolist()}
                card = card_text(int(rng.choice([c for c in range(52) if c not in used])))
                self.story.append(f"{card} is dealt")
                self.cursor = cursor.deal(card)
            elif cursor.kind != NodeKind.DECISION:
                self._end()
                return
            elif cursor.player == drill.side:
                return
            else:
                chances = cursor.strategies[:, self._place(cursor.player)]
                which = int(rng.choice(len(chances), p=chances / chances.sum()))
                action = cursor.bet_actions[which]
                self.story.append(f"the opponent: {action.words}")
                self.cursor = cursor.play(action.words)

    def _end(self) -> None:
        cursor, side, spot = self.cursor, self.drill.side, self.drill.solved.spot
        offset = cursor.offset
        put = [chips + offset for chips in cursor.node.put]
        pot = spot.pot + 2 * min(put)
        rake = spot.rake(pot)
        if cursor.kind == NodeKind.FOLD:
            share = 0.0 if cursor.node.player == side else 1.0
            self.story.append("you fold" if cursor.node.player == side else "the opponent folds")
        else:
            strengths = board_strengths(list(cursor.board))
            mine, theirs = (int(strengths[self.combos[who]]) for who in (side, 1 - side))
            share = 1.0 if mine > theirs else 0.5 if mine == theirs else 0.0
        self.won = share * (pot - rake) - min(put)
        self.drill.score.chips += self.won
