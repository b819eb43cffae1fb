"""Output that never ends in a traceback: other encodings than UTF-8, a full disk, a closed pipe.

A character that the encoding does not have is written in ASCII (`-` for a line, `#` for a bar), a
byte of a file name that is not UTF-8 as `\\xe9`.
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys
import unicodedata

__all__ = ["drop_output", "is_full", "make_output_safe", "plain"]

_ASCII = {
    "−": "-",
    "–": "-",
    "—": "-",
    "‐": "-",
    "‘": "'",
    "’": "'",
    "“": '"',
    "”": '"',
    "…": "...",
    "·": ".",
    "•": "*",
    "×": "x",
    "÷": "/",
    "±": "+-",
    "≈": "~",
    "≠": "!=",
    "≤": "<=",
    "≥": ">=",
    "∞": "inf",
    "√": "sqrt",
    "→": ">",
    "←": "<",
    "↑": "^",
    "↓": "v",
    "▶": ">",
    "◀": "<",
    "▲": "^",
    "▼": "v",
    "●": "*",
    "○": "o",
    "✓": "+",
    "✗": "x",
    "♠": "s",
    "♥": "h",
    "♦": "d",
    "♣": "c",
    "░": ".",
    "▒": ":",
    "▓": "#",
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "ε": "eps",
    "μ": "mu",
    "σ": "sigma",
    "µ": "u",
    "Δ": "D",
    "Σ": "S",
    "↔": "<>",
    "§": "S",
    "ø": "o",
}
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}


def plain(character: str) -> str:
    """A character in ASCII."""
    code = ord(character)
    if character in _ASCII:
        return _ASCII[character]
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if 0x2500 <= code < 0x2580:  # box drawing
        return _box(unicodedata.name(character))
    if 0x2580 <= code < 0x25A0:  # blocks, by how much of the cell they fill
        return " " if "ONE EIGHTH" in unicodedata.name(character) else "#"
    if 0x2800 <= code < 0x2900:  # braille, as spinners and plots use it
        return "*" if code > 0x2800 else " "
    plain = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
    return plain or "?"


def _box(name: str) -> str:
    across = "HORIZONTAL" in name or "LEFT" in name or "RIGHT" in name
    along = "VERTICAL" in name or "UP" in name or "DOWN" in name
    return "+" if across and along else "-" if across else "|"


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(plain, error.object[error.start : error.end])), error.end


def make_output_safe() -> None:
    """Prepare standard output and standard error for whatever is printed."""
    codecs.register_error("riverboat", _in_ascii)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by the caller: `riverboat … >&-`
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="riverboat")


def is_full(error: OSError) -> bool:
    """Whether an error means that what was written found no room."""
    return error.errno in _FULL


def drop_output() -> None:
    """Send what is still to be written nowhere, so that the interpreter can end in peace."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            try:
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, stream.fileno())
            except (OSError, ValueError):  # no real file behind it
                continue
