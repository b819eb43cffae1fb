"""Spots as texts: TOML, and tree scripts of PioSOLVER's viewer.

TOML, where a key that is not known is refused by name:

    board, pot, stack, dead
    [ranges]   oop, ip; or three players by any other names, in order of action
    [rake]     rate, cap
    [sizes.flop], [sizes.turn], [sizes.river]   oop, ip: each with bet, raise, donk
    [tree]     allin_below_spr, force_allin, merge, raises, add, remove, lines
    [payouts]  places, others, bounty, stacks: two players play for prizes, by ICM

A range may also be "preflop:FILE r2.5 c": how a player of a saved solution or book comes to the
flop after that line. The file is looked for next to the spot's.

Three players may also have `stacks = { sb = 100, bb = 60, btn = 300 }` instead of a stack for all,
and `folded = "btn"`; their sizes stand under their names.

A tree script has lines `#Key#Value`:

    #Type#NoLimit
    #Range0#AA,KK:0.5          OOP's; Range1 is IP's
    #Board#Qs Jh 2h
    #Pot#180
    #EffectiveStacks#910
    #AllinThreshold#60         a bet above 60 % of the stack becomes all-in
    #AddAllinOnlyIfLessThanThisTimesThePot#250
    #FlopConfig.BetSize#52     per cent of the pot; FlopConfigIP is IP's
    #FlopConfig.AddAllin#True

There is no donk bet where no DonkBetSize is given. Where all-in is added on some streets or for one
player only, which a spot's options cannot say, the size `a` is added there instead.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from riverboat.cards.card import card_text, parse_cards
from riverboat.cards.ranges import Range
from riverboat.errors import FileFormatError, ParameterError, UnknownNameError, UsageError
from riverboat.holdem.rules.icm import Payouts
from riverboat.holdem.spots.bet_sizes import ALL_IN, BetSize, parse_sizes, sizes_text
from riverboat.holdem.spots.spot import PLAYERS, STREETS, PlayerSizes, Spot, TreeOptions
from riverboat.holdem.spots.three_way_spot import DEFAULT_NAMES, ThreeWaySpot
from riverboat.runtime.stopping import notice
from riverboat.runtime.storage import parse_toml, read_text

_MAX_BYTES = 10_000_000
_TREE_NUMBERS = ("allin_below_spr", "force_allin", "merge")
_TREE_LISTS = ("add", "remove", "lines")
_TABLES = {
    "rake": '{"rate": 0.05, "cap": 3}',
    "sizes": '{"flop": {"oop": {"bet": "50%"}}}',
    "tree": '{"raises": 2}',
    "payouts": '{"places": [50, 30, 20]}',
}
"""How the tables of a spot are given in Python."""


def read_spot(path: str | Path) -> Spot:
    """The spot for two in a file: TOML, or a tree script that begins with `#Type#`."""
    return _for_two(read_question(path))


def parse_spot(text: str) -> Spot:
    """The spot for two players in a TOML text."""
    return _for_two(parse_question(text))


def _for_two(found: Spot | ThreeWaySpot) -> Spot:
    if not isinstance(found, Spot):
        raise UsageError(
            "The spot has three players, and this is made for two; riverboat holdem solve, view,"
            " explore and drill take three."
        )
    return found


def read_question(path: str | Path) -> Spot | ThreeWaySpot:
    """The spot in a file, for two players or three."""
    text = read_text(path, _MAX_BYTES)
    if is_pio_script(text):
        return parse_pio_script(text)
    return parse_question(text, folder=Path(path).parent)


def parse_question(text: str, *, folder: Path | None = None) -> Spot | ThreeWaySpot:
    """The spot in a TOML text, for two players or three.

    Files that its ranges name are looked for in `folder`; without one they are refused, so that a
    text from elsewhere opens none.
    """
    table = parse_toml(text, "The spot")
    ranges = _table(table, "ranges", required=True)
    if len(ranges) > 3 and not set(PLAYERS) <= set(ranges):
        raise ParameterError(f"A spot has two or three players, not {len(ranges)}.")
    three = len(ranges) == 3 and not set(PLAYERS) <= set(ranges)
    keys = ("board", "pot", "stack", "dead", "ranges", "rake", "sizes", "tree", "payouts")
    if three and "payouts" in table:
        raise ParameterError("Three players of a spot play for chips; payouts are for two.")
    check_keys(table, (*keys, "stacks", "folded") if three else keys, "a spot")
    names: tuple[str, ...] = tuple(ranges) if three else PLAYERS
    check_keys(ranges, names, "[ranges]")
    common: dict[str, Any] = {
        "board": tuple(parse_cards(_text(table, "board"))),
        "pot": _number(table, "pot"),
        **_rake_fields(_table(table, "rake")),
        "sizes": read_sizes(_table(table, "sizes"), names),
        "tree": read_tree(_table(table, "tree")),
        "dead": tuple(parse_cards(_text(table, "dead"))) if "dead" in table else (),
    }
    stacks = [*_stacks(table, names)] if three else [_number(table, "stack")]
    texts = [_range_text(ranges, name) for name in names]
    common["ranges"] = read_ranges(texts, folder, names, common["pot"], stacks)
    if not three:
        payouts = _payouts(_table(table, "payouts")) if "payouts" in table else None
        return Spot(stack=stacks[0], payouts=payouts, **common)
    first, second, third = names
    return ThreeWaySpot(
        stacks=(stacks[0], stacks[1], stacks[2]),
        names=(first, second, third),
        folded=_text(table, "folded") if "folded" in table else None,
        **common,
    )


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
    if any(not isinstance(each, tuple) for each in read.get("sizes", {}).values()):
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


def _stacks(table: Mapping[str, Any], names: Sequence[str]) -> tuple[float, float, float]:
    """The stacks of three players: one for all, or a table by name."""
    if "stacks" not in table:
        return (_number(table, "stack"),) * 3
    if "stack" in table:
        raise ParameterError("A spot has a stack for all players, or stacks by name, not both.")
    given = _table(table, "stacks")
    check_keys(given, names, "[stacks]")
    first, second, third = (_number(given, name) for name in names)
    return first, second, third


def _payouts(table: Mapping[str, Any]) -> Payouts:
    check_keys(table, ("places", "others", "bounty", "stacks"), "[payouts]")
    if "places" not in table:
        raise ParameterError("[payouts] needs places, such as places = [50, 30, 20].")
    bounty = _several(table, "bounty")
    return Payouts(
        _several(table, "places"),
        _several(table, "others"),
        bounty * len(PLAYERS) if len(bounty) == 1 else bounty,
        _several(table, "stacks"),
    )


def _several(table: Mapping[str, Any], key: str) -> tuple[float, ...]:
    """One number or a list of them; none where the key is missing."""
    value = table.get(key, [])
    values = value if isinstance(value, list | tuple) else [value]
    return tuple(_number({key: each}, key) for each in values)


def check_keys(table: Mapping[str, Any], keys: Iterable[str], where: str) -> None:
    """Refuse a key that is not known, by name."""
    for key in table:
        if key not in tuple(keys):
            raise UnknownNameError.among(f"key of {where}", key, keys)


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
) -> tuple[Range, ...]:
    """The ranges of a spot's players: hands, or where a line before the flop leads."""
    from riverboat.holdem.preflop.following import is_preflop_range, solution_near, spot_range

    found = []
    for player, text in enumerate(texts):
        if not is_preflop_range(text):
            found.append(Range.parse(text))
        elif folder is None:
            raise UsageError("A range from before the flop is read in a spot's own file only.")
        else:
            find = solution_near(folder)
            found.append(spot_range(text, find, player, names, pot, stacks, report=notice))
    return tuple(found)


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


def format_spot(spot: Spot | ThreeWaySpot) -> str:
    """The TOML text of a spot; `parse_question` reads it back to the same spot."""
    names = PLAYERS if isinstance(spot, Spot) else spot.names
    out = [
        f'board = "{" ".join(card_text(card) for card in spot.board)}"',
        f"pot = {_plain(spot.pot)}",
        _stack_line(spot),
        *([f'folded = "{spot.folded}"'] if not isinstance(spot, Spot) and spot.folded else []),
        *([f'dead = "{" ".join(card_text(card) for card in spot.dead)}"'] if spot.dead else []),
        "",
        "[ranges]",
        *(
            f"{name} = {json.dumps(str(range_))}"
            for name, range_ in zip(names, spot.ranges, strict=True)
        ),
    ]
    if spot.rake_rate:
        out += ["", "[rake]", f"rate = {_plain(spot.rake_rate)}", f"cap = {_plain(spot.rake_cap)}"]
    for street in STREETS:
        if street in spot.sizes:
            out += ["", f"[sizes.{street}]"]
            for name, sizes in zip(names, spot.sizes[street], strict=True):
                out.append(f"{name} = {_sizes_table(sizes)}")
    if spot.payouts is not None:
        prizes = {
            "places": spot.payouts.places,
            "others": spot.payouts.others,
            "bounty": spot.payouts.bounties,
            "stacks": spot.payouts.stacks,
        }
        lists = {key: ", ".join(map(_plain, each)) for key, each in prizes.items() if each}
        out += ["", "[payouts]", *(f"{key} = [{text}]" for key, text in lists.items())]
    options = _tree_lines(spot.tree)
    if options:
        out += ["", "[tree]", *options]
    return "\n".join(out) + "\n"


def _stack_line(spot: Spot | ThreeWaySpot) -> str:
    if isinstance(spot, Spot):
        return f"stack = {_plain(spot.stack)}"
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


_LINE = re.compile(r"#([A-Za-z0-9_.]+)#(.*)")
_BARE = re.compile(r"\d+(?:\.\d+)?")


def is_pio_script(text: str) -> bool:
    """Whether a text is a tree script rather than TOML."""
    return any(line.strip().startswith("#Type#") for line in text.splitlines()[:20])


def parse_pio_script(text: str) -> Spot:
    """The spot that a tree script describes."""
    values: dict[str, str] = {}
    for line in text.splitlines():
        if found := _LINE.fullmatch(line.strip()):
            values[found[1]] = found[2].strip()
    if values.get("Type") != "NoLimit":
        raise FileFormatError(f"The tree script is of type {values.get('Type')}, not NoLimit.")
    if values.get("ICM.Enabled", "False").lower() == "true":
        raise FileFormatError(
            "The tree script counts in ICM; write its prizes as [payouts] of a spot in TOML."
        )
    streets = STREETS[max(0, len(parse_cards(_needed(values, "Board"))) - 3) :]
    adds = [
        _flag(values, f"{street.title()}Config{seat}.AddAllin")
        for street in streets
        for seat in ("", "IP")
    ]
    everywhere = all(adds)
    return Spot(
        board=tuple(parse_cards(_needed(values, "Board"))),
        pot=_pio_number(values, "Pot"),
        stack=_pio_number(values, "EffectiveStacks"),
        ranges=(Range.parse(_needed(values, "Range0")), Range.parse(_needed(values, "Range1"))),
        rake_rate=_rake(values)[0],
        rake_cap=_rake(values)[1],
        sizes={
            street: (
                _pio_sizes(values, street, "", not everywhere),
                _pio_sizes(values, street, "IP", not everywhere),
            )
            for street in streets
        },
        tree=_options(values, everywhere),
    )


def _options(values: dict[str, str], everywhere: bool) -> TreeOptions:
    options: dict[str, Any] = {}
    if "AllinThreshold" in values:
        options["force_allin"] = max(0.0, 1.0 - _pio_number(values, "AllinThreshold") / 100)
    if everywhere:
        key = "AddAllinOnlyIfLessThanThisTimesThePot"
        options["allin_below_spr"] = _pio_number(values, key) / 100 if key in values else 1e9
    if _flag(values, "MergeSimilarBets"):
        options["merge"] = _pio_number(values, "MergeSimilarBetsThreshold") / 100
    return TreeOptions(**options)


def _pio_sizes(values: dict[str, str], street: str, seat: str, add_allin: bool) -> PlayerSizes:
    config = f"{street.title()}Config{seat}"
    extra = (ALL_IN,) if add_allin and _flag(values, f"{config}.AddAllin") else ()

    def read(key: str, raises: bool = False) -> tuple[BetSize, ...]:
        # A bare number is a percentage there.
        words = re.split(r"[,\s]+", values.get(f"{config}.{key}", "").strip())
        text = ",".join(word + "%" if _BARE.fullmatch(word) else word for word in words)
        return tuple(dict.fromkeys((*parse_sizes(text, f"{config}.{key}", raises=raises), *extra)))

    donk = None
    if not seat:
        given = values.get(f"{config}.DonkBetSize", "").strip()
        donk = read("DonkBetSize") if given else ()
    return PlayerSizes(bet=read("BetSize"), raises=read("RaiseSize", True), donk=donk)


def _rake(values: dict[str, str]) -> tuple[float, float]:
    if not _flag(values, "Rake.Enabled"):
        return 0.0, 0.0
    return _pio_number(values, "Rake.Fraction"), _pio_number(values, "Rake.Cap")


def _needed(values: dict[str, str], key: str) -> str:
    if not values.get(key):
        raise FileFormatError(f"The tree script has no #{key}#.")
    return values[key]


def _pio_number(values: dict[str, str], key: str) -> float:
    text = _needed(values, key)
    try:
        return float(text)
    except ValueError:
        raise FileFormatError(f"#{key}# of the tree script is no number: {text!r}.") from None


def _flag(values: dict[str, str], key: str) -> bool:
    return values.get(key, "False").lower() == "true"
