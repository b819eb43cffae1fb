"""Any hand against any up card, with any cards already seen: what each action is worth, and why."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import HTMLResponse

from riverboat.blackjack.rules import parse_cards, points
from riverboat.errors import RiverboatError, UsageError
from riverboat.web.api.blackjack import MAX_SEEN, HandFacts, hand_value
from riverboat.web.app.problems import about, by_field
from riverboat.web.app.templates import render
from riverboat.web.blackjack.table import ORDER, query_of
from riverboat.web.pages.blackjack.frame import AskedTable, table_context, worths
from riverboat.web.site import AskedSite

router = APIRouter()
HAND, UP = "T,6", "T"
MAX_TEXT = 60


@dataclass(frozen=True)
class CardField:
    """A field for cards: its text, the cards in it, and where a press of a card leads."""

    name: str
    label: str
    text: str
    cards: str
    """Empty where the text is a total or cannot be read."""
    links: dict[str, str]
    """Card → the query with that card added."""
    fewer: str | None = None
    none: str | None = None


@router.get("/blackjack/hand")
def hand_page(
    request: Request, site: AskedSite, hand: str = HAND, up: str = UP, seen: str = ""
) -> HTMLResponse:
    """Show a hand and its values; every card that is pressed is another address."""
    table = AskedTable.read(request)
    context = table_context(request, site, table, "hand")
    texts = {"hand": hand[: MAX_TEXT + 1], "up": up[:MAX_TEXT], "seen": seen[: MAX_SEEN + 1]}
    problems: dict[str, str] = {}
    answer: HandFacts | None = None
    if context["value"] is not None:
        try:
            _check(texts)
            answer = site.answers.ask(
                hand_value, table.rules, texts["hand"], texts["up"], texts["seen"]
            )
            context["waiting"] = answer is None
        except RiverboatError as error:
            problems = {
                {"cards": "hand"}.get(field, field): words
                for field, words in by_field(error).items()
            }
    return render(
        request,
        "blackjack/hand.html",
        422 if table.problem or problems else 200,
        **context,
        fields=_fields(table, texts),
        rules_query=query_of(table.rules),
        problems=problems,
        answer=answer,
        worths=worths(answer.actions) if answer else [],
        up=_cards_in(texts["up"])[:1],
        total=_total(_cards_in(texts["hand"])),
    )


def _check(texts: dict[str, str]) -> None:
    """Refuse what is too long, and a hand that is none yet."""
    for name, most in (("hand", MAX_TEXT), ("seen", MAX_SEEN)):
        with about(name):
            if len(texts[name]) > most:
                raise UsageError(f"Write at most {most:,} characters.")
    with about("hand"):
        cards = _cards_in(texts["hand"])
        if not texts["hand"].strip() or len(cards) == 1:
            raise UsageError("Give the hand two cards or more, or a total such as 16 or soft 18.")


def _cards_in(text: str) -> str:
    try:
        return parse_cards(text)
    except RiverboatError:
        return ""


def _total(cards: str) -> str:
    if not cards:
        return ""
    total, soft = points(cards)
    return f"{'soft ' if soft else ''}{total}"


def _fields(table: AskedTable, texts: dict[str, str]) -> list[CardField]:
    rules = query_of(table.rules)

    def query(**changes: str) -> str:
        return urlencode({**rules, **texts, **changes})

    hand, up, seen = (_cards_in(texts[name]) for name in ("hand", "up", "seen"))
    ordered = "".join(sorted(seen, key=ORDER.index))
    more = {
        card: query(hand=",".join(hand + card))
        for card in ORDER
        if not hand or points(hand + card)[0] <= 21
    }
    return [
        CardField(
            "hand",
            "Your hand",
            texts["hand"],
            hand,
            more,
            query(hand=",".join(hand[:-1])) if hand else None,
            query(hand="") if texts["hand"] else None,
        ),
        CardField("up", "Dealer shows", texts["up"], up, {c: query(up=c) for c in ORDER}),
        CardField(
            "seen",
            "Seen before",
            texts["seen"],
            ordered,
            {card: query(seen=",".join(seen + card)) for card in ORDER},
            query(seen=",".join(seen[:-1])) if seen else None,
            query(seen="") if texts["seen"] else None,
        ),
    ]
