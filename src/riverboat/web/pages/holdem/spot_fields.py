"""The fields of a spot's form: read from what was sent, painted, checked one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib import resources

from riverboat.cards.card import cards_text, parse_cards
from riverboat.cards.range_library import SIGN, RangeLibrary, is_saved_range, read_range
from riverboat.cards.ranges import Range
from riverboat.errors import RiverboatError, UsageError
from riverboat.holdem.preflop.following import flop_start, is_preflop_range, spot_range
from riverboat.holdem.preflop.solution import PreflopSolution
from riverboat.holdem.rules.betting import Street
from riverboat.holdem.rules.icm import Payouts
from riverboat.holdem.spots.bet_sizes import STREETS, TreeOptions
from riverboat.holdem.spots.form import SpotForm, size_fields
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.spot_toml import read_tables
from riverboat.runtime.devices import choose_device
from riverboat.runtime.storage import parse_toml
from riverboat.web.api.spots import MAX_MINUTES
from riverboat.web.app.library import Library
from riverboat.web.holdem.preflop_solutions import open_solution
from riverboat.web.holdem.spot_runs import SpotOrder
from riverboat.web.pages.holdem.board_field import BoardField
from riverboat.web.pages.holdem.range_field import RangeField

OOP = "66-TT,AJs,ATs,A5s-A2s,KJs+,QTs+,J9s+,T8s+,97s+,86s+,75s+,AQo,KQo"
IP = "22+,A2s+,K9s+,Q9s+,J9s+,T9s,98s,87s,76s,ATo+,KJo+,QJo"
SEATS = ("First", "Second", "Third")
KINDS = {"bet": "bets", "raise": "raises", "donk": "donk bets"}
MAX_TEXT = 2000
"""Characters of a field that is neither a range nor the tree."""
MAX_TREE = 20_000


@dataclass(frozen=True)
class Preset:
    """Sizes for every street at once."""

    name: str
    bet: tuple[str, str, str]
    raises: tuple[str, str, str]

    def text(self, street: str, kind: str) -> str:
        """The sizes of a street."""
        number = STREETS.index(street)
        return {"bet": self.bet, "raise": self.raises}.get(kind, ("", "", ""))[number]


PRESETS = (
    Preset("one size", ("50%", "66%", "75%"), ("60%", "60%", "a")),
    Preset("two sizes", ("33%,75%", "50%,125%", "50%,125%,a"), ("60%", "60%", "a")),
    Preset("geometric", ("e", "e", "e"), ("a", "a", "a")),
)
FROM_HAND = ("node", "hero", "place", "source")
"""What a form remembers of the hand it was filled from: the decision's node, the cards held, where
that is in words, and where the ranges are from."""
OF_EDITOR = ("_brush", "_suits", "_name")
"""Endings of fields that say how a range is painted and what it is to be saved as."""
COPY = "copy"
"""The button that gives all players the sizes of the first."""


@dataclass(frozen=True)
class TextField:
    """A field with a line of text."""

    name: str
    label: str
    text: str
    problem: str = ""


@dataclass(frozen=True)
class SizeRow:
    """The sizes of a player on a street."""

    street: str
    player: str
    fields: list[TextField]


@dataclass(frozen=True)
class SpotFields:
    """All fields with what is wrong with each; `spot` where nothing is."""

    values: dict[str, str]
    board: BoardField
    ranges: list[RangeField]
    chips: list[TextField]
    seats: list[list[TextField]]
    """Name and stack of each of three players."""
    sizes: list[SizeRow]
    more: list[TextField]
    """Name, dead cards, and the tree and prizes as in a file."""
    problems: dict[str, str]
    spot: Spot | None
    folded: int | None

    @property
    def three(self) -> bool:
        return len(self.ranges) == 3

    @property
    def target(self) -> str:
        return self.values["target"]

    @property
    def order(self) -> SpotOrder | None:
        """What is solved, until when, and on what; None where a field is wrong."""
        if self.spot is None:
            return None
        minutes, device = self.values["minutes"], self.values["device"]
        return SpotOrder(
            self.spot, self.target, minutes=float(minutes) if minutes else None, device=device
        )

    @property
    def summary(self) -> str:
        """What is wrong, in a sentence."""
        if "" in self.problems:
            return self.problems[""]
        if len(self.problems) == 1:
            return next(iter(self.problems.values()))
        return f"{len(self.problems)} fields need a change; each says what is wrong with it."


def first_values(players: int) -> dict[str, str]:
    """The form as it is before anybody typed."""
    usual = {
        key_of(street, player, kind): PRESETS[0].text(street, kind)
        for street, player, kind in size_fields(num_players=players)
    }
    if players == 3:
        example = resources.files("riverboat") / "examples" / "threeway.toml"
        return usual | values_of(Spot.from_toml(example.read_text(encoding="utf-8")), "0.3%")
    plain = {"board": "Qs Jh 2h 8d", "pot": "60", "stack-0": "170", "target": "0.5%"}
    return {**plain, "rate": "0", "cap": "0", "range-0": OOP, "range-1": IP, **usual}


def values_of(spot: Spot, target: str) -> dict[str, str]:
    """The fields that give a spot."""
    form = SpotForm.of(spot, target)
    values = {
        "board": " ".join(re.findall("..", form.board)),
        "pot": form.pot,
        "rate": form.rate,
        "cap": form.cap,
        "target": target,
        "dead": " ".join(re.findall("..", cards_text(spot.dead))),
        "tree": _tree_text(spot),
        "folded": "" if form.folded is None else str(form.folded),
    }
    values |= {f"range-{player}": text for player, text in enumerate(form.ranges)}
    values |= {f"stack-{player}": text for player, text in enumerate(form.stacks)}
    if form.three:
        values |= {f"name-{player}": name for player, name in enumerate(form.names)}
    return values | {key_of(*key): text for key, text in form.sizes.items()}


def values_after(solution: PreflopSolution, line: str) -> dict[str, str]:
    """A flop after a line before it: the ranges, the pot and the stacks that the line leads to."""
    start = flop_start(solution, line)
    players = len(start.seats)
    if players > 3:
        raise UsageError(f"After {line} {players} players see the flop; a spot has three.")
    values = first_values(players)
    values |= {"board": "Qs Jh 2h", "pot": f"{start.pot:.10g}"}
    for player, seat in enumerate(start.seats):
        values[f"range-{player}"] = str(solution.range_of(seat, line))
    if players == 3:
        values |= {f"name-{player}": seat for player, seat in enumerate(start.seats)}
        values |= {f"stack-{p}": f"{stack:.10g}" for p, stack in enumerate(start.stacks)}
    else:
        values["stack-0"] = f"{min(start.stacks):.10g}"
    return values


def key_of(street: str, player: int, kind: str) -> str:
    """The name of a size's field."""
    return f"{street}-{player}-{kind}"


def is_three(values: Mapping[str, str]) -> bool:
    """Whether fields are those of three players."""
    return "range-2" in values


def after_buttons(values: Mapping[str, str]) -> dict[str, str]:
    """The fields after a preset, or the copy of the first player's sizes, was pressed."""
    changed = dict(values)
    for player in range(3):
        if picked := changed.pop(f"range-{player}_pick", ""):
            changed[f"range-{player}"] = f"{SIGN}{picked}"
    if changed.pop("forget", ""):
        changed |= dict.fromkeys(FROM_HAND, "")
    pressed = values.get("preset", "")
    preset = next((each for each in PRESETS if each.name == pressed), None)
    for street, player, kind in size_fields(num_players=3 if is_three(values) else 2):
        key = key_of(street, player, kind)
        if preset is not None:
            changed[key] = preset.text(street, kind)
        elif pressed == COPY and player and key_of(street, 0, kind) in values:
            changed[key] = values[key_of(street, 0, kind)]
    return changed


def read_fields(values: Mapping[str, str], library: Library) -> SpotFields:
    """Read, paint and check the fields of a form."""
    three = is_three(values)
    usual = first_values(3 if three else 2)
    texts = {name: str(values.get(name, text)) for name, text in usual.items()}
    optional = ("dead", "tree", "folded", "label", "minutes", *FROM_HAND)
    texts |= {name: str(values.get(name, "")) for name in optional}
    texts |= {"device": str(values.get("device", "cpu"))}
    board = BoardField.read(values, "board", "Board", texts["board"])
    form = _form(texts, board, three)
    labels = _range_labels(form)
    ranges = [
        RangeField.read(
            values, f"range-{player}", label, texts[f"range-{player}"],
            partial(_read_range, library, form, player),
        )
        for player, label in enumerate(labels)
    ]  # fmt: skip
    form.ranges = [field.text for field in ranges]
    problems = {field.name: field.problem for field in ranges if field.problem}
    problems |= _read_more(form, texts) | _read_limits(texts)
    problems = {_html_name(name): text for name, text in form.errors().items()} | problems
    problems |= _too_long(texts)
    if problems.get("", None) is not None and len(problems) > 1:
        del problems[""]
    spot = None if problems else form.spot()
    texts |= {field.name: field.text for field in ranges} | {"board": board.text}
    kept = {name: text[:200] for name, text in values.items() if name.endswith(OF_EDITOR)}
    return SpotFields(
        {**texts, **kept},
        replace(board, problem=problems.get("board", "")),
        [replace(field, problem=problems.get(field.name, "")) for field in ranges],
        list(_chips(texts, problems, three)),
        [_seat(texts, problems, player) for player in range(3)] if three else [],
        _size_rows(form, texts, problems),
        [
            TextField("label", "Name, to find it again", texts["label"], problems.get("label", "")),
            TextField("dead", "Dead cards", texts["dead"], problems.get("dead", "")),
            TextField("tree", "Tree and prizes", texts["tree"], problems.get("tree", "")),
        ],
        problems,
        spot,
        form.folded,
    )


def _form(texts: Mapping[str, str], board: BoardField, three: bool) -> SpotForm:
    form = SpotForm(board.text, texts["pot"], rate=texts["rate"], cap=texts["cap"])
    form.target = texts["target"]
    form.stacks = [texts[f"stack-{player}"] for player in range(3 if three else 1)]
    if three:
        form.names = [texts[f"name-{player}"].strip().lower() for player in range(3)]
        form.folded = int(texts["folded"]) if texts["folded"] in ("0", "1", "2") else None
    street = Street(max(0, len(board.cards) - 3) + 1)
    for key in size_fields(street, len(form.names)):
        form.sizes[key] = texts.get(key_of(*key), PRESETS[0].text(key[0], key[2]))
    return form


def _read_range(library: Library, form: SpotForm, player: int, text: str) -> Range:
    """The range that a text means: hands, or a line of a solution of the library."""
    if is_saved_range(text):
        return read_range(text, RangeLibrary(library.folder / "ranges"))
    if not is_preflop_range(text):
        return Range.parse(text)
    return spot_range(text, partial(open_solution, library), player, form.names, *form.chips())


def _read_more(form: SpotForm, texts: Mapping[str, str]) -> dict[str, str]:
    """Read dead cards, tree and prizes into the form; what is wrong with them."""
    problems = {}
    try:
        form.dead = tuple(parse_cards(texts["dead"]))
    except RiverboatError as error:
        problems["dead"] = str(error)
    try:
        form.tree, form.payouts = _read_tree(texts["tree"], form.three)
    except RiverboatError as error:
        problems["tree"] = str(error)
    return problems


def _read_limits(texts: Mapping[str, str]) -> dict[str, str]:
    """What is wrong with the time of a solve and with its device."""
    problems = {}
    minutes = texts["minutes"].strip()
    try:
        good = not minutes or 0 < float(minutes) <= MAX_MINUTES
    except ValueError:
        good = False
    if not good:
        problems["minutes"] = (
            f"The minutes are a number up to {MAX_MINUTES:,}, not {minutes[:30]!r}; none is no end."
        )
    try:
        choose_device(texts["device"])
    except RiverboatError as error:
        problems["device"] = str(error)
    return problems


def _read_tree(text: str, three: bool) -> tuple[TreeOptions, Payouts | None]:
    table = parse_toml(text, "The field") if text.strip() else {}
    known = ("tree",) if three else ("tree", "payouts")
    for name in table:
        if name not in known:
            raise UsageError(f"The field has {name!r:.40}; it takes {' and '.join(known)}.")
    read = read_tables({"ranges": ("", ""), **table})
    return read.get("tree") or TreeOptions(), read.get("payouts")


def _tree_text(spot: Spot) -> str:
    """The tables of the tree and the prizes as in a spot's file."""
    found = re.search(r"^\[(?:payouts|tree)\].*", spot.to_toml(), re.MULTILINE | re.DOTALL)
    return found[0].strip() if found else ""


def _too_long(texts: Mapping[str, str]) -> dict[str, str]:
    limits = {"tree": MAX_TREE, "label": 60}
    problems = {}
    for name, text in texts.items():
        most = limits.get(name, MAX_TEXT)
        if not name.startswith("range-") and len(text) > most:
            problems[name if name not in FROM_HAND else ""] = (
                f"A text of at most {most:,} characters is taken."
            )
    return problems


def _html_name(name: str) -> str:
    return name.replace(":", "-")


def _range_labels(form: SpotForm) -> list[str]:
    if form.three:
        return [f"{seat} range" for seat in SEATS]
    return [name.upper() for name in form.names]


def _chips(
    texts: Mapping[str, str], problems: Mapping[str, str], three: bool
) -> Iterator[TextField]:
    labels = {"pot": "Pot", "stack-0": "Stack behind", "rate": "Rake, % of the pot"}
    labels |= {"cap": "Rake, at most", "target": "Solve to", "minutes": "At most, minutes"}
    for name, label in labels.items():
        if not (three and name == "stack-0"):
            yield TextField(name, label, texts[name], problems.get(name, ""))


def _seat(texts: Mapping[str, str], problems: Mapping[str, str], player: int) -> list[TextField]:
    seat, labels = SEATS[player], {"name": "name", "stack": "stack behind"}
    return [
        TextField(
            f"{kind}-{player}", f"{seat} {words}", texts[f"{kind}-{player}"],
            problems.get(f"{kind}-{player}", ""),
        )
        for kind, words in labels.items()
    ]  # fmt: skip


def _size_rows(
    form: SpotForm, texts: Mapping[str, str], problems: Mapping[str, str]
) -> list[SizeRow]:
    rows: dict[tuple[str, int], SizeRow] = {}
    for (street, player, kind), text in form.sizes.items():
        name = form.names[player].upper()
        row = rows.setdefault((street, player), SizeRow(street, name, []))
        key = key_of(street, player, kind)
        label = f"{name} {KINDS[kind]}, {street}"
        row.fields.append(TextField(key, label, text, problems.get(key, "")))
    return list(rows.values())
