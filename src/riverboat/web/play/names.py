"""Names of people at a table: cleaned, and never to be taken for another's.

Two names that look the same count as the same: letters of other alphabets that look like Latin
ones ("Аda" with a Cyrillic А), small capitals, 0 and o, 1 and l, and marks that cannot be seen.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from itertools import pairwise

from riverboat.drawing.html import Markup, tag
from riverboat.errors import UsageError

LONGEST_NAME = 24
_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
"""Unicode categories of what cannot be seen, among them marks that turn the direction of text."""
_BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"  # Letters and signs of no ink
_RESERVED = ("bot", "you", "teacher", "dealer", "a student")  # What pages call others
_LOOKS = {
    "a": "аАαΑꓮᎪᴀ", "b": "ВΒЬьЪъβꓐᏴʙ", "c": "сСϲϹꓚᏟᴄ", "d": "ԁꓓᎠᴅ", "e": "еЕёЁεΕꓰᎬᴇ", "f": "Ϝꓝꜰ",
    "g": "ԍցꓖᏀɢ", "h": "НΗһհҺꓧᎻʜ", "i": "іІїЇιΙıꓲᎥɪ", "j": "јЈϳꓙᎫᴊ", "k": "кКκΚꓗᏦᴋ",
    "l": "ӏӀ1|ꓡᏞʟ", "m": "мМΜꓟᎷᴍ", "n": "пηΝոꓠɴ", "o": "оОοΟσօՕ0ꓳᴏ", "p": "рРρΡꓑᏢᴘ", "q": "ԛ",
    "r": "ꓣᎡᏒʀ", "s": "ѕЅՏꓢᏚꜱ", "t": "тТτΤꓔᎢᴛ", "u": "υսμꓴᴜ", "v": "νѵѴꓦᏙᴠ", "w": "ԝωшШꓪᎳᏔᴡ",
    "x": "хХχΧꓫ", "y": "уУΥүҮγꓬᎩʏ", "z": "ΖꓜᏃᴢ",
}  # fmt: skip
"""Latin letter → what looks like it in Cyrillic, Greek, Armenian, Lisu, Cherokee, small capitals
and digits."""
_SHAPES = str.maketrans({other: letter for letter, all_ in _LOOKS.items() for other in all_})
_ALPHABETS = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU")
"""Alphabets whose letters look like each other's; a name is written in one of them."""


def plain_name(name: str) -> str:
    """A name as it is shown; refused where it is empty, too long or made to mislead."""
    seen = "".join(c for c in name if _is_seen(c) or c.isspace())
    plain = unicodedata.normalize("NFC", " ".join(seen.split()))
    if not plain:
        raise UsageError("Write a name.")
    if len(plain) > LONGEST_NAME:
        raise UsageError(f"A name has at most {LONGEST_NAME} letters, not {len(plain)}.")
    if any(unicodedata.combining(a) and unicodedata.combining(b) for a, b in pairwise(plain)):
        raise UsageError("Write the name without marks on top of each other.")
    alphabets = {found for c in plain if (found := _alphabet(c))}
    if len(alphabets) > 1:
        words = " and ".join(sorted(each.capitalize() for each in alphabets))
        raise UsageError(f"This name mixes {words} letters; write it in one alphabet.")
    return plain


def check_new_name(name: str, taken: Iterable[str]) -> str:
    """A plain name that looks like none of those taken, or a refusal."""
    plain = plain_name(name)
    shape = _shape(plain)
    if shape in map(_shape, _RESERVED) or shape.endswith(("(bot)", "(you)")):
        raise UsageError(f"{plain} would be taken for someone else; take another name.")
    for other in taken:
        if _shape(other) == shape:
            raise UsageError(f"There is a {other} already; take another name.")
    return plain


def _is_seen(letter: str) -> bool:
    return unicodedata.category(letter) not in _UNSEEN and letter not in _BLANK


def _alphabet(letter: str) -> str:
    word = unicodedata.name(letter, "").partition(" ")[0] if letter.isalpha() else ""
    return word if word in _ALPHABETS else ""


def _shape(name: str) -> str:
    """What a name looks like from afar: two names of one shape are easily confused."""
    base = unicodedata.normalize("NFKD", name.translate(_SHAPES))
    letters = "".join(c for c in base if not unicodedata.combining(c)).translate(_SHAPES)
    folded = (
        letters.casefold()
        .translate(_SHAPES)
        .replace("i", "l")
        .replace("rn", "m")
        .replace("vv", "w")
    )
    return "".join(folded.split())


def isolated(name: str) -> Markup:
    """A name in a line of other words: one written from right to left turns nothing else."""
    return tag("bdi", name)
