"""Decisions of a small game as a drill, priced by its equilibrium.

    drill = GameDrill(rb.game("leduc"), seed=1)
    question = drill.next_to_train(memory, now, Wanted.parse(["facing=bet"]))
    question.view.scene(), question.view.actions
    drill.answer(question, "c").cost

A decision is asked as often as the equilibrium comes to it, times `closeness` of its two best
moves. Left out are decisions whose moves are all worth the same, and those that only mistakes lead
to (`quiz.tree_questions`). What was missed in this sitting comes again after a few questions; what
the memory of a person says is due today comes before new decisions.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from riverboat.arena import quiz
from riverboat.arena.drill import MissedQueue, Score, Verdict
from riverboat.arena.hand_drill import HAND_WAITS, MAX_MISSED, choices
from riverboat.arena.memory import EVERYTHING, Memory, Question, Wanted, closeness, gap_of
from riverboat.errors import IllegalActionError, TooLargeError, UsageError
from riverboat.games.base import CHANCE, Action, Game, State, default_parameters, parameters_of
from riverboat.players.coach import coach_for
from riverboat.players.player import View
from riverboat.runtime.array_types import F64
from riverboat.strategies.strategy import Lookup
from riverboat.trees.game_tree import build_tree

CLOSE_SHARE = 0.1
"""A decision whose second-best move loses this part of the dearest mistake comes 1/e as often."""
MEMORY_LIMIT = 64 << 20
"""Bytes of the largest tree: its questions are worked out while a person waits."""
ANTES = ("kuhn", "leduc")  # Games whose chips are antes


@dataclass(frozen=True)
class GameQuestion:
    """A decision, what each move is worth, and what the equilibrium does."""

    key: str
    view: View
    values: Mapping[Action, float]
    chances: Mapping[Action, float]
    again: bool = False  # Whether it was missed before

    @property
    def best(self) -> Action:
        return max(self.values, key=lambda action: self.values[action])

    @property
    def words(self) -> str:
        """The infoset, with who is to act."""
        return f"{self.view.infoset} as player {self.view.player + 1}"

    def cost(self, action: Action) -> float:
        """What a move gives away; what an equilibrium within NOISE may lose is nothing."""
        cost = max(self.values.values()) - self.values[action]
        return 0.0 if cost <= quiz.NOISE else cost


class GameDrill:
    """Questions of one game, one after another."""

    def __init__(self, game: Game, *, seed: int | None = None) -> None:
        self.game = game
        self.rng = np.random.default_rng(seed)
        self.score = Score()
        self.queue = MissedQueue(HAND_WAITS, MAX_MISSED)
        try:
            build_tree(game, memory_limit=MEMORY_LIMIT)
        except TooLargeError:
            raise TooLargeError(
                f"{self.title} is too large for this drill; it takes games of the size of Leduc"
                " hold'em. Blackjack and hold'em have drills of their own."
            ) from None
        coach = coach_for(game)
        reached = _visits(game, coach.strategy)
        questions = (
            GameQuestion(key_of(each.view), each.view, each.values, coach.advise(each.view).chances)
            for each in quiz.tree_questions(game, self.unit, coach=coach)
        )
        self.questions = {
            each.key: each
            for each in questions
            if reached.get(each.key, 0.0) > 0 and any(map(each.cost, each.values))
        }
        if not self.questions:
            raise UsageError(f"{game.title} has no decision that can be missed.")
        self.visits = np.array([reached[key] for key in self.questions])
        self._last = ""

    @property
    def unit(self) -> str:
        """What decisions are priced in."""
        return "antes" if self.game.name in ANTES else "points"

    @property
    def deck(self) -> str:
        """The game with its parameters."""
        return deck_of(self.game)

    @property
    def title(self) -> str:
        """The game in words."""
        plain = self.game.title.partition(",")[0].partition(" (")[0]
        return ", ".join([plain, *_changes(self.game)])

    @property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """What can be asked about alone: kind → groups, kinds of one group left out."""
        found: dict[str, list[str]] = {}
        for question in self.questions.values():
            for kind, group in decision_groups(question.view).items():
                found.setdefault(kind, []).append(group)
        return choices({kind: sorted(set(names)) for kind, names in found.items()})

    def chances(self, wanted: Wanted = EVERYTHING) -> F64:
        """(Q,) how often each of `questions` is asked when it is new; UsageError for no question.

        Parameters
        ----------
        wanted
            The groups that are asked.
        """
        asked = list(self.questions.values())
        taken = np.array([wanted.takes(decision_groups(each.view)) for each in asked])
        if not taken.any():
            raise UsageError(f"{self.title} has no decision in this group: {_words(wanted)}.")
        gaps = np.array([gap_of(each.values.values()) for each in asked])
        dearest = max(max(map(each.cost, each.values)) for each in asked)
        weights: F64 = self.visits * closeness(gaps, CLOSE_SHARE * dearest) * taken
        chances: F64 = weights / weights.sum()
        return chances

    def sitting(self, seed: int | None = None) -> GameDrill:
        """The same questions for another sitting, without solving the game again."""
        other = copy(self)
        other.rng, other.score = np.random.default_rng(seed), Score()
        other.queue, other._last = MissedQueue(HAND_WAITS, MAX_MISSED), ""
        return other

    def next_to_train(
        self, memory: Memory, now: datetime, wanted: Wanted = EVERYTHING
    ) -> GameQuestion:
        """The next question: missed in this sitting, due today, or new.

        Parameters
        ----------
        memory
            What the person has answered so far.
        now
            The time, with its zone.
        wanted
            The groups that are asked.
        """
        memory.refresh()
        chances = self.chances(Wanted(wanted.groups))
        self.queue.now += 1
        key = self._remembered(memory, now, wanted)
        if not key and wanted.mistakes:
            raise UsageError("There is no mistake to ask again.")
        again = bool(key)
        if not key:
            keys = list(self.questions)
            if len(keys) > 1 and self._last in self.questions:  # not the same one twice
                others = chances.copy()
                others[keys.index(self._last)] = 0.0
                chances = others / others.sum() if others.sum() > 0 else chances
            key = keys[int(self.rng.choice(len(keys), p=chances))]
        self._last = key
        asked = self.questions[key]
        return GameQuestion(key, asked.view, asked.values, asked.chances, again)

    def _remembered(self, memory: Memory, now: datetime, wanted: Wanted) -> str:
        """The key of the question to ask again, the first one; "" where there is none."""
        known = {missed.question.key for missed in memory.mistakes(self.deck)}
        own = self.queue.due(but=self._last)
        keys = [own.key] if own is not None and (not wanted.mistakes or own.key in known) else []
        keys += [missed.question.key for missed in memory.due(now, self.deck, wanted)]
        if wanted.mistakes:
            keys += [missed.question.key for missed in memory.mistakes(self.deck, wanted)]
        for key in keys:
            asked = self.questions.get(key)
            if asked and key != self._last and wanted.takes(decision_groups(asked.view)):
                return key
        return ""

    def answer(self, question: GameQuestion, action: Action, *, looked_up: bool = False) -> Verdict:
        """Judge an answer; one that was looked up does not score, and comes again."""
        if action not in question.values:
            raise IllegalActionError(f"{action!r} is no move here.")
        verdict = Verdict(action, question.best, question.cost(action), not looked_up)
        label = question.view.label
        named = Verdict(label(action), label(question.best), verdict.cost, verdict.scored)
        self.score.add(self.title, named, question.words)
        old = self.queue.find(question.key)
        if not verdict.known or (old is not None and old.due <= self.queue.now):
            self.queue.note(question.key, known=verdict.known)
        return verdict

    def remembered(self, question: GameQuestion) -> Question:
        """A question as a memory knows it."""
        return Question(
            self.deck,
            question.key,
            f"{self.title}: {question.words}",
            self.unit,
            gap_of(question.values.values()),
            decision_groups(question.view),
        )


def deck_of(game: Game) -> str:
    """What a memory knows the decisions of a game by: `game leduc`, with changed parameters."""
    return " ".join(["game", game.name, *_changes(game)])


def _changes(game: Game) -> list[str]:
    """The parameters that are not the usual ones, as --set takes them."""
    usual = default_parameters(game)
    given = parameters_of(game).items()
    return [f"{name}={value}" for name, value in given if usual.get(name) != value]


def key_of(view: View) -> str:
    """A decision of a game."""
    return f"{view.player} {view.infoset}"


def decision_groups(view: View) -> dict[str, str]:
    """What kind of decision it is: kind → group, as filters name them."""
    groups = {"player": str(view.player + 1)}
    stakes = view.stakes()
    if stakes is not None:
        groups["facing"] = "bet" if stakes.price > 0 else "nothing"
    if view.hole:
        groups["round"] = "2" if view.board else "1"
    return groups


def _visits(game: Game, strategy: Lookup) -> dict[str, float]:
    """How often each decision is come to in a hand of the strategy."""
    visits: dict[str, float] = {}
    waiting: list[tuple[State, float]] = [(game.start(), 1.0)]
    while waiting:
        state, chance = waiting.pop()
        if state.actor == CHANCE:
            waiting += [(state.after(action), chance * p) for action, p in state.chance()]
        elif state.actor >= 0:
            infoset = state.infoset(state.actor)
            key = f"{state.actor} {infoset}"
            visits[key] = visits.get(key, 0.0) + chance
            moves = strategy.lookup(state.actor, infoset) or {}
            waiting += [(state.after(a), chance * p) for a, p in moves.items() if p > 0]
    return visits


def _words(wanted: Wanted) -> str:
    return ", ".join(wanted.words) or "all"
