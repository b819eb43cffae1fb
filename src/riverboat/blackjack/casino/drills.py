"""Hands to decide: kinds of drill, the close decisions oftener, what was not known sooner.

    trainer = Trainer(rules, ("soft", "pairs"), seed=1)
    question = trainer.next()
    verdict = trainer.answer(question, "stand")

| kind | hands |
|---|---|
| hard, soft, pairs | two or three cards of that kind |
| surrender | hands that may be surrendered, the close ones |
| deviations | the Illustrious 18 and the Fab 4 at a true count of Hi-Lo |

With the memory of a person, `next_to_train` asks what is due today before new hands; groups such as
hand=soft and up=T say what is asked.

Every answer is priced exactly. Deviations are asked at counts at least one away from their index,
and priced with the shoe that such a count makes likely; one that the table's exact values
contradict there is not asked.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path

import numpy as np

from riverboat.arena import memory as memories
from riverboat.arena.drill import PracticeRecord, Score, Verdict
from riverboat.arena.hand_drill import choices
from riverboat.arena.memory import EVERYTHING, Memory, Wanted
from riverboat.blackjack.exact.analysis import Analysis, analyse, fresh_shoe
from riverboat.blackjack.rules import (
    ACTIONS,
    RANKS,
    BlackjackRules,
    is_natural,
    points,
    rules_from,
    value,
)
from riverboat.blackjack.simulation.counting import DEVIATIONS, SYSTEMS, Deviation
from riverboat.errors import ParameterError, UsageError
from riverboat.runtime.storage import data_folder

KINDS = ("hard", "soft", "pairs", "surrender", "deviations")
HARD = 0.12
"""A decision whose second-best action loses this much is asked 1/e as often as a coin toss."""
RARE = 0.03  # How often the clearest decisions still come
THIRD_CARD = 0.3  # Share of the hands that get a third card, if they can
CLOSE = 0.2  # In the drill of surrenders: how far it may be from the best way to play on
MAX_DEALS = 100_000  # Hands dealt in search of one of a kind
TRIES = 30  # New questions tried before one is asked early
NO, YES = "decline", "insure"


@dataclass(frozen=True)
class Question:
    """A hand to decide, with the value of each action, best first."""

    kind: str
    cards: str
    up: str
    values: dict[str, float]
    count: int | None = None  # The true count, in the drill of deviations
    again: bool = False  # Whether it was not known before

    @property
    def key(self) -> str:
        """The question without its colours: the cards by value and in order."""
        cards = "".join(sorted(map(_plain, self.cards), key=RANKS.index))
        at = "" if self.count is None else f"@{self.count}"
        return f"{cards}v{_plain(self.up)}{at}"

    @property
    def best(self) -> str:
        return next(iter(self.values))

    @property
    def words(self) -> str:
        """The hand in words: T,6 against 10."""
        at = "" if self.count is None else f" at {self.count:+d}"
        return f"{','.join(self.cards) or 'insurance'} against {self.up}{at}"

    def cost(self, action: str) -> float:
        """What an action loses against the best one."""
        return self.values[self.best] - self.values[action]


def default_record() -> Path:
    """The record of the person at this machine."""
    return data_folder() / "blackjack-trainer.json"


class Trainer:
    """Asks, judges and remembers; screens show its questions and hand it the answers."""

    def __init__(
        self,
        rules: BlackjackRules,
        kinds: Sequence[str] = (),
        *,
        seed: int | None = None,
        record: PracticeRecord | None = None,
    ) -> None:
        self.rules, self.kinds = rules, _kinds(rules, kinds)
        self.rng = np.random.default_rng(seed)
        self.record = record if record is not None else PracticeRecord()
        self.score = Score()
        self.analysis: Analysis = analyse(rules)
        self._by_count: dict[int, Analysis] = {}
        self._values: dict[tuple[str, str], dict[str, float]] = {}
        self._last = ""

    @property
    def table(self) -> str:
        """The rules as the record knows them."""
        return self.rules.summary

    def next(self) -> Question:
        """The next question: one that was not known, if it is due, or else a new one."""
        item = self.record.queue.due(self.table, self.kinds, but=self._last)
        question = self._again(item.kind, item.key) if item is not None else None
        if item is not None and question is None:
            self.record.items.remove(item)  # the drill no longer asks it
        question = question or self._fresh()
        self._last = question.key
        return question

    @property
    def deck(self) -> str:
        """What a memory knows the hands of this table by: the rules that are not the usual ones."""
        return deck_of(self.rules)

    @property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """What can be asked about alone: kind → groups, kinds of one group left out."""
        return choices({"hand": self.kinds, "up": "23456789TA"})

    def next_to_train(self, memory: Memory, now: datetime, wanted: Wanted = EVERYTHING) -> Question:
        """The next question for a person: missed in this sitting, due today, or new.

        Parameters
        ----------
        memory
            What the person has answered so far.
        now
            The time, with its zone.
        wanted
            The groups that are asked: kinds of `hand`, the dealer's card `up`, mistakes.
        """
        memory.refresh()
        kinds, ups = self._asked(wanted)
        question = self._remembered(memory, now, wanted, kinds, ups)
        if question is None and wanted.mistakes:
            raise UsageError("There is no mistake to ask again.")
        question = question or self._fresh(kinds, ups)
        self._last = question.key
        return question

    def _asked(self, wanted: Wanted) -> tuple[tuple[str, ...], str]:
        """The kinds of hands and the up cards of a filter."""
        kinds = tuple(k for k in self.kinds if k in wanted.groups.get("hand", self.kinds))
        cards = {card.upper() for card in wanted.groups.get("up", ())}
        ups = "".join(card for card in RANKS if not cards or _plain(card) in cards)
        if not kinds or not ups or not set(wanted.groups) <= {"hand", "up"}:
            words = ", ".join(Wanted(wanted.groups).words)
            raise UsageError(f"This table has no hand in this group: {words}.")
        return kinds, ups

    def _remembered(
        self,
        memory: Memory,
        now: datetime,
        wanted: Wanted,
        kinds: Collection[str],
        ups: Collection[str],
    ) -> Question | None:
        """The question to ask again, if there is one."""
        missed = memory.due(now, self.deck, Wanted())
        if wanted.mistakes:
            missed += memory.mistakes(self.deck)
        keys = [each.question.key.partition(" ")[::2] for each in missed]
        item = self.record.queue.due(self.table, kinds, but=self._last)
        if item is not None and not wanted.mistakes:
            keys.insert(0, (item.kind, item.key))
        for kind, key in keys:
            question = self._again(kind, key) if kind in kinds and key != self._last else None
            if question is not None and question.up in ups:
                return question
        return None

    def remembered(self, question: Question) -> memories.Question:
        """A question as a memory knows it."""
        return memories.Question(
            self.deck,
            f"{question.kind} {question.key}",
            f"Blackjack, {self.rules.summary}: {question.words}",
            "bets",
            memories.gap_of(question.values.values()),
            {"hand": question.kind, "up": _plain(question.up)},
        )

    def _fresh(self, kinds: Sequence[str] = (), ups: Collection[str] = RANKS) -> Question:
        """A new question: not the last one nor, if it can be helped, one that waits its turn."""
        kinds = kinds or self.kinds
        waiting = {item.key for item in self.record.items if item.table == self.table}
        for _ in range(TRIES):
            question = self._new(kinds[int(self.rng.integers(len(kinds)))], ups)
            if question.key not in waiting and question.key != self._last:
                break
        return question

    def answer(self, question: Question, action: str, *, looked_up: bool = False) -> Verdict:
        """Judge an answer and remember it. What was looked up does not score, and comes again."""
        if action not in question.values:
            raise UsageError(f"Answer one of {', '.join(question.values)}, not {action!r}.")
        verdict = Verdict(action, question.best, question.cost(action), not looked_up)
        self.score.add(question.kind, verdict, question.words)
        self.record.note(self.table, question.kind, question.key, verdict)
        self.record.save()
        return verdict

    def _new(self, kind: str, ups: Collection[str] = RANKS) -> Question:
        """Deal until a hand of that kind comes, the likelier the closer its decision."""
        for _ in range(MAX_DEALS):
            question = self._deviation(ups) if kind == "deviations" else self._hand(kind, ups)
            if question is None:
                continue
            first, second = list(question.values.values())[:2]
            if self.rng.random() < max(RARE, math.exp(-(first - second) / HARD)):
                return question
        raise UsageError(f"No hand of {kind} comes up against {', '.join(ups)}.")

    def _hand(self, kind: str, ups: Collection[str] = RANKS) -> Question | None:
        up, first, second, third = (RANKS[i] for i in self.rng.integers(0, 13, 4))
        if up not in ups:
            return None
        hand = {"soft": "A" + second, "pairs": second * 2}.get(kind, first + second)
        longer = points(hand + third)[0] < 21 and points(hand)[0] < 17
        if kind in ("hard", "soft") and longer and self.rng.random() < THIRD_CARD:
            hand += third
        return self._question(kind, hand, up)

    def _question(self, kind: str, hand: str, up: str, *, again: bool = False) -> Question | None:
        """The question about a hand, if it is one of that kind."""
        total, soft = points(hand)
        pair = len(hand) == 2 and value(hand[0]) == value(hand[1])
        if is_natural(hand) or total >= 21:
            return None
        if kind in ("hard", "soft") and (pair or soft != (kind == "soft")):
            return None
        try:
            values = self.values(hand, up)
        except ParameterError:  # more cards of a rank than one deck has
            return None
        if kind == "surrender":
            others = max(ev for action, ev in values.items() if action != "surrender")
            if abs(values.get("surrender", 9.0) - others) > CLOSE:
                return None
        return Question(kind, hand, up, values, again=again)

    def values(self, hand: str, up: str) -> dict[str, float]:
        """Action → value of a hand from a fresh shoe, best first."""
        plain = "".join(map(_plain, hand)), _plain(up)
        if self.rules.split_by == "rank":
            plain = hand, up
        if plain not in self._values:
            self._values[plain] = self.analysis.action_values(*plain)
        return self._values[plain]

    def _deviation(self, ups: Collection[str] = RANKS) -> Question | None:
        known = [*DEVIATIONS["illustrious18"].split(), *DEVIATIONS["fab4"].split()]
        deviation = Deviation.parse(known[int(self.rng.integers(len(known)))])
        if deviation.up not in ups:
            return None
        away = int(self.rng.integers(1, 4)) * (1 if self.rng.random() < 0.5 else -1)
        return self._deviation_question(deviation, math.floor(deviation.index) + away)

    def _deviation_question(
        self, deviation: Deviation, count: int, hand: str = "", *, again: bool = False
    ) -> Question | None:
        """The hand at that true count, if index and exact values say the same."""
        analysis = self._counted(count)
        if deviation.action == "I":
            if not self.rules.insurance:
                return None
            ev = analysis.insurance() / 2
            values = {YES: ev, NO: 0.0} if ev > 0 else {NO: 0.0, YES: ev}
            wanted = YES if count >= deviation.index else NO
            hand = ""
        else:
            hand = hand or self._hand_for(deviation)
            values = analysis.action_values(hand, deviation.up)
            action = ACTIONS[deviation.action]
            if action not in values:
                return None
            reached, best = count >= deviation.index, next(iter(values))
            wanted = action if reached else best
            if not reached and best == action:
                return None
        if next(iter(values)) != wanted:
            return None
        return Question("deviations", hand, deviation.up, values, count, again)

    def _hand_for(self, deviation: Deviation) -> str:
        """Two cards for a deviation's row."""
        kind, number = deviation.row
        if kind == "pair":
            return RANKS[number] * 2
        if kind == "soft":
            return "A" + RANKS[number - 12]
        low = max(2, number - 10)
        first = int(self.rng.integers(low, (number + 1) // 2 if number % 2 else number // 2))
        return RANKS[number - first - 1] + RANKS[first - 1]

    def _counted(self, count: int) -> Analysis:
        """The analysis of half a shoe with that true count of Hi-Lo: low cards gone, high left."""
        if count not in self._by_count:
            decks = int(self.rules.decks)
            half, tags = [n / 2 for n in fresh_shoe(decks)], SYSTEMS["hilo"].tags
            # A deck has twenty cards of each sign, so a count of one moves each by a fortieth.
            shoe = [
                max(0, round(n * (1 - count * tag / 40))) for n, tag in zip(half, tags, strict=True)
            ]
            self._by_count[count] = analyse(self.rules, shoe)
        return self._by_count[count]

    def _again(self, kind: str, key: str) -> Question | None:
        """The question of an item's key; None where this table does not ask it."""
        try:
            hand, _, rest = key.partition("v")
            up, _, count = rest.partition("@")
            if kind != "deviations":
                return self._question(kind, hand, up, again=True)
            for text in (*DEVIATIONS["illustrious18"].split(), *DEVIATIONS["fab4"].split()):
                deviation = Deviation.parse(text)
                if deviation.up == up and _fits(deviation, hand):
                    question = self._deviation_question(deviation, int(count), hand, again=True)
                    if question is not None:
                        return question
        except (ValueError, IndexError, ParameterError):
            pass
        return None


def deck_of(rules: BlackjackRules) -> str:
    """What a memory knows the hands under these rules by: `blackjack decks=2 h17=true`."""
    usual = BlackjackRules()
    values = {each.name: getattr(rules, each.name) for each in fields(rules)}
    changed = {name: value for name, value in values.items() if value != getattr(usual, name)}
    return " ".join(["blackjack", *(f"{name}={value}" for name, value in changed.items())])


def rules_of_deck(deck: str) -> BlackjackRules:
    """The rules that `deck_of` wrote; ParameterError for anything else."""
    game, *changes = deck.split(" ")
    if game != "blackjack":
        raise ParameterError(f"{deck[:60]!r} is no table of blackjack.")
    return rules_from(changes=changes)


def _fits(deviation: Deviation, hand: str) -> bool:
    if not hand or deviation.action == "I":
        return not hand and deviation.action == "I"
    kind, number = deviation.row
    total, soft = points(hand)
    if kind == "pair":
        return len(hand) == 2 and all(value(card) == number + 1 for card in hand)
    return total == number and soft == (kind == "soft")


def _kinds(rules: BlackjackRules, kinds: Sequence[str]) -> tuple[str, ...]:
    """The kinds wanted, checked; without any, all that basic strategy has at this table."""
    splits = rules.max_split_hands != 1
    for kind in kinds:
        if kind not in KINDS:
            raise UsageError(f"There is no drill {kind!r}; choose among {', '.join(KINDS)}.")
        if kind == "surrender" and rules.surrender == "none":
            raise UsageError(
                "This table has no surrender to drill; choose rules with surrender=late."
            )
        if kind == "deviations" and rules.decks == "infinite":
            raise UsageError("An infinite deck cannot be counted; set decks to 1 to 8.")
        if kind == "pairs" and not splits:
            raise UsageError("This table allows no splits, so there are no pairs to drill.")
    if kinds:
        return tuple(dict.fromkeys(kinds))
    surrender = ("surrender",) if rules.surrender != "none" else ()
    return ("hard", "soft", *(("pairs",) if splits else ()), *surrender)


def _plain(card: str) -> str:
    """Court cards as tens."""
    return "T" if value(card) == 10 else card
