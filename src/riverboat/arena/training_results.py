"""What a person's training came to: results by day, by deck and by group, and what comes again.

    results = rb.training("Ada")
    results.of("day")                    # a row for each day: asked, right, lost per decision
    results.of("street")                 # the same by street
    results.to_frame()                   # all rows
    results.figure()                     # the curve over days

A loss is in the unit of its deck: chips of a spot, antes of Kuhn poker, bets of blackjack. Losses
in different units are never added up, so a day in two units has two rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from riverboat.arena.drill import Tally
from riverboat.arena.memory import Answer, Memory, MissedQuestion
from riverboat.errors import UsageError
from riverboat.runtime.tables import data_frame, write_table

if TYPE_CHECKING:
    from riverboat.drawing.figures import Picture

DAY, DECK = "day", "deck"
ORDER = ("preflop", "flop", "turn", "river", *"123456789TA")
COLUMNS = (
    "kind", "group", "unit", "asked", "right", "share", "lost", "per_decision", "looked_up",
    "to_repeat", "due",
)  # fmt: skip


@dataclass(frozen=True)
class ResultRow:
    """The answers of one group, priced in one unit."""

    kind: str  # "day", "deck", or a kind of groups such as "street"
    group: str
    unit: str
    tally: Tally
    to_repeat: int = 0  # Questions that come again some day
    due: int = 0  # Those of today
    decks: frozenset[str] = frozenset()  # Those that the answers are of

    @property
    def share(self) -> float | None:
        """The part of the answers that was right; None where all were looked up."""
        return self.tally.right / self.tally.asked if self.tally.asked else None

    @property
    def per_decision(self) -> float | None:
        """The EV lost per decision, in the unit."""
        return self.tally.lost / self.tally.asked if self.tally.asked else None

    def as_dict(self) -> dict[str, Any]:
        """The columns of COLUMNS."""
        tally = self.tally
        values = (
            self.kind, self.group, self.unit, tally.asked, tally.right, self.share, tally.lost,
            self.per_decision, tally.looked_up, self.to_repeat, self.due,
        )  # fmt: skip
        return dict(zip(COLUMNS, values, strict=True))


@dataclass(frozen=True)
class TrainingResults:
    """The results of one person, of all decks or of one."""

    person: str
    today: date
    rows: tuple[ResultRow, ...]
    titles: Mapping[str, str]  # Deck → its name in words
    coming: Mapping[str, int]  # Day → questions that come again on it; overdue ones are today's
    deck: str | None = None

    @classmethod
    def of_memory(cls, memory: Memory, now: datetime, deck: str | None = None) -> TrainingResults:
        """The results that a memory has.

        Parameters
        ----------
        memory
            The answers.
        now
            The time, with its zone: what is due depends on it.
        deck
            Only answers of this deck, or of the one deck whose name has these words.
        """
        titles = {a.question.deck: deck_title(a) for a in memory.answers}
        chosen = None if deck is None else find_deck(titles, deck)
        answers = [a for a in memory.answers if chosen in (None, a.question.deck)]
        missed = memory.mistakes(chosen)
        kinds = dict.fromkeys((DAY, DECK))
        kinds |= dict.fromkeys(kind for a in answers for kind in a.question.groups)
        today = now.date()
        rows = [row for kind in kinds for row in _rows(kind, answers, missed, today)]
        days = Counter(max(m.schedule.due, today).isoformat() for m in missed)
        return cls(
            memory.person, today, tuple(rows), titles, dict(sorted(days.items())), chosen
        )  # fmt: skip

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of groups that can be compared: those of which there are two or more."""
        found: dict[str, set[str]] = {}
        for row in self.rows:
            if row.kind not in (DAY, DECK):
                found.setdefault(row.kind, set()).add(row.group)
        return tuple(kind for kind, groups in found.items() if len(groups) > 1)

    @property
    def units(self) -> tuple[str, ...]:
        """The units that losses are in."""
        return tuple(dict.fromkeys(row.unit for row in self.rows))

    @property
    def due(self) -> int:
        """Questions that come again today."""
        return self.coming.get(self.today.isoformat(), 0)

    @property
    def total(self) -> Tally:
        """All answers; `lost` adds up all units and means something only where there is one."""
        total = Tally()
        for row in self.of(DAY):
            total.add(row.tally)
        return total

    def of(self, kind: str) -> list[ResultRow]:
        """The rows by "day", by "deck", or by a kind of groups."""
        return [row for row in self.rows if row.kind == kind]

    def shares(self) -> list[tuple[date, float]]:
        """Day → the part of all its answers that was right."""
        days: dict[str, Tally] = {}
        for row in self.of(DAY):
            days.setdefault(row.group, Tally()).add(row.tally)
        return [(date.fromisoformat(d), t.right / t.asked) for d, t in days.items() if t.asked]

    def losses(self, unit: str) -> list[tuple[date, float]]:
        """Day → EV lost per decision, of the decisions in a unit."""
        rows = [row for row in self.of(DAY) if row.unit == unit]
        lost = [(date.fromisoformat(row.group), row.per_decision) for row in rows]
        return [(day, loss) for day, loss in lost if loss is not None]

    def as_dict(self) -> dict[str, Any]:
        """The facts for a program."""
        return {
            "person": self.person,
            "today": self.today.isoformat(),
            "deck": self.deck,
            "decks": dict(self.titles),
            "due": self.due,
            "coming": dict(self.coming),
            "rows": [row.as_dict() for row in self.rows],
        }

    def to_frame(self, *, library: str | None = None) -> Any:
        """All rows as a data frame of pandas or polars."""
        rows = [row.as_dict() for row in self.rows]
        return data_frame({name: [row[name] for row in rows] for name in COLUMNS}, library)

    def write(self, path: str | Path) -> int:
        """Write all rows as CSV, Parquet or Arrow, by the file's ending; the number of rows."""
        return write_table(path, COLUMNS, [tuple(row.as_dict().values()) for row in self.rows])

    def figure(self, *, title: str = "", theme: str = "light") -> Picture:
        """The curve over days: the part that was right, and the EV lost per decision."""
        from riverboat.arena._training_picture import training_picture

        return training_picture(self, title, theme)

    def __repr__(self) -> str:
        total = self.total
        return f"TrainingResults({self.person}: {total.asked} answers, {self.due} due today)"


def deck_title(answer: Answer) -> str:
    """The name of a deck in words, as its questions begin."""
    deck = answer.question.deck
    return answer.question.words.rpartition(": ")[0] or deck


def find_deck(titles: Mapping[str, str], wanted: str) -> str:
    """A deck by its name, or by words that one title alone has."""
    if wanted in titles:
        return wanted
    found = [deck for deck, title in titles.items() if wanted.lower() in title.lower()]
    if len(found) == 1:
        return found[0]
    known = "; ".join(dict.fromkeys(titles.values())) or "none"
    why = f"{len(found)} decks have" if found else "No deck has"
    raise UsageError(f"{why} {wanted[:60]!r} in the name; there are: {known}.")


def _rows(
    kind: str, answers: Iterable[Answer], missed: Iterable[MissedQuestion], today: date
) -> list[ResultRow]:
    tallies: dict[tuple[str, str], Tally] = {}
    decks: dict[tuple[str, str], set[str]] = {}
    for answer in answers:
        group = _group(kind, answer)
        if group is not None:
            key = group, answer.question.unit
            tallies.setdefault(key, Tally()).count(answer.verdict)
            decks.setdefault(key, set()).add(answer.question.deck)
    repeated: Counter[tuple[str | None, str]] = Counter()
    due: Counter[tuple[str | None, str]] = Counter()
    for one in missed:
        deck = one.question.deck if kind == DECK else one.question.groups.get(kind)
        repeated[deck, one.question.unit] += 1
        due[deck, one.question.unit] += one.schedule.due <= today
    return [
        ResultRow(kind, *key, tally, repeated[key], due[key], frozenset(decks[key]))
        for key, tally in sorted(tallies.items(), key=lambda item: _order(*item[0]))
    ]


def _order(group: str, unit: str) -> tuple[int, str, str]:
    """Streets and cards as players name them, everything else by its letters."""
    known = ORDER.index(group) if group in ORDER else len(ORDER)
    return known, group, unit


def _group(kind: str, answer: Answer) -> str | None:
    if kind == DAY:
        return answer.time.date().isoformat()
    return answer.question.deck if kind == DECK else answer.question.groups.get(kind)
