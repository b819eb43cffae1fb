"""The rules of a table on the blackjack pages: choices as links, and the address that says them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlencode

from riverboat.blackjack.charts import UPS
from riverboat.blackjack.rules import PRESETS, BlackjackRules, rules_from
from riverboat.errors import ParameterError, RiverboatError

USUAL_TABLE = "vegas-6d-s17"
ORDER = "23456789TA"
"""The up cards as players read them."""
YES_NO = (("true", "yes"), ("false", "no"))
OPTIONS: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "decks": ("Decks", (*((str(n), str(n)) for n in range(1, 9)), ("infinite", "∞"))),
    "h17": ("Dealer's soft 17", (("false", "stands"), ("true", "hits"))),
    "bj_pays": ("Blackjack pays", (("1.5", "3:2"), ("1.2", "6:5"), ("1.0", "1:1"))),
    "double_on": (
        "Double on",
        (("any", "any two"), ("9-11", "9–11"), ("10-11", "10–11"), ("none", "never")),
    ),
    "das": ("Double after split", YES_NO),
    "surrender": ("Surrender", (("none", "none"), ("late", "late"), ("early", "early"))),
    "hole_card": ("Hole card", (("peek", "dealer peeks"), ("enhc", "none (European)"))),
    "max_split_hands": (
        "Split to",
        (("1", "never"), ("2", "2"), ("3", "3"), ("4", "4"), ("0", "any number")),
    ),
    "max_split_hands_aces": (
        "Aces split to",
        (("1", "never"), ("2", "2"), ("3", "3"), ("4", "4"), ("0", "any number")),
    ),
    "hit_split_aces": ("Hit split aces", YES_NO),
    "split_by": ("A pair is", (("value", "equal value"), ("rank", "equal rank"))),
    "insurance": ("Insurance offered", YES_NO),
    "charlie": ("Charlie wins with", (("0", "no such rule"), ("5", "5"), ("6", "6"), ("7", "7"))),
    "dealer_charlie": ("Charlie for the dealer too", YES_NO),
    "combo": ("Split 21 is a blackjack", YES_NO),
}
"""Option → its name in words, and its values with theirs."""
NUM_USUAL = 7
"""How many options stand in sight; the others are folded away."""
MAX_HANDS = 8
"""Example hands of one cell of a chart."""


@dataclass(frozen=True)
class Choice:
    """One value of an option, and the query of the table that has it."""

    words: str
    query: str
    chosen: bool


@dataclass(frozen=True)
class Option:
    """An option of the rules with its choices."""

    name: str
    label: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True)
class Change:
    """The option that was changed last, as the address tells it: `since=h17:false`."""

    words: str
    before: BlackjackRules


def text_of(value: object) -> str:
    """The value of an option as addresses write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


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
    now = {name: text_of(value) for name, value in vars(rules).items()}
    return rules_from(USUAL_TABLE, {**now, **values})


def rules_of_query(query: Mapping[str, str]) -> BlackjackRules:
    """The rules that an address tells."""
    wanted = {name: value for name, value in query.items() if name in OPTIONS}
    return rules_from(query.get("rules", USUAL_TABLE), wanted)


def preset_of(rules: BlackjackRules) -> str:
    """The name of the preset that these rules are; empty where they are none."""
    return next((name for name, known in PRESETS.items() if known == rules), "")


def query_of(rules: BlackjackRules) -> dict[str, str]:
    """The rules as an address tells them: the nearest preset, and what differs from it."""
    whole = vars(rules)

    def differing(name: str) -> dict[str, str]:
        known = vars(PRESETS[name])
        return {key: text_of(value) for key, value in whole.items() if known[key] != value}

    nearest = min(PRESETS, key=lambda name: len(differing(name)))
    return {"rules": nearest, **differing(nearest)}


@lru_cache(maxsize=256)
def options_of(rules: BlackjackRules) -> tuple[Option, ...]:
    """Every option with its choices; each choice leads to the rules with it."""
    return tuple(
        Option(name, label, tuple(_choice(rules, name, *each) for each in choices))
        for name, (label, choices) in OPTIONS.items()
        if name != "dealer_charlie" or rules.charlie
    )


def _choice(rules: BlackjackRules, name: str, value: str, words: str) -> Choice:
    now = text_of(getattr(rules, name))
    query = {**query_of(changed(rules, name, value)), "since": f"{name}:{now}"}
    return Choice(words, urlencode(query), value == now)


def last_change(rules: BlackjackRules, since: str) -> Change | None:
    """The change that `since=OPTION:VALUE` tells of; None where it cannot be read."""
    option, _, value = since.partition(":")
    if option not in OPTIONS:
        return None
    label, choices = OPTIONS[option]
    words = dict(choices)
    now = text_of(getattr(rules, option))
    if value not in words or value == now:
        return None
    try:
        return Change(
            f"{label}: {words[now]} instead of {words[value]}", changed(rules, option, value)
        )
    except RiverboatError:
        return None


def hands_of_cell(cell: str) -> tuple[list[str], str]:
    """The hands of a chart's cell (`hard:16:T`), the commonest first, and the up card."""
    part, row, up = [*cell.split(":"), "", ""][:3]
    if up in UPS and up:
        if part == "pair" and row and row in UPS:
            return [row * 2], up
        if part == "soft" and row.isdigit() and 13 <= int(row) <= 20:
            return ["A" + UPS[int(row) - 12]], up
        if part == "hard" and row.isdigit() and 5 <= int(row) <= 20:
            return _hard_hands(int(row)), up
    raise ParameterError(f"There is no cell {cell!r} in the chart.")


def _hard_hands(total: int) -> list[str]:
    two = [
        UPS[a - 1] + UPS[b - 1]
        for a in range(10, 1, -1)
        for b in range(a - 1, 1, -1)
        if a + b == total
    ]
    three = [
        UPS[a - 1] + UPS[b - 1] + UPS[c - 1]
        for a in range(10, 1, -1)
        for b in range(a, 1, -1)
        for c in range(b, 1, -1)
        if a + b + c == total
    ]
    return [*two, *three][:MAX_HANDS]
