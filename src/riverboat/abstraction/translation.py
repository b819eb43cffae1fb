"""A real hand followed through the abstract betting, and an abstract action made real.

Bets that the abstract game does not have are mapped by the pseudo-harmonic rule; the random mark of
a bet is a hash of the betting and board that everybody has seen and of a salt, so that a hand is
understood the same way at each of its decisions. A call that the abstract game has no room for
(`field`) counts there as a fold, and that player's later actions are passed over.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from riverboat.abstraction.bets import amount_of, pot_share, translate
from riverboat.abstraction.betting_tree import ACTOR, NODE_WIDTH, BettingTree
from riverboat.cards.card import cards_text
from riverboat.games.base import Action
from riverboat.games.holdem import Holdem, HoldemState
from riverboat.games.holdem_actions import CALL, FOLD, parse_betting, raise_amount
from riverboat.games.holdem_betting import Betting, open_betting

__all__ = ["Position", "follow", "real_action", "same_shape"]


@dataclass(frozen=True)
class Position:
    """Where a real hand stands in the abstract game."""

    node: int
    betting: Betting
    """The abstract one."""
    on_tree: bool
    """False where the abstract game has no such point; the node then means nothing."""


def same_shape(game: Holdem, other: Holdem) -> bool:
    """Whether two games differ in nothing but the unit of chips and where odd chips go."""
    a, b = game.betting_rules, other.betting_rules
    unit, unit2 = max(game.big_blind, game.ante, 1), max(other.big_blind, other.ante, 1)

    def scaled(values: tuple[int, ...], by: int) -> list[int]:
        return [value * by for value in values]

    return (
        (game.players, game.board_cards, game.hole_cards, game.deck)
        == (other.players, other.board_cards, other.hole_cards, other.deck)
        and (a.fixed, a.dead_antes, a.max_raises) == (b.fixed, b.dead_antes, b.max_raises)
        and all(
            scaled(x, unit2) == scaled(y, unit)
            for x, y in (
                (a.stacks, b.stacks),
                (a.blinds, b.blinds),
                (a.antes, b.antes),
                (a.bet_sizes, b.bet_sizes),
            )
        )
    )


def follow(tree: BettingTree, state: HoldemState, salt: str = "") -> Position:
    """The abstract point of the player who acts in `state`."""
    streets = tree.game.num_streets
    real = open_betting(state.game.betting_rules)
    now = open_betting(tree.game.betting_rules)
    me, node, past, lost = state.actor, 0, "", False
    for token in parse_betting(state.history):
        if token == "/":
            past += token
            continue
        real, now = _settled(real, streets), _settled(now, streets)
        player = real.queue[0]
        after = real.after(token)
        if not lost and now.in_hand[player]:
            actor = int(tree.nodes[NODE_WIDTH * node + ACTOR])
            if actor != player or now.street != real.street:
                lost = True
            else:
                board = state.board[: sum(state.game.board_cards[: real.street + 1])]
                mark = _mark(salt, past, token, board)
                action = _abstract_action(tree, node, now, real, after, token, mark)
                amount = int(tree.actions(node)[action])
                now = now.after({-1: FOLD, 0: CALL}.get(amount, f"r{amount}"))
                node = tree.child(node, action)
        past += token
        real = after
    real, now = _settled(real, streets), _settled(now, streets)
    actor = int(tree.nodes[NODE_WIDTH * node + ACTOR])
    if lost or actor != me or now.street != real.street:
        return Position(node, now, False)
    return Position(node, now, True)


def _settled(betting: Betting, streets: int) -> Betting:
    while not betting.queue and sum(betting.in_hand) > 1 and betting.street < streets - 1:
        betting = betting.next_street()
    return betting


def _mark(salt: str, past: str, token: Action, board: tuple[int, ...]) -> float:
    text = f"{salt}|{cards_text(board)}|{past}{token}"
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64


def _abstract_action(
    tree: BettingTree,
    node: int,
    now: Betting,
    real: Betting,
    after: Betting,
    token: Action,
    mark: float,
) -> int:
    """The number of the abstract action that a real one counts as."""
    amounts = tree.actions(node).tolist()
    if token == FOLD:
        return 0
    if token == CALL:
        return amounts.index(0) if 0 in amounts else 0
    raises = [i for i, amount in enumerate(amounts) if amount > 0]
    if not raises:
        return amounts.index(0) if 0 in amounts else 0
    amount = raise_amount(token) or 0
    real_range, range_ = real.raise_range(), now.raise_range()
    top = amounts[raises[-1]]
    if real_range and range_ and amount == real_range[1] and top == range_[1]:
        return raises[-1]
    choices = raises
    if 0 in amounts:
        call = amounts.index(0)
        child = tree.child(node, call)
        asked = after.queue[0] if after.queue else -1
        # A small bet may count as a check only where the next player is asked all the same.
        if int(tree.nodes[NODE_WIDTH * child + ACTOR]) == asked and now.after(CALL).queue:
            choices = [call, *raises]
    shares = [pot_share(now, amounts[i]) if amounts[i] else 0.0 for i in choices]
    return choices[translate(shares, pot_share(real, amount), mark)]


def real_action(tree: BettingTree, position: Position, action: int, real: Betting) -> Action:
    """The real action that the abstract one at a position means in the chips on the table."""
    amount = int(tree.actions(position.node)[action])
    if amount < 0:
        return FOLD if real.to_call else CALL
    allowed = real.raise_range()
    if amount == 0 or allowed is None:
        return CALL
    size = tree.sizes.raises(position.betting)[amount]
    most = position.betting.raise_range()
    if most is not None and amount == most[1] and not real.rules.fixed:
        return f"r{allowed[1]}"
    return f"r{amount_of(size, real, allowed)}"
