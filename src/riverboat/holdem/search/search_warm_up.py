"""Compiles what the searching player needs, before any clock runs.

Kernels are compiled when they are first called and then kept on the disk. With an empty cache that
takes about a minute, far more than a decision may. So a small hand is thought through once when
the first searching player of a process is made: a flop, a turn and a river, each with a bet that
is not in the tree. With all kernels on the disk it takes about a second.
"""

from __future__ import annotations

from riverboat.holdem.abstraction.blueprint import Blueprint
from riverboat.holdem.rules.state import Holdem
from riverboat.holdem.search.search_kernels import ready_usual
from riverboat.holdem.search.search_options import SearchOptions
from riverboat.holdem.search.searcher import Searcher
from riverboat.holdem.spots.bet_sizes import ALL_IN

__all__ = ["warm_up"]

BOARD = (41, 23, 0, 30, 6)
"""Any cards."""


_done: set[tuple[Holdem, bool, bool]] = set()


def warm_up(blueprint: Blueprint, options: SearchOptions) -> None:
    """Make all kernels ready that a player with these options may call; once in a process."""
    rules, kind = blueprint.rules, (blueprint.rules, options.flop, options.safe)
    if kind not in _done:
        small = SearchOptions(
            sizes=(ALL_IN,), iterations=1, flop=options.flop, safe=options.safe, seconds=3.0
        )
        searcher = Searcher(blueprint, small, clock=False)
        for history, cards in _hand(blueprint):
            searcher.all_hands(rules.resume([[], []], BOARD[:cards], history))
        _done.add(kind)
    if options.device == "cuda":
        ready_usual(options, min(rules.betting_rules.stacks), rules.big_blind)


def _hand(blueprint: Blueprint) -> list[tuple[str, int]]:
    """A hand with a large pot, where trees are small: betting and number of cards."""
    history, found = _opening(blueprint), []
    for cards in (3, 4, 5):
        found.append((history, cards))
        state = blueprint.rules.resume([[], []], BOARD[:cards], history + "c")
        allowed = state.betting.raise_range()
        if allowed is not None and allowed[0] < allowed[1]:
            found.append((f"{history}cr{allowed[0]}", cards))
        history += "cc/"
    return found


def _opening(blueprint: Blueprint) -> str:
    """Two of the blueprint's largest raises that are not all-in, and calls up to the flop."""
    tree, state = blueprint.abstract.tree, blueprint.rules.resume([[], []], (), "")
    node, raises = 0, 0
    while state.betting.street == 0 and state.actor >= 0:
        allowed, amounts = state.betting.raise_range(), tree.actions(node).tolist()
        some = [a for a in amounts if allowed is not None and 0 < a < allowed[1]]
        token = f"r{some[-1]}" if some and raises < 2 else "c"
        raises += token != "c"
        node = tree.child(node, amounts.index(some[-1] if token != "c" else 0))
        state = state.after(token)
    return state.history if state.history.endswith("/") else state.history + "/"
