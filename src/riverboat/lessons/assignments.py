"""The assignments of the course: what each asks for, and the checks that a solution must pass.

A check is a function of the student's module. It returns if all is well, and raises `Failed` with a
sentence and a hint if not. Checks run in a process of their own (check_child.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module, resources
from typing import Any

from riverboat.errors import UnknownNameError


class Failed(Exception):  # noqa: N818 - a verdict, not a mistake of ours
    """A check that a solution does not pass."""

    def __init__(self, words: str, hint: str = "") -> None:
        super().__init__(words)
        self.words, self.hint = words, hint


@dataclass(frozen=True)
class Check:
    """One point that is checked."""

    title: str
    run: Callable[[Any], None]


@dataclass(frozen=True)
class Assignment:
    """What a student is asked for."""

    name: str
    title: str
    session: int  # The session of the course after which it is set
    lesson: int  # The lesson that explains it
    wanted: tuple[str, ...]  # What the file must define
    where: str  # Module of riverboat.lessons and list of its checks
    seconds: float = 20.0  # Of computing, for all checks

    @property
    def starter(self) -> str:
        """The file that a student begins with."""
        folder = resources.files("riverboat.lessons").joinpath("starters")
        return folder.joinpath(f"{self.name}.py").read_text(encoding="utf-8")

    @property
    def checks(self) -> tuple[Check, ...]:
        module, _, name = self.where.partition(":")
        checks: tuple[Check, ...] = getattr(import_module(f"riverboat.lessons.{module}"), name)
        return checks


ASSIGNMENTS: tuple[Assignment, ...] = (
    Assignment(
        "assignment1", "Regret matching", 1, 1, ("strategy",), "_game_checks:REGRET_MATCHING"
    ),
    Assignment(
        "assignment2",
        "Best response and NashConv of a table",
        2,
        3,
        ("best_response", "nash_conv"),
        "_game_checks:MATRIX",
    ),
    Assignment(
        "assignment3", "Solve Kuhn poker by CFR", 2, 3, ("solve",), "_game_checks:KUHN", 60.0
    ),
    Assignment(
        "assignment4", "How the dealer ends", 3, 7, ("dealer", "stand"), "_counting_checks:DEALER"
    ),
    Assignment(
        "assignment5",
        "Learn twenty-one by playing",
        4,
        8,
        ("learn",),
        "_counting_checks:LEARNING",
        90.0,
    ),
    Assignment(
        "assignment6",
        "Kelly's rule and the risk of ruin",
        5,
        10,
        ("risk_of_ruin", "kelly", "growth"),
        "_counting_checks:BANKROLL",
    ),
    Assignment("assignment7", "A bot for Leduc poker", 6, 12, ("Bot",), "_bot_checks:LEDUC", 90.0),
    Assignment(
        "assignment8", "The wire: messages are not packets", 6, 12, ("Session",), "_bot_checks:WIRE"
    ),
)


def find_assignment(name: str) -> Assignment:
    """By its name; "3" is assignment3."""
    wanted = name.strip().lower()
    wanted = f"assignment{wanted}" if wanted.isascii() and wanted.isdigit() else wanted
    for one in ASSIGNMENTS:
        if one.name == wanted:
            return one
    raise UnknownNameError.among("assignment", name[:40], [one.name for one in ASSIGNMENTS])


def need(true: object, words: str, hint: str = "") -> None:
    """Fail with these words unless it is true."""
    if not true:
        raise Failed(words, hint)
