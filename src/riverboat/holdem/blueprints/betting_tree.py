"""The betting of an abstract hold'em game: its bet sizes, and its tree as flat arrays.

A bet size is written as

| text | raise to |
|---|---|
| `0.5p` | the bet to call plus half of the pot after calling |
| `2.5x` | 2.5 times the bet to call; where nobody has bet, 2.5 times the least bet |
| `m` | the least raise the rules allow (in fixed-limit the only one) |
| `a` | all-in |

Several sizes are separated by commas; one text holds for a whole street, a list of texts for the
street's first bet, first raise and so on, the last one for all that follow. `cap` is the most bets
and raises of a street. A size the rules do not allow is moved to the nearest one they do; equal
sizes are one.

    >>> BetSizes.parse({"preflop": ["2.5x", "3x", "a"], "flop": "0.5p,1p,a"}, 2).streets[1]
    (('0.5p', '1p', 'a'),)

Real bets are mapped by the pseudo-harmonic rule of Ganzfried and Sandholm, "Action translation in
extensive-form games with large action spaces" (IJCAI 2013).

In the tree cards are left out: on every node the acting player's bucket picks a row of numbers. The
readable rules (holdem/rules/betting.py) make every node, so the tree follows them to the chip;
it is grown as that of a spot is (holdem/rules/growing.py), with these sizes as its menu.

`history` says what a player remembers of the betting:

- "full": every action; the nodes are a tree.
- "letters": of a finished round only one letter, seen from the player who acts: p nobody bet,
  c called a bet, C called a re-raise, r own bet was called, R own re-raise was; of the round that
  is being played how many raises there were, who made the last one, who is in and who has yet
  to act. Points with the same chips and the same memory are one node, and those where the actor's
  memory is the same share their numbers even where the chips differ.
- "preflop": every action before the flop; after it letters, and how often it was raised before it.

The numbers of one player on one street lie together by bucket: a row has for each infoset (in
the order in which the tree is walked) first the regrets and then the averages of its actions, two
float32 numbers an action. A deal fixes the bucket, so a walk reads a few short stretches of memory.

An infoset is named by its bucket and betting, as in "17|r6c/r12": the first betting that leads
there, streets ended by "/". A real infoset ("AsKd|Qs8h2c|cr6c/") has two bars.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import ParameterError, TooLargeError
from riverboat.holdem.rules.betting import CALL, FOLD, STREET_NAMES, Betting, open_betting
from riverboat.holdem.rules.growing import CALLS, FOLDS, grow_tree, moves
from riverboat.holdem.rules.state import Holdem

MAX_SIZE = 1e6  # Pots or bets that one bet may be; anything near it is all-in
_SIZE = re.compile(r"(?:(\d+(?:\.\d+)?|\.\d+)([px])|([am]))", re.ASCII)
HISTORIES = ("full", "letters", "preflop")
NODE_COLUMNS = range(8)
ACTOR, COUNT, CHILD, ROW, OFFSET, COST, CAN_FOLD, LEAF = NODE_COLUMNS
NODE_WIDTH = len(NODE_COLUMNS)
END = 255  # The actor of a leaf
LEAF_HEAD = 3
IN_HAND, POT, EVEN = range(LEAF_HEAD)
_BYTES_A_NODE = 600  # What a node costs while the tree is built in Python, about


@dataclass(frozen=True)
class BetSizes:
    """By street and by number of bets before: the sizes, as texts in rising order of writing."""

    streets: tuple[tuple[tuple[str, ...], ...], ...]
    caps: tuple[int, ...]  # Most bets and raises, by street

    @classmethod
    def parse(cls, table: Mapping[str, Any], num_streets: int, cap: Any = 4) -> BetSizes:
        """Sizes from `{"preflop": …, "flop": …}`; a street left out has those before it.

        `cap` is one number or one for each street.
        """
        names = STREET_NAMES[:num_streets]
        unknown = [name for name in table if name not in names]
        if unknown:
            raise ParameterError(
                f"Bet sizes are given for {', '.join(names)}; {unknown[0]!r} is not one of them."
            )
        caps = tuple(cap) if isinstance(cap, list | tuple) else (cap,) * num_streets
        if len(caps) != num_streets or not all(type(c) is int and c >= 0 for c in caps):
            raise ParameterError(
                f"The cap on bets is a whole number or {num_streets} of them, not {cap!r}."
            )
        if not any(caps):
            raise ParameterError("With a cap of 0 nobody may bet; allow 1 or more on a street.")
        streets: list[tuple[tuple[str, ...], ...]] = []
        for name in names:
            if name in table:
                given = table[name]
                levels = given if isinstance(given, list | tuple) else [given]
                if not levels:
                    raise ParameterError(f"The bet sizes of the {name} are empty; write 1p, say.")
                streets.append(tuple(parse_raise_sizes(level, f"the {name}") for level in levels))
            elif not streets:
                raise ParameterError(f"There are no bet sizes for the {name}; write 1p, say.")
            else:
                streets.append(streets[-1])
        return cls(tuple(streets), caps)

    def sizes(self, betting: Betting) -> tuple[str, ...]:
        """The sizes that are written for this point of the betting, legal or not."""
        if betting.raises >= self.caps[betting.street]:
            return ()
        levels = self.streets[betting.street]
        return levels[min(betting.raises, len(levels) - 1)]

    def raises(self, betting: Betting) -> dict[int, str]:
        """Amount to raise to → the size's text, lowest amount first; empty where none is legal."""
        allowed = betting.raise_range()
        if allowed is None:
            return {}
        amounts = {amount_of(size, betting, allowed): size for size in self.sizes(betting)}
        return dict(sorted(amounts.items()))

    def as_table(self) -> dict[str, Any]:
        """What `parse` reads."""
        return {
            name: [",".join(level) for level in levels]
            for name, levels in zip(STREET_NAMES, self.streets, strict=False)
        }


def parse_raise_sizes(text: Any, where: str) -> tuple[str, ...]:
    """Sizes with commas between, refused with a word on their place where one is none."""
    sizes = [part.strip() for part in str(text).split(",") if part.strip()]
    for size in sizes:
        match = _SIZE.fullmatch(size)
        if match is None or (match[1] and not 0 < float(match[1]) <= MAX_SIZE):
            raise ParameterError(
                f"The bet size {size!r} of {where} is not one; write 0.5p, 2.5x, m or a."
            )
    if not sizes:
        raise ParameterError(f"The bet sizes of {where} are empty; write 1p, say.")
    return tuple(sizes)


def amount_of(size: str, betting: Betting, allowed: tuple[int, int]) -> int:
    """The chips a size means here, moved into what is allowed."""
    least, most = allowed
    if size == "a":
        return most
    if size == "m":
        return least
    top, number = max(betting.bets), float(size[:-1])
    if size.endswith("p"):
        wanted = top + number * (betting.pot + betting.to_call)
    else:
        wanted = number * (top or betting.rules.bet_sizes[betting.street])
    return min(max(int(wanted + 0.5), least), most)


def pot_share(betting: Betting, amount: int) -> float:
    """A raise to `amount` as a share of the pot after calling; 0 is a call."""
    pot = betting.pot + betting.to_call
    return (amount - max(betting.bets)) / pot if pot else float(amount)


def pseudo_harmonic(low: float, high: float, share: float) -> float:
    """The probability with which a bet between two abstract ones counts as the lower."""
    if share <= low:
        return 1.0
    if share >= high:
        return 0.0
    return (high - share) * (1 + low) / ((high - low) * (1 + share))


def between(shares: Sequence[float], share: float) -> tuple[int, int, float]:
    """The two of the rising abstract `shares` a real one lies between, and the lower's chance."""
    last = len(shares) - 1
    high = next((i for i, bound in enumerate(shares) if share <= bound), last)
    low = max(high - 1, 0)
    return low, high, pseudo_harmonic(shares[low], shares[high], share) if low < high else 1.0


Field = int | tuple[int, ...]
"""The most players who stay for the flop; by the number of raises where there are several."""


@dataclass(frozen=True, repr=False)
class BettingTree:
    """N nodes, E edges, T leaves, P players, S streets, I infosets; node 0 is the root."""

    game: Holdem
    sizes: BetSizes
    history: str
    field: Field
    nodes: NDArray[np.uint32]
    """(8N,) for each node: actor (255: a leaf), number of actions, first place in `children`, row
    player · S + street, offset of its numbers in that row, chips the actor has put in, whether its
    first action is a fold, and at a leaf its number."""
    children: NDArray[np.uint32]  # (E,) the node after each action
    amounts: NDArray[np.int32]  # (E,) what each action raises to; 0 a call or check, −1 a fold
    leaves: NDArray[np.int32]
    """(T, 3 + P) players still in as bits, chips in the middle, whether they have all put in the
    same, and what each player has put in."""
    dead: NDArray[np.int32]  # (P,) the part of each player's chips that counts for no side pot
    strides: NDArray[np.int64]  # (P · S,) numbers in a row
    infosets: NDArray[np.int32]  # (I, 3) row, offset and number of actions of every infoset
    depth: int

    def __repr__(self) -> str:
        return (
            f"<BettingTree {self.game.players} players: {self.num_nodes:,} nodes,"
            f" {len(self.infosets):,} infosets before cards>"
        )

    @property
    def num_nodes(self) -> int:
        return len(self.nodes) // NODE_WIDTH

    @property
    def widest(self) -> int:
        """The largest number of actions at a node."""
        return int(self.infosets[:, 2].max())

    def actions(self, node: int) -> NDArray[np.int32]:
        """The amounts of a node's actions."""
        first = int(self.nodes[NODE_WIDTH * node + CHILD])
        return self.amounts[first : first + int(self.nodes[NODE_WIDTH * node + COUNT])]

    def child(self, node: int, action: int) -> int:
        return int(self.children[int(self.nodes[NODE_WIDTH * node + CHILD]) + action])

    def starts(self, num_buckets: tuple[int, ...]) -> NDArray[np.int64]:
        """(P · S + 1,) where the numbers of each player and street begin, and where they end."""
        buckets = np.tile(np.asarray(num_buckets, np.int64), self.game.players)
        return np.concatenate([[0], np.cumsum(self.strides * buckets)])

    def num_infosets(self, num_buckets: tuple[int, ...]) -> int:
        """Infosets with their cards."""
        buckets = np.tile(np.asarray(num_buckets, np.int64), self.game.players)
        return int(buckets[self.infosets[:, 0]].sum())

    def num_bytes(self, num_buckets: tuple[int, ...]) -> int:
        """Memory of the regrets and averages: eight bytes an action."""
        return 4 * int(self.starts(num_buckets)[-1])


Memory = tuple[tuple[int, int], ...]
"""Of each finished round 0, 1 or 2 (and more) bets, and who made the last one (−1: nobody)."""
_Point = tuple[Betting, Memory, int]  # …, and who bet last on this street


def build_betting_tree(
    game: Holdem,
    sizes: BetSizes,
    *,
    history: str = "full",
    field: Field = 10,
    max_nodes: int = 1_000_000,
) -> BettingTree:
    """Every point of the abstract betting; refused once there are more than `max_nodes`.

    `field` is the most players who stay for the second street: where that many have put in as much
    as the highest bet, the others may raise or fold, not call. Several numbers hold for the bets
    before the first raise, after one and so on, the last one for all that follow: with (1, 3)
    nobody calls the big blind, and at most three play for a raise.
    """
    if history not in HISTORIES:
        raise ParameterError(f"history is {' or '.join(HISTORIES)}, not {history!r}.")
    fields = field if isinstance(field, tuple) else (field,)
    if not fields or fields[-1] < 2 or min(fields) < 1:
        raise ParameterError(f"At least 2 players must be let to the flop, not {field}.")
    builder = _Builder(game, sizes, history, field, max_nodes)
    builder.run()
    return builder.tree()


class _Builder:
    """Depth first over the betting, so that what is visited together lies together."""

    def __init__(
        self, game: Holdem, sizes: BetSizes, history: str, field: Field, max_nodes: int
    ) -> None:
        self.game, self.sizes = game, sizes
        # The streets before this one are remembered action by action.
        self.merged_from = {"full": game.num_streets, "letters": 0, "preflop": 1}[history]
        self.history, self.field, self.max_nodes = history, field, max_nodes
        self.fields = field if isinstance(field, tuple) else (field,)
        self.nodes: list[list[int]] = []
        self.children: list[list[int]] = []
        self.amounts: list[int] = []
        self.leaves: list[list[int]] = []
        self.infosets: dict[Hashable, tuple[int, int, int]] = {}
        self.strides = [0] * (game.players * game.num_streets)
        self.depth, self.dead = 0, game.betting_rules.dead

    def run(self) -> None:
        self.children, self.depth = grow_tree(
            self._settled(open_betting(self.game.betting_rules), (), -1),
            self._add,
            max_nodes=self.max_nodes,
            too_large=lambda: TooLargeError(
                f"This betting has more than {self.max_nodes:,} points, about"
                f" {_BYTES_A_NODE * self.max_nodes / 1e9:.1f} GB to lay out; use fewer sizes, a"
                ' lower cap, smaller stacks, a smaller field or history = "letters".'
            ),
            key=self._situation,
        )

    def _situation(self, point: _Point) -> Hashable:
        """What is the same at points that are one node; None where every action is remembered."""
        return _situation(*point) if point[0].street >= self.merged_from else None

    def _add(self, point: _Point) -> list[_Point]:
        """Write a node; the points after its actions in order."""
        betting, past, last = point
        if not betting.queue:
            self.nodes.append([END, 0, 0, 0, 0, 0, 0, len(self.leaves)])
            self.leaves.append(self._leaf(betting))
            return []
        player = betting.queue[0]
        raises = self.sizes.raises(betting)
        following = moves(betting, raises, may_call=self._may_call(betting))
        amounts = [amount for amount, _ in following]
        labels = [{FOLDS: FOLD, CALLS: CALL}.get(amount) or raises[amount] for amount in amounts]
        row, offset = self._infoset(betting, player, past, last, tuple(labels))
        cost, can_fold = betting.paid[player] + self.dead[player], amounts[0] == FOLDS
        count, first = len(amounts), len(self.amounts)
        self.nodes.append([player, count, first, row, offset, cost, int(can_fold), 0])
        self.amounts.extend(amounts)
        return [
            self._settled(after, past, player if amount > CALLS else last)
            for amount, after in following
        ]

    def _may_call(self, betting: Betting) -> bool:
        if betting.street or not betting.to_call:
            return True
        top = max(betting.bets)
        field = self.fields[min(betting.raises, len(self.fields) - 1)]
        return sum(bet == top for bet in betting.bets) < field

    def _infoset(
        self, betting: Betting, player: int, past: Memory, last: int, labels: tuple[str, ...]
    ) -> tuple[int, int]:
        row = player * self.game.num_streets + betting.street
        if betting.street < self.merged_from:
            key: Hashable = len(self.nodes)
        else:
            letters = "".join([_letter(raises, who, player) for raises, who in past])
            key = (row, letters, betting.raises, last, betting.in_hand, betting.queue, labels)
        if key not in self.infosets:
            self.infosets[key] = (row, self.strides[row], len(labels))
            self.strides[row] += 2 * len(labels)
        return row, self.infosets[key][1]

    def _settled(self, betting: Betting, past: Memory, last: int) -> _Point:
        """The next point where a player acts or the hand is over."""
        while not betting.queue and sum(betting.in_hand) > 1:
            if betting.street == self.game.num_streets - 1:
                break
            exact = betting.street < self.merged_from
            past, last = (*past, (betting.raises if exact else min(betting.raises, 2), last)), -1
            betting = betting.next_street()
        return betting, past, last

    def _leaf(self, betting: Betting) -> list[int]:
        paid = [chips for chips, here in zip(betting.paid, betting.in_hand, strict=True) if here]
        cost = [chips + dead for chips, dead in zip(betting.paid, self.dead, strict=True)]
        mask = sum(1 << player for player, here in enumerate(betting.in_hand) if here)
        return [mask, sum(cost), int(len(set(paid)) == 1), *cost]

    def tree(self) -> BettingTree:
        if not self.infosets:
            raise ParameterError("With these stacks and blinds nobody ever has a choice to make.")
        return BettingTree(
            self.game,
            self.sizes,
            self.history,
            self.field,
            np.array(self.nodes, np.uint32).ravel(),
            np.array([child for below in self.children for child in below], np.uint32),
            np.array(self.amounts, np.int32),
            np.array(self.leaves, np.int32),
            np.array(self.dead, np.int32),
            np.array(self.strides, np.int64),
            np.array(list(self.infosets.values()), np.int32),
            self.depth,
        )


def _situation(betting: Betting, past: Memory, last: int) -> Hashable:
    """All that matters for what comes after, whatever the history.

    Those who have folded have left their chips; who they were is forgotten.
    """
    here = betting.in_hand
    return (
        betting.street,
        tuple(sorted([chips for chips, h in zip(betting.paid, here, strict=True) if not h])),
        tuple([chips if h else -1 for chips, h in zip(betting.stacks, here, strict=True)]),
        tuple([chips if h else -1 for chips, h in zip(betting.bets, here, strict=True)]),
        max(betting.bets),
        betting.queue,
        betting.raise_by,
        betting.raises,
        betting.acted,
        betting.short,
        last,
        tuple([(raises, who if who >= 0 and here[who] else -1) for raises, who in past]),
    )


def _letter(raises: int, last: int, player: int) -> str:
    if not raises:
        return "p"
    letters = "rR" if last == player else "cC"
    return letters[min(raises, 2) - 1] + (str(raises) if raises > 2 else "")


def action_text(amount: int) -> str:
    """An action of the tree as the rules write it: "f", "c" or "r60"."""
    return {-1: "f", 0: "c"}.get(amount, f"r{amount}")


def decisions(tree: BettingTree) -> Iterator[tuple[int, int, int, str]]:
    """One node of every infoset: the node, who acts, the street, and the betting in words."""
    streets, seen, visited = tree.game.num_streets, set[tuple[int, int]](), set[int]()
    waiting = [(0, 0, "")]
    while waiting:
        node, before, text = waiting.pop()
        if node in visited:
            continue
        visited.add(node)
        actor, row, offset = (
            int(tree.nodes[NODE_WIDTH * node + column]) for column in (ACTOR, ROW, OFFSET)
        )
        if actor == END:
            continue
        street = row % streets
        text += "/" * (street - before)
        if (row, offset) not in seen:
            seen.add((row, offset))
            yield node, actor, street, text
        moves = [action_text(amount) for amount in tree.actions(node).tolist()]
        waiting += [
            (tree.child(node, i), street, text + move) for i, move in reversed([*enumerate(moves)])
        ]
