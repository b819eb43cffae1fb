"""The betting of a spot as a tree of public actions, the same for every runout.

Sizes become actions in this order: each is counted in chips (`bet_sizes`), raised to the least
legal raise and cut at all-in; one that leaves at most `force_allin` of the stack becomes all-in;
all-in is added where the stack left is at most `allin_below_spr` pots; sizes that are closer than
`merge` become one, the larger; `add` and `remove` change what is then there. With `lines` only
what they name is there. Check, call and fold always are. A call of an all-in before the river leads
through chance nodes to a showdown.

A line is a text such as "X-B33-R116-A300": X a check, C a call, F a fold; B a bet, R a raise and A
an all-in, each with the chips that the player has then put in on that street. Cards are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum

from riverboat.errors import IllegalActionError, ParameterError, TooLargeError
from riverboat.games.base import Action
from riverboat.holdem.rules.betting import CALL, FOLD, Street, raise_amount
from riverboat.holdem.spots.bet_sizes import BetContext, BetSize
from riverboat.holdem.spots.spot import IP, OOP, Spot
from riverboat.runtime.array_types import F64

_TOKEN = re.compile(r"([XCF])|([BRA])(\d{1,9}(?:\.\d{1,2})?)")


@dataclass
class LineNode:
    """Where some lines stand after a common beginning."""

    line: str = ""  # One of the lines, for messages
    letters: dict[int, str] = field(default_factory=dict)  # B, R or A for each amount that follows
    after: dict[str | int, LineNode] = field(default_factory=dict)
    """By "X", "C", "F" or the amount in units of chips."""
    ends: bool = False  # Whether a line ends here
    met: bool = False  # Whether the tree came by


def gather_lines(lines: Iterable[str], unit: int, where: str) -> LineNode:
    """The lines as a tree; `unit` units make a chip, `where` names the key in messages."""
    root = LineNode()
    for line in lines:
        node = root
        for word in line.strip().split("-"):
            found = _TOKEN.fullmatch(word.strip().upper())
            if found is None:
                raise ParameterError(
                    f"tree.{where} has {line!r}, where {word!r} is no action;"
                    " write X, C, F, or B, R or A with chips, as in X-B33-R116-A300."
                )
            token: str | int = found[1] or _units(found[3], unit, line, where)
            if isinstance(token, int):
                node.letters[token] = found[2]
            node = node.after.setdefault(token, LineNode(line=line))
        node.ends = True
    return root


def _units(chips: str, unit: int, line: str, where: str) -> int:
    units = float(chips) * unit
    if abs(units - round(units)) > 1e-6 or units <= 0:
        raise ParameterError(f"tree.{where} has {line!r}, where {chips} are no chips of this spot.")
    return round(units)


def line_of(actions: Iterable[Action], stack: int) -> str:
    """What two players did on one street as a line: c, r33, r116 is "X-B33-R116".

    Bets beyond `stack` are all-in. What follows the answer to an all-in is left out: who has
    more chips may go on raising, but a tree that both stacks fit has no such point.
    """
    words, top = list[str](), 0
    for action in actions:
        if action == FOLD:
            words.append("F")
        elif action == CALL:
            words.append("C" if top else "X")
        elif top < stack:
            chips = min(raise_amount(action) or 0, stack)
            words.append(f"{'A' if chips == stack else 'R' if top else 'B'}{chips}")
            top = chips
        else:
            words.append("C")
            break
    return "-".join(words)


MAX_NODES = 2_000_000
MAX_DEPTH = 300  # Actions and cards on one line


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
    put: tuple[float, ...]  # Chips that each player has put in since the spot began
    actions: tuple[BetAction, ...]
    children: tuple[int, ...]
    folded: tuple[int, ...] = ()  # Of three players, those who have folded


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

    def pot(self, node: TreeNode) -> float:
        """What lies in the middle at a node."""
        return self.spot.pot + sum(node.put)

    def child(self, node: TreeNode, action: str) -> TreeNode:
        """The node after an action: its label "B33", code "b33", words, or "bet" if there is one.

        Capital B counts the chips of this street, small b all chips since the spot began.
        """
        wanted = action.strip()
        for test in (_exact, _verb):
            found = [i for i, each in enumerate(node.actions) if test(each, wanted)]
            if len(found) == 1:
                return self.nodes[node.children[found[0]]]
        known = ", ".join(each.words for each in node.actions)
        raise IllegalActionError(f"There is no action {action!r} here; there are: {known}.")


def _exact(action: BetAction, wanted: str) -> bool:
    return wanted in (action.label, action.code) or wanted.lower() == action.words


def _verb(action: BetAction, wanted: str) -> bool:
    verbs = {"F": "fold", "X": "check", "C": "call", "B": "bet", "R": "raise", "A": "all-in"}
    return wanted.lower().replace("allin", "all-in") == verbs[action.letter]


@dataclass
class _Point:
    """A node to be built: the betting so far, in units."""

    parent: int
    street: Street
    player: int
    base: int  # What each has put in on the streets before
    chips: tuple[int, int]  # What OOP and IP have put in on this street
    num_bets: int
    aggressor: int  # Who bet last on the street before, −1 for no player
    last_bettor: int
    kind: NodeKind
    lines: LineNode | None
    added: LineNode | None
    removed: LineNode | None


def build_tree(spot: Spot) -> SpotTree:
    """The betting tree of a spot; lines that contradict the rules are refused."""
    return _TreeBuilder(spot).build()


def count_rows(spot: Spot, costs: F64, limit: float) -> float:
    """The cost of all rows (actions at decision nodes) of a spot's tree, without building it.

    Two nodes with the same betting state have equal subtrees, so each is counted once. The count
    ends where it exceeds the limit: what a too large tree costs is then at least that much. `costs`
    (4, 2) are those of a row by street and player.
    """
    return _RowCounter(spot, costs, limit).count()


class _TreeBuilder:
    def __init__(self, spot: Spot) -> None:
        self.spot, self.options = spot, spot.tree
        self.unit = spot.unit
        self.pot, self.stack = round(spot.pot * self.unit), round(spot.stack * self.unit)
        self.by_lines = bool(self.options.lines)
        self.nodes: list[TreeNode] = []
        self.children: list[list[int]] = []
        self.depths: list[int] = []

    def build(self) -> SpotTree:
        root = self.root()
        waiting = [root]
        while waiting:
            waiting += reversed(self._place(waiting.pop()))
            if len(self.nodes) > MAX_NODES or self.depths[-1] > MAX_DEPTH:
                raise _too_many_nodes()
        self._check_met()
        nodes = tuple(
            TreeNode(**{**node.__dict__, "children": tuple(children)})
            for node, children in zip(self.nodes, self.children, strict=True)
        )
        if not any(action.letter in "BRA" for node in nodes for action in node.actions):
            raise ParameterError(
                "Nobody can ever bet in this spot; give [sizes] or tree.lines at least one bet."
            )
        return SpotTree(self.spot, nodes)

    def root(self) -> _Point:
        """The first decision, with the lines that the options name."""
        options = self.options
        lines = gather_lines(options.lines, self.unit, "lines")
        added = gather_lines(options.add, self.unit, "add")
        self.removed = gather_lines(options.remove, self.unit, "remove")
        return _Point(
            -1, self.spot.street, OOP, 0, (0, 0), 0, -1, -1, NodeKind.DECISION, lines, added,
            self.removed,
        )  # fmt: skip

    def _place(self, at: _Point) -> list[_Point]:
        """Make the node of a point; the points after it."""
        index = len(self.nodes)
        if at.parent >= 0:
            self.children[at.parent].append(index)
        actions, after = self._actions(at) if at.kind == NodeKind.DECISION else ((), [])
        if at.kind == NodeKind.CHANCE:
            after = [self._next_street(at)]
        elif at.kind != NodeKind.DECISION:
            for name in ("lines", "added"):
                rest = getattr(at, name)
                if rest is not None and rest.after:
                    one = next(iter(rest.after.values()))
                    raise ParameterError(f"The line {one.line!r} goes on after the hand is over.")
        put = (self._chips(at.base + at.chips[0]), self._chips(at.base + at.chips[1]))
        player = at.player if at.kind in (NodeKind.DECISION, NodeKind.FOLD) else -1
        self.nodes.append(TreeNode(index, at.parent, at.kind, at.street, player, put, actions, ()))
        self.children.append([])
        self.depths.append(0 if at.parent < 0 else self.depths[at.parent] + 1)
        for point in after:
            point.parent = index
        return after

    def _chips(self, units: int) -> float:
        return units / self.unit if units % self.unit else units // self.unit

    def _next_street(self, at: _Point) -> _Point:
        over = at.base == self.stack
        kind = NodeKind.DECISION
        if over:
            kind = NodeKind.SHOWDOWN if at.street + 1 == Street.RIVER else NodeKind.CHANCE
        return _Point(
            -1, Street(at.street + 1), OOP, at.base, (0, 0), 0, at.last_bettor, -1, kind,
            at.lines, at.added, at.removed,
        )  # fmt: skip

    def _actions(self, at: _Point) -> tuple[tuple[BetAction, ...], list[_Point]]:
        mine, faced = at.chips[at.player], at.chips[1 - at.player]
        behind = self.stack - at.base
        amounts = self._amounts(at, faced, behind)
        passive = ["X"] if mine == faced else ["F", "C"]
        for lines in (at.lines, at.added, at.removed):
            self._check_tokens(lines, passive, faced, behind)
        actions, after = [], []
        for letter in passive:
            chips = faced if letter == "C" else mine
            actions.append(self._action(letter, chips, at.base))
            after.append(self._after_passive(at, letter, chips))
        for chips in amounts:
            letter = "A" if chips == behind else "R" if faced else "B"
            actions.append(self._action(letter, chips, at.base))
            after.append(self._step(at, chips, NodeKind.DECISION, 1 - at.player, chips))
        return tuple(actions), after

    def _action(self, letter: str, chips: int, base: int) -> BetAction:
        return BetAction(letter, self._chips(chips), self._chips(base + chips))

    def _after_passive(self, at: _Point, letter: str, chips: int) -> _Point:
        if letter == "F":
            return self._step(at, letter, NodeKind.FOLD, at.player, chips)
        if letter == "X" and at.player == OOP:
            return self._step(at, letter, NodeKind.DECISION, IP, chips)
        kind = NodeKind.SHOWDOWN if at.street == Street.RIVER else NodeKind.CHANCE
        point = self._step(at, letter, kind, -1, chips)
        point.base += chips
        point.chips = (0, 0)
        return point

    def _step(
        self, at: _Point, token: str | int, kind: NodeKind, player: int, chips: int
    ) -> _Point:
        """The point after an action: an amount for a bet, else its letter."""
        bets = isinstance(token, int)
        both = (chips, at.chips[1]) if at.player == OOP else (at.chips[0], chips)
        follow = [
            None if lines is None else lines.after.get(token)
            for lines in (at.lines, at.added, at.removed)
        ]
        return _Point(
            -1, at.street, player, at.base, both, at.num_bets + bets, at.aggressor,
            at.player if bets else at.last_bettor, kind, *follow,
        )  # fmt: skip

    def _amounts(self, at: _Point, faced: int, behind: int) -> list[int]:
        """What the player may bet or raise to, rising."""
        if faced == behind:
            return []
        amounts = set() if self.by_lines else self._from_sizes(at, faced, behind)
        for lines in (at.lines, at.added):
            if lines is not None:
                amounts |= {token for token in lines.after if isinstance(token, int)}
        if at.removed is not None:
            for token, node in at.removed.after.items():
                if node.ends and token in amounts:
                    amounts.discard(int(token))
                    node.met = True
        return sorted(amounts)

    def _from_sizes(self, at: _Point, faced: int, behind: int) -> set[int]:
        options = self.options
        if options.raises is not None and at.num_bets >= options.raises:
            return set()
        pot = self.pot + 2 * (at.base + faced)
        betting = BetContext(
            pot, faced, behind, Street.RIVER + 1 - at.street, at.num_bets, self.unit
        )
        # The smallest raise is by as much as the last one; the smallest bet is one unit.
        least = max(1, 2 * faced - at.chips[at.player])
        amounts = set()
        for size in self._sizes(at, faced):
            chips = min(max(size.chips(betting), least), behind)
            if self.stack - at.base - chips <= options.force_allin * self.stack:
                chips = behind
            amounts.add(chips)
        if options.allin_below_spr > 0 and behind - faced <= options.allin_below_spr * pot:
            amounts.add(behind)
        return merged_amounts(amounts, pot, faced, options.merge)

    def _sizes(self, at: _Point, faced: int) -> tuple[BetSize, ...]:
        sizes = self.spot.sizes_on(at.street, at.player)
        if faced:
            return sizes.raises
        if at.player == OOP and at.aggressor == IP and sizes.donk is not None:
            return sizes.donk
        return sizes.bet

    def _check_tokens(
        self, lines: LineNode | None, passive: list[str], faced: int, behind: int
    ) -> None:
        """Refuse what a line says here but the rules do not allow."""
        if lines is None:
            return
        for token, node in lines.after.items():
            if isinstance(token, str):
                if token not in passive:
                    why = "there is a bet" if faced else "there is no bet"
                    raise ParameterError(f"The line {node.line!r} has {token} where {why}.")
                continue
            letter, shown = lines.letters[token], f"{lines.letters[token]}{token / self.unit:.10g}"
            if token > behind or faced == behind:
                why = f"only {behind / self.unit:.10g} chips are left"
            elif token <= faced:
                why = f"{faced / self.unit:.10g} chips are to be called"
            elif letter == "A" and token != behind:
                why = f"all-in is {behind / self.unit:.10g}"
            elif token != behind and letter != ("R" if faced else "B"):
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


def _too_many_nodes() -> TooLargeError:
    return TooLargeError(
        f"The betting has more than {MAX_NODES:,} nodes or {MAX_DEPTH} actions in one line;"
        " give fewer or larger sizes, or set tree.raises."
    )


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
            if self.num_nodes > MAX_NODES or depth > MAX_DEPTH:
                raise _too_many_nodes()
            after: list[_Point] = []
            if at.kind == NodeKind.CHANCE:
                after = [self._next_street(at)]
            elif at.kind == NodeKind.DECISION:
                actions, after = self._actions(at)
                self.total += len(actions) * self.costs[at.street][at.player]
            waiting += [(point, depth + 1, None) for point in after]
        return self.total


def _state(at: _Point) -> tuple[object, ...]:
    """All that the subtree below a point depends on."""
    return (
        at.street, at.player, at.base, at.chips, at.num_bets, at.aggressor, at.last_bettor,
        at.kind, id(at.lines), id(at.added), id(at.removed),
    )  # fmt: skip


def merged_amounts(amounts: set[int], pot: int, faced: int, merge: float) -> set[int]:
    """The amounts without those that are close to a larger one."""
    kept: list[int] = []
    for amount in sorted(amounts, reverse=True):
        if kept:
            larger, smaller = (1 + (chips - faced) / pot for chips in (kept[-1], amount))
            if larger / smaller < 1 + merge - 1e-12:
                continue
        kept.append(amount)
    return set(kept)
