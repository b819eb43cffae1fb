"""The tree of a game whose hidden cards and public course can be told apart (games.base.Factored).

After a chance move the histories that share a public state are walked together: one of them, the
lead, is walked through the rules as a state, and what it meets is written down for all of them. A
block is such a set of W worlds (what the cards may be) times n public nodes of one depth; (W, n)
`where` holds their places within the level. Only three things are asked of every world: which
private text each player has, which showdown it leads to, and how chance goes on.

The arrays are those of the plain walk, bit for bit. The public state is the one of Kovařík et al.,
"Rethinking formal models of partially observable multiagent decision making" (2022).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import GameError
from riverboat.games.base import TERMINAL, Action, Factored, Game, State
from riverboat.games.contract import MAX_MOVES
from riverboat.runtime.stopping import current_stop
from riverboat.trees.game_tree import PROBED_FROM, GameTree, HistoryWalk, endless

FACTORED_PROBED_FROM = 4 * PROBED_FROM  # Public nodes and worlds
LIVE_BYTES = 600  # Of a state that waits for its level, its path and its place

Path: TypeAlias = tuple[Action, ...]
Places: TypeAlias = NDArray[np.intp]


class FactoredState(State, Factored, Protocol):
    """A state that has both protocols."""


class Level:
    """The arrays of one depth: n histories, breadth-first."""

    def __init__(self, num_histories: int, num_players: int) -> None:
        n = num_histories
        self.actor = np.empty(n, np.int8)
        self.children = np.empty(n, np.int64)
        self.infoset = np.full(n, -1, np.int32)
        self.chance = np.ones(n)
        self.outcome = np.full(n, -1, np.int32)
        self.returns = np.zeros((n, num_players))


@dataclass(eq=False)
class Worlds:
    """The histories that enter one public state together; all have the same course before them."""

    states: list[FactoredState]
    _hands: dict[int, tuple[list[str], Places]] = field(default_factory=dict)
    rows: dict[Hashable, int] = field(default_factory=dict)  # Terms of an end → row of `payoffs`
    payoffs: list[list[tuple[float, ...]]] = field(default_factory=list)
    """By terms and showdown, each player's payoff."""

    def hands(self, player: int) -> tuple[list[str], Places]:
        """The private texts of a player, and which of them each world has."""
        if player not in self._hands:
            self._hands[player] = _classes([state.private(player) for state in self.states])
        return self._hands[player]

    @cached_property
    def showdowns(self) -> tuple[list[Hashable], Places]:
        """The showdowns there are, and which of them each world leads to."""
        return _classes([state.showdown() for state in self.states])


@dataclass(eq=False)
class PublicBlock:
    """W worlds × n public nodes of one depth."""

    worlds: Worlds
    nodes: list[tuple[FactoredState, Path]]  # The lead's state and its actions since it entered
    where: Places  # (W, n) places within the level
    moves: list[tuple[int, tuple[Action, ...]]] = field(default_factory=list)
    """Column and actions of each decision."""
    deals: list[tuple[int, list[tuple[FactoredState, Sequence[tuple[Action, float]]]]]] = field(
        default_factory=list
    )
    """Column of each chance move, and every world's state and outcomes there."""


class FactoredWalk(HistoryWalk):
    """A breadth-first walk, level by level, over public states."""

    def __init__(self, game: Game, keep: bool, limit: int | None) -> None:
        super().__init__(game, keep, limit)
        self.levels: list[Level] = []
        self.payoffs: dict[tuple[Hashable, Hashable], tuple[float, ...]] = {}
        """Terms and showdown → each player's payoff."""
        self.stop = current_stop()

    def run(self) -> bool:
        start = cast(FactoredState, self.game.start())
        blocks = [PublicBlock(Worlds([start]), [(start, ())], np.zeros((1, 1), np.intp))]
        level, visited = Level(1, self.game.num_players), 0
        while True:
            for block in blocks:
                self._write(block, level)
            self.levels.append(level)
            if len(self.levels) > MAX_MOVES:
                raise endless(self.game)
            ends = np.cumsum(level.children)
            size = int(ends[-1])
            waiting = sum(
                sum(len(actions) for _, actions in block.moves)
                + sum(len(deals) for _, dealt in block.deals for _, deals in dealt)
                for block in blocks
            )
            before, visited = visited, visited + waiting
            if before < FACTORED_PROBED_FROM <= visited and self.hopeless():
                return False
            if not self._fits(size, waiting):
                return False
            if not size:
                return True
            following = Level(size, self.game.num_players)
            blocks = self._below(blocks, ends - level.children, following)
            level = following

    def _fits(self, below: int, waiting: int) -> bool:
        """Whether the walk stays within its limit with `below` more histories."""
        if self.limit is None:
            return True
        held = LIVE_BYTES * waiting + (90 + 8 * self.game.num_players) * below
        return self.size().bytes + held <= self.limit

    def _write(self, block: PublicBlock, level: Level) -> None:
        """The block's part of the level: actors, infosets, payoffs, and how many children."""
        actors, children = [], []
        decisions: dict[int, list[tuple[int, tuple[Action, ...], str]]] = {}
        ends: list[int] = []
        chances: list[int] = []
        for column, (state, _) in enumerate(block.nodes):
            if not column & 1023:
                self.stop.check()
            actor, num_children = state.actor, 0
            if actor >= 0:
                actions = tuple(state.actions())
                num_children = len(actions)
                decisions.setdefault(actor, []).append((column, actions, state.public()))
                block.moves.append((column, actions))
            elif actor == TERMINAL:
                ends.append(column)
            else:
                chances.append(column)
            actors.append(actor)
            children.append(num_children)
        level.actor[block.where] = np.array(actors, np.int8)
        level.children[block.where] = children
        num_worlds = len(block.worlds.states)
        for kind, count in enumerate((len(block.moves), len(chances), len(ends))):
            self.counts[kind] += count * num_worlds
        for player, decisions_of_player in decisions.items():
            self._number(block, level, player, decisions_of_player)
        for column in chances:
            path = block.nodes[column][1]
            dealt = [
                (state, self._deals(state))
                for state in (_replay(world, path) for world in block.worlds.states)
            ]
            level.children[block.where[:, column]] = [len(deals) for _, deals in dealt]
            block.deals.append((column, dealt))
        if ends:
            self._settle(block, level, ends)

    def _number(
        self,
        block: PublicBlock,
        level: Level,
        player: int,
        decisions: list[tuple[int, tuple[Action, ...], str]],
    ) -> None:
        """Number the infosets of a player's decisions: one per public node and private text."""
        hands, codes = block.worlds.hands(player)
        index, lead = self.index, hands[codes[0]]
        numbers = np.empty(len(decisions), np.int32)  # Of the first hand's infoset
        known: dict[int, list[int]] = {}  # Row → all its infosets, where some were met before
        for row, (column, actions, public) in enumerate(decisions):
            text = block.nodes[column][0].infoset(player)
            if text != lead + public:
                raise GameError(
                    f"{self.game.name}: infoset {text!r} is not the private text {lead!r} and then"
                    f" the public text {public!r}."
                )
            keys = [(player, hand + public) for hand in hands]
            numbers[row] = first = len(index)
            if not actions or not index.keys().isdisjoint(keys):
                known[row] = [self._interned(key, actions) for key in keys]
                continue
            index.update(zip(keys, range(first, first + len(keys)), strict=True))
            self.actions.extend([actions] * len(keys))
            self.slots += len(actions) * len(keys)
        table = numbers + np.arange(len(hands), dtype=np.int32)[:, None]
        for row, interned in known.items():
            table[:, row] = interned
        columns = [column for column, _, _ in decisions]
        level.infoset[block.where[:, columns]] = table[codes]

    def _settle(self, block: PublicBlock, level: Level, ends: list[int]) -> None:
        """Payoffs of the block's ends, asked once for equal terms and showdowns."""
        worlds = block.worlds
        codes = worlds.showdowns[1]
        rows = []
        for column in ends:
            state, path = block.nodes[column]
            terms = state.terms()
            row = worlds.rows.get(terms)
            if row is None:
                row = worlds.rows[terms] = len(worlds.payoffs)
                worlds.payoffs.append(self._table(worlds, terms, path))
                self._check_payoffs(worlds, terms, -1, _replay(worlds.states[-1], path))
            self._check_payoffs(worlds, terms, 0, state)
            rows.append(row)
        payoffs = np.array(worlds.payoffs)
        level.returns[block.where[:, ends]] = payoffs[np.array(rows)[None, :], codes[:, None]]

    def _table(self, worlds: Worlds, terms: Hashable, path: Path) -> list[tuple[float, ...]]:
        """The payoffs of an end with these terms, showdown by showdown."""
        showdowns, codes = worlds.showdowns
        new = [n for n, kind in enumerate(showdowns) if (terms, kind) not in self.payoffs]
        if new:
            firsts = np.unique(codes, return_index=True)[1].tolist()
            for n in new:
                end = _replay(worlds.states[firsts[n]], path)
                self.payoffs[terms, showdowns[n]] = self._payoffs(end)
        return [self.payoffs[terms, kind] for kind in showdowns]

    def _check_payoffs(
        self, worlds: Worlds, terms: Hashable, world: int, end: FactoredState
    ) -> None:
        """Refuse payoffs of a world that do not follow from terms and showdown."""
        showdowns, codes = worlds.showdowns
        if self._payoffs(end) != self.payoffs[terms, showdowns[codes[world]]]:
            raise GameError(
                f"{self.game.name}: payoffs differ where terms {terms!r} and showdown"
                f" {showdowns[codes[world]]!r} are the same."
            )

    def _below(
        self, blocks: list[PublicBlock], starts: NDArray[np.int64], level: Level
    ) -> list[PublicBlock]:
        """The blocks of the next level; histories after chance are grouped by public state."""
        following: list[PublicBlock] = []
        entering: defaultdict[str, tuple[list[FactoredState], list[int]]] = defaultdict(
            lambda: ([], [])
        )
        places: list[int] = []
        chances: list[float] = []
        outcomes: list[int] = []
        for block in blocks:
            nodes, parents, numbers = [], [], []
            for column, actions in block.moves:
                state, path = block.nodes[column]
                for number, action in enumerate(actions):
                    nodes.append((state.after(action), (*path, action)))
                    parents.append(column)
                    numbers.append(number)
            if nodes:
                where = starts[block.where[:, parents]] + np.array(numbers)
                following.append(PublicBlock(block.worlds, nodes, where))
            for column, dealt in block.deals:
                self.stop.check()
                firsts = starts[block.where[:, column]].tolist()
                for first, (state, deals) in zip(firsts, dealt, strict=True):
                    places.extend(range(first, first + len(deals)))
                    chances.extend([p for _, p in deals])
                    outcomes.extend([self.outcomes[outcome] for outcome, _ in deals])
                    for position, (outcome, _) in enumerate(deals, first):
                        child = state.after(outcome)
                        states, spots = entering[child.public()]
                        states.append(child)
                        spots.append(position)
        level.chance[places] = chances
        level.outcome[places] = outcomes
        for states, spots in entering.values():
            self._check_together(states[0], states[-1])
            where = np.array(spots, np.intp)[:, None]
            following.append(PublicBlock(Worlds(states), [(states[0], ())], where))
        return following

    def _check_together(self, first: FactoredState, last: FactoredState) -> None:
        """Refuse public texts that are the same for states which go on differently."""
        same = first.actor == last.actor and tuple(first.actions()) == tuple(last.actions())
        if not same or (
            last.actor >= 0 and last.infoset(last.actor) != last.private(last.actor) + last.public()
        ):
            raise GameError(
                f"{self.game.name}: states with the public text {first.public()!r} differ in"
                " who acts, in the actions, or in how their infosets are written."
            )

    def tree(self) -> GameTree:
        levels = self.levels
        children = np.concatenate([level.children for level in levels])
        actor = np.concatenate([level.actor for level in levels])
        child_offsets = np.concatenate(([1], 1 + np.cumsum(children)))
        parent = np.empty(len(actor), np.int32)
        parent[0] = -1
        parent[1:] = np.repeat(np.arange(len(actor), dtype=np.int32), children)
        infoset, keys, players, actions = self._by_appearance(
            np.concatenate([level.infoset for level in levels])
        )
        offsets = np.concatenate(([0], np.cumsum(list(map(len, actions)), dtype=np.int64)))
        # The slot of a history's first child, less that child's number.
        shift = np.repeat(offsets[infoset] - child_offsets[:-1], children)
        slot = np.full(len(actor), -1, np.int32)
        slot[1:] = np.where(actor[parent[1:]] >= 0, shift + np.arange(1, len(actor)), -1)
        outcome = np.concatenate([level.outcome for level in levels])
        outcomes = tuple(self.outcomes)
        sizes = [len(level.actor) for level in levels]
        bounds = np.concatenate(([0], np.cumsum(sizes)))
        # Outcomes that the root already has, stand in the right order.
        if outcome.max() > outcome[1 : 1 + children[0]].max(initial=-1):
            order = _by_depth_first(outcome, parent, child_offsets, bounds)
            outcomes = tuple(outcomes[i] for i in order.tolist())
            renamed = np.full(len(order) + 1, -1, np.int32)  # The last one stands for −1
            renamed[order] = np.arange(len(order), dtype=np.int32)
            outcome = renamed[outcome]
        ends = [level.returns[level.actor == TERMINAL] for level in levels]
        return GameTree(
            game=self.game,
            levels=bounds,
            parent=parent,
            child_offsets=child_offsets,
            actor=actor,
            infoset=infoset,
            slot=slot,
            chance=np.concatenate([level.chance for level in levels]),
            outcome=outcome,
            terminals=np.flatnonzero(actor == TERMINAL).astype(np.int32),
            returns=np.concatenate(ends),
            infosets=keys,
            players=players,
            offsets=offsets,
            actions=tuple(chain.from_iterable(actions)),
            outcomes=outcomes,
        )


def _classes(keys: list[Any]) -> tuple[list[Any], Places]:
    """The different keys in the order of their first appearance, and each one's number."""
    known = {key: n for n, key in enumerate(dict.fromkeys(keys))}
    return list(known), np.array([known[key] for key in keys], np.intp)


def _replay(state: FactoredState, path: Path) -> FactoredState:
    for action in path:
        state = state.after(action)
    return state


def _by_depth_first(
    outcome: NDArray[np.int32],
    parent: NDArray[np.int32],
    child_offsets: NDArray[np.int64],
    bounds: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Outcomes of chance in the order in which a depth-first walk meets them."""
    spans = list(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True))
    below = np.ones(len(outcome), np.int64)  # Histories of each subtree
    for first, end in spans[:0:-1]:
        np.add.at(below, parent[first:end], below[first:end])
    visit = np.zeros(len(outcome), np.int64)
    for first, end in spans[1:]:
        before = np.cumsum(below[first:end]) - below[first:end]
        above = parent[first:end]
        visit[first:end] = visit[above] + 1 + before - before[child_offsets[above] - first]
    dealt = np.flatnonzero(outcome >= 0)
    dealt = dealt[np.lexsort((dealt, visit[parent[dealt]]))]
    _, appearance = np.unique(outcome[dealt], return_index=True)
    return np.argsort(appearance)
