"""What the desk shows of hands of more than two cards: they have no grid of classes.

Groups and the list of hands fill the screen; locks are named in the terminal, by ranges.
"""

from __future__ import annotations

from collections.abc import Mapping

from riverboat.holdem.spots.spot import Spot

WITHOUT_GRID = ("groups", "list")
"""The tabs that need no classes of hands, the first one first."""
MOST_IN_TEXT = 2000
"""Hands of four cards that a page writes out as a range, one by one."""
WORDS_TO_FIND = ("flush draw without A", "set and spades, or AA$ds")
"""Examples of a search: of two cards, and of more."""


def has_grid(spot: Spot) -> bool:
    """Whether hands have classes, which a grid shows."""
    return spot.hole_cards == 2


def shown_tabs(spot: Spot, tabs: Mapping[str, str]) -> Mapping[str, str]:
    """The tabs of a spot."""
    return tabs if has_grid(spot) else {name: tabs[name] for name in WITHOUT_GRID}


def shown_tab(spot: Spot, tab: str) -> str:
    """The tab that is open: as asked, or the first of those that a spot has."""
    return tab if has_grid(spot) or tab in WITHOUT_GRID else WITHOUT_GRID[0]


def example_words(spot: Spot) -> str:
    """What the search shows before something is typed."""
    return WORDS_TO_FIND[not has_grid(spot)]


def is_written_out(spot: Spot, num_hands: int) -> bool:
    """Whether a page writes hands as a range: hundreds of thousands of words would be no help."""
    return has_grid(spot) or num_hands <= MOST_IN_TEXT
