"""Decisions before the flop as a drill: "fold, call or raise?"

    drill = PreflopDrill(PreflopSolution.load("push-fold.rb"), seat="bb", seed=1)
    hand = drill.deal_to_decide()
    hand.cards, hand.actions               # "AsKd", ("fold", "all-in")
    hand.act("all-in").cost                # what it gives away, in the solution's unit

Every seat gets two cards of one deck, and the others play the solution's mixed strategy: decisions
come up as often as they do in play. A decision costs the EV of the best action that the solution
takes, less that of yours. Where EVs are not known, it is judged by how often the solution takes it.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from riverboat.arena.drill import Item
from riverboat.arena.hand_drill import CLOSE_SHARE, HandDrill, HandVerdict, choices, kept_seat
from riverboat.arena.memory import Question, Wanted, closeness
from riverboat.cards.combos import (
    COMBO_CARDS,
    NUM_CLASSES,
    class_of_combos,
    combo_text,
    parse_combo,
)
from riverboat.errors import IllegalActionError, UsageError
from riverboat.holdem.preflop.node import PreflopNode
from riverboat.holdem.preflop.solution import PreflopSolution
from riverboat.runtime.array_types import F64

TOLERANCE = 0.005  # A decision that costs at most this part of the pot counts as right
MIN_SHARE = 0.1
"""An action that the solution takes at least this often is right and costs nothing: actions that
are mixed are worth the same, and a sampled EV is less certain than that."""
ANY_SEAT = -1
MAX_WALKS = 100  # Hands that are played in search of a decision of a group


@dataclass(frozen=True)
class PreflopVerdict(HandVerdict):
    """One decision before the flop, priced in the solution's unit."""

    @property
    def right(self) -> bool:
        often = self.strategy[self.action] >= MIN_SHARE
        return often or (self.priced and self.cost <= self.tolerance)


class PreflopDrill(HandDrill["PreflopHand"]):
    """Hands of a solution, one after another, from one seat or from all."""

    def __init__(
        self, solution: PreflopSolution, *, seat: str | None = None, seed: int = 0
    ) -> None:
        """Without a seat each hand has another one."""
        if seat is not None and seat not in solution.seats:
            raise UsageError(f"There is no seat {seat!r}; there are: {', '.join(solution.seats)}.")
        super().__init__(ANY_SEAT if seat is None else solution.seats.index(seat), seed)
        self.solution = solution

    @property
    def name(self) -> str:
        return "any seat" if self.side == ANY_SEAT else self.solution.seats[self.side]

    @property
    def unit(self) -> str:
        """What decisions are priced in."""
        return str(self.solution.info.get("unit", "chips"))

    @property
    def unit_of_a_chip(self) -> float:
        """What a chip is worth in the unit: 1, or its share of the prizes."""
        payouts = self.solution.spec.get("payouts")
        if self.unit != "prizes" or not isinstance(payouts, dict):
            return 1.0
        chips = [*self.solution.spec.get("stacks", ()), *payouts.get("others", ())]
        return float(sum(payouts["places"])) / (float(sum(chips)) or 1.0)

    @property
    def deck(self) -> str:
        """The solution and your seat; another solution of the same name is another deck."""
        return deck_of(self.solution, "any" if self.side == ANY_SEAT else self.name)

    @property
    def title(self) -> str:
        return f"{self.solution.title}, {self.name.upper()}"

    @property
    def groups(self) -> dict[str, tuple[str, ...]]:
        nodes = [n for n in self.solution.nodes if self.side == ANY_SEAT or n.seat == self.name]
        asked = [decision_groups(node) for node in nodes if len(node.actions) > 1]
        return choices({kind: [group[kind] for group in asked] for kind in ("position", "facing")})

    def draw(self, rng: np.random.Generator, wanted: Wanted) -> Item:
        """A decision that the solution reaches, with cards of `chances`."""
        for _ in range(MAX_WALKS):
            passed = [node for node in self._walk(rng) if wanted.takes(decision_groups(node))]
            if passed:
                node = passed[int(rng.integers(len(passed)))]
                own = int(rng.choice(len(COMBO_CARDS), p=self.chances(node)))
                return Item("", "", f"{node.name} {combo_text(own)}", mistakes=0)
        if wanted.words:
            words = ", ".join(wanted.words)
            raise UsageError(f"{self.name.upper()} has no decision in this group: {words}.")
        raise UsageError(f"{self.name.upper()} never acts in this solution.")

    def chances(self, node: PreflopNode) -> F64:
        """(1326,) how often each own hand is asked at a decision: as it is held there, times how
        close its decision is.
        """
        classes = class_of_combos()
        values = np.sort(np.nan_to_num(node.values, nan=-np.inf), axis=0)
        with np.errstate(invalid="ignore"):
            gaps = values[-1] - values[-2]
        scale = CLOSE_SHARE * sum(node.put.values()) * self.unit_of_a_chip
        close = closeness(np.where(np.isfinite(gaps), gaps, 0.0), scale)
        known = np.array([node.knows(number) for number in range(NUM_CLASSES)])
        reach = self.solution.class_reach(node.seat, node.line)
        chances = np.take(reach * close * known, classes)
        total = chances.sum()
        return chances / total if total > 0 else np.full(len(chances), 1 / len(chances))

    def _walk(self, rng: np.random.Generator) -> list[PreflopNode]:
        """Your decisions in a hand that the solution plays for all."""
        self.rng = rng
        hand, passed = self.dealt(None), list[PreflopNode]()
        while hand.your_turn:
            passed.append(hand.node)
            shares = hand.node.frequencies[:, class_of_combos()[hand.combos[hand.seat]]]
            hand._take(int(rng.choice(len(shares), p=shares / shares.sum())))
            hand._go_on()
        return passed

    def dealt(self, missed: Item | None) -> PreflopHand:
        """Cards for every seat, at the first decision or at the missed one."""
        solution, classes = self.solution, class_of_combos()
        line, _, cards = missed.key.rpartition(" ") if missed else ("", "", "")
        if line not in solution:  # kept from a solution that showed more lines
            missed, line = None, ""
        at = solution.node(line)
        seat = at.seat if missed else self._own_seat()
        combos = {seat: parse_combo(cards)} if missed else {}
        for player in (seat, *(other for other in solution.seats if other != seat)):
            if player in combos:
                continue
            gone = COMBO_CARDS[list(combos.values())].ravel()
            free = ~np.isin(COMBO_CARDS, gone).any(axis=1)
            held = np.take(solution.class_reach(player, line), classes)
            held[~free] = 0.0
            if held.sum() == 0:  # a line that this seat never plays
                held[free] = 1.0
            combos[player] = int(self.rng.choice(len(held), p=held / held.sum()))
        story = [f"{node.seat.upper()}: {label}" for node, label in solution.steps(at.line)]
        hand = PreflopHand(self, at, seat, combos, story, again=missed)
        hand._go_on()
        return hand

    def _own_seat(self) -> str:
        """The chosen seat, or one of those that have a decision."""
        if self.side != ANY_SEAT:
            return self.solution.seats[self.side]
        deciding = list(dict.fromkeys(node.seat for node in self.solution.nodes))
        return deciding[int(self.rng.integers(len(deciding)))]

    @classmethod
    def resume(cls, solution: PreflopSolution, kept: Any) -> PreflopDrill:
        """The drill that `as_dict` described, its hand played up to the same point."""
        side, seed = kept_seat(kept)
        if not ANY_SEAT <= side < len(solution.seats):
            raise UsageError("The drill cannot be read; begin a new one.")
        seat = None if side == ANY_SEAT else solution.seats[side]
        return cls(solution, seat=seat, seed=seed).restore(kept)


@dataclass
class PreflopHand:
    """One hand on its way; it stops where it is your turn, or where your part ends."""

    drill: PreflopDrill
    node: PreflopNode
    seat: str
    combos: dict[str, int]
    story: list[str] = field(default_factory=list)  # What happened since you last acted, in words
    verdicts: list[HandVerdict] = field(default_factory=list)
    again: Item | None = None  # Where it began with a decision that you missed before
    over: bool = False

    @property
    def your_turn(self) -> bool:
        return not self.over

    @property
    def cards(self) -> str:
        """Your cards."""
        return combo_text(self.combos[self.seat])

    @property
    def pot(self) -> float:
        return sum(self.node.put.values())

    @property
    def actions(self) -> Sequence[str]:
        return self.node.labels

    def _class(self, seat: str) -> int:
        return int(class_of_combos()[self.combos[seat]])

    def hint(self) -> tuple[dict[str, float], dict[str, float]]:
        """The solution's mixture with your cards, and the EV of each action; nan if unknown."""
        node, own = self.node, self._class(self.seat)
        shares, values = node.frequencies[:, own].tolist(), node.values[:, own].tolist()
        return (
            dict(zip(node.labels, shares, strict=True)),
            dict(zip(node.labels, values, strict=True)),
        )

    def question(self, verdict: HandVerdict) -> Question:
        """A decision of this hand as a memory knows it."""
        return self.drill.question(self, verdict)

    def named(self, text: str) -> str:
        """The action that a text such as "fold", "f" or "r2.5" means, in words."""
        for code, label in zip(self.node.actions, self.node.labels, strict=True):
            # A drill kept by an older version knows a call of an all-in as "all-in".
            if text.strip().lower() in (code, label, *(["all-in"] if code == "a" else [])):
                return label
        raise IllegalActionError(f"{text!r} is no action here; choose: {', '.join(self.actions)}.")

    def act(self, action: str, *, looked_up: bool = False) -> HandVerdict:
        """Take an action; the others go on until it is your turn again.

        `looked_up` says that the solution was looked up first.
        """
        if self.over:
            raise IllegalActionError("The hand is over.")
        taken, drill = self.named(action), self.drill
        strategy, values = self.hint()
        often = [label for label, share in strategy.items() if share >= MIN_SHARE]
        compared = often or list(strategy)
        known = not any(math.isnan(values[label]) for label in compared)
        best = max(compared, key=lambda label: values[label] if known else strategy[label])
        gap = values[best] - values[taken]
        cost = 0.0 if taken in often or math.isnan(gap) else max(0.0, gap)
        tolerance = TOLERANCE * self.pot * drill.unit_of_a_chip
        verdict = PreflopVerdict(
            taken, best, cost, not looked_up, tolerance, self.node.name, self.pot, values, strategy,
            decision_groups(self.node),
        )  # fmt: skip
        drill.note(self, verdict)
        self.verdicts.append(verdict)
        self.story = []
        self._take(self.node.labels.index(taken))
        self._go_on()
        return verdict

    def _take(self, number: int) -> None:
        """Go to the decision after an action; the hand is over where there is none."""
        node, action = self.node, self.node.actions[number]
        mine, after = node.seat == self.seat, (*node.line, action)
        self.story.append(f"{'you' if mine else node.seat.upper()}: {node.labels[number]}")
        if after in self.drill.solution and not (mine and action == "f"):
            self.node = self.drill.solution.node(after)
        else:
            self.over = True

    def _go_on(self) -> None:
        """Play the others' actions; the hand ends at a decision for which a book has no answer."""
        rng = self.drill.rng
        while not self.over and (self.node.seat != self.seat or len(self.node.actions) < 2):
            chances = self.node.frequencies[:, self._class(self.node.seat)]
            self._take(int(rng.choice(len(chances), p=chances / chances.sum())))
        if not self.node.knows(self._class(self.seat)):
            self.over = True


def deck_of(solution: PreflopSolution, seat: str) -> str:
    """What a memory knows the decisions of a seat by, or those of "any"."""
    facts = [solution.title, solution.seats, solution.info]
    digest = hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode())
    return f"preflop {digest.hexdigest()[:16]} {seat}"


def decision_groups(node: PreflopNode) -> dict[str, str]:
    """What kind of decision it is: kind → group, as filters name them."""
    raises = sum(action[0] in "ra" for action in node.line)
    return {
        "street": "preflop",
        "position": node.seat,
        "facing": {0: "nothing", 1: "raise"}.get(raises, "reraise"),
    }
