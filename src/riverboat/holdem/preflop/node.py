"""PreflopNode: one decision before the flop, class by class, and its actions in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from riverboat.cards.combos import CLASS_NAMES, NUM_CLASSES, class_of_combos
from riverboat.drawing.hand_grid import HandCell, HandGrid
from riverboat.runtime.array_types import F64, Bools

MIN_KNOWN_SHARE = 0.95  # Part of a mixture whose EVs must be known for the EV of the mixture
CLASS_COMBOS = np.bincount(class_of_combos(), minlength=NUM_CLASSES).astype(np.float64)
"""(169,) how many combos each class has: 6, 4 or 12."""


def action_words(action: str, to_call: float) -> str:
    """An action for people: "fold", "check", "call", "raise to 2.5", "all-in"."""
    if action in ("f", "a"):
        return "fold" if action == "f" else "all-in"
    if action == "c":
        return "call" if to_call > 0 else "check"
    return f"raise to {action.removeprefix('r')}"


def _actors(seats: Sequence[str], line: Sequence[str]) -> list[str]:
    """Who took each action of a line: in turn, without those who have folded or are all-in."""
    waiting, actors = list(seats), list[str]()
    for action in line:
        if not waiting:  # In a file that no solver wrote
            break
        actors.append(waiting.pop(0))
        if action not in ("f", "a"):
            waiting.append(actors[-1])
    return actors


@dataclass(frozen=True, eq=False)
class PreflopNode:
    """One decision before the flop."""

    line: tuple[str, ...]  # The actions that lead here
    seat: str  # Who decides
    actions: tuple[str, ...]
    frequencies: F64  # (A, 169) how often each class takes each action
    values: F64  # (A, 169) what each action is worth to it, in chips or prize money; nan if unknown
    reach: F64  # (169,) how often the one who decides plays each class towards this point
    put: Mapping[str, float]  # Chips of each seat in the pot, by seat in the order of acting
    errors: F64 | None = None  # (A, 169) half the 95 % interval of `values` where they are sampled
    trained: Bools | None = None
    """(169,) the classes whose strategy the training determines; None means all. The frequencies
    of the others mean nothing and are shown nowhere."""
    chance: float | None = None  # How often the decision comes up in a hand, where it was measured
    stack: float | None = None
    """All chips of the one who decides, where they are known: going all-in for no more than the bet
    is a call."""

    def knows(self, number: int) -> bool:
        """Whether the strategy of a class is determined here."""
        return self.trained is None or bool(self.trained[number])

    @property
    def rare(self) -> bool:
        """Whether the decision comes up so seldom that no hand's strategy is determined."""
        return self.chance is not None and self.trained is not None and not self.trained.any()

    @property
    def rare_words(self) -> str:
        """What is said instead of a rare decision's strategy."""
        hands = f"once in {1 / self.chance:,.0f} hands" if self.chance else "in none of the deals"
        return f"hardly occurs ({hands}): nothing is recommended"

    @cached_property
    def mixture_values(self) -> F64:
        """(169,) the EV of each class's mixture; nan unless nearly all of its actions have EVs."""
        known = ~np.isnan(self.values) & (self.frequencies > 0)
        shares = np.where(known, self.frequencies, 0.0)
        total = shares.sum(axis=0)
        shares /= np.where(total > 0, total, 1.0)
        evs = (shares * np.where(known, self.values, 0.0)).sum(axis=0)
        sure = total >= MIN_KNOWN_SHARE
        return np.where(sure if self.trained is None else sure & self.trained, evs, np.nan)

    @property
    def name(self) -> str:
        """The line in one word, "r2.5-c"; "start" at the beginning."""
        return "-".join(self.line) or "start"

    @property
    def to_call(self) -> float:
        return max(self.put.values()) - self.put[self.seat]

    @property
    def labels(self) -> tuple[str, ...]:
        """The actions in words."""
        return tuple(self.words_of(action) for action in self.actions)

    def words_of(self, action: str) -> str:
        """One of the actions in words; an all-in that raises nothing is a call."""
        if action == "a" and "a" in self.line:
            last = self.seat == list(self.put)[-1]
            if last or self.stack is None or self.stack <= max(self.put.values()):
                return "call"
        return action_words(action, self.to_call)

    @property
    def story(self) -> str:
        """What the seats before did, "SB goes all-in"; empty where all of them folded."""
        done, bet = list[str](), 0.0
        actors = _actors(tuple(self.put), self.line)
        for seat, action in zip(actors, self.line, strict=False):
            if action == "f":
                words = "folds" if done else ""
            elif action == "c" or (action == "a" and 0 < self.put[seat] <= bet):
                words = "calls"
            else:
                words = "goes all-in" if action == "a" else f"raises to {action.removeprefix('r')}"
            if action == "a":
                bet = max(bet, self.put[seat])
            done += [f"{seat.upper()} {words}"] * bool(words)
        return ", ".join(done)

    @property
    def totals(self) -> F64:
        """(A,) how often each action is taken by all hands that get here."""
        weights = self.reach * CLASS_COMBOS
        if not weights.any():
            weights = CLASS_COMBOS
        return np.asarray(self.frequencies @ weights / weights.sum())

    def _repr_html_(self) -> str:
        return self.grid._repr_html_()

    @cached_property
    def grid(self) -> HandGrid:
        """The 169 classes with their actions; a cell's EV is that of its mixture.

        The cell of an untrained class is empty.
        """
        known = np.ones(NUM_CLASSES) if self.trained is None else self.trained.astype(np.float64)
        reach, shares, evs = self.reach * known, self.frequencies * known, self.mixture_values
        cells = tuple(
            HandCell(
                name,
                float(CLASS_COMBOS[c] * reach[c]),
                float(reach[c]),
                {} if self.rare else dict(zip(self.actions, shares[:, c].tolist(), strict=True)),
                ev=float(evs[c]),
            )
            for c, name in enumerate(CLASS_NAMES)
        )
        title = f"{self.seat.upper()} {f'after {self.story}' if self.story else 'to open'}"
        if self.rare:
            return HandGrid(f"{title}: {self.rare_words}", (), cells)
        totals = dict(zip(self.actions, self.totals.tolist(), strict=True))
        return HandGrid(title, self.actions, cells, self.labels, totals)
