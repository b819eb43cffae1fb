"""A quiz: fixed decisions whose values are known exactly, and what a player's answers give away.

Chips won at a table are mostly luck. The EV that a decision gives away, compared with the best one,
is not: a few dozen decisions say more than a thousand hands. Any player can take a quiz, so that
language models, bots and people are measured alike.

    result = take_quiz(["random", "llm:small"], ["kuhn", "blackjack"])
    result.rows("kuhn")

A product names the function of its decisions in QUIZZES.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from riverboat.errors import UnknownNameError, UsageError
from riverboat.evaluation.estimates import estimate
from riverboat.games.base import Action, Game
from riverboat.games.registry import make_game
from riverboat.players.coach import Coach, coach_for
from riverboat.players.language_model import LanguageModelPlayer, Usage
from riverboat.players.player import LeaveTable, Player, View, safe_move, view_of
from riverboat.players.simple import Seatable, seat
from riverboat.runtime.plugins import find
from riverboat.trees.game_tree import GameTree, build_tree

QUIZZES = {
    "kuhn": "riverboat.arena.quiz:kuhn_questions",
    "leduc": "riverboat.arena.quiz:leduc_questions",
    "blackjack": "riverboat.blackjack.quiz_questions:questions",
    "pushfold": "riverboat.holdem.preflop.quiz_questions:questions",
    "rivers": "riverboat.holdem.spots.quiz_questions:questions",
}
"""Quiz → "module:function" of a function that returns its questions."""
LEDUC_QUESTIONS = 30
CLEAR = 0.01  # Share of a quiz's largest loss from which on a decision is worth asking about

NOISE = 1e-3  # What an equilibrium that was found by iterating may lose at a decision

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Question:
    """A decision, and the EV of each legal move."""

    view: View = field(repr=False)
    values: Mapping[Action, float]
    unit: str  # Of the values
    title: str  # What stands in a table of answers

    @property
    def best(self) -> float:
        return max(self.values.values())

    @property
    def worst_loss(self) -> float:
        """What the worst move gives away."""
        return self.best - min(self.values.values())

    def loss(self, action: Action) -> float:
        """What a move gives away."""
        return self.best - self.values[action]


@dataclass(frozen=True)
class Reply:
    """A player's answer to a question."""

    question: Question
    action: Action
    legal: bool  # False where a safe move had to be made in the player's place
    loss: float


@dataclass(frozen=True)
class QuizScore:
    """What one player gave away in one quiz."""

    player: str
    quiz: str
    unit: str
    replies: tuple[Reply, ...] = field(repr=False)
    seconds: float
    usage: Usage | None = None
    """Requests and tokens, where the player is a language model."""

    @property
    def loss(self) -> float:
        """The mean EV lost per decision."""
        return float(np.mean([reply.loss for reply in self.replies]))

    @property
    def ci95(self) -> float:
        """Half the 95 % interval of `loss`, over the decisions asked."""
        return float(estimate(np.array([reply.loss for reply in self.replies])).ci95)

    @property
    def worst(self) -> float:
        """The mean that the worst moves would have lost."""
        return float(np.mean([reply.question.worst_loss for reply in self.replies]))

    @property
    def num_best(self) -> int:
        """Decisions at which nothing was given away that a figure of this size shows."""
        scale = max(reply.question.worst_loss for reply in self.replies)
        return sum(reply.loss <= 1e-4 * scale for reply in self.replies)

    @property
    def num_illegal(self) -> int:
        """Answers that were no legal move; a model's repeated ones count, too."""
        if self.usage is not None:
            return self.usage.illegal
        return sum(not reply.legal for reply in self.replies)

    def as_dict(self) -> dict[str, Any]:
        """The facts for a program."""
        return {
            "player": self.player,
            "quiz": self.quiz,
            "unit": self.unit,
            "decisions": len(self.replies),
            "loss": self.loss,
            "ci95": self.ci95,
            "worst_loss": self.worst,
            "best": self.num_best,
            "illegal": self.num_illegal,
            "seconds": self.seconds,
            "usage": None if self.usage is None else self.usage.as_dict(),
            "answers": [
                {
                    "question": reply.question.title,
                    "action": reply.action,
                    "legal": reply.legal,
                    "loss": reply.loss,
                    "values": dict(reply.question.values),
                }
                for reply in self.replies
            ],
        }


@dataclass(frozen=True)
class QuizResult:
    """The scores of all players, quiz by quiz."""

    scores: tuple[QuizScore, ...]
    seed: int
    stopped: bool = False

    heads = (
        "player", "asked", "best", "EV lost", "95 %", "of worst", "illegal", "tokens", "seconds",
    )  # fmt: skip

    @property
    def units(self) -> dict[str, str]:
        """Quiz → the unit of its EVs, in the order asked."""
        return {score.quiz: score.unit for score in self.scores}

    def rows(self, quiz: str) -> list[tuple[str, ...]]:
        """A line for each player of a quiz."""
        return [
            (
                score.player,
                str(len(score.replies)),
                str(score.num_best),
                f"{score.loss:.4f}",
                f"± {score.ci95:.4f}",
                f"{100 * score.loss / score.worst:.1f} %",
                str(score.num_illegal),
                f"{score.usage.tokens:,}" if score.usage else "",
                f"{score.seconds:.1f}",
            )
            for score in self.scores
            if score.quiz == quiz
        ]

    def as_dict(self) -> dict[str, Any]:
        """The facts for a program."""
        return {
            "seed": self.seed,
            "stopped": self.stopped,
            "scores": [score.as_dict() for score in self.scores],
        }


def questions(quiz: str) -> list[Question]:
    """The decisions of a quiz, the same each time."""
    if quiz not in QUIZZES:
        raise UnknownNameError.among("quiz", quiz, QUIZZES)
    return cast("list[Question]", find(QUIZZES[quiz])())


def take_quiz(
    players: Sequence[Seatable],
    quizzes: Iterable[str] | None = None,
    *,
    repeats: int = 1,
    seed: int = 0,
    progress: Progress | None = None,
) -> QuizResult:
    """Ask every player all questions of the quizzes; without `quizzes` of all of them.

    A player that mixes, or a model that answers differently each time, may be asked `repeats`
    times. Ctrl-C, or a person who leaves, ends it with what was answered so far.
    """
    asked = {quiz: questions(quiz) for quiz in (QUIZZES if quizzes is None else quizzes)}
    total = len(players) * repeats * sum(map(len, asked.values()))
    if total == 0:
        raise UsageError("A quiz needs a player, a quiz and at least one round of it.")
    seated = [
        (quiz, {game: seat(game, who) for game in {asked.view.game for asked in asked[quiz]}})
        for who in players
        for quiz in asked
    ]
    scores: list[QuizScore] = []
    done, stopped = 0, False
    for quiz, at_game in seated:
        rng = np.random.default_rng([seed, len(scores)])
        replies: list[Reply] = []
        began = time.perf_counter()
        try:
            for question in asked[quiz] * repeats:
                replies.append(_reply(question, at_game[question.view.game], rng))
                done += 1
                if progress is not None:
                    progress(done, total)
        except (KeyboardInterrupt, LeaveTable):
            stopped = True
        if replies:
            seconds = time.perf_counter() - began
            scores.append(_score(quiz, list(at_game.values()), replies, seconds))
        if stopped:
            break
    if not scores:
        raise KeyboardInterrupt
    return QuizResult(tuple(scores), seed, stopped)


def _reply(question: Question, player: Player, rng: np.random.Generator) -> Reply:
    view, before = question.view, _num_replaced(player)
    chosen = player.choose(view, rng)
    action = chosen if chosen in view.actions else _nearest_size(chosen, view)
    legal = action is not None and _num_replaced(player) == before
    action = safe_move(view) if action is None else action
    return Reply(question, action, legal, question.loss(action))


def _num_replaced(player: Player) -> int:
    """The moves that a language model's player has made in its place so far."""
    return player.usage.replaced if isinstance(player, LanguageModelPlayer) else 0


def _nearest_size(chosen: Action, view: View) -> Action | None:
    """Of the bets asked about the one nearest to a bet of another size; None for no bet."""
    if chosen[:1] != "r" or not chosen[1:].isdecimal() or len(chosen) > 20:
        return None
    action = view.raise_to(int(chosen[1:]))
    return action if action[:1] == "r" else None


def _score(
    quiz: str, players: Sequence[Player], replies: Sequence[Reply], seconds: float
) -> QuizScore:
    models = {id(player): player for player in players if isinstance(player, LanguageModelPlayer)}
    usage = Usage() if models else None
    for model in models.values():
        assert usage is not None
        usage.add(model.usage)
        model.usage = Usage()
    unit = replies[0].question.unit
    return QuizScore(players[0].name, quiz, unit, tuple(replies), seconds, usage)


def kuhn_questions() -> list[Question]:
    """Every decision of Kuhn poker, valued against the equilibrium."""
    return tree_questions(make_game("kuhn"), "antes")


def leduc_questions() -> list[Question]:
    """Thirty decisions of Leduc hold'em, valued against the equilibrium."""
    return tree_questions(make_game("leduc"), "antes", LEDUC_QUESTIONS)


def tree_questions(
    game: Game, unit: str, count: int | None = None, coach: Coach | None = None
) -> list[Question]:
    """Decisions of a small game, valued against its equilibrium: all of them, or `count`.

    Left out are those whose moves are worth the same, and those that only mistakes of the player's
    own lead to: there the equilibrium itself need not play well. The others are taken evenly from
    the clearest to the closest decision.
    """
    coach = coach or coach_for(game)
    questions = []
    for view in views_of(build_tree(game)):
        advice = coach.advise(view)
        if len(advice.values) < len(view.actions):
            continue
        question = Question(view, advice.values, unit, view.infoset)
        if all(question.loss(action) <= NOISE for action in advice.mixture):
            questions.append(question)
    return spread(questions, count)


def views_of(tree: GameTree) -> list[View]:
    """One view of each infoset, in the order of the tree."""
    views: dict[tuple[int, str], View] = {}
    waiting = [tree.game.start()]
    while waiting:
        state = waiting.pop(0)
        if state.actor >= 0:
            views.setdefault((state.actor, state.infoset(state.actor)), view_of(tree.game, state))
        moves = state.actions() or [action for action, _ in state.chance()]
        waiting += [state.after(action) for action in moves]
    return list(views.values())


def spread(made: Sequence[Question], count: int | None = None) -> list[Question]:
    """Questions from clear to close, evenly; decisions that matter to nobody are left out."""
    largest = max((question.worst_loss for question in made), default=0.0)
    clear = [question for question in made if question.worst_loss >= CLEAR * largest]
    if count is None or len(clear) <= count:
        return clear
    order = sorted(clear, key=lambda question: (-question.worst_loss, question.title))
    picked = {id(order[round(i * (len(order) - 1) / (count - 1))]) for i in range(count)}
    return [question for question in clear if id(question) in picked]
