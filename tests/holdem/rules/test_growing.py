"""Trees of betting against the rules they are grown over."""

from __future__ import annotations

from collections.abc import Hashable

import pytest

from riverboat.errors import TooLargeError
from riverboat.holdem.rules.betting import Betting, open_betting, raise_amount
from riverboat.holdem.rules.growing import CALLS, FOLDS, grow_tree, moves
from riverboat.holdem.rules.state import Holdem

START = open_betting(Holdem(players=3, stacks=(6, 5, 6), blinds=(1, 2, 0)).betting_rules)


def whole_menu(betting: Betting) -> range:
    """Every amount that the rules allow."""
    allowed = betting.raise_range()
    return range(0) if allowed is None else range(allowed[0], allowed[1] + 1)


def after_legal_actions(betting: Betting) -> list[tuple[int, Betting]]:
    numbers = {"f": FOLDS, "c": CALLS}
    return [
        (numbers.get(action) or raise_amount(action) or 0, betting.after(action))
        for action in betting.actions()
    ]


def lines_of_the_rules(betting: Betting) -> int:
    """How many sequences of legal actions there are on this street, the empty one included."""
    if not betting.queue:
        return 1
    return 1 + sum(lines_of_the_rules(after) for _, after in after_legal_actions(betting))


def expand(betting: Betting) -> list[Betting]:
    if not betting.queue:
        return []
    return [after for _, after in moves(betting, whole_menu(betting))]


def too_large() -> Exception:
    return TooLargeError("too large")


def test_moves_are_the_legal_actions_where_the_menu_is_whole():
    waiting = [START]
    while waiting:
        betting = waiting.pop()
        assert moves(betting, whole_menu(betting)) == after_legal_actions(betting)
        waiting += [after for after in expand(betting) if after.queue]


def test_without_calls_a_player_raises_or_folds():
    assert [amount for amount, _ in moves(START, (4, 6), may_call=False)] == [FOLDS, 4, 6]


def test_a_tree_has_a_node_for_every_line_and_children_come_after_their_parent():
    children, _ = grow_tree(START, expand, max_nodes=100_000, too_large=too_large)
    assert len(children) == lines_of_the_rules(START)
    assert sorted(child for below in children for child in below) == [*range(1, len(children))]
    assert all(child > node for node, below in enumerate(children) for child in below)


def test_points_with_the_same_key_are_one_node():
    def key(betting: Betting) -> Hashable:
        return betting

    children, _ = grow_tree(START, expand, max_nodes=100_000, too_large=too_large, key=key)
    known, waiting = {START}, [START]
    while waiting:
        new = set(expand(waiting.pop())) - known
        known |= new
        waiting += new
    assert len(children) == len(known) < lines_of_the_rules(START)


def test_a_tree_is_refused_beyond_its_limits():
    num_nodes = lines_of_the_rules(START)
    _, depth = grow_tree(START, expand, max_nodes=num_nodes, too_large=too_large)
    for nodes, levels in ((num_nodes - 1, None), (num_nodes, depth - 1)):
        with pytest.raises(TooLargeError):
            grow_tree(START, expand, max_nodes=nodes, max_depth=levels, too_large=too_large)
