"""What the pages about a blackjack table share: its rules as links, what a round is worth, tabs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request

from riverboat.blackjack.rules import ACTIONS, PRESETS, BlackjackRules
from riverboat.errors import RiverboatError
from riverboat.web.api.blackjack import table_value
from riverboat.web.app.card_pictures import plain_suit
from riverboat.web.blackjack.table import (
    NUM_USUAL,
    USUAL_TABLE,
    Option,
    last_change,
    options_of,
    preset_of,
    query_of,
    rules_of_query,
)
from riverboat.web.site import Site

TABS = {
    "chart": "Chart",
    "hand": "Hand",
    "dealer": "Dealer",
    "simulate": "Simulate",
    "train": "Train",
}
LETTERS = {name: letter for letter, name in ACTIONS.items()} | {
    "insure": "I",
    "insurance": "I",
    "no insurance": "N",
    "decline": "N",
}
"""Action → its letter, which is its colour too (`a-H` in blackjack.css)."""
SMALL_CHANGE = 5e-10
"""Differences of two values below this are rounding."""


@dataclass(frozen=True)
class Worth:
    """An action with its value, as a bar."""

    action: str
    letter: str
    value: float
    behind: float
    share: int
    """Of the bar, in per cent: from −1 (or the worst) to +1 (or the best)."""


def worths(values: dict[str, float]) -> list[Worth]:
    """Each action with its value and how far behind the best it is."""
    low, high = min(-1.0, *values.values()), max(1.0, *values.values())
    best = max(values.values())
    return [
        Worth(name, LETTERS[name], value, value - best, round(100 * (value - low) / (high - low)))
        for name, value in values.items()
    ]


def suited(cards: str) -> list[str]:
    """Ranks as cards; suits are for the eye only."""
    return [
        rank if rank == "?" else rank + plain_suit(3 * place + ord(rank))
        for place, rank in enumerate(cards)
    ]


@dataclass(frozen=True)
class AskedTable:
    """The table of an address."""

    rules: BlackjackRules
    problem: str
    """Why the rules of the address are not those; empty where they are."""

    @classmethod
    def read(cls, request: Request) -> AskedTable:
        try:
            return cls(rules_of_query(request.query_params), "")
        except RiverboatError as error:
            return cls(PRESETS[USUAL_TABLE], f"{error} Below stands the usual table.")

    @property
    def query(self) -> str:
        """The rules as a query."""
        return urlencode(query_of(self.rules))

    @property
    def usual_options(self) -> tuple[Option, ...]:
        return options_of(self.rules)[:NUM_USUAL]

    @property
    def further_options(self) -> tuple[Option, ...]:
        return options_of(self.rules)[NUM_USUAL:]

    @property
    def unusual(self) -> bool:
        """Whether an option that is folded away is not as at most tables."""
        whole, usual = vars(self.rules), vars(PRESETS[USUAL_TABLE])
        return any(whole[each.name] != usual[each.name] for each in self.further_options)


def table_context(request: Request, site: Site, table: AskedTable, tab: str) -> dict[str, Any]:
    """What the frame of every page about a table shows."""
    value = site.answers.ask(table_value, table.rules)
    change = last_change(table.rules, request.query_params.get("since", ""))
    gained = None
    if change is not None and value is not None:
        before = site.answers.ask(table_value, change.before)
        gained = value.ev - before.ev if before is not None else None
        if gained is not None and abs(gained) < SMALL_CHANGE:
            gained = 0.0
    return {
        "title": f"Blackjack: {TABS[tab].lower()}",
        "place": "/blackjack",
        "tab": tab,
        "tabs": TABS,
        "table": table,
        "presets": [
            (name, urlencode({"rules": name}), name == preset_of(table.rules)) for name in PRESETS
        ],
        "own_rules": not preset_of(table.rules),
        "value": value,
        "change": change,
        "gained": gained,
        "suited": suited,
        "waiting": value is None,
    }
