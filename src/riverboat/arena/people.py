"""Those who train, by their names: another name for a memory, and the end of one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from riverboat.arena.memory import append, header_line, people, person_file, person_name
from riverboat.errors import StorageError, UsageError


def known_file(folder: Path, person: str) -> Path:
    """The file of a person who has a memory below a folder."""
    path = person_file(folder, person)
    if not path.is_file():
        names = ", ".join(people(folder))
        known = f"there are: {names}" if names else "nobody has trained here yet"
        raise UsageError(f"There is no memory of {person_name(person)}; {known}.")
    return path


def rename_person(folder: Path, old: str, new: str) -> str:
    """Give a person another name; one that is taken is refused. Returns the new name.

    The name is appended to the file, which then moves: an answer that another program notes
    meanwhile is not lost.
    """
    source, target = known_file(folder, old), person_file(folder, new)
    name = person_name(new)
    with _in_a_sentence(f"rename {source}"):
        if target != source:
            try:
                os.link(source, target)  # refuses a name that is taken, which a rename would not
            except FileExistsError:
                raise UsageError(f"There is a {name} already; take another name.") from None
            source.unlink()
        append(target, header_line(name))
    return name


def delete_person(folder: Path, person: str) -> None:
    """Delete all answers of a person."""
    path = known_file(folder, person)
    with _in_a_sentence(f"delete {path}"):
        path.unlink()


@contextmanager
def _in_a_sentence(what: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = (error.strerror or "unknown error").lower()
        raise StorageError(f"Cannot {what}: {reason}.") from error
