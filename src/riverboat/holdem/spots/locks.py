"""Node locking: some hands of a node, or all, play a given strategy; the rest is solved around it.

    Lock("r:0:c", {"check": 1.0})                       every hand checks
    Lock("r:0", {"bet 33": 0.7, "check": 0.3}, "AA,KK")  only these hands are locked
    Lock("r:0", {"check": 1.0}, "AA$ds")                of Omaha: a range of four cards
    parse_lock("r:0:c=check:1"), parse_lock("r:0@AA,KK=bet 33:0.7,check:0.3")

A lock whose node has dealt cards, or that treats isomorphic hands differently, makes the solver
keep every runout by itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from riverboat.cards.card import parse_card
from riverboat.cards.hands import num_hands
from riverboat.cards.omaha_ranges import parse_range
from riverboat.errors import IllegalActionError, ParameterError, UsageError
from riverboat.holdem.spots.layout import Layout
from riverboat.holdem.spots.storage import STEPS, PlayerStorage
from riverboat.holdem.spots.tree import NodeKind, SpotTree, TreeNode
from riverboat.runtime.array_types import F32, F64

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
    """A lock where the layout keeps its node's numbers."""

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
        num_actions, width = self.rows.shape
        locked = self.mask > 0
        end = self.start + num_actions * width
        block = numbers.values[self.start : end].reshape(num_actions, width)
        first = self.start // width
        scales = numbers.scales[first : first + num_actions]
        values = block.astype(np.float32) * scales[:, None]
        most = float(np.abs(values[:, ~locked]).max()) if (~locked).any() else 0.0
        values[:, locked] = self.rows[:, locked] * (most or 1.0)
        scales[:] = np.abs(values).max(axis=1) / STEPS
        safe = np.where(scales > 0, scales, 1.0)
        block[...] = np.rint(values / safe[:, None]).astype(np.int16)


def parse_lock(text: str) -> Lock:
    """A lock from "NODE=action:probability,…" or "NODE@RANGE=action:probability,…"."""
    where, sign, given = text.partition("=")
    if not sign:
        raise UsageError(f"{text!r} is no lock; write for example r:0:c=check:1.")
    node, at, hands = where.partition("@")
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
    locks = []
    given: list[Any] = rows if isinstance(rows, list) else [None]
    for row in given:
        try:
            node, hands = row["node"], row["hands"]
            strategy = {str(action): float(share) for action, share in row["strategy"].items()}
        except (TypeError, KeyError, ValueError, AttributeError) as error:
            raise UsageError("The locks cannot be read.") from error
        if not isinstance(node, str) or not isinstance(hands, str | None):
            raise UsageError("The locks cannot be read.")
        locks.append(Lock(node, strategy, hands))
    return locks


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
    shares = np.zeros(len(node.actions), np.float32)
    for action, share in lock.strategy.items():
        child = tree.child(node, action)
        if not 0 <= share <= 1:
            raise ParameterError(f"The lock of {lock.node} has {share} for {action!r}; 0 to 1 go.")
        shares[node.children.index(child.index)] = share
    if abs(float(shares.sum()) - 1) > 1e-6:
        raise ParameterError(
            f"The probabilities that lock {lock.node} add up to {shares.sum():g}, not to 1."
        )
    return shares


def place_locks(layout: Layout, locks: Sequence[Lock]) -> list[PlacedLock]:
    """Where locks are among a solver's numbers; those of one node become one, the later holds."""
    placed: dict[tuple[int, int], PlacedLock] = {}
    for lock in locks:
        node, dealt = find_node(layout.tree, lock.node)
        if node.kind != NodeKind.DECISION:
            raise UsageError(f"Nobody acts at {lock.node}, so it cannot be locked.")
        board, renamed = layout.boards.find(dealt)
        if not (renamed == np.arange(52)).all():
            raise UsageError(f"{lock.node} shares its numbers with another runout.")
        combos = layout.combos[node.player]
        locked = np.zeros(layout.widths[node.player], np.float32)
        locked[: len(combos)] = locked_hands(lock, layout.spot.hole_cards)[combos]
        if not locked.any():
            raise UsageError(f"The lock of {lock.node} names no hand of the player who acts there.")
        key = node.player, layout.start(node, board)
        rows = locked_shares(lock, node, layout.tree)[:, None] * locked
        old = placed.get(key)
        if old is not None:
            keep = np.where(locked > 0, 0.0, old.mask).astype(np.float32)
            rows, locked = rows + old.rows * keep, np.maximum(locked, keep)
        placed[key] = PlacedLock(*key, locked, rows)
    return list(placed.values())


def keeps_symmetry(layout: Layout, locks: Sequence[Lock]) -> bool:
    """Whether locks treat alike what is the same up to the names of suits."""
    boards, tree = layout.boards, layout.tree
    if all(len(level.cards) == len(level.member_cards) for level in boards.levels):
        return True
    if any(find_node(tree, lock.node)[1] for lock in locks):
        return False
    stabiliser = int(boards.levels[0].stabiliser[0])
    for lock in place_locks(layout, locks):
        same = layout.maps[lock.player].canonical[stabiliser]
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


def locked_hands(lock: Lock, hole_cards: int = 2) -> F64:
    """(N,) one for locked hands, by their numbers (`riverboat.cards.hands`)."""
    if lock.hands is None:
        return np.ones(num_hands(hole_cards))
    weights = parse_range(lock.hands, hole_cards).weights
    return np.asarray((weights > 0).astype(np.float64))
