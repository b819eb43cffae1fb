"""Walk through a blueprint: any decision by its betting and board, with every player's range.

    look(blueprint)                          # the first decision
    look(blueprint, "r6c", "Qs Js 2d")       # after a raise to 6 and a call, on this flop
    look(blueprint, "r6c", "Qs Js 2d").grid  # what the player who acts does with each hand

A path is the betting as infosets write it, f, c and r with an amount; "/" between streets may be
left out. Ranges are exact: the probability of everything that a player did on the way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.card import cards_text, check_distinct, parse_cards
from riverboat.cards.combos import COMBO_CARDS, class_of_combos, combo_index
from riverboat.drawing.hand_grid import HandGrid, grid_of_combos
from riverboat.errors import UsageError
from riverboat.games.base import CHANCE, TERMINAL, Action
from riverboat.holdem.abstraction.deals import has_full_boards
from riverboat.holdem.blueprints.range_following import follow_hand
from riverboat.holdem.rules.betting import STREET_NAMES
from riverboat.holdem.rules.state import HoldemState
from riverboat.holdem.rules.table import seat_name
from riverboat.runtime.array_types import F64

if TYPE_CHECKING:
    from riverboat.holdem.blueprints.blueprint import Blueprint

_STEP = re.compile(r"[fc]|r[1-9][0-9]*", re.ASCII)


@dataclass(frozen=True, eq=False, repr=False)
class Decision:
    """A point where a player acts, and what the blueprint does there."""

    blueprint: Blueprint
    state: HoldemState
    actions: tuple[Action, ...]
    chances: F64  # (1326, A) by hand
    ranges: F64  # (P, 1326) what each player may hold, by the blueprint's own actions
    foreign: tuple[Action, ...] = ()
    """Actions of the path that the blueprint itself would never take."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The actions in words."""
        return tuple(self.state.action_words(action) for action in self.actions)

    @property
    def seat(self) -> str:
        """What the acting player's seat is called."""
        return seat_name(self.state.actor, self.state.game.players)

    @property
    def title(self) -> str:
        """The street, the board, who acts and for what."""
        state, betting = self.state, self.state.betting
        board = " ".join(cards_text([card]) for card in state.board)
        street = STREET_NAMES[betting.street] + (f" {board}" if board else "")
        price = f", {betting.to_call} to call" if betting.to_call else ""
        past = f" after {state.history.rstrip('/')}" if state.history else ""
        return f"{street}, {self.seat} to act{past} (pot {betting.pot}{price})"

    @property
    def possible(self) -> NDArray[np.bool_]:
        """(1326,) the hands that the board leaves."""
        return np.asarray(~np.isin(COMBO_CARDS, self.state.board).any(axis=1), np.bool_)

    @property
    def grid(self) -> HandGrid:
        """What the acting player does, by kind of hand."""
        texts, weights = (self.title, self.actions, self.labels), self.ranges[self.state.actor]
        return grid_of_combos(*texts, self.chances, weights, self.possible, class_of_combos())

    def hand(self, text: str) -> dict[Action, float]:
        """What is done with one hand, "AsKd"."""
        cards = parse_cards(text)
        check_distinct([*cards, *self.state.board])
        if len(cards) != 2:
            raise UsageError(f"A hand has two cards, as in AsKd, not {text!r}.")
        row = self.chances[combo_index(min(cards), max(cards))]
        return dict(zip(self.actions, row.tolist(), strict=True))

    def next_paths(self) -> dict[Action, str]:
        """The path of the decision after each action, where a player still acts."""
        path = self.state.history.replace("/", "")
        return {
            action: path + action
            for action in self.actions
            if self.state.after(action).actor != TERMINAL and self.state.after(action).betting.queue
        }

    def as_dict(self) -> dict[str, Any]:
        """Everything a screen shows of it."""
        state = self.state
        return {
            "path": state.history,
            "board": cards_text(state.board),
            "street": STREET_NAMES[state.betting.street],
            "player": state.actor,
            "seat": self.seat,
            "pot": state.betting.pot,
            "to_call": state.betting.to_call,
            "foreign": list(self.foreign),
            "next": self.next_paths(),
            **self.grid.as_dict(),
        }

    def __repr__(self) -> str:
        return f"<Decision {self.title}>"

    def _repr_html_(self) -> str:
        return self.grid._repr_html_()


def look(
    blueprint: Blueprint, path: str = "", board: str | Sequence[int] = "", salt: str = ""
) -> Decision:
    """The decision after a path on a board, refused with a sentence where there is none."""
    if not has_full_boards(blueprint.rules):
        raise UsageError(
            "This blueprint is for a reduced deck, which has no grid of 169 hands; see its infosets"
            " with riverboat show."
        )
    cards = parse_cards(board) if isinstance(board, str) else list(board)
    check_distinct(cards)
    foreign: list[Action] = []

    def own_chances(state: HoldemState, action: Action) -> F64 | None:
        actions, chances = blueprint.all_hands(state, salt)
        if action in actions:
            return np.asarray(chances[:, actions.index(action)])
        foreign.append(action)
        return None

    start = blueprint.rules.with_hands([()] * blueprint.rules.players)
    *_, last = follow_hand(start, _steps(path), cards, own_chances)
    state = last.state
    street = STREET_NAMES[state.betting.street]
    if state.actor == CHANCE and state.betting.queue:
        raise UsageError(
            f"The path {path!r} comes to the {street}: give a board of"
            f" {len(state.board) + state.pending} cards."
        )
    if state.actor < 0 and last.action is not None:
        raise UsageError(f"The path {path!r} goes on after the hand is over.")
    if state.actor < 0:
        raise UsageError(f"After the path {path!r} nobody acts any more.")
    if len(cards) > len(state.board):
        raise UsageError(
            f"The path {path!r} ends on the {street}, so"
            f" {cards_text(cards[len(state.board) :])} is not on the board yet."
        )
    actions, chances = blueprint.all_hands(state, salt)
    return Decision(blueprint, state, actions, chances, last.possible_ranges, tuple(foreign))


def openings(blueprint: Blueprint, salt: str = "") -> list[tuple[str, Decision]]:
    """What each seat does when all before it have folded, by path; the big blind never opens."""
    paths = ["f" * folds for folds in range(blueprint.rules.players - 1)]
    return [(path, look(blueprint, path, salt=salt)) for path in paths]


def _steps(path: str) -> Iterator[Action]:
    """The actions of a path; streets, commas and spaces between them may be written or not."""
    for part in re.split(r"[/,\s]+", path):
        start = 0
        while start < len(part):
            step = _STEP.match(part, start)
            if step is None:
                raise UsageError(
                    f"A path is written with f, c and r with an amount, as in cr6c, not {path!r}."
                )
            yield step[0]
            start = step.end()
