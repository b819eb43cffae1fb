"""Names of people at a table: cleaned, and not the same as another's but for case or spaces."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from itertools import pairwise

from riverboat.errors import UsageError

LONGEST_NAME = 24
_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
"""Unicode categories of what cannot be seen, among them marks that turn the direction of text."""
_BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"  # Letters and signs of no ink
_RESERVED = ("bot", "you", "teacher", "dealer", "a student")  # What pages call others


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
    return plain


def check_new_name(name: str, taken: Iterable[str]) -> str:
    """A plain name that is none of those taken, or a refusal."""
    plain = plain_name(name)
    folded = _folded(plain)
    if folded in map(_folded, _RESERVED) or folded.endswith(("(bot)", "(you)")):
        raise UsageError(f"{plain} would be taken for someone else; take another name.")
    for other in taken:
        if _folded(other) == folded:
            raise UsageError(f"There is a {other} already; take another name.")
    return plain


def _is_seen(letter: str) -> bool:
    return unicodedata.category(letter) not in _UNSEEN and letter not in _BLANK


def _folded(name: str) -> str:
    """The name without case, spaces and compatibility forms, to compare with others."""
    return "".join(unicodedata.normalize("NFKC", name).casefold().split())
