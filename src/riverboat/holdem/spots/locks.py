"""Node locking: some hands of a node, or all, play a given strategy; the rest is solved around it.

    Lock("r:0:c", {"check": 1.0})                       every hand checks
    Lock("r:0", {"bet 33": 0.7, "check": 0.3}, "AA,KK")  only these hands are locked
    parse_lock("r:0:c=check:1"), parse_lock("r:0@AA,KK=bet 33:0.7,check:0.3")

A lock whose node has dealt cards, or that treats isomorphic hands differently, makes the solver
keep every runout by itself.

Locks are painted on the grid of a node, by classes of hands; a list of locks is never changed:

    at = solved.at("r:0")
    locks = paint([], at, ["AA", "KK"], "check", 1.0)
    locks = paint(locks, at, ["A5s"], "bet 33", 0.7)     the rest as it is played now
    locks = unpaint(locks, at.node_id, ["KK"])
    marks(locks, at)["AA"].strategy                      {'check': 1.0, 'bet 33': 0.0}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from riverboat.cards.card import parse_card
from riverboat.cards.combos import CLASS_NAMES, class_of_combos
from riverboat.cards.ranges import Range
from riverboat.errors import IllegalActionError, ParameterError, UnknownNameError, UsageError
from riverboat.holdem.spots._boards import BoardClasses, padded, renamed_hands
from riverboat.holdem.spots.geometry import STEPS, PlayerStorage
from riverboat.holdem.spots.tree import NodeKind, SpotTree, TreeNode
from riverboat.runtime.array_types import F32, F64, Bools

if TYPE_CHECKING:
    from riverboat.holdem.spots.cursor import SpotCursor


CARD = re.compile(r"[2-9TJQKA][cdhs]")


@dataclass(frozen=True)
class Lock:
    """What is to be played at a node."""

    node: str  # Its id, such as "r:0:c:b100"
    strategy: Mapping[str, float]
    """Action → probability; they add up to one, and actions left out have none."""
    hands: str | None = None  # A range whose hands are locked; None for all

    def as_dict(self) -> dict[str, Any]:
        """For a file's header."""
        return {"node": self.node, "strategy": dict(self.strategy), "hands": self.hands}


@dataclass(frozen=True, eq=False)
class PlacedLock:
    """A lock where the geometry keeps its node's numbers."""

    player: int
    start: int
    mask: F32  # (P,) one for locked hands
    rows: F32  # (actions, P) their strategy

    def write(self, numbers: F32) -> None:
        """Write the locked strategy into 32-bit regrets or averages: regret matching plays it."""
        locked = self.mask > 0
        block = numbers[self.start : self.start + self.rows.size].reshape(self.rows.shape)
        block[:, locked] = self.rows[:, locked]

    def enforce(self, numbers: PlayerStorage) -> None:
        """The same for numbers of 32 or 16 bits."""
        if numbers.values.dtype == np.float32:
            self.write(numbers.values)
            return
        num, width = self.rows.shape
        locked = self.mask > 0
        block = numbers.values[self.start : self.start + num * width].reshape(num, width)
        first = self.start // width
        scales = numbers.scales[first : first + num]
        values = block.astype(np.float32) * scales[:, None]
        most = float(np.abs(values[:, ~locked]).max()) if (~locked).any() else 0.0
        values[:, locked] = self.rows[:, locked] * (most or 1.0)
        scales[:] = np.abs(values).max(axis=1) / STEPS
        safe = np.where(scales > 0, scales, 1.0)
        block[...] = np.rint(values / safe[:, None]).astype(np.int16)


class NumberedTree(Protocol):
    """The tree and boards of two or three players, and where each node's numbers are kept."""

    @property
    def tree(self) -> SpotTree: ...

    @property
    def boards(self) -> BoardClasses: ...

    def start(self, node: TreeNode, board: int) -> int:
        """The first element of a decision node on a board of its street."""


def parse_lock(text: str) -> Lock:
    """A lock from "NODE=action:probability,…" or "NODE@RANGE=action:probability,…"."""
    place, sign, given = text.partition("=")
    if not sign:
        raise UsageError(f"{text!r} is no lock; write for example r:0:c=check:1.")
    node, at, hands = place.partition("@")
    strategy: dict[str, float] = {}
    for part in given.split(","):
        action, _, number = part.rpartition(":")
        try:
            strategy[action.strip()] = float(number)
        except ValueError:
            raise UsageError(
                f"{part!r} in {text!r} is no action with a probability, such as check:1."
            ) from None
    return Lock(node.strip(), strategy, hands.strip() if at else None)


def as_locks(given: Sequence[Lock | str]) -> list[Lock]:
    """Locks from locks and their texts."""
    return [parse_lock(one) if isinstance(one, str) else one for one in given]


def read_locks(rows: Any) -> list[Lock]:
    """The locks that `as_dict` wrote, from a header or another file; anything else is refused."""
    found = []
    given: list[Any] = rows if isinstance(rows, list) else [None]
    for row in given:
        try:
            node, hands = row["node"], row["hands"]
            strategy = {str(action): float(share) for action, share in row["strategy"].items()}
        except (TypeError, KeyError, ValueError, AttributeError) as error:
            raise UsageError("The locks cannot be read.") from error
        if not isinstance(node, str) or not isinstance(hands, str | None):
            raise UsageError("The locks cannot be read.")
        found.append(Lock(node, strategy, hands))
    return found


def words_of(node_id: str) -> list[str]:
    """The actions and cards of a node's id."""
    words = [word for word in node_id.strip().split(":") if word]
    if words[:1] != ["r"] or words[1:2] not in ([], ["0"]):
        raise ParameterError(f"{node_id!r} is no node; ids begin with r:0, as in r:0:c:b100.")
    return words[2:]


def find_node(tree: SpotTree, node_id: str) -> tuple[TreeNode, tuple[int, ...]]:
    """The node of an id, and the cards dealt on the way."""
    node, dealt = tree.nodes[0], list[int]()
    for word in words_of(node_id):
        if CARD.fullmatch(word):
            card = parse_card(word)
            if node.kind != NodeKind.CHANCE or card in (*tree.spot.board, *dealt):
                raise IllegalActionError(f"{word} cannot be dealt there in {node_id!r}.")
            dealt.append(card)
            node = tree.nodes[node.children[0]]
        elif node.kind != NodeKind.DECISION:
            raise IllegalActionError(f"Nobody acts where {node_id!r} has {word!r}.")
        else:
            node = tree.child(node, word)
    return node, tuple(dealt)


def locked_shares(lock: Lock, node: TreeNode, tree: SpotTree) -> F32:
    """(actions,) the locked strategy, in the order of the node's actions."""
    found = np.zeros(len(node.actions), np.float32)
    for action, share in lock.strategy.items():
        child = tree.child(node, action)
        if not 0 <= share <= 1:
            raise ParameterError(f"The lock of {lock.node} has {share} for {action!r}; 0 to 1 go.")
        found[node.children.index(child.index)] = share
    if abs(float(found.sum()) - 1) > 1e-6:
        raise ParameterError(
            f"The probabilities that lock {lock.node} add up to {found.sum():g}, not to 1."
        )
    return found


def place_locks(numbered: NumberedTree, locks: Sequence[Lock]) -> list[PlacedLock]:
    """Where locks are among a solver's numbers; those of one node become one, the later holds."""
    placed: dict[tuple[int, int], PlacedLock] = {}
    for lock in locks:
        node, dealt = find_node(numbered.tree, lock.node)
        if node.kind != NodeKind.DECISION:
            raise UsageError(f"Nobody acts at {lock.node}, so it cannot be locked.")
        board, renamed = numbered.boards.find(dealt)
        if not (renamed == np.arange(52)).all():
            raise UsageError(f"{lock.node} shares its numbers with another runout.")
        combos = numbered.tree.spot.hands(node.player)
        locked = np.zeros(padded(len(combos)), np.float32)
        locked[: len(combos)] = locked_hands(lock)[combos]
        if not locked.any():
            raise UsageError(f"The lock of {lock.node} names no hand of the player who acts there.")
        key = node.player, numbered.start(node, board)
        rows = locked_shares(lock, node, numbered.tree)[:, None] * locked
        old = placed.get(key)
        if old is not None:
            keep = np.where(locked > 0, 0.0, old.mask).astype(np.float32)
            rows, locked = rows + old.rows * keep, np.maximum(locked, keep)
        placed[key] = PlacedLock(*key, locked, rows)
    return list(placed.values())


def keeps_symmetry(numbered: NumberedTree, locks: Sequence[Lock]) -> bool:
    """Whether locks treat alike what is the same up to the names of suits."""
    boards, tree = numbered.boards, numbered.tree
    if all(len(level.cards) == len(level.member_cards) for level in boards.levels):
        return True
    if any(find_node(tree, lock.node)[1] for lock in locks):
        return False
    stabiliser = int(boards.levels[0].stabiliser[0])
    for lock in place_locks(numbered, locks):
        same = renamed_hands(tree.spot.hands(lock.player), boards)[1][stabiliser]
        if not np.array_equal(lock.mask, lock.mask[same]):
            return False
        if not np.array_equal(lock.rows, lock.rows[:, same]):
            return False
    return True


def with_locks(numbers: PlayerStorage, locks: Sequence[PlacedLock]) -> PlayerStorage:
    """A player's averages, marked with the nodes that a best response cannot change."""
    ordered = sorted(locks, key=lambda lock: lock.start)
    if not ordered:
        return numbers
    return numbers._replace(
        locked=np.array([lock.start for lock in ordered], np.int64),
        masks=np.concatenate([lock.mask for lock in ordered]),
    )


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
        left = np.where(gone, 0.0, locked_hands(lock))
        if left.any():
            kept.append(Lock(node, lock.strategy, str(Range(left))))
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
    found = {}
    for number in np.unique(own[locked]).tolist():
        mine = own == number
        means = shares[:, mine & locked].mean(axis=1)
        strategy = {name: round(float(m), 6) for name, m in zip(at.actions, means, strict=True)}
        found[CLASS_NAMES[number]] = Mark(strategy, bool(locked[mine].all()))
    return found


def _classes(names: Iterable[str]) -> list[int]:
    found = []
    for name in names:
        if name not in CLASS_NAMES:
            raise ParameterError(f"{name!r} is no class of hands; write AKs, AKo or TT.")
        found.append(CLASS_NAMES.index(name))
    return found


def locked_hands(lock: Lock) -> F64:
    """(1326,) one for locked hands."""
    weights = Range.full().weights if lock.hands is None else Range.parse(lock.hands).weights
    return np.asarray((weights > 0).astype(np.float64))


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
        left = SHARE_STEPS - int(steps[which])
        edges = np.rint(left * np.cumsum(others) / others.sum()).astype(np.int64)
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
