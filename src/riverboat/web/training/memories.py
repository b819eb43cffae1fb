"""The memories of those who train at this server, each read once and then followed."""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path

from riverboat.arena.memory import Memory, people, person_file

MAX_MEMORIES = 50
"""Memories that stay read; beyond that the one used longest ago is read again when it is asked."""


class Memories:
    """The memories of a folder, the same files that the terminal uses.

    `read` gives a copy, so that a page holds no lock while it draws a question; what is noted in it
    is appended to the file, and the next copy has it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._known: OrderedDict[Path, Memory] = OrderedDict()
        self._lock = threading.Lock()

    def read(self, person: str) -> Memory:
        """The answers of a person so far; none for a new name."""
        path = person_file(self.folder, person)
        with self._lock:
            memory = self._known.get(path)
            if memory is None or not path.is_file():
                memory = Memory.of(person, self.folder)
            else:
                memory.refresh()
            self._known[path] = memory
            self._known.move_to_end(path)
            while len(self._known) > MAX_MEMORIES:
                self._known.popitem(last=False)
            return memory.copy()

    def everyone(self) -> list[Memory]:
        """The memories of all who have one."""
        return [self.read(person) for person in people(self.folder)]
