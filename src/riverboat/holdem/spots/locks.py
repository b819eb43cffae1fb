"""Node locking: a node, or some hands of it, plays as told; the rest is solved around it.

    Lock("r:0:c", {"check": 1.0})                       every hand checks
    Lock("r:0", {"bet 33": 0.7, "check": 0.3}, "AA,KK")  only these hands are told what to do
    parse_lock("r:0:c=check:1"), parse_lock("r:0@AA,KK=bet 33:0.7,check:0.3")

A lock whose node has dealt cards, or that treats hands differently which are the same up to the
names of suits, makes the solver count every runout by itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.card import parse_card
from riverboat.cards.ranges import Range
from riverboat.errors import IllegalActionError, ParameterError, UsageError
from riverboat.holdem.spots.engine.geometry import STEPS, PlayerStorage, SpotGeometry
from riverboat.holdem.spots.engine.tree import NodeKind, SpotTree, TreeNode

__all__ = [
    "Lock",
    "PlacedLock",
    "keeps_symmetry",
    "locked_shares",
    "parse_lock",
    "place_locks",
    "read_locks",
    "with_locks",
]

_CARD = re.compile(r"[2-9TJQKA][cdhs]")


@dataclass(frozen=True)
class Lock:
    """What is to be played at a node."""

    node: str
    """Its id, such as "r:0:c:b100"."""
    strategy: Mapping[str, float]
    """Action → probability; they add up to one, and actions left out have none."""
    hands: str | None = None
    """A range whose hands are told; None for all."""

    def as_dict(self) -> dict[str, Any]:
        """For a file's header."""
        return {"node": self.node, "strategy": dict(self.strategy), "hands": self.hands}


@dataclass(frozen=True, eq=False)
class PlacedLock:
    """A lock where the geometry keeps its node's numbers."""

    player: int
    start: int
    num: int
    """Actions."""
    mask: NDArray[np.float32]
    """(P,) one for hands that are told."""
    rows: NDArray[np.float32]
    """(actions, P) what they are told."""

    def enforce(self, numbers: PlayerStorage) -> None:
        """Write what is told into regrets or averages: regret matching then plays it."""
        width = len(self.mask)
        told = self.mask > 0
        block = numbers.values[self.start : self.start + self.num * width].reshape(self.num, width)
        if block.dtype == np.float32:
            block[:, told] = self.rows[:, told]
            return
        first = self.start // width
        scales = numbers.scales[first : first + self.num]
        values = block.astype(np.float32) * scales[:, None]
        most = float(np.abs(values[:, ~told]).max()) if (~told).any() else 0.0
        values[:, told] = self.rows[:, told] * (most or 1.0)
        scales[:] = np.abs(values).max(axis=1) / STEPS
        safe = np.where(scales > 0, scales, 1.0)
        block[...] = np.rint(values / safe[:, None]).astype(np.int16)


def parse_lock(text: str) -> Lock:
    """A lock from "NODE=action:probability,…" or "NODE@RANGE=action:probability,…"."""
    place, sign, told = text.partition("=")
    if not sign:
        raise UsageError(f"{text!r} is no lock; write for example r:0:c=check:1.")
    node, at, hands = place.partition("@")
    strategy: dict[str, float] = {}
    for part in told.split(","):
        action, _, number = part.rpartition(":")
        try:
            strategy[action.strip()] = float(number)
        except ValueError:
            raise UsageError(
                f"{part!r} in {text!r} is no action with a probability, such as check:1."
            ) from None
    return Lock(node.strip(), strategy, hands.strip() if at else None)


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


def find_node(tree: SpotTree, node_id: str) -> tuple[TreeNode, tuple[int, ...]]:
    """The node of an id, and the cards dealt on the way."""
    words = [word for word in node_id.strip().split(":") if word]
    if words[:1] != ["r"] or words[1:2] not in ([], ["0"]):
        raise ParameterError(f"{node_id!r} is no node; ids begin with r:0, as in r:0:c:b100.")
    node = tree.nodes[0]
    dealt: list[int] = []
    for word in words[2:]:
        if _CARD.fullmatch(word):
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


def locked_shares(lock: Lock, node: TreeNode, tree: SpotTree) -> NDArray[np.float32]:
    """(actions,) what a lock tells, in the order of the node's actions."""
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


def place_locks(geometry: SpotGeometry, locks: Sequence[Lock]) -> list[PlacedLock]:
    """Where locks are in an geometry; those of one node become one, the later holds."""
    placed: dict[tuple[int, int], PlacedLock] = {}
    for lock in locks:
        node, dealt = find_node(geometry.tree, lock.node)
        if node.kind != NodeKind.DECISION:
            raise UsageError(f"Nobody acts at {lock.node}, so it cannot be locked.")
        board, renamed = geometry.runouts.find(dealt)
        if not (renamed == np.arange(52)).all():
            raise UsageError(f"{lock.node} shares its numbers with another runout.")
        player, street = node.player, node.street - geometry.spot.street
        width, combos = geometry.plan.widths[player], geometry.runouts.unranked[player].combos
        told = np.zeros(width, np.float32)
        weights = Range.full().weights if lock.hands is None else Range.parse(lock.hands).weights
        told[: len(combos)] = weights[combos] > 0
        if not told.any():
            raise UsageError(f"The lock of {lock.node} names no hand of the player who acts there.")
        start = geometry.board_start(street, player, board)
        start += geometry.plan.node_rows[node.index] * width
        rows = locked_shares(lock, node, geometry.tree)[:, None] * told
        old = placed.get((player, start))
        if old is not None:
            keep = np.where(told > 0, 0.0, old.mask).astype(np.float32)
            rows, told = rows + old.rows * keep, np.maximum(told, keep)
        placed[player, start] = PlacedLock(player, start, len(node.actions), told, rows)
    return list(placed.values())


def keeps_symmetry(geometry: SpotGeometry, locks: Sequence[Lock]) -> bool:
    """Whether locks treat alike what is the same up to the names of suits."""
    if all(len(level.cards) == len(level.member_cards) for level in geometry.runouts.levels):
        return True
    if any(find_node(geometry.tree, lock.node)[1] for lock in locks):
        return False
    stabiliser = int(geometry.runouts.levels[0].stabiliser[0])
    for lock in place_locks(geometry, locks):
        same = geometry.runouts.unranked[lock.player].canonical[stabiliser]
        if not np.array_equal(lock.mask, lock.mask[same]):
            return False
        if not np.array_equal(lock.rows, lock.rows[:, same]):
            return False
    return True


def with_locks(numbers: PlayerStorage, locks: Sequence[PlacedLock]) -> PlayerStorage:
    """A player's averages that tell kernels which nodes a best response cannot change."""
    ordered = sorted(locks, key=lambda lock: lock.start)
    if not ordered:
        return numbers
    return numbers._replace(
        locked=np.array([lock.start for lock in ordered], np.int64),
        masks=np.concatenate([lock.mask for lock in ordered]),
    )
