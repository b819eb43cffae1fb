"""Many flops of one spot: the flops that stand for all, and what was found at the root of each.

    for flop in parse_flops("subset:25"):
        solved = solve_spot(spot.with_board(flop.cards))
        rows.append(flop_row(solved, flop))
    averages(rows)

holdem/spots/flop_report.py solves them in several processes and keeps their rows in a folder, which
belongs to one spot, one target and one set of options.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from riverboat.cards.card import card_text, parse_cards
from riverboat.errors import ParameterError, StorageError, UsageError
from riverboat.holdem.rules.betting import Street
from riverboat.holdem.spots.board_figures import BoardFigures, board_figures
from riverboat.holdem.spots.locks import CARD, Lock, words_of
from riverboat.holdem.spots.report_table import ReportLine, ReportTable
from riverboat.holdem.spots.spot import Spot
from riverboat.runtime.storage import atomic_write, read_text

if TYPE_CHECKING:
    from riverboat.holdem.spots.solved import SolvedSpot

DIGEST = "report.json"


@dataclass(frozen=True)
class Flop:
    """A flop, and how many of the 22,100 flops it stands for."""

    cards: tuple[int, int, int]
    weight: float

    @property
    def name(self) -> str:
        return "".join(card_text(card) for card in self.cards)


@dataclass(frozen=True)
class FlopRow:
    """What was found on one flop."""

    flop: str
    weight: float
    iterations: int
    seconds: float
    exploitability_pct: float  # Of three players all gains together, in per cent of the pot
    figures: BoardFigures
    """At the root, and where all before check."""

    def as_dict(self) -> dict[str, Any]:
        """The facts for a program; of two players `root` is OOP's strategy, `answer` IP's."""
        figures = self.figures
        facts = {name: value for name, value in vars(self).items() if name != "figures"}
        facts |= {f"ev_{name}": ev for name, ev in figures.ev.items()}
        facts |= {f"equity_{name}": equity for name, equity in figures.equity.items()}
        shares = figures.as_dict()
        if len(figures.players) == 2:
            both = (figures.strategies.get(name, {}) for name in figures.players)
            facts |= {name: dict(own) for name, own in zip(("root", "answer"), both, strict=True)}
        return {**facts, "strategies": shares["strategies"], "groups": shares["groups"]}

    def stored(self) -> dict[str, Any]:
        """For files; `from_stored` reads it back."""
        return {**vars(self), "figures": self.figures.as_dict()}

    @classmethod
    def from_stored(cls, facts: Any) -> FlopRow:
        """What `stored` gave, here or in earlier versions; else TypeError, ValueError, KeyError."""
        figures = facts["figures"] if "figures" in facts else _older_figures(facts)
        return cls(
            str(facts["flop"]),
            *(float(facts["weight"]), int(facts["iterations"]), float(facts["seconds"])),
            float(facts["exploitability_pct"]),
            BoardFigures.from_dict(figures),
        )

    @property
    def line(self) -> ReportLine:
        """The line of a table."""
        more = {name: getattr(self, name) for name in SOLVING}
        cards = tuple(parse_cards(self.flop))
        return ReportLine(self.flop, cards, "r:0", self.weight, self.figures, more)


SOLVING = ("iterations", "seconds", "exploitability_pct")
"""What a row says of the solve."""


def _older_figures(facts: Any) -> dict[str, Any]:
    """The figures of a row of an earlier version: two players, without groups."""
    oop = facts["equity_oop"]
    return {
        "ev": {"oop": facts["ev_oop"], "ip": facts["ev_ip"]},
        "equity": {"oop": oop, "ip": 1.0 - oop},
        "strategies": {"oop": facts["root"], "ip": facts["answer"]},
        "groups": {},
    }


@lru_cache(maxsize=1)
def all_flops() -> tuple[Flop, ...]:
    """The 1,755 flops that differ by more than the names of suits, high cards first."""
    # It is compiled; what only reads rows needs none of it.
    from riverboat.cards.isomorphism import isomorphism

    classes = isomorphism(3)
    every = np.array([(a, b, c) for a in range(52) for b in range(a) for c in range(b)])
    numbers = classes.indices(every)
    counts = np.bincount(numbers, minlength=classes.size)
    flops = []
    for number, count in enumerate(counts.tolist()):
        cards = sorted((int(card) for card in classes.cards(number)), reverse=True)
        flops.append(Flop((cards[0], cards[1], cards[2]), float(count)))
    return tuple(sorted(flops, key=lambda flop: _texture(flop.cards)))


def _texture(cards: tuple[int, int, int]) -> tuple[int, ...]:
    """Flops that play alike stand near each other: pairs, then suits, then ranks."""
    ranks = sorted((card // 4 for card in cards), reverse=True)
    return (len(set(ranks)), len({card % 4 for card in cards}), *ranks, *cards)


@lru_cache(maxsize=1)
def chosen_subsets() -> dict[int, tuple[Flop, ...]]:
    """Number → flops and weights that tools/flop_subsets.py chose: they keep equities and deals."""
    text = Path(__file__).with_name("flop_subsets.json").read_text(encoding="utf-8")
    subsets = {}
    for number, subset in json.loads(text).items():
        lines = (f"{name} {weight}" for name, weight in subset["flops"].items())
        subsets[int(number)] = tuple(
            _line("flop_subsets.json", i, line) for i, line in enumerate(lines)
        )
    return subsets


def subset(num: int) -> tuple[Flop, ...]:
    """Flops that stand for all, with their weights.

    Those of `chosen_subsets`; of other numbers each flop has the weight of its stretch of the
    ordered list.
    """
    if num in chosen_subsets():
        return chosen_subsets()[num]
    flops = all_flops()
    if not 1 <= num <= len(flops):
        raise UsageError(f"A subset has 1 to {len(flops):,} flops, not {num}.")
    if num == len(flops):
        return flops
    ends = np.cumsum([flop.weight for flop in flops])
    picked: list[int] = []
    for k, middle in enumerate((np.arange(num) + 0.5) / num * ends[-1]):
        after = picked[-1] + 1 if picked else 0
        wanted = int(np.searchsorted(ends, middle))
        picked.append(min(max(after, wanted), len(flops) - num + k))
    middles = [float(ends[a] + ends[b]) / 2 for a, b in pairwise(picked)]
    borders = [0.0, *middles, float(ends[-1])]
    return tuple(
        Flop(flops[i].cards, high - low)
        for i, (low, high) in zip(picked, pairwise(borders), strict=True)
    )


def parse_flops(text: str) -> tuple[Flop, ...]:
    """`all`, `subset:25`, or a file with a flop in each line and a weight after it, or none."""
    if text == "all":
        return all_flops()
    if text.startswith("subset:"):
        number = text.removeprefix("subset:")
        if not (number.isascii() and number.isdigit()):
            raise UsageError(f"A subset is written subset:25, not {text!r}.")
        return subset(int(number))
    try:
        known = Path(text).exists()
    except (OSError, ValueError):  # A name that no file can have
        known = False
    if not known:
        raise UsageError(f"Flops are all, subset:25 or a file; there is no {text[:80]}.")
    return list_of_flops(read_text(text), text)


def list_of_flops(text: str, name: str = "The list") -> tuple[Flop, ...]:
    """A flop in each line of a text, and a weight after it, or none; `name` is for messages."""
    given = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    flops = [_line(name, *entry) for entry in given if not entry[1].lstrip().startswith("#")]
    if not flops:
        raise UsageError(f"{name} holds no flop; write one in each line, as in QsJh2h 12.")
    names = [frozenset(flop.cards) for flop in flops]
    if len(set(names)) < len(names):
        raise UsageError(f"{name} names a flop twice.")
    return tuple(flops)


def _line(path: str, number: int, line: str) -> Flop:
    *cards, last = line.replace(",", " ").split()
    weight = 1.0
    try:
        weight = float(last)
    except ValueError:
        cards.append(last)
    try:
        flop_cards = tuple(parse_cards("".join(cards)))
    except ParameterError as error:
        raise UsageError(f"{path}, line {number}: {error}") from None
    if len(set(flop_cards)) != 3 or not 0 < weight < float("inf"):
        raise UsageError(f"{path}, line {number}: a flop is three cards and a weight above 0.")
    return Flop((flop_cards[0], flop_cards[1], flop_cards[2]), weight)


def check_spot(spot: Spot, locks: Sequence[Lock] = ()) -> None:
    """Refuse a spot, or locks, of which no report over flops can be made."""
    if spot.game != "holdem":
        raise UsageError("A report over flops is of hold'em, and this spot is of Omaha.")
    if spot.street != Street.FLOP:
        raise UsageError("A report is over flops; the spot must begin with three cards.")
    if spot.dead:
        raise UsageError("A report is over the flops of 52 cards; leave dead cards out.")
    for lock in locks:
        if any(CARD.fullmatch(word) for word in words_of(lock.node)):
            raise UsageError(f"The lock of {lock.node} names a card; a report is over all flops.")


def open_folder(
    folder: Path, spot: Spot, settings: dict[str, Any], locks: Sequence[Lock] = ()
) -> None:
    """Make the folder, or see that it is this report's."""
    check_spot(spot, locks)
    if locks:
        settings = {**settings, "locks": [lock.as_dict() for lock in locks]}
    plain = spot.to_toml().split("\n")
    text = "\n".join(line for line in plain if not line.startswith("board"))
    digest = hashlib.sha256(json.dumps([text, settings], sort_keys=True).encode()).hexdigest()
    mark = folder / DIGEST
    try:
        folder.mkdir(parents=True, exist_ok=True)
        known = json.loads(mark.read_text(encoding="utf-8"))["digest"] if mark.exists() else None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StorageError(f"Cannot keep a report in {folder}: {error}.") from error
    if known is None:
        atomic_write(mark, json.dumps({"digest": digest, "settings": settings, "spot": text}))
    elif known != digest:
        raise UsageError(
            f"{folder} holds a report of another spot or target, or other locks; take another"
            " folder."
        )


def read_row(folder: Path, flop: Flop) -> FlopRow | None:
    """A row that was kept; one that is damaged counts as missing."""
    try:
        facts = json.loads((folder / f"{flop.name}.json").read_text(encoding="utf-8"))
        return FlopRow.from_stored({**facts, "weight": flop.weight})
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def flop_row(solved: SolvedSpot, flop: Flop) -> FlopRow:
    """What a solved flop says at its root."""
    info, figures = solved.info, board_figures(solved.at("r:0"))
    evs = dict(zip(figures.players, map(float, info["ev"]), strict=True))
    percent = info["exploitability_pct"] if "exploitability_pct" in info else info["gain_sum_pct"]
    return FlopRow(
        flop.name,
        flop.weight,
        int(info["iterations"]),
        float(info["seconds"]),
        float(percent),
        replace(figures, ev=evs),
    )


def flop_table(rows: Sequence[FlopRow], players: Sequence[str] = ()) -> ReportTable:
    """The rows as a table; `players` are needed where there is no row."""
    names = rows[0].figures.players if rows else tuple(players)
    return ReportTable("flop", names, tuple(row.line for row in rows))


def averages(rows: Sequence[FlopRow]) -> dict[str, float]:
    """The weighted means over all flops."""
    return flop_table(rows).means()


def write_table(path: Path, rows: Sequence[FlopRow]) -> None:
    """Write CSV, or Parquet where the name ends in .parquet."""
    flop_table(rows).write(path)
