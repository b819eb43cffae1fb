"""Players that learn while they sit at a table, from their own cards and the results.

| method | plays | credits |
|---|---|---|
| on-policy | its best so far, and explores by hitting | as on_policy_kernel does |
| literal | at random, as the course asks | the hand's return to every action taken |

On-policy learning at a table is the method of training alone (q_kernels): that needs
what standing would have brought at every point, hence the dealer's hand, which is not shown. It is
sampled in hindsight from the unseen cards, so that it fits the result (dealing_kernels).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from riverboat.errors import UnknownNameError, UsageError
from riverboat.games.base import Action
from riverboat.players.player import View
from riverboat.twentyone.game import (
    HIT,
    MAX_POINTS,
    REWARDS,
    STAND,
    Result,
    TwentyOne,
    card_value,
    infoset_of,
    points,
)
from riverboat.twentyone.learning import _dealing_kernels as hindsight
from riverboat.twentyone.learning._q_kernels import credit, explores, prefers_hit
from riverboat.twentyone.learning.information import state_key
from riverboat.twentyone.learning.learner import Trainer, rules_of
from riverboat.twentyone.learning.q_table import QTable

_REPORTED = {
    Result.WIN: hindsight.WON,
    Result.PUSH: hindsight.PUSHED,
    Result.LOSE: hindsight.LOST,
    Result.BUST: hindsight.LOST,
}
_PACK = np.array([4] * 9 + [16])
_GAME = TwentyOne()


class _Step(NamedTuple):
    """A decision of the hand."""

    infoset: str
    points: int
    hit: bool  # What was done
    own: bool  # What the table's own play would have done; the same but for a trial


class LearningPlayer:
    """What both methods share: the table, and the decisions of the hand in play."""

    method = ""

    def __init__(self, name: str, table: QTable) -> None:
        self.name = name
        self.table = table
        self._steps: list[_Step] = []

    @property
    def _loss(self) -> float:
        return 0.0 if self.table.objective == "wins" else REWARDS[Result.LOSE]

    def _return(self, result: Result) -> float:
        return max(REWARDS[result], self._loss)

    def _take(self, view: View, hit: bool, own: bool) -> Action:
        mine = points(view.infoset.partition("|")[0])
        self._steps.append(_Step(view.infoset, mine, hit, own))
        return HIT if hit else STAND


class LiteralPlayer(LearningPlayer):
    """The course's method."""

    method = "literal"

    def choose(self, view: View, rng: np.random.Generator) -> Action:
        mine = points(view.infoset.partition("|")[0])
        hit = mine < MAX_POINTS and bool(rng.random() < 0.5)
        return self._take(view, hit, hit)

    def hand_over(self, cards: Sequence[str], up_card: str, result: Result) -> None:
        """Average the hand's return into every action taken."""
        value = self._return(result)
        for step in self._steps:
            self.table.record(step.infoset, HIT if step.hit else STAND, value)
        self._steps.clear()


class OnPolicyPlayer(LearningPlayer):
    """On-policy Monte Carlo control as good as training by oneself."""

    method = "on-policy"

    def __init__(self, name: str, table: QTable) -> None:
        super().__init__(name, table)
        self._rules = rules_of(table.state)
        self._values, self._counts = table.values.reshape(-1), table.counts.reshape(-1)
        self._credited: int | None = None
        """How many decisions come before the first one behind a trial."""
        self._key = 0

    def warm_up(self) -> None:
        """Compile."""
        spare = QTable.empty(self.table.state, self.table.objective)
        beginner = OnPolicyPlayer(self.name, spare)
        rng = np.random.default_rng(0)
        for result in Result:
            view = View(_GAME, 0, "6T|T", (HIT, STAND))
            beginner.choose(view, rng)
            beginner.hand_over(["6c", "Tc"], "Td", result)

    def _slot(self, infoset: str) -> int:
        return 2 * self.table.index[state_key(self.table.state, infoset)]

    def choose(self, view: View, rng: np.random.Generator) -> Action:
        coin = rng.integers(1 << 64, dtype=np.uint64)
        if not self._steps:
            self._credited, self._key = None, int(rng.integers(1 << 64, dtype=np.uint64))
        slot = self._slot(view.infoset)
        if points(view.infoset.partition("|")[0]) == MAX_POINTS:
            return self._take(view, False, False)
        if prefers_hit(self._values, self._counts, slot):
            return self._take(view, True, True)
        tried = self._credited is not None and not self._rules.complete
        hit = not tried and bool(explores(self._values, self._counts, slot, coin))
        if hit and self._credited is None:
            self._credited = len(self._steps) + 1
        return self._take(view, hit, False)

    def hand_over(self, cards: Sequence[str], up_card: str, result: Result) -> None:
        """Credit the hand from its end backwards, as on_policy_kernel does."""
        steps, self._steps = self._steps, []
        mine = points(cards)
        bust = mine > MAX_POINTS
        if not steps:
            return
        if steps[-1].hit and not bust:
            # Not every dealer asks at 21: the hand has stood without a question. And where no
            # card came the hit was not received.
            final = infoset_of(cards, up_card)
            if final == steps[-1].infoset:
                steps.pop()
            steps.append(_Step(final, mine, False, False))
        theirs = self._dealer(
            cards, up_card, mine, hindsight.UNREPORTED if bust else _REPORTED[result]
        )
        if theirs == hindsight.NO_FIT:
            # No dealer of this game ends like that. The result counts for the last action.
            last = steps[-1]
            self.table.record(last.infoset, HIT if last.hit else STAND, self._return(result))
            return
        reward, loss = self._loss, self._loss
        end = len(steps) if self._credited is None or self._rules.complete else self._credited
        for number in range(len(steps) - 1, -1, -1):
            step = steps[number]
            stood = float(step.points > theirs) + loss * float(step.points < theirs)
            if number < end:
                slot = self._slot(step.infoset)
                credit(slot, step.hit, reward, stood, self._values, self._counts)
            if not step.own:
                reward = stood

    def _dealer(self, cards: Sequence[str], up_card: str, mine: int, reported: int) -> int:
        """The dealer's points, 0 for a bust, as they may have been."""
        unseen = _PACK.copy()
        for card in (*cards, up_card):
            unseen[card_value(card) - 1] -= 1
        if unseen.min() < 0:
            return hindsight.NO_FIT
        key, up = np.uint64(self._key), card_value(up_card) - 1
        return int(hindsight.dealer_in_hindsight(key, unseen, up, mine, reported, self._rules))


TABLE_METHODS: dict[str, type[LiteralPlayer] | type[OnPolicyPlayer]] = {
    "on-policy": OnPolicyPlayer,
    "literal": LiteralPlayer,
}


def learning_player(name: str, table: QTable, method: str) -> LiteralPlayer | OnPolicyPlayer:
    """The player that learns into a table by a method."""
    if method not in TABLE_METHODS:
        raise UnknownNameError.among("method of learning at a table", method, TABLE_METHODS)
    return TABLE_METHODS[method](name, table)


def method_of(table: QTable) -> str | None:
    """The method by which a table was learned, by oneself or at tables; None where it is new."""
    known = table.info.get("method", table.info.get("table_method"))
    return None if known is None else str(known)


def table_to_learn(
    path: str | None, *, games: int = 0, method: str | None = None, seed: int = 0
) -> QTable:
    """The table of a file, or a new one where there is none yet, after `games` games by oneself.

    Raises:
        UsageError: the file was learned by another method.
    """
    fresh = path is None or not Path(path).exists()
    table = QTable.empty("points") if fresh else QTable.load(str(path))
    known = method_of(table)
    if method is not None and known not in (None, method):
        raise UsageError(f"{path} was learned by {known}; name no method, or a new file.")
    if not games:
        return table
    if "method" in table.info:
        trainer = Trainer.resume(table)
    else:
        trainer = Trainer(table, method=method or known or "on-policy", seed=seed)
    trainer.run(games)
    return trainer.table


def save_learned(table: QTable, path: str, games: int, method: str | None) -> None:
    """Save a table (.csv: its numbers alone) with the number of games learned at tables."""
    if path.lower().endswith(".csv"):
        table.to_csv(path)
        return
    info = dict(table.info)
    if games:
        info["table_games"] = int(table.info.get("table_games", 0)) + games
        if "method" not in info:
            info["table_method"] = method or info.get("table_method", "on-policy")
    replace(table, info=info).save(path)
