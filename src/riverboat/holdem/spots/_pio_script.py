"""Tree scripts of PioSOLVER's viewer: the fields of a spot from lines `#Key#Value`.

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

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from riverboat.cards.card import card_text, parse_cards
from riverboat.cards.ranges import Range
from riverboat.errors import FileFormatError, UsageError
from riverboat.holdem.rules.betting import Street
from riverboat.holdem.spots.bet_sizes import (
    ALL_IN,
    STREETS,
    BetSize,
    PlayerSizes,
    TreeOptions,
    parse_sizes,
)

if TYPE_CHECKING:
    from riverboat.holdem.spots.spot import Spot

NO_SPR = 1e9
"""The stack, in pots, below which all-in is added where a script names no limit: any."""
_LINE = re.compile(r"#([A-Za-z0-9_.]+)#(.*)")
_BARE = re.compile(r"\d+(?:\.\d+)?")


def is_pio_script(text: str) -> bool:
    """Whether a text is a tree script rather than TOML."""
    return any(line.strip().startswith("#Type#") for line in text.splitlines()[:20])


def parse_pio_script(text: str) -> dict[str, Any]:
    """The fields of the spot that a tree script describes."""
    values: dict[str, str] = {}
    for line in text.splitlines():
        if match := _LINE.fullmatch(line.strip()):
            values[match[1]] = match[2].strip()
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
    rate, cap = _rake(values)
    return {
        "board": tuple(parse_cards(_needed(values, "Board"))),
        "pot": _number(values, "Pot"),
        "stack": _number(values, "EffectiveStacks"),
        "ranges": (Range.parse(_needed(values, "Range0")), Range.parse(_needed(values, "Range1"))),
        "rake_rate": rate,
        "rake_cap": cap,
        "sizes": {
            street: tuple(_sizes(values, street, seat, not everywhere) for seat in ("", "IP"))
            for street in streets
        },
        "tree": _options(values, everywhere),
    }


def format_pio_script(spot: Spot) -> str:
    """The tree script of a spot; `parse_pio_script` reads it back to the same tree.

    What a script cannot say is refused.
    """
    if reason := _unsaid(spot):
        raise UsageError(f"A script of PioSOLVER cannot say {reason}; take the spot's TOML.")
    lines = {
        "Type": "NoLimit",
        "Range0": str(spot.ranges[0]),
        "Range1": str(spot.ranges[1]),
        "Board": " ".join(map(card_text, spot.board)),
        "Pot": f"{spot.pot:.10g}",
        "EffectiveStacks": f"{spot.stack:.10g}",
        "AllinThreshold": f"{100 * (1 - spot.tree.force_allin):.10g}",
    }
    if 0 < spot.tree.allin_below_spr < NO_SPR:
        key = "AddAllinOnlyIfLessThanThisTimesThePot"
        lines[key] = f"{100 * spot.tree.allin_below_spr:.10g}"
    if spot.tree.merge:
        lines["MergeSimilarBets"] = "True"
        lines["MergeSimilarBetsThreshold"] = f"{100 * spot.tree.merge:.10g}"
    if spot.rake_rate:
        lines |= {
            "Rake.Enabled": "True",
            "Rake.Fraction": f"{spot.rake_rate:.10g}",
            "Rake.Cap": f"{spot.rake_cap:.10g}",
        }
    lines |= dict(_config_lines(spot))
    return "".join(f"#{key}#{text}\n" for key, text in lines.items())


def _unsaid(spot: Spot) -> str:
    """What a script has no words for; empty where it can say all of a spot."""
    tree = spot.tree
    for applies, words in (
        (spot.num_players > 2, "three players"),
        (spot.game != "holdem", f"that the game is {spot.game}"),
        (spot.payouts is not None, "which prizes are played for"),
        (bool(spot.dead), "which cards are dead"),
        (tree.raises is not None, "how many raises a street has"),
        (bool(tree.add or tree.remove or tree.lines), "which lines are added or removed"),
    ):
        if applies:
            return words
    return ""


def _config_lines(spot: Spot) -> Iterator[tuple[str, str]]:
    """The sizes of each street and player; a bare number is a percentage there."""

    def words(sizes: tuple[BetSize, ...]) -> str:
        return ",".join(s.text.removesuffix("%") if s.kind == "%" else s.text for s in sizes)

    add_allin = str(spot.tree.allin_below_spr > 0)
    for number, street in enumerate(STREETS, Street.FLOP):
        if number < spot.street:
            continue
        for player, seat in enumerate(("", "IP")):
            own = spot.sizes_on(Street(number), player)
            config = f"{street.title()}Config{seat}"
            yield f"{config}.BetSize", words(own.bet)
            yield f"{config}.RaiseSize", words(own.raises)
            if not seat:
                yield f"{config}.DonkBetSize", words(own.bet if own.donk is None else own.donk)
            yield f"{config}.AddAllin", add_allin


def _options(values: dict[str, str], everywhere: bool) -> TreeOptions:
    options: dict[str, Any] = {}
    if "AllinThreshold" in values:
        options["force_allin"] = max(0.0, 1.0 - _number(values, "AllinThreshold") / 100)
    if everywhere:
        key = "AddAllinOnlyIfLessThanThisTimesThePot"
        options["allin_below_spr"] = _number(values, key) / 100 if key in values else NO_SPR
    if _flag(values, "MergeSimilarBets"):
        options["merge"] = _number(values, "MergeSimilarBetsThreshold") / 100
    return TreeOptions(**options)


def _sizes(values: dict[str, str], street: str, seat: str, add_allin: bool) -> PlayerSizes:
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
    return _number(values, "Rake.Fraction"), _number(values, "Rake.Cap")


def _needed(values: dict[str, str], key: str) -> str:
    if not values.get(key):
        raise FileFormatError(f"The tree script has no #{key}#.")
    return values[key]


def _number(values: dict[str, str], key: str) -> float:
    text = _needed(values, key)
    try:
        return float(text)
    except ValueError:
        raise FileFormatError(f"#{key}# of the tree script is no number: {text!r}.") from None


def _flag(values: dict[str, str], key: str) -> bool:
    return values.get(key, "False").lower() == "true"
