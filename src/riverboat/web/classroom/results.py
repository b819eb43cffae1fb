"""The results of a class as a table: a line for each student, a column for each round."""

from __future__ import annotations

from riverboat.runtime.tables import csv_text
from riverboat.web.classroom.room import Classroom

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the beginning of a formula."""


def plain_cell(text: str) -> str:
    """A text that a spreadsheet shows as it is: an apostrophe stands before a would-be formula."""
    first = text.lstrip()[:1]
    return f"'{text}" if text.startswith(FORMULA_STARTS) or first in FORMULA_STARTS else text


def results_csv(room: Classroom) -> str:
    """Rank, name, total and each round's score of those who are in the class, best first.

    A round in which a student did not sit is an empty cell.
    """
    scores: dict[str, dict[int, float]] = {student.identity: {} for student in room.present()}
    for each in room.rounds:
        for table in each.tables:
            for identity, score in zip(table.plan.seats, table.scores, strict=True):
                if identity in scores:
                    scores[identity][each.number] = score
    totals = {identity: sum(rounds.values()) for identity, rounds in scores.items()}
    rows = [
        [
            1 + sum(other > totals[identity] for other in totals.values()),
            plain_cell(room.name_of(identity)),
            totals[identity],
            *(scores[identity].get(each.number, "") for each in room.rounds),
        ]
        for identity in sorted(totals, key=lambda who: (-totals[who], room.name_of(who)))
    ]
    headings = [plain_cell(f"Round {each.number}, {each.game}") for each in room.rounds]
    return csv_text(["Rank", "Name", "Total", *headings], rows)
