"""The memory of a person who trains: every answer, when a question comes again, results by day.

    memory = Memory.of("Ada", data_folder())
    memory.note(question, verdict, now)              # an answer
    memory.due(now)                                  # what comes again today
    memory.results("day")                            # a Tally for each day

A question that was missed, or looked up, comes again after the days of SM-2 (P. A. Wozniak,
*Optimization of learning*, 1990): 1, then 6, then each interval times the ease of the question.
The ease begins at 2.5 and changes with the quality of each answer; a miss begins again at one day.
An answer before a question is due only counts where it is wrong.

New questions are drawn by `closeness`: a decision whose two best actions are worth the same comes
most often.

The file is JSON lines: a header, then one line for each answer. A line is appended with one write,
so that a terminal and a server may use the file together; a line that a crash has cut is skipped. A
later header gives the person another name (people.py). Times come in as arguments.
"""

from __future__ import annotations

import json
import math
import os
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, Self

import numpy as np

from riverboat.arena.drill import Tally, Verdict
from riverboat.errors import FileFormatError, RiverboatError, StorageError, UsageError
from riverboat.runtime.array_types import F64
from riverboat.runtime.storage import open_regular

FIRST_DAYS, SECOND_DAYS = 1, 6
FIRST_EASE, MIN_EASE = 2.5, 1.3
MAX_DAYS = 3_650
KNOWN_QUALITY = 3  # Qualities from here on count as known
RARE = 0.03  # How often the clearest decisions still come, next to a decision between equals
MISTAKES = "mistakes"
"""The word of a filter for questions that were missed."""
MAX_NAME = 40
MAX_TEXT = 1_000  # Letters of a key or of words
MAX_BYTES = 100_000_000
FORMAT = 1


def closeness(gap: F64, scale: float) -> F64:
    """How often a question is asked, next to one between equals.

    Parameters
    ----------
    gap
        How much the best action is worth more than the second best.
    scale
        The gap at which a question comes 1/e as often.
    """
    return np.maximum(RARE, np.exp(-np.maximum(gap, 0.0) / scale))


def gap_of(values: Iterable[float]) -> float:
    """How much the best action is worth more than the second best; 0 where it is not known."""
    known = sorted((value for value in values if not math.isnan(value)), reverse=True)
    return known[0] - known[1] if len(known) > 1 else 0.0


@dataclass(frozen=True)
class Schedule:
    """When a question comes again, by SM-2."""

    due: date
    known: int = 0  # Times in a row that it was known when it was due
    days: int = 0  # The interval that ends on the due day
    ease: float = FIRST_EASE

    def after(self, quality: int, today: date) -> Schedule:
        """The schedule after an answer of a quality from 0 to 5."""
        if quality < KNOWN_QUALITY:
            return replace(self, due=today + timedelta(FIRST_DAYS), known=0, days=FIRST_DAYS)
        lacking = 5 - quality
        ease = max(MIN_EASE, self.ease + 0.1 - lacking * (0.08 + lacking * 0.02))
        if self.known == 0:
            days = FIRST_DAYS
        elif self.known == 1:
            days = SECOND_DAYS
        else:
            # The sum 2.5 + 0.1 - 0.1 is a little more than 2.5.
            days = min(MAX_DAYS, math.ceil(round(self.days * ease, 6)))
        return Schedule(today + timedelta(days), self.known + 1, days, ease)


@dataclass(frozen=True)
class Question:
    """A question as the memory knows it."""

    deck: str  # What is drilled: a solution and a seat, the rules of a table, a game
    key: str  # All that is needed to ask the question again; "" where it cannot be
    words: str
    unit: str = "chips"
    gap: float = 0.0
    groups: Mapping[str, str] = field(default_factory=dict)  # Kind → group: "street" → "turn"


@dataclass(frozen=True)
class Answer:
    """An answer that was given."""

    time: datetime
    question: Question
    action: str
    best: str
    cost: float
    right: bool
    looked_up: bool

    @property
    def quality(self) -> int:
        """From 0 to 5, as SM-2 has it: the best action, one as good, looked up, wrong."""
        if self.looked_up:
            return 2
        if not self.right:
            return 1
        return 5 if self.action == self.best else 4

    @property
    def verdict(self) -> Verdict:
        """The answer as a tally counts it."""
        tolerance = self.cost if self.right else -1.0
        return Verdict(self.action, self.best, self.cost, not self.looked_up, tolerance)

    def as_dict(self) -> dict[str, Any]:
        """The line of the file."""
        facts = asdict(self)
        question = facts.pop("question")
        return {**facts, "time": self.time.isoformat(), **question}

    @classmethod
    def from_dict(cls, line: Mapping[str, Any]) -> Answer:
        """The answer of a line; ValueError, TypeError or KeyError for anything else."""
        deck, key, words, unit = (
            str(line[name])[:MAX_TEXT] for name in ("deck", "key", "words", "unit")
        )
        groups = {str(kind): str(group) for kind, group in dict(line["groups"]).items()}
        gap, cost = float(line["gap"]), float(line["cost"])
        if not (math.isfinite(gap) and math.isfinite(cost) and gap >= 0 and cost >= 0):
            raise ValueError("a figure is damaged")
        question = Question(deck, key, words, unit, gap, groups)
        action, best = str(line["action"]), str(line["best"])
        time = datetime.fromisoformat(line["time"])
        if time.tzinfo is None:
            raise ValueError("a time has no zone")
        right, looked_up = line["right"] is True, line["looked_up"] is True
        return cls(time, question, action, best, cost, right, looked_up)


@dataclass
class MissedQuestion:
    """A question that was missed or looked up, and when it comes again."""

    question: Question
    schedule: Schedule
    mistakes: int = 0
    cost: float = 0.0  # What the last mistake cost
    last: datetime | None = None


@dataclass(frozen=True)
class Wanted:
    """Which questions to ask: groups by their kind, and own mistakes alone."""

    groups: Mapping[str, frozenset[str]] = field(default_factory=dict)
    mistakes: bool = False

    @classmethod
    def parse(cls, words: Iterable[str]) -> Wanted:
        """The filter in words such as "street=turn" and "mistakes"."""
        groups: dict[str, frozenset[str]] = {}
        mistakes = False
        for word in words:
            kind, given, group = word.strip().lower().partition("=")
            if kind == MISTAKES and not given:
                mistakes = True
            elif kind and group:
                groups[kind] = groups.get(kind, frozenset()) | {group}
            else:
                raise UsageError(f"Write a group as KIND=GROUP or {MISTAKES}, not {word[:40]!r}.")
        return cls(groups, mistakes)

    @property
    def words(self) -> tuple[str, ...]:
        """The filter as `parse` reads it."""
        groups = [f"{kind}={group}" for kind, all_of in self.groups.items() for group in all_of]
        return (*sorted(groups), *([MISTAKES] if self.mistakes else []))

    def takes(self, groups: Mapping[str, str]) -> bool:
        """Whether a question of these groups is asked."""
        return all(groups.get(kind, "").lower() in all_of for kind, all_of in self.groups.items())


EVERYTHING = Wanted()


class Memory:
    """All answers of one person; without a path they live in memory only."""

    def __init__(self, path: Path | None = None, person: str = "") -> None:
        self.path, self.person = path, person
        self.answers: list[Answer] = []
        self.missed: dict[tuple[str, str], MissedQuestion] = {}
        self._read = 0
        self._file: tuple[int, int] | None = None  # Device and number of the file that was read
        self.refresh()

    @classmethod
    def of(cls, person: str, folder: Path) -> Self:
        """The memory of a person, in a file below a folder."""
        name = person_name(person)
        return cls(person_file(folder, name), name)

    def refresh(self) -> None:
        """Read the answers that this or another program has added to the file."""
        if self.path is None:
            return
        if not self.path.exists():  # deleted, here or by another program
            self.answers, self.missed, self._read = [], {}, 0
            return
        with open_regular(self.path) as (stream, size):
            if size > MAX_BYTES:
                raise FileFormatError(f"{self.path} is too large for a memory of training.")
            facts = os.fstat(stream.fileno())
            file = (facts.st_dev, facts.st_ino)
            if size < self._read or self._read == 0 or file != self._file:
                self._begin(stream.readline())
            self._file = file
            stream.seek(self._read)
            raw = stream.read(size - self._read)
        whole = raw[: raw.rfind(b"\n") + 1]
        for line in whole.splitlines():
            try:
                facts_of_line = json.loads(line)
                if "riverboat" in facts_of_line:
                    self.person = _person_of(facts_of_line)
                else:
                    self._take(Answer.from_dict(facts_of_line))
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                continue
        self._read += len(whole)

    def copy(self) -> Memory:
        """The same memory; what is noted in one is in the other after `refresh`."""
        other = Memory(None, self.person)
        other.path, other._read, other._file = self.path, self._read, self._file
        other.answers = list(self.answers)
        other.missed = {place: replace(missed) for place, missed in self.missed.items()}
        return other

    def _begin(self, header: bytes) -> None:
        try:
            self.person = _person_of(json.loads(header))
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise FileFormatError(
                f"{self.path} is not a memory of training; move it away, or take another name."
            ) from error
        self.answers, self.missed = [], {}
        self._read = len(header)

    def note(self, question: Question, verdict: Verdict, now: datetime) -> Answer:
        """Remember an answer that was given now; `now` has a time zone."""
        cost = verdict.cost if math.isfinite(verdict.cost) else 0.0
        answer = Answer(
            now.replace(microsecond=0), question, verdict.action, verdict.best,
            max(0.0, cost), verdict.right, not verdict.scored,
        )  # fmt: skip
        if self.path is None:
            self._take(answer)
        else:
            self._append(self.path, answer)
            self.refresh()
        return answer

    def _take(self, answer: Answer) -> None:
        self.answers.append(answer)
        question, today = answer.question, answer.time.date()
        if not question.key:
            return
        place = (question.deck, question.key)
        missed = self.missed.get(place)
        known = answer.quality >= KNOWN_QUALITY
        if missed is None:
            if known:
                return
            missed = self.missed[place] = MissedQuestion(question, Schedule(today))
        if not known or missed.schedule.due <= today:
            missed.schedule = missed.schedule.after(answer.quality, today)
        if not known:
            missed.mistakes += 1
            missed.cost = answer.cost
        missed.question, missed.last = question, answer.time

    def _append(self, path: Path, answer: Answer) -> None:
        text = json.dumps(answer.as_dict(), ensure_ascii=False, allow_nan=False) + "\n"
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            append(path, text, header_line(self.person))
        except OSError as error:
            reason = (error.strerror or "unknown error").lower()
            raise StorageError(f"Cannot write {path}: {reason}.") from error

    def due(
        self, now: datetime, deck: str | None = None, wanted: Wanted = EVERYTHING
    ) -> list[MissedQuestion]:
        """The questions that come again today, the one that has waited longest first.

        Parameters
        ----------
        now
            The time, with its zone.
        deck
            Only questions of this deck.
        wanted
            Only questions of these groups.
        """
        today = now.date()
        ready = [missed for missed in self.mistakes(deck, wanted) if missed.schedule.due <= today]
        return sorted(ready, key=lambda missed: (missed.schedule.due, missed.question.gap))

    def mistakes(
        self, deck: str | None = None, wanted: Wanted = EVERYTHING
    ) -> list[MissedQuestion]:
        """The questions that were missed, the last one first."""
        chosen = [
            missed
            for missed in self.missed.values()
            if deck in (None, missed.question.deck) and wanted.takes(missed.question.groups)
        ]
        return chosen[::-1]

    def results(self, by: str, deck: str | None = None) -> dict[str, Tally]:
        """Totals of the answers by "day", by "deck", or by the groups of a kind.

        Parameters
        ----------
        by
            "day", "deck", or a kind of groups such as "street".
        deck
            Only answers of this deck.
        """
        name: Callable[[Answer], str | None]
        if by == "day":
            name = lambda answer: answer.time.date().isoformat()  # noqa: E731
        elif by == "deck":
            name = lambda answer: answer.question.deck  # noqa: E731
        else:
            name = lambda answer: answer.question.groups.get(by)  # noqa: E731
        tallies: dict[str, Tally] = {}
        for answer in self.answers:
            which = name(answer)
            if which is not None and deck in (None, answer.question.deck):
                tallies.setdefault(which, Tally()).count(answer.verdict)
        return dict(sorted(tallies.items()))

    def schedule_of(self, question: Question) -> Schedule | None:
        """When a question comes again; None where it was always known."""
        missed = self.missed.get((question.deck, question.key))
        return None if missed is None else missed.schedule

    def words(self, now: datetime) -> str:
        """How much comes again, in a sentence."""
        count, due = len(self.missed), len(self.due(now))
        if not count:
            return f"{self.person} has nothing to repeat."
        questions = "1 question" if count == 1 else f"{count} questions"
        return f"{self.person} has {questions} to repeat, {due} of them today."

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of groups that the answers have."""
        kinds = (kind for answer in self.answers for kind in answer.question.groups)
        return tuple(dict.fromkeys(kinds))


def _person_of(header: Mapping[str, Any]) -> str:
    """The name in a header; ValueError, TypeError or KeyError for anything else."""
    if header["riverboat"] != "memory" or header["format"] != FORMAT:
        raise ValueError("not a memory")
    return str(header["person"])[:MAX_NAME]


def header_line(person: str) -> str:
    """The line that says whose memory a file is."""
    facts = {"riverboat": "memory", "format": FORMAT, "person": person}
    return json.dumps(facts, ensure_ascii=False) + "\n"


def append(path: Path, text: str, header: str = "") -> None:
    """Append lines with one write, after a new line where the last one was cut.

    A new file begins with the header; without a header there must be a file.
    """
    create = os.O_CREAT if header else 0
    handle = os.open(path, os.O_APPEND | create | os.O_RDWR, 0o600)
    with os.fdopen(handle, "rb+") as stream:
        if stream.seek(0, os.SEEK_END) == 0:
            text = header + text
        else:
            stream.seek(-1, os.SEEK_END)
            text = text if stream.read(1) == b"\n" else "\n" + text
        stream.write(text.encode())


def again_words(schedule: Schedule | None, now: datetime) -> str:
    """When a question comes again, as a sentence."""
    if schedule is None:
        return "You knew it: it does not come again."
    days = (schedule.due - now.date()).days
    if days <= 0:
        return "It comes again today."
    if days == 1:
        return "It comes again tomorrow."
    return f"It comes again in {days} days, on {schedule.due:%d %b %Y}."


def person_name(name: str) -> str:
    """The name of a person as it is shown; refused where it is no plain name."""
    plain = unicodedata.normalize("NFC", " ".join(name.split()))
    if not plain:
        raise UsageError("Write a name.")
    if len(plain) > MAX_NAME:
        raise UsageError(f"A name has at most {MAX_NAME} letters, not {len(plain)}.")
    if not plain[0].isalnum() or not all(c.isalnum() or c in " -_'" for c in plain):
        raise UsageError("A name has letters, digits, blanks, hyphens and apostrophes only.")
    return plain


def person_file(folder: Path, name: str) -> Path:
    """The file of a person; capital letters make no difference."""
    return training_folder(folder) / f"{file_stem(name)}.jsonl"


def file_stem(name: str) -> str:
    """A person's name as the name of a file."""
    return unicodedata.normalize("NFC", person_name(name).casefold()).replace(" ", "_")


def training_folder(folder: Path) -> Path:
    """Where memories are kept below a folder of data."""
    return folder / "training"


def people(folder: Path) -> list[str]:
    """The names of those who have a memory below a folder."""
    names = []
    for path in sorted(training_folder(folder).glob("*.jsonl")):
        try:
            names.append(Memory(path).person)
        except RiverboatError:
            continue
    return [name for name in names if name]
