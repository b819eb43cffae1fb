"""The time of the commands that remember days."""

from __future__ import annotations

from datetime import datetime


def now() -> datetime:
    """This moment, with the zone of this machine."""
    return datetime.now().astimezone()
