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
from typing import Any

from riverboat.cards.card import parse_cards
from riverboat.cards.ranges import Range
from riverboat.errors import FileFormatError
from riverboat.holdem.spots.bet_sizes import (
    ALL_IN,
    STREETS,
    BetSize,
    PlayerSizes,
    TreeOptions,
    parse_sizes,
)

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


def _options(values: dict[str, str], everywhere: bool) -> TreeOptions:
    options: dict[str, Any] = {}
    if "AllinThreshold" in values:
        options["force_allin"] = max(0.0, 1.0 - _number(values, "AllinThreshold") / 100)
    if everywhere:
        key = "AddAllinOnlyIfLessThanThisTimesThePot"
        options["allin_below_spr"] = _number(values, key) / 100 if key in values else 1e9
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
