"""What the teacher's desk says about showing it to the class."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from riverboat.web.classroom.room import Classroom, Shown


@dataclass(frozen=True)
class Showing:
    """How a state of the desk stands to what the class sees."""

    address: str
    chapter: str
    here: bool
    """Whether the class sees exactly this state."""
    follows: bool
    """Whether the class follows to this state by itself: another node of the spot that is shown,
    or another chapter of the same study."""
    any: bool
    """Whether anything is shown."""

    @property
    def page(self) -> str:
        """The address of the desk, with its chapter."""
        return desk_address(Shown(self.address, chapter=self.chapter))


def desk_address(shown: Shown) -> str:
    """The teacher's desk in the state that is shown."""
    if not shown.chapter:
        return shown.address
    join = "&" if "?" in shown.address else "?"
    return f"{shown.address}{join}{urlencode({'chapter': shown.chapter})}"


def showing(room: Classroom | None, address: str, chapter: str) -> Showing | None:
    """How a state of the desk stands to what the class sees; None without a class."""
    if room is None:
        return None
    shown = room.shown
    if shown is None:
        return Showing(address, chapter, here=False, follows=False, any=False)
    here = (shown.address, shown.chapter) == (address, chapter)
    same_spot = shown.address.partition("?")[0] == address.partition("?")[0]
    study, own = shown.chapter.rpartition("/")[0], chapter.rpartition("/")[0]
    follows = not here and (same_spot or bool(study and study == own))
    return Showing(address, chapter, here=here, follows=follows, any=True)
