"""A grid of rules and what a round is worth under each, exactly.

    grid = parse_grid("vegas-6d-s17", ["decks=1,2,6", "h17=true,false"])
    sweep = Sweep(grid, [rule_value(rules) for rules in grid.tables])

The first option changes slowest. A combination that is no table (aces that may be split more often
than other pairs, say) is refused when the grid is made.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from riverboat.blackjack.exact.analysis import analyse
from riverboat.blackjack.rules import BlackjackRules, rules_from
from riverboat.drawing.palette import mixed
from riverboat.drawing.svg import rect, svg, text
from riverboat.errors import ParameterError, TooLargeError, UsageError
from riverboat.jobs.job_list import Crew, JobProgress, PlainWork, no_material, run_jobs

MAX_TABLES = 100_000
CELL, LINE = 92, 26  # Pixels of a cell of the picture
WORST, BEST = "#eb8278", "#8ccd7d"


@dataclass(frozen=True)
class RuleGrid:
    """Options with the values they take, and the table of each combination."""

    options: dict[str, tuple[str, ...]]
    tables: tuple[BlackjackRules, ...]  # In the order of the combinations, the first option slowest

    @property
    def combinations(self) -> list[tuple[str, ...]]:
        return list(product(*self.options.values()))


def parse_grid(preset: str, options: Sequence[str], changes: Sequence[str] = ()) -> RuleGrid:
    """A grid from texts like "decks=1,2,6"; `changes` hold for every table."""
    base = list(changes)
    read: dict[str, tuple[str, ...]] = {}
    for option in options:
        name, equals, values = option.partition("=")
        choices = tuple(value.strip() for value in values.split(",") if value.strip())
        if not equals or not name.strip() or not choices:
            raise UsageError(f"A row of the grid is written decks=1,2,6, not {option!r}.")
        if name.strip() in read or len(set(choices)) < len(choices):
            raise UsageError(f"{name.strip()} occurs twice in the grid.")
        read[name.strip()] = choices
    if not read:
        raise UsageError("Say what to vary, such as decks=1,2,6 and h17=true,false.")
    if prod(map(len, read.values())) > MAX_TABLES:
        raise TooLargeError(f"A grid has at most {MAX_TABLES:,} tables; vary fewer rules.")
    tables = []
    for chosen in product(*read.values()):
        pairs = [f"{name}={value}" for name, value in zip(read, chosen, strict=True)]
        try:
            tables.append(rules_from(preset, [*base, *pairs]))
        except ParameterError as error:
            raise ParameterError(f"{', '.join(pairs)}: {error}") from None
    return RuleGrid(read, tuple(tables))


def rule_value(rules: BlackjackRules) -> float:
    """What a round is worth with perfect play of each hand, in bets."""
    return float(analyse(rules).ev)


@dataclass(frozen=True)
class Sweep:
    """A grid with its values."""

    grid: RuleGrid
    values: tuple[float, ...]

    @property
    def best(self) -> int:
        """The place of the best table for the player."""
        return max(range(len(self.values)), key=lambda i: self.values[i])

    def as_dict(self) -> dict[str, Any]:
        rows = [
            {
                **dict(zip(self.grid.options, combination, strict=True)),
                "ev": value,
                "summary": rules.summary,
                "rules": dataclasses.asdict(rules),
            }
            for combination, rules, value in zip(
                self.grid.combinations, self.grid.tables, self.values, strict=True
            )
        ]
        return {"options": {k: list(v) for k, v in self.grid.options.items()}, "tables": rows}

    def lines(self) -> tuple[list[str], list[list[str]]]:
        """Heading and lines: the last option stands across, the others down; percent of the bet."""
        *down, across = self.grid.options
        columns = self.grid.options[across]
        names = list(product(*(self.grid.options[name] for name in down)))
        body = [
            [
                *name,
                *(
                    f"{100 * value:+z.4f}"
                    for value in self.values[i * len(columns) : (i + 1) * len(columns)]
                ),
            ]
            for i, name in enumerate(names)
        ]
        return [*down, *(f"{across}={value}" for value in columns)], body

    def svg(self, title: str = "") -> str:
        """The table as a picture: green where the player wins more, red where less."""
        heading, body = self.lines()
        front = len(self.grid.options) - 1
        low, high = min(self.values), max(self.values)
        width = CELL * max(len(heading), 1) + 20
        height = LINE * (len(body) + 2) + 20
        top = 10 + LINE * 2
        parts = [text(10, LINE - 4, title, size=13, bold=True)]
        for i, words in enumerate(heading):
            parts.append(text(16 + i * CELL, top - 8, words, size=13, bold=True))
        for number, line in enumerate(body):
            y = top + number * LINE
            for i, words in enumerate(line):
                x = 10 + i * CELL
                if i >= front:
                    value = self.values[number * (len(line) - front) + i - front]
                    part = (value - low) / (high - low) if high > low else 0.5
                    parts.append(rect(x, y, CELL - 2, LINE - 2, mixed(WORST, BEST, part)))
                    words = f"{words} %"
                parts.append(text(x + 6, y + LINE - 9, words, size=13))
        return svg(width, height, parts, paper="white")


def _rule_value(_: None, rules: BlackjackRules) -> float:
    return rule_value(rules)


def sweep_rules(
    grid: RuleGrid, crew: Crew, *, progress: Callable[[JobProgress], None] | None = None
) -> Sweep:
    """The exact value of every table of a grid."""
    work = PlainWork(no_material, _rule_value)
    return Sweep(grid, tuple(run_jobs(work, grid.tables, crew, progress=progress)))
