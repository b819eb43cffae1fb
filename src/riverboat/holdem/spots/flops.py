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
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from riverboat.cards.card import card_text, parse_cards
from riverboat.errors import ParameterError, StorageError, UsageError
from riverboat.holdem.rules.betting import Street
from riverboat.holdem.spots.spot import Spot
from riverboat.runtime import tables
from riverboat.runtime.storage import atomic_write, read_text

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
    exploitability_pct: float
    ev_oop: float
    ev_ip: float
    equity_oop: float
    root: dict[str, float]  # OOP's actions → frequency
    answer: dict[str, float]  # IP's actions after a check → frequency

    def as_dict(self) -> dict[str, Any]:
        return dict(vars(self))


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
    lines = read_text(text).splitlines()
    given = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    flops = [_line(text, *entry) for entry in given if not entry[1].lstrip().startswith("#")]
    if not flops:
        raise UsageError(f"{text} holds no flop; write one in each line, as in QsJh2h 12.")
    names = [frozenset(flop.cards) for flop in flops]
    if len(set(names)) < len(names):
        raise UsageError(f"{text} names a flop twice.")
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


def open_folder(folder: Path, spot: Spot, settings: dict[str, Any]) -> None:
    """Make the folder, or see that it is this report's."""
    if spot.street != Street.FLOP:
        raise UsageError("A report is over flops; the spot must begin with three cards.")
    if spot.dead:
        raise UsageError("A report is over the flops of 52 cards; leave dead cards out.")
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
        raise UsageError(f"{folder} holds a report of another spot or target; take another folder.")


def read_row(folder: Path, flop: Flop) -> FlopRow | None:
    """A row that was kept; one that is damaged counts as missing."""
    try:
        facts = json.loads((folder / f"{flop.name}.json").read_text(encoding="utf-8"))
        return FlopRow(**{**facts, "weight": flop.weight})
    except (OSError, ValueError, TypeError):
        return None


def flop_row(solved: Any, flop: Flop) -> FlopRow:
    """What a solved flop says at its root."""
    info, root = solved.info, solved.at("r:0")
    whole, after = root.summary(0), root.play("check")
    return FlopRow(
        flop.name,
        flop.weight,
        int(info["iterations"]),
        float(info["seconds"]),
        float(info["exploitability_pct"]),
        float(info["ev"][0]),
        float(info["ev"][1]),
        float(whole.equity),
        whole.strategy or {},
        after.mean_strategy() if after.player == 1 else {},
    )


def averages(rows: Sequence[FlopRow]) -> dict[str, float]:
    """The weighted means over all flops."""
    columns, lines = table(rows)
    weights = np.array([row.weight for row in rows])
    means = {}
    for column, name in enumerate(columns):
        if name in ("flop", "weight", "iterations", "seconds"):
            continue
        values = np.array([float(line[column]) for line in lines])
        means[name] = float(weights @ values / weights.sum())
    return means


def table(rows: Sequence[FlopRow]) -> tuple[list[str], list[list[Any]]]:
    """Columns and lines; a frequency has a column of its own, 0 where an action is missing."""
    plain = [name for name in FlopRow.__dataclass_fields__ if name not in ("root", "answer")]
    first = list(dict.fromkeys(action for row in rows for action in row.root))
    second = list(dict.fromkeys(action for row in rows for action in row.answer))
    columns = [*plain, *(f"oop {name}" for name in first), *(f"ip {name}" for name in second)]
    lines = [
        [
            *(getattr(row, name) for name in plain),
            *(row.root.get(name, 0.0) for name in first),
            *(row.answer.get(name, 0.0) for name in second),
        ]
        for row in rows
    ]
    return columns, lines


def write_table(path: Path, rows: Sequence[FlopRow]) -> None:
    """Write CSV, or Parquet where the name ends in .parquet."""
    tables.write_table(path, *table(rows))
