"""One visitor's blackjack table: its rules, what follows from them, and its address."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from urllib.parse import urlencode

from riverboat.blackjack.rules import PRESETS, BlackjackRules, rules_from
from riverboat.errors import RiverboatError
from riverboat.web.markup import Markup, tag
from riverboat.web.page_frame import segments

__all__ = [
    "address_of",
    "changed",
    "preset_of",
    "rules_form",
    "rules_from_query",
    "rules_in_words",
]

YES_NO = [("true", "yes"), ("false", "no")]
OPTIONS: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "decks": ("Decks", [*((str(n), str(n)) for n in range(1, 9)), ("infinite", "∞")]),
    "h17": ("Dealer's soft 17", [("false", "stands"), ("true", "hits")]),
    "bj_pays": ("Blackjack pays", [("1.5", "3:2"), ("1.2", "6:5"), ("1.0", "1:1")]),
    "double_on": (
        "Double on",
        [("any", "any two"), ("9-11", "9–11"), ("10-11", "10–11"), ("none", "never")],
    ),
    "das": ("Double after split", YES_NO),
    "surrender": ("Surrender", [("none", "none"), ("late", "late"), ("early", "early")]),
    "hole_card": ("Hole card", [("peek", "dealer peeks"), ("enhc", "none (European)")]),
    "max_split_hands": (
        "Split to",
        [("1", "never"), ("2", "2"), ("3", "3"), ("4", "4"), ("0", "any number")],
    ),
    "max_split_hands_aces": (
        "Aces split to",
        [("1", "never"), ("2", "2"), ("3", "3"), ("4", "4"), ("0", "any number")],
    ),
    "hit_split_aces": ("Hit split aces", YES_NO),
    "split_by": ("A pair is", [("value", "equal value"), ("rank", "equal rank")]),
    "insurance": ("Insurance offered", YES_NO),
    "charlie": ("Charlie wins with", [("0", "no such rule"), ("5", "5"), ("6", "6"), ("7", "7")]),
    "dealer_charlie": ("Charlie for the dealer too", YES_NO),
    "combo": ("Split 21 is a blackjack", YES_NO),
}
USUAL = 7
"""How many options stand in sight; the others are folded away."""


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def rules_form(rules: BlackjackRules, touched: str = "") -> Markup:
    """Every rule as a switch; the folds that hold the one touched last stay open."""
    shown = [
        segments(name, choices, _text(getattr(rules, name)), label)
        for name, (label, choices) in OPTIONS.items()
        if name != "dealer_charlie" or rules.charlie
    ]
    late = list(OPTIONS).index(touched) >= USUAL if touched in OPTIONS else False
    more = tag("summary", "More rules")
    rest = tag("div", shown[USUAL:], cls="options")
    folded = tag("details", more, rest, cls="more", open=late)
    # On a small screen all rules are folded; on a wide one the style sheet shows them.
    inside = tag("div", shown[:USUAL], folded, cls="options")
    return tag(
        "details", tag("summary", "Change the rules"), inside, cls="rules", open=bool(touched)
    )


def changed(rules: BlackjackRules, option: str, text: str) -> BlackjackRules:
    """The rules with one option set; options that hang on it follow."""
    values: dict[str, object] = {option: text}
    if option == "charlie" and text == "0":
        values["dealer_charlie"] = False
    if option == "max_split_hands":
        if text == "1":
            values["max_split_hands_aces"] = 1
        elif rules.max_split_hands == 1:
            values["max_split_hands_aces"] = 2
    if option == "max_split_hands_aces" and rules.max_split_hands == 1 and text != "1":
        values["max_split_hands"] = 4
    now = {name: _text(value) for name, value in dataclasses.asdict(rules).items()}
    return rules_from("vegas-6d-s17", {**now, **values})


def rules_from_query(query: Mapping[str, str]) -> BlackjackRules:
    """The rules in an address; what cannot be read is the usual table."""
    wanted = {name: value for name, value in query.items() if name in OPTIONS}
    try:
        return rules_from(query.get("rules", "vegas-6d-s17"), wanted)
    except RiverboatError:
        return PRESETS["vegas-6d-s17"]


def preset_of(rules: BlackjackRules) -> str | None:
    """The preset that these rules are."""
    return next((name for name, known in PRESETS.items() if known == rules), None)


def address_of(rules: BlackjackRules, tab: str, **more: str) -> str:
    """The page's address with these rules: a preset and what differs from it."""
    whole = dataclasses.asdict(rules)

    def differing(name: str) -> dict[str, str]:
        known = dataclasses.asdict(PRESETS[name])
        return {key: _text(value) for key, value in whole.items() if known[key] != value}

    nearest = min(PRESETS, key=lambda name: len(differing(name)))
    return f"/blackjack/{tab}?" + urlencode(
        {"rules": nearest, **differing(nearest), **{k: v for k, v in more.items() if v}}
    )


def rules_in_words(rules: BlackjackRules) -> Markup:
    """The table as its sign would put it."""
    return tag("p", ", ".join(rules.phrases) + ".", cls="muted small")
