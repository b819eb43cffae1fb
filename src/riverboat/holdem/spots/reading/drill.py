"""Playing a spot against its solution: hands are dealt from the ranges, every decision is priced.

    drill = Drill(solved, side=0, seed=1)
    hand = drill.deal()                    a hand of yours and one of the opponent's
    while hand.your_turn:
        print(hand.cursor.actions)
        verdict = hand.act("check")        what it cost, what the solution does
    drill.score                            over all hands

The opponent plays the solution's mixed strategy with the cards he holds. What a decision costs is
the EV of the best action less that of yours, against all hands he may hold here.

A decision that was wrong comes again, at its node with the same cards of yours: first after three
hands, and once more after it was known. `as_dict` and `resume` keep a drill across runs.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from riverboat.cards.card import card_text
from riverboat.cards.combos import COMBO_CARDS, combo_text, parse_combo
from riverboat.cards.strength import board_strengths
from riverboat.errors import IllegalActionError, RiverboatError, UsageError
from riverboat.holdem.spots.cursor import SpotCursor
from riverboat.holdem.spots.engine.tree import NodeKind
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.holdem.spots.spot import PLAYERS

__all__ = ["Drill", "DrillHand", "Missed", "Score", "Verdict"]

GOOD = 0.005
"""A decision that costs at most this part of the pot counts as right."""
WAITS = (3, 8)
"""Hands until a missed decision comes again: after a mistake, and after it was known once."""
MOST_MISSED = 200
MOST_DEALS = 200
"""Hands without a decision before it is said that there is none."""


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


@dataclass
class Missed:
    """A decision that was wrong, to be asked again."""

    node: str
    cards: str
    due: int
    """The number of the hand from which on it may come."""
    known: int = 0
    """How often it was right since."""


class Drill:
    """Hands of one spot, one after another; each has its own stream of chance."""

    def __init__(
        self, solved: SolvedSpot, *, side: int = 0, seed: int = 0, again: bool = True
    ) -> None:
        """`again` brings back decisions that were wrong."""
        self.solved, self.side, self.seed, self.again = solved, side, seed, again
        self.rng = np.random.default_rng(seed)
        self.score = Score()
        self.missed: list[Missed] = []
        self.hand: DrillHand | None = None
        """The last one that was dealt."""
        self._number = 0

    def deal(self) -> DrillHand:
        """A pair of hands as often as the ranges hold it, at the root of the spot.

        Or one that you misplayed before, at the node where you did.
        """
        due = [each for each in self.missed if each.due <= self._number] if self.again else []
        self._number += 1
        self.score.hands += 1
        return self._dealt(due[0] if due else None)

    def deal_to_decide(self) -> DrillHand:
        """The next hand in which you act; those that end before are not counted."""
        for _ in range(MOST_DEALS):
            score = (self.score.hands, self.score.chips)
            hand = self.deal()
            if hand.your_turn:
                return hand
            self.score.hands, self.score.chips = score
        raise UsageError(f"{PLAYERS[self.side].upper()} never acts in this spot.")

    def _dealt(self, missed: Missed | None) -> DrillHand:
        self.rng = np.random.default_rng([self.seed, self._number])
        at = self.solved.at(missed.node if missed else "r:0")
        mine, yours = at.combos(self.side), at.combos(1 - self.side)
        if missed is None:
            chances = at.weights(self.side) * at.meetings(self.side)
            own = int(mine[self.rng.choice(len(mine), p=chances / chances.sum())])
        else:
            own = parse_combo(missed.cards)
        theirs = at.weights(1 - self.side).copy()
        theirs[np.isin(COMBO_CARDS[yours], COMBO_CARDS[own]).any(axis=1)] = 0.0
        other = int(yours[self.rng.choice(len(theirs), p=theirs / theirs.sum())])
        combos = (own, other) if self.side == 0 else (other, own)
        self.hand = DrillHand(self, at, combos, again=missed)
        self.hand._go_on()
        return self.hand

    def note(self, hand: DrillHand, verdict: Verdict, *, looked: bool = False) -> None:
        """Count a decision; a wrong one will come again, a known one goes.

        One that was looked up is not counted, and comes again too.
        """
        score = self.score
        if not looked:
            score.decisions += 1
            score.right += verdict.right
            score.loss += verdict.loss
        if not self.again:
            return
        key = (verdict.node, hand.cards)
        old = next((each for each in self.missed if (each.node, each.cards) == key), None)
        if looked or not verdict.right:
            new = old or Missed(*key, due=0)
            new.known, new.due = 0, self._number + WAITS[0]
            if old is None and len(self.missed) < MOST_MISSED:
                self.missed.append(new)
        elif old is not None and old.due < self._number:
            old.known += 1
            if old.known >= len(WAITS):
                self.missed.remove(old)
            else:
                old.due = self._number + WAITS[old.known]

    def as_dict(self) -> dict[str, Any]:
        """All that `resume` needs: the score, what was missed, and the hand on its way."""
        hand = self.hand
        began = None if hand is None or hand.again is None else asdict(hand.again)
        return {
            "side": self.side,
            "seed": self.seed,
            "number": self._number,
            "score": self.score.as_dict(),
            "missed": [asdict(each) for each in self.missed],
            "hand": None if hand is None else [verdict.action for verdict in hand.verdicts],
            "again": began,
        }

    @classmethod
    def resume(cls, solved: SolvedSpot, kept: Any) -> Drill:
        """The drill that `as_dict` told of, its hand played up to the same point."""
        try:
            drill = cls(solved, side=int(kept["side"]), seed=int(kept["seed"]))
            old = kept["score"]
            score = Score(
                *(int(old[key]) for key in ("hands", "decisions", "right")),
                *(float(old[key]) for key in ("loss", "chips")),
            )
            missed = [Missed(**each) for each in kept["missed"]]
            again = None if kept["again"] is None else Missed(**kept["again"])
            drill._number = int(kept["number"])
            if kept["hand"] is not None:
                hand = drill._dealt(again)
                for action in kept["hand"]:
                    hand.act(str(action))
        except (RiverboatError, TypeError, KeyError, ValueError, AttributeError) as error:
            raise UsageError("The drill cannot be read; begin a new one.") from error
        drill.score, drill.missed = score, missed
        return drill


@dataclass
class DrillHand:
    """One hand on its way; it stops where it is your turn, or at its end."""

    drill: Drill
    cursor: SpotCursor
    combos: tuple[int, int]
    story: list[str] = field(default_factory=list)
    """What happened since you last acted, in words."""
    verdicts: list[Verdict] = field(default_factory=list)
    again: Missed | None = None
    """Where it began with a decision that you missed before."""
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

    def act(self, action: str, *, looked: bool = False) -> Verdict:
        """Take an action; the opponent and the cards go on until it is your turn again.

        `looked` tells that the solution was looked up first.
        """
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
        self.drill.note(self, verdict, looked=looked)
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
                dead = cursor.solved.spot.dead
                used = {*cursor.board, *dead, *COMBO_CARDS[list(self.combos)].ravel().tolist()}
                card = card_text(int(rng.choice([c for c in range(52) if c not in used])))
                self.story.append(f"{card} is dealt")
                self.cursor = cursor.deal(card)
            elif cursor.kind != NodeKind.DECISION:
                self._end()
                return
            elif cursor.player == drill.side and len(cursor.actions) > 1:
                return
            elif cursor.player == drill.side:  # nothing to decide
                self.cursor = cursor.play(cursor.actions[0])
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
            if cursor.node.player == side:
                self.story.append("you fold")
        else:
            strengths = board_strengths(list(cursor.board))
            mine, theirs = (int(strengths[self.combos[who]]) for who in (side, 1 - side))
            share = 1.0 if mine > theirs else 0.5 if mine == theirs else 0.0
        self.won = share * (pot - rake) - min(put)
        self.drill.score.chips += self.won
