"""Files of hold'em hands, PokerStars' text or PHH: recognised, read hand by hand, converted.

for found in read_hands("hands.txt"): …
convert_hands("hands.txt", "hands.phhs")
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

from riverboat.errors import FileFormatError, StorageError, UsageError
from riverboat.holdem.histories._pokerstars import parse_pokerstars, pokerstars_lines
from riverboat.holdem.histories._pokerstars_writing import write_pokerstars
from riverboat.holdem.histories.hand import PhhFile, PhhHand, RefusedHand
from riverboat.holdem.histories.phh import read_phh_file, write_phh
from riverboat.runtime.stopping import notice
from riverboat.runtime.storage import atomic_write, read_text
from riverboat.solvers.run import save_somewhere

FORMATS = {"phh": (".phh", ".phhs", ".toml"), "pokerstars": (".txt",)}
"""The names of the forms and the endings of their files."""
HEADER_LINES = 200  # Lines at a file's beginning by which its form is recognised
_OWN = ("actions", "antes", "blinds_or_straddles", "variant", "ante_trimming_status", "min_bet")


def read_hands(path: str | Path) -> Iterator[PhhHand | RefusedHand]:
    """The hands of a file of either form; one that cannot be read is named, the others go on."""
    lines = pokerstars_lines(path)
    first = list(islice(lines, HEADER_LINES))
    if _are_pokerstars(first):
        yield from parse_pokerstars(chain(first, lines))
        return
    yield from _phh_hands(read_text(path), str(path))


def read_hand(path: str | Path, number: int) -> PhhHand:
    """One hand of a file by its number, from 1; refused where it cannot be read."""
    last = 0
    for last, found in enumerate(read_hands(path), 1):
        if last == number:
            if isinstance(found, RefusedHand):
                raise FileFormatError(f"{path}: {found.section}: {found.reason}")
            return found
    raise UsageError(f"{path} has {last} hand{'s' * (last != 1)}, and no hand {number}.")


def hands_in(text: str) -> Iterator[PhhHand | RefusedHand]:
    """The hands of a text of either form, such as one that was pasted."""
    lines = text.splitlines(keepends=True)
    if _are_pokerstars(lines[:HEADER_LINES]):
        yield from parse_pokerstars(lines)
        return
    yield from _phh_hands(text, "The text")


def _are_pokerstars(first: list[str]) -> bool:
    """Whether the first lines of a text are PokerStars'."""
    return any("PokerStars" in line and "=" not in line[:60] for line in first)


def _phh_hands(text: str, source: str) -> Iterator[PhhHand | RefusedHand]:
    if not text.strip():
        raise FileFormatError(f"{source} has no hands: it is empty.")
    if "variant" not in text:
        raise FileFormatError(f"{source} holds neither PokerStars' text in English nor PHH.")
    try:
        hands = read_phh_file(text)
    except FileFormatError as error:
        raise FileFormatError(f"{source}: {error}") from error
    yield from hands.hands
    yield from hands.refused


def read_hand_file(path: str | Path) -> PhhFile:
    """All hands of a file of either form, and apart from them those that cannot be played."""
    all_hands = list(read_hands(path))
    hands = tuple(one for one in all_hands if isinstance(one, PhhHand))
    return PhhFile(hands, tuple(one for one in all_hands if isinstance(one, RefusedHand)))


def format_of(path: str | Path) -> str:
    """The form that a file's ending stands for."""
    ending = Path(path).suffix.lower()
    for name, endings in FORMATS.items():
        if ending in endings:
            return name
    raise UsageError(
        f"The ending of {path} says no form of hands: take .phhs (PHH) or .txt (PokerStars), or"
        " name the form, phh or pokerstars."
    )


def phh_text(hand: PhhHand) -> str:
    """A hand of either form as PHH, in its own money, with all its fields."""
    fields: dict[str, Any] = {
        name: value
        for name, value in hand.fields.items()
        if name not in _OWN and name not in ("small_bet", "big_bet", "starting_stacks")
    }
    if hand.rake and (winnings := hand.amounts("winnings")):
        stacks = hand.state.betting.stacks
        fields["finishing_stacks"] = [
            chips * hand.unit + won for chips, won in zip(stacks, winnings, strict=True)
        ]
    return write_phh(hand.state, unit=hand.unit, **fields)


class GrowingFile:
    """A text file that grows hand by hand: what was added stays, however the program ends.

    A disk that is full does not end the play: it is reported once, and every addition tries again.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        try:
            self._stream = self.path.open("wb", buffering=0)
        except OSError as error:
            reason = (error.strerror or "no access").lower()
            raise StorageError(f"Cannot write {path}: {reason}.") from error
        self._written, self._waiting, self._warned = 0, b"", False

    def add(self, text: str) -> None:
        """Append a text, with whatever could not be written before."""
        self._waiting += text.encode()
        try:
            if self._stream.seekable():
                # What a failed attempt left behind is written over.
                self._stream.seek(self._written)
            while self._waiting:
                count = self._stream.write(self._waiting) or 0
                self._written, self._waiting = self._written + count, self._waiting[count:]
        except OSError as error:
            if not self._warned:
                reason = (error.strerror or "no access").lower()
                notice(f"Cannot write {self.path}: {reason}; trying again after each hand.")
            self._warned = True

    def close(self) -> None:
        """Try once more, and close; what the disk did not take goes where there is room."""
        try:
            self.add("")
        finally:
            self._stream.close()
        if self._waiting:
            save_somewhere(self._save_rest, self.path, message="The rest is in {}.")

    def _save_rest(self, path: Path) -> None:
        if path == self.path:
            raise StorageError(f"{path} is not complete: the disk did not take all of it.")
        atomic_write(path, self._waiting)


@dataclass(frozen=True)
class Converted:
    """How a conversion went."""

    hands: int
    refused: tuple[RefusedHand, ...]

    def as_dict(self) -> dict[str, Any]:
        """The same for a program."""
        return {
            "hands": self.hands,
            "refused": [{"hand": bad.section, "reason": bad.reason} for bad in self.refused],
        }


def convert_hands(
    source: str | Path,
    target: str | Path,
    *,
    form: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> Converted:
    """Read hands of either form and write them as `form`, by default that of the ending."""
    chosen = form or format_of(target)
    if chosen not in FORMATS:
        raise UsageError(f"Hands are written as {' or '.join(FORMATS)}, not as {chosen!r}.")
    texts: list[bytes | memoryview] = []
    refused: list[RefusedHand] = []
    for number, hand in enumerate(read_hands(source), 1):
        if progress is not None and number % 200 == 0:
            progress(number)
        if isinstance(hand, RefusedHand):
            refused.append(hand)
            continue
        try:
            texts.append(_written(hand, chosen, len(texts) + 1).encode())
        except UsageError as error:
            refused.append(RefusedHand(hand.section or str(number), str(error)))
    if not texts:
        reason = f": {refused[0].section}: {refused[0].reason}" if refused else "."
        raise FileFormatError(f"{source} has no hand that can be written{reason}")
    atomic_write(target, texts)
    return Converted(len(texts), tuple(refused))


def _written(hand: PhhHand, form: str, number: int) -> str:
    if form == "pokerstars":
        return write_pokerstars(hand, number=number) + "\n\n"
    return f"[{number}]\n{phh_text(hand)}\n"
