"""What every tool takes and gives: the workshop it runs in, and the parts of an answer."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field

from riverboat.errors import UnknownNameError, UsageError

MAX_RANGE = 20_000
"""Characters of a range; all 1,326 combos written out have 6,629."""
MAX_HANDS_TEXT = 200_000  # Characters of pasted hands
MAX_SENTENCE = 600  # Characters of a refusal

Preset = Annotated[
    str,
    Field(max_length=40, description="A rule set such as vegas-6d-s17, single-deck or european."),
]
RuleChanges = Annotated[
    dict[
        Annotated[str, Field(max_length=40)],
        bool
        | Annotated[int, Field(ge=-1000, le=1000)]
        | Annotated[float, Field(ge=-1000, le=1000)]
        | Annotated[str, Field(max_length=40)],
    ],
    Field(
        max_length=20,
        description='Rules that differ from the rule set\'s, such as {"h17": true, "decks": 2,'
        ' "bj_pays": "6:5", "surrender": "late"}.',
    ),
]
Cards = Annotated[str, Field(max_length=100, description='Cards such as "Qs Jh 2d".')]
SeenCards = Annotated[
    str, Field(max_length=2_000, description='Cards already gone from the shoe, "5,5,T,A".')
]
RangeText = Annotated[
    str, Field(max_length=MAX_RANGE, description='A hand ("AsAh") or a range ("QQ+,AKs,A5s:0.5").')
]
Chips = Annotated[float, Field(ge=0, le=1e7, allow_inf_nan=False)]
Seconds = Annotated[
    float | None,
    Field(gt=0, le=3600, description="Time for the solve; at most what the server allows."),
]
Line = Annotated[
    str,
    Field(
        max_length=200,
        description='The actions so far, joined by "-": f folds, c calls, r2.5 raises to 2.5 big'
        " blinds, a goes all-in. A seat's name stands for all folding to it; empty is the first"
        " decision.",
    ),
]


class Answer(BaseModel):
    """What every tool answers."""

    answer: str = Field(description="The answer in a sentence or two, to be quoted.")
    assumed: list[str] = Field(description="What was assumed.")
    exactness: str = Field(description="How exact the figures are.")

    @property
    def text(self) -> str:
        """The answer, what it assumes and how exact it is, for a model to read."""
        assumed = f"\nAssumed: {'; '.join(self.assumed)}." if self.assumed else ""
        return f"{self.answer}{assumed}\nExactness: {self.exactness}"


@dataclass(frozen=True)
class Workshop:
    """Where a tool runs: its limits, the library, and whom it reports to."""

    library: Path | None = None  # The one folder of files; None for no files at all
    seconds: float = 60.0  # For one call
    memory: int = 2 << 30  # Bytes for one call
    report: Callable[[float, str], None] = lambda share, words: None
    """Called with the share done, or less than 0 where it is unknown, and with words."""

    def time_for(self, wanted: float | None, usual: float) -> float:
        """The seconds of a solve: those wanted, within what a call may take."""
        return min(usual if wanted is None else wanted, 0.8 * self.seconds)

    def file(self, name: str) -> Path:
        """The path of a strategy's file in the library; anything else is refused."""
        if self.library is None:
            raise UsageError(
                "This server has no library of files; start it with --library FOLDER to use some."
            )
        plain = name.replace("-", "").replace("_", "").replace(".", "")
        if not plain.isalnum() or not plain.isascii() or name.startswith((".", "-")):
            raise UsageError("A file of the library is a plain name such as kuhn.rb.")
        if not name.endswith(".rb"):
            raise UsageError(f"A file of the library ends in .rb, not {name!r}.")
        path = self.library / name
        if path.is_symlink():
            raise UsageError(f"{name} is a link; the library holds plain files only.")
        return path

    def file_there(self, name: str) -> Path:
        """The path of a file that the library has."""
        path = self.file(name)
        if not path.is_file():
            raise UnknownNameError.among("file in the library", name, self.files())
        return path

    def files(self) -> list[str]:
        """The names of the library's files."""
        if self.library is None or not self.library.is_dir():
            return []
        paths = self.library.glob("*.rb")
        return sorted(path.name for path in paths if path.is_file() and not path.is_symlink())


def number(value: float, digits: int = 6) -> float | None:
    """A figure for JSON: rounded, and None for what is not known."""
    return round(float(value), digits) + 0.0 if math.isfinite(value) else None


def count_words(count: int, noun: str) -> str:
    """A number of things, "1 hand" or "1,200 hands"."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


def refusal_words(sentence: str) -> str:
    """A refusal fit for a message: in one line, and not as long as what was refused."""
    line = " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", " ", sentence).split())
    if len(line) <= MAX_SENTENCE:
        return line
    return f"{line[: MAX_SENTENCE - 200]} … {line[-190:]}"


def percent(share: float) -> str:
    """A share in words, "33.3 %"."""
    return f"{100 * share:.1f} %"


def mix_words(mix: dict[str, float]) -> str:
    """A mixture in words, the likeliest first: "raise to 2.5: 60.0 %, fold: 40.0 %"."""
    shown = sorted(mix.items(), key=lambda item: -item[1])
    return ", ".join(f"{action}: {percent(share)}" for action, share in shown if share >= 0.0005)
