"""Blueprint: the strategy of an abstract hold'em game, saved, loaded and asked about real hands.

A file of kind "blueprint" holds for every infoset the probability of each action in parts of 65,535
and in its header the config that builds the game again. An infoset that training has never sampled
has only zeros; every action is then equally likely. With the buckets of `equity-k` a file carries
their centres, so that it is played without tables.

packing.py has the files that are made small.
"""

from __future__ import annotations

import dataclasses
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
from riverboat.holdem.abstraction.card_tables import card_abstraction
from riverboat.holdem.abstraction.deals import has_two_cards, is_whole_deck
from riverboat.holdem.abstraction.equity_buckets import CENTRES, LiveBuckets, centres_of
from riverboat.holdem.blueprints._fallback_action import wanted
from riverboat.holdem.blueprints._packing import (
    pack_tree,
    pack_weights,
    unpack_tree,
    unpack_weights,
)
from riverboat.holdem.blueprints.betting_tree import (
    NODE_WIDTH,
    OFFSET,
    ROW,
    action_text,
    amount_of,
    decisions,
)
from riverboat.holdem.blueprints.game_config import AbstractGame, GamePlan, HoldemConfig
from riverboat.holdem.blueprints.shipped import blueprint_path
from riverboat.holdem.blueprints.translation import Position, follow, real_action, same_shape
from riverboat.holdem.blueprints.walk import Decision, look
from riverboat.holdem.rules.betting import CALL, FOLD
from riverboat.holdem.rules.state import Holdem, HoldemState
from riverboat.runtime.last_used import LastUsed
from riverboat.strategies.any_strategy import AnyStrategy, Entry
from riverboat.strategies.files import read_contents, write_arrays

KIND = "blueprint"
FULL = 65_535
KEPT_BOARDS = 2000  # Boards whose buckets are kept, 5 kB each
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


def _weights(abstract: AbstractGame, arrays: Mapping[str, NDArray[Any]]) -> NDArray[np.uint16]:
    if "parts" in arrays:
        return unpack_weights(abstract.tree, abstract.buckets.num_buckets, arrays["parts"])
    weights = arrays["weights"]
    if weights.dtype != np.uint16 or weights.shape != (abstract.num_bytes // 8,):
        raise FileFormatError("its size does not fit its game")
    return weights


def sample_action(chances: Mapping[Action, float], rng: np.random.Generator) -> Action:
    """One of the actions, by its probability."""
    mark, total = rng.random() * sum(chances.values()), 0.0
    for action, chance in chances.items():
        total += chance
        if mark < total:
            return action
    return max(chances, key=lambda action: chances[action])


@dataclass(frozen=True, eq=False, repr=False)
class Blueprint(AnyStrategy):
    """Probabilities for every infoset of an abstract game."""

    kind: ClassVar[str] = KIND
    abstract: AbstractGame
    weights: NDArray[np.uint16]  # Laid out as the trainer's table, without the regrets
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
        contents = read_contents(path, KIND)
        arrays, header = contents.arrays, contents.header
        info = contents.info()
        try:
            config = HoldemConfig.from_table(header["config"], str(path))
            if tables or not {*CENTRES} & arrays.keys():
                abstract = AbstractGame.build(config, threads=threads, progress=progress)
            else:
                if "tree" in arrays:
                    tree = unpack_tree(config, arrays["tree"], header["tree"])
                else:
                    tree = GamePlan.of(config).tree
                abstract = AbstractGame(config, tree, LiveBuckets(arrays, config.cards))
            weights = _weights(abstract, arrays)
        except KeyError as error:
            raise FileFormatError(f"{path} is damaged: it lacks {error}.") from error
        except (RiverboatError, ValueError, TypeError, AttributeError) as error:
            reason = str(error).rstrip(".")
            raise FileFormatError(f"{path} is damaged: {reason}.") from error
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
        row, offset = (int(tree.nodes[NODE_WIDTH * node + column]) for column in (ROW, OFFSET))
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
        buckets = np.zeros(len(hands), np.uint32)
        buckets[possible] = out[:, 0, street]
        return buckets

    def buckets_on(self, board: tuple[int, ...]) -> NDArray[np.uint32]:
        """(1326,) the buckets of all hands on a board; 0 for those that share a card with it."""
        seen = np.cumsum(self.rules.board_cards).tolist()
        return self.whole_board(board, seen.index(len(board)))

    def whole_board(self, board: tuple[int, ...], street: int) -> NDArray[np.uint32]:
        """The buckets of all hands; the last boards are kept, for they are asked about again."""
        return self._boards.get(
            (street, *board), lambda: self._assigned(COMBO_CARDS, board, street)
        )

    @cached_property
    def _boards(self) -> LastUsed[tuple[int, ...], NDArray[np.uint32]]:
        return LastUsed(KEPT_BOARDS)

    def position(self, state: HoldemState, salt: str = "") -> Position:
        """The abstract betting that a real hand is mapped to."""
        return follow(self.abstract.tree, state, salt)

    def probabilities(
        self, state: HoldemState, hands: NDArray[np.uint8], salt: str = ""
    ) -> tuple[tuple[Action, ...], NDArray[np.float64]]:
        """The actor's real actions and (N, A) their probabilities for each of `hands` (N, h)."""
        position = self.position(state, salt)
        if not position.on_tree:
            return self._off_tree(state, hands)
        street = position.betting.street
        board = state.board[: sum(self.rules.board_cards[: street + 1])]
        whole = hands is COMBO_CARDS
        buckets = self.whole_board(board, street) if whole else self._assigned(hands, board, street)
        chances = self.at(position.node, buckets)
        betting, tree = state.betting, self.abstract.tree
        actions = [real_action(tree, position, i, betting) for i in range(chances.shape[1])]
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
        chances, actions = [staying.astype(np.float64)], [CALL]
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
        """The acting player's real actions with their probabilities for the hand held."""
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
        return sample_action(self.choices(state, salt), rng)

    def _repr_html_(self) -> str:
        """The first decision as a grid; a table of infosets where there are no 169 hands."""
        if not is_whole_deck(self.rules) or self.rules.num_streets < 4:
            return super()._repr_html_()
        return tag("div", self.describe()) + self.look()._repr_html_()

    def look(self, path: str = "", board: str = "", salt: str = "") -> Decision:
        """The decision after some betting on a board, with all ranges: `look("r6c", "QsJs2d")`."""
        return look(self, path, board, salt)

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
        points = decisions(self.abstract.tree)
        return {text: (node, actor, street) for node, actor, street, text in points}

    @property
    def title(self) -> str:
        game = self.rules
        stacks = "/".join(map(str, sorted(set(game.betting_rules.stacks))))
        blinds = f"{game.small_blind}/{game.big_blind}"
        return f"holdem, {game.players} players, stacks {stacks}, blinds {blinds}"
