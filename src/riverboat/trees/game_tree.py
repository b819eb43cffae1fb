"""GameTree: every history of a game as flat arrays, breadth-first, for any number of players.

The rules are walked once, depth-first, so that only one line of play is alive as objects; a
stable sort by depth then gives breadth-first order with the children of a history side by side.
A game whose states are Factored is walked by public states instead (factored_walk.py), to the same
arrays. A tree that would not fit in memory is refused early: once the walk has seen a few thousand
histories, a few hundred random plays estimate its size (Knuth, "Estimating the efficiency of
backtrack programs", 1975), and the walk itself stops where the limit is passed.
"""

from __future__ import annotations

import gc
import random
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import cast

import numpy as np
from numpy.typing import NDArray

from riverboat.drawing.html import Cell, facts_table
from riverboat.errors import GameError, TooLargeError
from riverboat.games.base import CHANCE, TERMINAL, Action, Factored, Game, State
from riverboat.games.contract import MAX_MOVES, MAX_PAYOFF, find_fault, is_own_game
from riverboat.runtime.plugins import find
from riverboat.runtime.stopping import current_stop

MEMORY_LIMIT = 2 << 30  # Bytes a tree may take unless the caller says otherwise
COUNTABLE = 1_000_000
"""Histories, by the estimate, up to which a refused tree is counted to say how large it is."""
MAX_SPELLED_OUT = 10**12  # Histories up to which an estimate is given in digits
MAX_WEIGHT = 1e24  # Of a sampled play; above it the tree is too large, whatever the other plays are
PROBES = 300  # Random plays behind an estimate
PROBED_FROM = 8192  # Histories from which a walk asks for an estimate; smaller trees take less time
WALKS: dict[str, str] = {"openspiel": "riverboat.interop.openspiel_tree:OpenSpielWalk"}
"""Family of games → "module:class" of a walk of its own, where states are not walked one by one."""
FACTORED_WALK = "riverboat.trees._factored_walk:FactoredWalk"
_RULES = ("actor", "actions", "chance", "after", "returns", "infoset")
_FACTORS = ("public", "private", "terms", "showdown")


@dataclass(frozen=True)
class TreeSize:
    """How large a game is, and what its tree takes in memory while it is built."""

    players: int
    histories: int
    decisions: int
    chances: int
    terminals: int
    infosets: int
    slots: int

    @property
    def bytes(self) -> int:
        """Peak while the tree is built, sorted and folded; measured, rounded up."""
        per_history, per_terminal = 90 + 8 * self.players, 16 + 40 * self.players
        per_infoset, per_slot = 330, 32
        return (
            per_history * self.histories
            + per_terminal * self.terminals
            + per_infoset * self.infosets
            + per_slot * self.slots
        )


def amount(size: int) -> str:
    """Bytes in the largest unit below them."""
    value, units = float(size), ["bytes", "KiB", "MiB", "GiB", "TiB"]
    while value >= 1024 and len(units) > 1:
        value, units = value / 1024, units[1:]
    return f"{value:.0f} {units[0]}" if units[0] == "bytes" else f"{value:,.1f} {units[0]}"


@dataclass(frozen=True, eq=False, repr=False)
class GameTree:
    """Histories 0…N−1, the root first; infosets 0…I−1; slots 0…A−1, one for each infoset's action.

    The children of history h are `child_offsets[h]:child_offsets[h + 1]`, in the order of the
    infoset's slots; those of level d are `levels[d]:levels[d + 1]`.
    """

    game: Game
    levels: NDArray[np.int64]  # (D + 1,) first history of each level
    parent: NDArray[np.int32]  # (N,) −1 at the root
    child_offsets: NDArray[np.int64]  # (N + 1,)
    actor: NDArray[np.int8]  # (N,) player, CHANCE or TERMINAL
    infoset: NDArray[np.int32]  # (N,) the actor's infoset, −1 for CHANCE and TERMINAL
    slot: NDArray[np.int32]
    """(N,) the slot that leads here from the parent, −1 after chance and at the root."""
    chance: NDArray[np.float64]
    """(N,) probability with which chance leads here, 1 after a player and at the root."""
    outcome: NDArray[np.int32]
    """(N,) chance's outcome that leads here, as an index of `outcomes`, else −1."""
    terminals: NDArray[np.int32]  # (T,) the histories that end the play
    returns: NDArray[np.float64]  # (T, P) payoffs at `terminals`
    infosets: tuple[str, ...]  # (I,) keys, in the order in which the infosets first appear
    players: NDArray[np.int8]  # (I,) who acts
    offsets: NDArray[np.int64]  # (I + 1,) first slot of each infoset
    actions: tuple[Action, ...]  # (A,) the action of each slot
    outcomes: tuple[Action, ...]  # Every outcome chance can have anywhere

    @property
    def num_players(self) -> int:
        return int(self.returns.shape[1])

    @property
    def num_histories(self) -> int:
        return len(self.parent)

    @property
    def num_infosets(self) -> int:
        return len(self.infosets)

    @property
    def num_slots(self) -> int:
        return len(self.actions)

    @cached_property
    def size(self) -> TreeSize:
        return TreeSize(
            self.num_players,
            self.num_histories,
            int((self.actor >= 0).sum()),
            int((self.actor == CHANCE).sum()),
            len(self.terminals),
            self.num_infosets,
            self.num_slots,
        )

    def __repr__(self) -> str:
        return (
            f"<GameTree {self.game.name}: {self.num_histories:,} histories,"
            f" {self.num_infosets:,} infosets, {len(self.terminals):,} ends>"
        )

    def _repr_html_(self) -> str:
        size = self.size
        facts: list[tuple[str, Cell]] = [
            ("players", size.players),
            ("histories", size.histories),
            ("decisions", size.decisions),
            ("chance moves", size.chances),
            ("ends", size.terminals),
            ("infosets", size.infosets),
            ("actions of all infosets", size.slots),
            ("levels", len(self.levels) - 1),
        ]
        return facts_table(f"Tree of {self.game.title}", facts)

    @cached_property
    def constant_sum(self) -> bool:
        """Whether the payoffs of all players add up to the same at the end of every play."""
        sums = self.returns.sum(axis=1)
        return bool(np.ptp(sums) <= 1e-9 * max(1.0, float(np.abs(self.returns).max())))

    def uniform(self) -> NDArray[np.float64]:
        """(A,) every action of an infoset with the same probability."""
        count = np.diff(self.offsets)
        return np.repeat(1.0 / count, count)

    def reach(self, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        """(N,) probability of each history when all players follow (A,) `probabilities`."""
        step = np.where(self.slot >= 0, probabilities[self.slot], self.chance)
        reach = np.ones(self.num_histories)
        for first, last in zip(self.levels[1:-1].tolist(), self.levels[2:].tolist(), strict=True):
            reach[first:last] = reach[self.parent[first:last]] * step[first:last]
        return reach


class HistoryWalk:
    """What a depth-first walk writes down, in the order of its visits."""

    def __init__(self, game: Game, keep: bool, limit: int | None) -> None:
        self.game, self.keep = game, keep
        self.limit = limit
        self.parent, self.depth, self.actor = array("i"), array("i"), array("b")
        self.infoset, self.outcome = array("i"), array("i")
        self.chance, self.returns = array("d"), array("d")
        self.index: dict[tuple[int, str], int] = {}
        self.actions: list[tuple[Action, ...]] = []
        self.outcomes: dict[Action, int] = {}
        self.counts = [0, 0, 0]
        self.slots = 0

    def size(self) -> TreeSize:
        decisions, chances, terminals = self.counts
        return TreeSize(
            self.game.num_players,
            sum(self.counts),
            decisions,
            chances,
            terminals,
            len(self.index),
            self.slots,
        )

    def run(self) -> bool:
        """Walk to the end, or to the limit: False where it was passed."""
        stack: list[tuple[State, int, int, float, int]] = [(self.game.start(), -1, 0, 1.0, -1)]
        push, pop = stack.append, stack.pop
        parents, depths, actors = self.parent.append, self.depth.append, self.actor.append
        infosets, outcomes, chances = self.infoset.append, self.outcome.append, self.chance.append
        counts, keep, number, stop = self.counts, self.keep, 0, current_stop()
        while stack:
            state, parent, depth, probability, outcome = pop()
            actor = state.actor
            infoset = -1
            if actor >= 0:
                counts[0] += 1
                infoset, actions = self._infoset(state, actor)
                for action in reversed(actions):
                    push((state.after(action), number, depth + 1, 1.0, -1))
            elif actor == TERMINAL:
                counts[2] += 1
                if keep:
                    self.returns.extend(self._payoffs(state))
            else:
                counts[1] += 1
                for action, p in reversed(self._deals(state)):
                    push((state.after(action), number, depth + 1, p, self.outcomes[action]))
            if keep:
                parents(parent)
                depths(depth)
                actors(actor)
                infosets(infoset)
                outcomes(outcome)
                chances(probability)
            number += 1
            if number & 1023:
                continue
            stop.check()
            if depth > MAX_MOVES:
                raise endless(self.game)
            if self.limit is not None and self.size().bytes > self.limit:
                return False
            if number == PROBED_FROM and self.hopeless():
                return False
        return self.limit is None or self.size().bytes <= self.limit

    def hopeless(self) -> bool:
        """Whether the tree is far beyond the limit, by an estimate."""
        if self.limit is None:
            return False
        return _smallest(self.game, self.estimate(PROBES, 0)).bytes > 4 * self.limit

    def estimate(self, probes: int, seed: int) -> int:
        """About how many histories there are, from random plays."""
        rng, stop = random.Random(seed), current_stop()
        total = 0.0
        for _ in range(probes):
            state, weight, moves = self.game.start(), 1.0, 0
            while True:
                stop.check()
                total += weight
                moves += 1
                if moves > MAX_MOVES:
                    raise endless(self.game)
                if state.actor == TERMINAL:
                    break
                if weight > MAX_WEIGHT:
                    return round(weight)
                if state.actor == CHANCE:
                    choices = [action for action, _ in state.chance()]
                else:
                    choices = list(state.actions())
                weight *= len(choices)
                state = state.after(rng.choice(choices))
        return round(min(total / probes, 1e300))

    def _infoset(self, state: State, actor: int) -> tuple[int, tuple[Action, ...]]:
        """The infoset's number and its actions, the same in all its histories."""
        actions = tuple(state.actions())
        return self._interned((actor, state.infoset(actor)), actions), actions

    def _interned(self, key: tuple[int, str], actions: tuple[Action, ...]) -> int:
        """The number of the infoset with this player and text."""
        infoset = self.index.get(key)
        if infoset is None:
            if not actions:
                raise GameError(f"{self.game.name}: nothing can be done at {key[1]!r}.")
            infoset = self.index[key] = len(self.index)
            self.actions.append(actions)
            self.slots += len(actions)
        elif self.actions[infoset] != actions:
            raise GameError(
                f"{self.game.name}: histories of infoset {key[1]!r} differ in their actions."
            )
        return infoset

    def _deals(self, state: State) -> Sequence[tuple[Action, float]]:
        """Chance's outcomes, each known by a number from now on."""
        deals = state.chance()
        if not deals or abs(sum(p for _, p in deals) - 1) > 1e-9:
            raise GameError(f"{self.game.name}: chance's probabilities do not add up to one.")
        for action, _ in deals:
            self.outcomes.setdefault(action, len(self.outcomes))
        return deals

    def _payoffs(self, state: State) -> tuple[float, ...]:
        returns = state.returns()
        if len(returns) != self.game.num_players:
            raise GameError(f"{self.game.name}: a play ends with {len(returns)} payoffs.")
        return returns

    def tree(self) -> GameTree:
        """The walk's notes as a tree, breadth-first."""
        depth = np.frombuffer(self.depth, np.int32)
        order = np.argsort(depth, kind="stable")
        rank = np.empty(len(order), np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        parent = np.frombuffer(self.parent, np.int32)[order]
        parent[1:] = rank[parent[1:]]
        actor = np.frombuffer(self.actor, np.int8)[order]
        levels = np.concatenate(([0], np.cumsum(np.bincount(depth))))
        children = np.bincount(parent[1:], minlength=len(order))
        child_offsets = np.concatenate(([1], 1 + np.cumsum(children)))

        visited = np.frombuffer(self.infoset, np.int32)[order]
        infoset, keys, players, actions = self._by_appearance(visited)
        offsets = np.concatenate(([0], np.cumsum(list(map(len, actions)), dtype=np.int64)))
        slot = np.full(len(order), -1, np.int32)
        below = np.flatnonzero(actor[parent[1:]] >= 0) + 1
        above = parent[below]
        slot[below] = offsets[infoset[above]] + below - child_offsets[above]

        terminals = np.flatnonzero(actor == TERMINAL).astype(np.int32)
        ends = np.cumsum(np.frombuffer(self.actor, np.int8) == TERMINAL) - 1
        returns = np.frombuffer(self.returns).reshape(-1, self.game.num_players)
        return GameTree(
            game=self.game,
            levels=levels.astype(np.int64),
            parent=parent,
            child_offsets=child_offsets.astype(np.int64),
            actor=actor,
            infoset=infoset,
            slot=slot,
            chance=np.frombuffer(self.chance)[order],
            outcome=np.frombuffer(self.outcome, np.int32)[order],
            terminals=terminals,
            returns=returns[ends[order[terminals]]],
            infosets=keys,
            players=players,
            offsets=offsets.astype(np.int64),
            actions=tuple(chain.from_iterable(actions)),
            outcomes=tuple(self.outcomes),
        )

    def names(self) -> list[tuple[int, str]]:
        """Player and key of every infoset, in the order in which they were met."""
        return list(self.index)

    def _by_appearance(
        self, visited: NDArray[np.int32]
    ) -> tuple[NDArray[np.int32], tuple[str, ...], NDArray[np.int8], list[tuple[Action, ...]]]:
        """Infosets renumbered in the order in which they appear breadth-first."""
        names = self.names()
        decisions = np.flatnonzero(visited >= 0)[::-1]
        first = np.empty(len(names), np.int64)
        first[visited[decisions]] = decisions  # Of several histories the first is written last
        by_appearance = np.argsort(first)
        number = np.full(len(names) + 1, -1, np.int32)  # The last one stands for −1
        number[by_appearance] = np.arange(len(names), dtype=np.int32)
        ordered = [names[i] for i in by_appearance.tolist()]
        players = np.array([player for player, _ in ordered], np.int8)
        actions = [self.actions[i] for i in by_appearance.tolist()]
        return number[visited], tuple(key for _, key in ordered), players, actions


def build_tree(game: Game, *, memory_limit: int = MEMORY_LIMIT) -> GameTree:
    """The whole tree of `game`; TooLargeError where it would take more than `memory_limit`."""
    with _faults_named(game), _collector_paused():
        walk = _walk(game, keep=True, limit=memory_limit)
        if not walk.run():
            raise _too_large(game, estimate_histories(game), memory_limit)
        return walk.tree()


def measure(game: Game) -> TreeSize:
    """The exact size of the game's tree, by walking it without keeping it."""
    with _faults_named(game):
        walk = _walk(game, keep=False, limit=None)
        walk.run()
        return walk.size()


def endless(game: Game) -> TooLargeError:
    """What is said of a game without a whole tree."""
    return TooLargeError(
        f"{game.name} has plays of more than {MAX_MOVES:,} moves, so that it has no whole tree; end"
        " a play that goes on for long."
    )


def check_tree(tree: GameTree) -> None:
    """Refuse the tree of a game of the user's whose numbers break the contract of games.base."""
    if not is_own_game(tree.game):
        return
    returns, total = tree.returns, tree.game.utility_sum
    in_range = (
        bool((tree.chance >= 0).all() and (tree.chance <= 1 + 1e-9).all())
        and bool((np.abs(returns) <= MAX_PAYOFF).all())
        and int(tree.actor.min()) >= TERMINAL
        and int(tree.actor.max()) < tree.game.num_players
    )
    if in_range and total is not None:
        scale = np.maximum(1.0, np.abs(returns).max(axis=1))
        in_range = bool((np.abs(returns.sum(axis=1) - total) <= 1e-6 * scale).all())
    if not in_range:
        find_fault(tree.game)
        raise GameError(f"{tree.game.name}: a player, a probability or a payoff is out of range.")


@contextmanager
def _faults_named(game: Game) -> Iterator[None]:
    """Look for the state behind an error of a game of the user's."""
    try:
        yield
    except (TooLargeError, MemoryError):
        raise
    except Exception:
        if is_own_game(game):
            find_fault(game)
        raise


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Without Python's garbage collector: no state refers to itself, so it would look in vain."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def estimate_histories(game: Game, *, probes: int = PROBES, seed: int = 0) -> int:
    """About how many histories the game has; seldom far above the truth, often below it."""
    return _walk(game, keep=False, limit=None).estimate(probes, seed)


def _walk(game: Game, keep: bool, limit: int | None) -> HistoryWalk:
    """The walk that fits the game."""
    walker = WALKS.get(game.name.partition(":")[0])
    if walker is None and _is_factored(game.start()):
        walker = FACTORED_WALK
    walk = HistoryWalk if walker is None else cast("type[HistoryWalk]", find(walker))
    return walk(game, keep, limit)


def _is_factored(state: State) -> bool:
    """Whether a state is Factored, and no subclass has changed the rules that its parts are of."""
    if not isinstance(state, Factored):
        return False
    owners = {
        name: next((cls for cls in type(state).__mro__ if name in vars(cls)), None)
        for name in (*_RULES, *_FACTORS)
    }
    return all(
        factor is not None and rule is not None and issubclass(factor, rule)
        for factor in (owners[name] for name in _FACTORS)
        for rule in (owners[name] for name in _RULES)
    )


def _smallest(game: Game, histories: int) -> TreeSize:
    """A lower bound of the size of a tree with this number of histories."""
    return TreeSize(game.num_players, histories, 0, 0, histories // 2, 0, 0)


def _too_large(game: Game, guess: int, memory_limit: int) -> TooLargeError:
    size = _smallest(game, guess)
    text = f"about {guess:,} histories, {amount(size.bytes)} or more"
    text = text if guess < MAX_SPELLED_OUT else "more histories than anybody could walk"
    if guess <= COUNTABLE:
        walk = _walk(game, keep=False, limit=1024 * COUNTABLE)
        counted, size = walk.run(), walk.size()
        text = f"{size.histories:,} histories and {size.infosets:,} infosets, {amount(size.bytes)}"
        text = text if counted else f"more than {text}"
    return TooLargeError(
        f"The tree of {game.name} has {text}, above the memory limit of {amount(memory_limit)};"
        " choose smaller parameters or raise the limit."
    )
