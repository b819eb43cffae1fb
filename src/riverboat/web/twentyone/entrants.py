"""The entrants of a tournament as they are typed; files are those of the library, by name."""

from __future__ import annotations

from riverboat.errors import UnknownNameError, UsageError
from riverboat.players.roster import known_players, parse_spec
from riverboat.web.app.library import Library

MAX_ENTRANTS, MAX_NAME = 60, 40
USUAL_ENTRANTS = "\n".join(
    [f"basic {i + 1} = basic" for i in range(12)] + [f"random {i + 1} = random" for i in range(6)]
)


def entrants_of(text: str, library: Library) -> list[tuple[str, str]]:
    """Name and player of each line; files are those of the library, by their names."""
    found = []
    for line in text.splitlines():
        name, equals, spec = (part.strip() for part in line.partition("="))
        if not name:
            continue
        if len(name) > MAX_NAME:
            raise UsageError(f"A name has at most {MAX_NAME} letters, not {len(name)}.")
        found.append((name, _of_library(spec if equals else name, library)))
    if not 2 <= len(found) <= MAX_ENTRANTS:
        raise UsageError(f"A tournament has 2 to {MAX_ENTRANTS} entrants, not {len(found)}.")
    return found


def _of_library(text: str, library: Library) -> str:
    """A player's text with the library's folder before the names of files.

    A path is refused before anything is opened, so that nothing is revealed about other files.
    """
    if any(mark in text for mark in ("/", "\\", "..", "~")):
        raise UsageError("A player's file is one of the library, named without a folder.")
    spec = parse_spec(text)
    if spec.name == "python" or ".py" in text:
        raise UsageError(
            "A program of your own plays over TCP here, with riverboat twentyone player --bot."
        )
    head, options = spec.name, dict(spec.options)
    if spec.name not in known_players():
        if not _is_saved(text.partition("?")[0], library):
            raise UnknownNameError.among("player", spec.name, known_players())
        head = _saved(text.partition("?")[0], library)
    elif spec.argument and spec.name != "openspiel":  # whose argument is the name of a bot
        head = f"{spec.name}:{_saved(spec.argument, library)}"
    elif spec.argument:
        head = f"{spec.name}:{spec.argument}"
    if "memory" in options:
        options["memory"] = _saved(options["memory"], library)
    query = "&".join(f"{key}={value}" for key, value in options.items())
    return f"{head}?{query}" if query else head


def _is_saved(name: str, library: Library) -> bool:
    return bool(name) and not name.startswith(".") and library.path(name).is_file()


def _saved(name: str, library: Library) -> str:
    """The path of a file of the library; nothing else is looked at."""
    if not _is_saved(name, library):
        raise UsageError(f"There is no {name} in the library.")
    return str(library.path(name))
