"""One visitor's blackjack table: its rules, what follows from them, and its address.

The blackjack page's pictures: chart, what each action is worth, the dealer's odds.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from riverboat.blackjack.charts import CODES, FIRST_HARD, FIRST_SOFT, UPS, BlackjackChart
from riverboat.blackjack.exact.analysis import Analysis
from riverboat.blackjack.round import LABELS
from riverboat.blackjack.rules import PRESETS, BlackjackRules, rules_from
from riverboat.drawing.html import Markup, join, pick_button, signed, tag
from riverboat.errors import ParameterError, RiverboatError
from riverboat.web.app.card_pictures import card, plain_suit
from riverboat.web.app.frame import legend, segments

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
USUAL = 7  # How many options stand in sight; the others are folded away


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


ORDER = "23456789TA"  # The up cards as players read them
ACTION_COLOURS = {
    "stand": ("S", "--stand"),
    "hit": ("H", "--hit"),
    "double": ("D", "--double"),
    "split": ("P", "--split"),
    "surrender": ("R", "--surrender"),
}
_ALL_COLOURS = ACTION_COLOURS | {"insure": ("I", "--double"), "no insurance": ("N", "--stand")}
_WORDS = {
    "H": "hit",
    "S": "stand",
    "D": "double, else hit",
    "Ds": "double, else stand",
    "P": "split",
    "Rh": "surrender, else hit",
    "Rs": "surrender, else stand",
    "Rp": "surrender, else split",
}
MAX_HANDS = 8  # Example hands of one cell


def hand_cards(cards: str, *, cls: str = "") -> Markup:
    """Ranks as cards; suits are for the eye only."""
    pictures = [
        card(rank if rank == "?" else rank + plain_suit(3 * place + ord(rank) // 2))
        for place, rank in enumerate(cards)
    ]
    return tag("span", pictures, cls=f"cards {cls}".strip())


def chart_tables(chart: BlackjackChart, picked: str = "") -> Markup:
    """Hard totals, soft totals and pairs, each cell a button that picks `part:row:up`."""
    hard = [(str(t), chart.hard[t - FIRST_HARD], f"hard:{t}") for t in range(20, 4, -1)]
    soft = [
        (f"A,{t - 11}", chart.soft[t - FIRST_SOFT], f"soft:{t}") for t in range(20, FIRST_SOFT, -1)
    ]
    pairs = [
        (f"{UPS[i]},{UPS[i]}", chart.pairs[i], f"pair:{UPS[i]}") for i in (0, *range(9, 0, -1))
    ]
    tables = [
        tag("div", tag("h3", title), tag("div", _table(title, rows, picked), cls="scroll-x"))
        for title, rows in (("Hard totals", hard), ("Soft totals", soft), ("Pairs", pairs))
    ]
    colours = [
        (f"var({colour})", f"{letter} {name}") for name, (letter, colour) in ACTION_COLOURS.items()
    ]
    return join(tag("div", tables, cls="charts"), legend(colours))


def _table(title: str, rows: Sequence[tuple[str, Sequence[str], str]], picked: str) -> Markup:
    ups = [tag("th", up, scope="col") for up in ORDER]
    head = tag("tr", tag("th", tag("span", "you", cls="muted"), cls="side-head"), ups)
    body = []
    for label, codes, key in rows:
        cells = []
        for up in ORDER:
            code, name = codes[UPS.index(up)], f"{key}:{up}"
            cells.append(
                tag(
                    "td",
                    pick_button(
                        name,
                        code,
                        cls=f"a-{CODES[code][0]}",
                        aria_pressed="true" if name == picked else "false",
                        aria_label=f"{label} against {up}: {_WORDS[code]}",
                    ),
                )
            )
        body.append(tag("tr", tag("th", label, cls="side-head", scope="row"), cells))
    return tag("table", tag("thead", head), tag("tbody", body), cls="chart", aria_label=title)


def hands_of_cell(analysis: Analysis, key: str) -> tuple[list[str], str]:
    """The hands that fall into a chart's cell, the commonest first, and the up card."""
    part, row, up = [*key.split(":"), "", ""][:3]
    if part == "pair" and row in UPS and up in UPS:
        return [row * 2], up
    if not row.isdigit() or up not in UPS or part not in ("hard", "soft"):
        raise ParameterError(f"There is no cell {key!r} in the chart.")
    total = int(row)
    if part == "soft":
        return ["A" + UPS[total - 12]], up
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
    return [*two, *three][:MAX_HANDS], up


def worths(values: dict[str, float]) -> Markup:
    """Each action with its value and how far behind the best it is, as bars from −1 to +1."""
    best = max(values.values())
    low = min(-1.0, min(values.values()))
    rows = []
    for action, value in values.items():
        letter, colour = _ALL_COLOURS[action]
        width = 100 * (value - low) / max(1e-9, max(1.0, best) - low)
        behind = "best" if value == best else signed(value - best)
        rows += [
            tag("span", tag("b", letter), f" {action}"),
            tag("div", tag("i", style=f"width:{width:.1f}%;background:var({colour})"), cls="bar"),
            tag("span", signed(value), " ", tag("span", behind, cls="muted small"), cls="value"),
        ]
    return tag("div", rows, cls="mix")


def worths_by_letter(values: dict[str, float]) -> Markup:
    """The same for letters, those before the peek among them."""
    return worths({LABELS[letter]: value for letter, value in values.items()})


def dealer_table(analysis: Analysis, seen_hand: str = "") -> Markup:
    """How the dealer ends, by up card, in per cent, shaded by how likely it is."""
    present = [up for up in ORDER if analysis.engine.counts[UPS.index(up)]]
    table = {up: analysis.dealer(up, seen_hand) for up in present}
    heads = [tag("th", "up")]
    outcomes = list(table[present[0]])
    heads += [tag("th", "natural" if o == "blackjack" else o, cls="r") for o in outcomes]
    rows = []
    for up, row in table.items():
        cells = [
            tag(
                "td",
                f"{100 * row[outcome]:.2f}",
                cls="r",
                style=f"background:color-mix(in srgb, var(--accent) {60 * row[outcome]:.0f}%,"
                " transparent)",
            )
            for outcome in outcomes
        ]
        rows.append(tag("tr", tag("td", tag("b", up)), cells))
    return tag(
        "div", tag("table", tag("tr", heads), rows, cls="plain dense"), cls="scroll-x", tabindex="0"
    )
