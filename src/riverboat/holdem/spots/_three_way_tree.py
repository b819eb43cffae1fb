"""The betting of three players as a tree of public actions, and the pots at its ends.

Players act in order. A street ends when nobody is left to act. A player who cannot cover a bet
calls or raises all-in for less; what the others bet beyond that is a side pot. Nobody bets more
than some other player can call. An all-in that is less than a full raise does not let those act
again who had acted before it: they call or fold. Where at most one player has chips left to bet,
the rest of the cards is dealt.

Sizes become chips as for two players (tree.py); a percentage counts all chips in the middle.
A donk bet is a bet into the player who bet last on the street before, by one who acts before them.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from riverboat.errors import ParameterError, TooLargeError
from riverboat.holdem.rules.betting import Street
from riverboat.holdem.spots.bet_sizes import BetContext, BetSize
from riverboat.holdem.spots.three_way_spot import SEATS, ThreeWaySpot
from riverboat.holdem.spots.tree import BetAction, NodeKind, SpotTree, TreeNode, merged_amounts

MAX_NODES = 500_000
MAX_DEPTH = 300  # Actions and cards on one line


class SidePot(NamedTuple):
    """Chips that some players contend for."""

    chips: float
    contenders: tuple[int, ...]


def side_pots(
    spot: ThreeWaySpot, put: tuple[float, ...], folded: tuple[int, ...]
) -> tuple[list[SidePot], list[float]]:
    """The pots, the main pot first, and the chips that each player gets back uncalled.

    `put` are the chips of each player since the spot began, `folded` those who gave up. Rake is not
    taken off.
    """
    called = sorted(put)[-2]
    matched = [min(chips, called) for chips in put]
    live = [seat for seat in SEATS if seat not in folded]
    pots: list[SidePot] = []
    below = 0.0
    for level in sorted({matched[seat] for seat in live}):
        chips = sum(min(each, level) - min(each, below) for each in matched)
        contenders = tuple(seat for seat in live if matched[seat] >= level)
        pots.append(SidePot(chips if pots else chips + spot.pot, contenders))
        below = level
    return pots, [chips - own for chips, own in zip(put, matched, strict=True)]


def raked_pots(
    spot: ThreeWaySpot, put: tuple[float, ...], folded: tuple[int, ...]
) -> tuple[list[SidePot], list[float]]:
    """The same after rake: it counts all that was called and is taken from each pot alike."""
    pots, back = side_pots(spot, put, folded)
    total = sum(pot.chips for pot in pots)
    left = 1 - spot.rake(total) / total
    return [SidePot(left * pot.chips, pot.contenders) for pot in pots], back


@dataclass(frozen=True)
class _Point:
    """The betting at a node to be built, in units of chips."""

    parent: int
    street: Street
    put: tuple[int, int, int]  # Since the spot began
    base: int  # What players with chips left have put in on the streets before
    waiting: tuple[int, ...]  # Who is still to act on this street, the next one first
    folded: tuple[int, ...]
    raise_by: int = 0  # The last full bet or raise
    closed: tuple[int, ...] = ()  # Who has acted since then, and may not raise
    num_bets: int = 0
    aggressor: int = -1  # Who bet last on the street before
    last_bettor: int = -1
    last_fold: int = -1
    depth: int = 0

    @property
    def live(self) -> tuple[int, ...]:
        return tuple(seat for seat in SEATS if seat not in self.folded)


def build_betting(
    spot: ThreeWaySpot, row_bytes: list[list[float]] | None = None, memory: float | None = None
) -> SpotTree:
    """The betting tree of a spot.

    It is refused as soon as the rows so far exceed the memory. `row_bytes[street][player]` are the
    bytes of one action of one node over all boards, `street` counted from the first of the spot.
    """
    return _Builder(spot, row_bytes, memory).build()


class _Builder:
    def __init__(
        self, spot: ThreeWaySpot, row_bytes: list[list[float]] | None, memory: float | None
    ) -> None:
        self.spot, self.options, self.unit = spot, spot.tree, spot.unit
        self.row_bytes, self.memory = row_bytes, memory
        self.pot = round(spot.pot * self.unit)
        self.stacks = [round(stack * self.unit) for stack in spot.stacks]
        self.nodes: list[TreeNode] = []
        self.children: list[list[int]] = []

    def build(self) -> SpotTree:
        gone = tuple(seat for seat in SEATS if seat not in self.spot.playing)
        root = _Point(-1, self.spot.street, (0, 0, 0), 0, (), gone)
        stack, total = [self._opened(root)], 0.0
        while stack:
            at = stack.pop()
            after = self._place(at)
            if len(self.nodes) > MAX_NODES or at.depth > MAX_DEPTH:
                raise TooLargeError(
                    f"The betting has more than {MAX_NODES:,} nodes or {MAX_DEPTH} actions in one"
                    " line; give fewer or larger sizes, or set tree.raises."
                )
            node = self.nodes[-1]
            if self.row_bytes is not None and self.memory is not None and node.actions:
                cost = self.row_bytes[node.street - self.spot.street][node.player]
                total += len(node.actions) * cost
                if total > self.memory:
                    raise TooLargeError(
                        f"The spot needs more than the {self.memory / 2**30:.2f} GiB allowed;"
                        " give fewer sizes or smaller ranges."
                    )
            stack += reversed(after)
        nodes = tuple(
            dataclasses.replace(node, children=tuple(children))
            for node, children in zip(self.nodes, self.children, strict=True)
        )
        if not any(action.letter in "BRA" for node in nodes for action in node.actions):
            raise ParameterError("Nobody can ever bet in this spot; give [sizes] at least one bet.")
        # What a tree asks of its spot, board and pot, one of three players has too.
        return SpotTree(cast(Any, self.spot), nodes)

    def _opened(self, at: _Point) -> _Point:
        """The first point of a street: everybody with chips acts, if there are two of them."""
        able = tuple(seat for seat in at.live if at.put[seat] < self.stacks[seat])
        return dataclasses.replace(
            at, waiting=able if len(able) > 1 else (), raise_by=0, closed=(), num_bets=0,
            aggressor=at.last_bettor, last_bettor=-1, base=max(at.put),
        )  # fmt: skip

    def _kind(self, at: _Point) -> NodeKind:
        if len(at.live) == 1:
            return NodeKind.FOLD
        if at.waiting:
            return NodeKind.DECISION
        return NodeKind.SHOWDOWN if at.street == Street.RIVER else NodeKind.CHANCE

    def _place(self, at: _Point) -> list[_Point]:
        """Make the node of a point; the points after it."""
        index, kind = len(self.nodes), self._kind(at)
        if at.parent >= 0:
            self.children[at.parent].append(index)
        actions: tuple[BetAction, ...] = ()
        after: list[_Point] = []
        player = -1
        if kind == NodeKind.DECISION:
            player = at.waiting[0]
            actions, after = self._actions(at, player)
        elif kind == NodeKind.CHANCE:
            after = [self._opened(dataclasses.replace(at, street=Street(at.street + 1)))]
        elif kind == NodeKind.FOLD:
            player = at.last_fold
        put = tuple(self._chips(each) for each in at.put)
        self.nodes.append(
            TreeNode(index, at.parent, kind, at.street, player, put, actions, (), at.folded)
        )
        self.children.append([])
        return [dataclasses.replace(each, parent=index, depth=at.depth + 1) for each in after]

    def _chips(self, units: int) -> float:
        return units / self.unit if units % self.unit else units // self.unit

    def _actions(self, at: _Point, player: int) -> tuple[tuple[BetAction, ...], list[_Point]]:
        mine, top = at.put[player], max(at.put)
        rest, closed = at.waiting[1:], (*at.closed, player)
        actions, after = [], []
        if mine == top:
            actions.append(self._action("X", mine, at))
            after.append(dataclasses.replace(at, waiting=rest, closed=closed))
        else:
            actions.append(self._action("F", mine, at))
            folded = tuple(sorted((*at.folded, player)))
            after.append(dataclasses.replace(at, waiting=rest, folded=folded, last_fold=player))
            paid = min(top, self.stacks[player])
            actions.append(self._action("C", paid, at))
            put = _with(at.put, player, paid)
            after.append(dataclasses.replace(at, put=put, waiting=rest, closed=closed))
        most = self._most(at, player)
        for chips in self._amounts(at, player, top, most):
            total = at.base + chips
            letter = "A" if total == most else "R" if at.num_bets else "B"
            actions.append(self._action(letter, total, at))
            after.append(self._raised(at, player, top, total))
        return tuple(actions), after

    def _action(self, letter: str, total: int, at: _Point) -> BetAction:
        return BetAction(letter, self._chips(max(0, total - at.base)), self._chips(total))

    def _raised(self, at: _Point, player: int, top: int, total: int) -> _Point:
        full = total - top >= at.raise_by
        order = [(player + step) % 3 for step in (1, 2)]
        waiting = tuple(
            seat for seat in order if seat in at.live and at.put[seat] < self.stacks[seat]
        )
        return dataclasses.replace(
            at,
            put=_with(at.put, player, total),
            waiting=waiting,
            raise_by=total - top if full else at.raise_by,
            closed=(player,) if full else (*at.closed, player),
            num_bets=at.num_bets + 1,
            last_bettor=player,
        )

    def _most(self, at: _Point, player: int) -> int:
        """The most that a player may put in: their stack, or what some other player can call."""
        others = [
            self.stacks[seat]
            for seat in at.live
            if seat != player and at.put[seat] < self.stacks[seat]
        ]
        return min(self.stacks[player], max(others, default=0))

    def _amounts(self, at: _Point, player: int, top: int, most: int) -> list[int]:
        """The chips on this street that a player may bet or raise to, rising."""
        options = self.options
        too_many = options.raises is not None and at.num_bets >= options.raises
        if most <= top or too_many or player in at.closed:
            return []
        faced, all_in = top - at.base, most - at.base
        pot = self.pot + sum(at.put) + top - at.put[player]
        streets = Street.RIVER + 1 - at.street
        betting = BetContext(pot, faced, all_in, streets, at.num_bets, self.unit)
        least = faced + max(1, at.raise_by)
        amounts = set()
        for size in self._sizes(at, player):
            chips = min(max(size.chips(betting), least), all_in)
            if all_in - chips <= options.force_allin * most:
                chips = all_in
            amounts.add(chips)
        if options.allin_below_spr > 0 and all_in - faced <= options.allin_below_spr * pot:
            amounts.add(all_in)
        return sorted(merged_amounts(amounts, pot, faced, options.merge))

    def _sizes(self, at: _Point, player: int) -> tuple[BetSize, ...]:
        sizes = self.spot.sizes_on(at.street, player)
        if at.num_bets:
            return sizes.raises
        return sizes.donk if sizes.donk is not None and at.aggressor > player else sizes.bet


def _with(put: tuple[int, int, int], player: int, total: int) -> tuple[int, int, int]:
    first, second, third = (total if seat == player else put[seat] for seat in SEATS)
    return first, second, third
