"""Where Riverboat keeps files of its own: what a person made, and tables that can be made again.

$RIVERBOAT_DATA and $RIVERBOAT_CACHE name the folders; without them they are riverboat/ below
$XDG_DATA_HOME or ~/.local/share, and below $XDG_CACHE_HOME or ~/.cache.
"""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["cache_folder", "data_folder"]


def data_folder() -> Path:
    """For records, places in lessons and tournaments."""
    return _folder("RIVERBOAT_DATA", "XDG_DATA_HOME", ".local/share")


def cache_folder() -> Path:
    """For look-up tables; whatever is lost there is computed again."""
    return _folder("RIVERBOAT_CACHE", "XDG_CACHE_HOME", ".cache")


def _folder(own: str, shared: str, usual: str) -> Path:
    if os.environ.get(own):
        return Path(os.environ[own])
    return Path(os.environ.get(shared) or Path.home() / usual) / "riverboat"
