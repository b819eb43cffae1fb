"""The best chart for any rules; a cell tells what every action is worth, and why."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import HTMLResponse

from riverboat.errors import RiverboatError
from riverboat.web.api.blackjack import ChartAnswer, HandFacts, hand_values, table_chart
from riverboat.web.app.templates import render
from riverboat.web.blackjack.table import ORDER, hands_of_cell
from riverboat.web.pages.blackjack.frame import AskedTable, table_context, worths
from riverboat.web.site import AskedSite, Site

router = APIRouter()
FIRST_CELL = "hard:16:T"
"""The cell that is open at first: the hand that players ask about most."""
WORDS = {
    "H": "hit",
    "S": "stand",
    "D": "double, else hit",
    "Ds": "double, else stand",
    "P": "split",
    "Rh": "surrender, else hit",
    "Rs": "surrender, else stand",
    "Rp": "surrender, else split",
}


@dataclass(frozen=True)
class Row:
    """A row of the chart."""

    label: str
    key: str
    codes: dict[str, str]


@dataclass(frozen=True)
class Cell:
    """A cell that is looked at: its hands, and one of them answered."""

    name: str
    up: str
    hands: list[tuple[str, str]]
    """Cards and the best action."""
    chosen: str
    answer: HandFacts | None
    """None while it is computed."""


@router.get("/blackjack")
@router.get("/blackjack/chart")
def chart_page(
    request: Request, site: AskedSite, cell: str = FIRST_CELL, hand: str = ""
) -> HTMLResponse:
    """Show the rules, the chart, and one of its cells."""
    table = AskedTable.read(request)
    context = table_context(request, site, table, "chart")
    known = context["value"] is not None  # else the workers compute the table
    chart = site.answers.ask(table_chart, table.rules) if known else None
    opened, problem = None, ""
    if known:
        try:
            opened = open_cell(site, table, cell, hand)
        except RiverboatError as error:
            problem = str(error)
    context["waiting"] = chart is None or (opened is not None and opened.answer is None)
    return render(
        request,
        "blackjack/chart.html",
        422 if table.problem or problem else 200,
        **context,
        chart=chart,
        parts_of_chart=parts_of(chart) if chart else [],
        ups=ORDER,
        cell=opened,
        picked=cell,
        problem=problem,
        worths=worths(opened.answer.actions) if opened and opened.answer else [],
        words=WORDS,
    )


def open_cell(site: Site, table: AskedTable, name: str, hand: str) -> Cell:
    """The hands of a cell, one of them answered."""
    hands, up = hands_of_cell(name)
    chosen = hand if hand in hands else hands[0]
    answers = site.answers.ask(hand_values, table.rules, tuple(hands), up)
    if answers is None:
        return Cell(name, up, [], chosen, None)
    best = [(each, answer.best) for each, answer in answers.items()]
    return Cell(name, up, best, chosen, answers[chosen])


def parts_of(chart: ChartAnswer) -> list[tuple[str, list[Row]]]:
    """Hard totals, soft totals and pairs, the highest first."""
    hard = [Row(str(n), f"hard:{n}", chart.hard[str(n)]) for n in range(20, 4, -1)]
    soft = [Row(f"A,{n - 11}", f"soft:{n}", chart.soft[str(n)]) for n in range(20, 12, -1)]
    pairs = [
        Row(f"{card},{card}", f"pair:{card}", chart.pairs[f"{card},{card}"])
        for card in ("A", "T", *"98765432")
    ]
    return [("Hard totals", hard), ("Soft totals", soft), ("Pairs", pairs)]
