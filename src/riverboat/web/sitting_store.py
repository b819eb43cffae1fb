"""Sittings that outlive a reload and a restart.

A sitting is its settings, its seed and what the person did: from these it is played again, card
for card. One small file each, written whole or not at all.
"""

from __future__ import annotations

import json
import re
import secrets
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from riverboat.errors import RiverboatError, StorageError
from riverboat.strategies.files import atomic_write

__all__ = ["Kept", "SittingStore"]

MOST_ACTIONS = 20_000
"""A sitting that went on for so long begins anew."""
MOST_FILES = 300
"""The oldest sittings are forgotten beyond this."""
_NAME = re.compile(r"[A-Za-z0-9_-]{8,32}")


@dataclass
class Kept:
    """What a sitting needs to be played again."""

    game: str
    parameters: dict[str, str] = field(default_factory=dict)
    against: str = ""
    seat: int = 0
    seed: int = 0
    actions: list[str] = field(default_factory=list)
    """What the person did, "next" for the next hand."""
    name: str = field(default_factory=lambda: secrets.token_urlsafe(8))


class SittingStore:
    """A folder of sittings."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def save(self, kept: Kept) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        atomic_write(self.folder / f"{kept.name}.json", json.dumps(asdict(kept)))

    def load(self, name: str) -> Kept | None:
        """The sitting of that name; None where there is none or it cannot be read."""
        if not _NAME.fullmatch(name):
            return None
        try:
            raw = json.loads((self.folder / f"{name}.json").read_text())
            return _checked(raw) if raw.get("name") == name else None
        except (OSError, ValueError, TypeError, AttributeError, RiverboatError):
            return None

    def tidy(self) -> None:
        """Forget the oldest beyond MOST_FILES, and what is older than a month."""
        if not self.folder.is_dir():
            return
        files = sorted(self.folder.glob("*.json"), key=lambda path: -path.stat().st_mtime)
        month = time.time() - 31 * 86_400
        for i, path in enumerate(files):
            if i >= MOST_FILES or path.stat().st_mtime < month:
                path.unlink(missing_ok=True)


def _checked(raw: dict[str, Any]) -> Kept:
    kept = Kept(**raw)
    good = (
        isinstance(kept.game, str)
        and isinstance(kept.parameters, dict)
        and isinstance(kept.against, str)
        and isinstance(kept.seat, int)
        and isinstance(kept.seed, int)
        and isinstance(kept.actions, list)
        and all(isinstance(action, str) for action in kept.actions)
    )
    if not good or len(kept.actions) > MOST_ACTIONS:
        raise StorageError("The sitting is damaged.")
    return kept
