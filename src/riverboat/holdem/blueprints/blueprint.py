"""Blueprint: the strategy of an abstract hold'em game, saved, loaded and asked about real hands.

A file of kind "blueprint" holds for every infoset the probability of each action in parts of 65,535
and in its header the config that builds the game again. An infoset that training has never sampled
has only zeros; every action is then equally likely. With the buckets of `equity-k` a file carries
their centres, so that it is played without tables.

A packed file, a fifth as long, has instead

- `parts`: for every infoset and bucket all probabilities but the last in parts of LEVELS (the last
  is what is left), action by action over all buckets, so that neighbours are alike; compressed.
  LEVELS + 1 in the first place says that training has never been there.
- `tree`: the arrays of the betting tree, column by column, compressed. Building a tree of 90,000
  nodes by the rules takes two seconds, reading it a hundredth.

What rounding costs was measured by local best response: docs/holdem.md.
"""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.combos import COMBO_CARDS
from riverboat.drawing.html import tag
from riverboat.errors import FileFormatError, RiverboatError, UsageError
from riverboat.games.base import Action, ParameterValue, parameters_of
from riverboat.holdem.blueprints.abstraction.card_tables import card_abstraction
from riverboat.holdem.blueprints.abstraction.deals import has_two_cards, is_whole_deck
from riverboat.holdem.blueprints.abstraction.equity_buckets import CENTRES, LiveBuckets, centres_of
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
    OFFSET,
    ROW,
    BettingTree,
    action_text,
    amount_of,
    decisions,
)
from riverboat.holdem.blueprints.fallback_action import wanted
from riverboat.holdem.blueprints.game_config import AbstractGame, GamePlan, HoldemConfig
from riverboat.holdem.blueprints.shipped import blueprint_path
from riverboat.holdem.blueprints.translation import Position, follow, real_action, same_shape
from riverboat.holdem.rules.betting import CALL, FOLD
from riverboat.holdem.rules.state import Holdem, HoldemState
from riverboat.strategies.any_strategy import AnyStrategy, Entry
from riverboat.strategies.files import read_arrays, write_arrays

__all__ = [
    "LEVELS",
    "Blueprint",
    "averages_as_weights",
    "pack_tree",
    "pack_weights",
    "unpack_tree",
    "unpack_weights",
]


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
MOST_BYTES = 1 << 30
"""More than this a file is not unpacked to."""


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
    found = []
    for row, stride in enumerate(tree.strides.tolist()):
        part = weights[starts[row] : starts[row + 1]]
        found.append((row, part.reshape(num_buckets[row % streets], stride // 2)))
    return found


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
        data = unpacker.decompress(packed.tobytes(), MOST_BYTES)
    except zlib.error as error:
        raise FileFormatError("what is compressed in it cannot be read") from error
    if not unpacker.eof:
        raise FileFormatError("what is compressed in it ends too early")
    return np.frombuffer(data, np.uint8)


KIND = "blueprint"
FULL = 65_535
RAISES_OFF_TREE, SIZE_OFF_TREE = 2, "0.75p"
"""How often and how high it is raised where the abstract game has no such point."""


def averages_as_weights(abstract: AbstractGame, table: NDArray[np.float32]) -> NDArray[np.uint16]:
    """A trainer's averages as parts of 65,535, infoset by infoset."""
    tree, num_buckets = abstract.tree, abstract.buckets.num_buckets
    starts, streets = tree.starts(num_buckets), tree.game.num_streets
    weights = np.zeros(len(table) // 2, np.uint16)
    for row, stride in enumerate(tree.strides.tolist()):
        first, last = int(starts[row]), int(starts[row + 1])
        numbers = table[first:last].reshape(num_buckets[row % streets], stride)
        out = weights[first // 2 : last // 2].reshape(num_buckets[row % streets], stride // 2)
        for _, offset, count in tree.infosets[tree.infosets[:, 0] == row].tolist():
            averages = numbers[:, offset + count : offset + 2 * count]
            total = averages.sum(axis=1, keepdims=True, dtype=np.float64)
            share = np.divide(averages, total, where=total > 0, out=np.zeros_like(averages))
            out[:, offset // 2 : offset // 2 + count] = np.rint(share * FULL)
    return weights


def _abstract_game(
    config: HoldemConfig,
    arrays: Mapping[str, NDArray[Any]],
    header: Mapping[str, Any],
    tables: bool,
    threads: int,
    progress: Callable[[str, float], None] | None,
) -> AbstractGame:
    """The game of a file: its tree and its buckets as they are in it, or built."""
    if tables or not {*CENTRES} & arrays.keys():
        return AbstractGame.build(config, threads=threads, progress=progress)
    tree = (
        unpack_tree(config, arrays["tree"], header["tree"])
        if "tree" in arrays
        else GamePlan.of(config).tree
    )
    return AbstractGame(config, tree, LiveBuckets(arrays, config.cards))


def _weights(abstract: AbstractGame, arrays: Mapping[str, NDArray[Any]]) -> NDArray[np.uint16]:
    if "parts" in arrays:
        return unpack_weights(abstract.tree, abstract.buckets.num_buckets, arrays["parts"])
    weights = arrays["weights"]
    if weights.dtype != np.uint16 or weights.shape != (abstract.num_bytes // 8,):
        raise FileFormatError("its size does not fit its game")
    return weights


@dataclass(frozen=True, eq=False, repr=False)
class Blueprint(AnyStrategy):
    """Probabilities for every infoset of an abstract game."""

    kind: ClassVar[str] = KIND
    abstract: AbstractGame
    weights: NDArray[np.uint16]
    """Laid out as the trainer's table, without the regrets."""
    info: Mapping[str, Any] = field(default_factory=dict)
    """How it was made: iterations, deals, seconds, seed, threads."""

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        tables: bool = False,
        threads: int = 1,
        progress: Callable[[str, float], None] | None = None,
    ) -> Blueprint:
        """Read a blueprint. Card tables are built first where the file has no centres, and read
        where `tables` asks for them: what plays thousands of abstract deals needs them. The path
        "shipped" is the package's own blueprint.
        """
        path = blueprint_path(path)
        arrays, header = read_arrays(path, KIND)
        try:
            config = HoldemConfig.from_table(header["config"], str(path))
            abstract = _abstract_game(config, arrays, header, tables, threads, progress)
            weights, info = _weights(abstract, arrays), header["info"]
        except KeyError as error:
            raise FileFormatError(f"{path} is damaged: it lacks {error}.") from error
        except (RiverboatError, ValueError, TypeError, AttributeError) as error:
            reason = str(error).rstrip(".")
            raise FileFormatError(f"{path} is damaged: {reason}.") from error
        if not isinstance(info, Mapping):
            raise FileFormatError(f"{path} is damaged: its info is not a table.")
        return cls(abstract, weights, info)

    def save(self, path: str | Path, *, packed: bool = False) -> None:
        """Write a file; a packed one is a fifth as long, its probabilities in 63rds."""
        header = {"config": self.abstract.config.as_table(), "info": dict(self.info)}
        arrays: dict[str, NDArray[Any]] = centres_of(self.abstract.buckets)
        if packed:
            tree = self.abstract.tree
            arrays["parts"] = pack_weights(tree, self.abstract.buckets.num_buckets, self.weights)
            arrays["tree"], header["tree"] = pack_tree(tree)
        else:
            arrays["weights"] = self.weights
        write_arrays(path, KIND, arrays, header)

    @property
    def needs_tables(self) -> bool:
        """Whether its buckets are worked out one board at a time, too slow for abstract deals."""
        return isinstance(self.abstract.buckets, LiveBuckets)

    def with_tables(
        self, *, threads: int = 1, progress: Callable[[str, float], None] | None = None
    ) -> Blueprint:
        """The same with card tables, from the cache or built (about a minute)."""
        if not self.needs_tables:
            return self
        buckets = card_abstraction(
            self.abstract.buckets.describe(), threads=threads, progress=progress
        )
        return dataclasses.replace(
            self, abstract=dataclasses.replace(self.abstract, buckets=buckets)
        )

    @property
    def game(self) -> str:
        return "holdem"

    @property
    def rules(self) -> Holdem:
        return self.abstract.config.game

    @property
    def parameters(self) -> Mapping[str, ParameterValue]:
        return parameters_of(self.rules)

    def check_game(self, game: Holdem, source: str = "This blueprint") -> None:
        """Refuse a game that the blueprint was not trained for; the unit of chips may differ."""
        if not same_shape(game, self.rules):
            mine, other = self.rules.betting_rules, game.betting_rules
            raise FileFormatError(
                f"{source} was trained for {self.rules.players} players with stacks"
                f" {mine.stacks[0]} and blinds {self.rules.small_blind}/{self.rules.big_blind}, not"
                f" for {game.players} with {other.stacks[0]} and"
                f" {game.small_blind}/{game.big_blind} (or other rules)."
            )

    @cached_property
    def slot_starts(self) -> NDArray[np.int64]:
        """(P · S + 1,) where the weights of each player and street begin."""
        return self.abstract.tree.starts(self.abstract.buckets.num_buckets) // 2

    def at(self, node: int, buckets: NDArray[np.uint32]) -> NDArray[np.float64]:
        """(N, A) the probabilities at a node for each of `buckets` (N,)."""
        tree = self.abstract.tree
        row, offset = (int(tree.nodes[NODE_WIDTH * node + place]) for place in (ROW, OFFSET))
        count = len(tree.actions(node))
        stride = int(tree.strides[row]) // 2
        slots = self.slot_starts[row] + buckets.astype(np.int64) * stride + offset // 2
        parts = self.weights[slots[:, None] + np.arange(count)].astype(np.float64)
        total = parts.sum(axis=1, keepdims=True)
        result = np.full(parts.shape, 1.0 / count)
        np.divide(parts, total, where=total > 0, out=result)
        return result

    def _assigned(
        self, hands: NDArray[np.uint8], board: tuple[int, ...], street: int
    ) -> NDArray[np.uint32]:
        """The buckets of `hands`; 0 for those that the board and the deck do not leave."""
        possible = ~np.isin(hands, board).any(axis=1) & np.isin(hands, self.rules.deck).all(axis=1)
        dealt = hands[possible]
        cards = np.empty((len(dealt), hands.shape[1] + len(board)), np.uint8)
        cards[:, : hands.shape[1]] = dealt
        cards[:, hands.shape[1] :] = board
        out = np.empty((len(dealt), 1, street + 1), np.uint32)
        self.abstract.buckets.assign(cards, 1, out)
        found = np.zeros(len(hands), np.uint32)
        found[possible] = out[:, 0, street]
        return found

    def buckets_on(self, board: tuple[int, ...]) -> NDArray[np.uint32]:
        """(1326,) the buckets of all hands on a board; 0 for those that share a card with it."""
        seen = np.cumsum(self.rules.board_cards).tolist()
        return self._assigned(COMBO_CARDS, board, seen.index(len(board)))

    def whole_board(self, board: tuple[int, ...], street: int) -> NDArray[np.uint32]:
        """The buckets of all hands; the last boards are kept, for they are asked about again."""
        key = (street, *board)
        if key not in self._boards:
            while len(self._boards) > 64:
                del self._boards[next(iter(self._boards))]
            self._boards[key] = self._assigned(COMBO_CARDS, board, street)
        return self._boards[key]

    @cached_property
    def _boards(self) -> dict[tuple[int, ...], NDArray[np.uint32]]:
        return {}

    def position(self, state: HoldemState, salt: str = "") -> Position:
        """Where a real hand stands in the abstract betting."""
        return follow(self.abstract.tree, state, salt)

    def probabilities(
        self, state: HoldemState, hands: NDArray[np.uint8], salt: str = ""
    ) -> tuple[tuple[Action, ...], NDArray[np.float64]]:
        """The actor's real actions and (N, A) their probabilities for each of `hands` (N, h)."""
        place = self.position(state, salt)
        if not place.on_tree:
            return self._off_tree(state, hands)
        street = place.betting.street
        board = state.board[: sum(self.rules.board_cards[: street + 1])]
        whole = hands is COMBO_CARDS
        found = self.whole_board(board, street) if whole else self._assigned(hands, board, street)
        chances = self.at(place.node, found)
        betting = state.betting
        tree = self.abstract.tree
        actions = [real_action(tree, place, i, betting) for i in range(chances.shape[1])]
        # Two abstract actions may come to the same in the chips that are left.
        distinct = tuple(dict.fromkeys(actions))
        if len(distinct) == len(actions):
            return distinct, chances
        merged = np.zeros((len(hands), len(distinct)))
        for i, action in enumerate(actions):
            merged[:, distinct.index(action)] += chances[:, i]
        return distinct, merged

    def _off_tree(
        self, state: HoldemState, hands: NDArray[np.uint8]
    ) -> tuple[tuple[Action, ...], NDArray[np.float64]]:
        betting = state.betting
        if not is_whole_deck(self.rules):
            return (CALL,), np.ones((len(hands), 1))
        price = betting.to_call / (betting.pot + betting.to_call)
        paying, raising = wanted(hands, state.board, price)
        allowed = betting.raise_range() if betting.raises < RAISES_OFF_TREE else None
        raising = raising & (allowed is not None)
        staying = ~raising & paying
        chances = [staying.astype(np.float64)]
        actions = [CALL]
        if betting.to_call:
            chances.append((~raising & ~staying).astype(np.float64))
            actions.append(FOLD)
        if allowed is not None:
            chances.append(raising.astype(np.float64))
            actions.append(f"r{amount_of(SIZE_OFF_TREE, betting, allowed)}")
        return tuple(actions), np.stack(chances, axis=1)

    def all_hands(
        self, state: HoldemState, salt: str = ""
    ) -> tuple[tuple[Action, ...], NDArray[np.float64]]:
        """The same for all 1,326 hands; those that share a card with the board mean nothing."""
        if not has_two_cards(self.rules):
            raise UsageError("What a blueprint may hold is followed only with two cards each.")
        return self.probabilities(state, COMBO_CARDS, salt)

    def choices(self, state: HoldemState, salt: str = "") -> dict[Action, float]:
        """The acting player's real actions with their probabilities for the hand he holds."""
        hand = np.array([state.holes[state.actor]], np.uint8)
        actions, chances = self.probabilities(state, hand, salt)
        return dict(zip(actions, chances[0].tolist(), strict=True))

    def fallback_choices(self, state: HoldemState) -> dict[Action, float]:
        """The same by the rule of thumb for hands off the tree, which takes no time."""
        hand = np.array([state.holes[state.actor]], np.uint8)
        actions, chances = self._off_tree(state, hand)
        return dict(zip(actions, chances[0].tolist(), strict=True))

    def draw(self, state: HoldemState, rng: np.random.Generator, salt: str = "") -> Action:
        """One of the actions, by its probability."""
        chances = self.choices(state, salt)
        mark, total = rng.random() * sum(chances.values()), 0.0
        for action, chance in chances.items():
            total += chance
            if mark < total:
                return action
        return max(chances, key=lambda action: chances[action])

    def _repr_html_(self) -> str:
        """The first decision as a grid; a table of infosets where there are no 169 hands."""
        if not is_whole_deck(self.rules) or self.rules.num_streets < 4:
            return super()._repr_html_()
        from riverboat.holdem.blueprints.walk import look

        return tag("div", self.describe()) + look(self)._repr_html_()

    def lookup(self, player: int, infoset: str) -> dict[Action, float] | None:
        """The same from an infoset's text, real ("AsKd|Qs8h2c|r6c/") or abstract ("17|r6c/")."""
        if infoset.count("|") == 2:
            try:
                state = self.rules.observed(player, infoset)
            except (ValueError, RiverboatError):
                return None
            return self.choices(state) if state.actor == player else None
        bucket, _, betting = infoset.partition("|")
        node, actor, street = self._nodes.get(betting, (0, -1, 0))
        limit = self.abstract.buckets.num_buckets[street]
        if actor != player or not bucket.isdecimal() or int(bucket) >= limit:
            return None
        return self._entry(node, int(bucket))

    def __len__(self) -> int:
        return self.abstract.num_infosets

    def entries(self) -> Iterator[Entry]:
        """Every infoset of the abstract game: player, bucket and betting, probabilities."""
        for betting, (node, actor, street) in self._nodes.items():
            for bucket in range(self.abstract.buckets.num_buckets[street]):
                yield actor, f"{bucket}|{betting}", self._entry(node, bucket)

    def __iter__(self) -> Iterator[tuple[int, str]]:
        for betting, (_, actor, street) in self._nodes.items():
            for bucket in range(self.abstract.buckets.num_buckets[street]):
                yield actor, f"{bucket}|{betting}"

    def _entry(self, node: int, bucket: int) -> dict[Action, float]:
        chances = self.at(node, np.array([bucket], np.uint32))[0].tolist()
        actions = map(action_text, self.abstract.tree.actions(node).tolist())
        return dict(zip(actions, chances, strict=True))

    @cached_property
    def _nodes(self) -> dict[str, tuple[int, int, int]]:
        """Betting → node, who acts, street."""
        found = decisions(self.abstract.tree)
        return {text: (node, actor, street) for node, actor, street, text in found}

    @property
    def title(self) -> str:
        game = self.rules
        stacks = "/".join(map(str, sorted(set(game.betting_rules.stacks))))
        blinds = f"{game.small_blind}/{game.big_blind}"
        return f"holdem, {game.players} players, stacks {stacks}, blinds {blinds}"
