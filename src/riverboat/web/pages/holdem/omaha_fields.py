"""The fields of a spot of Omaha: each is read by itself, together they are a spot's file."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from riverboat.cards.omaha_ranges import OmahaRange
from riverboat.errors import ParameterError, RiverboatError, UsageError
from riverboat.holdem.rules.betting import Street
from riverboat.holdem.spots.bet_sizes import STREETS, parse_sizes
from riverboat.holdem.spots.schedule import parse_target
from riverboat.holdem.spots.spot import Spot, SpotRange
from riverboat.holdem.spots.spot_toml import PLAYERS

MAX_CHARS = 20_000
"""Characters of all fields: they are the address of the page."""
TOO_LONG = (
    f"The fields have more than {MAX_CHARS:,} characters; write the spot as a file, and solve it"
    " with riverboat holdem solve."
)
HOLE_CARDS = ("4", "5", "3", "2")
TWICE = "Bets and raises have fields of their own above; empty both to give sizes here."
OWN_KEYS = {"game", "hole_cards", "board", "pot", "stack", "ranges"}
"""What of a spot's file has fields of its own."""
FIRST = {
    "board": "Ks 9s 4s 7d 2c", "cards": "4", "pot": "100", "stack": "300",
    "oop": "10%", "ip": "10%", "bet": "100%", "raise": "a", "target": "0.5%",
}  # fmt: skip
"""What the form says at first."""
NAMES = (*FIRST, "more", "label")


@dataclass(frozen=True)
class OmahaFields:
    """What stands in the fields, what is wrong with them, and the spot that they are."""

    values: Mapping[str, str]
    problems: dict[str, str] = field(default_factory=dict)
    spot: Spot | None = None

    @classmethod
    def read(cls, given: Mapping[str, str]) -> OmahaFields:
        """Read what was typed; fields that are not there are as at first."""
        values = {name: given.get(name, FIRST.get(name, "")) for name in NAMES}
        if values["cards"] not in HOLE_CARDS:
            values["cards"] = HOLE_CARDS[0]
        if sum(map(len, values.values())) > MAX_CHARS:
            return cls(values, {"": TOO_LONG})
        found = cls(values)
        for name, check in found._checks().items():
            try:
                check(values[name])
            except RiverboatError as error:
                found.problems[name] = str(error)
        if (values["bet"] or values["raise"]).strip() and "sizes" in _read_more(values["more"]):
            found.problems.setdefault("more", TWICE)
        if found.problems:
            return found
        try:
            return cls(values, spot=Spot.from_toml(found.toml()))
        except RiverboatError as error:
            name = _meant(str(error), values)
            return cls(values, {name: str(error)})

    @property
    def target(self) -> str:
        return self.values["target"]

    @property
    def hole_cards(self) -> int:
        return int(self.values["cards"])

    @property
    def summary(self) -> str:
        """What is wrong, in one sentence."""
        if "" in self.problems:
            return self.problems[""]
        number = len(self.problems)
        return f"{number} field{'s need' if number > 1 else ' needs'} a change before a solve."

    def toml(self) -> str:
        """The spot as a file for `riverboat holdem solve`."""
        text = self.values
        lines = [
            'game = "omaha"',
            *([f"hole_cards = {self.hole_cards}"] if self.hole_cards != 4 else []),
            f"board = {json.dumps(text['board'])}",
            f"pot = {_number(text['pot'])!r}",
            f"stack = {_number(text['stack'])!r}",
            text["more"],
        ]
        sizes = {key: text[key].strip() for key in ("bet", "raise") if text[key].strip()}
        if sizes:
            both = ", ".join(f"{key} = {json.dumps(size)}" for key, size in sizes.items())
            for street in _streets(text["board"]):
                lines += [f"[sizes.{street}]", *(f"{name} = {{ {both} }}" for name in PLAYERS)]
        lines += ["[ranges]", *(f"{name} = {json.dumps(text[name])}" for name in PLAYERS)]
        return "\n".join(lines) + "\n"

    def _checks(self) -> dict[str, Callable[[str], Any]]:
        def own_range(text: str) -> None:
            OmahaRange.parse(text, self.hole_cards)

        return {
            "pot": _number,
            "stack": _number,
            "oop": own_range,
            "ip": own_range,
            "bet": lambda text: parse_sizes(text, "bets"),
            "raise": lambda text: parse_sizes(text, "raises"),
            "more": _more,
            "target": lambda text: parse_target(text, 1.0),
        }


def values_of(spot: Spot, target: str = "0.5%", *, as_typed: str = "") -> dict[str, str]:
    """The fields that give a spot of Omaha, its ranges in the words of its file where given."""
    text = spot.to_toml()
    data = tomllib.loads(text)
    board = data["board"]
    values = {
        "board": board, "cards": str(spot.hole_cards), "pot": f"{spot.pot:.10g}",
        "stack": f"{spot.stack:.10g}", "oop": data["ranges"]["oop"], "ip": data["ranges"]["ip"],
        "bet": "", "raise": "", "target": target,
    }  # fmt: skip
    typed = tomllib.loads(as_typed).get("ranges", {})
    for name, own in zip(PLAYERS, spot.ranges, strict=True):
        if isinstance(typed.get(name), str) and _is_range(typed[name], own):
            values[name] = typed[name]
    common = _common_sizes(data.get("sizes", {}), _streets(board))
    values |= common
    gone = OWN_KEYS | ({"sizes"} if common else set())
    values["more"] = _without(text, gone)
    if sum(map(len, values.values())) > MAX_CHARS:
        raise UsageError(TOO_LONG)
    return values


def _is_range(text: str, own: SpotRange) -> bool:
    try:
        return OmahaRange.parse(text, own.hole_cards if isinstance(own, OmahaRange) else 2) == own
    except RiverboatError:
        return False


def _common_sizes(sizes: Mapping[str, Any], streets: tuple[str, ...]) -> dict[str, str]:
    """Bets and raises that are the same for both players on all streets; none where they differ."""
    every = [sizes.get(street, {}).get(name, {}) for street in streets for name in PLAYERS]
    first = every[0]
    if not first or any(own != first for own in every) or first.keys() - {"bet", "raise"}:
        return {}
    return {key: str(first.get(key, "")) for key in ("bet", "raise")}


def _without(toml: str, gone: set[str]) -> str:
    """A spot's file without some keys and tables; each key stands on a line of its own."""
    kept, table = [], ""
    for line in toml.splitlines():
        if line.startswith("["):
            table = line.strip("[] ").partition(".")[0]
        key = table or line.partition("=")[0].strip()
        if key not in gone:
            kept.append(line)
    return "\n".join(kept).strip()


def _streets(board: str) -> tuple[str, ...]:
    """The streets that are played from a board on."""
    num_cards = len(board.split()) if " " in board.strip() else len(board.strip()) // 2
    first = {4: Street.TURN, 5: Street.RIVER}.get(num_cards, Street.FLOP)
    return tuple(STREETS[first - Street.FLOP :])


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise ParameterError(f"A number of chips is wanted, not {text[:40]!r}.") from None
    if not 0 < number < 1e12:
        raise ParameterError(f"A number of chips above 0 is wanted, not {text[:40]!r}.")
    return number


def _read_more(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _more(text: str) -> None:
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ParameterError(f"This is no TOML: {error}.") from None
    if taken := sorted(OWN_KEYS & data.keys()):
        raise ParameterError(f"{taken[0]} has a field of its own above.")


def _meant(sentence: str, values: Mapping[str, str]) -> str:
    """The field that a sentence about the whole spot is about; "" for none."""
    if values["more"] and not values["bet"] + values["raise"]:
        return "more"
    if "above the pot" in sentence or "exceeds the pot" in sentence:
        return next((key for key in ("bet", "raise") if _named(sentence, values[key])), "bet")
    return ""


def _named(sentence: str, sizes: str) -> bool:
    return any(f" {size.strip()}" in sentence for size in sizes.split(",") if size.strip())
