"""Two players before the flop, with a given set of flops after every call: the game and its tree.

The game is a whole one, so that best responses in it mean something. Chance picks a flop by the
weights of the set, names its suits at random, and deals both hands from the other 49 cards. The
betting before the flop follows; the players who see the flop continue with a tree of given bet
sizes over all turns and rivers. Players all-in before the flop get their exact equity over all
boards.

Suits have random names, so a strategy before the flop is one for the 169 classes of hands. In the
tables `meetings[c, d]` is the probability that the first player is dealt class c and the second
class d.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property

import numpy as np

from riverboat.cards.combos import COMBO_CARDS, NUM_CLASSES, class_of_combos
from riverboat.cards.preflop import disjoint_combos
from riverboat.cards.ranges import Range
from riverboat.errors import ParameterError, TooLargeError
from riverboat.holdem.rules.betting import Betting, BettingRules, Street, open_betting
from riverboat.holdem.rules.growing import CALLS, FOLDS, grow_tree, moves
from riverboat.holdem.spots.bet_sizes import BetContext, BetSize, Sizes, TreeOptions
from riverboat.holdem.spots.flops import Flop
from riverboat.holdem.spots.spot import Spot
from riverboat.runtime.array_types import F64, I64

UNIT = 100  # Units of a chip in the tree: chips have two decimals
MAX_NODES = 2000  # Before the flop
SMALL_BLIND, BIG_BLIND = 0, 1
SEATS = ("sb", "bb")
RAISE_NAMES = ("open", "iso", "3bet", "4bet", "5bet", "6bet")
"""Sizes by decision: the first raise, the big blind's after a limp, and each one after those."""


class FlopNodeKind(IntEnum):
    """What happens at a node before the flop."""

    DECISION = 0
    FOLD = 1
    ALL_IN = 2
    FLOP = 3


@dataclass(frozen=True)
class FlopGameNode:
    """A point of the betting before the flop."""

    index: int
    kind: FlopNodeKind
    line: tuple[str, ...]  # The actions that lead here, such as ("r2.5", "c")
    player: int  # Who decides, or who folded; −1 elsewhere
    put: tuple[float, float]  # Chips of the small and the big blind in the pot, antes included
    actions: tuple[str, ...] = ()  # "f", "c", "r2.5", "a" for all-in
    children: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class FlopGame:
    """The question: blinds, stacks and sizes before the flop, flops and sizes after it."""

    flops: tuple[Flop, ...]
    stacks: tuple[float, float] = (100.0, 100.0)  # Of the small and the big blind, in chips
    blinds: tuple[float, float] = (0.5, 1.0)
    ante: float = 0.0  # Of each player
    straddle: float = 0.0  # Posted by the small blind instead of it; the big blind then acts first
    limp: bool = True
    raises: Mapping[str, tuple[BetSize, ...]] = field(default_factory=dict)  # By RAISE_NAMES
    sizes: Sizes = field(default_factory=dict)  # After the flop, as in spots: OOP is the big blind
    tree: TreeOptions = field(default_factory=TreeOptions)
    rake_rate: float = 0.0
    rake_cap: float = 0.0

    def __post_init__(self) -> None:
        small, big = self.blinds
        for stack in self.stacks:
            if not 0 < stack < math.inf:
                raise ParameterError(f"A stack is above 0, not {stack:g}.")
        if not 0 < small <= big:
            raise ParameterError(f"The blinds must be above 0 and rise, not {small:g} and {big:g}.")
        if not 0 <= self.ante < self.effective:
            raise ParameterError(f"The ante must be 0 or more and leave chips, not {self.ante:g}.")
        if self.straddle and not self.straddle > big:
            raise ParameterError(f"A straddle is more than the big blind, not {self.straddle:g}.")
        if self.behind <= max(self.posted):
            raise ParameterError(
                f"Stacks of {self.stacks[0]:g} and {self.stacks[1]:g} leave nothing to play for"
                f" after blinds of {small:g} and {big:g}."
            )
        for name in self.raises:
            if name not in RAISE_NAMES:
                raise ParameterError(
                    f"There is no decision {name!r} before the flop: {', '.join(RAISE_NAMES)} are."
                )
        for amount in (*self.stacks, *self.blinds, self.ante, self.straddle):
            if abs(amount * UNIT - round(amount * UNIT)) > 1e-6:
                raise ParameterError(f"Chips have at most two decimals, not {amount}.")
        self._check_flops()

    def _check_flops(self) -> None:
        # It brings Numba, which the help of a command does not need.
        from riverboat.cards.isomorphism import isomorphism

        if not self.flops:
            raise ParameterError("The game needs one flop at least.")
        kinds = isomorphism(3).indices(np.array([flop.cards for flop in self.flops])).tolist()
        for number, kind in enumerate(kinds):
            if kind in kinds[:number]:
                first, again = self.flops[kinds.index(kind)].name, self.flops[number].name
                suits = "" if first == again else f" (as {first}, with other suits)"
                raise ParameterError(f"The flop {again} stands twice in the set{suits}.")
        if any(not 0 < flop.weight < float("inf") for flop in self.flops):
            raise ParameterError("Every flop of the set needs a weight above 0.")

    @property
    def effective(self) -> float:
        """What the shorter stack has: more cannot be lost or won."""
        return min(self.stacks)

    @property
    def behind(self) -> float:
        """What each can put in after the ante."""
        return self.effective - self.ante

    @property
    def posted(self) -> tuple[float, float]:
        """What both have put in before anybody acts, antes apart."""
        return (self.straddle or self.blinds[0], self.blinds[1])

    @property
    def first_player(self) -> int:
        """Who acts first: the one who has posted less."""
        return BIG_BLIND if self.straddle else SMALL_BLIND

    def rake(self, pot: float) -> float:
        """What is taken from a pot that saw a flop or an all-in."""
        return min(pot * self.rake_rate, self.rake_cap)

    @cached_property
    def nodes(self) -> tuple[FlopGameNode, ...]:
        """The tree before the flop, each node after its parent."""
        return _TreeBuilder(self).build()

    def node(self, line: Sequence[str]) -> FlopGameNode:
        """The node after some actions."""
        for node in self.nodes:
            if node.line == tuple(line):
                return node
        raise ParameterError(f"The tree has no line {'-'.join(line)!r}.")

    @cached_property
    def chances(self) -> F64:
        """(F,) the probability of each flop."""
        weights = np.array([flop.weight for flop in self.flops])
        return np.asarray(weights / weights.sum())

    @cached_property
    def meetings(self) -> F64:
        """(169, 169) the probability of each pair of classes; it adds up to 1."""
        classes = class_of_combos().astype(np.int64)
        meetings = np.zeros((NUM_CLASSES, NUM_CLASSES))
        for flop, chance in zip(self.flops, self.chances.tolist(), strict=True):
            hands = hands_left(flop.cards)
            pairs = disjoint_combos()[np.ix_(hands, hands)]
            by_class = np.zeros((len(hands), NUM_CLASSES))
            by_class[np.arange(len(hands)), classes[hands]] = 1
            meetings += chance / pairs.sum() * (by_class.T @ (pairs @ by_class))
        return meetings

    def spot(self, node: FlopGameNode, flop: Flop) -> Spot:
        """What follows on one flop; all hands are in both ranges."""
        full = Range.full()
        return Spot(
            board=flop.cards,
            pot=round(sum(node.put), 2),
            stack=round(self.effective - node.put[0], 2),
            ranges=(full, full),
            rake_rate=self.rake_rate,
            rake_cap=self.rake_cap,
            sizes=self.sizes,
            tree=self.tree,
        )


def hands_left(board: Sequence[int]) -> I64:
    """The combos that hold no card of a board."""
    return np.flatnonzero(~np.isin(COMBO_CARDS, np.array(board)).any(axis=1)).astype(np.int64)


@dataclass
class _Point:
    """A node to be built."""

    line: tuple[str, ...]
    betting: Betting
    put: tuple[int, int]  # In units, antes apart and uncalled chips included
    folded: int = -1

    @property
    def kind(self) -> FlopNodeKind:
        if self.betting.queue:
            return FlopNodeKind.DECISION
        if self.folded >= 0:
            return FlopNodeKind.FOLD
        return FlopNodeKind.FLOP if all(self.betting.stacks) else FlopNodeKind.ALL_IN


class _TreeBuilder:
    """Builds the tree over the rules of betting; `raises` say how much may be raised to."""

    def __init__(self, game: FlopGame) -> None:
        self.game = game
        self.behind = round(game.behind * UNIT)
        self.ante = round(game.ante * UNIT)
        self.points: list[_Point] = []
        self.actions: list[tuple[str, ...]] = []

    def build(self) -> tuple[FlopGameNode, ...]:
        posted = (round(self.game.posted[0] * UNIT), round(self.game.posted[1] * UNIT))
        rules = BettingRules(
            stacks=(self.behind, self.behind), blinds=posted, antes=(0, 0), dead_antes=False,
            bet_sizes=(max(posted),) * len(Street), max_raises=(None,) * len(Street), fixed=False,
        )  # fmt: skip
        children, _ = grow_tree(
            _Point((), open_betting(rules), posted),
            self._expand,
            max_nodes=MAX_NODES,
            too_large=lambda: TooLargeError(
                f"The betting before the flop has more than {MAX_NODES:,} nodes; give fewer sizes."
            ),
        )
        if not any(point.kind == FlopNodeKind.FLOP for point in self.points):
            raise ParameterError(
                "Nobody can see a flop with these sizes; solve it as a game of all-in or fold."
            )
        return tuple(
            self._node(index, point, actions, tuple(below))
            for index, (point, actions, below) in enumerate(
                zip(self.points, self.actions, children, strict=True)
            )
        )

    def _node(
        self, index: int, at: _Point, actions: tuple[str, ...], children: tuple[int, ...]
    ) -> FlopGameNode:
        put = tuple((chips + self.ante) / UNIT for chips in at.put)
        player = at.betting.queue[0] if at.betting.queue else at.folded
        return FlopGameNode(index, at.kind, at.line, player, (put[0], put[1]), actions, children)

    def _expand(self, at: _Point) -> list[_Point]:
        following = self._after(at) if at.kind == FlopNodeKind.DECISION else []
        self.points.append(at)
        self.actions.append(tuple(point.line[-1] for point in following))
        return following

    def _after(self, at: _Point) -> list[_Point]:
        betting, player = at.betting, at.betting.queue[0]
        # Without limps a call must end the betting before the flop.
        may_call = self.game.limp or len(betting.queue) == 1
        following = []
        for move, after in moves(betting, self._amounts(at), may_call=may_call):
            if move == FOLDS:
                following.append(_Point((*at.line, "f"), after, at.put, player))
                continue
            chips = betting.top if move == CALLS else move
            action = "c" if move == CALLS else "a" if chips == self.behind else f"r{chips / UNIT:g}"
            put = (chips, at.put[1]) if player == SMALL_BLIND else (at.put[0], chips)
            following.append(_Point((*at.line, action), after, put))
        return following

    def _amounts(self, at: _Point) -> list[int]:
        """What the player may raise to, rising."""
        betting = at.betting
        allowed = betting.raise_range()
        if allowed is None:
            return []
        if betting.raises:
            name = f"{betting.raises + 2}bet"
        else:
            name = "iso" if betting.acted else "open"
        context = BetContext(
            2 * (betting.top + self.ante), betting.top, self.behind, len(Street),
            betting.raises + 1, UNIT,
        )  # fmt: skip
        amounts = set()
        for size in self.game.raises.get(name, ()):
            chips = min(size.chips(context), self.behind)
            if chips < allowed[0]:
                where = f"after {'-'.join(at.line)}" if at.line else "at the start"
                raise ParameterError(
                    f"preflop.{name} has {size.text!r}, a raise to {chips / UNIT:g} {where},"
                    f" where a raise is to {allowed[0] / UNIT:g} at least."
                )
            amounts.add(chips)
        return sorted(amounts)


def class_sums(values: F64, combos: I64) -> F64:
    """(169,) values of combos added up by class."""
    classes = class_of_combos()[combos]
    return np.asarray(np.bincount(classes, values, NUM_CLASSES), np.float64)
