"""Locks painted on the grid of a node, by classes of hands; a list of locks is never changed.

at = solved.at("r:0")
locks = paint([], at, ["AA", "KK"], "check", 1.0)
locks = paint(locks, at, ["A5s"], "bet 33", 0.7)     the rest as it is played now
locks = unpaint(locks, at.node_id, ["KK"])
marks(locks, at)["AA"].strategy                      {'check': 1.0, 'bet 33': 0.0}
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from riverboat.cards.combos import CLASS_NAMES, class_of_combos
from riverboat.cards.ranges import Range
from riverboat.errors import ParameterError, UnknownNameError, UsageError
from riverboat.holdem.spots.cursor import SpotCursor
from riverboat.holdem.spots.locks import Lock, locked_hands, locked_shares
from riverboat.runtime.array_types import F64, Bools

SHARE_STEPS = 10_000  # Shares are kept in parts of this, so that they add up to one


@dataclass(frozen=True)
class Mark:
    """A class of hands with a lock."""

    strategy: dict[str, float]  # Action → share, over the locked hands
    whole: bool  # Whether all hands of the class that are in the range are locked


def paint(
    locks: Sequence[Lock], at: SpotCursor, classes: Iterable[str], action: str, share: float
) -> list[Lock]:
    """Lock some classes: one action gets a share, the others keep their proportions."""
    if at.player < 0:
        raise UsageError("Nobody acts here, so nothing can be locked.")
    if at.solved.spot.hole_cards > 2:
        raise UsageError(
            "Classes are of hands of two cards; riverboat holdem solve --lock locks those of four."
        )
    if action not in at.actions:
        raise UnknownNameError.among("action", action, at.actions)
    if not 0 <= share <= 1:
        raise ParameterError(f"A share goes from 0 to 1, not {share:g}.")
    if len(at.actions) == 1 and share < 1:
        raise UsageError(f"Only {action} can be played here, so it is played always.")
    names = _classes(classes)
    own = class_of_combos()[at.combos(at.player)]
    here = [number for number in names if (own == number).any()]
    if not here:
        raise UsageError(f"None of these hands is in the range of {at.names[at.player].upper()}.")
    before, which = marks(locks, at), at.actions.index(action)
    groups: dict[tuple[int, ...], list[int]] = {}
    for number in here:
        mark = before.get(CLASS_NAMES[number])
        now = _played(at, own == number) if mark is None else np.array(list(mark.strategy.values()))
        groups.setdefault(_with_share(now, which, share), []).append(number)
    kept = unpaint(locks, at.node_id, [CLASS_NAMES[number] for number in here])
    for steps, numbers in groups.items():
        strategy = {name: part / SHARE_STEPS for name, part in zip(at.actions, steps, strict=True)}
        kept = _joined(kept, at.node_id, strategy, np.isin(class_of_combos(), numbers))
    return kept


def unpaint(locks: Sequence[Lock], node: str, classes: Iterable[str] | None = None) -> list[Lock]:
    """Remove the locks of these hand classes (default: all) at a node."""
    if classes is None:
        return [lock for lock in locks if lock.node != node]
    gone = np.isin(class_of_combos(), _classes(classes))
    kept = []
    for lock in locks:
        if lock.node != node:
            kept.append(lock)
            continue
        remaining = np.where(gone, 0.0, locked_hands(lock))
        if remaining.any():
            kept.append(Lock(node, lock.strategy, str(Range(remaining))))
    return kept


def marks(locks: Sequence[Lock], at: SpotCursor) -> dict[str, Mark]:
    """Class → its lock at a node, for the grid; a later lock holds."""
    here = [lock for lock in locks if lock.node == at.node_id]
    if at.player < 0 or not here:
        return {}
    combos = at.combos(at.player)
    shares = np.full((len(at.actions), len(combos)), np.nan)
    for lock in here:
        locked = locked_hands(lock)[combos] > 0
        shares[:, locked] = locked_shares(lock, at.node, at.solved.tree)[:, None]
    own, locked = class_of_combos()[combos], np.isfinite(shares[0])
    by_class = {}
    for number in np.unique(own[locked]).tolist():
        mine = own == number
        means = shares[:, mine & locked].mean(axis=1)
        strategy = {name: round(float(m), 6) for name, m in zip(at.actions, means, strict=True)}
        by_class[CLASS_NAMES[number]] = Mark(strategy, bool(locked[mine].all()))
    return by_class


def _classes(names: Iterable[str]) -> list[int]:
    numbers = []
    for name in names:
        if name not in CLASS_NAMES:
            raise ParameterError(f"{name!r} is no class of hands; write AKs, AKo or TT.")
        numbers.append(CLASS_NAMES.index(name))
    return numbers


def _played(at: SpotCursor, mine: Bools) -> F64:
    """(actions,) what some hands play now, each as often as it is met."""
    weights = (at.weights(at.player) * at.meetings(at.player))[mine]
    if not weights.sum() > 0:
        weights = np.ones(int(mine.sum()))
    return np.asarray(at.strategies[:, mine] @ weights / weights.sum())


def _with_share(now: F64, which: int, share: float) -> tuple[int, ...]:
    """Parts of SHARE_STEPS for each action: the share for one, the rest for the others as now."""
    others = np.where(np.arange(len(now)) == which, 0.0, np.maximum(now, 0.0))
    if not others.sum() > 1e-9:
        others = (np.arange(len(now)) != which).astype(np.float64)
    steps = np.zeros(len(now), np.int64)
    steps[which] = round(share * SHARE_STEPS)
    if len(now) > 1:
        remaining = SHARE_STEPS - int(steps[which])
        edges = np.rint(remaining * np.cumsum(others) / others.sum()).astype(np.int64)
        steps += np.diff(edges, prepend=0)
    return tuple(int(step) for step in steps)


def _joined(locks: list[Lock], node: str, strategy: dict[str, float], hands: Bools) -> list[Lock]:
    """Add a lock for some hands, joined with those that have the same strategy."""
    kept, all_hands = [], hands.astype(np.float64)
    for lock in locks:
        if lock.node == node and dict(lock.strategy) == strategy:
            all_hands = np.maximum(all_hands, locked_hands(lock))
        else:
            kept.append(lock)
    return [*kept, Lock(node, strategy, str(Range(all_hands)))]
