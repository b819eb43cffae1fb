"""Text for encodings that lack a character: `-` stands for a line, `#` for a bar.

A byte of a file name that is not UTF-8 is written as `\\xe9`.
"""

from __future__ import annotations

import unicodedata

_ASCII = {
    pair[0]: pair[1:]
    for pair in (  # noqa: SIM905
        "−- –- —- ‐- ‘' ’' “\" ”\" …... ·. •* ×x ÷/ ±+- ≈~ ≠!= ≤<= ≥>= ∞inf √sqrt →> ←< ↑^ ↓v ▶> "
        "◀< ▲^ ▼v ●* ○o ✓+ ✗x ♠s ♥h ♦d ♣c ░. ▒: ▓# αalpha βbeta γgamma εeps μmu σsigma µu ΔD ΣS "
        "↔<> §S øo "
    ).split()
}
"""Characters and what stands for them in ASCII."""


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


def in_ascii(error: UnicodeError) -> tuple[str, int]:
    """What stands for characters that cannot be encoded: an error handler for codecs."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(plain, error.object[error.start : error.end])), error.end
