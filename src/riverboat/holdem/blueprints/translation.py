"""A real hand followed through the abstract betting, and an abstract action made real.

Bets that the abstract game does not have are mapped by the pseudo-harmonic rule; the random mark of
a bet is a hash of the public betting and board and of a salt, so that a hand is
understood the same way at each of its decisions. A call that the abstract game has no room for
(`field`) counts there as a fold, and that player's later actions are passed over.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from riverboat.cards.card import cards_text
from riverboat.games.base import Action
from riverboat.holdem.blueprints.betting_tree import (
    ACTOR,
    NODE_WIDTH,
    BettingTree,
    amount_of,
    between,
    pot_share,
)
from riverboat.holdem.rules.betting import (
    CALL,
    FOLD,
    Betting,
    nearest_action,
    open_betting,
    parse_betting,
    raise_amount,
)
from riverboat.holdem.rules.state import Holdem, HoldemState


@dataclass(frozen=True)
class Position:
    """The node of the abstract game that a real hand is mapped to."""

    node: int
    betting: Betting  # The abstract one
    on_tree: bool  # False where the abstract game has no such point; the node then means nothing


def same_shape(game: Holdem, other: Holdem) -> bool:
    """Whether two games differ in nothing but the unit of chips and where odd chips go."""
    a, b = game.betting_rules, other.betting_rules
    unit, unit2 = max(game.big_blind, game.ante, 1), max(other.big_blind, other.ante, 1)

    chips = ("stacks", "blinds", "antes", "bet_sizes")
    return (
        (game.name, game.players, game.board_cards, game.hole_cards, game.deck)
        == (other.name, other.players, other.board_cards, other.hole_cards, other.deck)
        and (a.fixed, a.pot_limit, a.dead_antes, a.max_raises)
        == (b.fixed, b.pot_limit, b.dead_antes, b.max_raises)
        and all(
            [value * unit2 for value in getattr(a, name)]
            == [value * unit for value in getattr(b, name)]
            for name in chips
        )
    )


@dataclass(frozen=True)
class Trail:
    """A real hand and its abstract counterpart, side by side, without cards."""

    real: Betting
    now: Betting  # The abstract one
    node: int = 0
    lost: bool = False  # The abstract game had no such point

    @classmethod
    def start(cls, tree: BettingTree, game: Holdem) -> Trail:
        """Both hands before the first action."""
        streets = tree.game.num_streets
        real, now = open_betting(game.betting_rules), open_betting(tree.game.betting_rules)
        return cls(_settled(real, streets), _settled(now, streets))

    @property
    def over(self) -> bool:
        """Whether the hand has no more decisions."""
        return not self.real.queue

    def position(self, tree: BettingTree) -> Position:
        """The node of the abstract game for the player who acts."""
        actor = int(tree.nodes[NODE_WIDTH * self.node + ACTOR])
        here = not self.lost and (actor, self.now.street) == (self.real.queue[0], self.real.street)
        return Position(self.node, self.now, here)

    def readings(self, tree: BettingTree, token: Action) -> tuple[tuple[float, Trail], ...]:
        """The translations of a real action: bounds on the mark, rising to 1, and trails.

        The first whose bound is above the mark is the one.
        """
        streets = tree.game.num_streets
        after = self.real.after(token)
        real = _settled(after, streets)
        if self.lost or not self.now.in_hand[self.real.queue[0]]:
            return ((1.0, Trail(real, self.now, self.node, self.lost)),)
        if not self.position(tree).on_tree:
            return ((1.0, Trail(real, self.now, self.node, True)),)
        amounts = tree.actions(self.node).tolist()
        trails = []
        for bound, action in abstract_actions(tree, self, after, token):
            amount = amounts[action]
            now = self.now.after({-1: FOLD, 0: CALL}.get(amount, f"r{amount}"))
            trails.append(
                (bound, Trail(real, _settled(now, streets), tree.child(self.node, action)))
            )
        return tuple(trails)


def follow(tree: BettingTree, state: HoldemState, salt: str = "") -> Position:
    """The abstract point of the player who acts in `state`."""
    trail, past = Trail.start(tree, state.game), ""
    for token in parse_betting(state.history):
        if token != "/":
            board = state.board[: sum(state.game.board_cards[: trail.real.street + 1])]
            trail = next_trail(tree, trail, token, past, board, salt)
        past += token
    return trail.position(tree)


def next_trail(
    tree: BettingTree,
    trail: Trail,
    token: Action,
    past: str,
    board: tuple[int, ...],
    salt: str = "",
) -> Trail:
    """The trail after a real action; `past` is the betting before it, `board` what lies there."""
    readings = trail.readings(tree, token)
    if len(readings) == 1:
        return readings[0][1]
    mark = mark_of(salt, past, token, board)
    return next(trail for bound, trail in readings if mark < bound)


def _settled(betting: Betting, streets: int) -> Betting:
    while not betting.queue and sum(betting.in_hand) > 1 and betting.street < streets - 1:
        betting = betting.next_street()
    return betting


def mark_of(salt: str, past: str, token: Action, board: tuple[int, ...]) -> float:
    """The random mark of a real bet: a hash of the public betting `past` and board.

    The same whatever the order in which the cards of the board are given.
    """
    text = f"{salt}|{cards_text(sorted(board, reverse=True))}|{past}{token}"
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64


def abstract_actions(
    tree: BettingTree, trail: Trail, after: Betting, token: Action
) -> list[tuple[float, int]]:
    """What a real action may count as: bounds on the mark and numbers of abstract actions."""
    now, node = trail.now, trail.node
    amounts = tree.actions(node).tolist()
    call = amounts.index(0) if 0 in amounts else 0
    raises = [i for i, amount in enumerate(amounts) if amount > 0]
    if token == FOLD:
        return [(1.0, 0)]
    if token == CALL or not raises:
        return [(1.0, call)]
    amount = raise_amount(token) or 0
    real_range, range_ = trail.real.raise_range(), now.raise_range()
    top = amounts[raises[-1]]
    if real_range and range_ and amount == real_range[1] and top == range_[1]:
        return [(1.0, raises[-1])]
    choices = raises
    if 0 in amounts:
        child = tree.child(node, call)
        asked = after.queue[0] if after.queue else -1
        # A small bet may count as a check only where the next player is asked all the same.
        if int(tree.nodes[NODE_WIDTH * child + ACTOR]) == asked and now.after(CALL).queue:
            choices = [call, *raises]
    shares = [pot_share(now, amounts[i]) if amounts[i] else 0.0 for i in choices]
    low, high, chance = between(shares, pot_share(trail.real, amount))
    if chance >= 1 or low == high:
        return [(1.0, choices[low])]
    if chance <= 0:
        return [(1.0, choices[high])]
    return [(chance, choices[low]), (1.0, choices[high])]


def real_action(tree: BettingTree, position: Position, action: int, real: Betting) -> Action:
    """The real action that the abstract one at a position means in the chips on the table."""
    amount = int(tree.actions(position.node)[action])
    allowed = real.raise_range()
    if amount > 0 and allowed is not None:
        top = position.betting.raise_range()
        if top is not None and amount == top[1] and not real.rules.fixed:
            amount = allowed[1]
        else:
            amount = amount_of(tree.sizes.raises(position.betting)[amount], real, allowed)
    return nearest_action(real, amount)
