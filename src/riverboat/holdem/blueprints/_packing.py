"""A blueprint made small, for shipping: probabilities in 63rds, compressed, with its tree.

A packed file, a fifth as long as another, has

- `parts`: for every infoset and bucket all probabilities but the last in parts of LEVELS (the last
  is what is left), action by action over all buckets, so that neighbours are alike; compressed.
  LEVELS + 1 in the first place says that training has never been there.
- `tree`: the arrays of the betting tree, column by column, compressed. Building a tree of 90,000
  nodes by the rules takes two seconds, reading it a hundredth.

What rounding costs was measured by local best response: notes/holdem_training.md.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import FileFormatError
from riverboat.holdem.blueprints.betting_tree import (
    ACTOR,
    CHILD,
    COST,
    COUNT,
    END,
    IN_HAND,
    LEAF,
    LEAF_HEAD,
    NODE_WIDTH,
    BettingTree,
)
from riverboat.holdem.blueprints.game_config import HoldemConfig

LEVELS = 63
UNKNOWN = LEVELS + 1
_TREE: dict[str, str] = {
    "nodes": "<u4",
    "children": "<u4",
    "amounts": "<i4",
    "leaves": "<i4",
    "dead": "<i4",
    "strides": "<i8",
    "infosets": "<i4",
}
"""The arrays of a tree that a file holds."""
MAX_BYTES = 1 << 30  # More than this a file is not unpacked to


def pack_weights(
    tree: BettingTree, num_buckets: tuple[int, ...], weights: NDArray[np.uint16]
) -> NDArray[np.uint8]:
    """The probabilities of a blueprint as a compressed stretch of bytes."""
    blocks = []
    for row, block in _blocks(tree, num_buckets, weights):
        columns = block.T.astype(np.float64)
        for _, offset, count in _infosets(tree, row).tolist():
            parts = _rounded(columns[offset // 2 : offset // 2 + count])
            parts[0, parts.sum(axis=0) == 0] = UNKNOWN
            blocks.append(parts[:-1].astype(np.uint8).tobytes())
    return np.frombuffer(zlib.compress(b"".join(blocks), 9), np.uint8)


def _rounded(parts: NDArray[np.float64]) -> NDArray[np.int64]:
    """(A, N) columns as whole parts of LEVELS, the largest remainders rounded up; or all 0."""
    total = parts.sum(axis=0)
    exact = np.divide(LEVELS * parts, total, where=total > 0, out=np.zeros_like(parts))
    whole = np.floor(exact)
    missing = np.where(total > 0, LEVELS - whole.sum(axis=0), 0)
    rank = np.argsort(np.argsort(whole - exact, axis=0, kind="stable"), axis=0, kind="stable")
    return np.asarray(whole + (rank < missing), np.int64)


def unpack_weights(
    tree: BettingTree, num_buckets: tuple[int, ...], packed: NDArray[np.uint8]
) -> NDArray[np.uint16]:
    """What `pack_weights` was given, rounded."""
    data = _inflated(packed)
    weights = np.zeros(int(tree.starts(num_buckets)[-1]) // 2, np.uint16)
    at = 0
    for row, block in _blocks(tree, num_buckets, weights):
        buckets, actions = block.shape
        infosets = _infosets(tree, row)
        if not len(infosets):
            continue
        first = infosets[:, 1].astype(np.int64) // 2
        last = first + infosets[:, 2] - 1
        given = np.ones(actions, np.bool_)
        given[last] = False
        size = int(given.sum()) * buckets
        if at + size > len(data):
            raise FileFormatError("its probabilities end too early")
        parts = np.zeros((actions, buckets), np.uint8)
        parts[given] = data[at : at + size].reshape(-1, buckets)
        sums = np.add.reduceat(parts, first, axis=0, dtype=np.uint16)
        if sums.max(initial=0) > UNKNOWN:
            raise FileFormatError("its probabilities do not add up")
        parts[last] = np.where(sums == UNKNOWN, 0, LEVELS - np.minimum(sums, LEVELS))
        lone = first == last
        unknown = (sums == UNKNOWN) & ~lone[:, None]
        parts[first] = np.where(unknown, 0, parts[first])
        block[:] = parts.T
        at += size
    if at != len(data):
        raise FileFormatError("it has more probabilities than its game")
    return weights


def _blocks(
    tree: BettingTree, num_buckets: tuple[int, ...], weights: NDArray[np.uint16]
) -> list[tuple[int, NDArray[np.uint16]]]:
    """For each player and street its number and its part (buckets, actions) of `weights`."""
    starts, streets = (tree.starts(num_buckets) // 2).tolist(), tree.game.num_streets
    blocks = []
    for row, stride in enumerate(tree.strides.tolist()):
        part = weights[starts[row] : starts[row + 1]]
        blocks.append((row, part.reshape(num_buckets[row % streets], stride // 2)))
    return blocks


def _infosets(tree: BettingTree, row: int) -> NDArray[np.int32]:
    """(I, 3) the infosets of a player and street in the order of their numbers."""
    chosen = tree.infosets[tree.infosets[:, 0] == row]
    return np.asarray(chosen[np.argsort(chosen[:, 1], kind="stable")], np.int32)


def pack_tree(tree: BettingTree) -> tuple[NDArray[np.uint8], dict[str, Any]]:
    """A tree as compressed bytes, and what a header must say of it."""
    arrays = {name: _columns(name, getattr(tree, name)) for name in _TREE}
    data = b"".join(array.astype(_TREE[name]).tobytes() for name, array in arrays.items())
    shapes = {name: list(array.shape) for name, array in arrays.items()}
    return np.frombuffer(zlib.compress(data, 9), np.uint8), {"shapes": shapes, "depth": tree.depth}


def _columns(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """Values of a kind side by side, which compress better."""
    table = array.reshape(-1, NODE_WIDTH) if name == "nodes" else array
    return np.ascontiguousarray(table.T)


def unpack_tree(
    config: HoldemConfig, packed: NDArray[np.uint8], facts: dict[str, Any]
) -> BettingTree:
    """The tree that `pack_tree` was given, for the config it was made of."""
    data, at, arrays = _inflated(packed).tobytes(), 0, {}
    try:
        for name, kind in _TREE.items():
            shape = tuple(int(size) for size in facts["shapes"][name])
            count = int(np.prod(shape))
            array = np.frombuffer(data, kind, count, at).reshape(shape).T
            arrays[name] = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("="))
            at += array.nbytes
        arrays["nodes"] = arrays["nodes"].ravel()
        depth = int(facts["depth"])
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise FileFormatError("its betting tree cannot be read") from error
    tree = BettingTree(
        config.game, config.sizes, config.history, config.field, **arrays, depth=depth
    )
    if not _is_sound(tree):
        raise FileFormatError("its betting tree is not one of its game")
    return tree


def _is_sound(tree: BettingTree) -> bool:
    """Whether whatever kernels look up by a tree's numbers lies inside its arrays."""
    players, streets = tree.game.players, tree.game.num_streets
    rows, num_leaves, stacks = players * streets, len(tree.leaves), tree.game.betting_rules.stacks
    shapes = (
        len(tree.nodes) % NODE_WIDTH == 0 < tree.num_nodes,
        tree.children.shape == tree.amounts.shape == (len(tree.children),),
        tree.leaves.shape == (num_leaves, LEAF_HEAD + players),
        (tree.dead.shape, tree.strides.shape) == ((players,), (rows,)),
        tree.infosets.shape == (len(tree.infosets), 3),
    )
    if not all(shapes):
        return False
    nodes = tree.nodes.reshape(-1, NODE_WIDTH).astype(np.int64)
    ends = nodes[:, ACTOR] == END
    actor, count, child, row, offset, cost = nodes[~ends, : COST + 1].T
    known, infosets = tree.strides, tree.infosets.astype(np.int64)
    if (infosets < 0).any() or (infosets[:, 0] >= rows).any() or (row >= rows).any():
        return False
    paid = tree.leaves[:, LEAF_HEAD:]
    limits = (
        (nodes[ends, LEAF] < num_leaves).all() and (nodes[ends, COUNT] == 0).all(),
        (actor < players).all() and (row // streets == actor).all(),
        (count > 0).all() and (child + count <= len(tree.children)).all(),
        (offset % 2 == 0).all() and (offset + 2 * count <= known[row]).all(),
        (tree.children < tree.num_nodes).all(),
        # Each infoset has its numbers to itself: the strides are what all of them take.
        (np.bincount(infosets[:, 0], 2 * infosets[:, 2], rows) == known).all(),
        (infosets[:, 1] % 2 == 0).all() and (infosets[:, 2] > 0).all(),
        (infosets[:, 1] + 2 * infosets[:, 2] <= known[infosets[:, 0]]).all(),
        (tree.amounts >= -1).all() and (tree.amounts <= max(stacks)).all(),
        (tree.leaves[:, IN_HAND] > 0).all() and (tree.leaves[:, IN_HAND] < 1 << players).all(),
        (paid >= 0).all() and (paid <= stacks).all() and (cost <= max(stacks)).all(),
        (tree.dead >= 0).all() and (tree.dead <= stacks).all(),
    )
    return all(limits) and _longest_path(nodes, tree.children, tree.depth + 1) <= tree.depth


def _longest_path(nodes: NDArray[np.int64], children: NDArray[np.uint32], limit: int) -> int:
    """The most actions on the way to a node; `limit` where there are as many, or a circle."""
    count = nodes[:, COUNT]
    parents = np.repeat(np.arange(len(nodes)), count)
    places = np.arange(len(parents)) + np.repeat(
        nodes[:, CHILD] - (np.cumsum(count) - count), count
    )
    after = children[places]
    depth, longest = np.zeros(len(nodes), np.int64), 0
    for longest in range(min(limit, len(nodes)) + 1):
        deeper = depth.copy()
        np.maximum.at(deeper, after, depth[parents] + 1)
        if (deeper == depth).all():
            return longest
        depth = deeper
    return limit


def _inflated(packed: NDArray[np.uint8]) -> NDArray[np.uint8]:
    try:
        unpacker = zlib.decompressobj()
        data = unpacker.decompress(packed.tobytes(), MAX_BYTES)
    except zlib.error as error:
        raise FileFormatError("what is compressed in it cannot be read") from error
    if not unpacker.eof:
        raise FileFormatError("what is compressed in it ends too early")
    return np.frombuffer(data, np.uint8)
