"""Learning twenty-one by playing it: five methods over one table of averages.

| method | plays | a return is credited to |
|---|---|---|
| literal | at random | every action taken, as if the rest of the game had to be random too |
| on-policy | its best so far, and explores by hitting | the hits of its own play and of one trial |
| off-policy | at random | the tail that its best play would have taken too, by weight |
| q-learning | its best so far but for ε | the action before, at the best average that follows |
| sarsa | its best so far but for ε | the action before, at the action that follows |

literal is the course's method and does not reach the optimum (docs/twentyone.md); the others
are Sutton & Barto, "Reinforcement Learning" (2nd ed.), §5.4, §5.7, §6.5 and §6.4, where the kernels
say how they differ. A run is a function of its seed: stopped, saved and continued it gives the
same bits as in one go.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from riverboat.errors import FileFormatError, ParameterError, UnknownNameError, UsageError
from riverboat.runtime.array_types import I32, U8
from riverboat.twentyone.game import DEALER_STANDS, MAX_POINTS, VALUES, points
from riverboat.twentyone.learning import _q_kernels as kernels
from riverboat.twentyone.learning._dealing_kernels import DRAWS, UNFINISHED, Rules, deal_kernel
from riverboat.twentyone.learning.information import hand_label, hands, labels
from riverboat.twentyone.learning.optimum import hands_of
from riverboat.twentyone.learning.q_table import QTable

METHODS: dict[str, Callable[..., None]] = {
    "literal": kernels.literal_kernel,
    "on-policy": kernels.on_policy_kernel,
    "off-policy": kernels.off_policy_kernel,
    "q-learning": kernels.q_learning_kernel,
    "sarsa": kernels.sarsa_kernel,
}

MAX_CHUNK = 500_000  # Games between two checks of the clock, for Ctrl-C and for progress


class Trainer:
    """A table and the games that still improve it."""

    def __init__(self, table: QTable, *, method: str = "on-policy", seed: int = 0) -> None:
        if method not in METHODS:
            raise UnknownNameError.among("method", method, METHODS)
        if seed < 0:
            raise ParameterError(f"A seed is 0 or more, not {seed}.")
        self.method, self.seed = method, seed
        self.curve: list[tuple[int, float]] = []
        """(games, regret) measured so far; it travels with the table."""
        self._table = QTable(table.state, table.objective, table.values.copy(), table.counts.copy())
        self._next = np.zeros(1, np.int64)

    @classmethod
    def resume(cls, table: QTable) -> Trainer:
        """Go on where the trainer that gave this table stopped."""
        try:
            trainer = cls(table, method=table.info["method"], seed=int(table.info["seed"]))
            trainer._next[0] = int(table.info["games"])
            trainer.curve = [(int(n), float(regret)) for n, regret in table.info["curve"]]
        except (KeyError, TypeError, ValueError) as error:
            raise FileFormatError(
                "This Q table does not say how it was trained; name a method to start from it."
            ) from error
        return trainer

    @property
    def games(self) -> int:
        """Games played so far."""
        return int(self._next[0])

    @property
    def table(self) -> QTable:
        """What was learned so far, as a copy that later games leave alone."""
        live = self._table
        info: dict[str, Any] = {
            "method": self.method,
            "seed": self.seed,
            "games": self.games,
            "curve": [list(point) for point in self.curve],
        }
        return QTable(live.state, live.objective, live.values.copy(), live.counts.copy(), info)

    def run(self, games: int, progress: Callable[[int], None] | None = None) -> None:
        """Play that many more games; `progress` is called with the number so far. 0 only compiles.

        An interrupt between two chunks leaves the table whole, with its number of games.
        """
        if games < 0:
            raise ParameterError(f"The number of games is 0 or more, not {games}.")
        key = np.random.SeedSequence(self.seed).generate_state(1, np.uint64)[0]
        loss = 0.0 if self._table.objective == "wins" else -1.0
        values, counts = self._table.values.reshape(-1), self._table.counts.reshape(-1)
        rules, end = rules_of(self._table.state), self.games + games
        while True:
            until = min(end, self.games + MAX_CHUNK)
            METHODS[self.method](key, self._next, until, loss, rules, values, counts)
            if progress:
                progress(self.games)
            if self.games >= end:
                return


def open_trainer(
    path: Path | None = None,
    *,
    method: str | None = None,
    state: str | None = None,
    objective: str | None = None,
    seed: int | None = None,
) -> Trainer:
    """A new trainer, or one that goes on from a file; a .csv is only what it starts from.

    Raises:
        UsageError: the file was made with another method, state, objective or seed.
    """
    if path is None:
        table = QTable.empty(state or "points", objective or "reward")
    elif path.suffix.lower() == ".csv":
        table = QTable.from_csv(path, objective or "reward")
    else:
        table = QTable.load(path)
    options: dict[str, tuple[object, object]] = {
        "state": (state, table.state),
        "objective": (objective, table.objective),
    }
    trained = "games" in table.info
    if trained:
        options |= {
            "method": (method, table.info.get("method")),
            "seed": (seed, table.info.get("seed")),
        }
    for name, (wanted, stored) in options.items():
        if wanted is not None and wanted != stored:
            raise UsageError(f"{path} was made with {name} {stored}; leave {name} out to go on.")
    if trained:
        return Trainer.resume(table)
    return Trainer(table, method=method or "on-policy", seed=seed or 0)


def deal(seed: int, game: int) -> list[int]:
    """The order in which a training game draws its cards, as places in DECK."""
    cards = np.zeros(DRAWS, np.uint8)
    key = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
    deal_kernel(key, game, cards)
    return [int(card) for card in cards]


@cache
def rules_of(state: str) -> Rules:
    """The automaton of hands for a kind of information: as coarse as its rows allow."""
    totals = labels("soft")
    index = {label: h for h, label in enumerate(totals)}
    pattern = {hand_label("soft", hand): hand for hand in reversed(hands())}

    def number(cards: str) -> int:
        return -1 if points(cards) > MAX_POINTS else index[hand_label("soft", cards)]

    first = np.array([number(a + b) for a in VALUES for b in VALUES], np.int32)
    after = np.array([number(pattern[t] + v) for t in totals for v in VALUES], np.int32)
    value = np.array([int(label[1:]) for label in totals], np.int32)
    dealer = (first, after, value, _two_draws(first, after, value))
    if state == "composition":
        every, names = hands_of(), {hand: h for h, hand in enumerate(hands())}
        pairs = ("".join(sorted(a + b, key=VALUES.index)) for a in VALUES for b in VALUES)
        first = np.array([names[pair] for pair in pairs], np.int32)
        row = np.arange(len(names), dtype=np.int32) * 10
        after = every.after.ravel().astype(np.int32)
        return Rules(first, after, every.points.astype(np.int32), row, *dealer, True)
    order = {label: i for i, label in enumerate(labels(state))}
    row = np.array([order[hand_label(state, pattern[t])] * 10 for t in totals], np.int32)
    return Rules(first, after, value, row, *dealer, False)


def _two_draws(first: I32, after: I32, value: I32) -> U8:
    """The dealer's play with two more cards at hand, as Rules.dealer_two codes it."""
    codes = np.empty((10, 10, 10, 10), np.uint8)
    for (hole, up, *drawn), _ in np.ndenumerate(codes):
        hand, used = int(first[hole * 10 + up]), 0
        for card in drawn:
            if hand >= 0 and value[hand] < DEALER_STANDS:
                hand, used = int(after[hand * 10 + card]), used + 1
        done = hand < 0 or value[hand] >= DEALER_STANDS
        total = int(value[hand]) if hand >= 0 else 0
        codes[hole, up, drawn[0], drawn[1]] = 4 * total + used if done else UNFINISHED
    return codes.ravel()
