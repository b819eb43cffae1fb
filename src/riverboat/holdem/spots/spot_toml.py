"""Spots as TOML: the fields of a spot from a text, and back. A key that is not known is refused:

    board, pot, stack, dead
    game       "holdem", or "omaha": ranges of four cards (`cards.omaha_ranges`), bets up to the pot
    hole_cards of Omaha the number of cards of a hand, 2 to 5; 4 where it is left out
    [ranges]   oop, ip; or three players by any other names, in order of action
    [rake]     rate, cap
    [sizes.flop], [sizes.turn], [sizes.river]   oop, ip: each with bet, raise, donk
    [tree]     allin_below_spr, force_allin, merge, raises, add, remove, lines
    [payouts]  places, others, bounty, stacks: two players play for prizes, by ICM

A range may also be "preflop:FILE r2.5 c": how a player of a saved solution or book comes to the
flop after that line. The file is looked for next to the spot's.

Three players may also have `stacks = { sb = 100, bb = 60, btn = 300 }` instead of a stack for all,
and `folded = "btn"`; their sizes stand under their names.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from riverboat.cards.card import card_text, parse_cards
from riverboat.cards.hands import MAX_HOLE_CARDS
from riverboat.cards.omaha_ranges import OmahaRange
from riverboat.cards.range_library import is_saved_range, read_range
from riverboat.cards.ranges import Range
from riverboat.errors import ParameterError, UsageError
from riverboat.holdem.rules.fields import PAYOUT_KEYS, check_keys, read_numbers
from riverboat.holdem.rules.icm import Payouts
from riverboat.holdem.spots._pio_script import is_pio_script, parse_pio_script
from riverboat.holdem.spots.bet_sizes import (
    STREETS,
    PlayerSizes,
    TreeOptions,
    parse_sizes,
    sizes_text,
)
from riverboat.runtime.plugins import find
from riverboat.runtime.storage import parse_toml, read_text

if TYPE_CHECKING:
    from riverboat.holdem.spots.spot import Spot

PLAYERS = ("oop", "ip")
DEFAULT_NAMES = ("sb", "bb", "btn")
"""The names of two players, and of three where none are given."""
_MAX_BYTES = 10_000_000
_TREE_NUMBERS = ("allin_below_spr", "force_allin", "merge")
_TREE_LISTS = ("add", "remove", "lines")
_RANGE_READERS = {"preflop": "riverboat.holdem.preflop.following:read_spot_range"}
"""The word before a range's colon → what reads such a range. It stands above this folder, and so is
named here and found when it is needed."""
_KEYS = ("game", "hole_cards", "board", "pot", "stack", "dead", "ranges", "rake", "sizes", "tree")
OMAHA_CARDS = 4
"""The number of cards of a hand of Omaha where nothing else is said."""
_TABLES = {
    "rake": '{"rate": 0.05, "cap": 3}',
    "sizes": '{"flop": {"oop": {"bet": "50%"}}}',
    "tree": '{"raises": 2}',
    "payouts": '{"places": [50, 30, 20]}',
}
"""How the tables of a spot are given in Python."""


def read_fields(path: str | Path) -> dict[str, Any]:
    """The fields of the spot in a file: TOML, or a tree script that begins with `#Type#`."""
    return parse_fields(read_text(path, _MAX_BYTES), folder=Path(path).parent)


def parse_fields(text: str, *, folder: Path | None = None) -> dict[str, Any]:
    """The fields of the spot in a text.

    Files that its ranges name are looked for in `folder`; without one they are refused, so that a
    text from elsewhere opens none.
    """
    if is_pio_script(text):
        return parse_pio_script(text)
    table = parse_toml(text, "The spot")
    ranges = _table(table, "ranges", required=True)
    if len(ranges) > 3 and not set(PLAYERS) <= set(ranges):
        raise ParameterError(f"A spot has two or three players, not {len(ranges)}.")
    three = len(ranges) == 3 and not set(PLAYERS) <= set(ranges)
    if three and "payouts" in table:
        raise ParameterError("Three players of a spot play for chips; payouts are for two.")
    check_keys(table, (*_KEYS, *(("stacks", "folded") if three else ("payouts",))), "a spot")
    names: tuple[str, ...] = tuple(ranges) if three else PLAYERS
    check_keys(ranges, names, "[ranges]")
    pot, stacks = _number(table, "pot"), _stacks(table, names)
    game = _text(table, "game") if "game" in table else "holdem"
    fields: dict[str, Any] = {
        "game": game,
        "board": tuple(parse_cards(_text(table, "board"))),
        "pot": pot,
        "stacks": stacks,
        "names": names,
        **_rake_fields(_table(table, "rake")),
        "sizes": read_sizes(_table(table, "sizes"), names),
        "tree": read_tree(_table(table, "tree")),
        "dead": tuple(parse_cards(_text(table, "dead"))) if "dead" in table else (),
        "payouts": _payouts(_table(table, "payouts")) if "payouts" in table else None,
        "folded": _text(table, "folded") if "folded" in table else None,
    }
    texts = [_range_text(ranges, name) for name in names]
    hole_cards = read_hole_cards(table, game)
    return fields | {"ranges": read_ranges(texts, folder, names, pot, stacks, game, hole_cards)}


def read_hole_cards(fields: Mapping[str, Any], game: str, default: int = OMAHA_CARDS) -> int:
    """The number of cards of a hand, which only a spot of Omaha may state."""
    number = fields.get("hole_cards", 2 if game == "holdem" else default)
    if game == "holdem" and number != 2:
        raise ParameterError('A hand of hold\'em has 2 cards; hole_cards is for game = "omaha".')
    if isinstance(number, bool) or not isinstance(number, int) or not 2 <= number <= MAX_HOLE_CARDS:
        raise ParameterError(
            f"A hand of Omaha has 2 to {MAX_HOLE_CARDS} hole cards, not {number!r:.20}."
        )
    return number


def read_tables(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a spot with its tables read, where they are given as a file has them."""
    read = dict(fields)
    ranges = read["ranges"]
    names: Sequence[str] = read.get("names", PLAYERS)
    if isinstance(ranges, Mapping):
        names = tuple(ranges) if len(ranges) == 3 and "oop" not in ranges else PLAYERS
        check_keys(ranges, names, "ranges")
        read["ranges"] = tuple(ranges.get(name, "") for name in names)
        if names != PLAYERS:
            read["names"] = names
    elif isinstance(ranges, Sequence) and len(ranges) == 3:
        names = read.get("names", DEFAULT_NAMES)
    if isinstance(given := read.get("stacks"), Mapping):
        read["stacks"] = _stacks({"stacks": given}, names)
    for name, whole in (("rake", ()), ("sizes", ()), ("tree", TreeOptions), ("payouts", Payouts)):
        given = read.get(name)
        if given is not None and not isinstance(given, (Mapping, whole)):
            raise ParameterError(f"{name} must be a table, such as {_TABLES[name]}.")
    read |= _rake_fields(read.pop("rake")) if "rake" in read else {}
    if any(not isinstance(sizes, tuple) for sizes in read.get("sizes", {}).values()):
        read["sizes"] = read_sizes(read["sizes"], tuple(names))
    for name, reader in (("tree", read_tree), ("payouts", _payouts)):
        if isinstance(given := read.get(name), Mapping):
            read[name] = reader(given)
    if isinstance(dead := read.get("dead"), str):
        read["dead"] = tuple(parse_cards(dead))
    return read


def _rake_fields(table: Mapping[str, Any]) -> dict[str, float]:
    check_keys(table, ("rate", "cap"), "[rake]")
    if table and "rate" not in table:
        raise ParameterError("[rake] needs a rate, such as rate = 0.05.")
    return {f"rake_{key}": _number(table, key) if table else 0.0 for key in ("rate", "cap")}


def _stacks(table: Mapping[str, Any], names: Sequence[str]) -> tuple[float, ...]:
    """The stacks of all players: one for all, or a table by name."""
    if "stacks" not in table:
        return (_number(table, "stack"),) * len(names)
    if "stack" in table:
        raise ParameterError("A spot has a stack for all players, or stacks by name, not both.")
    given = _table(table, "stacks")
    check_keys(given, names, "[stacks]")
    return tuple(_number(given, name) for name in names)


def _payouts(table: Mapping[str, Any]) -> Payouts:
    check_keys(table, (*PAYOUT_KEYS, "stacks"), "[payouts]")
    if "places" not in table:
        raise ParameterError("[payouts] needs places, such as places = [50, 30, 20].")
    places, others, bounty, stacks = (
        read_numbers(table, key, may_be_empty=True) for key in (*PAYOUT_KEYS, "stacks")
    )
    return Payouts(places, others, bounty * len(PLAYERS) if len(bounty) == 1 else bounty, stacks)


def _table(table: Mapping[str, Any], key: str, *, required: bool = False) -> dict[str, Any]:
    value = table.get(key)
    if value is None and not required:
        return {}
    if not isinstance(value, dict):
        raise ParameterError(f"A spot needs a table [{key}]." if value is None else _kind(key))
    return value


def _kind(key: str) -> str:
    return f"{key} must be a table, such as [{key}]."


def _text(table: Mapping[str, Any], key: str) -> str:
    value = table.get(key)
    if not isinstance(value, str):
        raise ParameterError(f"A spot needs {key} as a text in quotes.")
    return value


def _number(table: Mapping[str, Any], key: str) -> float:
    value = table.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ParameterError(f"A spot needs {key} as a number.")
    try:
        return float(value)
    except OverflowError:
        raise ParameterError(f"The number of {key} is too large.") from None


def _range_text(table: Mapping[str, Any], player: str) -> str:
    text = _text(table, player)
    if not text.strip():
        raise ParameterError(f"The range of {player.upper()} is empty.")
    return text


def read_ranges(
    texts: Sequence[str],
    folder: Path | None,
    names: Sequence[str],
    pot: float,
    stacks: Sequence[float],
    game: str = "holdem",
    hole_cards: int = 2,
) -> tuple[Range | OmahaRange, ...]:
    """The ranges of a spot's players: hands, or where a line before the flop leads."""
    if game == "omaha":
        return tuple(OmahaRange.parse(text, hole_cards) for text in texts)
    ranges = []
    for player, text in enumerate(texts):
        if is_saved_range(text):
            if folder is None:
                raise UsageError("A saved range is read in a spot's own file only.")
            ranges.append(read_range(text))
            continue
        reader = _RANGE_READERS.get(text.strip().partition(":")[0]) if ":" in text else None
        if reader is None:
            ranges.append(Range.parse(text))
        elif folder is None:
            raise UsageError("A range from before the flop is read in a spot's own file only.")
        else:
            ranges.append(find(reader)(text, folder, player, names, pot, stacks))
    return tuple(ranges)


def read_sizes(table: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """The bet sizes of a table [sizes]: street → those of each player."""
    check_keys(table, STREETS, "[sizes]")
    return {
        street: _street_sizes(street, table[street], names) for street in STREETS if street in table
    }


def _street_sizes(street: str, table: Any, names: tuple[str, ...]) -> tuple[PlayerSizes, ...]:
    if not isinstance(table, dict):
        raise ParameterError(_kind(f"sizes.{street}"))
    check_keys(table, names, f"[sizes.{street}]")
    return tuple(
        _player_sizes(f"sizes.{street}.{name}", table.get(name, {}), last=name == names[-1])
        for name in names
    )


def _player_sizes(where: str, table: Any, *, last: bool) -> PlayerSizes:
    if not isinstance(table, dict):
        raise ParameterError(f'{where} must be a table, such as {{ bet = "50%" }}.')
    check_keys(table, ("bet", "raise", "donk"), where)
    for key, value in table.items():
        if not isinstance(value, str):
            raise ParameterError(f'{where}.{key} must be a text, such as "33%,75%,a".')
    if "donk" in table and last:
        who = "only OOP can make" if where.endswith(".ip") else "the last to act cannot make"
        raise ParameterError(f"{where} has a donk bet, which {who}.")
    donk = parse_sizes(table["donk"], f"{where}.donk") if "donk" in table else None
    return PlayerSizes(
        bet=parse_sizes(table.get("bet", ""), f"{where}.bet"),
        raises=parse_sizes(table.get("raise", ""), f"{where}.raise", raises=True),
        donk=donk,
    )


def read_tree(table: Mapping[str, Any]) -> TreeOptions:
    """The options of a table [tree]."""
    check_keys(table, (*_TREE_NUMBERS, "raises", *_TREE_LISTS), "[tree]")
    options: dict[str, Any] = {key: _number(table, key) for key in _TREE_NUMBERS if key in table}
    if "raises" in table:
        raises = table["raises"]
        if isinstance(raises, bool) or not isinstance(raises, int):
            raise ParameterError("tree.raises must be a whole number, such as 4.")
        options["raises"] = raises
    for key in _TREE_LISTS:
        lines = table.get(key, [])
        if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
            raise ParameterError(f'tree.{key} must be a list of texts, such as ["X-B33"].')
        options[key] = tuple(lines)
    return TreeOptions(**options)


def format_spot(spot: Spot) -> str:
    """The TOML text of a spot; `parse_fields` reads it back to the same fields."""
    out = [
        *([f'game = "{spot.game}"'] if spot.game != "holdem" else []),
        *([f"hole_cards = {spot.hole_cards}"] if _states_hole_cards(spot) else []),
        f'board = "{" ".join(card_text(card) for card in spot.board)}"',
        f"pot = {_plain(spot.pot)}",
        _stack_line(spot),
        *([f'folded = "{spot.folded}"'] if spot.folded else []),
        *([f'dead = "{" ".join(card_text(card) for card in spot.dead)}"'] if spot.dead else []),
        "",
        "[ranges]",
        *(
            f"{name} = {json.dumps(str(range_))}"
            for name, range_ in zip(spot.names, spot.ranges, strict=True)
        ),
    ]
    if spot.rake_rate:
        out += ["", "[rake]", f"rate = {_plain(spot.rake_rate)}", f"cap = {_plain(spot.rake_cap)}"]
    for street in STREETS:
        if street in spot.sizes:
            out += ["", f"[sizes.{street}]"]
            for name, sizes in zip(spot.names, spot.sizes[street], strict=True):
                out.append(f"{name} = {_sizes_table(sizes)}")
    if spot.payouts is not None:
        prizes = {
            "places": spot.payouts.places,
            "others": spot.payouts.others,
            "bounty": spot.payouts.bounties,
            "stacks": spot.payouts.stacks,
        }
        lists = {key: ", ".join(map(_plain, numbers)) for key, numbers in prizes.items() if numbers}
        out += ["", "[payouts]", *(f"{key} = [{text}]" for key, text in lists.items())]
    options = _tree_lines(spot.tree)
    if options:
        out += ["", "[tree]", *options]
    return "\n".join(out) + "\n"


def _states_hole_cards(spot: Spot) -> bool:
    return spot.game == "omaha" and spot.hole_cards != OMAHA_CARDS


def _stack_line(spot: Spot) -> str:
    if len(set(spot.stacks)) == 1:
        return f"stack = {_plain(spot.stacks[0])}"
    pairs = zip(spot.names, spot.stacks, strict=True)
    return "stacks = { " + ", ".join(f"{name} = {_plain(chips)}" for name, chips in pairs) + " }"


def _sizes_table(sizes: PlayerSizes) -> str:
    given = {"bet": sizes.bet or None, "raise": sizes.raises or None, "donk": sizes.donk}
    parts = [f'{key} = "{sizes_text(own)}"' for key, own in given.items() if own is not None]
    return "{ " + ", ".join(parts) + " }" if parts else "{}"


def _tree_lines(tree: TreeOptions) -> list[str]:
    out = [f"{key} = {_plain(getattr(tree, key))}" for key in _TREE_NUMBERS if getattr(tree, key)]
    if tree.raises is not None:
        out.append(f"raises = {tree.raises}")
    for key in _TREE_LISTS:
        if lines := getattr(tree, key):
            out.append(f"{key} = [{', '.join(json.dumps(line) for line in lines)}]")
    return out


def _plain(number: float) -> str:
    if number == float("inf"):
        return "inf"
    return str(int(number)) if float(number).is_integer() else repr(float(number))
