"""Texts that were pasted or uploaded, kept under names that their contents give.

So an address can say "this text", works after a restart, and the same text is kept once.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from riverboat.errors import UsageError
from riverboat.runtime.storage import atomic_write, read_text

MAX_BYTES = 2_000_000
MAX_FILES = 500
"""Texts that are kept; of more the oldest go."""
_NAME = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True)
class PastedTexts:
    """A folder with a file for each text."""

    folder: Path

    def keep(self, text: str) -> str:
        """Keep a text; returns its name."""
        data = text.encode()
        if not text.strip():
            raise UsageError("There is no text to read.")
        if len(data) > MAX_BYTES:
            raise UsageError(f"A text has at most {MAX_BYTES / 1e6:.0f} MB.")
        self.folder.mkdir(parents=True, exist_ok=True)
        name = hashlib.sha256(data).hexdigest()[:16]
        atomic_write(self._path(name), data, mode=0o600)
        files = sorted(self.folder.glob("*.txt"), key=lambda path: path.stat().st_mtime)
        for path in files[:-MAX_FILES]:
            path.unlink(missing_ok=True)
        return name

    def read(self, name: str) -> str:
        """The text of a name; refused where there is none."""
        if not _NAME.fullmatch(name) or not self._path(name).is_file():
            raise UsageError("The text of this address is not kept any more; paste it again.")
        return read_text(self._path(name), MAX_BYTES)

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.txt"
