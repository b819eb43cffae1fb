"""The trainer: hands to decide, judged exactly; what was not known comes again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from nicegui import ui

from riverboat.arena.drill import PracticeRecord, Verdict
from riverboat.blackjack.casino.drills import KINDS, Question, Trainer
from riverboat.blackjack.rules import BlackjackRules, points
from riverboat.drawing.html import Markup, pick_button, signed, tag
from riverboat.errors import RiverboatError
from riverboat.web.app.frame import button, error_note, in_thread, panel
from riverboat.web.app.markup import Picture, decided
from riverboat.web.blackjack.views import hand_cards, worths

if TYPE_CHECKING:
    from riverboat.web.server import Site

KEYS = {
    "stand": "s",
    "hit": "h",
    "double": "d",
    "split": "p",
    "surrender": "r",
    "insure": "i",
    "decline": "n",
}


class TrainerView:
    """One question at a time, with keys; the record is a file and outlives the server."""

    def __init__(self, site: Site, rules: Callable[[], BlackjackRules]) -> None:
        self.rules = rules
        self.path = site.settings.folder / "blackjack-practice.json"
        self.trainer: Trainer | None = None
        self.question: Question | None = None
        self.verdict: Verdict | None = None
        self.looked_up = False
        self.decision = 0  # Number of clicks so far that went to the next question or verdict
        with panel("Train", "The rules are those of this page; mistakes come again."):
            with ui.element("div").classes("line-up"):
                self.kinds = (
                    ui.select(
                        list(KINDS), label="Drills", value=["hard", "soft", "pairs"], multiple=True
                    )
                    .props("outlined dense options-dense use-chips")
                    .style("max-width: 420px")
                )
                button("Begin", self._begin, main=True, icon="play_arrow")
            self.felt = Picture(live=True)
            self.moves = Picture(on_pick=self._pick)
            self.judged = Picture(live=True)
            self.score = Picture()

    async def _begin(self) -> None:
        try:
            record = PracticeRecord.load(self.path) if self.path.is_file() else None
            record = record or PracticeRecord(self.path)
            made: Any = await in_thread(
                lambda: Trainer(self.rules(), tuple(self.kinds.value or ()), record=record)
            )
            self.trainer = made
            await self._next()
        except RiverboatError as error:
            self.felt.show(error_note(error))

    async def _next(self) -> None:
        assert self.trainer is not None
        asked: Any = await in_thread(self.trainer.next)
        self.question, self.verdict, self.looked_up = asked, None, False
        self._show()

    async def _pick(self, text: str) -> None:
        if self.trainer is None or self.question is None:
            return
        text, decision = decided(text)
        if text == "?" and self.verdict is None:
            self.looked_up = True
            self._show()
        elif decision != self.decision:
            return  # a click on what is gone
        elif text == "next" and self.verdict is not None:
            self.decision += 1
            await self._next()
        elif self.verdict is None and text in self.question.values:
            self.decision += 1
            self.verdict = self.trainer.answer(self.question, text, looked_up=self.looked_up)
            self._show()

    def _show(self) -> None:
        question = self.question
        assert question is not None
        assert self.trainer is not None
        self.felt.show(_felt(question))
        if self.verdict is None:
            self.moves.show(_answers(question, self.decision))
        else:
            again = pick_button(
                "next",
                "Next ",
                tag("kbd", "Enter"),
                cls="btn main-act",
                data_key="Enter",
                data_decision=self.decision,
            )
            self.moves.show(tag("div", again, _said(self.verdict), cls="moves"))
        show = self.looked_up or self.verdict is not None
        self.judged.show(_values(question) if show else Markup(""))
        self.score.show(tag("p", self.trainer.score.lines()[0], cls="muted small"))


def _felt(question: Question) -> Markup:
    total, soft = points(question.cards) if question.cards else (0, False)
    words = f"{'soft ' if soft else ''}{total}" if question.cards else "insurance?"
    count = "" if question.count is None else f"true count {question.count:+d}"
    again = "once more, you missed it before" if question.again else ""
    return tag(
        "div",
        tag(
            "div",
            tag("div", tag("span", "dealer", cls="who"), hand_cards(question.up), cls="seat"),
            cls="seats",
        ),
        tag("div", tag("span", count or again, cls="muted"), cls="middle"),
        tag(
            "div",
            tag(
                "div",
                tag("span", "you", cls="who"),
                hand_cards(question.cards),
                tag("span", words, cls="what"),
                cls="seat",
            ),
            cls="seats own",
        ),
        cls="felt compact",
    )


def _answers(question: Question, decision: int) -> Markup:
    order = [name for name in KEYS if name in question.values]
    buttons = [
        pick_button(
            name,
            f"{name} ",
            tag("kbd", KEYS[name]),
            cls="btn",
            data_key=KEYS[name],
            data_decision=decision,
        )
        for name in order
    ]
    look = pick_button("?", "look up ", tag("kbd", "?"), cls="btn", data_key="?")
    return tag("div", buttons, look, cls="moves")


def _said(verdict: Verdict) -> Markup:
    if verdict.right:
        return tag("b", f"Right: {verdict.action}.", cls="good")
    return tag("b", f"No: {verdict.best}; that cost {verdict.cost:.4f} bets.", cls="bad")


def _values(question: Question) -> Markup:
    if set(question.values) <= {"stand", "hit", "double", "split", "surrender"}:
        return worths(question.values)
    rows = [
        tag("tr", tag("td", name), tag("td", signed(value), cls="r"))
        for name, value in question.values.items()
    ]
    return tag("table", rows, cls="plain")
