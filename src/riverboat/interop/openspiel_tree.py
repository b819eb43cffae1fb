"""The tree of an OpenSpiel game, walked on its own C++ states.

A history costs three or four calls into C++ (its child, its player, its information state and
legal actions, or its returns) and no object of ours; texts are made once for each infoset.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from riverboat.errors import TooLargeError, UsageError
from riverboat.games.base import CHANCE, TERMINAL, Game
from riverboat.interop.openspiel_game import (
    OVER,
    OpenSpielGame,
    action_texts,
    one_line,
    own_words,
    spiel,
)
from riverboat.runtime.stopping import current_stop
from riverboat.trees.game_tree import MAX_WEIGHT, PROBED_FROM, HistoryWalk, TreeSize

PROBED_MOVES = 30_000  # Moves behind an estimate; long games get fewer plays
DEEPEST = 10_000
"""Moves of a play; what goes on for longer never ends as far as a tree is concerned."""


class OpenSpielWalk(HistoryWalk):
    """A depth-first walk over pyspiel states."""

    game: OpenSpielGame

    def __init__(self, game: Game, keep: bool, limit: int | None) -> None:
        super().__init__(game, keep, limit)
        players = range(game.num_players)
        self.known: list[dict[str, tuple[int, list[int]]]] = [{} for _ in players]
        """Player → information state → its infoset's number and legal actions."""
        self.numbers: dict[int, int] = {}
        """OpenSpiel's number of an outcome of chance → ours."""
        self.lines: list[tuple[int, str]] = []
        """Player and text of each infoset, in one line."""
        self.letters = 0
        """Of all information states."""
        self.worded: dict[tuple[int, tuple[str, ...]], tuple[str, ...]] = {}
        """A player and OpenSpiel's words for actions → ours, where numbers are not needed."""

    def run(self) -> bool:
        state_class, key, known = spiel().State, self.game.key, self.known
        current_player, child = state_class.current_player, state_class.child
        stack: list[tuple[Any, int, int, float, int]] = [
            (self.game.inner.new_initial_state(), -1, 0, 1.0, -1)
        ]
        push, pop, payoffs = stack.append, stack.pop, self.returns.extend
        parents, depths, actors = self.parent.append, self.depth.append, self.actor.append
        infosets, outcomes, chances = self.infoset.append, self.outcome.append, self.chance.append
        number, stop = 0, current_stop()
        while stack:
            state, parent, depth, probability, outcome = pop()
            actor = current_player(state)
            infoset, below = -1, depth + 1
            if actor >= 0:
                text, legal = key(state, actor), state.legal_actions()
                entry = known[actor].get(text)
                if entry is None:
                    entry = self._new_infoset(state, actor, text, legal)
                elif entry[1] != legal:
                    raise self._forgets(text)
                infoset = entry[0]
                for action in reversed(legal):
                    push((child(state, action), number, below, 1.0, -1))
            elif actor == OVER:
                actor = TERMINAL
                payoffs(state.returns())
            else:
                for action, p, known_as in reversed(self._deal(state, actor)):
                    push((child(state, action), number, below, p, known_as))
            parents(parent)
            depths(depth)
            actors(actor)
            infosets(infoset)
            outcomes(outcome)
            chances(probability)
            number += 1
            if not number & 15:
                stop.check()
            if not number & 1023 and not self._fits(depth, len(stack)):
                return False
            if number == PROBED_FROM and self.hopeless():
                return False
        self._check_lines()
        return self._fits(0, 0)

    def _check_lines(self) -> None:
        """Texts of several lines, which differ, may be the same in one."""
        several = any("\n" in text for texts in self.known for text in texts)
        if several and len(set(self.lines)) < len(self.lines):
            double = Counter(self.lines).most_common(1)[0][0][1]
            raise UsageError(f"{self.game.name}: two infosets are both written {double!r}.")

    def names(self) -> list[tuple[int, str]]:
        return self.lines

    def _fits(self, depth: int, waiting: int) -> bool:
        """Whether the walk is still below its limit."""
        if depth > DEEPEST:
            raise TooLargeError(f"A play of {self.game.name} can take more than {DEEPEST:,} moves.")
        return self.limit is None or self.size().bytes + self.held(depth, waiting) <= self.limit

    def held(self, depth: int, waiting: int) -> int:
        """Bytes of texts, and of the states on the stack, which remember their histories."""
        return 3 * self.letters + waiting * (800 + 16 * depth)

    def _new_infoset(
        self, state: Any, actor: int, text: str, legal: list[int]
    ) -> tuple[int, list[int]]:
        if not legal:
            raise UsageError(f"{self.game.name}: nothing can be done at {one_line(text)!r}.")
        entry = self.known[actor][text] = len(self.lines), legal
        self.lines.append((actor, one_line(text)))
        self.actions.append(self._words(state, actor, legal))
        self.slots += len(legal)
        self.letters += len(text)
        return entry

    def _words(self, state: Any, actor: int, legal: list[int]) -> tuple[str, ...]:
        """Texts for actions; most infosets have the same ones as another, which then are shared."""
        text_of = state.action_to_string
        words_there = actor, tuple([text_of(actor, action) for action in legal])
        words = self.worded.get(words_there)
        if words is None:
            words = tuple(own_words(actor, words_there[1], legal))
            if not any("#" in word for word in words):
                self.worded[words_there] = words
        return words

    def _forgets(self, text: str) -> UsageError:
        return UsageError(
            f"{self.game.name} cannot be solved, for it lacks perfect recall: histories of"
            f" infoset {one_line(text)!r} differ in their actions."
        )

    def _deal(self, state: Any, actor: int) -> list[tuple[int, float, int]]:
        """Chance's outcomes: OpenSpiel's number, probability and our number."""
        if actor != CHANCE:
            raise UsageError(f"{self.game.name} has moves of a kind that no tree can hold.")
        self.counts[1] += 1
        dealt = state.chance_outcomes()
        if not dealt or abs(sum(p for _, p in dealt) - 1) > 1e-9:
            raise UsageError(f"{self.game.name}: chance's probabilities do not add up to one.")
        numbers, legal = self.numbers, [action for action, _ in dealt]
        if any(action not in numbers for action in legal):
            for action, text in zip(legal, action_texts(state, CHANCE, legal), strict=True):
                if action not in numbers:
                    text = text if text not in self.outcomes else f"{text} #{action}"
                    numbers[action] = self.outcomes.setdefault(text, len(self.outcomes))
        return [(action, p, numbers[action]) for action, p in dealt]

    def size(self) -> TreeSize:
        histories, chances = len(self.parent), self.counts[1]
        terminals = len(self.returns) // self.game.num_players
        decisions = histories - chances - terminals
        players, infosets = self.game.num_players, len(self.lines)
        return TreeSize(players, histories, decisions, chances, terminals, infosets, self.slots)

    def estimate(self, probes: int, seed: int) -> int:
        rng, stop = random.Random(seed), current_stop()
        total, moves, plays = 0.0, 0, 0
        while plays < probes and moves < PROBED_MOVES:
            state, weight = self.game.inner.new_initial_state(), 1.0
            plays += 1
            while not state.is_terminal() and moves < 2 * PROBED_MOVES:
                stop.check()
                if weight > MAX_WEIGHT:
                    return round(weight)
                total += weight
                moves += 1
                legal = state.legal_actions()
                weight *= len(legal)
                state.apply_action(rng.choice(legal))
            total += weight
        return round(min(total / plays, 1e300))
