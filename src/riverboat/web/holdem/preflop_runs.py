"""All-in or fold solved from a page: the job gets the game's keys, the library its solution."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from riverboat.errors import ParameterError, UsageError
from riverboat.web.app.library import Library
from riverboat.web.app.problems import about
from riverboat.web.background import Job, Jobs, Workplace

FIELDS = {
    "stacks": "Stacks",
    "blinds": "Blinds",
    "ante": "Ante of each player",
    "places": "Prizes, if any",
}
"""Fields of the form and their labels."""
FIRST = {"stacks": "10, 10", "blinds": "0.5, 1", "ante": "0", "places": ""}
"""What the form has at first."""
MAX_SHOWN = 40  # Characters of a wrong word that a message repeats


def keys_of_form(form: Mapping[str, str]) -> dict[str, Any]:
    """The keys of the game that a form describes; what is wrong is said at its field."""
    lists = {}
    for name, label in FIELDS.items():
        with about(name):
            lists[name] = _numbers(label, form.get(name, ""))
    with about("blinds"):
        if len(lists["blinds"]) != 2:
            raise ParameterError("Blinds takes two numbers, for example 0.5, 1.")
    with about("ante"):
        if len(lists["ante"]) > 1:
            raise ParameterError("Ante of each player takes one number, for example 0.1.")
    keys: dict[str, Any] = {"game": "push-fold", **{k: lists[k] for k in ("stacks", "blinds")}}
    if lists["ante"]:
        keys["ante"] = lists["ante"][0]
    if lists["places"]:
        keys["payouts"] = {"places": lists["places"]}
    return keys


def _numbers(label: str, text: str) -> list[float]:
    """The numbers of a field, apart by commas or spaces."""
    example = "10, 10" if label != FIELDS["ante"] else "0.1"
    numbers = []
    for word in text.replace(",", " ").split():
        try:
            numbers.append(float(word))
        except ValueError:
            shown = word if len(word) <= MAX_SHOWN else f"{word[:MAX_SHOWN]}…"
            raise ParameterError(
                f"{label} takes numbers such as {example}, not {shown!r}."
            ) from None
    return numbers


@dataclass(frozen=True)
class PreflopOrder:
    """The keys of a game of all-in or fold, as JSON."""

    keys: str
    resumable: ClassVar[bool] = True  # A killed one is solved from its start

    @classmethod
    def of_keys(cls, keys: Mapping[str, Any]) -> PreflopOrder:
        return cls(json.dumps(keys, sort_keys=True))

    def parts(self) -> tuple[str, ...]:
        return ("game",)

    @property
    def title(self) -> str:
        """The game in words."""
        keys = json.loads(self.keys)
        stacks = "/".join(f"{stack:g}" for stack in keys.get("stacks", ()))
        return f"All-in or fold, {stacks} big blinds"

    def check(self) -> None:
        """Refuse a game that cannot be, or that takes more than a page should start."""
        from riverboat.holdem.preflop.questions import game_of_keys

        keys = json.loads(self.keys)
        if keys.get("game") != "push-fold":
            raise UsageError("A page solves all-in or fold only.")
        game_of_keys(keys)

    def as_dict(self) -> dict[str, Any]:
        return {"keys": self.keys}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> PreflopOrder:
        return cls(str(data["keys"]))

    @classmethod
    def warm_up(cls) -> None:
        import riverboat.holdem.preflop.allin_solver  # noqa: F401

    def work(self, place: Workplace) -> dict[str, Any]:
        """Solve, and put the solution into the library under a name of its own."""
        from riverboat.holdem.preflop.allin_solver import solve_preflop
        from riverboat.holdem.preflop.questions import game_of_keys

        def report(now: Any) -> None:
            place.report("point", [now.iterations, now.seconds, now.share])

        def counting(share: float) -> None:
            place.report("facts", {"counted": share})

        game: Any = game_of_keys(json.loads(self.keys))
        solution = solve_preflop(game, progress=report, counting=counting)
        library = Library(place.folder.parents[2])
        name = library.free_name("all-in-" + "-".join(f"{stack:g}" for stack in game.stacks))
        solution.save(library.path(name))
        return {"file": name}


class PreflopRun(Job[PreflopOrder]):
    """A game that is being solved."""

    @property
    def file(self) -> str:
        """The name of the solution in the library; empty until there is one."""
        return str(self.parts[0].facts.get("file", ""))

    @property
    def words(self) -> str:
        """How far it is, or what went wrong."""
        part = self.parts[0]
        if not part.active:
            return part.state
        if part.points:
            done, seconds, share = part.points[-1]
            return f"{done:,.0f} iterations in {seconds:.1f} s, {share:.0%} of the way"
        if "counted" in part.facts:
            counted = f"{part.facts['counted']:.0%}"
            return f"Counting every deal of three hands, once on this machine: {counted}"
        return "The solver starts …"


class PreflopRuns(Jobs[PreflopRun]):
    """All games of a server that were solved from its page; one at a time."""

    def __init__(self, folder: Path) -> None:
        address = "/holdem/preflop?run={}"
        super().__init__(folder, PreflopOrder, PreflopRun, address=address, at_once=1)
