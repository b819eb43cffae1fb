"""The betting of a spot as a tree of public actions, the same for every runout.

What players may do is said by `rules.betting`, and the tree is grown by `rules.growing`; how much
they may bet is a **menu**, which gives the amounts at each point of the betting. Sizes become
amounts in this order: each is counted in chips (`bet_sizes`), raised to the least legal raise and
cut at all-in, which is what some other player can still call; one that leaves at most `force_allin`
of the stack becomes all-in; all-in is added where the stack left is at most `allin_below_spr` pots;
sizes that are closer than `merge` become one, the larger; in Omaha no size exceeds the pot, and
all-in means the pot where that is less; `add` and `remove` change what is then there. With `lines`
only what they name is there (`lines` has their grammar); they may raise by less than the rules
allow. Check, call and fold always are.

A donk bet is one into the player who bet last on the street before, by one who acts before them.
Where at most one player has chips left to bet, chance nodes lead to a showdown.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import numpy as np

from riverboat.errors import IllegalActionError, ParameterError, TooLargeError
from riverboat.holdem.rules.betting import Betting, BettingRules, Street
from riverboat.holdem.rules.growing import CALLS, FOLDS, grow_tree, moves
from riverboat.holdem.spots.bet_sizes import BetContext, BetSize
from riverboat.holdem.spots.lines import LineNode, gather_lines
from riverboat.holdem.spots.spot import Spot
from riverboat.runtime.array_types import F64, I64

MAX_NODES = {2: 2_000_000, 3: 500_000}  # By the number of players
MAX_DEPTH = 300  # Actions and cards on one line
_STREETS = tuple(Street)


class NodeKind(IntEnum):
    """What happens at a node."""

    DECISION = 0
    CHANCE = 1
    FOLD = 2
    SHOWDOWN = 3


@dataclass(frozen=True)
class BetAction:
    """F, X, C, B, R or A, and the chips put in with it."""

    letter: str
    chips: float  # On this street, after the action
    total: float  # Since the spot began, after the action

    @property
    def label(self) -> str:
        """As lines write it: "X", "B33", "A300"."""
        return f"{self.letter}{self.chips:.10g}" if self.letter in "BRA" else self.letter

    @property
    def code(self) -> str:
        """As node ids write it: "c", "f", "b100" with all chips since the spot began."""
        if self.letter in "BRA":
            return f"b{self.total:.10g}"
        return "f" if self.letter == "F" else "c"

    @property
    def words(self) -> str:
        """For people: "check", "bet 33", "raise to 116", "all-in 300"."""
        names = {"F": "fold", "X": "check", "C": "call"}
        verbs = {"B": "bet", "R": "raise to", "A": "all-in"}
        return names.get(self.letter) or f"{verbs[self.letter]} {self.chips:.10g}"


@dataclass(frozen=True)
class TreeNode:
    """A point of the betting."""

    index: int
    parent: int
    kind: NodeKind
    street: Street
    player: int  # Who decides, or who folded; −1 elsewhere
    put: tuple[float, ...]
    """Chips that each player has put in since the spot began, uncalled ones included."""
    actions: tuple[BetAction, ...]
    children: tuple[int, ...]
    folded: tuple[int, ...]  # Who has folded


@dataclass(frozen=True)
class SpotTree:
    """All nodes, each after its parent, in depth-first order."""

    spot: Spot
    nodes: tuple[TreeNode, ...]

    @property
    def num_decisions(self) -> int:
        """Decision nodes, each counted once whatever the runout."""
        return sum(node.kind == NodeKind.DECISION for node in self.nodes)

    @property
    def num_terminals(self) -> int:
        """Folds and showdowns, each counted once whatever the runout."""
        return sum(node.kind in (NodeKind.FOLD, NodeKind.SHOWDOWN) for node in self.nodes)

    @cached_property
    def roots(self) -> tuple[TreeNode, ...]:
        """The first node of each street on each betting line: the root, and what follows cards."""
        return tuple(
            node
            for node in self.nodes
            if node.parent < 0 or self.nodes[node.parent].kind == NodeKind.CHANCE
        )

    @property
    def node_rows(self) -> dict[int, int]:
        """Decision node → the first of its rows among those of its street and player."""
        return self._rows[0]

    @property
    def rows_per_board(self) -> I64:
        """(streets, players) rows, one for each action, of each player on one board."""
        return self._rows[1]

    @cached_property
    def _rows(self) -> tuple[dict[int, int], I64]:
        node_rows: dict[int, int] = {}
        rows = [[0] * self.spot.num_players for _ in range(self.spot.street, Street.RIVER + 1)]
        for node in self.nodes:
            if node.kind == NodeKind.DECISION:
                street = rows[node.street - self.spot.street]
                node_rows[node.index] = street[node.player]
                street[node.player] += len(node.actions)
        return node_rows, np.array(rows, np.int64)

    def pot(self, node: TreeNode) -> float:
        """What lies in the middle at a node."""
        return self.spot.pot + sum(node.put)

    def child(self, node: TreeNode, action: str) -> TreeNode:
        """The node after an action: its label "B33", code "b33", words, or "bet" if there is one.

        Capital B counts the chips of this street, small b all chips since the spot began.
        """
        wanted = action.strip()
        for test in (_exact, _verb):
            matches = [i for i, option in enumerate(node.actions) if test(option, wanted)]
            if len(matches) == 1:
                return self.nodes[node.children[matches[0]]]
        known = ", ".join(option.words for option in node.actions)
        raise IllegalActionError(f"There is no action {action!r} here; there are: {known}.")


def _exact(action: BetAction, wanted: str) -> bool:
    return wanted in (action.label, action.code) or wanted.lower() == action.words


def _verb(action: BetAction, wanted: str) -> bool:
    verbs = {"F": "fold", "X": "check", "C": "call", "B": "bet", "R": "raise", "A": "all-in"}
    return wanted.lower().replace("allin", "all-in") == verbs[action.letter]


@dataclass(slots=True)
class _Point:
    """A point of the betting at which a node is made, in units of chips."""

    betting: Betting
    put: tuple[int, ...]  # Since the spot began, uncalled chips included
    folded: tuple[int, ...]
    last_fold: int = -1
    last_bettor: int = -1  # On this street; −1 for no player
    aggressor: int = -1  # Who bet last on the street before
    lines: LineNode | None = None  # What the options' lines say from here on
    added: LineNode | None = None
    removed: LineNode | None = None

    @property
    def kind(self) -> NodeKind:
        betting = self.betting
        if betting.queue:
            return NodeKind.DECISION
        if sum(betting.in_hand) == 1:
            return NodeKind.FOLD
        return NodeKind.SHOWDOWN if betting.street == Street.RIVER else NodeKind.CHANCE

    @property
    def all_in(self) -> int:
        """The chips on this street that are all-in: the player's, or what some other can call."""
        betting = self.betting
        player = betting.queue[0]
        stacks, bets, most = betting.stacks, betting.bets, 0
        for other, here in enumerate(betting.in_hand):
            if here and other != player and stacks[other] and stacks[other] + bets[other] > most:
                most = stacks[other] + bets[other]
        return min(stacks[player] + bets[player], most)


def build_tree(spot: Spot) -> SpotTree:
    """The betting tree of a spot; lines that contradict the rules are refused."""
    return _TreeBuilder(spot).build()


def count_rows(spot: Spot, costs: F64, limit: float) -> float:
    """The cost of all rows (actions at decision nodes) of a spot's tree, without building it.

    Two nodes with the same betting state have equal subtrees, so each is counted once. The count
    ends where it exceeds the limit: what a too large tree costs is then at least that much. `costs`
    (4, players) are those of a row by street and player.
    """
    return _RowCounter(spot, costs, limit).count()


class Menu:
    """The amounts that may be bet or raised to at a point of the betting, rising."""

    def __init__(self, spot: Spot) -> None:
        self.spot, self.options, self.unit = spot, spot.tree, spot.unit
        self.pot = round(spot.pot * spot.unit)

    def amounts(self, at: _Point, all_in: int) -> list[int]:
        if all_in <= at.betting.top:
            return []
        amounts = set() if self.options.lines else self._from_sizes(at, all_in)
        for lines in (at.lines, at.added):
            if lines is not None:
                amounts |= {token for token in lines.after if isinstance(token, int)}
        if at.removed is not None:
            for token, node in at.removed.after.items():
                if node.ends and token in amounts:
                    amounts.discard(int(token))
                    node.met = True
        return sorted(amounts)

    def most(self, at: _Point, all_in: int) -> int:
        """The highest bet or raise: all-in, or in Omaha the pot where that is less."""
        if self.spot.game != "omaha":
            return all_in
        betting = at.betting
        return min(all_in, betting.top + self.pot + betting.pot + betting.to_call)

    def _from_sizes(self, at: _Point, all_in: int) -> set[int]:
        options, betting = self.options, at.betting
        allowed = betting.raise_range()
        if allowed is None or (options.raises is not None and betting.raises >= options.raises):
            return set()
        top, player = betting.top, betting.queue[0]
        pot = self.pot + betting.pot + betting.to_call
        context = BetContext(
            pot, top, all_in, Street.RIVER + 1 - betting.street, betting.raises, self.unit
        )
        most = self.most(at, all_in)
        whole_stack = at.put[player] - betting.bets[player] + all_in
        amounts = set()
        for size in self._sizes(at, player):
            chips = min(max(size.chips(context), allowed[0]), all_in)
            if chips > most and size.kind != "a":
                raise ParameterError(
                    f"The size {size.text} exceeds the pot, which allows {most / self.unit:.10g}"
                    f" chips on the {_STREETS[betting.street].name.lower()}: Omaha is played"
                    " pot-limit."
                )
            chips = min(chips, most)
            if all_in - chips <= options.force_allin * whole_stack:
                chips = most
            amounts.add(chips)
        if options.allin_below_spr > 0 and all_in - top <= options.allin_below_spr * pot:
            amounts.add(most)
        return _merged(amounts, pot, top, options.merge)

    def _sizes(self, at: _Point, player: int) -> tuple[BetSize, ...]:
        sizes = self.spot.sizes_on(_STREETS[at.betting.street], player)
        if at.betting.raises:
            return sizes.raises
        return sizes.donk if sizes.donk is not None and at.aggressor > player else sizes.bet


_NodeFacts = tuple[NodeKind, Street, int, tuple[float, ...], tuple[BetAction, ...], tuple[int, ...]]
"""The fields of a node but for its number, its parent and its children."""


class _TreeBuilder:
    def __init__(self, spot: Spot) -> None:
        self.spot, self.unit, self.menu = spot, spot.unit, Menu(spot)
        self.max_nodes = MAX_NODES[spot.num_players]
        self.base = tuple(round(stack * self.unit) for stack in spot.stacks)
        self._actions_made: dict[tuple[str, int, int], BetAction] = {}

    def build(self) -> SpotTree:
        facts = list[_NodeFacts]()

        def expand(at: _Point) -> list[_Point]:
            actions, after = self.expand(at)
            facts.append((*self._facts(at), actions, at.folded))
            return after

        children, _ = grow_tree(
            self.root(),
            expand,
            max_nodes=self.max_nodes,
            max_depth=MAX_DEPTH,
            too_large=self.too_many_nodes,
        )
        self._check_met()
        if not any(action.letter in "BRA" for *_, actions, _ in facts for action in actions):
            raise ParameterError(
                "Nobody can ever bet in this spot; give [sizes] or tree.lines at least one bet."
            )
        parents = [-1] * len(facts)
        for index, below in enumerate(children):
            for child in below:
                parents[child] = index
        return SpotTree(
            self.spot,
            tuple(
                TreeNode(index, parent, kind, street, player, put, actions, tuple(below), folded)
                for index, (parent, (kind, street, player, put, actions, folded), below) in (
                    enumerate(zip(parents, facts, children, strict=True))
                )
            ),
        )

    def root(self) -> _Point:
        """The first point, with the lines that the options name."""
        spot, options, num_players = self.spot, self.spot.tree, self.spot.num_players
        none = (0,) * num_players
        rules = BettingRules(
            stacks=self.base, blinds=none, antes=none, dead_antes=False,
            bet_sizes=(1,) * len(Street), max_raises=(None,) * len(Street), fixed=False,
        )  # fmt: skip
        in_hand = tuple(player in spot.playing for player in range(num_players))
        before = Betting(rules, spot.street - 1, self.base, none, none, in_hand, ())
        folded = tuple(player for player in range(num_players) if not in_hand[player])
        self.removed = gather_lines(options.remove, self.unit, "remove")
        return _Point(
            before.next_street(),
            none,
            folded,
            lines=gather_lines(options.lines, self.unit, "lines"),
            added=gather_lines(options.add, self.unit, "add"),
            removed=self.removed,
        )

    def expand(self, at: _Point) -> tuple[tuple[BetAction, ...], list[_Point]]:
        """The actions at a point, and the points that follow it."""
        kind = at.kind
        if kind == NodeKind.DECISION:
            return self._decide(at)
        if kind == NodeKind.CHANCE:
            street = at.betting.next_street()
            lines = at.lines, at.added, at.removed
            return (), [_Point(street, at.put, at.folded, -1, -1, at.last_bettor, *lines)]
        for lines_left in (at.lines, at.added):
            if lines_left is not None and lines_left.after:
                line = next(iter(lines_left.after.values())).line
                raise ParameterError(f"The line {line!r} goes on after the hand is over.")
        return (), []

    def _decide(self, at: _Point) -> tuple[tuple[BetAction, ...], list[_Point]]:
        betting = at.betting
        player, to_call = betting.queue[0], betting.to_call
        mine = betting.bets[player]
        # What a player put in on the streets before, so that totals count from the beginning.
        base = at.put[player] - mine
        all_in = at.all_in
        for lines in (at.lines, at.added, at.removed):
            if lines is not None:
                self._check_tokens(lines, at, all_in)
        actions, after = [], []
        for move, following in moves(betting, self.menu.amounts(at, all_in)):
            if move == FOLDS:
                letter, chips = "F", mine
                point = self._step(at, letter, following, at.put)
                point.folded, point.last_fold = tuple(sorted((*at.folded, player))), player
            elif move == CALLS:
                letter, chips = "C" if to_call else "X", mine + to_call
                point = self._step(at, letter, following, _with(at.put, player, base + chips))
            else:
                letter, chips = "A" if move == all_in else "R" if betting.raises else "B", move
                raised = following if move == all_in else _reopened(betting, following, move)
                point = self._step(at, move, raised, _with(at.put, player, base + chips))
                point.last_bettor = player
            actions.append(self._action(letter, chips, base))
            after.append(point)
        return tuple(actions), after

    def _step(self, at: _Point, token: str | int, betting: Betting, put: tuple[int, ...]) -> _Point:
        """The point after an action: an amount for a bet, else its letter."""
        lines, added, removed = at.lines, at.added, at.removed
        return _Point(
            betting, put, at.folded, -1, at.last_bettor, at.aggressor,
            None if lines is None else lines.after.get(token),
            None if added is None else added.after.get(token),
            None if removed is None else removed.after.get(token),
        )  # fmt: skip

    def _action(self, letter: str, chips: int, base: int) -> BetAction:
        key = letter, chips, base
        if key not in self._actions_made:
            total = self._chips(base + chips)
            self._actions_made[key] = BetAction(letter, self._chips(chips), total)
        return self._actions_made[key]

    def _chips(self, units: int) -> float:
        return units / self.unit if units % self.unit else units // self.unit

    def _facts(self, at: _Point) -> tuple[NodeKind, Street, int, tuple[float, ...]]:
        """Kind, street, player and chips of the node of a point."""
        kind, player = at.kind, -1
        if kind == NodeKind.DECISION:
            player = at.betting.queue[0]
        elif kind == NodeKind.FOLD:
            player = at.last_fold
        put = at.put if self.unit == 1 else tuple(map(self._chips, at.put))
        return kind, _STREETS[at.betting.street], player, put

    def _check_tokens(self, lines: LineNode, at: _Point, all_in: int) -> None:
        """Refuse what a line says here but the rules do not allow."""
        faced, to_call = at.betting.top, at.betting.to_call
        most = self.menu.most(at, all_in)
        for token, node in lines.after.items():
            if isinstance(token, str):
                if token not in ("FC" if to_call else "X"):
                    why = "there is a bet" if faced else "there is no bet"
                    raise ParameterError(f"The line {node.line!r} has {token} where {why}.")
                continue
            letter, shown = lines.letters[token], f"{lines.letters[token]}{token / self.unit:.10g}"
            if token > all_in or faced == all_in:
                why = f"only {all_in / self.unit:.10g} chips are left"
            elif token > most:
                why = f"the pot allows {most / self.unit:.10g}"
            elif token <= faced:
                why = f"{faced / self.unit:.10g} chips are to be called"
            elif letter == "A" and token != all_in:
                why = f"all-in is {all_in / self.unit:.10g}"
            elif token != all_in and letter != ("R" if faced else "B"):
                why = "there is a bet" if faced else "there is no bet"
            else:
                continue
            raise ParameterError(f"The line {node.line!r} has {shown} where {why}.")

    def _check_met(self) -> None:
        waiting = [self.removed]
        while waiting:
            node = waiting.pop()
            if node.ends and not node.met:
                raise ParameterError(
                    f"tree.remove has {node.line!r}, but no such bet is in the tree."
                )
            waiting += node.after.values()

    def too_many_nodes(self) -> TooLargeError:
        return TooLargeError(
            f"The betting has more than {self.max_nodes:,} nodes or {MAX_DEPTH} actions in one"
            " line; give fewer or larger sizes, or set tree.raises."
        )


def _with(put: tuple[int, ...], player: int, total: int) -> tuple[int, ...]:
    return (*put[:player], total, *put[player + 1 :])


def _reopened(betting: Betting, after: Betting, chips: int) -> Betting:
    """The betting after a raise; a line's by less than the rules allow counts as a full one."""
    by = chips - betting.top
    if by >= betting.raise_by:
        return after
    return dataclasses.replace(after, raise_by=by, acted=1 << betting.queue[0])


class _RowCounter(_TreeBuilder):
    """Adds up costs over the tree that the builder would build."""

    def __init__(self, spot: Spot, costs: F64, limit: float) -> None:
        super().__init__(spot)
        self.costs, self.limit = costs.tolist(), limit
        self.total, self.num_nodes = 0.0, 0
        self.known: dict[tuple[object, ...], tuple[float, int]] = {}
        """State of the betting → cost and nodes of the whole subtree."""

    def count(self) -> float:
        # A node that was entered stays below its children until its subtree is counted.
        waiting: list[tuple[_Point, int, tuple[float, int] | None]] = [(self.root(), 0, None)]
        while waiting and self.total <= self.limit:
            at, depth, before = waiting.pop()
            if before is not None:
                cost, nodes = self.total - before[0], self.num_nodes - before[1]
                self.known[_state(at)] = (cost, nodes)
                continue
            known = self.known.get(_state(at))
            if known is not None:
                self.total, self.num_nodes = self.total + known[0], self.num_nodes + known[1]
                continue
            waiting.append((at, depth, (self.total, self.num_nodes)))
            self.num_nodes += 1
            if self.num_nodes > self.max_nodes or depth > MAX_DEPTH:
                raise self.too_many_nodes()
            actions, after = self.expand(at)
            if actions:
                self.total += len(actions) * self.costs[at.betting.street][at.betting.queue[0]]
            waiting += [(point, depth + 1, None) for point in after]
        return self.total


def _state(at: _Point) -> tuple[object, ...]:
    """All that the subtree below a point depends on."""
    now = at.betting
    return (
        now.street, now.stacks, now.bets, now.in_hand, now.queue, now.raise_by, now.raises,
        now.acted, now.short, at.aggressor, at.last_bettor, id(at.lines), id(at.added),
        id(at.removed),
    )  # fmt: skip


def _merged(amounts: set[int], pot: int, faced: int, merge: float) -> set[int]:
    """The amounts without those that are close to a larger one."""
    kept: list[int] = []
    for amount in sorted(amounts, reverse=True):
        if kept:
            larger, smaller = (1 + (chips - faced) / pot for chips in (kept[-1], amount))
            if larger / smaller < 1 + merge - 1e-12:
                continue
        kept.append(amount)
    return set(kept)
