"""Whom a page trains, and what it asks: from the address, or the cookie of the browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from starlette.requests import Request

from riverboat.arena.drill import Verdict
from riverboat.arena.hand_drill import HandDrill
from riverboat.arena.memory import (
    MISTAKES,
    Memory,
    Question,
    Wanted,
    again_words,
    people,
    person_name,
)
from riverboat.errors import RiverboatError, UsageError

if TYPE_CHECKING:
    from riverboat.web.site import Site

COOKIE = "trains"
"""The key of the cookie's session under which the name is."""
KIND_WORDS = {"up": "dealer's card", "hand": "kind of hand", "facing": "what you face"}
"""Kinds of groups whose names say too little, in words."""
MAX_WORDS = 40
"""Groups in an address."""


@dataclass(frozen=True)
class Chip:
    """A group that can be asked about alone, as a link that takes it in or out."""

    words: str
    address: str
    on: bool


@dataclass(frozen=True)
class Trainee:
    """Who trains, and what is asked. Without a name nothing is remembered."""

    person: str
    memory: Memory
    wanted: Wanted
    now: datetime
    named: bool = False  # Whether the name stands in the address
    names: Sequence[str] = ()  # Of all who have a memory
    problem: str = ""  # Why the address cannot be followed, in a sentence
    here: str = ""  # The address of the page without name and groups
    deck: str = ""
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def trained(self) -> bool:
        """Whether questions are chosen: by a memory, or by groups."""
        return bool(self.person or self.wanted.words)

    @property
    def due(self) -> int:
        """Questions of this drill that come again today."""
        return len(self.memory.due(self.now, self.deck)) if self.deck else 0

    @property
    def num_mistakes(self) -> int:
        """Questions of this drill that were missed before."""
        return len(self.memory.mistakes(self.deck)) if self.deck else 0

    def pairs(self, words: Sequence[str] | None = None) -> list[tuple[str, str]]:
        """Name and groups as an address has them."""
        given = self.wanted.words if words is None else words
        named = [("person", self.person)] if self.named else []
        return [*named, *(("only", word) for word in given)]

    @property
    def tail(self) -> str:
        """What an address that has a query already needs: `&only=street%3Dturn`."""
        pairs = self.pairs()
        return f"&{urlencode(pairs)}" if pairs else ""

    @property
    def whole(self) -> str:
        """The address of the page with name and groups."""
        return self._address(self.wanted.words)

    @property
    def chosen_back(self) -> str:
        """The address to return to when another name was chosen."""
        return joined(self.here, [("only", word) for word in self.wanted.words])

    def _address(self, words: Sequence[str]) -> str:
        return joined(self.here, self.pairs(words))

    @property
    def without_groups(self) -> str:
        """The address that asks about everything."""
        return self._address(())

    @property
    def chips(self) -> dict[str, list[Chip]]:
        """Kind → its groups as links; own mistakes are a kind of their own."""
        chosen = self.wanted.words
        kinds = {
            kind: [(group, f"{kind}={group}".lower()) for group in groups]
            for kind, groups in self.groups.items()
        }
        if self.person:
            kinds[""] = [("own mistakes", MISTAKES)]
        return {
            KIND_WORDS.get(kind, kind): [
                Chip(text, self._toggled(word), word in chosen) for text, word in pairs
            ]
            for kind, pairs in kinds.items()
        }

    def _toggled(self, word: str) -> str:
        chosen = self.wanted.words
        others = tuple(each for each in chosen if each != word)
        return self._address(others if word in chosen else (*chosen, word))

    def deal(self, drill: HandDrill[Any]) -> None:
        """Deal the next hand of a drill."""
        if self.trained:
            drill.deal_to_train(self.memory, self.now, self.wanted)
        else:
            drill.deal_to_decide()

    def note(self, question: Question, verdict: Verdict) -> None:
        """Remember an answer, where there is a name to remember it by."""
        if self.person:
            self.memory.note(question, verdict, self.now)

    def again(self, question: Question) -> str:
        """When a question that was answered comes again, as a sentence; "" without a name."""
        if not self.person:
            return ""
        return again_words(self.memory.schedule_of(question), self.now)


def trainee(request: Request, site: Site) -> Trainee:
    """Who asks a page, and for what; a name or a group that cannot be read is a problem."""
    asked = request.query_params
    named = "person" in asked
    person = asked.get("person", str(request.session.get(COOKIE, "")))
    now, names = site.now(), people(site.settings.folder)
    try:
        person = person_name(person) if person else ""
    except RiverboatError as error:
        return Trainee("", Memory(), Wanted(), now, named, names, str(error))
    try:
        memory = site.memories.read(person) if person else Memory()
        wanted = Wanted.parse(asked.getlist("only")[:MAX_WORDS])
    except RiverboatError as error:
        return Trainee(person, Memory(), Wanted(), now, named, names, str(error))
    return Trainee(memory.person, memory, wanted, now, named, names)


def known(trainee: Trainee) -> Trainee:
    """Whoever trains; refused where the name or the groups cannot be read."""
    if trainee.problem:
        raise UsageError(trainee.problem)
    return trainee


def joined(address: str, pairs: Sequence[tuple[str, str]]) -> str:
    """An address with more of a query."""
    if not pairs:
        return address
    return f"{address}{'&' if '?' in address else '?'}{urlencode(pairs)}"
