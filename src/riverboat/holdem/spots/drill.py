"""Playing a spot against its solution: hands are dealt from the ranges, every decision is priced.

    drill = Drill(solved, side=0, seed=1)
    hand = drill.deal()                    a hand of yours and one of the opponent's
    while hand.your_turn:
        print(hand.cursor.actions)
        verdict = hand.act("check")        what it cost, what the solution does
    drill.score                            over all hands

The opponent plays the solution's mixed strategy with the cards they hold. A decision costs the EV
of the best action less that of yours, against all hands that the opponent may hold there.

A wrong decision is asked again, at its node with the same cards of yours: first after three hands,
and once more after it was known (arena/drill.py). `as_dict` and `resume` keep a drill across runs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from riverboat.arena.drill import Item
from riverboat.arena.hand_drill import CLOSE_SHARE, HandDrill, HandVerdict, choices, kept_seat
from riverboat.arena.memory import Question, Wanted, closeness
from riverboat.cards.board_texture import board_texture
from riverboat.cards.card import card_text, cards_text
from riverboat.cards.hands import hand_cards, hand_number, hand_text, parse_hand
from riverboat.errors import IllegalActionError, UsageError
from riverboat.holdem.spots._meetings import meeting_weights
from riverboat.holdem.spots.cursor import SpotCursor
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.holdem.spots.tree import NodeKind
from riverboat.runtime.array_types import F64, U8

if TYPE_CHECKING:
    from riverboat.holdem.spots.locks import Lock
    from riverboat.holdem.spots.spot import Spot

TOLERANCE = 0.005  # A decision that costs at most this part of the pot counts as right
MAX_WALKS = 100  # Hands that are played in search of a decision of a group
STREETS = {3: "flop", 4: "turn", 5: "river"}


class Drill(HandDrill["DrillHand"]):
    """Hands of one spot, one after another."""

    def __init__(
        self, solved: SolvedSpot, *, side: int = 0, seed: int = 0, again: bool = True
    ) -> None:
        if solved.spot.payouts is not None:
            raise UsageError("A drill counts chips; this spot is played for prizes.")
        super().__init__(side, seed, again=again)
        self.solved = solved

    @property
    def name(self) -> str:
        return self.solved.at().names[self.side]

    @property
    def deck(self) -> str:
        """The spot with its locks, and your seat; the same for any file of it."""
        return deck_of(self.solved.spot, self.solved.locks, self.name)

    @property
    def title(self) -> str:
        return f"{cards_text(self.solved.spot.board)} as {self.name.upper()}"

    @property
    def groups(self) -> dict[str, tuple[str, ...]]:
        streets = [name for cards, name in STREETS.items() if cards >= len(self.solved.spot.board)]
        return choices({"street": streets, "facing": ["nothing", "bet"]})

    def draw(self, rng: np.random.Generator, wanted: Wanted) -> Item:
        """A decision that the solution reaches, with cards of `chances`."""
        score = replace(self.score)
        try:
            for _ in range(MAX_WALKS):
                passed = [at for at in self._walk(rng) if wanted.takes(decision_groups(at))]
                if passed:
                    at = passed[int(rng.integers(len(passed)))]
                    hands, chances = at.combos(self.side), self.chances(at)
                    own = int(hands[rng.choice(len(hands), p=chances)])
                    cards = hand_text(hand_cards(self.solved.spot.hole_cards)[own])
                    return Item("", "", f"{at.node_id} {cards}", mistakes=0)
        finally:
            self.score = score
        if wanted.words:
            words = ", ".join(wanted.words)
            raise UsageError(f"{self.name.upper()} has no decision in this group: {words}.")
        raise UsageError(f"{self.name.upper()} never acts in this solution.")

    def chances(self, at: SpotCursor) -> F64:
        """(H,) how often each own hand is asked at a decision: as it is held there, times how close
        its decision is.
        """
        evs = np.sort(at.action_evs(), axis=0)
        gaps = np.nan_to_num(evs[-1] - evs[-2])
        chances = at.weights(self.side) * np.maximum(at.meetings(self.side), 0.0)
        chances = chances * closeness(gaps, CLOSE_SHARE * at.pot)
        total = chances.sum()
        return chances / total if total > 0 else np.full(len(chances), 1 / len(chances))

    def _walk(self, rng: np.random.Generator) -> list[SpotCursor]:
        """Your decisions in a hand that the solution plays for all."""
        self.rng = rng
        hand, passed = self.dealt(None), list[SpotCursor]()
        while hand.your_turn:
            cursor = hand.cursor
            passed.append(cursor)
            shares = cursor.strategies[:, hand._place(self.side)]
            taken = int(rng.choice(len(shares), p=shares / shares.sum()))
            hand.cursor = cursor.play(cursor.actions[taken])
            hand._go_on()
        return passed

    def dealt(self, missed: Item | None) -> DrillHand:
        """A pair of hands at the root of the spot, or at the missed decision."""
        node, cards = missed.key.split(" ") if missed else ("r:0", "")
        at = self.solved.at(node)
        mine = at.combos(self.side)
        if missed is None:
            chances = at.weights(self.side) * at.meetings(self.side)
            own = int(mine[self.rng.choice(len(mine), p=chances / chances.sum())])
        else:
            own = hand_number(parse_hand(cards, self.solved.spot.hole_cards))
            if own not in mine:
                raise UsageError(f"{self.name.upper()} never holds {cards} at {node}.")
        combos = {self.side: own}
        others = [player for player in range(len(at.names)) if player != self.side]
        every = hand_cards(self.solved.spot.hole_cards)
        for number, player in enumerate(others):
            free = ~np.isin(every, every[list(combos.values())]).any(axis=1)
            theirs = np.where(free, at.reach[player], 0.0)[at.combos(player)]
            if number + 1 < len(others):
                # As often as the last player can hold a hand that goes with it.
                last = np.where(free, at.reach[others[-1]], 0.0)
                theirs = theirs * np.maximum(meeting_weights(last, at.combos(player)), 0.0)
            chosen = self.rng.choice(len(theirs), p=theirs / theirs.sum())
            combos[player] = int(at.combos(player)[chosen])
        held = tuple(combos[player] for player in range(len(at.names)))
        hand = DrillHand(self, at, held, again=missed)
        hand._go_on()
        return hand

    @classmethod
    def resume(cls, solved: SolvedSpot, kept: Any) -> Drill:
        """The drill that `as_dict` described, its hand played up to the same point."""
        side, seed = kept_seat(kept)
        return cls(solved, side=side, seed=seed).restore(kept)


@dataclass
class DrillHand:
    """One hand on its way; it stops where it is your turn, or at its end."""

    drill: Drill
    cursor: SpotCursor
    combos: tuple[int, ...]  # The numbers of all players' hands
    story: list[str] = field(default_factory=list)  # What happened since you last acted, in words
    verdicts: list[HandVerdict] = field(default_factory=list)
    again: Item | None = None  # Where it began with a decision that you missed before
    won: float | None = None  # Your chips at the end, counted from the chips you began with

    @property
    def your_turn(self) -> bool:
        return self.won is None

    @property
    def cards(self) -> str:
        """Your cards."""
        return self._text(self.drill.side)

    @property
    def their_cards(self) -> str:
        """The opponents', to be shown once the hand is over."""
        names = self.cursor.names
        others = [player for player in range(len(names)) if player != self.drill.side]
        if len(others) == 1:
            return self._text(others[0])
        return ", ".join(f"{names[p].upper()} {self._text(p)}" for p in others)

    def _text(self, player: int) -> str:
        return hand_text(self._cards[self.combos[player]])

    @property
    def _cards(self) -> U8:
        """(N, k) the cards of all hands by their number."""
        return hand_cards(self.cursor.solved.spot.hole_cards)

    @property
    def actions(self) -> list[str]:
        return self.cursor.actions

    def hint(self) -> tuple[dict[str, float], dict[str, float]]:
        """The solution's mixture with your cards, and the EV of each action."""
        figures = self.cursor.figures(self.cards, self.drill.side)
        assert figures.strategy is not None
        assert figures.action_evs is not None
        return figures.strategy, figures.action_evs

    def question(self, verdict: HandVerdict) -> Question:
        """A decision of this hand as a memory knows it."""
        return self.drill.question(self, verdict)

    def named(self, text: str) -> str:
        """The action that a text such as "bet 33" or "x" means, in words."""
        after = self.cursor.play(text)
        return self.cursor.actions[self.cursor.node.children.index(after.node.index)]

    def act(self, action: str, *, looked_up: bool = False) -> HandVerdict:
        """Take an action; the opponent and the cards go on until it is your turn again.

        `looked_up` says that the solution was looked up first.
        """
        if not self.your_turn:
            raise IllegalActionError("The hand is over.")
        cursor, side = self.cursor, self.drill.side
        taken, after = self.named(action), cursor.play(action)
        column = self._place(side)
        values = dict(zip(cursor.actions, cursor.action_evs()[:, column].tolist(), strict=True))
        best = max(values, key=lambda name: values[name])
        shares = cursor.strategies[:, column].tolist()
        verdict = HandVerdict(
            taken, best, values[best] - values[taken], not looked_up, TOLERANCE * cursor.pot,
            cursor.node_id, cursor.pot, values, dict(zip(cursor.actions, shares, strict=True)),
            decision_groups(cursor),
        )  # fmt: skip
        self.drill.note(self, verdict)
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
            if drill.side in cursor.node.folded:
                self._end()
                return
            if cursor.kind == NodeKind.CHANCE:
                dead = cursor.solved.spot.dead
                used = {*cursor.board, *dead, *self._cards[list(self.combos)].ravel().tolist()}
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
                many = len(cursor.names) > 2
                who = cursor.names[cursor.player].upper() if many else "the opponent"
                self.story.append(f"{who}: {action.words}")
                self.cursor = cursor.play(action.words)

    def _end(self) -> None:
        cursor, side = self.cursor, self.drill.side
        out = side in cursor.node.folded
        if out or (cursor.kind == NodeKind.FOLD and cursor.node.player == side):
            self.story.append("you fold")
        taken = 0.0 if out else cursor.payout(self.combos)[side]
        self.won = taken - cursor.node.put[side] - cursor.offset
        self.drill.score.chips += self.won


def deck_of(spot: Spot, locks: Iterable[Lock], name: str) -> str:
    """What a memory knows the decisions of a player of a spot by."""
    facts = [spot.to_toml(), [lock.as_dict() for lock in locks]]
    digest = hashlib.sha256(json.dumps(facts).encode()).hexdigest()
    return f"spot {digest[:16]} {name}"


def decision_groups(at: SpotCursor) -> dict[str, str]:
    """What kind of decision it is: kind → group, as filters name them."""
    texture = board_texture(at.board[:3])
    return {
        "street": STREETS[len(at.board)],
        "position": at.names[at.player],
        "suits": texture.suits,
        "pairing": texture.pairing,
        "facing": "bet" if "fold" in at.actions else "nothing",
    }
